"""The sentences of a workspace that say something: who said each, in which turn, and which entities
of the graph it names.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dynagrag.core.ids import entity_key, is_generic_speaker
from dynagrag.core.schema import Entity, Passage, RelationRecord, Snapshot, Turn
from dynagrag.evaluation.statements.statement import cleaned, is_whole
from dynagrag.language.english.spoken_lines import HEMMING, NEW_CLAUSE, TITLE_BEFORE_NAME
from dynagrag.language.sentences import sentence_spans

_MIN_WORDS, _MIN_CONTENT_WORDS = 5, 3
_MAX_SENTENCE_CHARS = 2_000
_WORD = re.compile(r"\w+")
_MARK, _ENDS = re.compile(r"[.!?](?=\s|$)"), re.compile(r"[.!?…][\"'”’)\]]*$")
_MAX_WORDS_A_MARK = 40
"""Speech that was written down without marks has none for hundreds of words."""
_GOES_ON = re.compile(r"\W*(?:[-–—…]|\.\.\.)")


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity where a saying names it: characters of the saying's text."""

    entity: Entity
    start: int
    end: int
    is_address: bool
    """Whether somebody seems to be spoken to by it (`Houston, ...`): then the saying isn't about
    it.
    """


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence that says something. `text`: without what opens it (`Okay, ...`) and with single
    spaces; `start` and `end`: where the whole sentence stands in its document. `records`: ids of
    the relation records that quote it.
    """

    document_id: str
    turn: int
    start: int
    end: int
    text: str
    speaker: str | None
    passage_id: str
    named: tuple[NamedEntity, ...]
    records: tuple[str, ...]

    @property
    def about(self) -> tuple[Entity, ...]:
        """The entities that it is about, each once: those that it names, but for its speaker and
        whoever is spoken to.
        """
        own = entity_key(self.speaker or "")
        return tuple(
            {
                n.entity.id: n.entity
                for n in self.named
                if not n.is_address and own not in n.entity.keys
            }.values()
        )


class Sayings:
    """All sayings of a snapshot, in the order of its documents and turns. What is said twice is
    none: nothing tells the two apart.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        found = [saying for id_ in self._document_ids for saying in self._of_document(id_)]
        times = Counter(wording(saying.text) for saying in found)
        self.every = tuple(saying for saying in found if times[wording(saying.text)] == 1)

    @cached_property
    def by_entity(self) -> Mapping[str, tuple[Saying, ...]]:
        """Entity id -> the sayings that are about it, in order."""
        found: dict[str, list[Saying]] = defaultdict(list)
        for saying in self.every:
            for entity in saying.about:
                found[entity.id].append(saying)
        return {id_: tuple(own) for id_, own in found.items()}

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """The entities that a saying is about, by id."""
        return tuple(
            entity for entity in self.snapshot.graph.entities if entity.id in self.by_entity
        )

    @cached_property
    def speakers(self) -> Mapping[str, tuple[str, ...]]:
        """Each speaker with a name of their own -> the documents in which they speak, in order."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for id_ in self._document_ids:
            for turn in self.snapshot.turns.get(id_, ()):
                if speaker := known_speaker(turn):
                    found[speaker][id_] = None
        return {speaker: tuple(ids) for speaker, ids in sorted(found.items())}

    @cached_property
    def speaker_entities(self) -> Mapping[str, Entity]:
        """Speaker -> their entity."""
        by_key = {
            key: entity
            for entity in self.snapshot.graph.entities
            if entity.is_speaker
            for key in entity.keys
        }
        return {
            speaker: by_key[key]
            for speaker in self.speakers
            if (key := entity_key(speaker)) in by_key
        }

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that hold a saying, in order."""
        return tuple(dict.fromkeys(saying.document_id for saying in self.every))

    @cached_property
    def _document_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(passage.document_id for passage in self.snapshot.passages))

    @cached_property
    def _passages(self) -> Mapping[str, list[Passage]]:
        found: dict[str, list[Passage]] = defaultdict(list)
        for passage in self.snapshot.passages:
            found[passage.document_id].append(passage)
        return {id_: sorted(own, key=lambda p: p.start) for id_, own in found.items()}

    @cached_property
    def _records(self) -> Mapping[str, list[RelationRecord]]:
        found: dict[str, list[RelationRecord]] = defaultdict(list)
        for record in self.snapshot.records.values():
            found[record.document_id].append(record)
        return {id_: sorted(own, key=lambda r: (r.quote_start, r.id)) for id_, own in found.items()}

    @cached_property
    def _entities_of(self) -> Mapping[str, list[Entity]]:
        """Passage id -> the entities that it holds, but for those that are a word of a longer name:
        `Welsh` beside `Welsh Government`.
        """
        entities = self.snapshot.graph.entities
        parts = {
            word
            for entity in entities
            if not _is_one_word(entity.name)
            for word in entity.name.split()
        }
        found: dict[str, list[Entity]] = defaultdict(list)
        for entity, passages in zip(entities, self.snapshot.graph.entity_passages, strict=True):
            for id_ in passages if entity.is_speaker or entity.name not in parts else ():
                found[id_].append(entity)
        return found

    def _of_document(self, document_id: str) -> Iterator[Saying]:
        names: dict[str, _NameFinder] = {}
        whole = self.snapshot.documents[document_id].text
        # sentences end with a mark, so that one without is broken off
        is_punctuated = len(_MARK.findall(whole)) * _MAX_WORDS_A_MARK >= len(whole.split())
        # a document without turns is one
        turns = self.snapshot.turns.get(document_id) or [Turn("", document_id, 0, 0, len(whole))]
        for turn in turns:
            turn_text = self.snapshot.text(document_id, turn.start, turn.end)
            for first, last in sentence_spans(turn_text):
                sentence = turn_text[first:last]
                if len(sentence) > _MAX_SENTENCE_CHARS or len(sentence.split()) < _MIN_WORDS:
                    continue
                if _GOES_ON.match(sentence) or (is_punctuated and not _ENDS.search(sentence)):
                    continue
                if not is_whole(sentence, _MIN_CONTENT_WORDS):
                    continue
                offset = turn.start + first
                own = self._passages[document_id]
                at = bisect_right(own, offset, key=lambda passage: passage.start) - 1
                if at < 0 or offset >= own[at].end:
                    continue  # no passage holds it
                passage = own[at]
                if passage.id not in names:
                    names[passage.id] = _NameFinder(self._entities_of.get(passage.id, ()))
                text = HEMMING.sub("", cleaned(sentence))
                text = text[:1].upper() + text[1:]
                span = (offset, turn.start + last)
                records = tuple(self._records_in(document_id, *span))
                named = tuple(names[passage.id].found_in(text))
                yield Saying(
                    document_id,
                    turn.index,
                    *span,
                    text,
                    known_speaker(turn),
                    passage.id,
                    named,
                    records,
                )

    def _records_in(self, document_id: str, start: int, end: int) -> Iterator[str]:
        own = self._records.get(document_id, [])
        for record in own[: bisect_right(own, end, key=lambda record: record.quote_start)]:
            if start <= record.quote_start < record.quote_end <= end:
                yield record.id


class _NameFinder:
    """The names of some entities, as a text has them. A bare number or year is none."""

    def __init__(self, entities: Sequence[Entity]) -> None:
        self._entities: dict[str, Entity] = {}
        for entity in entities:
            for name in (entity.name, *entity.aliases):
                if any(map(str.isalpha, name)) and not (
                    _is_one_word(name) and name.islower() and not entity.name.islower()
                ):
                    self._entities.setdefault(
                        name if _is_one_word(name) else name.casefold(), entity
                    )
        # the longest of several that begin alike
        wanted = sorted(self._entities, key=lambda name: (-len(name), name))
        parts = [
            re.escape(name) if _is_one_word(name) else f"(?i:{re.escape(name)})" for name in wanted
        ]
        self._pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(parts)})(?![\w-])") if parts else None

    def found_in(self, text: str) -> Iterator[NamedEntity]:
        """Where a text names one, from left to right."""
        if self._pattern is None:
            return
        for match in self._pattern.finditer(text):
            entity = self._entities.get(match[0]) or self._entities.get(match[0].casefold())
            if entity is not None:
                yield NamedEntity(entity, match.start(), match.end(), _is_address(text, match))


def _is_address(text: str, match: re.Match[str]) -> bool:
    """Whether a name stands between marks, or behind one and before a new clause, as it does where
    somebody is spoken to. One of a list does so too, and is passed over.
    """
    before, after = TITLE_BEFORE_NAME.sub("", text[: match.start()]), text[match.end() :]
    is_behind_mark = not before or before.endswith((", ", "- "))
    return is_behind_mark and (
        not after.strip(".!") or after.startswith((",", " -")) or bool(NEW_CLAUSE.match(after))
    )


def wording(text: str) -> str:
    """A text's words alone: what two that say the same share whatever marks and capitals they
    have.
    """
    return " ".join(_WORD.findall(text.casefold()))


def known_speaker(turn: Turn) -> str | None:
    """The speaker, where that is a name: `SPEAKER_00` is somebody else in each document."""
    return turn.speaker if turn.speaker and not is_generic_speaker(turn.speaker) else None


def may_be_joined(entity: Entity, sayings: Iterable[Saying]) -> bool:
    """Whether sayings that name an entity are likely to mean one thing: those of one document, and
    of several where the name tells it (it has several words, a digit, or several capitals): each
    meeting has a Mark of its own.
    """
    is_telling = (
        len(entity.name.split()) > 1
        or any(map(str.isdigit, entity.name))
        or sum(map(str.isupper, entity.name)) > 1
    )
    return is_telling or len({saying.document_id for saying in sayings}) <= 1


def _is_one_word(name: str) -> bool:
    """Such a name counts only as it is written: `mark` and `cats` are words, `Mark` and `Cat` are
    names.
    """
    return len(name.split()) == 1
