"""How early the words that answer a question are shown, and whether it is said where nothing does.

Each question is asked as `ask` asks it without a language model, which shows clips.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import Field, JsonValue

from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Clip, Filters
from dynagrag.core.text import collapse, cut, plural
from dynagrag.evaluation.bootstrap_intervals import Interval, intervals, share_intervals
from dynagrag.evaluation.evidence.evidence_questions import (
    EvidenceQuestion,
    load_evidence_questions,
)
from dynagrag.evaluation.frame.experiment import ItemExperiment, ItemTrial, Watch
from dynagrag.evaluation.frame.experiment_run import ONE_ARM, ExperimentLine, ExperimentRun
from dynagrag.evaluation.frame.figures import ArmComparison, Figure, count
from dynagrag.evaluation.frame.report import (
    FEW_ITEMS,
    Case,
    Cases,
    Listing,
    Report,
    Row,
    Section,
    Table,
    few,
    interval_meaning,
)
from dynagrag.evaluation.frame.results import Result
from dynagrag.evaluation.frame.running import run_experiment
from dynagrag.evaluation.question_sets.gold_resolver import finder
from dynagrag.evaluation.question_sets.question_set import DataFile, Scope
from dynagrag.ingest.pipeline import Progress
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.facade import Workspace, open_workspace

NUM_SHOWN, NUM_FIRST = 5, 3
_MIN_PART = 12
"""Characters of decisive words that a cut must leave to count as one."""
_MAX_SHOWN_CHARS = 240
_MAX_CASES, _NUM_IN_TERMINAL = 20, 10
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})
ALL_KINDS = "all"
RERANKED = "reranked"
"""The arm that a reranker has a say in."""
SAID_WRONGLY, SAID_RIGHTLY = "nothing_fits.answerable", "nothing_fits.unanswerable"


class EvidenceOutcome(ExperimentLine):
    """What was shown of one question.

    `place`: how many clips, from the first, hold enough of the decisive words, turns or lines;
    None: not all that is shown. `is_cut`: a clip begins or ends amid decisive words. `answerable`:
    as `Answer` has it. `shown`: the clips' first words.
    """

    arm: str = ONE_ARM
    question: str
    text: str
    kind: str
    is_answerable: bool
    place: int | None
    is_cut: bool
    is_nothing_fitting: bool
    answerable: float | None
    shown: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str]:
        """The arm and the question."""
        return self.arm, self.question


@dataclass(frozen=True, slots=True)
class NothingFits:
    """Of how many questions it was said that nothing fits, as shares of those that something
    answers (said wrongly) and of those that nothing answers (said rightly); None of no question.
    """

    answerable: float | None
    unanswerable: float | None


@dataclass(frozen=True, slots=True)
class LateQuestion:
    """A question whose decisive words aren't in the first clip: at which clip all are, None where
    none that is shown has them, and the beginning of the first.
    """

    id: str
    question: str
    place: int | None
    first: str


class EvidenceShares(Result):
    """Of `n` questions: of those that something answers, the shares whose words are in the first
    clip, in the first three, in all that are shown, and in a cut one; None of no such question.
    """

    n: int
    first: float | None
    first_3: float | None
    shown: float | None
    cut: float | None
    nothing_fits: NothingFits

    @classmethod
    def of(cls, lines: Sequence[EvidenceOutcome]) -> "EvidenceShares":
        """The shares of some questions."""
        shares = {name: float(np.mean(own)) for name, own in columns_of(lines).items()}
        measures = {name: shares.get(name) for name in ("first", "first_3", "shown", "cut")}
        said = NothingFits(shares.get(SAID_WRONGLY), shares.get(SAID_RIGHTLY))
        return EvidenceShares(n=len(lines), nothing_fits=said, **measures)

    def share(self, measure: str) -> float | None:
        """One of the measures of `columns_of`."""
        of, _, name = measure.rpartition(".")
        found: float | None = getattr(self.nothing_fits if of else self, name)
        return found


class EvidenceResult(EvidenceShares):
    """The shares of all questions, and by their kind. `intervals`: 95 %, by measure.

    `missing`: decisive words that no document of the workspace holds, which count as not shown.
    `is_fit_known`: whether it was told of any question that nothing fits, or that something does.
    `late`: the questions whose words aren't in the first clip, those that are shown last first.
    `said_wrongly`: those with an answer of which it was said that nothing fits.
    `reranked`: the shares with the `reranker`, where there is one; `differences`: theirs less those
    without it.
    """

    num_answerable: int
    kinds: dict[str, EvidenceShares]
    intervals: dict[str, Interval]
    missing: list[str]
    is_fit_known: bool
    run: str
    late: list[LateQuestion] = Field(default_factory=list)
    said_wrongly: list[LateQuestion] = Field(default_factory=list)
    reranker: str = ""
    reranked: EvidenceShares | None = None
    differences: dict[str, Interval] = Field(default_factory=dict)


class EvidenceMeasurer:
    """Asks one workspace, and looks for the decisive words in what it shows."""

    def __init__(self, space: Workspace, scope: Scope = Scope.CORPUS) -> None:
        """`scope`: of `document`, each question is asked of its own document alone."""
        self._space, self._scope = space, scope
        self._snapshot = space.current_graph.snapshot()
        self._find = finder(self._snapshot.documents)

    def missing(self, question: EvidenceQuestion) -> list[str]:
        """The decisive words that no document, or not the question's own, holds. LoadError where
        the workspace hasn't got a document that the question names.
        """
        own = self._document(question)
        texts = [
            _folded(document.text)
            for id_, document in self._snapshot.documents.items()
            if own in (None, id_)
        ]
        return [words for words in question.decisive if not any(_folded(words) in t for t in texts)]

    def measure(
        self, question: EvidenceQuestion, is_reranked: bool = False, among: Sequence[str] = ()
    ) -> EvidenceOutcome:
        """One question, without the reranker of the settings or with it. `among`: the ids of the
        documents that it is asked of, where they are several.
        """
        document = self._document(question)
        of_document = (document,) if document and self._scope is Scope.DOCUMENT else ()
        of_speaker = (question.speaker,) if question.speaker else ()
        answer = self._space.evidence(
            question.text,
            AskOptions(
                profile="default",
                filters=Filters(tuple(among) or of_document, of_speaker),
                is_reranked=is_reranked,
            ),
        )
        ids = answer.trace.document_ids
        found = [self._found(question, document, ids[clip.id], clip) for clip in answer.clips]
        shown = [" ".join(turn.quote for turn in clip.turns) for clip in answer.clips]
        needed = question.num_needed
        place = next(
            (n for n in range(1, len(found) + 1) if len(set().union(*found[:n])) >= needed), None
        )
        return EvidenceOutcome(
            arm=RERANKED if is_reranked else ONE_ARM,
            question=question.id,
            text=question.text,
            kind=question.kind,
            is_answerable=question.is_answerable,
            place=place if question.is_answerable else None,
            is_cut=any(is_cut(question.decisive, text) for text in shown),
            is_nothing_fitting=answer.is_nothing_fitting,
            answerable=answer.answerable,
            shown=tuple(cut(collapse(text), _MAX_SHOWN_CHARS) for text in shown),
        )

    def _document(self, question: EvidenceQuestion) -> str | None:
        if not question.document:
            if self._scope is Scope.DOCUMENT:
                raise LoadError(
                    f"question {question.id!r} has no 'document', of which --scope document asks"
                    " it; name one, or leave --scope out"
                )
            return None
        found = self._find(question.document)
        if found is None:
            raise LoadError(
                f"question {question.id!r}: workspace {self._space.name!r} has no document"
                f" {question.document!r}; ingest it, or correct its name"
            )
        return found

    def _found(
        self, question: EvidenceQuestion, document: str | None, shown: str, clip: Clip
    ) -> set[int]:
        """Which of the decisive words or turns a clip of the document `shown` holds, by their
        numbers.
        """
        if document not in (None, shown):
            return set()
        if question.decisive:
            texts = [_folded(turn.quote) for turn in clip.turns]
            wanted = map(_folded, question.decisive)
            return {i for i, words in enumerate(wanted) if any(words in text for text in texts)}
        return {
            i
            for i, gold in enumerate(question.turns)
            if shown == self._find(gold.document)
            for turn in self._snapshot.turns.get(shown, ())[gold.first : gold.last + 1]
            if any(turn.start < own.end and own.start < turn.end for own in clip.turns)
        }


def is_cut(decisive: Sequence[str], shown: str) -> bool:
    """Whether what is shown begins or ends amid decisive words, and holds none whole."""
    text = _folded(shown)
    wanted = [_folded(words) for words in decisive]
    if any(words in text for words in wanted):
        return False
    return any(
        text.endswith(words[:n]) or text.startswith(words[-n:])
        for words in wanted
        for n in range(_MIN_PART, len(words))
    )


def _folded(text: str) -> str:
    """As words are compared: whatever their case, spaces and quotation marks."""
    return collapse(text).translate(_QUOTES).casefold()


def columns_of(lines: Sequence[EvidenceOutcome]) -> dict[str, list[float]]:
    """By measure, 0 or 1 for each question that it is taken of; without measures of no question."""
    answered = [line for line in lines if line.is_answerable]
    places = [line.place or NUM_SHOWN + 1 for line in answered]
    columns = {
        "first": [float(place == 1) for place in places],
        "first_3": [float(place <= NUM_FIRST) for place in places],
        "shown": [float(place <= NUM_SHOWN) for place in places],
        "cut": [float(line.is_cut) for line in answered],
        SAID_WRONGLY: [float(line.is_nothing_fitting) for line in answered],
        SAID_RIGHTLY: [float(o.is_nothing_fitting) for o in lines if not o.is_answerable],
    }
    return {name: values for name, values in columns.items() if values}


class EvidenceRun(ExperimentRun[EvidenceOutcome, EvidenceResult]):
    """The folder of a run of evidence."""

    evaluates, what, noun = "evidence", "evidence shown", "question"
    command = "dynagrag evaluate evidence"
    lines_file, line_kind, result_kind = "questions.jsonl", EvidenceOutcome, EvidenceResult

    def report(self) -> Report:
        """The report of the run."""
        result = self.result()
        lines = [line for line in self.lines() if line.arm == ONE_ARM]
        rows: list[tuple[str, EvidenceShares]] = [(ALL_KINDS, result), *result.kinds.items()]
        if result.reranked is not None:
            rows.append((f"{ALL_KINDS}, reranked", result.reranked))
        num_answerable, num = result.num_answerable, result.n
        notes = []
        if num < FEW_ITEMS:
            notes.append(few("question"))
        if result.missing:
            notes.append(
                f"{plural(len(result.missing), 'text')} of decisive words stand nowhere in the"
                f" documents, and count as not shown, such as: {cut(result.missing[0], 80)}"
            )
        if not result.is_fit_known:
            notes.append(
                "Whether the sources answer a question can't be told with this embedder, or in"
                " these languages, so it was never said that nothing fits."
            )
        return Report(
            title="Evidence",
            asked=(
                f"{plural(num, 'question')}, of which {num_answerable} have an answer: is it shown,"
                " how early, and is it said where there is none?"
            ),
            conclusion=(
                f"Of the questions with an answer, its words are in the first clip of"
                f" {_text(result.first)} %, in the first three of {_text(result.first_3)} %, among"
                f" the {NUM_SHOWN} shown of {_text(result.shown)} %."
                if num_answerable
                else "No question has an answer."
            ),
            notes=tuple(notes),
            results=(
                Section(
                    tables=(
                        Table(
                            ("kind", "questions", *_COLUMNS),
                            tuple(
                                _row(name, shares, result.intervals if name == ALL_KINDS else {})
                                for name, shares in rows
                            ),
                            title="In points",
                            main="first",
                        ),
                    ),
                    after=tuple(_compared(result)),
                ),
            ),
            words={
                "first": "share of the questions whose answering words are in the first clip",
                "first 3": "share of those whose answering words are in the first three",
                "shown": f"share of those whose answering words are among the {NUM_SHOWN} shown",
                "cut": "share of those where a clip begins or ends amid the answering words",
                "nothing fits, wrongly": (
                    "share of the questions with an answer of which it was said that nothing fits"
                ),
                "nothing fits, rightly": (
                    "share of the questions without one of which it was said that nothing fits"
                ),
                "points": "100 is every question",
                "95 % interval": interval_meaning("questions"),
            },
            cases=(
                Cases(
                    "Questions whose words aren't first",
                    tuple(_cases(_late(lines))),
                    num_in_terminal=_NUM_IN_TERMINAL,
                ),
                Cases(
                    "Questions of which it was said wrongly that nothing fits",
                    tuple(_cases(_said_wrongly(lines))),
                    num_in_terminal=_NUM_IN_TERMINAL,
                ),
            ),
        )


_COLUMNS = {
    "first": "first",
    "first 3": "first_3",
    "shown": "shown",
    "cut": "cut",
    "nothing fits, wrongly": SAID_WRONGLY,
    "nothing fits, rightly": SAID_RIGHTLY,
}


def _row(name: str, shares: EvidenceShares, of: Mapping[str, Interval]) -> Row:
    figures = (
        Figure.of(of[measure]) if measure in of else Figure(shares.share(measure))
        for measure in _COLUMNS.values()
    )
    return name, (count(shares.n), *figures)


def _text(share: float | None) -> str:
    return Figure(share).text()


def _late(lines: Sequence[EvidenceOutcome]) -> list[EvidenceOutcome]:
    """Those with an answer that isn't in the first clip, worst first."""
    late = [line for line in lines if line.is_answerable and line.place != 1]
    return sorted(late, key=lambda line: -(line.place or NUM_SHOWN + 1))


def _said_wrongly(lines: Sequence[EvidenceOutcome]) -> list[EvidenceOutcome]:
    """Those with an answer of which it was said that nothing fits."""
    return [line for line in lines if line.is_answerable and line.is_nothing_fitting]


def _named(lines: Sequence[EvidenceOutcome]) -> list[LateQuestion]:
    return [
        LateQuestion(line.question, line.text, line.place, next(iter(line.shown), ""))
        for line in lines
    ]


def _cases(lines: Sequence[EvidenceOutcome]) -> Iterator[Case]:
    for line in lines[:_MAX_CASES]:
        place = f"clip {line.place}" if line.place else "not shown"
        yield Case(line.text, place, listings=(Listing.of("shown", line.shown, "nothing"),))


class EvidenceExperiment(
    ItemExperiment[EvidenceQuestion, EvidenceOutcome, EvidenceResult, EvidenceRun]
):
    """Questions, each asked of a workspace once."""

    run_kind, name = EvidenceRun, "evidence"

    def __init__(
        self,
        space: Workspace,
        questions: Sequence[EvidenceQuestion],
        files: Sequence[DataFile] = (),
        scope: Scope = Scope.CORPUS,
    ) -> None:
        self.items, self._space, self._files, self._scope = questions, space, files, scope
        self._measurer = EvidenceMeasurer(space, scope)
        self._reranker = space.settings.reranker or ""
        self.arms: tuple[str, ...] = (ONE_ARM, RERANKED) if self._reranker else (ONE_ARM,)
        self._missing = [words for own in questions for words in self._measurer.missing(own)]

    def made_with(self) -> Mapping[str, JsonValue]:
        """The questions, and the workspace that is asked."""
        identity = self._space.embedder.identity
        return {
            "workspace": self._space.name,
            "scope": self._scope,
            "embedder": f"{identity.name} ({identity.dimension} dimensions)",
            "graph": self._space.store.digest(),
            "files": {file.name: file.sha256 for file in self._files},
            **({"reranker": self._reranker} if self._reranker else {}),
            "questions": len(self.items),
            "asked": content_id(*map(str, self.items)),
        }

    def stage(self, trial: ItemTrial[EvidenceQuestion]) -> str:
        """With the reranker, and without."""
        return f"ask ({trial.arm})" if trial.arm != ONE_ARM else "ask"

    def measure(self, item: EvidenceQuestion, arm: str) -> EvidenceOutcome:
        """One question."""
        return self._measurer.measure(item, arm == RERANKED)

    def summarize(self, lines: Sequence[EvidenceOutcome], path: Path) -> EvidenceResult:
        """The figures of all questions, and of each kind where there are several."""
        of_reranker = [line for line in lines if line.arm == RERANKED]
        lines = [line for line in lines if line.arm == ONE_ARM]
        kinds = sorted({line.kind for line in lines if line.kind})
        intervals = {
            name: share_intervals({name: values})[name]
            for name, values in columns_of(lines).items()
        }
        return EvidenceResult(
            **dict(EvidenceShares.of(lines)),
            num_answerable=sum(line.is_answerable for line in lines),
            kinds={k: EvidenceShares.of([own for own in lines if own.kind == k]) for k in kinds},
            intervals={name: own.rounded(4) for name, own in intervals.items()},
            missing=self._missing,
            is_fit_known=any(line.answerable is not None for line in lines),
            run=str(path),
            reranker=self._reranker if of_reranker else "",
            reranked=EvidenceShares.of(of_reranker) if of_reranker else None,
            differences=_differences(lines, of_reranker),
            late=_named(_late(lines)),
            said_wrongly=_named(_said_wrongly(lines)),
        )


def _differences(
    lines: Sequence[EvidenceOutcome], others: Sequence[EvidenceOutcome]
) -> dict[str, Interval]:
    """The others' measures less the lines', over the questions that both have."""
    by_question = {line.question: line for line in others}
    both = [line for line in lines if line.question in by_question]
    own, of_others = columns_of(both), columns_of([by_question[line.question] for line in both])
    found: dict[str, Interval] = {}
    for name, values in own.items():
        pairs = zip(of_others[name], values, strict=True)
        found |= intervals({name: [other - value for other, value in pairs]})
    return {name: interval.rounded(4) for name, interval in found.items()}


def _compared(result: EvidenceResult) -> Iterator[str]:
    """The main measures with the reranker against those without it, a sentence each."""
    for shown, name in _COLUMNS.items():
        if name in result.differences and name in ("first", "first_3", "shown"):
            difference = Figure.of(result.differences[name], is_difference=True)
            compared = ArmComparison("with it", "without it", difference, result.num_answerable)
            yield f"With the reranker {result.reranker}, {shown}{compared.text()}."


@dataclass(frozen=True, slots=True)
class EvidenceOptions:
    """What is asked: the questions of a file, of a workspace. `limit`: of the first so many."""

    questions: Path
    workspace: str | None = None
    scope: Scope = Scope.CORPUS
    limit: int | None = None
    out: Path | None = None


def evaluate_evidence(
    settings: Settings,
    options: EvidenceOptions,
    progress: Progress | None = None,
    embedder: Embedder | None = None,
) -> tuple[EvidenceRun, EvidenceResult]:
    """Asks all questions, or goes on with a run that was stopped; the run and its result.

    Raises LoadError for what is wrong in the file, WorkspaceError where there is no such workspace.
    """
    questions, file = load_evidence_questions(options.questions)
    with open_workspace(
        options.workspace, settings=settings, create=False, embedder=embedder
    ) as space:
        experiment = EvidenceExperiment(space, questions[: options.limit], [file], options.scope)
        return run_experiment(experiment, settings.home, options.out, Watch(progress))
