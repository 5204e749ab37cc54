"""Which hosts and origins the app answers, without a server: the guard before an app that says yes
to everything.
"""

from collections.abc import MutableMapping
from typing import Any

import pytest
from event_loops import run_on_a_thread
from starlette.responses import PlainTextResponse

from dynagrag.core.errors import SettingsError
from dynagrag.ui.serving.request_guard import RequestGuard, ServedHosts, is_loopback

Header = tuple[str, str]


def status(hosts: ServedHosts, *headers: Header) -> int:
    """What the guard answers to a request with these headers."""
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    guard = RequestGuard(PlainTextResponse("yes"), hosts, {})
    run_on_a_thread(
        guard({"type": "http", "method": "GET", "path": "/", "headers": raw}, receive, send)
    )
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    "host",
    [
        "localhost:8501",
        "LOCALHOST",
        "localhost.:8501",
        "127.0.0.1:8501",
        "[::1]:8501",
        "[::1]",
        "localhost:9000",
    ],
)
def test_loopback_is_answered_in_every_spelling_and_on_the_port_of_a_tunnel(host: str) -> None:
    assert status(ServedHosts("127.0.0.1"), ("host", host)) == 200
    assert status(ServedHosts("127.0.0.1"), ("host", host), ("origin", f"http://{host}")) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8501",
        "localhost.evil.example",
        "evil.example#localhost",
        "evil.example@localhost:8501",
        "localhost@evil.example",
        "localhost:8501@evil.example",
        "localhost:8501:8501",
        "localhost, evil.example",
        "localhost/evil",
        "localhost\\.evil.example",
        "127.0.0.1.evil.example",
        "2130706433",
        "192.168.1.5",
        "[::1",
        "::1",
        "[fe80::1%eth0]",
        "löcalhost",
        "",
        " ",
    ],
)
def test_any_other_host_is_refused(host: str) -> None:
    assert status(ServedHosts("127.0.0.1"), ("host", host)) == 403


def test_no_host_and_two_hosts_are_refused() -> None:
    hosts = ServedHosts("127.0.0.1")
    assert status(hosts) == 403
    assert status(hosts, ("host", "localhost"), ("host", "evil.example")) == 403
    assert status(hosts, ("host", "localhost"), ("host", "localhost")) == 403


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://localhost:1234",
        "http://127.0.0.1:8501",
        "http://localhost",
        "https://localhost",
        "null",
        "",
        "localhost:8501",
        "file://",
        "ftp://localhost:8501",
        "http://localhost:8501@evil.example",
        "http://evil.example@localhost:8501",
        "http://localhost:8501.evil.example",
        "http://localhost:8501/path",
        "http://[localhost:8501",
    ],
)
def test_any_other_origin_is_refused(origin: str) -> None:
    assert status(ServedHosts("127.0.0.1"), ("host", "localhost:8501"), ("origin", origin)) == 403
    assert (
        status(
            ServedHosts("127.0.0.1"),
            ("host", "localhost:8501"),
            ("origin", "http://localhost:8501"),
            ("origin", origin),
        )
        == 403
    )


def test_a_program_that_sends_no_origin_is_answered() -> None:
    assert status(ServedHosts("127.0.0.1"), ("host", "localhost:8501")) == 200


def test_a_name_is_answered_once_it_is_allowed_and_behind_a_proxy_with_tls() -> None:
    hosts = ServedHosts("127.0.0.1", ["Talks.Example."])
    assert status(hosts, ("host", "talks.example"), ("origin", "https://talks.example")) == 200
    assert status(hosts, ("host", "talks.example:443"), ("origin", "https://talks.example")) == 200
    assert status(hosts, ("host", "talks.example"), ("origin", "https://talks.example:8443")) == 403
    assert status(hosts, ("host", "a.talks.example")) == 403


@pytest.mark.parametrize(
    "name",
    [
        "",
        "*",
        "*.example",
        "https://talks.example",
        "talks.example:443",
        "talks.example/",
        "a b",
        "a,b",
    ],
)
def test_what_cannot_be_a_name_is_not_allowed_as_one(name: str) -> None:
    with pytest.raises(SettingsError, match="without scheme, port and path"):
        ServedHosts("127.0.0.1", [name])


@pytest.mark.parametrize("address", ["0.0.0.0", "::"])
def test_on_all_addresses_any_address_is_answered_but_no_name(address: str) -> None:
    hosts = ServedHosts(address)
    for host in ("192.168.1.5:8501", "[fe80::1]:8501", "localhost:8501"):
        assert status(hosts, ("host", host), ("origin", f"http://{host}")) == 200
    assert status(hosts, ("host", "evil.example:8501")) == 403


def test_on_one_address_that_one_is_answered() -> None:
    hosts = ServedHosts("192.168.1.5")
    assert status(hosts, ("host", "192.168.1.5:8501")) == 200
    assert status(hosts, ("host", "192.168.1.6:8501")) == 403


def test_only_what_surely_is_loopback_counts_as_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.0.0.9", "::1", "localhost", "LOCALHOST")))
    assert not any(
        map(
            is_loopback,
            (
                "",
                "0",
                "0.0.0.0",
                "::",
                "127.1",
                "10.0.0.1",
                "localhost.example",
                "unix://x",
                "[::1]",
            ),
        )
    )
