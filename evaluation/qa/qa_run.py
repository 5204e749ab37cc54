"""An evaluation of answers from its options to its folder: every arm answers every question, and
each answer is scored.

Runs lie in HOME/evaluation/runs; the replies of the model in HOME/evaluation/answers.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

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
from dynagrag.evaluation.answers.answer_run import make_answers
from dynagrag.evaluation.answers.answering import Answering, open_answering
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.qa.answer_scores import is_short
from dynagrag.evaluation.qa.qa_folder import KnownQuestion, QaRun
from dynagrag.evaluation.qa.qa_options import WHOLE_GOLD, QaOptions, QaPlan, is_about_whole, plan_qa
from dynagrag.evaluation.qa.qa_report import render_qa_report
from dynagrag.evaluation.qa.qa_summary import qa_summary
from dynagrag.evaluation.qa.ragas_rows import LEFT_OUT, check_ragas_file, write_ragas_rows
from dynagrag.evaluation.question_sets.gold_resolver import Resolver
from dynagrag.evaluation.question_sets.question_set import EvalQuestion, GoldAnswer, Scope
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
) -> tuple[QaRun, dict[str, Any]]:
    """Runs an evaluation, or resumes one; the run's folder and its summary.

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
        snapshot = place.space.current_graph.snapshot()
        if not snapshot.passages:
            raise WorkspaceError(
                f"workspace {place.space.name!r} has no passages; ingest something first"
            )
        place.check_embedder()
        asked, known = _questions(plan, place, snapshot)
        made_with = _made_with(plan, options, place, snapshot, answering)
        run = QaRun.begin(settings.home, f"qa-{plan.loaded.name}", made_with, options.out)
        if options.ragas_rows is not None:
            check_ragas_file(options.ragas_rows, options.questions, run.path)
        with run.asking(len(asked) * len(plan.arms)):
            make_answers(
                place.space, answering, asked, plan.arms, run.file, settings, show, on_estimate
            )
            summary = _summary(run, plan, known, place)
            if options.ragas_rows is not None and (
                lost := write_ragas_rows(options.ragas_rows, run.answers(), known, snapshot)
            ):
                summary["notes"] |= {LEFT_OUT: lost}
            run.finish(summary, known)
            run.write_report(render_qa_report(run))
    return run, summary


def _questions(
    plan: QaPlan, place: EvaluatedWorkspace, snapshot: Snapshot
) -> tuple[list[AskedQuestion], list[KnownQuestion]]:
    """Each question as arms are asked it, and as it is scored and shown."""
    resolver = Resolver(snapshot, place.find)
    asked, known = [], []
    for question in plan.questions:
        document = (
            place.find(question.document)
            if plan.scope is Scope.DOCUMENT and question.document is not None
            else None
        )
        answer = question.answer or GoldAnswer()
        asked.append(
            AskedQuestion(
                id=question.id,
                text=question.text,
                scope=plan.scope,
                document=document,
                gold=resolver.gold_passage_ids(question.gold),
                is_short=is_short(answer),
            )
        )
        known.append(
            _known(
                question, answer, resolver, snapshot.documents[document].title if document else ""
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


def _made_with(
    plan: QaPlan,
    options: QaOptions,
    place: EvaluatedWorkspace,
    snapshot: Snapshot,
    answering: Answering,
) -> dict[str, Any]:
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
        "llm": answering.identity,
        "checker": wiring.chosen_checker(place.space.settings.checker, answering.model),
        "extractor": options.extractor if plan.loaded.corpus else None,
        "embedder": f"{identity.name} ({identity.dimension} dimensions)",
        "workspace": place.space.name,
        "passages": len(snapshot.passages),
        "graph": place.space.store.digest(),
        "files": {file.name: file.sha256 for file in (*plan.loaded.files, *place.files)},
        "asked": content_id(*(part for question in parts for part in question)),
        "seed": SEED,
        **pruners_made_with(place.space, plan.arms),
        **soft_made_with(place.space, plan.arms),
    }


def _summary(
    run: QaRun, plan: QaPlan, known: Sequence[KnownQuestion], place: EvaluatedWorkspace
) -> dict[str, Any]:
    """What `--json` prints."""
    wanted = {question.id: question.wanted() for question in known}
    kinds = {question.id: question.kind for question in known}
    notes = Counter(plan.loaded.notes) + Counter(place.notes)
    if missing := sum(question.num_missing for question in known):
        notes["gold that is not in the corpus, so nobody can cite it"] = missing
    if run.settings["llm"] is None:
        notes[_NOT_SHORTENED] = sum(is_short(question.wanted().answer) for question in known)
    if GOLD in plan.arm_names:
        notes[WHOLE_GOLD] = sum(is_about_whole(question) for question in plan.questions)
        notes[_NO_GOLD] = sum(
            q.is_answerable and not q.things and not is_about_whole(e)
            for q, e in zip(known, plan.questions, strict=True)
        )
    return {
        "dataset": plan.loaded.name,
        "half": run.settings["half"],
        "scope": run.settings["scope"],
        "passages": run.settings["passages"],
        "llm": run.settings["llm"],
        **qa_summary(run.answers(), wanted, kinds, plan.arm_names, plan.baseline),
        "notes": {name: count for name, count in notes.items() if count},
        "run": str(run.path),
    }
