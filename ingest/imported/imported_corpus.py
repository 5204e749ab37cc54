"""Imported corpora: passages or turns, with or without entities and triples, from a file or from
memory. Passages are taken as they are, not split again.

A file is JSON lines, plain or gzipped: `title` and `text`, and where there are any
`extracted_entities` and `extracted_triples` (or `entities`, `triples`); or `chunk_id` and `text`.
A broken line stops the reading; a broken triple is dropped and counted.
"""

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from dynagrag.core.errors import LoadError
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular
from dynagrag.core.ids import entity_key
from dynagrag.core.schema import SourceTurn
from dynagrag.ingest.plan import uri_of

Triple: TypeAlias = tuple[str, str, str]
"""(head, label, tail) as they are named in the source."""

NOT_THREE = "triple: it has not three parts"
NO_TEXT = "triple: a part is empty or no text"
NO_NAME = "triple: an end is no name"
NO_ENTITY = "entity: no name"
NOT_IN_CORPUS = "extraction: its passage is not in the corpus"
SECOND = "extraction: its passage has one already"

_REMEDY = (
    'each line must be an object such as {"title": "Ada", "text": "Ada was ..."}, or {"chunk_id":'
    ' 1, "text": "..."}'
)
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class ImportedPassage:
    """A document that is one passage, with the entities and triples found in it. `title`: its
    subject, or empty.
    """

    title: str
    text: str
    entities: tuple[str, ...] = ()
    triples: tuple[Triple, ...] = ()

    @property
    def has_extraction(self) -> bool:
        """Whether anything was found in it."""
        return bool(self.entities or self.triples)


@dataclass(frozen=True, slots=True)
class ImportedTurns:
    """A document that is a row of turns, such as a meeting: split into passages as a file would
    be.
    """

    title: str
    turns: tuple[SourceTurn, ...]


ImportedDocument: TypeAlias = ImportedPassage | ImportedTurns


@dataclass(frozen=True, slots=True)
class ImportedCorpus:
    """Documents in their order. `source`: the file's path, or a name; with their place, from 1, it
    makes their uri. `dropped`: what was refused, by reason.
    """

    documents: tuple[ImportedDocument, ...]
    source: str = "given"
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles there are, each once, in order: what the fast extractor looks for."""
        return tuple(dict.fromkeys(d.title for d in self.documents if d.title.strip()))

    @property
    def num_without_extraction(self) -> int:
        """Passages in which nothing was found; they stay."""
        return sum(isinstance(d, ImportedPassage) and not d.has_extraction for d in self.documents)


ImportedDocuments: TypeAlias = ImportedCorpus | Sequence[ImportedDocument]


def as_corpus(documents: ImportedDocuments) -> ImportedCorpus:
    """A corpus as it is; documents as the corpus `given`."""
    return documents if isinstance(documents, ImportedCorpus) else ImportedCorpus(tuple(documents))


def content_hashes(documents: Sequence[ImportedDocument]) -> tuple[str, ...]:
    """The identity of each document: a SHA-256 of its title and text or turns, and of how many such
    came before it.

    So two documents with the same title and text are two, and a row that moves stays what it was.
    """
    seen: Counter[str] = Counter()
    hashes = []
    for document in documents:
        if isinstance(document, ImportedPassage):
            content = json.dumps([document.title, document.text])
        else:
            content = json.dumps(
                [document.title, [[t.text, t.speaker, t.start_s, t.end_s] for t in document.turns]]
            )
        hashes.append(hashlib.sha256(f"{seen[content]} {content}".encode()).hexdigest())
        seen[content] += 1
    return tuple(hashes)


# ------------------------------------------------------------------------------------------ reading


class _CorpusRow(BaseModel):
    """A line of a file; other fields are passed over."""

    title: str | None = None
    chunk_id: int | str | None = None
    text: str
    extracted_entities: list[Any] = Field(
        default_factory=list, validation_alias=AliasChoices("extracted_entities", "entities")
    )
    extracted_triples: list[Any] = Field(
        default_factory=list, validation_alias=AliasChoices("extracted_triples", "triples")
    )


def read_imported(path: str | Path) -> ImportedCorpus:
    """Reads a file of passages. Broken triples and entities are dropped and counted by reason;
    blank lines are passed over.

    Raises LoadError, with the file and the line, where it cannot be read, a line is no JSON object,
    a field is missing or has another type, a text is blank, or nothing is in it.
    """
    dropped: Counter[str] = Counter()
    documents: list[ImportedDocument] = []
    for number, line in enumerate(_lines(Path(path)), start=1):
        if line.strip():
            documents.append(_passage(line, f"{path}, line {number}", dropped))
    if not documents:
        raise LoadError(f"{path} holds no passages; {_REMEDY}")
    return ImportedCorpus(tuple(documents), uri_of(path), dict(dropped))


def join_extractions(corpus: ImportedCorpus, extractions: ImportedCorpus) -> ImportedCorpus:
    """The corpus with what was found in its passages, by title and text; of passages that stand
    twice, the first gets the first.

    Extractions without a passage in the corpus are dropped with a count. Passages without an
    extraction keep what they have.
    """
    found: dict[tuple[str, str], list[ImportedPassage]] = {}
    for passage in extractions.documents:
        if isinstance(passage, ImportedPassage) and passage.has_extraction:
            found.setdefault((passage.title, passage.text), []).append(passage)
    documents: list[ImportedDocument] = []
    joined = set()
    for document in corpus.documents:
        place = (document.title, document.text) if isinstance(document, ImportedPassage) else None
        if place in found:
            joined.add(place)
            document = found[place].pop(0) if found[place] else document
        documents.append(document)
    dropped = Counter(corpus.dropped) + Counter(extractions.dropped)
    for place, left in found.items():
        if left:
            dropped[SECOND if place in joined else NOT_IN_CORPUS] += len(left)
    return replace(corpus, documents=tuple(documents), dropped=dict(dropped))


def _lines(path: Path) -> Iterator[str]:
    """The lines of a file, gzipped or not, whatever its name says."""
    if is_irregular(path):
        raise LoadError(f"{path} {IRREGULAR}")
    try:
        with path.open("rb") as handle:
            is_packed = handle.read(len(_GZIP)) == _GZIP
        opened = gzip.open if is_packed else open
        with opened(path, "rt", encoding="utf-8-sig") as lines:
            yield from lines
    except UnicodeDecodeError as err:
        raise LoadError(
            f"{path} is no UTF-8 text ({err.reason} at byte {err.start}); convert it to UTF-8 JSON"
            " lines"
        ) from err
    except (EOFError, zlib.error, gzip.BadGzipFile) as err:
        raise LoadError(
            f"{path} is damaged or was cut off: {err}; take another copy of it"
        ) from err
    except OSError as err:
        raise LoadError(
            f"{path} cannot be read: {err.strerror or err}; check its path and permissions"
        ) from err


def _passage(line: str, where: str, dropped: Counter[str]) -> ImportedPassage:
    try:
        row = _CorpusRow.model_validate(json.loads(line))
        line.encode()
        f"{row.title}{row.text}".encode()
    except ValidationError as err:
        first = err.errors()[0]
        field_name = ".".join(map(str, first["loc"])) or "the line"
        raise LoadError(f"{where}: {field_name}: {first['msg']}; {_REMEDY}") from err
    except UnicodeEncodeError as err:
        raise LoadError(f"{where}: its text holds a lone surrogate; {_REMEDY}") from err
    except (ValueError, RecursionError) as err:
        raise LoadError(f"{where}: is no JSON ({err}); {_REMEDY}") from err
    if row.title is None and row.chunk_id is None:
        raise LoadError(f"{where}: it has neither title nor chunk_id; {_REMEDY}")
    if not row.text.strip():
        raise LoadError(f"{where}: its text is blank; take the line out, or give it a text")
    entities = [e for e in row.extracted_entities if isinstance(e, str) and is_name(e)]
    if num_bad := len(row.extracted_entities) - len(entities):
        dropped[NO_ENTITY] += num_bad
    triples = tuple(_triples(row.extracted_triples, dropped))
    return ImportedPassage(row.title or "", row.text, tuple(entities), triples)


def is_text(text: str) -> bool:
    """Whether something is left of it that a store can keep: a lone surrogate (half of a character)
    has no UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return bool(text.strip())


def is_name(text: str) -> bool:
    """Whether it can be the name of an entity."""
    return is_text(text) and bool(entity_key(text))


def _triples(listed: Sequence[Any], dropped: Counter[str]) -> Iterator[Triple]:
    for parts in listed:
        if not isinstance(parts, list) or len(parts) != 3:
            dropped[NOT_THREE] += 1
        elif not all(isinstance(part, str) and is_text(part) for part in parts):
            dropped[NO_TEXT] += 1
        elif not (is_name(parts[0]) and is_name(parts[2])):
            dropped[NO_NAME] += 1
        else:
            head, label, tail = parts
            yield head, label, tail


__all__ = [
    "ImportedCorpus",
    "ImportedDocument",
    "ImportedDocuments",
    "ImportedPassage",
    "ImportedTurns",
    "Triple",
    "as_corpus",
    "content_hashes",
    "is_name",
    "is_text",
    "join_extractions",
    "read_imported",
]
