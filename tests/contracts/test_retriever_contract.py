"""What every retriever promises, whatever it does inside."""

from collections.abc import Callable

import numpy as np
import pytest

from dynagrag.config.settings import PROFILES
from dynagrag.core.protocols import Retriever
from dynagrag.core.schema import Document, Entity, Graph, Passage, Question, Relation, Snapshot
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.ego_search import CosineEgoSearch, DiverseEgoSearch
from dynagrag.retrieval.ego.grag_search import GRAG_CUT, GragSearch
from dynagrag.retrieval.plain_search import BM25Search, HybridSearch, NaiveSearch, RRFSearch
from dynagrag.retrieval.steiner.fact_search import SteinerSearch, TripleSearch
from dynagrag.retrieval.union_search import UnionSearch

D = 8

ARMS: dict[str, Callable[[Snapshot], Retriever]] = {
    "naive": NaiveSearch,
    "bm25": BM25Search,
    "hybrid": HybridSearch,
    "rrf": RRFSearch,
    "bridge-ppr": BridgeSearch,
    "pcst": SteinerSearch,
    "triples": TripleSearch,
    "grag": lambda s: GragSearch(s, EgoIndex.build(s.graph, GRAG_CUT), PROFILES["default"]),
    "union": lambda s: UnionSearch(s, BridgeSearch(s), SteinerSearch(s)),
    "dynagrag": lambda s: DiverseEgoSearch(
        s, EgoIndex.build(s.graph, PROFILES["graph"]), PROFILES["graph"], ranker=BridgeSearch(s)
    ),
    "dynagrag-paper": lambda s: DiverseEgoSearch(
        s, EgoIndex.build(s.graph, PROFILES["paper"]), PROFILES["paper"]
    ),
    "dynagrag-cosine": lambda s: CosineEgoSearch(
        s, EgoIndex.build(s.graph, PROFILES["paper"]), PROFILES["paper"]
    ),
}


def unit(rng: np.random.Generator, n: int) -> np.ndarray:
    x = rng.normal(size=(n, D)).astype(np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def snapshot_of(num_nodes: int, num_passages: int) -> Snapshot:
    rng = np.random.default_rng(7)
    texts = [f"word{i % 5} thing{i % 3} crew" for i in range(num_passages)]
    documents = {
        f"d{i}": Document(f"d{i}", "w", f"title {i}", "", "", text) for i, text in enumerate(texts)
    }
    passages = tuple(
        Passage(f"p{i:02}", f"d{i}", 0, 0, len(text), 0, 0) for i, text in enumerate(texts)
    )
    entities = tuple(
        Entity(f"e{i:02}", f"k{i}", f"Name {i}", "", (f"k{i}",), (), "x", i % 4, ())
        for i in range(num_nodes)
    )
    ends = sorted(
        {(i, (i * 7 + 3) % num_nodes) for i in range(num_nodes)}
        | {(i, i // 2) for i in range(1, num_nodes)}
    )
    relations = tuple(
        Relation(f"r{a:02}-{b:02}", f"e{a:02}", f"e{b:02}", "l", 1, 1, (), ())
        for a, b in ends
        if a != b
    )
    held = tuple((f"p{i % num_passages:02}",) if num_passages else () for i in range(num_nodes))
    graph = Graph(entities, relations, unit(rng, num_nodes), unit(rng, len(relations)), held)
    return Snapshot("w", "1", documents, {}, passages, unit(rng, num_passages), {}, graph)


@pytest.fixture(params=ARMS)
def arm(request: pytest.FixtureRequest) -> tuple[str, Callable[[Snapshot], Retriever]]:
    return request.param.removesuffix("-paper"), ARMS[request.param]


def question(seed: int = 0) -> Question:
    return Question("Which crew saw thing1 and word2?", unit(np.random.default_rng(seed), 1)[0])


def test_it_has_the_name_that_users_type_and_signs_with_it(
    arm: tuple[str, Callable[[Snapshot], Retriever]],
) -> None:
    name, make = arm
    retriever = make(snapshot_of(30, 12))
    assert retriever.name == name
    assert retriever.retrieve(question(), 3, 2).retriever == name


@pytest.mark.parametrize(("num_passages", "num_subgraphs"), [(1, 1), (5, 3), (100, 100), (0, 0)])
def test_it_brings_at_most_what_was_asked_best_first_without_doubles(
    arm: tuple[str, Callable[[Snapshot], Retriever]], num_passages: int, num_subgraphs: int
) -> None:
    snapshot = snapshot_of(30, 12)
    found = arm[1](snapshot).retrieve(question(), num_passages, num_subgraphs)
    assert len(found.passages) <= num_passages
    assert len(found.subgraphs) <= num_subgraphs
    assert list(found.passages) == sorted(
        found.passages, key=lambda s: (-s.score, snapshot.passages.index(s.passage))
    )
    ids = [s.passage.id for s in found.passages]
    assert len(set(ids)) == len(ids)
    assert set(ids) <= {p.id for p in snapshot.passages}
    assert [s.score for s in found.subgraphs] == sorted(
        (s.score for s in found.subgraphs), reverse=True
    )
    if num_passages and (
        num_subgraphs or not arm[0].startswith(("dynagrag", "pcst", "triples", "grag"))
    ):
        assert found.passages


def test_subgraphs_belong_to_the_graph_and_their_entities_hold_the_passages(
    arm: tuple[str, Callable[[Snapshot], Retriever]],
) -> None:
    snapshot = snapshot_of(30, 12)
    found = arm[1](snapshot).retrieve(question(), 12, 2)
    for subgraph in found.subgraphs:
        n, m = len(subgraph.nodes), len(subgraph.pairs)
        assert subgraph.x.shape == (n, D)
        assert subgraph.y.shape == (m, D)
        assert len(subgraph.hops) == n
        assert subgraph.hops[0] == 0
        for (a, b), relations in zip(subgraph.pairs, subgraph.pair_relations, strict=True):
            ends = {
                snapshot.graph.entities[subgraph.nodes[a]].id,
                snapshot.graph.entities[subgraph.nodes[b]].id,
            }
            assert relations
            assert all(
                {snapshot.graph.relations[r].head, snapshot.graph.relations[r].tail} == ends
                for r in relations
            )
    if found.subgraphs:
        held = {
            p for s in found.subgraphs for v in s.nodes for p in snapshot.graph.entity_passages[v]
        }
        if arm[1] not in (
            ARMS["dynagrag"],
            ARMS["union"],
        ):  # whose passages are Bridge-PPR's too, whatever the subgraphs hold
            assert {s.passage.id for s in found.passages} <= held
        accepted = [c.entity_id for c in found.candidates if c.is_accepted]
        assert accepted == [snapshot.graph.entities[s.nodes[0]].id for s in found.subgraphs]
        assert all(c.reason for c in found.candidates)


def test_the_same_question_gives_the_same_answer_from_a_fresh_retriever(
    arm: tuple[str, Callable[[Snapshot], Retriever]],
) -> None:
    one, other = (arm[1](snapshot_of(30, 12)).retrieve(question(3), 8, 3) for _ in range(2))
    assert one.passages == other.passages
    assert one.candidates == other.candidates
    assert [s.nodes for s in one.subgraphs] == [s.nodes for s in other.subgraphs]


def test_an_empty_graph_and_an_empty_corpus_give_an_empty_retrieval(
    arm: tuple[str, Callable[[Snapshot], Retriever]],
) -> None:
    found = arm[1](snapshot_of(0, 0)).retrieve(question(), 5, 5)
    assert (found.passages, found.subgraphs, found.candidates) == ((), (), ())
    without_passages = arm[1](snapshot_of(9, 0)).retrieve(question(), 5, 2)
    assert without_passages.passages == ()
