"""Each command of docs/reproduce.md is one that the command line takes, values too: trainings and
evaluations begin, and do nothing.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from dynagrag.cli.main import app
from dynagrag.core.errors import UsageError
from dynagrag.evaluation.answers.answer_arms import make_answer_arms
from dynagrag.evaluation.graphqa.graph_sets import LOADERS
from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS

COMMANDS: Any = get_command(app)
PAGE = Path(__file__).parents[2] / "docs" / "reproduce.md"
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_GIVEN = re.compile(r"^([A-Z]+)=(\S+)", re.MULTILINE)
_LOOP = re.compile(r"^\s*for (\w+) in (.*); do$", re.MULTILINE)
_STARTS = {
    "evaluation.graphqa.graphqa_run.evaluate_graphqa",
    "training.soft_prompt.graph_training.train_soft_prompt",
    "training.soft_prompt.soft_prompt_training.train_soft_on_workspace",
    "evaluation.qa.qa_run.evaluate_qa",
    "evaluation.judge.judge_run.evaluate_judge",
}


class Begun(Exception):
    """A command came as far as its work."""


def begin(settings: object, options: Any, *rest: object) -> None:
    """In place of the work: looks at the options, raises UsageError for what they name and isn't
    known, then Begun.
    """
    if hasattr(options, "check"):
        options.check()
    if (dataset := getattr(options, "dataset", None)) is not None and dataset not in LOADERS:
        raise UsageError(f"unknown set {dataset}")
    if hasattr(options, "recipe"):
        options.recipe.check()
    if getattr(options, "workspace", None) and getattr(options, "method", None) not in (
        None,
        *SYSTEMS,
    ):
        raise UsageError(f"unknown method {options.method}")
    if arms := getattr(options, "arms", ()):
        made = make_answer_arms(arms)
        if options.baseline is not None and options.baseline not in [arm.name for arm in made]:
            raise UsageError(f"unknown baseline {options.baseline}")
    raise Begun


@pytest.fixture(autouse=True)
def nothing_is_done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Trainings and evaluations end where their work begins."""
    monkeypatch.chdir(tmp_path)
    for name in _STARTS:
        monkeypatch.setattr(f"dynagrag.{name}", begin)


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
                    found = [
                        re.sub(rf"\${name}\b", value, one) for one in found for value in values
                    ]
                for one in dict.fromkeys(found):
                    assert "$" not in one, f"a variable without a value: {one}"
                    yield shlex.split(one, comments=True)[1:]


def take(words: list[str]) -> bool:
    """Whether its work was begun; other commands are parsed alone. Raises ValueError or UsageError
    for what isn't taken.
    """
    if words[0] == "train" or words[:2] in (
        ["evaluate", "graphqa"],
        ["evaluate", "qa"],
        ["evaluate", "judge"],
    ):
        try:
            COMMANDS.main(words, standalone_mode=False)
        except Begun:
            return True
        except Exception as err:
            raise _as_value_error(err) from err
    parse(words)
    return False


def parse(words: list[str]) -> None:
    """Raises ValueError for what the command line doesn't take."""
    command = COMMANDS
    while hasattr(command, "commands"):
        name, *words = words
        if name not in command.commands:
            raise ValueError(f"there is no command {name}")
        command = command.commands[name]
    try:
        command.make_context(command.name, words)
    except Exception as err:
        raise _as_value_error(err) from err


def _as_value_error(err: Exception) -> Exception:
    """Typer has a click of its own, or the library's; other errors stay what they are."""
    return ValueError(err.format_message()) if hasattr(err, "format_message") else err


def test_each_command_of_the_page_is_one_that_is_taken() -> None:
    found = list(commands(PAGE.read_text(encoding="utf-8")))
    assert len(found) > 100
    begun = sum(map(take, found))
    assert begun > len(found) - 10


@pytest.mark.parametrize(
    "line",
    [
        "dynagrag train g-retriever --no-such-option 3",
        "dynagrag evaluate nothing",
        "dynagrag train grag --seed x",
        "dynagrag train grag --dataset nothing --data sets --lm smollm2 --out runs/x",
        (
            "dynagrag train grag --dataset webqsp --data sets --lm smollm2 --without nothing --out"
            " runs/x"
        ),
        (
            "dynagrag train g-retriever --dataset webqsp --data sets --lm smollm2 --encoder nothing"
            " --out runs/x"
        ),
        "dynagrag evaluate graphqa --dataset webqsp --data sets --method nothing --lm smollm2",
        (
            "dynagrag evaluate graphqa --dataset webqsp --data sets --method bm25 --lm smollm2"
            " --split nothing"
        ),
        "dynagrag evaluate qa --workspace work --questions mine.jsonl --arms soft:grag,nothing",
    ],
)
def test_a_command_that_is_none_is_found(line: str) -> None:
    (words,) = commands(f"```sh\n{line}\n```\n")
    with pytest.raises(
        (ValueError, UsageError),
        match=r"nothing|No such option|valid integer|no command|unknown|known",
    ):
        take(words)
