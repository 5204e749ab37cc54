"""What `learned.py` compares with: PyG's G-Retriever and its tree, and the cost of GRAG's
ego-graphs as the authors' code makes them.
"""

import contextlib
import os
import random
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from dynagrag.config.settings import Settings
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, TextGraph
from dynagrag.evaluation.graphqa.graph_retrieval import TextVectors
from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions, GraphEncoder
from dynagrag.generation.soft_prompt.language_model import load_language_model
from dynagrag.generation.soft_prompt.precision import Precision
from dynagrag.generation.soft_prompt.soft_example import SoftExample, batch_graphs

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch_geometric.data import Data
    from torch_geometric.llm.models import LLM, GRetriever
    from torch_geometric.llm.utils.backend_utils import retrieval_via_pcst
    from torch_geometric.utils import k_hop_subgraph

SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
"""What SmolLM2's own template says where nothing is given, so that both sides read as many tokens.
"""


def save_unquantized(lm: str, folder: Path) -> Path:
    """A folder with the model in float32, which both sides load."""
    from transformers import AutoModelForCausalLM

    made = load_language_model(lm, Settings(), Precision.FLOAT32)
    config = made.model.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    plain = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    plain.load_state_dict(made.model.state_dict())
    plain.save_pretrained(folder)
    made.tokenizer.save_pretrained(folder)
    return folder


class _Encoder(nn.Module):
    """Our layers as PyG's model calls them; it pools by itself."""

    def __init__(self, options: EncoderOptions) -> None:
        super().__init__()
        self.out_channels = options.width
        self._encoder = GraphEncoder(options)

    def forward(self, x: Tensor, edge_index: Tensor, edge_attr: Tensor) -> Tensor:
        h = x
        for i, layer in enumerate(self._encoder.layers):
            h = layer(h, edge_index, edge_attr)
            if i < len(self._encoder.norms):
                h = torch.relu(self._encoder.norms[i](h))
        return h


class PygGRetriever:
    """`torch_geometric.llm.models.GRetriever` with its language model frozen, which it doesn't do
    by itself, in float32.
    """

    def __init__(self, folder: Path, options: EncoderOptions) -> None:
        with (
            open(os.devnull, "w", encoding="utf-8") as nowhere,
            contextlib.redirect_stdout(nowhere),
        ):
            llm = LLM(str(folder), num_params=1, dtype=torch.float32, sys_prompt=SYSTEM)
        for value in llm.parameters():
            value.requires_grad_(False)
        llm.llm.eval()
        self._dimension = options.dimension
        self._model = GRetriever(llm=llm, gnn=_Encoder(options))
        self.learned = nn.ModuleList([self._model.gnn, self._model.projector])

    def loss(self, examples: Sequence[SoftExample]) -> Tensor:
        """Of a batch, as its own training loop asks for it."""
        batch = batch_graphs(examples, self._dimension)
        questions, texts = (
            [example.question for example in examples],
            [example.description for example in examples],
        )
        labels = [example.label for example in examples]
        found: Tensor = self._model(
            questions, batch.x, batch.edge_index, batch.batch, labels, batch.edge_attr, texts
        )
        return found


def pyg_tree(question: GraphQuestion, vectors: TextVectors) -> Data:
    """PyG's tree of a question."""
    graph = question.graph
    ends = np.array([(head, tail) for head, _, tail in graph.edges]).T
    labels = [label for _, label, _ in graph.edges]
    data = Data(
        x=torch.as_tensor(vectors.of(graph.nodes)),
        edge_index=torch.as_tensor(ends),
        edge_attr=torch.as_tensor(vectors.of(labels)),
        num_nodes=len(graph.nodes),
    )
    import pandas as pd

    nodes = pd.DataFrame({"node_id": range(len(graph.nodes)), "node_attr": graph.nodes})
    edges = pd.DataFrame({"src": ends[0], "edge_attr": labels, "dst": ends[1]})
    data.node_idx, data.edge_idx = np.arange(len(graph.nodes)), np.arange(len(graph.edges))
    found, _ = retrieval_via_pcst(
        data, torch.as_tensor(vectors.of_query(question.query)), nodes, edges
    )
    return found


@dataclass(frozen=True, slots=True)
class NaiveCost:
    """Milliseconds for one ego-graph: to cut it, and to find its edges' texts; and how many edges
    it has in the mean.
    """

    ego_ms: float
    text_ms: float
    num_edges: float

    def of_all_s(self, num_nodes: int) -> float:
        """Seconds for one of each node."""
        return num_nodes * (self.ego_ms + self.text_ms) / 1000


def naive_grag(graph: TextGraph, num_centres: int) -> NaiveCost:
    """The cost of ego-graphs one by one: `k_hop_subgraph` (two hops, in-neighbours), and a walk
    through the list of all edges for each edge of the ego-graph. Written anew after what the
    authors' code does; theirs isn't here.
    """
    pairs = [(head, tail) for head, _, tail in graph.edges]
    edge_index = torch.tensor(pairs).T
    cut = looked_up = 0.0
    num_edges = 0
    for centre in random.Random(0).sample(
        range(len(graph.nodes)), num_centres
    ):  # evenly spaced ones would hold the hub each time
        started = time.process_time()
        _, own, _, _ = k_hop_subgraph(centre, 2, edge_index, num_nodes=len(graph.nodes))
        between = time.process_time()
        num_edges += own.shape[1]
        for head, tail in own.T.tolist():
            pairs.index((head, tail))
        cut += between - started
        looked_up += time.process_time() - between
    return NaiveCost(
        1000 * cut / num_centres, 1000 * looked_up / num_centres, num_edges / num_centres
    )
