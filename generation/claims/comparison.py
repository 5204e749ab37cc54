"""A claim beside a sentence of a line: what the sentence has of it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from dynagrag.core.schema import Line
from dynagrag.generation.claims.attribution import Attributed
from dynagrag.generation.claims.lexicon import (
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
from dynagrag.generation.claims.word_senses import lemma, opposites, senses, speaks_of

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
    """A claim, by `attribution` without who is said to have said it, beside a sentence: the text of
    `line`.
    """

    attribution: Attributed
    line: Line

    @cached_property
    def claim(self) -> Reading:
        """What the claim says."""
        return read(self.attribution.what)

    @cached_property
    def sentence(self) -> Reading:
        """What the line says."""
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
        found = self.content_there.intersection(wanted)
        if self.predicate and self.predicate.at in wanted:
            found -= {self.predicate.at}
            found |= {self.predicate.at} if self._says(self.predicate) else set()
        if not wanted and not self.claim.names and not quantities(self.claim.text):
            stems = [word.stem for word in self.claim.words if word.is_word]
            return sum(stem in self.sentence.stems for stem in stems) / len(stems) if stems else 1.0
        return len(found) / len(wanted) if wanted else 1.0

    def telling_words(self) -> list[int]:
        """The claim's content words but for those that two names beside each other say; of a claim
        on a subject that the sentence doesn't name, those from its verb on.
        """
        start = self._verb_start() if self.predicate and self._is_about_unnamed() else 0
        return [
            i
            for i in self.claim.content()
            if i >= start and self.claim.words[i].stem not in _PUT_TOGETHER
        ]

    @cached_property
    def content_there(self) -> frozenset[int]:
        """The claim's content words that the sentence, its speaker or its title has."""
        around = read(f"{self.line.speaker or ''} . {self.line.title}")
        stems, words = self.sentence.stems | around.stems, self.claim.words
        return frozenset(i for i in self.claim.content() if speaks_of(stems, words[i].stem))

    def there(self) -> frozenset[tuple[str, int]]:
        """What the sentence has of the claim: content words, names and numbers, by their places."""
        names = {("name", span[0]) for span in self.claim.names if self.is_named(span)}
        theirs = quantities(self.line.text)
        numbers = {
            ("number", mine.start)
            for mine in quantities(self.claim.text)
            if any(mine.agrees(other) for other in theirs)
        }
        return frozenset({("word", i) for i in self.content_there} | names | numbers)

    def _says(self, predicate: Predicate) -> bool:
        """Whether the sentence says the predicate, its opposite, or the same without the verb: "is
        a 1964 film" of a release. Of kinship the check of roles tells.
        """
        event = event_of(predicate.stem)
        if self.is_of_kinship or self.places:
            return True
        if not self.sentence.stems.isdisjoint(opposites().get(predicate.stem, frozenset())):
            return True
        if event:
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
        opens = not any(
            w.is_word and w.low not in ARTICLES | TITLES
            for i, w in enumerate(self.claim.words[: span[0]])
            if i not in self.claim.in_names
        )
        return (
            opens
            and span[1] <= self._verb_start()
            and (bool(self.predicate) or span[1] < len(self.claim.words) - 1)
        )

    def may_be_unnamed(self) -> bool:
        """Whether the sentence may be about the claim's subject without naming it.

        A line whose speaker or title is known is about these: it would name another.
        """
        is_placed = bool(self.line.speaker or self.line.title)
        return not is_placed and may_be_unnamed(self.claim, self.sentence)

    def _is_about_unnamed(self) -> bool:
        subject = [span for span in self.claim.names if self.is_subject(span)]
        return bool(subject) and not any(self.is_named(span) for span in subject)

    def _verb_start(self) -> int:
        """Where the claim's subject ends: at its first auxiliary or its predicate."""
        stops = [
            i
            for i, w in enumerate(self.claim.words)
            if i not in self.claim.in_names and is_auxiliary(w)
        ]
        return min([*stops, self.predicate.at if self.predicate else len(self.claim.words)])


Check = Callable[[Comparison], Gap | None]
"""Finds one kind of gap; None where there is none of it."""
