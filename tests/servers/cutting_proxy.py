"""A TCP proxy before a Neo4j server that does on demand what networks do at the worst moment: cuts
right after COMMIT, refuses, stalls.

It knows this much of Bolt: the handshake (with the manifest of Bolt 5.7 and later), then messages
in chunks, each a 2-byte length and that many bytes, ended by a chunk of length 0. A message's 2nd
byte is its tag. Every request but GOODBYE gets exactly one summary, in order.
"""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from types import TracebackType
from urllib.parse import urlsplit

_COMMIT, _GOODBYE = 0x12, 0x02
_SUMMARIES = {0x70, 0x7E, 0x7F}
_PATIENCE = b"connection.recv_timeout_seconds"
_MANIFEST = b"\x00\x00\x01\xff"


class CuttingProxy:
    """Listens on the loopback and passes everything on to a server without TLS. A context manager.

    Args:
        address: The server, `bolt://HOST:PORT`.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme not in {"bolt", "neo4j"} or parts.hostname is None:
            raise ValueError(
                f"the proxy cannot read {address}: it needs bolt://HOST:PORT, without TLS"
            )
        self._server = (parts.hostname, parts.port or 7687)
        self._lock = threading.Lock()
        self._links: list[_Link] = []
        self._num_cuts_wanted = 0
        self.num_cuts = 0
        """Connections that were cut after a COMMIT so far."""
        self.num_commits = 0
        """COMMIT requests that reached the server so far."""
        self.patience_s: int | None = None
        """How long the server tells new clients to wait for its next byte, at most 127; None: what
        it says itself (5.26: 120 s).
        """
        self.flows = threading.Event()
        self.flows.set()
        self._listener: socket.socket | None = None
        self._port = 0
        self.accept()

    @property
    def address(self) -> str:
        """What a driver connects to; bolt://, so that it is not routed around the proxy."""
        return f"bolt://127.0.0.1:{self._port}"

    def cut_after_commit(self, num_times: int = 1) -> None:
        """The next transactions are committed by the server, and their connections are cut before
        the reply reaches the client.
        """
        with self._lock:
            self._num_cuts_wanted += num_times

    def cut_all(self) -> None:
        """Cuts the connections of this moment; new ones are served."""
        with self._lock:
            links, self._links = self._links, []
        for link in links:
            link.close()

    def refuse(self) -> None:
        """Cuts every connection and refuses new ones, as a host without a server does, until
        `accept()`.
        """
        listener, self._listener = self._listener, None
        if listener is not None:
            _close(listener)
        self.cut_all()

    def accept(self) -> None:
        """Takes connections (again), always on the same port."""
        if self._listener is None:
            self._listener = socket.create_server(("127.0.0.1", self._port))
            self._port = self._listener.getsockname()[1]
            threading.Thread(target=self._serve, args=(self._listener,), daemon=True).start()

    def stall(self) -> None:
        """Bytes stop in both directions, connections stay open, until `resume()`."""
        self.flows.clear()

    def resume(self) -> None:
        """Ends `stall()`; what was held back goes on."""
        self.flows.set()

    def close(self) -> None:
        """Refuses and cuts for good."""
        self.refuse()
        self.resume()

    def __enter__(self) -> "CuttingProxy":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # inside

    def takes_cut(self) -> bool:
        """Counts a COMMIT that is about to be passed on; True when its connection is to be cut."""
        with self._lock:
            self.num_commits += 1
            is_wanted = self._num_cuts_wanted > 0
            self._num_cuts_wanted -= is_wanted
            return is_wanted

    def was_cut(self) -> None:
        """A wanted cut was made."""
        with self._lock:
            self.num_cuts += 1

    def _serve(self, listener: socket.socket) -> None:
        while self._listener is listener:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._server, timeout=10)
            except OSError:
                _close(client)
                continue
            server.settimeout(None)
            link = _Link(self, client, server)
            with self._lock:
                self._links.append(link)
            if self._listener is not listener:
                link.close()
            threading.Thread(target=link.run, daemon=True).start()


class _Link:
    """One connection: requests on one thread, replies on another."""

    def __init__(self, proxy: CuttingProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client, self._server = client, server
        self._num_requests = self._num_summaries = 0
        self._cut_at: int | None = None

    def close(self) -> None:
        _close(self._client)
        _close(self._server)

    def run(self) -> None:
        try:
            self._shake_hands()
            threading.Thread(
                target=self._pump, args=(self._server, self._on_reply), daemon=True
            ).start()
            self._pump(self._client, self._on_request)
        except OSError:
            self.close()

    def _shake_hands(self) -> None:
        self._server.sendall(_exactly(self._client, 20))
        chosen = _exactly(self._server, 4)
        self._client.sendall(chosen)
        if chosen != _MANIFEST:
            return
        raw, num_versions = _varint(self._server)
        offered = _exactly(self._server, 4 * num_versions)
        self._client.sendall(raw + offered + _varint(self._server)[0])
        self._server.sendall(_exactly(self._client, 4) + _varint(self._client)[0])

    def _pump(self, source: socket.socket, handle: Callable[[int | None, bytes], None]) -> None:
        try:
            while True:
                handle(*_message(source))
        except OSError:
            self.close()

    def _on_request(self, tag: int | None, raw: bytes) -> None:
        self._proxy.flows.wait()
        if tag not in {None, _GOODBYE}:
            self._num_requests += 1
        if tag == _COMMIT and self._proxy.takes_cut():
            self._cut_at = self._num_requests
        self._server.sendall(raw)

    def _on_reply(self, tag: int | None, raw: bytes) -> None:
        self._proxy.flows.wait()
        raw = self._shorten_patience(raw)
        self._num_summaries += tag in _SUMMARIES
        if self._num_summaries == self._cut_at:
            self._proxy.was_cut()
            self.close()
            return
        self._client.sendall(raw)

    def _shorten_patience(self, raw: bytes) -> bytes:
        """With the hint of a reply to HELLO or LOGON set to `patience_s`; a number below 128 is one
        byte.
        """
        start = raw.find(_PATIENCE)
        if start < 0 or self._proxy.patience_s is None:
            return raw
        place = start + len(_PATIENCE)
        if raw[place] > 0x7F:
            raise AssertionError(
                f"the server's patience is no small number: {raw[place : place + 5]!r}"
            )
        return raw[:place] + bytes([self._proxy.patience_s]) + raw[place + 1 :]


def _message(source: socket.socket) -> tuple[int | None, bytes]:
    """The tag and the raw bytes of the next message; no tag for an empty one, which keeps a
    connection alive.
    """
    raw, body = b"", b""
    while True:
        header = _exactly(source, 2)
        chunk = _exactly(source, struct.unpack(">H", header)[0])
        raw += header + chunk
        if not chunk:
            return (body[1] if len(body) > 1 else None), raw
        # Only the first bytes matter; a batch of vectors need not be copied twice.
        body = body or chunk[:2]


def _exactly(source: socket.socket, size: int) -> bytes:
    """That many bytes. Raises ConnectionError at the end of the stream."""
    parts, missing = [], size
    while missing:
        part = source.recv(missing)
        if not part:
            raise ConnectionError("the other side closed the connection")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _varint(source: socket.socket) -> tuple[bytes, int]:
    """The raw bytes and the value of a base-128 number, lowest 7 bits first."""
    raw = b""
    while not raw or raw[-1] & 0x80:
        raw += _exactly(source, 1)
    return raw, sum((byte & 0x7F) << (7 * i) for i, byte in enumerate(raw))


def _close(connection: socket.socket) -> None:
    """Also wakes a thread that waits on it, which close() alone does not."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
