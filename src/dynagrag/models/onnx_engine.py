"""A sentence embedder by ONNX Runtime, which needs no torch: an .onnx file, tokenizer.json and the
traits of `embedder_traits`.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dynagrag.core.errors import ModelError, SettingsError
from dynagrag.core.schema import TokenVectors, Vectors
from dynagrag.core.vectors import unit_rows
from dynagrag.models.embedder_traits import DenseLayer, EmbedderTraits, Pooling, no_pooling

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

Ids = npt.NDArray[np.int64]
_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
_TOKENS = ("last_hidden_state", "token_embeddings", "hidden_states")
_SENTENCE = ("sentence_embedding", "sentence_embeddings")
"""Names of outputs: a vector a token, or a text."""
_TYPES: dict[str, type] = {
    "tensor(int32)": np.int32,
    "tensor(float)": np.float32,
    "tensor(bool)": np.bool_,
}
"""Of inputs that aren't int64."""
_BATCH_TOKENS = 512
"""Of a batch, padding included: more don't fit the processor's caches. 600 sentences took 4.5 s at
512 and 6.6 s at 8,192, on one core.
"""


class OnnxEngine:
    """See the module. One call at a time. OMP_NUM_THREADS limits its threads.

    A text that is longer than the model's window is read in windows of like length, each with the
    prompt before it; its vector is their mean, weighted by their tokens.
    """

    def __init__(
        self,
        folder: Path,
        model: Path | bytes,
        traits: EmbedderTraits,
        weights: Mapping[str, Vectors] | None = None,
    ) -> None:
        """`model`: the .onnx file, or a graph whose weights are in `weights`.

        Raises:
            SettingsError: The files can't be loaded, or the graph is made for another task.
        """
        self.traits = traits
        try:
            self._tokenizer = _tokenizer(folder / "tokenizer.json")
            self._session = _session(model, weights or {})
        except ImportError as err:
            raise SettingsError(
                f"an embedder needs onnxruntime and tokenizers ({err}): pip install ."
            ) from err
        except Exception as err:  # both libraries raise what they like for files that are damaged
            raise SettingsError(
                f"{folder} could not be loaded as an embedder:"
                f" {' '.join(str(err).split())[:200]}; fetch its files again"
            ) from err
        inputs = self._session.get_inputs()
        self._inputs = {own.name: _TYPES.get(own.type, np.int64) for own in inputs}
        if unknown := [name for name in self._inputs if name not in _INPUTS]:
            raise SettingsError(
                f"{folder} has an .onnx file for another task: it wants {', '.join(unknown[:3])},"
                " and an embedder reads nothing but tokens; export it for feature-extraction"
            )
        self._num_rows, self._num_columns = _fixed_shape(inputs[0].shape)
        self._max_tokens = min(traits.max_tokens, self._num_columns or traits.max_tokens)
        self._output, self._is_pooled = _output(folder, self._session, bool(traits.dense))
        self._dense = [] if self._is_pooled else [_read_dense(layer) for layer in traits.dense]
        if traits.pooling is None and not self._is_pooled:
            raise no_pooling(folder)

    def embed_queries(self, texts: Sequence[str], prompt: str | None) -> Vectors:
        """(n, d) float32 unit rows. `prompt`: in place of the model's own. Raises ModelError where
        the runtime fails.
        """
        return self._embed(texts, self.traits.query_prompt if prompt is None else prompt)

    def embed_documents(self, texts: Sequence[str], prompt: str | None) -> Vectors:
        """The same of documents."""
        return self._embed(texts, self.traits.document_prompt if prompt is None else prompt)

    def query_tokens(self, texts: Sequence[str], prompt: str | None) -> list[TokenVectors] | None:
        """The tokens of each text, the prompt's and special ones apart; None where the graph pools
        by itself. Raises as `embed_queries`.
        """
        return self._tokens(texts, self.traits.query_prompt if prompt is None else prompt)

    def document_tokens(
        self, texts: Sequence[str], prompt: str | None
    ) -> list[TokenVectors] | None:
        """The same of documents."""
        return self._tokens(texts, self.traits.document_prompt if prompt is None else prompt)

    def _tokens(self, texts: Sequence[str], prompt: str) -> list[TokenVectors] | None:
        if self._is_pooled:
            return None
        encodings = self._tokenizer.encode_batch([prompt + text for text in texts])
        windows = [list(own.ids[: self._max_tokens]) or [0] for own in encodings]
        found: dict[int, TokenVectors] = {}
        for batch in batches([len(window) for window in windows], self._num_rows):
            hidden, _ = self._run([windows[number] for number in batch])
            for number, vectors in zip(batch, hidden, strict=True):
                own, num = encodings[number], len(windows[number])
                places = zip(own.offsets[:num], own.special_tokens_mask[:num], strict=True)
                kept = [
                    (i, (max(0, start - len(prompt)), end - len(prompt)))
                    for i, ((start, end), is_special) in enumerate(places)
                    if not is_special and end > len(prompt)
                ]
                found[number] = TokenVectors(
                    tuple(span for _, span in kept), unit_rows(vectors[[i for i, _ in kept]])
                )
        return [found[number] for number in range(len(texts))]

    def _embed(self, texts: Sequence[str], prompt: str) -> Vectors:
        """Texts of like length share a batch; each is embedded once."""
        place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        own = [
            self._windows(encoding, len(prompt))
            for encoding in self._tokenizer.encode_batch([prompt + text for text in place])
        ]
        windows = [window for windows in own for window in windows]
        vectors = self._vectors(windows)
        owner = np.repeat(np.arange(len(own)), [len(windows) for windows in own])
        sums = np.zeros((len(own), vectors.shape[1]), dtype=np.float32)
        weights = np.array([len(window) for window in windows], dtype=np.float32)
        np.add.at(sums, owner, vectors * weights[:, None])
        return unit_rows(sums[[place[text] for text in texts]])

    def _windows(self, encoding: "Encoding", num_prompt_chars: int) -> list[list[int]]:
        """A text's tokens; several lists where it is too long, all with its special tokens and its
        prompt.
        """
        ids = list(encoding.ids) or [0]
        if len(ids) <= self._max_tokens:
            return [ids]
        is_special = list(encoding.special_tokens_mask)
        first = is_special.index(0)
        last = len(ids) - is_special[::-1].index(0)
        ends = [end for _, end in encoding.offsets[first:last]]
        head = first + sum(end <= num_prompt_chars for end in ends)
        room = self._max_tokens - head - (len(ids) - last)
        if room < 1:
            raise SettingsError(
                f"the prompt alone fills the {self._max_tokens} tokens that the embedder"
                " reads; set a shorter query_prefix and document_prefix"
            )
        num = ceil((last - head) / room)
        edges = [head + (last - head) * step // num for step in range(num + 1)]
        return [ids[:head] + ids[begin:end] + ids[last:] for begin, end in pairwise(edges)]

    def _vectors(self, windows: Sequence[Sequence[int]]) -> Vectors:
        """(n, d) float32 unit rows."""
        order = batches([len(window) for window in windows], self._num_rows)
        parts = [self._pooled([windows[number] for number in batch]) for batch in order]
        found = unit_rows(np.concatenate(parts))
        rows = np.empty_like(found)
        rows[[number for batch in order for number in batch]] = found
        return rows

    def _run(self, windows: Sequence[Sequence[int]]) -> tuple[Vectors, Ids]:
        """What the graph gives for each window, (n, t, d) or (n, d), and the mask (n, t)."""
        lengths = np.array([len(window) for window in windows])
        shape = self._num_rows or len(windows), self._num_columns or lengths.max()
        ids = np.zeros(shape, dtype=np.int64)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = window
        mask = np.zeros_like(ids)
        mask[: len(windows)] = np.arange(ids.shape[1]) < lengths[:, None]
        try:
            (found,) = self._session.run([self._output], self._fed(ids, mask))
        except Exception as err:  # the library has errors of its own for each kind
            raise ModelError(f"the embedder failed: {' '.join(str(err).split())[:200]}") from err
        return np.asarray(found, dtype=np.float32)[: len(windows)], mask[: len(windows)]

    def _pooled(self, windows: Sequence[Sequence[int]]) -> Vectors:
        hidden, mask = self._run(windows)
        if self._is_pooled:
            return hidden
        vectors = _pooled(hidden, mask, self.traits.pooling)
        for weight, bias, is_tanh in self._dense:
            vectors = vectors @ weight.T + bias
            vectors = np.tanh(vectors) if is_tanh else vectors
        return vectors

    def _fed(self, ids: Ids, mask: Ids) -> dict[str, Any]:
        rows = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(ids.shape[1]), ids.shape),
        }
        return {name: rows[name].astype(kind) for name, kind in self._inputs.items()}


def batches(lengths: Sequence[int], max_texts: int = 0) -> list[list[int]]:
    """The numbers of the texts, the longest first, in batches of _BATCH_TOKENS, or of one text; of
    at most `max_texts`, 0 for any number.
    """
    order = sorted(range(len(lengths)), key=lambda number: -lengths[number])
    found, start = [], 0
    while start < len(order):
        size = max(1, _BATCH_TOKENS // max(1, lengths[order[start]]))
        size = min(size, max_texts or size)
        found.append(order[start : start + size])
        start += size
    return found


def num_threads() -> int:
    """The number in OMP_NUM_THREADS; 0, which is one for each physical core, where it has none."""
    first = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(first) if first.isdecimal() else 0


def _pooled(hidden: Vectors, mask: Ids, pooling: Pooling | None) -> Vectors:
    """(n, d) of (n, t, d), padding apart."""
    if pooling is Pooling.CLS:
        return hidden[:, 0]
    if pooling is Pooling.LAST:
        last: Vectors = hidden[np.arange(len(hidden)), mask.sum(axis=1) - 1]
        return last
    if pooling is Pooling.MAX:
        most: Vectors = np.where(mask[:, :, None] == 1, hidden, -np.inf).max(axis=1)
        return most
    means: Vectors = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32)) / mask.sum(
        axis=1, keepdims=True, dtype=np.float32
    )
    return means


def _tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _session(model: Path | bytes, weights: Mapping[str, Vectors]) -> "InferenceSession":
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = num_threads()
    # others may need the cores
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if weights:
        options.add_external_initializers(
            list(weights),
            [onnxruntime.OrtValue.ortvalue_from_numpy(matrix) for matrix in weights.values()],
        )
    return onnxruntime.InferenceSession(
        model if isinstance(model, bytes) else str(model),
        options,
        providers=["CPUExecutionProvider"],
    )


def _fixed_shape(shape: Sequence[int | str | None]) -> tuple[int, int]:
    """Texts and tokens of a graph that takes one shape alone; 0 where any number will do."""
    texts, tokens = (size if isinstance(size, int) and size > 0 else 0 for size in shape[:2])
    return texts, tokens


def _read_dense(layer: DenseLayer) -> tuple[Vectors, Vectors, bool]:
    """Weight (out, in), bias (out,), and whether tanh follows."""
    from safetensors.numpy import load_file

    try:
        found = load_file(layer.folder / "model.safetensors")
        weight = np.asarray(found["linear.weight"], dtype=np.float32)
        bias = np.asarray(found.get("linear.bias", np.zeros(len(weight))), dtype=np.float32)
    except Exception as err:  # safetensors raises what it likes for files that are damaged
        raise SettingsError(
            f"{layer.folder} has no dense layer's model.safetensors that can be read"
            f" ({' '.join(str(err).split())[:100]}); fetch the model's folder anew"
        ) from err
    return weight, bias, layer.is_tanh


def _output(folder: Path, session: "InferenceSession", prefers_pooled: bool) -> tuple[str, bool]:
    """The output that is read, and whether it is a vector a text already: by the usual names, else
    the first of three axes. `prefers_pooled`: more follows the pooling, which a graph that pools
    has in it. SettingsError where there is none.
    """
    ranks = {own.name: len(own.shape or ()) for own in session.get_outputs()}  # 0: not told
    pooled = [(name, True) for name in _SENTENCE if ranks.get(name) in (2, 0)]
    candidates: Iterable[tuple[str, bool]] = [
        *(pooled if prefers_pooled else ()),
        *((name, False) for name in _TOKENS if ranks.get(name) in (3, 0)),
        *pooled,
        *((name, False) for name, rank in ranks.items() if rank == 3 and "logits" not in name),
    ]
    found = next(iter(candidates), None)
    if found is None:
        has = ", ".join(f"{name} of {rank} axes" for name, rank in ranks.items())
        raise SettingsError(
            f"{folder} has an .onnx file for another task: it gives {has}, and an embedder gives a"
            " vector a token (last_hidden_state) or a text (sentence_embedding); export it for"
            " feature-extraction"
        )
    return found
