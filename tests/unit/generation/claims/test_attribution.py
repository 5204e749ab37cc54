"""Claims about who said what."""

import pytest

from dynagrag.core.schema import Line
from dynagrag.generation.claims.attribution import Attributed, attributed, names_who, speaker_says


@pytest.mark.parametrize(
    ("claim", "who", "what"),
    [
        ("EECOM said that the pump failed.", "EECOM", "the pump failed."),
        ("EECOM said the pump failed.", "EECOM", "the pump failed."),
        ('EECOM said: "The pump failed."', "EECOM", "The pump failed."),
        ("EECOM reported, “The pump failed.”", "EECOM", "The pump failed."),
        (
            "The Flight Director of Houston said it failed.",
            "The Flight Director of Houston",
            "it failed.",
        ),
        ("EECOM (Liebergot) said it failed.", "EECOM", "it failed."),
        ("EECOM told Flight that it failed.", "EECOM", "it failed."),
        ("According to EECOM, the pump failed.", "EECOM", "the pump failed."),
        ("The pump failed, EECOM said.", "EECOM", "The pump failed"),
        ('"The pump failed," Sy Liebergot said.', "Sy Liebergot", "The pump failed"),
        (
            "Fisher called the CFAA an anti-hacking statute.",
            "Fisher",
            "the CFAA is an anti-hacking statute.",
        ),
        (
            "Fisher described the rule as the law of the land.",
            "Fisher",
            "the rule is the law of the land.",
        ),
        ("It was reported that the pump failed.", "", "the pump failed."),
        ("It has been said that the pump failed.", "", "the pump failed."),
        ("Ada wanted to close the valve.", "Ada", "close the valve."),
        ("Ada told Bob to close the valve.", "Ada", "close the valve."),
        ("Ada told Bob not to close the valve.", "Ada", "not close the valve."),
        ("Ada suggested that the valve leaks.", "Ada", "the valve leaks."),
    ],
)
def test_who_says_what(claim: str, who: str, what: str) -> None:
    said = attributed(claim)
    assert said is not None
    assert (said.who, said.what) == (who, what)


@pytest.mark.parametrize(
    "claim",
    [
        "The pump failed.",
        "EECOM said no",
        "EECOM closed the valve.",
        "the crew said it failed.",
        "EECOM called Houston.",
        "According to EECOM the pump failed.",
    ],
)
def test_no_saying_is_told_of(claim: str) -> None:
    assert attributed(claim) is None


def test_two_words_are_a_saying() -> None:
    assert attributed("EECOM said it failed.") == Attributed("EECOM", "it failed.", verb="said")


@pytest.mark.parametrize(
    ("claim", "is_asked", "is_opinion"),
    [
        ("EECOM said it failed.", False, False),
        ("EECOM told Flight it failed.", False, False),
        ("EECOM asked whether it failed.", True, False),
        ("EECOM asks if it failed.", True, False),
        ("EECOM wondered if it failed.", True, False),
        ("EECOM wanted to know if it failed.", True, False),
        ("It was asked whether it failed.", True, False),
        ("EECOM wanted to close it.", False, True),
        ("EECOM asked Flight to close it.", False, True),
        ("EECOM thought it failed.", False, True),
        ("EECOM believes it failed.", False, True),
        ("EECOM suggested it failed.", False, True),
        ("EECOM argued it failed.", False, True),
        ("EECOM claimed it failed.", False, True),
        ("It was thought that it failed.", False, True),
        ("According to EECOM, it failed.", False, False),
    ],
)
def test_whether_it_is_asked_or_thought(claim: str, is_asked: bool, is_opinion: bool) -> None:
    said = attributed(claim)
    assert said is not None
    assert (said.is_asked, said.is_opinion) == (is_asked, is_opinion)


@pytest.mark.parametrize(
    ("who", "speaker", "text", "is_theirs"),
    [
        ("EECOM", "EECOM", "It failed.", True),
        ("Eecom", "EECOM (Liebergot)", "It failed.", True),
        ("Justice Samuel Alito", "Samuel A. Alito, Jr.", "It failed.", True),
        ("Mr. Alito", "Alito", "It failed.", True),
        ("Alito", "Samuel A. Alito, Jr.", "It failed.", True),
        ("Samuel Alito", "Alito", "It failed.", True),
        ("Justice", "JUSTICE", "It failed.", True),
        ("Ada (Sales)", "Ada (Research)", "It failed.", True),
        ("EECOM", "GUIDO", "It failed.", False),
        ("Samuel Alito", "Samuel Lee", "It failed.", False),
        ("EECOM", None, "It failed.", False),
        ("EECOM", "", "It failed.", False),
        ("", "GUIDO", "It failed.", True),
        ("EECOM", "GUIDO", "EECOM said it failed.", True),
        ("EECOM", "GUIDO", "According to EECOM it failed.", True),
        ("EECOM", "GUIDO", "EECOM knows it failed.", False),
        ("EECOM", "GUIDO", "Flight said it failed.", False),
        ("Müller", "Muller", "It failed.", True),
    ],
)
def test_whose_line_it_is(who: str, speaker: str | None, text: str, is_theirs: bool) -> None:
    assert speaker_says(Attributed(who, "it failed"), Line(text, speaker)) is is_theirs


@pytest.mark.parametrize(
    ("claim", "text", "is_told"),
    [
        ("Ada Lee announced that it failed.", "Ada Lee announced that it failed.", True),
        (
            "Ada Lee announced that it failed.",
            "Today Lee then also announces that it failed.",
            True,
        ),
        (
            "Ada Lee announced that it failed.",
            "Today Lee came and then announced that it failed.",
            False,
        ),
        ("Sy Adams announced that it failed.", "Today Adams announced that it failed.", True),
        ("Ada Lee announced that it failed.", "Ada announced that it failed.", False),
        ("Ada Lee announced that it failed.", "Lee denied that it failed.", False),
        ("Ada Lee announced that it failed.", "They announced that Lee failed.", False),
        ("Ada told Bob that it failed.", "Ada told Cleo that it failed.", True),
        ("According to Ada, it failed.", "Ada says it failed.", True),
    ],
)
def test_whether_a_text_tells_it_itself(claim: str, text: str, is_told: bool) -> None:
    said = attributed(claim)
    assert said is not None
    assert names_who(said, text) is is_told
