"""What is only supposed is not stated, unless the claim keeps the condition."""

import pytest
from claim_cases import claim_cases, verdict_by_rules

from dynagrag.core.schema import Verdict

CASES = """
John Hill: If the tax passed, every small shop in Leeds would close.
  + If the tax passed, every small shop in Leeds would close.
  ? Every small shop in Leeds closes.
  ? Every small shop in Leeds closed.
John Hill: Suppose that a nurse copies the patient list. Then she would be guilty of theft.
  ? The nurse is guilty of theft.
John Hill: Suppose a nurse copies the patient list.
  ? A nurse copies the patient list.
  ? A nurse copied the patient list.
John Hill: Imagine that the dam broke in the night. The village would be under water by morning.
  ? The village was under water by morning.
John Hill: Imagine that the dam broke in the night.
  ? The dam broke in the night.
John Hill: Let's say the company sold its factory in Ohio.
  ? The company sold its factory in Ohio.
John Hill: Hypothetically, the bank could lose nine million dollars.
  ? The bank lost nine million dollars.
John Hill: Assuming the brakes failed, the train would have hit the station.
  ? The train hit the station.
  ? The brakes failed.
John Hill: Unless the court intervenes, the school might lose its license.
  ? The school lost its license.
John Hill: The school might lose its license unless the court intervenes.
  ? The school loses its license.
John Hill: On the government's reading, checking sports scores at work would be a felony.
  ? Checking sports scores at work is a felony.
John Hill: What if the captain had sold the ship?
  ? The captain sold the ship.
John Hill: Had the captain sold the ship, the crew would have been paid.
  ? The crew was paid.
John Hill: Were the rule struck down, millions of workers would lose their pensions.
  ? Millions of workers lost their pensions.
John Hill: Let us assume that Anna called the police.
  ? Anna called the police.
John Hill: Say the clerk opens the safe. Then the clerk would be a burglar.
  ? The clerk is a burglar.
John Hill: When the tax passed, every small shop in Leeds closed.
  + Every small shop in Leeds closed.
John Hill: The company sold its factory in Ohio.
  + The company sold its factory in Ohio.
John Hill: As a boy he would walk to school every day.
  + As a boy he would walk to school every day.
Rosa Klein: Imagine a farmer whose barn burns down in the night. He loses three hundred cows.
  ? The farmer lost three hundred cows.
Rosa Klein: Under their theory, every teacher who prints a recipe at school would be a criminal.
  ? Every teacher who prints a recipe at school is a criminal.
Rosa Klein: So let's say the pilot turned left at the lighthouse.
  ? The pilot turned left at the lighthouse.
Rosa Klein: If the pilot had turned left, the plane would have hit the lighthouse.
  + The plane would have hit the lighthouse if the pilot had turned left.
  ? The plane hit the lighthouse.
Rosa Klein: Assume that the tenant paid the rent in cash. Then the owner might keep it.
  ? The tenant paid the rent in cash.
Rosa Klein: But suppose, for instance, that the old king of Bavaria had died in that winter of 1866.
  ? The king of Bavaria died in 1866.
Rosa Klein: Without the grant, the orchestra could lose its hall in Bremen.
  ? The orchestra lost its hall in Bremen.
Rosa Klein: What if a customer drops the vase and it breaks?
  ? A customer drops the vase.
Rosa Klein: Hypothetically speaking, the union accepted the offer in March.
  ? The union accepted the offer in March.
Rosa Klein: Imagine my surprise. The union accepted the offer in March.
  + The union accepted the offer in March.
Rosa Klein: Suppose you are right. That is one thing. The union accepted the offer in March.
  + The union accepted the offer in March.
Fisher: If the state is right, a user who shares a password commits a federal crime.
  + If the state is right, a user who shares a password commits a federal crime.
  ? A user who shares a password commits a federal crime.
Fisher: An employee who used Zoom over Thanksgiving would be subject to federal prosecutors.
  ? Using Zoom over Thanksgiving is a federal crime.
Rosa Klein: Suppose a nurse copies the list. She sells it. It is worth a fortune.
  ? It is worth a fortune.
Rosa Klein: Unless the court intervenes, the school might lose its license.
  + Unless the court intervenes, the school might lose its license.
  ? If the court intervenes, the school might lose its license.
"""


@pytest.mark.parametrize(("line", "claim", "verdict"), claim_cases(CASES))
def test_what_is_only_supposed_is_not_stated(line: str, claim: str, verdict: Verdict) -> None:
    assert verdict_by_rules(line, claim) is verdict
