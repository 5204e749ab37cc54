"""Facts: what passages say, in texts that can be embedded."""

from dataclasses import replace

import pytest

from dynagrag.core.errors import StoreError
from dynagrag.core.ids import content_id
from dynagrag.core.schema import (
    CO_OCCURRENCE,
    Document,
    Flag,
    Mention,
    MentionKind,
    Passage,
    RelationRecord,
)
from dynagrag.graph_store.derived.embedded_texts import own_title, passage_text, text_id
from dynagrag.graph_store.derived.fact_texts import Fact, corpus_facts, counted_facts, fact_texts

TEXT = "Ada met Bob in Paris. The valve leaks. Cleo came."
DOCUMENT = Document("d", "w", "Ada Byron (mathematician)", "/files/1.txt", "s", TEXT)
DOCUMENTS = {"d": DOCUMENT}


def mention(
    key: str,
    start: int,
    end: int,
    extractor: str = "fast-1",
    kind: MentionKind = MentionKind.SAID,
    flags: tuple = (),
) -> Mention:
    return Mention(
        content_id(key, start, kind),
        "d",
        start,
        end,
        ("p",),
        key.title(),
        key,
        "name",
        "",
        kind,
        extractor,
        flags,
    )


def record(
    head: str,
    label: str,
    tail: str,
    extractor: str,
    span: tuple[int, int] = (0, 21),
    summary: str = "",
) -> RelationRecord:
    return RelationRecord(
        content_id(head, label, tail, extractor),
        "d",
        0,
        49,
        "p",
        head,
        tail,
        label,
        summary,
        *span,
        0,
        extractor,
    )


def test_a_sentence_is_a_fact_with_all_its_names_and_its_subject() -> None:
    mentions = [mention(k, 0, 21) for k in ("ada", "bob", "paris")] + [mention("cleo", 39, 49)]
    mentions.append(mention("ada byron", 0, 49, kind=MentionKind.TITLE))
    said = corpus_facts(mentions, [record("ada", CO_OCCURRENCE, "bob", "fast-1")], DOCUMENTS)
    title = "Ada Byron (mathematician)"
    assert said.facts == (
        Fact(f"{title}: Ada met Bob in Paris.", "p", ("ada", "bob", "paris", "ada byron")),
        Fact(f"{title}: Cleo came.", "p", ("cleo", "ada byron")),
    )
    assert said.subjects == {"d": "ada byron"}
    assert set(said.keys["p"]) == {"ada", "bob", "paris", "cleo", "ada byron"}


def test_a_title_that_nothing_names_is_no_subject() -> None:
    said = corpus_facts([mention("ada", 0, 21), mention("bob", 0, 21)], [], DOCUMENTS)
    assert said.subjects == {}
    assert said.facts[0].keys == ("ada", "bob")


def test_a_sentence_with_one_name_and_no_subject_is_no_fact() -> None:
    assert corpus_facts([mention("ada", 0, 21)], [], DOCUMENTS).facts == ()


def test_names_in_a_title_are_no_fact() -> None:
    titles = [mention(k, 0, 49, kind=MentionKind.TITLE) for k in ("ada", "bob")]
    assert corpus_facts(titles, [], {"d": replace(DOCUMENT, title="1")}).facts == ()


def test_a_co_occurrence_without_a_quote_is_no_fact() -> None:
    mentions = [mention(k, 0, 49, "small") for k in ("ada", "bob")]
    assert (
        corpus_facts(
            mentions, [record("ada", CO_OCCURRENCE, "bob", "small", (5, 5))], DOCUMENTS
        ).facts
        == ()
    )


def test_stated_facts_come_in_the_order_of_the_text_whatever_the_order_of_the_records() -> None:
    mentions = [mention(k, 0, 49, "llm") for k in ("ada", "bob", "cleo")]
    records = [record("cleo", "came", "ada", "llm", (39, 49)), record("ada", "met", "bob", "llm")]
    assert [f.text for f in corpus_facts(mentions, records, DOCUMENTS).facts] == [
        "ada met bob",
        "cleo came ada",
    ]


@pytest.mark.parametrize("extractor", ["small-1:qwen", "file-2+abc"])
def test_co_occurrences_that_another_extractor_wrote_down_are_one_fact_a_quote(
    extractor: str,
) -> None:
    mentions = [mention(k, 0, 49, extractor) for k in ("ada", "bob", "paris")]
    pairs = [
        record(a, CO_OCCURRENCE, b, extractor)
        for a, b in (("ada", "bob"), ("ada", "paris"), ("bob", "paris"))
    ]
    said = corpus_facts(mentions, pairs, {"d": replace(DOCUMENT, title="1")})
    assert said.facts == (Fact("Ada met Bob in Paris.", "p", ("ada", "bob", "paris")),)
    assert set(fact_texts(said.facts)) == {text_id("Ada met Bob in Paris.")}


def test_a_stated_relation_is_a_fact_of_its_own_and_told_twice_it_is_one() -> None:
    mentions = [mention("ada", 0, 49, "llm"), mention("bob", 0, 49, "llm")]
    twice = [
        record("ada", "met", "bob", "llm"),
        replace(record("ada", "met", "bob", "llm"), id="other"),
    ]
    assert corpus_facts(mentions, twice, DOCUMENTS).facts == (
        Fact("ada met bob", "p", ("ada", "bob")),
    )


def test_content_words_count_in_spoken_text_alone() -> None:
    valve, leak = (mention(k, 22, 38, flags=(Flag.CONTENT_WORD,)) for k in ("valve", "leak"))
    names = [mention("ada", 0, 21), mention("bob", 0, 21)]
    written = corpus_facts([*names, valve, leak], [], {"d": replace(DOCUMENT, title="1")})
    assert set(written.keys["p"]) == {"ada", "bob"}
    spoken = corpus_facts(
        [*names, valve, leak, mention("ada", 0, 49, "split", MentionKind.SPEAKER)],
        [],
        {"d": replace(DOCUMENT, title="1")},
    )
    assert set(spoken.keys["p"]) == {"ada", "bob", "valve", "leak"}
    assert [f.keys for f in spoken.facts] == [("ada", "bob"), ("valve", "leak")]
    assert {m.key for m in spoken.words} == {"valve", "leak"}
    assert written.words == ()


def test_records_whose_ends_do_not_count_make_no_fact() -> None:
    said = counted_facts(
        [mention("ada", 0, 49, "llm")], [record("ada", "met", "bob", "llm")], DOCUMENTS, 1
    )
    assert said.facts == ()


def test_the_beginning_of_a_title_is_searched_unless_it_is_the_files_name() -> None:
    passage = Passage("p", "d", 0, 0, 21, 0, 0)
    assert passage_text(DOCUMENT, passage) == "Ada Byron (mathematician)\nAda met Bob in Paris."
    assert (
        passage_text(replace(DOCUMENT, title="1"), passage)
        == passage_text(replace(DOCUMENT, title="1.txt"), passage)
        == TEXT[0:21]
    )
    assert own_title(replace(DOCUMENT, title="x" * 10_000)) == "x" * 200


def test_a_stated_relation_of_a_document_that_is_not_stored_is_an_error_that_says_what_to_do() -> (
    None
):
    stray = replace(record("ada", "met", "bob", "llm"), id="r1", document_id="gone")
    with pytest.raises(
        StoreError,
        match=r"^relation record r1 names document gone, which is not stored; ingest it again$",
    ):
        corpus_facts(
            [mention("ada", 0, 49, "llm"), mention("bob", 0, 49, "llm")], [stray], DOCUMENTS
        )
