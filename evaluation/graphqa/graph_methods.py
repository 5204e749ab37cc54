"""The systems that answer questions over graphs, by name: what stands before the language model, and whether it is trained.

Trained: g-retriever, grag, graph-token (the graph token without the graph's text), prompt-tuning (virtual tokens and the text). As they
are: zero-shot (the text), question-only. Without a model: majority.
"""

from collections.abc import Mapping
from dataclasses import dataclass

MAJORITY = "majority"


@dataclass(frozen=True, slots=True)
class GraphMethod:
    """What a method is made of. `is_pruned`: GRAG's soft pruning of nodes and edges."""

    has_graph: bool = False
    is_pruned: bool = False
    num_virtual: int = 0
    has_text: bool = True

    @property
    def is_trained(self) -> bool:
        """Whether there is anything to train."""
        return self.has_graph or self.num_virtual > 0


METHODS: Mapping[str, GraphMethod] = {
    "g-retriever": GraphMethod(has_graph=True),
    "grag": GraphMethod(has_graph=True, is_pruned=True),
    "graph-token": GraphMethod(has_graph=True, has_text=False),
    "prompt-tuning": GraphMethod(num_virtual=10),
    "zero-shot": GraphMethod(),
    "question-only": GraphMethod(has_text=False),
}
TRAINED = tuple(name for name, method in METHODS.items() if method.is_trained)
