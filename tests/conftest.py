"""What every test stands on: a temporary home, an environment without settings, the fakes, and a
real Neo4j for those that ask.
"""

import gc
import logging
import os
import sys
import tempfile

# Before numpy comes: with several workers a core each (`-n`), threads of their own only get in each
# other's way.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import platformdirs
import pytest
from hypothesis import HealthCheck, settings

from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.fakes.fake_server import OpenAIStubServer

# `from neo4j_server import Neo4jServer` in any test: with --import-mode=importlib pytest puts no
# folder on the path itself.
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "servers"))
sys.path.insert(0, str(Path(__file__).parent / "stand_ins"))

import embedder_jars  # noqa: F401  its cache is that of the real home
from cutting_proxy import CuttingProxy
from neo4j_jars import (
    NEO4J_5,
    NEO4J_2026,
    JavaMissingError,
    Neo4jMissingError,
    Release,
    cache_folder,
    install,
)
from neo4j_server import GivenServer, Neo4jServer, delete_workspaces

# In memory nothing is waited for: on a disk a third of the tests' time was deleting what they left
# and the databases' syncs.
_MEMORY = Path("/dev/shm")
_MEMORY_BYTES = 4 << 30


def _has_room(folder: Path) -> bool:
    """Whether the tests' folders fit, and a program in them can be started."""
    if not os.access(folder, os.W_OK):
        return False
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize >= _MEMORY_BYTES and not found.f_flag & os.ST_NOEXEC


if "TMPDIR" not in os.environ and _has_room(_MEMORY):
    os.environ["TMPDIR"] = str(_MEMORY)
    tempfile.tempdir = None  # it may have looked already

# Of a worker's time an eighth went into looking for garbage among what libraries made at import.
gc.set_threshold(50_000, 20, 20)
# Read at import, before the fixture below hides the real home: models that were pulled there may be
# used by tests marked `model`.
_REAL_HOME = Path(
    os.environ.get("DYNAGRAG_HOME") or platformdirs.user_data_dir("dynagrag", appauthor=False)
)
_MODELS_DIR = Path(os.environ.get("DYNAGRAG_TEST_MODELS") or _REAL_HOME / "models")
# The same for Neo4j: Maven and Java need the real HOME and PATH, and NEO4J_URI may name a server to
# use.
_REAL_ENVIRONMENT = dict(os.environ)
_NEO4J_CACHE = cache_folder(_REAL_ENVIRONMENT)
# A server of some minutes never earns back what optimising its code costs: without, the tests on it
# take half the processor's time.
_SHORT_LIVED = (
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",  # a fifth of what a start takes
)

_GROUPS = ("neo4j", "browser", "models", "neo4j_2026")
"""What shares a server, a browser or a loaded model runs in one worker each; the longest first."""
# `mktemp` looks through all folders of all tests for the next number.
_HOME_NUMBERS = count()
_NIGHTLY_FACTOR = 20
# A busy machine is no failure; what must be linear is tested as such.
settings.register_profile("default", settings.get_profile("default"), deadline=None)
settings.register_profile("nightly", max_examples=100 * _NIGHTLY_FACTOR, deadline=None)
# mutmut runs a test several times in one process, which a method of a class takes for several
# executors.
settings.register_profile(
    "mutate",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.differing_executors],
)


def pytest_sessionstart() -> None:
    """Nothing is remembered from an earlier session of this process: `make mutate` runs one after
    the other, on code that has changed.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("dynagrag"):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@pytest.hookimpl(wrapper=True, tryfirst=True)  # around xdist's, which reads the groups
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None]:
    """With `-n 2 --dist loadgroup` one worker has all tests on a Neo4j server, and one all in the
    browser: one server of each version.

    These groups, the longest first, begin; the many short tests fill what time the workers have
    left in the end.

    With `--hypothesis-profile nightly` every property test gets twenty times its examples, those
    that say how many too.
    """
    is_nightly = config.getoption("hypothesis_profile", None) == "nightly"
    for item in items:
        if group := _group(item):
            item.add_marker(pytest.mark.xdist_group(group))
        own = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
        if (
            is_nightly
            and own is not None
            and own.max_examples != settings.get_profile("nightly").max_examples
        ):
            item.obj._hypothesis_internal_use_settings = settings(
                own, max_examples=own.max_examples * _NIGHTLY_FACTOR
            )  # type: ignore[attr-defined]
    items.sort(key=_place)
    yield
    if config.getoption("loadgroup", False):  # in a worker
        for item in items:
            _keep_group(item)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`-m 'not slow'` leaves a module that is slow as a whole unread: what it imports takes longer
    than many of the tests that are left.
    """
    is_left_out = (
        "not slow" in config.getoption("markexpr", "")
        and collection_path.suffix == ".py"
        and "\npytestmark = pytest.mark.slow\n" in collection_path.read_text(encoding="utf-8")
    )
    return True if is_left_out else None


def pytest_collection_finish() -> None:
    """What is there now stays: it needs no looking through again.

    Streamlit's sixty loggers pass nothing on, so pytest would hang its handlers on each of them
    and take them off again, six times a test.
    """
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith("streamlit") and isinstance(logger, logging.Logger):
            logger.propagate = True
    gc.collect()
    gc.freeze()


def _group(item: pytest.Item) -> str | None:
    """The tests that share something big: a server, a browser, loaded models."""
    fixtures = getattr(item, "fixturenames", ())
    if item.get_closest_marker("neo4j"):
        return "neo4j_2026" if "neo4j_2026" in (*fixtures, *_parameters(item)) else "neo4j"
    if "chromium" in fixtures:
        return "browser"
    return "models" if item.get_closest_marker("model") else None


def _place(item: pytest.Item) -> tuple[int, bool]:
    """Its group's place, and in the group the tests last that stop a server or change its schema:
    after them it compiles all statements again.
    """
    mark = item.get_closest_marker("xdist_group")
    place = (
        _GROUPS.index(mark.args[0])
        if mark is not None and mark.args[0] in _GROUPS
        else len(_GROUPS)
    )
    return place, "own_neo4j" in getattr(item, "fixturenames", ())


def _parameters(item: pytest.Item) -> list[object]:
    callspec = getattr(item, "callspec", None)
    return list(callspec.params.values()) if callspec else []


def _keep_group(item: pytest.Item) -> None:
    """xdist 3.8 reads a group from the end of a test's id, but writes it where pytest 9.2 no longer
    looks: without this no group holds.
    """
    mark = item.get_closest_marker("xdist_group")
    if mark is not None and not item.nodeid.endswith(f"@{mark.args[0]}"):
        item._id = item.id.parse(f"{item.nodeid}@{mark.args[0]}")  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary DYNAGRAG_HOME; HOME beside it, and nothing set that the settings would read."""
    for name in list(os.environ):
        if name.startswith(("DYNAGRAG_", "OPENAI_", "AZURE_OPENAI_", "NEO4J_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.delenv(
        "PYTHONDONTWRITEBYTECODE", raising=False
    )  # else each of the many processes compiles the package again
    folder = tmp_path_factory.getbasetemp() / "homes" / str(next(_HOME_NUMBERS))
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("DYNAGRAG_HOME", str(folder / "dynagrag"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return folder / "dynagrag"


@pytest.fixture
def fake_embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def fake_chat() -> FakeChat:
    return FakeChat()


@pytest.fixture
def openai_stub() -> Iterator[OpenAIStubServer]:
    with OpenAIStubServer() as server:
        yield server


@pytest.fixture
def models_dir() -> Path:
    """Where pulled models lie; tests marked `model` skip without them."""
    return _MODELS_DIR


# -------------------------------------------------------------------------------------------- Neo4j


@pytest.fixture(scope="session")
def neo4j_server() -> Iterator[Neo4jServer | GivenServer]:
    """A running Neo4j 5.26, one for all tests, or the user's own server where NEO4J_URI is set. One
    database: see `neo4j_workspace`.
    """
    if _REAL_ENVIRONMENT.get("NEO4J_URI"):
        yield GivenServer(_REAL_ENVIRONMENT)
        return
    with ExitStack() as stack:
        yield _started(NEO4J_5, stack)


@pytest.fixture(scope="session")
def neo4j_2026() -> Iterator[Neo4jServer]:
    """A running Neo4j 2026.x, one for all tests; it needs Java 21."""
    with ExitStack() as stack:
        yield _started(NEO4J_2026, stack)


def _started(release: Release, stack: ExitStack) -> Neo4jServer:
    """Skips where Maven or Java is missing. In CI that is a failure, but for a release whose Java
    isn't there.
    """
    try:
        installation = install(release, _NEO4J_CACHE, _REAL_ENVIRONMENT)
    except Neo4jMissingError as err:
        is_optional = release is not NEO4J_5 and isinstance(err, JavaMissingError)
        if _REAL_ENVIRONMENT.get("CI") == "true" and not is_optional:
            pytest.fail(f"in CI the tests marked neo4j must run: {err}")
        pytest.skip(str(err))
    return stack.enter_context(
        Neo4jServer(installation, _REAL_ENVIRONMENT, java_options=_SHORT_LIVED)
    )


@pytest.fixture
def own_neo4j(neo4j_server: Neo4jServer | GivenServer) -> Iterator[Neo4jServer]:
    """The 5.26 server for a test that stops or kills it; runs again afterwards. Skips on a server
    of the user's own.
    """
    if isinstance(neo4j_server, GivenServer):
        pytest.skip("stops the server, so it needs one of the tests' own: run it without NEO4J_URI")
    neo4j_server.start()
    yield neo4j_server
    neo4j_server.start()


@pytest.fixture
def neo4j_workspace(request: pytest.FixtureRequest) -> Iterator[str]:
    """A workspace name nobody used before; names that begin with it are the test's too. A user's
    own server is left without them.
    """
    name = f"test-{uuid4().hex[:16]}"
    yield name
    if "neo4j_server" in request.fixturenames:
        server = request.getfixturevalue("neo4j_server")
        if not server.is_own:
            delete_workspaces(server, name)


@pytest.fixture
def cutting_proxy(neo4j_server: Neo4jServer | GivenServer) -> Iterator[CuttingProxy]:
    """A proxy before the 5.26 server that cuts, refuses or stalls connections when told."""
    if not neo4j_server.address.startswith(("bolt://", "neo4j://")):
        pytest.skip(
            "the proxy cannot read what is encrypted: run it without"
            f" NEO4J_URI={neo4j_server.address}"
        )
    with CuttingProxy(neo4j_server.address) as proxy:
        yield proxy


@pytest.fixture
def keyring() -> Iterator[Any]:
    """A keyring in memory in place of the system's: `entries`, and `is_locked`."""
    library = pytest.importorskip("keyring", reason="pip install 'dynagrag[ui]'")
    from keyring.backend import KeyringBackend
    from keyring.errors import KeyringLocked, PasswordDeleteError

    from dynagrag.config import system_keyring

    class InMemory(KeyringBackend):
        priority = 1

        def __init__(self) -> None:
            self.entries: dict[tuple[str, str], str] = {}
            self.is_locked = False

        def _found(self) -> dict[tuple[str, str], str]:
            if self.is_locked:
                raise KeyringLocked("locked")
            return self.entries

        def get_password(self, service: str, username: str) -> str | None:
            return self._found().get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self._found()[service, username] = password

        def delete_password(self, service: str, username: str) -> None:
            if self._found().pop((service, username), None) is None:
                raise PasswordDeleteError("none")

    before, made = library.get_keyring(), InMemory()
    library.set_keyring(made)
    system_keyring.look_again()
    yield made
    library.set_keyring(before)
    system_keyring.look_again()


@pytest.fixture
def no_keyring() -> Iterator[None]:
    """What headless Linux has: a keyring that refuses everything."""
    library = pytest.importorskip("keyring", reason="pip install 'dynagrag[ui]'")
    from keyring.backends import fail

    from dynagrag.config import system_keyring

    before = library.get_keyring()
    library.set_keyring(fail.Keyring())
    system_keyring.look_again()
    yield
    library.set_keyring(before)
    system_keyring.look_again()
