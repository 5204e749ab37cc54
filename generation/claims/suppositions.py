"""What a text only supposes: "Suppose that the dam broke". By patterns of English."""

import re
from collections.abc import Sequence
from functools import lru_cache

from dynagrag.generation.claims.claim_lexicon import (
    ASKING,
    CONDITIONAL,
    FUTURE,
    POSSIBLE,
    RELATIVE,
    SAYING,
    THINKING,
)
from dynagrag.generation.claims.comparison import Comparison, Gap
from dynagrag.generation.claims.denials import denials_of
from dynagrag.generation.claims.reading import Reading, folded
from dynagrag.generation.claims.word_senses import lemma, senses
from dynagrag.language.sentences import sentence_spans

SUPPOSES = "only supposes it"
_LEAD = (
    r"^\W*(?:(?:and|but|so|now|well|okay|ok|or|also|then|again|alternatively|first|second|finally|"
    r"for (?:example|instance)|to take an example|by way of example)\b[\s,:–—-]*)*"
)
_SUPPOSE = r"suppos(?:e|ing)|imagin(?:e|ing)|assum(?:e|ing)|picture|pretend|hypothesi[sz]e"
_LET = r"let(?:'s| us) (?:just |all )?(?:say|suppose|imagine|assume|pretend|posit|hypothesi[sz]e)"
_OPENING = re.compile(
    rf"{_LEAD}(?:please )?(?:(?:{_SUPPOSE})\b|{_LET}\b|what if\b|hypothetically\b"
    r"|say (?=(?:that|you|i|we|he|she|it|they|there|a|an|the|my|your|our|some\w*)\b)"
    r"|take (?:the case|a case|a situation|a hypothetical)\b)"
)
"""It opens a sentence that supposes something."""
_AMID = re.compile(rf"\b(?:hypothetically(?: speaking)?|{_LET})\b|,\s(?:suppose|say),")
_GOES_ON = re.compile(
    rf"{_LEAD}(?:then|in that case|(?:under|on) those|that would|he|she|it|they|th(?:is|ese|ose))\b"
    r"|^\W*(?:and|then|so|or|but)\b"
)
"""It opens a sentence that goes on supposing what the one before supposes."""
_SUPPOSED = re.compile(
    r"\b(?:if|unless|would|could|might|suppos\w*|imagin\w*|assum\w*|pretend\w*|hypothetical\w*)\b"
)
"""Words of a claim that keeps the supposition."""
_WOULD = frozenset(("would", "could", "might"))
_HELD_BACK = CONDITIONAL | POSSIBLE | FUTURE | {"can", "should", "if"}
_TELLING = frozenset(map(lemma, (*SAYING, *ASKING, *THINKING, "like", "love", "call", "recall")))
_LATER = frozenset("later eventually soon ultimately subsequently also never".split())


@lru_cache(maxsize=4096)
def is_supposed(sentence: str) -> bool:
    """Whether a sentence says that what it says is only supposed: `Imagine that the dam broke`,
    `Let's say it sold the plant`, `What if she had left?`.
    """
    low = folded(sentence).replace("’", "'")
    return bool(_OPENING.match(low) or _AMID.search(low))


@lru_cache(maxsize=4096)
def goes_on(sentence: str) -> bool:
    """Whether a sentence goes on supposing behind one that supposes: "Then she would be guilty"."""
    low = folded(sentence).replace("’", "'")
    return bool(_GOES_ON.match(low)) or not _WOULD.isdisjoint(re.findall(r"[\w']+", low))


def supposed_on(sentences: Sequence[str]) -> frozenset[int]:
    """The places of sentences that go on with what one before supposes."""
    found: set[int] = set()
    is_on = False
    for i, sentence in enumerate(sentences):
        if is_on and goes_on(sentence):
            found.add(i)
        else:
            is_on = is_supposed(sentence)
    return frozenset(found)


def has_supposition(text: str) -> bool:
    """Whether a sentence of a text only supposes."""
    return any(is_supposed(text[start:end]) for start, end in sentence_spans(text))


def keeps_condition(claim: str) -> bool:
    """Whether a claim tells itself that something is only supposed, or would be so."""
    return bool(_SUPPOSED.search(folded(claim).replace("’", "'")))


def supposed_gap(comparison: Comparison) -> Gap | None:
    """The sentence only supposes what the claim says outright.

    Catches "the dam broke" of "Imagine that the dam broke", "using it is a crime" of "who used it
    would commit a crime". Passes "if the dam broke, the village would be under water".
    """
    if comparison.attribution.is_asked:
        return None
    if keeps_condition(comparison.attribution.what):
        return _condition_gap(comparison)
    if is_supposed(comparison.line.text):
        return Gap(SUPPOSES)
    if _HELD_BACK.isdisjoint(comparison.claim.lows) and _is_spanned(comparison):
        return Gap("says only what would be")
    return None


def _condition_gap(comparison: Comparison) -> Gap | None:
    """One of the two says "unless" and the other "if", where neither denies the condition."""
    texts = (comparison.claim, comparison.sentence)
    has_unless = ["unless" in text.lows for text in texts]
    has_if = ["if" in text.lows and not denials_of(text) for text in texts]
    is_turned = (has_unless[0] and has_if[1]) or (has_if[0] and has_unless[1])
    return Gap("sets another condition") if is_turned and not all(has_unless) else None


def _is_spanned(comparison: Comparison) -> bool:
    """Whether the sentence says the claim's words round a "would", "could" or "might" of its own:
    neither "who would", "would later" nor "I would say".
    """
    line = comparison.sentence
    wanted = {sense for word in comparison.claim.content_and_names() for sense in senses(word.stem)}
    hits = [i for i, word in enumerate(line.words) if word.stem in wanted]
    if not hits:
        return False
    modals = [
        i
        for i, word in line.outside_names()
        if word.low in _WOULD
        and line.word(i - 1).low not in RELATIVE
        and line.word(i + 1).low not in _LATER
        and lemma(line.word(i + 1).low) not in _TELLING
    ]
    return any(hits[0] < at < hits[-1] and _nearest_clause(line, at, hits) for at in modals)


def _nearest_clause(line: Reading, at: int, hits: list[int]) -> bool:
    """Whether the words next to a modal on both sides stand in its clause."""
    before = max(i for i in hits if i < at)
    behind = min(i for i in hits if i > at)
    return line.words[before].clause == line.words[at].clause == line.words[behind].clause
