"""False claims made of a true sentence by one change each: a number, a negation, a name, swapped
ends, a verb, the speaker, the modality, an invention. English, by patterns, without a parser: where
a pattern isn't sure, there is no change (None).
"""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from dynagrag.evaluation.statements.rewordings import asked_whether, said_by
from dynagrag.language.english.data import values_of, words_of
from dynagrag.language.english.finite_verbs import FiniteKind, finite_verb, replaced
from dynagrag.language.english.modality import made_certain, possible
from dynagrag.language.english.names import is_address, names_in
from dynagrag.language.english.negation import NEGATION, negated
from dynagrag.language.english.spoken_lines import NUMERAL
from dynagrag.language.english.verb_places import verbs_in
from dynagrag.language.english.verbs import alike, base_of_past, base_or_stem, is_verb
from dynagrag.language.word_class import WordClass


class ClaimChange(StrEnum):
    """Kind of change."""

    NUMBER = "number"
    NEGATION = "negation"
    NAME = "name"
    SWAP = "swapped ends"
    VERB = "verb"
    SPEAKER = "speaker"
    MODALITY = "modality"
    INVENTION = "invention"


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """A sentence of a source: what was said, by whom (None where nobody knows)."""

    text: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Replacements for parts of a sentence: names and, by form, verbs of the workspace; speakers of
    the sentence's document.
    """

    names: tuple[str, ...] = ()
    verbs: Mapping[str, tuple[str, ...]] | None = None
    speakers: tuple[str, ...] = ()


# ------------------------------------------------------------------------------------------ numbers

_NUMBER_WORDS = [
    word
    for word, value in values_of(WordClass.CARDINAL).items()
    if 2 <= value <= 12 or (value < 100 and value % 10 == 0 and value)
]
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b(?!-)")
_MAX_STEP = 3


def other_number(text: str, rng: random.Random) -> str | None:
    """With another number in place of one: a near one, of as many digits."""
    found = [*NUMERAL.finditer(text), *_NUMBER_WORD.finditer(text)]
    stated = [m for m in found if not is_address(text, m)]
    if not stated:
        return None
    match = rng.choice(stated)
    taken = {m[0] for m in found}
    others = [n for n in _near(match[0]) if n not in taken]
    return replaced(text, match.span(), rng.choice(others)) if others else None


def _near(number: str) -> list[str]:
    if number in _NUMBER_WORDS:
        at = _NUMBER_WORDS.index(number)
        return _NUMBER_WORDS[max(0, at - _MAX_STEP) : at + _MAX_STEP + 1]
    head, last = re.fullmatch(r"(.*?)(\d+)", number, re.DOTALL).groups()  # type: ignore[union-attr]
    steps = [int(last) + step for step in range(-_MAX_STEP, _MAX_STEP + 1) if step]
    return [head + str(n).zfill(len(last)) for n in steps if n > 0 and len(str(n)) <= len(last)]


# -------------------------------------------------------------------------------------------- names


def other_name(text: str, vocabulary: Vocabulary, rng: random.Random) -> str | None:
    """With another name of the workspace in place of one. The same name may stand in the text
    again: it is replaced too.
    """
    found = [m for m in names_in(text, vocabulary.names) if not is_address(text, m)]
    others = [name for name in vocabulary.names if name.casefold() not in text.casefold()]
    if not found or not others:
        return None
    name = rng.choice(found)[0]
    alike = [other for other in others if _shape(other) == _shape(name)] or others
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", rng.choice(alike).replace("\\", ""), text)


def _shape(name: str) -> tuple[bool, int]:
    return name.isupper(), len(name.split())


_BETWEEN = re.compile(r" (?:[a-z]+ ){1,6}")
_JOINING = words_of(WordClass.CLAUSE_JOINER)
_SYMMETRIC = words_of(WordClass.SYMMETRIC)


def swapped_ends(text: str, vocabulary: Vocabulary, rng: random.Random) -> str | None:
    """With two names swapped that stand on both sides of a verb, unless the verb says the same both
    ways (`met`).
    """
    found = names_in(text, vocabulary.names)
    pairs = []
    for first, second in pairwise(found):
        between = text[first.end() : second.start()]
        words = between.split()
        verbs = [w for w in words if is_verb(w) and w not in _SYMMETRIC]
        if (
            first[0] != second[0]
            and _BETWEEN.fullmatch(between)
            and verbs
            and not _JOINING & set(words)
        ):
            pairs.append((first, second, between))
    if not pairs:
        return None
    first, second, between = rng.choice(pairs)
    return text[: first.start()] + second[0] + between + first[0] + text[second.end() :]


# -------------------------------------------------------------------------------------------- verbs


def other_verb(text: str, vocabulary: Vocabulary, rng: random.Random) -> str | None:
    """With another verb of the same form in place of one, of the workspace, none that is near to it
    or stands in the text.
    """
    found = sorted(verbs_in(text))
    if not found:
        return None
    form, span = rng.choice(found)
    own = base_or_stem(text[slice(*span)])
    near = alike(own) | {base_or_stem(w) for w in re.findall(r"[a-z]+", text.casefold())}
    others = [
        verb for verb in (vocabulary.verbs or {}).get(form, ()) if base_or_stem(verb) not in near
    ]
    return replaced(text, span, rng.choice(others)) if others else None


# ----------------------------------------------------------------------------------------- modality


def other_modality(text: str, rng: random.Random) -> str | None:
    """A possibility made certain, or a wish fulfilled; where there is nothing of the kind, what is
    certain made possible or planned.
    """
    made = made_certain(text)
    if made is not None or NEGATION.search(text):
        return made
    finite = finite_verb(text)
    if finite is None:
        return None
    weaker = possible(finite, text)
    base = base_of_past(finite.word)
    if (
        finite.kind is FiniteKind.PAST
        and base
        and finite.subject.casefold() not in {"it", "this", "that"}
        and rng.random() < 0.5
    ):
        weaker = (
            f"{'plan' if finite.subject.casefold() in {'i', 'we', 'you', 'they'} else 'plans'} to"
            f" {base}"
        )
    return None if weaker is None else replaced(text, finite.span, weaker)


# ------------------------------------------------------------------------------- speech, inventions


def other_speaker(
    sentence: SourceSentence, vocabulary: Vocabulary, rng: random.Random
) -> str | None:
    """As said by another speaker of the document."""
    others = [
        s
        for s in vocabulary.speakers
        if sentence.speaker
        and s != sentence.speaker
        and s.casefold() not in sentence.text.casefold()
    ]
    return said_by(rng.choice(others), sentence.text) if others else None


_INVENTIONS = (
    " because {name} had asked for it",
    " together with {name}",
    ", and {name} agreed",
    " for the second time that week",
    ", which {name} had predicted",
    " on the advice of {name}",
    ", and nobody was told about it",
    " at the cost of a long delay",
)


def invented(text: str, vocabulary: Vocabulary, rng: random.Random) -> str | None:
    """With a clause or a name added that the sentence doesn't have."""
    names = [name for name in vocabulary.names if name.casefold() not in text.casefold()]
    clause = rng.choice([c for c in _INVENTIONS if names or "{" not in c])
    match = re.fullmatch(r"(?s)(.*?\w)([.!…]*)", text)
    return match and match[1] + clause.format(name=rng.choice(names) if names else "") + (
        match[2] or "."
    )


def changes(
    sentence: SourceSentence, vocabulary: Vocabulary, rng: random.Random
) -> dict[ClaimChange, str]:
    """All that can be changed in a sentence, each on its own. Modality is a sentence's own, or that
    of its speaker (`asked whether`).
    """
    text = sentence.text
    asked = (
        asked_whether(sentence.speaker, text) if sentence.speaker and rng.random() < 0.5 else None
    )
    made: dict[ClaimChange, Callable[[], str | None]] = {
        ClaimChange.NUMBER: lambda: other_number(text, rng),
        ClaimChange.NEGATION: lambda: negated(text),
        ClaimChange.NAME: lambda: other_name(text, vocabulary, rng),
        ClaimChange.SWAP: lambda: swapped_ends(text, vocabulary, rng),
        ClaimChange.VERB: lambda: other_verb(text, vocabulary, rng),
        ClaimChange.SPEAKER: lambda: other_speaker(sentence, vocabulary, rng),
        ClaimChange.MODALITY: lambda: asked or other_modality(text, rng),
        ClaimChange.INVENTION: lambda: invented(text, vocabulary, rng),
    }
    found = {change: make() for change, make in made.items()}
    return {
        change: claim
        for change, claim in found.items()
        if claim is not None and claim.casefold() != text.casefold()
    }
