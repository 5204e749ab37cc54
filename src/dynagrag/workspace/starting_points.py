"""Starting points for somebody who has not asked yet: who spoke how long, about what, and questions
that the sources answer.

No model is called: a question is made of a speaker and a thing that this speaker named often, in
the language of the documents that name it. Where a language has no list of its function words,
names are the only topics; where it has no row of wording, no question is made.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import Document, Entity, Turn
from dynagrag.language.answer_words import answer_words
from dynagrag.language.content_words import function_words
from dynagrag.language.document_language import language_of_document
from dynagrag.language.identification import ENGLISH, UNKNOWN
from dynagrag.language.stemming import stem_of
from dynagrag.language.words import COMMON_WORDS

_NUM_LOOKED_AT = 400
_MAX_TOPICS = 60
_MAX_CHARACTERS = 3_000_000
"""Of turns that are searched for topics: some seconds of reading."""
_PLAIN = 0.2
"""The share of a name's places that may be in lower case."""
_NAME_AFTER = re.compile(r"\s+[A-Z][a-z]")
_LEAST_NAMED = 2
"""Turns in which a speaker must name a topic to be asked about it."""
_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
_ELIDING = frozenset(("ca", "fr", "it"))
"""Languages in which an apostrophe ends a word of its own: l'énergie, un'idea."""
_WORD_WITHOUT_APOSTROPHE = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LEAST_REPEATED = 3
"""Turns that must have two words in a row for them to be a topic."""
_NOUNS_HAVE_CAPITALS = frozenset(("de", "lb"))
"""Languages in which what two words name ends in a capitalised noun: "künstliche Intelligenz"."""
_LEAST_BOUND = 0.45
"""Normalised pointwise mutual information from which two words belong together (Bouma 2009, section
3.2): -1 where they never meet, 0 by chance, 1 where neither comes without the other.
"""


@dataclass(frozen=True, slots=True)
class SpeakerShare:
    """How much somebody spoke: turns, words, and seconds where the sources tell when turns end."""

    name: str
    num_turns: int
    num_words: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that is talked about, and how often it is: a name, or words that keep coming
    together ("remote control"). `language`: that of most documents that name it (ISO 639-1).
    """

    name: str
    weight: int
    is_name: bool = True
    language: str = ENGLISH

    def question(self, speaker: str = "") -> str:
        """What is said about it, or what this speaker said, in its language; empty where there is
        no wording of that.
        """
        if self.language in (ENGLISH, UNKNOWN):
            asked = f"did {speaker} say" if speaker else "is said"
            return f"What {asked} about {self.name}?"
        own = answer_words(self.language)
        if own is None:
            return ""
        frame = own.about_speaker if speaker else own.about
        return frame.format(topic=self.name, speaker=speaker)


@dataclass(frozen=True, slots=True)
class StartingPoints:
    """Speakers by their words, topics by how often they are named, and (speaker, topic, turns) by
    how much this one named it.

    The order of pairs: turns in which the speaker named the topic, times their share of all turns
    in which it is named.
    """

    speakers: tuple[SpeakerShare, ...]
    topics: tuple[Topic, ...]
    pairs: tuple[tuple[str, Topic, int], ...]

    def questions(
        self, limit: int = 4, *, within: str = "", asked: Collection[str] = ()
    ) -> list[str]:
        """Questions that the sources answer, each of another speaker and topic. `within`: only
        about topics that this text names.

        `asked`: questions that are left out.
        """
        made: list[str] = []
        taken: set[str] = set()
        known = {question.casefold() for question in asked}
        pairs: Iterable[tuple[str, Topic, int]] = self.pairs
        if within:
            named = _pattern(self.topics)
            inside = {found.casefold() for found in named.findall(within)} if named else set()
            pairs = [pair for pair in self.pairs if pair[1].name.casefold() in inside]
        for speaker, topic, _ in pairs:
            if len(made) == limit:
                break
            question = topic.question(speaker)
            own = {speaker or topic.name, topic.name}
            if question and question.casefold() not in known and taken.isdisjoint(own):
                made.append(question)
                taken |= own
        return made


def starting_points(store: GraphStore, documents: Sequence[Document]) -> StartingPoints:
    """Those of a workspace; all empty where it holds nothing."""
    turns = store.turns()
    texts = {document.id: document.text for document in documents}
    languages = {document.id: language_of_document(document) for document in documents}
    named = [
        entity for entity in store.overview(_NUM_LOOKED_AT, 1).entities if _may_be_topic(entity)
    ]
    topics = _topics(_things(named, texts, languages), _phrases(turns, texts, languages))
    return StartingPoints(_shares(turns, texts), topics, _pairs(turns, texts, topics))


def _may_be_topic(entity: Entity) -> bool:
    """A thing with a name, rather than a number or somebody who speaks."""
    return (
        not entity.is_speaker
        and len(entity.name) > 2
        and entity.name[0].isalpha()
        and any(ch.isupper() for ch in entity.name)
    )


def _things(
    entities: Sequence[Entity], texts: Mapping[str, str], languages: Mapping[str, str]
) -> list[Topic]:
    """Those that the sources write as names: not in lower case too ("the court"), nor as a title
    before names ("Justice Kagan"), nor of words that are in no topic of their language.
    """
    named = _pattern(entities)
    if named is None:
        return []
    whole, plain_word, before_name = Counter[str](), Counter[str](), Counter[str]()
    in_language: defaultdict[str, Counter[str]] = defaultdict(Counter)
    usual = Counter(languages.values()).most_common(1)[0][0]
    read = 0
    for document_id, text in texts.items():
        for found in named.finditer(text, 0, max(0, _MAX_CHARACTERS - read)):
            key = found.group().casefold()
            whole[key] += 1
            plain_word[key] += found.group().islower()
            before_name[key] += bool(_NAME_AFTER.match(text, found.end()))
            in_language[key][languages[document_id]] += 1
        read += len(text)
    things = []
    for entity in entities:
        key = entity.name.casefold()
        is_title = before_name[key] > whole[key] / 2
        if plain_word[key] > whole[key] * _PLAIN or (whole[key] and is_title):
            continue
        used = in_language[key].most_common(1)
        language = used[0][0] if used else usual
        if language == ENGLISH or not _never_in_topic(language).issuperset(_WORD.findall(key)):
            things.append(Topic(entity.name, entity.weight, language=language))
    return things


def _phrases(
    turns: Iterable[Turn], texts: Mapping[str, str], languages: Mapping[str, str]
) -> list[Topic]:
    """Two words in a row that belong together and come in several turns, as they were last written.
    Common words and numbers are in none.
    """
    by_language: defaultdict[str, list[Turn]] = defaultdict(list)
    read = 0
    for turn in turns:
        read += turn.end - turn.start
        if read > _MAX_CHARACTERS:
            break
        by_language[languages.get(turn.document_id, UNKNOWN)].append(turn)
    return [
        phrase
        for language, own in by_language.items()
        if _never_in_topic(language)
        for phrase in _phrases_in(language, own, texts)
    ]


def _phrases_in(language: str, turns: Iterable[Turn], texts: Mapping[str, str]) -> Iterable[Topic]:
    """Those of the turns in one language."""
    words, pairs, num_turns = Counter[str](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    written: dict[tuple[str, str], str] = {}
    word = _WORD_WITHOUT_APOSTROPHE if language in _ELIDING else _WORD
    for turn in turns:
        text = texts.get(turn.document_id, "")[turn.start : turn.end]
        found = [(m.group().casefold(), m.start(), m.end()) for m in word.finditer(text)]
        words.update(one for one, _, _ in found)
        own = {
            (a, b): text[start:end]
            for (a, start, a_end), (b, b_start, end) in pairwise(found)
            if text[a_end:b_start] == " "
            and a != b
            and _may_be_in_topic(a, language)
            and _may_be_in_topic(b, language)
            and (language not in _NOUNS_HAVE_CAPITALS or text[b_start].isupper())
        }
        pairs.update((a, b) for (a, _, _), (b, _, _) in pairwise(found) if (a, b) in own)
        num_turns.update(own.keys())
        written |= own
    total = words.total()
    return (
        Topic(written[pair], num, is_name=False, language=language)
        for pair, num in num_turns.most_common()
        if num >= _LEAST_REPEATED
        and _binding(pairs[pair], words[pair[0]], words[pair[1]], total) >= _LEAST_BOUND
    )


def _may_be_in_topic(word: str, language: str) -> bool:
    if len(word) <= 2 or "'" in word or "’" in word or word in _never_in_topic(language):
        return False
    own = answer_words(language)
    return own is None or not (own.time.fullmatch(word) or own.number.fullmatch(word))


@cache
def _never_in_topic(language: str) -> frozenset[str]:
    """Words of a language of which no topic is made; none where it has no list."""
    return COMMON_WORDS if language == ENGLISH else function_words(language)


def _binding(num_both: int, num_first: int, num_second: int, total: int) -> float:
    """Normalised pointwise mutual information of two words in a row (Bouma 2009, equation 7)."""
    share = num_both / total
    by_chance = (num_first / total) * (num_second / total)
    return math.log(share / by_chance) / -math.log(share) if share < 1 else 1.0


def _topics(names: Sequence[Topic], phrases: Sequence[Topic]) -> tuple[Topic, ...]:
    """Both by how often they come. A phrase that is part of a name, or the other way round, is one
    with it; so are singular and plural.
    """
    known = [_stems(name) for name in names]
    fresh = []
    for phrase in phrases:
        own = _stems(phrase)
        if not any(own <= name or name <= own for name in known):
            known.append(own)
            fresh.append(phrase)
    return tuple(sorted([*names, *fresh], key=lambda topic: -topic.weight)[:_MAX_TOPICS])


def _stems(topic: Topic) -> frozenset[str]:
    return frozenset(stem_of(word, topic.language) for word in topic.name.casefold().split())


def _shares(turns: Iterable[Turn], texts: dict[str, str]) -> tuple[SpeakerShare, ...]:
    num_turns, num_words, seconds = Counter[str](), Counter[str](), defaultdict[str, float](float)
    for turn in turns:
        if turn.speaker:
            text = texts.get(turn.document_id, "")[turn.start : turn.end]
            num_turns[turn.speaker] += 1
            num_words[turn.speaker] += len(text.split())
            if turn.start_s is not None and turn.end_s is not None:
                seconds[turn.speaker] += max(0.0, turn.end_s - turn.start_s)
    names = sorted(num_turns, key=lambda name: (-num_words[name], name))
    return tuple(
        SpeakerShare(name, num_turns[name], num_words[name], seconds[name]) for name in names
    )


def _pattern(topics: Sequence[Topic | Entity]) -> re.Pattern[str] | None:
    names = sorted((re.escape(topic.name) for topic in topics), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)", re.IGNORECASE) if names else None


def _pairs(
    turns: Iterable[Turn], texts: dict[str, str], topics: Sequence[Topic]
) -> tuple[tuple[str, Topic, int], ...]:
    named = _pattern(topics)
    if named is None:
        return ()
    by_name = {topic.name.casefold(): topic for topic in reversed(topics)}
    counts = Counter[tuple[str, str]]()
    read = 0
    for turn in turns:
        text = texts.get(turn.document_id, "")[turn.start : turn.end]
        read += len(text)
        if read > _MAX_CHARACTERS:
            break
        names = {found.casefold() for found in named.findall(text)}
        counts.update((turn.speaker or "", name) for name in names)
    whole = Counter[str]()
    for (_, name), num in counts.items():
        whole[name] += num

    # A topic that one speaker names more than others says more of them than one that all name.
    # Where nobody is known to speak, what is talked about says more than a place or a person. In
    # other languages names come first: words keep the ending that they had in their sentence.
    def comes_later(speaker: str, topic: Topic) -> bool:
        is_english = topic.language in (ENGLISH, UNKNOWN)
        return not speaker and topic.is_name if is_english else not topic.is_name

    ranked = sorted(
        counts.items(),
        key=lambda item: (
            comes_later(item[0][0], by_name[item[0][1]]),
            -(item[1] ** 2) / whole[item[0][1]],
            item[0],
        ),
    )
    # Nobody is asked about themselves.
    return tuple(
        (who, by_name[name], num)
        for (who, name), num in ranked
        if num >= _LEAST_NAMED and name not in who.casefold()
    )
