"""A run of entities as a report: how well names are joined, what a judge could reach at what cost,
and the pairs that went wrong.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dynagrag.core.text import plural
from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.entities.entity_folder import EntityRun
from dynagrag.evaluation.results.html_report import (
    Bars,
    Case,
    Cases,
    Lines,
    Listing,
    Report,
    Section,
    Table,
    interval_meaning,
    render,
)
from dynagrag.evaluation.results.report_plots import cost_points, quality_bars
from dynagrag.evaluation.results.run_folder import shortened
from dynagrag.evaluation.results.run_summary import POINTS

_NUM_READ = 30
"""How many pairs of each kind are shown."""
_FIGURES = ("precision", "recall", "f1")
WORDS: Mapping[str, str] = {
    "precision": "of the labelled pairs that were joined, the share that are one thing",
    "recall": "of the labelled pairs that are one thing, the share that were joined",
    "F1": "the harmonic mean of both: high only where both are",
    "without homonyms": (
        "the same of the pairs without a name that the set has for two things, which nobody can"
        " tell by names"
    ),
    "clusters": (
        "names that ended as one entity. Precision and recall are means over the names (B-cubed); a"
        " name alone in both is right"
    ),
    "blocking": (
        "near names are put together in blocks, and only those of one block can be joined by a"
        " judge. Its recall: the share of the pairs of one thing that have one key, were joined by"
        " a rule, or stand in one block"
    ),
    "cosine": "how near the vectors of two names are, -1 to 1",
    "95 % interval": (
        interval_meaning("pairs")
        + "; pairs that share a name are not independent, so it is a little too narrow"
    ),
    "points": "100 is everything",
}


def render_entity_report(run: EntityRun) -> str:
    """The report of a run that is done."""
    return render(entity_report(run), run.head)


def entity_report(run: EntityRun) -> Report:
    """What the page says."""
    summary = run.summary()
    joined = dict(_joined(summary))
    kind = "names with summaries" if summary["has_summaries"] else "bare names"
    homonyms = summary["num_pairs"] - summary["num_telling"]
    return Report(
        title=f"{summary['dataset']}: which names are joined",
        asked=(
            f"{plural(summary['num_pairs'], 'labelled pair')} of names,"
            f" {summary['num_positives']:,} of them one thing ({kind}, embedder"
            f" {summary['embedder']}): are those joined, and only those? Joined by:"
            f" {', '.join(joined)}."
        ),
        conclusion=" ".join(_sentence(name, own) for name, own in joined.items()),
        notes=(
            *(f"set aside {count} x {reason}" for reason, count in summary["set_aside"].items()),
            *(
                [
                    f"{plural(homonyms, 'pair')} with a homonym, a name that the set has for two"
                    " things"
                ]
                if homonyms
                else ()
            ),
            *(summary["with_model"]["notes"] if summary["with_model"] else ()),
        ),
        results=tuple(_results(summary, joined)),
        words=WORDS,
        costs=(_costs(summary),),
        cases=tuple(_cases(run, joined)),
    )


def _joined(summary: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "rules alone", summary["without_model"]
    if summary["with_model"]:
        yield summary["with_model"]["name"], summary["with_model"]["quality"]


def _sentence(name: str, own: Mapping[str, Any]) -> str:
    recall, precision, f1 = (
        _bounded(own["intervals"][figure]) for figure in ("recall", "precision", "f1")
    )
    return (
        f"{name}: {recall} % of the pairs of one thing are joined, {precision} % of the joined ones"
        f" are right; F1 {f1}."
    )


def _bounded(own: Mapping[str, float]) -> str:
    return Interval.of(own, POINTS).text()


def _points(own: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(f"{POINTS * own[figure]:.1f}" for figure in _FIGURES)


def _results(
    summary: Mapping[str, Any], joined: Mapping[str, Mapping[str, Any]]
) -> Iterator[Section]:
    heads = ("precision", "recall", "F1")
    pairs = tuple(
        (name, tuple(_bounded(own["intervals"][figure]) for figure in _FIGURES))
        for name, own in joined.items()
    )
    others = tuple(
        (name, (*_points(own["telling"]), *_points(own["cluster"]), f"{own['num_clusters']:,}"))
        for name, own in joined.items()
    )
    plot = quality_bars(
        {name: POINTS * own["intervals"]["f1"]["mean"] for name, own in joined.items()},
        {
            name: {end: POINTS * own["intervals"]["f1"][end] for end in ("low", "high")}
            for name, own in joined.items()
        },
    )
    more = (
        "without homonyms: precision",
        "recall",
        "F1",
        "of clusters: precision",
        "recall",
        "F1",
        "clusters",
    )
    yield Section(
        tables=(
            Table(
                ("joined by", *heads),
                pairs,
                title="Pairs, with 95 % intervals",
                main="F1",
                is_of_arms=True,
            ),
            Table(
                ("joined by", *more),
                others,
                title="Pairs without homonyms, and clusters",
                is_of_arms=True,
            ),
        ),
        bars=(Bars("F1 of pairs, with 95 % intervals", plot),),
    )
    blocking = summary["blocking"]
    rows = tuple((how, (str(count),)) for how, count in blocking["found"].items())
    yield Section(
        "Which pairs of one thing can be found",
        before=(f"Blocking recall {POINTS * blocking['recall']:.1f}.",),
        tables=(
            Table(("found by", "pairs"), (*rows, ("not at all", (str(len(summary["missed"])),)))),
        ),
    )


def _costs(summary: Mapping[str, Any]) -> Section:
    rows = summary["thresholds"]
    heads = (
        "cosine of at least",
        "blocking recall",
        "pairs to judge",
        "model calls",
        "joined by the cosine itself: precision",
        "recall",
        "F1",
    )
    cells = (
        (
            f"{POINTS * row['blocking_recall']:.1f}",
            f"{row['num_compared']:,}",
            f"{row['num_calls']:,}",
            *_points(row["joined_by_cosine"]["pair"]),
        )
        for row in rows
    )
    names = [f"{row['cosine']:.2f}" for row in rows]
    table = Table(heads, tuple(zip(names, cells, strict=True)))
    took = summary["with_model"]
    after = (
        (f"{took['name']}: {plural(took['num_calls'], 'call')} in {took['seconds']:,.0f} s.",)
        if took
        else ()
    )
    if len(names) < 2:
        return Section(tables=(table,), after=after)
    reach = dict(zip(names, (POINTS * row["blocking_recall"] for row in rows), strict=True))
    compared = dict(zip(names, (max(row["num_compared"], 1) for row in rows), strict=True))
    plot = cost_points(compared, reach)
    points = Lines(
        "What a judge could reach, by cosine",
        plot,
        "pairs of names to judge (log scale)",
        "blocking recall, points",
        is_points=True,
    )
    return Section(
        before=("A lower bound puts more names before a judge, and takes more calls.",),
        tables=(table,),
        lines=(points,),
        after=after,
    )


def _cases(run: EntityRun, joined: Mapping[str, Mapping[str, Any]]) -> Iterator[Cases]:
    reasons: dict[str, list[str]] = {}
    for line in run.lines():
        reasons.setdefault(line.reason, []).append(
            f"{shortened(line.a)} / {shortened(line.b)} (cosine {line.cosine:.2f})"
        )
    ranked = sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))
    yield Cases(
        "Pairs of one thing that nothing can find",
        tuple(_case(reason, pairs) for reason, pairs in ranked),
    )
    wrong = (
        (name, [f"{shortened(a)} / {shortened(b)}" for a, b in own["wrong"]])
        for name, own in joined.items()
    )
    yield Cases(
        "Joined, though the set calls them different",
        tuple(_case(f"by {name}", pairs) for name, pairs in wrong if pairs),
    )


def _case(text: str, pairs: list[str]) -> Case:
    shown = f", {_NUM_READ} of them here" if len(pairs) > _NUM_READ else ""
    return Case(
        text, f"{plural(len(pairs), 'pair')}{shown}", listings=(Listing.of("", pairs[:_NUM_READ]),)
    )
