"""Checkpoints of soft prompts that answer a workspace's questions."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from dynagrag.errors import LoadError, UsageError
from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions
from dynagrag.generation.soft_prompt.language_model import LanguageModel, load_language_model
from dynagrag.generation.soft_prompt.precision import Precision
from dynagrag.generation.soft_prompt.prompt_layout import LayoutOptions
from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS, SoftAnswerer
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions
from dynagrag.schema import EmbedderIdentity
from dynagrag.settings import Settings
from dynagrag.training.checkpoints import load_checkpoint

KIND = "soft-answers"


def network_of(method: str, lm: LanguageModel, options: SoftPromptOptions) -> dict[str, Any]:
    """What a checkpoint keeps of the network."""
    return {"method": method, "lm": lm.name, "lm_width": lm.width, "precision": lm.precision.value, "options": asdict(options)}


def open_soft_answerer(folder: Path, settings: Settings, embedder: EmbedderIdentity) -> SoftAnswerer:
    """The system of a checkpoint, with the language model that it was trained before.

    Raises LoadError for what is no such checkpoint, UsageError where it fits another embedder or model, SettingsError where the model or a
    library is missing.
    """
    checkpoint, weights = load_checkpoint(folder, KIND)
    checkpoint.check_fits(embedder, folder)
    made = checkpoint.network
    lm = load_language_model(made["lm"], settings, Precision(made.get("precision", Precision.FLOAT32)))
    if made["lm_width"] != lm.width:
        raise UsageError(f"{folder} was trained before a model of width {made['lm_width']}, and {lm.name} has {lm.width}; train it again")
    model = SoftPromptModel(lm, _read_options(made["options"]))
    try:
        model.tokens.load_state_dict(weights)
    except RuntimeError as err:
        raise LoadError(f"the weights in {folder} are not those of its network: {str(err).splitlines()[0]}; train it again") from err
    if made["method"] not in SYSTEMS:
        raise LoadError(f"{folder} holds {made['method']!r}; known: {', '.join(SYSTEMS)}")
    return SoftAnswerer(model, made["method"], f"{made['method']} with {lm.name}")


def _read_options(kept: dict[str, Any]) -> SoftPromptOptions:
    encoder = EncoderOptions(**({"is_two_way": kept["encoder"]["is_pruned"]} | kept["encoder"])) if kept["encoder"] else None
    return SoftPromptOptions(**(kept | {"encoder": encoder, "layout": LayoutOptions(**kept["layout"])}))
