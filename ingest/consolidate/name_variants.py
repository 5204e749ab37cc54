"""Names that differ in form alone: spelling, plural, a designator that stands elsewhere, words cut
short. Linear in the number of names.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from dynagrag.core.text import ascii_spellings
from dynagrag.ingest.consolidate.used_names import Proposal, UsedName, squashed
from dynagrag.language.english.data import words_of
from dynagrag.language.english.inflection import is_plural_of
from dynagrag.language.word_class import WordClass

_NOT_PLURAL = words_of(WordClass.NO_PLURAL)
_PLURAL_ACRONYM = re.compile(r"[A-Z]{2,8}s")
_SENTENCE_DOT = re.compile(r"\b\w\.\s+[A-Z]{2,4}\b(?!\.)")
_MIN_CUT = 3
_MIN_SHOUTED = 4
"""Letters of a noun in capitals; a shorter one is rather an acronym (GP, GPS)."""
_VOWELS = frozenset("aeiou")


def spellings(names: Sequence[UsedName]) -> Iterator[Proposal]:
    """Same letters and digits: high-gain / high gain, O.2 / O2. Two letters say too little (us /
    U.S.), and a dot before a word of several letters may have ended a sentence (C. DC / CDC).
    """
    plain: dict[str, str] = {}
    for name in names:
        key = name.key
        form = squashed(key)
        if len(form) < 3 and not any(c.isdigit() for c in form):
            continue
        if _SENTENCE_DOT.search(name.surface):
            continue
        if plain.setdefault(form, key) != key:
            yield "spelling", plain[form], key
    yield from _unmarked_spellings(names, plain)


def _unmarked_spellings(names: Sequence[UsedName], plain: Mapping[str, str]) -> Iterator[Proposal]:
    """François Mercier / Francois Mercier, Søren Kjær / Soeren Kjaer: names alone, since marks tell
    words apart (résumé, resume), and only where one marked name of the corpus fits.

    Args:
        names: All names.
        plain: The first key of each form, as `spellings` compares them.
    """
    words = {name.key for name in names if name.is_word}
    marked: dict[str, set[str]] = defaultdict(set)
    for form, key in plain.items():
        if key not in words and len(form) >= 3:
            for unmarked in ascii_spellings(form):
                marked[unmarked].add(key)
    for form, keys in marked.items():
        unmarked_key = plain.get(form)
        if unmarked_key is not None and unmarked_key not in words and len(keys) == 1:
            yield "spelling", min(keys), unmarked_key


def plurals(by_key: Mapping[str, UsedName]) -> Iterator[Proposal]:
    """oxygen tanks / oxygen tank, CBs / CB. A lone capitalised word without a type may be a surname
    (Rogers) and is left alone.
    """
    for key, name in by_key.items():
        head, _, last = key.rpartition(" ")
        shown = name.surface.rpartition(" ")[2]
        is_acronym = bool(_PLURAL_ACRONYM.fullmatch(shown))
        is_bare = not head and not name.name.type and not is_acronym
        may_be_surname = name.name.is_person or (is_bare and name.surface[:1].isupper())
        if may_be_surname or last in _NOT_PLURAL or not last.isalpha():
            continue
        for singular in [last[:-1]] if is_acronym else _singulars(last, shown):
            one = by_key.get(f"{head} {singular}" if head else singular)
            if one and not one.name.is_person and not (is_acronym and one.is_word):
                yield "plural", one.key, key
    yield from _inner_plurals(by_key)


def _inner_plurals(by_key: Mapping[str, UsedName]) -> Iterator[Proposal]:
    """reactants valve / reactant valve. Not of names in title case, whose words are their own
    (Kings Park, King Park).
    """
    plain: dict[tuple[str, ...], str] = {}
    for key, name in by_key.items():
        words = key.split()
        is_plain = len(words) > 1 and "".join(words).isalpha() and not name.name.is_person
        if not is_plain or name.surface.split()[-1].istitle():
            continue
        shown = name.surface.split() if len(name.surface.split()) == len(words) else words
        form = tuple(
            word if word in _NOT_PLURAL else min(_singulars(word, part), key=len, default=word)
            for word, part in zip(words, shown, strict=True)
        )
        if plain.setdefault(form, key) != key:
            yield "plural", plain[form], key


def _singulars(word: str, shown: str) -> list[str]:
    """What a word may be the plural of. A capital S at the end of what is `shown` is a letter of
    its own (HTTPS, SFTPS), unless the rest is an everyday noun in capitals (VALVES).
    """
    forms = []
    if word.endswith("ies") and len(word) > 4:
        forms.append(word[:-3] + "y")
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        forms.append(word[:-2])
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        forms.append(word[:-1])
    if shown.endswith("S"):
        forms = [f for f in forms if len(f) >= _MIN_SHOUTED and is_plural_of(word, f)]
    return [f for f in forms if len(f) >= 3]


def designators(by_key: Mapping[str, UsedName]) -> Iterator[Proposal]:
    """MAIN BUS B / MAIN B BUS, and MAIN B where the corpus shows that the bus is what is lettered.

    A name's designator is its one number or lone letter. Where the corpus has it on both sides of a
    word ("bus"), that word is what it designates, and may be left out, unless what then is left is
    a thing of its own: fuel cell 1 is no fuel cell 1 pump. A word that the corpus also has in the
    plural (AC buses) is designated too, where the rest alone is no name (AC).
    """
    placed = {key: parts for key in sorted(by_key) if (parts := _designated(key))}
    sides: dict[_Words, set[str]] = defaultdict(set)
    for before, _, after in placed.values():
        sides[before].add("left")
        if after:
            sides[*before, after[0]].add("right")
    heads = {
        words
        for words, found in sides.items()
        if len(words) > 1
        and (len(found) > 1 or (" ".join(words[:-1]) not in by_key and _has_plural(words, by_key)))
    }
    first: dict[tuple[_Words, str, _Words], str] = {}
    for key, (before, designator, after) in placed.items():
        # What is designated stands before the designator, or is left out where the words before it
        # name no kind of thing by themselves: the corpus has them neither alone nor in the plural.
        if after and (*before, after[0]) in heads:
            before, after = (*before, after[0]), after[1:]
        kind = before[:-1]
        is_thing = (len(kind) > 1 and " ".join(kind) in by_key) or _has_plural(kind, by_key)
        if before in heads and not is_thing:
            before = kind
        form = (before, designator, after)
        if first.setdefault(form, key) != key:
            yield "designator", first[form], key


_Words = tuple[str, ...]


def _designated(key: str) -> tuple[_Words, str, _Words] | None:
    """(words before, designator, words behind); None without one, with several, or where it comes
    first.
    """
    words = tuple(key.split())
    places = [i for i, w in enumerate(words) if w.isdecimal() or (len(w) == 1 and w.isalpha())]
    if len(places) != 1 or places[0] == 0:
        return None
    at = places[0]
    return words[:at], words[at], words[at + 1 :]


def _has_plural(words: _Words, by_key: Mapping[str, UsedName]) -> bool:
    return any(f"{' '.join(words)}{ending}" in by_key for ending in ("s", "es"))


def cut_words(names: Sequence[UsedName]) -> Iterator[Proposal]:
    """RATE CMD / Rate Command: the same words, some cut short and in capitals, where no other name
    fits.

    A word that the corpus also has in other than capitals is none that was cut.
    """
    known = {
        word.casefold() for name in names for word in name.surface.split() if not word.isupper()
    }
    several = [(name, "".join(w[0] for w in name.key.split())) for name in names if " " in name.key]
    whole: dict[str, list[str]] = defaultdict(list)
    for name, firsts in several:
        if not (name.surface.isupper() or name.is_word or name.name.is_person):
            whole[firsts].append(name.key)
    for name, firsts in several:
        parts = name.surface.split()
        if not name.key.replace(" ", "").isalpha() or not any(map(str.isupper, parts)):
            continue
        others = [key for key in whole[firsts] if key != name.key]
        fitting = [key for key in others if _are_cut(parts, key.split(), known)]
        if len(fitting) == 1:
            yield "abbreviation", fitting[0], name.key


def _are_cut(shown: Sequence[str], whole: Sequence[str], known: Collection[str]) -> bool:
    """Whether each word is the other name's or, in capitals, short for it; at least one is."""
    return len(shown) == len(whole) and all(
        part.casefold() == word
        or (part.isupper() and part.casefold() not in known and is_cut(part.casefold(), word))
        for part, word in zip(shown, whole, strict=True)
    )


def is_cut(short: str, word: str) -> bool:
    """Whether a word is another one cut short: its beginning (propellant: prop), or letters of it
    to the end (command: cmd, dept).
    """
    if len(short) < _MIN_CUT or len(word) < len(short) + 2 or short[0] != word[0]:
        return False
    if word.startswith(short):
        return True
    letters = iter(word)
    is_in_order = all(c in letters for c in short) and short[-1] in word[-2:]
    return is_in_order and (short[1] == word[1] or not _VOWELS & set(short[1:]))
