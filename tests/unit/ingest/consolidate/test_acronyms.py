"""Acronyms over a corpus: which name they spell, when a fit may be a coincidence, and what texts
say they are.
"""

import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_judge import merged, run, said

from dynagrag.core.schema import Flag, Mention
from dynagrag.ingest.consolidate.acronyms import (
    AcronymIndex,
    is_acronym,
    is_spelt_out,
    spells_out,
)
from dynagrag.ingest.consolidate.definitions import (
    defined_acronyms,
    find_definitions,
    stated_aliases,
)
from dynagrag.ingest.consolidate.guards import conflict
from dynagrag.ingest.consolidate.used_names import used_names

# Ten of each domain, so that a corpus shows that its acronyms are spelt out somewhere.
_MEDICINE = {
    "Magnetic Resonance Imaging": "MRI",
    "Deep Vein Thrombosis": "DVT",
    "Chronic Obstructive Pulmonary Disease": "COPD",
    "Intensive Care Unit": "ICU",
    "Body Mass Index": "BMI",
    "Urinary Tract Infection": "UTI",
    "Computed Axial Tomography": "CAT",
}
_LAW = {
    "Freedom of Information Act": "FOIA",
    "Securities and Exchange Commission": "SEC",
    "Memorandum of Understanding": "MOU",
    "Administrative Procedure Act": "APA",
    "Digital Millennium Copyright Act": "DMCA",
    "Department of Justice": "DOJ",
}
_SOFTWARE = {
    "Application Programming Interface": "API",
    "Abstract Syntax Tree": "AST",
    "Continuous Integration Pipeline": "CIP",
    "Garbage Collection Pause": "GCP",
    "Remote Procedure Call": "RPC",
    "Virtual Private Cloud": "VPC",
}
_MEETINGS = {
    "Quarterly Business Review": "QBR",
    "Annual General Meeting": "AGM",
    "User Interface Designer": "UID",
    "Key Performance Indicator": "KPI",
    "Statement of Work": "SOW",
    "Request for Proposal": "RFP",
}


def _joined(mentions: list[Mention], texts: list[str] | None = None) -> set[frozenset[str]]:
    return {frozenset(members) for _, members, _ in merged(run(mentions, texts=texts or []))}


def _defined(text: str, *names: str) -> set[frozenset[str]]:
    """What a text alone makes one, of these names."""
    by_key = {n.key: n for n in used_names([said(name, type_="") for name in names])}
    found = find_definitions([text], by_key)
    pairs = [*stated_aliases(found, str), *defined_acronyms(found, by_key, str)]
    return {
        frozenset(pair)
        for _, *pair in pairs
        if conflict(by_key[pair[0]].name, by_key[pair[1]].name) is None
    }


def _corpus(pairs: dict[str, str], *more: str) -> list[Mention]:
    names = [*pairs, *pairs.values(), *more]
    return [said(name, doc=f"d{n}", type_="") for n, name in enumerate(names)]


@pytest.mark.parametrize(
    "pairs",
    [_MEDICINE, _LAW, _SOFTWARE, _MEETINGS],
    ids=["medicine", "law", "software", "meetings"],
)
def test_acronyms_are_joined_with_the_one_name_of_the_corpus_that_they_spell(
    pairs: dict[str, str],
) -> None:
    assert _joined(_corpus(pairs)) == {
        frozenset({long.casefold(), short.casefold()}) for long, short in pairs.items()
    }


@pytest.mark.parametrize("pairs", [_MEDICINE, _SOFTWARE], ids=["medicine", "software"])
def test_an_acronym_that_two_names_spell_is_left_apart(pairs: dict[str, str]) -> None:
    long, short = next(iter(pairs.items()))
    other = " ".join(word[0] + "another" for word in long.split())
    joined = _joined(_corpus(pairs, other.title()))
    assert not any(short.casefold() in group for group in joined)
    assert len(joined) == len(pairs) - 1


def test_spellings_of_one_name_are_one_meaning() -> None:
    joined = _joined(_corpus(_MEDICINE, "Deep Vein Thromboses", "Intensive Care Units", "ICUs"))
    assert frozenset({"icu", "icus", "intensive care unit", "intensive care units"}) in joined


def test_in_a_corpus_full_of_names_a_fit_of_two_letters_is_taken_for_a_coincidence() -> None:
    pairs = {**_MEDICINE, "Command Module": "CM"}
    assert frozenset({"cm", "command module"}) in _joined(_corpus(pairs))
    crowd = [
        f"{a}{b}lan {c}{d}ton"
        for a in "BDFGHJKL"
        for b in "aeiou"
        for c in "CMPRSTW"
        for d in "aeo"
    ]
    assert not any("cm" in group for group in _joined(_corpus(pairs, *crowd)))


def test_an_acronym_is_not_joined_with_words_a_person_or_another_code() -> None:
    people = [said("Jane Quincy Doe", doc="x", type_="person"), said("JQD", doc="y", type_="")]
    assert not any("jqd" in group for group in _joined([*_corpus(_LAW), *people]))
    assert not any("it" in group for group in _joined(_corpus(_LAW, "IT", "Iron Tower")))
    assert not any("fbi" in group for group in _joined(_corpus(_LAW, "FBI", "FIRST BUS INVERTER")))


@pytest.mark.parametrize(
    ("text", "long", "short"),
    [
        ("We flew the LM, the lunar module, home.", "lunar module", "LM"),
        ("the lunar module (LM) was cold", "lunar module", "LM"),
        ("the LM (lunar module) was cold", "lunar module", "LM"),
        ("urinary tract infections, or UTIs, were seen", "urinary tract infections", "UTI"),
        ("Deep vein thrombosis (DVT) is common.", "deep vein thrombosis", "DVT"),
        ("DVT stands for deep vein thrombosis.", "deep vein thrombosis", "DVT"),
        ("DVT is short for deep vein thrombosis", "deep vein thrombosis", "DVT"),
        ("the capsule communicator, called CapCom, spoke", "capsule communicator", "CapCom"),
        ("the Freedom of Information Act (the “FOIA”)", "Freedom of Information Act", "FOIA"),
        ("the request\nfor proposal (RFP)", "request for proposal", "RFP"),
    ],
)
def test_a_text_defines_an_acronym_beside_the_words_that_spell_it(
    text: str, long: str, short: str
) -> None:
    assert _defined(text, long, short)
    assert _defined("Nothing of the sort is said here.", long, short) == set()


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("Dr. Jones (Smith) agreed.", "Dr. Jones", "Smith"),
        ("Main Bus A (MBB) failed.", "Main Bus A", "MBB"),
        ("The CM measures 3 cm, crew moved.", "centimetre", "CM"),
        ("The lunar module. LM is cold.", "lunar module", "LM"),
        ("GPT-4 (GPT-3.5 before) is larger.", "GPT-4", "GPT-3.5"),
        ("Marilyn Lovell (ML)", "Mary Lee", "ML"),
    ],
)
def test_brackets_alone_define_nothing(text: str, one: str, other: str) -> None:
    assert _defined(text, one, other) == set()


def test_an_acronym_that_texts_define_twice_is_left_apart() -> None:
    mentions = [
        said(n, type_="") for n in ("American Football League", "Australian Football League", "AFL")
    ]
    one, other = (
        "The American Football League (AFL) won.",
        "The Australian Football League (AFL) won.",
    )
    assert _joined(mentions, [one]) == {frozenset({"afl", "american football league"})}
    assert _joined(mentions, [one, other]) == set()


def test_a_text_speaks_against_another_name_that_happens_to_fit() -> None:
    text = "The corrosion rate probe (CRP) is new; a C-reactive protein test is old."
    mentions = [said(n, type_="") for n in ("Carbon Relay Point", "CRP")]
    assert _joined([*_corpus(_MEDICINE), *mentions], [text]) == _joined(_corpus(_MEDICINE))


@pytest.mark.parametrize(
    ("text", "one", "other", "are_one"),
    [
        ("Hercules, also known as Heracles, was strong.", "Hercules", "Heracles", True),
        ("Orenco was short for Oregon Nursery Company.", "Orenco", "Oregon Nursery Company", True),
        ("Bombay, now also called Mumbai, grew.", "Bombay", "Mumbai", True),
        ("Samuel Clemens (a.k.a. Mark Twain) wrote.", "Samuel Clemens", "Mark Twain", True),
        ("He was an engineer with NASA, also known as Bob.", "NASA", "Bob", False),
        ("the president of France, also known as Le General", "France", "Le General", False),
        (
            "the 1984 outbreak, also known as the Ivanovo tornado outbreak",
            "1984 outbreak",
            "Ivanovo",
            False,
        ),
        ("Bombay is near Pune, also a city.", "Bombay", "Pune", False),
        ("Section 4, also known as Section 5", "Section 4", "Section 5", False),
        ("Main A, also known as Main B", "Main A", "Main B", False),
    ],
)
def test_names_are_one_where_a_text_says_so(text: str, one: str, other: str, are_one: bool) -> None:
    assert bool(_joined([said(one, type_=""), said(other, type_="")], [text])) is are_one


def test_a_name_that_is_said_to_be_two_things_is_neither() -> None:
    texts = [
        "George Ruth, also known as Babe, played.",
        "Mildred Zaharias, also known as Babe, ran.",
    ]
    assert (
        _joined([said(n, type_="") for n in ("George Ruth", "Mildred Zaharias", "Babe")], texts)
        == set()
    )


def test_persons_whose_names_differ_are_never_joined_by_a_definition() -> None:
    mentions = [said("Clement Hill", type_="person"), said("Clarence Thomas", type_="person")]
    assert _joined(mentions, ["Clement Hill, also known as Clarence Thomas"]) == set()


_words = st.text(string.ascii_lowercase, min_size=1, max_size=6)
_names = st.lists(
    st.lists(_words, min_size=1, max_size=4).map(lambda ws: " ".join(w.capitalize() for w in ws)),
    min_size=1,
    max_size=12,
)
_codes = st.lists(st.text("ABCM", min_size=2, max_size=4), max_size=6)


@given(_names, _codes, st.randoms(use_true_random=False))
def test_the_order_of_mentions_and_texts_changes_nothing(
    names: list[str], codes: list[str], rnd
) -> None:  # type: ignore[no-untyped-def]
    mentions = [said(name, doc=f"d{n}", type_="") for n, name in enumerate([*names, *codes])]
    texts = [f"{name} ({code}) is here." for name, code in zip(names, codes, strict=False)]
    before = merged(run(mentions, texts=texts))
    rnd.shuffle(mentions)
    rnd.shuffle(texts)
    assert merged(run(mentions, texts=texts)) == before


@given(st.lists(_words, min_size=2, max_size=6))
def test_every_name_is_spelt_out_by_its_initials_alone_or_by_beginnings(words: list[str]) -> None:
    name = " ".join(words)
    letters = "".join(word[0] for word in words)
    assert spells_out(name, letters)
    assert not spells_out(name, letters + "q")


@given(_names)
def test_the_index_finds_what_spelling_out_says(names: list[str]) -> None:
    used = used_names([said(name, type_="") for name in names])
    index = AcronymIndex(used)
    for name in used:
        letters = "".join(word[0] for word in name.key.split())
        assert all(spells_out(long, letters) for long in index.meanings(letters))


_beginnings = st.integers(1, 4)


@given(
    _names, st.lists(st.tuples(st.integers(0, 11), st.lists(_beginnings, min_size=4)), max_size=4)
)
def test_the_index_finds_all_names_and_none_but_those_that_spell_an_acronym_out(
    names: list[str], cuts: list[tuple[int, list[int]]]
) -> None:
    used = used_names([said(name, type_="") for name in names])
    index = AcronymIndex(used)
    for place, sizes in cuts:
        words = names[place % len(names)].casefold().split()
        short = "".join(word[:size] for word, size in zip(words, sizes, strict=False))
        assert index.meanings(short) == [
            name.key
            for name in used
            if name.key != short and is_spelt_out(name) and spells_out(name.key, short)
        ]


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("Lunar Module", True),
        ("Lunar", False),
        ("the Lunar", False),  # of two words but one small
        ("Mars 3 Probe", False),
        ("NASA Module", False),
        ("A Team Bus", True),  # one capital is no acronym
        ("Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel", True),
        ("Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India", False),
    ],
)
def test_an_acronym_may_stand_for_names_of_two_to_eight_plain_words(
    name: str, is_one: bool
) -> None:
    (used,) = used_names([said(name, type_="")])
    assert is_spelt_out(used) is is_one


def test_an_acronym_stands_for_no_person_and_for_no_mere_words() -> None:
    (person,) = used_names([said("Jane Doe", type_="person")])
    (words,) = used_names([replace(said("lunar module"), flags=(Flag.CONTENT_WORD,))])
    assert not is_spelt_out(person)
    assert not is_spelt_out(words)
    index = AcronymIndex([person, words])
    assert index.meanings("jd") == index.meanings("lm") == []


@pytest.mark.parametrize(
    ("surface", "is_one"),
    [
        ("LM", True),
        ("MC&W", True),
        ("CapCom", True),
        ("mAb", True),
        ("U.S.A", True),
        ("A-B", True),
        ("ABCDEFGH", True),
        ("L", False),
        ("Lm", False),
        ("lm", False),
        ("ABCDEFGHI", False),
        ("L M", False),
        ("A1", False),
        ("A--B", False),
        ("AB-", False),
        ("A_B", False),
    ],
)
def test_acronyms_are_words_of_two_to_eight_letters_with_a_capital_behind_the_first(
    surface: str, is_one: bool
) -> None:
    assert is_acronym(surface) is is_one


@pytest.mark.parametrize(
    ("name", "short", "is_spelt"),
    [
        ("lunar module", "lm", True),
        ("lunar module", "l.m.", True),
        ("lunar module", "lu", False),
        ("department of defense", "dd", True),
        ("department of defense", "dod", True),
        ("department of defense", "dedef", True),
        ("department of defense", "deofdef", False),  # the small word is left out of beginnings
        ("capsule communicator", "capcom", True),
        ("capsule communicator", "cacom", True),
        ("capsule communicator", "cacomx", False),
        ("capsule communicator", "capsc", False),  # one letter is no beginning
        ("capsule communicator", "cap", False),
        ("capsule communicator", "caco", False),  # four letters say too little
        ("capsule communicator box", "cacobo", True),
        ("capsule", "c", False),
        ("mars 3", "m3", False),
    ],
)
def test_an_acronym_has_the_initials_of_a_name_or_from_five_letters_its_beginnings(
    name: str, short: str, is_spelt: bool
) -> None:
    assert spells_out(name, short) is is_spelt
    (used,) = used_names([said(name, type_="")])
    assert AcronymIndex([used]).meanings(short) == ([name] if is_spelt else [])


@pytest.mark.parametrize(
    ("short", "documents", "chance"),
    [
        # 2 names of two words; r, f, b and h once each, of 4 letters and 26 more: (1 + 1) / 30
        ("rf", (), 2 * (2 / 30) ** 2),
        ("xx", (), 2 * (1 / 30) ** 2),
        ("r.f", (), 2 * (2 / 30) ** 2),
        ("rf", ("d0",), 1 * (2 / 30) ** 2),
        ("rf", ("d0", "d1"), 2 * (2 / 30) ** 2),
        ("rf", ("d9",), 0.0),
        ("rfb", (), 0.0),  # no name has three words
        ("rf", ("d1", "d9"), 1 * (2 / 30) ** 2),
        ("rf", ("d2",), 1 * (2 / 30) ** 2),
    ],
)
def test_chance_is_how_many_names_would_have_these_initials_if_letters_were_drawn(
    short: str, documents: tuple[str, ...], chance: float
) -> None:
    mentions = [said("Red Fox", doc="d0"), said("Blue Hat", doc="d1"), said("Gold", doc="d1")]
    mentions += [said("Red Foxes", doc="d0"), said("Red Fox", doc="d2")]
    index = AcronymIndex(used_names(mentions), lambda key: key.replace("foxes", "fox"))
    # two spellings count once, and a name of two documents, too
    assert index.chance(short, documents) == pytest.approx(chance)


@pytest.mark.parametrize(("num_others", "is_joined"), [(0, True), (9, True), (10, False)])
def test_where_few_acronyms_are_spelt_out_a_fit_of_two_letters_may_be_a_coincidence(
    num_others: int, is_joined: bool
) -> None:
    """RF has a chance of (2/28)^2 = 0.005. It fits alone of n acronyms: p is 1 / (n + 1), the doubt
    (1 - p) c / (p + (1 - p) c): 0.005 for n = 1, 0.049 for 10, 0.053 for 11. Five in a
    hundred may be.
    """
    others = [f"X{a}{b}" for a in "BCDGH" for b in "KLMN"][:num_others]
    joined = _joined(_corpus({"Red Fox": "RF"}, *others))
    assert joined == ({frozenset({"rf", "red fox"})} if is_joined else set())


@given(st.text(alphabet="aAbB.&-/( ),", max_size=40))
def test_any_text_joins_only_names_in_use(text: str) -> None:
    by_key = {n.key: n for n in used_names([said("a b", type_=""), said("AB", type_="")])}
    found = find_definitions([text, f"X {text}, also known as {text}"], by_key)
    assert all(
        key in by_key and key != other
        for pair in found.aliases
        for key, other in (pair, pair[::-1])
    )
    assert all(meanings for meanings in found.acronyms.values())
    assert not is_acronym(text) or any(c.isupper() for c in text)
