"""The text beside a soft prompt: whole lines, as many as fit by the language model's own tokenizer.

Hard prompts count four characters a token, and small models' tokens are shorter. So prompts are
written again with smaller budgets until their text fits: what goes are the lines that any prompt
would leave out first, and evidence keeps its share (docs/papers.md, Soft answers).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dynagrag.config.settings import Profile
from dynagrag.generation.answer_prompt import AnswerPrompt
from dynagrag.generation.evidence import CHARS_PER_TOKEN
from dynagrag.generation.hard_prompt import is_left_out_line

WritePrompts = Callable[[Profile], list[AnswerPrompt]]
"""The prompts of a question under a profile."""
_LEAST_STEP = 8
"""Tokens of four characters by which a prompt's budget falls at least, where it must fall."""


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """At most `max_tokens` of a text are read; `num_tokens` counts them by the tokenizer that will
    read it.
    """

    num_tokens: Callable[[str], int]
    max_tokens: int


@dataclass(frozen=True, slots=True)
class SoftText:
    """The text that a system reads. `text`: of the prompts, whole lines that fit; `num_lines`: of
    the prompts as other models get them.
    """

    prompts: Sequence[AnswerPrompt]
    text: str
    num_lines: int

    @property
    def num_lines_in(self) -> int:
        """Lines of the text, those that say what was left out aside."""
        return sum(bool(line) and not is_left_out_line(line) for line in self.text.splitlines())


def write_soft_text(
    write_prompts: WritePrompts, profile: Profile, token_budget: TokenBudget
) -> SoftText:
    """The prompts of a profile, or with smaller budgets those that fit."""
    prompts = write_prompts(profile)
    num_lines = sum(
        c.hard.num_nodes + c.hard.num_edges + len(c.hard.evidence) + c.hard.num_lines_cut
        for c in prompts
    )
    while (excess := _excess(prompts, token_budget)) and profile.subgraph_token_budget > 0:
        profile = replace(
            profile, subgraph_token_budget=profile.subgraph_token_budget - max(excess, _LEAST_STEP)
        )
        prompts = write_prompts(profile)
    lines = _text(prompts).splitlines(keepends=True)
    while lines and token_budget.num_tokens("".join(lines)) > token_budget.max_tokens:
        del lines[-1]
    return SoftText(prompts, "".join(lines), num_lines)


def _text(prompts: Sequence[AnswerPrompt]) -> str:
    return "\n\n".join(prompt.hard.text for prompt in prompts) + "\n\n"


def _excess(prompts: Sequence[AnswerPrompt], token_budget: TokenBudget) -> int:
    """By how many tokens of four characters each of the prompts is too long; 0 where all fit."""
    text = _text(prompts)
    num_tokens, max_tokens = token_budget.num_tokens(text), token_budget.max_tokens
    if num_tokens <= max_tokens or not prompts:
        return 0
    share_over = 1 - max_tokens / num_tokens
    return max(1, round(len(text) / CHARS_PER_TOKEN * share_over / len(prompts)))
