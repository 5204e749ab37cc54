"""Scorers of GraphQA: the papers' with their known faults, and a strict one without them."""

import pytest

from dynagrag.evaluation.graphqa.graph_question import AnswerForm
from dynagrag.evaluation.graphqa.graph_scorers import (
    Scorer,
    label_of,
    score,
    score_label,
    score_list,
    score_short,
)


@pytest.mark.parametrize(
    ("answer", "compat", "strict"),
    [
        ("support", "support", "support"),
        ("Counter.", "counter", "counter"),
        ("SUPPORT", None, "support"),
        ("unsupported; counter", "support", "counter"),
        ("They counter each other, they don't support", "counter", None),
        ("supports", "support", "support"),
        ("", None, None),
        ("encounter", "counter", None),
    ],
)
def test_labels(answer: str, compat: str | None, strict: str | None) -> None:
    assert (label_of(answer, Scorer.PAPER_COMPAT), label_of(answer, Scorer.STRICT)) == (
        compat,
        strict,
    )


def test_a_label_is_right_or_not_and_none_is_unparsable() -> None:
    assert score_label("Support", "support", Scorer.PAPER_COMPAT) == {
        "accuracy": 1.0,
        "unparsable": 0.0,
    }
    assert score_label("Support", "counter", Scorer.STRICT) == {"accuracy": 0.0, "unparsable": 0.0}
    assert score_label("yes", "support", Scorer.STRICT) == {"accuracy": 0.0, "unparsable": 1.0}


def test_the_papers_scorer_keeps_its_faults() -> None:
    three = score_list("a1, b2, c3", ["a1", "b2", "c3"], Scorer.PAPER_COMPAT)
    assert (three["precision"], three["f1"]) == (3.0, 1.5)
    assert score_list("russia", ["us"], Scorer.PAPER_COMPAT)["hit"] == 1.0
    assert score_list("anything", ["the"], Scorer.PAPER_COMPAT)["hit"] == 1.0, (
        "an answer of articles alone is in everything"
    )
    assert score_list("paris\n", ["paris"], Scorer.PAPER_COMPAT)["precision"] == 0.5, (
        "the end of a line begins another"
    )
    assert score_list("beyoncé", ["beyonce"], Scorer.PAPER_COMPAT)["hit"] == 0.0
    assert score_list("new york", ["new-york"], Scorer.PAPER_COMPAT)["hit"] == 0.0
    assert score_list("x|paris", ["paris"], Scorer.PAPER_COMPAT) | {"hits@1": 0.0} == score_list(
        "x|paris", ["paris"], Scorer.PAPER_COMPAT
    )


def test_the_strict_scorer_takes_whole_items_each_once() -> None:
    found = score_list(
        "Beyoncé | russia; the Beatles, the Beatles", ["beyonce", "us", "Beatles"], Scorer.STRICT
    )
    assert found["hit"] == found["hits@1"] == 1.0
    assert found["precision"] == found["recall"] == pytest.approx(2 / 3)
    assert score_list("russia", ["us"], Scorer.STRICT)["hit"] == 0.0
    assert score_list("anything", ["the"], Scorer.STRICT)["hit"] == 0.0
    assert score_list("paris\n", ["Paris."], Scorer.STRICT)["f1"] == 1.0
    assert score_list("x\nparis", ["paris"], Scorer.STRICT)["hits@1"] == 0.0
    assert score_list(" ", ["paris"], Scorer.STRICT)["unparsable"] == 1.0


@pytest.mark.parametrize(
    ("answer", "gold", "hit", "first", "precision", "recall"),
    [
        ("Washington, D.C.", ["Washington, D.C."], 1, 1, 1, 1),
        ("Washington, D.C.; Paris", ["Washington DC"], 1, 1, 1 / 2, 1),
        ("Portland, Oregon, Salem", ["Portland, Oregon"], 1, 1, 1 / 2, 1),
        ("a1, b2 and c3", ["a1", "b2", "c3"], 1, 1, 1, 2 / 3),
        ("a1, b2, and c3", ["a1", "b2", "c3"], 1, 1, 1, 1),
        ("The capital is Paris.", ["Paris"], 1, 1, 1, 1),
        ("russia", ["us"], 0, 0, 0, 0),
        ("the U.S.", ["US"], 1, 1, 1, 1),
        ("new york", ["new-york"], 1, 1, 1, 1),
        ("Paris is Paris", ["Paris", "paris"], 1, 1, 1, 1),
        ("Paris, Texas and Paris", ["Paris"], 1, 1, 1 / 2, 1),
        ("1,000; October 4, 1957", ["1000", "October 4, 1957"], 1, 1, 1, 1),
        ("1. x\n2. Rome", ["Rome"], 1, 0, 1 / 2, 1),
        ("Rome and Oslo", ["Rome", "Oslo"], 1, 1, 1, 1 / 2),
        ("Sammy Davis, Jr., Dean", ["Sammy Davis Jr."], 1, 1, 1 / 2, 1),
    ],
)
def test_strict_items(
    answer: str, gold: list[str], hit: float, first: float, precision: float, recall: float
) -> None:
    found = score_list(answer, gold, Scorer.STRICT)
    assert (found["hit"], found["hits@1"], found["precision"], found["recall"]) == pytest.approx(
        (hit, first, precision, recall)
    )


def test_commas_in_names_of_the_graph_part_no_items() -> None:
    asked = "Portland, Oregon, Salem", ["Salem"]
    assert score_list(*asked, Scorer.STRICT)["precision"] == pytest.approx(1 / 3)
    assert score_list(*asked, Scorer.STRICT, ["Portland, Oregon"])["precision"] == pytest.approx(
        1 / 2
    )


def test_an_item_that_fits_two_answers_counts_for_the_one_that_nothing_else_fits() -> None:
    found = score_list("New York City; New York", ["New York", "York City"], Scorer.STRICT)
    assert (found["precision"], found["recall"], found["f1"]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("answer", "label", "compat", "strict"),
    [
        ("yes", "yes", 1, 1),
        ("Yes, it is", "yes", 0, 1),
        ("yes or no", "yes", 1, 0),
        ("eyes", "yes", 1, 0),
        ("a red car", "red", 1, 1),
        ("dog, cat", "cat", 1, 0),
        ("on the left", "left", 1, 1),
        ("left, right", "left", 1, 0),
    ],
)
def test_a_short_answer(answer: str, label: str, compat: float, strict: float) -> None:
    assert score_short(answer, label, Scorer.PAPER_COMPAT)["accuracy"] == compat
    assert score_short(answer, label, Scorer.STRICT)["accuracy"] == strict


def test_a_form_has_its_own_measures() -> None:
    assert set(score(AnswerForm.LABEL, "x", ("support",), Scorer.STRICT)) == {
        "accuracy",
        "unparsable",
    }
    assert score(AnswerForm.SHORT, " ", ("red",), Scorer.STRICT) == {
        "accuracy": 0.0,
        "unparsable": 1.0,
    }
    assert set(score(AnswerForm.LIST, "x", ("red",), Scorer.STRICT)) == {
        "hit",
        "hits@1",
        "f1",
        "precision",
        "recall",
        "unparsable",
    }
