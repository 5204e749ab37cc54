"""The learned pruner: all ego-graphs of a question scored by a trained network in one pass (docs/papers.md, Pruning)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from dynagrag.errors import LoadError, SettingsError
from dynagrag.schema import EmbedderIdentity, PruneScores, Subgraph, Vector, Vectors

if TYPE_CHECKING:
    from dynagrag.retrieval.pruning.pruning_network import PruningNetwork

Form = Literal["distances", "compared", "paper"]
"""What a network reads: see NetworkOptions."""
FORMS: tuple[Form, ...] = get_args(Form)
KIND = "pruner"
LABEL = "trained GCN"


class GcnPruner:
    """Scores by a trained network. Deterministic; one question at a time or many threads."""

    label = LABEL

    def __init__(self, network: "PruningNetwork") -> None:
        self._network = network.eval()

    @classmethod
    def open(cls, folder: Path, embedder: EmbedderIdentity, device: str | None = None) -> "GcnPruner":
        """The pruner of a checkpoint, on the device named, else on a GPU if there is one.

        Raises LoadError for what is no pruner's checkpoint, UsageError where it fits another embedder or the device isn't there,
        SettingsError without torch-geometric.
        """
        try:
            from dynagrag.retrieval.pruning.pruning_network import NetworkOptions, PruningNetwork
            from dynagrag.training.checkpoints import load_checkpoint
            from dynagrag.training.devices import choose_device
        except ImportError as err:
            raise SettingsError("a trained pruner needs torch-geometric: pip install 'dynagrag[train]', or take --pruner prior") from err
        checkpoint, weights = load_checkpoint(folder, KIND)
        checkpoint.check_fits(embedder, folder)
        try:
            network = PruningNetwork(NetworkOptions(**checkpoint.network))
            network.load_state_dict(weights)
        except (RuntimeError, TypeError) as err:
            raise LoadError(f"the weights in {folder} are not those of its network: {str(err).splitlines()[0]}; train it again") from err
        if not all(value.isfinite().all() for value in weights.values()):
            raise LoadError(f"weights in {folder} are no numbers; train it again")
        return cls(network.to(choose_device(device)))

    def score(self, subgraphs: Sequence[Subgraph], query: Vector) -> tuple[PruneScores, ...]:
        """Scores in (0, 1) of each subgraph, in one batch. LoadError where one is no number, since a vector is none."""
        import torch

        from dynagrag.retrieval.pruning.pruning_network import batch_of, graphs_of

        if not subgraphs:
            return ()
        device = next(self._network.parameters()).device
        with torch.no_grad():
            logits = self._network(batch_of(graphs_of(subgraphs, query)).to(device))
        nodes, edges = (torch.sigmoid(part).cpu().numpy() for part in (logits.nodes, logits.edges))
        if not (np.isfinite(nodes).all() and np.isfinite(edges).all()):
            raise LoadError("the pruner's scores are no numbers: a vector of the graph or of the question is none; embed the corpus again")
        node_ends, edge_ends = (np.cumsum([len(part) for part in sizes])[:-1] for sizes in _sizes(subgraphs))
        per_graph = zip(np.split(nodes, node_ends), np.split(edges, edge_ends), strict=True)
        return tuple(PruneScores(own_nodes, own_edges, self.label, is_trained=True) for own_nodes, own_edges in per_graph)


def _sizes(subgraphs: Sequence[Subgraph]) -> tuple[list[tuple[int, ...]], list[Vectors]]:
    return [subgraph.nodes for subgraph in subgraphs], [subgraph.y for subgraph in subgraphs]
