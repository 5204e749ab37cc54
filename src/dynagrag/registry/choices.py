"""The common part of all tables' rows, and the uses of a table: the names that may be used
somewhere, their list in a help text, the row of a name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Flag, auto
from importlib import import_module
from typing import Any, Generic, TypeVar

from dynagrag.core.errors import UsageError

Make = TypeVar("Make")


class Use(Flag):
    """Where a choice may be named."""

    COMMAND = auto()
    """By an option of a command, or a setting."""
    APP = auto()
    """In a box of the app."""
    ARM = auto()
    """As one of those that `dynagrag evaluate` compares."""
    SET = auto()
    """To build the graph of a published set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Generic[Make]):
    """A thing that a user may name.

    Attributes:
        name: As it is written on the command line.
        sentence: What it is, in a clause that may follow a name.
        label: What the app calls it.
        make: Makes it; the implementation is imported there.
        uses: Where it may be named.
        needs_model: Whether it asks the language model of the settings.
        needs_weights: Whether it loads a model of its own, whose place stands behind its name.
        needs_extra: The extra of the package that it needs; empty for none.
    """

    name: str
    sentence: str
    label: str
    make: Make
    uses: Use = Use.COMMAND | Use.APP | Use.ARM
    needs_model: bool = False
    needs_weights: bool = False
    needs_extra: str = ""


Row = TypeVar("Row", bound=Choice[Any])


def table(*rows: Row) -> dict[str, Row]:
    """The rows by name, in their order."""
    by_name = {row.name: row for row in rows}
    assert len(by_name) == len(rows), "two rows have one name"
    return by_name


def names_for(rows: Mapping[str, Row], use: Use) -> tuple[str, ...]:
    """The names that may be used there."""
    return tuple(name for name, row in rows.items() if use in row.uses)


def listed(rows: Mapping[str, Row], use: Use = Use.COMMAND) -> str:
    """The names that may be used there, each with what it is and needs, for a help text."""
    parts = []
    for name in names_for(rows, use):
        row = rows[name]
        needs = f"; needs dynagrag[{row.needs_extra}]" if row.needs_extra else ""
        parts.append(f"{name} ({row.sentence}{needs})")
    return ", ".join(parts)


def chosen(kind: str, name: str, rows: Mapping[str, Row]) -> Row:
    """The row of a name. UsageError, which lists those there are, where there is none."""
    if name not in rows:
        raise UsageError(f"unknown {kind} {name!r}; known: {listed(rows)}")
    return rows[name]


def chosen_with_place(kind: str, spec: str, rows: Mapping[str, Row]) -> tuple[Row, str]:
    """The row of `NAME` or, where it loads a model of its own, of `NAME:PLACE`, and the place.
    UsageError where there is none, or the place lacks.
    """
    name, _, place = spec.partition(":")
    needs_weights = name in rows and rows[name].needs_weights
    if needs_weights and not place:
        raise UsageError(
            f"{kind} `{name}` lacks the place of its model: {kind} {name}:FOLDER;"
            f" {rows[name].sentence}"
        )
    is_whole = bool(place) == needs_weights  # else something stands behind another name
    return chosen(kind, name if is_whole else spec, rows), place


def named(path: str) -> Any:
    """The object at `module:name`."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
