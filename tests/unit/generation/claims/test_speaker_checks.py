"""What a line says of others than its speaker is not stated of its speaker."""

import pytest

from dynagrag.core.schema import Claim, Line, Verdict
from dynagrag.generation.claims.rules_checker import RulesChecker


def verdict(claim: str, line: str, *, speaker: str = "Petra Hahn", title: str = "") -> Verdict:
    (check,) = RulesChecker().check([Claim(claim, (Line(line, speaker, title),))])
    return check.verdict


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("Petra Hahn was arrested in 1968.", "My father was arrested in 1968."),
        ("Petra Hahn opened the bridge in 2019.", "The mayor opened the bridge in 2019."),
        ("Petra Hahn opened the bridge in 2019.", "Mayor Brown opened the bridge in 2019."),
        ("Petra Hahn sold the house in 2019.", "She sold the house in 2019."),
        ("Petra Hahn resigned in April.", "The old treasurer resigned in April."),
        ("Petra Hahn broke the window.", "Somebody broke the window."),
        ("Petra Hahn broke the window.", "Thieves broke the window."),
        ("Petra Hahn dug the tunnel in 1912.", "The miners dug the tunnel in 1912."),
        ("Petra Hahn is allergic to bees.", "My son is allergic to bees."),
        ("Petra Hahn was fined.", "The court fined Bob Hill."),
        ("Petra Hahn moved to Leeds.", "My husband sold the farm and moved to Leeds."),
        ("Petra Hahn wanted to call a doctor.", "My husband wanted to call a doctor."),
        ("Petra Hahn said she plays the organ.", "My wife plays the organ."),
    ],
)
def test_what_another_did_is_not_stated_of_the_speaker(claim: str, line: str) -> None:
    assert verdict(claim, line) is not Verdict.STATED


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("Petra Hahn was arrested in 1968.", "I was arrested in 1968."),
        ("Petra Hahn was arrested in 1968.", "They arrested me in 1968."),
        ("Petra Hahn opened the bridge in 2019.", "In 2019 we opened the bridge."),
        ("Petra Hahn opened the bridge in 2019.", "My brother and I opened the bridge in 2019."),
        ("Petra Hahn moved to Leeds in 1990.", "I sold the farm and moved to Leeds in 1990."),
        ("Petra Hahn moved to Leeds in 1990.", "When my father died, I moved to Leeds in 1990."),
        ("Petra Hahn is allergic to bees.", "I am allergic to bees."),
        ("Petra Hahn wanted to call the fire brigade.", "I wanted to call the fire brigade."),
        ("Petra Hahn said she plays the organ.", "I play the organ."),
    ],
)
def test_what_the_speaker_says_of_herself_is_stated(claim: str, line: str) -> None:
    assert verdict(claim, line) is Verdict.STATED


def test_a_title_names_whom_a_pronoun_means_and_nobody_else() -> None:
    title = "Rosa Lind"
    said = verdict("Rosa Lind was born in 1910.", "She was born in 1910.", speaker="", title=title)
    assert said is Verdict.STATED
    bitten = verdict(
        "Rosa Lind bit the postman.",
        "My dog bit the postman.",
        speaker="Tom Rehm",
        title="Interview with Rosa Lind",
    )
    assert bitten is not Verdict.STATED
