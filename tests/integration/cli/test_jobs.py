"""Ingests as durable jobs: listed, resumed after a kill, cancelled from another process, retried;
and files that are gone.
"""

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ingests import ONE, PATIENCE_S, TWO, Gate, digest, num_stored_replies, without_progress

from dynagrag import IngestOptions
from dynagrag.core.errors import LoadError, UsageError, WorkspaceError
from dynagrag.fakes import FakeChat
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.journal.jobs import JobCancelledError
from dynagrag.workspace.facade import Workspace, open_journal

OpenSpace = Callable[..., Workspace]


def _jobs(cli: Any, name: str = "default") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cli("jobs", "--json", "-w", name).json
    return found


# ------------------------------------------------------------------------------------------- resume


def test_a_killed_ingest_is_interrupted_and_resumed_by_its_number(
    gate: Gate, cli: Any, start: Any, corpus: Any, home: Path
) -> None:
    paths = corpus.many(3, num_turns=40)
    gate.num_free = 5
    process = start(
        "ingest", *paths, "-w", "killed", "--focus", "who owns whom", "--max-calls", 500
    )
    gate.wait_for(7)
    (running,) = _jobs(cli, "killed")
    assert (running["status"], running["stage"]) == ("running", "extract")
    process.send_signal(signal.SIGKILL)
    process.wait(20)
    (killed,) = _jobs(cli, "killed")
    assert (killed["status"], killed["id"]) == ("interrupted", 1)
    assert killed["request"]["paths"] == [str(p) for p in paths]
    assert (killed["request"]["llm"], killed["request"]["options"]["extraction"]["focus"]) == (
        "openai:fake",
        "who owns whom",
    )
    assert "interrupted" in cli("jobs", "-w", "killed").out
    stored = num_stored_replies(home / "workspaces" / "killed")
    first = Counter(gate.prompts)
    gate.is_open.set()
    gate.prompts.clear()
    resumed = cli("jobs", "resume", "-w", "killed")
    assert resumed.code == 0, resumed
    assert stored >= 3
    again = [prompt for prompt in gate.prompts if prompt in first]
    assert len(again) <= len(first) - stored, "a call was made again whose reply was stored"
    (done,) = _jobs(cli, "killed")
    assert (done["id"], done["status"]) == (1, "done")
    assert done["request"]["options"] == killed["request"]["options"]
    assert cli("ingest", *paths, "-w", "whole", "--focus", "who owns whom").code == 0
    assert digest(cli, "killed") == digest(cli, "whole")
    assert "no job to resume" in cli("jobs", "resume", "-w", "killed").complaint(2)
    assert "job 1 is done" in cli("jobs", "resume", 1, "-w", "killed").complaint(2)


def test_an_ingest_that_spent_its_budget_says_how_to_go_on_and_does(
    server: OpenAIStubServer, cli: Any, corpus: Any
) -> None:
    paths = corpus.many(3, num_turns=50)
    stopped = cli("ingest", *paths, "--max-calls", 4)
    assert "dynagrag jobs resume 1" in stopped.complaint(1)
    (job,) = _jobs(cli)
    assert (job["status"], job["request"]["options"]["max_calls"]) == ("stopped", 4)
    assert "budget of 4 model calls" in job["reason"]
    assert server.counts.chat_calls == 4
    assert "budget of 5 model calls" in cli("jobs", "resume", "--max-calls", 5).complaint(1)
    assert server.counts.chat_calls == 9
    assert cli("jobs", "resume", 1, "--max-calls", 1000).code == 0
    assert [j["status"] for j in _jobs(cli)] == ["done"]
    num_calls = server.counts.chat_calls
    assert cli("ingest", *paths, "-w", "whole").code == 0
    assert server.counts.chat_calls == 2 * num_calls
    assert digest(cli, "default") == digest(cli, "whole")


def test_ctrl_c_names_the_job_in_its_one_line(
    gate: Gate, cli: Any, start: Any, corpus: Any
) -> None:
    process = start("ingest", *corpus.many(2))
    gate.wait_for(1)
    process.send_signal(signal.SIGINT)
    err = without_progress(process.communicate(timeout=PATIENCE_S)[1])
    assert process.returncode == 130
    assert err.splitlines() == [err.strip()]
    assert "dynagrag jobs resume 1" in err
    (job,) = _jobs(cli)
    assert (job["status"], job["reason"]) == ("interrupted", "Ctrl-C")


def test_no_secret_is_in_a_job(
    server: OpenAIStubServer, cli: Any, corpus: Any, key: str, home: Path
) -> None:
    assert cli("ingest", corpus.write("a.vtt", ONE), "--llm", "openai:fake").code == 0
    shown = cli("jobs", "--json")
    assert key not in shown.out
    assert all(
        key.encode() not in f.read_bytes()
        for f in (home / "workspaces" / "default").rglob("*")
        if f.is_file()
    )


def test_an_address_with_a_user_in_it_is_refused_before_it_is_kept(
    cli: Any, corpus: Any, home: Path
) -> None:
    complaint = cli(
        "ingest",
        corpus.write("a.vtt", ONE),
        "--extractor",
        "fast",
        "--store",
        "bolt://neo4j:pw-of-hers@localhost:7687",
    ).complaint(2)
    assert "pw-of-hers" not in complaint
    assert all(b"pw-of-hers" not in f.read_bytes() for f in home.rglob("*") if f.is_file())


def test_a_job_whose_file_is_gone_says_so(server: OpenAIStubServer, cli: Any, corpus: Any) -> None:
    paths = corpus.many(2, num_turns=50)
    assert cli("ingest", *paths, "--max-calls", 2).code == 1
    paths[0].unlink()
    assert str(paths[0]) in cli("jobs", "resume").complaint(1)


def test_a_failure_is_noted_with_its_reason(open_space: OpenSpace, corpus: Any) -> None:
    chat = FakeChat()
    space = open_space(chat=chat)
    path = corpus.write("a.vtt", ONE)
    chat.then(RuntimeError("not ours"))
    with pytest.raises(RuntimeError):
        space.ingest([path])
    assert [(j.status, j.reason) for j in space.jobs()] == [("failed", "RuntimeError")]
    space.prepare_resume().run()
    assert [j.status for j in space.jobs()] == ["done"]
    with pytest.raises(UsageError, match="no job to resume"):
        space.prepare_resume()


def test_progress_is_noted_a_few_times_a_second(
    open_space: OpenSpace, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = open_space()
    noted: list[tuple[str, int, int]] = []
    real = space.journal.job_book.note
    monkeypatch.setattr(
        space.journal.job_book,
        "note",
        lambda job, stage, done, total: (
            noted.append((stage, done, total)) or real(job, stage, done, total)
        ),
    )
    began = time.monotonic()
    space.ingest(corpus.many(4))
    stages = {stage for stage, _, _ in noted}
    assert {"extract", "embed"} <= stages
    assert len(noted) <= 1 + len(stages) + 2.5 * (time.monotonic() - began)


# ------------------------------------------------------------------------------------------- cancel


def test_an_ingest_is_cancelled_from_another_process_and_keeps_its_work(
    gate: Gate, cli: Any, start: Any, corpus: Any
) -> None:
    paths = corpus.many(3, num_turns=40)
    gate.num_free = 4
    process = start("ingest", *paths)
    gate.wait_for(6)
    assert "job 1 stops; replies to calls in flight are kept" in cli("jobs", "cancel", 1).out
    while _jobs(cli)[0]["status"] == "running":
        time.sleep(0.05)
    gate.is_open.set()
    err = without_progress(process.communicate(timeout=PATIENCE_S)[1])
    assert (process.returncode, len(err.splitlines())) == (1, 1), err
    assert "job 1 was stopped; what was done is kept" in err
    num_before = sum(gate.prompts.values())
    assert num_before <= 8
    (job,) = _jobs(cli)
    assert job["status"] == "cancelled"
    kept = cli("graph", "stats", "--json").json
    assert kept["chunks"] >= 6
    assert cli("jobs", "resume", 1).code == 0
    assert cli("ingest", *paths, "-w", "whole").code == 0
    assert digest(cli, "default") == digest(cli, "whole")
    assert max(Counter(gate.prompts).values()) == 2  # once in each workspace


def test_a_cancellation_while_names_are_judged_asks_no_more(
    open_space: OpenSpace, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dynagrag.ingest.job_follower._NOTE_EVERY_S", 0.0)
    chat = FakeChat()
    space = open_space(chat=chat)
    seen: list[str] = []

    def cancel(stage: str, done: int, total: int) -> None:
        if stage == "consolidate" and not done:
            seen.extend(prompt.name for prompt in chat.prompts)
            space.cancel_job(1)

    with pytest.raises(JobCancelledError, match="job 1 was stopped; what was done is kept"):
        space.prepare_ingest(corpus.many(3)).run(cancel)
    assert [prompt.name for prompt in chat.prompts] == seen
    assert space.jobs()[0].status == "cancelled"
    assert not space.store.is_derived_current()
    assert space.current_graph.snapshot().graph.entities
    space.prepare_resume().run()
    assert [prompt.name for prompt in chat.prompts[len(seen) :]] != []
    assert space.jobs()[0].status == "done"


def test_a_document_that_an_ingest_is_at_work_on_is_not_deleted(
    gate: Gate, cli: Any, start: Any, corpus: Any
) -> None:
    old, new = corpus.write("old.vtt", TWO), corpus.write("new.vtt", corpus.meeting(1, 60))
    gate.num_free = 1
    assert cli("ingest", old, "--merges", "rules").code == 0
    process = start("ingest", new, "--merges", "rules")
    gate.wait_for(2)
    assert "job 2 is at work on 'new'" in cli("delete", "new", "--yes").complaint(1)
    assert cli("delete", "old", "--yes").code == 0
    gate.is_open.set()
    assert process.wait(30) == 0
    assert cli("ingest", new, "-w", "alone", "--merges", "rules").code == 0
    assert digest(cli, "default") == digest(cli, "alone")


# ------------------------------------------------------------------------------ set aside and retry


def test_set_aside_chunks_are_listed_and_retried_without_their_files(
    steered: Any, cli: Any, corpus: Any
) -> None:
    paths = [
        corpus.write("good.vtt", ONE),
        corpus.write("bad.vtt", [("Leo", "Grace Hopper founded Garbled Corp.")]),
    ]
    steered.faults_by_marker = {"Garbled Corp": Fault.INVALID}
    done = cli("ingest", *paths, "--focus", "owners")
    assert (done.code, "`dynagrag jobs retry`" in done.out) == (3, True)
    assert [j["status"] for j in _jobs(cli)] == ["set aside"]
    (row,) = cli("jobs", "set-aside", "--json").json
    assert (row["document"], row["start"], row["job_id"]) == ("bad", 0, 1)
    assert "does not fit" in row["reason"]
    assert "bad [0:34]" in cli("jobs", "set-aside").out
    again = cli("jobs", "retry")
    assert (again.code, cli("jobs", "set-aside", "--json").json[0]["job_id"]) == (3, 2)
    for path in paths:
        path.unlink()
    steered.faults_by_marker = {}
    steered.reset()
    assert cli("jobs", "retry").code == 0
    assert [
        str(r["messages"]).count("owners")
        for r in steered.requests
        if "Garbled Corp" in str(r.get("messages"))
    ] != []
    assert "no chunk is set aside" in cli("jobs", "set-aside").out
    assert [(j["kind"], j["status"]) for j in _jobs(cli)] == [
        ("ingest", "set aside"),
        ("retry", "set aside"),
        ("retry", "done"),
    ]
    (
        corpus.write("good.vtt", ONE),
        corpus.write("bad.vtt", [("Leo", "Grace Hopper founded Garbled Corp.")]),
    )
    assert cli("ingest", *paths, "-w", "whole", "--focus", "owners").code == 0
    assert digest(cli, "default") == digest(cli, "whole")
    steered.reset()
    assert cli("ingest", *paths, "--focus", "owners").code == 0
    assert steered.counts.chat_calls == 0, "the retried chunk was not known as extracted"
    assert "no chunk is set aside" in cli("jobs", "retry").out


def test_a_retried_version_takes_the_place_of_the_one_before(
    open_space: OpenSpace, corpus: Any
) -> None:
    path = corpus.write("a.vtt", ONE)
    space = open_space()
    space.ingest([path])
    corpus.write("a.vtt", TWO)
    bad = open_space(chat=FakeChat(lambda *_: "no JSON at all"))
    assert len(bad.prepare_ingest([path]).run().set_aside) == 1
    assert len(bad.store.documents()) == 2
    path.unlink()
    (retry,) = space.prepare_retries()
    assert retry.run().set_aside == ()
    corpus.write("a.vtt", TWO)
    alone = open_space("alone")
    alone.ingest([path])
    assert space.stats() == alone.stats()


def test_a_retry_that_was_stopped_goes_on_with_its_own_chunks(
    open_space: OpenSpace, corpus: Any
) -> None:
    bad = open_space(chat=FakeChat(lambda *_: "no JSON at all"))
    bad.prepare_ingest([corpus.write("a.vtt", corpus.meeting(1, 60))]).run()
    bad.prepare_ingest([corpus.write("b.vtt", TWO)], IngestOptions(merges="rules")).run()
    space = open_space()
    num_aside = len(space.journal.set_asides())
    assert sorted(retry.plan.num_chunks for retry in space.prepare_retries()) == [1, num_aside - 1]
    (limited,) = space.prepare_retries(IngestOptions(merges="rules", max_calls=2))
    report = limited.run()
    assert (str(report.stopped_by).startswith("the budget of 2"), space.jobs()[-1].status) == (
        True,
        "stopped",
    )
    assert len(space.journal.set_asides()) == num_aside - report.num_chunks > 0
    resumed = space.prepare_resume(max_calls=100)
    assert resumed.plan.num_chunks == len(space.journal.set_asides())
    resumed.run()
    assert space.journal.set_asides() == ()
    assert (len(space.jobs()), space.jobs()[-1].kind, space.jobs()[-1].status) == (
        3,
        "retry",
        "done",
    )


def test_a_retry_with_another_extractor_is_done_as_asked(
    open_space: OpenSpace, corpus: Any
) -> None:
    space = open_space(chat=FakeChat(lambda *_: "no JSON at all"))
    space.prepare_ingest([corpus.write("a.vtt", ONE)]).run()
    (retry,) = space.prepare_retries(IngestOptions(extractor="fast"))
    assert retry.run().set_aside == ()
    assert space.journal.set_asides() == ()
    assert {r.extractor.split("-")[0] for r in space.store.relation_records()} == {"fast"}


# --------------------------------------------------------------------------------------- files gone


def test_documents_whose_files_are_gone_stay_unless_they_are_to_go(
    server: OpenAIStubServer, cli: Any, corpus: Any, tmp_path: Path
) -> None:
    folder = corpus.folder
    (folder / "deep").mkdir()
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text("Leo: Lise Ross founded Ember Works.\n", encoding="utf-8")
    (
        corpus.write("a.vtt", ONE),
        corpus.write("deep/b.vtt", TWO),
        corpus.write("c.vtt", corpus.meeting(1)),
    )
    assert cli("ingest", folder, elsewhere).code == 0
    (folder / "deep" / "b.vtt").unlink()
    (folder / "c.vtt").rename(folder / "renamed.vtt")
    elsewhere.unlink()
    kept = cli("ingest", folder)
    assert (kept.code, cli("graph", "stats", "--json").json["documents"]) == (0, 4)
    assert "1 document whose files are gone stay (--remove-missing deletes them)" in kept.out
    assert "--yes" in cli("ingest", folder, "--remove-missing").complaint(2)
    assert cli("graph", "stats", "--json").json["documents"] == 4
    gone = cli("ingest", folder, "--remove-missing", "--yes")
    assert gone.code == 0
    lines = gone.out.splitlines()
    shown = next(i for i, line in enumerate(lines) if "whose files are gone are deleted" in line)
    assert "deep/b.vtt" in lines[shown + 1]
    assert "  deleted b: its file is gone" in lines
    assert _jobs(cli)[-1]["counts"]["removed"] == 1
    corpus_again = cli("ingest", folder, "-w", "rest")
    assert corpus_again.code == 0
    assert cli("delete", "elsewhere", "--yes").code == 0
    assert digest(cli, "default") == digest(cli, "rest")
    assert (
        cli("ingest", folder, "--remove-missing").code == 0
    )  # nothing is gone: nothing to confirm


def test_a_folder_that_may_not_be_looked_into_loses_no_document(
    open_space: OpenSpace, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus.write("a.vtt", ONE), corpus.write("b.vtt", TWO)
    space = open_space()
    space.ingest([corpus.folder])
    (corpus.folder / "b.vtt").unlink()

    real = os.lstat

    def refuses(path: Any, **more: Any) -> os.stat_result:
        if str(path).endswith("b.vtt"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **more)

    assert [d.title for d in space.prepare_ingest([corpus.folder]).plan.missing] == ["b"]
    monkeypatch.setattr(os, "lstat", refuses)
    assert (
        space.prepare_ingest([corpus.folder], IngestOptions(remove_missing=True)).plan.missing == ()
    )


def test_a_folder_that_is_empty_now_is_an_error_and_deletes_nothing(
    open_space: OpenSpace, corpus: Any
) -> None:
    path = corpus.write("a.vtt", ONE)
    space = open_space()
    space.ingest([corpus.folder])
    path.unlink()
    with pytest.raises(LoadError, match="holds no file"):
        space.ingest([corpus.folder], IngestOptions(remove_missing=True))
    assert len(space.store.documents()) == 1


# ---------------------------------------------------------------------------------------- wrong use


def test_wrong_use_of_jobs_is_one_line(server: OpenAIStubServer, cli: Any, corpus: Any) -> None:
    assert "no workspace 'nowhere'" in cli("jobs", "-w", "nowhere").complaint(1)
    assert cli("ingest", corpus.write("a.vtt", ONE)).code == 0
    assert "there is no job 7" in cli("jobs", "cancel", 7).complaint(2)
    assert "there is no job 7" in cli("jobs", "resume", 7).complaint(2)
    assert "isn't running: it ended" in cli("jobs", "cancel", 1).complaint(2)
    assert "ID" in cli("jobs", "cancel", "x").complaint(2)
    assert "jobs resume --workspace" in cli("jobs", "-w", "default", "resume").complaint(2)


def test_the_jobs_are_listed_though_the_store_is_away(
    server: OpenAIStubServer, cli: Any, corpus: Any, home: Path
) -> None:
    assert cli("ingest", corpus.write("a.vtt", ONE)).code == 0
    (home / "workspaces" / "default" / "store").write_text("bolt://127.0.0.1:1\n", encoding="utf-8")
    assert [j["status"] for j in _jobs(cli)] == ["done"]
    rows = json.loads(cli("jobs", "list", "--json").out)
    assert rows[0]["request"]["store"] == "sqlite"


def test_a_job_of_an_older_version_cannot_be_resumed(open_space: OpenSpace, corpus: Any) -> None:
    space = open_space()
    space.ingest([corpus.write("a.vtt", ONE)])
    space.journal._db.execute("UPDATE jobs SET status = 'running', request = '{}'")
    with pytest.raises(UsageError, match="older dynagrag"):
        space.prepare_resume(1)
    with pytest.raises(WorkspaceError, match="cannot be a workspace's name"):
        open_journal("../w", space.settings)


def test_a_retry_prints_one_json_list_with_a_report_for_each_set_of_options(
    steered: Any, cli: Any, corpus: Any
) -> None:
    paths = [
        corpus.write(f"{n}.vtt", [("Leo", f"Grace Hopper founded Garbled Corp {n}.")]) for n in "ab"
    ]
    steered.faults_by_marker = {"Garbled Corp": Fault.INVALID}
    assert cli("ingest", paths[0], "--focus", "owners").code == 3
    assert cli("ingest", paths[1]).code == 3
    steered.faults_by_marker = {}
    done = cli("jobs", "retry", "--json")
    assert (done.code, [report["job"] for report in done.json]) == (0, [3, 4])
    assert cli("jobs", "retry", "--json").json == []
