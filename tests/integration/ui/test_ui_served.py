"""The app's server under attack, over raw sockets: pages elsewhere, other names, no session."""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from app_server import AppServer, Chromium, shoot
from raw_requests import WEBSOCKET, ProxyTrap, Reply, send

from dynagrag.ui import app as app_script

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.xdist_group("browser")  # one worker, with one server of each kind
PASSWORD = "correct horse"
PATHS = (
    "/",
    "/graph",
    "/static/css/no.css",
    "/media/no.png",
    "/favicon.png",
    "/_stcore/health",
    "/_stcore/host-config",
    "/_stcore/metrics",
    "/_stcore/upload_file/session/file",
    "/_stcore/bidi-components/no.js",
    "/_stcore/agent/openapi.json",
    "/component/no.html",
)


@pytest.fixture(scope="module")
def trap() -> Iterator[ProxyTrap]:
    with ProxyTrap() as made:
        yield made


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, trap: ProxyTrap) -> AppServer:
    """The app as `dynagrag serve` starts it."""
    folder = str(tmp_path_factory.mktemp("home"))
    with AppServer({"HOME": folder, "DYNAGRAG_HOME": folder, **trap.env}) as running:
        yield running


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, trap: ProxyTrap) -> AppServer:
    """The app for other machines too, behind a password."""
    folder = str(tmp_path_factory.mktemp("home"))
    env = {"HOME": folder, "DYNAGRAG_HOME": folder, "DYNAGRAG_PASSWORD": PASSWORD, **trap.env}
    with AppServer(env, "--address", "0.0.0.0", "--allow-host", "talks.example") as running:
        yield running


def everything(port: int, **headers: str) -> dict[str, Reply]:
    """Every kind of request with these headers: pages, files, uploads, the WebSocket."""
    replies = {path: send(port, path, **headers) for path in PATHS}
    replies["PUT"] = send(port, "/_stcore/upload_file/session/file", "PUT", "x", **headers)
    replies["POST"] = send(
        port, "/_stcore/agent/interact", "POST", "{}", Content_Type="application/json", **headers
    )
    replies["WebSocket"] = websocket(port, **headers)
    return replies


def websocket(port: int, **headers: str) -> Reply:
    return send(port, "/_stcore/stream", **WEBSOCKET, **headers)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("evil.example:{port}", None),
        ("evil.example:{port}", "http://evil.example:{port}"),
        ("127.0.0.1:{port}", "http://evil.example:{port}"),
        ("127.0.0.1:{port}", "http://localhost:1234"),
        ("127.0.0.1:{port}", "http://127.0.0.1:1234"),
        ("127.0.0.1:{port}", "null"),
    ],
)
def test_another_host_or_origin_gets_nothing_and_causes_no_look_up(
    own: AppServer, trap: ProxyTrap, host: str, origin: str | None
) -> None:
    headers = {"Host": host} | ({"Origin": origin} if origin else {})
    replies = everything(
        own.port, **{name: value.format(port=own.port) for name, value in headers.items()}
    )
    assert {name: reply.status for name, reply in replies.items()} == dict.fromkeys(replies, 403)
    assert trap.num_knocks() == 0


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_this_machines_own_pages_are_served(own: AppServer, host: str) -> None:
    netloc = f"{host}:{own.port}"
    page = send(own.port, Host=netloc)
    assert (page.status, '<div id="root">' in page.body) == (200, True)
    assert websocket(own.port, Host=netloc, Origin=f"http://{netloc}").status == 101
    assert websocket(own.port, Host=netloc).status == 101


def test_no_page_elsewhere_may_frame_or_read_the_app_and_it_fetches_nothing_from_elsewhere(
    own: AppServer,
) -> None:
    for reply in (
        send(own.port),
        send(own.port, "/media/no.png"),
        send(own.port, Host="evil.example"),
    ):
        policy = reply.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
        assert reply.headers["x-frame-options"] == "DENY"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in reply.headers


def test_without_a_session_there_is_nothing_but_the_question_for_the_password(
    shared: AppServer, trap: ProxyTrap
) -> None:
    replies = everything(shared.port)
    assert {name: reply.status for name, reply in replies.items()} == dict.fromkeys(
        replies, 401
    ) | {"WebSocket": 403}
    assert {reply.body for reply in replies.values() if reply.status == 401} == {
        "dynagrag: sign in first\n"
    }
    assert (
        trap.num_knocks() == 0
    )  # nor when it started: on all addresses, Streamlit looked its external one up


def test_a_session_opens_the_app_to_its_own_pages_alone(shared: AppServer) -> None:
    form = urlencode({"password": PASSWORD})
    right = send(
        shared.port, "/graph", "POST", form, Content_Type="application/x-www-form-urlencoded"
    )
    cookie = right.headers["set-cookie"].partition(";")[0]
    assert (right.status, right.headers["location"]) == (303, "./graph")
    host, origin = f"talks.example:{shared.port}", f"https://talks.example:{shared.port}"
    assert send(shared.port, Host=host, Cookie=cookie).status == 200
    assert websocket(shared.port, Host=host, Origin=origin, Cookie=cookie).status == 101
    assert websocket(shared.port, Cookie=f"dynagrag_session_{shared.port}=").status == 403
    assert (
        websocket(shared.port, Host=host, Origin="http://localhost:1234", Cookie=cookie).status
        == 403
    )
    assert send(shared.port, Host=f"evil.example:{shared.port}", Cookie=cookie).status == 403
    assert send(shared.port, Host=f"192.168.1.5:{shared.port}", Cookie=cookie).status == 200


def test_a_visitor_signs_in_and_is_where_they_wanted_to_be(
    shared: AppServer, chromium: Chromium
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = chromium.context().new_page()
    page.goto(shared.url("workspaces"))
    box = page.get_by_label("Password", exact=True)
    box.fill("wrong horse")
    box.press("Enter")
    page.get_by_role("alert").filter(has_text="That is not the password.").wait_for()
    assert [violation["id"] for violation in Axe().run(page).response["violations"]] == []
    shoot(page, "sign-in")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.locator('[data-testid="stApp"][data-test-connection-state="CONNECTED"]').wait_for()
    assert page.url.startswith(shared.url("workspaces"))
    assert chromium.foreign(shared.origin) == []


def test_the_pages_are_not_drawn_without_the_server_that_guards_them() -> None:
    from streamlit.testing.v1 import AppTest

    page: AppTest = AppTest.from_file(app_script.__file__).run()
    assert [error.value for error in page.error] == ["Start the app with `dynagrag serve`."]
    assert not page.sidebar.children


def test_who_ends_the_command_ends_the_app(
    own: AppServer,
) -> None:  # the last one here that uses it
    assert own.end_command()
