"""Precision, recall and F1 of pairs and clusters, by hand."""

import pytest

from dynagrag.evaluation.bootstrap_intervals import f1_intervals
from dynagrag.evaluation.entities.entity_scores import (
    cluster_scores,
    pair_intervals,
    pair_scores,
    scores,
)
from dynagrag.evaluation.entities.entity_sets import LabelledPair


def test_pairs_by_hand() -> None:
    pairs = [
        LabelledPair(0, 1, True),
        LabelledPair(1, 2, True),
        LabelledPair(2, 3, False),
        LabelledPair(0, 3, False),
    ]
    assert pair_scores(pairs, "aabb") == scores(1 / 2, 1 / 2)
    assert pair_scores(pairs, "abcd") == scores(0.0, 0.0)
    assert pair_scores(pairs, "aaab") == scores(1.0, 1.0)


def test_pairs_have_intervals_as_if_each_were_drawn_again() -> None:
    pairs = (
        [LabelledPair(0, 1, True)] * 30
        + [LabelledPair(1, 2, True)] * 20
        + [LabelledPair(2, 3, False)] * 10
        + [LabelledPair(0, 3, False)]
    )
    found = pair_intervals(pairs, "aabb")
    units = {
        (True, True): (1, 1, 1, 1),
        (False, True): (0, 0, 0, 1),
        (True, False): (0, 1, 0, 0),
        (False, False): (0, 0, 0, 0),
    }
    each = f1_intervals([units["aabb"[p.i] == "aabb"[p.j], p.is_same] for p in pairs])
    by_hand = pair_scores(pairs, "aabb")
    for name, own in found.items():
        assert own.mean == pytest.approx(getattr(by_hand, name))
        assert (own.low, own.high) == (
            pytest.approx(each[name].low, abs=0.02),
            pytest.approx(each[name].high, abs=0.02),
        )
        assert own.low < own.mean < own.high


def test_b_cubed_by_hand() -> None:
    # items of gold {1, 1, 1, 2} in predicted {a, a, b, b}: precision (1 + 1 + 1/2 + 1/2) / 4,
    # recall (2/3 + 2/3 + 1/3 + 1) / 4
    result = cluster_scores([1, 1, 1, 2], "aabb")
    assert (result.precision, result.recall) == (pytest.approx(0.75), pytest.approx(2 / 3))
    assert result.f1 == pytest.approx(2 * 0.75 * (2 / 3) / (0.75 + 2 / 3))
    assert cluster_scores([1, 2, 2], "abb") == scores(1.0, 1.0)
    assert cluster_scores([], "") == scores(0.0, 0.0)
