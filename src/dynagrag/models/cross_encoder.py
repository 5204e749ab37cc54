"""A reranker: a cross-encoder reads a question and a text together and says how well they fit. By
ONNX Runtime, which needs no torch.
"""

import logging
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt

from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError
from dynagrag.models.catalog import hub_model
from dynagrag.models.onnx_classifier import OnnxClassifier, check_classifier_source, has_onnx
from dynagrag.models.onnx_engine import batches
from dynagrag.models.reply_parsing import clean_text

_LOG = logging.getLogger(__name__)
_MAX_TOKENS = 512
"""Of a question and its text."""
_NOT = ("irrelevant", "not_relevant", "no", "false", "0", "label_0", "negative")
"""Names of the first of two labels where that is the one that doesn't fit."""


class CrossEncoder:
    """See the module. The weights are loaded at the first use; one call at a time."""

    def __init__(self, source: str, settings: Settings) -> None:
        """`source`: a folder, or a name of the hub. Raises SettingsError for a path that holds no
        model.
        """
        check_classifier_source(source, "a cross-encoder")
        self.name = source
        self._settings = settings
        self._lock = Lock()
        self._model: OnnxClassifier | None = None

    def scores(self, question: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """(n,) of each text, without bounds: the higher, the better it fits. A text that is too
        long is read to where the model's input ends.

        Raises SettingsError where the model can't be loaded or is made for another task, ModelError
        where it fails.
        """
        found = np.zeros(len(texts))
        if not texts:
            return found
        with self._lock:
            model = self._loaded()
            pairs = [(clean_text(question), clean_text(text)) for text in texts]
            encoded = model.tokenizer.encode_batch(pairs)
            for batch in batches([len(own.ids) for own in encoded]):
                found[batch] = self._fit(model, model.logits([encoded[i] for i in batch]))
        return found

    def _fit(
        self, model: OnnxClassifier, logits: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float64]:
        """(n,) of the model's outputs (n, 1), or (n, 2), whose second is the one that fits unless
        the labels say so of the first.
        """
        if logits.ndim != 2 or logits.shape[1] not in (1, 2):
            what = (
                f"{logits.shape[1]} labels (a classifier of claims is used by"
                f" DYNAGRAG_CHECKER=nli:{self.name})"
                if logits.ndim == 2
                else "a vector for each token, as embedders and language models have"
            )
            raise SettingsError(
                f"{self.name} is no reranker: it gives {what}; give a cross-encoder with one label,"
                " or two"
            )
        wide = logits.astype(np.float64)
        if wide.shape[1] == 1:
            return wide[:, 0]
        fits = wide[:, 1] - wide[:, 0]
        names = [name.casefold().replace(" ", "_").replace("-", "_") for name in model.labels]
        is_first = len(names) == 2 and names[1] in _NOT and names[0] not in _NOT
        return -fits if is_first else fits

    def _loaded(self) -> OnnxClassifier:
        if self._model is None:
            began = time.perf_counter()
            path = Path(self.name).expanduser()
            is_here = path.exists()
            folder = path if is_here else hub_model(self.name, self._settings, prefers_onnx=True)
            if not has_onnx(folder):
                raise SettingsError(
                    f"{folder} has no .onnx file: fetch it from the model's page (onnx/model.onnx),"
                    " or export it (`optimum-cli export onnx --task text-classification`)"
                )
            model = OnnxClassifier(folder, "a cross-encoder")
            size = min(_MAX_TOKENS, model.max_tokens or _MAX_TOKENS)
            model.tokenizer.enable_truncation(size)
            self._model = model
            _LOG.info("loaded the reranker %s in %.1f s", self.name, time.perf_counter() - began)
        return self._model
