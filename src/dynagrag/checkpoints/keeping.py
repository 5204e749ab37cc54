"""Where a training is kept: its file while it runs, and the checkpoint that it comes to."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynagrag.checkpoints.checkpoints import TRAINING, Checkpoint, save_checkpoint
from dynagrag.checkpoints.training_loop import Epoch, TrainingFile, best_of
from dynagrag.checkpoints.versions import library_versions
from dynagrag.core.schema import EmbedderIdentity

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """The fields that `Checkpoint` and `TrainingFile` share. `folder`: one that is held;
    `embedder`: the one whose vectors are read; `made_with`: data with hashes, seed and options,
    which with network and embedder tell a training from others.
    """

    folder: Path
    kind: str
    network: Mapping[str, Any]
    embedder: EmbedderIdentity
    made_with: Mapping[str, Any]
    begins_anew: bool = False

    @property
    def file(self) -> TrainingFile:
        """The file from which a training that was stopped goes on."""
        made_with = {
            **self.made_with,
            "network": dict(self.network),
            "embedder": self.embedder.name,
        }
        return TrainingFile(self.folder / TRAINING, made_with, self.begins_anew)

    def save(
        self,
        weights: "Mapping[str, Tensor]",
        epochs: Sequence[Epoch],
        figures: Mapping[str, Any] | None = None,
        learned: Mapping[str, Any] | None = None,
    ) -> Checkpoint:
        """Writes the checkpoint. `figures`: what was measured beside the learning curve; `learned`:
        what is to be known of the data beside `made_with`. Errors as in `save_checkpoint`.
        """
        best = best_of([epoch for epoch in epochs if epoch.number])
        checkpoint = Checkpoint(
            kind=self.kind,
            network=dict(self.network),
            embedder=self.embedder.name,
            dimension=self.embedder.dimension,
            made_with={**self.made_with, **(learned or {})},
            figures={
                "epochs": [asdict(epoch) for epoch in epochs],
                "best_epoch": best.number,
                **(figures or {}),
            },
            versions=library_versions() | {"dynagrag": version("dynagrag")},
        )
        save_checkpoint(self.folder, checkpoint, weights)
        return checkpoint
