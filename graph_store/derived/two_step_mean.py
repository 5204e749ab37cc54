"""What is embedded, and the means of it: the texts of mentions and records, their ids, and the two-step mean (methods spec, 3.3 and 3.5).

Equal texts have one id and one vector, so what is said twice is embedded once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from dynagrag.errors import StoreError
from dynagrag.ids import content_id, plain_key
from dynagrag.schema import Document, Mention, MentionKind, Passage, RelationRecord, Vectors

CO_OCCURRENCE = "mentioned with"
"""The label of the fast extractor's relations: two names in one sentence. It has no direction and no summary; its text is the sentence."""

MAX_TITLE = 200
_COLUMNS_AT_ONCE = 64
"""Means are summed in float64; so many columns at a time bound the memory of the wider copy."""


def mention_text(mention: Mention) -> str:
    """ "name: summary", or the name alone: what is embedded for a mention."""
    return f"{mention.name}: {mention.summary}" if mention.summary else mention.name


def own_title(document: Document) -> str:
    """The title that says what the document is about, its first 200 characters; empty where it only repeats the file's name.

    It stands before every passage that is embedded, and a model reads some 250 words at most.
    """
    path = PurePath(document.uri)
    return "" if document.title in (path.name, path.stem) else document.title.strip()[:MAX_TITLE].rstrip()


def own_titles(documents: Mapping[str, Document]) -> dict[str, str]:
    """By document id."""
    return {id_: own_title(document) for id_, document in documents.items()}


def passage_text(document: Document, passage: Passage, title: str | None = None) -> str:
    """ "title, line break, the passage's words": what is embedded and searched for a passage. `title`: the document's own, if at hand."""
    title = own_title(document) if title is None else title
    words = document.text[passage.start : passage.end]
    return f"{title}\n{words}" if title else words


def sentence_text(sentence: str, title: str) -> str:
    """ "title: sentence"; the sentence alone where the document has no title of its own."""
    return f"{title}: {sentence}" if title else sentence


def is_co_occurrence(record: RelationRecord) -> bool:
    """Whether all that a record says is that both stand in one sentence."""
    return record.label == CO_OCCURRENCE and not record.summary


def record_text(record: RelationRecord, quote: str, title: str = "") -> str:
    """ "head label tail: summary", or "title: quote" of a co-occurrence: what is embedded for a relation record."""
    if is_co_occurrence(record) and quote:
        return sentence_text(quote, title)
    triple = f"{plain_key(record.head)} {record.label} {plain_key(record.tail)}"
    return f"{triple}: {record.summary}" if record.summary else triple


def text_id(text: str) -> str:
    """The id under which a text's vector is stored."""
    return content_id("text", text)


def quote_of(record: RelationRecord, documents: Mapping[str, Document]) -> str:
    """A record's quote, the source's own words. Raises StoreError for an unknown document."""
    document = documents.get(record.document_id)
    if document is None:
        raise StoreError(f"relation record {record.id} names document {record.document_id}, which is not stored; ingest it again")
    return document.text[record.quote_start : record.quote_end]


def mention_texts(mentions: Iterable[Mention]) -> dict[str, str]:
    """Text id -> text of all mentions, without doubles, in order of first appearance."""
    return {text_id(text): text for text in dict.fromkeys(mention_text(m) for m in mentions)}


def record_texts(records: Iterable[RelationRecord], documents: Mapping[str, Document]) -> dict[str, str]:
    """Text id -> text of all relation records, without doubles, in order of first appearance."""
    titles = own_titles(documents)
    texts = (record_text(r, quote_of(r, documents), titles[r.document_id]) for r in records)
    return {text_id(text): text for text in dict.fromkeys(texts)}


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
            raise StoreError(f"the text {err.args[0]} has no vector; run `dynagrag ingest` again to embed what is missing") from err


def group_means(array: Vectors, rows: NDArray[np.int64], groups: NDArray[np.int64], num_groups: int) -> Vectors:
    """(num_groups, d): the mean of array[rows[i]] over the i of each group. Every group holds at least one i.

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


def key_vectors(mentions: Sequence[Mention], vectors: VectorTable) -> VectorTable:
    """Step one: e_k, the mean over a key's mention records, by key in alphabetical order.

    A key's title and speaker mentions, which are bare names, count only where the key has no mention of kind said; so a speaker heard in
    500 passages still has the meaning of what is said about them.
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
