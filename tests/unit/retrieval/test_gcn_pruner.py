"""The learned pruner: every part of the network acts and learns, and a batch gives what its graphs
give alone.
"""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from dynagrag.checkpoints.checkpoints import (
    DESCRIPTION,
    Checkpoint,
    read_description,
    save_checkpoint,
)
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.schema import EmbedderIdentity, Subgraph, Vector
from dynagrag.retrieval.pruning.gcn_pruner import KIND, GcnPruner, ScoringError
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior

if TYPE_CHECKING:
    from dynagrag.retrieval.pruning.pruning_network import Logits, PruningNetwork

pytestmark = pytest.mark.slow

DIMENSION = 6
FORMS = ("distances", "compared", "paper")


def unit(rng: np.random.Generator, *shape: int) -> Vector:
    x = rng.standard_normal(shape).astype(np.float32)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def ring(num_nodes: int, seed: int = 0) -> Subgraph:
    """Nodes in a ring; one node has no edge, none has no node."""
    rng = np.random.default_rng(seed)
    num_edges = num_nodes if num_nodes > 2 else max(0, num_nodes - 1)
    pairs = np.array(
        [sorted((i, (i + 1) % num_nodes)) for i in range(num_edges)], dtype=np.int64
    ).reshape(-1, 2)
    x, y = unit(rng, num_nodes, DIMENSION), unit(rng, num_edges, DIMENSION)
    return Subgraph(
        tuple(range(num_nodes)),
        (0,) * num_nodes,
        pairs,
        ((),) * num_edges,
        x,
        y,
        np.ones(num_edges, np.float32),
        0.0,
    )


def network(form: str = "distances", **options: bool) -> "PruningNetwork":
    from dynagrag.retrieval.pruning.pruning_network import (
        NetworkOptions,
        PruningNetwork,
    )  # at the top, triton complains at the end

    torch.manual_seed(1)
    return PruningNetwork(
        NetworkOptions(DIMENSION, form, projection=4, hidden=8, out=8, **options)
    ).eval()  # type: ignore[arg-type]


QUERY = unit(np.random.default_rng(9), DIMENSION)


def logits_of(net: "PruningNetwork", subgraph: Subgraph) -> "Logits":
    from dynagrag.retrieval.pruning.pruning_network import batch_of, graphs_of

    logits: Logits = net(batch_of(graphs_of([subgraph], QUERY)))
    return logits


@pytest.mark.parametrize("form", FORMS)
def test_every_group_of_parameters_gets_a_gradient(form: str) -> None:
    net = network(form, has_structure=True)
    logits = logits_of(net, ring(7))
    (logits.nodes.square().sum() + logits.edges.square().sum()).backward()
    dead = [
        name
        for name, value in net.named_parameters()
        if value.grad is None or not value.grad.abs().sum() > 0
    ]
    assert dead == []


def test_with_the_prior_scores_begin_as_its_own_and_all_is_learned_from_there() -> None:
    net = network(has_prior=True)
    for subgraph in (ring(7), ring(2), ring(1)):
        (own,), (prior,) = (
            GcnPruner(net).score([subgraph], QUERY),
            UntrainedPrior().score([subgraph], QUERY),
        )
        np.testing.assert_allclose(own.nodes, prior.nodes, atol=1e-6)
        np.testing.assert_allclose(own.edges, prior.edges, atol=1e-6)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(
        2
    ):  # the heads begin at zero, so what is below them learns from the second step on
        optimizer.zero_grad()
        logits = logits_of(net, ring(7))
        ((logits.nodes - 1).square().sum() + (logits.edges - 1).square().sum()).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    dead = [
        name
        for name, value in net.named_parameters()
        if value.grad is None or not value.grad.abs().sum() > 0
    ]
    assert dead == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("part", ["has_masks", "has_gcn", "has_edges"])
def test_what_is_left_out_has_no_say(form: str, part: str) -> None:
    """The scores of a node change with its neighbours' vectors, its edges' and the masks only where
    the part is there.
    """
    subgraph = ring(7)
    far = replace(subgraph, x=np.concatenate([subgraph.x[:3], -subgraph.x[3:4], subgraph.x[4:]]))
    turned = replace(subgraph, y=np.concatenate([subgraph.y[:3], -subgraph.y[3:4], subgraph.y[4:]]))
    whole, without = network(form), network(form, **{part: False})

    def node(net: "PruningNetwork", of: Subgraph, i: int) -> float:
        with torch.no_grad():
            return float(logits_of(net, of).nodes[i])

    if part == "has_gcn":  # node 2 is beside node 3
        assert node(whole, far, 2) != pytest.approx(node(whole, subgraph, 2), abs=1e-7)
        assert node(without, far, 2) == node(without, subgraph, 2)
    elif (
        part == "has_edges"
    ):  # edge 3 is between nodes 3 and 4; without edges only its mask is left, which weighs the GCN
        assert node(whole, turned, 3) != pytest.approx(node(whole, subgraph, 3), abs=1e-7)
        alone = network(form, has_edges=False, has_masks=False)
        assert node(alone, turned, 3) == node(alone, subgraph, 3)
    else:
        for net, is_changed in ((whole, True), (without, False)):
            before = node(net, subgraph, 0)
            with torch.no_grad():
                net.node_mask[-1].bias += 5.0
            assert (node(net, subgraph, 0) != before) is is_changed


def test_structure_says_where_nodes_and_edges_stand() -> None:
    """A centre (0) with two neighbours, one of which has a further one; three records on the first
    edge, two relations on the last. The other subgraph of the question has a score that is 0.25
    higher.
    """
    from dynagrag.retrieval.pruning.pruning_network import graphs_of

    rng = np.random.default_rng(3)
    pairs = np.array([[0, 1], [0, 2], [2, 3]], dtype=np.int64)
    x, y = unit(rng, 4, DIMENSION), unit(rng, 3, DIMENSION)
    subgraph = Subgraph(
        (5, 6, 7, 8),
        (0, 1, 1, 2),
        pairs,
        ((0,), (1,), (2, 3)),
        x,
        y,
        np.array([3, 1, 1], np.float32),
        0.5,
    )
    (graph, best), log = graphs_of([subgraph, replace(subgraph, score=0.75)], QUERY), np.log1p
    nodes = [
        [1, 0, log(2) / 3, log(4) / 3, 1, 2.5],
        [0, 1 / 3, log(1) / 3, log(3) / 3, 1 / 2, 2.5],
        [0, 1 / 3, log(2) / 3, log(2) / 3, 1 / 3, 2.5],
        [0, 2 / 3, log(1) / 3, log(1) / 3, 1 / 4, 2.5],
    ]
    edges = [
        [1, 0, log(3) / 3, log(1) / 3, 1, 2.5],
        [1, 0, log(1) / 3, log(1) / 3, 1, 2.5],
        [0, 1 / 3, log(1) / 3, log(2) / 3, 1 / 3, 2.5],
    ]
    np.testing.assert_allclose(graph.node_structure.numpy(), nodes, rtol=1e-6)
    halved = graphs_of([subgraph], QUERY / 2)[0]
    np.testing.assert_allclose(halved.query.numpy(), graph.query.numpy(), rtol=1e-6)
    np.testing.assert_allclose(graph.edge_structure.numpy(), edges, rtol=1e-6)
    assert not best.node_structure[:, 5].any()


@pytest.mark.parametrize("form", FORMS)
def test_structure_has_a_say_only_where_it_is_read(form: str) -> None:
    far = replace(ring(7), hops=(0, 1, 2, 3, 3, 2, 1))
    for has_structure in (True, False):
        net = network(form, has_structure=has_structure)
        (here,), (there,) = (GcnPruner(net).score([subgraph], QUERY) for subgraph in (ring(7), far))
        assert np.array_equal(here.nodes, there.nodes) is not has_structure
        assert np.array_equal(here.edges, there.edges) is not has_structure


@pytest.mark.parametrize("form", FORMS)
def test_scores_change_with_the_question_and_not_with_its_length(form: str) -> None:
    pruner = GcnPruner(network(form))
    (one,), (longer,), (other,) = (pruner.score([ring(7)], q) for q in (QUERY, 3 * QUERY, -QUERY))
    np.testing.assert_allclose(one.nodes, longer.nodes, atol=1e-6)
    assert np.abs(one.nodes - other.nodes).max() > 1e-6
    assert np.abs(one.edges - other.edges).max() > 1e-6
    assert one.is_trained


@pytest.mark.parametrize("form", FORMS)
def test_a_batch_gives_what_its_graphs_give_alone_empty_ones_too(form: str) -> None:
    pruner = GcnPruner(network(form))
    graphs = [ring(n, seed=n) for n in (7, 1, 3, 0, 5, 2, 4, 0)]
    together = pruner.score(graphs, QUERY)
    assert [len(own.nodes) for own in together] == [7, 1, 3, 0, 5, 2, 4, 0]
    for graph, own in zip(graphs, together, strict=True):
        (alone,) = pruner.score([graph], QUERY)
        np.testing.assert_allclose(own.nodes, alone.nodes, atol=1e-6)
        np.testing.assert_allclose(own.edges, alone.edges, atol=1e-6)
    assert pruner.score([], QUERY) == ()


def checkpoint_in(folder: Path, net: "PruningNetwork") -> Path:
    options = asdict(net.options)
    checkpoint = Checkpoint(
        kind=KIND,
        network=options,
        embedder="fake",
        dimension=DIMENSION,
        made_with={},
        figures={},
        versions={},
    )
    save_checkpoint(folder, checkpoint, net.state_dict())
    return folder


def test_a_pruner_that_was_kept_gives_the_same_scores(tmp_path: Path) -> None:
    net = network()
    folder = checkpoint_in(tmp_path / "pruner", net)
    opened = GcnPruner.open(folder, EmbedderIdentity("fake", DIMENSION), "cpu")
    for kept, made in zip(
        opened.score([ring(7)], QUERY), GcnPruner(net).score([ring(7)], QUERY), strict=True
    ):
        np.testing.assert_array_equal(kept.nodes, made.nodes)
        np.testing.assert_array_equal(kept.edges, made.edges)


def test_a_pruner_of_another_embedder_device_or_network_is_refused(tmp_path: Path) -> None:
    folder = checkpoint_in(tmp_path / "pruner", network())
    with pytest.raises(UsageError, match="train it again"):
        GcnPruner.open(folder, EmbedderIdentity("other", DIMENSION))
    with pytest.raises(
        UsageError,
        match=rf"vectors of fake \({DIMENSION} numbers\); these are of fake \(7\): train it again",
    ):
        GcnPruner.open(folder, EmbedderIdentity("fake", 7))
    with pytest.raises(UsageError, match="no-such-device"):
        GcnPruner.open(folder, EmbedderIdentity("fake", DIMENSION), "no-such-device")
    options = asdict(replace(network().options, hidden=16))
    other = Checkpoint(
        kind=KIND,
        network=options,
        embedder="fake",
        dimension=DIMENSION,
        made_with={},
        figures={},
        versions={},
    )
    save_checkpoint(folder, other, network().state_dict())
    with pytest.raises(LoadError, match="are not those of its network"):
        GcnPruner.open(folder, EmbedderIdentity("fake", DIMENSION))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"form": "xyz"}, "form = 'xyz'"),
        ({"dropout": 7}, "dropout = '7'"),
        ({"hidden": -1}, "hidden = '-1'"),
        ({"num_heads": 4}, "num_heads = '4'"),
    ],
)
def test_a_network_that_this_version_does_not_have_is_refused_in_one_line(
    changed: dict[str, Any], said: str, tmp_path: Path
) -> None:
    net = network()
    options = asdict(net.options) | changed
    newer = Checkpoint(
        kind=KIND,
        network=options,
        embedder="fake",
        dimension=DIMENSION,
        made_with={},
        figures={},
        versions={},
    )
    save_checkpoint(tmp_path, newer, net.state_dict())
    with pytest.raises(
        LoadError, match=rf"{tmp_path} can't be used: .*{said}.*train it again"
    ) as found:
        GcnPruner.open(tmp_path, EmbedderIdentity("fake", DIMENSION), "cpu")
    assert "\n" not in str(found.value)


def test_weights_that_are_no_floats_are_refused(tmp_path: Path) -> None:
    folder = checkpoint_in(tmp_path, network())
    checkpoint = read_description(folder, KIND)
    save_checkpoint(
        folder,
        checkpoint,
        {name: (100 * value).to(torch.int8) for name, value in network().state_dict().items()},
    )
    with pytest.raises(LoadError, match=r"are of torch\.int8, and only floats are read"):
        GcnPruner.open(folder, EmbedderIdentity("fake", DIMENSION), "cpu")
    assert (folder / DESCRIPTION).is_file()


def narrow(err: Exception, most: int) -> "PruningNetwork":
    """A network that fails on a batch of more graphs than `most`."""
    from dynagrag.retrieval.pruning.pruning_network import PruningNetwork

    class Narrow(PruningNetwork):
        def forward(self, batch: Any) -> "Logits":
            if batch.num_graphs > most:
                raise err
            return super().forward(batch)

    net = Narrow(network().options)
    net.load_state_dict(network().state_dict())
    return net


ON_GPU, ON_CPU = (
    torch.OutOfMemoryError("CUDA out of memory. Tried"),
    RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"),
)


@pytest.mark.parametrize("err", [ON_GPU, ON_CPU])
def test_what_does_not_fit_into_memory_is_scored_in_parts(
    err: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    graphs = [ring(n, seed=n) for n in (7, 1, 3, 0, 5)]
    whole, parts = (GcnPruner(net).score(graphs, QUERY) for net in (network(), narrow(err, 2)))
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one.nodes, other.nodes, atol=1e-6)
        np.testing.assert_allclose(one.edges, other.edges, atol=1e-6)
    assert "out of memory" in caplog.text
    with pytest.raises(
        ScoringError, match=r"of 7 nodes at most\) doesn't fit into memory.*--pruner prior"
    ) as found:
        GcnPruner(narrow(err, 0)).score(graphs, QUERY)
    assert "\n" not in str(found.value)


def test_another_error_of_torch_is_no_lack_of_memory() -> None:
    with pytest.raises(RuntimeError, match="size mismatch"):
        GcnPruner(narrow(RuntimeError("size mismatch"), 0)).score([ring(3)], QUERY)


def test_weights_that_are_too_large_are_not_blamed_on_the_vectors() -> None:
    net = network()
    with torch.no_grad():
        for value in net.parameters():
            value.fill_(1e30)
    with pytest.raises(ScoringError, match="its weights are too large; train it again"):
        GcnPruner(net).score([ring(4)], QUERY)


@pytest.mark.parametrize("part", ["x", "y", "query"])
def test_a_vector_that_is_no_number_is_told(part: str) -> None:
    subgraph, query = ring(4), QUERY.copy()
    vectors = query if part == "query" else getattr(subgraph, part).copy()
    vectors[2] = np.nan
    broken = subgraph if part == "query" else replace(subgraph, **{part: vectors})
    for pruner in (GcnPruner(network()), UntrainedPrior()):
        with pytest.raises(
            LoadError,
            match="the question is no number" if part == "query" else "the graph is no number",
        ):
            pruner.score([broken], vectors if part == "query" else query)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("num_nodes", [0, 1])
def test_nothing_but_empty_graphs_or_nodes_without_edges_can_be_scored(
    form: str, num_nodes: int
) -> None:
    scores = GcnPruner(network(form)).score([ring(num_nodes)] * 2, QUERY)
    assert [(own.nodes.shape, own.edges.shape) for own in scores] == [((num_nodes,), (0,))] * 2


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU; run it where there is none")
def test_a_gpu_that_is_not_there_is_told(tmp_path: Path) -> None:
    folder = checkpoint_in(tmp_path / "pruner", network())
    with pytest.raises(
        UsageError,
        match=r"the device 'cuda' can't be used here: .*; leave out --device, or give cpu",
    ):
        GcnPruner.open(folder, EmbedderIdentity("fake", DIMENSION), "cuda")


def test_a_node_sees_the_mean_of_its_edges_and_nothing_where_it_has_none() -> None:
    import torch

    from dynagrag.retrieval.pruning.pruning_network import _incident_means

    found = _incident_means(torch.tensor([[1.0], [3.0]]), torch.tensor([[0, 0], [1, 2]]), 4)
    assert found.squeeze(1).tolist() == [2.0, 1.0, 3.0, 0.0]
