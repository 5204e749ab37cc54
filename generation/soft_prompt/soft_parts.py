"""The parts of a system that are learned before, or in, a frozen language model, and its inputs:
the same on a set and on a workspace.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynagrag.generation.soft_prompt.graph_encoder import Layer


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftParts:
    """`has_graph`: a token that an encoder of this `layer` makes of the graph; `is_pruned`: GRAG's
    soft pruning of nodes and edges, and `is_two_way`: its edges, both ways; `has_projector`:
    between encoder and language model. `has_virtual`: tokens that are the same for all questions;
    `has_text`: the graph's text stands in the prompt; `has_lora`: adapters in the language model.
    """

    has_graph: bool = False
    is_pruned: bool = False
    is_two_way: bool = False
    has_projector: bool = True
    has_virtual: bool = False
    has_text: bool = True
    has_lora: bool = False
    layer: "Layer" = "transformer"

    @property
    def is_trained(self) -> bool:
        """Whether there is anything to train."""
        return self.has_graph or self.has_virtual or self.has_lora


class Paper(StrEnum):
    """The paper whose sizes and steps a system is trained with where it is to be as published."""

    G_RETRIEVER = "g-retriever"
    GRAG = "grag"


G_RETRIEVER = SoftParts(has_graph=True)
GRAG = SoftParts(has_graph=True, is_pruned=True, is_two_way=True, layer="edge-gat")
GRAPH_TOKEN = SoftParts(has_graph=True, has_text=False)
PROMPT_TUNING = SoftParts(has_virtual=True)
