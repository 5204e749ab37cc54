"""The text beside a soft prompt: whole lines, as many as fit by the language model's own tokenizer.

Hard prompts count four characters a token, and small models' tokens are shorter. So prompts are
written again with less room until their text fits: what goes are the lines that any prompt would
leave out first, and evidence keeps its share (docs/papers.md, Soft answers).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dynagrag.config.settings import Profile
from dynagrag.generation.context import Context
from dynagrag.generation.prompt_lines import is_left_out_line

Build = Callable[[Profile], list[Context]]
_LEAST_STEP = 8
"""Tokens of four characters by which a prompt's budget falls at least, where it must fall."""


@dataclass(frozen=True, slots=True)
class TextRoom:
    """`num_tokens` of a text by the tokenizer that will read it, and the `most` that are read."""

    num_tokens: Callable[[str], int]
    most: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What is put before a system. `text`: of the contexts, whole lines that fit; `num_lines`: of
    the prompts as other models get them.
    """

    contexts: Sequence[Context]
    text: str
    num_lines: int

    @property
    def num_lines_in(self) -> int:
        """Lines of the text, those that say what was left out aside."""
        return sum(bool(line) and not is_left_out_line(line) for line in self.text.splitlines())


def reading_of(build: Build, profile: Profile, room: TextRoom) -> Reading:
    """The prompts of a profile, or with smaller budgets those that fit."""
    contexts = build(profile)
    num_lines = sum(
        c.prompt.num_nodes + c.prompt.num_edges + len(c.prompt.evidence) + c.prompt.num_lines_cut
        for c in contexts
    )
    while (excess := _excess(contexts, room)) and profile.subgraph_token_budget > 0:
        profile = replace(
            profile, subgraph_token_budget=profile.subgraph_token_budget - max(excess, _LEAST_STEP)
        )
        contexts = build(profile)
    return Reading(contexts, whole_lines(_text(contexts), room), num_lines)


def whole_lines(text: str, room: TextRoom) -> str:
    """The first lines that fit together, with their ends."""
    lines = text.splitlines(keepends=True)
    while lines and room.num_tokens("".join(lines)) > room.most:
        del lines[-1]
    return "".join(lines)


def _text(contexts: Sequence[Context]) -> str:
    return "\n\n".join(context.prompt.text for context in contexts) + "\n\n"


def _excess(contexts: Sequence[Context], room: TextRoom) -> int:
    """By how many tokens of four characters each of the prompts is too long; 0 where all fit."""
    text = _text(contexts)
    num_tokens = room.num_tokens(text)
    if num_tokens <= room.most or not contexts:
        return 0
    return max(1, round(len(text) / 4 * (1 - room.most / num_tokens) / len(contexts)))
