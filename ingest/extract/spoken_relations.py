"""The relations that a parsed sentence states between its things: subject, verb and object, what
stands behind a preposition, whose something is, and what "and" or "or" joins.

A label is the sentence's own words: the verb as a dictionary has it, with its negation, modal,
particle and preposition ("not want to use", "put in"). Who said it is the turn of the record. What
is asked, or hangs on an "if", states no relation between subject and object.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

# Of spaCy's English, of Universal Dependencies, and of TIGER (German).
SUBJECTS = frozenset(("nsubj", "nsubjpass", "nsubj:pass", "sb"))
_PASSIVE = frozenset(("nsubjpass", "nsubj:pass", "sbp"))
_OBJECTS = frozenset(("dobj", "obj", "iobj", "dative", "attr", "oprd", "oa", "da", "pd"))
_PREPOSITIONS = frozenset(("prep", "agent", "dative", "mo", "op", "mnr", "pg"))
_BEHIND = frozenset(("pobj", "nk"))
_OBLIQUE = frozenset(("obl", "obl:agent", "obl:arg", "nmod"))
_OWNERS = frozenset(("poss", "nmod:poss", "ag"))
_PARTICLES = frozenset(("prt", "compound:prt", "svp"))
_VERBS = frozenset(("VERB", "AUX"))
_NOMINAL = frozenset(("NOUN", "PROPN", "PRON"))
_RAISED = frozenset(("xcomp", "oc"))
_RELATIVE = frozenset(("relcl", "acl:relcl", "acl", "rc"))
_COPULA = "cop"
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
        if token.pos_ in _VERBS:
            is_own = token.dep_ not in ("aux", "auxpass", "aux:pass", _COPULA)
            if is_own and not is_asked and not _is_conditional(token):
                yield from self._clause(token)
        elif token.pos_ in _NOMINAL:
            if any(t.dep_ == _COPULA for t in token.lefts):
                yield from self._nominal(token) if not (is_asked or _is_conditional(token)) else ()
            if own := self.things(token):
                yield from self._beside(token, own[0])

    def things(self, token: "Token") -> list[str]:
        """Keys of what a token stands for, with those that "and" joins to it."""
        several = [token, *(t for t in token.conjuncts if t.i > token.i)]
        return [key for one in several if (key := self._thing(one)) is not None]

    def _thing(self, token: "Token") -> str | None:
        """Its own, or that of a relative pronoun's noun, or of what stands behind "a lot of"."""
        if (key := self.thing_at(token)) is not None:
            return key
        if "Rel" in token.morph.get("PronType") and token.head.dep_ in _RELATIVE:
            return self.thing_at(token.head.head)
        if token.pos_ == "NOUN":
            behind = [b for p in token.rights if p.dep_ == "prep" for b in _behind(p)]
            if len(behind) == 1:
                return self.thing_at(behind[0])
        return None

    def _clause(self, verb: "Token") -> Iterator[Triple]:
        """A verb's subjects, objects, and what its prepositions lead to: from the object where
        there is one, else from the subject.
        """
        subject = _subject(verb)
        heads = self.things(subject) if subject is not None else self._noun_of(verb)
        objects = self._objects(verb)
        label = _label(verb, subject)
        if subject is not None and subject.dep_ == "expl":
            heads = []
        yield from ((head, label, tail) for head in heads for tail in objects)
        for words, tails in self._obliques(verb):
            yield from (
                (head, f"{label} {words}", tail) for head in (objects or heads) for tail in tails
            )

    def _objects(self, verb: "Token") -> list[str]:
        """What its objects stand for, that of "the case we made" too."""
        objects = [t for t in verb.children if t.dep_ in _OBJECTS]
        if not objects and verb.dep_ in _RELATIVE and _has_subject(verb):
            return self.things(verb.head)[:1]
        return [key for t in objects for key in self.things(t)]

    def _noun_of(self, verb: "Token") -> list[str]:
        """The noun that a participle behind it describes ("a button called Menu"), or the object of
        what is done to that end ("use titanium to make the case").
        """
        if verb.dep_ in _RELATIVE:
            return self.things(verb.head)[:1]
        if verb.dep_ == "advcl" and verb.head.pos_ in _VERBS:
            return self._objects(verb.head)
        return []

    def _obliques(self, token: "Token") -> Iterator[tuple[str, list[str]]]:
        """The prepositions of a verb or noun and the things behind them."""
        for child in token.children:
            if child.dep_ == "acomp":
                yield from (
                    (f"{child.lower_} {words}", tails) for words, tails in self._obliques(child)
                )
            elif child.dep_ in _PREPOSITIONS and child.pos_ in ("ADP", "SCONJ", "PART"):
                behind = [key for t in _behind(child) for key in self.things(t)]
                if behind:
                    yield child.lower_, behind
            elif child.dep_ in _OBLIQUE and child.i > token.i:
                cases = [t.lower_ for t in child.children if t.dep_ == "case"]
                behind = self.things(child)
                if cases and behind:
                    yield " ".join(cases), behind

    def _nominal(self, noun: "Token") -> Iterator[Triple]:
        """A noun that is said of a subject, with a copula."""
        copula = next(child for child in noun.children if child.dep_ == _COPULA)
        subject = next((child for child in noun.children if child.dep_ in SUBJECTS), None)
        if subject is not None and (tail := self.thing_at(noun)) is not None:
            label = " ".join([*_negation(noun), copula.lemma_.lower()])
            yield from ((head, label, tail) for head in self.things(subject))

    def _beside(self, noun: "Token", own: str) -> Iterator[Triple]:
        """What hangs on a noun: behind a preposition, its owner, what "and" joins to it."""
        if self.thing_at(noun) is not None:
            for words, tails in self._obliques(noun):
                yield from ((own, words, tail) for tail in tails)
        for child in noun.children:
            if child.dep_ in _OWNERS:
                yield from ((own, "of", key) for key in self.things(child))
            elif child.dep_ == "conj" and (key := self._thing(child)) is not None:
                joint = [t.lower_ for t in (*noun.children, *child.children) if t.dep_ == "cc"]
                yield own, joint[0] if joint else "and", key


def _behind(preposition: "Token") -> Iterator["Token"]:
    """What a preposition leads to, over a second one ("out of")."""
    for child in preposition.rights:
        if child.dep_ in _BEHIND:
            yield child
        elif child.dep_ == "prep":
            yield from (t for t in child.rights if t.dep_ in _BEHIND)


def _has_subject(verb: "Token") -> bool:
    return any(t.dep_ in SUBJECTS and "Rel" not in t.morph.get("PronType") for t in verb.lefts)


def _subject(verb: "Token") -> "Token | None":
    """A verb's subject, or that of the verb it is joined to or hangs on ("wants to use")."""
    at = verb
    for _ in range(_MAX_CHAIN):
        for child in at.lefts:
            if child.dep_ in SUBJECTS:
                return child
        if at.dep_ not in ("conj", *_RAISED) or at.head.pos_ not in _VERBS:
            return None
        at = at.head
    return None


def _label(verb: "Token", subject: "Token | None") -> str:
    """The words of a verb: those of the verb that it hangs on first."""
    words = _own_words(verb, subject)
    at = verb
    for _ in range(_MAX_CHAIN):
        if at.dep_ not in _RAISED or at.head.pos_ not in _VERBS:
            break
        is_bare = all(child.lower_ != "to" for child in at.lefts if child.dep_ == "aux")
        words = [*_own_words(at.head, None), *(() if is_bare else ("to",)), *words]
        at = at.head
    else:
        return ""
    if _is_denied(at):
        if _negation(at):
            return ""  # denied twice: who knows
        words = ["not", *words]
    if subject is not None and _is_group(subject):
        words = [subject.lower_, *words]
    return " ".join(words)


def _is_group(subject: "Token") -> bool:
    """Whether a subject is who speaks and others: "we"."""
    return is_speaker(subject) and "Plur" in subject.morph.get("Number")


def _own_words(verb: "Token", subject: "Token | None") -> list[str]:
    is_passive = subject is not None and subject.dep_ in _PASSIVE
    modals = [t.norm_ for t in verb.lefts if _is_modal(t)]
    particles = [t.lower_ for t in verb.children if t.dep_ in _PARTICLES]
    is_as_said = is_passive or verb.dep_ == "acl"
    own = verb.lower_ if is_as_said else verb.lemma_.lower()
    return [*modals, *_negation(verb), own, *particles]


def _is_modal(token: "Token") -> bool:
    """English has it in the tag, others in the morphology."""
    return token.tag_ == "MD" or "Mod" in token.morph.get("VerbType")


def _negation(token: "Token") -> list[str]:
    """Its negation as the sentence has it, written out."""
    return [
        t.norm_
        for t in token.children
        if t.dep_ in ("neg", "ng") or "Neg" in t.morph.get("Polarity")
    ]


def _is_denied(verb: "Token") -> bool:
    """Whether a verb stands in what another one, negated, has as its object: "I don't think that
    we need a screen".
    """
    return verb.dep_ == "ccomp" and bool(_negation(verb.head))


def _is_conditional(verb: "Token") -> bool:
    """Whether a clause hangs on "if", "whether" or the like, or one above it does."""
    at: Token = verb
    for _ in range(_MAX_CHAIN):
        if any(t.dep_ == "mark" and t.lower_ in ("if", "whether") for t in at.lefts):
            return True
        if at.dep_ not in ("conj", "ccomp", *_RAISED):
            return False
        at = at.head
    return False
