"""A GGUF model in this process: llama.cpp's own server on the loopback, asked by the OpenAI
protocol like any other.
"""

import logging
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import RLock
from typing import Any

from pydantic import BaseModel

from dynagrag.config.settings import Settings
from dynagrag.core.errors import ModelUnavailableError, SettingsError
from dynagrag.core.extras import check_extras
from dynagrag.core.protocols import FirstWord, ModelReply, Prompt
from dynagrag.models.bounded_http import bounded_client
from dynagrag.models.error_translation import Endpoint
from dynagrag.models.langchain_chat import OpenAIProtocolChat
from dynagrag.models.reply_room import ReplyRoom

_LOG = logging.getLogger(__name__)
_CONTEXT_TOKENS = 8192
"""llama.cpp itself lowers it to what the model was trained with."""
_SMALL_BYTES = 4_000_000_000


class GgufChat:
    """See the module. The weights are loaded at the first call; calls are made one at a time, so
    that each has its whole timeout.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        settings: Settings,
        model_identity: str | None = None,
    ) -> None:
        """Raises SettingsError where the file is missing or no GGUF, and without the library that
        runs it; it is not loaded yet.
        """
        check_gguf(path)
        check_gguf_library()
        self._path = path
        self._name = name
        self._temperature = settings.temperature
        self._timeout_s = settings.timeout_s
        self.room = ReplyRoom(name, settings.thinking_tokens, is_tried=True)
        size_bytes = path.stat().st_size
        # By the file's name and size: the same model in another folder gives the same replies.
        model = model_identity or f"gguf {path.name} size={size_bytes}"
        self._identity = f"{model} context={_CONTEXT_TOKENS} temperature={settings.temperature:g}"
        self._is_small = size_bytes < _SMALL_BYTES
        self._lock = RLock()
        self._server: Any = None
        self._chat: OpenAIProtocolChat | None = None

    @property
    def name(self) -> str:
        """The name as the user wrote it."""
        return self._name

    @property
    def identity(self) -> str:
        """The model, its context and temperature; no folder."""
        return self._identity

    @property
    def is_small(self) -> bool:
        """Told by the file's size."""
        return self._is_small

    def complete(
        self, prompt: Prompt, schema: type[BaseModel] | None, max_tokens: int
    ) -> ModelReply:
        """One reply, held to the schema by a grammar."""
        with self._lock:
            return self._started().complete(prompt, schema, max_tokens)

    def stream(self, prompt: Prompt, max_tokens: int) -> Iterator[str]:
        """The pieces as they come."""
        with self._lock:
            yield from self._started().stream(prompt, max_tokens)

    def first_word(self, prompt: Prompt, words: Sequence[str]) -> FirstWord:
        """Words by log probabilities; llama.cpp keeps what the last prompt began with, so prompts
        that share their lines are quick.
        """
        with self._lock:
            return self._started().first_word(prompt, words)

    def close(self) -> None:
        """Stops the server and frees the weights."""
        with self._lock:
            if self._chat is not None:
                self._chat.close()
            self._chat = self._server = None

    def _started(self) -> OpenAIProtocolChat:
        if self._chat is None:
            began = time.perf_counter()
            self._server = _start_server(self._path)
            base_url = f"{self._server.listening_address}/v1"
            from langchain_openai import ChatOpenAI

            remedy = (
                "the machine may be out of memory or too slow: raise DYNAGRAG_TIMEOUT_S, or take a"
                " smaller model"
            )
            endpoint = Endpoint(self._name, base_url, remedy=remedy, timeout_s=self._timeout_s)
            client = bounded_client(endpoint)
            chat = ChatOpenAI(
                model=self._path.name,
                base_url=base_url,
                api_key=lambda: "none",
                temperature=self._temperature,
                timeout=self._timeout_s,
                max_retries=0,  # a local call that failed once fails again, and may take minutes
                http_client=client,
                http_socket_options=(),  # the client is ours, and knows the proxies
                stream_usage=False,
            )
            self._chat = OpenAIProtocolChat(
                chat,
                endpoint=endpoint,
                identity=self._identity,
                is_small=self._is_small,
                on_close=client.close,
            )
            _LOG.info("loaded %s in %.1f s", self._path.name, time.perf_counter() - began)
        return self._chat


def check_gguf(path: Path) -> None:
    """Raises SettingsError unless the file is there and begins as GGUF files do. Nothing else of it
    is read.
    """
    if not path.is_file():
        raise SettingsError(
            f"no model file {path}: give the path of a .gguf file, or fetch one with `dynagrag"
            " models pull qwen`"
        )
    with path.open("rb") as file:
        head = file.read(4)
    if head == b"GGUF":
        return
    if (
        head[:1] == b"\x80"
        or head[:2] == b"PK"
        or path.suffix in {".pkl", ".pickle", ".pt", ".pth", ".bin", ".ckpt"}
    ):
        raise SettingsError(
            f"{path} looks like a pickle, which could run code, and was not opened: give a GGUF or"
            " safetensors model"
        )
    raise SettingsError(f"{path} is not a GGUF file: give the path of a .gguf model")


def check_gguf_library() -> None:
    """Raises SettingsError where what runs GGUF files is missing."""
    check_extras("running a GGUF file", {"xllamacpp": "gguf"})


def _start_server(path: Path) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = _CONTEXT_TOKENS
    params.n_parallel = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # a free one
    params.warmup = False
    params.verbosity = -1  # not a word on the user's terminal
    params.ui = False
    # those that `taskset` or a container leave us: more threads than that wait for each other
    # busily
    params.cpuparams.n_threads = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    try:
        return xllamacpp.Server(params)
    except RuntimeError as err:
        raise ModelUnavailableError(
            f"llama.cpp could not load {path}: the file may be damaged, too new, or too big for the"
            " memory"
        ) from err
