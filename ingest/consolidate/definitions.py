"""Names that texts themselves define as one: "the lunar module (LM)", "LM, the lunar module",
"Hercules, also known as Heracles".

An acronym's definition needs no more than the two side by side, since the letters prove it. Names
in general need words that say so, and must stand alone before them: in "an engineer with NASA, also
known as Bob", Bob isn't NASA.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from dynagrag.core.ids import entity_key
from dynagrag.ingest.consolidate.acronyms import is_acronym, spells_out
from dynagrag.ingest.consolidate.used_names import Proposal, UsedName, content_words
from dynagrag.language.english.data import words_of
from dynagrag.language.english.definition_cues import (
    ALIAS,
    BRACKETED,
    CUE_AFTER,
    CUE_BEFORE,
    LEAD,
    MORE_AFTER,
    MORE_BEFORE,
)
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_VERBS, DETERMINERS, FUNCTION_WORDS

_MAX_WORDS = 8
_WORD = re.compile(r"[^\W_]+(?:['’&.\-][^\W_]+)*")
_ACRONYM = re.compile(r"\b[A-Za-z][A-Za-z&./-]{0,14}")
_NEXT_WORD = re.compile(r"[^\S\n]([a-z][\w'’-]*)")
_MAY_FOLLOW = FUNCTION_WORDS | COMMON_VERBS
_NOT_ALONE = words_of(WordClass.PREPOSITION_INTO_NAME)


@dataclass(frozen=True, slots=True)
class Definitions:
    """Definitions in texts. `acronyms`: key -> keys of the names it stands for; `aliases`: pairs of
    keys of one thing.
    """

    acronyms: Mapping[str, frozenset[str]]
    aliases: frozenset[tuple[str, str]]


def find_definitions(
    texts: Iterable[str], by_key: Mapping[str, UsedName], step: Callable[[], None] = lambda: None
) -> Definitions:
    """All definitions in the texts. A meaning in brackets counts even if it is no name in use: it
    then speaks against other meanings. `step` is called again and again, and may raise.
    """
    acronyms: dict[str, set[str]] = defaultdict(set)
    aliases: set[tuple[str, str]] = set()
    for text in texts:
        for short, long, is_certain in _acronyms(text, step):
            if is_certain or (long in by_key and not by_key[long].is_word):
                acronyms[short].add(long)
        for match in ALIAS.finditer(text):
            lead = LEAD.search(text, max(0, match.start() - 60), match.start())
            left = _name_before(text, (lead or match).start(), by_key)
            right = _name_after(text, match.end(), by_key)
            if left and right and left != right:
                aliases.add((left, right))
    return Definitions(
        {short: frozenset(longs) for short, longs in acronyms.items()}, frozenset(aliases)
    )


def _acronyms(text: str, step: Callable[[], None]) -> Iterator[tuple[str, str, bool]]:
    """(key of an acronym, key of the words beside it that spell it out, whether brackets hold one
    of the two).
    """
    step()
    for match in _ACRONYM.finditer(text):
        rest = match[0][1:]
        if rest == rest.lower():  # most words: an acronym has a capital after its first letter
            continue
        step()
        word = match[0].rstrip("&./-")
        short = word[:-1] if word.endswith("s") and word[:-1].isupper() else word
        if not is_acronym(short):
            continue
        key = entity_key(short)
        before = text[max(0, match.start() - 40) : match.start()]
        cue = BRACKETED.search(before) or CUE_BEFORE.search(before)
        if cue:
            end = match.start() - len(cue[0])
            longer = (text[start:end] for start, _ in _words_before(text, end)[-2::-1])
            if long := _spelt_out(longer, key):
                yield key, long, before[cue.start()] == "("
        after = CUE_AFTER.match(text, match.start() + len(word))
        if after:
            words = _words_after(text, after.end())
            while words and entity_key(text[slice(*words[0])]) in DETERMINERS | {""}:
                words = words[1:]
            longer = (text[words[0][0] : end] for _, end in words[1:])
            if long := _spelt_out(longer, key):
                yield key, long, "(" in after[0]


def _spelt_out(phrases: Iterable[str], short: str) -> str:
    """The key of the first phrase that spells an acronym's key; empty for none."""
    return next((long for long in map(entity_key, phrases) if spells_out(long, short)), "")


def _words_before(text: str, end: int) -> list[tuple[int, int]]:
    """Spans of up to 8 words before a place, in order, with nothing but blanks and one line break
    between and behind them.
    """
    start = max(0, end - 160)
    spans = [m.span() for m in _WORD.finditer(text, start, end)]
    kept: list[tuple[int, int]] = []
    right = end
    for span in reversed(spans[-2 * _MAX_WORDS :]):
        if not _is_gap(text[span[1] : right]) or (span[0] == start and start > 0):
            break
        kept.append(span)
        right = span[0]
    return kept[::-1]


def _words_after(text: str, start: int) -> list[tuple[int, int]]:
    """Spans of up to 8 words from a place on, likewise."""
    kept: list[tuple[int, int]] = []
    left = start
    for match in _WORD.finditer(text, start, start + 160):
        if not _is_gap(text[left : match.start()]) or len(kept) == 2 * _MAX_WORDS:
            break
        kept.append(match.span())
        left = match.end()
    return kept


def _is_gap(between: str) -> bool:
    return between.strip(" \t\n&\"'“”‘’") == "" and between.count("\n") <= 1


def _name_before(text: str, end: int, by_key: Mapping[str, UsedName]) -> str:
    """The longest name in use that ends at a place, unless it is part of a longer phrase; empty for
    none.
    """
    words = _words_before(text, end)[-_MAX_WORDS:]
    for place, (start, _) in enumerate(words):
        key = entity_key(text[start:end])
        if _is_name(key, by_key) and not MORE_BEFORE.search(text[max(0, start - 30) : start]):
            before = [text[a:b].casefold() for a, b in words[:place]]
            while before and before[-1] in DETERMINERS:
                before.pop()
            return "" if before and before[-1] in _NOT_ALONE else key
    return ""


def _name_after(text: str, start: int, by_key: Mapping[str, UsedName]) -> str:
    """The longest name in use that begins at a place and goes no further: no capital, number,
    hyphen or mere word comes right behind it. Empty for none.
    """
    words = _words_after(text, start)[:_MAX_WORDS]
    for _, end in reversed(words):
        key = entity_key(text[words[0][0] : end])
        if _is_name(key, by_key) and not MORE_AFTER.match(text, end):
            behind = _NEXT_WORD.match(text, end)
            if behind is None or behind[1] in _MAY_FOLLOW:
                return key
    return ""


def _is_name(key: str, by_key: Mapping[str, UsedName]) -> bool:
    """Whether a key is in use as a name, neither a mere word nor a number."""
    return key in by_key and not by_key[key].is_word and any(c.isalpha() for c in key)


def defined_acronyms(
    definitions: Definitions, by_key: Mapping[str, UsedName], root: Callable[[str], str]
) -> Iterator[Proposal]:
    """Acronyms with what texts say they are, unless they say two things."""
    for short, longs in sorted(definitions.acronyms.items()):
        used = sorted(long for long in longs if long in by_key)
        forms = {_loose(long) for long in used}
        if (
            short in by_key
            and len({root(long) for long in used}) == 1
            and all(_loose(long) in forms for long in longs)
        ):
            yield from (("acronym", long, short) for long in used)


def _loose(key: str) -> tuple[str, ...]:
    """A name's words without plurals and small words: two of one form are no two meanings."""
    return tuple(word.removesuffix("s") for word in content_words(key))


def stated_aliases(definitions: Definitions, root: Callable[[str], str]) -> Iterator[Proposal]:
    """Names that a text states are one. A name stated to be two things is neither."""
    owners: dict[str, set[str]] = defaultdict(set)
    for a, b in definitions.aliases:
        owners[b].add(root(a))
    for a, b in sorted(definitions.aliases):
        if len(owners[b]) == 1:
            yield "definition", a, b
