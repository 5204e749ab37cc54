"""What is a speaker's own, and what they spoke of."""

import pytest
from claim_cases import claim_cases, verdict_by_rules

from dynagrag.core.schema import Verdict

CASES = """
Carla Diaz: My sister lives in Lisbon.
  + Carla Diaz's sister lives in Lisbon.
Carla Diaz: Our factory closed in 1999.
  + Carla Diaz's factory closed in 1999.
Carla Diaz: My client never entered the house.
  + Diaz's client never entered the house.
  - Diaz's client entered the house.
Carla Diaz: We should look at the Miller report before Friday.
  + Carla Diaz mentioned the Miller report.
  ? Carla Diaz spoke about the Baker report.
Carla Diaz: The library in Porto was my favourite.
  + Carla talked about the library in Porto.
Carla Diaz: How much did the new roof cost?
  + Carla Diaz asked about the new roof.
Carla Diaz: The new roof cost nine thousand.
  ? Carla Diaz asked about the new roof.
Carla Diaz: Then there is Senator Park, who voted no.
  + Carla Diaz named Senator Park.
Carla Diaz: I like swimming.
  ? Carla Diaz mentioned the Miller report.
Tom Wu: Did the Coast Guard search the island?
  + Wu asked about the Coast Guard.
Tom Wu: The Coast Guard searched the island.
  + Tom Wu discussed the Coast Guard.
Rosa Klein: My brief explains the history of the rule.
  + Rosa Klein's brief explains the history of the rule.
Rosa Klein: They arrested my client in March.
  + Klein's client was arrested in March.
Rosa Klein: Your client signed the lease.
  ? Rosa Klein's client signed the lease.
Rosa Klein: Mr. Bauer's client signed the lease.
  ? Klein's client signed the lease.
Rosa Klein: Our office in Trier hired nine people.
  + Rosa Klein's office in Trier hired nine people.
Rosa Klein: My client met Bauer's father, who was arrested in May.
  ? Klein's client was arrested in May.
Rosa Klein: The judge fined my client nine euros.
  + The judge fined Klein's client nine euros.
Rosa Klein: The judge fined his client nine euros.
  ? The judge fined Klein's client nine euros.
Rosa Klein: And the Treaty of Ghent was never signed by him.
  + Rosa Klein mentioned the Treaty of Ghent.
Rosa Klein: The rent was paid. What about the heating costs?
  + Klein asked about the heating costs.
  ? Klein asked about the rent.
Rosa Klein: I met him in the tunnel under the river.
  + Rosa Klein talked about the tunnel under the river.
Rosa Klein: I met him on the bridge.
  ? Rosa Klein talked about the tunnel under the river.
Rosa Klein: Doctor Lang treated nine patients.
  + Klein named Doctor Lang.
Rosa Klein: The patients waited nine hours.
  ? Klein spoke about six hours.
Bauer: The heating costs rose.
  ? Klein mentioned the heating costs.
Rosa Klein: Two issues: wages and the canteen.
  + Rosa Klein raised the issue of wages.
Rosa Klein: The report on the mill is late. Miller is ill.
  ? Klein mentioned the Miller report.
Jeffrey L. Fisher: For example, my client in this case was prosecuted also under a separate count.
  + Fisher's client was prosecuted under a separate count.
Jeffrey L. Fisher: Remember, my client himself has already lost his job.
  + Jeffrey Fisher's client has lost his job.
Jeffrey L. Fisher: As Judge Kozinski put it, this covers inside hackers.
  + Fisher named Judge Kozinski.
Jeffrey L. Fisher: Your client lost his job.
  ? Fisher's client lost his job.
Ann Cole: The pump never failed.
  + Ann Cole mentioned the pump.
  - Ann Cole mentioned that the pump failed.
Ann Cole: The pump has two valves.
  ? Ann Cole mentioned the pump's three valves.
"""


@pytest.mark.parametrize(("line", "claim", "verdict"), claim_cases(CASES))
def test_what_is_the_speakers_and_what_they_spoke_of(
    line: str, claim: str, verdict: Verdict
) -> None:
    assert verdict_by_rules(line, claim) is verdict
