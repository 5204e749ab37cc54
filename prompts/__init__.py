"""The prompts: one .jinja file each, with blocks `system` and `user`, rendered strictly. Head comments name inputs, output type and origin.

Text that comes from documents is data: templates fence it, and the system message says so.
"""

from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template

_NAMES = ("system", "user")


@cache
def _environment() -> Environment:
    def source(name: str) -> str:
        return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")

    return Environment(
        loader=FunctionLoader(source),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
    )


@cache
def _template(name: str) -> Template:
    return _environment().get_template(f"{name}.jinja")


def template_names() -> tuple[str, ...]:
    """All prompts, by name."""
    return tuple(sorted(f.name.removesuffix(".jinja") for f in resources.files(__package__).iterdir() if f.name.endswith(".jinja")))


def render(name: str, **inputs: Any) -> tuple[str, str]:
    """(system, user) of a prompt. A missing input raises jinja2.UndefinedError; surrounding blank space is cut."""
    template = _template(name)
    context = template.new_context(inputs)
    system, user = ("".join(template.blocks[block](context)).strip() for block in _NAMES)
    return system, user
