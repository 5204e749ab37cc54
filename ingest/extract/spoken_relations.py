"""The relations that a parsed sentence states between its things: subject, verb and object, what
stands behind a preposition, whose something is, and what "and" or "or" joins.

A label is the sentence's own words: the verb as a dictionary has it, with its negation, modal,
particle and preposition ("not want to use", "put in"). Who said it is the turn of the record. What
is asked, or hangs on an "if", states no relation between subject and object.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynagrag.core.schema import CO_OCCURRENCE
from dynagrag.ingest.extract.dependencies import (
    CLAUSES,
    COPULA,
    OBJECTS,
    OWNERS,
    PARTICLES,
    PREPOSITIONS,
    RELATIVE,
    SUBJECTS,
    VERBS,
    behind,
    clause_of,
    conjuncts,
    has_own_subject,
    is_auxiliary,
    is_conditional,
    is_expletive,
    is_modal,
    is_oblique,
    is_passive,
    is_relative,
    negation,
    subject_of,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_NOMINAL = frozenset(("NOUN", "PROPN", "PRON"))
_HEDGES = frozenset(("dunno", "guess", "mean", "suppose", "think"))
"""What a speaker says in passing: "I think a button on the side"."""
_MAX_CHAIN = 4

ThingAt = Callable[["Token"], "str | None"]
"""The key of what a token stands for, or None."""


@dataclass(frozen=True, slots=True)
class SpokenRelation:
    """Keys of head and tail, the label, and the clause that says so: [start, end) in the text that
    was parsed.
    """

    head: str
    label: str
    tail: str
    start: int
    end: int


def spoken_relations(doc: "Doc", thing_at: ThingAt) -> list[SpokenRelation]:
    """The relations of a parsed text in its order, each once. Both ends are things, and two."""
    found: dict[SpokenRelation, None] = {}
    reader = _RelationReader(thing_at)
    for sentence in doc.sents:
        is_asked = sentence.text.rstrip().endswith("?")
        for token in sentence:
            for head, label, tail in reader.around(token, is_asked):
                if head != tail and label:
                    found[SpokenRelation(head, label, tail, *_bounds(sentence))] = None
    return list(found)


def is_speaker(token: "Token") -> bool:
    """Whether a pronoun means who speaks: "I", "my", and "we" where it does something."""
    if token.pos_ != "PRON" or "1" not in token.morph.get("Person"):
        return False
    return "Sing" in token.morph.get("Number") or token.dep_ in SUBJECTS


def _bounds(sentence: "Span") -> tuple[int, int]:
    text = sentence.text
    start = sentence.start_char + len(text) - len(text.lstrip())
    return start, sentence.start_char + len(text.rstrip())


Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _RelationReader:
    """Reads the relations around a token."""

    thing_at: ThingAt

    def around(self, token: "Token", is_asked: bool) -> Iterator[Triple]:
        """Triples whose label is this token's."""
        if token.pos_ in VERBS:
            if not (is_asked or is_auxiliary(token) or is_conditional(token)):
                yield from self._clause(token)
        elif token.pos_ in _NOMINAL:
            has_copula = any(t.dep_ == COPULA for t in token.children)
            if has_copula and not (is_asked or is_conditional(token)):
                yield from self._nominal(token)
            if own := self.things(token):
                yield from self._beside(token, own[0])

    def things(self, token: "Token") -> list[str]:
        """Keys of what a token stands for, with those that "and" joins to it."""
        several = (token, *conjuncts(token))
        return [key for one in several if (key := self._thing(one)) is not None]

    def _thing(self, token: "Token") -> str | None:
        """The key of what it means."""
        return self.thing_at(self._meant(token))

    def _meant(self, token: "Token") -> "Token":
        """Itself, or the noun of a relative pronoun, or what stands behind "a lot of"."""
        if self.thing_at(token) is not None:
            return token
        if is_relative(token) and token.head.dep_ in RELATIVE:
            return token.head.head
        if token.pos_ == "NOUN":
            meant = [b for p in token.rights if p.lower_ == "of" for b in behind(p)]
            if len(meant) == 1:
                return meant[0]
        return token

    def _clause(self, verb: "Token") -> Iterator[Triple]:
        """A verb's subjects, objects, and what its prepositions lead to, from the objects and from
        the subject, whose label then has the objects too ("put battery in").
        """
        subject = subject_of(verb)
        if _is_hedge(verb, subject) or not (label := _label(verb, subject)):
            return
        heads = self._doers(verb, subject)
        said = [t for t in clause_of(verb) if t.dep_ in OBJECTS and not _is_adposition(t)]
        words, objects = label, [key for t in said for key in self.things(t)]
        if not said and (gap := _gap(verb)) is not None:
            noun, preposition = gap
            words, objects = f"{label}{preposition}", self.things(noun)[:1]
        yield from ((head, words, tail) for head in heads for tail in objects)
        whole = " ".join([label, *(self._meant(t).lower_ for t in said if not is_relative(t))])
        more = [t for one in said for t in one.children] if not objects else []
        for words, tails in self._obliques([*clause_of(verb), *more], verb):
            yield from ((head, f"{whole} {words}", tail) for head in heads for tail in tails)
            yield from ((head, f"{label} {words}", tail) for head in objects for tail in tails)

    def _doers(self, verb: "Token", subject: "Token | None") -> list[str]:
        """Keys of what does what a verb says; none behind "there is"."""
        if is_expletive(verb):
            return []
        return self.things(subject) if subject is not None else self._noun_of(verb)

    def _noun_of(self, verb: "Token") -> list[str]:
        """The noun that a participle behind it describes ("a button called Menu"), or the object of
        what is done to that end ("use titanium to make the case"). Not the "decision to use" it.
        """
        if verb.dep_ in RELATIVE and "Inf" not in verb.morph.get("VerbForm"):
            return self.things(verb.head)[:1]
        if verb.dep_ == "advcl" and verb.head.pos_ in VERBS:
            objects = (t for t in verb.head.children if t.dep_ in OBJECTS)
            return [key for t in objects for key in self.things(t)]
        return []

    def _obliques(
        self, children: Iterable["Token"], above: "Token"
    ) -> Iterator[tuple[str, list[str]]]:
        """The prepositions among what hangs on a verb or noun, and the things behind them."""
        for child in children:
            if child.dep_ == "acomp":
                below = self._obliques(child.children, child)
                yield from ((f"{child.lower_} {words}", tails) for words, tails in below)
            elif child.dep_ in PREPOSITIONS and _is_adposition(child):
                if tails := [key for t in behind(child) for key in self.things(t)]:
                    yield child.lower_, tails
            elif is_oblique(child) and (child.i > above.i or above.pos_ in VERBS):
                cases = [t.lower_ for t in child.children if t.dep_ == "case"]
                if cases and (tails := self.things(child)):
                    yield " ".join(cases), tails

    def _nominal(self, noun: "Token") -> Iterator[Triple]:
        """A noun that is said of a subject, with a copula."""
        copula = next(child for child in noun.children if child.dep_ == COPULA)
        subject = next((child for child in noun.children if child.dep_ in SUBJECTS), None)
        if subject is not None and (tail := self.thing_at(noun)) is not None:
            label = " ".join([*negation(noun), copula.lemma_.lower()])
            yield from ((head, label, tail) for head in self.things(subject))

    def _beside(self, noun: "Token", own: str) -> Iterator[Triple]:
        """What hangs on a noun: behind a preposition, its owner, what "and" joins to it."""
        if self.thing_at(noun) is not None:
            for words, tails in self._obliques(noun.children, noun):
                yield from ((own, words, tail) for tail in tails)
        for child in noun.children:
            if child.dep_ in OWNERS:
                yield from ((own, "of", key) for key in self.things(child))
        for other in conjuncts(noun):
            if (key := self._thing(other)) is not None:
                first, second = sorted((own, key))
                yield first, CO_OCCURRENCE, second


def _is_hedge(verb: "Token", subject: "Token | None") -> bool:
    """Whether it only tells how sure the speaker is: "I think"."""
    return subject is not None and verb.lower_ in _HEDGES and is_speaker(subject)


def _is_adposition(token: "Token") -> bool:
    return token.pos_ in ("ADP", "SCONJ", "PART")


def _gap(verb: "Token") -> "tuple[Token, str] | None":
    """The noun that is the object of a clause behind it, and the preposition that it hangs on: "the
    case we want to make", "the house I live in". None where another verb has it, or none may:
    "areas where we need staff".
    """
    at = verb
    while at.dep_ in CLAUSES and at.head.pos_ in VERBS:
        at = at.head
    is_gapped = at.dep_ in RELATIVE and has_own_subject(at)
    is_gapped = is_gapped and not any(t.tag_ == "WRB" or t.dep_ == "mark" for t in at.lefts)
    if not is_gapped or any(t.dep_ in (*CLAUSES, "ccomp") for t in verb.children):
        return None
    bare = [t for t in verb.rights if t.dep_ == "prep" and t.n_rights == 0]
    return at.head, f" {bare[0].lower_}" if bare else ""


def _label(verb: "Token", subject: "Token | None") -> str:
    """The words of a verb: those of the verb that it hangs on first."""
    words = _own_words(verb, is_passive(verb))
    at = verb
    for _ in range(_MAX_CHAIN):
        if at.dep_ not in CLAUSES or at.head.pos_ not in VERBS:
            break
        is_bare = all(child.lower_ != "to" for child in at.lefts if child.dep_ == "aux")
        if not is_auxiliary(at.head) or is_modal(at.head):
            words = [*_own_words(at.head), *(() if is_bare else ("to",)), *words]
        at = at.head
    else:
        return ""
    if _is_denied(at):
        if negation(at):
            return ""  # denied twice: who knows
        words = ["not", *words]
    if subject is not None and _is_group(subject):
        words = [subject.lower_, *words]
    return " ".join(words)


def _is_group(subject: "Token") -> bool:
    """Whether a subject is who speaks and others: "we"."""
    return is_speaker(subject) and "Plur" in subject.morph.get("Number")


def _own_words(verb: "Token", is_as_said: bool = False) -> list[str]:
    modals = [t.norm_ if t.norm_.isalpha() else t.lemma_ for t in verb.lefts if is_modal(t)]
    particles = [t.lower_ for t in verb.children if t.dep_ in PARTICLES]
    own = verb.lower_ if is_as_said or verb.dep_ == "acl" else verb.lemma_.lower()
    return [*modals, *negation(verb), own, *particles]


def _is_denied(verb: "Token") -> bool:
    """Whether a verb stands in what another one, negated, has as its object: "I don't think that
    we need a screen".
    """
    return verb.dep_ == "ccomp" and bool(negation(verb.head))
