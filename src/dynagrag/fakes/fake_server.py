"""A server on the loopback that speaks the OpenAI protocol, backed by the fakes, for tests and for
measuring our own overhead.

It counts what it is asked and can be told to fail. Plain sockets, since the header parsing of
http.server costs more than all the rest.
"""

import base64
import json
import math
import socket
import socketserver
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dynagrag.core.ids import estimate_tokens
from dynagrag.core.protocols import FirstWordModel, Prompt
from dynagrag.fakes.fake_models import FakeChat, FakeEmbedder

_HANG_S = 60.0
_PAGE = "<html>not JSON</html>"


class Fault(StrEnum):
    """A fault that the next call meets in place of a reply."""

    UNAUTHORIZED = "401"
    FORBIDDEN = "403"
    NOT_FOUND = "404"
    BAD_REQUEST = "400"
    TOO_MANY = "429"
    SERVER_ERROR = "500"
    HANG = "hang"
    """Nothing comes until the server is closed."""
    GARBAGE = "garbage"
    """A web page, status 200."""
    INVALID = "invalid"
    """A proper reply whose text does not fit the schema."""
    CUT_OFF = "cut off"
    """Half of the reply, finish_reason length."""
    DROP = "drop"
    """The connection is closed."""


@dataclass
class Counts:
    """Counts of requests so far. `prompt_chars` counts messages and schema."""

    chat_calls: int = 0
    prompt_chars: int = 0
    embedding_calls: int = 0
    texts: int = 0
    faults: int = 0


class OpenAIStubServer:
    """`/v1/chat/completions` (JSON schema, streaming) and `/v1/embeddings` (floats, base64) on
    127.0.0.1. A context manager.

    Args:
        chat: Who replies; by default a FakeChat that reads simple sentences.
        embedder: Who embeds.
    """

    def __init__(self, chat: FakeChat | None = None, embedder: FakeEmbedder | None = None) -> None:
        self.chat = chat or FakeChat()
        self.embedder = embedder or FakeEmbedder()
        self.counts = Counts()
        self.requests: list[Mapping[str, Any]] = []
        self._faults: deque[Fault] = deque()
        self._lock = threading.Lock()
        self._is_closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.stub = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    @property
    def base_url(self) -> str:
        """The value for OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def fail_next(self, fault: Fault, num_calls: int = 1) -> None:
        """The next calls, of either kind, meet this fault."""
        with self._lock:
            self._faults.extend([fault] * num_calls)

    def reset(self) -> None:
        """Counts from zero again and forgets faults and requests."""
        with self._lock:
            self.counts = Counts()
            self.requests.clear()
            self._faults.clear()

    def close(self) -> None:
        """Stops; hanging calls end."""
        self._is_closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def __enter__(self) -> "OpenAIStubServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # inside

    def answer(
        self, path: str, body: Mapping[str, Any], authorization: str
    ) -> tuple[int, str | list[str]] | None:
        """(status, body or server-sent events) of a request; None closes the connection."""
        path = path.partition("?")[0]
        is_chat = path.endswith("/chat/completions")
        if not is_chat and not path.endswith("/embeddings"):
            return 404, _error("no such path")
        with self._lock:
            self._count(is_chat, body)
            fault = self._faults.popleft() if self._faults else None
            self.counts.faults += fault is not None
        if fault is Fault.HANG:
            self._is_closing.wait(_HANG_S)
            return None
        if fault is Fault.DROP:
            return None
        if fault is not None and fault.value.isdigit():
            # Like some real ones, it repeats the key it was given.
            return int(fault.value), _error(
                f"the stub was told to answer {fault.value} to {authorization}"
            )
        if fault is Fault.GARBAGE:
            return 200, _PAGE
        return 200, self._chat(body, fault) if is_chat else self._embeddings(body)

    def _count(self, is_chat: bool, body: Mapping[str, Any]) -> None:
        self.requests.append(body)
        if is_chat:
            self.counts.chat_calls += 1
            self.counts.prompt_chars += sum(len(m["content"]) for m in body["messages"])
            if schema := _schema(body):
                self.counts.prompt_chars += len(json.dumps(schema, separators=(",", ":")))
        else:
            self.counts.embedding_calls += 1
            self.counts.texts += len(_texts(body))

    def _chat(self, body: Mapping[str, Any], fault: Fault | None) -> str | list[str]:
        texts = {m["role"]: m["content"] for m in body["messages"]}
        system = texts.get("system") or texts.get("developer", "")
        limit = body.get("max_tokens") or body.get("max_completion_tokens") or 100_000
        reply = self.chat.reply(Prompt("stub", system, texts.get("user", "")), _schema(body), limit)
        text, is_cut_off = reply.text, reply.is_cut_off
        if fault is Fault.CUT_OFF:
            text, is_cut_off = text[: len(text) // 2], True
        elif fault is Fault.INVALID:
            text = '{"unexpected": true}'
        usage = {"prompt_tokens": reply.prompt_tokens, "completion_tokens": estimate_tokens(text)}
        usage["total_tokens"] = sum(usage.values())
        head = {"id": "stub", "created": 0, "model": body.get("model", "stub")}
        finish = "length" if is_cut_off else "stop"
        if not body.get("stream"):
            choice = {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": finish,
            }
            if body.get("logprobs") and isinstance(self.chat, FirstWordModel):
                logprobs = self.chat.first_word(
                    Prompt("stub", system, texts.get("user", "")), ("yes", "no")
                ).logprobs
                choice["logprobs"] = {
                    "content": [_yes_no_token(logprobs[0] - logprobs[1] if logprobs else None)]
                }
            return json.dumps(
                {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
            )
        head["object"] = "chat.completion.chunk"
        pieces = [text[i : i + 12] for i in range(0, len(text), 12)]
        events = [
            {
                **head,
                "choices": [
                    {
                        "index": 0,
                        "delta": {"role": "assistant", "content": p},
                        "finish_reason": None,
                    }
                ],
            }
            for p in pieces
        ]
        events.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if (body.get("stream_options") or {}).get("include_usage"):
            events.append({**head, "choices": [], "usage": usage})
        return [json.dumps(event) for event in events] + ["[DONE]"]

    def _embeddings(self, body: Mapping[str, Any]) -> str:
        vectors = self.embedder.embed_documents(_texts(body))
        is_base64 = body.get("encoding_format") == "base64"
        rows = [
            base64.b64encode(v.tobytes()).decode() if is_base64 else v.tolist() for v in vectors
        ]
        tokens = sum(estimate_tokens(t) for t in _texts(body))
        data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return json.dumps(
            {"object": "list", "data": data, "model": body.get("model", "stub"), "usage": usage}
        )


def _yes_no_token(difference: float | None) -> dict[str, Any]:
    """A first token with the two likeliest, as the OpenAI protocol has them."""
    yes = 1 / (1 + math.exp(-difference)) if difference is not None else 0.0
    shares = {"Yes": yes, "no": 1 - yes} if difference is not None else {"Well": 1.0}
    top = [
        {"token": token, "logprob": math.log(share), "bytes": None}
        for token, share in shares.items()
    ]
    return {**max(top, key=lambda token: float(str(token["logprob"]))), "top_logprobs": top}


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    stub: OpenAIStubServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news; anything else is."""
        import sys

        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def handle(self) -> None:
        while (head := self._head()) is not None:
            path, length, authorization = head
            sent = self.rfile.read(length)
            if len(sent) < length:  # the client died amid its request
                return
            answer = self.server.stub.answer(path, json.loads(sent or b"{}"), authorization)
            if answer is None:
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            status, body = answer
            if isinstance(body, str):
                data = body.encode()
                kind = "text/html" if body == _PAGE else "application/json"
                self.wfile.write(
                    f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length:"
                    f" {len(data)}\r\n\r\n".encode()
                )
                self.wfile.write(data)
                self.wfile.flush()
            else:
                self._events(body)

    def _head(self) -> tuple[str, int, str] | None:
        """(path, body length, Authorization) of the next request; None when the client is done."""
        request = self.rfile.readline().split()
        if len(request) < 2:
            return None
        length, authorization = 0, ""
        while (line := self.rfile.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            elif name.lower() in (b"authorization", b"api-key"):
                authorization = value.strip().decode()
        return request[1].decode(), length, authorization

    def _events(self, events: list[str]) -> None:
        self.wfile.write(
            b"HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nTransfer-Encoding:"
            b" chunked\r\n\r\n"
        )
        for event in events:
            data = f"data: {event}\n\n".encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
            time.sleep(0)
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


def _schema(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    wanted = body.get("response_format") or {}
    schema: Mapping[str, Any] | None = (wanted.get("json_schema") or {}).get("schema")
    return schema


def _texts(body: Mapping[str, Any]) -> list[str]:
    given = body["input"]
    return [given] if isinstance(given, str) else list(given)


def _error(message: str) -> str:
    return json.dumps({"error": {"message": message, "type": "stub_error", "code": None}})
