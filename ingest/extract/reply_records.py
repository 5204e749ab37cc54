"""Replies into records: the schemas of replies, what is accepted, and what is dropped for which
reason.

A reply holds entities with their summaries and relations with their quotes (after DynaGRAG, section
3). The quote comes first in a relation, because a small model that has copied a statement names its
ends better than one that has to find a statement for a relation it made up.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from pydantic import Field, model_validator

from dynagrag.core.ids import content_id, entity_key, speaker_key
from dynagrag.core.schema import (
    CO_OCCURRENCE,
    Chunk,
    Document,
    Mention,
    MentionKind,
    RelationRecord,
    Turn,
)
from dynagrag.ingest.extract.name_words import CONNECTORS
from dynagrag.ingest.extract.quotes import find_quote, mention_passages
from dynagrag.ingest.split import turn_at
from dynagrag.language.english.data import words_of
from dynagrag.language.sentences import sentence_spans
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import FUNCTION_WORDS
from dynagrag.models.reply_schema import StrictReply

_MAX_NAME_CHARACTERS = 120
_MAX_NAME_WORDS = 12
_MAX_SUMMARY_WORDS = 40
_MAX_LABEL_WORDS = 8
_MIN_SUMMARY_SHARE = 0.4
"""Of a summary's words longer than three letters, so many must occur in the chunk (by stem):
invented descriptions are blanked.
"""
_WORD = re.compile(r"\w+", re.UNICODE)
_PRONOUNS = words_of(WordClass.NEVER_AN_ENTITY)
_NO_THINGS = words_of(WordClass.TERM_OF_GRAMMAR)
_CLAUSE_WORDS = FUNCTION_WORDS - CONNECTORS - words_of(WordClass.PARTICLE_IN_NAME)
"""Words that hardly stand in a name, but in a piece of a sentence ("reselect it", "button up the
tunnel again"): small models list such pieces.
"""
_SPEECH = words_of(WordClass.SPEECH)


class EntityReply(StrictReply):
    """An entity as a model gives it."""

    name: str
    type: str = ""
    summary: str = ""


class RelationReply(StrictReply):
    """A relation as a model gives it."""

    quote: str = ""
    source: str
    label: str
    target: str
    summary: str = ""


def _with_a_list(reply: Any) -> Any:
    """An object with neither list is no extraction: taken for an empty one, it would lose the chunk
    without a word.
    """
    if isinstance(reply, dict) and not {"entities", "relations"} & reply.keys():
        raise ValueError("it has neither entities nor relations")
    return reply


class ExtractionReply(StrictReply):
    """A model's entities and relations of a chunk."""

    _is_extraction = model_validator(mode="before")(_with_a_list)

    entities: list[EntityReply] = Field(default_factory=list)
    relations: list[RelationReply] = Field(default_factory=list)


class SmallEntityReply(StrictReply):
    """An entity, without a summary."""

    name: str
    type: str = ""


class SmallRelationReply(StrictReply):
    """A relation, without a summary."""

    quote: str = ""
    source: str
    label: str
    target: str


class SmallExtractionReply(StrictReply):
    """For small models: bounded lists, since they repeat themselves until stopped, and no
    summaries, since theirs are mostly invented.

    A mention without a summary gets the source's own sentence in its place.
    """

    _is_extraction = model_validator(mode="before")(_with_a_list)

    entities: list[SmallEntityReply] = Field(default_factory=list, max_length=8)
    relations: list[SmallRelationReply] = Field(default_factory=list, max_length=5)

    def full(self) -> ExtractionReply:
        """The same reply in the common form."""
        return ExtractionReply.model_validate(self.model_dump())


def _shortened(text: str, max_words: int) -> str:
    return " ".join(text.split()[:max_words])


def _words_of(text: str) -> list[str]:
    """The words as a key has them: full-width letters and accents of their own don't hide a
    name.
    """
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _content_words(name: str) -> list[str]:
    words = [w for w in _words_of(name) if w not in _PRONOUNS]
    return [w for w in words if len(w) > 2] or words


def _is_speech(label: str) -> bool:
    """A label such as "said to" states no fact; between two things named in one statement it means
    that they were named together.
    """
    return all(w in _SPEECH or w == "to" for w in _WORD.findall(label.casefold()))


class RecordBuilder:
    """Collects the replies of one chunk and turns them into records. `dropped` counts what was
    refused, by reason.
    """

    def __init__(
        self,
        document: Document,
        turns: Sequence[Turn],
        chunk: Chunk,
        extractor: str,
        is_small: bool = False,
    ) -> None:
        self._document = document
        self._turns = turns
        self._chunk = chunk
        self._extractor = extractor
        self._is_small = is_small
        self._text = document.text[chunk.start : chunk.end]
        first = turn_at(turns, chunk.start).index
        last = turn_at(turns, max(chunk.start, chunk.end - 1)).index
        self._speakers = {
            entity_key(t.speaker): t.speaker for t in turns[first : last + 1] if t.speaker
        }
        self._words = set(_words_of(self._text))
        # Sentences as spans of the chunk's text, turn by turn: a sentence is one speaker's.
        self._sentences: list[tuple[int, int]] = []
        for turn in turns[first : last + 1]:
            begin, end = max(turn.start, chunk.start), min(turn.end, chunk.end)
            offset = begin - chunk.start
            spans = sentence_spans(document.text[begin:end], language=document.language)
            self._sentences += [(offset + a, offset + b) for a, b in spans]
        self._entities: dict[tuple[str, str], EntityReply] = {}
        self._relations: dict[tuple[str, str, str, int, int], RelationReply] = {}
        self._quotes_of: dict[str, list[tuple[int, int]]] = {}
        self.dropped: Counter[str] = Counter()

    def key(self, name: str) -> str:
        """The key of a name in this chunk; a speaker's label means that speaker."""
        key = entity_key(name)
        return speaker_key(name, self._document.sha256) if key in self._speakers else key

    def is_usable(self, relation: RelationReply) -> bool:
        """Whether the relation would be kept if its quote is found."""
        return self._refusal(relation) is None

    def quote_span(self, relation: RelationReply) -> tuple[int, int] | None:
        """The quote's span in the document; None where it isn't there, or runs over two speakers'
        words.
        """
        span = find_quote(self._text, relation.quote)
        if span is None:
            return None
        start, end = self._chunk.start + span[0], self._chunk.start + span[1]
        is_one_voice = turn_at(self._turns, start).speaker == turn_at(self._turns, end - 1).speaker
        return (start, end) if is_one_voice else None

    def add(self, reply: ExtractionReply) -> None:
        """Takes in a reply."""
        for entity in reply.entities:
            self._add_entity(entity)
        for relation in reply.relations:
            self._add_relation(relation)

    def _add_entity(self, entity: EntityReply) -> None:
        reason = self._name_refusal(entity.name)
        if reason is None and entity.type.casefold() in _NO_THINGS:
            reason = "entity: no thing"
        if reason:
            self.dropped[reason] += 1
            return
        key, summary = self.key(entity.name), self._checked_summary(entity.summary)
        if summary:
            self._entities.pop((key, ""), None)
        elif any(k == key for k, _ in self._entities):
            return
        self._entities.setdefault((key, summary), entity)

    def _checked_summary(self, text: str) -> str:
        """The summary, shortened; empty, and counted, where too few of its words are the
        chunk's.
        """
        summary = _shortened(text, _MAX_SUMMARY_WORDS)
        words = [w for w in _words_of(summary) if len(w) > 3]
        if words and sum(map(self._is_in_text, words)) / len(words) < _MIN_SUMMARY_SHARE:
            self.dropped["summary: says what the source does not"] += 1
            return ""
        return summary

    def _add_relation(self, relation: RelationReply) -> None:
        reason = self._refusal(relation)
        if reason:
            self.dropped[reason] += 1
            return
        span = self.quote_span(relation)
        if span is None:
            self.dropped["relation: its quote is not in the source"] += 1
            return
        if self._is_small and not self._names_both(relation, span):
            self.dropped["relation: its quote does not name both ends"] += 1
            return
        relation = relation.model_copy(update={"summary": self._checked_summary(relation.summary)})
        head, tail = self.key(relation.source), self.key(relation.target)
        quote = self._document.text[span[0] : span[1]]
        for key, name in ((head, relation.source), (tail, relation.target)):
            if self._is_only_speaker(name):
                continue
            self._quotes_of.setdefault(key, []).append(span)
            if not any(k == key for k, _ in self._entities):
                self._add_entity(EntityReply(name=name, summary=quote))
        label = (
            CO_OCCURRENCE
            if _is_speech(relation.label)
            else _shortened(relation.label, _MAX_LABEL_WORDS).casefold()
        )
        self._relations.setdefault((head, label, tail, *span), relation)

    def _name_refusal(self, name: str) -> str | None:
        key = entity_key(name)
        words = _WORD.findall(key)
        if _PRONOUNS.issuperset(words) or (not name.isupper() and FUNCTION_WORDS.issuperset(words)):
            return "entity: no name"
        if self._is_small and len(key) == 1:
            return "entity: a single letter"
        if self._is_small and not name.isupper() and not _CLAUSE_WORDS.isdisjoint(words):
            return "entity: a clause, not a name"
        if len(name) > _MAX_NAME_CHARACTERS or len(words) > _MAX_NAME_WORDS:
            return "entity: a sentence, not a name"
        if any(map(self._is_in_text, _content_words(key))):
            return None
        is_speaker = key in self._speakers
        return "entity: only a speaker's label" if is_speaker else "entity: not in the source"

    def _is_only_speaker(self, name: str) -> bool:
        """A speaker of the chunk of whom nobody speaks: an entity already, by its mentions of kind
        speaker.
        """
        key = entity_key(name)
        return key in self._speakers and not any(self._is_in_text(w) for w in _content_words(key))

    def _is_in_text(self, word: str) -> bool:
        if word in self._words:
            return True
        stem = word[: max(4, len(word) - 2)]
        return len(word) > 4 and any(w.startswith(stem) for w in self._words)

    def _refusal(self, relation: RelationReply) -> str | None:
        ends = (relation.source, relation.target)
        speakers = [name for name in ends if self._is_only_speaker(name)]
        if any(name not in speakers and self._name_refusal(name) for name in ends):
            return "relation: an end is no name in the source"
        if not relation.label.strip():
            return "relation: no label"
        if speakers and _is_speech(relation.label):
            return "relation: only says who speaks"
        return None

    def _names_both(self, relation: RelationReply, span: tuple[int, int]) -> bool:
        words = set(_words_of(self._document.text[span[0] : span[1]]))
        speaker = turn_at(self._turns, span[0]).speaker
        if speaker:
            words.update(_words_of(speaker))
        return all(
            any(w in words for w in _content_words(entity_key(name)))
            for name in (relation.source, relation.target)
        )

    def mentions(self) -> list[Mention]:
        """The chunk's mentions of kind said."""
        made = []
        document_id, start, end = self._chunk.span
        for (key, stated), entity in self._entities.items():
            # In place of a summary that the model did not give, or made up: the chunk's first
            # sentence that holds the name.
            name = entity.name.casefold()
            sentences = (self._text[first:last] for first, last in self._sentences)
            holding = next((text for text in sentences if name in text.casefold()), "")
            summary = stated or _shortened(holding, _MAX_SUMMARY_WORDS)
            passages = mention_passages(
                self._document, self._chunk, entity.name, self._quotes_of.get(key, ())
            )
            kind = MentionKind.SAID
            mention_id = content_id("mention", document_id, start, end, key, kind, summary)
            made.append(
                Mention(
                    id=mention_id,
                    document_id=document_id,
                    chunk_start=start,
                    chunk_end=end,
                    passage_ids=tuple(passages),
                    name=" ".join(entity.name.split()),
                    key=key,
                    type=_shortened(entity.type, 3).casefold(),
                    summary=summary,
                    kind=kind,
                    extractor=self._extractor,
                )
            )
        return made

    def _co_occurrences(self) -> list[tuple[str, str, int, int]]:
        """(head key, tail key, sentence span) of listed names in one sentence that no relation
        joins: small models state few relations.

        Ends are ordered by key, since being mentioned together has no direction.
        """
        joined = {frozenset((head, tail)) for head, _, tail, _, _ in self._relations}
        names = {
            key: entity.name.casefold() for (key, _), entity in reversed(self._entities.items())
        }
        found = []
        for start, end in self._sentences:
            sentence = self._text[start:end].casefold()
            present = sorted(
                key
                for key, name in names.items()
                if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence)
            )
            for head, tail in combinations(present, 2):
                if frozenset((head, tail)) not in joined and not (head in tail or tail in head):
                    found.append((head, tail, self._chunk.start + start, self._chunk.start + end))
        return found

    def relations(self) -> list[RelationRecord]:
        """The chunk's relation records."""
        made = []
        document_id, start, end = self._chunk.span
        stated = [(*key, relation.summary) for key, relation in self._relations.items()]
        together = (
            [(h, CO_OCCURRENCE, t, a, b, "") for h, t, a, b in self._co_occurrences()]
            if self._is_small
            else []
        )
        for head, label, tail, quote_start, quote_end, summary in stated + together:
            record_id = content_id(
                "relation", document_id, start, end, head, label, tail, quote_start, quote_end
            )
            passage = next(
                (p for p in self._chunk.passages if p.start <= quote_start < p.end),
                self._chunk.passages[-1],
            )
            made.append(
                RelationRecord(
                    id=record_id,
                    document_id=document_id,
                    chunk_start=start,
                    chunk_end=end,
                    passage_id=passage.id,
                    head=head,
                    tail=tail,
                    label=label,
                    summary=_shortened(summary, _MAX_SUMMARY_WORDS),
                    quote_start=quote_start,
                    quote_end=quote_end,
                    turn_index=turn_at(self._turns, quote_start).index,
                    extractor=self._extractor,
                )
            )
        return made
