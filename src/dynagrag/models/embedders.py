"""`open_embedder`: what a user writes after --embedder as an embedder.

    minilm, bge-small, ...    the catalogue (`known_embedders`); minilm is the default
    NAME or PATH              any sentence embedder of the hub or a folder, by ONNX Runtime
    torch:NAME or PATH        the same by sentence-transformers
    openai:NAME               the OpenAI protocol at OPENAI_BASE_URL

Questions and documents get the prefixes of the settings, else the model's own. Texts beyond a
model's length are read in windows here, and by a server as it likes.
"""

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from dynagrag.config.key_hosts import check_model_host
from dynagrag.config.scrubbing import address_secrets
from dynagrag.config.settings import Settings
from dynagrag.core.embedder_names import stored_name
from dynagrag.core.errors import (
    ModelError,
    ModelUnavailableError,
    PromptRefusedError,
    SettingsError,
)
from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import EmbedderIdentity, Vector, Vectors
from dynagrag.models.bounded_http import bounded_client, embedding_call
from dynagrag.models.catalog import model_path
from dynagrag.models.embedding_replies import read_vectors
from dynagrag.models.error_translation import Endpoint, translating
from dynagrag.models.known_embedders import KNOWN_EMBEDDERS
from dynagrag.models.known_models import CATALOG
from dynagrag.models.local_embedder import TORCH, LocalEmbedder
from dynagrag.models.reply_parsing import clean_text
from dynagrag.models.server_traits import ServerTraits

if TYPE_CHECKING:
    import openai

_LOG = logging.getLogger(__name__)
HUB_PREFIXES = ("hub:", "hf:", "huggingface:", "optimum:", "onnx:")
"""What other programs write before a name of the model hub."""
_OPENAI_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


def open_embedder(spec: str, settings: Settings) -> Embedder:
    """The embedder of a spec; weights are loaded, and MiniLM fetched, at the first use.

    Raises:
        SettingsError: The spec or its key is missing or wrong.
    """
    spec = spec.strip()
    if spec.startswith("openai:"):
        return OpenAIEmbedder(spec, settings)
    if not spec or (spec in CATALOG and CATALOG[spec].kind != "embedder"):
        raise SettingsError(
            f"{spec!r} is no embedder: write one of {', '.join(KNOWN_EMBEDDERS)}, a folder, a hub"
            " name, or openai:NAME"
        )
    if spec.startswith(HUB_PREFIXES):
        raise SettingsError(
            f"{spec!r} is no embedder: a name of the model hub is written alone, as"
            f" {spec.partition(':')[2] or 'org/model'}; its .onnx file is taken where it has one"
        )
    place = Path(spec.removeprefix(TORCH)).expanduser()
    if ":" in spec.removeprefix(TORCH) and not place.exists():
        raise SettingsError(
            f"{spec!r} is no embedder: write openai:NAME for a server that speaks the OpenAI"
            " protocol, as Ollama, vLLM and TEI do, and its address as OPENAI_BASE_URL (Ollama's"
            " is http://localhost:11434/v1)"
        )
    return LocalEmbedder(spec, settings)


def begin_loading(settings: Settings) -> LocalEmbedder | None:
    """The embedder of the settings, being loaded in a thread: where it is one of the catalogue and
    is here. For commands that need it in any case.
    """
    name = settings.embedder.strip()
    if name not in KNOWN_EMBEDDERS or model_path(name, settings) is None:
        return None
    embedder = LocalEmbedder(name, settings)
    embedder.load_beside()
    return embedder


class OpenAIEmbedder:
    """Embeddings by the OpenAI protocol, in batches, several at once. A batch that the server
    refuses is halved, and it gets no larger ones from then on. Thread-safe.
    """

    def __init__(self, spec: str, settings: Settings) -> None:
        """Raises SettingsError without a key and a base URL; nothing is asked yet."""
        self._model = spec.removeprefix("openai:")
        self._spec = spec
        self._settings = settings
        base_url = settings.openai_base_url
        self._key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
        if not self._key and not base_url:
            raise SettingsError(
                f"{spec} needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of"
                " your own"
            )
        check_model_host(settings)
        self._endpoint = Endpoint(
            spec, base_url, (self._key, *address_secrets(base_url)), timeout_s=settings.timeout_s
        )
        self._dimension = None if base_url else _OPENAI_DIMENSIONS.get(self._model)
        self._traits = ServerTraits(self._endpoint.where, max_batch=settings.max_embedding_batch)
        self._lock = Lock()
        self._client: openai.OpenAI | None = None

    @property
    def identity(self) -> EmbedderIdentity:
        """Asks the server once where the dimension is not known."""
        if self._dimension is None:
            self._embed(["dimension"])
        assert self._dimension is not None
        name = stored_name(self._spec, self._settings.document_prefix)
        return EmbedderIdentity(name, self._dimension)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32 unit rows. Raises ModelError where the server's vectors change their
        dimension.
        """
        return self._embed_all(self._settings.document_prefix or "", texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As `embed_documents`, with the prefix of queries."""
        return self._embed_all(self._settings.query_prefix or "", texts)

    def _embed_all(self, prefix: str, texts: Sequence[str]) -> Vectors:
        batches = _batches([prefix + text for text in texts], self._traits.max_batch)
        if not batches:
            return np.zeros((0, self.identity.dimension), dtype=np.float32)
        if len(batches) == 1:
            return self._embed(batches[0])
        pool = ThreadPoolExecutor(
            min(len(batches), self._settings.max_concurrency), thread_name_prefix="embed"
        )
        try:
            return np.concatenate(list(pool.map(self._embed, batches)))
        finally:
            pool.shutdown(
                wait=False, cancel_futures=True
            )  # after Ctrl-C nobody waits for the calls in flight

    def embed_query(self, text: str) -> Vector:
        """(d,) float32, unit length."""
        vector: Vector = self._embed([(self._settings.query_prefix or "") + text])[0]
        return vector

    def close(self) -> None:
        """Closes its connections."""
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None

    def try_out(self, texts: Sequence[str]) -> None:
        """Asks for a whole batch of the longest of these texts, so that what the server refuses is
        known before anything else is paid for. Raises ModelError as `embed_documents`.
        """
        prefix = self._settings.document_prefix or ""
        longest = sorted(texts, key=len, reverse=True)[: self._traits.max_batch]
        if longest:
            self._embed([prefix + text for text in longest])

    def _embed(self, texts: list[str]) -> Vectors:
        max_batch = self._traits.max_batch
        if len(texts) > max_batch:
            return np.concatenate([self._embed(part) for part in _batches(texts, max_batch)])
        # The protocol refuses empty texts, its JSON lone surrogates.
        asked = [clean_text(text) if text.strip("\0 \t\r\n") else "-" for text in texts]
        try:
            data = self._ask(asked)
        except PromptRefusedError as err:
            if self._traits.has_base64 and "encoding" in str(err):
                self._traits.has_base64 = False
            elif len(texts) > 1:
                self._traits.halve_batch(len(texts))
            else:  # it wasn't the number of texts
                self._traits.max_batch = self._settings.max_embedding_batch
                raise
            return self._embed(texts)
        try:
            vectors = read_vectors(data, len(texts), self._dimension)
        except ValueError as err:
            raise ModelError(
                f"{self._endpoint.where} gave embeddings that are none: {err}; check what runs at"
                " OPENAI_BASE_URL"
            ) from err
        self._dimension = int(vectors.shape[1])
        return vectors

    def _ask(self, texts: list[str]) -> Any:
        call = embedding_call(self._endpoint, len(texts))
        with translating(self._endpoint, call.has_reply), call.bounding():
            client = self._opened()
            # The encoding is named, since the SDK otherwise turns each vector into a list of Python
            # floats.
            reply = client.embeddings.create(
                model=self._model,
                input=texts,
                encoding_format="base64" if self._traits.has_base64 else "float",
            )
        data = getattr(reply, "data", None)
        if not data:
            raise ModelUnavailableError(
                f"{self._endpoint.where} answered without embeddings; check OPENAI_BASE_URL"
            )
        return data

    def _opened(self) -> "openai.OpenAI":
        import openai

        with self._lock:
            if self._client is None:
                self._client = openai.OpenAI(
                    base_url=self._settings.openai_base_url,
                    api_key=self._key or "none",
                    timeout=self._settings.timeout_s,
                    max_retries=self._settings.max_retries,
                    http_client=bounded_client(self._endpoint),
                )
            return self._client


def _batches(texts: list[str], size: int) -> list[list[str]]:
    return [texts[i : i + size] for i in range(0, len(texts), size)]
