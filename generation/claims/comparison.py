"""A claim beside a line: what the line lacks of it, or says otherwise."""

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from dynagrag.core.schema import Line
from dynagrag.generation.claims.attribution import Attributed
from dynagrag.generation.claims.lexicon import ARTICLES, TITLES, lemma, opposites, senses, speaks_of
from dynagrag.generation.claims.life_dates import event_of, event_texts
from dynagrag.generation.claims.name_match import (
    Span,
    has_name,
    may_be_unnamed,
)
from dynagrag.generation.claims.quantities import Quantity, may_be_written_otherwise, quantities
from dynagrag.generation.claims.reading import Reading, read, same_word
from dynagrag.generation.claims.relations import (
    is_compared_round,
    is_done_to_other,
    number_binding_gap,
    preposition_gap,
)
from dynagrag.generation.claims.roles import (
    KIN_DOWN,
    KIN_UP,
    Predicate,
    Roles,
    is_auxiliary,
    is_be,
    kin_names,
    occurrences,
    parent_roles,
    verb_roles,
)
from dynagrag.generation.claims.stance import denial_gap, mood_gap, opposite_of, quantifier_gap
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass

_WORKS = words_of(WordClass.WORK_OF_ART)
_SOFT = frozenset(lemma(word) for word in "citizen national nationality located situated".split())
"""Said by putting two names together: a German actor is a citizen of Germany."""
_RELEASED = senses(lemma("release")) | senses(lemma("publish"))
_CONVERSE = frozenset(lemma(word) for word in "buy sell purchase win lose import export".split())
"""Who sold to whom says who bought of whom: the opposite verb may say the same of the other."""
_MAX_RUN = 2
_SAME_TEXT = 0.7
"""From this ratio of common words on, the claim repeats the line, so that another word in one's
place changes it.
"""
Gap = tuple[str, bool] | None
"""What differs, and whether it speaks against the claim."""


@dataclass(frozen=True)
class Comparison:
    """A claim beside a line."""

    claim: Reading
    said: Reading
    line: Line
    predicate: Predicate | None

    def gaps(self, said: Attributed) -> Iterator[Callable[[], Gap]]:
        """Each finds one kind of gap; the first that is found tells most."""
        yield from (
            self.number_gap,
            self.opposite_gap,
            self.replaced_gap,
            self.name_gap,
            self.binding_gap,
            self.role_gap,
            self.order_gap,
            self.object_gap,
        )
        yield lambda: self.stance_gap(said)
        yield self.run_gap

    def is_alone(self, gap: Callable[[], Gap]) -> bool:
        """Whether nothing but this gap is between the two: only then the line speaks of the very
        thing, and so against the claim.
        """
        others = [self.number_gap, self.name_gap, self.run_gap]
        if gap != self.opposite_gap:  # the opposite may be the verb
            others.append(self.role_gap)
        return all(other() is None for other in others if other != gap)

    # ---------------------------------------------------------------------------------------- words

    def share(self) -> float:
        """The share of the claim's content words (names aside) that the line, its speaker or its
        title has, or has the opposite of.

        Of a claim that tells nothing else ("We have that"), the share of all its words.
        """
        start = self._verb_start() if self.predicate and self._is_about_unnamed() else 0
        wanted = [
            i for i in self.claim.content() if i >= start and self.claim.words[i].stem not in _SOFT
        ]
        found = self._content_there().intersection(wanted)
        if self.predicate and self.predicate.at in wanted:
            found -= {self.predicate.at}
            found |= {self.predicate.at} if self._says_predicate(self.predicate) else set()
        if not wanted and not self.claim.names and not quantities(self.claim.text):
            told = [word.stem for word in self.claim.words if word.is_word]
            return sum(stem in self.said.stems for stem in told) / len(told) if told else 1.0
        return len(found) / len(wanted) if wanted else 1.0

    def _says_predicate(self, predicate: Predicate) -> bool:
        """Whether the line says the claim's predicate or its opposite, kinship aside, of which
        `role_gap` tells.
        """
        return (
            self.claim.words[predicate.at].low in KIN_UP | KIN_DOWN
            or bool(occurrences(self.said, predicate.stem))
            or not self.said.stems.isdisjoint(opposites().get(predicate.stem, frozenset()))
            or self._says_event()
        )

    def _content_there(self) -> frozenset[int]:
        """The claim's content words that the line has."""
        around = read(f"{self.line.speaker or ''} . {self.line.title}")
        stems, words = self.said.stems | around.stems, self.claim.words
        return frozenset(i for i in self.claim.content() if speaks_of(stems, words[i].stem))

    def run_gap(self) -> Gap:
        """Words of the claim, one behind the other, of which the line has none: what was added to
        it.
        """
        there, missing = self._content_there(), list[int]()
        start = self._verb_start() if self.predicate and self._is_about_unnamed() else 0
        for i in self.claim.content():
            is_missing = i >= start and i not in there and self.claim.words[i].stem not in _SOFT
            missing = [*missing, i] if is_missing else []
            if len(missing) == _MAX_RUN:
                return (
                    f"says nothing of {' '.join(self.claim.words[k].low for k in missing)!r}",
                    False,
                )
        return None

    def replaced_gap(self) -> Gap:
        """A word of the claim between two others that stand side by side in the line with another
        word between them.
        """
        mine, theirs = self.claim.told(), self.said.told()
        matcher = difflib.SequenceMatcher(
            None, [w.stem for w in mine], [w.stem for w in theirs], autojunk=False
        )
        if matcher.ratio() < _SAME_TEXT:
            return None
        for kind, a, b, c, d in matcher.get_opcodes():
            if kind != "replace" or (a == 0 and 0 in self.claim.in_names):
                continue
            said = {sense for word in theirs for sense in senses(word.stem)}
            new = [
                w
                for w in mine[a:b]
                if (len(w.low) > 1 or w.low.isdigit())
                and w.stem not in said
                and not any(same_word(w.low, other.low) for other in theirs)
            ]
            if new and b - a <= _MAX_RUN and d - c <= _MAX_RUN:
                return f"says {theirs[c].text!r}, not {new[0].text!r}", False
        return None

    def there(self) -> frozenset[tuple[str, int]]:
        """What the line has of the claim: content words, names and numbers, each by its place."""
        names = {
            ("name", span[0])
            for span in self.claim.names
            if self._has_name(span) or self._is_around(span)
        }
        said = quantities(self.line.text)
        numbers = {
            ("number", q.start)
            for q in quantities(self.claim.text)
            if any(q.agrees(other) for other in said)
        }
        return frozenset({("word", i) for i in self._content_there()} | names | numbers)

    # -------------------------------------------------------------------------------------- numbers

    def number_gap(self) -> Gap:
        """A number of the claim that the line doesn't have."""
        there = quantities(self.line.text)
        for wanted in quantities(self.claim.text):
            if self._is_in_name(wanted) or any(wanted.agrees(other) for other in there):
                continue
            other = next((q for q in there if wanted.is_like(q)), None)
            near = other or next(
                (q for q in there if q.value is not None and q.value == wanted.value), None
            )  # with another bound or unit
            is_against = other is not None and not self.is_otherwise_written
            return (
                (f"says {near.said}, not {wanted.said}", is_against)
                if near
                else (f"does not say {wanted.said}", False)
            )
        return None

    @cached_property
    def is_otherwise_written(self) -> bool:
        """Whether the line may have a number of the claim in other words or units than are compared
        here.
        """
        texts = (self.claim.text, self.line.text)  # apart: each is read once
        return any(
            may_be_written_otherwise(wanted, text)
            for wanted in quantities(self.claim.text)
            for text in texts
        )

    def _is_in_name(self, wanted: Quantity) -> bool:
        """Whether a number belongs to a name that the line has, or to a title: Apollo 13, the 6th
        Earl.
        """
        if (
            re.match(r"\s[A-Z]", self.claim.text[wanted.end :])
            and not wanted.date
            and not wanted.text[-1].isdigit()
        ):
            return True
        return any(
            wanted.text in self.claim.name(*span) and self._has_name(span)
            for span in self.claim.names
        )

    # ---------------------------------------------------------------------------------------- names

    def name_gap(self) -> Gap:
        """A name of the claim that the line doesn't have, unless the line may be about the claim's
        subject without naming it.
        """
        there = [span for span in self.claim.names if self._has_name(span) or self._is_around(span)]
        subject = [span for span in self.claim.names if self._is_subject(span)]
        for span in self.claim.names:
            if span not in there and not (
                span in subject and (set(subject) & set(there) or self._speaks_of_it())
            ):
                return (
                    f"does not name {' '.join(w.text for w in self.claim.words[slice(*span)])}",
                    False,
                )
        return None

    def _verb_start(self) -> int:
        """Where the claim's subject ends: at its first auxiliary or its predicate."""
        stops = [
            i
            for i, w in enumerate(self.claim.words)
            if i not in self.claim.in_names and is_auxiliary(w)
        ]
        return min([*stops, self.predicate.at if self.predicate else len(self.claim.words)])

    def _is_subject(self, span: Span) -> bool:
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

    def _is_about_unnamed(self) -> bool:
        """Whether the claim's subject is a name that the line doesn't have."""
        subject = [span for span in self.claim.names if self._is_subject(span)]
        return bool(subject) and not any(
            self._has_name(span) or self._is_around(span) for span in subject
        )

    def _speaks_of_it(self) -> bool:
        """Whether the line may be about the claim's subject: it opens with no other name, or names
        nothing that the claim doesn't.

        A line whose speaker or title is known is about these: it would name another.
        """
        if self.line.speaker or self.line.title:
            return False
        return may_be_unnamed(self.claim, self.said)

    def _has_name(self, span: Span, region: frozenset[int] | None = None) -> bool:
        return has_name(self.claim, span, self.said, region)

    def _is_around(self, span: Span) -> bool:
        around = {w.low for w in read(f"{self.line.speaker or ''} . {self.line.title}").words}
        return all(word in around for word in self.claim.name(*span))

    def binding_gap(self) -> Gap:
        """The line says a number of another thing than the claim."""
        number = number_binding_gap(self.claim.text, self.line.text)
        return (number, True) if number else None

    # ---------------------------------------------------------------------------------------- roles

    def role_gap(self) -> Gap:
        """The line gives the predicate other roles, or lacks the birth, death or kinship."""
        if self.predicate is None:
            return None
        word = self.claim.words[self.predicate.at]
        if event_of(word.stem):
            return self._event_gap(self.predicate)
        if word.low in KIN_UP | KIN_DOWN:
            return self._kin_gap(self.predicate)
        return self._verb_gap(self.predicate)

    def order_gap(self) -> Gap:
        """The line compares the other way round, or has another small word before a thing."""
        if is_compared_round(self.claim.text, self.said.text):
            return "has it the other way round", True
        other = preposition_gap(self.claim, self.said)
        return (other, False) if other else None

    def _says_event(self) -> bool:
        """Whether the line says without the verb what it says: "is a 1964 film" of a release."""
        word = self.claim.words[self.predicate.at] if self.predicate else None
        if word is None:
            return False
        if event_of(word.stem):
            return any(event_texts(self.line.text, event_of(word.stem) or ""))
        return (
            word.stem in _RELEASED
            and bool(self.said.lows & _WORKS)
            and bool(quantities(self.claim.text))
        )

    def _event_gap(self, predicate: Predicate) -> Gap:
        texts = list(event_texts(self.line.text, event_of(predicate.stem) or ""))
        if not texts:
            return f"does not say {self.claim.words[predicate.at].low!r}", False
        wanted = [q for q in quantities(self.claim.text) if not self._is_in_name(q)]
        there = [q for text in texts for q in quantities(text)]
        for quantity in wanted:
            if not any(quantity.agrees(q) for q in there):
                return f"gives another time for it than {quantity.said}", True
        fillers = [span for span in self.claim.names if span[0] > predicate.at]
        for span in fillers:
            if not any(has_name(self.claim, span, read(text)) for text in texts):
                return "names another place or cause for it", False
        return None

    def _kin_gap(self, predicate: Predicate) -> Gap:
        low = self.claim.words[predicate.at].low
        children, parents = kin_names(self.claim, predicate.at)
        roles = list(parent_roles(self.said, low.rstrip("s") if low in KIN_UP else "parent"))
        if not roles:
            return f"does not say {low!r}", False
        return self._gap_of(roles, parents, children)

    def _verb_gap(self, predicate: Predicate) -> Gap:
        if not predicate.is_passive and any(
            is_be(word) for word in self.claim.words[max(0, predicate.at - 3) : predicate.at]
        ):
            return None  # "was founded in 1990" names nobody who did it
        agents, others = self._agents_and_others(predicate)
        return self._gap_of(list(verb_roles(self.said, predicate.stem)), agents, others)

    def _agents_and_others(self, predicate: Predicate) -> tuple[list[Span], list[Span]]:
        before = [span for span in self.claim.names if span[1] <= predicate.at]
        after = [span for span in self.claim.names if span[0] > predicate.at]
        return (after, before) if predicate.is_passive else (before, after)

    def _gap_of(self, roles: list[Roles], agents: list[Span], patients: list[Span]) -> Gap:
        """The gap of the place that fits best; none where no place says it."""
        telling = [role for role in roles if role.agents is not None and role.is_clear]
        gaps = [self._role_gap(role, agents, patients) for role in telling or roles]
        if not gaps or None in gaps:
            return None
        return next((gap for gap in gaps if gap and gap[1]), gaps[0])

    def _role_gap(self, role: Roles, agents: list[Span], patients: list[Span]) -> Gap:
        if role.agents is None or not role.is_clear:
            return None
        missing = [
            span
            for span in agents
            if not self._has_name(span, role.agents) and not self._is_around(span)
        ]
        if not missing:
            return None
        is_elsewhere = any(self._has_name(span) for span in missing)
        is_swapped = any(self._has_name(span, role.agents) for span in patients)
        if is_swapped and is_elsewhere:
            return "has it the other way round", True
        is_excused = (
            not is_elsewhere
            and all(self._is_subject(span) for span in missing)
            and self._speaks_of_it()
        )
        return None if is_excused else ("says it of somebody or something else", False)

    def object_gap(self) -> Gap:
        """The line's verb has other objects than the claim's: "directed Comets and reviewed
        Rockets".
        """
        if (
            self.predicate is None
            or self.claim.words[self.predicate.at].low in KIN_UP | KIN_DOWN
            or event_of(self.predicate.stem)
        ):
            return None
        agents, _ = self._agents_and_others(self.predicate)
        telling = [
            role
            for role in verb_roles(self.said, self.predicate.stem)
            if role.agents is not None and role.is_clear
        ]
        fitting = [role.at for role in telling if self._role_gap(role, agents, []) is None]
        is_other = fitting and is_done_to_other(
            self.claim, self.predicate, self.said, fitting, self._has_object
        )
        return ("says it of somebody or something else", False) if is_other else None

    def _has_object(self, at: int, region: frozenset[int]) -> bool:
        span = next((span for span in self.claim.names if span[1] - 1 == at), None)
        if span:
            return not self._is_around(span) and self._has_name(span, region)
        return any(self.said.words[i].stem in senses(self.claim.words[at].stem) for i in region)

    # --------------------------------------------------------------------------------------- stance

    def stance_gap(self, said: Attributed) -> Gap:
        """Polarity, mood and quantifiers."""
        mine = self.predicate.at if self.predicate else None
        places = occurrences(self.said, self.predicate.stem) if self.predicate else []
        theirs = self._place(places)
        denial = denial_gap(self.claim, self.said)
        if denial:
            return denial, True
        if said.is_asked:
            return (
                None
                if self.said.is_question or "whether" in self.said.lows
                else ("does not ask it", False)
            )
        gap = mood_gap(self.claim, mine, self.said, theirs, said.is_opinion) or quantifier_gap(
            self.claim, self.said
        )
        return (gap, False) if gap else None

    def _place(self, places: list[int]) -> int | None:
        """The word of the line at which it says what the claim says: the predicate's, else that
        with most of the claim's words around.
        """
        words = self.claim.words
        wanted = {sense for i in self.claim.content() for sense in senses(words[i].stem)} | {
            words[i].stem for i in self.claim.in_names
        }
        hits = [i for i, w in enumerate(self.said.words) if w.stem in wanted]
        candidates = places or hits
        if not candidates:
            return None
        return max(
            candidates,
            key=lambda i: (
                sum(
                    abs(i - j) <= 8 and self.said.words[j].clause == self.said.words[i].clause
                    for j in hits
                ),
                -i,
            ),
        )

    def opposite_gap(self) -> Gap:
        """A word in whose place the line has its opposite."""
        pair = opposite_of(self.claim, self.said)
        if pair is None or is_compared_round(
            self.claim.text, self.said.text, *pair
        ):  # slower than the other, who is faster
            return None
        return f"says {pair[1]!r}, not {pair[0]!r}", lemma(pair[0]) not in _CONVERSE and pair[
            0
        ] not in ("before", "after")
