"""The making of a file of questions, from its options to the file."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import (
    DynaGragError,
    ModelError,
    SettingsError,
    UsageError,
    WorkspaceError,
)
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.questions.document_splits import SHARES, document_splits
from dynagrag.evaluation.questions.drafts import SplitSayings
from dynagrag.evaluation.questions.made_question import QuestionKind
from dynagrag.evaluation.questions.model_questions import QuestionWriter, Written
from dynagrag.evaluation.questions.question_cost import QuestionCost, question_cost
from dynagrag.evaluation.questions.question_file import (
    check_writable,
    content_hash,
    path_for,
    write_questions,
)
from dynagrag.evaluation.questions.question_writing import WRITABLE
from dynagrag.evaluation.questions.record_questions import record_questions
from dynagrag.evaluation.questions.sayings import Sayings
from dynagrag.ingest.pipeline import Progress
from dynagrag.models.reply_room import typical_thoughts
from dynagrag.workspace.facade import Workspace, open_workspace

NUM = 100
"""Questions by default: enough to tell arms apart that differ by ten points."""
_NUM_SEARCHED = 5
"""Passages in which an unanswerable question must not be answered."""
NO_LLM_TO_WRITE = (
    "a language model writes the questions; name one, e.g. --llm openai:NAME or --llm qwen, or take"
    " --by records"
)
NOTHING_OF: Mapping[QuestionKind, str] = {
    QuestionKind.SPECIFIC: "no speaker says something about a thing of the graph",
    QuestionKind.TWO_HOP: "no thing of the graph is named in lines of two passages",
    QuestionKind.COMPARISON: (
        "no two speakers, or documents, say something about one thing of the graph"
    ),
    QuestionKind.THEMATIC: "no thing of the graph is named in three passages",
    QuestionKind.UNANSWERABLE: "no speaker surely leaves a thing of the graph unnamed",
    QuestionKind.CLOZE: "no line names a thing of the graph, a number, or one of several speakers",
}


class By(StrEnum):
    """Maker of the questions."""

    RECORDS = "records"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """Options: `num` questions of these kinds from a workspace, into the file `out`.

    By default a model makes them where one is configured, of all kinds that it can write; else all
    kinds are made of records.
    """

    out: Path
    workspace: str | None = None
    num: int = NUM
    kinds: tuple[QuestionKind, ...] = ()
    by: By | None = None
    seed: int = SEED
    max_calls: int | None = None
    is_forced: bool = False


def make_questions(
    settings: Settings,
    options: QuestionOptions,
    progress: Progress | None = None,
    on_cost: Callable[[QuestionCost], None] | None = None,
) -> dict[str, Any]:
    """Makes the questions and writes them; what `--json` prints. `on_cost` is told what a model
    will take, before it is asked.

    Raises UsageError where a file stands in the way, SettingsError where a model is wanted and none
    is configured, WorkspaceError where there is nothing to ask about, ModelError and BudgetError
    where a model gave no question at all.
    """
    options = _checked(options, settings)
    before = content_hash(options.out)
    with open_workspace(options.workspace, settings=settings, create=False) as space:
        if not space.store.documents():
            raise WorkspaceError(
                f"workspace {space.name!r} is empty; add something first: `dynagrag ingest PATH`"
            )
        sayings = Sayings(space.current_graph.snapshot())
        if not sayings.every:
            raise WorkspaceError(
                f"workspace {space.name!r} has no whole sentence to ask about; ingest something"
                " that has"
            )
        evidence = SplitSayings(
            sayings,
            document_splits(Counter(saying.document_id for saying in sayings.every), options.seed),
        )
        if options.by is By.MODEL:
            written = _by_model(space, evidence, options, progress or (lambda *_: None), on_cost)
        else:
            written = Written(*record_questions(evidence, options.kinds, options.num, options.seed))
        if not written.questions:
            raise _nothing(space.name, options, written)
        summary = _summary(space, evidence, options, written)
    out = path_for(options.out, before)
    summary |= {"file": str(out), "edited": "" if out == options.out else str(options.out)}
    write_questions(
        out,
        written.questions,
        summary | {"version": evidence.sayings.snapshot.version, "dynagrag": version("dynagrag")},
    )
    return summary


def _checked(options: QuestionOptions, settings: Settings) -> QuestionOptions:
    """The options with what they leave open."""
    by = options.by or (By.MODEL if settings.llm else By.RECORDS)
    kinds = options.kinds or (WRITABLE if by is By.MODEL else tuple(QuestionKind))
    if by is By.MODEL and not settings.llm:
        raise SettingsError(NO_LLM_TO_WRITE)
    if by is By.MODEL and QuestionKind.CLOZE in kinds:
        raise UsageError(
            "clozes are made of records, not by a model; leave cloze out of --kinds, or make them"
            " with --by records"
        )
    if by is By.RECORDS and options.max_calls is not None:
        raise UsageError("--max-calls is for --by model; questions of records ask none")
    check_writable(options.out, options.is_forced)
    return replace(options, by=by, kinds=kinds)


def _by_model(
    space: Workspace,
    evidence: SplitSayings,
    options: QuestionOptions,
    progress: Progress,
    on_cost: Callable[[QuestionCost], None] | None,
) -> Written:
    chat = space.parts.metered(options.max_calls)
    if chat is None:
        raise SettingsError(NO_LLM_TO_WRITE)
    checker = wiring.chosen_checker(space.settings.checker, chat)
    writer = QuestionWriter(
        evidence,
        chat,
        wiring.make_checker(checker, chat, space.settings),
        lambda question: space.questions.retrieve(question, num_passages=_NUM_SEARCHED).passages,
        wiring.concurrency_of(chat.model, space.settings),
        progress,
    )
    if on_cost:
        cost = question_cost(
            evidence,
            options.kinds,
            options.num,
            options.seed,
            wiring.asks_model(checker),
            space.settings,
            typical_thoughts(chat.model),
        )
        on_cost(cost)
        if (pace := writer.seconds_per_token(options.kinds[0], options.seed)) is not None:
            on_cost(replace(cost, seconds=pace * cost.prompt_tokens / writer.num_at_once))
    written = writer.write(options.kinds, options.num, options.seed)
    return replace(written, usage=chat.usage())


def _nothing(workspace: str, options: QuestionOptions, written: Written) -> DynaGragError:
    """Why there is no question."""
    if written.stopped:
        return ModelError(f"no question was made: {written.stopped}")
    if written.drops:
        reasons = "; ".join(f"{count} x {reason}" for reason, count in written.drops.most_common())
        return ModelError(
            f"no question passed its checks: {reasons}; try another model or seed, or --by records"
        )
    return WorkspaceError(
        f"workspace {workspace!r} gives no question:"
        f" {'; '.join(NOTHING_OF[kind] for kind in options.kinds)}"
    )


def _summary(
    space: Workspace, evidence: SplitSayings, options: QuestionOptions, written: Written
) -> dict[str, Any]:
    kinds = Counter(question.kind for question in written.questions)
    splits = Counter(question.split for question in written.questions)
    documents = Counter(evidence.splits.values())
    return {
        "workspace": space.name,
        "questions": len(written.questions),
        "wanted": options.num,
        "kinds": {kind.value: kinds[kind] for kind in options.kinds},
        "none_of": {
            kind.value: NOTHING_OF[kind]
            for kind in options.kinds
            if not kinds[kind] and options.by is By.RECORDS
        },
        "splits": {
            split.value: {"documents": documents[split], "questions": splits[split]}
            for split in SHARES
        },
        "left_out": dict(written.drops.most_common()),
        "made_by": written.questions[0].made_by,
        "calls": written.usage.calls,
        "calls_cached": written.usage.cached,
        "prompt_tokens": written.usage.prompt_tokens,
        "completion_tokens": written.usage.completion_tokens,
        "stopped": written.stopped,
        "seed": options.seed,
    }
