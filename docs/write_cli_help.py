"""Writes docs/cli/ from the commands' own help and the settings' descriptions.

An index with a line for each command, a page for each group of commands, one for the settings.
Usage: python docs/write_cli_help.py [FOLDER]
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

NOTE = "Written by `make help-docs` from the commands' own help."
INDEX = f"""# Every command

{NOTE} `dynagrag COMMAND --help` prints the same.

Exit codes: 0 ok, 1 an error in one line, 2 wrong use, 3 done with some items set aside or refused,
130 Ctrl-C. [Settings](settings.md) are read by all commands.

| command | what it does |
| --- | --- |"""
SETTINGS = f"""# Settings

{NOTE}

Example: `DYNAGRAG_LLM=qwen` in the environment, or `llm = "qwen"` in `settings.toml`. A command's
option comes first, then the environment, then `.env` in the current folder, then the system's
keyring for keys, then `settings.toml` in the home folder. The first that has a value counts.

| setting | in the environment | default | |
| --- | --- | --- | --- |"""
ROOT_PAGE = "dynagrag"
"""The page of the commands that belong to no group."""


def pages() -> dict[str, str]:
    """The text of each file of docs/cli/ by its name."""
    from typer.main import get_command

    from dynagrag.cli.main import app

    os.environ |= {"COLUMNS": "100", "TERMINAL_WIDTH": "100"}
    index = [INDEX]
    texts: dict[str, list[str]] = {}
    for command in [[], *_names(get_command(app), [])]:
        title = " ".join(["dynagrag", *command])
        page = _page_of(get_command(app), command)
        shown = _help(command)
        head = f"# {'Commands' if page == ROOT_PAGE else f'dynagrag {page}'}\n\n{NOTE}\n"
        texts.setdefault(page, [head]).append(f"## {title}\n\n```text\n{shown}\n```\n")
        if command:
            anchor = title.replace(" ", "-")
            index.append(f"| [`{title}`]({page}.md#{anchor}) | {_first_sentence(shown)} |")
    files = {f"{page}.md": "\n".join(parts) for page, parts in texts.items()}
    settings = "\n".join([SETTINGS, *_settings(), ""])
    return files | {"README.md": "\n".join([*index, ""]), "settings.md": settings}


def _page_of(app: Any, command: list[str]) -> str:
    """A group has a page of its own."""
    is_in_group = bool(command) and hasattr(app.commands[command[0]], "commands")
    return command[0] if is_in_group else ROOT_PAGE


def _help(command: list[str]) -> str:
    from dynagrag.cli.main import run

    out = io.StringIO()
    with redirect_stdout(out):
        run([*command, "--help"])
    return "\n".join(line.rstrip() for line in out.getvalue().strip().splitlines())


def _first_sentence(shown: str) -> str:
    """Of a command's help: what stands below its usage, to the first full stop or blank line."""
    paragraph = " ".join(shown.split("\n\n")[1].split()).replace("|", "\\|")
    return paragraph.split(". ")[0].removesuffix(".")


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
    from dynagrag.registry.profiles import PROFILE_ROWS
    from dynagrag.registry.pruners import PRUNERS
    from dynagrag.registry.stores import store_words

    rows = {
        "checker": listed(CHECKERS),
        "profile": listed(PROFILE_ROWS),
        "pruner": listed(PRUNERS),
        "store": store_words(),
    }
    for name, field in Settings.model_fields.items():
        variable = field.validation_alias or f"DYNAGRAG_{name.upper()}"
        default = "" if field.default is None else f"`{field.default}`"
        if field.default_factory:
            default = "the user's data folder"
        choices = f" {name.capitalize()}s: {rows[name]}." if name in rows else ""
        yield f"| `{name}` | `{variable}` | {default} | {field.description}{choices} |"


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "cli"
    folder.mkdir(exist_ok=True)
    for file, text in pages().items():
        (folder / file).write_text(text, encoding="utf-8")
