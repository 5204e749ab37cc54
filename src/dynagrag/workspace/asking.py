"""A question's way through a workspace.

a follow-up is rewritten to stand alone -> it is embedded, and split into its steps where that is
wanted -> evidence, prompts, intermediate answers and the merged one (generation.answer) -> no
document that it quotes was deleted meanwhile
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import RLock

from dynagrag import wiring
from dynagrag.config.settings import Profile
from dynagrag.core.errors import SettingsError, UsageError, WorkspaceError
from dynagrag.core.protocols import ChatModel, Retriever
from dynagrag.core.schema import Answer, Filters, Question, Retrieval, Snapshot, Vector
from dynagrag.generation.answer import Parts, answer_question
from dynagrag.generation.lines.line_index import LineIndex
from dynagrag.generation.question_wording import rewrite_question, split_question
from dynagrag.generation.soft_prompt.soft_answers import SoftAnswerer
from dynagrag.generation.spread import with_calls
from dynagrag.graph_store.rules import check_asking_embedder
from dynagrag.ingest.graph_deriver import Progress
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.retrieval.filters import FILTERED, apply_filters
from dynagrag.retrieval.passages import PassageScores
from dynagrag.workspace.current_graph import CurrentGraph
from dynagrag.workspace.parts import WorkspaceParts
from dynagrag.workspace.workspace_pruner import WorkspacePruners, asked_pruner
from dynagrag.workspace.workspace_soft_prompt import WorkspaceSoftPrompts

_LOG = logging.getLogger(__name__)
MAX_QUESTION_CHARS = 10_000
"""Some 2,500 tokens: beside longer ones evidence has no room in a small model's context."""

STAGES = {
    "split": "Splitting the question",
    "retrieve": "Looking for evidence",
    "answer": "Answering from each part",
    "score": "Weighing the answers",
    "merge": "Writing",
    "check": "Checking each claim",
}
"""What `progress` is told of a question, in words."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How to answer. `is_split`: for `ask` a model splits the question first, and passages are
    ranked by its steps too (one more call). `is_strict`: what no line states is left out of the
    answer. `pruner`: what scores ego-graphs; None: the setting. `soft`: a trained system that
    answers in place of the language model, from what it retrieves itself.
    """

    retriever: str = "dynagrag"
    traversal: str = "dsa-bfs"
    profile: str = "default"
    filters: Filters = field(default_factory=Filters)
    max_calls: int | None = None
    is_split: bool = False
    is_strict: bool = False
    pruner: str | None = None
    soft: str | None = None

    @property
    def way(self) -> str:
        """What answers by this: `soft:NAME`, or the retriever."""
        return self.retriever if self.soft is None else f"soft:{self.soft}"


@dataclass(frozen=True, slots=True)
class Instead:
    """What one question is answered with in place of what its options name: for measurements, which
    compare ways to answer.

    `make_retriever` makes the retriever for this question alone. `max_concurrency`: model calls at
    once. `is_hard_alone`: the language model of the system that `soft` names answers as it is,
    before the same text and without soft tokens.
    """

    profile: Profile | None = None
    make_retriever: wiring.MakeRetriever | None = None
    max_concurrency: int | None = None
    is_hard_alone: bool = False


@dataclass(frozen=True, slots=True)
class _Inside:
    """What is inside some filters, and the retrievers over it: what questions with the same filters
    share.
    """

    snapshot: Snapshot
    passages: PassageScores
    lines: LineIndex
    retrievers: dict[tuple[str, Profile], Retriever] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _ReadyRetriever:
    """A retriever over what is inside the filters."""

    inside: _Inside
    retriever: Retriever
    profile: Profile


_MAX_FILTERED = 4
"""How many filters' parts of a workspace are kept for the next question, the last ones asked: each
has a graph and indexes of its own.
"""


class QuestionAnswering:
    """Answers questions from a workspace's current graph. Several threads may ask at once."""

    def __init__(self, parts: WorkspaceParts, graph: CurrentGraph) -> None:
        self._parts = parts
        self._graph = graph
        self._pruners = WorkspacePruners(parts.settings, parts.name)
        self._soft_prompts = WorkspaceSoftPrompts(parts.settings, parts.name)
        self._reading = RLock()
        self._insides: dict[Filters, _Inside] = {}
        self._version = ""

    def retrieve(self, text: str, options: AskOptions, num_passages: int) -> Retrieval:
        """Evidence for a question, without a language model."""
        ready = self._ready_retriever(options)
        question = Question(text, self.query_vector(text))
        return ready.retriever.retrieve(
            question, num_passages=num_passages, num_subgraphs=ready.profile.num_subgraphs
        )

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
        if options.is_split:
            _check_can_split(options, chat)
        if chat is not None and history:
            text = rewrite_question(chat, history, text)
        return self.answer(text, options, chat, on_text, progress)

    def answer(
        self,
        text: str,
        options: AskOptions,
        chat: MeteredChat | None,
        on_text: Callable[[str], None] | None = None,
        progress: Progress | None = None,
        instead: Instead | None = None,
    ) -> Answer:
        """Answers a question that stands alone; without `chat`, with the evidence that an answer
        would rest on.
        """
        instead = instead or Instead()
        soft = (
            None
            if options.soft is None
            else self._soft_prompts.chosen(options.soft, self._parts.models.embedder.identity)
        )
        if soft is not None:
            soft = soft.hard_alone() if instead.is_hard_alone else soft
            options, instead = (
                replace(options, retriever=soft.system.retriever),
                replace(instead, profile=soft.system.profile),
            )
        ready = self._ready_retriever(options, chat, instead)
        inside, question = ready.inside, Question(text, self.query_vector(text))
        is_pruned = wiring.brings_subgraphs(options.retriever, ready.profile)
        pruner = asked_pruner(
            self._parts.settings, options.pruner, ready.profile.name, options.retriever, is_pruned
        )
        chosen = self._pruners.chosen(
            pruner,
            self._parts.models.embedder.identity,
            is_pruned,
            inside.snapshot.version.removesuffix(FILTERED),
        )
        profile, room = self._within(ready.profile, options, chat)
        made_with = Parts(
            retriever=ready.retriever,
            passages=inside.passages,
            pruner=chosen.pruner,
            traversal=wiring.make_traversal(options.traversal, ready.profile),
            embedder=self._parts.models.embedder,
            chat=chat,
            checker=wiring.make_checker(self._parts.settings.checker, chat, self._parts.settings),
            profile=profile,
            lines=inside.lines,
            soft=soft,
            max_concurrency=instead.max_concurrency
            or wiring.concurrency_of(chat.model if chat else None, self._parts.settings),
        )
        notes = [*chosen.notes, *room, *self._of_soft(soft, instead, options, pruner)]
        if options.is_split and chat is not None:
            if progress:
                progress("split", 0, 1)
            question = self.split(question, chat)
            steps = " / ".join(step.text for step in question.steps)
            notes += [f"split into: {steps}" if steps else "the model found no steps in it"]
        answer = answer_question(
            inside.snapshot, question, made_with, on_text, progress, notes, options.is_strict
        )
        self._check_not_deleted(inside.snapshot, answer)
        return answer

    def _of_soft(
        self, soft: SoftAnswerer | None, instead: Instead, options: AskOptions, pruner: str
    ) -> list[str]:
        """That a trained system answers, and whether it learned from prompts that another pruner
        than this question's scored.
        """
        if soft is None:
            return []
        if instead.is_hard_alone:
            return [f"answered by {soft.label}, without soft tokens"]
        notes = [f"answered by {soft.label}, a trained soft prompt"]
        if self._soft_prompts.pruner_of(options.soft or "") != self._pruners.identity(pruner):
            notes.append(
                f"{options.soft} was trained on prompts that another pruner scored; train it again,"
                " or ask with the same --pruner"
            )
            _LOG.warning("%s", notes[-1])
        return notes

    def _within(
        self, profile: Profile, options: AskOptions, chat: MeteredChat | None
    ) -> tuple[Profile, list[str]]:
        """The profile with no more prompts than the calls that are allowed, and what to say of
        that: scores, the merge and perhaps the checker need theirs too.
        """
        if chat is None or options.max_calls is None:
            return profile, []
        asks_checker = wiring.asks_model(wiring.chosen_checker(self._parts.settings.checker, chat))
        within = with_calls(profile, chat.calls_left, 2 + asks_checker)
        if within == profile:
            return profile, []
        parts = f"{within.num_spread} of {profile.num_spread} parts at most"
        return within, [
            f"{parts} were read, since --max-calls {options.max_calls} has room for no more"
        ]

    def pruner_identity(self, name: str | None = None) -> str:
        """As `Workspace.pruner_identity` has it."""
        return self._pruners.identity(name or self._parts.settings.pruner)

    def split(self, question: Question, chat: MeteredChat) -> Question:
        """The question with the steps that a model splits it into."""
        steps = split_question(chat, question.text)
        embedder = self._parts.models.embedder
        return replace(
            question, steps=tuple(Question(step, embedder.embed_query(step)) for step in steps)
        )

    def query_vector(self, text: str) -> Vector:
        """As `Workspace.query_vector` has it."""
        store, embedder = self._parts.store, self._parts.models.embedder
        vector = embedder.embed_query(text)  # a server's identity is known by its first reply
        check_asking_embedder(store.workspace, store.embedder(), embedder.identity)
        return vector

    def _ready_retriever(
        self, options: AskOptions, chat: MeteredChat | None = None, instead: Instead | None = None
    ) -> _ReadyRetriever:
        """The retriever asked for, kept until the store changes. WorkspaceError where there is
        nothing to retrieve from.
        """
        instead = instead or Instead()
        profile = instead.profile or wiring.make_profile(options.profile, chat)
        with self._reading:
            inside = self._inside(options.filters)
            snapshot, key = inside.snapshot, (options.retriever, profile)
            make_index = partial(self._graph.index, snapshot)
            if instead.make_retriever is not None:
                retriever = instead.make_retriever(snapshot, profile, inside.passages, make_index)
            else:
                if key not in inside.retrievers:
                    inside.retrievers[key] = wiring.make_retriever(
                        options.retriever, snapshot, profile, inside.passages, make_index
                    )
                retriever = inside.retrievers[key]
        self._check_not_empty(snapshot)
        return _ReadyRetriever(inside, retriever, profile)

    def _inside(self, filters: Filters) -> _Inside:
        """What is inside the filters, read once per version of the store; of filters that hold
        something back, the last few are kept.
        """
        whole = self._graph.snapshot()
        if self._version != whole.version:
            self._insides.clear()
            self._version = whole.version
        found = self._insides.pop(filters, None)
        if found is None:
            snapshot = apply_filters(whole, self._parts.store, filters)
            passages = PassageScores(snapshot)
            found = _Inside(snapshot, passages, LineIndex(passages))
        self._insides[filters] = found
        filtered = [key for key in self._insides if not key.is_empty]
        for key in filtered[:-_MAX_FILTERED]:
            del self._insides[key]
        return found

    def _check_not_empty(self, snapshot: Snapshot) -> None:
        if not self._parts.store.documents():
            raise WorkspaceError(
                f"workspace {self._parts.name!r} is empty; add something first: `dynagrag ingest"
                " PATH`"
            )
        if not snapshot.passages:
            raise WorkspaceError(
                "nothing is inside these filters, or the ingest did not get as far as embedding;"
                " widen them or run it again"
            )

    def _check_not_deleted(self, snapshot: Snapshot, answer: Answer) -> None:
        """A document that was deleted while a question was being answered leaves neither the answer
        nor the replies to its prompts.
        """
        if self._parts.store.version() == snapshot.version.removesuffix(FILTERED):
            return
        gone = set(answer.trace.document_ids.values()) - {
            d.id for d in self._parts.store.documents()
        }
        if gone:
            self._parts.journal.forget_documents(gone)
            raise WorkspaceError(
                "a document that this answer quotes was deleted meanwhile; ask again"
            )


def _check_question(text: str) -> None:
    if not text.strip():
        raise UsageError("the question is empty")
    if len(text) > MAX_QUESTION_CHARS:
        raise UsageError(
            f"the question has {len(text):,} characters, and {MAX_QUESTION_CHARS:,} at most are"
            " asked; put what it is about into a file and `dynagrag ingest` it"
        )


def _check_can_split(options: AskOptions, chat: MeteredChat | None) -> None:
    if options.soft is not None:
        raise UsageError(
            "a trained system reads a question whole; leave out --split-question, or --soft"
        )
    if not wiring.can_split(options.retriever, options.profile):
        raise UsageError(
            "a question can be split for dynagrag, dynagrag-cosine (profile default) and"
            f" bridge-ppr, not for {options.retriever} under the profile {options.profile}"
        )
    if chat is None:
        raise SettingsError(
            "a model splits the question; name one, e.g. --llm openai:NAME or --llm qwen, or ask it"
            " whole"
        )
