"""An embedder in this process: of the catalogue, of a folder, or of the model hub. By ONNX Runtime
where there is an .onnx file, else by sentence-transformers.
"""

import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import Protocol

import numpy as np

from dynagrag.config.settings import Settings
from dynagrag.core.embedder_names import stored_name
from dynagrag.core.errors import SettingsError
from dynagrag.core.extras import lacking_extras
from dynagrag.core.schema import EmbedderIdentity, TokenVectors, Vector, Vectors
from dynagrag.models.catalog import hub_model, model_path, pull
from dynagrag.models.embedder_traits import read_traits
from dynagrag.models.hub import cached_snapshot, onnx_file
from dynagrag.models.known_embedders import (
    KNOWN_EMBEDDERS,
    KNOWN_SENTENCE,
    KnownEmbedder,
    known_by_file,
    known_by_name,
)
from dynagrag.models.known_models import CATALOG
from dynagrag.models.minilm_graph import fits_graph, graph_bytes, read_weights
from dynagrag.models.onnx_engine import OnnxEngine
from dynagrag.models.reply_parsing import clean_text
from dynagrag.models.torch_engine import TorchEngine

_LOG = logging.getLogger(__name__)
TORCH = "torch:"


class Engine(Protocol):
    """What runs a model. `prompt`: in place of the model's own."""

    def embed_queries(self, texts: Sequence[str], prompt: str | None) -> Vectors:
        """(n, d) float32 unit rows."""

    def embed_documents(self, texts: Sequence[str], prompt: str | None) -> Vectors:
        """The same of documents."""


class LocalEmbedder:
    """A model in this process; weights are loaded, and fetched, at the first use. Thread-safe, one
    call at a time.

    `spec`: a name of the catalogue, a folder, an .onnx file in one, or a name of the hub; with
    `torch:` before a folder or name of the hub by sentence-transformers in any case.
    """

    def __init__(self, spec: str, settings: Settings) -> None:
        self._spec = spec.removeprefix(TORCH)
        self._wants_torch = spec.startswith(TORCH)
        self._settings = settings
        self._row = None if self._wants_torch else _row(self._spec)
        self._dimension = self._row.dimension if self._row else 0
        self._lock = Lock()
        self._engine: Engine | None = None

    @property
    def identity(self) -> EmbedderIdentity:
        """Of the catalogue's embedders known without loading them."""
        if not self._dimension:
            with self._lock:
                self._opened()
        name = self._row.name if self._row else _own_name(self._spec)
        stored = stored_name(name, self._settings.document_prefix)
        return EmbedderIdentity(stored, self._dimension)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32 unit rows."""
        if not texts:
            return np.zeros((0, self.identity.dimension), dtype=np.float32)
        clean = [clean_text(text) for text in texts]
        with self._lock:
            return self._opened().embed_documents(clean, self._settings.document_prefix)

    def embed_query(self, text: str) -> Vector:
        """(d,) float32, unit length."""
        clean, prompt = [clean_text(text)], self._settings.query_prefix
        with self._lock:
            vector: Vector = self._opened().embed_queries(clean, prompt)[0]
        return vector

    def query_tokens(self, text: str) -> TokenVectors | None:
        """The vectors of a question's tokens; None where the model gives one a text alone, or
        sentence-transformers runs it.
        """
        with self._lock:
            engine = self._opened()
            if not isinstance(engine, OnnxEngine):
                return None
            found = engine.query_tokens([clean_text(text)], self._settings.query_prefix)
        return found[0] if found else None

    def document_tokens(self, texts: Sequence[str]) -> list[TokenVectors] | None:
        """The same of documents."""
        clean = [clean_text(text) for text in texts]
        with self._lock:
            engine = self._opened()
            if not isinstance(engine, OnnxEngine):
                return None
            return engine.document_tokens(clean, self._settings.document_prefix)

    def load_beside(self) -> None:
        """Begins to load it, in a thread that the process waits for at its end: a library's own
        code is not to be cut off there.
        """
        Thread(target=self._load_quietly, name="load embedder").start()

    def _load_quietly(self) -> None:
        with suppress(Exception), self._lock:  # what fails here fails again at the first use
            self._opened()

    def _opened(self) -> Engine:
        """The loaded model; the lock is held."""
        if self._engine is None:
            place = self._place()
            began = time.perf_counter()
            engine = TorchEngine(place) if self._wants_torch else self._fitting(place)
            found = engine.embed_documents([KNOWN_SENTENCE], None)[0]
            if self._row is not None:
                _check(self._row, found)
            self._engine, self._dimension = engine, len(found)
            _LOG.info("loaded the embedder %s in %.1f s", self._spec, time.perf_counter() - began)
        return self._engine

    def _place(self) -> Path:
        """The folder, or an .onnx file in one, fetched if need be."""
        if _is_place(self._spec):
            return _existing(self._spec)
        if self._row is not None and self._row.name == self._spec:
            return _known_folder(self._row, self._settings)
        return hub_model(_hub_name(self._spec), self._settings, prefers_onnx=not self._wants_torch)

    def _fitting(self, place: Path) -> Engine:
        """By what the folder holds. SettingsError where that is too little."""
        folder, file = _files(place, self._row)
        is_minilm = file is None and fits_graph(folder)
        if file is None and not is_minilm:
            if self._row is not None and self._row.name == self._spec:
                raise SettingsError(
                    f"{folder} does not hold all of {self._row.model}; delete it and run the"
                    " command again"
                )
            if (folder / "model.safetensors").is_file() and not lacking_extras(
                "", {"sentence_transformers": "local"}
            ):
                return TorchEngine(folder)
            raise SettingsError(
                f"{folder} has no .onnx file: fetch it from the model's page (onnx/model.onnx), or"
                " export it (`optimum-cli export onnx`, docs/models.md); or pip install '.[local]',"
                " which runs safetensors by torch"
            )
        if not (folder / "tokenizer.json").is_file():
            raise SettingsError(
                f"{folder} has no tokenizer.json: fetch it from the model's page, or write it with"
                " transformers: AutoTokenizer.from_pretrained(...).save_pretrained(FOLDER)"
            )
        known = self._known(folder, file)
        found = read_traits(folder, known.traits if known else None)
        if file is not None:
            return OnnxEngine(folder, file, found.traits)
        return OnnxEngine(folder, graph_bytes(), found.traits, _weights(folder))

    def _known(self, folder: Path, file: Path | None) -> KnownEmbedder | None:
        """The catalogue's row of the model in a folder."""
        known = self._row or known_by_name(self._spec) or known_by_name(folder.name)
        return known_by_file(file) if known is None and file is not None else known

    def catalogue_note(self) -> str:
        """What a model's own files don't tell, and which row of the catalogue does; empty where
        they tell all. It is fetched if need be.
        """
        folder, file = _files(self._place(), self._row)
        known = self._known(folder, file)
        if self._wants_torch or known is None or known is self._row:
            return ""
        lacking = " and ".join(read_traits(folder, known.traits).from_catalogue)
        told = f"{folder.name} doesn't tell its {lacking}; taken from {known.name} of the catalogue"
        return told if lacking else ""

    def to_fetch(self) -> str:
        """What the first use fetches, with its size where the catalogue has it; empty for none."""
        if _is_place(self._spec):
            return ""
        row = self._row if self._row and self._row.name == self._spec else None
        if row is None:
            name = _hub_name(self._spec)
            is_there = model_path(name, self._settings) or cached_snapshot(name)
            return "" if is_there else f"{name} from the model hub"
        size_mb = CATALOG[row.name].size_bytes // 10**6
        return "" if _there(row, self._settings) else f"the embedder {row.model} ({size_mb} MB)"


def _row(spec: str) -> KnownEmbedder | None:
    """The row that a spec names: by its own name, or by the hub's where that is taken whole."""
    own = KNOWN_EMBEDDERS.get(spec)
    rows = (row for row in KNOWN_EMBEDDERS.values() if row.hub_id == spec and not row.is_int8)
    return own or (None if _is_place(spec) else next(rows, None))


def _is_place(spec: str) -> bool:
    """Whether a spec is a path rather than a name; one of the catalogue's is a name."""
    if spec in KNOWN_EMBEDDERS:
        return False
    path = Path(spec).expanduser()
    return (
        path.is_dir() or path.is_absolute() or spec.startswith((".", "~")) or path.suffix == ".onnx"
    )


def _existing(spec: str) -> Path:
    path = Path(spec).expanduser()
    if path.is_dir() or (path.suffix == ".onnx" and path.is_file()):
        return path
    raise SettingsError(
        f"no embedder folder {spec}: give the folder of an embedder (an .onnx file, tokenizer.json"
        f" and its configuration), a hub name, or one of {', '.join(KNOWN_EMBEDDERS)}"
    )


def _own_name(spec: str) -> str:
    """The name under which vectors are stored: of a folder its own, of a chosen file that too."""
    path = Path(spec).expanduser()
    if path.suffix == ".onnx":
        folder = _home_of(path)
        return f"{folder.absolute().name}/{path.stem}"
    return path.absolute().name if path.is_dir() else spec


def _home_of(file: Path) -> Path:
    """The folder of a model's tokenizer: that of its .onnx file, or the one above."""
    beside = (file.parent / "tokenizer.json").is_file()
    return file.parent if beside or file.parent.name != "onnx" else file.parent.parent


def _files(place: Path, row: KnownEmbedder | None) -> tuple[Path, Path | None]:
    """The model's folder, and its .onnx file where it has one."""
    if place.suffix == ".onnx":
        return _home_of(place), place
    if row is not None and (place / row.onnx_file).is_file():
        return place, place / row.onnx_file
    name = onnx_file(path.relative_to(place).as_posix() for path in place.rglob("*.onnx"))
    return place, place / name if name else None


def _weights(folder: Path) -> dict[str, Vectors]:
    try:
        return read_weights(folder)
    except Exception as err:  # safetensors raises what it likes for files that are damaged
        first = " ".join(str(err).split())[:200]
        raise SettingsError(
            f"{folder} could not be loaded as an embedder: {first}; fetch its files again"
        ) from err


def _hub_name(spec: str) -> str:
    return spec if "/" in spec else f"sentence-transformers/{spec}"


def _there(row: KnownEmbedder, settings: Settings) -> Path | None:
    """Where an embedder of the catalogue lies; None before it is fetched."""
    if (there := model_path(row.name, settings)) is not None:
        return there
    snapshot = None if CATALOG[row.name].packages else cached_snapshot(row.hub_id)
    return snapshot if snapshot is not None and (snapshot / row.onnx_file).is_file() else None


def _known_folder(row: KnownEmbedder, settings: Settings) -> Path:
    """Where an embedder of the catalogue lies, fetched if need be."""
    if (there := _there(row, settings)) is not None:
        return there
    _LOG.warning(
        "fetching the embedder %s (%d MB), once", row.model, CATALOG[row.name].size_bytes // 10**6
    )
    return pull(row.name, settings)


def _check(row: KnownEmbedder, vector: Vector) -> None:
    """SettingsError where a model gives another vector than it gave before."""
    if len(vector) == row.dimension and np.allclose(
        vector[: len(row.known_vector)], row.known_vector, atol=row.tolerance
    ):
        return
    remedy = (
        f"take {row.name.removesuffix('-int8')}, whose weights aren't rounded"
        if row.is_int8
        else "take another version of onnxruntime, or another embedder"
    )
    raise SettingsError(
        f"ONNX Runtime gives other vectors of {row.name} on this machine than it should; {remedy}"
    )
