"""The words that rules know: stems, what says the same, and what the opposite."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import snowballstemmer

from dynagrag.generation.claims.word_senses import (
    PARTICIPLES,
    PAST,
    alike,
    degrees,
    is_irregular,
    lemma,
    opposites,
    plain_phrases,
    senses,
    told_forms,
)


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("wrote", "write"),
        ("written", "write"),
        ("went", "go"),
        ("goes", "go"),
        ("was", "be"),
        ("men", "man"),
        ("Directed", "direct"),
        ("Ada's", "Ada"),
        ("Ada’s", "ada"),
        ("engineers'", "engineer"),
    ],
)
def test_forms_of_a_word_have_its_stem(form: str, base: str) -> None:
    assert lemma(form) == lemma(base)


def test_a_form_that_no_rule_makes_is_irregular() -> None:
    assert [
        word for word in ("wrote", "gone", "are", "wives", "write", "opened") if is_irregular(word)
    ] == [
        "wrote",
        "gone",
        "are",
        "wives",
    ]


def test_the_past_and_the_participle_are_kept_apart_where_they_differ() -> None:
    words = ("went", "gone", "made", "woke", "woken", "opened")
    assert [word for word in words if word in PAST] == ["went", "made", "woke"]
    assert [word for word in words if word in PARTICIPLES] == ["gone", "made", "woken"]


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("say", {"says", "said"}),
        ("ask", {"asks", "asked"}),
        ("note", {"notes", "noted"}),
        ("deny", {"denies", "denied"}),
        ("think", {"thinks", "thought"}),
        ("delay", {"delays", "delayed"}),
    ],
)
def test_a_verb_tells_what_one_person_does_and_did(verb: str, forms: set[str]) -> None:
    assert told_forms([verb]) == forms


def test_several_verbs_tell_in_all_their_forms() -> None:
    assert told_forms(["tell", "reply"]) == {"tells", "told", "replies", "replied"}


@pytest.mark.parametrize(
    ("quality", "compared"),
    [
        ("fast", ("faster", "fastest")),
        ("large", ("larger", "largest")),
        ("early", ("earlier", "earliest")),
        ("grey", ("greyer", "greyest")),
        ("big", ("bigger", "biggest")),
        ("thin", ("thinner", "thinnest")),
        ("cheap", ("cheaper", "cheapest")),
        ("slow", ("slower", "slowest")),
    ],
)
def test_things_are_compared_by_a_quality(quality: str, compared: tuple[str, str]) -> None:
    assert degrees(quality) == compared


@pytest.mark.parametrize(
    ("one", "other", "is_opposite"),
    [
        ("open", "close", True),
        ("rose", "fell", True),
        ("more", "fewer", True),
        ("faster", "slower", True),
        ("fast", "slow", True),
        ("biggest", "smallest", True),
        ("earlier", "later", True),
        ("hottest", "coldest", True),
        ("old", "new", False),  # but older and newer are
        ("older", "newer", True),
        ("faster", "slowest", False),
        ("faster", "fast", False),
        ("open", "shut", False),
    ],
)
def test_opposites_are_so_both_ways(one: str, other: str, is_opposite: bool) -> None:
    pairs = opposites()
    assert (lemma(other) in pairs.get(lemma(one), ())) is is_opposite
    assert (lemma(one) in pairs.get(lemma(other), ())) is is_opposite


@pytest.mark.parametrize(
    ("word", "other", "is_alike", "is_sense"),
    [
        ("buy", "acquire", True, True),
        ("composed", "written", True, True),
        ("written", "composed", False, False),  # who writes need not write music
        ("employ", "work", False, True),  # but who works is employed
        ("employ", "hire", True, True),
        ("buy", "sell", False, False),
        ("table", "table", True, True),
        ("table", "chair", False, False),
    ],
)
def test_a_word_may_be_said_in_others(
    word: str, other: str, is_alike: bool, is_sense: bool
) -> None:
    assert (lemma(other) in alike(lemma(word)), lemma(other) in senses(lemma(word))) == (
        is_alike,
        is_sense,
    )


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Our CEO stepped down.", "Our CEO resigned."),
        ("Ada Stepped Down.", "Ada resigned."),
        ("The chief executive officer left.", "The ceo left."),
        ("The chief executive left.", "The ceo left."),
        ("It was set upon them.", "It was set upon them."),
        ("They beset up there.", "They beset up there."),
        ("Set up in May, blew up in June.", "founded in May, exploded in June."),
        ("It can't, won’t, didn't, and DON'T.", "It can not, will not, did not, and DO not."),
        (
            "We've seen they'll say you're late; I'm not.",
            "We have seen they will say you are late; I am not.",
        ),
        ("The warrantless search.", "The without warrant search."),
        (
            "It is wireless, regardless, unless nevertheless less.",
            "It is wireless, regardless, unless nevertheless less.",
        ),
        ("Bless her.", "Bless her."),
    ],
)
def test_phrases_are_read_as_the_word_that_says_the_same(text: str, plain: str) -> None:
    assert plain_phrases(text) == plain


def test_threads_that_stem_at_once_get_what_one_gets() -> None:
    words = [
        f"{stem}{ending}"
        for stem in ("organiz", "nation", "generaliz", "hope")
        for ending in ("ation", "ational", "fulness", "ings")
    ] * 200
    one = snowballstemmer.stemmer("english").stemWord
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lemma.__wrapped__, words))
    finally:
        sys.setswitchinterval(interval)
    assert found == [one(word) for word in words]
