"""Checkpoints of soft prompts: what one keeps of its network, and the one way in which it is
read.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from dynagrag.checkpoints.checkpoints import load_checkpoint, read_description
from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.generation.soft_prompt.language_model import LanguageModel, load_language_model
from dynagrag.generation.soft_prompt.precision import Precision
from dynagrag.generation.soft_prompt.soft_answers import (
    KIND,
    SYSTEMS,
    VERSION,
    SoftAnswerer,
    check_text_version,
)
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions

_LOG = logging.getLogger(__name__)
_MAX_SHOWN = 60


class SoftNetwork(BaseModel):
    """A network's description in its checkpoint. `lm`, `lm_width`, `lm_digest`, `precision`: the
    language model that it was trained before, a hash of that one's weights (None where an older
    version trained it), and how exactly they were kept. `version`: see VERSION. `without`,
    `description` and `retrieval`: of a set's training, see `evaluation.graphqa.graph_methods` and
    `retrieval_options`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    method: str
    lm: str
    lm_width: int
    lm_digest: str | None = None
    precision: Precision
    options: SoftPromptOptions
    without: tuple[str, ...] = ()
    description: str = "tables"
    retrieval: dict[str, Any] = Field(default_factory=dict)
    version: int = 1

    @model_validator(mode="after")
    def _check_heads(self) -> "SoftNetwork":
        encoder = self.options.encoder
        if encoder is not None and encoder.width % encoder.num_heads:
            raise ValueError(
                f"a width of {encoder.width} is not {encoder.num_heads} heads of one width"
            )
        return self


def network_of(method: str, lm: LanguageModel, options: SoftPromptOptions) -> dict[str, Any]:
    """The network's description for its checkpoint."""
    of_lm = {
        "lm": lm.name,
        "lm_width": lm.width,
        "lm_digest": lm.digest,
        "precision": lm.precision.value,
    }
    return {"method": method, **of_lm, "options": asdict(options), "version": VERSION}


def read_network(folder: Path, kind: str, embedder: EmbedderIdentity) -> SoftNetwork:
    """The network of a checkpoint, without its weights.

    Raises LoadError for what is no checkpoint of this kind, or has options that this version
    doesn't know; UsageError where it was trained on vectors of another embedder.
    """
    checkpoint = read_description(folder, kind)
    checkpoint.check_fits(embedder, folder)
    try:
        network = SoftNetwork.model_validate_json(json.dumps(_without_dropout(checkpoint.network)))
    except ValidationError as err:
        raise LoadError(
            f"{folder} can't be used: {_told(err)}; train it again, or take the version that"
            " trained it"
        ) from err
    encoder = network.options.encoder
    if encoder and network.version < 2 and (encoder.is_pruned or encoder.layer == "gat"):
        raise LoadError(
            f"{folder} can't be used: an older version trained it, whose soft pruning or graph"
            " attention had other weights; train it again, or take the version that trained it"
        )
    if encoder is not None and encoder.dimension != checkpoint.dimension:
        widths = (
            f"its encoder reads vectors of {encoder.dimension} numbers, and it was trained on"
            f" {checkpoint.dimension}"
        )
        raise LoadError(f"{folder} can't be used: {widths}; train it again")
    return network


def open_network(
    folder: Path,
    kind: str,
    network: SoftNetwork,
    settings: Settings,
    precision: Precision = Precision.AUTO,
    device: str | None = None,
    known: Sequence[LanguageModel] = (),
) -> SoftPromptModel:
    """The network of a checkpoint with its weights, before its language model; with `AUTO` of the
    precision that it was trained with. `known`: models that are loaded already, one of which may be
    it.

    Raises LoadError for weights that aren't its network's, and as `load_checkpoint` does;
    UsageError where the language model has other weights than it was trained before, or the device
    isn't there; SettingsError where the model can't be had.
    """
    weights = load_checkpoint(folder, kind)[1]
    precision = network.precision if precision is Precision.AUTO else precision
    named = [own for own in known if (own.name, own.precision) == (network.lm, precision)]
    same = [own for own in named if network.lm_digest in (None, own.digest)]
    lm = same[0] if same else load_language_model(network.lm, settings, precision, device)
    _check_language_model(folder, network, lm)
    model = SoftPromptModel(lm, network.options)
    try:
        model.tokens.load_state_dict(weights)
    except RuntimeError as err:
        raise LoadError(
            f"the weights in {folder} are not those of its network: {str(err).splitlines()[0]};"
            " train it again"
        ) from err
    return model


def _check_language_model(folder: Path, network: SoftNetwork, lm: LanguageModel) -> None:
    if network.lm_width != lm.width:
        raise UsageError(
            f"{folder} was trained before a model of width {network.lm_width}, and {lm.name} has"
            f" {lm.width}; train it again"
        )
    if network.lm_digest is None:
        _LOG.warning(
            "%s is of an older version: whether %s still has the weights that it was trained before"
            " isn't known",
            folder,
            lm.name,
        )
    elif network.lm_digest != lm.digest:
        raise UsageError(
            f"{folder} was trained before a model of other weights than {lm.name} has now; put"
            " those back, or train it again"
        )


def open_soft_answerer(
    folder: Path,
    settings: Settings,
    embedder: EmbedderIdentity,
    known: Sequence[LanguageModel] = (),
) -> SoftAnswerer:
    """The system of a checkpoint that answers a workspace's questions. Errors as in `read_network`
    and `open_network`.
    """
    network = read_network(folder, KIND, embedder)
    if network.method not in SYSTEMS:
        raise LoadError(f"{folder} holds {network.method!r}; known: {', '.join(SYSTEMS)}")
    check_text_version({"method": network.method, "version": network.version}, folder)
    return SoftAnswerer(open_network(folder, KIND, network, settings, known=known), network.method)


def _without_dropout(network: dict[str, Any]) -> dict[str, Any]:
    """Checkpoints of before 2026-11-25 name the encoder's dropout, which was always 0 and is no
    option any more.
    """
    options = network.get("options")
    encoder = options.get("encoder") if isinstance(options, dict) else None
    if (
        not isinstance(options, dict)
        or not isinstance(encoder, dict)
        or encoder.get("dropout") != 0
    ):
        return network
    kept = {name: value for name, value in encoder.items() if name != "dropout"}
    return network | {"options": options | {"encoder": kept}}


def _told(err: ValidationError) -> str:
    first = err.errors()[0]
    where = ".".join(map(str, first["loc"]))
    given = first["input"] if first["type"] != "missing" else None
    if not where:
        return str(first["msg"]).removeprefix("Value error, ")
    if given is None:
        return (
            f"its network lacks {where}"
            if first["type"] == "missing"
            else f"it has the network option {where} = None"
        )
    return (
        f"it has the network option {where} = {str(given)[:_MAX_SHOWN]!r}, which this version"
        " doesn't know"
    )
