"""A server that speaks as much Bolt as a connection needs, for versions and refusals that no real
one at hand gives.
"""

import socket
import struct
import threading
from typing import Any

_HELLO, _RESET, _RUN, _PULL = 0x01, 0x0F, 0x10, 0x3F


class BoltStub:
    """Speaks Bolt 5.4: it answers every query with one row, or refuses it. A context manager.

    Args:
        version: What `dbms.components()` says.
        failure: (code, message) that each query meets instead; may be set later.
        handshake: The Bolt version that it picks; None: it takes connections and never says a word.
    """

    def __init__(
        self,
        version: str = "5.26.0",
        failure: tuple[str, str] | None = None,
        handshake: bytes | None = b"\0\0\4\5",
    ) -> None:
        self._version, self._handshake = version, handshake
        self.failure = failure
        self.num_queries = 0
        """Queries that came so far."""
        self._is_over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"bolt://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> "BoltStub":
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as stream:
            if self._handshake is None:
                self._is_over.wait()
                return
            stream.read(20)
            connection.sendall(self._handshake)
            has_failed = False
            while tag := _tag(stream):
                has_failed = has_failed and tag != _RESET
                replies = [b"\xb0\x7e"] if has_failed else self._replies(tag)
                has_failed = has_failed or (tag == _RUN and self.failure is not None)
                connection.sendall(b"".join(_chunked(reply) for reply in replies))

    def _replies(self, tag: int) -> list[bytes]:
        success = b"\xb1\x70"
        self.num_queries += tag == _RUN
        if tag == _HELLO:
            return [
                success + _packed({"server": f"Neo4j/{self._version}", "connection_id": "bolt-1"})
            ]
        if tag == _RUN and self.failure:
            return [b"\xb1\x7f" + _packed({"code": self.failure[0], "message": self.failure[1]})]
        if tag == _RUN:
            return [success + _packed({"fields": ["version", "edition"]})]
        if tag == _PULL:
            return [b"\xb1\x71" + _packed([self._version, "community"]), success + _packed({})]
        return [success + _packed({})]


def _tag(stream: Any) -> int | None:
    """The tag of the next message; None at the end."""
    body = b""
    while header := stream.read(2):
        size = struct.unpack(">H", header)[0]
        if not size and body:
            return int(body[1])
        body += stream.read(size)
    return None


def _chunked(body: bytes) -> bytes:
    return struct.pack(">H", len(body)) + body + b"\0\0"


def _packed(value: Any) -> bytes:
    """PackStream of small maps, lists and texts."""
    if isinstance(value, dict):
        return bytes([0xA0 + len(value)]) + b"".join(
            _packed(k) + _packed(v) for k, v in value.items()
        )
    if isinstance(value, list):
        return bytes([0x90 + len(value)]) + b"".join(map(_packed, value))
    data = value.encode("utf-8")
    return b"\xd0" + bytes([len(data)]) + data
