"""A sentence embedder by sentence-transformers, on the device that the library chooses."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dynagrag.core.errors import SettingsError
from dynagrag.core.extras import check_extras
from dynagrag.core.schema import Vectors
from dynagrag.core.vectors import unit_rows


class TorchEngine:
    """A model's folder with safetensors. One call at a time."""

    def __init__(self, folder: Path) -> None:
        """Raises SettingsError where the extra `local` or the weights are missing."""
        check_extras(f"the embedder {folder.name}", {"sentence_transformers": "local"})
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        try:
            # Safetensors only: other weights are pickles.
            self._model: Any = SentenceTransformer(
                str(folder), local_files_only=True, model_kwargs={"use_safetensors": True}
            )
        except (OSError, ValueError, RuntimeError) as err:
            first = " ".join(str(err).split())[:200]
            raise SettingsError(
                f"{folder} could not be loaded as a sentence-transformers model with safetensors:"
                f" {first}"
            ) from err

    def embed_queries(self, texts: Sequence[str], prompt: str | None) -> Vectors:
        """(n, d) float32 unit rows. `prompt`: in place of the model's own."""
        return self._embed(self._model.encode_query, texts, prompt)

    def embed_documents(self, texts: Sequence[str], prompt: str | None) -> Vectors:
        """The same of documents."""
        return self._embed(self._model.encode_document, texts, prompt)

    @staticmethod
    def _embed(encode: Any, texts: Sequence[str], prompt: str | None) -> Vectors:
        options: dict[str, Any] = {} if prompt is None else {"prompt": prompt}
        vectors = encode(list(texts), show_progress_bar=False, **options)
        return unit_rows(np.asarray(vectors, dtype=np.float32))
