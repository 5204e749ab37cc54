"""Clozes: a line with one thing left out, which the question asks for. Of one line (an entity, a
number, its speaker), or of two lines that name the same entity.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from dynagrag.core.schema import Entity
from dynagrag.evaluation.questions.drafts import Draft, SplitSayings
from dynagrag.evaluation.questions.made_question import QuestionKind, Split
from dynagrag.evaluation.questions.sayings import NamedEntity, Saying, may_be_joined, wording
from dynagrag.evaluation.statements.rewordings import said_by
from dynagrag.evaluation.statements.statement import is_statement
from dynagrag.generation.support import content_stems
from dynagrag.language.english.finite_verbs import finite_verb
from dynagrag.language.english.spoken_lines import NUMERAL, OF_SPEAKERS
from dynagrag.language.words import FUNCTION_WORDS

GAP = "____"
_MIN_LEFT = 3
"""Content words that a line must keep, else nobody can tell which line it is."""
_MAX_PAIRS = 4
"""Of one entity: else one that is named everywhere would fill a file."""
_MAX_SAID = 3
"""Sayings of a speaker about an entity that an answer holds: more than these is a theme."""
_PERSONAL = re.compile(rf"\b(?:{OF_SPEAKERS}|that|he|she|they|it)\b", re.IGNORECASE)
_WORD_BEHIND = re.compile(r" ([a-z]+)")


def cloze_drafts(evidence: SplitSayings) -> Iterator[Draft]:
    """Every saying with an entity, a number or its speaker left out."""
    for saying in evidence.sayings.every:
        for entity in saying.about:
            yield from _entity_cloze(saying, entity)
        yield from _number_clozes(saying)
        yield from _speaker_cloze(evidence, saying)


def two_hop_drafts(evidence: SplitSayings) -> Iterator[Draft]:
    """Two lines of different passages that name one entity, which is left out: what it is, or what
    another speaker says about it.
    """
    for split in Split:
        for entity in evidence.sayings.entities:
            own = evidence.in_split(split, evidence.sayings.by_entity[entity.id])
            yield from _shared_entity(own, entity)
            yield from _said_elsewhere(evidence, own, entity)


def without(saying: Saying, entity: Entity) -> str | None:
    """The saying with the entity left out wherever it is named; None where too little is left, or
    it is given away.
    """
    text = saying.text
    for named in reversed(saying.named):
        if named.entity.id == entity.id:
            text = text[: named.start] + GAP + text[named.end :]
    left = text.replace(GAP, " ")
    if len(content_stems(left)) < _MIN_LEFT or any(
        has_words(left, name) for name in (entity.name, *entity.aliases)
    ):
        return None
    return text


def has_words(text: str, words: str) -> bool:
    """Whether a text has these words in a row, whatever their case and marks."""
    return f" {wording(words)} " in f" {wording(text)} "


def _entity_cloze(saying: Saying, entity: Entity) -> Iterator[Draft]:
    named = next(n for n in saying.named if n.entity.id == entity.id)
    text = without(saying, entity)
    if text is None:
        return
    answer = saying.text[named.start : named.end]
    yield Draft(
        QuestionKind.CLOZE,
        _subject_question(saying, named, text) or left_out(saying, text),
        answer,
        saying.document_id,
        (saying,),
        (entity,),
        (entity.name, *entity.aliases),
        saying.speaker or "",
    )


def left_out(saying: Saying, text: str) -> str:
    """Asks what a line lacks."""
    return (
        f"{_quoted(saying, text)} What is left out?"
        if saying.speaker
        else f'What is left out here: "{text}"'
    )


def _quoted(saying: Saying, text: str) -> str:
    return f'{saying.speaker} said, "{text}"' if saying.speaker else f'One line says, "{text}"'


def _subject_question(saying: Saying, named: NamedEntity, text: str) -> str | None:
    """A question proper where the entity is the subject: it stands first, its verb behind it, and
    nothing refers to the speaker.
    """
    finite = finite_verb(saying.text)
    rest = text[len(GAP) :].strip()
    is_subject = (
        named.start == 0
        and finite is not None
        and finite.span[0] - named.end in (0, 1)
        and finite.span[0] > named.end
    )
    if not is_subject or GAP in rest or _PERSONAL.search(rest) or not is_statement(saying.text):
        return None
    pronoun = "who" if named.entity.is_speaker or named.entity.type == "person" else "who or what"
    question = f"{pronoun} {rest.rstrip('.! ')}?"
    return (
        f"According to {saying.speaker}, {question}"
        if saying.speaker
        else question[0].upper() + question[1:]
    )


def _number_clozes(saying: Saying) -> Iterator[Draft]:
    for match in NUMERAL.finditer(saying.text):
        is_in_name = any(
            named.start < match.end() and match.start() < named.end for named in saying.named
        )
        text = saying.text[: match.start()] + GAP + saying.text[match.end() :]
        left = text.replace(GAP, " ")
        if (
            is_in_name
            or not _is_amount(saying.text, match)
            or len(content_stems(left)) < _MIN_LEFT
            or has_words(left, match[0])
        ):
            continue
        question = f"{_quoted(saying, text)} Which number is left out?"
        yield Draft(
            QuestionKind.CLOZE,
            question,
            match[0],
            saying.document_id,
            (saying,),
            saying.about,
            speaker=saying.speaker or "",
        )


def _is_amount(text: str, match: re.Match[str]) -> bool:
    """Whether a number isn't that of a thing (`fuel cell 3 to ...`) or a call (`13, ...`): several
    digits, or what it counts behind it.
    """
    following = _WORD_BEHIND.match(text, match.end())
    is_counting = (
        following is not None and following[1].endswith("s") and following[1] not in FUNCTION_WORDS
    )
    return match.start() > 0 and (is_counting or sum(map(str.isdigit, match[0])) > 1)


def _speaker_cloze(evidence: SplitSayings, saying: Saying) -> Iterator[Draft]:
    """Asks for the speaker, where several speak in the document and the line names none."""
    sayings = evidence.sayings
    num_speakers = sum(saying.document_id in documents for documents in sayings.speakers.values())
    if saying.speaker is None or num_speakers < 2 or has_words(saying.text, saying.speaker):
        return
    question = (
        said_by("Who", saying.text) if is_statement(saying.text) else f'Who said, "{saying.text}"'
    )
    question = question.rstrip('.!" ') + ('"?' if question.endswith('"') else "?")
    entity = sayings.speaker_entities.get(saying.speaker)
    yield Draft(
        QuestionKind.CLOZE,
        question,
        saying.speaker,
        saying.document_id,
        (saying,),
        (entity,) if entity else (),
        entity.aliases if entity else (),
        saying.speaker,
    )


def _shared_entity(sayings: Sequence[Saying], entity: Entity) -> Iterator[Draft]:
    """Asks for a name that two lines share: each with the next that stands in another passage."""
    pairs = [
        (a, b)
        for a, b in pairwise(sayings)
        if a.passage_id != b.passage_id and may_be_joined(entity, (a, b))
    ]
    for first, second in pairs[:: max(1, len(pairs) // _MAX_PAIRS)][:_MAX_PAIRS]:
        texts = without(first, entity), without(second, entity)
        if texts[0] is None or texts[1] is None:
            continue
        second_said = (
            f'And elsewhere: "{texts[1]}"'
            if first.speaker == second.speaker
            else _quoted(second, texts[1])
        )
        question = f"{_quoted(first, texts[0])} {second_said} What is left out of both?"
        names = (entity.name, *entity.aliases)
        yield Draft(
            QuestionKind.TWO_HOP,
            question,
            entity.name,
            first.document_id,
            (first, second),
            (entity,),
            names,
            first.speaker or "",
        )


def _said_elsewhere(
    evidence: SplitSayings, sayings: Sequence[Saying], entity: Entity
) -> Iterator[Draft]:
    """Asks what one speaker says, in another passage, about a thing that another speaker's line
    names.
    """
    made = 0
    for first in sayings:
        text = without(first, entity)
        if text is None or not first.speaker:
            continue
        for speaker, said in evidence.spoken[entity.id].items():
            is_other = speaker != first.speaker and all(
                s.passage_id != first.passage_id for s in said
            )
            if (
                not is_other
                or not may_be_joined(entity, (first, *said))
                or len(said) > _MAX_SAID
                or not evidence.are_together([first, *said])
            ):
                continue
            if made == _MAX_PAIRS:
                return
            made += 1
            yield Draft(
                QuestionKind.TWO_HOP,
                f"{_quoted(first, text)} What did {speaker} say about the thing that is left out?",
                " ".join(s.text for s in said),
                first.document_id,
                (first, *said),
                (entity,),
                speaker=speaker,
            )
