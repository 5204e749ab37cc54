"""The retrievers of `ask --retriever`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from dynagrag.registry.choices import Choice, Use, named, table

if TYPE_CHECKING:
    from dynagrag.config.settings import Profile
    from dynagrag.core.protocols import Retriever
    from dynagrag.core.schema import Snapshot
    from dynagrag.retrieval.ego.ego_index import EgoIndex
    from dynagrag.retrieval.passages import PassageScores


class MakeIndex(Protocol):
    """Makes the ego-graphs of a snapshot, cut and pooled as a profile has it."""

    def __call__(self, profile: "Profile", /) -> "EgoIndex":
        """The index."""


class MakeRetriever(Protocol):
    """Makes a retriever of a snapshot; `make_index` is called by those that use ego-graphs."""

    def __call__(
        self,
        snapshot: "Snapshot",
        profile: "Profile",
        passages: "PassageScores",
        make_index: MakeIndex,
        /,
    ) -> "Retriever":
        """The retriever."""


def _never(profile: "Profile") -> bool:
    return False


def _always(profile: "Profile") -> bool:
    return True


def _unless_spread(profile: "Profile") -> bool:
    """A profile of passages from all over reads those alone."""
    return not profile.num_spread


def _has_bridge(profile: "Profile") -> bool:
    return profile.passage_ranking == "bridge"


def _has_ego_graphs(profile: "Profile") -> bool:
    return profile.has_ego_graphs


DYNAGRAG, DYNAGRAG_COSINE, BRIDGE_PPR = "dynagrag", "dynagrag-cosine", "bridge-ppr"
EGO_GRAPHS = (DYNAGRAG, DYNAGRAG_COSINE)
"""Those that bring DynaGRAG's ego-graphs."""


def of_profile(profile: "Profile") -> str:
    """The name of the profile's own retriever."""
    return DYNAGRAG if profile.has_ego_graphs else BRIDGE_PPR


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverChoice(Choice[MakeRetriever]):
    """`reads_steps`: whether it ranks passages by the steps of a split question too,
    `brings_subgraphs`: whether it brings any that are read, under a profile.
    """

    reads_steps: Callable[["Profile"], bool] = _never
    brings_subgraphs: Callable[["Profile"], bool] = _never


def _of_passages(path: str) -> MakeRetriever:
    """The class at a path, of a snapshot and the scores of its passages alone."""

    def make(
        snapshot: "Snapshot", profile: "Profile", passages: "PassageScores", make_index: MakeIndex
    ) -> "Retriever":
        retriever: Retriever = named(path)(snapshot, passages)
        return retriever

    return make


def _ego(path: str) -> MakeRetriever:
    """The class at a path, of ego-graphs, and a ranking of passages where the profile has one."""

    def make(
        snapshot: "Snapshot", profile: "Profile", passages: "PassageScores", make_index: MakeIndex
    ) -> "Retriever":
        from dynagrag.retrieval.bridge.bridge_search import BridgeSearch

        ranker = BridgeSearch(snapshot, passages) if _has_bridge(profile) else None
        retriever: Retriever = named(path)(snapshot, make_index(profile), profile, passages, ranker)
        return retriever

    return make


def grag_search(
    snapshot: "Snapshot", profile: "Profile", passages: "PassageScores", make_index: MakeIndex
) -> "Retriever":
    """Of ego-graphs that are cut as GRAG cuts them."""
    from dynagrag.retrieval.ego.grag_search import GRAG_CUT, GragSearch

    return GragSearch(snapshot, make_index(GRAG_CUT), profile, passages)


def union_search(
    snapshot: "Snapshot", profile: "Profile", passages: "PassageScores", make_index: MakeIndex
) -> "Retriever":
    """Of the two that it unites."""
    from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
    from dynagrag.retrieval.steiner.fact_search import SteinerSearch
    from dynagrag.retrieval.union_search import UnionSearch

    bridge, tree = BridgeSearch(snapshot, passages), SteinerSearch(snapshot, passages)
    return UnionSearch(bridge, tree)


RETRIEVERS = table(
    RetrieverChoice(
        name=DYNAGRAG,
        sentence="diverse ego-graphs, beside passages over the graph in profile graph",
        label="DynaGRAG's diverse ego-graphs",
        make=_ego("dynagrag.retrieval.ego.ego_search:DiverseEgoSearch"),
        uses=Use.COMMAND | Use.APP,
        reads_steps=_has_bridge,
        brings_subgraphs=_has_ego_graphs,
    ),
    RetrieverChoice(
        name=DYNAGRAG_COSINE,
        sentence="the same, ego-graphs without diversity",
        label="DynaGRAG's ego-graphs, without diversity",
        make=_ego("dynagrag.retrieval.ego.ego_search:CosineEgoSearch"),
        uses=Use.COMMAND | Use.APP,
        reads_steps=_has_bridge,
        brings_subgraphs=_has_ego_graphs,
    ),
    RetrieverChoice(
        name=BRIDGE_PPR,
        sentence="passages over the graph alone",
        label="Passages over the graph (Bridge-PPR)",
        make=_of_passages("dynagrag.retrieval.bridge.bridge_search:BridgeSearch"),
        reads_steps=_always,
    ),
    RetrieverChoice(
        name="pcst",
        sentence="G-Retriever's tree of entities and facts",
        label="G-Retriever's tree of entities and facts",
        make=_of_passages("dynagrag.retrieval.steiner.fact_search:SteinerSearch"),
        brings_subgraphs=_unless_spread,
        needs_extra="pcst",
    ),
    RetrieverChoice(
        name="grag",
        sentence="GRAG's ego-graphs",
        label="GRAG's ego-graphs",
        make=grag_search,
        brings_subgraphs=_unless_spread,
    ),
    RetrieverChoice(
        name="triples",
        sentence="the facts nearest the question, as KAPING has them",
        label="The nearest facts (KAPING)",
        make=_of_passages("dynagrag.retrieval.steiner.fact_search:TripleSearch"),
        brings_subgraphs=_unless_spread,
    ),
    RetrieverChoice(
        name="union",
        sentence="passages of bridge-ppr and of pcst in turn, beside the tree",
        label="Passages over the graph and of the tree",
        make=union_search,
        brings_subgraphs=_unless_spread,
        needs_extra="pcst",
    ),
    RetrieverChoice(
        name="hybrid",
        sentence="passages by vectors and words, scores added",
        label="Vectors and words",
        make=_of_passages("dynagrag.retrieval.plain_search:HybridSearch"),
    ),
    RetrieverChoice(
        name="rrf",
        sentence="passages by vectors and words, ranks added",
        label="Vectors and words by rank",
        make=_of_passages("dynagrag.retrieval.plain_search:RRFSearch"),
    ),
    RetrieverChoice(
        name="naive",
        sentence="passages by vectors",
        label="Vectors",
        make=_of_passages("dynagrag.retrieval.plain_search:NaiveSearch"),
    ),
    RetrieverChoice(
        name="bm25",
        sentence="passages by words",
        label="Words (BM25)",
        make=_of_passages("dynagrag.retrieval.plain_search:BM25Search"),
    ),
)
