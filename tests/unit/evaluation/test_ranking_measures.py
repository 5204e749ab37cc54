"""Measures against cases computed by hand, and intervals against what is known of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.evaluation.bootstrap_intervals import intervals
from dynagrag.evaluation.ranking_measures import NAMES, measure


def values(ranking: list[str], gold: set[str], num_missing: int = 0) -> dict[str, float]:
    return dict(measure({"arm": ranking}, gold, num_missing)["arm"].values)


def test_two_of_three_gold_found_at_places_two_and_four() -> None:
    found = measure({"arm": ["x", "g1", "y", "g2", "z", "w"]}, {"g1", "g2", "g3"})["arm"]
    wanted = [1 / 3, 2 / 3, 2 / 3, 0, 0, 1 / 2, 2 / 5, 2 / 3]
    assert [found.values[name] for name in NAMES] == pytest.approx(wanted)
    assert found.recall == pytest.approx(
        [0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3]
    )


def test_all_gold_first() -> None:
    assert values(["g1", "g2", "x"], {"g1", "g2"}) == {
        "recall@2": 1, "recall@5": 1, "recall@10": 1,
        "all@5": 1, "hit@1": 1, "mrr": 1, "p@5": 0.4, "r@10": 1,
    }  # fmt: skip


def test_the_first_gold_counts_for_mrr_however_deep_it_stands() -> None:
    found = values([f"x{i}" for i in range(24)] + ["g"], {"g"})
    assert found["mrr"] == pytest.approx(1 / 25)
    assert sum(found[name] for name in NAMES if name != "mrr") == 0


def test_of_more_than_ten_gold_r_at_10_asks_for_ten() -> None:
    gold = {f"g{i:02}" for i in range(20)}
    found = values([*sorted(gold)[:9], "x", *sorted(gold)[9:]], gold)
    assert (found["r@10"], found["recall@10"], found["p@5"]) == pytest.approx((0.9, 0.45, 1.0))


def test_gold_that_the_corpus_lacks_counts_as_not_found() -> None:
    found = values(["g1"], {"g1"}, num_missing=1)
    assert (found["recall@5"], found["all@5"], found["r@10"], found["hit@1"]) == (0.5, 0, 0.5, 1)


def test_an_arm_that_brought_nothing_has_nothing_and_its_neighbour_is_untouched() -> None:
    found = measure({"empty": [], "full": ["g"]}, {"g"})
    assert set(found["empty"].values.values()) == {0.0}
    assert found["full"].values["recall@5"] == 1
    assert set(measure({"arm": ["x"]}, (), num_missing=2)["arm"].values.values()) == {0.0}


def test_without_any_gold_there_is_nothing_to_measure() -> None:
    with pytest.raises(ValueError, match="without gold"):
        measure({"arm": ["x"]}, ())


def test_names_that_look_like_missing_gold_or_numbers_are_only_names() -> None:
    assert values(["missing 0", "1"], {"0"}, num_missing=1)["recall@5"] == 0
    assert values(["missing 0"], {"missing 0"}, num_missing=1)["recall@5"] == 0.5


ranking = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True, max_size=16)


@given(ranking, st.sets(st.sampled_from("abcdefghijklmnop"), min_size=1))
@settings(max_examples=60, deadline=None)
def test_measures_follow_their_definitions(units: list[str], gold: set[str]) -> None:
    found = measure({"arm": units}, gold)["arm"]
    for k in range(1, 11):
        assert found.recall[k - 1] == pytest.approx(
            len(gold & set(units[:k])) / len(gold), abs=1e-6
        )
    first = next((i for i, unit in enumerate(units, start=1) if unit in gold), None)
    assert found.values["mrr"] == pytest.approx(1 / first if first else 0, abs=1e-6)
    assert found.values["p@5"] == pytest.approx(len(gold & set(units[:5])) / 5, abs=1e-6)
    assert found.values["all@5"] == float(gold <= set(units[:5]))


# ---------------------------------------------------------------------------------------- intervals


def test_intervals_are_the_same_every_time_and_hold_the_mean() -> None:
    data = {"a": list(np.random.default_rng(3).normal(0.2, 1, 80)), "b": [0.5] * 80}
    found = intervals(data, resamples=2000)
    assert found == intervals(data, resamples=2000)
    assert found["a"].low < found["a"].mean < found["a"].high
    assert (found["b"].mean, found["b"].low, found["b"].high) == (0.5, 0.5, 0.5)


def test_an_interval_is_near_the_normal_one() -> None:
    sample = np.random.default_rng(5).normal(0, 1, 400)
    half = 1.96 * sample.std() / np.sqrt(len(sample))
    found = intervals({"a": list(sample)}, resamples=4000)["a"]
    assert (found.low, found.high) == pytest.approx(
        (sample.mean() - half, sample.mean() + half), abs=0.015
    )


def test_one_question_has_no_interval_and_none_gives_nothing() -> None:
    assert (intervals({"a": [0.3]})["a"].low, intervals({"a": [0.3]})["a"].high) == (0.3, 0.3)
    assert intervals({"a": []}) == intervals({}) == {}
