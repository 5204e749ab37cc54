"""Requests with whatever headers an attacker would send, to a server on the loopback; and a trap
for look-ups that it makes itself.
"""

import http.client
import socket
from dataclasses import dataclass, field
from types import TracebackType

WEBSOCKET = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Protocol": "streamlit",
}


@dataclass(frozen=True)
class Reply:
    """What came back. `status` 101: the WebSocket was opened."""

    status: int
    headers: dict[str, str] = field(repr=False)
    """By their names in lower case."""
    body: str = field(repr=False)


def send(port: int, path: str = "/", method: str = "GET", body: str = "", **headers: str) -> Reply:
    """A request with these headers (`_` for `-`) and no others but Host, which is 127.0.0.1 unless
    given.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        given = {"Host": f"127.0.0.1:{port}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        for name, value in (given | ({"Content-Length": str(len(body))} if body else {})).items():
            connection.putheader(name, value)
        connection.endheaders(body.encode() or None)
        reply = connection.getresponse()
        found = {name.lower(): value for name, value in reply.getheaders()}
        return Reply(
            reply.status,
            found,
            "" if reply.status == 101 else reply.read().decode("utf-8", "replace"),
        )
    finally:
        connection.close()


class ProxyTrap:
    """Stands where a process takes its HTTP proxy to be: whatever it fetches from elsewhere knocks
    here first.
    """

    def __enter__(self) -> "ProxyTrap":
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.env = {"http_proxy": address, "https_proxy": address, "no_proxy": ""}
        """What makes a process go through it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._socket.close()

    def num_knocks(self) -> int:
        """How many connections came since this was asked last."""
        for count in range(1000):
            try:
                self._socket.accept()[0].close()
            except BlockingIOError:
                return count
        return 1000
