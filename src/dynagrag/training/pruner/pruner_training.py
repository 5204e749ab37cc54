"""Training a pruner on examples: the loss of docs/papers.md, Pruning, and what its epochs are
judged by.
"""

import time
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from dynagrag.checkpoints.training_loop import (
    Epoch,
    OnStep,
    Training,
    TrainingFile,
    TrainingOptions,
)
from dynagrag.core.errors import UsageError
from dynagrag.core.protocols import Pruner
from dynagrag.evaluation.pruning.pruning_example import MIN_EXAMPLES, PruningExample
from dynagrag.evaluation.pruning.pruning_measures import EDGE_AP, NODE_AP, measure_pruner
from dynagrag.retrieval.pruning.gcn_pruner import GcnPruner
from dynagrag.retrieval.pruning.pruning_network import (
    NetworkOptions,
    PruningNetwork,
    batch_of,
    graphs_of,
)
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior

_MASK_SHARE = 0.5
_MAX_POSITIVE_WEIGHT = 20.0


class PrunerTask:
    """A network and the rows that it is trained and validated on: binary cross-entropy of its
    scores and, at half weight, of its masks.

    What supports an answer weighs as many times more as there is more of the rest, 20 at most.
    """

    def __init__(
        self,
        network: PruningNetwork,
        train: Sequence[PruningExample],
        validation: Sequence[PruningExample],
    ) -> None:
        self.network = network
        self._pruner = GcnPruner(network)
        self._validation = validation
        device = next(network.parameters()).device
        self._node_weight, self._edge_weight = (
            _positive_weight(_labels(train, kind)).to(device) for kind in (0, 1)
        )

    def loss(self, part: Sequence[PruningExample], batch: Sequence[PruningExample]) -> Tensor:
        """Over all nodes and over all edges of the batch's subgraphs."""
        device = self._node_weight.device
        logits = self.network(
            batch_of([graph for e in part for graph in graphs_of(e.subgraphs, e.query)]).to(device)
        )
        nodes, edges = (_labels(part, kind).to(device) for kind in (0, 1))
        of_nodes, of_edges = (
            _share(len(own), batch, kind) for own, kind in ((nodes, 0), (edges, 1))
        )
        total = of_nodes * _cross_entropy(logits.nodes, nodes, self._node_weight)
        total = total + of_edges * _cross_entropy(logits.edges, edges, self._edge_weight)
        if self.network.options.has_masks:
            masks = of_nodes * _cross_entropy(logits.node_masks, nodes, self._node_weight)
            masks = masks + of_edges * _cross_entropy(logits.edge_masks, edges, self._edge_weight)
            total = total + _MASK_SHARE * masks
        return total

    def validate(self) -> float:
        """The mean of the average precisions of nodes and edges; 0 where nothing is chosen by."""
        return self.validate_by(self._pruner) if self._validation else 0.0

    def validate_by(self, pruner: Pruner) -> float:
        """The same figure of another pruner's scores."""
        found = measure_pruner(pruner, self._validation).values()
        values = [own[name] for own in found for name in (NODE_AP, EDGE_AP) if name in own]
        return sum(values) / len(values)


def train_pruner(
    train: Sequence[PruningExample],
    validation: Sequence[PruningExample],
    network: NetworkOptions,
    options: TrainingOptions,
    device: torch.device,
    file: TrainingFile | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
    on_step: OnStep | None = None,
) -> tuple[PruningNetwork, list[Epoch]]:
    """A trained network and its learning curve, whose row 0 is the untrained prior: unless that is
    left out, a network begins as it. Without a patience no epoch is chosen, and there is no row 0.

    Questions for which no subgraph was found are not learned from. UsageError where there is too
    little to train on or to choose by.
    """
    train = [example for example in train if example.subgraphs]
    is_chosen = options.patience is not None
    if len(train) < MIN_EXAMPLES or (is_chosen and not validation):
        raise UsageError(
            f"there are {len(train)} questions to train on and {len(validation)} to choose the"
            f" epoch by; at least {MIN_EXAMPLES} and 1 are needed, of several documents or entities"
        )
    torch.manual_seed(options.seed)
    task = PrunerTask(PruningNetwork(network).to(device), train, validation)
    training = Training(task, options, file)
    if not is_chosen:
        return task.network, training.run(train, on_epoch, on_step)
    began = time.perf_counter()
    start = Epoch(0, None, task.validate_by(UntrainedPrior()), time.perf_counter() - began)
    if on_epoch:
        on_epoch(start)
    return task.network, [start, *training.run(train, on_epoch, on_step)]


def _positive_weight(labels: Tensor) -> Tensor:
    support = labels.sum().clamp(min=1)
    return ((len(labels) - support) / support).clamp(1, _MAX_POSITIVE_WEIGHT)


def _labels(batch: Sequence[PruningExample], kind: int) -> Tensor:
    return torch.cat(
        [torch.as_tensor(labels) for e in batch for labels in (e.node_labels, e.edge_labels)[kind]]
    )


def _share(num: int, batch: Sequence[PruningExample], kind: int) -> float:
    """Of a batch's nodes or edges, those of a part that has `num`."""
    return num / max(
        1, sum(len(labels) for e in batch for labels in (e.node_labels, e.edge_labels)[kind])
    )


def _cross_entropy(logits: Tensor, labels: Tensor, positive_weight: Tensor) -> Tensor:
    if not len(logits):
        return logits.sum()
    return functional.binary_cross_entropy_with_logits(logits, labels, pos_weight=positive_weight)
