"""What somebody is told to do is not stated as done."""

import pytest
from claim_cases import claim_cases, verdict_by_rules

from dynagrag.core.schema import Verdict

CASES = """
Caroline: Do your research and find an adoption agency or lawyer.
  ? Melanie researched adoption agencies.
  ? Melanie found an adoption agency.
  ? Caroline found an adoption agency.
Anna Reed: Please check the oil filter and replace the left valve.
  ? The left valve was replaced.
  ? Tom replaced the left valve.
Anna Reed: Take the old road to Hull and call the harbour master from there.
  ? Tom called the harbour master.
Anna Reed: Okay, open the hatch, then close the oxygen valve.
  ? The oxygen valve was closed.
Anna Reed: Send the contract to Hull and tell the bank about the loan.
  ? The bank was told about the loan.
Anna Reed: Take the old road, and you find the harbour master in Hull.
  + You find the harbour master in Hull.
Anna Reed: The crew took the old road and called the harbour master.
  + The crew called the harbour master.
Anna Reed: Open the hatch. Tom closed the oxygen valve.
  + Tom closed the oxygen valve.
Anna Reed: I did my research and found an adoption agency.
  + Anna Reed found an adoption agency.
"""
"""Of each line, what it states (+) and what it does not (?)."""


@pytest.mark.parametrize(("line", "claim", "verdict"), claim_cases(CASES))
def test_what_is_commanded_is_not_stated(line: str, claim: str, verdict: Verdict) -> None:
    assert verdict_by_rules(line, claim) is verdict
