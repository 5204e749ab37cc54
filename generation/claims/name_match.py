"""Whether a line has a claim's name, in all of its words or in a part of them."""

from collections.abc import Sequence

from dynagrag.generation.claims.lexicon import senses
from dynagrag.generation.claims.reading import Reading, Word, same_word
from dynagrag.words import are_given_alike

Span = tuple[int, int]
_ALMOST_ALL = 0.75


def has_name(claim: Reading, span: Span, said: Reading, region: frozenset[int] | None = None) -> bool:
    """Whether a claim's name stands in a region of the line (None: anywhere): all of it; its last word, beside no other first name; or one
    of its words as a name alone.
    """
    region = frozenset(range(len(said.words))) if region is None else region
    name = claim.name(*span)
    lows = [said.words[i].low for i in sorted(region)]
    if not set(labels(claim.words[slice(*span)])) <= set(labels(said.words)):
        return False  # the A of "MAIN A" is no article
    found = [any(same_word(word, low) for low in lows) for word in name]
    if all(found):
        return True
    if len(name) == 1:
        stems = {said.words[i].stem for i in region}
        return any(senses(w.stem) & stems for w in claim.words[slice(*span)] if w.low in name)
    if sum(found) > _ALMOST_ALL * len(found):
        return True
    return (found[-1] and not _has_other_first(name, said, region)) or _is_called_short(name, said, region)


def _has_other_first(name: Sequence[str], said: Reading, region: frozenset[int]) -> bool:
    """Whether the last word of a name stands in another one's name; one that may be the same is none (Mike, Michael, M.)."""
    others = [[w.low for w in said.words[start:end] if w.is_word] for start, end in said.names if end - 1 in region]
    alike = [words for words in others if same_word(words[-1], name[-1])]
    return bool(alike) and all(not any(_may_be_one(word, name[0]) for word in words[:-1]) for words in alike)


def _may_be_one(a: str, b: str) -> bool:
    """Whether two first names may be one: called alike, or spelt alike up to the last letter (Yuri, Yury)."""
    return are_given_alike(a, b) or (len(a) == len(b) > 3 and a[:-1] == b[:-1])


def _is_called_short(name: Sequence[str], said: Reading, region: frozenset[int]) -> bool:
    """Whether one word of the name stands for all of it: "Sujit" for "Sujit Guha"."""
    alone = {said.words[start].low for start, end in said.names if end - start == 1 and start in region}
    return bool({name[0], name[-1]} & alone)


def labels(words: Sequence[Word]) -> list[tuple[str, str]]:
    """Words with the number or letter that tells them from their like: cell 1, MAIN B."""
    return [
        (words[i - 1].low, words[i].low)
        for i in range(1, len(words))
        if words[i - 1].is_word
        and (words[i].text.isdigit() or (len(words[i].text) == 1 and words[i].text.isupper()))
        and not (words[i].is_word and i + 1 < len(words) and words[i + 1].text == "." and words[i - 1].text.istitle())  # an initial
    ]
