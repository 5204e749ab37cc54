"""Scores of passages."""

import numpy as np
import pytest
from bridge_corpora import unit

from dynagrag.language.word_runs import words
from dynagrag.retrieval import passages


def test_cosines_shared_among_threads_are_the_same_cosines(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, query = unit(50, 3), unit(1, 4)[0]
    alone = passages.cosines_with(vectors, query)
    monkeypatch.setattr(passages, "MANY_VECTORS", 10)
    monkeypatch.setattr(passages, "num_threads", lambda: 3)
    np.testing.assert_allclose(passages.cosines_with(vectors, query), alone, atol=2e-6)


def test_cosines_that_differ_by_rounding_alone_are_equal() -> None:
    rng = np.random.default_rng(0)
    row = rng.random(64)
    rows = np.stack([rng.permutation(row) for _ in range(200)]).astype(np.float32)
    rows /= np.linalg.norm(rows[0])
    query = np.ones(64, dtype=np.float32)
    assert len(set((rows @ (query / 8)).tolist())) > 1
    assert len(set(passages.cosines_with(rows, query).tolist())) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Pump, No. 2!", ["the", "pump", "no", "2"]),
        ("泵站的主任", ["泵站", "站的", "的主", "主任"]),
        ("佐藤さん", ["佐藤", "藤さ", "さん"]),
        ("周 明", ["周", "明"]),
        ("GPT-4は速い", ["gpt", "4", "は速", "速い"]),
        ("한강 수도", ["한강", "수도"]),
        ("Łódź ma młyn", ["łódź", "ma", "młyn"]),
    ],
)
def test_words_are_runs_and_of_unspaced_scripts_every_two_characters(
    text: str, expected: list[str]
) -> None:
    assert words(text) == expected
