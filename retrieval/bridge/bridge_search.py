"""`bridge-ppr`: passages by Bridge-PPR, and in documents of several passages by their neighbours
too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.schema import (
    Bridge,
    BridgeTrace,
    PassageParts,
    Question,
    Retrieval,
    ScoredPassage,
    ScoredTurn,
    Snapshot,
)
from dynagrag.core.vectors import unit_rows
from dynagrag.retrieval.bridge.bridge_graph import BridgeGraph
from dynagrag.retrieval.bridge.linking import EntityLinker
from dynagrag.retrieval.bridge.scorer import BRIDGE_WEIGHT, BridgeScorer, BridgeScores, length_gate
from dynagrag.retrieval.bridge.speaker_linking import speaker_among, speaking_entities
from dynagrag.retrieval.passages import PassageScores, Scores, z01
from dynagrag.retrieval.turn_scores import TurnScores

Ints = NDArray[np.int64]

NUM_TURNS = 50
"""Turns of a retrieval."""
AROUND_WEIGHT = 2.0
"""The weight of the smoothed scores amid a long document; a passage's own is 1 (Surroundings, step
3).
"""
SPEAKER_WEIGHT = 0.6
"""Added to a passage in which a speaker speaks whom the question names (Surroundings, step 3)."""
TIE = 1e-9
"""The difference that keeps equal scores in the order in which they were dealt out."""
STEPS_WEIGHT = 0.6
"""The weight of the mean score for the steps of a split question; the whole question's is 1
(Surroundings, step 5).
"""


@dataclass(frozen=True, slots=True)
class Ranking:
    """All passages (p,) scored: `total`, the first stage, and `alone`, Bridge-PPR's score without
    what changes it afterwards; all `turns` (t,); `found` None without a graph; `steps`: what the
    steps of a question that was split changed in the total.
    """

    total: Scores
    first: Scores
    alone: Scores
    turns: Scores
    found: BridgeScores | None
    linked: tuple[int, ...]
    steps: Scores | None = None
    step_texts: tuple[str, ...] = ()


class BridgeSearch:
    """Bridge-PPR, and what stands around a passage (docs/papers.md, Bridge-PPR and Surroundings).

    1. Score all turns by words and vectors: a passage has the score of its best turn, f.
    2. Score all passages by Bridge-PPR on f: S, 0 to 1. f weighs 0.5 where passages stand alone and
       up to 1 in long documents, the graph 1 and down to a third. What the graph adds to a passage
       it adds to its turns.
    3. Put the passages that have neighbours in their document in an order of their own, `S + 2 (w
       z01(S~) + (1 - W) S) + 0.6 [a speaker whom the question names speaks in it]`: S~ is S
       smoothed over the neighbours, w how many neighbours there are, W the most that any passage of
       the document has. They share out the scores that they had, so one that stands alone keeps its
       place. Turns aren't smoothed.
    4. Of a split question mix in the mean score of its steps.
    """

    name = "bridge-ppr"

    def __init__(self, snapshot: Snapshot, passages: PassageScores | None = None) -> None:
        self._snapshot = snapshot
        self._passages = passages or PassageScores(snapshot)
        self._turns = TurnScores(self._passages)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Scores are relative to this corpus, 0 to 1. No subgraphs. The best turns too. The trace
        says what each part added.
        """
        ranking = self.rank(question)
        best = self._passages.best(ranking.total, num_passages)
        notes = (
            () if ranking.found else ("the graph is empty: passages by vectors and words alone",)
        )
        return Retrieval(
            self.name,
            best,
            notes=notes,
            trace=self.trace(ranking, best),
            turns=self.best_turns(ranking),
        )

    def best_turns(self, ranking: Ranking) -> tuple[ScoredTurn, ...]:
        """The best turns of a ranking."""
        return self._turns.best(ranking.turns, NUM_TURNS)

    def rank(self, question: Question) -> Ranking:
        """Every passage's score and what it is made of."""
        whole = self._rank(question)
        if not question.steps:
            return whole
        steps = [self._rank(step) for step in question.steps]
        weight = STEPS_WEIGHT * length_gate(question.text)

        def mixed(own: Scores, of_steps: Sequence[Scores]) -> Scores:
            mean: Scores = np.mean(of_steps, axis=0)
            return (own + weight * mean) / (1.0 + weight)

        total = mixed(whole.total, [step.total for step in steps])
        return replace(
            whole,
            total=total,
            turns=mixed(whole.turns, [step.turns for step in steps]),
            steps=total - whole.total,
            step_texts=tuple(step.text for step in question.steps),
        )

    def _rank(self, question: Question) -> Ranking:
        """A question as if it had no steps."""
        turns, first = self._turns.first_stage(question.text, question.vector)
        found: BridgeScores | None = None
        linked: tuple[int, ...] = ()
        if len(self._snapshot.facts.held):
            linked = self._linker.link(question.text)
            v, weight = self._first_weight, self._graph_weight
            found = self._scorer.score(question.text, question.vector, first, linked, v, weight)
            turns, first = v * turns, v * first
            turns += (found.total - first)[self._turns.rows]
        alone = z01(found.total if found else first)
        total = self._with_surroundings(alone, linked)
        return Ranking(total, first, alone, turns, found, linked)

    def _with_surroundings(self, scores: Scores, linked: tuple[int, ...]) -> Scores:
        """The scores with those of the passages that have neighbours dealt out in another order."""
        neighbours = self._passages.neighbours
        w = neighbours.presence
        rows = np.flatnonzero(w > 0)
        if not len(rows):
            return scores
        # A short document has few neighbours for all its passages: their own scores stand in.
        missing = 1.0 - neighbours.most_present
        order = scores + AROUND_WEIGHT * (w * z01(neighbours.smooth(scores)) + missing * scores)
        spoken = [self._spoken[entity] for entity in linked if entity in self._spoken]
        if spoken:
            order[np.unique(np.concatenate(spoken))] += SPEAKER_WEIGHT
        dealt = scores.copy()
        ranked = rows[np.argsort(-np.round(order[rows], 6), kind="stable")]
        dealt[ranked] = np.sort(scores[rows])[::-1] - TIE * np.arange(len(rows))
        return dealt

    def trace(self, ranking: Ranking, best: tuple[ScoredPassage, ...]) -> BridgeTrace | None:
        """Why these passages; None where there is no graph."""
        found = ranking.found
        if found is None:
            return None
        snapshot, entities = self._snapshot, self._snapshot.graph.entities
        named = [(entity.id, entity.name) for entity in entities]
        named += [("", word) for word in snapshot.facts.words]
        rows = [self._passages.row_of[scored.passage.id] for scored in best]
        parts = [self._parts(ranking, found, row) for row in rows]
        bridges = []
        for row, part in zip(rows, parts, strict=True):
            if (origin := found.origins.get(row)) is not None:
                entity_id, name = named[origin.entity]
                source_id = snapshot.passages[origin.source].id
                passage_id = snapshot.passages[row].id
                bridges.append(Bridge(source_id, entity_id, name, passage_id, part.bridge))
        return BridgeTrace(
            linked=tuple(entities[entity].name for entity in ranking.linked),
            facts=tuple((snapshot.facts.texts[fact], cosine) for fact, cosine in found.facts),
            gate=found.gate,
            bridges=tuple(bridges),
            parts=tuple(parts),
            steps=ranking.step_texts,
        )

    def _parts(self, ranking: Ranking, found: BridgeScores, row: int) -> PassageParts:
        """In units of the score, so that they add up to it: z01 divides by the corpus's range; the
        graph's part begins at its low end.
        """
        low, high = float(found.total.min()), float(found.total.max())
        span = high - low or 1.0
        steps = 0.0 if ranking.steps is None else float(ranking.steps[row])
        return PassageParts(
            passage_id=self._snapshot.passages[row].id,
            first=float(ranking.first[row]) / span,
            graph=(float(found.gate * found.graph[row]) - low) / span,
            bridge=float(found.gate * BRIDGE_WEIGHT * found.bridge[row]) / span,
            around=float(ranking.total[row] - ranking.alone[row]) - steps,
            steps=steps,
        )

    @cached_property
    def _first_weight(self) -> float:
        """Half where every passage stands alone, and only the graph joins what belongs together;
        all amid long documents, whose neighbours the first stage sees.
        """
        return 1.0 / (2.0 - self._mean_presence)

    @cached_property
    def _graph_weight(self) -> float:
        """All where every passage stands alone; a third amid long documents, where what belongs
        together stands together.
        """
        return 1.0 / (1.0 + 2.0 * self._mean_presence)

    @cached_property
    def _mean_presence(self) -> float:
        return float(self._passages.neighbours.presence.mean())

    @cached_property
    def _spoken(self) -> Mapping[int, Ints]:
        """Rows of the passages in which each speaker among the entities speaks."""
        snapshot = self._snapshot
        entity_of = speaking_entities(snapshot.graph.entities)
        rows: dict[int, list[int]] = {}
        for row, passage in enumerate(snapshot.passages):
            document = snapshot.documents[passage.document_id]
            turns = snapshot.turns.get(document.id, ())[passage.first_turn : passage.last_turn + 1]
            for speaker in dict.fromkeys(turn.speaker for turn in turns if turn.speaker):
                entity = speaker_among(entity_of, speaker, document.sha256)
                if entity is not None:
                    rows.setdefault(entity, []).append(row)
        return {entity: np.array(own, dtype=np.int64) for entity, own in rows.items()}

    @cached_property
    def _graph(self) -> BridgeGraph:
        facts = self._snapshot.facts
        return BridgeGraph(facts, len(self._snapshot.graph.entities) + len(facts.words))

    @cached_property
    def _scorer(self) -> BridgeScorer:
        snapshot = self._snapshot
        both = (snapshot.graph.entity_vectors, snapshot.facts.word_vectors)
        names = unit_rows(np.concatenate([vectors for vectors in both if len(vectors)]))
        return BridgeScorer(self._graph, snapshot.passage_vectors, names)

    @cached_property
    def _linker(self) -> EntityLinker:
        entities = self._snapshot.graph.entities
        is_held = self._graph.df[: len(entities)] > 0
        return EntityLinker(entities, is_held, self._snapshot.documents.values())
