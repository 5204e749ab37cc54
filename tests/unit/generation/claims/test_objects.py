"""To whom something is done is compared, too: who directed Comets and reviewed Rockets has not
directed Rockets.
"""

import pytest

from dynagrag.core.schema import Claim, Line, Verdict
from dynagrag.generation.claims.objects import objects
from dynagrag.generation.claims.reading import read
from dynagrag.generation.claims.roles import predicate_of
from dynagrag.generation.claims.rules_checker import RulesChecker

BOTH = "Ann directed Comets and reviewed Rockets."


def is_stated(claim: str, line: Line) -> bool:
    return RulesChecker().check([Claim(claim, (line,))])[0].verdict is Verdict.STATED


@pytest.mark.parametrize(
    ("said", "not_said", "line"),
    [
        ("Ann directed Comets.", "Ann directed Rockets.", BOTH),
        ("Ann reviewed Rockets.", "Ann reviewed Comets.", BOTH),
        ("Comets was directed by Ann.", "Rockets was directed by Ann.", BOTH),
        (
            "The council approved the budget.",
            "The council approved the report.",
            "The council approved the budget and rejected the report.",
        ),
        (
            "The council approved the report.",
            "The council approved the budget.",
            "The council rejected the budget but approved the report.",
        ),
        (
            "Ann founded Foo.",
            "Ann founded Acme.",
            "Ann founded Foo in 1990 and joined Acme in 1995.",
        ),
        ("Ann married Leo.", "Ann married Bob.", "Ann married Leo, and later divorced Bob."),
        ("Ann visited Paris.", "Ann visited Rome.", "Ann visited Paris before she moved to Rome."),
        ("Ann visited Paris.", "Ann visited Rome.", "Ann visited Paris before moving to Rome."),
        ("Ann hired Leo.", "Ann hired Bob.", "Ann, who hired Leo, met Bob."),
        ("Ann hired Leo.", "Ann hired Bob.", "Ann hired Leo, who fired Bob."),
        ("Ann sold Acme to Bob.", "Ann sold Foo to Bob.", "Ann sold Acme to Bob and bought Foo."),
        (
            "Ann praised Comets.",
            "Ann praised Rockets.",
            "Ann praised Comets, and Bob shunned Rockets.",
        ),
        (
            "Comets was directed by Ann.",
            "Rockets was directed by Ann.",
            "Comets, directed by Ann, beat Rockets.",
        ),
        (
            "Ann wrote Rockets.",
            "Ann wrote Comets.",
            "Ann wrote and produced Rockets and shunned Comets.",
        ),
        (
            "Ann praised Comets.",
            "Ann praised Rockets.",
            "Ann praised Comets and Bob Lee Kerr Hill shunned Rockets.",
        ),
        ("Ann praised Comets.", "Ann praised Bob.", "Ann praised Comets and was seen with Bob."),
        ("Ann praised Comets.", "Ann praised Bob.", "Ann praised Comets. She met Bob."),
        ("Ann wrote Rockets.", "Ann wrote Comets.", "Ann praised Comets and wrote Rockets."),
    ],
)
def test_what_is_done_to_one_is_not_done_to_the_other(said: str, not_said: str, line: str) -> None:
    assert is_stated(said, Line(line))
    assert not is_stated(not_said, Line(line))


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("Ann directed Rockets.", "Ann directed Comets and Rockets."),
        ("Ann directed Rockets.", "Ann directed Comets (1990), then Foo, and also Rockets."),
        ("Ann directed Rockets.", "Ann wrote, produced and directed Rockets."),
        ("Ann wrote Rockets.", "Ann wrote, produced and directed Rockets."),
        ("Ann directed Rockets.", "Rockets and Comets were directed by Ann."),
        ("Rockets was directed by Ann.", "Directed by Ann, Rockets was shown in Rome."),
        ("Ann wrote Rockets.", "Rockets is a novel that Ann wrote in Rome."),
        ("Ann wrote Rockets.", "Rockets, which Ann wrote, was shown."),
        ("Ann wrote Rockets.", "Leo praised Rockets after Ann wrote it."),
        ("Ann visited Rome.", "Ann visited Paris before Rome."),
        ("Ann directed Rockets.", "Ann, the director of Rockets, met Leo."),
        ("Ann directed Rockets.", "Rockets made Ann, its director, very rich."),
        ("We approved the plan.", "We praised the plan and approved it."),
        ("Ann founded Acme in Rome.", "In Rome, Ann founded Acme."),
        # an adverb behind the verb is no object, and a preposition behind that leads to none
        ("Ann directed Comets.", "Comets, that Ann directed quickly with Bob, won."),
        ("Ann directed Comets.", "Comets, that Ann directed with Bob, won."),
        ("Ann directed Comets.", "Ann directed quickly the new Comets and beat Bob."),
    ],
)
def test_objects_may_be_listed_shared_and_named_before(claim: str, line: str) -> None:
    assert is_stated(claim, Line(line))


def test_an_object_may_stand_in_the_title() -> None:
    assert is_stated(
        "Ann directed Rockets.", Line("Ann directed the film and beat Leo.", title="Rockets")
    )


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("Ann directed Comets and Rockets.", ["Comets", "Rockets"]),
        ("Ann sold Acme to Bob.", ["Acme"]),
        ("Comets was directed by Ann.", ["Comets"]),
        ("We approved the new budget in Rome.", ["budget"]),
        ("Ann moved to Rome.", []),
    ],
)
def test_the_objects_of_a_claim(claim: str, found: list[str]) -> None:
    reading = read(claim)
    predicate = predicate_of(reading)
    assert predicate is not None
    assert [reading.words[i].text for i in objects(reading, predicate)] == found
