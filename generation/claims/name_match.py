"""Whether a line has a claim's name, in all of its words or in a part of them."""

from collections.abc import Sequence

from dynagrag.generation.claims.claim_lexicon import (
    ARTICLES,
    OF_SPEAKERS,
    PLACE_QUALIFIERS,
    PRONOUNS,
)
from dynagrag.generation.claims.life_dates import event_of
from dynagrag.generation.claims.reading import Reading, Word, same_word
from dynagrag.generation.claims.roles import is_auxiliary
from dynagrag.generation.claims.word_senses import senses
from dynagrag.language.english.first_names import are_first_names_alike
from dynagrag.language.words import FUNCTION_WORDS, ROLE_NOUNS

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
    # The A of "MAIN A" is no article.
    has_labels = set(labels(claim.words[slice(*span)])) <= set(labels(sentence.words))
    if not has_labels or _is_head_of_another(claim, span, sentence, region):
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
    if found[-1] and not _has_other_first(name, sentence, region):
        return True
    alone = {sentence.words[i].low for i, end in sentence.names if end == i + 1 and i in region}
    return not alone.isdisjoint((name[0], name[-1]))  # "Sujit" for "Sujit Guha"


def _qualifier(reading: Reading, at: int) -> str:
    """The word right before one of a name that makes another place of it; empty where there is
    none.
    """
    before = reading.word(at - 1)
    return before.low if before.is_capitalized and before.low in PLACE_QUALIFIERS else ""


def _is_head_of_another(
    claim: Reading, span: Span, sentence: Reading, region: frozenset[int]
) -> bool:
    """Whether the line has the head of the name, but of other things: the University of South
    Wales, of the University of Wales.
    """
    for of in range(span[0] + 1, span[1] - 1):
        if claim.words[of].low != "of":
            continue
        heads = [
            i
            for i in region
            if sentence.word(i + 1).low == "of"
            and {i, i + 1, i + 2} <= sentence.in_names
            and same_word(sentence.words[i].low, claim.words[of - 1].low)
        ]
        theirs = [low for i in heads for low in _belongs_to(sentence, i + 1)]
        mine = _belongs_to(claim, of)[:1]
        if theirs and not any(same_word(low, other) for low in mine for other in theirs):
            return True
    return False


def _belongs_to(reading: Reading, of: int) -> list[str]:
    """The word behind an "of", and the names behind "and": health and care of "Department of Health
    and Care".
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
    alike = [
        words
        for start, end in sentence.names
        if end - 1 in region
        and (words := [w.low for w in sentence.words[start:end] if w.is_word])
        and same_word(words[-1], name[-1])
    ]
    return bool(alike) and not any(_may_be_one(a, name[0]) for words in alike for a in words[:-1])


def _may_be_one(a: str, b: str) -> bool:
    """Whether two first names may be one: called alike, or spelt alike up to the last letter (Yuri,
    Yury).
    """
    return are_first_names_alike(a, b) or (len(a) == len(b) > 3 and a[:-1] == b[:-1])


def labels(words: Sequence[Word]) -> list[tuple[str, str]]:
    """Words with the number or letter that tells them from their like: cell 1, MAIN B."""
    found = []
    marks = [*(word.text for word in words[2:]), ""]
    for before, word, mark in zip(words, words[1:], marks, strict=False):
        is_letter = len(word.text) == 1 and word.text.isupper()
        is_initial = word.is_word and mark == "." and before.text.istitle()
        if before.is_word and (is_letter or word.text.isdigit()) and not is_initial:
            found.append((before.low, word.low))
    return found


def may_be_unnamed(claim: Reading, sentence: Reading) -> bool:
    """Whether a line may be about the claim's subject without its name: it opens with no other
    name, or has none that the claim lacks; "I" and "the mayor" are people whom
    nobody knows, and a quoted "I" is who is quoted.
    """
    opening = next((i for i, word in enumerate(sentence.words) if not word.is_mark), None)
    if opening is None:
        return False
    first = sentence.words[opening]
    if first.low in OF_SPEAKERS or _quotes_another(claim, sentence):
        return False
    has_article = first.low in ARTICLES
    if has_article and (
        sentence.word(opening + 1).low in ROLE_NOUNS
        or _opens_with_another(claim, sentence, opening)
    ):
        return False
    if (has_article or opening not in sentence.in_names) and (
        first.low in PRONOUNS | FUNCTION_WORDS
        or event_of(first.stem)
        or first.low.endswith(_NO_NAME_ENDINGS)
        or first.text[0].isdigit()
    ):
        return True
    mine = [{*claim.name(*span)} for span in claim.names]
    theirs = [{*sentence.name(*span)} for span in sentence.names]
    return bool(theirs) and all(any(their <= my for my in mine) for their in theirs)


def _quotes_another(claim: Reading, sentence: Reading) -> bool:
    """Whether somebody whom the claim doesn't name is quoted on themselves: behind a comma or a
    colon, where no title stands (a film "Jab We Met").
    """
    has_self = any(
        word.low in OF_SPEAKERS and sentence.is_quoted(i) and _is_speech(sentence, i)
        for i, word in enumerate(sentence.words)
    )
    mine = {word for span in claim.names for word in claim.name(*span)}
    return has_self and any(
        mine.isdisjoint(sentence.name(*span)) and not sentence.is_quoted(span[0])
        for span in sentence.names
    )


def _is_speech(sentence: Reading, at: int) -> bool:
    """Whether the quotation that holds a word opens behind a comma or a colon."""
    mark = next(i for i in range(at - 1, -1, -1) if sentence.words[i].text in ('"', "“"))
    return sentence.word(mark - 1).text in (",", ":")


def _opens_with_another(claim: Reading, sentence: Reading, article: int) -> bool:
    """Whether a name that the claim doesn't have stands behind the article with which the line
    opens: "The Service Module stack".
    """
    mine = {word for span in claim.names for word in claim.name(*span)}
    near = range(article, min(article + 3, len(sentence.words)))
    verb = next((i for i in near if is_auxiliary(sentence.words[i])), near.stop)
    names = [sentence.name(*span) for span in sentence.names if article <= span[0] < verb]
    return any(len(name) > 1 and not mine.issuperset(name) for name in names)
