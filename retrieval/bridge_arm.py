"""`bridge-ppr`: passages by Bridge-PPR, and in documents of several passages by what stands around them too."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dynagrag.ids import speaker_key
from dynagrag.retrieval.bridge import BRIDGE_WEIGHT, BridgeScorer, BridgeScores
from dynagrag.retrieval.bridge_graph import BridgeGraph
from dynagrag.retrieval.linking import EntityLinker
from dynagrag.retrieval.passages import PassageScores, Scores, unit_rows, z01
from dynagrag.schema import Bridge, BridgeTrace, PassageParts, Question, Retrieval, ScoredPassage, Snapshot

Ints = NDArray[np.int64]

DENSE_SHARE_WITHOUT_GRAPH = 0.7
"""Where there is no graph the words count less (retrieval spec, section 2)."""
SPEAKER_WEIGHT = 0.2


@dataclass(frozen=True, slots=True)
class Ranking:
    """All passages (p,) scored: `total`, the first stage, and what neighbours and speakers added; `found` None where there is no graph."""

    total: Scores
    first: Scores
    around: Scores
    found: BridgeScores | None
    linked: tuple[int, ...]


class BridgeSearch:
    """Bridge-PPR (retrieval spec, section 1), and under the same rule what stands around a passage (section 4):

        score = (z01(S) + w (z01(S~) + z01(F over stretches))) / (1 + 2 w) + 0.2 [a speaker that the question names speaks in it]

    S is Bridge-PPR's score, S~ the same smoothed over the neighbours, w the presence of neighbours: 0 in a document of one passage, which
    so has Bridge-PPR alone, and 1 amid a long transcript.
    """

    name = "bridge-ppr"

    def __init__(self, snapshot: Snapshot, passages: PassageScores | None = None) -> None:
        self._snapshot = snapshot
        self._passages = passages or PassageScores(snapshot)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Scores are relative to this corpus, 0 to 1. No subgraphs. The trace says what each part added."""
        ranking = self.rank(question)
        best = self._passages.best(ranking.total, num_passages)
        notes = () if ranking.found else ("the graph is empty: passages by vectors and words alone",)
        return Retrieval(self.name, best, notes=notes, trace=self.trace(ranking, best))

    def rank(self, question: Question) -> Ranking:
        """Every passage's score and what it is made of."""
        linked: tuple[int, ...] = ()
        if not len(self._snapshot.facts.held):
            first = self._passages.fused(question.text, question.vector, DENSE_SHARE_WITHOUT_GRAPH)
            found, bridged = None, first
        else:
            first = self._passages.fused(question.text, question.vector)
            linked = self._linker.link(question.text)
            found = self._scorer.score(question.text, question.vector, first, linked)
            bridged = found.total
        total, around = self._with_surroundings(question, z01(bridged), linked)
        return Ranking(np.round(total, 6), first, around, found, linked)

    def _with_surroundings(self, question: Question, scores: Scores, linked: tuple[int, ...]) -> tuple[Scores, Scores]:
        """The scores with neighbours and speakers, and what these two added."""
        neighbours = self._passages.neighbours
        w = neighbours.presence
        total = scores
        if w.any():
            near = z01(neighbours.smooth(scores)) + z01(self._passages.windows(question.text, question.vector))
            total = (scores + w * near) / (1.0 + 2.0 * w)
        spoken = [self._spoken[entity] for entity in linked if entity in self._spoken]
        if spoken:
            total = total.copy()
            total[np.unique(np.concatenate(spoken))] += SPEAKER_WEIGHT
        return total, total - scores

    def trace(self, ranking: Ranking, best: tuple[ScoredPassage, ...]) -> BridgeTrace | None:
        """Why these passages; None where there is no graph."""
        found = ranking.found
        if found is None:
            return None
        snapshot, entities = self._snapshot, self._snapshot.graph.entities
        rows = [self._passages.row_of[scored.passage.id] for scored in best]
        gained = found.gate * BRIDGE_WEIGHT * found.bridge
        bridges = tuple(
            Bridge(
                source_id=snapshot.passages[found.steps[row].source].id,
                entity_id=entities[found.steps[row].entity].id,
                name=entities[found.steps[row].entity].name,
                passage_id=snapshot.passages[row].id,
                gain=round(float(gained[row]), 6),
            )
            for row in rows
            if row in found.steps
        )
        return BridgeTrace(
            linked=tuple(entities[entity].name for entity in ranking.linked),
            facts=tuple((snapshot.facts.texts[fact], cosine) for fact, cosine in found.facts),
            gate=found.gate,
            bridges=bridges,
            parts=tuple(self._parts(ranking, found, row, float(gained[row])) for row in rows),
        )

    def _parts(self, ranking: Ranking, found: BridgeScores, row: int, gained: float) -> PassageParts:
        return PassageParts(
            passage_id=self._snapshot.passages[row].id,
            first=round(float(ranking.first[row]), 6),
            graph=round(float(found.gate * found.graph[row]), 6),
            bridge=round(gained, 6),
            around=round(float(ranking.around[row]), 6),
        )

    @cached_property
    def _spoken(self) -> Mapping[int, Ints]:
        """Rows of the passages in which each speaker among the entities speaks."""
        snapshot = self._snapshot
        entity_of = {key: i for i, entity in enumerate(snapshot.graph.entities) if entity.is_speaker for key in entity.keys}
        rows: dict[int, list[int]] = {}
        for row, passage in enumerate(snapshot.passages):
            document = snapshot.documents[passage.document_id]
            turns = snapshot.turns.get(passage.document_id, ())[passage.first_turn : passage.last_turn + 1]
            for speaker in dict.fromkeys(turn.speaker for turn in turns if turn.speaker):
                entity = entity_of.get(speaker_key(speaker, document.sha256))
                if entity is not None:
                    rows.setdefault(entity, []).append(row)
        return {entity: np.array(own, dtype=np.int64) for entity, own in rows.items()}

    @cached_property
    def _graph(self) -> BridgeGraph:
        return BridgeGraph(self._snapshot.facts, len(self._snapshot.graph.entities))

    @cached_property
    def _scorer(self) -> BridgeScorer:
        return BridgeScorer(self._graph, self._snapshot.passage_vectors, unit_rows(self._snapshot.graph.entity_vectors))

    @cached_property
    def _linker(self) -> EntityLinker:
        return EntityLinker(self._snapshot.graph.entities, self._graph.df > 0)
