"""Embedders of the model hub, from a hub on the loopback that holds one; each command is a process
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
from tiny_embedder import make_embedder

from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.embedders import open_embedder

COMMIT = "0123456789012345678901234567890123456789"
SCRIPT = """
import sys
from dynagrag.config.settings import Settings
from dynagrag.models.embedders import open_embedder
embedder = open_embedder(sys.argv[1], Settings())
print(len(embedder.embed_query("crew")), embedder.identity.name)
"""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    """The address of a hub with org/embedder, which has weights for torch too."""
    folder = make_embedder(tmp_path / "repo", prompts={"query": "query: "})
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(bytes(1000))
    (folder / "onnx" / "model_int8.onnx").write_bytes(bytes(1000))
    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())

    class Hub(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            name = self.path.rpartition("/org/embedder/resolve/")[2].partition("/")[2]
            if self.path.startswith("/api/models/org/embedder/tree"):
                tree = [{"type": "file", "path": f, "size": 1, "oid": COMMIT} for f in files]
                self._send(200, json.dumps(tree).encode())
            elif self.path.startswith("/api/models/org/embedder"):
                siblings = [{"rfilename": file, "size": 1} for file in files]
                told = {"id": "org/embedder", "sha": COMMIT, "siblings": siblings}
                self._send(200, json.dumps(told).encode())
            elif name in files:
                self._send(200, (folder / name).read_bytes())
            else:
                self._send(404, b"", {"X-Error-Code": "RepoNotFound"})

        def _send(self, status: int, body: bytes, more: dict[str, str] | None = None) -> None:
            self.send_response(status)
            headers = {"Content-Length": str(len(body)), "ETag": '"abc"', "X-Repo-Commit": COMMIT}
            for name, value in (headers | (more or {})).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

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
        [sys.executable, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | own,
    )


def test_an_embedder_of_the_hub_is_fetched_with_its_onnx_file_alone(hub: str, home: Path) -> None:
    pulled = run(home, hub, "-m", "dynagrag.cli", "models", "pull", "org/embedder")
    assert pulled.returncode == 0, pulled.stderr
    folder = Path(pulled.stdout.strip().splitlines()[-1])
    assert sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()) == [
        "1_Pooling/config.json",
        "config.json",
        "config_sentence_transformers.json",
        "modules.json",
        "onnx/model.onnx",
        "sentence_bert_config.json",
        "tokenizer.json",
    ]
    used = run(home, None, "-c", SCRIPT, "org/embedder")
    assert used.stdout.split() == ["6", "org/embedder"], used.stderr


def test_an_embedder_that_lies_nowhere_is_fetched_at_its_first_use(hub: str, home: Path) -> None:
    used = run(home, hub, "-c", SCRIPT, "org/embedder")
    assert used.stdout.split() == ["6", "org/embedder"], used.stderr


def test_a_known_embedder_that_cannot_be_fetched_is_said(home: Path) -> None:
    used = run(home, None, "-m", "dynagrag.cli", "models", "pull", "bge-small")
    assert used.returncode == 1
    assert "BAAI/bge-small-en-v1.5 could not be fetched from the model hub" in used.stderr
    assert "fetch it on another machine, copy its files here" in used.stderr


def test_a_hub_that_cannot_be_reached_is_told_with_what_to_check_and_what_needs_no_hub(
    home: Path,
) -> None:
    nowhere = "http://127.0.0.1:9"
    used = run(home, nowhere, "-m", "dynagrag.cli", "models", "pull", "org/embedder")
    assert used.returncode == 1
    assert "check the network, HTTPS_PROXY and HF_ENDPOINT; or fetch it on" in used.stderr
    assert "minilm" in used.stderr
    assert "`dynagrag models list` has others" in used.stderr


@pytest.mark.parametrize("spec", ["hub:org/embedder", "hf:org/embedder", "optimum:org/embedder"])
def test_a_hub_name_behind_a_prefix_is_refused_with_how_it_is_written(spec: str) -> None:
    with pytest.raises(SettingsError, match="written alone, as org/embedder"):
        open_embedder(spec, Settings())
    with pytest.raises(SettingsError, match="write local:org/embedder"):
        open_chat_model(spec, Settings())
