"""What a text tells that nobody says, thinks or knows: "nobody argues that it changed" states
neither that it did nor that it didn't. English by word lists, without a parser.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from dynagrag.generation.claims.attribution import is_speaker
from dynagrag.generation.claims.claim_lexicon import (
    ADVERBS,
    ASKING,
    AUXILIARIES,
    CONDITIONAL,
    CONJUNCTIONS,
    GOVERNING,
    OF_SPEAKERS,
    PRONOUNS,
    PRONOUNS_OF_OTHERS,
    RELATIVE,
    SAYING,
    THINKING,
)
from dynagrag.generation.claims.clauses import has_verb
from dynagrag.generation.claims.comparison import Comparison, Gap
from dynagrag.generation.claims.denials import denial_gap, denials_of
from dynagrag.generation.claims.reading import Reading
from dynagrag.generation.claims.word_senses import lemma, near_verbs, senses
from dynagrag.language.words import FUNCTION_WORDS

_REACH = 8
"""Words behind a denial among which the verb stands that it denies."""
_KNOWING = "know realize realise notice remember hear learn understand see feel mean".split()
_CLAIMING = "contend maintain assert allege imply insist conclude pretend propose".split()
_NOUNS = "argument assertion allegation contention evidence indication proof sign".split()
_SURE = "sure certain clear convinced persuaded confident aware obvious".split()
_HOLDING = frozenset(map(lemma, (*SAYING, *ASKING, *THINKING, *_KNOWING, *_CLAIMING, *_NOUNS)))
_OPENS_THAT = _HOLDING | frozenset(map(lemma, _SURE))
"""Stems of words behind which stands what somebody says, asks, holds or knows."""
_HOLDS_TO = frozenset(map(lemma, "allege believe claim pretend profess report say think".split()))
"""Of those behind which it stands with "to": claims to have won, is said to have won."""
_TOLD = OF_SPEAKERS | PRONOUNS | {"anyone", "anybody", "somebody", "someone", "people"}
_OPENS_CLAUSE = frozenset("whether if how why what when where who".split())
_ENDS_MATRIX = CONJUNCTIONS - {"who", "whom", "whose"} | frozenset("that and or so as than".split())
_JOINED = frozenset("and so yet or".split())
_REASONS = frozenset("because since although though while whereas except".split())
_NOBODY = frozenset("nobody no none neither nothing".split())
_BESIDE = ADVERBS | frozenset("here there at all in any way ever really whatsoever".split())


@dataclass(frozen=True, slots=True)
class Unheld:
    """A report that is denied, as places of words. `denial`: the word that denies it; `verb`: that
    which says, thinks or knows; `start` to `end`: what isn't said, thought or known.
    """

    denial: int
    verb: int
    start: int
    end: int

    def what(self, reading: Reading) -> Reading:
        """What isn't said, as a text of its own."""
        words = reading.words[self.start : self.end]
        return Reading(" ".join(word.text for word in words), words)

    def who(self, reading: Reading) -> frozenset[str]:
        """Stems of the words between the denial and the verb that tell whose saying is denied."""
        between = reading.words[self.denial + 1 : self.verb]
        return frozenset(
            word.stem
            for word in between
            if word.is_word
            and word.low not in _BESIDE
            and (word.low not in FUNCTION_WORDS or word.low in OF_SPEAKERS)
        )

    def is_nobodys(self, reading: Reading) -> bool:
        """Whether nobody at all says it: "no witness says", not "the witness doesn't say"."""
        return reading.words[self.denial].low in _NOBODY


@lru_cache(maxsize=4096)
def unheld(reading: Reading) -> tuple[Unheld, ...]:
    """The denied reports of a text in their order.

    Finds "nobody argues that ...", "I never claimed ...", "no evidence that ...", "isn't said to
    ..."; nothing in "Nobody left", "they denied that ...", "nobody denies that ...".
    """
    few = {
        i
        for i, word in reading.outside_names()
        if word.low == "few" and reading.word(i - 1).low != "a"
    }
    found: list[Unheld] = []
    for at in sorted({*denials_of(reading)} | few):
        if not found or at >= found[-1].end:
            found += _of_denial(reading, at)
    return tuple(found)


def _of_denial(reading: Reading, at: int) -> Iterator[Unheld]:
    """The report that a denial denies; at most one."""
    for verb in range(at + 1, min(len(reading.words), at + 1 + _REACH)):
        word = reading.words[verb]
        if word.low in _ENDS_MATRIX or (word.is_mark and not reading.is_quoted(verb)):
            return
        is_relative = reading.word(verb - 1).low in RELATIVE  # "nobody who saw it"
        if verb in reading.in_names or word.stem not in _OPENS_THAT or is_relative:
            continue
        start = _opening(reading, verb)
        if start is not None:
            yield Unheld(at, verb, start, _end(reading, start))
            return


def _opening(reading: Reading, verb: int) -> int | None:
    """Where what is said begins behind a verb of saying; None where no statement follows."""
    at = verb + 1
    told = reading.word(at).low in _TOLD and (
        reading.word(at + 1).low == "that" or lemma(reading.words[verb].low) == lemma("tell")
    )
    at += told
    while reading.word(at).low in _BESIDE or reading.word(at).low.endswith("ly"):
        at += 1
    first, second = reading.word(at), reading.word(at + 1)
    if first.low == "that":
        if second.is_mark or second.low in GOVERNING:
            return None  # "nobody said that", "haven't seen that for boys"
        return at if second.low in AUXILIARIES else at + 1
    if first.low in _OPENS_CLAUSE and second.is_word:
        return at
    if first.low == "to":
        return at + 1 if reading.words[verb].stem in _HOLDS_TO else None
    if not first.text[:1].isalnum() or first.low in GOVERNING:
        return None
    return at if _states(reading, at) else None


def _states(reading: Reading, at: int) -> bool:
    """Whether something is stated from a place on up to the next mark: it has a verb."""
    marks = (i for i in range(at, len(reading.words)) if reading.words[i].text in ",.;!?")
    words = reading.words[at : next(marks, len(reading.words))]
    is_shortened = any(word.is_possessive and word.low in PRONOUNS for word in words)  # it's
    return is_shortened or has_verb(" ".join(word.text for word in words))


def _end(reading: Reading, start: int) -> int:
    """Where it ends: with the sentence, before "but", or at a comma behind which something new is
    stated.
    """
    is_opened = reading.words[start].low in CONJUNCTIONS | CONDITIONAL
    for i in range(start, len(reading.words)):
        word = reading.words[i]
        if word.low == "but" or (word.text in ".!?;" and word.clause != reading.word(i - 1).clause):
            return i
        if word.text == ",":
            if not is_opened and _begins_anew(reading, i + 1):
                return i
            is_opened = False  # "nobody says that when it rained, the dam broke"
    return len(reading.words)


def _begins_anew(reading: Reading, at: int) -> bool:
    first = reading.word(at).low
    if first in _REASONS:
        return True
    if first in _JOINED:
        return reading.word(at + 1).low != "that" and _states(reading, at + 1)
    return first in PRONOUNS and _states(reading, at)


# ------------------------------------------------------------------------------------------- check


def report_gap(comparison: Comparison) -> Gap | None:
    """The sentence tells of what the claim says only that somebody doesn't say, think or know it,
    or the claim tells that of what the sentence doesn't.

    Catches "it changed" and "it didn't change" of "nobody argues that it didn't change", and
    "nobody argues that it changed" of it. Passes the latter of "nobody here argues that it changed"
    and "it changed" of "nobody saw that it changed, but it changed". "Ann said that it changed" is
    contradicted by her "I never said that it changed".
    """
    mine, theirs = unheld(comparison.claim), unheld(comparison.sentence)
    if mine:
        return _unheld_claim_gap(comparison, mine[0], theirs)
    if not theirs or not _is_only_inside(comparison, theirs):
        return None
    is_against = any(_is_denied_of(comparison, report) for report in theirs)
    return Gap("says only that somebody doesn't say, think or know it", is_against)


def are_both_unheld(comparison: Comparison) -> bool:
    """Whether claim and sentence both tell that something isn't said: what differs is then no
    contradiction.
    """
    return bool(unheld(comparison.claim) and unheld(comparison.sentence))


def _unheld_claim_gap(
    comparison: Comparison, mine: Unheld, theirs: tuple[Unheld, ...]
) -> Gap | None:
    claim, line = comparison.claim, comparison.sentence
    if not theirs:
        says = not near_verbs(claim.words[mine.verb].stem).isdisjoint(line.stems)
        return None if says else Gap("does not say who holds it and who doesn't")
    for report in theirs:
        is_wider = mine.is_nobodys(claim) and (
            not report.is_nobodys(line) or not _says_of(claim, report.who(line))
        )
        differs = denial_gap(mine.what(claim), report.what(line))
        if not is_wider and not differs:
            return None
    return Gap("tells of something else that somebody doesn't say, think or know")


def _says_of(claim: Reading, stems: frozenset[str]) -> bool:
    return all(not senses(stem).isdisjoint(claim.stems) for stem in stems)


def _is_only_inside(comparison: Comparison, reports: tuple[Unheld, ...]) -> bool:
    """Whether a telling word of the claim stands only in what isn't said; its subject may, where a
    pronoun goes on with it: "can't tell whether the pilot swam, but he is out".
    """
    claim, line = comparison.claim, comparison.sentence
    inside = {i for report in reports for i in range(report.start, report.end)}
    behind = line.words[reports[-1].end :]
    start = comparison.verb_start() if any(w.low in PRONOUNS_OF_OTHERS for w in behind) else 0
    for i in sorted({*claim.content(), *claim.in_names}):
        wanted = senses(claim.words[i].stem)
        places = [j for j, other in enumerate(line.words) if other.stem in wanted]
        if i >= start and places and inside.issuperset(places):
            return True
    return False


def _is_denied_of(comparison: Comparison, report: Unheld) -> bool:
    """Whether the claim tells that somebody says what they, or nobody, say by the sentence."""
    claim, line, attribution = comparison.claim, comparison.sentence, comparison.attribution
    wanted = near_verbs(line.words[report.verb].stem)
    what = report.what(line)
    if attribution.verb and attribution.who:
        is_own = is_speaker(attribution.who, comparison.line) and line.lows & {"i", "we"}
        is_said = lemma(attribution.verb.split()[0]) in wanted
        is_of_all = report.is_nobodys(line)
        return bool(is_said and (is_own or is_of_all)) and not denial_gap(claim, what)
    return any(
        (report.is_nobodys(line) or _is_of_subject(claim, verb, line, report))
        and not denial_gap(Unheld(verb, verb, start, _end(claim, start)).what(claim), what)
        for verb, word in claim.outside_names()
        if word.stem in wanted and (start := _opening(claim, verb)) is not None
    )


def _is_of_subject(claim: Reading, verb: int, line: Reading, report: Unheld) -> bool:
    """Whether the sentence has before its report what stands before a verb of the claim."""
    before = {word.stem for word in line.words[: report.start]}
    telling = (w for w in claim.words[:verb] if w.is_word and w.low not in FUNCTION_WORDS)
    return all(not senses(word.stem).isdisjoint(before) for word in telling)
