"""Scorers of GraphQA: the papers' with their known faults, and a strict one without them."""

import pytest

from dynagrag.evaluation.graphqa.graph_scorers import label_of, score_label, score_list


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
    assert (label_of(answer, "paper_compat"), label_of(answer, "strict")) == (compat, strict)


def test_a_label_is_right_or_not_and_none_is_unparsable() -> None:
    assert score_label("Support", "support", "paper_compat") == {"accuracy": 1.0, "unparsable": 0.0}
    assert score_label("Support", "counter", "strict") == {"accuracy": 0.0, "unparsable": 0.0}
    assert score_label("yes", "support", "strict") == {"accuracy": 0.0, "unparsable": 1.0}


def test_the_papers_scorer_keeps_its_faults() -> None:
    three = score_list("a1, b2, c3", ["a1", "b2", "c3"], "paper_compat")
    assert (three["precision"], three["f1"]) == (3.0, 1.5)
    assert score_list("russia", ["us"], "paper_compat")["hit"] == 1.0
    assert score_list("anything", ["the"], "paper_compat")["hit"] == 1.0, "an answer of articles alone is in everything"
    assert score_list("paris\n", ["paris"], "paper_compat")["precision"] == 0.5, "the end of a line begins another"
    assert score_list("beyoncé", ["beyonce"], "paper_compat")["hit"] == 0.0
    assert score_list("new york", ["new-york"], "paper_compat")["hit"] == 0.0
    assert score_list("x|paris", ["paris"], "paper_compat") | {"hits@1": 0.0} == score_list("x|paris", ["paris"], "paper_compat")


def test_the_strict_scorer_takes_whole_items_each_once() -> None:
    found = score_list("Beyoncé | russia; the Beatles, the Beatles", ["beyonce", "us", "Beatles"], "strict")
    assert found["hit"] == found["hits@1"] == 1.0
    assert found["precision"] == found["recall"] == pytest.approx(2 / 3)
    assert score_list("russia", ["us"], "strict")["hit"] == 0.0
    assert score_list("anything", ["the"], "strict")["hit"] == 0.0
    assert score_list("paris\n", ["Paris."], "strict")["f1"] == 1.0
    assert score_list("x\nparis", ["paris"], "strict")["hits@1"] == 0.0
    assert score_list(" ", ["paris"], "strict")["unparsable"] == 1.0
