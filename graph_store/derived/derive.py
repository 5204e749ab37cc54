"""From records to graph: pure functions, the same at the end of an ingest, after a deletion, and
for the records inside a filter.

The result depends on the set of records alone: not on their order, nor on the ids of documents.
DynaGRAG, section 3.1.

An entity's name is the most frequent surface name of its canonical key (ties: shortest,
alphabetical) unless a person gave one; aliases are the other surface names; its type is the most
frequent non-empty one of its said mentions, else of all (ties alphabetical), else "speaker" for a
speaker (where it is said as a plain word too, that decides neither name nor type); its weight is
the number of its said mentions; its summaries are distinct, in order of (title, position), then
those of relations that became self-loops. Plain words are no entities, and what stands beside them
is no relation. A relation's weight is the number of its records, its support the number of their
documents.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dynagrag.core.errors import StoreError
from dynagrag.core.ids import content_id, sense_of
from dynagrag.core.schema import (
    CO_OCCURRENCE,
    Consolidation,
    Document,
    Edit,
    Entity,
    Graph,
    Mention,
    MentionKind,
    Relation,
    RelationRecord,
)
from dynagrag.graph_store.derived.canonical import Canon, canonical_keys, label_key
from dynagrag.graph_store.derived.embedded_texts import quote_of
from dynagrag.graph_store.derived.glossary import explained, read_glossary
from dynagrag.graph_store.derived.linking_words import (
    canonical_things,
    is_word,
    without_words_of_things,
)
from dynagrag.graph_store.derived.live_mentions import counting_mentions
from dynagrag.graph_store.derived.senses import mentions_in_senses, read_senses, records_in_senses
from dynagrag.graph_store.derived.two_step_mean import VectorTable, entity_vectors, relation_vectors
from dynagrag.graph_store.stepping import stepped


def derive(
    workspace: str,
    mentions: Iterable[Mention],
    records: Iterable[RelationRecord],
    *,
    documents: Mapping[str, Document],
    num_passages: int,
    consolidation: Consolidation,
    edits: Iterable[Edit],
    mention_vectors: VectorTable,
    record_vectors: VectorTable,
    are_counted: bool = False,
    step: Callable[[], None] = lambda: None,
) -> Graph:
    """The graph of these records. Its vectors are two-step means, in the order of its entities and
    relations.

    Args:
        workspace: Part of every entity's id.
        mentions: All mentions of the corpus (or of the part that a filter lets through); which of
        them count is decided here.
        records: The relation records likewise. One whose head or tail has no counting mention is
        left out.
        documents: By id; at least those that the records name.
        num_passages: How many passages the corpus (or part) has.
        consolidation: Merges and canonical labels; those of keys that are not here are passed over.
        edits: A person's corrections; they win.
        mention_vectors: By `text_id(mention_text(m))`; at least those of the counting mentions.
        record_vectors: By `text_id(record_text(r))`; at least those of the records that count and
        state something.
        are_counted: Whether the mentions are those that count, already.
        step: Called again and again; may raise.

    Raises:
        StoreError: A vector or document is missing.
    """
    # The rank of each document by title, then content; ids hold the workspace and decide nothing.
    by_title = sorted(documents.values(), key=lambda d: (d.title, d.sha256, d.uri))
    places = {document.id: place for place, document in enumerate(by_title)}
    senses = read_senses(edits := tuple(edits), documents)
    if not are_counted:
        mentions = counting_mentions(stepped(mentions, step), num_passages)
    counting = without_words_of_things(mentions)
    counted = _mentions_in_order(mentions_in_senses(counting, senses), places)
    # The canonical keys of all but plain words.
    counts = Counter({m.key: 0 for m in counted})
    counts.update(m.key for m in counted if m.kind is MentionKind.SAID)
    canon = canonical_keys(counts, consolidation, edits)
    things = canonical_things(canon, counted, edits)
    canon = replace(canon, of={key: to for key, to in canon.of.items() if to in things})
    counted = [m for m in counted if m.key in canon.of]
    ids = {key: content_id("entity", workspace, key, sense_of(key)) for key in things}
    in_senses = records_in_senses(records, senses)
    linked = {r.id: r for r in in_senses if r.head in canon.of and r.tail in canon.of}
    ordered = _records_in_order(linked.values(), places)
    grouped, loops = _group_records(stepped(ordered, step), canon, consolidation, documents)
    by_canonical: dict[str, list[Mention]] = defaultdict(list)
    for mention in stepped(counted, step):
        by_canonical[canon.of[mention.key]].append(mention)
    placed = [
        _entity(key, ids[key], group, canon.names.get(key), loops.get(key, []))
        for key, group in by_canonical.items()
    ]
    placed.sort(key=lambda p: p.entity.id)
    entities = [p.entity for p in placed]
    relations = _relations(grouped, ids)
    step()
    return Graph(
        entities=tuple(explained(entities, read_glossary(edits))),
        relations=relations,
        entity_vectors=entity_vectors(entities, counted, mention_vectors),
        relation_vectors=relation_vectors(relations, linked, record_vectors),
        entity_passages=tuple(p.passages for p in placed),
    )


def _place(places: Mapping[str, int], document_id: str) -> int:
    if document_id not in places:
        raise StoreError(
            f"records name document {document_id}, which is not stored; ingest it again"
        )
    return places[document_id]


def _mentions_in_order(mentions: Iterable[Mention], places: Mapping[str, int]) -> list[Mention]:
    return sorted(
        mentions,
        key=lambda m: (
            _place(places, m.document_id),
            m.chunk_start,
            m.chunk_end,
            m.key,
            m.kind,
            m.summary,
            m.name,
            m.id,
        ),
    )


def _records_in_order(
    records: Iterable[RelationRecord], places: Mapping[str, int]
) -> list[RelationRecord]:
    def place(r: RelationRecord) -> tuple[int, int, int, str, str, str, int, str]:
        return (
            _place(places, r.document_id),
            r.quote_start,
            r.quote_end,
            r.head,
            r.label,
            r.tail,
            r.chunk_start,
            r.id,
        )

    return sorted(records, key=place)


@dataclass(frozen=True, slots=True)
class _Placed:
    entity: Entity
    passages: tuple[str, ...]


def _entity(
    key: str, id_: str, mentions: Sequence[Mention], own_name: str | None, notes: Sequence[str]
) -> _Placed:
    """An entity of its mentions. `own_name`: the name a person gave it, if any; `notes`: what
    self-loops state of it.
    """
    named = [m for m in mentions if not is_word(m)]
    own = [m.name for m in named if m.key == key] or [m.name for m in mentions if m.key == key]
    name = own_name or _most_frequent(own, by_length=True)
    is_speaker = any(m.kind is MentionKind.SPEAKER for m in mentions)
    num_said = sum(m.kind is MentionKind.SAID for m in mentions)
    typed = [m for m in named if m.type]
    said_types = [m.type for m in typed if m.kind is MentionKind.SAID]
    type_ = _most_frequent(said_types or [m.type for m in typed])
    summaries = dict.fromkeys(filter(None, (*(m.summary for m in mentions), *notes)))
    entity = Entity(
        id=id_,
        key=key,
        name=name,
        sense=sense_of(key),
        keys=tuple(sorted({m.key for m in mentions})),
        aliases=tuple(sorted({m.name for m in mentions} - {name})),
        type=type_ or ("speaker" if is_speaker else ""),
        weight=num_said,
        summaries=tuple(summaries),
        is_speaker=is_speaker,
    )
    return _Placed(entity, tuple(sorted({p for m in mentions for p in m.passage_ids})))


def _most_frequent(texts: Iterable[str], by_length: bool = False) -> str:
    """The most frequent text; ties by length where asked, then alphabetical. Empty for none."""
    counts = Counter(texts)
    if not counts:
        return ""
    return min(counts, key=lambda t: (-counts[t], len(t) if by_length else 0, t))


_Triple = tuple[str, str, str]


def _group_records(
    records: Iterable[RelationRecord],
    canon: Canon,
    consolidation: Consolidation,
    documents: Mapping[str, Document],
) -> tuple[dict[_Triple, list[RelationRecord]], dict[str, list[str]]]:
    """Records by (canonical head, label, canonical tail), and by canonical key the statements of
    those that became self-loops.
    """
    labels = {
        label_key(m.label): (label_key(m.canonical), m.inverted) for m in consolidation.labels
    }
    labels.pop(CO_OCCURRENCE, None)  # it stays what it is, whatever a model judged
    keys: dict[str, str] = {}
    grouped: dict[_Triple, list[RelationRecord]] = defaultdict(list)
    loops: dict[str, list[str]] = defaultdict(list)
    for record in records:
        head, tail = canon.of[record.head], canon.of[record.tail]
        if head == tail:
            loops[head].append(record.summary or quote_of(record, documents))
            continue
        if record.label not in keys:
            keys[record.label] = label_key(record.label)
        label, is_inverted = labels.get(keys[record.label], (keys[record.label], False))
        # A co-occurrence has no direction: one order for both.
        if is_inverted or (label == CO_OCCURRENCE and head > tail):
            head, tail = tail, head
        grouped[head, label, tail].append(record)
    return grouped, loops


def _relations(
    grouped: Mapping[_Triple, Sequence[RelationRecord]], ids: Mapping[str, str]
) -> tuple[Relation, ...]:
    relations = [
        Relation(
            id=content_id("relation", ids[head], label, ids[tail]),
            head=ids[head],
            tail=ids[tail],
            label=label,
            weight=len(records),
            support=len({r.document_id for r in records}),
            summaries=tuple(dict.fromkeys(r.summary for r in records if r.summary)),
            record_ids=tuple(r.id for r in records),
        )
        for (head, label, tail), records in grouped.items()
    ]
    return tuple(sorted(relations, key=lambda r: r.id))
