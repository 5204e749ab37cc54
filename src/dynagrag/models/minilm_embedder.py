"""The default embedder, all-MiniLM-L6-v2 by ONNX Runtime: sentence-transformers' vectors (to 4e-7),
without torch.
"""

import logging
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

import numpy as np

from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError
from dynagrag.core.schema import EmbedderIdentity, Vector, Vectors
from dynagrag.core.vectors import unit_rows
from dynagrag.models.catalog import CATALOG, model_path, pull
from dynagrag.models.minilm_weights import DIMENSION, IDS, MASK, SEGMENTS, graph_bytes, laid_out
from dynagrag.models.reply_parsing import clean_text

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

_LOG = logging.getLogger(__name__)
MINILM = "minilm"
MAX_TOKENS = 256
_BATCH_TOKENS = 512
"""Of a batch, padding included: more don't fit the processor's caches. 600 sentences took 4.5 s at
512 and 6.6 s at 8,192, on one core.
"""
_KNOWN = "The lunar module is called Aquarius."
_KNOWN_VECTOR = (-0.049683, 0.01728, 0.042584, 0.030808, -0.071542, -0.042943, 0.053025, -0.055061)
"""The first numbers of the vector of _KNOWN, by sentence-transformers."""


class MiniLmEmbedder:
    """all-MiniLM-L6-v2 on the processor; weights are loaded, and fetched, at the first use.
    Thread-safe, one call at a time.

    Texts are cut at 256 tokens, without a word. OMP_NUM_THREADS limits its threads.
    """

    def __init__(self, settings: Settings, name: str = MINILM) -> None:
        """`name`: what its vectors are stored under."""
        self._settings = settings
        self._name = name
        self._lock = Lock()
        self._loaded: _Model | None = None

    @property
    def identity(self) -> EmbedderIdentity:
        """Known without loading anything."""
        return EmbedderIdentity(self._name, DIMENSION)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32 unit rows."""
        return self._embed(texts, self._settings.document_prefix or "")

    def embed_query(self, text: str) -> Vector:
        """(384,) float32, unit length."""
        vector: Vector = self._embed([text], self._settings.query_prefix or "")[0]
        return vector

    def load_beside(self) -> None:
        """Begins to load it, in a thread that the process waits for at its end: a library's own
        code is not to be cut off there.
        """
        Thread(target=self._load_quietly, name="load minilm").start()

    def _load_quietly(self) -> None:
        with suppress(Exception), self._lock:  # what fails here fails again at the first use
            self._model()

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not texts:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        with self._lock:
            return self._model().embed([prefix + clean_text(text) for text in texts])

    def _model(self) -> "_Model":
        if self._loaded is None:
            self._loaded = _Model(_folder(self._settings))
        return self._loaded


class _Model:
    """Tokenizer and session of a model's folder. SettingsError where they can't be loaded, or give
    other vectors than they should.
    """

    def __init__(self, folder: Path) -> None:
        began = time.perf_counter()
        try:
            self._tokenizer, self._session = _tokenizer(folder), _session(folder)
        except ImportError as err:
            raise SettingsError(
                f"the embedder minilm needs onnxruntime, safetensors and tokenizers ({err}): pip"
                " install ."
            ) from err
        except Exception as err:  # both libraries raise what they like for files that are damaged
            first = " ".join(str(err).split())[:200]
            raise SettingsError(
                f"{folder} could not be loaded as all-MiniLM-L6-v2: {first}; delete it and run the"
                " command again"
            ) from err
        found = self.embed([_KNOWN])[0, : len(_KNOWN_VECTOR)]
        if not np.allclose(found, _KNOWN_VECTOR, atol=1e-4):
            raise SettingsError(
                "ONNX Runtime gives other vectors on this machine than it should; take another"
                " version of onnxruntime, or --embedder sentence-transformers/all-MiniLM-L6-v2"
            )
        _LOG.info("loaded the embedder minilm in %.1f s", time.perf_counter() - began)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32 unit rows: the means of the tokens' vectors. Texts of like length share
        a batch; each is embedded once.
        """
        place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        tokens = [own.ids for own in self._tokenizer.encode_batch(list(place))]
        rows = np.zeros((len(place), DIMENSION), dtype=np.float32)
        for batch in _batches([len(own) for own in tokens]):
            rows[batch] = self._means([tokens[number] for number in batch])
        return unit_rows(rows[[place[text] for text in texts]])

    def _means(self, tokens: Sequence[Sequence[int]]) -> Vectors:
        ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int32)
        mask = np.zeros_like(ids)
        for row, own in enumerate(tokens):
            ids[row, : len(own)], mask[row, : len(own)] = own, 1
        (hidden,) = self._session.run(None, {IDS: ids, SEGMENTS: np.zeros_like(ids), MASK: mask})
        means: Vectors = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32)) / mask.sum(
            axis=1, keepdims=True, dtype=np.float32
        )
        return means


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """The numbers of the texts, the longest first, in batches of _BATCH_TOKENS, or of one text."""
    order = sorted(range(len(lengths)), key=lambda number: -lengths[number])
    batches, start = [], 0
    while start < len(order):
        size = max(1, _BATCH_TOKENS // lengths[order[start]])
        batches.append(order[start : start + size])
        start += size
    return batches


def _tokenizer(folder: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def _session(folder: Path) -> "InferenceSession":
    import onnxruntime
    from safetensors.numpy import load_file

    weights = laid_out(load_file(folder / "model.safetensors"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _num_threads()
    # others may need the cores
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_external_initializers(
        list(weights),
        [onnxruntime.OrtValue.ortvalue_from_numpy(matrix) for matrix in weights.values()],
    )
    return onnxruntime.InferenceSession(graph_bytes(), options, providers=["CPUExecutionProvider"])


def _num_threads() -> int:
    """The number in OMP_NUM_THREADS; 0, which is one for each physical core, where it has none."""
    first = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(first) if first.isdecimal() else 0


def _folder(settings: Settings) -> Path:
    """Where the model lies, fetched if need be."""
    if (there := model_path(MINILM, settings)) is not None:
        return there
    _LOG.warning(
        "fetching the default embedder, all-MiniLM-L6-v2 (%d MB), once",
        CATALOG[MINILM].size_bytes // 1_000_000,
    )
    return pull(MINILM, settings)
