"""A run as one HTML file: no script, nothing fetched from anywhere. The templates lie beside this file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from dynagrag.evaluation.ranking_measures import NAMES, PROMPT
from dynagrag.evaluation.results.report_plots import WIDTH, BarPlot, LinePlot, cost_points, quality_bars, recall_curves
from dynagrag.evaluation.results.run_folder import PassageWords, RetrievalLine, RunFolder, shortened
from dynagrag.evaluation.results.run_summary import FEW_QUESTIONS, POINTS, by_scope
from dynagrag.text import plural

if TYPE_CHECKING:
    from jinja2 import Template

_NUM_READ = 6
"""How many of the worst and of the best questions are shown."""
_NUM_BROUGHT = 5
_MAX_WORDS = 20
"""Of what an arm brought; of what should be found all kept words are shown."""
_SCOPE_TITLES = {"document": "Each question asked of its own document", "corpus": "All documents as one corpus"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage as the report shows it."""

    title: str
    words: str
    is_gold: bool


@dataclass(frozen=True, slots=True)
class Read:
    """A question to read: what should have been found, and what each arm brought, with its value of the run's measure."""

    text: str
    value: float
    difference: float
    gold: tuple[Shown, ...]
    missing: tuple[str, ...]
    arms: tuple[tuple[str, float, tuple[Shown, ...]], ...]


@dataclass(frozen=True, slots=True)
class ScopeView:
    """All that the report says of one scope."""

    title: str
    questions: int
    rows: tuple[tuple[str, tuple[str, ...], str], ...]
    bars: BarPlot
    curves: LinePlot
    costs: LinePlot
    worst: tuple[Read, ...]
    best: tuple[Read, ...]


def render_report(run: RunFolder) -> str:
    """The report of a run that is done."""
    summary, words, lines = run.summary(), run.passages(), by_scope(run.lines())
    measure, baseline = summary["measure"], summary["baseline"]
    arm = next(iter(summary["arms"]))
    views = [_view(scope, found, lines[scope], words, measure, baseline) for scope, found in summary["scopes"].items()]
    return report_template("report.html.jinja").render(
        summary=summary,
        head=run.head,
        settings=list(flat(run.settings)),
        measure=measure,
        baseline=baseline,
        arm=arm,
        result=_result(summary, arm),
        names=(*_names(summary["arms"][arm]), "ms"),
        views=views,
        has_scopes=len(views) > 1,
        width=WIDTH,
        few=FEW_QUESTIONS,
    )


@cache
def report_template(name: str) -> "Template":
    """A template of this folder. Whatever it is given is escaped."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def source(file: str) -> str:
        return resources.files(__package__).joinpath(file).read_text(encoding="utf-8")

    environment = Environment(
        loader=FunctionLoader(source), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["plural"] = plural
    return environment.get_template(name)


def _result(summary: Mapping[str, Any], arm: str) -> str:
    """The run in a sentence."""
    measure, baseline = summary["measure"], summary["baseline"]
    value = f"{arm}: {measure} {POINTS * summary['arms'][arm][measure]:.1f}"
    if arm == baseline or arm not in summary["intervals"]:
        return value
    found = summary["intervals"][arm][measure]
    return f"{value}, {found['difference']:+.1f} points against {baseline} (95 % interval {found['low']:+.1f} to {found['high']:+.1f})"


def _view(
    scope: str,
    found: Mapping[str, Any],
    lines: Mapping[str, Mapping[str, RetrievalLine]],
    words: Mapping[str, PassageWords],
    measure: str,
    baseline: str,
) -> ScopeView:
    arms: Mapping[str, Mapping[str, float]] = found["arms"]
    quality = {arm: POINTS * own[measure] for arm, own in arms.items()}
    reads = _reads(lines, words, measure, baseline)
    return ScopeView(
        title=_SCOPE_TITLES[scope],
        questions=found["questions"],
        rows=tuple((arm, _cells(own), _difference(found["intervals"].get(arm), measure)) for arm, own in arms.items()),
        bars=quality_bars(quality, {arm: own[measure] for arm, own in found["means"].items()}),
        curves=recall_curves(found["curves"]),
        costs=cost_points({arm: own["ms"] for arm, own in arms.items()}, quality),
        worst=tuple(reads[:_NUM_READ]),
        best=tuple(reads[: -_NUM_READ - 1 : -1] if len(reads) > _NUM_READ else ()),
    )


def _cells(own: Mapping[str, float]) -> tuple[str, ...]:
    return (*(f"{POINTS * own[name]:.1f}" for name in _names(own)), f"{own['ms']:.1f}")


def _names(own: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(name for name in (*NAMES, PROMPT) if name in own)


def _difference(found: Mapping[str, Mapping[str, float]] | None, measure: str) -> str:
    return "" if found is None else f"{found[measure]['difference']:+.1f} ({found[measure]['low']:+.1f} to {found[measure]['high']:+.1f})"


def _reads(lines: Mapping[str, Mapping[str, RetrievalLine]], words: Mapping[str, PassageWords], measure: str, baseline: str) -> list[Read]:
    """All questions, from the first arm's worst to its best; of equals the largest loss against the baseline first."""
    first = next(iter(lines.values()))
    made = [(line, _read(line, lines, words, measure, baseline)) for line in first.values()]
    made.sort(key=lambda pair: (pair[1].value, pair[1].difference, pair[0].measures["mrr"], pair[0].question))
    return [read for _, read in made]


def _read(
    line: RetrievalLine, lines: Mapping[str, Mapping[str, RetrievalLine]], words: Mapping[str, PassageWords], measure: str, baseline: str
) -> Read:
    value = line.measures[measure]
    gold = tuple(_shown(id_, words, True) for id_ in line.gold)
    arms = tuple((arm, POINTS * own[line.question].measures[measure], _brought(own[line.question], words)) for arm, own in lines.items())
    difference = POINTS * (value - lines[baseline][line.question].measures[measure])
    missing = tuple(shortened(name) for name in line.missing)
    return Read(shortened(line.text), POINTS * value, difference, gold, missing, arms)


def _brought(line: RetrievalLine, words: Mapping[str, PassageWords]) -> tuple[Shown, ...]:
    return tuple(_shown(p.id, words, p.gold, _MAX_WORDS) for p in line.passages[:_NUM_BROUGHT])


def _shown(id_: str, words: Mapping[str, PassageWords], is_gold: bool, max_words: int | None = None) -> Shown:
    passage = words[id_]
    said = passage.words.split()
    cut = passage.words if max_words is None or len(said) <= max_words else " ".join(said[:max_words]) + " …"
    return Shown(shortened(passage.title), shortened(cut), is_gold)


def flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Settings as lines: nested names joined by dots."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{before}{name}.")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield f"{before}{name}", ", ".join(map(str, value))
        else:
            yield f"{before}{name}", "" if value is None else str(value)
