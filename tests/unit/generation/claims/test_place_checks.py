"""Another place of the same kind contradicts where a thing has one only."""

import pytest
from claim_cases import claim_cases, verdict_by_rules

from dynagrag.core.schema import Verdict

CASES = """
Ann Cole: The officer was convicted in Georgia.
  - The officer was convicted in Florida.
  ? The officer was convicted in Atlanta.
Ann Cole: Our office in Denver opened in May.
  ? The office in Boston opened in May.
Ann Cole: The trial took place in Texas in 2004.
  - The trial took place in Ohio in 2004.
Ann Cole: The case was not in the Ninth Circuit.
  - The case was in the Ninth Circuit.
Ann Cole: The meeting wasn't in Paris.
  - The meeting was in Paris.
Ann Cole: The appeal was heard by the Second Circuit, not the Third.
  - The appeal was heard by the Third Circuit.
Ann Cole: The plant is in Michigan.
  - The plant is in Indiana.
Ann Cole: We have offices in Georgia and in Florida.
  + We have offices in Florida.
Ann Cole: He worked in Georgia for ten years.
  ? He worked in Florida.
Ann Cole: The officer was convicted in Atlanta.
  ? The officer was convicted in Georgia.
Ann Cole: They sold cars in Texas.
  ? They sold cars in Ohio.
Ann Cole: The meeting wasn't in Paris, it was in Rome.
  + The meeting was in Rome.
Rosa Klein: The senator was born in Kansas.
  - The senator was born in Nebraska.
Rosa Klein: The hearing was held in the First Chamber.
  - The hearing was held in the Second Chamber.
Rosa Klein: This appeal comes from the Fifth Circuit.
  - This appeal comes from the Sixth Circuit.
Rosa Klein: The murder happened in Ohio.
  - The murder happened in Utah.
Rosa Klein: She studied in France and in Spain.
  ? She studied in Italy.
Rosa Klein: The company is based in Ohio and in Utah.
  ? The company is based in Texas.
Rosa Klein: Another trial was held in Ohio.
  ? The trial was held in Utah.
Rosa Klein: Two workers were killed in Ohio.
  ? Workers were killed in Utah.
Rosa Klein: The trial may have been held in Ohio.
  ? The trial was held in Utah.
Rosa Klein: The bridge is in Scotland.
  ? The bridge is in Britain.
Rosa Klein: The office was in Ohio until 1990.
  ? The office is in Utah.
Jeffrey L. Fisher: In fact, this case comes from Georgia, and Georgia itself has a statute.
  - This case comes from Florida.
Jeffrey L. Fisher: Not in the Eleventh Circuit, but there is the Drew case out of the Ninth Circuit.
  - The Drew case was in the Eleventh Circuit.
Ann Cole: The case comes from Georgia or Alabama.
  ? The case comes from Florida.
Ann Cole: The trial will be held in Ohio.
  ? The trial was held in Utah.
Ann Cole: Nobody says that the trial was held in Ohio.
  ? The trial was held in Utah.
Ann Cole: The bank's trial was held in Ohio, the mayor's in Texas.
  ? The trial was held in Utah.
Ann Cole: The cars were found in Ohio.
  ? The cars were found in Utah.
Ann Cole: The mill was founded in Ohio.
  ? The mill was founded in Dayton.
"""


@pytest.mark.parametrize(("line", "claim", "verdict"), claim_cases(CASES))
def test_another_place_contradicts_only_where_there_is_one(
    line: str, claim: str, verdict: Verdict
) -> None:
    assert verdict_by_rules(line, claim) is verdict
