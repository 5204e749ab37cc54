"""A negation within a title or within quotation marks denies nothing that is said outside."""

import pytest

from dynagrag.generation.claims.reading import read
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.schema import Claim, Line, Verdict

MARTIANS = "Jouez or Do n't Play with Martians is a 1967 comedy film."
QUOTED = 'The song "Don\'t look back" was written by Ann.'
NEVER = "Never Let Me Go is a 2010 film directed by Mark Romanek."


def verdict(claim: str, line: str) -> Verdict:
    return RulesChecker().check([Claim(claim, (Line(line),))])[0].verdict


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("Don't Look Up was directed by Adam McKay.", "Don't Look Up is a film directed by Adam McKay."),
        ("Adam McKay directed Don't Look Up.", "Adam McKay directed the film Don’t Look Up."),
        ("The film was directed by Adam McKay.", "Don't Look Up is a film directed by Adam McKay."),
        ("Can't Buy Me Love was written by Paul.", "Can't Buy Me Love was written by Paul."),
        ("The film was directed by Mark Romanek.", NEVER),
        ("Jouez was released in 1967.", MARTIANS),
        ("The song was written by Ann.", QUOTED),
        ("The song was made by Ann.", 'Ann made the song "no regrets".'),
    ],
)
def test_what_has_such_a_title_is_stated_and_its_denial_is_not(claim: str, line: str) -> None:
    assert verdict(claim, line) is Verdict.STATED
    assert verdict(claim.replace(" was ", " was not ").replace("McKay directed", "McKay never directed"), line) is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("Don't Look Up was directed by Adam McKay.", "Don't Look Up wasn't directed by Adam McKay."),
        ("The pump has failed.", 'He said "the pump has not failed".'),
        ("The pump has failed.", '"The pump has not failed," he said.'),
        ("Ann closed the valve.", "Don't close the valve, Ann."),
        ("Ann likes the film.", "Ann does Not like the film."),
    ],
)
def test_what_is_denied_outside_of_a_title_stays_so(claim: str, line: str) -> None:
    assert verdict(claim, line) is not Verdict.STATED


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Don't Look Up was shown.", ["Do Not Look Up"]),
        ("Won't Get Fooled Again was sung.", ["Will Not Get Fooled Again"]),
        ("We saw It Wasn't Me.", ["It Was Not Me"]),
        ("Don't look up, Ann.", ["Ann"]),
        ("Didn't I tell Ann?", ["Ann"]),
        ("Never Let Me Go was shown.", ["Never Let Me Go"]),
        ("Ann does Not like it.", ["Ann"]),
        ("Never I saw Ann.", ["Ann"]),
        ("Dr. No came.", ["Dr . No"]),
    ],
)
def test_a_title_with_a_negation_is_one_name(text: str, names: list[str]) -> None:
    found = read(text)
    assert [" ".join(word.text for word in found.words[start:end]) for start, end in found.names] == names
