"""What is wrong with a question that a model wrote: each fault on its own, and the longest run
against a slower way to find it.
"""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spoken import spoken

from dynagrag.evaluation.questions.drafts import SplitSayings
from dynagrag.evaluation.questions.made_question import QuestionKind, Split
from dynagrag.evaluation.questions.question_checks import (
    AskedBefore,
    answer_fault,
    holds_answer,
    known_lines,
    longest_run,
    question_fault,
)
from dynagrag.evaluation.questions.question_writing import Request, WrittenReply, requests
from dynagrag.evaluation.questions.sayings import Sayings

GOOD = "Which device shut because of a drop in the tanks?"


def request(kind: QuestionKind, *words: str) -> Request:
    """The first request of a kind whose lines hold these words."""
    sayings = Sayings(spoken())
    evidence = SplitSayings(sayings, dict.fromkeys(sayings.documents, Split.TRAIN))
    for found in requests(evidence, kind, 0):
        text = " ".join(line.quote for line in found.shown.values())
        if all(word in text for word in words):
            return found
    raise AssertionError(f"no request of {kind} shows {words}")


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        (GOOD, None),
        ("Tell me which device shut.", "is no question"),
        ("Why?", "is no question"),
        (f"{' '.join(['why'] * 50)}?", "is no question"),
        ("What does the excerpt say of the tanks?", "speaks of the lines"),
        ("What shut according to E2 in the tanks?", "speaks of the lines"),
        (
            "Which low pressures in the tanks closed the Helium valve of the Odyssey?",
            "copied from one line",
        ),
        ("Who said that low pressures in the tanks?", "copied from one line"),
    ],
)
def test_a_question_of_its_own_words_that_stands_alone_passes(
    question: str, fault: str | None
) -> None:
    found = question_fault(request(QuestionKind.SPECIFIC, "Low pressures"), question)
    assert found is None if fault is None else fault in (found or "")


def test_a_question_of_two_hops_does_not_name_what_it_describes() -> None:
    both = request(QuestionKind.TWO_HOP, "53 amps", "serial number")
    assert (
        question_fault(both, "What should be read from the craft whose current fell by 53 amps?")
        is None
    )
    assert "names the thing" in (
        question_fault(both, "What should be read from the Odyssey?") or ""
    )


@pytest.mark.parametrize(
    ("kind", "changes", "labels", "fault"),
    [
        (QuestionKind.SPECIFIC, {}, ["E1"], None),
        (QuestionKind.SPECIFIC, {"answer": " "}, ["E1"], "has no answer"),
        (QuestionKind.SPECIFIC, {"statement": ""}, ["E1"], "has no answer"),
        (QuestionKind.SPECIFIC, {"answer": "a drop in the tanks"}, ["E1"], "holds its answer"),
        (QuestionKind.SPECIFIC, {}, ["E9", "the first"], "names no line"),
        (QuestionKind.TWO_HOP, {}, ["E1"], "one passage"),
        (QuestionKind.THEMATIC, {}, ["E1", "[e1]"], "one passage"),
        (QuestionKind.COMPARISON, {}, ["E1"], "one speaker"),
        (QuestionKind.COMPARISON, {}, ["E1", "E2"], None),
    ],
)
def test_an_answer_is_there_is_not_given_away_and_rests_on_enough(
    kind: QuestionKind, changes: dict[str, str], labels: list[str], fault: str | None
) -> None:
    asked = request(kind)
    reply = WrittenReply(
        question=GOOD,
        answer="the Helium valve",
        statement="It closed the Helium valve.",
        lines=labels,
    )
    found = answer_fault(asked, reply.model_copy(update=changes), known_lines(labels, asked.shown))
    assert found is None if fault is None else fault in (found or "")


def test_the_same_question_in_nearly_the_same_words_is_asked_once() -> None:
    asked = AskedBefore()
    assert asked.is_new("Which valve closed in the tanks of the Odyssey?")
    assert not asked.is_new("which valve CLOSED in the tanks of the Odyssey")
    assert not asked.is_new("In the tanks of the Odyssey, which valve closed?")
    assert asked.is_new("Who photographed the comet through the window?")


@pytest.mark.parametrize(
    ("text", "answer", "share", "is_held"),
    [
        ("The Helium valve closed.", "helium valves", 0.5, True),
        ("The tank closed.", "helium valve", 0.5, False),
        ("A valve closed.", "helium valve", 0.5, True),
        ("Yes, it did.", "yes", 0.5, True),
        ("It did not.", "yes", 0.5, False),
    ],
)
def test_an_answer_is_held_by_its_content_words(
    text: str, answer: str, share: float, is_held: bool
) -> None:
    assert holds_answer(text, answer, share) == is_held


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_the_longest_run_is_that_of_all_stretches(first: list[str], second: list[str]) -> None:
    stretches = {tuple(second[a:b]) for a, b in combinations(range(len(second) + 1), 2)}
    slow = max(
        (
            b - a
            for a, b in combinations(range(len(first) + 1), 2)
            if tuple(first[a:b]) in stretches
        ),
        default=0,
    )
    assert longest_run(first, second) == slow == longest_run(second, first)
