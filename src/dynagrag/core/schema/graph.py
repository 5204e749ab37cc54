"""Derived nouns, a view of the records that can be computed again at any time: merges, entities,
relations, the graph and looks at it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from dynagrag.core.schema.arrays import Vectors

CO_OCCURRENCE = "mentioned with"
"""The label of relations that only say that two names stand in one sentence: those of the fast
extractor. It has no direction.
"""


@dataclass(frozen=True, slots=True)
class Merge:
    """Keys that stand for one entity: which, into which, by which rule or verdict, with what it
    saw. id of the members.
    """

    id: str
    members: tuple[str, ...]
    canonical: str
    rule: str
    saw: str


@dataclass(frozen=True, slots=True)
class LabelMerge:
    """A relation label and its canonical form; `inverted` flips head and tail (owned by ->
    owns).
    """

    label: str
    canonical: str
    inverted: bool
    rule: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A node. weight = number of mentions of kind said. id of (workspace, canonical key, sense)."""

    id: str
    key: str
    name: str
    sense: str
    keys: tuple[str, ...]
    aliases: tuple[str, ...]
    type: str
    weight: int
    summaries: tuple[str, ...]
    is_speaker: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed, labelled relation. weight = number of records, support = number of distinct
    documents. id of (head, label, tail).
    """

    id: str
    head: str
    tail: str
    label: str
    weight: int
    support: int
    summaries: tuple[str, ...]
    record_ids: tuple[str, ...]

    @property
    def is_directed(self) -> bool:
        """Whether head and tail have different parts in it: in a co-occurrence they haven't."""
        return self.label != CO_OCCURRENCE

    @property
    def is_stated(self) -> bool:
        """Whether it says more than that both ends stand in one sentence."""
        return self.is_directed or bool(self.summaries)


@dataclass(frozen=True, slots=True)
class Graph:
    """Entities and relations, each sorted by id, with their vectors in the same order (two-step
    means, not normalised).

    `entity_vectors` (n, d); `relation_vectors` (s, d) of the relations that are stated, in their
    order: a co-occurrence has none. `entity_passages[i]`: ids of the passages that hold entity i.
    """

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    entity_vectors: Vectors
    relation_vectors: Vectors
    entity_passages: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The decisions of consolidation, so that the graph can be derived from any subset of the
    records.
    """

    merges: tuple[Merge, ...] = ()
    labels: tuple[LabelMerge, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A bounded part of the graph around an entity, for looking at it: `entities` in order of
    (hops, id), the centre first; `relations` by (weight desc, id). `is_cut`: there was more than
    the bounds let through.
    """

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Overview:
    """The heaviest part of the graph and counts of the whole, for looking at it: `entities` by
    (weight desc, id), their `degrees` in the whole graph and the ids of the passages that hold
    them; `relations` between them by (weight desc, id).

    `degree_counts`, `weight_counts` and `type_counts`: how many of all entities have that degree
    (relations at either end), weight or type.
    """

    entities: tuple[Entity, ...]
    degrees: tuple[int, ...]
    entity_passages: tuple[tuple[str, ...], ...]
    relations: tuple[Relation, ...]
    num_relations: int
    degree_counts: Mapping[int, int]
    weight_counts: Mapping[int, int]
    type_counts: Mapping[str, int]

    @property
    def num_entities(self) -> int:
        """All there are."""
        return sum(self.weight_counts.values())


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check looked at, of a store or of the installation. `remedy` says what to do
    where it is not ok.
    """

    what: str
    is_ok: bool
    finding: str
    remedy: str = ""


class VectorKind(StrEnum):
    """The kind of thing that a stored vector embeds; the meaning of its id follows from it."""

    PASSAGE = "passage"
    """by passage id"""
    MENTION = "mention"
    """by content id of the embedded text "name: summary", so equal texts are embedded once"""
    RECORD = "record"
    """by content id of the embedded text "head label tail: summary" """
    ENTITY = "entity"
    """by entity id: the two-step mean"""
    LABEL = "label"
    """by content id of a relation label that consolidation compared"""
    RELATION = "relation"
    """by relation id: the mean over its labels as they were stated, each the mean over its records;
    a pair's is the mean over its labels
    """


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """The embedder of a workspace's vectors."""

    name: str
    dimension: int
