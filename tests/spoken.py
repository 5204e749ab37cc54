"""A snapshot of conversations as questions are made of it: one passage a turn, things by name, a
record for each two in a sentence.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Document, Entity, Graph, Passage, RelationRecord, Snapshot, Turn
from dynagrag.language.sentences import sentence_spans

Talk = Sequence[tuple[str | None, str]]
LOOPS: Mapping[str, Talk] = {
    "Air ground": [
        ("CDR", "Houston, we've had a problem with the Delta valve."),
        ("LMP", "Okay. MAIN B was the one that had an amp spike on it once before."),
        (
            "CAPCOM",
            "The crew shall reconnect FUEL CELL 1 to MAIN A and keep the Delta valve closed.",
        ),
        ("LMP", "The reading of MAIN B is 25.5 volts by the second meter."),
    ],
    "Flight director": [
        ("EECOM", "The Odyssey lost 53 amps of its main current at noon."),
        ("FLIGHT", "Somebody should read the serial number of the Odyssey to the crew again."),
        ("GNC", "Low pressures in the tanks closed the Helium valve of the Odyssey."),
        ("FLIGHT", "Do you want to verify it?"),
        ("EECOM", "The Helium valve opened again after ten minutes of waiting."),
    ],
    "Press": [
        ("Reporter", "The Comet Bennett was seen above the launch site yesterday."),
        ("Speaker", "The crew photographed Comet Bennett through the hatch window twice."),
    ],
}
NAMES = (
    "Delta valve",
    "MAIN A",
    "MAIN B",
    "FUEL CELL 1",
    "Odyssey",
    "Helium valve",
    "Comet Bennett",
    "Houston",
)


def spoken(
    talks: Mapping[str, Talk] = LOOPS, names: Sequence[str] = NAMES, has_turns: bool = True
) -> Snapshot:
    """The snapshot of these talks, by title. `has_turns`: else their documents have none, as given
    passages have.
    """
    documents, turns, passages = {}, {}, []
    for number, (title, talk) in enumerate(talks.items()):
        id_ = f"d{number}"
        documents[id_] = Document(
            id_, "w", title, f"{id_}.txt", f"{number:064}", "\n".join(words for _, words in talk)
        )
        own, at = [], 0
        for index, (speaker, words) in enumerate(talk):
            own.append(Turn(f"{id_}-{index}", id_, index, at, at + len(words), speaker))
            passages.append(
                Passage(f"{id_}p{index}", id_, index, at, at + len(words), index, index)
            )
            at += len(words) + 1
        turns[id_] = tuple(own) if has_turns else ()
    said = {p.id: documents[p.document_id].text[p.start : p.end] for p in passages}
    speakers = sorted({speaker for talk in talks.values() for speaker, _ in talk if speaker})
    entities = [_entity(name, name in speakers) for name in sorted({*names, *speakers})]
    holding = tuple(
        tuple(id_ for id_, text in said.items() if entity.name in text) for entity in entities
    )
    vectors = np.zeros((len(entities), 4), dtype=np.float32)
    graph = Graph(tuple(entities), (), vectors, np.zeros((0, 4), dtype=np.float32), holding)
    records = {r.id: r for p in passages for r in _records(p, said[p.id], names)}
    return Snapshot(
        "w",
        "1",
        documents,
        turns,
        tuple(passages),
        np.zeros((len(passages), 4), dtype=np.float32),
        records,
        graph,
    )


def _entity(name: str, is_speaker: bool) -> Entity:
    key = entity_key(name)
    return Entity(f"e-{key}", key, name, "", (key,), (), "name", 1, (), is_speaker)


def _records(passage: Passage, text: str, names: Sequence[str]) -> list[RelationRecord]:
    found = []
    for start, end in sentence_spans(text):
        for a, b in combinations([name for name in names if name in text[start:end]], 2):
            first, last = passage.start + start, passage.start + end
            ends = entity_key(a), entity_key(b)
            id_ = f"{passage.id} {start} {ends}"
            found.append(
                RelationRecord(
                    id_,
                    passage.document_id,
                    0,
                    1,
                    passage.id,
                    *ends,
                    "is with",
                    "",
                    first,
                    last,
                    passage.first_turn,
                    "test",
                )
            )
    return found
