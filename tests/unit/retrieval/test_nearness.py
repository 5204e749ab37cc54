"""Where nothing of the graph is near a question, retrievers of subgraphs say so and bring
passages.
"""

from collections.abc import Callable

import numpy as np
import pytest

from dynagrag.config.settings import PROFILES, Profile
from dynagrag.core.protocols import Retriever
from dynagrag.core.schema import Document, Entity, Facts, Graph, Passage, Question, Snapshot
from dynagrag.registry.retrievers import RETRIEVERS
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.nearness import NUM_NEAR, NearOrPassages
from dynagrag.retrieval.passages import PassageScores

ABOUT = 7
"""The passage that the question is about."""
WAYS = [("pcst", "default"), ("triples", "default"), ("grag", "default")]
WAYS += [("dynagrag", "paper"), ("dynagrag", "graph")]
WAYS += [("union", "default")]


def axis(at: int) -> np.ndarray:
    return np.eye(8, dtype=np.float32)[at]


def snapshot_of(num: int, near: bool = False) -> Snapshot:
    """Documents of one passage, of which one is about batteries; three entities, in the last
    passages, one of them `near` in that one.
    """
    texts = [f"They talked of thing {i}." for i in range(num)]
    texts[ABOUT] = "The battery lasts a day."
    documents = {f"d{i:02}": Document(f"d{i:02}", "w", "", "", "", t) for i, t in enumerate(texts)}
    passages = tuple(
        Passage(f"p{i:02}", f"d{i:02}", 0, 0, len(t), 0, 0) for i, t in enumerate(texts)
    )
    vectors = np.tile(axis(1), (num, 1))
    vectors[ABOUT] = axis(0)
    entities = tuple(
        Entity(f"e{i}", f"n{i}", f"N{i}", "", (f"n{i}",), (), "x", 1, ()) for i in range(3)
    )
    held = tuple((f"p{ABOUT if near and i == 1 else num - 1 - i:02}",) for i in range(3))
    graph = Graph(
        entities,
        (),
        np.stack([axis(2), axis(3), axis(4)]),
        np.zeros((0, 8), np.float32),
        held,
    )
    return Snapshot("w", "1", documents, {}, passages, vectors, {}, graph, facts=Facts())


def retriever(name: str, profile: str, snapshot: Snapshot) -> Retriever:
    def index(own: Profile) -> EgoIndex:
        return EgoIndex.build(snapshot.graph, own)

    made: Callable[..., Retriever] = RETRIEVERS[name].make
    passages = PassageScores(snapshot)
    return NearOrPassages(made(snapshot, PROFILES[profile], passages, index), passages)


ASKED = Question("What did they decide about the battery?", axis(0))


@pytest.mark.parametrize(("name", "profile"), WAYS)
def test_nothing_near_is_told_and_passages_are_brought(name: str, profile: str) -> None:
    found = retriever(name, profile, snapshot_of(60)).retrieve(ASKED, 5, 3)
    assert found.fallback.startswith("nothing of the graph is near this question")
    assert not found.subgraphs
    assert [own.passage.id for own in found.passages][:1] == [f"p{ABOUT:02}"]
    assert len(found.passages) == 5
    assert found.candidates
    assert not any(own.is_accepted for own in found.candidates)


@pytest.mark.parametrize(("name", "profile"), WAYS)
def test_an_entity_that_one_of_the_best_passages_holds_is_brought(name: str, profile: str) -> None:
    found = retriever(name, profile, snapshot_of(60, near=True)).retrieve(ASKED, 5, 3)
    assert not found.fallback
    assert found.subgraphs


def test_amid_few_passages_whatever_the_graph_holds_is_near() -> None:
    assert retriever("pcst", "default", snapshot_of(NUM_NEAR)).retrieve(ASKED, 5, 3).subgraphs


def test_union_reads_its_ranking_where_nothing_is_near_as_graph_does() -> None:
    asked = Question("What did they say of thing 30?", axis(0))
    found, ranked = (
        retriever("union", "default", snapshot_of(60)).retrieve(asked, 5, 3),
        retriever("dynagrag", "graph", snapshot_of(60)).retrieve(asked, 5, 3),
    )
    assert found.fallback == ranked.fallback
    assert [own.passage.id for own in found.passages] == [own.passage.id for own in ranked.passages]
    assert (found.turns, found.trace) == (ranked.turns, ranked.trace)
