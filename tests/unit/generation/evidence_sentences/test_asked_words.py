"""Verbs of saying ask for somebody's own words, and are no words to look for."""

import pytest

from dynagrag.core.schema import MINILM_SCALE
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.asked_words import (
    asks_for_all_words,
    without_verbs_of_saying,
)
from dynagrag.generation.evidence_sentences.best_lines import BestLines, best_lines
from tests.transcripts import DIMENSION, line_index, question

HARBOUR: list[tuple[str | None, str]] = [
    ("Pilot", "The tug reported fog, and I believe the ferry reported it too."),
    ("Mate", "Negative, Pilot."),
    ("Pilot", "I think the tug told us and reported it."),
    ("Mate", "The bilge pump has stopped, and the hold takes water."),
    ("Pilot", "Good."),
]


@pytest.mark.parametrize(
    ("text", "bare", "is_all"),
    [
        ("What did Ann report?", "What did Ann ?", True),
        ("What did Ann Lee want to say about it?", "What did Ann Lee to about it?", True),
        ("Tell me what Dr. Lee mentioned.", "Tell me what Dr. Lee .", True),
        ("What was reported by Ann?", "What was by Ann?", True),
        ("What has Ann been talking about?", "What has Ann been about?", True),
        ("What did the captain explain?", "What did the captain ?", True),
        ("What did Ann report about the mill?", "What did Ann about the mill?", False),
        ("Which mills did Ann describe?", "Which mills did Ann ?", False),
        ("What does Ann's report say?", "What does Ann's report say?", False),
        ("What does the report say about Ann?", "What does the report say about Ann?", False),
        ("What was Ann told?", "What was Ann told?", False),
        ("Who asked Ann to report?", "Who asked Ann to report?", False),
        ("What did Ann paint?", "What did Ann paint?", False),
    ],
)
def test_verbs_of_saying_are_left_out_where_somebody_says_it(
    text: str, bare: str, is_all: bool
) -> None:
    labels = frozenset(("Ann Lee",))
    assert without_verbs_of_saying(text, labels) == bare
    assert asks_for_all_words(text, labels) == is_all


def ask(text: str) -> BestLines:
    index = line_index(HARBOUR, 12, MINILM_SCALE)
    rows = range(len(index.snapshot.passages))
    return best_lines(index, question(text), rows, FakeEmbedder(DIMENSION))


@pytest.mark.parametrize("verb", ["report", "say", "tell us", "mention", "talk about", "want"])
def test_what_somebody_reports_is_answered_with_their_own_lines(verb: str) -> None:
    found = ask(f"What did the Mate {verb}?")
    assert (found.other_person, found.is_nothing_fitting) == (None, False)
    assert {line.speaker for line in found.lines} == {"Mate"}
    assert "bilge pump" in found.clips[0].best_turn.quote


def test_nobody_is_told_to_have_said_it_for_a_verb_of_saying_alone() -> None:
    told = ask("What did the Mate report about the bilge pump?").other_person
    assert told is None
