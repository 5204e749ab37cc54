"""Bridge-PPR: passages that answer a question of several steps (docs/papers.md, Bridge-PPR, steps 1
to 7).

first stage f          words and vectors
link, restart, walk    entities that the question names and those of its nearest facts,
                       spread over the graph -> g, more where a passage is about a named one
bridge                 from the best passages over each entity to what the question still wants
                       once they are known -> b
score                  v f + G (g + 1.6 b), v less where passages stand alone, G a gate: less
                       for a long question, where passages hold no entities, and amid long
                       documents
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.schema import Vector, Vectors
from dynagrag.language.word_runs import words
from dynagrag.retrieval.bridge.bridge_graph import BridgeGraph, PageRank
from dynagrag.retrieval.passages import Scores, best_rows, cosines_with, z01

Ints = NDArray[np.int64]

NUM_FACTS = 2
"""Facts nearest to the question whose entities the walk starts from."""
LINK_WEIGHT = 2.0
"""The start of an entity that the question names, over its df; a nearest fact's has the fact's
cosine, at most 1.
"""
NUM_SEED_PASSAGES, SEED_WEIGHT, SEED_POWER = 50, 0.1, 8
"""The best passages of the first stage start with 0.1 f^8, so that only the very best of them
weigh.
"""
GRAPH_WEIGHT, MASS_FLOOR = 0.3, 1e-6
"""g = 0.3 (ln(mass + 1e-6) + about): the floor is where a passage stands that the walk doesn't
reach; `about` is 1 of a passage that is about an entity that the question names.
"""
NUM_BRIDGE_PASSAGES = 5
"""Passages that bridges start from."""
MIN_DF, MAX_DF = 2, 100
"""A bridge goes over an entity that so many passages hold: one leads nowhere, more than a hundred
everywhere.
"""
FACT_OFF, NAME_ON = 0.3, 0.5
"""What is still wanted once a passage is known: the question, less what the passage says of the
entity, more the entity itself.
"""
NOT_ITS_SUBJECT = 0.5
"""A bridge counts half where it leads to a passage that is not about the entity."""
BRIDGE_WEIGHT = 1.6
"""A bridge's weight in the score, beside f and g."""
GATE_WORDS = 20
"""Up to so many distinct words of a question the graph counts in full."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the best bridge into a passage comes from: the passage (a row) and the entity that it
    goes over.
    """

    source: int
    entity: int


@dataclass(frozen=True, slots=True)
class BridgeScores:
    """(p,) each: `graph` g, `bridge` b, `total` v f + G (g + 1.6 b). `origins`: of the best bridge
    into a passage, by its row.
    """

    graph: Scores
    bridge: Scores
    total: Scores
    pagerank: PageRank
    gate: float
    facts: tuple[tuple[int, float], ...]
    origins: dict[int, Origin]


class BridgeScorer:
    """Scores all passages of one snapshot. `passage_vectors` (p, d) and `name_vectors` (n, d) are
    unit rows.
    """

    def __init__(self, graph: BridgeGraph, passage_vectors: Vectors, name_vectors: Vectors) -> None:
        self._graph = graph
        self._passage_vectors = passage_vectors
        self._name_vectors = name_vectors

    def score(
        self,
        text: str,
        query: Vector,
        first: Scores,
        linked: tuple[int, ...],
        first_weight: float = 1.0,
        graph_weight: float = 1.0,
    ) -> BridgeScores:
        """All steps but the first stage, which is `first` (p,), 0 to 1, and has the weight v;
        `linked`: entities that the question names; `graph_weight`: of the gate.
        """
        cosines = cosines_with(self._graph.facts.vectors, query)
        facts = best_rows(cosines, NUM_FACTS)
        pagerank = self._graph.pagerank(self._restart(cosines, facts, first, linked))
        is_about = np.isin(self._graph.facts.subjects, np.array(linked, dtype=np.int64))
        graph: Scores = GRAPH_WEIGHT * (np.log(pagerank.passages + MASS_FLOOR) + is_about)
        bridge, origins = self._bridges(query, z01(first + graph), cosines, frozenset(linked))
        gate = graph_weight * length_gate(text) * self._graph.share_with_entities**2
        total: Scores = np.round(first_weight * first + gate * (graph + BRIDGE_WEIGHT * bridge), 6)
        nearest = tuple((int(i), float(cosines[i])) for i in facts)
        return BridgeScores(graph, bridge, total, pagerank, gate, nearest, origins)

    def _restart(
        self, cosines: Scores, facts: Ints, first: Scores, linked: tuple[int, ...]
    ) -> Scores:
        """(n + p,) x: entities of the nearest facts and those named, over how many passages hold
        them; the best passages. Sums to 1.
        """
        graph = self._graph
        x = np.zeros(graph.num_entities + graph.num_passages)
        chosen: dict[int, list[float]] = {}
        for fact in facts:
            for entity in graph.entities_of_fact(int(fact)).tolist():
                chosen.setdefault(entity, []).append(max(0.0, float(cosines[fact])))
        for entity, own in chosen.items():
            x[entity] += np.mean(own) / max(1, graph.df[entity])
        for entity in linked:
            x[entity] += LINK_WEIGHT / max(1, graph.df[entity])
        seeds = best_rows(first, NUM_SEED_PASSAGES)
        x[graph.num_entities + seeds] += SEED_WEIGHT * first[seeds] ** SEED_POWER
        total = x.sum()
        return x / total if total > 0 else x

    def _bridges(
        self, query: Vector, scores: Scores, cosines: Scores, linked: frozenset[int]
    ) -> tuple[Scores, dict[int, Origin]]:
        """(p,) b, and where each came from: over an entity, to what the question still wants once
        the source's fact about it is known.
        """
        graph = self._graph
        best = np.zeros(graph.num_passages)
        origins: dict[int, Origin] = {}
        ptr, holders = graph.passages_of_entity
        for source in best_rows(scores, NUM_BRIDGE_PASSAGES).tolist():
            stated = self._nearest_facts(source, cosines)
            for entity in graph.entities_of_passage(source).tolist():
                if entity in linked or not MIN_DF <= graph.df[entity] <= MAX_DF:
                    continue
                others = holders[ptr[entity] : ptr[entity + 1]]
                others = others[others != source]
                known = stated.get(entity, self._passage_vectors[source])
                wanted = query - FACT_OFF * known + NAME_ON * self._name_vectors[entity]
                wanted /= float(np.linalg.norm(wanted)) or 1.0
                nearness = np.maximum(0.0, np.vecdot(self._passage_vectors[others], wanted))
                is_subject = graph.facts.subjects[others] == entity
                gains = scores[source] * np.where(is_subject, 1.0, NOT_ITS_SUBJECT) * nearness
                for row in np.flatnonzero(gains > best[others]).tolist():
                    best[others[row]] = gains[row]
                    origins[int(others[row])] = Origin(source, entity)
        return best, origins

    def _nearest_facts(self, source: int, cosines: Scores) -> dict[int, Vector]:
        """Entity -> vector (d,) of the fact of this passage about it that is nearest to the
        question.
        """
        graph = self._graph
        ptr, facts = graph.facts_of_passage
        own = facts[ptr[source] : ptr[source + 1]]
        # Of equals the first in the text comes last, and stays.
        farthest_first = own[::-1][np.argsort(cosines[own[::-1]], kind="stable")]
        return {
            entity: graph.facts.vectors[fact]
            for fact in farthest_first.tolist()
            for entity in graph.entities_of_fact(fact).tolist()
        }


def length_gate(text: str) -> float:
    """min(1, (20 / number of distinct words)^2): a long question is answered by its words."""
    num_words = len(set(words(text)))
    return min(1.0, (GATE_WORDS / num_words) ** 2) if num_words else 1.0
