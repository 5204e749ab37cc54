"""An evaluation of answers from its options to its folder: every arm answers every question, and
each answer is scored.

Runs lie in HOME/evaluation/runs; the replies of the model in HOME/evaluation/answers.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import WorkspaceError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import ChatModel, Embedder
from dynagrag.core.schema import Snapshot
from dynagrag.evaluation.answers.answer_arms import (
    GOLD,
    AskedQuestion,
    pruners_made_with,
    soft_made_with,
)
from dynagrag.evaluation.answers.answer_estimate import AnswersEstimate
from dynagrag.evaluation.answers.answer_line import AnswerLine, last_lines
from dynagrag.evaluation.answers.answer_run import make_answers
from dynagrag.evaluation.answers.answering import Answering, open_answering
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.frame.experiment import Experiment, Watch
from dynagrag.evaluation.frame.running import run_experiment
from dynagrag.evaluation.qa.answer_scores import is_short
from dynagrag.evaluation.qa.known_question import KnownQuestion
from dynagrag.evaluation.qa.qa_options import WHOLE_GOLD, QaOptions, QaPlan, is_about_whole, plan_qa
from dynagrag.evaluation.qa.qa_report import GOLDS, QaResult, QaRun
from dynagrag.evaluation.qa.qa_summary import qa_summary
from dynagrag.evaluation.qa.ragas_rows import LEFT_OUT, check_ragas_file, write_ragas_rows
from dynagrag.evaluation.question_sets.gold_resolver import Resolver
from dynagrag.evaluation.question_sets.question_set import EvalQuestion, GoldAnswer
from dynagrag.evaluation.retrieval.evaluated_workspace import EvaluatedWorkspace, open_evaluated
from dynagrag.ingest.pipeline import Progress

_NOT_SHORTENED = (
    "questions with short answers, whose exact and F1 need a language model that shortens what is"
    " said (--llm)"
)
_NO_GOLD = "questions without known evidence, which the arm gold can't answer"


def evaluate_qa(
    settings: Settings,
    options: QaOptions,
    progress: Progress | None = None,
    on_estimate: Callable[[AnswersEstimate], None] | None = None,
    embedder: Embedder | None = None,
    chat_model: ChatModel | None = None,
) -> tuple[QaRun, QaResult]:
    """Runs an evaluation, or resumes one; the run and its result.

    `on_estimate` is told what the answers will take, before they are made. Raises UsageError,
    SettingsError and LoadError for what was given wrong, before anything is asked; StoppedRunError
    on Ctrl-C; ModelError and BudgetError when going on makes no sense.
    """
    plan = plan_qa(options)
    show = progress or (lambda *_: None)
    with (
        open_answering(settings, options.max_calls, chat_model, plan.arms) as answering,
        open_evaluated(settings, options.of_workspace(), plan.loaded, show, embedder) as place,
    ):
        experiment = QaExperiment(plan, options, place, answering, settings, on_estimate)
        return run_experiment(experiment, settings.home, options.out, Watch(progress))


class QaExperiment(Experiment[AnswerLine, QaResult, QaRun]):
    """Ways to an answer as arms. The arms share the work on a question, and threads take several
    questions at once (`make_answers`).
    """

    run_kind = QaRun

    def __init__(
        self,
        plan: QaPlan,
        options: QaOptions,
        place: EvaluatedWorkspace,
        answering: Answering,
        settings: Settings,
        on_estimate: Callable[[AnswersEstimate], None] | None,
    ) -> None:
        self.name = f"qa-{plan.loaded.name}"
        self._plan, self._options, self._place = plan, options, place
        self._answering, self._settings, self._on_estimate = answering, settings, on_estimate
        self._snapshot = place.space.current_graph.snapshot()
        if not self._snapshot.passages:
            raise WorkspaceError(
                f"workspace {place.space.name!r} has no passages; ingest something first"
            )
        place.check_embedder()
        self._asked, self._known = _questions(plan, place, self._snapshot)

    def made_with(self) -> Mapping[str, JsonValue]:
        """The questions with what should be answered, the arms, the model and the graph."""
        plan, options, place = self._plan, self._options, self._place
        identity = place.embedder.identity
        parts = (
            (
                q.id,
                q.text,
                *(q.answer.texts if q.answer else ()),
                str(bool(q.answer and q.answer.is_answerable)),
            )
            for q in plan.questions
        )
        return {
            "dataset": plan.loaded.name,
            "half": options.half,
            "scope": plan.scope,
            "kind": options.kind,
            "questions": len(plan.questions),
            "arms": list(plan.arm_names),
            "baseline": plan.baseline,
            "llm": self._answering.identity,
            "checker": wiring.chosen_checker(place.space.settings.checker, self._answering.model),
            "extractor": options.extractor if plan.loaded.corpus else None,
            "embedder": f"{identity.name} ({identity.dimension} dimensions)",
            "workspace": place.space.name,
            "passages": len(self._snapshot.passages),
            "graph": place.space.store.digest(),
            "files": {file.name: file.sha256 for file in (*plan.loaded.files, *place.files)},
            "asked": content_id(*(part for question in parts for part in question)),
            "seed": SEED,
            **pruners_made_with(place.space, plan.arms),
            **soft_made_with(place.space, plan.arms),
        }

    @property
    def num_lines(self) -> int:
        """An answer for each question and arm."""
        return len(self._asked) * len(self._plan.arms)

    def measure_missing(self, run: QaRun, watch: Watch) -> Sequence[AnswerLine]:
        """Makes the answers that are missing."""
        ragas = self._options.ragas_rows
        if ragas is not None:
            check_ragas_file(ragas, self._options.questions, run.path)
        make_answers(
            self._place.space,
            self._answering,
            self._asked,
            self._plan.arms,
            run.file,
            self._settings,
            watch.progress,
            self._on_estimate,
        )
        return list(last_lines(run.lines()).values())

    def summarize(self, lines: Sequence[AnswerLine], path: Path) -> QaResult:
        """The figures, and what was left out of them. Writes the rows for RAGAS, where they are
        wanted: some answers may not be among them.
        """
        plan, known = self._plan, self._known
        notes = Counter(plan.loaded.notes) + Counter(self._place.notes)
        if missing := sum(q.num_missing for q in known):
            notes["gold that is not in the corpus, so nobody can cite it"] = missing
        if self._answering.identity is None:
            notes[_NOT_SHORTENED] = sum(is_short(q.wanted().answer) for q in known)
        if GOLD in plan.arm_names:
            notes[WHOLE_GOLD] = sum(is_about_whole(q) for q in plan.questions)
            notes[_NO_GOLD] = sum(
                q.is_answerable and not q.things and not is_about_whole(e)
                for q, e in zip(known, plan.questions, strict=True)
            )
        ragas = self._options.ragas_rows
        if ragas is not None and (lost := write_ragas_rows(ragas, lines, known, self._snapshot)):
            notes[LEFT_OUT] = lost
        figures = qa_summary(
            lines,
            {question.id: question.wanted() for question in known},
            {question.id: question.kind for question in known},
            plan.arm_names,
            plan.baseline,
        )
        return QaResult(
            **dict(figures),
            dataset=plan.loaded.name,
            half=self._options.half,
            scope=plan.scope,
            passages=len(self._snapshot.passages),
            llm=self._answering.identity,
            notes={name: count for name, count in notes.items() if count},
            run=str(path),
        )

    def write_rows(self, run: QaRun, result: QaResult) -> None:
        """The questions with what should be answered."""
        run.write_rows(GOLDS, self._known)


def _questions(
    plan: QaPlan, place: EvaluatedWorkspace, snapshot: Snapshot
) -> tuple[list[AskedQuestion], list[KnownQuestion]]:
    """Each question as arms are asked it, and as it is scored and shown."""
    resolver = Resolver(snapshot, place.find)
    asked, known = [], []
    for question in plan.questions:
        documents = place.ids(question.documents_in(plan.scope))
        answer = question.answer or GoldAnswer()
        asked.append(
            AskedQuestion(
                id=question.id,
                text=question.text,
                scope=plan.scope,
                documents=documents,
                gold=resolver.gold_passage_ids(question.gold),
                is_short=is_short(answer),
            )
        )
        known.append(
            _known(
                question,
                answer,
                resolver,
                ", ".join(snapshot.documents[id_].title for id_ in documents[:1]),
            )
        )
    return asked, known


def _known(
    question: EvalQuestion, answer: GoldAnswer, resolver: Resolver, title: str
) -> KnownQuestion:
    gold = question.gold
    num_things = (
        len(gold.titles) + len(gold.facts) + len(gold.documents) + len(dict.fromkeys(gold.spans))
    )
    has_things = bool(num_things) and not is_about_whole(question)
    things = (
        tuple(tuple(tuple(place) for place in thing) for thing in resolver.gold_things(gold))
        if has_things
        else None
    )
    return KnownQuestion(
        id=question.id,
        text=question.text,
        kind=question.kind,
        answers=answer.texts,
        is_answerable=answer.is_answerable,
        things=things,
        num_missing=num_things - len(things) if things is not None else 0,
        document=title,
        provenance=question.provenance,
    )
