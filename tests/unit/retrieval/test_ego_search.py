"""The default arm: passages are Bridge-PPR's own, and centres of ego-graphs rise with their
PageRank.
"""

from dataclasses import replace

import numpy as np

from dynagrag.config.settings import PROFILES
from dynagrag.core.schema import (
    Document,
    Entity,
    Facts,
    Graph,
    Passage,
    Question,
    Relation,
    Snapshot,
)
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.bridge.scorer import MASS_FLOOR
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.ego_search import DiverseEgoSearch

D, NUM = 8, 24


def unit(num: int, seed: int) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(num, D)).astype(np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def snapshot() -> Snapshot:
    """A ring of entities, a passage and a fact for each and the next one."""
    documents = {
        f"d{i:02}": Document(f"d{i:02}", "w", f"d{i:02}", f"/d{i:02}", "", f"words of {i}")
        for i in range(NUM)
    }
    passages = tuple(
        Passage(f"p{i:02}", f"d{i:02}", 0, 0, len(documents[f"d{i:02}"].text), 0, 0)
        for i in range(NUM)
    )
    entities = tuple(
        Entity(f"e{i:02}", f"name {i}", f"Name {i}", "", (f"name {i}",), (), "x", 1, ())
        for i in range(NUM)
    )
    relations = tuple(
        Relation(f"r{i:02}", f"e{i:02}", f"e{(i + 1) % NUM:02}", "l", 1, 1, (), ())
        for i in range(NUM)
    )
    graph = Graph(entities, relations, unit(NUM, 1), unit(NUM, 2), tuple((p.id,) for p in passages))
    ptr = 2 * np.arange(NUM + 1, dtype=np.int64)
    pairs = np.array([x for i in range(NUM) for x in sorted((i, (i + 1) % NUM))], dtype=np.int64)
    facts = Facts(
        tuple(f"fact {i}" for i in range(NUM)),
        np.arange(NUM),
        ptr,
        pairs,
        unit(NUM, 3),
        ptr,
        pairs,
        np.full(NUM, -1, dtype=np.int64),
    )
    return Snapshot("w", "1", documents, {}, passages, unit(NUM, 4), {}, graph, facts=facts)


def arms() -> tuple[Snapshot, EgoIndex, BridgeSearch, DiverseEgoSearch]:
    made = snapshot()
    index, ranker = EgoIndex.build(made.graph, PROFILES["default"]), BridgeSearch(made)
    return made, index, ranker, DiverseEgoSearch(made, index, PROFILES["default"], ranker=ranker)


def question(seed: int, text: str = "Where did Name 5 go?") -> Question:
    return Question(text, unit(1, 50 + seed)[0])


def test_passages_are_those_of_bridge_ppr_in_its_order_whatever_the_ego_graphs_hold() -> None:
    _, _, ranker, arm = arms()
    for seed in range(10):
        found, alone = arm.retrieve(question(seed), 8, 2), ranker.retrieve(question(seed), 8, 0)
        assert found.passages == alone.passages
        assert found.trace == alone.trace is not None
        assert len(found.subgraphs) == 2


def test_centres_are_ranked_by_cosine_and_the_logarithm_of_their_mass() -> None:
    made, index, ranker, arm = arms()
    asked = question(1)
    ranking = ranker.rank(asked)
    assert ranking.found is not None
    wanted = index.scores(asked.vector) + 0.1 * np.log(ranking.found.pagerank.entities + MASS_FLOOR)
    found = arm.retrieve(asked, 3, 2)
    assert [
        made.graph.entities.index(e)
        for e in made.graph.entities
        if e.id == found.candidates[0].entity_id
    ] == [int(np.argmax(wanted))]
    for candidate in found.candidates:
        at = next(i for i, e in enumerate(made.graph.entities) if e.id == candidate.entity_id)
        assert abs(candidate.score - wanted[at]) < 1e-5
    by_cosine = DiverseEgoSearch(made, index, PROFILES["paper"]).retrieve(asked, 3, 2)
    assert by_cosine.candidates[0].entity_id != found.candidates[0].entity_id


def test_without_entities_passages_come_all_the_same() -> None:
    made = replace(
        snapshot(),
        graph=Graph((), (), np.zeros((0, D), np.float32), np.zeros((0, D), np.float32), ()),
        facts=Facts(),
    )
    arm = DiverseEgoSearch(
        made,
        EgoIndex.build(made.graph, PROFILES["default"]),
        PROFILES["default"],
        ranker=BridgeSearch(made),
    )
    found = arm.retrieve(question(1, "words of 3"), 3, 2)
    assert (len(found.passages), found.subgraphs, found.notes) == (3, (), ("the graph is empty",))


def test_fewer_ego_graphs_than_wanted_are_told_with_the_reason() -> None:
    made, index, _, arm = arms()
    wanted = NUM + 1
    assert arm.retrieve(question(1), 3, wanted).notes == (
        f"{NUM} of {wanted} ego-graphs: the graph has no more entities",
    )
    assert arm.retrieve(question(1), 3, 2).notes == ()
    strict = DiverseEgoSearch(made, index, PROFILES["paper"]).retrieve(question(1), 3, wanted)
    assert strict.notes == (
        f"{len(strict.subgraphs)} of {wanted} ego-graphs: no other has leading entities of its own",
    )
