"""A server on the loopback that answers every HTTP request with the bytes it is told to: replies
that no honest model server would give.
"""

import gzip
import json
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

Answer = Callable[[], Iterator[bytes]]


def http(
    body: bytes, status: str = "200 OK", kind: str = "application/json", *headers: str
) -> bytes:
    """A whole HTTP reply."""
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def chat(content: Any = "{}", **more: Any) -> bytes:
    """The body of a chat completion; `more` replaces its fields."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content},
        "finish_reason": "stop",
    }
    return json.dumps(
        {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        | more
    ).encode()


def embeddings(*rows: Any, **more: Any) -> bytes:
    """The body of an embeddings reply."""
    data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    return json.dumps({"object": "list", "data": data, "model": "m"} | more).encode()


def gzip_bomb(size_bytes: int) -> bytes:
    """A whole HTTP reply that is a thousandth of what it unpacks to."""
    return http(
        gzip.compress(b" " * size_bytes), "200 OK", "application/json", "Content-Encoding: gzip"
    )


class RawServer:
    """Answers all requests with `answer`, a whole HTTP reply or what yields its pieces. A context
    manager.

    `heads` and `bodies` are those of the requests, as they came.
    """

    def __init__(self, answer: bytes | Answer = b"") -> None:
        self.answer = answer
        self.heads: list[str] = []
        self.bodies: list[bytes] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.raw = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def base_url(self) -> str:
        """What OPENAI_BASE_URL would be."""
        return f"{self.origin}/v1"

    def trickle(self, whole: bytes, every_s: float = 0.05) -> None:
        """From now on answers with these bytes, one at a time."""

        def pieces() -> Iterator[bytes]:
            for i in range(len(whole)):
                yield whole[i : i + 1]
                time.sleep(every_s)

        self.answer = pieces

    def __enter__(self) -> "RawServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    raw: RawServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what many of these tests are about."""


class _Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    server: _Server

    def handle(self) -> None:
        while head := self._head():
            length = next(
                (
                    int(line.split(":")[1])
                    for line in head.splitlines()
                    if line.lower().startswith("content-length:")
                ),
                0,
            )
            raw = self.server.raw
            raw.heads.append(head)
            raw.bodies.append(self.rfile.read(length))
            for piece in [raw.answer] if isinstance(raw.answer, bytes) else raw.answer():
                self.connection.sendall(piece)
        self.connection.shutdown(socket.SHUT_RDWR)

    def _head(self) -> str:
        lines = []
        while (line := self.rfile.readline()) not in (b"\r\n", b""):
            lines.append(line.decode("latin-1"))
        return "".join(lines)
