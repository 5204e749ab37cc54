"""Cues of captions become turns of whole sentences."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.schema import SourceTurn
from dynagrag.ingest.load import load_source, turns_of
from dynagrag.ingest.load.whole_turns import whole_turns
from dynagrag.ingest.split import make_document


def cues(*texts: str, speaker: str | None = None, seconds: float = 2.0) -> list[SourceTurn]:
    """Cues of two seconds, one after the other."""
    return [
        SourceTurn(text, speaker, at * seconds, (at + 1) * seconds) for at, text in enumerate(texts)
    ]


def test_a_turn_is_whole_sentences_and_a_cut_cue_shares_out_its_time() -> None:
    said = cues(
        "Hello, and", "welcome to the show.", "I am Ann. Thi", "s is about", "ducks.", speaker="Ann"
    )
    assert whole_turns(said) == (
        SourceTurn("Hello, and welcome to the show.", "Ann", 0.0, 4.0),
        SourceTurn("I am Ann.", "Ann", 4.0, 5.538),
        SourceTurn("Thi s is about ducks.", "Ann", 5.538, 10.0),
    )


@pytest.mark.parametrize(
    "said",
    [
        [SourceTurn("so I", "Ann", 0.0, 1.0), SourceTurn("said no", "Bob", 1.0, 2.0)],
        [SourceTurn("so I", None, 0.0, 1.0), SourceTurn("- said no", None, 1.0, 2.0)],
        [SourceTurn("so I", None, 0.0, 1.0), SourceTurn(">> said no", None, 1.0, 2.0)],
        [
            SourceTurn("so I", None, 0.0, 1.0),
            SourceTurn("[music]", None, 1.0, 2.0),
            SourceTurn("said no", None, 2.0, 3.0),
        ],
        [SourceTurn("so I", None, 0.0, 1.0), SourceTurn("said no", None, 3.1, 4.0)],
        [SourceTurn("so I", None, 5.0, None), SourceTurn("said no", None, 4.0, None)],
        [SourceTurn("so I", None, 0.0, None), SourceTurn("said no", None, 15.1, None)],
        [SourceTurn("so I", None, 0.0, 1.0), SourceTurn("said no", None, None, None)],
        cues("First item", "Second item", "Third item"),
        cues("No.", "No.", "No.", "and no."),
        cues("well yes", "Who?", "Ann", "Bob", "Eve", "Kim", "Leo", "Max", "Ned", "Oda", "Pia"),
    ],
    ids=[
        "speaker",
        "dash",
        "arrows",
        "aside",
        "pause",
        "backwards",
        "long cue",
        "untimed",
        "list",
        "ended",
        "names",
    ],
)
def test_what_is_another_voice_or_another_sentence_stays_apart(said: list[SourceTurn]) -> None:
    assert whole_turns(said) == tuple(said)


def test_without_punctuation_a_turn_ends_with_a_cue_at_about_sixty_words() -> None:
    made = whole_turns(cues(*["one two three four five six", "Ada Byron and so on then"] * 12))
    assert [len(turn.text.split()) for turn in made] == [60, 60, 24]
    assert made[1] == SourceTurn(made[0].text, None, 20.0, 40.0)


def test_a_long_sentence_is_not_cut_where_its_end_is_known() -> None:
    parts = [f"and the tunnel of year {year}," for year in range(1900, 1912)] + [
        "cuts 15 minutes",
        "off that commute time.",
    ]
    (made,) = whole_turns(cues("So it is said here,", *parts))
    assert made.text.endswith("cuts 15 minutes off that commute time.")


def test_without_punctuation_a_turn_ends_at_a_pause_or_before_a_clause() -> None:
    parts = ["the new tunnel under our hill cuts 15 minutes", "off that commute time every day"]
    made = whole_turns(cues(*[*parts, "and we thank whoever dug it"] * 8))
    assert len(made) > 1
    assert all(turn.text.split()[0] in {"the", "and"} for turn in made)
    assert not any(turn.text.endswith("cuts 15 minutes") for turn in made)


def test_captions_in_capitals_go_on_until_a_sentence_ends() -> None:
    said = cues("GOOD EVENING FROM", "WASHINGTON. THE VOTE", "IS OVER.", ">> IT IS?", ">> YES.")
    assert [turn.text for turn in whole_turns(said)] == [
        "GOOD EVENING FROM WASHINGTON.",
        "THE VOTE IS OVER.",
        ">> IT IS?",
        ">> YES.",
    ]
    signs = cues("EXIT", "NO ENTRY", "STOP", "WAY OUT")
    assert whole_turns(signs) == tuple(signs)


def rolling(*lines: str) -> str:
    """A file as YouTube's captions are saved: each line is spoken, stands still, and moves up."""
    blocks, above = [], " "
    for at, line in enumerate(lines):
        words = line.split()
        spoken = words[0] + "".join(f"<00:00:{at * 2:02}.500><c> {word}</c>" for word in words[1:])
        blocks.append(
            f"00:00:{at * 2:02}.000 --> 00:00:{at * 2 + 1:02}.990 align:start"
            f" position:0%\n{above}\n{spoken}"
        )
        blocks.append(
            f"00:00:{at * 2 + 1:02}.990 --> 00:00:{at * 2 + 2:02}.000 align:start"
            f" position:0%\n{line}\n "
        )
        above = line
    return "WEBVTT\nKind: captions\nLanguage: en\n\n" + "\n\n".join(blocks)


def test_a_line_that_rolls_up_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "talk.en.vtt").write_text(
        rolling("so today I talk with", "Grace Hopper about", "the moon and the", "moon lander"),
        encoding="utf-8",
    )
    source = load_source(tmp_path / "talk.en.vtt")
    assert len(source.turns) == 8
    assert turns_of(source) == (
        SourceTurn(
            "so today I talk with Grace Hopper about the moon and the moon lander", None, 0.0, 7.99
        ),
    )
    document, turns = make_document(source, "w", "talk")
    assert (document.text.count("Grace Hopper"), len(turns)) == (1, 1)


def test_words_that_are_said_twice_stay_where_captions_do_not_roll() -> None:
    said = cues(
        "It was very, very",
        "very cold.",
        "So we went.",
        "We went home.",
        "Home was warm.",
        "It was good.",
        "We sang.",
    )
    assert " ".join(turn.text for turn in whole_turns(said)) == " ".join(cue.text for cue in said)


def test_segments_of_a_podcast_s_json_are_cues_too(tmp_path: Path) -> None:
    segments = [
        {"speaker": "Ann", "startTime": n, "endTime": n + 1, "body": text}
        for n, text in enumerate(["so I", "said no."])
    ]
    (tmp_path / "a.json").write_text(
        json.dumps({"version": "1.0.0", "segments": segments}), encoding="utf-8"
    )
    assert turns_of(load_source(tmp_path / "a.json")) == (
        SourceTurn("so I said no.", "Ann", 0.0, 2.0),
    )


def test_other_forms_keep_their_turns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("speaker,text\nAnn,so I\nAnn,said no\n", encoding="utf-8")
    source = load_source(tmp_path / "a.csv")
    assert turns_of(source) == source.turns
    assert len(source.turns) == 2


WORDS = st.sampled_from(
    ["a", "so", "Ann", "I", "no.", "yes?", "Dr.", "e.g.", "well,", "U.S.", "…", "ok!”"]
)
CUES = st.lists(
    st.tuples(
        st.lists(WORDS, min_size=1, max_size=6),
        st.sampled_from([None, "Ann"]),
        st.sampled_from([0.0, 1.0, 5.0]),
    ),
    max_size=30,
)


@given(CUES)
def test_no_word_and_no_second_is_lost_or_doubled(
    rows: list[tuple[list[str], str | None, float]],
) -> None:
    said, clock = [], 0.0
    for number, (words, speaker, pause) in enumerate(rows):
        said.append(
            SourceTurn(" ".join([f"n{number}", *words]), speaker, clock + pause, clock + pause + 2)
        )
        clock += pause + 2
    made = whole_turns(said)
    assert [word for turn in made for word in turn.text.split()] == [
        word for cue in said for word in cue.text.split()
    ]
    assert {turn.speaker for turn in made} == {cue.speaker for cue in said}
    times = [(turn.start_s or 0.0, turn.end_s or 0.0) for turn in made]
    assert all(before[1] <= after[0] + 0.002 for before, after in pairwise(times))
    assert all(start <= end for start, end in times)
    if said:
        assert (times[0][0], times[-1][1]) == (said[0].start_s, said[-1].end_s)
