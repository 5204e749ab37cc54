"""How soft prompts are sized and trained: the house's values, the papers', and what is given beside them."""

import pytest

from dynagrag.errors import UsageError
from dynagrag.generation.soft_prompt.soft_recipe import SoftRecipe, recipe_of


def test_the_papers_values_are_taken_where_they_are_asked_for() -> None:
    paper = recipe_of("g-retriever", True, {})
    assert (paper.width, paper.num_layers, paper.middle, paper.learning_rate) == (1024, 4, 2048, 1e-5)
    assert (paper.batch_size, paper.patience, paper.max_epochs, paper.num_virtual) == (8, 2, 10, 10)
    grag = recipe_of("grag-lora", True, {"batch_size": 4, "width": None})
    assert (grag.batch_size, grag.patience, grag.width) == (4, 5, 1024)
    assert recipe_of("grag", False, {}) == SoftRecipe()


def test_what_is_given_counts_and_the_projector_follows_the_width() -> None:
    given = recipe_of("g-retriever", False, {"width": 64, "num_layers": 2, "projection": None, "learning_rate": 1e-3})
    assert (given.width, given.num_layers, given.middle) == (64, 2, 128)
    assert recipe_of("g-retriever", False, {"projection": 99}).middle == 99
    steps = given.training(seed=3)
    assert (steps.learning_rate, steps.seed, steps.betas, steps.weight_decay, steps.max_norm) == (1e-3, 3, (0.9, 0.95), 0.05, 0.1)
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
def test_sizes_that_no_training_has_are_refused_with_the_largest(sizes: dict[str, int], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        SoftRecipe(**sizes).check()
    SoftRecipe(width=16_384, num_layers=64, projection=65_536, num_virtual=4_096).check()


def test_a_width_that_heads_cannot_share_is_refused() -> None:
    with pytest.raises(UsageError, match="--width 30 can't be shared by 4 heads; give a multiple of 4"):
        SoftRecipe(width=30).check()
