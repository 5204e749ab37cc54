"""What tells the labels of speakers from fields, terms and lists of questions."""

from itertools import cycle
from pathlib import Path

import pytest

from dynagrag.core.schema import LabelFate
from dynagrag.ingest.load import load_source
from dynagrag.ingest.load.speech_signs import Block, why_nobody_speaks

SAID = ["Bread is ready.", "Rain came at noon.", "It is a long way.", "Nets hang outside."]


def blocks(labels: list[str], words: list[str], num: int = 8) -> list[Block]:
    """So many blocks of these labels and words, each in turn."""
    return [Block(label, said) for label, said, _ in zip(cycle(labels), cycle(words), range(num))]


@pytest.mark.parametrize(
    ("labels", "words", "why"),
    [
        (
            ["Price", "Light", "Fuel"],
            SAID,
            "labels come in a fixed order, as the fields of records",
        ),
        (["Price", "Light"], SAID, "nothing shows that people speak"),
        (
            ["Aries", "Taurus", "Gemini", "Cancer", "Leo", "Virgo", "Libra", "Pisces"],
            ["You win.", "Who lost?"],
            "no label comes back",
        ),
        (["Hopper", "Race"], ["the box above.", "a channel of water."], "definitions stand behind"),
        (["Added", "Added", "Fixed"], SAID, "nothing shows that people speak"),
        (["// Prints", "{'a'"], ["1", "2"], "labels are code"),
        (["Q", "A"], ["How do I pay?", "At the desk."], "nothing shows that people speak"),
        (
            [f"Question {n // 2}" if n % 2 else "Answer" for n in range(1, 9)],
            ["Who paid?", "Ada."],
            "nothing shows that people speak",
        ),
    ],
)
def test_fields_terms_code_and_lists_of_questions_are_of_nobody(
    labels: list[str], words: list[str], why: str
) -> None:
    assert why in (why_nobody_speaks(blocks(labels, words), is_likely=False) or "")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["Ada Holm", "Per Aas"], SAID),
        (["Chair", "Dr. Voss"], SAID),
        (["P1", "P2"], SAID),
        (["Audience member 1", "Audience member 2"], SAID),
        (["Kim", "Park", "Lee"], [*SAID[:2], "Park, is it late?"]),
        (["Ann", "Bo"], [*SAID, "Bo, the nets are wet."]),
        (["Ann", "Bo"], [*SAID, "Where is the boat?"]),
        (["村上", "司会"], [*SAID, "村上さん、どうぞ。"]),
        (["Anna"], ["We told Houston of it."]),
        (["Q", "A"], ["Where did you stand?", "I stood at the weir."]),
    ],
)
def test_names_calls_questions_and_answers_that_say_i_are_of_people(
    labels: list[str], words: list[str]
) -> None:
    assert why_nobody_speaks(blocks(labels, words, 15), is_likely=False) is None


def test_what_is_likely_speech_is_speech_where_little_speaks_against_it() -> None:
    assert why_nobody_speaks(blocks(["Ann", "Bo"], SAID, 5), is_likely=True) is None
    assert why_nobody_speaks(blocks(["Ann", "Bo"], SAID, 5), is_likely=False) is not None
    assert why_nobody_speaks(blocks(["Price", "Light", "Fuel"], SAID), is_likely=True) is not None
    questions = blocks(["Question", "Answer"], ["Who paid?", "Ada."])
    assert why_nobody_speaks(questions, is_likely=True) is not None


def test_a_file_in_which_nobody_speaks_says_so_and_keeps_its_words(tmp_path: Path) -> None:
    rows = "".join(f"Price: It costs {n}.\nLight: It is dim.\nFuel: It is oil.\n\n" for n in "1234")
    path = tmp_path / "lamps.txt"
    path.write_text(rows)
    source = load_source(path)
    assert {turn.speaker for turn in source.turns} == {None}
    assert "Price: It costs 1." in source.turns[0].text
    assert {label.fate for label in source.labels} == {LabelFate.NO_LABEL}
    assert source.notes == (
        "no speaker taken, though 'Price' stands before a colon 4 times, first in line 1: labels"
        " come in a fixed order, as the fields of records; where such labels are speakers:"
        " --speaker-map Price=Price, for each of them",
    )


def test_asides_between_sentences_are_nobodys_and_end_nothing(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text(
        "Ada Holm: It burned. (Applause.) We ran.\n\nPer Aas: Why (I ask) there? [laughs]\n\n"
        "Ada Holm: So it was.\n\nPer Aas: In May.\n"
    )
    assert [(turn.speaker, turn.text) for turn in load_source(path).turns] == [
        ("Ada Holm", "It burned."),
        (None, "(Applause.)"),
        ("Ada Holm", "We ran."),
        ("Per Aas", "Why (I ask) there?"),
        (None, "[laughs]"),
        ("Ada Holm", "So it was."),
        ("Per Aas", "In May."),
    ]
