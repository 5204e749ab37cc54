"""Agreement measures against cases computed by hand and a reference implementation."""

import numpy as np
import pytest

from dynagrag.evaluation.judge.agreement_measures import Rated, accuracy, kappa, pearson


def rated(pairs: list[tuple[int, int]]) -> list[Rated]:
    return [Rated(f"g{i}", people, judge) for i, (people, judge) in enumerate(pairs)]


TABLE = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15


def test_kappa_and_accuracy_of_a_known_table() -> None:
    # by hand: 35 of 50 agree; by chance .5 * .6 + .5 * .4 = .5; (.7 - .5) / (1 - .5) = .4
    assert accuracy(rated(TABLE), 2).value == 0.7
    assert kappa(rated(TABLE), 2).value == 0.4


@pytest.mark.parametrize("is_graded", [False, True])
def test_kappa_is_that_of_scikit_learn(is_graded: bool) -> None:
    metrics = pytest.importorskip(
        "sklearn.metrics", reason="scikit-learn comes with the extra `local`"
    )
    rng = np.random.default_rng(3)
    people = rng.integers(0, 5, 80)
    judge = np.where(rng.random(80) < 0.5, people, rng.integers(0, 5, 80))
    expected = metrics.cohen_kappa_score(people, judge, weights="quadratic" if is_graded else None)
    found = kappa(
        rated(list(zip(people.tolist(), judge.tolist(), strict=True))), 5, is_graded=is_graded
    )
    assert found.value == pytest.approx(expected, abs=1e-4)


def test_pearson_is_that_of_scipy_and_none_without_spread() -> None:
    from scipy.stats import pearsonr

    rng = np.random.default_rng(4)
    people = rng.random(40) * 100
    judge = people / 25 + rng.random(40)
    rows = [
        Rated(f"g{i}", 0, 0, p, j)
        for i, (p, j) in enumerate(zip(people.tolist(), judge.tolist(), strict=True))
    ]
    found = pearson(rows)
    assert found.value == pytest.approx(pearsonr(people, judge).statistic, abs=1e-4)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert pearson([Rated(f"g{i}", 0, 0, float(i), 3.1) for i in range(9)]).value is None


def test_a_judge_that_says_one_thing_of_everything_has_no_more_than_chance() -> None:
    constant = rated([(people, 1) for people in (1, 1, 1, 0)])
    assert accuracy(constant, 2).value == 0.75
    assert kappa(constant, 2).value == 0.0


def test_where_people_and_judge_say_one_thing_kappa_cannot_be_told() -> None:
    assert kappa(rated([(1, 1)] * 5), 2).value is None
    assert kappa([], 2).value is None


def test_rows_of_one_group_are_resampled_together() -> None:
    alone = kappa(rated(TABLE), 2)
    together = kappa(
        [Rated(f"g{i % 5}", row.people, row.judge) for i, row in enumerate(rated(TABLE))], 2
    )
    one = kappa([Rated("g", row.people, row.judge) for row in rated(TABLE)], 2)
    assert alone.value == together.value == one.value
    assert alone.bounds() != together.bounds()
    assert one.bounds() is None  # one group shows nothing of how others could have been


def test_an_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(100):
        people = rng.integers(0, 2, 120)
        judge = np.where(rng.random(120) < 0.8, people, 1 - people)  # kappa .6
        found = kappa(
            rated(list(zip(people.tolist(), judge.tolist(), strict=True))), 2, resamples=400
        )
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.6 <= found.high
    assert 88 <= hits <= 99
