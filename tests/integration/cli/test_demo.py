"""The demo as `make demo` shows it: recorded replies, a real embedder."""

import json
from pathlib import Path

import pytest

from dynagrag import demo
from dynagrag.config.settings import load_settings
from dynagrag.core.errors import UsageError
from dynagrag.core.schema import Verdict
from dynagrag.curation import corrections
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.claims.verdict_text import marked_text
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.conversations import ConversationBook
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.ingest_job import IngestOptions


def test_the_recorded_replies_are_those_of_the_shipped_transcripts(home: Path) -> None:
    """No embedder is needed for the extraction: every chunk's reply is there, so the graph is real
    on any machine.
    """
    folder = Path(demo.__file__).parent
    recorded = json.loads((folder / "recorded.json").read_text(encoding="utf-8"))
    model = demo.RecordedModel("qwen (recorded)", recorded["identity"])
    with open_workspace(demo.WORKSPACE, chat_model=model, embedder=FakeEmbedder()) as space:
        space.journal.import_replies(folder / "replies.jsonl")
        report = space.ingest(
            [str(p) for p in demo.transcripts()], IngestOptions(chunk_profile="small")
        )
    assert model.missing == [], "record the replies anew: benchmarks/record_demo.py"
    assert report.num_chunks == 18
    assert report.set_aside == ()
    assert (report.graph.num_entities, report.graph.num_relations) > (60, 50)


@pytest.mark.model
def test_the_demo_answers_three_questions_and_needs_every_recorded_reply(
    models_dir: Path, home: Path
) -> None:
    """Another CPU may round a ranking differently, and then needs other replies: record them anew
    there with benchmarks/record_demo.py.
    """
    if not (models_dir / "minilm").is_dir():
        pytest.skip("needs the embedder: dynagrag models pull minilm")
    home.mkdir(parents=True)
    (home / "models").symlink_to(models_dir)
    lines: list[str] = []
    recorded = json.loads(
        (Path(demo.__file__).parent / "recorded.json").read_text(encoding="utf-8")
    )
    demo.run_demo(load_settings(), False, lines.append, lambda *_: None)
    text = "\n".join(lines)
    assert f"recorded on {recorded['date']} from Qwen2.5-Coder-1.5B" in text
    assert "no recorded reply" not in text, text
    replies = (
        (Path(demo.__file__).parent / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    )
    with open_workspace(demo.WORKSPACE, create=False) as space:
        spent = space.journal.ledger()
        answers = [
            exchange.answers[0].answer
            for exchange in ConversationBook(space.folder).conversation("0" * 16).exchanges
        ]
    assert (sum(row.calls for row in spent), sum(row.cached for row in spent)) == (0, len(replies))
    assert [a.question for a in answers if a] == list(demo.QUESTIONS)
    for answer in answers:
        assert answer
        assert answer.is_answered_by_model
        assert answer.citations
        assert marked_text(answer) in text
    kept, left_out = (
        [[claim.verdict for claim in claims] for claims in several]
        for several in zip(*((a.claims, a.left_out) for a in answers if a), strict=True)
    )
    # each is settled by the first look
    assert kept == [[Verdict.STATED] * 2, [Verdict.STATED] * 2, [Verdict.STATED] * 3]
    assert left_out == [[], [], []]
    assert [len(answer.intermediate) for answer in answers if answer] == [1, 1, 1]


@pytest.mark.parametrize("is_found", [True, False])
def test_who_ran_make_demo_is_told_how_the_shell_finds_the_next_commands(
    is_found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}" if is_found else None)
    lines: list[str] = []
    demo.print_next_steps(lines.append)
    told = [line for line in lines if line.strip().startswith("source ") and "bin/activate" in line]
    assert len(told) == (0 if is_found else 1)


@pytest.mark.parametrize("is_corrected", [True, False])
def test_a_demo_that_holds_work_of_a_visitor_is_left_alone(
    home: Path, tmp_path: Path, is_corrected: bool
) -> None:
    own = tmp_path / "minutes.txt"
    own.write_text("ANN: The mill is old.\nBO: The mill is loud.\n")
    with open_workspace(demo.WORKSPACE, embedder=FakeEmbedder()) as space:
        paths = demo.transcripts() if is_corrected else [own]
        space.ingest([str(path) for path in paths], IngestOptions(extractor="fast"))
        if is_corrected:
            corrections.rename(space, "EECOM", "Electrical officer", by="me")
    with pytest.raises(UsageError, match=r"holds work of yours.*workspaces rename demo NAME"):
        demo.run_demo(load_settings(), False, print, lambda *_: None)
    assert (load_settings().workspaces_dir / demo.WORKSPACE).exists()


@pytest.mark.model
def test_what_a_controller_of_the_demo_reports_is_answered_with_their_own_lines(
    models_dir: Path, home: Path
) -> None:
    if not (models_dir / "minilm").is_dir():
        pytest.skip("needs the embedder: dynagrag models pull minilm")
    home.mkdir(parents=True)
    (home / "models").symlink_to(models_dir)
    with open_workspace("loops") as space:
        space.ingest([str(p) for p in demo.transcripts()], IngestOptions(extractor="fast"))
        for controller in ("EECOM", "CAPCOM", "GNC"):
            answer = space.evidence(f"What did {controller} report?", AskOptions())
            assert (answer.other_person, answer.is_nothing_fitting) == (None, False)
            assert {clip.best_turn.speaker for clip in answer.clips} == {controller}
