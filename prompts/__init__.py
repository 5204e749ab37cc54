"""The prompts: one .jinja file each, with blocks `system` and `user`, rendered strictly. Head
comments name inputs, output type and origin.

Text that comes from documents is data: templates fence it, and the system message says so. Words
that close a turn in the layout of a language model (`<|im_end|>`) are parted by a space wherever
they stand: a local model's tokenizer would take them for the real ones.
"""

import re
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from dynagrag.language.identification import (
    ENGLISH,
    UNKNOWN,
    language_name,
    language_of_question,
)

_NAMES = ("system", "user")
_CONTROL = re.compile(
    r"<(?=\|[^|<>\s]{1,40}\|>|/?s>|</?SYS>>|/?(?:start|end)_of_turn>|[be]os>|\uff5c)|\[(?=/?INST\])"
)
"""The first character of the words that lay out turns for Llama, Mistral, Gemma, Qwen, Phi and
DeepSeek.
"""


@cache
def _environment() -> Environment:
    def source(name: str) -> str:
        return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")

    environment = Environment(
        loader=FunctionLoader(source),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
    )
    environment.globals["language"] = foreign_language
    return environment


def template_names() -> tuple[str, ...]:
    """All prompts, by name."""
    return tuple(
        sorted(
            f.name.removesuffix(".jinja")
            for f in resources.files(__package__).iterdir()
            if f.name.endswith(".jinja")
        )
    )


def render(name: str, **inputs: Any) -> tuple[str, str]:
    """(system, user) of a prompt. A missing input raises jinja2.UndefinedError; surrounding blank
    space is cut.
    """
    template = _environment().get_template(f"{name}.jinja")
    context = template.new_context(inputs)
    system, user = (
        without_controls("".join(template.blocks[block](context))).strip() for block in _NAMES
    )
    return system, user


def foreign_language(question: str) -> str:
    """The name of a question's language, for a prompt that asks for an answer in it; empty where
    that is English or can't be told.
    """
    code = language_of_question(question)
    return "" if code in {ENGLISH, UNKNOWN} else language_name(code)


def without_controls(text: str) -> str:
    """The text with a space inside each word that could close a turn: `< |im_end|>`."""
    return _CONTROL.sub(lambda found: f"{found.group()} ", text)
