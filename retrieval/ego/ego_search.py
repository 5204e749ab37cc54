"""Retrievers of ego-graphs: `dynagrag` (diverse) and `dynagrag-cosine` (the first N by cosine, for
the ablation).
"""

from functools import cached_property
from itertools import chain

import numpy as np

from dynagrag.config.settings import Profile
from dynagrag.core.schema import Question, Retrieval, ScoredTurn, Snapshot, Subgraph
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.bridge.scorer import MASS_FLOOR
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.line_vectors import LineVectors
from dynagrag.retrieval.ego.selection import Selection, select_by_cosine, select_diverse
from dynagrag.retrieval.ego.undirected_graph import Floats
from dynagrag.retrieval.passages import PassageScores

CENTRE_WEIGHT = 0.1
"""Of the logarithm of an entity's PageRank, beside its ego-graph's cosine (docs/papers.md, Centres,
step 3).
"""


class DiverseEgoSearch:
    """DynaGRAG, section 3.2: ego-graphs by cosine of their pooled vector, no two with the same
    leading entities.

    Without a `ranker` (profile `paper`) the passages are those of the ego-graphs' entities, by
    their cosine with the question. With one (`graph`) they are the ranker's, whatever the
    ego-graphs hold, and 0.1 ln(PageRank of the entity) is added to a centre's cosine.
    """

    name = "dynagrag"

    def __init__(
        self,
        snapshot: Snapshot,
        index: EgoIndex,
        profile: Profile,
        passages: PassageScores | None = None,
        ranker: BridgeSearch | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._index = index
        self._profile = profile
        self._passages = passages or PassageScores(snapshot)
        self._ranker = ranker

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Subgraphs carry the ego-graph's score; every refused centre is among the candidates with
        its reason.
        """
        ranking = self._ranker.rank(question) if self._ranker else None
        if not self._snapshot.graph.entities:
            best = self._passages.best(ranking.total, num_passages) if ranking else ()
            ranked = self._ranker.best_turns(ranking) if self._ranker and ranking else ()
            return Retrieval(self.name, best, notes=("the graph is empty",), turns=ranked)
        scores = self._index.scores(question.vector)
        if ranking is not None and ranking.found is not None:
            # Plain words, which come after the entities, are no centres.
            mass = ranking.found.pagerank.entities[: len(scores)]
            scores = self._snapshot.scale.of_answers(scores)
            scores = np.round(scores + CENTRE_WEIGHT * np.log(mass + MASS_FLOOR), 6)
        selection = self._select(self._index, scores, num_subgraphs)
        subgraphs = self._index.subgraphs(np.array(selection.centres, dtype=np.int64), scores)
        if self._ranker is not None:
            subgraphs = self._lines.put_into(subgraphs, question.vector)
        turns: tuple[ScoredTurn, ...] = ()
        if self._ranker is not None and ranking is not None:
            passages = self._passages.best(ranking.total, num_passages)
            trace = self._ranker.trace(ranking, passages)
            turns = self._ranker.best_turns(ranking)
        else:
            members = sorted(set(chain.from_iterable(subgraph.nodes for subgraph in subgraphs)))
            rows = self._passages.rows_of_entities(np.array(members, dtype=np.int64))
            cosines = self._passages.dense(question.vector)
            passages, trace = self._passages.best(cosines, num_passages, among=rows), None
        notes = self._notes(subgraphs, num_subgraphs)
        return Retrieval(
            self.name, passages, subgraphs, selection.candidates, notes, trace, turns=turns
        )

    @cached_property
    def _lines(self) -> LineVectors:
        return LineVectors(self._snapshot)

    def _select(self, index: EgoIndex, scores: Floats, num_subgraphs: int) -> Selection:
        return select_diverse(
            index, self._snapshot.graph.entities, scores, self._profile, num_subgraphs
        )

    def _notes(self, subgraphs: tuple[Subgraph, ...], num_subgraphs: int) -> tuple[str, ...]:
        notes = []
        if len(subgraphs) < num_subgraphs:
            why = (
                "the graph has no more entities"
                if self._profile.has_fallback
                else "no other has leading entities of its own"
            )
            notes.append(f"{len(subgraphs)} of {num_subgraphs} ego-graphs: {why}")
        max_nodes = self._index.rule.max_nodes
        num_capped = sum(len(subgraph.nodes) == max_nodes for subgraph in subgraphs)
        if num_capped:
            notes.append(f"{num_capped} ego-graphs were cut at {max_nodes} nodes")
        return tuple(notes)


class CosineEgoSearch(DiverseEgoSearch):
    """As `DiverseEgoSearch`, by cosine alone, without diversity."""

    name = "dynagrag-cosine"

    def _select(self, index: EgoIndex, scores: Floats, num_subgraphs: int) -> Selection:
        return select_by_cosine(index, self._snapshot.graph.entities, scores, num_subgraphs)
