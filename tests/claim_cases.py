"""Claims and the verdicts that rules should give them, written as text.

Ann: Nobody says that it leaked.
  + Nobody says that it leaked.      the line states it
  - Ann said that it leaked.         it contradicts it
  ? It leaked.                       it does neither
"""

from dynagrag.core.schema import Claim, Line, Verdict
from dynagrag.generation.claims.rules_checker import RulesChecker

_VERDICTS = {"+": Verdict.STATED, "-": Verdict.CONTRADICTED, "?": Verdict.NOT_FOUND}


def claim_cases(text: str) -> list[tuple[str, str, Verdict]]:
    """(speaker: line, claim, verdict) of each claim."""
    found, said = [], ""
    for row in text.strip().splitlines():
        if row[0].isspace():
            sign, claim = row.strip().split(" ", 1)
            found.append((said, claim, _VERDICTS[sign]))
        else:
            said = row
    return found


def verdict_by_rules(said: str, claim: str) -> Verdict:
    """Of a claim beside one line, `speaker: text`."""
    speaker, text = said.split(": ", 1)
    return RulesChecker().check([Claim(claim, (Line(text, speaker),))])[0].verdict
