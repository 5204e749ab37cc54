"""`union`: whose passages stand where, and whose subgraphs come."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dynagrag.core.schema import (
    BridgeTrace,
    Document,
    Entity,
    Graph,
    Passage,
    Question,
    Relation,
    Retrieval,
    ScoredPassage,
    ScoredTurn,
    Snapshot,
)
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.steiner.fact_search import SteinerSearch
from dynagrag.retrieval.union_search import PassagesBesideSubgraphs, UnionSearch, in_turn

D = 8


def unit(rows: int, seed: int) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(rows, D)).astype(np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def question() -> Question:
    return Question("Which crew saw word2?", unit(1, 0)[0])


def snapshot_of(num: int) -> Snapshot:
    """A chain of entities, each in a passage of its own."""
    texts = [f"word{i} crew" for i in range(num)]
    documents = {
        f"d{i:02}": Document(f"d{i:02}", "w", f"title {i}", "", "", text)
        for i, text in enumerate(texts)
    }
    held = tuple(
        Passage(f"p{i:02}", f"d{i:02}", 0, 0, len(text), 0, 0) for i, text in enumerate(texts)
    )
    entities = tuple(
        Entity(f"e{i:02}", f"n{i}", f"N{i}", "", (f"n{i}",), (), "x", 1, ()) for i in range(num)
    )
    relations = tuple(
        Relation(f"r{i:02}", f"e{i:02}", f"e{i + 1:02}", "l", 1, 1, (), ()) for i in range(num - 1)
    )
    graph = Graph(
        entities, relations, unit(num, 1), unit(len(relations), 2), tuple((p.id,) for p in held)
    )
    return Snapshot("w", "1", documents, {}, held, unit(num, 3), {}, graph)


def passages(*names: str) -> list[Passage]:
    return [Passage(name, "d", 0, 0, 1, 0, 0) for name in names]


@dataclass
class Fixed:
    """Brings the same passages always."""

    name: str
    names: str

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        return Retrieval(
            self.name,
            tuple(ScoredPassage(p, 9.0) for p in passages(*self.names)[:num_passages]),
            notes=(f"of {self.name}",),
            turns=(ScoredTurn(self.name, 0, 0.5),),
            trace=BridgeTrace((), (), {"one": 0.7}.get(self.name, 0.0), (), ()),
        )


def test_each_ranking_has_every_second_place_and_what_came_before_takes_none() -> None:
    assert [p.id for p in in_turn(passages("a", "b", "c"), passages("b", "d", "e", "f"))] == [
        "a",
        "b",
        "d",
        "c",
        "e",
        "f",
    ]
    assert [p.id for p in in_turn(passages("a"), passages())] == ["a"]
    assert [p.id for p in in_turn(passages(), passages("b", "b"))] == ["b"]


def test_passages_are_cut_after_both_were_ranked_and_scores_fall_with_the_rank() -> None:
    found = UnionSearch(Fixed("one", "abc"), Fixed("two", "xya")).retrieve(question(), 3, 1)
    assert [s.passage.id for s in found.passages] == ["a", "x", "b"]
    assert all(before.score > after.score for before, after in pairwise(found.passages))
    assert found.notes == ("of one", "of two")
    assert [own.document_id for own in found.turns] == ["one"]
    assert found.trace
    assert found.trace.gate == 0.7
    assert "".join(own.passage.id for own in found.ranked_alone) == "abc"


def test_the_tree_is_that_of_pcst_alone() -> None:
    snapshot = snapshot_of(12)
    first, second = BridgeSearch(snapshot), SteinerSearch(snapshot)
    found = UnionSearch(first, second).retrieve(question(), 6, 3)
    tree = second.retrieve(question(), 6, 3)
    assert [own.nodes for own in found.subgraphs] == [own.nodes for own in tree.subgraphs]
    assert found.subgraph_kind == tree.subgraph_kind == "tree"
    best = {scored.passage.id for scored in first.retrieve(question(), 3, 3).passages}
    assert best <= {scored.passage.id for scored in found.passages}, (
        "half of the places are the first's"
    )


def test_passages_and_turns_of_one_stand_beside_the_subgraphs_of_another() -> None:
    snapshot = snapshot_of(12)
    ranker, trees = BridgeSearch(snapshot), SteinerSearch(snapshot)
    found = PassagesBesideSubgraphs(ranker, trees).retrieve(question(), 6, 1)
    ranked, tree = ranker.retrieve(question(), 6, 0), trees.retrieve(question(), 6, 1)
    assert (found.passages, found.turns, found.trace) == (
        ranked.passages,
        ranked.turns,
        ranked.trace,
    )
    assert [own.nodes for own in found.subgraphs] == [own.nodes for own in tree.subgraphs]
    assert (found.retriever, found.subgraph_kind) == ("pcst", "tree")
    assert found.candidates == tree.candidates != ()


def test_scores_are_one_by_rank() -> None:
    snapshot = snapshot_of(6)
    scores = PassageScores(snapshot)
    search = UnionSearch(BridgeSearch(snapshot, scores), SteinerSearch(snapshot, scores))
    found = search.retrieve(question(), num_passages=3, num_subgraphs=1).passages
    assert [p.score for p in found] == [1, 1 / 2, 1 / 3]
