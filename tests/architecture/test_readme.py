"""The README stays short: a reader finds the commands, and figures are on docs/benchmarks.md."""

import re
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
MAX_LINES = 110
MAX_FIGURES = 40


def test_it_is_short_and_has_few_figures() -> None:
    assert len(README.splitlines()) <= MAX_LINES
    assert len(re.findall(r"\d[\d.,:]*", README)) <= MAX_FIGURES


def test_it_begins_with_the_two_commands() -> None:
    start = README[README.index("\n## Start\n") :]
    block = re.search(r"```sh\n(.*?)```", start, re.DOTALL)
    assert block
    assert [line.split("#")[0].strip() for line in block[1].splitlines()] == [
        "make demo",
        "make test",
    ]
