"""The sides of a question that compares or lists: "How do trains differ from planes for Ida?",
"What do Mr. Kling and Mr. Meredith each ask for?". Each is searched for, and shown, by itself
(docs/papers.md, Lines, step 6).

Sides are speakers who are named side by side, or anywhere in a question that compares, in any
language of `answer_words.tsv`; all speakers where each of a few is asked for in English; or things
that an English question compares by name.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from dynagrag.core.schema import EvidenceLine
from dynagrag.generation.evidence_sentences.line_index import LineIndex, PassageSentence
from dynagrag.generation.support import TOKEN, WORD, content_stems
from dynagrag.language.answer_words import words_of_any_language
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import DETERMINERS, FUNCTION_WORDS, HONORIFICS

MAX_SIDES = 5
_COMPARING = words_of(WordClass.COMPARING)
_JOINERS = words_of(WordClass.JOINS_SIDES)
_COMPARING_PEOPLE = _COMPARING | words_of_any_language("compares")
_LISTING = frozenset(("and", "or", "nor")) | words_of_any_language("joins")
_BESIDE_THING = DETERMINERS | words_of(WordClass.POSSESSIVE)
_EACH = re.compile(
    r"\b(?:do|does|did|has|have|had|is|are|was|were|can|will|would|should) each\b"
    r"|\beach (?:one|of (?:them|you|us|the)|speaker|person|guest|member|participant|candidate)\b",
    re.IGNORECASE,
)
_ASKING = words_of(WordClass.ASKING)
_POSSESSIVE = re.compile(r"['’]s?$")
_MAX_WORDS = 4
"""Of the name of a thing."""
_MIN_CLAUSE = 2
"""Content words by which a part of a question says itself what is asked of its side."""


@dataclass(frozen=True, slots=True)
class Side:
    """A side by its name: a speaker's `labels`, or the `stems` of a thing. `text`: what is asked of
    it.
    """

    name: str
    text: str
    labels: frozenset[str] = frozenset()
    stems: frozenset[str] = frozenset()

    def holds(self, found: PassageSentence | EvidenceLine) -> bool:
        """Whether a sentence or line is of this side: its speaker's, or with half of its words."""
        if self.labels:
            return found.speaker in self.labels
        words = found.quote if isinstance(found, EvidenceLine) else found.text
        return 2 * len(self.stems & content_stems(words)) >= len(self.stems)


def sides_of(index: LineIndex, question: str) -> tuple[Side, ...]:
    """The sides of a question; none where it has fewer than two, or more than are shown."""
    people = index.speakers.people_in(question)
    if len(people) > 1:
        sides = _of_people(question, people)
    elif not people and _EACH.search(question) and len(index.speakers.labels) <= MAX_SIDES:
        sides = [Side(one, question, frozenset((one,))) for one in sorted(index.speakers.labels)]
    else:
        sides = _of_things(index, question)
    return tuple(sides) if 2 <= len(sides) <= MAX_SIDES else ()


def _of_people(question: str, people: Sequence[frozenset[str]]) -> list[Side]:
    """Those who are named side by side, or all where the question compares."""
    words = [{w.casefold() for label in own for w in WORD.findall(label)} for own in people]
    tokens = list(TOKEN.finditer(question))
    shown = [_POSSESSIVE.sub("", token.group().casefold()) for token in tokens]
    places = [[i for i, word in enumerate(shown) if word in own] for own in words]
    names = frozenset().union(*words)
    chosen = list(range(len(people)))
    asks_again = _asks_again(shown, places, tokens)
    if _COMPARING_PEOPLE.isdisjoint(shown) and not asks_again:
        chosen = _named_side_by_side(shown, places, names)
    if len(chosen) < 2:
        return []
    least = 1 if asks_again else _MIN_CLAUSE
    clauses = _clauses(question, [places[i] for i in chosen], tokens, names, least)
    clauses = clauses or [
        _without(question, [tokens[p].span() for j in chosen if j != i for p in places[j]])
        for i in chosen
    ]
    return [
        Side(max(sorted(people[i]), key=len), text, people[i])
        for i, text in zip(chosen, clauses, strict=True)
    ]


def _named_side_by_side(
    shown: Sequence[str], places: Sequence[Sequence[int]], names: frozenset[str]
) -> list[int]:
    """The numbers of those between whose names nothing stands but what joins them."""
    beside: set[int] = set()
    for one, other in combinations(range(len(places)), 2):
        if any(_are_joined(shown, a, b, names) for a in places[one] for b in places[other]):
            beside |= {one, other}
    return sorted(beside)


def _asks_again(
    shown: Sequence[str], places: Sequence[Sequence[int]], tokens: Sequence[re.Match[str]]
) -> bool:
    """Whether a question of two goes on to ask of the other, too: "How long has Ann sung, and how
    long has Bob danced?", "What are Ann's shop and Bob's mill called?".
    """
    if len(places) != 2 or not all(places):
        return False
    first, last = sorted(places, key=min)
    end, begin = max(first), min(last)
    joiners = [i for i in range(end + 1, begin) if shown[i] in _LISTING]
    if not joiners:
        return False
    between = shown[joiners[-1] + 1 : begin]
    if not between:
        return all(_POSSESSIVE.search(tokens[i].group()) for i in (end, max(last)))
    return between[0] in _ASKING and FUNCTION_WORDS.issuperset(between[2:])


def _are_joined(shown: Sequence[str], one: int, other: int, names: frozenset[str]) -> bool:
    """Whether nothing but "and", a comma, titles and names stands between two words."""
    between = shown[min(one, other) + 1 : max(one, other)]
    joins = [word for word in between if word in _LISTING or word in {",", "&"}]
    passed = {*_LISTING, ",", "&", ".", *HONORIFICS, *DETERMINERS, *names}
    return bool(joins) and passed.issuperset(between)


def _clauses(
    question: str,
    places: Sequence[Sequence[int]],
    tokens: Sequence[re.Match[str]],
    names: frozenset[str],
    least: int,
) -> list[str]:
    """The parts of a question about two, if each says itself what is asked, in `least` content
    words: "what Ann wants for her shop with what Bob wants for his mill". `places`: of the names of
    each, among the tokens.
    """
    if len(places) != 2 or not all(places):
        return []
    is_turned = min(places[0]) > min(places[1])
    first, last = places[::-1] if is_turned else places
    for token in tokens[max(first) + 1 : min(last)]:
        if token.group().casefold() in _JOINERS:
            parts = [question[: token.start()], question[token.end() :]]
            own = [content_stems(part) - content_stems(" ".join(names)) for part in parts]
            if all(len(stems - _COMPARING) >= least for stems in own):
                return parts[::-1] if is_turned else parts
    return []


def _of_things(index: LineIndex, question: str) -> list[Side]:
    """Things that the question names side by side where it compares, if the sources know them."""
    tokens = list(TOKEN.finditer(question))
    shown = [token.group().casefold() for token in tokens]
    if _COMPARING.isdisjoint(shown):
        return []
    names = {w.casefold() for own in index.speakers.named_in(question) for w in WORD.findall(own)}
    for i, word in enumerate(shown):
        if word not in _JOINERS:
            continue
        spans = [_thing_before(shown, i), _thing_after(shown, i + 1)]
        while spans[-1] and shown[spans[-1][1] : spans[-1][1] + 1] in (["and"], ["or"], [","]):
            spans.append(_thing_after(shown, spans[-1][1] + 1))
        while spans[0] and spans[0][0] > 0 and shown[spans[0][0] - 1] == ",":
            spans.insert(0, _thing_before(shown, spans[0][0] - 1))
        things = [
            [t for t in tokens[a:b] if _POSSESSIVE.sub("", t.group().casefold()) not in names]
            for a, b in filter(None, spans)
        ]
        places = [(own[0].start(), own[-1].end()) for own in things if own]
        phrases = [question[a:b] for a, b in places]
        stems = list(map(content_stems, phrases))
        if len(stems) > 1 and all(any(map(index.is_known, own)) for own in stems):
            return [
                Side(phrase, _without(question, [p for p in places if p != place]), stems=own)
                for phrase, place, own in zip(phrases, places, stems, strict=True)
            ]
    return []


def _thing_before(shown: Sequence[str], end: int) -> tuple[int, int] | None:
    """The words of a thing right before a place, behind what compares ("trains differ from")."""
    while end > 0 and shown[end - 1] in _COMPARING:
        end -= 1
    start = end
    while start > 0 and end - start < _MAX_WORDS and _is_of_thing(shown[start - 1]):
        start -= 1
    return (start, end) if start < end else None


def _thing_after(shown: Sequence[str], start: int) -> tuple[int, int] | None:
    while start < len(shown) and shown[start] in _BESIDE_THING:
        start += 1
    end = start
    while end < len(shown) and end - start < _MAX_WORDS and _is_of_thing(shown[end]):
        end += 1
    return (start, end) if start < end else None


def _is_of_thing(word: str) -> bool:
    return word[0].isalnum() and word not in FUNCTION_WORDS | _COMPARING | _JOINERS


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text without some spans."""
    kept, at = [], 0
    for start, end in sorted(spans):
        kept.append(text[at:start])
        at = end
    return " ".join(" ".join([*kept, text[at:]]).split())
