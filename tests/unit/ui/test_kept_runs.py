"""The runs that the page Evaluate lists: a damaged one is told with its reason, and takes nothing
from the others.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import LoadError
from dynagrag.core.schema import ClaimCheck, Verdict
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.citations.citation_report import CheckLine, CitationRun
from dynagrag.evaluation.frame.experiment_run import UnknownRun
from dynagrag.evaluation.qa.known_question import KnownQuestion
from dynagrag.evaluation.qa.qa_report import QaResult, QaRun
from dynagrag.evaluation.retrieval.retrieval_report import (
    RetrievalLine,
    RetrievalResult,
    RetrievalRun,
)
from dynagrag.evaluation.retrieval.retrieval_scores import ScopeFigures
from dynagrag.ui.evaluate.kept_runs import kept_runs, view_of
from dynagrag.ui.evaluate.worst_questions import worst_questions

SETTINGS = {
    "arms": ["default", "naive"],
    "questions": 2,
    "scopes": ["corpus"],
    "files": {"q.jsonl": "0"},
    "workspace": "w",
}
QA = {"evaluates": "qa"} | SETTINGS


@pytest.mark.parametrize(
    "damage",
    [
        {"questions": "many"},
        {"arms": 5},
        {"arms": [{}]},
        {"files": 7},
        {"scopes": 3},
        {"samples": []},
        {"workspace": {}},
    ],
)
def test_a_damaged_run_is_told_and_the_others_are_listed(
    damage: dict[str, Any], tmp_path: Path
) -> None:
    runs = tmp_path / "evaluation" / "runs"
    QaRun.open(runs / "good", QA, {})
    QaRun.open(runs / "bad", QA | damage, {})
    views, unreadable = kept_runs(load_settings(home=tmp_path))
    assert [(view.name, view.arms, view.how_far()) for view in views] == [
        ("good", ("default", "naive"), "0 of 4 answers")
    ]
    assert list(unreadable) == ["bad"]
    assert repr(next(iter(damage)))[:-1] in unreadable["bad"]


def test_a_run_of_another_kind_is_listed_whatever_its_settings_are(tmp_path: Path) -> None:
    foreign = {"evaluates": "shouts", "files": ["a", "b"], "questions": "12", "samples": 0.5}
    UnknownRun.open(tmp_path / "evaluation" / "runs" / "run", foreign | {"arms": 5}, {}, 24)
    (view,), unreadable = kept_runs(load_settings(home=tmp_path))
    assert (view.what, view.asked_of, view.arms, view.how_far()) == ("shouts", "a, b", (), "")
    assert not unreadable


@pytest.mark.parametrize(("num_lines", "wanted"), [(4, "1 of 4 lines"), (0, "")])
def test_a_stopped_run_of_any_kind_says_how_far_it_is(
    num_lines: int, wanted: str, tmp_path: Path
) -> None:
    run = CitationRun.open(tmp_path / "run", {"evaluates": "citations"}, {}, num_lines)
    run.file.append([CheckLine.of("rules", "a", ClaimCheck(Verdict.STATED), 1.0)])
    assert view_of(run.path).how_far() == wanted


def test_answers_that_were_lost_are_said(tmp_path: Path) -> None:
    run = QaRun.open(tmp_path / "run", QA, {})
    run.file.append(
        [
            AnswerLine(scope="corpus", question=q, text="Who?", arm=arm, answer="A")
            for q in "ab"
            for arm in SETTINGS["arms"]
        ]
    )
    arms: dict[str, dict[str, float]] = {"default": {}, "naive": {}}
    run.write_rows("golds.jsonl", [KnownQuestion(id=q, text="Who?") for q in "ab"])
    run.keep_result(
        QaResult(dataset="own", questions=2, measure="f1", baseline="naive", arms=arms, costs=arms)
    )
    assert len(worst_questions(view_of(run.path), "default", 5)) == 2
    lines = run.path / "answers.jsonl"
    lines.write_bytes(b"".join(lines.read_bytes().splitlines(keepends=True)[:2]))
    with pytest.raises(LoadError, match=r"lacks lines; delete its summary\.json"):
        worst_questions(view_of(run.path), "default", 5)


@pytest.mark.parametrize("num", [0, 1, 3])
def test_rankings_that_were_lost_are_said(num: int, tmp_path: Path) -> None:
    run = RetrievalRun.open(tmp_path / "run", SETTINGS, {})
    line = {
        "scope": "corpus",
        "text": "Who?",
        "passages": (),
        "gold": (),
        "measures": {"recall@5": 1.0},
        "recall": (),
        "ms": 1.0,
    }
    run.file.append(
        [RetrievalLine(question=q, arm=arm, **line) for q in "ab" for arm in SETTINGS["arms"]]
    )
    arms: dict[str, dict[str, float]] = {"default": {}, "naive": {}}
    run.keep_result(
        RetrievalResult(
            dataset="own",
            questions=2,
            passages=0,
            measure="recall@5",
            baseline="naive",
            arms=arms,
            scopes={"corpus": ScopeFigures(questions=2, arms=arms)},
        )
    )
    assert len(worst_questions(view_of(run.path), "default", 5)) == 2
    lines = run.path / "questions.jsonl"
    lines.write_bytes(b"".join(lines.read_bytes().splitlines(keepends=True)[:num]))
    with pytest.raises(LoadError, match="lacks lines"):
        worst_questions(view_of(run.path), "default", 5)
    assert json.loads((run.path / "summary.json").read_text())["measure"] == "recall@5"
