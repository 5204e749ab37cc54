"""Which speakers of a snapshot a text names, as the labels of their turns."""

from functools import cached_property

from dynagrag.ids import speaker_key
from dynagrag.retrieval.bridge.speaker_linking import SpeakerLinker, speaker_linker
from dynagrag.schema import Snapshot


class NamedSpeakers:
    """Looks them up in the snapshot's graph, which is read at the first question."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @cached_property
    def labels(self) -> frozenset[str]:
        """All labels of turns."""
        return frozenset(turn.speaker for turns in self._snapshot.turns.values() for turn in turns if turn.speaker)

    @cached_property
    def _linker(self) -> SpeakerLinker:
        entities = self._snapshot.graph.entities
        return speaker_linker(entities, range(len(entities)), self._snapshot.documents.values())

    @cached_property
    def _labels_of(self) -> dict[int, set[str]]:
        """Those of each speaker among the entities: several where they were merged."""
        entity_of = {key: i for i, entity in enumerate(self._snapshot.graph.entities) if entity.is_speaker for key in entity.keys}
        found: dict[int, set[str]] = {}
        for document_id, turns in self._snapshot.turns.items():
            sha256 = self._snapshot.documents[document_id].sha256
            for label in {turn.speaker for turn in turns if turn.speaker}:
                entity = entity_of.get(speaker_key(label, sha256))
                if entity is not None:
                    found.setdefault(entity, set()).add(label)
        return found

    def named_in(self, question: str) -> frozenset[str]:
        """Those whom a question names: whole, by a word of four letters or more of their label, or as `meant_by` has it."""
        asked = question.casefold().replace("’", "'").split()
        said = {word.strip('.,;:!?"()').removesuffix("'s") for word in asked}
        found = set(self.meant_by(question))
        for label in self.labels:
            words = label.casefold().split()
            if all(word in said for word in words) or any(len(word) > 3 and word in said for word in words):
                found.add(label)
        return frozenset(found)

    def meant_by(self, text: str) -> frozenset[str]:
        """Those whom a text means by last name, title and last name, or role: "Justice Kagan", "the Chief Justice"."""
        return frozenset(label for entity in self._linker.find(text) for label in self._labels_of.get(entity, ()))
