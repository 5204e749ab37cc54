"""The report of every kind of evaluation: one page of the same parts in the same order. No script,
nothing fetched from anywhere.

What was asked and what came out, the arms with their intervals, quality against cost, the worst
cases to read, settings, and the hashes of what it was made of. The templates lie beside this file;
whatever they are given is escaped.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from dynagrag.evaluation.bootstrap_intervals import MIN_PAIRS, Interval, Verdict
from dynagrag.evaluation.results.report_plots import WIDTH, BarPlot, LinePlot
from dynagrag.evaluation.several_comparisons import HOLM

if TYPE_CHECKING:
    from jinja2 import Template

_MADE_OF = ("workspace", "graph", "files", "asked", "prompts", "dynagrag")
"""Settings that say of what a run was made, by the first part of their names: they stand with the
versions.
"""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a name and its cells. `main`: the head that counts most. `is_of_arms`: each name has
    the colour of its place in the plots, and the first row is the one that is measured.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    title: str = ""
    main: str = ""
    is_of_arms: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """A plot of bars."""

    title: str
    plot: BarPlot


@dataclass(frozen=True, slots=True)
class Lines:
    """A plot between two axes: of lines, or of points."""

    title: str
    plot: LinePlot
    x_title: str
    y_title: str
    is_points: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Figures: lines before, tables, plots, lines after."""

    title: str = ""
    before: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    bars: tuple[Bars, ...] = ()
    lines: tuple[Lines, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
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
    items: tuple[Item, ...]
    empty: str = ""

    @classmethod
    def of(cls, title: str, texts: Sequence[str], empty: str = "") -> "Listing":
        """A list of plain texts."""
        return cls(title, tuple(Item(text) for text in texts), empty)


@dataclass(frozen=True, slots=True)
class Column:
    """What one arm made of a case. `colour`: its place among the arms; None for none. `asides` are
    said in a softer voice.
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
    """Cases of one kind."""

    title: str
    cases: tuple[Case, ...]


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


def render(report: Report, head: Mapping[str, Any]) -> str:
    """The page of a report; `head`: the run.json of its run."""
    settings = list(flat(head["settings"]))
    made_of = [(name, value) for name, value in settings if name.partition(".")[0] in _MADE_OF]
    own = [(name, value) for name, value in settings if (name, value) not in made_of]
    return _template().render(
        report=report,
        begun=head["begun"],
        settings=[(name, value) for name, value in own if "." not in name],
        more_settings=[(name, value) for name, value in own if "." in name],
        made_of=[*made_of, *head["versions"].items()],
        width=WIDTH,
    )


@cache
def _template() -> "Template":
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def source(file: str) -> str:
        return resources.files(__package__).joinpath(file).read_text(encoding="utf-8")

    environment = Environment(
        loader=FunctionLoader(source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.jinja")


def interval_meaning(units: str) -> str:
    """What an interval says, of so-called units that are drawn again."""
    drawn = (
        f"where the figure would fall in 95 of 100 runs on such {units} (bootstrap: the {units} are"
        " drawn again 10,000 times"
    )
    drawn += "; of shares that are all 0, or all 1: Clopper and Pearson)"
    return f"{drawn}; a difference whose interval holds 0 may be chance"


def compared(name: str, found: Mapping[str, Any] | None, baseline: str, num: int) -> str:
    """A difference from the baseline in plain words, after a comma; empty where there is none.
    Points, with the interval of 95 % over `num` questions or other units. `found` may say whether
    it `holds` among several comparisons.
    """
    if found is None:
        return ""
    difference = Interval.of(found)
    if difference.low == difference.high == 0:
        return f", the same as {baseline}"
    verdict = difference.verdict
    if num < MIN_PAIRS:
        seen = "too few to tell"
    elif verdict is Verdict.UNCLEAR:
        seen = "that may be chance"
    elif found.get("holds") is False:
        seen = (
            f"{name} is {verdict}, but among the comparisons of this run that may be chance"
            f" ({HOLM})"
        )
    else:
        seen = f"{name} is {verdict}, by more than chance"
    bounds = f"95 % interval {difference.low:+.1f} to {difference.high:+.1f}"
    return f", {difference.mean:+.1f} points against {baseline} ({bounds}): {seen}"


def flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Settings as lines: nested names joined by dots."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{before}{name}.")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield f"{before}{name}", ", ".join(map(str, value))
        else:
            yield f"{before}{name}", "" if value is None else str(value)
