"""What a thing is called by the word before it: "mute buttons" are no "volume buttons"."""

from collections.abc import Iterator

from dynagrag.generation.claims.lexicon import opposites, senses
from dynagrag.generation.claims.reading import Reading
from dynagrag.generation.claims.roles import is_auxiliary
from dynagrag.words import COMMON_VERBS, FUNCTION_WORDS

_VERB_LIKE = ("ed", "ing", "ly")
_MIN_VERB = 5


def modifier_gap(claim: Reading, line: Reading) -> str:
    """Two words that name a thing, of which the line lacks one and has another in its place wherever it has the other; in words, or empty.

    A thing that the line names bare ("the buttons") may be the claim's.
    """
    for modifier, thing in _modified(claim):
        has_modifier, has_thing = _is_there(claim, modifier, line), _is_there(claim, thing, line)
        if has_modifier == has_thing:
            continue
        wanted = senses(claim.words[thing if has_thing else modifier].stem)
        places = [i for i, word in enumerate(line.words) if word.stem in wanted and i not in line.in_names]
        pairs = [(i - 1, i) if has_thing else (i, i + 1) for i in places]
        content = set(line.content())
        if pairs and all(first in content and second in content and _modifies(line, first) for first, second in pairs):
            first = pairs[0][0]
            said = " ".join(word.text for word in line.words[first : first + 2])
            return f"says {said!r}, not {' '.join(word.text for word in claim.words[modifier : thing + 1])!r}"
    return ""


def _modified(claim: Reading) -> Iterator[tuple[int, int]]:
    """(the word before a thing, the thing), both content words."""
    content = set(claim.content())
    for thing in sorted(content):
        if thing - 1 in content and _modifies(claim, thing - 1) and thing + 1 not in content:
            yield thing - 1, thing


def _modifies(reading: Reading, at: int) -> bool:
    """Whether a word may tell which thing is meant: no name, verb or adverb."""
    word = reading.words[at]
    has_ending = len(word.low) >= _MIN_VERB and word.low.endswith(_VERB_LIKE)
    is_verb = word.low in COMMON_VERBS or is_auxiliary(word) or has_ending
    return at not in reading.in_names and word.is_word and word.low not in FUNCTION_WORDS and not is_verb


def _is_there(claim: Reading, at: int, line: Reading) -> bool:
    stem = claim.words[at].stem
    return bool((senses(stem) | opposites().get(stem, frozenset())) & line.stems)
