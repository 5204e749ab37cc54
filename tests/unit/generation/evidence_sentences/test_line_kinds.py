"""Which lines say nothing, which ask, and which hold what is asked for."""

import time

import pytest

from dynagrag.generation.evidence_sentences.line_kinds import (
    has_number,
    introduces_itself,
    is_aside,
    is_call,
    is_filler,
    is_heading,
    is_question,
    says_nothing,
)


@pytest.mark.parametrize(
    "text",
    [
        "Okay, gotcha. Thanks.",
        "Roger.",
        "Mm-hmm.",
        "That's right.",
        "Thank you very much, guys.",
        "ROGER, GO AHEAD.",
        "Right, right.",
        "{vocalsound} Yeah . {disfmarker}",
        "",
        "…",
    ],
)
def test_words_that_say_little_by_themselves_are_filler(text: str) -> None:
    assert is_filler(text)
    assert says_nothing(text, "Leo")


@pytest.mark.parametrize(
    "text",
    [
        "Wall clock is wrong, FLIGHT.",
        "About two.",
        "1.1.",
        "Okay, shut the valve.",
        "Yes, Sir, in the second week and all the weeks after.",
        "Nein.",
        "{vocalsound} Titanium .",
        "That's {FUEL CELL 1}.",
        "That's {{roll}}.",
    ],
)
def test_what_names_a_thing_or_a_number_is_none(text: str) -> None:
    assert not is_filler(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(Laughter.)", True),
        ("[applause]", True),
        ("♪ theme music ♪", True),
        ("(Laughter and applause.)", True),
        ('(Music: "Music Out of the Moon")', False),
        ("(b) shut the valve and wait for us", False),
        ("He said (laughing) no.", False),
        ("()", False),
        ("{vocalsound}", True),
        ("{vocalsound} {gap} .", True),
        ("{vocalsound} (Laughter)", True),
        ("{gap} shut the valve", False),
        ("{SUIT FAN 1} is on", False),
    ],
)
def test_a_few_words_in_brackets_are_a_stage_direction(text: str, expected: bool) -> None:
    assert is_aside(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("News, Events, Resources", True),
        ("Apollo 13 Power Systems", True),
        ("Subscribe: https://example.com/feed", True),
        ("More at x-y.example.com today", True),
        ("00:12 Intro", True),
        ("Links mentioned: the paper", True),
        ("The tank exploded.", False),
        ("the tank exploded", False),
        ("See www.example.com for more, where we explain how it works.", False),
        ("Resources were short that year.", False),
    ],
)
def test_headings_and_show_notes_are_told_from_sentences(text: str, expected: bool) -> None:
    assert is_heading(text, None) is expected
    assert not is_heading(text, "Leo")


def test_a_chain_of_hyphens_is_read_in_linear_time() -> None:
    started = time.process_time()
    assert not is_heading("a-" * 40_000 + ".", None)
    assert time.process_time() - started < 5.0  # quadratic, it took over a minute


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Why?", True),
        ('"Why?"', True),
        ("Why? ", True),
        ("Why? Because.", False),
        ("why", False),
        ("", False),
    ],
)
def test_a_question_ends_with_its_mark(text: str, expected: bool) -> None:
    assert is_question(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3-foot waves", True), ("about sixty", True), ("often", False), ("a tenor", False)],
)
def test_numbers_stand_in_figures_or_words(text: str, expected: bool) -> None:
    assert has_number(text) is expected


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("FLIGHT, EECOM.", True),
        ("Go ahead, Justice Kagan.", True),
        ("And Tobias?", True),
        ("With me is Tobias.", False),
        ("Tobias has two complaints.", False),
        ("Okay, thank you.", False),
        ("Kagan 3.", False),
        ("Mr. Chief Justice and may it please the Court.", True),
        ("Thank you. Justice Kagan, anything further?", True),
        ("I welcome the Court’s questions.", True),
        ("The case is submitted.", True),
        ("Mrs. Tobias, you may proceed whenever you’re ready.", True),
        ("Rebuttal, Mr. Tobias?", True),
        ("Is it anything more than a euphemism for censorship?", False),
        ("May it please the Court: Texas forbids it.", False),
        ("There certainly may be some interpretive questions, Your Honor.", False),
        ("No further questions on the budget.", False),
        ("Anything else that Tobias built?", False),
        ("Hi, I'm Tobias.", True),
        ("My name is Kagan.", True),
        ("I’m general counsel.", False),
        ("I'm Tobias, the flight director.", False),
    ],
)
def test_a_call_or_an_introduction_names_a_speaker_or_is_a_formula_and_says_no_more(
    text: str, calls: bool
) -> None:
    assert is_call(text, frozenset({"flight", "eecom", "kagan", "tobias"})) is calls


@pytest.mark.parametrize(
    ("text", "speaker", "expected"),
    [
        ("My name is Ann Lee, and I keep bees.", "Ann Lee", True),
        ("Good evening, I'm Ann.", "ANN LEE", True),
        ("Ich bin Jana Kessler, guten Abend.", "KESSLER", True),
        ("I am glad that Bob asked.", "Ann Lee", False),
        ("Ann keeps bees.", "Ann Lee", False),
        ("I keep bees.", None, False),
    ],
)
def test_who_gives_their_own_name_introduces_themselves(
    text: str, speaker: str | None, expected: bool
) -> None:
    assert introduces_itself(text, speaker) is expected
