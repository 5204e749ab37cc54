"""Who does what to whom: the roles that a predicate gives to the names around it, in a claim and in
a line.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dynagrag.generation.claims.lexicon import (
    AUXILIARIES,
    BE,
    BEFORE_VERBS,
    ENDS_AGENT,
    FEMALE,
    KIN_DOWN,
    KIN_FAR,
    KIN_SIDE,
    KIN_UP,
    MALE,
    MUSIC,
    PRONOUNS,
    WORKS_BY,
)
from dynagrag.generation.claims.life_dates import event_of
from dynagrag.generation.claims.reading import Reading, Word
from dynagrag.generation.claims.word_senses import alike, is_irregular, lemma, senses
from dynagrag.language.words import COMMON_VERBS, DETERMINERS

_AUXILIARIES = AUXILIARIES | frozenset("not never get gets got".split())
_REACH = 8
DOER = ("er", "or", "ers", "ors")
_DEED = ("ion", "ial", "ment", "ance", "ure")
_PARTICIPLE = ("ed", "en", "ing")
_NO_PAST = ("s", "ing", "er", "or", "ly", "ion")
"""Endings of one who does it, of what is done, of participles, and of words that differ from their
stem and are no past forms.
"""


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a claim says of its names. `at`: the word that says it; `is_passive`: "was founded
    by".
    """

    at: int
    stem: str
    is_passive: bool = False


_MEMBER = "AM"
"""Of an assembly: it stands behind names."""


def predicate_of(claim: Reading) -> Predicate | None:
    """The claim's predicate: a word of kinship, or its main verb; None for "X is in Y" and the
    like, which only put names together.
    """
    words = claim.words
    for i, word in enumerate(words):
        if i not in claim.in_names and word.low in KIN_DOWN | KIN_UP | KIN_SIDE | KIN_FAR:
            return Predicate(i, word.stem)
    verb = _main_verb(claim)
    if verb is None:
        return None
    has_be = any(is_be(w) for w in words[max(0, verb - 4) : verb])
    is_by = any(w.low == "by" for w in words[verb + 1 : verb + 3])
    return Predicate(verb, words[verb].stem, has_be and is_by)


def is_auxiliary(word: Word) -> bool:
    """Whether it is a form of be, have, do, or a modal verb; May is a month, and the AM behind a
    name no verb.
    """
    return word.low in _AUXILIARIES and word.text not in ("May", _MEMBER)


def is_be(word: Word) -> bool:
    """Whether it is a form of be."""
    return word.low in BE and word.text != _MEMBER


def _main_verb(claim: Reading) -> int | None:
    words = claim.words
    for i, word in enumerate(words):
        if i in claim.in_names or not is_auxiliary(word):
            continue
        after = i + 1
        while after < len(words) and (
            words[after].low in _AUXILIARIES | BEFORE_VERBS or words[after].low.endswith("ly")
        ):
            after += 1
        if (
            after < len(words)
            and after not in claim.in_names
            and words[after].is_word
            and words[after].low not in DETERMINERS
        ):
            low, stem = words[after].low, words[after].stem
            is_participle = low.endswith(_PARTICIPLE) or is_irregular(low) or event_of(stem)
            return after if is_participle or words[i].low not in BE else None
        return None
    return next(
        (i for i in range(1, len(words)) if i not in claim.in_names and _is_verb_like(claim, i)),
        None,
    )


def _is_verb_like(claim: Reading, i: int) -> bool:
    word, before = claim.words[i], claim.words[i - 1]
    if not word.is_word or before.low in DETERMINERS:
        return False
    is_past = word.low.endswith("ed") or (word.stem != word.low and not word.low.endswith(_NO_PAST))
    is_of_subject = i - 1 in claim.in_names or before.low in PRONOUNS
    is_present = word.low.endswith("s") and is_of_subject and not before.is_possessive
    return is_past or is_present or word.low in COMMON_VERBS


# -------------------------------------------------------------------------------------------- lines


@dataclass(frozen=True, slots=True)
class Roles:
    """Where a line names who does it, and to whom; None where it says nothing of that. `at`: the
    word of the predicate.
    """

    at: int
    agents: frozenset[int] | None
    patients: frozenset[int] | None
    is_clear: bool = True

    @property
    def tells(self) -> bool:
        """Whether it is sure who does it."""
        return self.agents is not None and self.is_clear


def occurrences(line: Reading, stem: str) -> list[int]:
    """Where a line says what a stem says, also as the one who does it (direct, director) or by what
    is made (a song by).
    """
    wanted, works = senses(stem), _works_of(stem)
    if stem == _COMPOSE and not line.lows & MUSIC:
        wanted -= {lemma("write")}
    return [
        i
        for i, w in enumerate(line.words)
        if i not in line.in_names
        and (
            w.stem in wanted
            or _doer(w.low, w.stem) in wanted
            or (w.low in works and line.words[min(i + 1, len(line.words) - 1)].low == "by")
        )
    ]


def _works_of(stem: str) -> frozenset[str]:
    """Works of which "by" names who did it: a film by its director, a song by its singer or
    composer.
    """
    return next((works for verbs, works in _WORKS_BY if stem in verbs), frozenset())


_COMPOSE = lemma("compose")
_WORKS_BY = [
    (frozenset(map(lemma, verbs.split())), frozenset(works.split())) for verbs, works in WORKS_BY
]


def _doer(low: str, stem: str) -> str:
    return stem[:-2] if low.endswith(DOER) and len(stem) > 5 else ""


def verb_roles(line: Reading, stem: str) -> Iterator[Roles]:
    """The roles at each place where a line says what a verb's stem says."""
    for at in occurrences(line, stem):
        word = line.words[at]
        is_clear = bool(
            {word.stem, _doer(word.low, word.stem)} & alike(stem)
        ) or word.low in _works_of(stem)
        everywhere = frozenset(range(len(line.words)))
        by = by_phrase(line, at)
        if by:
            yield Roles(at, by, everywhere - by, is_clear)
        elif word.low.endswith(DOER):
            yield Roles(at, *_around_doer(line, at), is_clear)
        elif (owner := _owner(line, at)) and line.words[
            min(at + 1, len(line.words) - 1)
        ].low == "of":  # Acme's acquisition of Foo
            yield Roles(at, owner, everywhere - owner, is_clear)
        else:
            yield _active(line, at, is_clear)


def by_phrase(line: Reading, at: int) -> frozenset[int]:
    """What stands behind the `by` that belongs to a predicate: "produced, written and directed by A
    and B"
    """
    words = line.words
    for by in range(at + 1, min(len(words), at + 2 + _REACH)):
        if words[by].low == "by":
            end = by + 1
            while end < len(words) and not _ends_agent(line, by, end):
                end += 1
            return frozenset(range(by + 1, end))
        if (
            words[by].clause != words[at].clause
            or words[by].low in ENDS_AGENT - {"for", "in", "on"}
            or words[by].low in BE
        ):
            break
    return frozenset()


def _ends_agent(line: Reading, by: int, end: int) -> bool:
    word, previous = line.words[end], line.words[end - 1]
    if end in line.in_names or not any(i in line.in_names for i in range(by + 1, end)):
        return False
    is_listed_on = previous.low in {"and", ","} or (
        end - 1 in line.in_names and word.low.endswith("ed")
    )
    return (
        word.clause != line.words[by].clause
        or word.low in ENDS_AGENT
        or (word.is_word and word.low.endswith(("ed", "ing")) and is_listed_on)
        or word.low in BE
    )


def _around_doer(line: Reading, at: int) -> tuple[frozenset[int], frozenset[int] | None]:
    """Of "director": who is one stands next to it; "of" brings what is directed."""
    words, clause = line.words, line.words[at].clause
    near = frozenset(i for i in range(max(0, at - 2 * _REACH), min(len(words), at + _REACH)))
    if at + 1 < len(words) and words[at + 1].low == "of":
        patients = frozenset(i for i in range(at + 2, len(words)) if words[i].clause == clause)
        return near - patients, patients
    return near, None


def _active(line: Reading, at: int, is_clear: bool) -> Roles:
    words = line.words
    is_passive = any(is_be(w) for w in words[max(0, at - 3) : at])
    before = frozenset(i for i in range(at) if words[i].clause == words[at].clause)
    if not before & line.in_names:
        before = frozenset(range(at))
    after = frozenset(range(at + 1, len(words)))
    is_noun = words[at].low.endswith(_DEED)
    if is_passive or is_noun or words[at].low == words[at].stem:
        return Roles(at, None, None, is_clear)
    return Roles(at, before, after, is_clear)


def parent_roles(line: Reading, wanted: str) -> Iterator[Roles]:
    """Parents as agents, children as patients. `wanted`: father, mother or parent."""
    words = line.words
    for at, word in enumerate(words):
        if word.low == "born" and at + 1 < len(words) and words[at + 1].low == "to":
            parents = frozenset(range(at + 2, len(words)))
            yield Roles(at, _of_gender(line, parents, wanted), frozenset(range(at)))
        if at in line.in_names or word.low not in KIN_DOWN | KIN_UP:
            continue
        owner = _owner(line, at)
        follows = frozenset(_follows(line, at))
        if word.low in KIN_DOWN:
            parents = _of_phrase(line, at) or owner
            if parents:
                of_gender = _of_gender(line, parents, wanted)
                yield Roles(at, of_gender, frozenset(range(len(words))) - parents)
            else:
                before = frozenset(range(at))
                yield Roles(at, before, follows)
        elif wanted == "parent" or word.low.rstrip("s") in (wanted, "parent"):
            children = _of_phrase(line, at)
            if children:
                yield Roles(at, frozenset(range(len(words))) - children, children)
            else:
                named = (follows or frozenset(range(len(words)))) - owner
                yield Roles(
                    at,
                    _of_gender(line, named, wanted) if word.low == "parents" else named,
                    owner or None,
                )


def kin_names(claim: Reading, at: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """(children, parents) among a claim's names, round its word of kinship."""
    words, is_up = claim.words, claim.words[at].low in KIN_UP
    before = [span for span in claim.names if span[1] <= at]
    after = [span for span in claim.names if span[0] > at]
    owners = [span for span in before if words[span[1] - 1].is_possessive]
    owned = (
        after
        if owners and after
        else [span for span in before if span not in owners]
        if owners
        else before
    )
    others = before if owners and after else owners or after
    return (others, owned) if is_up else (owned, others)


def _owner(line: Reading, at: int) -> frozenset[int]:
    """The name whose possessive stands right before a word."""
    return frozenset(
        i
        for start, end in line.names
        for i in range(start, end)
        if start < at and 0 <= at - end <= 3 and line.words[end - 1].is_possessive
    )


def _of_phrase(line: Reading, at: int) -> frozenset[int]:
    """Names behind the `of` (or `to`) that belongs to a word of kinship; of a list "brother of A
    and son of B", only its own.
    """
    words = line.words
    of = next(
        (
            i
            for i in range(at + 1, min(len(words), at + _REACH))
            if words[i].low == "of" and i not in line.in_names
        ),
        None,
    )
    if of is None:
        return frozenset()
    end = of + 1
    while end < len(words) and not _ends_parents(line, at, end):
        end += 1
    return frozenset(range(of + 1, end))


def _ends_parents(line: Reading, at: int, end: int) -> bool:
    """Whether the names behind "son of" end here: another clause, or another kinship ("and brother
    of").
    """
    words = line.words
    if end in line.in_names:
        return False
    is_other_kin = (
        words[end].low in KIN_DOWN | KIN_UP | KIN_FAR and not words[end - 1].is_possessive
    )
    return words[end].clause != words[at].clause or is_other_kin or _opens_clause(line, end)


def _opens_clause(line: Reading, comma: int) -> bool:
    """Whether a comma stands before a name that does something: "son of A, B directed"."""
    if line.words[comma].low != ",":
        return False
    end = next((end for start, end in line.names if start == comma + 1), None)
    return end is not None and end < len(line.words) and line.words[end].low.endswith("ed")


def _follows(line: Reading, at: int) -> Iterator[int]:
    words = line.words
    for i in range(at + 1, min(len(words), at + 3 * _REACH)):
        if i not in line.in_names and (
            words[i].clause != words[at].clause or words[i].low in KIN_DOWN | KIN_UP
        ):
            return
        yield i


def _of_gender(line: Reading, parents: frozenset[int], wanted: str) -> frozenset[int]:
    """Those of two parents named together that are the father or the mother: by title, by "wife",
    else the father first.
    """
    if wanted == "parent":
        return parents
    names = [(start, end) for start, end in line.names if start in parents]
    chosen: set[int] = set()
    for number, (start, end) in enumerate(names):
        lead = {
            w.low
            for w in line.words[
                max(min(parents), start - 6 if number == 0 else names[number - 1][1]) : end
            ]
        }
        is_female = (
            bool(lead & (FEMALE | {"marriage"})) or (number > 0 and not lead & MALE)
            if not (number == 0 and lead & MALE)
            else False
        )
        if is_female == (wanted == "mother"):
            chosen |= set(range(start, end))
    return frozenset(chosen)
