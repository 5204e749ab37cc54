"""Examples of subgraphs as questions get them: by the retriever, profile and ego-graphs that `ask
--profile graph` uses.
"""

from dataclasses import replace

import numpy as np

from dynagrag import wiring
from dynagrag.core.schema import Question
from dynagrag.evaluation.pruning.answer_support import Support, example_of
from dynagrag.evaluation.pruning.pruning_example import PruningExample
from dynagrag.generation.answer_prompts import num_ranked
from dynagrag.retrieval.ego.line_vectors import LineVectors
from dynagrag.retrieval.passages import PassageScores
from dynagrag.workspace.facade import Workspace

PROFILE, RETRIEVER = "graph", "dynagrag"


class RetrievedExamples:
    """Makes examples of questions to a workspace."""

    def __init__(self, space: Workspace) -> None:
        self._space = space
        self._snapshot = space.current_graph.snapshot()
        self._profile = wiring.make_profile(PROFILE)
        self._index = space.current_graph.ego_index(PROFILE)
        self._lines = LineVectors(self._snapshot)
        passages = PassageScores(self._snapshot)
        self._retriever = wiring.make_retriever(
            RETRIEVER, self._snapshot, self._profile, passages, lambda _: self._index
        )

    def example(self, id_: str, text: str, group: str, support: Support) -> PruningExample:
        """The example of a question. Raises EmbedderMismatchError where another embedder made the
        workspace's vectors.
        """
        vector = self._space.questions.query_vector(text)
        found = self._retriever.retrieve(
            Question(text, vector), num_ranked(self._profile), self._profile.num_subgraphs
        ).subgraphs
        return example_of(id_, text, group, vector, found, support)

    def with_centre(self, example: PruningExample, support: Support, centre: int) -> PruningExample:
        """The example and the ego-graph of an entity (its index in the graph), unless it was
        retrieved.
        """
        found, vector = example.subgraphs, example.query
        if centre in [subgraph.nodes[0] for subgraph in found]:
            return example
        missed = self._lines.put_into(
            self._index.subgraphs(np.array([centre]), self._index.scores(vector)), vector
        )[0]
        # retrieval's scale: as the last that it found
        added = replace(missed, score=found[-1].score if found else missed.score)
        return example_of(example.id, example.text, example.group, vector, (*found, added), support)
