"""Roles: who does what to whom, by the names around a predicate in a claim and in a line."""

from collections.abc import Iterator
from dataclasses import dataclass

from dynagrag.generation.claims.claim_lexicon import (
    AUXILIARIES,
    BE,
    BEFORE_VERBS,
    CARDINALS,
    ENDS_AGENT,
    FEMALE,
    FRACTIONS,
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
_BEFORE_VERB = _AUXILIARIES | BEFORE_VERBS
_KIN = KIN_DOWN | KIN_UP | KIN_FAR
_AGENT_ENDS = ENDS_AGENT | BE
_NO_BY = ENDS_AGENT - {"for", "in", "on"} | BE
"""Words behind a verb after which no "by" belongs to it."""
_FEMALE = FEMALE | {"marriage"}
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
    """The predicate of a claim. `at`: the word that says it; `is_passive`: "was founded by"."""

    at: int
    stem: str
    is_passive: bool = False


_MEMBER = "AM"
"""Of an assembly: it stands behind names."""


def predicate_of(claim: Reading) -> Predicate | None:
    """The claim's predicate: a word of kinship, or its main verb; None for "X is in Y" and the
    like, which only put names together.
    """
    for i, word in claim.outside_names():
        if word.low in _KIN | KIN_SIDE:
            return Predicate(i, word.stem)
    verb = _main_verb(claim)
    if verb is None:
        return None
    has_be = any(is_be(word) for word in claim.words[max(0, verb - 4) : verb])
    has_by = "by" in (claim.word(verb + 1).low, claim.word(verb + 2).low)
    return Predicate(verb, claim.words[verb].stem, has_be and has_by)


def is_auxiliary(word: Word) -> bool:
    """Whether it is a form of be, have, do, or a modal verb; May is a month, and the AM behind a
    name no verb.
    """
    return word.low in _AUXILIARIES and word.text not in ("May", _MEMBER)


def is_be(word: Word) -> bool:
    """Whether it is a form of be."""
    return word.low in BE and word.text != _MEMBER


def _main_verb(claim: Reading) -> int | None:
    """The word behind the first auxiliary, or without one the first that looks like a verb."""
    auxiliary = next((i for i, word in claim.outside_names() if is_auxiliary(word)), None)
    if auxiliary is None:
        return next((i for i, _ in claim.outside_names() if i and _is_verb_like(claim, i)), None)
    verb = auxiliary + 1
    while claim.word(verb).low in _BEFORE_VERB or claim.word(verb).low.endswith("ly"):
        verb += 1
    word = claim.word(verb)
    if verb in claim.in_names or not word.is_word or word.low in DETERMINERS:
        return None
    is_participle = (
        word.low.endswith(_PARTICIPLE) or is_irregular(word.low) or event_of(word.stem) is not None
    )
    return verb if is_participle or claim.words[auxiliary].low not in BE else None


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
        for i, word in line.outside_names()
        if not wanted.isdisjoint((word.stem, _doer(word.low, word.stem)))
        or (word.low in works and line.word(i + 1).low == "by")
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
    everywhere = frozenset(range(len(line.words)))
    for at in occurrences(line, stem):
        word = line.words[at]
        is_alike = not alike(stem).isdisjoint((word.stem, _doer(word.low, word.stem)))
        is_clear = is_alike or word.low in _works_of(stem)
        if by := by_phrase(line, at):
            yield Roles(at, by, everywhere - by, is_clear)
        elif word.low.endswith(DOER):
            yield Roles(at, *_around_doer(line, at), is_clear)
        elif line.word(at + 1).low == "of" and (owner := _owner(line, at)):
            yield Roles(at, owner, everywhere - owner, is_clear)  # Acme's acquisition of Foo
        else:
            yield _active(line, at, is_clear)


def by_phrase(line: Reading, at: int) -> frozenset[int]:
    """The words behind the `by` that belongs to a predicate: "produced, written and directed by A
    and B"
    """
    words = line.words
    for by in range(at + 1, min(len(words), at + 2 + _REACH)):
        if words[by].low == "by":
            if _opens_number(line, by + 1):
                break  # fell by 40, by a third
            behind = range(by + 1, len(words))
            end = next((i for i in behind if _ends_agent(line, by, i)), len(words))
            return frozenset(range(by + 1, end))
        if words[by].clause != words[at].clause or words[by].low in _NO_BY:
            break
    return frozenset()


def _opens_number(line: Reading, at: int) -> bool:
    word, follows = line.word(at).low, line.word(at + 1).low
    return word[:1].isdigit() or word in CARDINALS or not FRACTIONS.isdisjoint((word, follows))


def _ends_agent(line: Reading, by: int, end: int) -> bool:
    """Whether the names behind a `by` end before a word."""
    word, previous = line.words[end], line.words[end - 1]
    if end in line.in_names or line.in_names.isdisjoint(range(by + 1, end)):
        return False
    if word.clause != line.words[by].clause or word.low in _AGENT_ENDS:
        return True
    is_listed_on = previous.low in {"and", ","} or (
        end - 1 in line.in_names and word.low.endswith("ed")
    )
    return is_listed_on and word.is_word and word.low.endswith(("ed", "ing"))


def _around_doer(line: Reading, at: int) -> tuple[frozenset[int], frozenset[int] | None]:
    """The roles round a "director": who is one stands next to it; "of" brings what is directed."""
    num_words = len(line.words)
    near = frozenset(range(max(0, at - 2 * _REACH), min(num_words, at + _REACH)))
    if line.word(at + 1).low == "of":
        patients = frozenset(line.same_clause(at, range(at + 2, num_words)))
        return near - patients, patients
    return near, None


def _active(line: Reading, at: int, is_clear: bool) -> Roles:
    """The roles round a verb: who does it stands before it, in its clause where that has names."""
    word = line.words[at]
    is_passive = any(is_be(w) for w in line.words[max(0, at - 3) : at])
    if is_passive or word.low.endswith(_DEED) or word.low == word.stem:
        return Roles(at, None, None, is_clear)
    before = frozenset(line.same_clause(at, range(at)))
    if not before & line.in_names:
        before = frozenset(range(at))
    return Roles(at, before, frozenset(range(at + 1, len(line.words))), is_clear)


def parent_roles(line: Reading, wanted: str) -> Iterator[Roles]:
    """Parents as agents, children as patients. `wanted`: father, mother or parent."""
    everywhere = frozenset(range(len(line.words)))
    for at, word in enumerate(line.words):
        if word.low == "born" and line.word(at + 1).low == "to":
            parents = frozenset(range(at + 2, len(line.words)))
            yield Roles(at, _of_gender(line, parents, wanted), frozenset(range(at)))
        if at in line.in_names:
            continue
        if word.low in KIN_DOWN:
            if parents := _of_phrase(line, at) or _owner(line, at):
                yield Roles(at, _of_gender(line, parents, wanted), everywhere - parents)
            else:
                yield Roles(at, frozenset(range(at)), _behind_kin(line, at))
        elif word.low in KIN_UP and (
            wanted == "parent" or word.low.rstrip("s") in (wanted, "parent")
        ):
            if children := _of_phrase(line, at):
                yield Roles(at, everywhere - children, children)
            else:
                owner = _owner(line, at)
                named = (_behind_kin(line, at) or everywhere) - owner
                if word.low == "parents":
                    named = _of_gender(line, named, wanted)
                yield Roles(at, named, owner or None)


def kin_names(claim: Reading, at: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """(children, parents) among a claim's names, round its word of kinship."""
    before = [span for span in claim.names if span[1] <= at]
    after = [span for span in claim.names if span[0] > at]
    owners = [span for span in before if claim.words[span[1] - 1].is_possessive]
    if owners and after:
        owned, others = after, before
    elif owners:
        owned, others = [span for span in before if span not in owners], owners
    else:
        owned, others = before, after
    return (others, owned) if claim.words[at].low in KIN_UP else (owned, others)


def _owner(line: Reading, at: int) -> frozenset[int]:
    """The name whose possessive stands right before a word."""
    return frozenset(
        i
        for start, end in line.names
        for i in range(start, end)
        if start < at and 0 <= at - end <= 3 and line.words[end - 1].is_possessive
    )


def _of_phrase(line: Reading, at: int) -> frozenset[int]:
    """Names behind the `of` that belongs to a word of kinship; of a list "brother of A and son of
    B", only its own.
    """
    for of in range(at + 1, min(len(line.words), at + _REACH)):
        if line.words[of].low == "of" and of not in line.in_names:
            behind = range(of + 1, len(line.words))
            end = next((i for i in behind if _ends_parents(line, at, i)), len(line.words))
            return frozenset(range(of + 1, end))
    return frozenset()


def _ends_parents(line: Reading, at: int, end: int) -> bool:
    """Whether the names behind "son of" end here: another clause, another kinship ("and brother
    of"), or a comma and a name that does something ("son of A, B directed").
    """
    word = line.words[end]
    if end in line.in_names:
        return False
    if word.clause != line.words[at].clause:
        return True
    if word.low == ",":
        behind = next((stop for start, stop in line.names if start == end + 1), end)
        return line.word(behind).low.endswith("ed")
    return word.low in _KIN and not line.words[end - 1].is_possessive


def _behind_kin(line: Reading, at: int) -> frozenset[int]:
    """The words behind a word of kinship, up to the next one or the next clause."""
    end = min(len(line.words), at + 3 * _REACH)
    for i in range(at + 1, end):
        word = line.words[i]
        is_end = word.clause != line.words[at].clause or word.low in KIN_DOWN | KIN_UP
        if is_end and i not in line.in_names:
            end = i
            break
    return frozenset(range(at + 1, end))


def _of_gender(line: Reading, parents: frozenset[int], wanted: str) -> frozenset[int]:
    """Those of two parents named together that are the father or the mother: by title, by "wife",
    else the father first.
    """
    if wanted == "parent":
        return parents
    names = [(start, end) for start, end in line.names if start in parents]
    chosen: set[int] = set()
    for number, (start, end) in enumerate(names):
        lead_start = names[number - 1][1] if number else max(min(parents), start - 6)
        lead = {word.low for word in line.words[lead_start:end]}
        is_female, is_male = bool(lead & _FEMALE), bool(lead & MALE)
        is_mother = (is_female or not is_male) if number else (is_female and not is_male)
        if is_mother == (wanted == "mother"):
            chosen.update(range(start, end))
    return frozenset(chosen)
