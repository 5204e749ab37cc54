"""What every test stands on: a temporary home, an environment without settings, and the fakes."""

import os
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.fakes_server import OpenAIStubServer

# Read at import, before the fixture below hides the real home: models that were pulled there may be used by tests marked `model`.
_REAL_HOME = Path(os.environ.get("DYNAGRAG_HOME") or platformdirs.user_data_dir("dynagrag", appauthor=False))
_MODELS_DIR = Path(os.environ.get("DYNAGRAG_TEST_MODELS") or _REAL_HOME / "models")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary DYNAGRAG_HOME; HOME beside it, and nothing set that the settings would read."""
    for name in list(os.environ):
        if name.startswith(("DYNAGRAG_", "OPENAI_", "AZURE_OPENAI_", "NEO4J_", "XDG_")):
            monkeypatch.delenv(name)
    folder = tmp_path_factory.mktemp("home")
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
