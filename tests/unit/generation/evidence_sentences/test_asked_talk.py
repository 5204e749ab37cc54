"""Who says what of something: how it is asked, and that the turns which hold it come first."""

import pytest

from dynagrag.core.schema import MINILM_SCALE
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.asked_talk import TalkKind, asked_talk, is_asking
from dynagrag.generation.evidence_sentences.best_lines import BestLines, best_lines
from dynagrag.generation.evidence_sentences.doubts import doubts_text
from tests.transcripts import DIMENSION, line_index, question

HEARING: list[tuple[str | None, str]] = [
    ("Iduna Voss", "I keep bees, and the hives stand by the river."),
    ("Tom Falk", "The Okafor ruling let the ferry company off, and the ferry never paid for it."),
    ("Iduna Voss", "The ferry sank in June. Nobody was hurt when the ferry sank."),
    ("Pia Holm", "Would the ferry have sunk with a second pump?"),
    ("Tom Falk", "The pump was new. The ferry had two pumps, and the pumps were fine."),
    (
        "Iduna Voss",
        "We wash the nets on Sundays. In Okafor nobody asked for it. We mend them too.",
    ),
    ("Tom Falk", "I drew the map of the harbour, and Hansen & Drew printed it."),
    ("Pia Holm", "so what do you make of the harbour map"),
]


def ask(text: str) -> BestLines:
    index = line_index(HEARING, 12, MINILM_SCALE)
    return best_lines(index, question(text), [0, 1, 2], FakeEmbedder(DIMENSION))


@pytest.mark.parametrize(
    ("text", "topic", "names"),
    [
        ("What did Ann say about the mill?", "the mill?", set()),
        ("What did Ann say on Okafor?", "Okafor?", {"okafor"}),
        (
            "What did Ann tell us about Bob and the mill in May?",
            "Bob and the mill in May?",
            {"bob"},
        ),
        ("What does Ann think of Justice Okafor?", "Justice Okafor?", {"okafor"}),
        ("How does Ann feel about the mill?", "the mill?", set()),
        ("What is Ann's view on the mill?", "the mill?", set()),
        ("What was Ann Lee's first take on it and the mill?", "it and the mill?", set()),
        ("What are Ann's thoughts about the mill?", "the mill?", set()),
        ("What is the position of Ann on the mill?", "the mill?", set()),
        ("Did Ann mention the mill?", "the mill?", set()),
        ("What did Ann say?", None, set()),
        ("What did Ann say to Bob in the mill?", None, set()),
        ("What does Ann want to do after the mill?", None, set()),
        ("What is Ann's view?", None, set()),
        ("What did Ann paint on the mill?", None, set()),
        ("What does Ann's position pay?", None, set()),
    ],
)
def test_what_somebodys_words_are_asked_of(text: str, topic: str | None, names: set[str]) -> None:
    found = asked_talk(text, [frozenset(("Ann Lee",))])
    assert (found.topic.strip() if found else None) == topic
    assert (found.names if found else set()) == names


@pytest.mark.parametrize(
    ("text", "kind", "topic"),
    [
        ("Who asked about the mill?", TalkKind.ASKED, "the mill?"),
        ("Who asked Ann about the mill?", TalkKind.ASKED, "the mill?"),
        (
            "Which justice asked whether the mill burned?",
            TalkKind.ASKED,
            "whether the mill burned?",
        ),
        ("Who wanted to know about the mill?", TalkKind.ASKED, "the mill?"),
        ("Who brought up the mill?", TalkKind.NAMED, "the mill?"),
        ("Who else has mentioned the mill?", TalkKind.NAMED, "the mill?"),
        ("Who said something about the mill?", TalkKind.NAMED, "the mill?"),
        ("Who burned the mill?", None, None),
        ("Who asked?", None, None),
    ],
)
def test_who_speaks_of_it_is_asked(text: str, kind: TalkKind | None, topic: str | None) -> None:
    found = asked_talk(text, [frozenset(("Ann Lee",))] if "Ann" in text else [])
    assert (found and found.kind, found and found.topic.strip()) == (kind, topic)


@pytest.mark.parametrize(
    ("text", "speaker", "words"),
    [
        ("What did Iduna say about Okafor?", "Iduna Voss", "Okafor"),
        ("What did Tom Falk say on Drew?", "Tom Falk", "Drew printed"),
        ("What is Iduna's view on the nets?", "Iduna Voss", "nets"),
        ("Who asked about the pump?", "Pia Holm", "pump"),
        ("Who asked about the map?", "Pia Holm", "map"),
        ("Who mentioned the hives?", "Iduna Voss", "hives"),
        ("Who brought up Drew?", "Tom Falk", "Drew"),
    ],
)
def test_turns_that_hold_what_is_asked_come_first(text: str, speaker: str, words: str) -> None:
    found = ask(text)
    best = next(t for t in found.clips[0].turns if t.start <= found.clips[0].best[0] < t.end)
    assert best.speaker == speaker
    assert words in best.quote
    assert (found.lines[0].speaker, found.is_nothing_fitting) == (speaker, False)


def test_nobody_seems_to_say_it_is_not_said_of_whom_a_turn_holds_the_name() -> None:
    assert ask("What did Tom say about the ferry and Okafor?").other_person is None
    assert ask("What did Iduna say about Okafor and the ferry company?").other_person is None


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What did Iduna say about cryptocurrency?", "cryptocurrency"),
        ("Who asked about the zeppelin?", "zeppelin"),
        ("Who asked about the zeppelin and the pump?", None),
        ("Who mentioned pumping?", None),
        ("Who mentioned a hive?", None),
        ("Who mentioned the ferri?", None),  # spelt nearly as the ferry
        ("Who drove the zeppelin?", None),  # may be said in other words
    ],
)
def test_what_nothing_names_is_told(text: str, topic: str | None) -> None:
    found = ask(text)
    assert list(found.unknown_names) == ([topic] if topic else [])
    said = f"Nothing in these documents names {topic}."
    assert (said in doubts_text(found)) is (topic is not None)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("so what do you make of it", True),
        ("do we need the second pump", True),
        ("I was wondering about the pump.", True),
        ("Could you tell us more about the pump.", True),
        ("What I mean is the pump", False),
        ("The pump is new", False),
        ("We do the pumps on Sundays.", False),
    ],
)
def test_who_asks_is_told_without_a_mark_too(text: str, asks: bool) -> None:
    assert is_asking(text, is_question=False) is asks
