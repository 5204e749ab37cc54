"""Queries of the graph for people: the heaviest entities and relations, one entity with its
evidence, its neighbourhood.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from dynagrag.core.errors import UsageError
from dynagrag.core.ids import entity_key
from dynagrag.core.protocols import GraphStore, RecordStore
from dynagrag.core.schema import CO_OCCURRENCE, Document, Entity, Graph, Overview, Relation, Turn
from dynagrag.curation.entity_lookup import alike, called
from dynagrag.curation.quotes import Quote, quotes_of
from dynagrag.generation.support import content_stems
from dynagrag.workspace.facade import Workspace

Row = dict[str, Any]
UNSTATED = (
    f'Relations here are "{CO_OCCURRENCE}" alone: the names stand in one sentence. What sentences'
    " state is found by `dynagrag ingest` with --extractor spacy or a model (--llm)."
)
_MAX_NEAR = 8
_NUM_READ = 5
"""How many times the relations that are shown are read, for those that state something."""
_WAY_HOPS = 3
_WAY_FAN_OUT = 60
_WAY_RELATIONS = 2000


def overview(space: Workspace, limit: int) -> Row:
    """The heaviest entities and relations."""
    graph = space.graph()
    names = {e.id: e.name for e in graph.entities}
    degree: dict[str, int] = {}
    for relation in graph.relations:
        for end in (relation.head, relation.tail):
            degree[end] = degree.get(end, 0) + 1
    entities = sorted(graph.entities, key=lambda e: (-e.weight, -degree.get(e.id, 0), e.key))[
        :limit
    ]
    relations = stated_first(graph.relations, names)[:limit]
    return {
        "entities": [
            {"name": e.name, "type": e.type, "weight": e.weight, "relations": degree.get(e.id, 0)}
            for e in entities
        ],
        "relations": [_relation_row(r, names) for r in relations],
        "note": unstated_note(graph.relations),
    }


def stated_first(relations: Iterable[Relation], names: Mapping[str, str]) -> list[Relation]:
    """The heaviest first, but those that say little behind all others: names that only stand in one
    sentence, and a phrase and a word of its own ("privacy", "privacy interests"). `names`: by the
    entities' ids.
    """

    def rank(r: Relation) -> tuple[bool, int, int, str, str, str]:
        head, tail = names[r.head], names[r.tail]
        words = sorted((content_stems(head), content_stems(tail)), key=len)
        is_little = not r.is_stated or (bool(words[0]) and words[0] <= words[1])
        return (is_little, -r.weight, -r.support, head, tail, r.label)

    return sorted(relations, key=rank)


def unstated_note(relations: Collection[Relation]) -> str:
    """What to say where no relation states anything; empty where one does, or there is none."""
    return UNSTATED if relations and not any(r.is_stated for r in relations) else ""


def _relation_row(relation: Relation, names: dict[str, str]) -> Row:
    return {
        "head": names[relation.head],
        "label": relation.label,
        "tail": names[relation.tail],
        "weight": relation.weight,
        "support": relation.support,
    }


def entity_view(space: Workspace, name: str, limit: int) -> Row:
    """One entity: its names, summaries, and its relations with the words they rest on. Raises
    UsageError naming near misses.
    """
    snapshot = space.current_graph.snapshot()
    graph = snapshot.graph
    entity = _find(graph, name)
    names = {e.id: e.name for e in graph.entities}
    own = stated_first((r for r in graph.relations if entity.id in (r.head, r.tail)), names)
    relations = []
    for relation in own[:limit]:
        records = [snapshot.records[i] for i in relation.record_ids]
        record = next((r for r in records if r.quote_start < r.quote_end), records[0])
        turn = snapshot.turns[record.document_id][record.turn_index]
        quote = snapshot.text(record.document_id, record.quote_start, record.quote_end)
        evidence = {
            "document": snapshot.documents[record.document_id].title,
            "speaker": turn.speaker,
            "start_s": turn.start_s,
            "quote": quote,
        }
        relations.append(_relation_row(relation, names) | {"evidence": evidence})
    return {
        "name": entity.name,
        "type": entity.type,
        "weight": entity.weight,
        "speaks": speaking(entity, chain.from_iterable(snapshot.turns.values()), snapshot.text),
        "aliases": list(entity.aliases),
        "summaries": list(entity.summaries[:limit]),
        "num_relations": len(own),
        "relations": relations,
        "note": unstated_note(own),
    }


def speaking(
    entity: Entity, turns: Iterable[Turn], text: Callable[[str, int, int], str]
) -> Row | None:
    """How many `words` a speaker says, in how many `turns` and `documents`; None of one who says
    nothing. `text`: the words of a document between two offsets.
    """
    own = [turn for turn in turns if turn.speaker and entity_key(turn.speaker) in entity.keys]
    if not own:
        return None
    return {
        "words": sum(len(text(t.document_id, t.start, t.end).split()) for t in own),
        "turns": len(own),
        "documents": len({t.document_id for t in own}),
    }


def _find(graph: Graph, name: str) -> Entity:
    found = called(graph.entities, name)
    if found is not None:
        return found
    key = entity_key(name)
    near = alike(graph.entities, name) or [
        e for e in graph.entities if key and (key in e.key or e.key in key)
    ]
    near.sort(key=lambda e: (-e.weight, e.key))
    raise _no_entity(name, [e.name for e in near[:_MAX_NEAR]])


def near_view(space: Workspace, name: str, num_hops: int, limit: int) -> Row:
    """The surroundings of an entity, read straight from the store: quick in a large graph too.
    Raises UsageError naming near misses.
    """
    found = space.store.neighbourhood(
        _find_in_store(space, name), num_hops=num_hops, fan_out=limit, max_relations=limit
    )
    names = {e.id: e.name for e in found.entities}
    return {
        "name": found.entities[0].name,
        "entities": [{"name": e.name, "type": e.type, "weight": e.weight} for e in found.entities],
        "relations": [_relation_row(r, names) for r in stated_first(found.relations, names)],
        "is_cut": found.is_cut,
        "note": unstated_note(found.relations),
    }


def _find_in_store(space: Workspace, name: str) -> str:
    """The id of an entity by any of its names, found by search: the graph isn't read whole."""
    key = entity_key(name)
    near = []
    for entity_id, _ in space.store.search_entities(name, limit=50):
        entity = space.store.neighbourhood(entity_id, num_hops=0).entities[0]
        if key in entity.keys:
            return entity_id
        near.append(entity)
    also = called(near, name)
    if also is not None:
        return also.id
    raise _no_entity(name, [e.name for e in near[:_MAX_NEAR]])


def _no_entity(name: str, near: Sequence[str]) -> UsageError:
    return UsageError(f"no entity {name!r}" + (f"; near: {', '.join(near)}" if near else ""))


@dataclass(frozen=True, slots=True)
class RelationStatement:
    """Where a relation is stated: the words from `start` to `end` of a document, or its turn where
    no sentence says it.
    """

    document_id: str
    title: str
    start: int
    end: int
    words: str
    speaker: str | None
    start_s: float | None


@dataclass(frozen=True, slots=True)
class StatedRelation:
    """A relation with the names of its ends, and the first of the statements that it rests on."""

    relation: Relation
    head: str
    tail: str
    statements: tuple[RelationStatement, ...]


@dataclass(frozen=True, slots=True)
class EntityFacts:
    """An entity with its heaviest relations. `has_more`: it has others. `note`: of
    `unstated_note`.
    """

    entity: Entity
    relations: tuple[StatedRelation, ...]
    has_more: bool
    note: str = ""


def entity_facts(
    store: GraphStore,
    entity_id: str,
    documents: Mapping[str, Document],
    max_relations: int = 12,
    max_statements: int = 2,
) -> EntityFacts:
    """An entity with its heaviest relations, read by id alone: as quick in a large graph as in a
    small one. Unknown id: StoreError.
    """
    num = _NUM_READ * max_relations
    near = store.neighbourhood(entity_id, num_hops=1, fan_out=num, max_relations=num)
    names = {e.id: e.name for e in near.entities}
    own = stated_first((r for r in near.relations if entity_id in (r.head, r.tail)), names)
    shown = own[:max_relations]
    return EntityFacts(
        near.entities[0],
        _stated(store, shown, names, documents, max_statements),
        near.is_cut or len(shown) < len(own),
        unstated_note(own),
    )


def entity_quotes(
    store: GraphStore, entity: Entity, documents: Mapping[str, Document], max_passages: int = 200
) -> tuple[list[Quote], bool]:
    """The turns that name an entity, in the order that they were said in, and whether there may be
    more: only the first passages that hold it are read.
    """
    held = store.passages_of(entity.id)
    passages = held[:max_passages]
    turns = {id_: store.turns(id_) for id_ in {p.document_id for p in passages}}
    names = (entity.name, *entity.aliases)
    return quotes_of(names, passages, documents, turns), len(held) > len(passages)


def way_between(
    store: GraphStore, first_id: str, second_id: str, documents: Mapping[str, Document]
) -> tuple[StatedRelation, ...]:
    """The relations of a shortest way between two entities, each with a statement; empty where no
    way is found.

    The search is among the heaviest relations of three hops around either end, so the way may be
    longer than the shortest of all. Unknown id: StoreError.
    """
    import networkx as nx

    names: dict[str, str] = {}
    graph: nx.Graph[str] = nx.Graph()
    for end in (first_id, second_id):
        near = store.neighbourhood(
            end, num_hops=_WAY_HOPS, fan_out=_WAY_FAN_OUT, max_relations=_WAY_RELATIONS
        )
        names |= {e.id: e.name for e in near.entities}
        graph.add_nodes_from(e.id for e in near.entities)
        # of several relations between two, the heaviest stays
        for relation in sorted(near.relations, key=lambda r: (r.weight, r.id)):
            graph.add_edge(relation.head, relation.tail, relation=relation)
    if first_id == second_id or not nx.has_path(graph, first_id, second_id):
        return ()
    found = nx.shortest_path(graph, first_id, second_id)
    own = [graph.edges[a, b]["relation"] for a, b in pairwise(found)]
    return _stated(store, own, names, documents, 1)


def _stated(
    store: RecordStore,
    own: Sequence[Relation],
    names: Mapping[str, str],
    documents: Mapping[str, Document],
    max_statements: int,
) -> tuple[StatedRelation, ...]:
    """The relations with the first of their statements."""
    ids = [id_ for relation in own for id_ in relation.record_ids[:max_statements]]
    records = {record.id: record for record in store.records_of(ids)}
    held = {record.document_id for record in records.values()}
    turns = {id_: store.turns(id_) for id_ in sorted(held & documents.keys())}
    stated = []
    for relation in own:
        found = []
        for id_ in relation.record_ids[:max_statements]:
            record = records.get(id_)
            if record is None or record.turn_index >= len(turns.get(record.document_id, ())):
                continue  # the document was replaced meanwhile
            document = documents[record.document_id]
            turn = turns[record.document_id][record.turn_index]
            start, end = record.quote_start, record.quote_end
            words = document.text[start:end]
            if start >= end:
                start, end, words = turn.start, turn.end, ""
            found.append(
                RelationStatement(
                    document.id, document.title, start, end, words, turn.speaker, turn.start_s
                )
            )
        ends = names[relation.head], names[relation.tail]
        stated.append(StatedRelation(relation, *ends, tuple(found)))
    return tuple(stated)


def narrowed(
    overview: Overview,
    *,
    types: Collection[str] = (),
    min_weight: int = 0,
    passages: Collection[str] | None = None,
    limit: int,
    are_names_first: bool = False,
    are_linked: bool = False,
) -> tuple[tuple[Entity, ...], tuple[Relation, ...]]:
    """The heaviest entities of an overview of these types (none: all) and at least this weight,
    held by any of these passages (None: all); and the relations between them. `are_names_first`:
    plain words in lower case come after all names. `are_linked`: those alone that are related to
    another of them, unless none is.
    """
    held = None if passages is None else frozenset(passages)
    found = [
        entity
        for entity, own in zip(overview.entities, overview.entity_passages, strict=True)
        if (not types or entity.type in types)
        and entity.weight >= min_weight
        and (held is None or not held.isdisjoint(own))
    ]
    if are_names_first:
        found.sort(key=lambda entity: not is_name(entity.name))
    if are_linked:
        found = _linked(found, overview.relations)[:limit]
        found = _linked(found, overview.relations)  # some were related to lighter ones alone
    found = found[:limit]
    return tuple(found), _between(found, overview.relations)


def _linked(entities: list[Entity], relations: Sequence[Relation]) -> list[Entity]:
    """The entities that are related to another of them; all where none is."""
    ends = {
        end for r in _between(entities, relations) if r.head != r.tail for end in (r.head, r.tail)
    }
    return [entity for entity in entities if entity.id in ends] or entities


def _between(entities: Collection[Entity], relations: Sequence[Relation]) -> tuple[Relation, ...]:
    ids = {entity.id for entity in entities}
    return tuple(r for r in relations if r.head in ids and r.tail in ids)


def is_name(text: str) -> bool:
    """Whether this is written as a name: not a number, nor a word in lower case. Scripts without
    case have names alone.
    """
    return any(ch.isalpha() for ch in text) and (text != text.lower() or text == text.upper())


def binned(counts: Mapping[int, int]) -> list[tuple[str, int]]:
    """Counts by value in bins that double in width, so that a long tail can be read: "0", "1",
    "2-3", "4-7". Empty ones between stay.
    """
    sums: dict[int, int] = {}
    for value, num in counts.items():
        sums[value.bit_length()] = sums.get(value.bit_length(), 0) + num
    bounds = [(0, 0), *((2 ** (i - 1), 2**i - 1) for i in range(1, max(sums, default=-1) + 1))]
    rows = [
        (str(low) if low == high else f"{low}-{high}", sums.get(i, 0))
        for i, (low, high) in enumerate(bounds)
    ]
    first = next((i for i, (_, num) in enumerate(rows) if num), len(rows))
    return rows[first:]
