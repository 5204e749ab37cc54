"""Soft prompts: every part is learned and has a say, rows don't touch each other, and only labels
are targets.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from tiny_llama import tiny_llama

from dynagrag.core.errors import SettingsError, UsageError

if TYPE_CHECKING:
    from dynagrag.generation.soft_prompt.soft_example import GraphArrays, SoftExample
    from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel

pytestmark = pytest.mark.slow

DIMENSION = 6


def graph(num_nodes: int, seed: int = 0) -> "GraphArrays":
    """A chain, of which each node leads to the last one too; no edges below two nodes."""
    from dynagrag.generation.soft_prompt.soft_example import GraphArrays

    rng = np.random.default_rng(seed)
    pairs = [(i, i + 1) for i in range(num_nodes - 1)] + [
        (i, num_nodes - 1) for i in range(num_nodes - 2)
    ]
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    x, y = (
        rng.standard_normal((size, DIMENSION)).astype(np.float32)
        for size in (num_nodes, len(pairs))
    )
    return GraphArrays(x, ends, y)


def example(
    seed: int = 0,
    *,
    num_nodes: int = 4,
    num_graphs: int = 1,
    text: str = "cat is a animal",
    label: str = "support",
) -> "SoftExample":
    from dynagrag.generation.soft_prompt.soft_example import SoftExample

    query = np.random.default_rng(seed + 100).standard_normal(DIMENSION).astype(np.float32)
    graphs = tuple(graph(num_nodes, seed + i) for i in range(num_graphs))
    return SoftExample(graphs, query, text, "argument 1 the cat can fly answer", label)


def model(
    *, is_pruned: bool = False, num_virtual: int = 0, layer: Any = "transformer", **more: Any
) -> "SoftPromptModel":
    from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions
    from dynagrag.generation.soft_prompt.language_model import LanguageModel
    from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions

    lm = LanguageModel(*tiny_llama(), "tiny")
    torch.manual_seed(1)
    encoder = EncoderOptions(
        DIMENSION,
        layer,
        width=16,
        num_layers=3,
        num_heads=4,
        is_pruned=is_pruned,
        is_two_way=is_pruned,
    )
    return SoftPromptModel(
        lm,
        SoftPromptOptions(
            **({"encoder": encoder, "num_virtual": num_virtual, "projection": 16} | more)
        ),
    )


@pytest.mark.parametrize(("is_pruned", "layer"), [(False, "transformer"), (True, "edge-gat")])
def test_every_group_of_parameters_gets_a_gradient_and_the_language_model_none(
    is_pruned: bool, layer: str
) -> None:
    made = model(is_pruned=is_pruned, num_virtual=3, layer=layer)
    made.loss([example(i, num_graphs=2) for i in range(3)]).backward()  # type: ignore[no-untyped-call]
    dead = [
        name
        for name, value in made.tokens.named_parameters()
        if value.grad is None or not value.grad.abs().sum() > 0
    ]
    assert dead == []
    assert all(value.grad is None for value in made.lm.model.parameters())
    assert (
        any(name.startswith("encoder.edge_mask") for name, _ in made.tokens.named_parameters())
        is is_pruned
    )


@pytest.mark.parametrize(
    ("layer", "reads_edges"),
    [("transformer", True), ("edge-gat", True), ("gat", False), ("gcn", False)],
)
def test_tokens_change_with_nodes_edges_direction_and_the_text_does_not_touch_them(
    layer: str, reads_edges: bool
) -> None:
    made, one = model(layer=layer), example()

    def token(of: "SoftExample") -> torch.Tensor:
        with torch.no_grad():
            found: torch.Tensor = made.tokens([of])
            return found

    own = one.graphs[0]
    with_graph = [
        replace(one, graphs=(replace(own, **changed),))
        for changed in ({"x": -own.x}, {"y": -own.y}, {"ends": own.ends[:, ::-1]})
    ]
    before = token(one)
    nodes, edges, direction = (
        not torch.allclose(token(changed), before, atol=1e-6) for changed in with_graph
    )
    assert (nodes, edges, direction) == (True, reads_edges, True)
    assert torch.equal(token(replace(one, description="bird")), before)


def test_soft_pruning_acts_on_nodes_and_edges_and_asks_how_far_the_question_is() -> None:
    made, one = model(is_pruned=True), example()
    plain = model(is_pruned=False)
    with torch.no_grad():
        before = made.tokens([one])
        assert not torch.allclose(made.tokens([replace(one, query=-one.query)]), before, atol=1e-6)
        assert torch.equal(plain.tokens([replace(one, query=-one.query)]), plain.tokens([one]))
        for mask in (made.tokens.encoder.node_mask, made.tokens.encoder.edge_mask):
            mask[-1].bias -= 6.0
            after = made.tokens([one])
            assert not torch.allclose(after, before, atol=1e-6)
            before = after


def test_the_graph_token_is_the_mean_over_graphs_that_are_pooled_each_by_itself() -> None:
    from dynagrag.generation.soft_prompt.soft_example import batch_graphs

    made = model()
    one, two = replace(example(), graphs=(graph(5, 3),)), replace(example(), graphs=(graph(2, 4),))
    both = replace(example(), graphs=(graph(5, 3), graph(2, 4)))
    with torch.no_grad():
        pooled = made.tokens.encoder(batch_graphs([one, two], DIMENSION))
        torch.testing.assert_close(
            made.tokens([both])[0, 0], made.tokens.projector(pooled.mean(dim=0)), atol=1e-6, rtol=0
        )


@pytest.mark.parametrize("layer", ["transformer", "edge-gat", "gat", "gcn"])
def test_a_batch_of_eight_gives_what_each_gives_alone_graphs_without_nodes_or_edges_too(
    layer: str,
) -> None:
    made = model(is_pruned=True, num_virtual=2, layer=layer)
    sizes, texts = (
        (4, 1, 0, 6, 2, 3, 1, 0),
        (
            "cat",
            "dog is a animal and the bird",
            "",
            "cat can fly",
            "a",
            "of the dog",
            "not",
            "one word",
        ),
    )
    rows = [
        example(i, num_nodes=n, text=text)
        for i, (n, text) in enumerate(zip(sizes, texts, strict=True))
    ]
    assert made.answers(rows) == [made.answers([row])[0] for row in rows]
    with torch.no_grad():
        together, alone = float(made.loss(rows)), [float(made.loss([row])) for row in rows]
    assert together == pytest.approx(sum(alone) / len(rows), rel=1e-4), "each label has one token"
    assert torch.isfinite(made.tokens(rows)).all()


def test_only_the_label_and_its_end_are_targets_and_rows_are_padded_on_the_left() -> None:
    from dynagrag.generation.soft_prompt.prompt_layout import IGNORED, LayoutOptions, lay_out

    made = model(num_virtual=2)
    rows = [
        example(0, text="cat is a animal"),
        example(1, text="bird", label="counter counter counter"),
    ]
    laid = lay_out(
        made.lm,
        rows,
        made.tokens(rows),
        LayoutOptions(max_description=3, max_label=2),
        has_text=True,
        has_labels=True,
    )
    ids = made.lm.tokenizer.convert_tokens_to_ids
    assert [row[row != IGNORED].tolist() for row in laid.targets] == [
        ids(["support", "</s>"]),
        ids(["counter", "counter", "</s>"]),
    ]
    # before 1, soft 3, description 3 and 1 (cut at 3), question 7, after 1, label and end
    assert laid.mask.sum(dim=1).tolist() == [1 + 3 + 3 + 7 + 1 + 2, 1 + 3 + 1 + 7 + 1 + 3]
    assert laid.mask[1].tolist() == [0] + [1] * 16
    assert laid.embeddings.shape == (2, 17, 128)
    asked = lay_out(
        made.lm, rows, made.tokens(rows), LayoutOptions(), has_text=False, has_labels=False
    )
    assert asked.mask.sum(dim=1).tolist() == [12, 12]
    assert (asked.targets == IGNORED).all()


def test_in_bfloat16_the_model_is_shorter_and_what_is_learned_is_not() -> None:
    made, short = model(is_pruned=True, num_virtual=2), model(is_pruned=True, num_virtual=2)
    short.lm.model.bfloat16()
    rows = [example(i, num_graphs=2) for i in range(3)]
    losses = [one.loss(rows) for one in (made, short)]
    assert [one.lm.precision for one in (made, short)] == ["float32", "bfloat16"]
    assert float(losses[1].detach()) == pytest.approx(float(losses[0].detach()), rel=0.02)
    assert losses[1].dtype == torch.float32
    losses[1].backward()  # type: ignore[no-untyped-call]
    assert {value.grad.dtype for value in short.tokens.parameters() if value.grad is not None} == {
        torch.float32
    }


def test_a_prompt_that_does_not_fit_is_refused() -> None:
    made = model()
    with pytest.raises(
        UsageError, match=r"doesn't fit into tiny, whose context has 128; .* --max-description"
    ):
        made.loss([replace(example(), description="cat " * 300)])


def test_without_a_template_the_layout_is_the_beginning_if_there_is_one_and_a_line_end() -> None:
    from dynagrag.generation.soft_prompt.language_model import chat_pieces

    lm, tokenizer = tiny_llama(has_template=False)
    pieces = chat_pieces(tokenizer, lm)
    assert (pieces.before, pieces.end) == ((), tokenizer.eos_token_id)
    tokenizer.bos_token = "<user>"
    assert chat_pieces(tokenizer, lm).before == (tokenizer.convert_tokens_to_ids("<user>"),)
    tokenizer.chat_template = "{{ 'fixed' }}"
    with pytest.raises(SettingsError, match="doesn't show what a user says"):
        chat_pieces(tokenizer, lm)


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"is_pruned": True},
        {"encoder": None, "num_virtual": 10},
        {"has_text": False},
        {"encoder": None, "lora": True},
        {"lora": True},
        {"is_pruned": True, "lora": True},
    ],
    ids=[
        "g-retriever",
        "grag",
        "prompt-tuning",
        "graph-token",
        "lora",
        "g-retriever-lora",
        "grag-lora",
    ],
)
def test_ten_examples_are_learned_by_heart(how: dict[str, Any]) -> None:
    """What tells the labels apart: the graph, and for prompt tuning, which has none, the text."""
    made = lora(**{k: v for k, v in how.items() if k != "lora"}) if "lora" in how else model(**how)
    rows = [
        example(
            i, text=("cat", "dog")[i % 2], label=("support", "counter")[i % 2], num_graphs=1 + i % 2
        )
        for i in range(10)
    ]
    optimizer = torch.optim.AdamW(made.tokens.parameters(), 1e-2)
    for _ in range(150):
        optimizer.zero_grad()
        loss = made.loss(rows)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if float(loss.detach()) < 0.02:
            break
    assert made.answers(rows) == [row.label for row in rows]


def lora(**more: Any) -> "SoftPromptModel":
    from dynagrag.generation.soft_prompt.adapters import LoraOptions

    return model(lora=LoraOptions(), **more)


def test_adapters_are_of_queries_and_values_begin_without_effect_and_get_gradients() -> None:
    made, rows = lora(is_pruned=True), [example(i, num_graphs=2) for i in range(3)]
    plain = model(is_pruned=True)
    plain.tokens.load_state_dict(
        {
            name: v
            for name, v in made.tokens.state_dict().items()
            if not name.startswith("adapters.")
        }
    )
    assert torch.equal(made.loss(rows), plain.loss(rows)), "the second matrix begins at 0"
    assert {
        name.rpartition("/")[2].partition(".")[0]
        for name, _ in made.tokens.adapters.named_parameters()
    } == {
        "q_proj",
        "v_proj",
    }  # type: ignore[union-attr]
    with torch.no_grad():
        for own in made.tokens.adapters.up.parameters():  # type: ignore[union-attr]
            own += 0.1
    made.loss(rows).backward()  # type: ignore[no-untyped-call]
    dead = [
        name
        for name, value in made.tokens.named_parameters()
        if value.grad is None or not value.grad.abs().sum() > 0
    ]
    assert dead == []
    learned = {id(value) for value in made.tokens.parameters()}
    assert all(
        value.grad is None for value in made.lm.model.parameters() if id(value) not in learned
    )


def test_adapters_leave_the_model_as_it_is_for_others() -> None:
    from dynagrag.generation.soft_prompt.adapters import LoraOptions
    from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions

    rows = [example(i) for i in range(3)]
    lm = model().lm
    base, one, two = (
        SoftPromptModel(lm, SoftPromptOptions(lora=own))
        for own in (None, LoraOptions(), LoraOptions(rank=2))
    )
    before = base.loss(rows)
    with torch.no_grad():
        for own in one.tokens.adapters.up.parameters():  # type: ignore[union-attr]
            own += 0.3
    assert torch.equal(base.loss(rows), before)
    assert torch.equal(two.loss(rows), before)
    assert not torch.allclose(one.loss(rows), before)
    one.loss(rows).backward()  # type: ignore[no-untyped-call]
    assert all(value.grad is not None for value in one.tokens.parameters())
    assert all(value.grad is None for value in two.tokens.parameters())


def test_a_model_without_such_matrices_gets_no_adapters() -> None:
    from dynagrag.generation.soft_prompt.adapters import target_modules

    assert target_modules(torch.nn.ModuleDict({"c_attn": torch.nn.Linear(2, 2)})) == ("c_attn",)
    with pytest.raises(SettingsError, match="LoRA finds neither q_proj and v_proj nor"):
        target_modules(torch.nn.ModuleDict({"other": torch.nn.Linear(2, 2)}))


@pytest.mark.parametrize("layer", ["transformer", "edge-gat"])
def test_an_edge_that_is_the_only_one_into_a_node_has_a_say(layer: str) -> None:
    made, one = model(layer=layer), replace(example(), graphs=(graph(2),))
    own = one.graphs[0]
    with torch.no_grad():
        other = made.tokens([replace(one, graphs=(replace(own, y=-own.y),))])
        assert not torch.allclose(made.tokens([one]), other, atol=1e-6)


def test_without_a_projector_the_encoder_makes_the_token_itself() -> None:
    from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions

    made = model(encoder=EncoderOptions(DIMENSION, width=128, num_layers=2), projection=0)
    assert made.tokens([example()]).shape == (1, 1, 128)
    assert not any(name.startswith("projector") for name in made.tokens.state_dict())


def test_adapters_are_exact_where_the_model_is_short() -> None:
    from dynagrag.generation.soft_prompt.adapters import LoraOptions
    from dynagrag.generation.soft_prompt.language_model import LanguageModel
    from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions

    lm, tokenizer = tiny_llama()
    made = SoftPromptModel(
        LanguageModel(lm.bfloat16(), tokenizer, "tiny"), SoftPromptOptions(lora=LoraOptions())
    )
    made.loss([example(i) for i in range(3)]).backward()  # type: ignore[no-untyped-call]
    assert {value.dtype for value in made.tokens.parameters()} == {torch.float32}
    assert any(
        value.grad is not None and value.grad.abs().sum() > 0 for value in made.tokens.parameters()
    )
    assert made.answers([example()])


def test_a_batch_in_parts_has_the_loss_and_the_gradients_of_the_whole_one() -> None:
    from dynagrag.checkpoints.memory import parts_of
    from dynagrag.generation.soft_prompt.soft_task import SoftTask

    made = model(is_pruned=True, num_virtual=2)
    labels = (
        "support",
        "a cat can fly and the dog",
        "counter",
        "not",
        "one word in the argument",
        "a",
        "the bird",
        "support support",
    )
    rows = [example(i, num_nodes=1 + i % 4, label=label) for i, label in enumerate(labels)]
    task = SoftTask(made, rows, 8)

    def of(num_parts: int) -> tuple[float, list[torch.Tensor]]:
        made.tokens.zero_grad()
        losses = []
        for part in parts_of(rows, num_parts):
            loss = task.loss(part, rows)
            loss.backward()  # type: ignore[no-untyped-call]
            losses.append(float(loss.detach()))
        return sum(losses), [
            value.grad.clone() for value in made.tokens.parameters() if value.grad is not None
        ]

    loss, gradients = of(1)
    assert loss == pytest.approx(float(made.loss(rows).detach()))
    for num_parts in (2, 4, 8):
        parted, own = of(num_parts)
        assert parted == pytest.approx(loss, rel=1e-5)
        for one, other in zip(gradients, own, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)
    assert (
        task.validate()
        == pytest.approx(SoftTask(made, rows, 2).validate(), rel=1e-5)
        == pytest.approx(-loss, rel=1e-5)
    )


@pytest.mark.parametrize(("is_pruned", "layer"), [(False, "transformer"), (True, "edge-gat")])
def test_a_question_that_no_graph_is_near_gets_a_token_too(is_pruned: bool, layer: str) -> None:
    made, without = model(is_pruned=is_pruned, layer=layer), example(num_graphs=0)
    with torch.no_grad():
        alone, (same, other) = made.tokens([without]), made.tokens([without, example()])
    assert alone.isfinite().all()
    assert torch.allclose(alone[0], same, atol=1e-6)
    assert not torch.allclose(same, other)
