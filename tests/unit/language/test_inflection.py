"""The forms of English verbs that no rule makes, and of those that rules make."""

import subprocess
import sys

import pytest

from dynagrag.language.english.data import groups_of
from dynagrag.language.english.inflection import participles, pasts, thirds
from dynagrag.language.thesaurus import GroupKind

IRREGULAR = """
    be was been; bear bore born/borne; become became become; begin began begun; bend bent bent;
    bind bound bound; bite bit bitten; blow blew blown; break broke broken; bring brought brought;
    build built built; burn burnt burnt; buy bought bought; catch caught caught; choose chose
    chosen; come came come; cost cost cost; cut cut cut; deal dealt dealt; do did done; draw drew
    drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed fed;
    feel felt felt; fight fought fought; find found found; fly flew flown; forget forgot
    forgotten; freeze froze frozen; get got got/gotten; give gave given; go went gone; grow grew
    grown; hang hung hung; have had had; hear heard heard; hide hid hidden; hit hit hit; hold held
    held; hurt hurt hurt; keep kept kept; know knew known; lay laid laid; lead led led; leave left
    left; lend lent lent; let let let; light lit lit; lose lost lost; make made made; mean meant
    meant; meet met met; pay paid paid; put put put; read read read; ride rode ridden; ring rang
    rung; rise rose risen; run ran run; say said said; see saw seen; seek sought sought; sell sold
    sold; send sent sent; set set set; shake shook shaken; shoot shot shot; show showed shown;
    shrink shrank shrunk; shut shut shut; sing sang sung; sink sank sunk; sit sat sat; sleep slept
    slept; slide slid slid; speak spoke spoken; spend spent spent; spin spun spun; split split
    split; stand stood stood; steal stole stolen; stick stuck stuck; strike struck struck; swear
    swore sworn; sweep swept swept; swim swam swum; swing swung swung; take took taken; teach
    taught taught; tear tore torn; tell told told; think thought thought; throw threw thrown;
    understand understood understood; wake woke woken; wear wore worn; win won won; write wrote
    written
"""
"""Verb, pasts, participles."""


@pytest.mark.parametrize("row", [tuple(row.split()) for row in IRREGULAR.split(";")])
def test_irregular_verbs_have_their_forms(row: tuple[str, str, str]) -> None:
    verb, past, participle = row
    assert set(past.split("/")) <= set(pasts(verb))
    assert set(participle.split("/")) <= set(participles(verb))


@pytest.mark.parametrize(
    ("verb", "participle"),
    [("burn", "burnt"), ("get", "got"), ("light", "lit"), ("wake", "woken"), ("bear", "born")],
)
def test_the_common_participle_is_first(verb: str, participle: str) -> None:
    assert participles(verb)[0] == participle


@pytest.mark.parametrize(
    ("verb", "past", "third"),
    [("stop", "stopped", "stops"), ("try", "tried", "tries"), ("pass", "passed", "passes")],
)
def test_regular_verbs_are_spelt_right(verb: str, past: str, third: str) -> None:
    assert (pasts(verb), participles(verb), thirds(verb)) == ((past,), (past,), (third,))


def test_to_be_has_all_its_forms() -> None:
    assert (pasts("be"), participles("be"), thirds("be")) == (("was", "were"), ("been",), ("is",))


def test_a_verb_that_the_dictionary_lacks_is_regular() -> None:
    assert (pasts("uplink"), participles("uplink")) == (("uplinked",), ("uplinked",))
    assert thirds("uplink") == ("uplinks",)


def test_a_command_that_inflects_nothing_never_loads_the_dictionary() -> None:
    code = (
        "import sys, dynagrag.cli.main, dynagrag.language.english.english as e; "
        "e.English().number('two'); print('lemminflect' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_the_irregular_pasts_of_the_thesaurus_are_the_dictionarys() -> None:
    for verb, past, *participle in groups_of(GroupKind.IRREGULAR_PASTS):
        assert past in pasts(verb)
        assert set(participle) <= set(participles(verb))
