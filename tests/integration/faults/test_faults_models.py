"""What a model that misbehaves must not do, another embedder, what makes a cached reply count, and
keys.
"""

import json
import logging
import os
import pickle
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from raw_server import RawServer, chat, http

from dynagrag import IngestOptions, open_workspace
from dynagrag.core.errors import EmbedderMismatchError, ModelError, StoreError
from dynagrag.core.protocols import Prompt
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions
from dynagrag.ingest.extract.reply_records import ExtractionReply
from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]


# ---------------------------------------------------------------------------- models that misbehave


@pytest.mark.usefixtures("any_store")
def test_what_a_model_spoils_is_set_aside_with_its_reason_and_the_rest_is_done(
    steered: Any, cli: Any, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = {
        "Garbled Corp": Fault.INVALID,
        "Busy Corp": Fault.TOO_MANY,
        "Broken Corp": Fault.SERVER_ERROR,
        "Dropped Corp": Fault.DROP,
        "Silent Corp": Fault.HANG,
    }
    good = corpus.write("a-good.vtt", [("Leo", "Ada Byron founded Acme Works.")])
    paths = [
        good,
        *(
            corpus.write(f"{name}.vtt", [("Leo", f"Grace Hopper founded {name}.")])
            for name in faults
        ),
    ]
    steered.faults_by_marker = faults
    done = cli("ingest", *paths[:-1])
    assert "4 chunks were set aside; to try again, run the same command" in done.out
    with monkeypatch.context() as patched:  # alone, so that no other call may be late for it
        patched.setenv("DYNAGRAG_TIMEOUT_S", "1")
        late = cli("ingest", paths[-1])
    assert "1 chunk was set aside; to try again, run the same command" in late.out
    assert (done.code, late.code) == (3, 3)
    out = done.out + late.out
    assert "Traceback" not in out + done.err + late.err
    for name, reason in {
        "Garbled Corp": "does not fit ExtractionReply",
        "Busy Corp": "429",
        "Broken Corp": "500",
        "Silent Corp": "DYNAGRAG_TIMEOUT_S",
        "Dropped Corp": "cannot be reached",
    }.items():
        line = next(line for line in out.splitlines() if f"set aside {name}" in line)
        assert reason in line
    shown = cli("graph", "show", "Ada Byron", "--json").json
    assert [(r["head"], r["label"], r["tail"]) for r in shown["relations"]] == [
        ("Ada Byron", "founded", "Acme Works")
    ]
    assert cli("graph", "stats").out.count("set aside: document") == 5
    steered.faults_by_marker = {}
    again = cli("ingest", *paths)
    assert again.code == 0
    assert "5 chunks to extract" in again.out
    assert cli("graph", "stats", "--json").json["relations"] == 6
    assert "set aside" not in cli("graph", "stats").out


@pytest.mark.usefixtures("any_store")
def test_a_reply_that_was_cut_off_is_asked_for_on_the_halves(
    open_space: OpenSpace, corpus: Any
) -> None:
    path = corpus.write("a.vtt", corpus.meeting(5, num_turns=40))
    whole = open_space("whole")
    whole.ingest([path])

    def rule(prompt: Any, schema: Any) -> str:
        reply = simple_reply(prompt, schema)
        is_long = prompt.name == "extract" and len(prompt.user) > 900
        return reply.ljust(4 * 4000 + 40) if is_long else reply

    chat = FakeChat(rule)
    space = open_space("halved", chat=chat)
    report = space.ingest([path])
    assert report.set_aside == ()
    assert len(chat.prompts) > report.num_chunks
    assert _facts(space) == _facts(whole)


def _facts(space: Workspace) -> set[tuple[str, str, str]]:
    names = {e.id: e.key for e in space.graph().entities}
    return {(names[r.head], r.label, names[r.tail]) for r in space.graph().relations}


def test_a_reply_that_stays_cut_off_is_set_aside(open_space: OpenSpace, corpus: Any) -> None:
    chat = FakeChat(
        lambda prompt, schema: (
            "{" + " " * 20_000 if prompt.name == "extract" else simple_reply(prompt, schema)
        )
    )
    space = open_space(chat=chat)
    report = space.ingest(
        [
            corpus.write(
                "a.vtt", [("Leo", "Ada Byron founded Acme Works. It rains."), ("Maria", "Yes.")]
            )
        ]
    )
    assert ["cut off" in item.reason for item in report.set_aside] == [True]
    assert chat.num_calls < 12


@pytest.mark.usefixtures("any_store")
def test_an_invalid_reply_is_repaired_once(open_space: OpenSpace, corpus: Any) -> None:
    good = simple_reply(
        Prompt("extract", "", "<excerpt>Ada Byron founded Acme Works.</excerpt>"),
        ExtractionReply.model_json_schema(),
    )
    chat = FakeChat(script=["not JSON at all", good])
    space = open_space(chat=chat)
    report = space.ingest([corpus.write("a.vtt", [("Leo", "Ada Byron founded Acme Works.")])])
    assert (report.set_aside, chat.num_calls) == ((), 2)
    assert chat.prompts[1].name == "extract.repair"
    assert {e.key for e in space.graph().entities} >= {"ada byron", "acme works"}


def test_a_graph_that_stayed_empty_is_never_silent(steered: Any, cli: Any, corpus: Any) -> None:
    steered.faults_by_marker = {"excerpt": Fault.INVALID}
    done = cli("ingest", *corpus.many(2, num_turns=3))
    assert done.code == 3
    assert "2 chunks were set aside" in done.out


def test_a_passing_failure_is_retried(
    server: OpenAIStubServer, monkeypatch: pytest.MonkeyPatch, corpus: Any
) -> None:
    monkeypatch.setenv("DYNAGRAG_MAX_RETRIES", "1")
    with open_workspace("w", embedder=FakeEmbedder()) as space:
        for fault in (Fault.TOO_MANY, Fault.SERVER_ERROR):
            server.fail_next(fault)
            report = space.ingest(
                [
                    corpus.write(
                        f"{fault}.vtt", [("Leo", f"Ada Byron founded {fault.name.title()} Labs.")]
                    )
                ]
            )
            assert report.set_aside == ()
    assert server.counts.faults == 2


def test_a_server_that_is_gone_stops_the_run_and_keeps_its_work(
    steered: Any, cli: Any, corpus: Any
) -> None:
    good = corpus.write("a-good.vtt", [("Leo", "Ada Byron founded Acme Works.")])
    lost = [
        corpus.write(f"lost-{i:02}.vtt", [("Leo", f"Lost Founder{i} founded Lost Corp.")])
        for i in range(20)
    ]
    steered.faults_by_marker = {"Lost": Fault.SERVER_ERROR}
    stopped = cli("ingest", good, *lost)
    assert "500" in stopped.complaint(1)
    assert steered.counts.chat_calls < 15
    assert cli("graph", "stats", "--json").json["chunks"] == 1
    steered.faults_by_marker = {}
    assert cli("ingest", good, *lost).code == 0
    assert cli("graph", "stats", "--json").json["chunks"] == 21


# --------------------------------------------------------------------------------- another embedder


@pytest.mark.usefixtures("any_store")
def test_vectors_of_another_embedder_are_refused_before_anything_is_written(
    open_space: OpenSpace, corpus: Any
) -> None:
    one, two = corpus.many(2, num_turns=4)
    with open_space() as space:
        space.ingest([one])
        before = space.stats()
    for other in (FakeEmbedder(64), FakeEmbedder(32, "another")):
        chat = FakeChat()
        space = open_space(chat=chat, embedder=other)
        name, dimension = other.identity.name, str(other.identity.dimension)
        with pytest.raises(EmbedderMismatchError) as refused:
            space.ingest([two])
        assert all(word in str(refused.value) for word in ("fake", "32", name, dimension))
        with pytest.raises(StoreError) as refused_too:
            space.ask("Who works at Acme Works?")
        assert all(word in str(refused_too.value) for word in ("fake", "32", name, dimension))
        assert (chat.num_calls, space.stats()) == (0, before)


@pytest.mark.usefixtures("any_store")
def test_a_document_is_deleted_though_the_embedder_is_another(
    open_space: OpenSpace, corpus: Any
) -> None:
    paths = corpus.many(2, num_turns=4)
    with open_space() as space:
        space.ingest(paths)
    embedder = FakeEmbedder(64, "another")
    space = open_space(embedder=embedder)
    space.documents.delete("meeting-0")
    assert (space.stats().documents, embedder.num_texts) == (1, 0)


# ----------------------------------------------------------------------------------- cached replies


def _forget_extractions(space: Workspace) -> None:
    for document in space.store.documents():
        space.store.drop_extractions(document.id, [], "none")


@pytest.mark.usefixtures("any_store")
def test_an_identical_call_is_a_hit(open_space: OpenSpace, corpus: Any) -> None:
    paths = corpus.many(2)
    chat = FakeChat()
    space = open_space(chat=chat)
    space.ingest(paths)
    digest, num_before = space.store.digest(), chat.num_calls
    _forget_extractions(space)
    report = space.ingest(paths)
    assert (chat.num_calls, space.store.digest()) == (num_before, digest)
    assert report.num_chunks > 2


@pytest.mark.parametrize(
    "change", ["model", "temperature", "max_tokens and schema", "prompt", "workspace"]
)
def test_any_change_of_what_makes_a_reply_is_a_miss(
    server: OpenAIStubServer, monkeypatch: pytest.MonkeyPatch, corpus: Any, change: str
) -> None:
    path = corpus.write("a.vtt", [("Leo", "Ada Byron founded Acme Works. Nothing else was said.")])

    def ingest(name: str = "w", options: IngestOptions | None = None) -> int:
        before = server.counts.chat_calls
        with open_workspace(name, embedder=FakeEmbedder()) as space:
            _forget_extractions(space)
            space.ingest([path], options)
        return server.counts.chat_calls - before

    assert (ingest(), ingest()) == (1, 0)
    name, options = "w", IngestOptions()
    if change == "model":
        monkeypatch.setenv("DYNAGRAG_LLM", "openai:other")
    elif change == "temperature":
        monkeypatch.setenv("DYNAGRAG_TEMPERATURE", "0.5")
    elif change == "max_tokens and schema":
        options = IngestOptions(chunk_profile="small")
    elif change == "prompt":
        options = IngestOptions(extraction=ExtractionOptions(focus="who founded what"))
    else:
        name = "v"
    assert (ingest(name, options), ingest(name, options)) == (1, 0)


def test_the_same_model_elsewhere_is_another_model(
    server: OpenAIStubServer, monkeypatch: pytest.MonkeyPatch, corpus: Any
) -> None:
    path = corpus.write("a.vtt", [("Leo", "Ada Byron founded Acme Works.")])
    with open_workspace("w", embedder=FakeEmbedder()) as space:
        space.ingest([path])
    with OpenAIStubServer() as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.base_url)
        with open_workspace("w", embedder=FakeEmbedder()) as space:
            space.ingest([path])
        assert (server.counts.chat_calls, other.counts.chat_calls) == (1, 1)


class _Bomb:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (exec, ("open('bombed', 'w')",))


@pytest.mark.parametrize("body", ["half", "other JSON", "pickle"])
def test_a_corrupt_cache_entry_is_a_miss_and_never_unpickled(
    open_space: OpenSpace, corpus: Any, body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chat = FakeChat()
    space = open_space(chat=chat)
    path = corpus.write("a.vtt", [("Leo", "Ada Byron founded Acme Works.")])
    space.ingest([path])
    digest, num_before = space.store.digest(), chat.num_calls
    db = sqlite3.connect(space.folder / "journal.sqlite")
    with db:
        if body == "half":
            db.execute("UPDATE replies SET body = substr(body, 1, length(body) / 2)")
        elif body == "other JSON":
            db.execute("""UPDATE replies SET body = '{"text": "{}", "is_cut_off": false}'""")
        else:
            db.execute("UPDATE replies SET body = ?", (pickle.dumps(_Bomb()),))
    db.close()
    _forget_extractions(space)
    space.ingest([path])
    assert (chat.num_calls, space.store.digest()) == (num_before + 1, digest)
    assert not (tmp_path / "bombed").exists()


# --------------------------------------------------------------------------------------------- keys


def test_a_providers_key_is_in_no_journal_and_no_backup(
    server: OpenAIStubServer,
    cli: Any,
    corpus: Any,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    azure_key = "0123456789abcdefCANARY"
    good = simple_reply(
        Prompt("extract", "", "<excerpt>Ada Byron founded Acme Works.</excerpt>"),
        ExtractionReply.model_json_schema(),
    )

    def answer() -> Iterator[bytes]:
        is_bad = b"Bad Corp" in azure.bodies[-1]
        error = json.dumps({"error": {"message": f"no room for {azure_key}"}}).encode()
        yield (
            http(error, "500 X")
            if is_bad
            else http(chat(good, usage={"prompt_tokens": 10**30, "completion_tokens": 10**30}))
        )

    with RawServer(answer) as azure:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", azure.origin)
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", azure_key)
        monkeypatch.setenv("OPENAI_API_VERSION", "2025-01-01")
        monkeypatch.setenv("DYNAGRAG_LLM", "azure_openai:my-deployment")
        monkeypatch.setenv("DYNAGRAG_MAX_RETRIES", "0")
        monkeypatch.setenv("DYNAGRAG_MAX_CONCURRENCY", "1")
        paths = [
            corpus.write(f"{name}.vtt", [("Leo", f"Ada Byron founded {name}.")])
            for name in ("Acme Works", "Bad Corp")
        ]
        done = cli("ingest", *paths)
        assert f"api-key: {azure_key}" in azure.heads[-1]
    assert (done.code, "no room for (key)" in done.out) == (3, True), done
    assert "no room for (key)" in cli("jobs").out + cli("graph", "stats").out
    assert cli("backup", tmp_path / "w.zip").code == 0
    with zipfile.ZipFile(tmp_path / "w.zip") as backup:
        kept = [backup.read(name) for name in backup.namelist()]
    kept += [file.read_bytes() for file in home.rglob("*") if file.is_file()]
    assert not any(azure_key.encode() in data for data in kept)
    assert azure_key not in done.out + done.err


@pytest.mark.parametrize(
    ("any_store", "fault"),
    [
        ("sqlite", Fault.UNAUTHORIZED),
        ("sqlite", Fault.TOO_MANY),
        ("sqlite", Fault.SERVER_ERROR),
        pytest.param("neo4j", Fault.UNAUTHORIZED, marks=pytest.mark.neo4j),
    ],
    indirect=["any_store"],
)
def test_a_key_appears_nowhere_whatever_the_server_says(
    any_store: str,
    steered: Any,
    cli: Any,
    corpus: Any,
    fault: Fault,
    home: Path,
    key: str,
    caplog: pytest.LogCaptureFixture,
    read_neo4j: Callable[[str], str],
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx", "httpcore", "dynagrag", "neo4j.io", "neo4j.pool"):
        caplog.set_level(logging.DEBUG, logger=name)
    paths = corpus.many(2, num_turns=3)
    assert cli("ingest", paths[0]).code == 0
    steered.faults_by_marker = {"excerpt": fault}
    assert key in steered.requests[0].get(
        "key", key
    )  # the stub repeats the key it was given in its error
    results = [
        cli("ingest", *paths, "--verbose"),
        cli("ingest", *paths, "--json"),
        cli("ask", "Who works at Acme Works?"),
        cli("graph", "stats"),
        cli("doctor"),
    ]
    assert {r.code for r in results} & {1, 3}
    with pytest.raises(ModelError) as failed, open_workspace("default") as space:
        space.ask("Who?")
    chain: BaseException | None = failed.value
    while chain is not None:
        assert key not in f"{chain} {chain!r} {chain.args}"
        chain = chain.__cause__ or chain.__context__
    for result in results:
        assert key not in result.out + result.err
    assert "HTTP" in caplog.text
    assert key not in caplog.text
    for file in home.rglob("*"):
        if file.is_file():
            assert key.encode() not in file.read_bytes(), file
    if any_store != "sqlite":
        assert key not in read_neo4j("default")
        assert any(record.name.startswith("neo4j") for record in caplog.records)
        password = os.environ["NEO4J_PASSWORD"]
        assert password not in caplog.text + "".join(result.out + result.err for result in results)
        assert not [
            file
            for file in home.rglob("*")
            if file.is_file() and password.encode() in file.read_bytes()
        ]
    assert key not in json.dumps([str(r) for r in caplog.records])
