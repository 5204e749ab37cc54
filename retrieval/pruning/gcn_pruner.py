"""The learned pruner: all ego-graphs of a question scored by a trained network in one pass
(docs/papers.md, Pruning).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dynagrag.core.errors import DynaGragError, LoadError, SettingsError, UsageError
from dynagrag.core.schema import EmbedderIdentity, PruneScores, Subgraph, Vector
from dynagrag.retrieval.pruning.finite_vectors import check_finite

if TYPE_CHECKING:
    from torch_geometric.data import Data

    from dynagrag.retrieval.pruning.pruning_network import PruningNetwork

KIND = "pruner"
LABEL = "trained GCN"
_ELSEWHERE = (
    "free some, take the CPU (CUDA_VISIBLE_DEVICES='' before the command) or take --pruner prior"
)


class ScoringError(DynaGragError):
    """A trained pruner can't score: a subgraph doesn't fit into memory, or its weights give no
    numbers.
    """


class GcnPruner:
    """Scores by a trained network. Deterministic; one question at a time or many threads."""

    label = LABEL

    def __init__(self, network: "PruningNetwork") -> None:
        from dynagrag.checkpoints.memory import Halving

        self._network = network.eval()
        self._halving = Halving()

    @classmethod
    def open(
        cls, folder: Path, embedder: EmbedderIdentity, device: str | None = None
    ) -> "GcnPruner":
        """The pruner of a checkpoint, on the device named, else on a GPU if there is one.

        Raises LoadError for what is no pruner's checkpoint, or one of a newer version; UsageError
        where it fits another embedder, or the device isn't there or has no room; SettingsError
        without torch-geometric.
        """
        try:
            from dynagrag.checkpoints.checkpoints import load_checkpoint
            from dynagrag.checkpoints.devices import choose_device
            from dynagrag.retrieval.pruning.pruning_network import PruningNetwork, read_options
        except ImportError as err:
            raise SettingsError(
                "a trained pruner needs torch-geometric: pip install 'dynagrag[train]', or take"
                " --pruner prior"
            ) from err
        checkpoint, weights = load_checkpoint(folder, KIND)
        checkpoint.check_fits(embedder, folder)
        try:
            network = PruningNetwork(read_options(checkpoint.network))
            network.load_state_dict(weights)
        except LoadError as err:
            raise LoadError(
                f"{folder} can't be used: {err}; train it again, or take the version that"
                " trained it"
            ) from err
        except RuntimeError as err:
            raise LoadError(
                f"the weights in {folder} are not those of its network: {str(err).splitlines()[0]};"
                " train it again"
            ) from err
        chosen = choose_device(device)
        try:
            return cls(network.to(chosen))
        except RuntimeError as err:  # the device is full
            raise UsageError(
                f"the pruner can't be put on {chosen}: {str(err).splitlines()[0]}; {_ELSEWHERE}"
            ) from err

    def score(self, subgraphs: Sequence[Subgraph], query: Vector) -> tuple[PruneScores, ...]:
        """Scores in (0, 1) of each subgraph, in one batch, or in parts of it where that doesn't fit
        into memory.

        Raises LoadError where a vector is no number, ScoringError where a single subgraph doesn't
        fit, or the weights make no numbers.
        """
        from dynagrag.checkpoints.checkpoints import TrainingError
        from dynagrag.retrieval.pruning.pruning_network import graphs_of

        if not subgraphs:
            return ()
        check_finite(subgraphs, query)
        try:
            scored = self._halving.do(
                graphs_of(subgraphs, query), lambda parts: [self._scored(part) for part in parts]
            )
        except TrainingError as err:
            most = max(len(own.nodes) for own in subgraphs)
            raise ScoringError(
                f"a subgraph (of {most} nodes at most) doesn't fit into memory to be scored;"
                f" {_ELSEWHERE}"
            ) from err
        nodes, edges = (np.concatenate(parts) for parts in zip(*scored, strict=True))
        if not (np.isfinite(nodes).all() and np.isfinite(edges).all()):
            raise ScoringError(
                "the trained pruner's scores are no numbers, though all vectors are: its weights"
                " are too large; train it again"
            )
        node_ends = np.cumsum([len(subgraph.nodes) for subgraph in subgraphs])[:-1]
        edge_ends = np.cumsum([len(subgraph.y) for subgraph in subgraphs])[:-1]
        per_graph = zip(np.split(nodes, node_ends), np.split(edges, edge_ends), strict=True)
        return tuple(
            PruneScores(own_nodes, own_edges, self.label, is_trained=True)
            for own_nodes, own_edges in per_graph
        )

    def _scored(self, graphs: "Sequence[Data]") -> tuple[Vector, Vector]:
        """Scores of all nodes and edges of some graphs; NaN where the network gives no number."""
        import torch

        from dynagrag.retrieval.pruning.pruning_network import batch_of

        with torch.no_grad():
            logits = self._network(batch_of(graphs).to(next(self._network.parameters()).device))
        nodes, edges = (
            torch.where(part.isfinite(), torch.sigmoid(part), torch.nan)
            for part in (logits.nodes, logits.edges)
        )
        return nodes.cpu().numpy(), edges.cpu().numpy()
