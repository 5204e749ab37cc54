"""A classifier of claims through transformers and torch, for weights without an ONNX file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dynagrag.core.errors import ModelUnavailableError, SettingsError
from dynagrag.core.schema import Vectors
from dynagrag.models.onnx_classifier import labels_of

if TYPE_CHECKING:
    from tokenizers import Encoding


class TorchClassifier:
    """A sequence classifier, or one of tokens; attributes and `logits` as `OnnxClassifier` has
    them.
    """

    def __init__(self, folder: Path) -> None:
        """Raises SettingsError for what is no such folder, ModelUnavailableError where there is no
        memory for it.
        """
        tokenizer, self._model = _loaded(folder)
        self.tokenizer = tokenizer.backend_tokenizer
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.labels = labels_of({"id2label": self._model.config.id2label})
        limits = (
            tokenizer.model_max_length,
            getattr(self._model.config, "max_position_embeddings", None),
        )
        self.max_tokens = min((limit for limit in limits if limit and limit > 0), default=None)
        self._pad = tokenizer.pad_token_id or 0
        self._has_types = "token_type_ids" in tokenizer.model_input_names

    def logits(self, windows: Sequence["Encoding"]) -> Vectors:
        """(n, labels) of a sequence classifier, (n, tokens, labels) of one of tokens."""
        import torch

        size = max(len(window.ids) for window in windows)

        def padded(rows: Sequence[Sequence[int]], fill: int) -> torch.Tensor:
            made = [[*row, *[fill] * (size - len(row))] for row in rows]
            return torch.tensor(made, device=self._model.device)

        inputs = {
            "input_ids": padded([window.ids for window in windows], self._pad),
            "attention_mask": padded([[1] * len(window.ids) for window in windows], 0),
        }
        if self._has_types:
            inputs["token_type_ids"] = padded([window.type_ids for window in windows], 0)
        with torch.inference_mode():
            return np.asarray(self._model(**inputs).logits.float().cpu().numpy())


def _loaded(folder: Path) -> tuple[Any, Any]:
    try:
        import torch
        from transformers import (
            AutoModelForSequenceClassification,
            AutoModelForTokenClassification,
            AutoTokenizer,
        )
        from transformers.utils import logging as transformers_logging
    except ImportError as err:
        raise SettingsError(
            f"{folder} has no .onnx file, and weights need transformers and torch: pip install"
            " 'dynagrag[local]', or export it with `optimum-cli export onnx`"
        ) from err
    transformers_logging.disable_progress_bar()
    try:
        from transformers import AutoConfig

        config = AutoConfig.from_pretrained(folder, local_files_only=True)
        is_of_tokens = any(
            name.endswith("ForTokenClassification") for name in config.architectures or ()
        )
        kind = (
            AutoModelForTokenClassification if is_of_tokens else AutoModelForSequenceClassification
        )
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        # Safetensors only: other weights are pickles.
        model, loading = kind.from_pretrained(
            folder,
            local_files_only=True,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except (OSError, ValueError, ImportError) as err:
        raise SettingsError(
            f"{folder} could not be loaded as a classifier: {' '.join(str(err).split())[:200]}"
        ) from err
    except (MemoryError, RuntimeError) as err:
        raise ModelUnavailableError(
            f"{folder} could not be loaded: {' '.join(str(err).split())[:200]}"
        ) from err
    if loading["missing_keys"]:
        raise SettingsError(
            f"{folder} has no classifier (its weights lack"
            f" {sorted(loading['missing_keys'])[0]}): give one that was trained"
        )
    device = (
        "cuda"
        if torch.cuda.is_available()
        else "mps"
        if torch.backends.mps.is_available()
        else "cpu"
    )
    return tokenizer, model.to(device).eval()
