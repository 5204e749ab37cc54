"""The lines that fit a question best: in their order, whole, exact, with what stands around
them.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import Citation
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.best_lines import BestLines, best_lines
from dynagrag.generation.evidence_sentences.excerpts import MAX_CHARS, quoted_with
from dynagrag.generation.evidence_sentences.line_fit import WEIGHTS, fits
from dynagrag.language.sentences import sentence_spans
from tests.transcripts import DIMENSION, line_index, question

Turns = list[tuple[str | None, str]]
WORD = st.sampled_from(
    """
        valve tank pump crew moon Okay right fans oxygen heater pressure three why 12 landing gear
    """.split()
)
SENTENCE = st.builds(
    lambda words, mark: " ".join(words) + mark,
    st.lists(WORD, min_size=1, max_size=14),
    st.sampled_from([".", "?", "!", "", "..."]),
)
TURN = st.tuples(
    st.sampled_from([None, "LEO", "ANN", "Bo"]), st.lists(SENTENCE, max_size=9).map(" ".join)
)
TALK: Turns = [
    (
        "ANN",
        (
            "Good morning, everybody. Let us begin with the budget of the bakery. It is three"
            " hundred euros."
        ),
    ),
    ("BOB", "Okay, gotcha. Thanks."),
    ("ANN", "Which oven did the bakery buy?"),
    ("BOB", "(Laughter.)"),
    (
        "BOB",
        (
            "The blue one with two doors. I got very excited, in part because it is so quiet."
            " Nobody else wanted it."
        ),
    ),
    ("ANN", "Right."),
    ("BOB", "The flour comes from a mill near Delft. We pay every month."),
    (None, "News, Events, Resources"),
]


def ask(turns: Turns, text: str, passage_words: int = 40) -> BestLines:
    index = line_index(turns, passage_words)
    return best_lines(
        index, question(text), range(len(index.snapshot.passages)), FakeEmbedder(DIMENSION)
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Where does the flour come from?", "The flour comes from a mill near Delft."),
        ("Why was Bob so very excited?", "I got very excited, in part because it is so quiet."),
        (
            "How much is the budget of the bakery?",
            "Let us begin with the budget of the bakery. It is three hundred euros.",
        ),
    ],
)
def test_the_line_that_answers_leads_and_is_whole(text: str, said: str) -> None:
    assert said in ask(TALK, text).lines[0].quote


def test_what_a_named_speaker_says_leads_what_names_them() -> None:
    turns: Turns = [
        (
            "ANN",
            (
                "Bob Weaver said on Monday that he wonders about the flour, and Bob Weaver wonders"
                " a lot."
            ),
        ),
        ("BOB WEAVER", "Is the flour from Delft milled twice?"),
    ]
    assert (
        ask(turns, "What did Bob Weaver wonder about the flour?").lines[0].speaker == "BOB WEAVER"
    )


def test_a_speaker_who_is_meant_by_a_call_alone_is_not_evidence_of_it_first() -> None:
    turns: Turns = [
        ("FLIGHT", "EECOM, FLIGHT."),
        ("EECOM", "FLIGHT, EECOM."),
        ("EECOM", "We lost the second bus, and volts drop."),
    ]
    lines = ask(turns, "What did EECOM report?").lines
    assert lines[0].quote.endswith("volts drop.")


def test_a_fit_adds_up_what_a_sentence_has_of_the_question() -> None:
    index = line_index(TALK, 40)
    found = fits(
        index,
        question("How many euros did Bob say that the oven was?"),
        range(len(index.snapshot.passages)),
        FakeEmbedder(DIMENSION),
    )
    having = {
        name: {s.text for s, has in zip(found.sentences, found.parts[name], strict=True) if has}
        for name in found.parts
    }
    assert "It is three hundred euros." in having["answer"]
    assert having["question"] == {"Which oven did the bakery buy?"}
    assert having["speaker"] == {s.text for s in found.sentences if s.speaker == "BOB"}
    assert {"(Laughter.)", "Right.", "News, Events, Resources"} <= having["empty"]
    summed = found.parts["cosine"] + sum(
        weight * found.parts[name] for name, weight in WEIGHTS.items()
    )
    assert np.allclose(
        np.sort(found.total), np.sort(summed)
    )  # a question and its reply change places
    other = fits(
        index,
        question("What colour was the oven?"),
        range(len(index.snapshot.passages)),
        FakeEmbedder(DIMENSION),
    )
    assert not other.parts["answer"].any()


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("What did Van say?", False),
        ("What did Ann Van Berg say?", True),
        ("What did Berg say?", True),
        ("What was Berg's answer?", True),
    ],
)
def test_a_speaker_is_named_by_the_whole_name_or_a_word_of_four_letters(
    text: str, is_named: bool
) -> None:
    index = line_index([("Ann Van Berg", "The bakery is open."), ("Bob", "The mill is closed.")])
    found = fits(index, question(text), [0], FakeEmbedder(DIMENSION))
    assert found.parts["speaker"].tolist() == [float(is_named), 0.0]


@pytest.mark.parametrize(("num_between", "is_shared"), [(0, True), (1, True), (2, False)])
def test_words_around_reach_over_one_turn_that_was_not_found(
    num_between: int, is_shared: bool
) -> None:
    turns: Turns = [
        ("ANN", "The bakery is open."),
        *[("BOB", "Nothing more was said.")] * num_between,
        ("ANN", "The mill is closed."),
    ]
    index = line_index(turns, passage_words=4)
    rows = [0, len(index.snapshot.passages) - 1]
    found = fits(index, question("Is the mill closed?"), rows, FakeEmbedder(DIMENSION))
    assert [s.text for s in found.sentences] == ["The bakery is open.", "The mill is closed."]
    assert bool(found.parts["words around"][0]) is is_shared


def test_what_says_nothing_comes_last() -> None:
    quotes = [line.quote for line in ask(TALK, "Which oven did the bakery buy?").lines]
    idle = {
        "Okay, gotcha.",
        "Thanks.",
        "Okay, gotcha. Thanks.",
        "(Laughter.)",
        "Right.",
        "News, Events, Resources",
    }
    shown = [quote in idle for quote in quotes]
    assert shown == sorted(shown)
    assert not any(shown[:4])


def test_the_answer_stands_after_a_question_and_nothing_idle_between() -> None:
    asked = next(
        line
        for line in ask(TALK, "Which oven did the bakery buy?").lines
        if line.quote == "Which oven did the bakery buy?"
    )
    assert asked.after
    assert asked.after.speaker == "BOB"
    assert asked.after.quote.startswith("The blue one with two doors.")
    assert asked.before
    assert asked.before.quote.endswith("It is three hundred euros.")


def test_a_short_answer_to_a_question_is_no_filler() -> None:
    lines = ask(
        [
            ("ANN", "Did the bakery buy the oven?"),
            ("BOB", "Yes."),
            ("ANN", "How nice for the bakery."),
        ],
        "Did the bakery buy the oven?",
    )
    asked = next(line for line in lines.lines if line.quote.endswith("oven?"))
    assert asked.after
    assert asked.after.quote == "Yes."


@settings(max_examples=40, deadline=None)
@given(st.lists(TURN, min_size=1, max_size=12), SENTENCE, st.integers(5, 60))
def test_quotes_are_exact_whole_sentences_of_one_turn_and_each_sentence_is_shown_once(
    turns: Turns, text: str, words: int
) -> None:
    index = line_index(turns, words)
    snapshot = index.snapshot
    found = best_lines(
        index, question(text), range(len(snapshot.passages)), FakeEmbedder(DIMENSION)
    )
    (document,) = snapshot.documents.values()
    ends = {(s.start, s.end) for row in range(len(snapshot.passages)) for s in index.sentences(row)}
    starts, stops = {a for a, _ in ends}, {b for _, b in ends}
    for line in found.lines:
        assert (line.match_start, line.match_end) in ends
        assert line.start <= line.match_start < line.match_end <= line.end
        assert line.end - line.start <= max(MAX_CHARS, line.match_end - line.match_start)
        beside: list[Citation] = [c for c in (line.before, line.after) if c]
        for part in (line, *beside):
            assert part.quote == document.text[part.start : part.end]
            assert part.start in starts
            assert part.end in stops
            turn = next(t for t in snapshot.turns[document.id] if t.start <= part.start < t.end)
            assert part.end <= turn.end
            assert part.speaker == turn.speaker
        assert line.before is None or line.before.end <= line.start
        assert line.after is None or line.after.start >= line.end
    quoted = sorted((line.start, line.end) for line in found.lines)
    assert all(end <= start for (_, end), (start, _) in pairwise(quoted))
    assert [line.fit for line in found.lines] == sorted(
        (line.fit for line in found.lines), reverse=True
    )
    assert found.is_nothing_fitting is not bool(found.lines)


@given(st.lists(st.integers(1, 400), min_size=1, max_size=12), st.data())
def test_an_excerpt_grows_to_what_fits_and_no_further(
    sizes: list[int], data: st.DataObject
) -> None:
    text = " ".join("x" * (size - 1) + "." for size in sizes)
    around = line_index([("LEO", text)], 100_000).around(0)
    at = data.draw(st.integers(0, len(around) - 1))
    first, last = quoted_with(around, at)
    assert first <= at <= last
    assert first == last or around[last].end - around[first].start <= MAX_CHARS
    for wider in ((first - 1, last), (first, last + 1)):
        if wider[0] >= 0 and wider[1] < len(around):
            assert around[wider[1]].end - around[wider[0]].start > MAX_CHARS


@pytest.mark.parametrize(
    "turns",
    [
        [("LEO", "One turn about a mill near Delft. And more of it. " * 40)],
        [
            (
                None,
                "we bought the oven in may and then the mill near delft sent us flour which was "
                * 60,
            )
        ],
        [("LEO", "THE FLOUR COMES FROM A MILL NEAR DELFT. WE PAY EVERY MONTH."), ("ANN", "RIGHT.")],
        [("LEO", "Okay."), ("ANN", "(Laughter.)")],
    ],
    ids=["one turn", "no punctuation", "capitals", "nothing said"],
)
def test_odd_transcripts_give_lines_all_the_same(turns: Turns) -> None:
    found = ask(turns, "Where is the mill?")
    assert found.lines
    assert all(sentence_spans(line.quote) for line in found.lines)


def test_nothing_found_is_nothing_fitting() -> None:
    index = line_index([("LEO", "The mill is near Delft.")])
    found = best_lines(index, question("Where is the mill?"), [], FakeEmbedder(DIMENSION))
    assert (found.lines, found.is_nothing_fitting) == ((), True)


def test_only_what_has_no_vector_yet_is_embedded_and_fillers_never() -> None:
    embedder, index = FakeEmbedder(DIMENSION), line_index(TALK, 40)
    best_lines(index, question("Where is the mill?"), range(len(index.snapshot.passages)), embedder)
    said = {
        s.text
        for row in range(len(index.snapshot.passages))
        for s in index.sentences(row)
        if not s.says_nothing
    }
    assert embedder.num_texts == len(said)


HEARING: Turns = [
    ("ROBERTS", "When was the last time the state declined to recognize a marriage?"),
    ("WHALEN", "Any marriage, Your Honor?"),
    ("ROBERTS", "Any marriage."),
    ("WHALEN", "1970 is the last one that I could point to."),
]


def _reply(turns: Turns) -> Citation | None:
    lines = ask(turns, "When did the state last decline to recognize a marriage?", 200).lines
    return next(line.after for line in lines if line.quote == turns[0][1])


def test_the_reply_to_a_question_stands_beyond_a_short_question_back() -> None:
    reply = _reply(HEARING)
    assert reply is not None
    assert (reply.speaker, reply.quote) == ("WHALEN", HEARING[3][1])


@pytest.mark.parametrize(
    ("at", "turn"),
    [
        (1, ("WHALEN", "That was never a thing which anybody could say, was it?" * 2)),
        (1, ("WHALEN", "Any marriage at all.")),
        (
            2,
            (
                "ROBERTS",
                (
                    "Any marriage, yes, and of any kind, as long as it was one that another state"
                    " had recorded."
                ),
            ),
        ),
        (2, ("ALITO", "Any marriage.")),
        (3, ("ALITO", "1970 is the last one that I could point to.")),
    ],
)
def test_what_is_no_short_question_back_is_the_reply_itself(at: int, turn: tuple[str, str]) -> None:
    turns = [*HEARING[:at], turn, *HEARING[at + 1 :]]
    reply = _reply(turns)
    assert reply is not None
    assert turns[1][1].startswith(reply.quote)


def test_a_reply_that_begins_with_a_few_words_is_shown_with_its_next_sentence() -> None:
    long = (
        "I think that the judge made this point when he wrote of the one who threatens "
        + "and of the one who is threatened " * 5
        + "once."
    )
    reply = _reply([HEARING[0], ("WHALEN", f"Your Honor, it doesn't matter. {long} And so on.")])
    assert reply is not None
    assert reply.quote == f"Your Honor, it doesn't matter. {long}"
