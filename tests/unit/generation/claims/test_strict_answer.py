"""What a strict answer leaves out."""

import pytest

from dynagrag.generation.claims.claim_split import split_claims
from dynagrag.generation.claims.strict_answer import StrictAnswer, strict_answer
from dynagrag.schema import CheckedClaim, Verdict


def test_what_is_contradicted_or_not_found_goes_and_what_is_stated_stays() -> None:
    text = "The pump failed at noon [E1]. The valve was open [E2]. Nine engineers left."
    verdicts = (Verdict.STATED, Verdict.CONTRADICTED, Verdict.NOT_FOUND)
    claims = [CheckedClaim(c.start, c.end, c.text, v, c.labels) for c, v in zip(split_claims(text), verdicts, strict=True)]
    strict = strict_answer(text, claims)
    assert strict.text == "The pump failed at noon [E1]."
    assert [claim.verdict for claim in strict.left_out] == [Verdict.CONTRADICTED, Verdict.NOT_FOUND]
    assert [claim.verdict for claim in strict.claims] == [Verdict.STATED]


def strict(text: str, *stated: int) -> StrictAnswer:
    """The strict answer where the claims of these numbers are stated."""
    claims = [
        CheckedClaim(c.start, c.end, c.text, Verdict.STATED if i in stated else Verdict.NOT_FOUND, c.labels)
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
        (f"Dora met Max.\n\n{LIST}", (0, 1, 2), "Dora met Max.\n\nThey found:\n- Ada sold the tram [E1]\n- Bob came home"),
        (LIST, (), ""),
    ],
)
def test_what_is_left_reads_on_and_its_claims_know_their_places(text: str, stated: tuple[int, ...], left: str) -> None:
    made = strict(text, *stated)
    assert made.text == left
    assert (len(made.claims), len(made.left_out)) == (len(stated), len(split_claims(text)) - len(stated))
    assert [(claim.start, claim.end) for claim in made.claims] == [(claim.start, claim.end) for claim in split_claims(left)]
