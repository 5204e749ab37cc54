"""Questions for somebody's own words: "What did Ann report about the mill?" asks for what Ann says
of the mill, and nobody need say "report". Only English is read so.
"""

import re
from collections.abc import Iterable
from functools import cache

from dynagrag.generation.support import TOKEN, WORD, content_stems
from dynagrag.language.english.data import words_of
from dynagrag.language.english.inflection import participles, verb_forms
from dynagrag.language.patterns import any_of
from dynagrag.language.sentences import Span
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import DETERMINERS, FUNCTION_WORDS, HONORIFICS, ROLE_NOUNS

_BE = words_of(WordClass.BE)
_VIEW = any_of(words_of(WordClass.VIEW))
_ON = f"(?:{any_of((*words_of(WordClass.TOPIC_PREPOSITION), 'of', 'toward'))})"


def verbs_of_saying(question: str, labels: Iterable[str]) -> list[Span]:
    """Start and end in a question of the verbs by which it asks for words of these people, and of
    nouns for what they think: "Ann's view on the mill".
    """
    labels = tuple(labels)
    return sorted({*_verbs_of(question, labels), *_views_of(question, labels)})


def _views_of(question: str, labels: Iterable[str]) -> list[Span]:
    """Of the nouns by which it asks for their view of something, and of "feel" in "How does Ann
    feel about it?".
    """
    names = _words(labels) - FUNCTION_WORDS
    if not names:
        return []
    own, feel = f"(?:{any_of(names)})", any_of(("feel", *verb_forms("feel")))
    return [
        next(match.span(group) for group in ("view", "of", "feel") if match[group])
        for match in re.finditer(
            rf"\b{own}(?:['’]s?)(?: \w+){{0,2}} (?P<view>{_VIEW}) {_ON}\b"
            rf"|\b(?P<of>(?:{_VIEW}) (?:of|from)(?: \w+\.?)?(?: \w+)? {own}) {_ON}\b"
            rf"|\b{own}(?: \w+ly)? (?P<feel>{feel}) {_ON}\b",
            question,
            re.IGNORECASE,
        )
    ]


def _verbs_of(question: str, labels: Iterable[str]) -> list[Span]:
    tokens = list(TOKEN.finditer(question))
    shown = [token.group().casefold() for token in tokens]
    names = _words(labels) | ROLE_NOUNS | HONORIFICS
    found: list[int] = []
    earlier: list[int] = []  # numbers of the words before, determiners aside
    is_subject = is_passive = False
    for i, word in enumerate(shown):
        before = shown[earlier[-1]] if earlier else ""
        if word[0].isalnum() and names.issuperset(WORD.findall(word)):
            if before == "by" and len(earlier) > 1 and shown[earlier[-2]] in _participles():
                found.append(earlier[-2])  # what was reported by Ann
            elif not is_subject:
                # "Who told Ann?" and "What was Ann told?" ask for others' words
                is_subject, is_passive = before not in _verbs(), before in _BE
        elif word in DETERMINERS:
            continue
        elif is_subject and word in _verbs() and not (is_passive and word in _participles()):
            found.append(i)
        elif not (word in FUNCTION_WORDS or word.endswith("ly")):
            is_subject = False
        earlier.append(i)
    return [tokens[i].span() for i in found]


def without_verbs_of_saying(question: str, labels: Iterable[str]) -> str:
    """A question without them: "What did Ann about the mill?"."""
    kept, at = [], 0
    for start, end in verbs_of_saying(question, labels):
        kept.append(question[at:start])
        at = end
    return " ".join("".join([*kept, question[at:]]).split())


def asks_for_all_words(question: str, labels: Iterable[str]) -> bool:
    """Whether it asks for words of these people and says nothing of what about: "What did Ann
    report?".
    """
    labels = tuple(labels)
    if not verbs_of_saying(question, labels):
        return False
    roles = () if _words(labels) & _words((question,)) else ROLE_NOUNS
    names = " ".join((*labels, *HONORIFICS, *roles))
    bare = without_verbs_of_saying(question, labels)
    return content_stems(bare) <= content_stems(names)


def _words(texts: Iterable[str]) -> set[str]:
    return {word.casefold() for text in texts for word in WORD.findall(text)}


@cache
def _verbs() -> frozenset[str]:
    bases = words_of(WordClass.ASKS_WORDS)
    return bases.union(*map(verb_forms, bases))


@cache
def _participles() -> frozenset[str]:
    return frozenset(form for verb in words_of(WordClass.ASKS_WORDS) for form in participles(verb))
