"""What every retriever of the registry promises, whatever it does inside."""

from dataclasses import dataclass

import numpy as np
import pytest

from dynagrag.config.settings import PROFILES, Profile
from dynagrag.core.protocols import Retriever
from dynagrag.core.schema import Document, Entity, Graph, Passage, Question, Relation, Snapshot
from dynagrag.registry.choices import Use, names_for
from dynagrag.registry.retrievers import RETRIEVERS
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.passages import PassageScores
from dynagrag.wiring import make_retriever

D = 8

CASES = [(name, "graph") for name in RETRIEVERS] + [
    (name, "paper") for name in RETRIEVERS if name not in names_for(RETRIEVERS, Use.ARM)
]
"""Those whose passages depend on the profile, under another one too."""


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


@dataclass(frozen=True)
class Arm:
    name: str
    profile: Profile

    def on(self, snapshot: Snapshot) -> Retriever:
        passages = PassageScores(snapshot)
        return make_retriever(
            self.name,
            snapshot,
            self.profile,
            passages,
            lambda cut: EgoIndex.build(snapshot.graph, cut),
        )

    @property
    def brings_subgraphs(self) -> bool:
        return RETRIEVERS[self.name].brings_subgraphs(self.profile)

    @property
    def ranks_passages_apart(self) -> bool:
        """Whether its passages are Bridge-PPR's too, whatever the subgraphs hold."""
        return self.name == "union" or RETRIEVERS[self.name].reads_steps(self.profile)


@pytest.fixture(params=CASES, ids="-".join)
def arm(request: pytest.FixtureRequest) -> Arm:
    name, profile = request.param
    return Arm(name, PROFILES[profile])


def question(seed: int = 0) -> Question:
    return Question("Which crew saw thing1 and word2?", unit(np.random.default_rng(seed), 1)[0])


def test_it_has_the_name_that_users_type_and_signs_with_it(
    arm: Arm,
) -> None:
    retriever = arm.on(snapshot_of(30, 12))
    assert retriever.name == arm.name
    assert retriever.retrieve(question(), 3, 2).retriever == arm.name


@pytest.mark.parametrize(("num_passages", "num_subgraphs"), [(1, 1), (5, 3), (100, 100), (0, 0)])
def test_it_brings_at_most_what_was_asked_best_first_without_doubles(
    arm: Arm, num_passages: int, num_subgraphs: int
) -> None:
    snapshot = snapshot_of(30, 12)
    found = arm.on(snapshot).retrieve(question(), num_passages, num_subgraphs)
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
    if num_passages and (num_subgraphs or not arm.brings_subgraphs):
        assert found.passages


def test_subgraphs_belong_to_the_graph_and_their_entities_hold_the_passages(
    arm: Arm,
) -> None:
    snapshot = snapshot_of(30, 12)
    found = arm.on(snapshot).retrieve(question(), 12, 2)
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
        if not arm.ranks_passages_apart:
            assert {s.passage.id for s in found.passages} <= held
        accepted = [c.entity_id for c in found.candidates if c.is_accepted]
        assert accepted == [snapshot.graph.entities[s.nodes[0]].id for s in found.subgraphs]
        assert all(c.reason for c in found.candidates)


def test_the_same_question_gives_the_same_answer_from_a_fresh_retriever(
    arm: Arm,
) -> None:
    one, other = (arm.on(snapshot_of(30, 12)).retrieve(question(3), 8, 3) for _ in range(2))
    assert one.passages == other.passages
    assert one.candidates == other.candidates
    assert [s.nodes for s in one.subgraphs] == [s.nodes for s in other.subgraphs]


def test_an_empty_graph_and_an_empty_corpus_give_an_empty_retrieval(
    arm: Arm,
) -> None:
    found = arm.on(snapshot_of(0, 0)).retrieve(question(), 5, 5)
    assert (found.passages, found.subgraphs, found.candidates) == ((), (), ())
    without_passages = arm.on(snapshot_of(9, 0)).retrieve(question(), 5, 2)
    assert without_passages.passages == ()
