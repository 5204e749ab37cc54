"""What a strict answer leaves out."""

from dynagrag.generation.claims.claim_split import split_claims
from dynagrag.generation.claims.strict_answer import strict_answer
from dynagrag.schema import CheckedClaim, Verdict


def test_what_is_contradicted_or_not_found_goes_and_what_is_stated_stays() -> None:
    text = "The pump failed at noon [E1]. The valve was open [E2]. Nine engineers left."
    verdicts = (Verdict.STATED, Verdict.CONTRADICTED, Verdict.NOT_FOUND)
    claims = [CheckedClaim(c.start, c.end, c.text, v, c.labels) for c, v in zip(split_claims(text), verdicts, strict=True)]
    strict = strict_answer(text, claims)
    assert strict.text == "The pump failed at noon [E1]."
    assert [claim.verdict for claim in strict.left_out] == [Verdict.CONTRADICTED, Verdict.NOT_FOUND]
    assert [claim.verdict for claim in strict.claims] == [Verdict.STATED]
