"""The words of a corpus as its search by words counts them, kept beside the workspace: reading and
stemming them takes most of a process's first question.

They are kept by document, under a digest of all that they are read from, so what changed is read
anew and nothing else; a file that doesn't fit is none.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagrag import core, language
from dynagrag.core.code_version import code_version
from dynagrag.core.files.kept_arrays import (
    Arrays,
    KeptArrays,
    texts_as_arrays,
    texts_of_arrays,
)
from dynagrag.core.protocols import RecordStore
from dynagrag.core.schema import Document, Graph, Passage, Snapshot, Turn
from dynagrag.core.schema.arrays import no_vectors
from dynagrag.graph_store.derived import embedded_texts
from dynagrag.graph_store.derived.embedded_texts import own_titles, passage_text
from dynagrag.language.word_runs import words
from dynagrag.language.years import years_in_full
from dynagrag.retrieval import terms
from dynagrag.retrieval.terms import TermReader

Ints = NDArray[np.int64]

FILE = "words.safetensors"
_DIGEST_SIZE = 16


COUNTED_BY = (core, language, embedded_texts, terms)
"""The code that makes words of texts, with this module."""
_LIBRARIES = ("snowballstemmer", "stop-words")


def _stamp() -> str:
    return code_version((*COUNTED_BY, sys.modules[__name__]), _LIBRARIES)


def words_of(text: str) -> list[str]:
    """The words that BM25 of passages counts, and the years that the text has short in full."""
    return words(text) + years_in_full(text)


@dataclass(frozen=True, slots=True)
class TurnParts:
    """The parts of turns that lie in a snapshot's passages, t of them, in the passages' order: the
    row of the passage, the number of the turn, and where it begins and ends (t,). A passage of a
    document without turns is one part.
    """

    rows: Ints
    indexes: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, snapshot: Snapshot) -> "TurnParts":
        """Of all passages."""
        places = [
            (row, index, start, end)
            for row in range(len(snapshot.passages))
            for index, start, end in _parts(snapshot, row)
        ]
        return cls(*np.array(places, dtype=np.int64).reshape(-1, 4).T)


def _parts(snapshot: Snapshot, row: int) -> Sequence[tuple[int, int, int]]:
    """(number, start, end) of the parts of turns that a passage holds."""
    passage = snapshot.passages[row]
    turns = snapshot.turns.get(passage.document_id, ())
    parts = [
        (turn.index, max(turn.start, passage.start), min(turn.end, passage.end))
        for turn in turns[passage.first_turn : passage.last_turn + 1]
    ]
    held = [(index, start, end) for index, start, end in parts if start < end]
    return held or [(passage.first_turn, passage.start, passage.end)]


@dataclass(frozen=True, slots=True)
class WordTable:
    """Texts as numbers of words, in `vocabulary`: text i has `ids[ptr[i]:ptr[i + 1]]`, as often as
    they occur. Of document n are the texts `documents[n]` to `documents[n + 1]`.
    """

    vocabulary: tuple[str, ...]
    ids: NDArray[np.int32]
    ptr: Ints
    documents: Ints

    @classmethod
    def of(cls, documents: Sequence[Sequence[Sequence[str]]]) -> "WordTable":
        """Of each document's texts, each as its words."""
        known: dict[str, int] = {}
        texts = [text for own in documents for text in own]
        ids = [known.setdefault(word, len(known)) for text in texts for word in text]
        return cls(
            tuple(known),
            np.array(ids, dtype=np.int32),
            _ends([len(text) for text in texts]),
            _ends([len(own) for own in documents]),
        )

    def and_then(self, other: "WordTable") -> "WordTable":
        """These documents, then those of another table."""
        if not len(other.ids) or not len(self.ids):
            vocabulary, ids = self.vocabulary or other.vocabulary, other.ids
        else:
            number = {word: i for i, word in enumerate(self.vocabulary)}
            ids_of = [number.setdefault(word, len(number)) for word in other.vocabulary]
            vocabulary, ids = tuple(number), np.array(ids_of, dtype=np.int32)[other.ids]
        return WordTable(
            vocabulary,
            np.concatenate((self.ids, ids)),
            np.concatenate((self.ptr, self.ptr[-1] + other.ptr[1:])),
            np.concatenate((self.documents, self.documents[-1] + other.documents[1:])),
        )

    def taken(self, order: Ints) -> "WordTable":
        """Some of the documents, in this order, and no word that none of them has."""
        if np.array_equal(order, np.arange(len(self.documents) - 1)):
            return self
        documents, texts = _ranges(self.documents, order)
        ptr, places = _ranges(self.ptr, texts)
        used, ids = np.unique(self.ids[places], return_inverse=True)
        vocabulary = tuple(self.vocabulary[i] for i in used.tolist())
        return WordTable(vocabulary, ids.astype(np.int32), ptr, documents)

    def texts(self) -> list[list[int]]:
        """The numbers of each text's words."""
        ids, ends = self.ids.tolist(), self.ptr.tolist()
        return [ids[a:b] for a, b in pairwise(ends)]

    def entries(self, texts: Ints) -> tuple[Ints, NDArray[np.int32]]:
        """For each word of these texts, in turn, the place of its text among them, and its
        number.
        """
        ptr, at = _ranges(self.ptr, texts)
        return np.repeat(np.arange(len(texts)), np.diff(ptr)), self.ids[at]


@dataclass(frozen=True, slots=True)
class CorpusWords:
    """The words of a snapshot. `terms` (`TermReader`): of each document its title's, then those of
    each part of its turns, with the speaker's name. `words` (`words_of`): of each passage with its
    document's title.
    """

    terms: WordTable
    words: WordTable

    @classmethod
    def of(
        cls,
        snapshot: Snapshot,
        parts: TurnParts,
        reader: TermReader,
        files: KeptArrays | None = None,
    ) -> "CorpusWords":
        """Those that are kept in the files, where there are any; what they lack is read, and kept
        from now on.
        """
        found = [
            _DocumentTexts(snapshot, parts, reader, document_id, [row for row, _ in rows])
            for document_id, rows in groupby(
                enumerate(snapshot.passages), key=lambda row: row[1].document_id
            )
        ]
        kept = _KeptWords.of(files.load(FILE, _stamp())) if files else _KeptWords.of(None)
        place = {digest: n for n, digest in enumerate(kept.digests)}
        missing = [document for document in found if document.digest not in place]
        place |= {d.digest: len(kept.digests) + n for n, d in enumerate(missing)}
        titles = own_titles({d.document_id: snapshot.documents[d.document_id] for d in missing})
        order = np.array([place[document.digest] for document in found], dtype=np.int64)
        tables = [
            table.and_then(WordTable.of(read)).taken(order)
            for table, read in (
                (kept.terms, [d.terms(titles[d.document_id]) for d in missing]),
                (kept.words, [d.words(titles[d.document_id]) for d in missing]),
            )
        ]
        made = cls(*tables)
        if files and (missing or len(kept.digests) != len(found)):
            digests = tuple(document.digest for document in found)
            files.keep(FILE, _stamp(), _KeptWords(digests, *tables).as_arrays())
        return made


def keep_words(
    store: RecordStore,
    documents: Iterable[Document],
    passages: Sequence[Passage],
    files: KeptArrays,
) -> None:
    """Brings what is kept up to date with a store's documents and passages, all of them; the first
    question begins to keep it.
    """
    if not (files.folder / FILE).is_file():
        return
    known = {document.id: document for document in documents}
    made = Snapshot(
        store.workspace,
        store.version(),
        known,
        turns_by_document(store),
        tuple(passages),
        no_vectors(),
        {},
        Graph((), (), no_vectors(), no_vectors(), ()),
    )
    CorpusWords.of(made, TurnParts.of(made), TermReader(known), files)


def turns_by_document(store: RecordStore) -> dict[str, tuple[Turn, ...]]:
    """All turns, in order, by their document."""
    found: dict[str, list[Turn]] = {}
    for turn in store.turns():
        found.setdefault(turn.document_id, []).append(turn)
    return {document: tuple(own) for document, own in found.items()}


class _DocumentTexts:
    """What is counted of one document; its passages stand at `rows`, which follow each other."""

    def __init__(
        self,
        snapshot: Snapshot,
        parts: TurnParts,
        reader: TermReader,
        document_id: str,
        rows: Sequence[int],
    ) -> None:
        self._snapshot, self._reader, self._rows = snapshot, reader, rows
        self.document_id = document_id
        first, last = np.searchsorted(parts.rows, (rows[0], rows[-1] + 1))
        own = slice(first, last)
        turns = snapshot.turns.get(document_id, ())
        self._parts = [
            (start, end, turns[index].speaker if index < len(turns) else None)
            for index, start, end in zip(
                parts.indexes[own].tolist(),
                parts.starts[own].tolist(),
                parts.ends[own].tolist(),
                strict=True,
            )
        ]

    @cached_property
    def digest(self) -> bytes:
        """Of all that its words are read from."""
        document = self._snapshot.documents[self.document_id]
        passages = [(p.start, p.end) for p in map(self._snapshot.passages.__getitem__, self._rows)]
        told = [
            document.title,
            document.uri,
            self._reader.language(self.document_id),
            self._parts,
            passages,
        ]
        made = blake2b(json.dumps(told).encode(), digest_size=_DIGEST_SIZE)
        made.update(document.text.encode("utf-8", "surrogatepass"))
        return made.digest()

    def terms(self, title: str) -> list[list[str]]:
        """Those of its title, then of the parts of its turns."""
        texts = [
            f"{speaker} {words}" if speaker else words
            for start, end, speaker in self._parts
            for words in [self._snapshot.text(self.document_id, start, end)]
        ]
        return [self._reader.of_text(text, self.document_id) for text in (title, *texts)]

    def words(self, title: str) -> list[list[str]]:
        """Those of its passages."""
        document = self._snapshot.documents[self.document_id]
        passages = map(self._snapshot.passages.__getitem__, self._rows)
        return [words_of(passage_text(document, passage, title)) for passage in passages]


@dataclass(frozen=True, slots=True)
class _KeptWords:
    """What a file holds, by document."""

    digests: tuple[bytes, ...]
    terms: WordTable
    words: WordTable

    @classmethod
    def of(cls, arrays: Arrays | None) -> "_KeptWords":
        """What these arrays hold; of no document without any."""
        if arrays is None:
            return cls((), WordTable.of([]), WordTable.of([]))
        digests = arrays["digests"].tobytes()
        return cls(
            tuple(digests[at : at + _DIGEST_SIZE] for at in range(0, len(digests), _DIGEST_SIZE)),
            *(
                WordTable(
                    texts_of_arrays(name, arrays),
                    *(arrays[f"{name}.{part}"] for part in ("ids", "ptr", "documents")),
                )
                for name in ("terms", "words")
            ),
        )

    def as_arrays(self) -> Arrays:
        """As `of` reads them."""
        arrays: dict[str, NDArray[Any]] = {
            "digests": np.frombuffer(b"".join(self.digests), dtype=np.uint8)
        }
        for name, table in (("terms", self.terms), ("words", self.words)):
            arrays |= texts_as_arrays(name, table.vocabulary)
            arrays[f"{name}.ids"] = table.ids
            arrays[f"{name}.ptr"] = table.ptr
            arrays[f"{name}.documents"] = table.documents
        return arrays


def _ends(sizes: Sequence[int]) -> Ints:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int64)


def _ranges(ptr: Ints, order: Ints) -> tuple[Ints, Ints]:
    """The ranges ptr[i] to ptr[i + 1] of the i in order: their ends, and all places in them."""
    sizes = ptr[order + 1] - ptr[order]
    ends = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return ends, np.arange(ends[-1]) + np.repeat(ptr[order] - ends[:-1], sizes)
