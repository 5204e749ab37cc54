"""Evidence: what a file of questions must hold, how shown words are counted, and what the command
prints.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dynagrag.cli.main import app
from dynagrag.config.settings import Settings, load_settings
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.evaluation.evidence.evidence_measures import (
    SAID_RIGHTLY,
    EvidenceOptions,
    EvidenceOutcome,
    EvidenceResult,
    EvidenceShares,
    evaluate_evidence,
    is_cut,
)
from dynagrag.evaluation.evidence.evidence_questions import load_evidence_questions
from dynagrag.evaluation.question_sets.question_set import Scope
from dynagrag.fakes import FakeEmbedder
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

MILL = (
    "Ann: The mill ground rye until 1931.\nBen: And who owned it?\nAnna: The Okafor family did.\n"
)
KILN = "Cleo: The kiln needs nine hours.\nDan: Then we bake on Friday.\n"


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A workspace `talks` of two talks."""
    (tmp_path / "mill.txt").write_text(MILL, encoding="utf-8")
    (tmp_path / "kiln.txt").write_text(KILN, encoding="utf-8")
    made = load_settings()
    with open_workspace("talks", settings=made, embedder=FakeEmbedder()) as space:
        space.ingest(
            [tmp_path / "mill.txt", tmp_path / "kiln.txt"], IngestOptions(extractor="fast")
        )
    return made


def measured(settings: Settings, path: Path, scope: Scope = Scope.CORPUS) -> EvidenceResult:
    options = EvidenceOptions(path, "talks", scope)
    return evaluate_evidence(settings, options, embedder=FakeEmbedder())[1]


def outcome(place: int | None, kind: str = "", is_answerable: bool = True) -> EvidenceOutcome:
    return EvidenceOutcome(
        question=f"{place} {kind}",
        text="",
        kind=kind,
        is_answerable=is_answerable,
        place=place,
        is_cut=place is None,
        is_nothing_fitting=not is_answerable,
        answerable=None,
        shown=(),
    )


def test_shares_are_of_the_questions_that_something_answers() -> None:
    lines = [outcome(place) for place in (1, 1, 3, 5, None)]
    shares = EvidenceShares.of([*lines, outcome(None, is_answerable=False)])
    assert shares.as_json() == {
        "n": 6,
        "first": 0.4,
        "first_3": 0.6,
        "shown": 0.8,
        "cut": 0.2,
        "nothing_fits": {"answerable": 0.0, "unanswerable": 1.0},
    }
    assert shares.share(SAID_RIGHTLY) == 1.0
    assert EvidenceShares.of([outcome(None, is_answerable=False)]).first is None


def test_words_are_found_whatever_their_case_quotation_marks_and_spaces(
    settings: Settings, tmp_path: Path
) -> None:
    path = write(
        tmp_path / "q.jsonl",
        {"question": "Who owned the mill?", "decisive": ["the  OKAFOR family"], "kind": "who"},
        {"question": "How long does the kiln need?", "decisive": ["nine hours"], "kind": "number"},
    )
    result = measured(settings, path)
    assert (result.n, result.shown, result.missing) == (2, 1.0, [])
    assert {kind: own.n for kind, own in result.kinds.items()} == {"number": 1, "who": 1}
    assert result.intervals["shown"].mean == 1.0


def test_all_of_the_words_are_needed_only_where_the_row_says_so(
    settings: Settings, tmp_path: Path
) -> None:
    row = {"question": "Who owned the mill?", "decisive": ["Okafor family", "a sawmill"]}
    assert measured(settings, write(tmp_path / "any.jsonl", row)).shown == 1.0
    result = measured(settings, write(tmp_path / "all.jsonl", {**row, "mode": "all"}))
    assert (result.shown, result.missing) == (0.0, ["a sawmill"])


def test_words_count_in_the_document_that_a_row_names(settings: Settings, tmp_path: Path) -> None:
    row = {"question": "Who owned the mill?", "decisive": ["Okafor"], "document": "mill.txt"}
    assert measured(settings, write(tmp_path / "own.jsonl", row)).shown == 1.0
    other = write(tmp_path / "other.jsonl", {**row, "document": "kiln.txt"})
    assert measured(settings, other).shown == 0.0


def test_a_question_is_asked_of_its_document_or_of_a_speakers_words(
    settings: Settings, tmp_path: Path
) -> None:
    row = {"question": "What about the mill?", "decisive": ["Friday"], "document": "kiln.txt"}
    path = write(tmp_path / "q.jsonl", row)
    assert measured(settings, path, Scope.DOCUMENT).shown == 1.0
    of_ben = write(tmp_path / "ben.jsonl", {**row, "decisive": ["rye"], "document": "mill.txt"})
    assert measured(settings, of_ben).shown == 1.0
    of_ben = write(
        tmp_path / "ben.jsonl", {"question": "What?", "decisive": ["rye"]} | {"speaker": "Ben"}
    )
    assert measured(settings, of_ben).shown == 0.0


def test_turns_do_in_place_of_words(settings: Settings, tmp_path: Path) -> None:
    turns = [{"document": "mill.txt", "first": 2, "last": 2}]
    path = write(tmp_path / "q.jsonl", {"question": "Who owned the mill?", "turns": turns})
    assert measured(settings, path).shown == 1.0


@pytest.mark.parametrize(
    ("shown", "is_so"),
    [
        ("It stood by the mill until the flood of", True),
        ("of nineteen thirty-one took it away.", True),
        ("The flood of nineteen thirty-one took it.", False),
        ("Nothing of the kind.", False),
    ],
)
def test_words_are_cut_where_what_is_shown_ends_amid_them(shown: str, is_so: bool) -> None:
    assert is_cut(["the flood of nineteen thirty-one"], shown) is is_so


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"question": "Who?"}, "'decisive' is missing"),
        ({"question": "Who?", "decisive": ["Ann"], "unanswerable": True}, "keep one of the two"),
        ({"question": "Who?", "decisive": ["Ann"], "mode": "most"}, "must be any or all"),
        ({"question": "Who?", "decisive": "Ann"}, "a list"),
        ({"question": "Who?", "decisive": ["Ann"], "speaker": 3}, "'speaker'"),
        ({"question": " ", "decisive": ["Ann"]}, "'question'"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(
    row: dict[str, Any], words: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "q.jsonl", {"question": "Fine?", "unanswerable": True}, row)
    with pytest.raises(LoadError, match=words) as caught:
        load_evidence_questions(path)
    assert "line 2" in str(caught.value)


def test_a_document_or_speaker_that_is_not_there_is_named(
    settings: Settings, tmp_path: Path
) -> None:
    row = {"question": "Who?", "decisive": ["rye"]}
    path = write(tmp_path / "q.jsonl", {**row, "document": "barn.txt"})
    with pytest.raises(LoadError, match=r"barn\.txt"):
        measured(settings, path)
    with pytest.raises(LoadError, match="--scope document"):
        measured(settings, write(tmp_path / "q.jsonl", row), Scope.DOCUMENT)
    with pytest.raises(UsageError, match="Zoe"):
        measured(settings, write(tmp_path / "q.jsonl", {**row, "speaker": "Zoe"}))


def test_the_command_prints_shares_and_a_report(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dynagrag.wiring.make_embedder", lambda *_: FakeEmbedder())
    path = write(
        tmp_path / "q.jsonl",
        {"question": "Who owned the mill?", "decisive": ["Okafor family"]},
        {"question": "Who flew to Mars?", "unanswerable": True},
    )
    command = ["evaluate", "evidence", "-w", "talks", "--questions", str(path)]
    printed = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert list(printed)[:6] == ["n", "first", "first_3", "shown", "cut", "nothing_fits"]
    assert (printed["n"], printed["shown"], printed["cut"]) == (2, 1.0, 0.0)
    assert set(printed["nothing_fits"]) == {"answerable", "unanswerable"}
    shown = CliRunner().invoke(app, command).stdout
    assert "Questions whose words aren't first" not in shown
    assert "2 questions, of which 1 have an answer" in shown
    assert "can't be told with this embedder" in shown


def test_the_command_names_the_questions_that_fail_and_what_came_first(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dynagrag.wiring.make_embedder", lambda *_: FakeEmbedder())
    rows = [{"question": f"Who owned mill {n}?", "decisive": ["a sawmill"]} for n in range(12)]
    path = write(tmp_path / "q.jsonl", *rows, {"question": "Who?", "decisive": ["family did"]})
    command = ["evaluate", "evidence", "-w", "talks", "--questions", str(path)]
    lines = CliRunner().invoke(app, command).stdout.splitlines()
    at = lines.index("Questions whose words aren't first:")
    assert lines[at + 1] == "  Who owned mill 0?: not shown"
    assert lines[at + 2].startswith("    shown first: ")
    assert lines[at + 21].startswith("  ... and ")
    late = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)["late"]
    assert len(late) >= 12
    assert late[0]["question"] == "Who owned mill 0?"
    assert late[0]["place"] is None
    assert late[0]["first"]


def test_questions_of_which_it_was_wrongly_said_that_nothing_fits_are_named(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dynagrag.wiring.make_embedder", lambda *_: FakeEmbedder())
    best_lines = "dynagrag.generation.evidence_sentences.best_lines"
    monkeypatch.setattr(f"{best_lines}.answerable", lambda *_: 0.1)
    wrong = {"question": "Which heron nests in Oslo?", "decisive": ["Okafor family"]}
    right = {"question": "Which comet passed Saturn?", "unanswerable": True}
    path = write(tmp_path / "q.jsonl", wrong, right)
    command = ["evaluate", "evidence", "-w", "talks", "--questions", str(path)]
    lines = CliRunner().invoke(app, command).stdout.splitlines()
    at = lines.index("Questions of which it was said wrongly that nothing fits:")
    assert lines[at + 1].startswith("  Which heron nests in Oslo?: ")
    assert not any("Which comet" in line for line in lines[at:])
    named = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)["said_wrongly"]
    assert [row["question"] for row in named] == ["Which heron nests in Oslo?"]
