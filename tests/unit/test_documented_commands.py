"""Each command of docs/reproduce.md is one that the command line takes: it is parsed, and not run."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from dynagrag.cli.main import app

PAGE = Path(__file__).parents[2] / "docs" / "reproduce.md"
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_GIVEN = re.compile(r"^([A-Z]+)=(\S+)", re.MULTILINE)
_LOOP = re.compile(r"^\s*for (\w+) in (.*); do$", re.MULTILINE)


def commands(text: str) -> Iterator[list[str]]:
    """The words of each command, with each value of each loop's variable."""
    given = {name: [value] for name, value in _GIVEN.findall(text)}
    for block in _BLOCK.findall(text):
        loops: list[tuple[str, list[str]]] = []
        for line in block.splitlines():
            if loop := _LOOP.match(line):
                loops.append((loop[1], loop[2].split()))
            elif line.strip() == "done":
                loops.pop()
            elif line.strip().startswith("dynagrag "):
                found = [line]
                for name, values in [*given.items(), *loops]:
                    found = [re.sub(rf"\${name}\b", value, one) for one in found for value in values]
                for one in dict.fromkeys(found):
                    assert "$" not in one, f"a variable without a value: {one}"
                    yield shlex.split(one, comments=True)[1:]


def parse(words: list[str]) -> None:
    """Raises ValueError for what the command line doesn't take."""
    command: Any = get_command(app)
    while hasattr(command, "commands"):
        name, *words = words
        if name not in command.commands:
            raise ValueError(f"there is no command {name}")
        command = command.commands[name]
    try:
        command.make_context(command.name, words)
    except Exception as err:
        if not hasattr(err, "format_message"):  # Typer has a click of its own, or the library's
            raise
        raise ValueError(err.format_message()) from err


def test_each_command_of_the_page_is_one_that_is_taken() -> None:
    found = list(commands(PAGE.read_text(encoding="utf-8")))
    assert len(found) > 100
    for words in found:
        parse(words)


@pytest.mark.parametrize(
    "line", ["dynagrag train g-retriever --no-such-option 3", "dynagrag evaluate nothing", "dynagrag train grag --seed x"]
)
def test_a_command_that_is_none_is_found(line: str) -> None:
    (words,) = commands(f"```sh\n{line}\n```\n")
    with pytest.raises(ValueError, match=r"no command nothing|No such option|valid integer"):
        parse(words)
