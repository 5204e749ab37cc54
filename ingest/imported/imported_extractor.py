"""The extractor without a model: the entities and triples that came with imported passages become
records.

A relation's quote is the passage's earliest sentence that holds both ends. Where there is none, its
quote is the empty span at the passage's begin: it serves retrieval and is never cited, since no
sentence of the source states it.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from dynagrag.core.ids import content_id, entity_key, plain_quotes
from dynagrag.core.protocols import Extraction
from dynagrag.core.schema import (
    Chunk,
    ChunkWork,
    Mention,
    MentionKind,
    RelationRecord,
)
from dynagrag.ingest.extract.quotes import mention_passages
from dynagrag.ingest.imported.imported_corpus import (
    NO_ENTITY,
    NO_NAME,
    NO_TEXT,
    ImportedDocument,
    ImportedDocuments,
    ImportedPassage,
    Triple,
    as_corpus,
    content_hashes,
    is_name,
    is_text,
)
from dynagrag.ingest.split import turn_at
from dynagrag.language.sentences import Span, sentence_spans

STATED_TWICE = "triple: stated before in its passage"
WITHOUT = "passage: it came without entities and triples"
UNKNOWN = "this document is not among those that were given; ingest it from its own source again"

_WORD = re.compile(r"[^\W_]+[+#]*")


class ImportedExtractor:
    """Makes records of the entities and triples that came with each passage, and of nothing else: a
    title that no extraction names is no entity.

    A chunk of a document that is not among those given is set aside.
    """

    def __init__(self, *documents: ImportedDocuments) -> None:
        corpora = [as_corpus(some) for some in documents]
        self._found: dict[str, ImportedDocument] = {}
        self._refused_before: Counter[str] = Counter()
        for corpus in corpora:
            hashes = content_hashes(corpus.documents)
            self._found.update(zip(hashes, corpus.documents, strict=True))
            self._refused_before += Counter(corpus.dropped)
        # Adding leaves out a zero.
        num_without = sum(corpus.num_without_extraction for corpus in corpora)
        self._refused_before += Counter({WITHOUT: num_without})
        self._refused: dict[tuple[str, int, int], Counter[str]] = {}
        extractions = [
            [sha256, p.entities, p.triples]
            for sha256, p in self._found.items()
            if isinstance(p, ImportedPassage) and p.has_extraction
        ]
        self._name = f"file-2+{content_id(json.dumps(sorted(extractions)))[:8]}"

    @property
    def name(self) -> str:
        """`file-2` and a hash of all extractions: others make other records."""
        return self._name

    @property
    def dropped(self) -> Mapping[str, int]:
        """Counts of refused items by reason, from reading the files and from extraction."""
        return sum(self._refused.values(), self._refused_before.copy())

    @property
    def remarks(self) -> Mapping[str, int]:
        """Nothing: no text is read."""
        return {}

    @property
    def mended(self) -> Mapping[str, int]:
        """Nothing: no model is asked."""
        return {}

    def extract(
        self,
        work: Sequence[ChunkWork],
        on_chunk: Callable[[Extraction], None],
        check: Callable[[], None] = lambda: None,
    ) -> list[tuple[Chunk, str]]:
        """One Extraction a chunk, in order."""
        aside = []
        for item in work:
            check()
            found = self._found.get(item.document.sha256)
            if found is None:
                aside.append((item.chunk, UNKNOWN))
                continue
            if not isinstance(found, ImportedPassage):
                found = ImportedPassage(found.title, "")
            records = _Records(item, found, self._name)
            self._refused[item.chunk.span] = records.refused
            document_id, start, end = item.chunk.span
            on_chunk(
                Extraction(document_id, start, end, self._name, records.mentions, records.relations)
            )
        return aside


class _Records:
    """The records of one chunk, and what was refused on the way, by reason."""

    def __init__(self, work: ChunkWork, found: ImportedPassage, extractor: str) -> None:
        self._document, self._turns, self._chunk = work.document, work.turns, work.chunk
        self._extractor = extractor
        self._names: dict[str, str] = {}
        self.refused: Counter[str] = Counter()
        for name in found.entities:
            if not (is_name(name) and self._key(name)):
                self.refused[NO_ENTITY] += 1
        self.relations = tuple(self._relations(found.triples))
        self.mentions = tuple(self._mention(name) for name in self._names.values())

    def _key(self, name: str) -> str:
        """The key of a name, which is an entity of the chunk from now on; the first name of a key
        stays.
        """
        key = entity_key(name)
        if key:
            self._names.setdefault(key, " ".join(name.split()))
        return key

    def _relations(self, triples: Sequence[Triple]) -> Iterator[RelationRecord]:
        # The chunk's sentences, each within one turn and one passage, with their words.
        sentences: list[tuple[int, int, str]] = []
        for passage in self._chunk.passages if triples else ():
            for turn in self._turns[passage.first_turn : passage.last_turn + 1]:
                start = max(turn.start, passage.start)
                text = self._document.text[start : max(start, min(turn.end, passage.end))]
                for a, b in sentence_spans(text, language=self._document.language):
                    sentences.append((start + a, start + b, _compared_words(text[a:b])))
        seen: set[tuple[str, str, str]] = set()
        for head_name, stated, tail_name in triples:
            label = " ".join(stated.split()).casefold()
            if not (is_text(label) and is_text(head_name) and is_text(tail_name)):
                self.refused[NO_TEXT] += 1
                continue
            if not (is_name(head_name) and is_name(tail_name)):
                self.refused[NO_NAME] += 1
                continue
            head, tail = self._key(head_name), self._key(tail_name)
            if (head, label, tail) in seen:
                self.refused[STATED_TWICE] += 1
                continue
            seen.add((head, label, tail))
            ends = (_compared_words(head), _compared_words(tail))
            holding = (
                (start, end)
                for start, end, words in sentences
                if all(name.strip() and name in words for name in ends)
            )
            yield self._relation(head, label, tail, next(holding, None))

    def _relation(self, head: str, label: str, tail: str, quote: Span | None) -> RelationRecord:
        document_id, start, end = self._chunk.span
        quote_start, quote_end = quote or (start, start)
        record_id = content_id(
            "relation", document_id, start, end, head, label, tail, quote_start, quote_end
        )
        passage = next(
            (p for p in self._chunk.passages if p.start <= quote_start < p.end),
            self._chunk.passages[0],
        )
        turn = turn_at(self._turns, quote_start).index
        return RelationRecord(
            record_id,
            document_id,
            start,
            end,
            passage.id,
            head,
            tail,
            label,
            "",
            quote_start,
            quote_end,
            turn,
            self._extractor,
        )

    def _mention(self, name: str) -> Mention:
        document_id, start, end = self._chunk.span
        key = entity_key(name)
        ids = tuple(p.id for p in self._chunk.passages)
        if len(ids) > 1:
            ids = mention_passages(self._document, self._chunk, name, ())
        mention_id = content_id("mention", document_id, start, end, key, MentionKind.SAID, "")
        return Mention(
            mention_id,
            document_id,
            start,
            end,
            ids,
            name,
            key,
            "",
            "",
            MentionKind.SAID,
            self._extractor,
        )


def _compared_words(text: str) -> str:
    """The words as they are compared, a space before and after each: casefolded, marks that are no
    part of a name off.
    """
    plain = unicodedata.normalize("NFKC", plain_quotes(text)).casefold()
    return f" {' '.join(_WORD.findall(plain))} "


__all__ = ["ImportedExtractor"]
