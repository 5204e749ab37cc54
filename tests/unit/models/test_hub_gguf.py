"""GGUF files of the model hub, from a hub on the loopback that holds one; each command is a process
of its own, since the hub's library reads its address once.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError
from dynagrag.models.catalog import hub_gguf, models_list

WEIGHTS = b"GGUF" + bytes(3_000)
COMMIT = "0123456789012345678901234567890123456789"
NAME = "gguf:hf:org/model-GGUF/model-q4.gguf"


class Hub(BaseHTTPRequestHandler):
    """Knows org/model-GGUF with two files."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        if self.path.startswith("/api/models/org/model-GGUF"):
            files = [
                {"rfilename": "README.md", "size": 3},
                {"rfilename": "model-q4.gguf", "size": len(WEIGHTS)},
            ]
            self._send(
                200, json.dumps({"id": "org/model-GGUF", "sha": COMMIT, "siblings": files}).encode()
            )
        elif self.path.endswith("/org/model-GGUF/resolve/main/model-q4.gguf"):
            self._send(200, WEIGHTS)
        else:
            self._send(404, b"", {"X-Error-Code": "RepoNotFound"})

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Length": str(len(body)),
            "ETag": '"abc"',
            "X-Repo-Commit": COMMIT,
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture
def hub() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def run(home: Path, hub: str | None, *words: str) -> subprocess.CompletedProcess[str]:
    more = {"HF_HUB_OFFLINE": "1"} if hub is None else {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": hub}
    own = {
        "DYNAGRAG_HOME": str(home),
        "HF_HOME": str(home / "hf"),
        "HF_HUB_DISABLE_XET": "1",
        **more,
    }
    return subprocess.run(
        [sys.executable, "-m", "dynagrag.cli", *words],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
    )


def test_a_file_of_the_hub_is_fetched_once_and_known_from_then_on(home: Path, hub: str) -> None:
    done = run(home, hub, "models", "pull", NAME)
    place = home / "models" / "gguf" / "org--model-GGUF" / "model-q4.gguf"
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(place)
    assert place.read_bytes() == WEIGHTS
    assert not list((home / "models" / ".parts").iterdir())
    assert hub_gguf(NAME, Settings()) == place
    assert [row.size_bytes for row in models_list(Settings()) if row.name == NAME] == [len(WEIGHTS)]


def test_what_the_hub_has_not_is_one_line_that_says_what_it_has(home: Path, hub: str) -> None:
    no_file = run(home, hub, "models", "pull", "gguf:hf:org/model-GGUF/model-q5.gguf")
    assert no_file.returncode == 1
    assert (
        no_file.stderr
        == "dynagrag: org/model-GGUF of the model hub has no file model-q5.gguf; it has"
        " model-q4.gguf\n"
    )
    no_repository = run(home, hub, "models", "pull", "gguf:hf:org/none/model-q5.gguf")
    assert no_repository.returncode == 1
    assert no_repository.stderr.startswith(
        "dynagrag: the model hub has no org/none that you may read; check the name"
    )
    assert no_repository.stderr.count("\n") == 1


def test_without_a_network_it_is_one_line_too(home: Path) -> None:
    done = run(home, None, "models", "pull", NAME)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "dynagrag: org/model-GGUF could not be fetched from the model hub (OfflineModeIsEnabled):"
        " unset HF_HUB_OFFLINE; or fetch it on another machine, copy its files here and name their"
        " path"
    )
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("gguf:hf:org/model", "names no GGUF file"),
        ("gguf:hf:org/model/model.safetensors", "names no GGUF file"),
        ("gguf:hf:org/../../model.gguf", "names no GGUF file"),
        ("gguf:hf:org/model/big-00001-of-00002.gguf", "one of several parts"),
    ],
)
def test_a_name_that_can_be_no_file_is_refused_without_asking(
    home: Path, name: str, why: str
) -> None:
    with pytest.raises(SettingsError, match=why):
        hub_gguf(name, Settings())
