"""What a thing is called by the word before it: "mute buttons" are no "volume buttons"."""

from collections.abc import Iterator

from dynagrag.generation.claims.lexicon import opposites, senses
from dynagrag.generation.claims.reading import Reading
from dynagrag.generation.claims.roles import is_auxiliary
from dynagrag.words import COMMON_VERBS, FUNCTION_WORDS

_VERB_LIKE = ("ed", "ing", "ly")
_MIN_VERB = 5


def modifier_gap(claim: Reading, line: Reading) -> str:
    """A word before a thing that the line lacks, and has another in its place wherever it names the thing; in words, empty where none.

    A thing that the line names bare ("the buttons") may be the claim's.
    """
    for modifier, thing in _modified(claim):
        if _is_there(claim, modifier, line):
            continue
        wanted = senses(claim.words[thing].stem)
        places = [i for i, word in enumerate(line.words) if word.stem in wanted and i not in line.in_names]
        theirs = [i - 1 for i in places if i and _modifies(line, i - 1)]
        if places and len(theirs) == len(places):
            said = " ".join(word.text for word in line.words[theirs[0] : theirs[0] + 2])
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
