"""A method that is ready to answer: of a checkpoint, or the language model as it is."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from dynagrag.checkpoints.checkpoints import read_description
from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.evaluation.graphqa.graph_methods import Description, GraphMethod, GraphPart, method_of
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion
from dynagrag.evaluation.graphqa.retrieval_options import RetrievalOptions
from dynagrag.generation.soft_prompt.language_model import LanguageModel
from dynagrag.generation.soft_prompt.precision import Precision
from dynagrag.generation.soft_prompt.prompt_layout import LayoutOptions
from dynagrag.generation.soft_prompt.soft_checkpoint import open_network, read_network
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions

KIND = "soft-prompt"
TEXTS, UNREAD = "graphs' texts", "their ends aren't read (--max-description)"


@dataclass(frozen=True, slots=True)
class OpenedMethod:
    """A model that is ready to answer, how its questions are put, and what was left out of it."""

    model: SoftPromptModel
    method: GraphMethod
    without: tuple[str, ...] = ()


def open_soft_prompt(
    folder: Path,
    settings: Settings,
    lm: str,
    embedder: EmbedderIdentity,
    method: str,
    precision: Precision = Precision.AUTO,
    device: str | None = None,
) -> OpenedMethod:
    """The model of a checkpoint; with `AUTO` of the precision that it was trained with.

    LoadError for what is none, UsageError where it is of another method, embedder or language
    model.
    """
    made = read_network(folder, KIND, embedder)
    if made.method != method:
        raise UsageError(f"{folder} holds a trained {made.method}; give --method {made.method}")
    if made.lm != lm:
        raise UsageError(
            f"{folder} was trained before {made.lm}; give --lm {made.lm}, or train it again"
        )
    if made.description not in list(Description):
        raise LoadError(
            f"{folder} can't be used: it describes graphs by {made.description!r}, which this"
            " version doesn't know; train it again"
        )
    try:
        options = TypeAdapter(RetrievalOptions).validate_json(json.dumps(made.retrieval))
        whole = method_of(method, made.without, Description(made.description), options)
    except (ValidationError, UsageError) as err:
        raise LoadError(
            f"{folder} can't be used: this version has no {method} like it"
            f" ({str(err).splitlines()[0]}); train it again, or take the version that trained it"
        ) from err
    if made.version < 2 and _reads_a_part(folder, whole):
        raise LoadError(
            f"{folder} can't be used: an older version trained it, whose texts numbered the nodes"
            " of a part of a graph anew; train it again, or take the version that trained it"
        )
    if made.options.encoder is not None:
        whole = replace(whole, parts=replace(whole.parts, layer=made.options.encoder.layer))
    return OpenedMethod(
        open_network(folder, KIND, made, settings, precision, device), whole, made.without
    )


def _reads_a_part(folder: Path, own: GraphMethod) -> bool:
    """Whether the text that a checkpoint learned is of a part of a graph; ExplaGraphs' are
    whole.
    """
    return (
        own.parts.has_text
        and own.retrieval is not GraphPart.WHOLE
        and read_description(folder, KIND).made_with.get("dataset") != "explagraphs"
    )


def untrained(
    lm: LanguageModel,
    method: str,
    max_description: int = 512,
    without: tuple[str, ...] = (),
    options: RetrievalOptions | None = None,
) -> OpenedMethod:
    """The language model as it is, in the same layout."""
    made = method_of(method, without, options=options)
    layout = LayoutOptions(max_description=max_description, max_reply=made.max_reply)
    return OpenedMethod(
        SoftPromptModel(lm, SoftPromptOptions(has_text=made.parts.has_text, layout=layout)),
        made,
        without,
    )


def check_retrieves(method: GraphMethod, rows: Sequence[GraphQuestion]) -> None:
    """Raises UsageError where a method is to go without retrieval, or to retrieve other numbers,
    and nothing is retrieved in these rows.
    """
    if any(row.tree is not None for row in rows):
        return
    if method.retrieval is GraphPart.WHOLE:
        raise UsageError("these rows' graphs are put in whole: there is no retrieval to go without")
    if unused := [name for name in method.options.changed if name != "nearest"]:
        option = f"--{unused[0].replace('_', '-')}"
        raise UsageError(f"these rows' graphs are put in whole: leave out {option}")
