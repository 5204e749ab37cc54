"""The arms of an evaluation by name: retrievers as the workspace makes them, some of them under a
profile.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dynagrag import wiring
from dynagrag.config.settings import PROFILES, Profile
from dynagrag.core.protocols import Pruner, Retriever
from dynagrag.core.schema import Question, Retrieval
from dynagrag.evaluation.retrieval.gcn_arm import GCN, GcnSearch
from dynagrag.evaluation.retrieval.prompt_arms import PromptArm, make_prompt_arm, with_equal_room
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.registry.choices import Use, names_for
from dynagrag.registry.retrievers import RETRIEVERS
from dynagrag.retrieval.cross_encoder_search import with_reranker
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.nearness import NearOrPassages
from dynagrag.workspace.facade import Workspace

DEPTH = 100
"""How many passages each arm is asked for: the first gold may stand behind the tenth place, and a
document may have many passages.
"""
CONTROLS = ("naive", "bm25", "rrf", "hybrid")
"""Arms that always run: what a graph has to beat."""
SPLIT = "split"
RERANKED = "reranked"


@dataclass(frozen=True, slots=True)
class _ProfileRow:
    """An arm that is more than a retriever's name."""

    profile: str
    retriever: str
    prompts_by: str | None = None
    has_passages: bool = True


_ROWS = {
    "default": _ProfileRow("default", "bridge-ppr"),
    "paper": _ProfileRow("paper", "dynagrag"),
    "paper-cosine": _ProfileRow("paper", "dynagrag-cosine", "dynagrag-cosine"),
    "graph": _ProfileRow("graph", "bridge-ppr"),
    "ego": _ProfileRow("graph", "bridge-ppr", has_passages=False),
    "ego-cosine": _ProfileRow("graph", "bridge-ppr", "dynagrag-cosine", has_passages=False),
    SPLIT: _ProfileRow("default", "bridge-ppr"),
    RERANKED: _ProfileRow("default", "bridge-ppr"),
}
"""Arms that have a profile; other arms are the names of retrievers. Under `default` and `graph`
Bridge-PPR ranks the passages, whatever the ego-graphs are, so it alone is run for the ranking;
prompts are written by `prompts_by`, else by the profile's own retriever, without a prompt of
passages where `has_passages` says so. For `split` a model splits the question first; for `reranked`
the reranker of the settings orders the best.
"""
INSTEAD = {"dynagrag": ("default", "paper"), "dynagrag-cosine": ("default", "paper-cosine")}
"""Retrievers that are no arms, since their ranking of passages depends on the profile, and the arms
that say which one is meant.
"""


@dataclass(frozen=True, slots=True)
class Arm:
    """A retriever as it is asked: for how many ego-graphs depends on its profile, and `split` gives
    a question its steps first.
    """

    name: str
    retriever: Retriever
    num_subgraphs: int
    split: Callable[[Question], Question] = lambda question: question
    prompts: PromptArm | None = None

    def retrieve(self, question: Question) -> Retrieval:
        """The passages, deep enough to be measured."""
        return self.retriever.retrieve(question, DEPTH, self.num_subgraphs)


def known_arms() -> tuple[str, ...]:
    """The names that an arm can have."""
    return (*_ROWS, GCN, *names_for(RETRIEVERS, Use.ARM))


def profiles_of(names: Sequence[str]) -> dict[str, Profile]:
    """The profile of each arm that has one."""
    return {name: PROFILES[_ROWS[name].profile] for name in names if name in _ROWS}


def make_arms(
    names: Sequence[str],
    space: Workspace,
    lines: LineIndex,
    is_whole: bool,
    has_prompts: bool = False,
    pruner: Pruner | None = None,
) -> Iterator[Arm]:
    """The arms on the snapshot of the lines, made as they are asked for; they share its lookups.

    `is_whole`: the snapshot is the workspace's own, so its index of ego-graphs is kept in the
    workspace's folder. `has_prompts`: they write prompts too. `pruner`: of the arm `gcn`.
    """
    passages, snapshot = lines.passages, lines.snapshot
    indexes: dict[str, EgoIndex] = {}

    def open_index(profile: Profile) -> EgoIndex:
        if profile.name not in indexes:
            folder = space.folder / "index" / profile.name
            indexes[profile.name] = (
                EgoIndex.open(folder, snapshot, profile)
                if is_whole
                else EgoIndex.build(snapshot.graph, profile)
            )
        return indexes[profile.name]

    for name in names:
        if name == GCN:
            assert pruner is not None  # else the run was refused
            yield Arm(name, GcnSearch(snapshot, passages, pruner), 0)
            continue
        row = _ROWS.get(name, _ProfileRow("default", name, name))
        profile = wiring.make_profile(row.profile)
        retriever = wiring.make_retriever(row.retriever, snapshot, profile, passages, open_index)
        if name == RERANKED:
            reranker = space.models.reranker
            assert reranker is not None  # else the run was refused
            retriever = with_reranker(retriever, reranker, snapshot)
        prompts = None
        if has_prompts:
            prompts_by = wiring.retriever_name(row.prompts_by, profile)
            writer = wiring.make_retriever(prompts_by, snapshot, profile, passages, open_index)
            writer = NearOrPassages(writer, passages)
            room = with_equal_room(profile, row.has_passages)
            prompts = make_prompt_arm(name, writer, room, lines, space.embedder)
        arm = Arm(name, retriever, profile.num_subgraphs, prompts=prompts)
        if name == SPLIT:
            chat = space.parts.metered(None)
            assert chat is not None  # else the run was refused
            arm = replace(arm, split=partial(space.questions.split, chat=chat))
        yield arm
