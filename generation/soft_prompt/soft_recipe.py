"""How large a soft prompt is and how it is trained: the house's values, for small language models,
and the papers'.
"""

from dataclasses import dataclass, replace
from typing import Any

from dynagrag.checkpoints.training_loop import TrainingOptions
from dynagrag.core.errors import UsageError
from dynagrag.generation.soft_prompt.adapters import LoraOptions
from dynagrag.generation.soft_prompt.graph_encoder import (
    MAX_LAYERS,
    MAX_WIDTH,
    Distance,
    EncoderOptions,
)
from dynagrag.generation.soft_prompt.prompt_layout import LayoutOptions
from dynagrag.generation.soft_prompt.soft_parts import Paper, SoftParts
from dynagrag.generation.soft_prompt.soft_prompt_model import (
    MAX_PROJECTION,
    MAX_VIRTUAL,
    SoftPromptOptions,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftRecipe:
    """`width`: of the graph encoder's layers, `num_layers` of them, of 4 heads each; `projection`:
    of the projector's middle, None: twice the width; `num_virtual`: tokens of prompt tuning.
    `distance`: of nodes and edges from the question, by which GRAG prunes. `learning_rate`: at its
    highest; `patience`: epochs without gain after which it stops.
    """

    width: int = 256
    num_layers: int = 4
    projection: int | None = None
    num_virtual: int = 10
    distance: Distance = "elements"
    learning_rate: float = 3e-4
    batch_size: int = 8
    patience: int = 2
    max_epochs: int = 10

    def check(self) -> None:
        """Raises UsageError for a width that 4 heads can't share, and for sizes that no training
        has.
        """
        for option, size, most in (
            ("--width", self.width, MAX_WIDTH),
            ("--layers", self.num_layers, MAX_LAYERS),
            ("--projector-width", self.middle, MAX_PROJECTION),
            ("--virtual-tokens", self.num_virtual, MAX_VIRTUAL),
        ):
            if size > most:
                raise UsageError(f"{option} {size:,} is too much; give {most:,} or less")
        if self.width % NUM_HEADS:
            raise UsageError(
                f"--width {self.width} can't be shared by {NUM_HEADS} heads; give a multiple of"
                f" {NUM_HEADS}"
            )

    @property
    def middle(self) -> int:
        """The width of the projector's middle."""
        return 2 * self.width if self.projection is None else self.projection

    def options(
        self, parts: SoftParts, dimension: int, lm_width: int, layout: LayoutOptions
    ) -> SoftPromptOptions:
        """Parts in these sizes. `dimension`: of the vectors that an encoder reads; `lm_width`: of
        the language model's embeddings, which is the encoder's own where nothing projects.
        """
        encoder = None
        if parts.has_graph:
            width = self.width if parts.has_projector else lm_width
            encoder = EncoderOptions(
                dimension,
                parts.layer,
                width,
                self.num_layers,
                num_heads=NUM_HEADS if width % NUM_HEADS == 0 else 1,
                is_pruned=parts.is_pruned,
                is_two_way=parts.is_two_way,
                distance=self.distance,
            )
        return SoftPromptOptions(
            encoder,
            self.num_virtual if parts.has_virtual else 0,
            parts.has_text,
            projection=self.middle if parts.has_projector else 0,
            lora=LoraOptions() if parts.has_lora else None,
            layout=layout,
        )

    def training(self, seed: int) -> TrainingOptions:
        """AdamW as in G-Retriever's code, where the rate rises over an epoch and falls by a
        cosine.
        """
        return TrainingOptions(
            learning_rate=self.learning_rate,
            weight_decay=0.05,
            batch_size=self.batch_size,
            max_epochs=self.max_epochs,
            patience=self.patience,
            seed=seed,
            betas=(0.9, 0.95),
            is_warmed_up=True,
            max_norm=0.1,
        )


NUM_HEADS = 4
_G_RETRIEVER = SoftRecipe(width=1024, projection=2048, learning_rate=1e-5)
_OF_PAPERS = {
    Paper.G_RETRIEVER: _G_RETRIEVER,
    Paper.GRAG: replace(_G_RETRIEVER, batch_size=2, patience=5),
}


def recipe_of(paper: Paper | None, given: dict[str, Any]) -> SoftRecipe:
    """A paper's recipe, or the house's, with what was `given` and is not None in place of its
    own.
    """
    base = SoftRecipe() if paper is None else _OF_PAPERS[paper]
    return replace(base, **{name: value for name, value in given.items() if value is not None})
