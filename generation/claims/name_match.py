"""Whether a line has a claim's name, in all of its words or in a part of them; and whether it calls
a thing by the same two words.
"""

import itertools
from collections.abc import Sequence

from dynagrag.generation.claims.lexicon import ARTICLES, PLACE_QUALIFIERS, PRONOUNS
from dynagrag.generation.claims.life_dates import event_of
from dynagrag.generation.claims.reading import Reading, Word, same_word
from dynagrag.generation.claims.roles import is_auxiliary
from dynagrag.generation.claims.word_senses import senses
from dynagrag.language.english.first_names import are_first_names_alike
from dynagrag.language.words import FUNCTION_WORDS

Span = tuple[int, int]
_ALMOST_ALL = 0.75
_REACH = 8
"""Words behind an "of" that are read."""
_NO_NAME_ENDINGS = ("ed", "ing", "ly")


def has_name(
    claim: Reading, span: Span, sentence: Reading, region: frozenset[int] | None = None
) -> bool:
    """Whether a claim's name stands in a region of the line (None: anywhere): all of it; its last
    word, beside no other first name; or one of its words as a name alone.
    """
    region = frozenset(range(len(sentence.words))) if region is None else region
    name = claim.name(*span)
    mine = [i for i in range(*span) if claim.words[i].low in name]
    if not set(labels(claim.words[slice(*span)])) <= set(labels(sentence.words)):
        return False  # the A of "MAIN A" is no article
    if _is_of_another(claim, span, sentence, region):
        return False
    theirs = {
        (_qualifier(sentence, i), sentence.words[i].low): sentence.words[i].stem for i in region
    }
    found = [
        any(
            _qualifier(claim, i) == other and same_word(claim.words[i].low, low)
            for other, low in theirs
        )
        for i in mine
    ]
    if all(found):
        return True
    if len(name) == 1:
        return any(
            _qualifier(claim, i) == other and stem in senses(claim.words[i].stem)
            for i in mine
            for (other, _), stem in theirs.items()
        )
    if sum(found) > _ALMOST_ALL * len(found):
        return True
    if _qualifier(claim, mine[-1]):
        return False
    return (found[-1] and not _has_other_first(name, sentence, region)) or _is_called_short(
        name, sentence, region
    )


def _qualifier(reading: Reading, at: int) -> str:
    """The word right before one of a name that makes another place of it; empty where there is
    none.
    """
    before = reading.words[at - 1] if at else None
    return (
        before.low if before and before.text[0].isupper() and before.low in PLACE_QUALIFIERS else ""
    )


def _is_of_another(claim: Reading, span: Span, sentence: Reading, region: frozenset[int]) -> bool:
    """Whether the line has the head of the name, but of other things: the University of South
    Wales, of the University of Wales.
    """
    for of in (i for i in range(span[0] + 1, span[1] - 1) if claim.words[i].low == "of"):
        heads = [
            i
            for i in region
            if same_word(sentence.words[i].low, claim.words[of - 1].low)
            and {i, i + 1, i + 2} <= sentence.in_names
            and sentence.words[i + 1].low == "of"
        ]
        theirs = [low for i in heads for low in _belongs_to(sentence, i + 1)]
        if theirs and not any(
            same_word(low, other) for low in _belongs_to(claim, of)[:1] for other in theirs
        ):
            return True
    return False


def _belongs_to(reading: Reading, of: int) -> list[str]:
    """What an "of" names first, and the names behind "and": health and care of "Department of
    Health and Care".
    """
    words = reading.words
    behind = [
        i for i in range(of + 1, min(len(words), of + _REACH)) if words[i].low not in ARTICLES
    ]
    listed = [
        i + 1 for i in behind if words[i].low in {"and", "&", ","} and i + 1 in reading.in_names
    ]
    return [words[i].low for i in (*behind[:1], *listed)]


def _has_other_first(name: Sequence[str], sentence: Reading, region: frozenset[int]) -> bool:
    """Whether the last word of a name stands in another one's name; one that may be the same is
    none (Mike, Michael, M.).
    """
    others = [
        [w.low for w in sentence.words[start:end] if w.is_word]
        for start, end in sentence.names
        if end - 1 in region
    ]
    alike = [words for words in others if same_word(words[-1], name[-1])]
    return bool(alike) and all(
        not any(_may_be_one(word, name[0]) for word in words[:-1]) for words in alike
    )


def _may_be_one(a: str, b: str) -> bool:
    """Whether two first names may be one: called alike, or spelt alike up to the last letter (Yuri,
    Yury).
    """
    return are_first_names_alike(a, b) or (len(a) == len(b) > 3 and a[:-1] == b[:-1])


def _is_called_short(name: Sequence[str], sentence: Reading, region: frozenset[int]) -> bool:
    """Whether one word of the name stands for all of it: "Sujit" for "Sujit Guha"."""
    alone = {
        sentence.words[start].low
        for start, end in sentence.names
        if end - start == 1 and start in region
    }
    return bool({name[0], name[-1]} & alone)


def labels(words: Sequence[Word]) -> list[tuple[str, str]]:
    """Words with the number or letter that tells them from their like: cell 1, MAIN B."""
    return [
        (words[i - 1].low, words[i].low)
        for i in range(1, len(words))
        if words[i - 1].is_word
        and (words[i].text.isdigit() or (len(words[i].text) == 1 and words[i].text.isupper()))
        and not (
            words[i].is_word
            and i + 1 < len(words)
            and words[i + 1].text == "."
            and words[i - 1].text.istitle()
        )  # an initial
    ]


def may_be_unnamed(claim: Reading, sentence: Reading) -> bool:
    """Whether a line may be about the claim's subject without its name: it opens with no other
    name, or has none that the claim lacks.
    """
    opening = next((i for i, w in enumerate(sentence.words) if w.text[0].isalnum()), None)
    if opening is None:
        return False
    first = sentence.words[opening]
    is_unnamed = opening not in sentence.in_names or first.low in ARTICLES
    if first.low in ARTICLES and _opens_with_another(claim, sentence, opening):
        return False
    if is_unnamed and (
        first.low in PRONOUNS | FUNCTION_WORDS
        or event_of(first.stem)
        or first.low.endswith(_NO_NAME_ENDINGS)
        or first.text[0].isdigit()
    ):
        return True
    mine = [claim.name(*span) for span in claim.names]
    return bool(sentence.names) and all(
        any(set(sentence.name(*span)) <= set(name) for name in mine) for span in sentence.names
    )


def _opens_with_another(claim: Reading, sentence: Reading, article: int) -> bool:
    """Whether a name that the claim doesn't have stands behind the article with which the line
    opens: "The Service Module stack".
    """
    mine = {word for span in claim.names for word in claim.name(*span)}
    region = itertools.takewhile(
        lambda i: not is_auxiliary(sentence.words[i]),
        range(article, min(article + 3, len(sentence.words))),
    )
    inside = set(region)
    names = (sentence.name(start, end) for start, end in sentence.names if start in inside)
    return any(len(name) > 1 and not set(name) <= mine for name in names)


# ------------------------------------ two words for a thing: "mute buttons" are no "volume buttons"
