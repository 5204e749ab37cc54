"""Measures of answers: cases counted by hand, and the values of the reference implementations
(torchmetrics' SQuAD, rouge-score).
"""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.evaluation.answers.answer_line import AnswerLine, CitedSpan, VerdictClaims
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.report import cell_text
from dynagrag.evaluation.qa.answer_scores import (
    WantedAnswer,
    contains,
    exact_match,
    is_short,
    normalized,
    rouge_l,
    score,
    word_f1,
    word_recall,
)
from dynagrag.evaluation.qa.known_question import KnownQuestion
from dynagrag.evaluation.qa.qa_report import (
    QaResult,
    QaRun,
    abstention_cells,
    cells,
    held_line,
)
from dynagrag.evaluation.qa.qa_summary import AnswerFigures, differences, qa_summary
from dynagrag.evaluation.question_sets.question_set import GoldAnswer

REFERENCE = json.loads(
    (Path(__file__).parent / "reference_scores.json").read_text(encoding="utf-8")
)
NOBODY = GoldAnswer(is_answerable=False)


def line(question: str = "q", arm: str = "a", **more: Any) -> AnswerLine:
    return AnswerLine(scope="corpus", question=question, text="Who?", arm=arm, **more)


# --------------------------------------------------------------------------------------- references


@pytest.mark.parametrize(("said", "wanted", "exact", "f1"), REFERENCE["squad"])
def test_exact_match_and_f1_are_those_of_squad(
    said: str, wanted: str, exact: float, f1: float
) -> None:
    if normalized(
        wanted
    ):  # where nothing of it is left, SQuAD gives all to an answer of which nothing is left either
        assert exact_match(said, wanted) == exact
        assert word_f1(said, wanted) == pytest.approx(f1, abs=1e-5)


@pytest.mark.parametrize("wanted", ["A", "...", "the"])
def test_nothing_said_is_never_right(wanted: str) -> None:
    for said in ("", " ", "an", "!"):
        assert exact_match(said, wanted) == word_f1(said, wanted) == contains(said, wanted) == 0
    assert exact_match(wanted, wanted) == word_f1(wanted, wanted) == contains(wanted, wanted) == 1
    for cut_short in (
        line(is_abstained=True, answer="", short=""),
        line(is_cut_off=True, answer="It is", short=""),
    ):
        found = score(cut_short, WantedAnswer(GoldAnswer((wanted,))))
        assert (found["em"], found["f1"]) == (0, 0)


def test_an_answer_of_one_letter_is_compared_without_its_full_stop() -> None:
    assert (exact_match("a.", "A"), exact_match("B", "A"), word_f1("A", "The")) == (1, 0, 0)


def test_rouge_l_knows_words_of_every_script() -> None:
    assert rouge_l("Экипаж вернулся домой.", "экипаж вернулся домой") == 1
    assert rouge_l("Экипаж вернулся", "Экипаж вернулся домой завтра") == pytest.approx(2 * 2 / 6)
    assert rouge_l("Crème brûlée", "creme brulee") == 0
    assert rouge_l("snake_case", "snake case") == 1, "as rouge-score has it"


@pytest.mark.parametrize(("said", "wanted", "expected"), REFERENCE["rouge_l"])
def test_rouge_l_is_that_of_rouge_score(said: str, wanted: str, expected: float) -> None:
    assert rouge_l(said, wanted) == pytest.approx(expected, abs=1e-5)


_texts = st.text(alphabet="ab the,. ", max_size=30)


@given(_texts, _texts)
def test_measures_lie_between_0_and_1_and_the_same_words_get_all(said: str, wanted: str) -> None:
    for measure in (exact_match, word_f1, contains, word_recall, rouge_l):
        assert 0 <= measure(said, wanted) <= 1
    assert exact_match(said, said) == word_f1(said, said) == float(bool(said.strip()))
    assert exact_match(said, wanted) <= word_f1(said, wanted)
    if normalized(wanted):
        assert not normalized(said) or word_f1(said, wanted) == pytest.approx(word_f1(wanted, said))
        assert contains(wanted, wanted) == word_recall(wanted, wanted) == 1
        assert contains(said, wanted) <= word_recall(said, wanted) or normalized(wanted) in (
            "yes",
            "no",
        )


# ------------------------------------------------------------------------------------------ by hand


@pytest.mark.parametrize(
    ("said", "wanted", "expected"),
    [
        ("It lies in the Victoria Falls region.", "Victoria Falls", 1),
        ("It lies at Victoria and Falls.", "Victoria Falls", 0),
        ("Newcastle", "new", 0),
        ("The U.S.A., I think", "USA", 1),
        ("Yes, both do.", "yes", 1),
        ("Both do, yes.", "yes", 0),
        ("There is no sign of it.", "no", 0),
        ("No.", "no", 1),
        ("", "Paris", 0),
        ("Anything", "The", 0),
    ],
)
def test_the_right_words_stand_in_an_answer_whole_and_in_order(
    said: str, wanted: str, expected: float
) -> None:
    assert contains(said, wanted) == expected


def test_recall_counts_each_wanted_word_as_often_as_it_is_wanted() -> None:
    assert (
        word_recall("The pump failed.", "a pump and a pump failed") == 2 / 4
    )  # pump, and, pump, failed
    assert word_recall("pump pump pump", "a pump and a pump failed") == 2 / 4


def test_short_answers_are_compared_in_a_few_words_and_the_best_alias_counts() -> None:
    wanted = WantedAnswer(GoldAnswer(("Sir Francis Baring, 1st Baronet", "Francis Baring")))
    found = score(
        line(plain="He was the son of Francis Baring, a banker.", short="Sir Francis Baring"),
        wanted,
    )
    assert found["em"] == 0
    assert found["f1"] == pytest.approx(2 * 2 / (3 + 2))
    assert found["answer_recall"] == 1
    assert "rouge_l" not in found


def test_without_a_short_form_there_is_neither_exact_match_nor_f1() -> None:
    assert set(score(line(plain="Delft"), WantedAnswer(GoldAnswer(("Delft",))))) == {
        "answer_recall",
        "abstained",
    }


def test_long_answers_are_compared_whole() -> None:
    long = " ".join(f"w{i}" for i in range(20))
    assert not is_short(GoldAnswer((long,)))
    found = score(
        line(plain=" ".join(f"w{i}" for i in range(10)), short="w1"),
        WantedAnswer(GoldAnswer((long, f"{long} x"))),
    )
    assert found == pytest.approx({"rouge_l": 2 * 10 / 30, "answer_recall": 0.5, "abstained": 0})


def test_an_abstention_has_said_nothing() -> None:
    wanted = WantedAnswer(GoldAnswer(("evidence",)))
    found = score(
        line(
            plain="The evidence found does not answer this question.", short="", is_abstained=True
        ),
        wanted,
    )
    assert found == {"em": 0, "f1": 0, "answer_recall": 0, "abstained": 1}


def test_a_failed_answer_has_no_measures_and_claims_have_shares() -> None:
    assert score(line(error="no model"), WantedAnswer(GoldAnswer(("Delft",)))) == {}
    claims = VerdictClaims(stated=("a", "b"), contradicted=("c",), not_found=("d",))
    found = score(line(plain="x", claims=claims), WantedAnswer(GoldAnswer()))
    assert found == {"abstained": 0, "stated": 0.5, "contradicted": 0.25, "not_found": 0.25}


def test_an_answer_that_was_cut_off_is_wrong() -> None:
    cut = {"error": "the reply hit its limit of 500 tokens", "is_cut_off": True}
    things = [[[("d", 0, 10)]]]
    assert score(line(**cut), WantedAnswer(GoldAnswer(("Delft",)), things)) == {
        "em": 0,
        "f1": 0,
        "answer_recall": 0,
        "citation_recall": 0,
        "abstained": 0,
    }
    assert score(line(**cut), WantedAnswer(GoldAnswer((" ".join(map(str, range(20))),)))) == {
        "rouge_l": 0,
        "answer_recall": 0,
        "abstained": 0,
    }


def test_answers_that_were_cut_off_lower_the_mean_and_are_counted_apart_from_failures() -> None:
    wanted = {f"q{i}": WantedAnswer(GoldAnswer(("x",))) for i in range(4)}
    lines = [
        line("q0", plain="x", short="x", completion_tokens=10, calls=1),
        line("q1", error="cut", is_cut_off=True, completion_tokens=500, calls=1),
        line("q2", error="no model"),
        line("q3", plain="x", short="x", completion_tokens=30, calls=1),
    ]
    found = summary(lines, wanted)
    assert (found["cut_off"], found["errors"]) == ({"a": 1}, {"a": 1})
    assert found["arms"]["a"]["f1"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["costs"]["a"]["completion_tokens"] == 180
    assert found["cut_off"]["a"] == 1


def test_citations_are_right_where_they_touch_the_gold_and_gold_is_cited_where_it_is_touched() -> (
    None
):
    things = [[[("d", 0, 10), ("d", 20, 30)]], [[("e", 0, 5)], [("f", 0, 5)]], [[("g", 0, 5)]]]
    wanted = WantedAnswer(GoldAnswer(("x",)), things, num_missing=1)
    cited = [
        ("d", 5, 15),
        ("d", 10, 20),
        ("f", 4, 9),
        ("e", 5, 9),
        ("d", 5, 15),
    ]  # right, between, right, after, the first again
    spans = tuple(CitedSpan(document=d, start=a, end=b, quote="q") for d, a, b in cited)
    found = score(line(plain="y", citations=spans), wanted)
    assert found["citation_precision"] == 2 / 4
    assert found["citation_recall"] == 2 / 4  # of three things and one that the corpus lacks
    nothing = score(line(plain="y"), wanted)
    assert nothing["citation_recall"] == 0
    assert "citation_precision" not in nothing


def test_nothing_needs_to_be_cited_where_nothing_answers() -> None:
    assert set(score(line(plain="y"), WantedAnswer(NOBODY, [[[("d", 0, 1)]]]))) == {"abstained"}


# ------------------------------------------------------------------------------------------ summary


def summary(
    lines: list[AnswerLine], wanted: dict[str, WantedAnswer], kinds: dict[str, str] | None = None
) -> dict[str, Any]:
    return figures(lines, wanted, kinds).as_json()


def figures(
    lines: list[AnswerLine], wanted: dict[str, WantedAnswer], kinds: dict[str, str] | None = None
) -> AnswerFigures:
    arms = list(dict.fromkeys(line.arm for line in lines))
    return qa_summary(lines, wanted, kinds or dict.fromkeys(wanted, ""), arms, arms[-1])


def test_abstention_is_counted_over_all_questions_and_the_rest_over_those_with_an_answer() -> None:
    wanted = {f"q{i}": WantedAnswer(GoldAnswer(("yes",)) if i < 6 else NOBODY) for i in range(10)}
    lines = [
        line(f"q{i}", plain="Yes.", short="yes", is_abstained=i in (5, 6, 7, 8)) for i in range(10)
    ]
    found = summary(lines, wanted)
    assert (found["questions"], found["unanswerable"], found["measure"]) == (10, 4, "f1")
    assert (
        found["abstention"]["a"].items()
        >= {"abstained": 4, "precision": 0.75, "recall": 0.75}.items()
    )
    assert found["counts"]["a"]["f1"] == 6
    assert found["arms"]["a"]["answer_recall"] == pytest.approx(5 / 6, abs=1e-4)
    assert found["arms"]["a"]["abstained"] == pytest.approx(1 / 6, abs=1e-4)


def test_what_is_claimed_where_nothing_answers_is_counted_apart() -> None:
    wanted = {"q0": WantedAnswer(GoldAnswer(("x",)))} | {
        f"q{i}": WantedAnswer(NOBODY) for i in (1, 2, 3)
    }
    invented = VerdictClaims(stated=("a",), contradicted=("b",), not_found=("c", "d"))
    lines = [
        line("q0", plain="x", claims=VerdictClaims(stated=("a",))),
        line("q1", plain="x", claims=invented),
        line("q2", plain="x", claims=VerdictClaims(not_found=("e",))),
        line("q3", is_abstained=True),
    ]
    found = summary(lines, wanted)
    assert found["arms"]["a"]["stated"] == 1
    own = found["abstention"]["a"]
    assert {name: own[name] for name in ("stated", "contradicted", "not_found", "claiming")} == {
        "stated": 0.125,
        "contradicted": 0.125,
        "not_found": 0.75,
        "claiming": 2,
    }
    assert texts(own) == ["1", "100.0", "33.3", "2", "12.5", "12.5", "75.0"]
    none = summary(lines[:1], {"q0": wanted["q0"]})["abstention"]["a"]
    assert texts(none) == ["0", "-", "-", "0", "-", "-", "-"]


def texts(own: dict[str, Any]) -> list[str]:
    return [cell_text(cell) for cell in abstention_cells(own)]


def test_a_mean_over_fewer_questions_says_over_how_many() -> None:
    wanted = {f"q{i}": WantedAnswer(GoldAnswer(("x",)), [[[("d", 0, 9)]]]) for i in range(3)}
    cited = (CitedSpan(document="d", start=0, end=5, quote="q"),)
    lines = [
        line("q0", plain="x", citations=cited, claims=VerdictClaims(stated=("a",))),
        line("q1", plain="x"),
        line("q2", plain="y"),
    ]
    shown = {name: cell_text(cell) for name, cell in cells(figures(lines, wanted), "a").items()}
    assert (shown["stated"], shown["citation_precision"]) == ("100.0 (1)", "100.0 (1)")
    assert (shown["answer_recall"], shown["citation_recall"]) == ("66.7", "33.3")


def test_failed_parts_of_answers_are_shown_where_there_are_any() -> None:
    wanted = {f"q{i}": WantedAnswer(GoldAnswer(("x",))) for i in range(3)}
    lines = [
        line("q0", plain="x", failed_parts=3),
        line("q1", plain="x"),
        line("q2", error="cut", is_cut_off=True),
    ]
    found = figures(lines, wanted)
    assert found.failed_parts == {"a": 1.5}
    assert cell_text(cells(found, "a")["failed_parts"]) == "1.5"
    assert "failed_parts" not in cells(figures(lines[1:], wanted), "a")
    assert line().failed_parts == 0, "lines of before it was counted"


def test_the_context_of_an_answer_that_was_cut_off_is_unknown_not_nothing() -> None:
    wanted = {f"q{i}": WantedAnswer(GoldAnswer(("x",))) for i in range(3)}
    lines = [line("q0", plain="x", context_tokens=200), line("q1", plain="x", context_tokens=300)]
    lines.append(line("q2", error="cut", is_cut_off=True, prompt_tokens=600))
    costs = summary(lines, wanted)["costs"]["a"]
    assert (costs["context_tokens"], costs["prompt_tokens"]) == (250, 200)


def test_costs_count_cached_replies_and_leave_failures_out() -> None:
    wanted = {"q0": WantedAnswer(GoldAnswer(("x",))), "q1": WantedAnswer(GoldAnswer(("x",)))}
    lines = [
        line("q0", plain="x", calls=1, cached=2, prompt_tokens=30, seconds=2.0),
        line("q1", error="no", calls=9),
        line("q0", "b", plain="x"),
        line("q1", "b", plain="x", calls=5),
    ]
    found = summary(lines, wanted)
    assert found["costs"]["a"] == {
        "context_tokens": 0,
        "prompt_tokens": 30,
        "completion_tokens": 0,
        "calls": 3,
        "seconds": 2,
    }
    assert found["costs"]["b"]["calls"] == 2.5
    assert found["errors"] == {"a": 1, "b": 0}
    assert found["differences"]["a"]["answer_recall"]["questions"] == 1


def test_differences_are_over_the_questions_that_both_have() -> None:
    new = {"q0": {"f1": 1.0}, "q1": {"f1": 0.5}, "q2": {"em": 1.0}, "none": {"f1": 0.0}}
    old = {"q0": {"f1": 0.0}, "q1": {"f1": 0.5, "em": 0.0}, "none": {"f1": 1.0}}
    found = differences(new, old, ["q0", "q1", "q2"])
    assert list(found) == ["f1"]
    assert (found["f1"].difference, found["f1"].questions) == (50.0, 2)


def test_a_better_arm_has_an_interval_above_nothing_and_an_equal_one_has_not() -> None:
    rng = random.Random(1)
    hard = [rng.random() for _ in range(100)]
    old = {f"q{i}": {"f1": float(rng.random() > h)} for i, h in enumerate(hard)}
    better = {q: {"f1": max(own["f1"], float(rng.random() < 0.3))} for q, own in old.items()}
    equal = {f"q{i}": {"f1": float(rng.random() > h)} for i, h in enumerate(hard)}
    assert differences(better, old, old)["f1"].low > 0
    assert differences(equal, old, old)["f1"].low < 0 < differences(equal, old, old)["f1"].high


def test_kinds_are_shown_where_there_are_several() -> None:
    wanted = {"q0": WantedAnswer(GoldAnswer(("x",))), "q1": WantedAnswer(NOBODY)}
    lines = [line("q0", plain="x"), line("q1", plain="x")]
    assert summary(lines, wanted)["kinds"] == {}
    found = summary(lines, wanted, {"q0": "specific", "q1": "none"})["kinds"]
    assert found["specific"] == {
        "questions": 1,
        "arms": {"a": {"answer_recall": 1, "abstained": 0}},
    }
    assert found["none"]["arms"]["a"] == {}


def test_of_several_arms_the_report_says_which_differ_after_the_correction() -> None:
    ids = [f"q{i}" for i in range(12)]
    right = {"good": 12, "same": 0, "naive": 0}
    lines = [
        line(q, arm, plain="It was Ada.", short="Ada" if i < num else "Bob")
        for arm, num in right.items()
        for i, q in enumerate(ids)
    ]
    found = figures(lines, {q: WantedAnswer(GoldAnswer(("Ada",))) for q in ids})
    assert {arm: own["f1"].holds for arm, own in found.differences.items()} == {
        "good": True,
        "same": False,
    }
    assert (
        held_line(found)
        == "of 2 comparisons with naive by F1, 1 holds after Holm's correction: good"
    )
    em = found.as_json()["differences"]["good"]["em"]
    assert list(em) == ["difference", "low", "high", "questions"], "a run is judged by one measure"
    two = figures(
        [one for one in lines if one.arm != "same"],
        {q: WantedAnswer(GoldAnswer(("Ada",))) for q in ids},
    )
    assert held_line(two) == ""


def test_a_summary_of_before_is_read(tmp_path: Path) -> None:
    """One without `format`, cut-off answers, failed parts and what holds among several arms."""
    wanted = {f"q{i}": WantedAnswer(GoldAnswer(("x",))) for i in range(3)}
    lines = [line(q, arm, plain="x") for q in wanted for arm in ("a", "naive")]
    run = QaRun.open(tmp_path / "run", {"evaluates": "qa"}, {})
    run.file.append(lines)
    result = QaResult(**dict(figures(lines, wanted)), dataset="d", run=str(run.path))
    assert list(result.as_json())[:6] == [
        "dataset",
        "half",
        "scope",
        "passages",
        "llm",
        "questions",
    ]
    run.write_rows("golds.jsonl", [KnownQuestion(id=q, text="?", answers=("x",)) for q in wanted])
    run.keep_result(result)
    old = json.loads(run.summary_file.read_text(encoding="utf-8"))
    for name in ("format", "cut_off", "failed_parts"):
        del old[name]
    for own in old["differences"]["a"].values():
        own.pop("holds", None)
    run.summary_file.write_text(json.dumps(old), encoding="utf-8")
    assert run.result().arms == result.arms
    assert "a: answer recall 100.0, the same as naive" in render(run.report(), run.head)
