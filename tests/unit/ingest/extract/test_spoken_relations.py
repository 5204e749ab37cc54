"""Relations of parsed sentences in the labels of Universal Dependencies and of TIGER. The parses
are made by hand, as models of French and German make them; test_spacy_extractor.py has English.
"""

import pytest

from dynagrag.core.schema import CO_OCCURRENCE
from dynagrag.core.unwanted_imports import without_module
from dynagrag.ingest.extract.spacy_models import installed_models
from dynagrag.ingest.extract.spoken_relations import spoken_relations

pytestmark = [
    pytest.mark.xdist_group("spacy"),
    pytest.mark.skipif(not installed_models(), reason="needs spaCy: pip install 'dynagrag[spacy]'"),
]


def relations(parse: str) -> set[tuple[str, str, str]]:
    """Of "word/lemma/pos/label/head/tag or morphology", words in order, heads counted from 0; nouns
    stand for themselves, by their lemma.
    """
    with without_module("torch"):
        import spacy
    from spacy.tokens import Doc

    words, lemmas, pos, deps, heads, more = zip(*(t.split("/") for t in parse.split()), strict=True)
    doc = Doc(
        spacy.blank("xx").vocab,
        words=list(words),
        lemmas=list(lemmas),
        pos=list(pos),
        deps=list(deps),
        heads=[int(head) for head in heads],
        tags=["" if "=" in one else one for one in more],
        morphs=[one if "=" in one else "" for one in more],
    )
    found = spoken_relations(doc, lambda t: t.lemma_ if t.pos_ == "NOUN" else None)
    return {(one.head, one.label, one.tail) for one in found}


@pytest.mark.parametrize(
    ("parse", "expected"),
    [
        (  # La coque ne protège pas la batterie
            "coque/coque/NOUN/nsubj/2/ ne/ne/ADV/advmod/2/Polarity=Neg"
            " protège/protéger/VERB/ROOT/2/ pas/pas/ADV/advmod/2/Polarity=Neg"
            " batterie/batterie/NOUN/obj/2/",
            {("coque", "ne pas protéger", "batterie")},
        ),
        (  # Le couvercle est fait de titane par la société
            "couvercle/couvercle/NOUN/nsubj:pass/2/ est/être/AUX/aux:pass/2/"
            " fait/faire/VERB/ROOT/2/ de/de/ADP/case/4/ titane/titane/NOUN/obl:mod/2/"
            " par/par/ADP/case/6/ société/société/NOUN/obl:agent/2/",
            {("couvercle", "fait de", "titane"), ("couvercle", "fait par", "société")},
        ),
        (  # La batterie est un danger
            "batterie/batterie/NOUN/nsubj/2/ est/être/AUX/cop/2/ danger/danger/NOUN/ROOT/2/",
            {("batterie", "être", "danger")},
        ),
        (  # Les ministres ont adopté la loi sur le climat
            "ministres/ministre/NOUN/nsubj/2/ ont/avoir/AUX/aux:tense/2/"
            " adopté/adopter/VERB/ROOT/2/ loi/loi/NOUN/obj/2/ sur/sur/ADP/case/5/"
            " climat/climat/NOUN/nmod/3/",
            {("ministre", "adopter", "loi"), ("loi", "sur", "climat")},
        ),
        (  # ..., si la coque protège la batterie
            "si/si/SCONJ/mark/2/ coque/coque/NOUN/nsubj/2/ protège/protéger/VERB/ROOT/2/"
            " batterie/batterie/NOUN/obj/2/",
            set(),
        ),
        (  # la lampe qui éclaire le jardin et la cour
            "lampe/lampe/NOUN/ROOT/0/ qui/qui/PRON/nsubj/2/PronType=Rel"
            " éclaire/éclairer/VERB/acl:relcl/0/ jardin/jardin/NOUN/obj/2/ et/et/CCONJ/cc/5/"
            " cour/cour/NOUN/conj/3/",
            {
                ("lampe", "éclairer", "jardin"),
                ("lampe", "éclairer", "cour"),
                ("cour", CO_OCCURRENCE, "jardin"),
            },
        ),
    ],
)
def test_universal_dependencies(parse: str, expected: set[tuple[str, str, str]]) -> None:
    assert relations(parse) == expected


@pytest.mark.parametrize(
    ("parse", "expected"),
    [
        (  # Die Hülle schützt die Batterie nicht
            "Hülle/hülle/NOUN/sb/1/NN schützt/schützen/VERB/ROOT/1/VVFIN"
            " Batterie/batterie/NOUN/oa/1/NN nicht/nicht/PART/ng/1/PTKNEG",
            {("hülle", "nicht schützen", "batterie")},
        ),
        (  # Die Firma hat die Batterie in die Hülle gelegt
            "Firma/firma/NOUN/sb/1/NN hat/haben/AUX/ROOT/1/VAFIN Batterie/batterie/NOUN/oa/5/NN"
            " in/in/ADP/mo/5/APPR Hülle/hülle/NOUN/nk/3/NN gelegt/legen/VERB/oc/1/VVPP",
            {
                ("firma", "legen", "batterie"),
                ("firma", "legen batterie in", "hülle"),
                ("batterie", "legen in", "hülle"),
            },
        ),
        (  # Heute wird die Hülle nicht aus Titan gemacht
            "Heute/heute/ADV/mo/1/ADV wird/werden/AUX/ROOT/1/VAFIN Hülle/hülle/NOUN/sb/1/NN"
            " nicht/nicht/PART/ng/1/PTKNEG aus/aus/ADP/op/6/APPR Titan/titan/NOUN/nk/4/NN"
            " gemacht/machen/VERB/oc/1/VVPP",
            {("hülle", "nicht gemacht aus", "titan")},
        ),
        (  # Der Minister will das Gesetz ändern
            "Minister/minister/NOUN/sb/1/NN will/wollen/AUX/ROOT/1/VMFIN"
            " Gesetz/gesetz/NOUN/oa/3/NN ändern/ändern/VERB/oc/1/VVINF",
            {("minister", "wollen ändern", "gesetz")},
        ),
        (  # wenn die Hülle die Batterie schützt
            "wenn/wenn/SCONJ/cp/3/KOUS Hülle/hülle/NOUN/sb/3/NN Batterie/batterie/NOUN/oa/3/NN"
            " schützt/schützen/VERB/ROOT/3/VVFIN",
            set(),
        ),
        (  # Die Lampe, die den Garten des Hauses und den Hof beleuchtet
            "Lampe/lampe/NOUN/ROOT/0/NN die/der/PRON/sb/6/PronType=Rel"
            " Garten/garten/NOUN/oa/6/NN Hauses/haus/NOUN/ag/2/NN und/und/CCONJ/cd/2/KON"
            " Hof/hof/NOUN/cj/4/NN beleuchtet/beleuchten/VERB/rc/0/VVFIN",
            {
                ("lampe", "beleuchten", "garten"),
                ("lampe", "beleuchten", "hof"),
                ("garten", "of", "haus"),
                ("garten", CO_OCCURRENCE, "hof"),
            },
        ),
        (  # Es gibt eine Lampe im Garten
            "Es/es/PRON/ep/1/PPER gibt/geben/VERB/ROOT/1/VVFIN Lampe/lampe/NOUN/oa/1/NN"
            " im/in/ADP/mnr/2/APPRART Garten/garten/NOUN/nk/3/NN",
            {("lampe", "im", "garten")},
        ),
    ],
)
def test_tiger(parse: str, expected: set[tuple[str, str, str]]) -> None:
    assert relations(parse) == expected
