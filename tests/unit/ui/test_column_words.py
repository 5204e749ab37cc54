"""The words below the tables of the page Evaluate are those of the reports, and every column that
needs one has one.
"""

import pytest

from dynagrag.evaluation.judge.judge_report import WORDS as JUDGED_WORDS
from dynagrag.evaluation.qa.answer_scores import MEASURES
from dynagrag.evaluation.qa.qa_report import TITLES, WORDS
from dynagrag.ui.evaluate.column_words import explained
from dynagrag.ui.evaluate.kept_runs import (
    CALIBRATION,
    JUDGED,
)


def names(kind: str, *columns: str) -> set[str]:
    return {name for joined, _ in explained(kind, columns) for name in joined.split(", ")}


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        (
            JUDGED,
            (
                "total",
                "95 %",
                "against naive",
                "holds",
                "clarity",
                "ethics",
                "graded",
                "unreadable",
                "by flips",
                "cut off",
            ),
        ),
        (
            JUDGED,
            (
                "stated claims",
                "words",
                "citations",
                "context tokens",
                "all tokens",
                "calls",
                "seconds",
            ),
        ),
        (CALIBRATION, ("95 %", "kappa", "reliable", "flips", "ties", "unreadable")),
    ],
)
def test_every_column_has_its_word(kind: str, columns: tuple[str, ...]) -> None:
    assert names(kind, *columns) == set(columns)


def test_columns_are_told_in_the_words_of_the_report_and_those_of_one_meaning_once() -> None:
    assert explained(JUDGED, ["Arm", "same as baseline, %", "won"]) == [
        ("same as baseline, %", JUDGED_WORDS["same as baseline"])
    ]
    assert explained("another kind", ["recall@2"]) == []


def test_the_report_of_answers_has_a_word_for_every_measure() -> None:
    assert {TITLES[name] for name in MEASURES} <= set(WORDS)
