"""Statistics of judged arms: by hand, and how often 200 simulated runs tell a better arm from an
equal one.
"""

import numpy as np
import pytest

from dynagrag.evaluation.judge.arm_statistics import (
    LengthSlope,
    PairCounts,
    is_equally_long,
    length_slope,
    pair_figures,
    paired_difference,
    questions_for_power,
)

NUM_RUNS, NUM_QUESTIONS = 200, 40
SD = 2.0


def test_questions_for_power_by_hand() -> None:
    # ((1.96 + 0.8416) * 2 / 1)^2 = 31.4
    assert questions_for_power(1.0, 2.0) == 32
    assert questions_for_power(-1.0, 2.0) == 32
    assert questions_for_power(0.5, 2.0) == 126
    assert questions_for_power(0.0, 2.0) is None
    assert questions_for_power(1.0, 0.0) == 2


def runs(planted: float) -> list[str]:
    """The verdicts in simulated runs of two arms whose difference is `planted`, with the spread of
    questions and of answers.
    """
    rng = np.random.default_rng(11)
    verdicts = []
    for run in range(NUM_RUNS):
        question = rng.normal(16, 3, NUM_QUESTIONS)  # a hard question is hard for both
        arm, other = (
            question + own + rng.normal(0, SD / np.sqrt(2), NUM_QUESTIONS) for own in (planted, 0.0)
        )
        found = paired_difference(arm.tolist(), other.tolist(), seed=run, resamples=1000)
        assert found is not None
        verdicts.append(found.verdict)
    return verdicts


def test_a_planted_better_arm_wins_as_often_as_the_power_says() -> None:
    need = questions_for_power(1.0, SD)
    assert need is not None
    assert need <= NUM_QUESTIONS
    verdicts = runs(1.0)
    assert verdicts.count("better") >= 0.8 * NUM_RUNS
    assert verdicts.count("worse") == 0


def test_a_planted_equal_arm_seldom_wins() -> None:
    verdicts = runs(0.0)
    assert verdicts.count("better") + verdicts.count("worse") <= 0.1 * NUM_RUNS
    assert verdicts.count("no difference seen") >= 0.9 * NUM_RUNS


def test_a_difference_by_hand() -> None:
    found = paired_difference([12.0, 14.0] * 5, [11.0, 13.0] * 5)
    assert found is not None
    assert (found.difference, found.low, found.high, found.sd, found.verdict) == (
        1.0,
        1.0,
        1.0,
        0.0,
        "better",
    )
    assert found.n_for_this == 2
    one = paired_difference([12.0], [11.0])
    assert one is not None
    assert one.verdict == "too few to tell"
    few = paired_difference([12.0] * 9, [11.0] * 9)
    assert few is not None
    assert few.verdict == "too few to tell"
    assert paired_difference([], []) is None


def test_a_slope_by_hand_with_each_questions_mean_taken_off() -> None:
    # two questions, one of which wants long answers; within each, 100 words more are 2 points more
    found = length_slope([[100, 200], [500, 700]], [[10, 12], [5, 9]])
    assert found == LengthSlope(points_per_100_words=2.0, r=1.0)
    assert length_slope([[100, 200], [500, 700], [9], []], [[10, 12], [5, 9], [25], []]) == found
    assert length_slope([[100, 100]], [[1, 2]]) is None
    assert length_slope([[100, 100], [50, 50]], [[1, 2], [3, 4]]) is None
    assert length_slope([[100, 200], [50, 90]], [[3, 3], [4, 4]]) is None


@pytest.mark.parametrize(
    ("words", "other", "is_equal"),
    [(100, 100, True), (80, 100, True), (79, 100, False), (0, 0, True), (0, 1, False)],
)
def test_equally_long(words: int, other: int, is_equal: bool) -> None:
    assert is_equally_long(words, other) is is_equal


def test_pairs_by_hand() -> None:
    verdicts = [1.0, 1.0, 2.0, 0.0, None]
    found = pair_figures(
        verdicts,
        [False, False, False, True, False],
        [(50, 100), (100, 100), (90, 100), (10, 90), (5, 5)],
    )
    assert (
        found.n,
        found.wins,
        found.losses,
        found.ties,
        found.flips,
        found.unreadable,
    ) == (5, 2, 1, 1, 1, 1)
    assert found.win_rate is not None
    assert found.win_rate.mean == 0.625
    assert found.longer_wins == 0.5  # of the two decided pairs of unequal length
    assert found.equal_length == PairCounts(n=2, wins=1, losses=1, ties=0)
