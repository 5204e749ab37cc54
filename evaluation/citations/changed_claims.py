"""False claims made of a true sentence by one change each: a number, a negation, a name, swapped
ends, a verb, the speaker, the modality, an invention. English, by patterns, without a parser: where
a pattern isn't sure, there is no change (None).
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from dynagrag.evaluation.statements.finite_verbs import (
    AUXILIARIES,
    NEGATION,
    Finite,
    FiniteKind,
    finite_verb,
)
from dynagrag.evaluation.statements.rewordings import asked_whether, said_by
from dynagrag.evaluation.statements.verb_forms import (
    BASES,
    NO_SWAP,
    alike,
    base_of_past,
    is_participle,
    is_past,
    is_verb,
    participle_of_past,
    stem,
)
from dynagrag.language.words import COMMON_WORDS, FUNCTION_WORDS, MONTHS, WEEKDAYS, word_set


class Change(StrEnum):
    """What was changed."""

    NUMBER = "number"
    NEGATION = "negation"
    NAME = "name"
    SWAP = "swapped ends"
    VERB = "verb"
    SPEAKER = "speaker"
    MODALITY = "modality"
    INVENTION = "invention"


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a source: what was said, by whom (None where nobody knows)."""

    text: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What replaces a part of a sentence: names and, by form, verbs of the workspace; speakers of
    the sentence's document.
    """

    names: tuple[str, ...] = ()
    verbs: Mapping[str, tuple[str, ...]] | None = None
    speakers: tuple[str, ...] = ()


# ------------------------------------------------------------------------------------------ numbers

_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:[.,:]\d+)*(?![\w/-]|[.,:]\d)")
_NUMBER_WORDS = (
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty"
    " seventy eighty ninety".split()
)
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b(?!-)")
_MAX_STEP = 3


def other_number(text: str, rng: random.Random) -> str | None:
    """With another number in place of one: a near one, of as many digits."""
    found = [*_NUMBER.finditer(text), *_NUMBER_WORD.finditer(text)]
    stated = [m for m in found if not _is_address(text, m)]
    if not stated:
        return None
    match = rng.choice(stated)
    taken = {m[0] for m in found}
    others = [n for n in _near(match[0]) if n not in taken]
    return _replaced(text, match.span(), rng.choice(others)) if others else None


def _near(number: str) -> list[str]:
    if number in _NUMBER_WORDS:
        at = _NUMBER_WORDS.index(number)
        return _NUMBER_WORDS[max(0, at - _MAX_STEP) : at + _MAX_STEP + 1]
    head, last = re.fullmatch(r"(.*?)(\d+)", number, re.DOTALL).groups()  # type: ignore[union-attr]
    steps = [int(last) + step for step in range(-_MAX_STEP, _MAX_STEP + 1) if step]
    return [head + str(n).zfill(len(last)) for n in steps if n > 0 and len(str(n)) <= len(last)]


# ----------------------------------------------------------------------------------------- negation

_NOT = re.compile(rf"\b({'|'.join(AUXILIARIES)}) not\b(?! only)")
_SHORT_NOT = re.compile(
    r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should|must|might|need)n['’]t\b",
    re.IGNORECASE,
)
_CANNOT = re.compile(r"\b(?:cannot|can['’]t)\b", re.IGNORECASE)
_WONT = re.compile(r"\bwon['’]t\b", re.IGNORECASE)
_CONTRACTED_NOT = re.compile(r"(?<=['’](?:re|ve|ll))( not)\b|(?<=['’][msd])( not)\b")
_NEVER = re.compile(r"(?<=\w )never (?!mind)")
_NO_NOUN = re.compile(
    r"\b((?:have|has|had|is|are|was|were|there|with|see|got) )no (?!longer|more|one)(?=[A-Za-z]{3})"
)


def negated(text: str, rng: random.Random) -> str | None:
    """With a negation, put in with do-support where it is needed; without it where there is one.
    None where there are several.
    """
    count = len(NEGATION.findall(text))
    made = _with_not(text) if count == 0 else _without_not(text) if count == 1 else None
    return made if made is not None and abs(len(NEGATION.findall(made)) - count) == 1 else None


def _with_not(text: str) -> str | None:
    finite = finite_verb(text)
    if finite is None:
        return None
    match finite.kind:
        case FiniteKind.AUXILIARY:
            return _replaced(
                text,
                finite.span,
                "cannot" if finite.word == "can" else f"{text[slice(*finite.span)]} not",
            )
        case FiniteKind.PAST:
            base = base_of_past(finite.word)
            return _replaced(
                text, finite.span, f"did not {base}" if base else f"never {finite.word}"
            )
        case FiniteKind.THIRD:
            return _replaced(text, finite.span, f"does not {stem(finite.word)}")
        case FiniteKind.BASE:
            return _replaced(text, finite.span, f"do not {finite.word}")


def _without_not(text: str) -> str | None:
    rules: Sequence[tuple[re.Pattern[str], str]] = (
        (_NOT, r"\1"),
        (_CANNOT, "can"),
        (_WONT, "will"),
        (_SHORT_NOT, r"\1"),
        (_CONTRACTED_NOT, ""),
        (_NO_NOUN, r"\1some "),
        (_NEVER, ""),
    )
    return next(
        (pattern.sub(by, text, count=1) for pattern, by in rules if pattern.search(text)), None
    )


# -------------------------------------------------------------------------------------------- names

_NO_PART = FUNCTION_WORDS | {*MONTHS, *WEEKDAYS, "today", "tomorrow", "yesterday"}
_PART = rf"(?!(?:{'|'.join(sorted(re.escape(word.capitalize()) for word in _NO_PART))})\b(?![₀-₉]))[A-Z][\w&₀-₉]*(?:[-'’](?!s\b)\w+)*"
_NAME = re.compile(rf"\b{_PART}(?: (?:{_PART}|[A-Z]\b(?<!I)|\d{{1,3}}\b))*")


def names_in(text: str, known: Iterable[str] = ()) -> list[re.Match[str]]:
    """Spans that are names by their capitals. A single word that opens the text is one only where
    it is `known`, or has two capitals.

    A text in capitals alone has none that can be told.
    """
    if not any(c.islower() for c in text):
        return []
    known = frozenset(known)
    return [
        m
        for m in _NAME.finditer(text)
        if _is_name(m[0]) and (m.start() > 0 or m[0] in known or sum(map(str.isupper, m[0])) > 1)
    ]


def _is_name(name: str) -> bool:
    first = re.split(r"['’\s]", name)[0]
    return len(name) > 1 and first.casefold() not in (
        FUNCTION_WORDS if first.isupper() else COMMON_WORDS
    )


def other_name(text: str, vocabulary: Vocabulary, rng: random.Random) -> str | None:
    """With another name of the workspace in place of one. The same name may stand in the text
    again: it is replaced too.
    """
    found = [m for m in names_in(text, vocabulary.names) if not _is_address(text, m)]
    others = [name for name in vocabulary.names if name.casefold() not in text.casefold()]
    if not found or not others:
        return None
    name = rng.choice(found)[0]
    alike = [other for other in others if _shape(other) == _shape(name)] or others
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", rng.choice(alike).replace("\\", ""), text)


def _is_address(text: str, match: re.Match[str]) -> bool:
    """Whether somebody is spoken to with it: that is no part of what is stated."""
    is_first = match.start() == 0 and text[match.end() :].startswith(",")
    return is_first or (
        text[: match.start()].endswith(", ") and not text[match.end() :].strip(".!")
    )


def _shape(name: str) -> tuple[bool, int]:
    return name.isupper(), len(name.split())


_BETWEEN = re.compile(r" (?:[a-z]+ ){1,6}")
_JOINING = word_set("and or nor but while whereas because if when that which who whom whose")
_SYMMETRIC = word_set("""
    is are was were be been met meets meet marry married partner partners partnered talk talked speak spoke equals resembles differs shares
    agree agreed disagreed work works worked fought
""")


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

_AFTER_MODAL = re.compile(
    r"(?:\b(?:will|would|can|could|should|must|may|might)(?: not)?|\b(?:do|did|does)"
    r" not|n['’]t|['’]ll) (?=([a-z]{3,})\b)"
)
_AFTER_TO = re.compile(r"\bto (?=([a-z]{3,})\b)")
_AFTER_BE = re.compile(r"(?:\b(?:am|is|are|was|were|been)|['’](?:m|re))(?: not)? (?=([a-z]+ing)\b)")
_AFTER_HAVE_OR_BE = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|has|have|had)|['’](?:ve|re))(?: not)? (?=([a-z]{3,})\b)"
)
_NO_DOING = word_set(
    "during nothing something anything everything morning evening interesting exciting boring"
)


def verbs_in(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Verbs whose form their place tells: (form, span); the forms are base, ing, participle and
    past.
    """
    for pattern, form, fits in (
        (_AFTER_MODAL, "base", lambda word: word in BASES),
        (_AFTER_TO, "base", lambda word: word in BASES),
        (_AFTER_BE, "ing", lambda word: word not in _NO_DOING),
        (_AFTER_HAVE_OR_BE, "participle", is_participle),
    ):
        yield from (
            (form, m.span(1))
            for m in pattern.finditer(text)
            if fits(m[1]) and stem(m[1]) not in NO_SWAP and m[1] not in NO_SWAP
        )
    finite = finite_verb(text)
    if (
        finite is not None
        and finite.kind is FiniteKind.PAST
        and is_past(finite.word)
        and stem(finite.word) not in NO_SWAP
    ):
        yield "past", finite.span


def other_verb(text: str, vocabulary: Vocabulary, rng: random.Random) -> str | None:
    """With another verb of the same form in place of one, of the workspace, none that is near to it
    or stands in the text.
    """
    found = sorted(verbs_in(text))
    if not found:
        return None
    form, span = rng.choice(found)
    own = stem(text[slice(*span)])
    near = alike(own) | {stem(w) for w in re.findall(r"[a-z]+", text.casefold())}
    others = [verb for verb in (vocabulary.verbs or {}).get(form, ()) if stem(verb) not in near]
    return _replaced(text, span, rng.choice(others)) if others else None


# ----------------------------------------------------------------------------------------- modality

_STRONGER: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"\b(?:may|might|could|should|would|must) have (?=\w+(?:ed|en|wn|ne)\b)"), "had "),
    (re.compile(r"(?: would|['’]d) like to (?=[a-z])"), " did "),
    (
        re.compile(
            r"(?<=\w )(?<!to )(?<!not )(?:wants?|plans?|hopes?|tries|try|intends?) to (?=[a-z])"
        ),
        "did ",
    ),
    (re.compile(r"(?<=\w )(?:may|might|could|should)\b(?! not| have)"), "will"),
    (re.compile(r"\b(?:probably|perhaps|maybe|possibly|apparently)\b"), "certainly"),
    (re.compile(r"\b(?:Probably|Perhaps|Maybe|Possibly|Apparently)\b"), "Certainly"),
    (re.compile(r"\b(I|[Ww]e) (?:think|guess|believe|suppose|assume)\b"), r"\1 know"),
)


def other_modality(text: str, rng: random.Random) -> str | None:
    """What may be made certain, or what is wanted done; where there is nothing of the kind, what is
    certain made possible or planned.
    """
    for pattern, by in _STRONGER:
        if match := pattern.search(text):
            before = text[: match.start()].split()
            if (
                by.strip() == "did"
                and before
                and before[-1].casefold() in {*AUXILIARIES, "to", "not"}
            ):
                continue
            return text[: match.start()] + match.expand(by) + text[match.end() :]
    return None if NEGATION.search(text) else _weaker(text, rng)


def _weaker(text: str, rng: random.Random) -> str | None:
    finite = finite_verb(text)
    if finite is None:
        return None
    made = _possible(finite, text)
    base = base_of_past(finite.word)
    if (
        finite.kind is FiniteKind.PAST
        and base
        and finite.subject.casefold() not in {"it", "this", "that"}
        and rng.random() < 0.5
    ):
        made = (
            f"{'plan' if finite.subject.casefold() in {'i', 'we', 'you', 'they'} else 'plans'} to"
            f" {base}"
        )
    return None if made is None else _replaced(text, finite.span, made)


def _possible(finite: Finite, text: str) -> str | None:
    """What stands in place of the finite verb where it may be so."""
    following = re.match(r"\s*([a-z]+)", text[finite.span[1] :])
    is_before_participle = following is not None and is_participle(following[1])
    match finite.kind, finite.word:
        case FiniteKind.AUXILIARY, "am" | "is" | "are":
            return "may be"
        case FiniteKind.AUXILIARY, "'m" | "'re" | "'s" if not is_before_participle:
            return " may be"
        case FiniteKind.AUXILIARY, "was" | "were":
            return "may have been"
        case FiniteKind.AUXILIARY, "has" | "have" | "had":
            return "may have"
        case FiniteKind.AUXILIARY, "'ve":
            return " may have"
        case FiniteKind.AUXILIARY, "will":
            return "may"
        case FiniteKind.AUXILIARY, "'ll":
            return " may"
        case FiniteKind.PAST, word:
            participle = participle_of_past(word)
            return f"may have {participle}" if participle else None
        case ((FiniteKind.THIRD | FiniteKind.BASE), word):
            return f"may {stem(word)}"
    return None


# ------------------------------------------------------------------------------- speech, inventions


def other_speaker(said: Said, vocabulary: Vocabulary, rng: random.Random) -> str | None:
    """As said by another speaker of the document."""
    others = [
        s
        for s in vocabulary.speakers
        if said.speaker and s != said.speaker and s.casefold() not in said.text.casefold()
    ]
    return said_by(rng.choice(others), said.text) if others else None


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


def changes(said: Said, vocabulary: Vocabulary, rng: random.Random) -> dict[Change, str]:
    """All that can be changed in a sentence, each on its own. Modality is a sentence's own, or that
    of its speaker (`asked whether`).
    """
    text = said.text
    asked = asked_whether(said.speaker, text) if said.speaker and rng.random() < 0.5 else None
    made: dict[Change, Callable[[], str | None]] = {
        Change.NUMBER: lambda: other_number(text, rng),
        Change.NEGATION: lambda: negated(text, rng),
        Change.NAME: lambda: other_name(text, vocabulary, rng),
        Change.SWAP: lambda: swapped_ends(text, vocabulary, rng),
        Change.VERB: lambda: other_verb(text, vocabulary, rng),
        Change.SPEAKER: lambda: other_speaker(said, vocabulary, rng),
        Change.MODALITY: lambda: asked or other_modality(text, rng),
        Change.INVENTION: lambda: invented(text, vocabulary, rng),
    }
    found = {change: make() for change, make in made.items()}
    return {
        change: claim
        for change, claim in found.items()
        if claim is not None and claim.casefold() != text.casefold()
    }


def _replaced(text: str, span: tuple[int, int], by: str) -> str:
    return text[: span[0]] + by + text[span[1] :]
