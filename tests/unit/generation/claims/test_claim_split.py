"""An answer cut into claims: where each stands, what it says on its own, and which lines are cited
for it.
"""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.generation.claims.answer_sentences import answer_sentences
from dynagrag.generation.claims.claim_split import split_claims, split_sentences
from dynagrag.generation.claims.clauses import clauses


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "EECOM lost MAIN B, and FLIGHT asked for a switch.",
            ["EECOM lost MAIN B", "FLIGHT asked for a switch."],
        ),
        (
            "EECOM opened the valve but didn't close the hatch.",
            ["EECOM opened the valve", "EECOM didn't close the hatch."],
        ),
        (
            "The tank was inspected and repaired by Ada.",
            ["The tank was inspected", "The tank was repaired by Ada."],
        ),
        (
            "Maria noted that prices rose; Leo disagreed and left.",
            ["Maria noted that prices rose", "Leo disagreed", "Leo left."],
        ),
        ("He never opened it and never closed it.", ["He never opened it", "He never closed it."]),
        (
            "GNC reported low pressures in the tank, which would point to the valve.",
            [
                "GNC reported low pressures in the tank",
                "low pressures in the tank would point to the valve.",
            ],
        ),
    ],
)
def test_a_clause_that_states_something_of_its_own_is_a_claim(
    sentence: str, said: list[str]
) -> None:
    assert [clause.text for clause in clauses(sentence)] == said


@pytest.mark.parametrize(
    "sentence",
    [
        "Fuel cells 1 and 3 were offline.",
        "EECOM wanted to put FUEL CELL 1 on MAIN B and FUEL CELL 3 on MAIN A.",
        "The cell was late and missed the bus.",
        "EECOM said the cell was offline, and the bus was dead.",
        "EECOM said that MAIN B was down and had 4 volts.",
        "If A failed, B opened and C closed.",
        "“We lost B, and it was gone,” said EECOM.",
        "The board (which met in May, and it voted) approved the plan.",
        "AC BUS 2 was 0, which was reflected by the fact that B had failed.",
        "Ada met Leo, who.",
    ],
)
def test_what_is_not_plainly_a_clause_of_its_own_stays_whole(sentence: str) -> None:
    assert [clause.text for clause in clauses(sentence)] == [sentence]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Who did it?",
        "Did EECOM open the valve, and did FLIGHT close it?",
        "Which of them opened the valve; was it EECOM?",
        "EECOM asked, was the valve open?",
        "EECOM opened the old valve, which FLIGHT had closed?",
        "EECOM opened the old valve, didn't they?",
        "EECOM opened the valve and closed the hatch?",
        "Was it EECOM [E1]?",
        "Here is what I found:",
        "# Results",
        "**Results**",
        "Ada Byron, Acme Works and Delft.",
        "Ada Byron [E1].",
        "Yes.",
        "The evidence does not say who did it.",
        "The provided transcripts don't mention a leak.",
        "I could not find who did it.",
    ],
)
def test_what_states_nothing_is_no_claim(text: str) -> None:
    assert split_claims(text) == ()


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("X did A [E1], and Y did B [E2].", [("X did A", ("E1",)), ("Y did B.", ("E2",))]),
        ("X did A, and Y did B. [E1][E2]", [("X did A", ("E1", "E2")), ("Y did B.", ("E1", "E2"))]),
        (
            "X did this. Y did B. [E2] Z did C [E3].",
            [("X did this.", ()), ("Y did B.", ("E2",)), ("Z did C.", ("E3",))],
        ),
        ("The transcript says: Ada works at Acme [E1].", [("Ada works at Acme.", ("E1",))]),
        ("According to the transcript, EECOM was worried.", [("EECOM was worried.", ())]),
        ("**MAIN B** reads *4* volts [E3]", [("MAIN B reads 4 volts", ("E3",))]),
        (
            "MAIN B reads 4 volts\n\nThe cells were flipping. [E2]",
            [("MAIN B reads 4 volts", ()), ("The cells were flipping.", ("E2",))],
        ),
        (
            "The crew went on\nto close the valve [E2].",
            [("The crew went on to close the valve.", ("E2",))],
        ),
        (
            "The crew went on\nThe valve was closed.",
            [("The crew went on", ()), ("The valve was closed.", ())],
        ),
        (
            "The crew went on\n\nto close the valve.",
            [("The crew went on", ()), ("to close the valve.", ())],
        ),
        (
            "The crew went on.\nto close the valve.",
            [("The crew went on.", ()), ("to close the valve.", ())],
        ),
        (
            "The crew went on\n- to close the valve",
            [("The crew went on", ()), ("to close the valve", ())],
        ),
        # blocks without words are passed over
        (
            "It failed.\n \n# B\n \nC failed.\n - D failed",
            [("It failed.", ()), ("C failed.", ()), ("D failed", ())],
        ),
        ("It failed. Why? C failed.", [("It failed.", ()), ("C failed.", ())]),
        ("It failed. Yes. C failed.", [("It failed.", ()), ("C failed.", ())]),
        # what is stated before a question
        ("The tank failed, but who closed the valve? [E1]", [("The tank failed", ("E1",))]),
        ("The tank failed [E2]; did anyone notice [E1]?", [("The tank failed", ("E2",))]),
        ("The tank failed – was it late?", [("The tank failed", ())]),
        (
            "The tank failed, and the valve shut, so why did it leak?",
            [("The tank failed", ()), ("the valve shut", ())],
        ),
        # words on where it was read, once
        (
            "The transcript says that the report says: It failed.",
            [("The report says: It failed.", ())],
        ),
    ],
)
def test_each_claim_has_the_lines_that_are_cited_for_it(
    text: str, claims: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert [(claim.text, claim.labels) for claim in split_claims(text)] == claims


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("I found that Smith stole the money.", "Smith stole the money."),
        ("Sure, Smith stole the money.", "Smith stole the money."),
        ("Certainly Smith stole the money.", "Smith stole the money."),
        ("The evidence is not clear, but Smith stole the money.", "Smith stole the money."),
        ("Let me be clear, Smith stole the money.", "Smith stole the money."),
        ("I can confirm that Smith stole the money.", "Smith stole the money."),
        ("Here is the truth: Smith stole the money.", "Smith stole the money."),
        ("It is clear from the lines that Smith stole the money.", "Smith stole the money."),
        ("**Smith stole the money.**", "**Smith stole the money.**"),
        ("# Smith stole the money.", "Smith stole the money."),
        ("Sure. The lines say: Smith stole the money.", "The lines say: Smith stole the money."),
    ],
)
def test_an_opening_that_states_nothing_hides_no_claim(text: str, where: str) -> None:
    assert [(claim.text, text[claim.start : claim.end]) for claim in split_claims(text)] == [
        ("Smith stole the money.", where)
    ]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("The lines do not mention Smith, who killed Bob.", ["who killed Bob."]),
        ("The evidence does not say who did it, when, or how.", []),
        ("I found two leaks in the tank.", ["I found two leaks in the tank."]),
        ("I found no evidence of a leak.", []),
        ("I cannot deny that Smith stole it.", ["I cannot deny that Smith stole it."]),
        ("**Smith Stole The Money**", ["Smith Stole The Money"]),
        ("**Loss of MAIN B and of the fuel cells**", []),
        ("# What happened", []),
        ("Smith stole the money:", ["Smith stole the money:"]),
        ("Smith stole the money:\n\nIt was late.", ["Smith stole the money:", "It was late."]),
        (
            "Smith killed Bob. Here is what I found:\n- It was late.",
            ["Smith killed Bob.", "It was late."],
        ),
    ],
)
def test_only_what_states_nothing_at_all_is_passed_over(text: str, claims: list[str]) -> None:
    assert [claim.text for claim in split_claims(text)] == claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("The valve was [E1] opened [E2] at nine.", ["The valve was opened at nine."]),
        (
            "The valve was opened by Ann [E1] Byron [E2] at nine.",
            ["The valve was opened by Ann Byron at nine."],
        ),
        ("The valve was [E1] MAIN A's [E2].", ["The valve was MAIN A's."]),
        ("It rained in [E1] Rome was lost [E2]", ["It rained in Rome was lost"]),
        (
            "It rained [E1] MAIN B failed [E2] The valve shut",
            ["It rained", "MAIN B failed", "The valve shut"],
        ),
    ],
)
def test_a_mark_ends_a_claim_only_where_a_sentence_ends(text: str, claims: list[str]) -> None:
    assert [claim.text for claim in split_claims(text)] == claims


def test_a_line_that_ends_in_a_mark_ends_a_sentence() -> None:
    assert list(answer_sentences(["Loss of B [E1]\n- A leak [E2]"])) == [
        "Loss of B [E1]\n",
        "- A leak [E2]",
    ]


def test_a_list_s_items_are_claims_read_with_the_line_that_leads_them_in() -> None:
    text = (
        "EECOM reported the following problems [E3]:\n"
        "1. loss of MAIN B\n"
        "2. an O2 leak [E5]\n"
        "\n"
        "It was late."
    )
    assert [(c.text, c.labels) for c in split_claims(text)] == [
        ("EECOM reported loss of MAIN B", ("E3",)),
        ("EECOM reported an O2 leak", ("E5",)),
        ("It was late.", ()),
    ]
    assert [text[slice(*s.lead)] if s.lead else "" for s in split_sentences(text)] == [
        "EECOM reported the following problems [E3]:"
    ] * 2 + [""]
    assert [c.text for c in split_claims("As follows:\n- It was closed")] == ["It was closed"]
    assert [c.text for c in split_claims("**:\n- It was closed")] == ["It was closed"]
    assert [c.text for c in split_claims("The following:\n- It was closed")] == ["It was closed"]
    assert [
        c.text
        for c in split_claims("It had the following:\n\n- a leak\nIt was late.\n- It was closed")
    ] == [
        "It had a leak",
        "It was late.",
        "It was closed",
    ]
    assert [
        c.text for c in split_claims("Here is what I found:\n- The cells were flipping. [E1]")
    ] == ["The cells were flipping."]


def test_statements_and_claims_stand_where_they_say() -> None:
    text = "\n  It rained. MAIN B failed [E1], and it was late.\n\n - AC 2 was out "
    found = split_sentences(text)
    assert [text[s.start : s.end] for s in found] == [
        "It rained.",
        "MAIN B failed [E1], and it was late.",
        "AC 2 was out",
    ]
    assert [text[c.start : c.end] for s in found for c in s.claims] == [
        "It rained.",
        "MAIN B failed [E1]",
        "it was late.",
        "AC 2 was out",
    ]


def test_what_is_too_long_to_be_split_is_one_claim_with_its_beginning_as_text() -> None:
    text = "The pump failed. " + "x" * 5_983 + "   The valve failed. " + "y" * 500 + " "
    last = split_sentences(text)[-1]
    assert (last.start, last.end, last.lead) == (6_003, len(text) - 1, None)
    (claim,) = last.claims
    assert (claim.start, claim.end, claim.labels, len(claim.text)) == (
        last.start,
        last.end,
        (),
        400,
    )
    assert claim.text.startswith("The valve failed. yy")
    assert len(split_sentences("It failed. " * 545 + " ")) == 545


@settings(max_examples=100)
@given(
    st.lists(
        st.sampled_from(
            [
                "MAIN B ",
                "was ",
                "lost",
                "[E1]",
                "[E2]",
                ", and ",
                "; ",
                ". ",
                "\n",
                "- ",
                "it ",
                "failed ",
                ", which ",
                "(",
                '"',
                ":",
                "? ",
            ]
        ),
        max_size=25,
    )
)
def test_claims_stand_in_their_order_inside_the_text_without_marks(parts: list[str]) -> None:
    text = "".join(parts)
    claims = split_claims(text)
    assert all(0 <= claim.start < claim.end <= len(text) for claim in claims)
    assert all(first.end <= second.start for first, second in pairwise(claims))
    assert not any("[E" in claim.text or "  " in claim.text for claim in claims)
    assert [claim for statement in split_sentences(text) for claim in statement.claims] == list(
        claims
    )


@pytest.mark.parametrize(
    "text", [" " * 40_000, "[E1]" * 20_000, "Mr. " * 10_000, '"a" and ' * 5_000]
)
def test_an_answer_beyond_all_measure_is_split_at_once(text: str) -> None:
    claims = split_claims(f"The pump failed. {text}")
    assert claims[0].text.startswith("The pump failed")
    assert claims[-1].end <= len(text) + 17


@pytest.mark.parametrize(
    "claim",
    [
        "Edward R. Murrow spoke from London.",
        "The U.K. Parliament met on Monday.",
        "Acme Inc. CEO Mary L. Osei left on Friday.",
        "Gen. Omar N. Bradley and Lt. Col. Ann Holt met at 5 p.m. in Hull.",
        "W. E. B. Du Bois wrote it.",
        "Martin Luther King Jr. Day is in January.",
    ],
)
def test_a_claim_is_not_cut_at_initials_and_abbreviations(claim: str) -> None:
    assert [own.text for own in split_claims(claim)] == [claim]
    marked = f"{claim[:-1]} [E1]. It rained [E2]."
    assert [own.labels for own in split_claims(marked)] == [("E1",), ("E2",)]
    pieces = [*answer_sentences([f"{claim} It rained."])]
    assert pieces == [f"{claim} ", "It rained."]
    assert [*answer_sentences([*f"{claim} It rained."])] == pieces  # letter by letter
