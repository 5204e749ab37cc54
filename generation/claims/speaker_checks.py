"""Whether a line says something of its speaker, or of what its title names, and not of another."""

from collections.abc import Collection

from dynagrag.generation.claims.attribution import is_speaker
from dynagrag.generation.claims.claim_lexicon import GOVERNING, SUBJECT_PRONOUNS
from dynagrag.generation.claims.comparison import Comparison, Gap
from dynagrag.generation.claims.name_match import Span, has_name
from dynagrag.generation.claims.reading import Reading, read
from dynagrag.generation.claims.roles import is_auxiliary, is_be, occurrences
from dynagrag.generation.claims.word_senses import lemma, senses
from dynagrag.language.english.data import words_of
from dynagrag.language.sentences import sentence_spans
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import DETERMINERS, FUNCTION_WORDS, ROLE_NOUNS

_SPEAKERS = frozenset("i we me us myself ourselves".split())
_OBJECTS = _SPEAKERS - {"i", "we"}
_INDEFINITE = ("body", "one")
_RELATIVE = frozenset(("who", "which", "that"))
_PASSED = frozenset("not never to also just only both all so then".split())
_JOINS = frozenset(("and", "but", "or", ","))
_SAID_OF_SELF = frozenset(("he", "she", "they"))


def speaker_gap(comparison: Comparison) -> Gap | None:
    """The claim says of the line's speaker, or of what is theirs, or of somebody in its title, what
    the sentence says of another whom it names, describes or calls he, they or you.

    Catches "Ann was arrested" and "Ann said she was arrested" of Ann's "My father was arrested",
    "Ann wanted to go" of her "My son wanted to go", "Ann's client left" of her "Bob's client left".
    Passes the first of her "I was arrested", "They arrested me", "Arrested in May", and of a
    title's "She was arrested"; the last of her "My client left".
    """
    if gap := _owner_gap(comparison):
        return gap
    if comparison.is_of_kinship:
        return None
    who, stem, is_of_title = comparison.attribution.who, None, False
    around: Span | None = None
    opening = comparison.claim.word(0).low
    is_own = bool(who) and is_speaker(who, comparison.line)
    if is_own and opening in _SAID_OF_SELF:
        spoken = _SPEAKERS | {opening}
    elif is_own and comparison.attribution.is_wished:
        spoken, stem = _SPEAKERS, lemma(comparison.attribution.verb.split()[0])
    elif around := _names_around(comparison):
        who = _text(comparison.claim, around)
        is_of_title = not is_speaker(_without_s(who), comparison.line)
        spoken = _SPEAKERS | SUBJECT_PRONOUNS if is_of_title else _SPEAKERS
    else:
        return None
    places = _places(comparison, stem)
    if around and not is_of_title and (things := _owned_things(comparison, around)):
        is_of_them = any(_is_of_thing(comparison, at, things) for at in places)
        return None if is_of_them or not places else Gap(f"does not say it of {who}")
    if not places or any(_may_be_of(comparison, at, spoken, is_of_title) for at in places):
        return None
    return Gap(f"does not say it of {who}")


def _text(reading: Reading, span: Span) -> str:
    return " ".join(word.text for word in reading.words[slice(*span)])


def _without_s(name: str) -> str:
    return name.removesuffix("'s")


def _owner_gap(comparison: Comparison) -> Gap | None:
    """The claim speaks of what is the speaker's, and the sentence has it only as another's: "Ann's
    client" of Ann's "Bob's client", "your client".
    """
    for span in comparison.claim.names:
        who = _text(comparison.claim, span)
        is_own = who.endswith("'s") and is_speaker(_without_s(who), comparison.line)
        if not is_own or comparison.has_name(span):
            continue
        places = _thing_places(comparison, span)
        if places and all(_owner(comparison.sentence, i) == _OTHERS for i in places):
            return Gap(f"does not say it of {who}")
    return None


def _owned_things(comparison: Comparison, span: Span) -> list[int]:
    """Where the sentence speaks of a thing of the claim as its speaker's own: my client."""
    if not comparison.claim.words[span[1] - 1].is_possessive:
        return []
    places = _thing_places(comparison, span)
    return [i for i in places if _owner(comparison.sentence, i) == _OWN]


def _thing_places(comparison: Comparison, span: Span) -> list[int]:
    """Where the sentence has the thing that stands behind a possessive of the claim."""
    claim, sentence = comparison.claim, comparison.sentence
    things = (i for i in claim.content() if span[1] <= i <= span[1] + _NEAR)
    thing = next(things, None)
    wanted = frozenset[str]() if thing is None else senses(claim.words[thing].stem)
    return [i for i, word in enumerate(sentence.words) if word.stem in wanted]


def _owner(sentence: Reading, at: int) -> str:
    """Whether a thing is who speaks' or another's, by the possessive before it; empty for none."""
    for i in range(at - 1, max(-1, at - 1 - _NEAR), -1):
        word = sentence.words[i]
        if not word.is_word:
            break
        if word.low in _MY:
            return _OWN
        if word.is_possessive or word.low in _THEIR:
            return _OTHERS
    return ""


_OWN, _OTHERS = "own", "another's"
_MY = words_of(WordClass.POSSESSIVE) & words_of(WordClass.OF_SPEAKERS) - {"your"}
_THEIR = words_of(WordClass.POSSESSIVE) - _MY
_NEAR = 2
"""Words between a possessive and its thing."""


def _is_of_thing(comparison: Comparison, at: int, things: Collection[int]) -> bool:
    """Whether one of these does or suffers what stands at a place: the nearest before it that no
    preposition governs: "my client in this case was".
    """
    sentence, predicate = comparison.sentence, comparison.predicate
    is_suffered = predicate is not None and _is_suffered(comparison.claim, predicate.at)
    if is_suffered and not _is_suffered(sentence, at):
        return any(i > at for i in things)  # "they arrested my client"
    before = (i for i in range(at - 1, -1, -1) if i in things or _is_subject(sentence, i))
    nearest = next((i for i in before if not _is_governed(sentence, i)), None)
    return nearest in things


def _is_governed(sentence: Reading, i: int) -> bool:
    """Whether a preposition stands right before a thing or before its determiner."""
    first = i - 1 if sentence.word(i - 1).low in DETERMINERS | _MY else i
    return sentence.word(first - 1).low in GOVERNING


def joined_gap(comparison: Comparison) -> Gap | None:
    """Of several sentences read together, that with the claim's verb is of somebody else whom it
    names, and the claim's subject stands in another.

    Catches "Bob left for Rome" of `Then Ann said, "I left for Rome." But it sent Bob to us.` Passes
    it of "Bob was tired. He left for Rome", "Ann left for Rome".
    """
    predicate, claim = comparison.predicate, comparison.claim
    spans = sentence_spans(comparison.line.text)
    if predicate is None or comparison.is_of_kinship or len(spans) < 2:
        return None
    subjects = [
        span
        for span in claim.names
        if (span[0] > predicate.at) == predicate.is_passive and not comparison.is_around(span)
    ]
    parts = [read(comparison.line.text[start:end]) for start, end in spans]
    telling = [(part, occurrences(part, predicate.stem)) for part in parts]
    telling = [(part, places) for part, places in telling if places]
    if not subjects or not telling:
        return None
    for part, places in telling:
        is_named = any(has_name(claim, span, part) for span in subjects)
        if is_named or not all(_is_said_by_another(comparison, part, at) for at in places):
            return None
    return Gap("says it of somebody or something else")


def _is_said_by_another(comparison: Comparison, part: Reading, at: int) -> bool:
    """Whether what stands at a place is said by a name in its sentence; of "I", the name of whoever
    is quoted, or of the line's speaker.
    """
    subject = _subject(part, at)
    if subject is None or subject in part.in_names:
        return subject is not None
    if part.words[subject].low not in _SPEAKERS:
        return False
    return bool(part.in_names if part.is_quoted(subject) else comparison.line.speaker)


def _names_around(comparison: Comparison) -> Span | None:
    """The claim's subject where the sentence lacks it, and its speaker or title has it; none where
    the predicate is another's: "Ann noticed that the valve was open", `Ann: "The valve was open"`.
    """
    claim = comparison.claim
    verb = comparison.predicate.at if comparison.predicate else 0
    return next(
        (
            span
            for span in claim.names
            if comparison.is_subject(span)
            and comparison.is_around(span)
            and not comparison.has_name(span)
            and claim.word(span[1]).is_word
            and all(word.low != "that" for word in claim.words[span[1] : verb])
        ),
        None,
    )


def _places(comparison: Comparison, stem: str | None) -> list[int]:
    """Where the sentence says a verb: of this stem, else the claim's, else that behind its subject
    ("dug"), of which the predicate knows nothing.
    """
    sentence, claim = comparison.sentence, comparison.claim
    if stem is None and comparison.predicate is None:
        start = next((end for _, end in claim.names), 1)
        at = next((i for i in range(start, len(claim.words)) if claim.words[i].is_word), start)
        if is_be(claim.word(at)):
            return [i for i, word in enumerate(sentence.words) if is_be(word)]
        stem = claim.word(at).stem
    places = comparison.places if stem is None else occurrences(sentence, stem)
    return [at for at in places if sentence.word(at - 1).low not in DETERMINERS]


def _may_be_of(comparison: Comparison, at: int, spoken: frozenset[str], is_of_title: bool) -> bool:
    """Whether what stands at a place may be said of somebody called by one of those words; of what
    a title names also as "the company".
    """
    sentence, predicate = comparison.sentence, comparison.predicate
    subject = _subject(sentence, at)
    is_suffered = predicate is not None and _is_suffered(comparison.claim, predicate.at)
    if is_suffered and not _is_suffered(sentence, at):
        behind = {word.low for word in sentence.words[at + 1 :]}
        return subject is None or not behind.isdisjoint(_OBJECTS)
    if subject is None or sentence.words[subject].low in spoken:
        return True
    thing = sentence.words[subject].low
    is_one_thing = sentence.word(subject - 1).low == "the" and not thing.endswith("s")
    return is_of_title and is_one_thing and thing not in ROLE_NOUNS


def _is_suffered(text: Reading, at: int) -> bool:
    """Whether a form of be stands right before a verb: `was arrested`."""
    return any(is_be(word) for word in text.words[max(0, at - 3) : at])


def _subject(sentence: Reading, at: int) -> int | None:
    """The word that tells who does what stands at a place: the nearest pronoun, name or described
    thing before it; behind "and" or a comma the first of the sentence; None where there is none.
    """
    before = at - 1
    while before >= 0 and _is_passed(sentence, before):
        before -= 1
    if before >= 0 and sentence.words[before].low in _JOINS:
        return next((i for i in range(before) if _is_subject(sentence, i)), None)
    nearest = sentence.word(before)
    is_alone = nearest.is_word and not sentence.word(before - 1).is_word
    if is_alone and nearest.low not in FUNCTION_WORDS | _SPEAKERS:
        return before  # "Thieves broke in"
    return next((i for i in range(before, -1, -1) if _is_subject(sentence, i)), None)


def _is_passed(sentence: Reading, i: int) -> bool:
    word = sentence.words[i]
    return i not in sentence.in_names and (
        is_auxiliary(word) or word.low in _PASSED or word.low.endswith("ly")
    )


def _is_subject(sentence: Reading, i: int) -> bool:
    """Whether a word may be a subject: a name, a pronoun, or what stands behind a determiner, with
    another word between them or without.
    """
    word = sentence.words[i]
    if i in sentence.in_names:
        return True
    if not word.is_word or is_auxiliary(word) or word.low in _PASSED | _RELATIVE:
        return False
    if word.low in SUBJECT_PRONOUNS | _SPEAKERS:
        return True
    if word.low in FUNCTION_WORDS:
        return word.low.endswith(_INDEFINITE)
    return sentence.word(i - 1).low in DETERMINERS or (
        sentence.word(i - 2).low in DETERMINERS and sentence.word(i - 1).is_word
    )
