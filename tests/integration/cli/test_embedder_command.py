"""`dynagrag embedder use`: the estimate, the switch, and what is said before and after."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag.fakes.fake_server import OpenAIStubServer


@pytest.mark.usefixtures("server")
def test_a_workspace_gets_another_embedder(
    corpus: Any, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (path,) = corpus.many(1, num_turns=12)
    assert cli("ingest", str(path), "-w", "w", "--extractor", "fast").code == 0
    dry = cli("embedder", "use", "openai:other", "-w", "w", "--dry-run")
    assert dry.code == 0
    assert "from openai:fake to openai:other (32 dimensions): " in dry.out
    assert " vectors, about " in dry.out
    found = json.loads(cli("embedder", "use", "openai:other", "-w", "w", "--dry-run", "--json").out)
    assert found["num_done"] == 0 < found["num_vectors"]
    assert cli("ask", "Who works?", "-w", "w").code == 0, "nothing has changed"
    mismatched = cli("ask", "Who works?", "-w", "w", "--embedder", "openai:other")
    assert mismatched.code == 1
    assert "or have it embedded anew by `dynagrag embedder use openai:other`" in mismatched.err
    done = cli("embedder", "use", "openai:other", "-w", "w")
    assert done.code == 0, done.err
    assert f"{found['num_vectors']:,} vectors of openai:other;" in done.out
    assert "Commands use it for this workspace from now on." in done.out
    assert "DYNAGRAG_EMBEDDER in the environment names openai:fake" in done.err
    assert cli("ask", "Who works?", "-w", "w").code == 1, "the environment names another one"
    monkeypatch.delenv("DYNAGRAG_EMBEDDER")
    assert cli("ask", "Who works?", "-w", "w").code == 0, "the workspace knows its own"
    assert cli("ask", "Who works?", "-w", "w", "--embedder", "openai:other").code == 0
    found = {line.split()[1]: line for line in cli("doctor", "-w", "w").out.splitlines()}
    assert found["vectors"].startswith("ok"), "they are compared with the workspace's own"
    more = tmp_path / "more.txt"
    more.write_text("Ann: The mill ground rye until 1931.\n", encoding="utf-8")
    assert cli("ingest", str(more), "-w", "w", "--extractor", "fast").code == 0
    again = cli("embedder", "use", "openai:other", "-w", "w")
    assert (again.code, "has the embedder openai:other already" in again.err) == (2, True)
    assert cli("embedder", "use", "openai:x", "-w", "w", "--give-up").out == (
        "there was no unfinished switch\n"
    )


def test_a_workspace_that_is_not_there_is_not_made(
    cli: Callable[..., Any], server: OpenAIStubServer
) -> None:
    done = cli("embedder", "use", "openai:other", "-w", "nobody")
    assert done.code == 1
    assert "nobody" in done.err


@pytest.mark.usefixtures("server")
def test_ctrl_c_pauses_and_says_how_to_go_on(
    corpus: Any, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = corpus.many(1, num_turns=12)
    assert cli("ingest", str(path), "-w", "w", "--extractor", "fast").code == 0

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("dynagrag.workspace.embedded_copies.copy_records", interrupted)
        stopped = cli("embedder", "use", "openai:other", "-w", "w")
    assert stopped.code == 130
    assert "paused; the same command goes on where it stopped" in stopped.err
    assert cli("embedder", "use", "openai:other", "-w", "w").code == 0


@pytest.mark.usefixtures("server")
def test_a_job_goes_on_with_the_embedder_that_its_workspace_has_got_since(
    corpus: Any, cli: Callable[..., Any]
) -> None:
    paths = corpus.many(2, num_turns=40)
    stopped = cli("ingest", *map(str, paths), "-w", "w", "--max-calls", "2")
    assert stopped.code == 1, stopped
    assert cli("embedder", "use", "openai:other", "-w", "w").code == 0
    resumed = cli("jobs", "resume", "-w", "w", "--max-calls", "500", "--yes")
    assert resumed.code == 0, resumed.err
    assert cli("ask", "Who works?", "-w", "w", "--embedder", "openai:other").code == 0


@pytest.mark.usefixtures("server")
def test_a_dry_run_fetches_nothing_and_says_what_would_be(
    corpus: Any, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = corpus.many(1, num_turns=12)
    assert cli("ingest", str(path), "-w", "w", "--extractor", "fast").code == 0

    def fetched(*_: object, **__: object) -> None:
        raise AssertionError("it fetches")

    monkeypatch.setattr("dynagrag.models.local_embedder.pull", fetched)
    monkeypatch.setattr("dynagrag.models.local_embedder.hub_model", fetched)
    dry = cli("embedder", "use", "multilingual-e5-small", "-w", "w", "--dry-run")
    assert dry.code == 0, dry.err
    assert "would fetch the embedder " in dry.out
    assert " MB) first; nothing was fetched" in dry.out
    found = cli("embedder", "use", "some/model", "-w", "w", "--dry-run", "--json").json
    assert found == {"to_fetch": "some/model from the model hub"}
