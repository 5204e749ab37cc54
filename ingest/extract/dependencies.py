"""What the words of a parsed sentence are to each other, by the labels of spaCy's English model, of
Universal Dependencies (most languages) and of TIGER (German).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS = frozenset(("nsubj", "nsubjpass", "nsubj:pass", "sb"))
OBJECTS = frozenset(("dobj", "obj", "iobj", "dative", "attr", "oprd", "oa", "da", "pd"))
PREPOSITIONS = frozenset(("prep", "agent", "dative", "mo", "op", "mnr", "pg", "sbp", "cvc"))
"""Of the preposition itself; in Universal Dependencies it hangs on its noun."""
OWNERS = frozenset(("poss", "nmod:poss", "ag"))
PARTICLES = frozenset(("prt", "compound:prt", "svp"))
CLAUSES = frozenset(("xcomp", "oc"))
"""Of a verb that hangs on another one, whose subject is its own."""
RELATIVE = frozenset(("relcl", "acl:relcl", "acl", "rc"))
COPULA = "cop"
VERBS = frozenset(("VERB", "AUX"))
_BEHIND = frozenset(("pobj", "nk"))
_PASSIVE = frozenset(("nsubjpass", "nsubj:pass", "auxpass", "aux:pass"))
_EXPLETIVE = frozenset(("expl", "ep"))
_NEGATION = frozenset(("neg", "ng"))
_CONJUNCT, _TIGER_CONJUNCT, _TIGER_JOINT = "conj", "cj", "cd"
_JOINERS = frozenset(("mark", "cp"))
_IF = frozenset(("if", "whether", "wenn", "ob", "falls", "si", "se", "als", "indien", "om", "hvis"))
"""Words that open a condition; only where they stand as a subordinator."""
_MAX_CHAIN = 4


def behind(preposition: "Token") -> Iterator["Token"]:
    """What a preposition leads to, over a second one ("out of")."""
    for child in preposition.rights:
        if child.dep_ in _BEHIND:
            yield child
        elif child.dep_ == "prep":
            yield from (t for t in child.rights if t.dep_ in _BEHIND)


def is_oblique(token: "Token") -> bool:
    """Whether a noun hangs on its verb or noun with a preposition, and isn't its owner."""
    return token.dep_.partition(":")[0] in ("obl", "nmod") and token.dep_ not in OWNERS


def is_auxiliary(token: "Token") -> bool:
    """Whether a verb only helps another one: under it, or in TIGER above it ("hat")."""
    is_helping = token.dep_ == COPULA or token.dep_.partition(":")[0] in ("aux", "auxpass")
    return is_helping or (token.pos_ == "AUX" and any(t.dep_ == "oc" for t in token.children))


def clause_of(verb: "Token") -> list["Token"]:
    """What hangs on a verb, or on the auxiliaries above it."""
    found = list(verb.children)
    at = verb
    while at.dep_ == "oc" and at.head.pos_ == "AUX":
        found += [t for t in at.head.children if t.i != at.i]
        at = at.head
    return found


def conjuncts(token: "Token") -> Iterator["Token"]:
    """What "and" or "or" joins to a word, from left to right."""
    for child in token.rights:
        if child.dep_ == _TIGER_JOINT:
            yield from conjuncts(child)
        elif child.dep_ in (_CONJUNCT, _TIGER_CONJUNCT):
            yield child
            yield from conjuncts(child)


def joined_to(token: "Token") -> "Token | None":
    """The word that "and" or "or" joins this one to."""
    if token.dep_ not in (_CONJUNCT, _TIGER_CONJUNCT):
        return None
    return token.head.head if token.head.dep_ == _TIGER_JOINT else token.head


def subject_of(verb: "Token") -> "Token | None":
    """A verb's subject, or that of the verb it is joined to or hangs on ("wants to use")."""
    at: Token | None = verb
    for _ in range(_MAX_CHAIN):
        if at is None or at.pos_ not in VERBS:
            return None
        for child in at.children:
            if child.dep_ in SUBJECTS:
                return child
        at = at.head if at.dep_ in CLAUSES else joined_to(at)
    return None


def has_own_subject(verb: "Token") -> bool:
    """Whether a verb has a subject that is no relative pronoun."""
    return any(t.dep_ in SUBJECTS and not is_relative(t) for t in verb.children)


def is_relative(token: "Token") -> bool:
    """Whether a token is a relative pronoun."""
    return token.tag_ in ("WDT", "WP") or "Rel" in token.morph.get("PronType")


def is_passive(verb: "Token") -> bool:
    """Whether its subject is what something is done to."""
    if any(t.dep_ in _PASSIVE for t in verb.children):
        return True
    is_participle = verb.tag_ == "VVPP" and verb.dep_ == "oc"
    return is_participle and str(verb.head.lemma_) == "werden"


def is_expletive(verb: "Token") -> bool:
    """Whether a verb only says that something is: there is."""
    return any(t.dep_ in _EXPLETIVE for t in verb.children)


def negation(token: "Token") -> list[str]:
    """The negation of a verb or predicate as the sentence has it, written out."""
    return [
        t.norm_ for t in clause_of(token) if t.dep_ in _NEGATION or "Neg" in t.morph.get("Polarity")
    ]


def is_modal(token: "Token") -> bool:
    """English and German have it in the tag, others in the morphology."""
    return token.tag_ == "MD" or token.tag_[:2] == "VM" or "Mod" in token.morph.get("VerbType")


def is_conditional(verb: "Token") -> bool:
    """Whether a clause hangs on "if", "whether" or the like, or one above it does."""
    at: Token | None = verb
    for _ in range(_MAX_CHAIN):
        if at is None:
            return False
        if any(t.dep_ in _JOINERS and t.lower_ in _IF for t in at.children):
            return True
        at = at.head if at.dep_ in ("ccomp", *CLAUSES) else joined_to(at)
    return False
