"""What somebody doesn't say, think or know is neither stated nor denied."""

import pytest
from claim_cases import claim_cases, verdict_by_rules

from dynagrag.core.schema import Verdict
from dynagrag.generation.claims.reading import read
from dynagrag.generation.claims.reports import unheld

CASES = """
Mary Reed: No one on this committee claims that the bridge collapsed because of the flood.
  + No one on the committee claims that the bridge collapsed because of the flood.
  ? The bridge collapsed because of the flood.
  ? The bridge did not collapse because of the flood.
Mary Reed: None of us believes the mayor didn't sign the contract.
  ? The mayor signed the contract.
  ? The mayor didn't sign the contract.
Mary Reed: Not a single witness said that the driver was drunk.
  + Not a single witness said that the driver was drunk.
  ? The driver was drunk.
Mary Reed: We're not saying that the vaccine causes fever.
  ? The vaccine causes fever.
  ? The vaccine doesn't cause fever.
  ? Nobody says that the vaccine causes fever.
Mary Reed: I never claimed that Peter stole the car.
  + Mary Reed never claimed that Peter stole the car.
  - Mary Reed claimed that Peter stole the car.
  ? Peter stole the car.
  ? Peter didn't steal the car.
Mary Reed: Nobody is suggesting the hospital closed in 2010.
  ? The hospital closed in 2010.
  ? Nobody suggests that the hospital didn't close in 2010.
Mary Reed: Very few people think that the plan failed.
  ? The plan failed.
Mary Reed: I am not contending that the court lacked jurisdiction.
  ? The court lacked jurisdiction.
Mary Reed: Neither party argues that the treaty expired.
  ? The treaty expired.
  ? The treaty did not expire.
Mary Reed: No serious historian maintains that Napoleon was poisoned.
  ? Napoleon was poisoned.
Mary Reed: The report does not say that the engine was defective.
  ? The engine was defective.
  ? The engine was not defective.
Mary Reed: Nobody left the building before noon.
  + Nobody left the building before noon.
Mary Reed: The council says that the bridge collapsed in March.
  + The council says that the bridge collapsed in March.
Mary Reed: Nobody saw him, and the statute changed in 1986.
  + The statute changed in 1986.
Rosa Klein: There is no evidence that the miners were warned.
  ? The miners were warned.
  ? The miners were not warned.
Rosa Klein: It has never been suggested that the bank knew about the fraud.
  ? The bank knew about the fraud.
Rosa Klein: She isn't claiming the doctor made a mistake.
  ? The doctor made a mistake.
Rosa Klein: No lawyer in this room would argue that the will was forged.
  ? The will was forged.
Rosa Klein: Not one of the neighbors thinks that the fire was an accident.
  ? The fire was an accident.
  ? The fire was not an accident.
Rosa Klein: I don't believe that Karl wrote the letter.
  + Rosa Klein doesn't believe that Karl wrote the letter.
  ? Karl wrote the letter.
Rosa Klein: Hardly anyone says the harvest was good.
  ? The harvest was good.
Rosa Klein: The minister never said that taxes would fall.
  + The minister never said that taxes would fall.
  - The minister said that taxes would fall.
Rosa Klein: Nobody told us that the river had flooded in 1954.
  ? The river flooded in 1954.
Rosa Klein: We are not suggesting that the museum sold the painting, and the museum opened in 1930.
  + The museum opened in 1930.
  ? The museum sold the painting.
Rosa Klein: Nobody says that the museum sold the painting in 1931.
  ? The museum sold the painting in 1940.
Rosa Klein: It is not true that the museum sold the painting.
  - The museum sold the painting.
Rosa Klein: I'm not sure that the ferry sank in May.
  ? The ferry sank in May.
Rosa Klein: Nobody disputes that the ferry sank in May.
  + The ferry sank in May.
Jeffrey L. Fisher: So nobody here is arguing that the statute didn't change in 1986.
  + Nobody is arguing that the statute didn't change in 1986.
  + Nobody argues that the statute didn't change in 1986.
  ? The statute changed in 1986.
  ? The statute didn't change in 1986.
  ? Nobody is arguing that the statute changed in 1986.
  ? Nobody is arguing that the statute didn't change in 1987.
Mary Reed: Peter stole the car.
  ? Nobody says that Peter stole the car.
CV-39: We can't tell whether the pilot swam, but he does appear to have left the raft.
  + The pilot appears to have left the raft.
Mary Reed: It isn't the case that the pilot ignored the warning.
  + The pilot did not ignore the warning.
  - The pilot ignored the warning.
Paul Adler: It would be wrong to say that the bank is safe.
  - The bank is safe.
Paul Adler: That's not to say the bank is safe.
  ? The bank is safe.
Paul Adler: The witness didn't claim to have seen the knife.
  ? The witness saw the knife.
Paul Adler: There's no suggestion that the mayor took a bribe.
  ? The mayor took a bribe.
Paul Adler: Nobody knew the way, so we hired a guide in Lhasa.
  + We hired a guide in Lhasa.
"""


@pytest.mark.parametrize(("line", "claim", "verdict"), claim_cases(CASES))
def test_what_nobody_holds_is_neither_stated_nor_denied(
    line: str, claim: str, verdict: Verdict
) -> None:
    assert verdict_by_rules(line, claim) is verdict


@pytest.mark.parametrize(
    ("text", "whats"),
    [
        ("Nobody argues that it changed.", ["it changed"]),
        ("Nobody who saw it says it fell, but it fell.", ["it fell ,"]),
        ("I never said it broke, and she left at noon.", ["it broke"]),
        ("Nobody says that when it rained, the dam broke.", ["when it rained , the dam broke"]),
        ("He did not lie, because he never said that he knew.", ["he knew"]),
        ("Few people believe that it works.", ["it works"]),
        ("A few people believe that it works.", []),
        ("It is not said to have rained.", ["have rained"]),
        ("There is no proof whatsoever that it rained.", ["it rained"]),
        ("Nobody said a word about the flood.", []),
        ("Nobody said that.", []),
        ("I don't think so.", []),
        ("They denied that it rained.", []),
        ("Nobody denies that it rained.", []),
        ("I haven't seen that for boys.", []),
        ("I said that it did not rain.", []),
    ],
)
def test_where_a_report_is_denied(text: str, whats: list[str]) -> None:
    reading = read(text)
    assert [report.what(reading).text for report in unheld(reading)] == whats
