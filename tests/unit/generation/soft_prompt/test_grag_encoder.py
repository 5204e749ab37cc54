"""GRAG's encoder, sentence by sentence of docs/papers.md, "Soft prompts", step 3."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch import nn

if TYPE_CHECKING:
    from dynagrag.generation.soft_prompt.graph_encoder import GraphEncoder
    from dynagrag.generation.soft_prompt.soft_example import GraphArrays

pytestmark = pytest.mark.slow

DIMENSION = 6
QUERY = np.eye(DIMENSION, dtype=np.float32)[0]


def graph(
    ends: Sequence[tuple[int, int]] = ((0, 1), (1, 2), (0, 2)), num_nodes: int = 3
) -> "GraphArrays":
    from dynagrag.generation.soft_prompt.soft_example import GraphArrays

    rng = np.random.default_rng(3)
    x, y = (
        rng.standard_normal((size, DIMENSION)).astype(np.float32) for size in (num_nodes, len(ends))
    )
    return GraphArrays(x, np.array(ends, dtype=np.int64), y)


def encoder(
    num_layers: int = 3, *, is_pruned: bool = True, is_two_way: bool = True, **more: Any
) -> "GraphEncoder":
    from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions, GraphEncoder

    torch.manual_seed(1)
    options = EncoderOptions(
        DIMENSION,
        **{
            "layer": "edge-gat",
            "width": 16,
            "num_layers": num_layers,
            "is_pruned": is_pruned,
            "is_two_way": is_two_way,
        }
        | more,
    )
    return GraphEncoder(options).eval()


def batch_of(*graphs: "GraphArrays", query: Any = QUERY) -> Any:
    from dynagrag.generation.soft_prompt.soft_example import SoftExample, batch_graphs

    return batch_graphs([SoftExample(graphs, query, "", "")], DIMENSION)


@contextmanager
def what_layers_do(
    made: "GraphEncoder",
) -> Iterator[list[tuple[tuple[torch.Tensor, ...], torch.Tensor]]]:
    """Of each layer in turn: nodes, ends and edges that it reads, and what it makes of them."""
    seen: list[tuple[tuple[torch.Tensor, ...], torch.Tensor]] = []

    def note(_: nn.Module, read: tuple[torch.Tensor, ...], out: torch.Tensor) -> None:
        seen.append((read, out))

    hooks = [layer.register_forward_hook(note) for layer in made.layers]
    yield seen
    for hook in hooks:
        hook.remove()


def after_one_layer(own: "GraphArrays", *, is_two_way: bool) -> torch.Tensor:
    """(n, width): each node's own vector, before the mean."""
    made = encoder(1, is_pruned=False, is_two_way=is_two_way)
    with torch.no_grad(), what_layers_do(made) as seen:
        made(batch_of(own))
    return seen[0][1]


@pytest.mark.parametrize("is_two_way", [True, False])
def test_an_edge_is_heard_at_both_its_ends_where_edges_run_both_ways(is_two_way: bool) -> None:
    own = graph([(0, 1)], num_nodes=2)
    before, after = (
        after_one_layer(one, is_two_way=is_two_way) for one in (own, replace(own, y=-own.y))
    )
    changed = [not torch.allclose(before[node], after[node], atol=1e-6) for node in (0, 1)]
    assert changed == [is_two_way, True]


def test_a_flag_tells_an_edge_from_its_reverse() -> None:
    own = graph([(0, 1), (1, 2)])
    made = encoder()
    with torch.no_grad():
        before = made(batch_of(own))
        assert not torch.allclose(
            made(batch_of(replace(own, ends=own.ends[:, ::-1]))), before, atol=1e-6
        )
        turned = replace(own, ends=own.ends[::-1].copy(), y=own.y[::-1].copy())
        torch.testing.assert_close(
            made(batch_of(turned)),
            before,
            atol=1e-6,
            rtol=0,
            msg="the order of edges tells nothing",
        )


def test_in_every_layer_messages_are_of_masked_nodes_and_masked_edges() -> None:
    made, batch = encoder(), batch_of(graph())
    with torch.no_grad(), what_layers_do(made) as seen:
        made(batch)
        alpha_v, alpha_e = made.masks(batch)
    flags = torch.tensor([[1.0]] * 3 + [[-1.0]] * 3)
    y = torch.cat([torch.cat([batch.edge_attr, batch.edge_attr]), flags], dim=1)
    assert float(alpha_v.max()) < 1
    assert len(seen) == 3
    before = batch.x
    for i, ((nodes, ends, edges), out) in enumerate(seen):
        torch.testing.assert_close(nodes, alpha_v * before)
        torch.testing.assert_close(edges, torch.cat([alpha_e, alpha_e]) * y)
        assert ends.T.tolist() == [[0, 1], [1, 2], [0, 2], [1, 0], [2, 1], [2, 0]]
        if i < 2:
            before = torch.relu(made.norms[i](out))


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_masks_of_0_silence_edges_in_each_layer(layer: int) -> None:
    made, batch = encoder(), batch_of(graph())
    with torch.no_grad():
        heard = made(batch)
        made.edge_mask[-1].bias -= 1e4
        silent = made(batch)
        made.layers[layer].edge.weight += 1.0
        torch.testing.assert_close(
            made(batch), silent, msg="what the layer makes of an edge is not heard"
        )
        made.edge_mask[-1].bias += 1e4
        assert not torch.allclose(made(batch), heard, atol=1e-4)


def test_masks_of_0_silence_nodes_in_the_last_layer_too() -> None:
    made, batch = encoder(), batch_of(graph())
    with torch.no_grad():
        heard = made(batch)
        made.node_mask[-1].bias -= 1e4
        silent = made(batch)
        made.layers[1].bias += torch.arange(16)
        torch.testing.assert_close(
            made(batch), silent, msg="it reads zeros, whatever the layers before it made"
        )
        made.node_mask[-1].bias += 1e4
        assert not torch.allclose(made(batch), heard, atol=1e-4)


def test_a_mask_may_be_a_function_of_the_distance_between_unit_vectors_alone() -> None:
    made = encoder(distance="euclidean")
    angle = np.deg2rad([0, 40, 40, 90])
    x = np.zeros((4, DIMENSION), np.float32)
    x[:, 0], x[[1, 3], 1], x[2, 2] = np.cos(angle), np.sin(angle[[1, 3]]), np.sin(angle[2])
    own = replace(graph([(0, 1), (2, 3)], num_nodes=4), x=x, y=x[[1, 2]])
    with torch.no_grad():
        nodes, edges = made.masks(batch_of(own))
        far = made.masks(batch_of(own, query=9 * QUERY))
        distance = 2 * np.sin(angle / 2)
        expected = torch.sigmoid(
            made.node_mask(torch.tensor(distance, dtype=torch.float32).unsqueeze(1))
        )
    torch.testing.assert_close(nodes, expected, atol=1e-5, rtol=0)
    assert nodes[1] == pytest.approx(float(nodes[2]))
    assert len({round(float(value), 5) for value in nodes}) == 3
    assert edges[0] == pytest.approx(float(edges[1]))
    assert edges[0] != pytest.approx(float(nodes[1])), "edges have an MLP of their own"
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(far, (nodes, edges), strict=True)), (
        "the question's vector is made unit"
    )


def test_a_mask_reads_how_far_each_number_is_from_the_questions_whatever_the_sign() -> None:
    made = encoder()
    x = np.zeros((3, DIMENSION), np.float32)
    x[:, 0], x[1, 1], x[2, 2] = 1, 0.5, 0.5
    own = replace(graph([(0, 1)], num_nodes=3), x=x, y=x[[1]])
    mirrored = replace(own, x=x * [1, -1, -1, 1, 1, 1])
    with torch.no_grad():
        nodes, edges = made.masks(batch_of(own))
        again, _ = made.masks(batch_of(replace(mirrored, x=mirrored.x.astype(np.float32))))
        expected = torch.sigmoid(made.node_mask((torch.tensor(x) - torch.tensor(QUERY)).abs()))
    torch.testing.assert_close(nodes, expected)
    torch.testing.assert_close(again, nodes)
    assert nodes[1] != pytest.approx(float(nodes[2])), "of one distance, in other places"
    assert edges[0] != pytest.approx(float(nodes[1])), "edges have an MLP of their own"


@pytest.mark.parametrize(("distance", "before"), [("elements", DIMENSION), ("euclidean", 1)])
def test_little_is_pruned_before_it_is_learned(distance: str, before: int) -> None:
    made = encoder(distance=distance)
    for own in (made.node_mask, made.edge_mask):
        assert [
            (layer.in_features, layer.out_features) for layer in own if isinstance(layer, nn.Linear)
        ] == [(before, 32), (32, 32), (32, 1)], "twice as wide as the encoder"
        assert own[-1].bias.item() == 2.0
    with torch.no_grad():
        masks = torch.cat(made.masks(batch_of(graph())))
    assert 0.75 < float(masks.min()) <= float(masks.max()) < 0.95


def test_graph_attention_shares_are_of_nodes_and_edges_and_heads_are_averaged() -> None:
    made, own = encoder(1, is_pruned=False, is_two_way=False), graph()
    layer, batch = made.layers[0], batch_of(own)
    with torch.no_grad(), what_layers_do(made) as seen:
        made(batch)
        h = layer.node(batch.x).unflatten(1, (4, 16))
        e = layer.edge(batch.edge_attr).unflatten(1, (4, 16))
        into: list[list[tuple[int, torch.Tensor]]] = [
            [(v, torch.zeros(4, 16)), *((u, e[i]) for i, (u, w) in enumerate(own.ends) if w == v)]
            for v in range(3)
        ]
        rows = []
        for v, messages in enumerate(into):
            logits = torch.stack(
                [
                    (h[u] * layer.of_source + h[v] * layer.of_target + y * layer.of_edge).sum(dim=1)
                    for u, y in messages
                ]
            )
            shares = torch.softmax(nn.functional.leaky_relu(logits, 0.2), dim=0).unsqueeze(2)
            mixed = (shares * torch.stack([h[u] + y for u, y in messages])).sum(dim=0)
            rows.append(mixed.mean(dim=0) + layer.bias)
    torch.testing.assert_close(seen[0][1], torch.stack(rows))


def numbers_of(module: nn.Module) -> int:
    return sum(value.numel() for value in module.parameters())


def test_with_the_papers_sizes_each_group_has_as_many_numbers_as_the_authors() -> None:
    from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions, GraphEncoder
    from dynagrag.generation.soft_prompt.prompt_layout import LayoutOptions
    from dynagrag.generation.soft_prompt.soft_parts import G_RETRIEVER, GRAG, Paper
    from dynagrag.generation.soft_prompt.soft_prompt_model import SoftTokens
    from dynagrag.generation.soft_prompt.soft_recipe import recipe_of

    def learned(parts: Any, paper: Paper) -> SoftTokens:
        options = recipe_of(paper, {}).options(parts, 1024, 4096, LayoutOptions())
        with torch.device("meta"):
            return SoftTokens(options, 4096, 1.0)

    # per layer four heads of 1024 by 1024, two attention vectors a head, and a bias
    of_gat = 4 * (4 * 1024 * 1024 + 2 * 4 * 1024 + 1024)
    norms = 3 * 2 * 1024
    mask = (1024 * 2048 + 2048) + (2048 * 2048 + 2048) + (2048 + 1)
    projector = (1024 * 2048 + 2048) + (2048 * 4096 + 4096)
    assert (of_gat + norms, mask, projector) == (16_820_224, 6_297_601, 10_491_904)

    grag = learned(GRAG, Paper.GRAG)
    of_edges = 4 * (4096 * 1025 + 4 * 1024)
    assert numbers_of(grag.encoder.layers) == of_gat + of_edges, "edges in messages are the paper's"
    assert (
        sum(numbers_of(own.edge) + own.of_edge.numel() for own in grag.encoder.layers) == of_edges
    )
    assert numbers_of(grag.encoder.norms) == norms
    assert numbers_of(grag.encoder.node_mask) == numbers_of(grag.encoder.edge_mask) == mask
    assert numbers_of(grag.projector) == projector
    as_run = learned(replace(GRAG, layer="gat"), Paper.GRAG)
    assert numbers_of(as_run.encoder) == of_gat + norms + 2 * mask == 29_415_426

    g_retriever = learned(G_RETRIEVER, Paper.G_RETRIEVER)
    linear = 1024 * 1024 + 1024  # queries, keys, values and the node itself; edges have no bias
    assert numbers_of(g_retriever.encoder) == 4 * (4 * linear + 1024 * 1024) + norms == 20_994_048
    assert numbers_of(g_retriever.projector) == projector
    with torch.device("meta"):
        for layer, count in (("gat", of_gat + norms), ("gcn", 4 * linear + norms)):
            made = GraphEncoder(EncoderOptions(1024, layer, 1024))  # type: ignore[arg-type]
            assert numbers_of(made) == count


def test_ego_graphs_are_pooled_each_by_itself() -> None:
    one, two = graph(num_nodes=5), graph([(0, 1)], num_nodes=2)
    made = encoder()
    with torch.no_grad():
        together = made(batch_of(one, two))
        apart = torch.cat([made(batch_of(own)) for own in (one, two)])
    torch.testing.assert_close(together, apart, atol=1e-6, rtol=0)
