"""Content words, cut down so that forms of one are alike."""

import pytest

from dynagrag.generation.support import content_stems, nearness, stem


@pytest.mark.parametrize(
    ("word", "cut"),
    [
        ("gas", "gas"),
        ("cats", "cat"),
        ("valves", "valve"),
        ("valve", "valve"),
        ("pressures", "press"),
        ("tank", "tank"),
    ],
)
def test_a_word_is_cut_to_five_letters_without_a_plural_s(word: str, cut: str) -> None:
    assert stem(word) == cut


def test_content_is_words_that_say_something_and_numbers() -> None:
    assert content_stems("The Valves were at 4 volts, a B was said to be it.") == {
        "valve",
        "4",
        "volt",
    }
    assert content_stems("An ox, a.") == {"ox"}
    assert content_stems("") == frozenset()


def test_a_label_of_most_lines_weighs_little_and_a_question_states_nothing() -> None:
    lines = [
        "Holger Der Turm ist offen.",
        "Eva Der Kiosk bleibt zu.",
        "Holger Der Chor singt.",
        "Holger Wer repariert den Kiosk?",
        "Holger Gut.",
    ]
    shares = nearness("Holger sagt, der Kiosk bleibt offen.", lines)
    assert max(range(len(lines)), key=shares.__getitem__) == 1
    assert nearness("Kiosk", lines)[3] == pytest.approx(nearness("Kiosk", lines)[1] / 2)
    assert nearness("nothing of it", lines) == [0.0] * 5
