"""What a strict answer leaves out."""

import pytest

from dynagrag.core.schema import CheckedClaim, Line, Verdict
from dynagrag.generation.claims.answer_claims import WrittenFrom, checked_claims
from dynagrag.generation.claims.claim_split import split_claims
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.claims.strict_answer import StrictAnswer, strict_answer


def test_what_is_contradicted_or_not_found_goes_and_what_is_stated_stays() -> None:
    text = "The pump failed at noon [E1]. The valve was open [E2]. Nine engineers left."
    verdicts = (Verdict.STATED, Verdict.CONTRADICTED, Verdict.NOT_FOUND)
    claims = [
        CheckedClaim(c.start, c.end, c.text, v, c.labels)
        for c, v in zip(split_claims(text), verdicts, strict=True)
    ]
    strict = strict_answer(text, claims)
    assert strict.text == "The pump failed at noon [E1]."
    assert [claim.verdict for claim in strict.left_out] == [Verdict.CONTRADICTED, Verdict.NOT_FOUND]
    assert [claim.verdict for claim in strict.claims] == [Verdict.STATED]


def strict(text: str, *stated: int) -> StrictAnswer:
    """The strict answer where the claims of these numbers are stated."""
    claims = [
        CheckedClaim(
            c.start, c.end, c.text, Verdict.STATED if i in stated else Verdict.NOT_FOUND, c.labels
        )
        for i, c in enumerate(split_claims(text))
    ]
    return strict_answer(text, claims)


LIST = "They found:\n- Ada sold the tram [E1]\n- Bob came home\n\nCleo left Rome. Dora met Max."


@pytest.mark.parametrize(
    ("text", "stated", "left"),
    [
        ("Ada sold it. Bob came home. Cleo left Rome.", (0, 2), "Ada sold it. Cleo left Rome."),
        ("Ada sold it.\n\nBob came home.", (0, 1), "Ada sold it. Bob came home."),
        ("Ada sold the tram, and Bob came home [E1][E2].", (1,), "Bob came home. [E1][E2]"),
        ("Ada sold the tram, and she came home.", (1,), "She came home."),
        (LIST, (0, 1, 2, 3), LIST),
        (LIST, (0, 2), "They found:\n- Ada sold the tram [E1]\n\nCleo left Rome."),
        (LIST, (1, 3), "They found:\n- Bob came home\n\nDora met Max."),
        (LIST, (2, 3), "Cleo left Rome. Dora met Max."),
        (
            f"Dora met Max.\n\n{LIST}",
            (0, 1, 2),
            "Dora met Max.\n\nThey found:\n- Ada sold the tram [E1]\n- Bob came home",
        ),
        (LIST, (), ""),
    ],
)
def test_what_is_left_reads_on_and_its_claims_know_their_places(
    text: str, stated: tuple[int, ...], left: str
) -> None:
    made = strict(text, *stated)
    assert made.text == left
    assert (len(made.claims), len(made.left_out)) == (
        len(stated),
        len(split_claims(text)) - len(stated),
    )
    assert [(claim.start, claim.end) for claim in made.claims] == [
        (claim.start, claim.end) for claim in split_claims(left)
    ]


ITEM, LINE = (
    "- The valve was opened at nine [E1].",
    Line("The valve was opened at nine.", "Ann", "T"),
)


@pytest.mark.parametrize(
    "lead",
    [
        "Here is what Smith, who killed Bob, did:",
        "I found that Smith killed Bob, as follows:",
        "The following are lies:",
        "Below are things which Ann denied:",
        "Smith killed Bob. Smith did the following:",
    ],
)
def test_a_list_s_lead_that_says_something_is_checked_with_its_items(lead: str) -> None:
    text = f"{lead}\n{ITEM}"
    claims = checked_claims([WrittenFrom(text, {"E1": LINE})], RulesChecker())[0]
    assert (strict_answer(text, claims).text, len(claims) > 0) == ("", True)


@pytest.mark.parametrize(
    ("lead", "left"),
    [
        ("Here is what I found:", f"Here is what I found:\n{ITEM}"),
        ("The lines say:", f"The lines say:\n{ITEM}"),
        ("Sure, in summary:", f"Sure, in summary:\n{ITEM}"),
        ("Here are the facts about Smith the thief:", ITEM),
    ],
)
def test_of_leads_without_a_claim_only_bare_ones_stay(lead: str, left: str) -> None:
    text = f"{lead}\n{ITEM}"
    claims = checked_claims([WrittenFrom(text, {"E1": LINE})], RulesChecker())[0]
    made = strict_answer(text, claims)
    assert made.text == left
    assert [made.text[claim.start : claim.end] for claim in made.claims] == [ITEM[2:]]


@pytest.mark.parametrize(
    "text",
    [
        '"The valve was opened at nine" is a lie [E1].',
        "“The valve was opened at nine,” is false [E1].",
        '"The valve was opened" was a myth [E1].',
    ],
)
def test_a_quotation_that_is_called_untrue_is_not_stated_by_the_line_that_has_it(text: str) -> None:
    claims = checked_claims([WrittenFrom(text, {"E1": LINE})], RulesChecker())[0]
    assert [claim.verdict is Verdict.STATED for claim in claims] == [False]
    assert strict_answer(text, claims).text == ""
