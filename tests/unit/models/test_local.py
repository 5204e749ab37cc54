"""Real models in this process: where `dynagrag models pull NAME` was run, or DYNAGRAG_TEST_MODELS
names their folder.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from pydantic import BaseModel

from dynagrag.config.settings import Settings
from dynagrag.core.errors import CutOffReplyError
from dynagrag.core.protocols import Prompt
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.embedders import open_embedder
from dynagrag.models.known_models import CATALOG
from dynagrag.models.metered_chat import MeteredChat

pytestmark = [
    pytest.mark.model,
    # Of the libraries themselves, at import and load.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

PROMPT = Prompt("p", "You extract data as JSON.", "Ada is 36. Give name and age.")


class Person(BaseModel):
    name: str
    age: int


def model_file(models_dir: Path, name: str) -> Path:
    path = models_dir / CATALOG[name].file
    if not path.exists():
        pytest.skip(f"run `dynagrag models pull {name}` to have this test")
    return path


def test_a_gguf_file_answers_by_schema_in_this_process(
    models_dir: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        os, "sched_getaffinity", lambda pid: {0}, raising=False
    )  # llama.cpp's threads wait for each other busily, beside other workers for long
    path, journal = model_file(models_dir, "qwen"), Journal(tmp_path / "j.db")
    model = open_chat_model(f"gguf:{path}", Settings())
    assert model.is_small
    assert str(path.parent) not in model.identity
    person = MeteredChat(model, journal, workspace="w").ask(
        PROMPT, Person, stage="s", max_tokens=40
    )
    assert person == Person(name="Ada", age=36)
    with pytest.raises(CutOffReplyError):
        list(model.stream(Prompt("p", "", "Count to ten."), 3))
    model.close()
    journal.close()
    said = capfd.readouterr()
    assert said.out + said.err == ""


def test_minilm_embeds_meaning_without_network(models_dir: Path, home: Path) -> None:
    folder = model_file(models_dir, "minilm")
    home.mkdir(parents=True, exist_ok=True)
    (home / "models").mkdir()
    (home / "models" / "minilm").symlink_to(folder)
    embedder = open_embedder("minilm", Settings())
    vectors = embedder.embed_documents(
        ["The cat sat on the mat.", "Share prices fell on Monday.", ""]
    )
    query = embedder.embed_query("Where is the kitten?")
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ query > vectors[1] @ query + 0.2
    assert embedder.embed_documents([]).shape == (0, 384)
    prefixed = open_embedder("minilm", Settings(query_prefix="stock market: "))
    assert prefixed.embed_query("Where is the kitten?") @ vectors[1] > query @ vectors[1]
