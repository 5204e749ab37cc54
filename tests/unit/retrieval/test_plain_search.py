"""Plain search over passages: BM25 by its formula, fusion, ties, and nothing on the terminal."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import Document, Graph, Passage, Question, Snapshot
from dynagrag.language.word_runs import words
from dynagrag.retrieval.passages import PassageScores, z01
from dynagrag.retrieval.plain_search import BM25Search, HybridSearch, NaiveSearch

EMPTY = Graph((), (), np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), ())


def corpus(
    texts: list[str], vectors: list[list[float]] | None = None, ids: list[str] | None = None
) -> Snapshot:
    documents = {
        f"d{i}": Document(f"d{i}", "w", f"title {i}", f"/title {i}", "", text)
        for i, text in enumerate(texts)
    }
    names = ids or [f"p{i:03}" for i in range(len(texts))]
    passages = tuple(
        Passage(names[i], f"d{i}", 0, 0, len(text), 0, 0) for i, text in enumerate(texts)
    )
    rows = np.array(vectors or [[1.0, 0]] * len(texts), dtype=np.float32).reshape(len(texts), 2)
    return Snapshot("w", "1", documents, {}, passages, rows, {}, EMPTY)


def ask(text: str, vector: tuple[float, float] = (1, 0)) -> Question:
    return Question(text, np.array(vector, dtype=np.float32))


def bm25_by_hand(texts: list[str], query: str) -> list[float]:
    docs = [words(text) for text in texts]
    mean = sum(map(len, docs)) / len(docs)
    scores = [0.0] * len(docs)
    for word in set(words(query)):
        n = sum(word in doc for doc in docs)
        idf = math.log(1 + (len(docs) - n + 0.5) / (n + 0.5))
        for i, doc in enumerate(docs):
            tf = doc.count(word)
            if tf:
                scores[i] += idf * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * len(doc) / mean))
    return scores


word = st.sampled_from(
    ["moon", "lands", "Crew", "crew's", "engine", "ENGINE", "11", "été", "hot", "_x", "-"]
)
texts = st.lists(st.lists(word, max_size=8).map(" ".join), min_size=1, max_size=8).filter(
    lambda found: any(map(words, found))
)


@given(texts, st.lists(word, max_size=5).map(" ".join))
@settings(max_examples=80, deadline=None)
def test_bm25_is_the_written_formula(found: list[str], query: str) -> None:
    np.testing.assert_allclose(
        PassageScores(corpus(found)).bm25(query), bm25_by_hand(found, query), atol=2e-5
    )


@given(texts)
@settings(max_examples=40, deadline=None)
def test_word_frequencies_count_the_passages_that_hold_a_word(found: list[str]) -> None:
    counted = Counter(word for text in found for word in set(words(text)))
    assert {
        word: number
        for word, number in PassageScores(corpus(found)).word_frequencies.items()
        if word
    } == counted


def test_bm25_brings_no_passage_without_a_word_of_the_question(
    capfd: pytest.CaptureFixture[str],
) -> None:
    snapshot = corpus(["The crew lands.", "Nothing here.", "Crew, crew!"])
    found = BM25Search(snapshot).retrieve(ask("CREW"), 10, 0)
    assert [s.passage.id for s in found.passages] == ["p002", "p000"]
    assert BM25Search(snapshot).retrieve(ask("unheard of?"), 10, 0).passages == ()
    assert capfd.readouterr() == ("", ""), "no progress bar"


def test_texts_without_any_word_are_a_corpus_too() -> None:
    snapshot = corpus(["...", "--"])
    assert BM25Search(snapshot).retrieve(ask("crew"), 5, 0).passages == ()
    assert len(HybridSearch(snapshot).retrieve(ask("crew"), 5, 0).passages) == 2


@pytest.mark.parametrize("ids", [["z", "y", "x"], ["x", "y", "z"]])
def test_naive_is_the_cosine_with_ties_by_place_whatever_the_ids_are(ids: list[str]) -> None:
    snapshot = corpus(["a", "b", "c"], [[1, 0], [0.6, 0.8], [0.6, 0.8]], ids=ids)
    found = NaiveSearch(snapshot).retrieve(ask("", (0, 2)), 2, 3)
    assert [(s.passage.id, round(s.score, 5)) for s in found.passages] == [
        (ids[1], 0.8),
        (ids[2], 0.8),
    ]
    assert NaiveSearch(snapshot).retrieve(ask("", (0, 2)), 1, 0).passages == found.passages[:1]
    assert found.subgraphs == ()


def test_the_fusion_weighs_both_after_min_max() -> None:
    snapshot = corpus(["crew crew", "crew", "other"], [[0, 1], [0.6, 0.8], [1, 0]])
    scores = PassageScores(snapshot)
    dense, lexical = np.array([0, 0.6, 1.0]), scores.bm25("crew")
    expected = 0.6 * dense + 0.4 * lexical / lexical.max()
    np.testing.assert_allclose(
        scores.fused("crew", np.array([1, 0], np.float32)), expected, atol=1e-6
    )
    np.testing.assert_allclose(
        scores.fused("unheard", np.array([1, 0], np.float32)), 0.6 * dense, atol=1e-6
    )


def test_min_max_of_a_constant_is_zero() -> None:
    assert z01(np.array([3.0, 3.0])).tolist() == [0, 0]
    assert z01(np.array([3.0, 1.0, 2.0])).tolist() == [1, 0, 0.5]
    assert z01(np.zeros(0)).shape == (0,)


@pytest.mark.parametrize("arm", [NaiveSearch, BM25Search, HybridSearch])
def test_asking_for_no_passages_or_of_no_corpus_gives_none(arm: type[NaiveSearch]) -> None:
    assert arm(corpus(["crew"])).retrieve(ask("crew"), 0, 0).passages == ()
    nothing = replace(corpus(["x"]), passages=(), passage_vectors=np.zeros((0, 2), np.float32))
    assert arm(nothing).retrieve(ask("crew"), 5, 5).passages == ()
