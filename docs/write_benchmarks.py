"""Writes docs/benchmarks.md: prose from docs/benchmarks.jinja, figures from benchmarks/results.

Usage: python docs/write_benchmarks.py [--print]

A result file holds the output of its commands as printed, under `#` lines with command, machine and
date. The template picks a run (`results("x.txt").after(...)`), then a table's row and column, or a
pattern. What isn't found raises LookupError, so page and files can't drift apart.
"""

import itertools
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, StrictUndefined

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "results"
_GAP = re.compile(r"\s{2,}")


@dataclass(frozen=True)
class Table:
    """A printed table: cells are two spaces or more apart, the first one names the row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def cell(self, row: str, column: str) -> str:
        """A cell of the first row with that name; empty where the row ends before it."""
        self._check([column], [row])
        cells = next(cells for cells in self.rows if cells[0] == row)
        return _cell(cells, self.columns.index(column))

    def markdown(self, columns: list[str], rows: list[str] | None = None) -> str:
        """These columns of all rows, or of the rows named, as a Markdown table."""
        self._check(columns, rows or [])
        places = [0, *map(self.columns.index, columns)]
        shown = [cells for cells in self.rows if rows is None or cells[0] in rows]
        head = [[self.columns[i] for i in places], ["---"] * len(places)]
        body = [[_cell(cells, i) for i in places] for cells in shown]
        return "\n".join(f"| {' | '.join(line)} |" for line in [*head, *body])

    def _check(self, columns: list[str], rows: list[str]) -> None:
        """LookupError for a column or row that isn't there."""
        names = [cells[0] for cells in self.rows]
        if missing := {*columns}.difference(self.columns) | {*rows}.difference(names):
            raise LookupError(f"no {missing} in a table of {self.columns}, {names}")


def _cell(cells: tuple[str, ...], place: int) -> str:
    return cells[place] if place < len(cells) else ""


@dataclass(frozen=True)
class Results:
    """A result file, or the rest of it from some line on."""

    name: str
    lines: tuple[str, ...]

    def after(self, start: str, times: int = 1) -> "Results":
        """What follows the first line that begins with `start`, or the second, and so on."""
        places = [i for i, line in enumerate(self.lines) if line.startswith(start)]
        if len(places) < times:
            raise LookupError(f"{self.name} has no line {times} that begins with {start!r}")
        return Results(self.name, self.lines[places[times - 1] + 1 :])

    def find(self, pattern: str) -> str:
        """The first group of the first match in a line."""
        for line in self.lines:
            if match := re.search(pattern, line):
                return match[1]
        raise LookupError(f"{self.name} has nothing like {pattern!r} there")

    def block(self, start: str) -> str:
        """As printed: from the line that begins with `start` to a blank line or a comment."""
        rest = self.after(start)
        first = self.lines[len(self.lines) - len(rest.lines) - 1]
        below = itertools.takewhile(lambda line: line and not line.startswith("#"), rest.lines)
        return "\n".join(["```text", first, *below, "```"])

    def table(self, column: str) -> Table:
        """The next table with a column of this name."""
        for place, line in enumerate(self.lines):
            columns = _cells(line)
            if not line.startswith("#") and column in columns:
                rows = _rows(self.lines[place + 1 :])
                unnamed = len(columns) < max(map(len, rows))
                names = ("", *columns) if unnamed else tuple(columns)
                return Table(names, tuple(map(tuple, rows)))
        raise LookupError(f"{self.name} has no table with a column {column!r} there")


def _rows(lines: tuple[str, ...]) -> list[list[str]]:
    """Rows to the first line that is none."""
    rows = []
    for line in lines:
        cells = _cells(line)
        if line.startswith("#") or len(cells) < 2:
            break
        rows.append(cells)
    return rows


def _cells(line: str) -> list[str]:
    """What stands two spaces or more apart; `recall@5 recall@10` of a head is one space apart."""
    return _GAP.split(re.sub(r"(@\d+) (?=\w+@)", r"\1  ", line.strip()))


def results(name: str) -> Results:
    """A file of benchmarks/results."""
    return Results(name, tuple((RESULTS / name).read_text(encoding="utf-8").splitlines()))


def page() -> str:
    """The whole page."""
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((DOCS / "benchmarks.jinja").read_text(encoding="utf-8"))
    blocks = re.split(r"\n{2,}", template.render(results=results).strip())
    return "\n\n".join(map(_filled, blocks)) + "\n"


def _filled(block: str) -> str:
    """A paragraph with its lines filled; other blocks as they are."""
    if block.startswith(("|", "#", "```")):
        return block
    words = " ".join(block.split())
    return textwrap.fill(words, 130, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    if "--print" in sys.argv:
        sys.stdout.write(page())
    else:
        (DOCS / "benchmarks.md").write_text(page(), encoding="utf-8")
