"""What is talked about, and what sentences state of it, as spaCy's small model of English reads
them.
"""

import subprocess
import sys

import pytest

from dynagrag.config.settings import CHUNK_PROFILES
from dynagrag.core.errors import SettingsError
from dynagrag.core.protocols import Extraction
from dynagrag.core.schema import (
    CO_OCCURRENCE,
    LANGUAGE_KEY,
    ChunkWork,
    Consolidation,
    Document,
    Flag,
    Graph,
    LoadedSource,
    SourceTurn,
)
from dynagrag.fakes import FakeEmbedder
from dynagrag.graph_store.derived.derive import derive
from dynagrag.graph_store.derived.embedded_texts import mention_texts, record_texts
from dynagrag.graph_store.derived.fact_texts import counted_facts
from dynagrag.graph_store.derived.two_step_mean import VectorTable
from dynagrag.ingest.extract import spacy_models
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.ingest.extract.spacy_extractor import SpacyExtractor
from dynagrag.ingest.extract.spacy_models import SpacyModel, installed_models, load_model
from dynagrag.ingest.split import chunk_passages, make_document, speaker_mentions, split_passages

HAS_SPACY = "en" in installed_models()
needs_spacy = pytest.mark.skipif(
    not HAS_SPACY, reason="needs spaCy and its model: pip install 'dynagrag[spacy]'"
)
pytestmark = pytest.mark.xdist_group("spacy")


def work_of(
    *turns: tuple[str, str | None], language: str = "en", title: str = "x"
) -> list[ChunkWork]:
    source = LoadedSource("x.txt", "plain", tuple(SourceTurn(*t) for t in turns), "s", title)
    document, parts = make_document(source, "w", "x.txt")
    document = Document(
        document.id, "w", title, "x.txt", "s", document.text, {LANGUAGE_KEY: language}
    )
    passages = split_passages(document, parts, CHUNK_PROFILES["default"])
    chunks = chunk_passages(document, passages, CHUNK_PROFILES["default"])
    return [ChunkWork(document, parts, chunk) for chunk in chunks]


def extracted(work: list[ChunkWork], extractor: FastExtractor | None = None) -> list[Extraction]:
    done: list[Extraction] = []
    assert (extractor or SpacyExtractor()).extract(work, done.append) == []
    return done


def things(text: str, speaker: str | None = None) -> set[str]:
    return {
        m.key
        for one in extracted(work_of((text, speaker)))
        for m in one.mentions
        if Flag.TALKED_ABOUT in m.flags
    }


def relations(text: str, speaker: str | None = "Anna") -> set[tuple[str, str, str]]:
    """Those with a label of the sentence's own."""
    return {
        (r.head, r.label, r.tail)
        for one in extracted(work_of((text, speaker)))
        for r in one.relations
        if r.label != CO_OCCURRENCE
    }


def graph_of(work: list[ChunkWork], extractor: FastExtractor | None = None) -> Graph:
    done = extracted(work, extractor)
    mentions = [m for one in done for m in one.mentions]
    records = [r for one in done for r in one.relations]
    embedder = FakeEmbedder()

    def table(texts: dict[str, str]) -> VectorTable:
        return VectorTable.of(tuple(texts), embedder.embed_documents(list(texts.values())))

    return derive(
        "w",
        mentions,
        records,
        documents={item.document.id: item.document for item in work},
        num_passages=sum(len(item.chunk.passages) for item in work),
        consolidation=Consolidation(),
        edits=(),
        mention_vectors=table(mention_texts(mentions)),
        record_vectors=table(record_texts(records)),
    )


@needs_spacy
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The batteries in the titanium shell died.", {"battery", "titanium shell"}),
        ("We need a battery. The battery costs money.", {"battery", "money"}),
        ("The charging contact is loose.", {"charging contact"}),
        ("Our company's logo goes on the lid.", {"company", "logo", "lid"}),
        (
            "THE BATTERY OF THE REMOTE IS EMPTY AND THE LAMP WENT OUT.",
            {"battery", "remote", "lamp"},
        ),
        (
            "so the battery in the remote is dead and um we need a charger",
            {"battery", "remote", "charger"},
        ),
        ("That's the kind of thing you do a lot of the time.", set()),
        ("Uh, good morning guys, thanks.", set()),
        ("It took two weeks and a couple of days.", set()),
        ("So we paint the rub rubber part.", {"rubber part"}),
        ("They need long-term care and a top-line answer.", {"long term care", "top line answer"}),
        ("It's a tug-of-war in a five-minute round.", {"tug of war", "five minute round"}),
        ("For instance, a pair of lamps in public without doubt.", {"lamp"}),
        ("The public had a doubt.", {"public", "doubt"}),
        ("We bought a remote. It looks curved and trendy.", {"remote"}),
        ("The data are here.", {"data"}),
        ("Go to https://example.org/page now.", set()),
        ("Yes.", set()),
    ],
)
def test_things_are_nouns_with_what_belongs_to_their_name(text: str, expected: set[str]) -> None:
    assert things(text) == expected


@needs_spacy
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The shell protects the battery.", {("shell", "protect", "battery")}),
        ("The shell doesn't protect the battery.", {("shell", "not protect", "battery")}),
        ("The lid might break the hinge.", {("lid", "might break", "hinge")}),
        ("The designer wants to use rubber.", {("designer", "want to use", "rubber")}),
        ("The shell is made of titanium.", {("shell", "made of", "titanium")}),
        ("They put the battery in the shell.", {("battery", "put in", "shell")}),
        ("I like the colour of the lid.", {("anna", "like", "colour"), ("colour", "of", "lid")}),
        ("We need a charger.", {("anna", "we need", "charger")}),
        ("The charger's plug is broken.", {("plug", "of", "charger")}),
        ("My sister plays the violin.", {("sister", "of", "anna"), ("sister", "play", "violin")}),
        (
            "I bought apples and pears.",
            {("anna", "buy", "apple"), ("anna", "buy", "pear")},
        ),
        (
            "I put the battery in the shell.",
            {
                ("anna", "put", "battery"),
                ("anna", "put battery in", "shell"),
                ("battery", "put in", "shell"),
            },
        ),
        ("They have problems with the lid. I put it on the lid.", {("anna", "put it on", "lid")}),
        ("The house I live in burned.", {("anna", "live in", "house")}),
        ("That's the lamp we want to buy.", {("anna", "we want to buy", "lamp")}),
        ("It's a garden where we need lamps.", {("anna", "we need", "lamp")}),
        ("I think a lamp on the side.", set()),
        ("There's a lamp in the garden.", {("lamp", "in", "garden")}),
        ("They took the decision to buy lamps.", set()),
        ("The lamp that lights the garden is old.", {("lamp", "light", "garden")}),
        ("Does the shell protect the battery?", set()),
        ("If the shell protects the battery, fine.", set()),
        (
            "I don't think that the shell protects the battery.",
            {("shell", "not protect", "battery")},
        ),
        ("They see a lot of rubber on the lid.", {("rubber", "see on", "lid")}),
    ],
)
def test_relations_have_the_words_of_the_sentence(
    text: str, expected: set[tuple[str, str, str]]
) -> None:
    assert relations(text) == expected


@needs_spacy
def test_a_phrase_is_linked_to_its_head_where_that_is_said_by_itself() -> None:
    alone = graph_of(work_of(("We need a rubber lid and pears.", None)))
    assert {e.key for e in alone.entities} == {"rubber lid", "pear"}
    graph = graph_of(work_of(("We need a rubber lid.", None), ("The lid broke.", None)))
    (relation,) = graph.relations
    assert {e.key for e in graph.entities} == {"rubber lid", "lid"}
    assert (relation.label, relation.is_stated) == (CO_OCCURRENCE, False)


@needs_spacy
def test_who_speaks_is_meant_only_where_it_is_known() -> None:
    assert relations("I like the colour.", speaker=None) == set()


@needs_spacy
def test_each_relation_has_its_quote_passage_and_turn() -> None:
    work = work_of(("Good morning.", "Ben"), ("Well. The shell protects the battery.", "Anna"))
    record = next(r for one in extracted(work) for r in one.relations if r.label == "protect")
    text = work[0].document.text
    assert text[record.quote_start : record.quote_end] == "The shell protects the battery."
    assert work[0].turns[record.turn_index].speaker == "Anna"
    assert record.passage_id in {p.id for p in work[0].chunk.passages}


@needs_spacy
def test_a_thing_that_fast_names_is_that_name() -> None:
    done = extracted(work_of(("The crew of Apollo 13 saw the Moon.", None)))
    flags = {m.key: m.flags for one in done for m in one.mentions}
    assert Flag.TALKED_ABOUT not in flags["apollo 13"]
    (item,) = extracted(work_of(("It moved. We met the Apollo 13 crew, said Ann Lovell.", None)))
    assert {m.key for m in item.mentions} >= {"apollo 13", "apollo 13 crew"}
    assert ("crew", "of", "apollo 13") in {
        (r.head, r.label, r.tail) for one in done for r in one.relations
    }


@needs_spacy
def test_all_that_fast_finds_is_there_and_no_fact_is_lost() -> None:
    said = "The crew of Apollo 13 saw the lid, said Swigert. " * 12
    turns = [(said, "CDR"), ("The battery was cold and Lovell left it. " + said, "LMP")]
    work = work_of(*turns, ("So the battery of Apollo 13 died. " + said, "CDR"))
    document = work[0].document
    passages = [p for item in work for p in item.chunk.passages]
    ids, facts = [], []
    for extractor in (FastExtractor(), SpacyExtractor()):
        made = extracted(work, extractor)
        spoken = speaker_mentions(document, work[0].turns, passages)
        mentions = [*spoken, *(m for one in made for m in one.mentions)]
        records = [r for one in made for r in one.relations]
        ids.append({m.id for m in mentions})
        facts.append(counted_facts(mentions, records, {document.id: document}, len(passages)))
    assert ids[0] < ids[1]
    assert "battery" in {key for fact in facts[0].facts for key in fact.keys}
    assert facts[0].facts == facts[1].facts
    assert facts[0].keys == facts[1].keys


@needs_spacy
def test_a_graph_of_talk_without_names() -> None:
    graph = graph_of(work_of(("The shells hold the battery.", None), ("A shell holds it.", None)))
    weights = {e.key: e.weight for e in graph.entities}
    assert weights == {"shell": 2, "battery": 1}
    (relation,) = graph.relations
    assert (relation.label, relation.weight, relation.is_stated) == ("hold", 1, True)


@needs_spacy
def test_a_language_without_a_model_is_read_by_fast_and_said() -> None:
    text = "Akku on tyhjä ja kotelo on rikki, sanoi Matti Virtanen Helsingissä."
    work = work_of((text, None), language="fi")
    extractor = SpacyExtractor(models={"en": installed_models()["en"]})
    made = extracted(work, extractor)
    names = {m.key for one in made for m in one.mentions}
    assert names == {m.key for one in extracted(work, FastExtractor()) for m in one.mentions}
    (remark,) = extractor.remarks
    assert "in Finnish, of which spaCy has no model here: read as by --extractor fast" in remark
    assert "python -m spacy download fi_core_news_sm" in remark


@needs_spacy
def test_other_models_or_titles_make_other_records() -> None:
    model = installed_models()["en"]
    newer = SpacyModel(model.name, "en", "9.9")
    names = {
        SpacyExtractor().name,
        SpacyExtractor(titles=["Apollo 13"]).name,
        SpacyExtractor(models={"en": newer}).name,
    }
    assert len(names) == 3
    assert all(name.startswith("spacy-") for name in names)


@pytest.mark.skipif(not HAS_SPACY, reason="spaCy lacks, which is asked for first")
def test_no_model_at_all_is_refused_with_the_remedy() -> None:
    with pytest.raises(SettingsError, match=r"none is installed.*pip install 'dynagrag\[spacy\]'"):
        SpacyExtractor(models={})


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynagrag.core.extras.find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"pip install 'dynagrag\[spacy\]'"):
        SpacyExtractor()


@needs_spacy
def test_a_model_that_is_gone_or_of_another_version_is_refused_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(SettingsError, match="python -m spacy download xx_core_news_sm"):
        load_model(SpacyModel("xx_none_sm", "xx", "1.0"))
    monkeypatch.setattr("spacy.util.load_meta", lambda path: {"spacy_version": ">=2.0,<3.0"})
    load_model.cache_clear()
    try:
        with pytest.raises(SettingsError, match=r"made for spaCy >=2.0,<3.0, and .* is here"):
            load_model(installed_models()["en"])
    finally:
        load_model.cache_clear()


def test_of_a_languages_models_the_largest_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        dist = None

        def __init__(self, name: str) -> None:
            self.name = name

    names = ["de_core_news_md", "de_dep_news_trf", "de_core_news_sm", "en_core_web_sm"]
    monkeypatch.setattr(spacy_models, "entry_points", lambda group: [Point(n) for n in names])
    found = {code: model.name for code, model in installed_models().items()}
    assert found == {"de": "de_core_news_md", "en": "en_core_web_sm"}


@needs_spacy
def test_neither_help_nor_fast_imports_spacy() -> None:
    code = (
        "import sys, dynagrag.cli.main\n"
        "from dynagrag.language.english.inflection import is_known\n"
        "from dynagrag.ingest.extract.fast_extractor import FastExtractor\n"
        "from dynagrag.registry.extractors import EXTRACTORS\n"
        "print(is_known('battery'), 'lemminflect' in sys.modules, 'spacy' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "True", "False"]
