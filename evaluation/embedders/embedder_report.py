"""The folder of a comparison of embedders, and its report."""

from collections.abc import Iterator

from dynagrag.core.text import cut, plural
from dynagrag.evaluation.embedders.embedder_figures import (
    FOUND,
    MEASURES,
    EmbedderOutcome,
    EmbeddersResult,
)
from dynagrag.evaluation.evidence.evidence_measures import NUM_FIRST, NUM_SHOWN
from dynagrag.evaluation.frame.experiment_run import ExperimentRun
from dynagrag.evaluation.frame.figures import Figure, Unit, count
from dynagrag.evaluation.frame.report import (
    FEW_ITEMS,
    BarChart,
    Case,
    Cases,
    Listing,
    Report,
    Section,
    Table,
    few,
    interval_meaning,
)

_MAX_CASES = 20
_HEADS = {"first": "first", "first_3": "first 3", "shown": "shown"}
_NOTHING_FITS_WORDS = {
    "nothing fits, wrongly": (
        "share of the questions with an answer of which it was said that nothing fits"
    ),
    "nothing fits, rightly": (
        "share of the questions without one of which it was said that nothing fits"
    ),
}


class EmbeddersRun(ExperimentRun[EmbedderOutcome, EmbeddersResult]):
    """The folder of a comparison of embedders."""

    evaluates, what, noun = "embedders", "embedders compared", "question"
    command = "dynagrag evaluate embedders"
    lines_file, line_kind, result_kind = "questions.jsonl", EmbedderOutcome, EmbeddersResult

    def report(self) -> Report:
        """The report of the run."""
        result = self.result()
        notes = []
        if result.is_made:
            notes.append(
                "The questions were made of the recordings' own words (a question that is asked in"
                " them, for its reply; the commoner half of a line's words, for the line). Search"
                " by words finds much of that, so embedders may differ more on questions of yours:"
                " give them with --questions."
            )
        if result.num_answerable < FEW_ITEMS:
            notes.append(few("question"))
        if result.missing:
            notes.append(
                f"{plural(len(result.missing), 'text')} of decisive words stand nowhere in the"
                f" documents, and count as not shown, such as: {cut(result.missing[0], 80)}"
            )
        found = {
            name: Figure.of(own.intervals[FOUND])
            for name, own in result.embedders.items()
            if own.intervals
        }
        kinds = sorted({kind for own in result.embedders.values() for kind in own.kinds})
        tables = [
            Table(
                ("embedder", *(_HEADS[measure] for measure in MEASURES), *_NOTHING_FITS_WORDS),
                tuple(
                    (
                        name,
                        (
                            *(Figure.of(own.intervals[m]) for m in MEASURES if own.intervals),
                            Figure(own.nothing_fits.answerable),
                            Figure(own.nothing_fits.unanswerable),
                        ),
                    )
                    for name, own in result.embedders.items()
                ),
                title=f"In points, of {plural(result.num_answerable, 'question')} with an answer",
                main=_HEADS[FOUND],
                is_of_arms=True,
            )
        ]
        if len(kinds) > 1:
            rows = (
                (name, tuple(Figure(own.kinds.get(kind)) for kind in kinds))
                for name, own in result.embedders.items()
            )
            title = f"{_HEADS[FOUND].capitalize()}, by kind of question"
            tables.append(Table(("embedder", *kinds), tuple(rows), title=title, is_of_arms=True))
        return Report(
            title="Embedders",
            asked=(
                f"{plural(result.n, 'question')}, {result.num_answerable} with an answer: with"
                " which embedder's vectors is it shown, and how early?"
            ),
            conclusion=" ".join(result.sentences) if found else "No question has an answer.",
            notes=tuple(notes),
            results=(
                Section(
                    tables=tuple(tables),
                    pictures=(
                        (BarChart(f"Answers {_HEADS[FOUND]}, with 95 % intervals", found),)
                        if found
                        else ()
                    ),
                ),
            ),
            words={
                "first": "share of the questions whose answering words are in the first clip",
                "first 3": "share of those whose answering words are in the first three",
                "shown": f"share of those whose answering words are among the {NUM_SHOWN} shown",
                **_NOTHING_FITS_WORDS,
                "points": "100 is every question",
                "95 % interval": interval_meaning("questions"),
            },
            costs=(Section(tables=(_costs(result),)),),
            cases=(Cases("Questions on which embedders differ", tuple(self._cases(result))),),
        )

    def _cases(self, result: EmbeddersResult) -> Iterator[Case]:
        by_question: dict[str, dict[str, EmbedderOutcome]] = {}
        for line in self.lines():
            by_question.setdefault(line.question, {})[line.embedder] = line
        differing = [
            own
            for own in by_question.values()
            if len({_is_found(line) for line in own.values()}) > 1
        ]
        for own in differing[:_MAX_CASES]:
            places = (f"{name}: {_place(line)}" for name, line in own.items())
            yield Case(
                next(iter(own.values())).text,
                "; ".join(places),
                listings=tuple(
                    Listing.of(name, line.shown[:1], "nothing") for name, line in own.items()
                ),
            )


def _costs(result: EmbeddersResult) -> Table:
    rows = (
        (
            name,
            (
                Figure(own.seconds, unit=Unit.SECONDS),
                Figure(own.vector_bytes / 1e6, unit=Unit.MEAN_COUNT),
                Figure(
                    None if own.model_bytes is None else own.model_bytes / 1e6, unit=Unit.MEAN_COUNT
                ),
                Figure(own.ms, unit=Unit.MS),
                count(own.num_vectors),
            ),
        )
        for name, own in result.embedders.items()
    )
    heads = ("embedder", "to embed all", "vectors, MB", "model, MB", "a question", "vectors")
    return Table(heads, tuple(rows), title="What they cost on this machine", is_of_arms=True)


def _is_found(line: EmbedderOutcome) -> bool:
    return line.place is not None and line.place <= NUM_FIRST


def _place(line: EmbedderOutcome) -> str:
    return f"clip {line.place}" if line.place else "not shown"
