"""The extractor that needs no model: names, numbers and content words of each sentence, and who is
mentioned with whom.

Some of what it stores are candidates: whether a word that only opens sentences is a name, and
whether a content word is neither too rare nor too common, is decided on the whole corpus when the
graph is derived (`dynagrag.graph_store.derived.live_mentions`). Speakers come from the splitter.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from dynagrag.core.ids import content_id, entity_key, plain_title
from dynagrag.core.protocols import SENTENCE_EXTRACTOR, Extraction
from dynagrag.core.schema import (
    Chunk,
    ChunkWork,
    Document,
    Flag,
    Mention,
    MentionKind,
    Passage,
    RelationRecord,
    Turn,
)
from dynagrag.graph_store.derived.embedded_texts import own_title
from dynagrag.ingest.extract.case_use import CaseUse, case_use
from dynagrag.ingest.extract.fast_rules import EntityCandidate, candidates
from dynagrag.language.sentences import sentence_spans

LABEL = "mentioned with"
PAIR_WINDOW = 12
"""A name pairs with the next 11 of its sentence, so a long list gives no quadratic number of pairs.
"""

MIN_REMARKED_WORDS = 200
WITHOUT_NAMES = "without any name: passages are found by words and vectors alone"


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence of one turn and one passage, [start, end) in its document, and the names, numbers
    and words found in it.
    """

    passage: Passage
    turn: Turn
    start: int
    end: int
    found: tuple[EntityCandidate, ...]


class FastExtractor:
    """Makes records without a model, one after the other, in time linear in the text. Nothing is
    ever set aside.

    `titles`: document titles of the corpus to be found as 2- to 8-word sequences whatever their
    case.
    """

    def __init__(self, titles: Collection[str] = ()) -> None:
        self._titles = frozenset(
            key for key in (entity_key(plain_title(t)) for t in titles) if " " in key
        )
        self._remarks: dict[str, str] = {}
        self._name = f"{SENTENCE_EXTRACTOR}-4" + (
            f"+{content_id(*sorted(self._titles))[:8]}" if self._titles else ""
        )

    @property
    def name(self) -> str:
        """`fast-4`, and a hash of the titles where there are any: other titles, other records."""
        return self._name

    @property
    def mended(self) -> Mapping[str, int]:
        """Nothing: no model is asked."""
        return {}

    @property
    def remarks(self) -> Mapping[str, int]:
        """Which documents the rules for English names don't fit, or found nothing in."""
        return Counter(self._remarks.values())

    @property
    def dropped(self) -> Mapping[str, int]:
        """Nothing: what doesn't count is decided when the graph is derived."""
        return {}

    def extract(
        self,
        work: Sequence[ChunkWork],
        on_chunk: Callable[[Extraction], None],
        check: Callable[[], None] = lambda: None,
    ) -> list[tuple[Chunk, str]]:
        """One Extraction a chunk; the records in it carry their sentence's span as chunk span. The
        list is always empty.

        The document's own use of capitals decides what a capital means, so its text is read whole
        whatever chunks are asked for.
        """
        for document_id, own in groupby(work, key=lambda item: item.document.id):
            has_names, num_words = False, 0
            use: CaseUse | None = None
            for item in own:
                check()
                # Of one document at a time: counts of a whole corpus would fill the memory.
                if use is None:
                    use = _use_of(item)
                    self._begin(item.document)
                extraction = self._extraction(item, use)
                has_names = has_names or any(
                    mention.kind is MentionKind.SAID and Flag.CONTENT_WORD not in mention.flags
                    for mention in extraction.mentions
                )
                num_words += len(item.document.text[item.chunk.start : item.chunk.end].split())
                on_chunk(extraction)
            remark = use.writing.value if use else ""
            if not remark and not has_names and num_words >= MIN_REMARKED_WORDS:
                remark = WITHOUT_NAMES
            if remark:
                self._remarks[document_id] = remark
        return []

    def _begin(self, document: Document) -> None:
        """Called before a document's chunks are read."""

    def _more(
        self, item: ChunkWork, sentences: Sequence[ReadSentence]
    ) -> tuple[Sequence[Mention], Sequence[RelationRecord]]:
        """What another reading of a chunk's sentences adds, nothing here. Its mention of a name
        takes the place of that of these rules.
        """
        return (), ()

    def _extraction(self, item: ChunkWork, use: CaseUse) -> Extraction:
        """A chunk's records."""
        document, chunk = item.document, item.chunk
        mentions: list[Mention] = list(self._title_mentions(document, chunk))
        relations: list[RelationRecord] = []
        sentences = [
            ReadSentence(
                passage,
                turn,
                start,
                end,
                tuple(candidates(document.text[start:end], use, self._titles)),
            )
            for passage, turn, start, end in _sentences(document, item.turns, chunk)
        ]
        for sentence in sentences:
            for one in sentence.found:
                mentions.append(self._said(sentence, one.name, one.key, one.type, one.flags))
            for a, b in pairs(sentence.found):
                # "mentioned with" has no direction: by key, so that a pair is one relation however
                # its sentences order it.
                head, tail = sorted((a.key, b.key))
                relations.append(self._record(sentence, head, LABEL, tail))
        more_mentions, more_relations = self._more(item, sentences)
        relations += more_relations
        unique = {m.id: m for m in (*mentions, *more_mentions)}
        return Extraction(
            document.id, chunk.start, chunk.end, self.name, tuple(unique.values()), tuple(relations)
        )

    def _said(
        self, sentence: ReadSentence, name: str, key: str, type_: str, flags: tuple[Flag, ...]
    ) -> Mention:
        """A mention of a sentence."""
        kind, passage = MentionKind.SAID, sentence.passage
        # What is talked about may be a content word too: two mentions.
        more = [flag for flag in flags if flag is Flag.TALKED_ABOUT]
        span = (passage.document_id, sentence.start, sentence.end)
        return Mention(
            content_id("mention", *span, key, kind, "", *more),
            passage.document_id,
            sentence.start,
            sentence.end,
            (passage.id,),
            name,
            key,
            type_,
            "",
            kind,
            self.name,
            flags,
        )

    def _record(
        self,
        sentence: ReadSentence,
        head: str,
        label: str,
        tail: str,
        quote: tuple[int, int] | None = None,
    ) -> RelationRecord:
        """A relation of a sentence. `quote`: the words that state it; None: the sentence."""
        document_id, start, end = sentence.passage.document_id, sentence.start, sentence.end
        quote_start, quote_end = quote or (start, end)
        return RelationRecord(
            content_id(
                "relation",
                document_id,
                start,
                end,
                head,
                label,
                tail,
                quote_start,
                quote_end,
            ),
            document_id,
            start,
            end,
            sentence.passage.id,
            head,
            tail,
            label,
            "",
            quote_start,
            quote_end,
            sentence.turn.index,
            self.name,
        )

    def _title_mentions(self, document: Document, chunk: Chunk) -> Iterator[Mention]:
        """The document's title, for all of the chunk's passages; a title that only repeats the
        file's name says nothing.
        """
        name = plain_title(own_title(document))
        key = entity_key(name)
        if not key:
            return
        mention_id = content_id(
            "mention", document.id, chunk.start, chunk.end, key, MentionKind.TITLE, ""
        )
        ids = tuple(p.id for p in chunk.passages)
        yield Mention(
            mention_id,
            document.id,
            chunk.start,
            chunk.end,
            ids,
            name,
            key,
            "title",
            "",
            MentionKind.TITLE,
            self.name,
        )


def _use_of(item: ChunkWork) -> CaseUse:
    """The document's use of case, in which who speaks is nobody's half."""
    use = case_use(item.document.text, item.document.language)
    speakers = {w.lower() for turn in item.turns for w in (turn.speaker or "").split()}
    return replace(use, couples=frozenset(c for c in use.couples if speakers.isdisjoint(c)))


def pairs(found: Sequence[EntityCandidate]) -> Iterator[tuple[EntityCandidate, EntityCandidate]]:
    """Pairs that are mentioned together, of a sentence's names and numbers by position, each once.

    Each pairs with the next 11, so the number of pairs is linear in the sentence, and all pairs of
    up to 12 names are there. Content words are no entities, so nothing is mentioned with them.
    """
    names = [c for c in found if not c.is_word]
    for n, name in enumerate(names):
        for other in names[n + 1 : n + PAIR_WINDOW]:
            yield name, other


def _sentences(
    document: Document, turns: Sequence[Turn], chunk: Chunk
) -> Iterator[tuple[Passage, Turn, int, int]]:
    """(passage, turn, start, end) of each sentence of a chunk, each within one turn and one
    passage.
    """
    for passage in chunk.passages:
        for turn in turns[passage.first_turn : passage.last_turn + 1]:
            start = max(turn.start, passage.start, chunk.start)
            end = max(start, min(turn.end, passage.end, chunk.end))
            for a, b in sentence_spans(document.text[start:end], language=document.language):
                yield passage, turn, start + a, start + b
