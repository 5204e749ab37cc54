"""A home folder on a file system that is mounted read-only: a real one, in a name space of its
own.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dynagrag.fakes.fake_server import OpenAIStubServer

_MOUNT = "mount --bind {home} {home} && mount -o remount,bind,ro {home}"
_PAGE = """
from streamlit.testing.v1 import AppTest

page = AppTest.from_string("from dynagrag.ui.ask.ask_page import page\\npage()", default_timeout=60)
print([error.value for error in page.run().error])
"""


def _run(home: Path, *command: object) -> "subprocess.CompletedProcess[str]":
    mount = _MOUNT.format(home=home)
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh", *map(str, command)],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


@pytest.fixture
def home_of_one(server: OpenAIStubServer, corpus: Any, cli: Any) -> Path:
    """A home with a workspace, where it can be mounted."""
    if sys.platform != "linux" or os.geteuid():
        pytest.skip("root of a Linux alone can mount a folder read-only")
    assert cli("ingest", *corpus.many(1), "--extractor", "fast", "--yes").code == 0
    home = Path(os.environ["DYNAGRAG_HOME"])
    if _run(home, "true").returncode:
        pytest.skip("this system lets nobody mount; run it where `unshare --mount` may")
    return home


@pytest.mark.parametrize(
    "words",
    [
        ("ask", "Who founded Acme Works?"),
        ("documents",),
        ("jobs",),
        ("ingest", __file__, "--extractor", "fast", "--yes"),
        ("ingest", __file__, "-w", "new", "--extractor", "fast", "--yes"),
    ],
    ids=" ".join,
)
def test_a_read_only_home_is_named_in_one_line_with_the_remedy(
    home_of_one: Path, words: tuple[str, ...]
) -> None:
    done = _run(home_of_one, sys.executable, "-m", "dynagrag.cli", *words)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "read-only" in line.lower()
    assert "DYNAGRAG_HOME" in line
    assert str(home_of_one) in line


def test_doctor_and_the_app_name_a_read_only_home(home_of_one: Path) -> None:
    found = _run(home_of_one, sys.executable, "-m", "dynagrag.cli", "doctor")
    assert "is on a file system that is mounted read-only" in found.stdout
    shown = _run(home_of_one, sys.executable, "-c", _PAGE)
    assert "mounted read\\\\-only" in shown.stdout or "mounted read-only" in shown.stdout, shown
