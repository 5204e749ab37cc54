"""The arms of an evaluation of answers by name: each is a way from a question to an answer, through
the code that `ask` uses.

All arms that are shown evidence have the same room for it: as many tokens as the prompts of
`default` hold together. `global` alone has more, since it asks about a whole.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import PROFILES, Profile
from dynagrag.core.errors import UsageError
from dynagrag.core.protocols import Retriever
from dynagrag.core.schema import Answer, Filters, Snapshot
from dynagrag.evaluation.answers.closed_book import closed_book_answer
from dynagrag.evaluation.answers.control_searches import (
    CrossEncoderScorer,
    GoldSearch,
    RerankedSearch,
    Scorer,
)
from dynagrag.evaluation.retrieval.prompt_arms import with_equal_room
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.registry.choices import Use, names_for
from dynagrag.registry.pruners import PRUNERS
from dynagrag.registry.retrievers import RETRIEVERS, MakeIndex, MakeRetriever
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.plain_search import HybridSearch
from dynagrag.workspace.asking import AnswerOverrides, AskOptions
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.workspace_soft_prompt import soft_identity

CLOSED_BOOK, GOLD, RERANK, PRUNER, SOFT, HARD = (
    "closed-book",
    "gold",
    "rerank",
    "pruner",
    "soft",
    "hard",
)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as arms are asked it. `documents`: the ids of those that alone are searched;
    empty: all. `gold`: ids of the passages that answer it. `is_short`: whether the answer is wanted
    in a few words too.
    """

    id: str
    text: str
    scope: str = "corpus"
    documents: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    is_short: bool = False

    @property
    def filters(self) -> Filters:
        """The filters of the search."""
        return Filters(documents=self.documents)


Flow = Callable[[Workspace, AskedQuestion, MeteredChat | None], Answer]
"""From a question to an answer: of the workspace that is asked, and a model whose calls are counted
for this question alone; None only for an arm that doesn't need one.
"""


@dataclass(frozen=True, slots=True)
class AnswerArm:
    """An arm by its name. `pruner`: the one that it names; None: that of the settings. `soft`: the
    trained soft prompt whose language model answers, in place of the one that all other arms share.
    """

    name: str
    flow: Flow
    pruner: str | None = None
    soft: str | None = None

    @property
    def needs_model(self) -> bool:
        """Whether the language model that all other arms share answers. Where there is one, answers
        of any arm are checked and shortened by it.
        """
        return self.soft is None


@dataclass(frozen=True, slots=True)
class _FlowRow:
    """One line on what an arm is, and its way to an answer."""

    what: str
    flow: Flow


def _equal_profile(name: str, chat: MeteredChat | None) -> Profile:
    """The profile for this model, with the room that `default` has in its prompts, and in those
    that score and merge.
    """
    default = PROFILES["default"]
    equal = with_equal_room(wiring.make_profile(name, chat))
    return replace(
        equal,
        judge_token_budget=default.judge_token_budget,
        merge_token_budget=default.merge_token_budget,
    )


def _asking(
    profile: str = "default",
    retriever: str | None = None,
    traversal: str | None = None,
    pruner: str | None = None,
) -> Flow:
    """As `ask` answers with these options."""

    def flow(space: Workspace, question: AskedQuestion, chat: MeteredChat | None) -> Answer:
        options = AskOptions(
            retriever=retriever,
            traversal=traversal,
            profile=profile,
            pruner=pruner,
            filters=question.filters,
        )
        return space.questions.answer(
            question.text,
            options,
            chat,
            AnswerOverrides(profile=_equal_profile(profile, chat), max_concurrency=1),
        )

    return flow


def _in_parts(retriever: str) -> Flow:
    """As `ask` answers from the passages of a plain search, but dealt to as many prompts as others
    have, which are merged.
    """

    def flow(space: Workspace, question: AskedQuestion, chat: MeteredChat | None) -> Answer:
        default = PROFILES["default"]
        overrides = AnswerOverrides(
            replace(default, num_dealt=default.num_prompts), max_concurrency=1
        )
        return space.questions.answer(
            question.text,
            AskOptions(profile="default", retriever=retriever, filters=question.filters),
            chat,
            overrides,
        )

    return flow


def _with_search(make: Callable[[AskedQuestion], MakeRetriever]) -> Flow:
    """As `ask` answers from the passages of a search that only evaluations have."""

    def flow(space: Workspace, question: AskedQuestion, chat: MeteredChat | None) -> Answer:
        overrides = AnswerOverrides(PROFILES["default"], make(question), max_concurrency=1)
        return space.questions.answer(
            question.text,
            AskOptions(profile="default", filters=question.filters),
            chat,
            overrides,
        )

    return flow


def _with_own_room(profile: str) -> Flow:
    """As `ask` answers under a profile that needs more room than the others have: what it takes is
    told by its cost.
    """

    def flow(space: Workspace, question: AskedQuestion, chat: MeteredChat | None) -> Answer:
        return space.questions.answer(
            question.text,
            AskOptions(profile=profile, filters=question.filters),
            chat,
            AnswerOverrides(max_concurrency=1),
        )

    return flow


def _soft(name: str, is_hard_alone: bool) -> Flow:
    """As `ask --soft` answers; with `is_hard_alone` without its soft tokens."""

    def flow(space: Workspace, question: AskedQuestion, chat: MeteredChat | None) -> Answer:
        options = AskOptions(soft=name, filters=question.filters)
        return space.questions.answer(
            question.text,
            options,
            chat,
            AnswerOverrides(is_hard_alone=is_hard_alone, max_concurrency=1),
        )

    return flow


def _gold(question: AskedQuestion) -> MakeRetriever:
    return lambda snapshot, profile, passages, make_index: GoldSearch(snapshot, question.gold)


def _closed_book(space: Workspace, question: AskedQuestion, chat: MeteredChat | None) -> Answer:
    assert chat is not None, "the arm needs a model"
    return closed_book_answer(chat, question.text)


_ROWS: Mapping[str, _FlowRow] = {
    "default": _FlowRow("the project's default for the model", _asking()),
    "graph": _FlowRow(
        "a few lines of ego-graphs above the passages, in up to 5 prompts", _asking("graph")
    ),
    "paper": _FlowRow("DynaGRAG by the letter, with the room of the others", _asking("paper")),
    "global": _FlowRow(
        "many passages of many stretches, answered part by part, with more room than the others",
        _with_own_room("global"),
    ),
    "dsa-diverse": _FlowRow(
        "diverse ego-graphs, walked near the question first (arm A of DynaGRAG's experiment)",
        _asking("paper"),
    ),
    "bfs-diverse": _FlowRow(
        "diverse ego-graphs, walked level by level (arm B)", _asking("paper", traversal="bfs")
    ),
    "bfs-cosine": _FlowRow(
        "ego-graphs by cosine, walked level by level (arm C)",
        _asking("paper", "dynagrag-cosine", "bfs"),
    ),
    "naive-parts": _FlowRow(
        "the passages of naive in as many prompts as ego-graphs have, answered part by part",
        _in_parts("naive"),
    ),
    **{
        name: _FlowRow(RETRIEVERS[name].sentence, _asking(retriever=name))
        for name in names_for(RETRIEVERS, Use.ARM)
    },
    CLOSED_BOOK: _FlowRow("the model alone, without evidence", _closed_book),
    GOLD: _FlowRow("the passages that should be found: the ceiling", _with_search(_gold)),
}
"""Every retriever that an evaluation compares is one, as the experiment's arm D, `naive`, is.
`paper` and `dsa-diverse` are the same: one is called as users know it, the other as the
experiment has it.
"""


def known_answer_arms() -> Mapping[str, str]:
    """The names that an arm can have, each with a line on what it is."""
    with_models = {
        f"{PRUNER}:NAME": (
            f"`graph` with a pruner: {', '.join(names_for(PRUNERS, Use.ARM))}, trained (the"
            " workspace's own) or a checkpoint's folder"
        ),
        f"{SOFT}:NAME": (
            "a trained soft prompt, as `ask --soft` has it: one of the workspace's own, or a"
            " checkpoint's folder"
        ),
        f"{HARD}:NAME": (
            "the same language model as it is, before the same text: hard prompts alone"
        ),
        f"{RERANK}:MODEL": (
            "passages of hybrid in the order of a cross-encoder: a folder or hub name"
        ),
    }
    return {name: row.what for name, row in _ROWS.items()} | with_models


def pruners_made_with(space: Workspace, arms: Iterable[AnswerArm]) -> dict[str, Any]:
    """Settings of a run that name its pruners: `pruner`, that of the settings, unless it is the
    untrained prior, and `pruners`, those that arms name. Raises UsageError and LoadError for one
    that isn't there.
    """
    own = space.questions.pruner_identity()
    named = {arm.name: space.questions.pruner_identity(arm.pruner) for arm in arms if arm.pruner}
    return ({"pruner": own} if own != "prior" else {}) | ({"pruners": named} if named else {})


def soft_made_with(space: Workspace, arms: Iterable[AnswerArm]) -> dict[str, Any]:
    """Settings of a run that name its trained soft prompts: each one's system, language model and
    digest. Errors as in `ask --soft`.
    """
    embedder = space.embedder.identity
    named = {
        arm.soft: soft_identity(space.settings, space.name, arm.soft, embedder)
        for arm in arms
        if arm.soft
    }
    return {"soft": named} if named else {}


def make_answer_arms(
    names: Iterable[str], score_with: Callable[[str], Scorer] = CrossEncoderScorer
) -> tuple[AnswerArm, ...]:
    """The arms of these names, each once. `score_with` makes the scorer of a reranker's model.

    Raises UsageError where none is named, or one that isn't known.
    """
    chosen = tuple(dict.fromkeys(name.rstrip("/") for name in names))
    if not chosen:
        raise UsageError("name an arm, e.g. --arms default,naive")
    return tuple(_made(name, score_with) for name in chosen)


def _made(name: str, score_with: Callable[[str], Scorer]) -> AnswerArm:
    if name in _ROWS:
        return AnswerArm(name, _ROWS[name].flow)
    kind, _, model = name.partition(":")
    if kind == RERANK and model:
        return AnswerArm(name, _with_search(partial(_reranked, name, score_with(model))))
    if kind == PRUNER and model:
        return AnswerArm(name, _asking("graph", pruner=model), model)
    if kind in (SOFT, HARD) and model:
        return AnswerArm(name, _soft(model, kind == HARD), soft=model)
    raise UsageError(f"unknown arm {name!r}; known: {', '.join(known_answer_arms())}")


def _reranked(name: str, score: Scorer, question: AskedQuestion) -> MakeRetriever:
    def make(
        snapshot: Snapshot, profile: Profile, passages: PassageScores, make_index: MakeIndex
    ) -> Retriever:
        return RerankedSearch(name, snapshot, HybridSearch(snapshot, passages), score)

    return make
