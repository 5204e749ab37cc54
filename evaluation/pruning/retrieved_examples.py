"""Examples of subgraphs as questions get them: by the retriever, profile and ego-graphs that `ask --profile graph` uses."""

import numpy as np

from dynagrag import wiring
from dynagrag.evaluation.pruning.pruning_example import PruningExample
from dynagrag.evaluation.pruning.support import Support, example_of
from dynagrag.generation.answer import num_ranked
from dynagrag.graph_store.rules import check_asking_embedder
from dynagrag.retrieval.ego.line_vectors import LineVectors
from dynagrag.retrieval.passages import PassageScores
from dynagrag.schema import Question, Vector
from dynagrag.workspace.facade import Workspace

PROFILE, RETRIEVER = "graph", "dynagrag"


class RetrievedExamples:
    """Makes examples of questions to a workspace."""

    def __init__(self, space: Workspace) -> None:
        self._space = space
        self._snapshot = space.snapshot()
        self._profile = wiring.make_profile(PROFILE)
        self._index = space.ego_index(PROFILE)
        self._lines = LineVectors(self._snapshot)
        passages = PassageScores(self._snapshot)
        self._retriever = wiring.make_retriever(RETRIEVER, self._snapshot, self._profile, passages, lambda _: self._index)

    def example(self, id_: str, text: str, group: str, support: Support, gold: int | None = None) -> PruningExample:
        """The example of a question. `gold`: an entity (its index in the graph) whose ego-graph is added, unless it was retrieved.

        Raises EmbedderMismatchError where another embedder made the workspace's vectors.
        """
        vector = self._vector(text)
        found = self._retriever.retrieve(Question(text, vector), num_ranked(self._profile), self._profile.num_subgraphs).subgraphs
        if gold is not None and gold not in [subgraph.nodes[0] for subgraph in found]:
            found += self._lines.put_into(self._index.subgraphs(np.array([gold]), self._index.scores(vector)), vector)
        return example_of(id_, text, group, vector, found, support)

    def _vector(self, text: str) -> Vector:
        vector = self._space.embedder.embed_query(text)  # first: a server's identity is known by its first reply
        check_asking_embedder(self._space.name, self._space.store.embedder(), self._space.embedder.identity)
        return vector
