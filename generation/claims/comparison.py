"""A claim beside a sentence of a line: the words, names and numbers that both have."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from dynagrag.core.schema import Line
from dynagrag.generation.claims.attribution import Attributed
from dynagrag.generation.claims.claim_lexicon import (
    ARTICLES,
    KIN_DOWN,
    KIN_UP,
    PUT_TOGETHER,
    TITLES,
    WORKS,
)
from dynagrag.generation.claims.life_dates import event_of, event_texts
from dynagrag.generation.claims.name_match import Span, has_name, may_be_unnamed
from dynagrag.generation.claims.quantities import quantities
from dynagrag.generation.claims.reading import Reading, read
from dynagrag.generation.claims.roles import Predicate, is_auxiliary, occurrences, predicate_of
from dynagrag.generation.claims.word_senses import lemma, opposed, senses, speaks_of

_PUT_TOGETHER = frozenset(map(lemma, PUT_TOGETHER))
_RELEASED = senses(lemma("release")) | senses(lemma("publish"))


class Gap(NamedTuple):
    """Why a sentence doesn't state a claim, as words behind "the line", and whether it speaks
    against the claim.
    """

    reason: str
    is_against: bool = False


@dataclass(frozen=True)
class Comparison:
    """A claim, in `attribution` apart from who is said to have said it, beside a sentence: the text
    of `line`.
    """

    attribution: Attributed
    line: Line

    @cached_property
    def claim(self) -> Reading:
        """The claim without who is said to have said it."""
        return read(self.attribution.what)

    @cached_property
    def sentence(self) -> Reading:
        """The sentence of the line."""
        return read(self.line.text)

    @cached_property
    def predicate(self) -> Predicate | None:
        """The claim's."""
        return predicate_of(self.claim)

    @cached_property
    def places(self) -> list[int]:
        """Where the sentence says the predicate."""
        return occurrences(self.sentence, self.predicate.stem) if self.predicate else []

    @property
    def is_of_kinship(self) -> bool:
        """Whether the predicate is a word for a parent or a child."""
        at = self.predicate.at if self.predicate else None
        return at is not None and self.claim.words[at].low in KIN_UP | KIN_DOWN

    # ---------------------------------------------------------------------------------------- words

    def share(self) -> float:
        """The share of the claim's content words (names aside) that the sentence, its speaker or
        its title has, or has the opposite of; of a claim that tells nothing else ("We have that"),
        of all its words.

        The predicate counts only where it is said of the same: who wrote a film has not composed
        it.
        """
        wanted = self.telling_words()
        if wanted:
            found = self.content_there.intersection(wanted)
            if self.predicate and self.predicate.at in wanted:
                at = {self.predicate.at}
                found = found | at if self.says(self.predicate) else found - at
            return len(found) / len(wanted)
        stems = [word.stem for word in self.claim.words if word.is_word]
        if not stems or self.claim.names or quantities(self.claim.text):
            return 1.0
        return sum(stem in self.sentence.stems for stem in stems) / len(stems)

    def telling_words(self) -> list[int]:
        """The claim's content words but for those that two names beside each other say; of a claim
        on a subject that the sentence doesn't name, those from its verb on.
        """
        subject = [span for span in self.claim.names if self.is_subject(span)]
        is_named = not subject or any(self.is_named(span) for span in subject)
        start = 0 if is_named or not self.predicate else self.verb_start()
        telling = (i for i in self.claim.content() if i >= start)
        return [i for i in telling if self.claim.words[i].stem not in _PUT_TOGETHER]

    @cached_property
    def content_there(self) -> frozenset[int]:
        """The claim's content words that the sentence, its speaker or its title has."""
        around = read(f"{self.line.speaker or ''} . {self.line.title}")
        stems, words = self.sentence.stems | around.stems, self.claim.words
        return frozenset(i for i in self.claim.content() if speaks_of(stems, words[i].stem))

    def there(self) -> frozenset[tuple[str, int]]:
        """The claim's content words, names and numbers that the sentence has, by their places."""
        names = {("name", span[0]) for span in self.claim.names if self.is_named(span)}
        theirs = quantities(self.line.text)
        numbers = {
            ("number", mine.start)
            for mine in quantities(self.claim.text)
            if any(mine.agrees(other) for other in theirs)
        }
        return frozenset({("word", i) for i in self.content_there} | names | numbers)

    def says(self, predicate: Predicate) -> bool:
        """Whether the sentence says the predicate, its opposite, or the same without the verb: "is
        a 1964 film" of a release. Of kinship the check of roles tells.
        """
        if self.is_of_kinship or self.places:
            return True
        if not self.sentence.stems.isdisjoint(opposed(predicate.stem)):
            return True
        if event := event_of(predicate.stem):
            return any(event_texts(self.line.text, event))
        is_release = predicate.stem in _RELEASED and bool(quantities(self.claim.text))
        return is_release and bool(self.sentence.lows & WORKS)

    # ---------------------------------------------------------------------------------------- names

    def has_name(self, span: Span, region: frozenset[int] | None = None) -> bool:
        """Whether a name of the claim stands in a region of the sentence (None: anywhere)."""
        return has_name(self.claim, span, self.sentence, region)

    def is_around(self, span: Span) -> bool:
        """Whether a name of the claim is the line's speaker or in its title."""
        around = {w.low for w in read(f"{self.line.speaker or ''} . {self.line.title}").words}
        return all(word in around for word in self.claim.name(*span))

    def is_named(self, span: Span) -> bool:
        """Whether a name of the claim stands in the sentence or around it."""
        return self.has_name(span) or self.is_around(span)

    def is_subject(self, span: Span) -> bool:
        """Whether a name opens the claim, before its verb."""
        start, end = span
        if end > self.verb_start() or (not self.predicate and end >= len(self.claim.words) - 1):
            return False
        return not any(
            i < start and word.is_word and word.low not in ARTICLES | TITLES
            for i, word in self.claim.outside_names()
        )

    def may_be_unnamed(self) -> bool:
        """Whether the sentence may be about the claim's subject without naming it.

        A line whose speaker or title is known is about these: it would name another.
        """
        is_placed = bool(self.line.speaker or self.line.title)
        return not is_placed and may_be_unnamed(self.claim, self.sentence)

    def verb_start(self) -> int:
        """Where the claim's subject ends: at its first auxiliary or its predicate."""
        auxiliaries = [i for i, word in self.claim.outside_names() if is_auxiliary(word)]
        end = self.predicate.at if self.predicate else len(self.claim.words)
        return min([*auxiliaries, end])


Check = Callable[[Comparison], Gap | None]
"""Finds one kind of gap; None where there is none of it."""
