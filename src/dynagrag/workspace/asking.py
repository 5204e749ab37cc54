"""A question's way through a workspace.

a follow-up is rewritten to stand alone -> options are resolved into a plan -> the question is
embedded, and split into its steps where that is wanted -> it is answered by the plan
(generation.answer) -> no document that the answer quotes was deleted meanwhile
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from dynagrag import wiring
from dynagrag.config.settings import Profile
from dynagrag.core.errors import SettingsError, UsageError, WorkspaceError
from dynagrag.core.protocols import Asker, ChatModel
from dynagrag.core.schema import Answer, Filters, Question, Retrieval, Vector, Verdict
from dynagrag.core.text import short
from dynagrag.generation.answer import answer_question
from dynagrag.generation.answer_plan import (
    EVERY_CLAIM,
    NOTHING_REFUSED,
    STATED_ALONE,
    AnswerPlan,
)
from dynagrag.generation.question_wording import rewrite_question, split_question
from dynagrag.generation.soft_prompt.soft_answers import SoftAnswerer, SoftSystem
from dynagrag.generation.statement_check import CheckedStatement, check_statement
from dynagrag.graph_store.rules import check_asking_embedder
from dynagrag.ingest.graph_deriver import Progress
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.registry.profiles import PAPER
from dynagrag.registry.retrievers import MakeRetriever
from dynagrag.registry.traversals import DSA_BFS
from dynagrag.retrieval.cross_encoder_search import with_reranker
from dynagrag.retrieval.filters import FILTERED
from dynagrag.retrieval.nearness import NearOrPassages
from dynagrag.workspace.current_graph import CurrentGraph
from dynagrag.workspace.filtered_views import FilteredViews
from dynagrag.workspace.option_uses import WayToAnswer, unused
from dynagrag.workspace.parts import WorkspaceParts
from dynagrag.workspace.workspace_pruner import WorkspacePruners, asked_pruner
from dynagrag.workspace.workspace_soft_prompt import WorkspaceSoftPrompts

_LOG = logging.getLogger(__name__)
MAX_QUESTION_CHARS = 10_000
"""Some 2,500 tokens: beside longer ones a small model's context has no tokens left for evidence."""

STAGES = {
    "split": "Splitting the question",
    "retrieve": "Looking for evidence",
    "answer": "Answering from each part",
    "score": "Weighing the answers",
    "merge": "Writing",
    "check": "Checking each claim",
}
"""The stages of a question that `progress` gets, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """How to answer. `is_split`: for `ask` a model splits the question first, and passages are
    ranked by its steps too (one more call). `is_strict`: what no line states is left out of the
    answer; False: nothing is; None: of a small model's answer what was checked and isn't stated,
    but under the profile `paper`. `profile`, `pruner` (what scores ego-graphs): None: the setting.
    `retriever`: None: the profile's own. `traversal`: None: dsa-bfs. `soft`: a trained system that
    answers in place of the language model, from what it retrieves itself. `is_reranked`: the
    reranker of the settings, where there is one, puts what is found in order.

    What would change nothing is refused (`option_uses`).
    """

    retriever: str | None = None
    traversal: str | None = None
    profile: str | None = None
    filters: Filters = field(default_factory=Filters)
    max_calls: int | None = None
    is_split: bool = False
    is_strict: bool | None = None
    pruner: str | None = None
    soft: str | None = None
    is_reranked: bool = True

    @property
    def way(self) -> str:
        """The name of what answers: `soft:NAME`, or the retriever, empty for the profile's own."""
        return (self.retriever or "") if self.soft is None else f"soft:{self.soft}"


@dataclass(frozen=True, slots=True)
class AnswerOverrides:
    """Parts that answer one question in place of those that its options name: for measurements,
    which compare ways to answer.

    `make_retriever` makes the retriever for this question alone. `max_concurrency`: model calls at
    once. `is_hard_alone`: the language model of the system that `soft` names answers as it is,
    before the same text and without soft tokens. `system`: what this trained system would read,
    whether one is there or not; nothing answers.
    """

    profile: Profile | None = None
    make_retriever: MakeRetriever | None = None
    max_concurrency: int | None = None
    is_hard_alone: bool = False
    system: SoftSystem | None = None


class QuestionAnswering:
    """Answers questions from a workspace's current graph. Several threads may ask at once."""

    def __init__(self, parts: WorkspaceParts, graph: CurrentGraph) -> None:
        self._parts = parts
        self._views = FilteredViews(parts, graph)
        self._pruners = WorkspacePruners(parts.settings, parts.name)
        self._soft_prompts = WorkspaceSoftPrompts(parts.settings, parts.name)

    def ask(
        self,
        text: str,
        options: AskOptions,
        history: Sequence[tuple[str, str]] = (),
        on_text: Callable[[str], None] | None = None,
        progress: Progress | None = None,
        chat_model: ChatModel | None = None,
    ) -> Answer:
        """Answers with the given model, else the workspace's; as `Workspace.ask` has it."""
        _check_question(text)
        chat = self._parts.metered(options.max_calls, model=chat_model)
        self.unused_options(options, chat)
        if options.is_split and chat is None:
            raise SettingsError(
                "a model splits the question; name one, e.g. --llm openai:NAME or --llm qwen, or"
                " ask it whole"
            )
        if chat is not None and history:
            text = rewrite_question(chat, history, text)
        return self.answer(text, options, chat, on_text=on_text, progress=progress)

    def check(
        self, text: str, filters: Filters | None = None, max_calls: int | None = None
    ) -> CheckedStatement:
        """Holds a text against the lines inside the filters; as `Workspace.check` has it."""
        _check_question(text, "text")
        chat = self._parts.metered(max_calls)
        return check_statement(text, self.plan(AskOptions(filters=filters or Filters()), chat))

    def answer(
        self,
        text: str,
        options: AskOptions,
        chat: MeteredChat | None,
        overrides: AnswerOverrides | None = None,
        on_text: Callable[[str], None] | None = None,
        progress: Progress | None = None,
    ) -> Answer:
        """Answers a question that stands alone with a model whose cache and budget are the
        caller's, as evaluations do; without `chat`, with the evidence that an answer would rest on.
        """
        plan = self.plan(options, chat, overrides)
        question = Question(text, self.query_vector(text))
        if options.is_split and chat is not None:
            if progress:
                progress("split", 0, 1)
            question = self.split(question, chat)
            steps = " / ".join(step.text for step in question.steps)
            note = f"split into: {steps}" if steps else "the model found no steps in it"
            plan = replace(plan, notes=(*plan.notes, note))
        answer = answer_question(question, plan, on_text, progress)
        self._check_not_deleted(plan, answer)
        return answer

    def plan(
        self,
        options: AskOptions,
        chat: MeteredChat | None,
        overrides: AnswerOverrides | None = None,
    ) -> AnswerPlan:
        """The plan of the options with these settings, this model and this workspace.

        Raises UsageError for a name that is none, SettingsError where a model or a library is
        missing, LoadError for what is no checkpoint, WorkspaceError where there is nothing to
        retrieve from.
        """
        overrides = overrides or AnswerOverrides()
        self._parts.embedder.follow()
        parts, settings = self._parts, self._parts.settings
        way = self._answering(options, chat, overrides)
        unused_notes = tuple(unused(options, settings, way))
        retriever_name, profile, soft = way.retriever, way.profile, None
        if options.soft is not None:
            soft = self._soft_prompts.chosen(options.soft, parts.models.embedder.identity)
            soft = soft.hard_alone() if overrides.is_hard_alone else soft
        traversal = wiring.make_traversal(options.traversal or DSA_BFS, profile)
        view, retriever = self._views.open(
            options.filters, retriever_name, profile, overrides.make_retriever
        )
        if way.reads_subgraphs and overrides.make_retriever is None:
            retriever = NearOrPassages(retriever, view.passages)
        reranker = parts.models.reranker if options.is_reranked else None
        retriever = with_reranker(retriever, reranker, view.snapshot)
        is_pruned = way.brings_subgraphs
        pruner_name = asked_pruner(
            settings, options.pruner, profile.name, retriever_name, is_pruned
        )
        # a pruner must fit the workspace's vectors; that the embedder is theirs is found out by
        # embedding the question, since a server's identity is known by its first reply
        embedder = parts.store.embedder() or parts.models.embedder.identity
        pruner = self._pruners.chosen(
            pruner_name,
            embedder,
            is_pruned,
            view.snapshot.version.removesuffix(FILTERED),
            needs_proof=profile.name != PAPER,
        )
        # a trained system asks the model nothing: all its calls are the checker's
        has_prompts_of_subgraphs = is_pruned and soft is None
        planned_profile, budget_notes = self._within_calls(
            profile, options, chat, has_prompts_of_subgraphs
        )
        return AnswerPlan(
            view=view,
            profile=planned_profile,
            retriever=retriever,
            pruner=pruner.pruner,
            traversal=traversal,
            embedder=parts.models.embedder,
            checker=wiring.make_checker(
                "rules" if overrides.system else settings.checker, chat, settings
            ),
            chat=chat,
            soft=soft,
            reranker=reranker,
            max_concurrency=overrides.max_concurrency
            or wiring.concurrency_of(chat.model if chat else None, settings),
            kept_claims=_kept_claims(options, profile, chat),
            notes=(
                *pruner.notes,
                *unused_notes,
                *budget_notes,
                *(self._soft_notes(soft, overrides, options, pruner_name) if soft else ()),
            ),
        )

    def retrieve(
        self, text: str, options: AskOptions | None = None, num_passages: int = 10
    ) -> Retrieval:
        """Evidence for a question, without a language model. UsageError for options that only an
        answer has.
        """
        options = options or AskOptions()
        for name in ("traversal", "pruner", "soft", "is_split", "is_strict", "max_calls"):
            if getattr(options, name):
                raise UsageError(
                    f"{name} would change nothing: it is of answers, and evidence alone is"
                    " retrieved; leave it out, or use `ask`"
                )
        way = self._answering(options, None)
        for note in unused(options, self._parts.settings, way):
            _LOG.warning("%s", note)
        profile = way.profile
        view, retriever = self._views.open(options.filters, way.retriever, profile)
        reranker = self._parts.models.reranker if options.is_reranked else None
        if way.brings_subgraphs:
            retriever = NearOrPassages(retriever, view.passages)
        retriever = with_reranker(retriever, reranker, view.snapshot)
        question = Question(text, self.query_vector(text))
        return retriever.retrieve(
            question, num_passages=num_passages, num_subgraphs=profile.num_subgraphs
        )

    def split(self, question: Question, chat: MeteredChat) -> Question:
        """The question with the steps that a model splits it into."""
        steps = split_question(chat, question.text)
        embedder = self._parts.models.embedder
        return replace(
            question, steps=tuple(Question(step, embedder.embed_query(step)) for step in steps)
        )

    def query_vector(self, text: str) -> Vector:
        """A question's vector (d,), to be compared with those of this workspace.

        EmbedderMismatchError where another embedder made these.
        """
        self._parts.embedder.follow()
        store, embedder = self._parts.store, self._parts.models.embedder
        vector = embedder.embed_query(text)  # a server's identity is known by its first reply
        check_asking_embedder(store.workspace, store.embedder(), embedder.identity)
        self._parts.embedder.remember()
        return vector

    def pruner_identity(self, name: str | None = None) -> str:
        """The identity of the pruner called so, else of the one in the settings: the name of an
        untrained one, a checkpoint's digest.

        Raises UsageError for a name that is none and where there is no trained pruner, LoadError
        for what is no checkpoint.
        """
        return self._pruners.identity(name or self._parts.settings.pruner)

    def unused_options(
        self, options: AskOptions, chat: Asker | ChatModel | None
    ) -> tuple[str, ...]:
        """A sentence for each choice, and each setting, that would change nothing for a question
        with these options. UsageError for one that the options name (`option_uses`).
        """
        return tuple(unused(options, self._parts.settings, self._answering(options, chat)))

    def _answering(
        self,
        options: AskOptions,
        chat: Asker | ChatModel | None,
        overrides: AnswerOverrides | None = None,
    ) -> WayToAnswer:
        system = overrides.system if overrides else None
        if options.soft is not None or system is not None:
            soft = system or self._soft_prompts.system_of(options.soft or "")
            return WayToAnswer(soft.retriever, soft.profile, soft=soft, has_model=chat is not None)
        profile = (overrides and overrides.profile) or wiring.make_profile(
            options.profile or self._parts.settings.profile, chat
        )
        retriever = wiring.retriever_name(options.retriever, profile)
        return WayToAnswer(retriever, profile, options.retriever, has_model=chat is not None)

    def _within_calls(
        self, profile: Profile, options: AskOptions, chat: MeteredChat | None, has_subgraphs: bool
    ) -> tuple[Profile, list[str]]:
        """The profile with no more prompts than the calls that are allowed, and a note on that:
        steps, scores, the merge and perhaps the checker need theirs too.
        """
        if chat is None or options.max_calls is None or chat.calls_left is None:
            return profile, []
        if not (profile.num_spread or has_subgraphs):
            return profile, []  # one prompt
        checker = wiring.chosen_checker(self._parts.settings.checker, chat)
        num_others = 2 + wiring.asks_model(checker) + options.is_split
        num_prompts = max(1, chat.calls_left - num_others)
        if num_prompts >= profile.num_prompts:
            return profile, []
        note = (
            f"{num_prompts} of {profile.num_prompts} parts at most were read, since --max-calls"
            f" {options.max_calls} has room for no more"
        )
        if profile.num_spread:
            return replace(profile, num_spread=num_prompts), [note]
        num_plain = profile.num_prompts - profile.num_subgraphs
        return replace(profile, num_subgraphs=num_prompts - num_plain), [note]

    def _soft_notes(
        self, soft: SoftAnswerer, overrides: AnswerOverrides, options: AskOptions, pruner: str
    ) -> list[str]:
        """That a trained system answers, and whether it learned from prompts that another pruner
        than this question's scored.
        """
        if overrides.is_hard_alone:
            return [f"answered by {soft.label}, without soft tokens"]
        notes = [f"answered by {soft.label}, a trained soft prompt"]
        if self._soft_prompts.pruner_of(options.soft or "") != self._pruners.identity(pruner):
            notes.append(
                f"{options.soft} was trained on prompts that another pruner scored; train it again,"
                " or ask with the same --pruner"
            )
            _LOG.warning("%s", notes[-1])
        return notes

    def _check_not_deleted(self, plan: AnswerPlan, answer: Answer) -> None:
        """A document that was deleted while a question was being answered leaves neither the answer
        nor the replies to its prompts.
        """
        store = self._parts.store
        if store.version() == plan.view.snapshot.version.removesuffix(FILTERED):
            return
        gone = set(answer.trace.document_ids.values()) - {d.id for d in store.documents()}
        if gone:
            self._parts.journal.forget_documents(gone)
            raise WorkspaceError(
                "a document that this answer quotes was deleted meanwhile; ask again"
            )


def _kept_claims(
    options: AskOptions, profile: Profile, chat: MeteredChat | None
) -> frozenset[Verdict]:
    """Verdicts of the claims that an answer keeps. A small model errs so often that what rules
    looked for and didn't find is no part of its answer; the paper's answer stands as it is.
    """
    if options.is_strict:
        return STATED_ALONE
    is_by_small_model = chat is not None and chat.model.is_small and options.soft is None
    if options.is_strict is None and is_by_small_model and profile.name != PAPER:
        return NOTHING_REFUSED
    return EVERY_CLAIM


def _check_question(text: str, what: str = "question") -> None:
    if not text.strip():
        raise UsageError(f"the {what} is empty")
    if not any(map(str.isalnum, text)):
        raise UsageError(f"the {what} has no word: {short(text)}; write what you want to know")
    if len(text) > MAX_QUESTION_CHARS:
        raise UsageError(
            f"the {what} has {len(text):,} characters, and {MAX_QUESTION_CHARS:,} at most are"
            " asked; put what it is about into a file and `dynagrag ingest` it"
        )
