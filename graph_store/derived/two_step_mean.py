"""DynaGRAG, section 3.1, two-step mean: a key's vector is the mean over its mentions, an entity's
the unweighted mean over its keys.

So a name that is repeated a hundred times weighs no more than one that is said once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.errors import StoreError
from dynagrag.core.schema import Entity, Mention, MentionKind, Relation, RelationRecord, Vectors
from dynagrag.graph_store.derived.embedded_texts import (
    is_co_occurrence,
    mention_text,
    record_text,
    text_id,
)

_COLUMNS_AT_ONCE = 64
"""Means are summed in float64; so many columns at a time bound the memory of the wider copy."""


@dataclass(frozen=True, slots=True)
class VectorTable:
    """Vectors by id: `array` (n, d) float32, `rows` the row of each id."""

    rows: Mapping[str, int]
    array: Vectors

    @classmethod
    def of(cls, ids: Sequence[str], array: Vectors) -> "VectorTable":
        """A table of vectors in the order of their ids."""
        return cls({id_: row for row, id_ in enumerate(ids)}, array)

    @classmethod
    def empty(cls, dimension: int = 0) -> "VectorTable":
        """A table that holds nothing."""
        return cls({}, np.zeros((0, dimension), dtype=np.float32))

    def find(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """(len(ids),) rows. A missing id: StoreError."""
        try:
            return np.fromiter((self.rows[i] for i in ids), dtype=np.int64, count=len(ids))
        except KeyError as err:
            raise StoreError(
                f"the text {err.args[0]} has no vector; run `dynagrag ingest` again to embed what"
                " is missing"
            ) from err


def key_vectors(mentions: Sequence[Mention], vectors: VectorTable) -> VectorTable:
    """Step one: e_k, the mean over a key's mention records, by key in alphabetical order.

    A key's title and speaker mentions, which are bare names, count only where the key has no
    mention of kind said; so a speaker heard in 500 passages still has the meaning of what is said
    about them.
    """
    said = {m.key for m in mentions if m.kind is MentionKind.SAID}
    counted = [m for m in mentions if m.kind is MentionKind.SAID or m.key not in said]
    keys = sorted({m.key for m in counted})
    index = {key: i for i, key in enumerate(keys)}
    ids: dict[tuple[str, str], str] = {}
    for m in counted:
        if (m.name, m.summary) not in ids:
            ids[m.name, m.summary] = text_id(mention_text(m))
    rows = vectors.find([ids[m.name, m.summary] for m in counted])
    groups = np.fromiter((index[m.key] for m in counted), dtype=np.int64, count=len(counted))
    return VectorTable(index, group_means(vectors.array, rows, groups, len(keys)))


def entity_vectors(
    entities: Sequence[Entity], counted: Sequence[Mention], vectors: VectorTable
) -> Vectors:
    """Step two: the mean of e_k over an entity's keys, unweighted."""
    by_key = key_vectors(counted, vectors)
    keys = [key for entity in entities for key in entity.keys]
    groups = np.repeat(np.arange(len(entities), dtype=np.int64), [len(e.keys) for e in entities])
    return group_means(by_key.array, by_key.find(keys), groups, len(entities))


def relation_vectors(
    relations: Sequence[Relation], records: Mapping[str, RelationRecord], vectors: VectorTable
) -> Vectors:
    """Vectors of the stated relations, by both steps over a relation's own labels: the mean of each
    label's records, then of the labels that were merged into it. A record that only says that both
    stand in one sentence has no vector.
    """
    ids: dict[str, str] = {}
    flat: list[str] = []
    labels: dict[tuple[int, str], int] = {}
    label_of: list[int] = []
    stated = [relation for relation in relations if relation.is_stated]
    for index, relation in enumerate(stated):
        for record_id in relation.record_ids:
            record = records[record_id]
            if is_co_occurrence(record):
                continue
            label_of.append(labels.setdefault((index, record.label), len(labels)))
            text = record_text(record)
            if text not in ids:
                ids[text] = text_id(text)
            flat.append(ids[text])
    of_label = group_means(
        vectors.array, vectors.find(flat), np.array(label_of, dtype=np.int64), len(labels)
    )
    of_relation = np.fromiter((index for index, _ in labels), dtype=np.int64, count=len(labels))
    return group_means(of_label, np.arange(len(labels), dtype=np.int64), of_relation, len(stated))


def group_means(
    array: Vectors, rows: NDArray[np.int64], groups: NDArray[np.int64], num_groups: int
) -> Vectors:
    """(num_groups, d): the mean of array[rows[i]] over the i of each group. Every group holds at
    least one i.

    Sums run in float64 in the order of `rows`, so equal input gives equal bits.
    """
    from scipy.sparse import csr_array

    dimension = array.shape[1]
    means = np.zeros((num_groups, dimension), dtype=np.float32)
    if not len(rows):
        return means
    order = np.argsort(groups, kind="stable")
    counts = np.bincount(groups, minlength=num_groups)
    indptr = np.concatenate(([0], np.cumsum(counts)))
    sums = csr_array((np.ones(len(rows)), rows[order], indptr), shape=(num_groups, len(array)))
    for start in range(0, dimension, _COLUMNS_AT_ONCE):
        columns = slice(start, start + _COLUMNS_AT_ONCE)
        means[:, columns] = (sums @ array[:, columns].astype(np.float64)) / counts[:, None]
    return means
