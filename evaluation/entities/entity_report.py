"""The kept run of an evaluation of entities: missed.jsonl (the pairs of one thing that nothing can
find), and how it is read: how well names are joined, what a judge could reach at what cost, and the
pairs that went wrong.
"""

from collections.abc import Iterator, Mapping, Sequence

from dynagrag.core.text import plural
from dynagrag.evaluation.entities.entity_resolution import (
    Blocking,
    EntityResult,
    Missed,
    Quality,
)
from dynagrag.evaluation.entities.entity_scores import Scores
from dynagrag.evaluation.frame.experiment_run import ExperimentRun
from dynagrag.evaluation.frame.figures import Figure, count
from dynagrag.evaluation.frame.report import (
    BarChart,
    Case,
    Cases,
    Listing,
    Report,
    ScatterChart,
    Section,
    Table,
    interval_meaning,
    shortened,
)

_NUM_READ = 30
"""How many pairs of each kind are shown to read."""
_NUM_EXAMPLES = 5
"""How many missed pairs stand beside the figures."""
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
    "cosine": "how near the vectors of two names are, -1 to 1, as MiniLM's would be",
    "95 % interval": (
        interval_meaning("pairs")
        + "; pairs that share a name are not independent, so it is a little too narrow"
    ),
    "points": "100 is everything",
}


class EntityRun(ExperimentRun[Missed, EntityResult]):
    """The folder of a run of entities. It is worked out in one go: what a model said is kept in the
    home folder.
    """

    line_kind = Missed
    lines_file = "missed.jsonl"
    command = "dynagrag evaluate entities"
    evaluates = "entities"
    what = "names joined"
    noun = "pair"
    result_kind = EntityResult

    def report(self) -> Report:
        """The report of the run."""
        result = self.result()
        joined = {"rules alone": result.without_model}
        if result.with_model:
            joined[result.with_model.name] = result.with_model.quality
        kind = "names with summaries" if result.has_summaries else "bare names"
        sentences = []
        for name, own in joined.items():
            precision, recall, f1 = (figure.text() for figure in _bounded(own))
            sentences.append(
                f"{name}: {recall} % of the pairs of one thing are joined, {precision} % of the"
                f" joined ones are right; F1 {f1}."
            )
        return Report(
            title=f"{result.dataset}: which names are joined",
            asked=(
                f"{plural(result.num_pairs, 'labelled pair')} of {result.num_items:,} names under"
                f" {result.num_keys:,} keys, {result.num_positives:,} of them one thing ({kind},"
                f" embedder {result.embedder}): are those joined, and only those? Joined by:"
                f" {', '.join(joined)}."
            ),
            conclusion=" ".join(sentences),
            notes=tuple(_notes(result)),
            results=(*_qualities(joined), _found(result.blocking, result.missed)),
            words=WORDS,
            costs=(_costs(result),),
            cases=tuple(_cases(result.missed, joined)),
        )


def _notes(result: EntityResult) -> Iterator[str]:
    if result.glossaries:
        yield f"with the glossary {', '.join(result.glossaries)}"
    yield from (f"set aside {num} x {reason}" for reason, num in result.set_aside.items())
    if homonyms := result.num_pairs - result.num_telling:
        yield (
            f"{plural(homonyms, 'pair')} with a homonym, a name that the set has for two things;"
            " the figures without them stand beside"
        )
    if result.num_repeats:
        yield f"{plural(result.num_repeats, 'line')} repeat a pair, which counts once"
    if not result.is_complete:
        yield (
            "pairs that the set doesn't label count as different in clusters, and not at all in"
            " pairs"
        )
    if result.with_model:
        yield from result.with_model.notes


def _bounded(own: Quality) -> list[Figure]:
    """Precision, recall and F1 of pairs with their intervals."""
    return [Figure.of(own.intervals[name]) for name in _FIGURES]


def _of_scores(own: Scores) -> list[Figure]:
    return [Figure(own.precision), Figure(own.recall), Figure(own.f1)]


def _qualities(joined: Mapping[str, Quality]) -> Iterator[Section]:
    pairs = Table(
        ("joined by", "precision", "recall", "F1"),
        tuple((name, tuple(_bounded(own))) for name, own in joined.items()),
        title="Pairs, with 95 % intervals",
        main="F1",
        is_of_arms=True,
    )
    heads = (
        "without homonyms: precision",
        "recall",
        "F1",
        "of clusters: precision",
        "recall of clusters",
        "F1 of clusters",
        "clusters",
    )
    others = Table(
        ("joined by", *heads),
        tuple(
            (name, (*_of_scores(own.telling), *_of_scores(own.cluster), count(own.num_clusters)))
            for name, own in joined.items()
        ),
        title="Pairs without homonyms, and clusters",
        is_of_arms=True,
    )
    bars = BarChart(
        "F1 of pairs, with 95 % intervals",
        {name: Figure.of(own.intervals["f1"]) for name, own in joined.items()},
    )
    yield Section(tables=(pairs, others), pictures=(bars,))


def _found(blocking: Blocking, missed: Sequence[Missed]) -> Section:
    """Which positive pairs come before a judge at all."""
    rows = [(how, (count(num),)) for how, num in blocking.found.items()]
    rows += [
        (f"not at all: {reason}", (count(len(own)),)) for reason, own in _by_reason(missed).items()
    ]
    examples = "; ".join(_pair(own) for own in missed[:_NUM_EXAMPLES])
    return Section(
        "Which pairs of one thing can be found",
        before=(f"Blocking recall {Figure(blocking.recall).text()}.",),
        tables=(Table(("found by", "pairs"), tuple(rows)),),
        after=(
            (
                f"{plural(blocking.num_blocks, 'block')} of {plural(blocking.num_names, 'name')},"
                f" the largest of {blocking.largest}; {plural(blocking.num_compared, 'pair')} in"
                f" them; a model would be asked {plural(blocking.num_calls, 'time')}"
                f" ({blocking.prompt_tokens:,} tokens)."
            ),
            *([f"Not found, for example: {examples}."] if examples else ()),
        ),
    )


def _by_reason(missed: Sequence[Missed]) -> dict[str, list[Missed]]:
    """The pairs by why they are missed, the reason of most first."""
    found: dict[str, list[Missed]] = {}
    for own in missed:
        found.setdefault(own.reason, []).append(own)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def _pair(own: Missed) -> str:
    return f"{shortened(own.a)} / {shortened(own.b)} (cosine {own.cosine:.2f})"


def _costs(result: EntityResult) -> Section:
    rows = {f"{row.cosine:.2f}": row for row in result.thresholds}
    table = Table(
        (
            "cosine of at least",
            "blocking recall",
            "pairs to judge",
            "model calls",
            "joined by the cosine itself: precision",
            "recall",
            "F1",
            "F1 of clusters",
        ),
        tuple(
            (
                name,
                (
                    Figure(row.blocking_recall),
                    count(row.num_compared),
                    count(row.num_calls),
                    *_of_scores(row.joined_by_cosine.pair),
                    Figure(row.joined_by_cosine.cluster.f1),
                ),
            )
            for name, row in rows.items()
        ),
    )
    took = result.with_model
    reached = {
        name: (float(max(row.num_compared, 1)), 100 * row.blocking_recall)
        for name, row in rows.items()
    }
    picture = ScatterChart(
        "What a judge could reach, by cosine",
        "pairs of names to judge (log scale)",
        "blocking recall, points",
        reached,
    )
    is_curve = len(rows) > 1
    return Section(
        before=(
            ("A lower bound puts more names before a judge, and takes more calls.",)
            if is_curve
            else ()
        ),
        tables=(table,),
        pictures=(picture,) if is_curve else (),
        after=(
            (
                f"{took.name}: {plural(took.num_calls, 'call')} in {took.seconds:,.0f} s; guards"
                f" cut {plural(took.num_refused, 'group')} that the model proposed.",
            )
            if took
            else ()
        ),
    )


def _cases(missed: Sequence[Missed], joined: Mapping[str, Quality]) -> Iterator[Cases]:
    yield Cases(
        "Pairs of one thing that nothing can find",
        tuple(
            _case(reason, [_pair(pair) for pair in own])
            for reason, own in _by_reason(missed).items()
        ),
    )
    wrong = {
        name: [f"{shortened(a)} / {shortened(b)}" for a, b in own.wrong]
        for name, own in joined.items()
    }
    yield Cases(
        "Joined, though the set calls them different",
        tuple(_case(f"by {name}", pairs) for name, pairs in wrong.items() if pairs),
    )


def _case(text: str, pairs: list[str]) -> Case:
    shown = f", {_NUM_READ} of them here" if len(pairs) > _NUM_READ else ""
    return Case(
        text, f"{plural(len(pairs), 'pair')}{shown}", listings=(Listing.of("", pairs[:_NUM_READ]),)
    )
