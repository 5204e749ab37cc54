"""How soft prompts are sized and trained: the house's values, the papers', and what is given beside
them.
"""

from dataclasses import replace

import pytest

from dynagrag.core.errors import UsageError
from dynagrag.evaluation.graphqa.graph_methods import METHODS
from dynagrag.generation.soft_prompt.adapters import LoraOptions
from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions
from dynagrag.generation.soft_prompt.prompt_layout import LayoutOptions
from dynagrag.generation.soft_prompt.soft_parts import (
    G_RETRIEVER,
    GRAG,
    PROMPT_TUNING,
    Paper,
    SoftParts,
)
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptOptions
from dynagrag.generation.soft_prompt.soft_recipe import SoftRecipe, recipe_of

pytestmark = pytest.mark.slow


def test_the_papers_values_are_taken_where_they_are_asked_for() -> None:
    paper = recipe_of(Paper.G_RETRIEVER, {})
    assert (paper.width, paper.num_layers, paper.middle, paper.learning_rate) == (
        1024,
        4,
        2048,
        1e-5,
    )
    assert (paper.batch_size, paper.patience, paper.max_epochs, paper.num_virtual) == (8, 2, 10, 10)
    grag = recipe_of(METHODS["grag-lora"].paper, {"batch_size": 4, "width": None})
    assert (grag.batch_size, grag.patience, grag.width) == (4, 5, 1024)
    assert recipe_of(None, {}) == SoftRecipe()


def test_what_is_given_counts_and_the_projector_follows_the_width() -> None:
    given = recipe_of(
        None, {"width": 64, "num_layers": 2, "projection": None, "learning_rate": 1e-3}
    )
    assert (given.width, given.num_layers, given.middle) == (64, 2, 128)
    assert recipe_of(None, {"projection": 99}).middle == 99
    steps = given.training(seed=3)
    assert (steps.learning_rate, steps.seed, steps.betas, steps.weight_decay, steps.max_norm) == (
        1e-3,
        3,
        (0.9, 0.95),
        0.05,
        0.1,
    )
    assert steps.rate(0.5) == 0.5e-3


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({"width": 10_000_000}, "--width 10,000,000 is too much; give 16,384 or less"),
        ({"num_layers": 65}, "--layers 65 is too much; give 64 or less"),
        ({"projection": 65_537}, "--projector-width 65,537 is too much; give 65,536 or less"),
        ({"num_virtual": 4_097}, "--virtual-tokens 4,097 is too much; give 4,096 or less"),
    ],
)
def test_sizes_that_no_training_has_are_refused_with_the_largest(
    sizes: dict[str, int], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        SoftRecipe(**sizes).check()
    SoftRecipe(width=16_384, num_layers=64, projection=65_536, num_virtual=4_096).check()


def test_a_width_that_heads_cannot_share_is_refused() -> None:
    with pytest.raises(
        UsageError, match="--width 30 can't be shared by 4 heads; give a multiple of 4"
    ):
        SoftRecipe(width=30).check()


def test_a_part_that_is_not_there_is_not_in_the_network_and_the_rest_stays_as_it_is() -> None:
    recipe, layout = SoftRecipe(width=64, num_virtual=7), LayoutOptions(30, 20, 10)

    def made_of(parts: SoftParts) -> SoftPromptOptions:
        return recipe.options(parts, 24, 130, layout)

    whole = made_of(GRAG)
    assert whole.encoder == EncoderOptions(
        24, "edge-gat", 64, 4, 4, is_pruned=True, is_two_way=True
    )
    assert (whole.num_virtual, whole.has_text, whole.projection, whole.lora, whole.layout) == (
        0,
        True,
        128,
        None,
        layout,
    )
    unpruned = made_of(replace(GRAG, is_pruned=False, layer="gcn"))
    assert unpruned == replace(whole, encoder=EncoderOptions(24, "gcn", 64, 4, 4, is_two_way=True))
    of_lm = made_of(replace(G_RETRIEVER, has_projector=False))
    assert (of_lm.projection, of_lm.encoder) == (0, EncoderOptions(24, width=130, num_heads=1))
    assert made_of(PROMPT_TUNING) == SoftPromptOptions(num_virtual=7, projection=128, layout=layout)
    assert made_of(SoftParts(has_text=False, has_lora=True)).lora == LoraOptions()
