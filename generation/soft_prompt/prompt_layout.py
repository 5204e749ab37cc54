"""The layout of a soft prompt (G-Retriever, section 5.3; docs/papers.md, Soft prompts):

    before [graph tokens] [description, its first tokens] [question] after [label] end

Rows are padded on the left, so that what follows a prompt stands right after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import torch
from pydantic import ConfigDict, Field
from torch import Tensor

from dynagrag.core.errors import UsageError
from dynagrag.generation.soft_prompt.language_model import LanguageModel
from dynagrag.generation.soft_prompt.soft_example import SoftExample

IGNORED = -100
"""The target of a place whose token is not learned."""


class PromptTooLongError(UsageError):
    """A prompt is longer than the model's context. `what`: that, without a remedy."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}; give fewer with --max-description, or another model with --lm")
        self.what = what


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    """Most tokens of the description, which is cut at its tail, of a label, and of a reply. The
    papers' 512, 32 and 32.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", strict=True)

    max_description: Annotated[int, Field(ge=0)] = 512
    max_label: Annotated[int, Field(gt=0)] = 32
    max_reply: Annotated[int, Field(gt=0)] = 32


@dataclass(frozen=True, slots=True)
class LaidOut:
    """`embeddings` (b, t, width), `mask` (b, t) 0 on padding, `targets` (b, t) IGNORED but for
    labels and their ends.
    """

    embeddings: Tensor
    mask: Tensor
    targets: Tensor


def lay_out(
    lm: LanguageModel,
    examples: Sequence[SoftExample],
    soft: Tensor,
    options: LayoutOptions,
    *,
    has_text: bool,
    has_labels: bool,
) -> LaidOut:
    """The embeddings that a model reads.

    Args:
        lm: Whose tokens they are.
        examples: What is asked.
        soft: (b, s, width) the soft tokens of each; s may be 0.
        options: Where texts are cut. A question never is.
        has_text: Whether the description stands in the prompt.
        has_labels: Whether the label and the end follow, to be learned.

    Raises:
        PromptTooLongError: A prompt is longer than the model's context.
    """
    rows, targets = [], []
    for example, own in zip(examples, soft, strict=True):
        text = lm.ids(example.description, options.max_description) if has_text else []
        after = [*text, *lm.ids(example.question), *lm.pieces.after]
        label = [*lm.ids(example.label, options.max_label), lm.pieces.end] if has_labels else []
        row = torch.cat(
            [lm.embed(list(lm.pieces.before)), own.to(lm.dtype), lm.embed(after + label)]
        )
        rows.append(row)
        targets.append([IGNORED] * (len(row) - len(label)) + label)
    longest = max(len(row) for row in rows)
    _check_room(lm, longest + (0 if has_labels else options.max_reply))
    padding = lm.embed([lm.pad])
    padded = torch.stack([torch.cat([padding.expand(longest - len(row), -1), row]) for row in rows])
    mask = torch.tensor(
        [[0] * (longest - len(row)) + [1] * len(row) for row in rows], device=lm.device
    )
    filled = torch.tensor(
        [[IGNORED] * (longest - len(own)) + own for own in targets], device=lm.device
    )
    return LaidOut(padded, mask, filled)


def _check_room(lm: LanguageModel, num_tokens: int) -> None:
    if lm.max_tokens is not None and num_tokens > lm.max_tokens:
        raise PromptTooLongError(
            f"a prompt of {num_tokens:,} tokens doesn't fit into {lm.name}, whose context has"
            f" {lm.max_tokens:,}"
        )
