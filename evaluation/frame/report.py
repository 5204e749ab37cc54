"""The report of an evaluation as values, of the same parts in the same order for every kind: what
was asked and what came out, the arms with their intervals, quality against cost, the worst cases to
read. The terminal, the page and the app draw it; none of them knows a kind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from dynagrag.evaluation.frame.figures import Figure

MAX_CHARACTERS = 300
"""Of a title, a word row, a question or a name, where people read it: sets hold titles and words of
any length.
"""
FEW_ITEMS = 30
"""Below, resampling the items shows too little of how they could have fallen."""
Cell: TypeAlias = Figure | str
Row: TypeAlias = tuple[str, tuple[Cell, ...]]
"""A name and its cells."""


def shortened(text: str) -> str:
    """A text as it is shown: cut where it is very long."""
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"


def few(noun: str) -> str:
    """A warning for a run on fewer than FEW_ITEMS."""
    return f"Fewer than {FEW_ITEMS} {noun}s: the intervals say little."


def cell_text(cell: Cell) -> str:
    """A cell as it is written."""
    return cell if isinstance(cell, str) else cell.text()


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a name and its cells. `main`: the head that counts most. `is_of_arms`: each name has
    the colour of its place in the pictures, and the first row is the one that is measured.
    """

    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    title: str = ""
    main: str = ""
    is_of_arms: bool = False


@dataclass(frozen=True, slots=True)
class BarChart:
    """A picture: a bar for each arm, with its interval."""

    title: str
    values: Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class LineChart:
    """A picture: a line for each arm, of shares of 1 at `first`, the next number and so on."""

    title: str
    x_title: str
    y_title: str
    values: Mapping[str, Sequence[float]]
    first: int = 1


@dataclass(frozen=True, slots=True)
class ScatterChart:
    """A picture: a point for each arm, (cost, quality in points). Costs are on a logarithmic
    axis.
    """

    title: str
    x_title: str
    y_title: str
    points: Mapping[str, tuple[float, float]]


Picture: TypeAlias = BarChart | LineChart | ScatterChart


@dataclass(frozen=True, slots=True)
class Section:
    """Figures: lines before, tables, pictures, lines after."""

    title: str = ""
    before: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListItem:
    """A text of a list to read. `is_gold`: it is what should have been found."""

    words: str
    title: str = ""
    is_gold: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """A list to read, with what is said where it is empty; without that an empty one isn't
    shown.
    """

    title: str
    items: tuple[ListItem, ...]
    empty: str = ""

    @classmethod
    def of(cls, title: str, texts: Sequence[str], empty: str = "") -> "Listing":
        """A list of plain texts."""
        return cls(title, tuple(ListItem(text) for text in texts), empty)


@dataclass(frozen=True, slots=True)
class Column:
    """A case as one arm answered it. `colour`: its place among the arms; None for none. `asides`
    are said in a softer voice.
    """

    name: str
    value: str = ""
    colour: int | None = None
    text: str = ""
    warning: str = ""
    asides: tuple[str, ...] = ()
    listings: tuple[Listing, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A case to read: what was asked, what should have come, and what each arm made of it."""

    text: str
    value: str
    listings: tuple[Listing, ...] = ()
    columns: tuple[Column, ...] = ()
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Cases:
    """Cases of one kind. `num_in_terminal`: how many of them a terminal shows, too."""

    title: str
    cases: tuple[Case, ...]
    num_in_terminal: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """A report. `asked`: what was asked, in a sentence. `conclusion`: what came out; `is_warned`
    where it should be believed with care. `about`: what one must know besides, `notes` what is
    missing or went wrong. `words`: the columns and the shortened words, explained.
    """

    title: str
    asked: str
    conclusion: str
    is_warned: bool = False
    about: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    results: tuple[Section, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    costs: tuple[Section, ...] = ()
    cases: tuple[Cases, ...] = ()


def interval_meaning(units: str) -> str:
    """The meaning of an interval over units, such as questions, that are drawn again."""
    drawn = (
        f"where the figure would fall in 95 of 100 runs on such {units} (bootstrap: the {units} are"
        " drawn again 10,000 times"
    )
    drawn += "; of shares that are all 0, or all 1: Clopper and Pearson)"
    return f"{drawn}; a difference whose interval holds 0 may be chance"
