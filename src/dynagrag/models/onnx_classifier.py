"""A classifier of pairs of texts by ONNX Runtime, which needs neither torch nor transformers: a
folder with an .onnx file, tokenizer.json and config.json, as `optimum-cli export onnx` writes them.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dynagrag.core.errors import ModelError, SettingsError
from dynagrag.core.schema import Vectors
from dynagrag.models.hub import onnx_file

if TYPE_CHECKING:
    from tokenizers import Encoding

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")

_MOST_TOKENS = 2**31
"""Of any vocabulary."""


class OnnxClassifier:
    """See the module. One call at a time.

    Attributes:
        tokenizer: The model's own, without truncation and padding.
        labels: The names of its outputs, in their order.
        max_tokens: Of its input; None where its config doesn't tell.
    """

    def __init__(self, folder: Path, what: str = "a classifier") -> None:
        """Raises SettingsError for what is no such folder. `what`: as errors call it."""
        import onnxruntime
        from tokenizers import Tokenizer

        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self.tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self.labels = labels_of(config)
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 3
            place = folder / (_onnx_of(folder) or "model.onnx")
            self._session = onnxruntime.InferenceSession(
                str(place), options, providers=["CPUExecutionProvider"]
            )
        except Exception as err:  # both libraries raise what they like for files that are damaged
            raise SettingsError(
                f"{folder} could not be loaded as {what}:"
                f" {' '.join(str(err).split())[:200]}; it needs an .onnx file, tokenizer.json and"
                " config.json, as `optimum-cli export onnx` writes them"
            ) from err
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        limit = config.get("max_position_embeddings")
        self.max_tokens = limit if isinstance(limit, int) and limit > 0 else None
        pad = config.get("pad_token_id")
        self._pad = pad if isinstance(pad, int) and 0 <= pad < _MOST_TOKENS else 0
        self._names = [own.name for own in self._session.get_inputs()]
        if unknown := set(self._names).difference(_INPUTS):
            raise SettingsError(
                f"{folder} wants the inputs {', '.join(sorted(unknown))}, which {what} hasn't got:"
                " give one that reads two texts"
            )

    def logits(self, windows: Sequence["Encoding"]) -> Vectors:
        """(n, labels) of a sequence classifier, (n, tokens, labels) of one of tokens. Raises
        ModelError where it fails.
        """
        shape = len(windows), max(len(window.ids) for window in windows)
        rows = {name: np.zeros(shape, dtype=np.int64) for name in _INPUTS}
        rows["input_ids"][:] = self._pad
        for i, window in enumerate(windows):
            size = len(window.ids)
            rows["input_ids"][i, :size] = window.ids
            rows["attention_mask"][i, :size] = 1
            rows["token_type_ids"][i, :size] = window.type_ids
        try:
            (found, *_) = self._session.run(None, {name: rows[name] for name in self._names})
        except Exception as err:  # the library has errors of its own for each kind
            raise ModelError(f"the classifier failed: {' '.join(str(err).split())[:200]}") from err
        return np.asarray(found, dtype=np.float32)


def check_classifier_source(source: str, what: str) -> None:
    """SettingsError for what is neither a folder with a config.json nor a name of the hub."""
    path = Path(source).expanduser()
    is_hub_id = source.count("/") == 1 and not source.startswith((".", "/", "~"))
    if not (path / "config.json").is_file() and not (is_hub_id and not path.exists()):
        raise SettingsError(
            f"{source} holds no config.json: give the folder of {what}, or a hub name like"
            " org/model"
        )


def has_onnx(folder: Path) -> bool:
    """Whether a folder holds an .onnx file."""
    return _onnx_of(folder) is not None


def _onnx_of(folder: Path) -> str | None:
    return onnx_file(path.relative_to(folder).as_posix() for path in folder.rglob("*.onnx"))


def labels_of(config: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of a classifier's outputs by its config; LABEL_0 and LABEL_1, as the library names
    them, where it has none.
    """
    named = config.get("id2label") or {0: "LABEL_0", 1: "LABEL_1"}
    return tuple(str(named[key]) for key in sorted(named, key=int))
