"""Facts of passages as texts that can be embedded: those that Bridge-PPR reads (docs/papers.md,
Bridge-PPR).

A relation that a model stated is a fact "head label tail". Where nobody stated any, a sentence is a
fact, with all the entities in it and the one that its document is about.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dynagrag.core.ids import entity_key, plain_title
from dynagrag.core.protocols import SENTENCE_EXTRACTORS
from dynagrag.core.schema import Document, Edit, Flag, Mention, MentionKind, RelationRecord
from dynagrag.graph_store.derived.embedded_texts import (
    document_of,
    is_co_occurrence,
    own_titles,
    record_text,
    sentence_text,
    text_id,
)
from dynagrag.graph_store.derived.linking_words import thing_keys
from dynagrag.graph_store.derived.live_mentions import counting_mentions
from dynagrag.graph_store.derived.senses import (
    Senses,
    mentions_in_senses,
    read_senses,
    records_in_senses,
)

NO_SENSES: Senses = {}


@dataclass(frozen=True, slots=True)
class Fact:
    """A text of one passage and the keys of the names in it, in the order of the text, each
    once. `start`: where the words that say it begin in the document; -1 where none do.
    """

    text: str
    passage_id: str
    keys: tuple[str, ...]
    start: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """The facts of a corpus by (document, place), the `keys` of the names that each passage holds,
    and the `subjects`: the name that each document is about. `words`: the mentions of keys that are
    plain words, which are in no graph.
    """

    facts: tuple[Fact, ...]
    keys: Mapping[str, tuple[str, ...]]
    subjects: Mapping[str, str]
    words: tuple[Mention, ...] = ()


def corpus_facts(
    mentions: Sequence[Mention],
    records: Iterable[RelationRecord],
    documents: Mapping[str, Document],
    senses: Senses = NO_SENSES,
) -> CorpusFacts:
    """The facts of mentions that count and of the records between them, under the keys that they
    have in these senses.

    Content words count in spoken text alone, where names are few: in a document with speakers. What
    is only talked about stands in no fact but as such a word.
    """
    mentions = [m for m in mentions if Flag.TALKED_ABOUT not in m.flags]
    mentions, records = mentions_in_senses(mentions, senses), records_in_senses(records, senses)
    spoken = {m.document_id for m in mentions if m.kind is MentionKind.SPEAKER}
    names = thing_keys(mentions)
    named = [m for m in mentions if m.key in names or m.document_id in spoken]
    titles = own_titles(documents)
    known = {m.key for m in named}
    subjects = {id_: entity_key(plain_title(title)) for id_, title in titles.items()}
    subjects = {id_: senses.get((id_, key), key) for id_, key in subjects.items()}
    subjects = {id_: key for id_, key in subjects.items() if key in known}
    held: dict[str, dict[str, None]] = defaultdict(dict)
    for mention in named:
        for passage in mention.passage_ids:
            held[passage][mention.key] = None
    facts = [
        *_stated(records, documents),
        *_listed(records, documents, titles),
        *_sentences(named, documents, titles, subjects),
    ]
    words = tuple(m for m in named if m.key not in names)
    keys = {passage: tuple(own) for passage, own in held.items()}
    return CorpusFacts(tuple(facts), keys, subjects, words)


def counted_facts(
    mentions: Iterable[Mention],
    records: Iterable[RelationRecord],
    documents: Mapping[str, Document],
    num_passages: int,
    edits: Iterable[Edit] = (),
) -> CorpusFacts:
    """The facts of all mentions and records of a corpus: of those that count in it."""
    counted = counting_mentions(mentions, num_passages)
    keys = {m.key for m in counted}
    return corpus_facts(
        counted,
        [r for r in records if r.head in keys and r.tail in keys],
        documents,
        read_senses(edits, documents),
    )


def fact_texts(facts: Iterable[Fact]) -> dict[str, str]:
    """Text id -> text, without doubles."""
    return {text_id(text): text for text in dict.fromkeys(fact.text for fact in facts)}


def _stated(records: Iterable[RelationRecord], documents: Mapping[str, Document]) -> list[Fact]:
    """The relations that a model stated. One that was read in a sentence is in that sentence's
    fact.
    """
    stated = [
        (document_of(r, documents).id, r)
        for r in records
        if not is_co_occurrence(r) and not r.extractor.startswith(SENTENCE_EXTRACTORS)
    ]
    stated.sort(
        key=lambda row: (
            row[0],
            row[1].quote_start,
            row[1].quote_end,
            row[1].head,
            row[1].label,
            row[1].tail,
        )
    )
    facts = (
        Fact(record_text(r), r.passage_id, tuple(dict.fromkeys((r.head, r.tail))), _start(r))
        for _, r in stated
    )
    return list(dict.fromkeys(facts))


def _start(record: RelationRecord) -> int:
    return record.quote_start if record.quote_start < record.quote_end else -1


def _listed(
    records: Iterable[RelationRecord], documents: Mapping[str, Document], titles: Mapping[str, str]
) -> list[Fact]:
    """The co-occurrences that a model listed: a fact a quote, with all its names."""
    quotes: dict[tuple[str, int, int, str], dict[str, None]] = defaultdict(dict)
    for r in sorted(
        records, key=lambda r: (r.document_id, r.quote_start, r.quote_end, r.head, r.tail)
    ):
        is_listed = is_co_occurrence(r) and not r.extractor.startswith(SENTENCE_EXTRACTORS)
        if is_listed and r.quote_start < r.quote_end:
            place = (r.document_id, r.quote_start, r.quote_end, r.passage_id)
            quotes[place].update({r.head: None, r.tail: None})
    facts = []
    for (document, start, end, passage), keys in quotes.items():
        text = sentence_text(documents[document].text[start:end], titles[document])
        facts.append(Fact(text, passage, tuple(keys), start))
    return facts


def _sentences(
    mentions: Iterable[Mention],
    documents: Mapping[str, Document],
    titles: Mapping[str, str],
    subjects: Mapping[str, str],
) -> list[Fact]:
    """The sentences of which nothing was stated: with all the names in each, and its document's."""
    sentences: dict[tuple[str, int, int], list[Mention]] = defaultdict(list)
    for m in mentions:
        if m.kind is MentionKind.SAID and m.extractor.startswith(SENTENCE_EXTRACTORS):
            sentences[m.document_id, m.chunk_start, m.chunk_end].append(m)
    facts: list[Fact] = []
    for (document, start, end), own in sorted(sentences.items()):
        keys = dict.fromkeys(m.key for m in own)
        if document in subjects:
            keys[subjects[document]] = None
        if len(keys) > 1:
            text = sentence_text(documents[document].text[start:end], titles[document])
            passages = dict.fromkeys(p for m in own for p in m.passage_ids)
            facts += [Fact(text, passage, tuple(keys), start) for passage in passages]
    return facts
