"""Reciprocal-rank fusion by its formula, over ranks by cosine and by BM25."""

import numpy as np

from dynagrag.core.schema import Document, Graph, Passage, Question, Snapshot
from dynagrag.retrieval.plain_search import RRFSearch

EMPTY = Graph((), (), np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), ())


def corpus(texts: list[str], vectors: list[list[float]], ids: str = "012") -> Snapshot:
    documents = {f"d{i}": Document(f"d{i}", "w", "", "", "", text) for i, text in enumerate(texts)}
    passages = tuple(
        Passage(f"p{ids[i]}", f"d{i}", 0, 0, len(text), 0, 0) for i, text in enumerate(texts)
    )
    return Snapshot(
        "w",
        "1",
        documents,
        {},
        passages,
        np.array(vectors, np.float32).reshape(len(texts), 2),
        {},
        EMPTY,
    )


def brought(snapshot: Snapshot, text: str, num_passages: int = 10) -> list[tuple[str, float]]:
    found = RRFSearch(snapshot).retrieve(
        Question(text, np.array([1, 0], np.float32)), num_passages, 0
    )
    return [(s.passage.id, s.score) for s in found.passages]


def test_scores_are_the_sum_of_both_shares_and_words_that_are_not_there_give_none() -> None:
    snapshot = corpus(["crew", "nothing", "crew and engine"], [[0, 1], [1, 0], [0.6, 0.8]])
    found = brought(snapshot, "engine")  # by cosine p1 p2 p0, by words p2 alone
    assert found == [
        ("p2", round(1 / 62 + 1 / 61, 9)),
        ("p1", round(1 / 61, 9)),
        ("p0", round(1 / 63, 9)),
    ]


def test_equal_passages_stand_by_place_and_a_question_without_known_words_is_ranked_by_cosine() -> (
    None
):
    snapshot = corpus(["crew", "crew", "crew"], [[0, 1], [0, 1], [1, 0]])
    assert [id_ for id_, _ in brought(snapshot, "unheard")] == ["p2", "p0", "p1"]
    assert [id_ for id_, _ in brought(snapshot, "crew", 2)] == ["p0", "p2"], (
        "by words p0 p1 p2, by cosine p2 p0 p1"
    )
    other = corpus(["crew", "crew", "crew"], [[0, 1], [0, 1], [1, 0]], ids="987")
    assert [id_ for id_, _ in brought(other, "crew")] == ["p9", "p7", "p8"], "whatever the ids are"


def test_an_empty_corpus_brings_nothing() -> None:
    assert brought(corpus([], []), "crew") == []
