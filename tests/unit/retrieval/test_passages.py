"""Scores of passages."""

import numpy as np
import pytest
from bridge_corpora import unit

from dynagrag.retrieval import passages


def test_cosines_shared_among_threads_are_the_same_cosines(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, query = unit(50, 3), unit(1, 4)[0]
    alone = passages.cosines_with(vectors, query)
    monkeypatch.setattr(passages, "MANY_VECTORS", 10)
    monkeypatch.setattr(passages, "num_threads", lambda: 3)
    np.testing.assert_allclose(passages.cosines_with(vectors, query), alone, atol=2e-6)
