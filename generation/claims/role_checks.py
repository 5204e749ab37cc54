"""Checks of names: has the sentence the claim's, and do they do the same to the same?"""

from collections.abc import Collection

from dynagrag.generation.claims.claim_lexicon import KIN_UP
from dynagrag.generation.claims.comparison import Comparison, Gap
from dynagrag.generation.claims.life_dates import event_of, event_texts
from dynagrag.generation.claims.name_match import Span, has_name
from dynagrag.generation.claims.number_checks import is_in_name
from dynagrag.generation.claims.objects import is_done_to_other
from dynagrag.generation.claims.quantities import quantities
from dynagrag.generation.claims.reading import Reading, read
from dynagrag.generation.claims.roles import (
    Predicate,
    Roles,
    is_be,
    kin_names,
    parent_roles,
    verb_roles,
)
from dynagrag.generation.claims.word_senses import senses
from dynagrag.language.words import DETERMINERS, FUNCTION_WORDS

_OF_ANOTHER = Gap("says it of somebody or something else")


def name_gap(comparison: Comparison) -> Gap | None:
    """A name that neither the sentence nor its speaker or title has, unless the sentence may be
    about the claim's subject without naming it.

    Catches "we met Ada in Bonn" of "we met Ada in Rome". Passes "Ada opened the valve" of "She
    opened the valve", "Germany" of "German".
    """
    names = comparison.claim.names
    there = {span for span in names if comparison.is_named(span)}
    excused = {span for span in names if comparison.is_subject(span)}
    if there.isdisjoint(excused) and not comparison.may_be_unnamed():
        excused = set()
    for span in names:
        if span not in there | excused:
            name = " ".join(word.text for word in comparison.claim.words[slice(*span)])
            return Gap(f"does not name {name}")
    return None


def apposition_gap(comparison: Comparison) -> Gap | None:
    """Of a subject that is listed beside others, the claim says what stands in the sentence behind
    another's name and a comma, and nowhere else.

    Catches "Paul is the chairman" of "Anna, the chairman, and Paul", "Paul has resigned" of "We
    thank Paul and Anna, who has resigned". Passes "Anna is the chairman", and "Paul made it" of
    "Paul met Anna, and made it".
    """
    claim, sentence = comparison.claim, comparison.sentence
    subject = next((span for span in claim.names if comparison.is_subject(span)), None)
    if subject is None:
        return None
    who = {word.low for word in claim.words[slice(*subject)]}
    said = {
        word.stem
        for i, word in enumerate(claim.words)
        if word.is_word and not subject[0] <= i < subject[1] and word.low not in FUNCTION_WORDS
    }
    beside = [(span, _apposed(sentence, span[1])) for span in sentence.names]
    others = [own for span, own in beside if own and not _are_of(sentence, span, who)]
    own = [span for span in sentence.names if _are_of(sentence, span, who)]
    is_listed = all(sentence.word(end).low in _LISTED for _, end in own)
    if not said or not others or not is_listed:
        return None
    taken = {i for start, end in others for i in range(start, end)}
    left = {word.stem for i, word in enumerate(sentence.words) if i not in taken}
    for start, end in others:
        words = sentence.words[start:end]
        stems = {word.stem for word in words}
        is_of_subject = not who.isdisjoint(word.low for word in words)
        if said <= stems and not said <= left and not is_of_subject:
            return _OF_ANOTHER
    return None


def _apposed(sentence: Reading, at: int) -> Span | None:
    """The words behind a name and a comma that tell of it, up to the next mark; None for none."""
    first = sentence.word(at + 1)
    if sentence.word(at).text != "," or not first.is_word or first.is_capitalized:
        return None
    if first.low in FUNCTION_WORDS and first.low not in _APPOSED:
        return None
    words = range(at + 1, len(sentence.words))
    end = next((i for i in words if sentence.words[i].text in _ENDS), len(sentence.words))
    return at + 1, end


def _are_of(sentence: Reading, span: Span, who: Collection[str]) -> bool:
    return any(word.low in who for word in sentence.words[slice(*span)])


_APPOSED = DETERMINERS | {"who", "whose", "our", "my", "your", "his", "her", "their"}
_ENDS = frozenset(",;.!?")
_LISTED = _ENDS | {"and", "or", ""}


def role_gap(comparison: Comparison) -> Gap | None:
    """The sentence has the claim's predicate, but others do it, or at another time; or it lacks the
    birth, death or kinship.

    Catches "Ada hired Bob" of "Bob hired Ada", "Ada died in 1990" of "Ada died in 1991", "Ann's
    mother was Bert" of "Ann, daughter of Bert". Passes "Bob was hired by Ada" of "Ada hired Bob",
    "X was directed by Ada" of "X, a film by Ada".
    """
    predicate = comparison.predicate
    if predicate is None:
        return None
    event = event_of(predicate.stem)
    if event:
        return _event_gap(comparison, predicate, event)
    if comparison.is_of_kinship:
        return _kin_gap(comparison, predicate)
    before = comparison.claim.words[max(0, predicate.at - 3) : predicate.at]
    if not predicate.is_passive and any(is_be(word) for word in before):
        return None  # "was founded in 1990" names nobody who did it
    agents, others = _agents_and_others(comparison, predicate)
    roles = list(verb_roles(comparison.sentence, predicate.stem))
    return _best_gap(comparison, roles, agents, others)


def object_gap(comparison: Comparison) -> Gap | None:
    """The sentence's verb has other objects than the claim's.

    Catches "Ann directed Rockets" of "Ann directed Comets and reviewed Rockets". Passes it of "Ann
    directed Comets and Rockets", "Rockets, which Ann directed".
    """
    predicate = comparison.predicate
    if predicate is None or comparison.is_of_kinship or event_of(predicate.stem):
        return None

    def has_object(at: int, region: frozenset[int]) -> bool:
        span = next((span for span in comparison.claim.names if span[1] - 1 == at), None)
        if span:
            return not comparison.is_around(span) and comparison.has_name(span, region)
        wanted = senses(comparison.claim.words[at].stem)
        return any(comparison.sentence.words[i].stem in wanted for i in region)

    agents, _ = _agents_and_others(comparison, predicate)
    fitting = [
        role.at
        for role in verb_roles(comparison.sentence, predicate.stem)
        if role.tells and _role_gap(comparison, role, agents, []) is None
    ]
    if fitting and is_done_to_other(
        comparison.claim, predicate, comparison.sentence, fitting, has_object
    ):
        return _OF_ANOTHER
    return None


def _event_gap(comparison: Comparison, predicate: Predicate, event: str) -> Gap | None:
    """The sentence tells of no such event, of another time, or of another place or cause."""
    claim = comparison.claim
    texts = list(event_texts(comparison.line.text, event))
    if not texts:
        return Gap(f"does not say {claim.words[predicate.at].low!r}")
    theirs = [number for text in texts for number in quantities(text)]
    for mine in quantities(claim.text):
        if not is_in_name(comparison, mine) and not any(mine.agrees(other) for other in theirs):
            return Gap(f"gives another time for it than {mine.said}", is_against=True)
    for span in claim.names:
        if span[0] > predicate.at and not any(has_name(claim, span, read(text)) for text in texts):
            return Gap("names another place or cause for it")
    return None


def _kin_gap(comparison: Comparison, predicate: Predicate) -> Gap | None:
    low = comparison.claim.words[predicate.at].low
    children, parents = kin_names(comparison.claim, predicate.at)
    wanted = low.rstrip("s") if low in KIN_UP else "parent"
    roles = list(parent_roles(comparison.sentence, wanted))
    if not roles:
        return Gap(f"does not say {low!r}")
    return _best_gap(comparison, roles, parents, children)


def _agents_and_others(
    comparison: Comparison, predicate: Predicate
) -> tuple[list[Span], list[Span]]:
    """The claim's names before and behind its verb, the other way round in "was hired by"."""
    before = [span for span in comparison.claim.names if span[1] <= predicate.at]
    after = [span for span in comparison.claim.names if span[0] > predicate.at]
    return (after, before) if predicate.is_passive else (before, after)


def _best_gap(
    comparison: Comparison, roles: list[Roles], agents: list[Span], patients: list[Span]
) -> Gap | None:
    """The gap of the place that fits best; None where no place says it."""
    telling = [role for role in roles if role.tells] or roles
    gaps = [_role_gap(comparison, role, agents, patients) for role in telling]
    if not gaps or None in gaps:
        return None
    return max((gap for gap in gaps if gap), key=lambda gap: gap.is_against)


def _role_gap(
    comparison: Comparison, role: Roles, agents: list[Span], patients: list[Span]
) -> Gap | None:
    """The claim's doers aren't those of this place."""
    if role.agents is None or not role.is_clear:
        return None
    missing = [
        span
        for span in agents
        if not comparison.has_name(span, role.agents) and not comparison.is_around(span)
    ]
    if not missing:
        return None
    if any(comparison.has_name(span) for span in missing):
        if any(comparison.has_name(span, role.agents) for span in patients):
            return Gap("has it the other way round", is_against=True)
        return _OF_ANOTHER
    is_subject = all(comparison.is_subject(span) for span in missing)
    return None if is_subject and comparison.may_be_unnamed() else _OF_ANOTHER
