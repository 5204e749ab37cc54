"""Writes docs/cli.md from the commands' own help and the settings' descriptions. Usage: python
docs/write_cli_help.py [--print]
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

INTRODUCTION = """# Every command

Written by `make help-docs` from the commands' own help. Exit codes: 0 ok, 1 an error in one line, 2 wrong use,
3 done with some items set aside or refused, 130 Ctrl-C.
"""
SETTINGS = """## Settings

Example: `DYNAGRAG_LLM=qwen` in the environment, or `llm = "qwen"` in `settings.toml`. dynagrag looks at a command's option first, then at
the environment, at `.env` in the current folder, and at `settings.toml` in the home folder. The first that has a value counts.

| setting | in the environment | default | |
| --- | --- | --- | --- |"""


def page() -> str:
    """The whole page."""
    os.environ |= {"COLUMNS": "100", "TERMINAL_WIDTH": "100"}
    return "\n".join([INTRODUCTION, *_commands(), SETTINGS, *_settings(), ""])


def _commands() -> Iterator[str]:
    from typer.main import get_command

    from dynagrag.cli.main import app, run

    for command in [[], *_names(get_command(app), [])]:
        out = io.StringIO()
        with redirect_stdout(out):
            run([*command, "--help"])
        lines = "\n".join(line.rstrip() for line in out.getvalue().strip().splitlines())
        yield f"## {' '.join(['dynagrag', *command])}\n\n```text\n{lines}\n```\n"


def _names(group: Any, before: list[str]) -> Iterator[list[str]]:
    for name, command in group.commands.items():
        if not command.hidden:
            yield [*before, name]
        if hasattr(command, "commands"):
            yield from _names(command, [*before, name])


def _settings() -> Iterator[str]:
    from dynagrag.config.settings import Settings
    from dynagrag.registry.checkers import CHECKERS
    from dynagrag.registry.choices import listed
    from dynagrag.registry.pruners import PRUNERS
    from dynagrag.registry.stores import store_words

    rows = {"checker": listed(CHECKERS), "pruner": listed(PRUNERS), "store": store_words()}
    for name, field in Settings.model_fields.items():
        variable = field.validation_alias or f"DYNAGRAG_{name.upper()}"
        default = (
            "the user's data folder"
            if field.default_factory
            else ""
            if field.default is None
            else f"`{field.default}`"
        )
        row = f"| `{name}` | `{variable}` | {default} |"
        choices = f" {name.capitalize()}s: {rows[name]}." if name in rows else ""
        yield f"{row} {field.description}{choices} |"


if __name__ == "__main__":
    if "--print" in sys.argv:
        sys.stdout.write(page())
    else:
        (Path(__file__).parent / "cli.md").write_text(page(), encoding="utf-8")
