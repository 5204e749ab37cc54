"""Questions about who said what of a thing: one speaker, two of them, everybody, and a speaker who
never named it.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, zip_longest

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Entity, Snapshot
from dynagrag.evaluation.questions.drafts import Draft, SplitSayings
from dynagrag.evaluation.questions.made_question import QuestionKind
from dynagrag.evaluation.questions.sayings import Saying, may_be_joined
from dynagrag.generation.support import content_stems

MAX_SAID = 3
"""Sayings of a speaker about a thing that a specific question asks for; with more it is a theme."""
_MIN_THEME = 3
"""Passages that a theme is spread over."""
_MAX_ANSWERED = 12
"""Sayings that the answer of a theme quotes; all of the thing's are what should be found."""
_MAX_VOICES = 20
"""Speakers or documents of one entity that are looked at for that."""
_MAX_COMPARED = 4
"""Pairs of them that are compared on one entity."""
_MAX_UNNAMED, _MAX_LOOKED_AT = 20, 400
"""Entities of one speaker, and how many are looked at for them."""
_NEAR = 5
"""Turns around a speaker's own in which a naming may be what they mean without the name."""


def specific_drafts(evidence: SplitSayings) -> Iterator[Draft]:
    """Asks what a speaker said about an entity; where nobody knows the speaker, what is said in a
    document.
    """
    for entity in evidence.sayings.entities:
        for speaker, sayings in evidence.spoken[entity.id].items():
            if len(sayings) <= MAX_SAID and evidence.are_together(sayings):
                question = f"What did {speaker} say about {entity.name}?"
                yield Draft(
                    QuestionKind.SPECIFIC,
                    question,
                    _joined(sayings),
                    sayings[0].document_id,
                    sayings,
                    (entity,),
                    speaker=speaker,
                )
        nobodys = _by_document(
            saying for saying in evidence.sayings.by_entity[entity.id] if not saying.speaker
        )
        for id_, own in nobodys.items():
            if (
                len(own) <= MAX_SAID
                and evidence.is_nameable(id_)
                # all of a document is about what it is called
                and entity_key(evidence.titles[id_]) not in entity.keys
            ):
                yield Draft(
                    QuestionKind.SPECIFIC,
                    _of_document(evidence, entity, id_),
                    _joined(own),
                    id_,
                    tuple(own),
                    (entity,),
                )


def comparison_drafts(evidence: SplitSayings) -> Iterator[Draft]:
    """Asks what two speakers, or two documents without known speakers, each say about an entity."""
    for entity in evidence.sayings.entities:
        by_voice = {
            voice: sayings
            for voice, sayings in _voices(evidence, entity).items()
            if len(sayings) <= MAX_SAID
        }
        every = combinations(list(by_voice)[:_MAX_VOICES], 2)
        pairs = [
            (a, b)
            for a, b in every
            if _are_comparable(evidence, entity, (*by_voice[a], *by_voice[b]))
        ]
        for first, second in pairs[:: max(1, len(pairs) // _MAX_COMPARED)][:_MAX_COMPARED]:
            sayings = (*by_voice[first], *by_voice[second])
            is_of_speakers = sayings[0].speaker is not None
            question = f"What did {first} and {second} each say about {entity.name}?"
            if not is_of_speakers:
                question = f'What is said about {entity.name} in "{first}", and what in "{second}"?'
            answer = f"{first}: {_joined(by_voice[first])} {second}: {_joined(by_voice[second])}"
            yield Draft(
                QuestionKind.COMPARISON,
                question,
                answer,
                sayings[0].document_id,
                sayings,
                (entity,),
                speaker=first if is_of_speakers else "",
            )


def thematic_drafts(evidence: SplitSayings) -> Iterator[Draft]:
    """Asks what was said about an entity of many passages; of one document where documents of
    several splits are.
    """
    for entity in evidence.sayings.entities:
        every = evidence.sayings.by_entity[entity.id]
        is_one = _are_comparable(evidence, entity, every)
        groups: Iterable[Sequence[Saying]] = [every] if is_one else _by_document(every).values()
        for sayings in groups:
            is_whole = len(sayings) == len(every)
            if len({saying.passage_id for saying in sayings}) < _MIN_THEME or not (
                is_whole or evidence.is_nameable(sayings[0].document_id)
            ):
                continue
            where = "" if is_whole else f' in "{evidence.titles[sayings[0].document_id]}"'
            who = (
                ", and by whom"
                if len({saying.speaker for saying in sayings if saying.speaker}) > 1
                else ""
            )
            question = f"What was said about {entity.name}{where}{who}?"
            answer = " ".join(
                f"{s.speaker}: {s.text}" if s.speaker else s.text for s in sayings[:_MAX_ANSWERED]
            )
            yield Draft(
                QuestionKind.THEMATIC,
                question,
                answer,
                sayings[0].document_id,
                tuple(sayings),
                (entity,),
            )


def unanswerable_drafts(evidence: SplitSayings) -> Iterator[Draft]:
    """Asks what a speaker said about an entity that they never name: in turn of their own
    documents, far from their turns, which is the harder one, and of others. A speaker of several
    splits is left out: the question would be of all of them.
    """
    heard, known = (
        _Heard(evidence.sayings.snapshot),
        {saying.speaker for saying in evidence.sayings.every},
    )
    for speaker, documents in evidence.sayings.speakers.items():
        own = [id_ for id_ in documents if id_ in evidence.splits]
        if speaker in known and len({evidence.splits[id_] for id_ in own}) == 1:
            said, near = heard.of(speaker)
            unnamed = (
                e
                for e in _here_and_elsewhere(evidence, speaker, documents)
                if _is_unnamed(evidence, speaker, said, near, e)
            )
            for entity in islice(unnamed, _MAX_UNNAMED):
                question = f"What did {speaker} say about {entity.name}?"
                yield Draft(
                    QuestionKind.UNANSWERABLE, question, "", own[0], (), (entity,), speaker=speaker
                )

    yield from _unanswerable_of_documents(evidence)


def _unanswerable_of_documents(evidence: SplitSayings) -> Iterator[Draft]:
    """Asks what a document without known speakers says about an entity that only others name."""
    with_speakers = {id_ for ids in evidence.sayings.speakers.values() for id_ in ids}
    for id_ in evidence.splits:
        if id_ in with_speakers or not evidence.is_nameable(id_):
            continue
        stems = content_stems(evidence.sayings.snapshot.documents[id_].text)
        unnamed = (
            e
            for e in _here_and_elsewhere(evidence, id_, [id_])
            if (names := frozenset().union(*map(content_stems, _names(e)))) and not names & stems
        )
        for entity in islice(unnamed, _MAX_UNNAMED):
            yield Draft(
                QuestionKind.UNANSWERABLE,
                _of_document(evidence, entity, id_),
                "",
                id_,
                (),
                (entity,),
            )


def _here_and_elsewhere(
    evidence: SplitSayings, chance: str, documents: Iterable[str]
) -> list[Entity]:
    """Some entities in an order of chance, in turn one that the documents are about and one that
    none of them is.
    """
    entities, own = evidence.sayings.entities, {*documents}
    some = random.Random(chance).sample(entities, min(len(entities), _MAX_LOOKED_AT))
    here, elsewhere = list[Entity](), list[Entity]()
    for entity in some:
        (
            here
            if any(s.document_id in own for s in evidence.sayings.by_entity[entity.id])
            else elsewhere
        ).append(entity)
    return [
        entity for pair in zip_longest(here, elsewhere) for entity in pair if entity is not None
    ]


def _is_unnamed(
    evidence: SplitSayings, speaker: str, said: frozenset[str], near: frozenset[str], entity: Entity
) -> bool:
    """Whether a speaker, of whose turns `said` are the content words and `near` those around them,
    surely says nothing about an entity.
    """
    names = [content_stems(name) for name in _names(entity)]
    is_self = entity == evidence.sayings.speaker_entities.get(speaker)
    return (
        any(names)
        and not any(name & said or (name and name <= near) for name in names)
        and not is_self
    )


def _names(entity: Entity) -> list[str]:
    """Forms of an entity's name: its names, and the initials of those of several words (`EU`)."""
    names = [entity.name, *entity.aliases]
    initials = ["".join(word[0] for word in name.split() if word[0].isupper()) for name in names]
    return [*names, *(short for short in initials if len(short) > 1)]


def _of_document(evidence: SplitSayings, entity: Entity, document_id: str) -> str:
    """Asks what a document says about an entity; it is named where there are several."""
    where = f' in "{evidence.titles[document_id]}"' if len(evidence.titles) > 1 else ""
    return f"What is said about {entity.name}{where}?"


def _are_comparable(evidence: SplitSayings, entity: Entity, sayings: Sequence[Saying]) -> bool:
    """Whether sayings about an entity stand in one split, and are likely to mean one thing."""
    return evidence.are_together(sayings) and may_be_joined(entity, sayings)


def _voices(evidence: SplitSayings, entity: Entity) -> Mapping[str, tuple[Saying, ...]]:
    """Speaker -> what they say about an entity; where none of it has a speaker, title -> what its
    document says.
    """
    own = evidence.sayings.by_entity[entity.id]
    speakers = sorted({saying.speaker for saying in own if saying.speaker})
    if speakers:
        return {speaker: evidence.spoken[entity.id][speaker] for speaker in speakers}
    return {
        evidence.titles[id_]: tuple(said)
        for id_, said in _by_document(own).items()
        if evidence.is_nameable(id_)
    }


def _by_document(sayings: Iterable[Saying]) -> Mapping[str, list[Saying]]:
    found: dict[str, list[Saying]] = defaultdict(list)
    for saying in sayings:
        found[saying.document_id].append(saying)
    return found


def _joined(sayings: Iterable[Saying]) -> str:
    return " ".join(saying.text for saying in sayings)


class _Heard:
    """The content words of a speaker's turns, and of those around them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._turns = {
            id_: [turn.speaker for turn in turns] for id_, turns in snapshot.turns.items()
        }
        self._stems = {
            id_: [content_stems(snapshot.text(id_, turn.start, turn.end)) for turn in turns]
            for id_, turns in snapshot.turns.items()
        }

    def of(self, speaker: str) -> tuple[frozenset[str], frozenset[str]]:
        """Both, over all documents."""
        said, near = set[str](), set[str]()
        for id_, speakers in self._turns.items():
            for number, name in enumerate(speakers):
                if name == speaker:
                    said |= self._stems[id_][number]
                    near.update(*self._stems[id_][max(0, number - _NEAR) : number + _NEAR + 1])
        return frozenset(said), frozenset(near)
