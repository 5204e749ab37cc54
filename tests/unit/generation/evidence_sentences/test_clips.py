"""Clips: stretches of talk around the best lines, each shown once, with the question before a
reply.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from dynagrag.core.schema import Clip
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.best_lines import BestLines, best_lines
from dynagrag.generation.evidence_sentences.clips import (
    MAX_CLIPS,
    MAX_DROP,
    MAX_MARKED,
    MIN_CLIPS,
    clips_of,
)
from dynagrag.generation.evidence_sentences.excerpts import evidence_lines
from dynagrag.generation.evidence_sentences.line_fit import fits
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.generation.evidence_sentences.stretches import MAX_GROWN_WORDS, MAX_WORDS, with_reply
from dynagrag.retrieval.passages import PassageScores
from tests.transcripts import DIMENSION, line_index, question

Turns = Sequence[tuple[str | None, str]]
TALK: Turns = [
    ("HOST", "Which bread do you like least, Runa Vale?"),
    ("RUNA VALE", "I am Runa Vale, and I bake in the north."),
    ("HOST", "Fine. And the bread?"),
    ("RUNA VALE", "Pumpernickel. It never rises."),
    ("HOST", "Which bread do you like most, Odd Berg?"),
    ("ODD BERG", "Rye. The bread that I like least is brioche."),
]
LONG: Turns = [
    (("ANN", "BOB")[n % 2], f"The mill number {n} grinds rye for the village. It is old and loud.")
    for n in range(40)
]


SHOP: Turns = [
    (("LUCA", "NOOR")[n % 2], text)
    for n, text in enumerate(
        (
            "Morning.",
            "What does the Coolbox cost? I went to see the Coolbox at the fair.",
            "Oh, nice.",
            "It was loud there.",
            "I bet.",
            "Did they show a price?",
            "Two hundred and ten euros. Batteries are extra.",
            "And the old one was cheap.",
        )
    )
]
WORDY = " ".join(["It was a long and loud day at the fair with rain and mud and tents."] * 4)


def ask(turns: Turns, text: str) -> BestLines:
    index = line_index(turns, 40)
    rows = range(len(index.snapshot.passages))
    return best_lines(index, question(text), rows, FakeEmbedder(DIMENSION))


def words_of(clip: Clip) -> str:
    return " ".join(turn.quote for turn in clip.turns)


def test_the_reply_leads_to_a_question_put_to_somebody_and_not_another_guests() -> None:
    found = ask(TALK, "Which bread does Runa Vale like least?")
    first = found.clips[0]
    assert first.best_turn.speaker == "RUNA VALE"
    assert "Pumpernickel" in first.best_turn.quote
    assert words_of(first).startswith("Which bread do you like least, Runa Vale?")
    assert "Odd Berg" not in words_of(first)
    assert "brioche" not in words_of(first)


def test_no_sentence_is_in_two_clips() -> None:
    clips = ask(LONG, "What does the old mill grind?").clips
    assert len(clips) == MAX_CLIPS
    spans = sorted((turn.start, turn.end) for clip in clips for turn in clip.turns)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_what_is_said_again_in_the_same_words_is_shown_once() -> None:
    shown = ask([(("ANN", "BOB")[n % 2], "Yeah.") for n in range(400)], "Who says yeah?").clips
    assert len({words_of(clip) for clip in shown}) == len(shown)


def test_a_clip_is_whole_sentences_of_at_most_some_eighty_words_with_its_hits() -> None:
    for clip in ask(LONG, "What does the old mill grind?").clips:
        assert len(words_of(clip).split()) <= MAX_GROWN_WORDS
        assert all(turn.quote.endswith(".") for turn in clip.turns)
        assert clip.best in clip.hits
        pieces = [piece for turn in clip.turns for piece in clip.pieces(turn)]
        assert "".join(text for text, _ in pieces) == "".join(t.quote for t in clip.turns)
        assert sum(is_hit for _, is_hit in pieces) == len(clip.hits)


@pytest.mark.parametrize("before", ["Morning.", WORDY])
def test_a_stretch_that_ends_on_a_question_goes_on_with_the_turn_that_replies(
    before: str,
) -> None:
    around = line_index([("LUCA", before), *SHOP[1:]]).around(0)
    first = next(i for i, s in enumerate(around) if s.text == "What does the Coolbox cost?")
    last = next(i for i, s in enumerate(around) if s.text == "Did they show a price?")
    begin, stop = with_reply(around, first, (0, last), lambda s: True)
    assert around[stop].text == "Batteries are extra."
    assert sum(s.num_words for s in around[begin : stop + 1]) <= MAX_WORDS
    assert (begin == 0) is (before == "Morning.")
    assert begin <= first
    assert with_reply(around, first, (0, last - 1)) == (0, last - 1)
    assert with_reply(around, first, (0, last), lambda s: "Two" not in s.text) == (0, last)


def test_a_clip_holds_the_reply_to_the_question_on_which_it_would_end() -> None:
    index = line_index(SHOP, 40)
    lines = ask(SHOP, "What does the Coolbox cost?").lines
    best = next(
        line for line in lines if line.quote[line.match_start - line.start :][:6] == "I went"
    )
    rows = range(len(index.snapshot.passages))
    found = fits(index, question("What does the Coolbox cost?"), rows, FakeEmbedder(DIMENSION))
    (clip,) = clips_of(index, [best], found)
    assert words_of(clip).endswith(
        "Did they show a price? Two hundred and ten euros. Batteries are extra."
    )


def test_a_reply_that_does_not_fit_with_the_best_line_stays_outside() -> None:
    long_line = "It " + "was loud and " * 40 + "cold."
    around = line_index([("ANN", long_line), ("BOB", "Why?"), ("ANN", "The wind " * 3 + ".")])
    sentences = around.around(0)
    assert with_reply(sentences, 0, (0, 1)) == (0, 1)


@pytest.mark.parametrize("assent", ["Deal.", "Yes.", "Fine, okay."])
def test_a_stretch_that_ends_on_a_short_assent_holds_what_the_speaker_goes_on_to_say(
    assent: str,
) -> None:
    turns = [
        ("ANN", "Sell the boat to us."),
        ("BOB", f"{assent} I sail on Friday."),
        ("ANN", "Oh."),
    ]
    around = line_index(turns).around(0)
    place = next(i for i, s in enumerate(around) if s.text == assent)
    assert around[with_reply(around, 0, (0, place))[1]].text == "I sail on Friday."


@pytest.mark.parametrize("text", ["How much is it to park at the landing?", "What is the fee?"])
def test_words_without_speakers_make_clips_too(text: str) -> None:
    turns: Turns = [
        (None, "The fair is on the 4th. There is no fee, but to park it is $7 per car.")
    ]
    clip = ask(turns, text).clips[0]
    assert [turn.speaker for turn in clip.turns] == [None]
    assert "$7 per car" in clip.turns[0].quote


def test_nothing_has_no_clip() -> None:
    assert best_lines(line_index(TALK), question("Who?"), [], FakeEmbedder(DIMENSION)).clips == ()


def test_no_clip_is_shown_from_where_the_fit_drops_sharply() -> None:
    index = line_index(LONG, 40)
    rows = range(len(index.snapshot.passages))
    found = fits(index, question("What does the old mill grind?"), rows, FakeEmbedder(DIMENSION))
    lines = evidence_lines(index, found)
    first, rest = lines[0], lines[1:]
    all_near = [first, *(replace(line, fit=first.fit) for line in rest)]
    assert len(clips_of(index, all_near, found)) == MAX_CLIPS
    drop = MAX_DROP * found.spread
    for by, num in ((0.9, MAX_CLIPS), (1.1, MIN_CLIPS)):
        far = [first, *(replace(line, fit=first.fit - by * drop) for line in rest)]
        assert len(clips_of(index, far, found)) == num
    slope = [replace(line, fit=-0.2 * drop * n) for n, line in enumerate(lines)]
    clips = clips_of(index, slope, found)
    assert len(clips) == MAX_CLIPS
    assert clips[0].fit - clips[-1].fit > drop


def test_the_lines_of_a_small_talk_are_all_shown() -> None:
    turns = [("ANN", "I sail on Friday."), ("BOB", "It rained."), ("CAT", "Bread is dear.")]
    clips = ask(turns, "When does Ann sail?").clips
    assert [words_of(clip) for clip in clips] == ["I sail on Friday. It rained. Bread is dear."]


def test_of_sentences_that_fit_alike_the_one_with_the_kind_of_answer_is_marked() -> None:
    index = line_index(SHOP, 40)
    asked = question("How much does the Coolbox cost?")
    found = fits(index, asked, range(len(index.snapshot.passages)), FakeEmbedder(DIMENSION))
    alike = replace(found, total=found.total * 1e-3)
    clip = clips_of(index, evidence_lines(index, alike), alike)[0]
    marked = [text for turn in clip.turns for text, is_hit in clip.pieces(turn) if is_hit]
    assert marked == ["Two hundred and ten euros."]
    assert clip.best in clip.hits
    assert clip.best_turn.speaker == "LUCA"


def test_no_more_than_a_few_sentences_of_a_clip_are_marked() -> None:
    for clip in ask(LONG, "What does the old mill grind?").clips:
        assert 1 <= len(clip.hits) <= MAX_MARKED


def test_a_clip_of_a_question_alone_is_marked_there() -> None:
    clip = ask([("ANN", "How much is the boat?")], "How much is the boat?").clips[0]
    assert [is_hit for turn in clip.turns for text, is_hit in clip.pieces(turn) if text] == [True]


def test_stretches_that_adjoin_are_one_clip_as_far_as_it_can_be_read() -> None:
    index = line_index(LONG, 40)
    asked = question("What does the old mill grind?")
    found = fits(index, asked, range(len(index.snapshot.passages)), FakeEmbedder(DIMENSION))
    in_order = sorted(evidence_lines(index, found), key=lambda line: line.start)
    alike = [replace(line, fit=1.0) for line in in_order]
    clips = clips_of(index, alike, found)
    assert len(clips) == MAX_CLIPS
    numbers = [len(words_of(clip).split()) for clip in clips]
    assert max(numbers) > MAX_WORDS
    assert max(numbers) <= MAX_GROWN_WORDS
    for one, other in pairwise(clips):
        both = len(words_of(one).split()) + len(words_of(other).split())
        assert both > MAX_GROWN_WORDS or other.start > one.end + 1


@pytest.mark.parametrize(
    ("reply", "following", "is_held"),
    [
        ("Sam.", "It was the harbour master.", True),
        ("Sam did.", "It was the harbour master.", True),
        ("I think that it was Sam.", "No, the harbour master.", True),
        ("I think that it was Sam.", "Actually the harbour master.", True),
        ("I think that it was Sam.", "The wind is up.", False),
    ],
)
@pytest.mark.parametrize("speakers", [("ANN", "BOB"), (None, None)], ids=["labels", "captions"])
def test_what_comes_after_a_short_reply_or_corrects_one_is_in_the_clip(
    speakers: tuple[str | None, str | None], reply: str, following: str, is_held: bool
) -> None:
    ann, bob = speakers
    turns = [
        (ann, "I sail. Who bought this boat?"),
        (bob, reply),
        (ann, following),
        (bob, "Oh my."),
    ]
    around = line_index(turns).around(0)
    asked = next(i for i, s in enumerate(around) if s.is_question)
    _, last = with_reply(around, 0, (0, asked))
    held = [s.text for s in around[: last + 1]]
    assert reply in held
    assert (following in held) is is_held


def test_a_reply_that_does_not_fit_in_a_stretch_is_held_by_a_longer_one() -> None:
    long_line = "We sat and " + "talked and " * 30 + "ate."
    turns = [
        ("ANN", long_line),
        ("BOB", "How much did we decide to give?"),
        ("ANN", "We give them nine hundred euros a year from the fund."),
    ]
    around = line_index(turns).around(0)
    _, last = with_reply(around, 0, (0, 1))
    assert "nine hundred" in around[last].text


def test_turns_that_a_filter_parts_stand_in_no_clip_together_and_beside_no_line() -> None:
    """What the guest said two turns before is no question that "No." answers."""
    turns: Turns = [
        ("RUNA VALE", "Rye bread is what the village mill ground."),
        ("HOST", "Did the mill grind wheat?"),
        ("RUNA VALE", "No. This was actually another village."),
        ("RUNA VALE", "It ground oats."),
    ]
    passages = line_index(turns).snapshot.passages
    whole = line_index(turns)
    parts = tuple(
        replace(
            passages[0],
            id=str(first),
            start=whole.snapshot.turns[passages[0].document_id][first].start,
            end=whole.snapshot.turns[passages[0].document_id][last].end,
            first_turn=first,
            last_turn=last,
        )
        for first, last in ((0, 0), (2, 3))
    )
    snapshot = replace(
        whole.snapshot, passages=parts, passage_vectors=whole.snapshot.passage_vectors[[0, 0]]
    )
    index = LineIndex(PassageScores(snapshot))
    asked = question("What did the village mill grind?")
    found = best_lines(index, asked, [0, 1], FakeEmbedder(DIMENSION))
    assert found.clips
    assert all(b.start - a.end <= 1 for clip in found.clips for a, b in pairwise(clip.turns))
    assert not any(line.quote.startswith("No.") and line.before is not None for line in found.lines)
