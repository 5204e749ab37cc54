"""Several arms against one baseline: Holm's correction and chances by hand, and how often one of
four equal arms is called different.
"""

import numpy as np
import pytest

from dynagrag.evaluation.several_comparisons import corrected, holm, sign_flip_p, what_holds


def test_holm_by_hand() -> None:
    # sorted: 0.005 x 4, 0.01 x 3, 0.03 x 2, and 0.04 not below what stands before it
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02}
    )
    assert holm({"a": 0.5, "b": 0.9}) == {"a": 1.0, "b": 1.0}
    assert holm({"a": 0.2}) == {"a": 0.2}
    assert holm({}) == {}


def test_chances_by_hand() -> None:
    assert sign_flip_p([1.0, 2.0, 3.0]) == pytest.approx(2 / 8)  # all of one sign, or of the other
    assert sign_flip_p([0.0] * 5) == 1.0
    assert sign_flip_p([7.0]) == sign_flip_p([]) == 1.0
    assert sign_flip_p([1.0] * 40) < 0.001
    # ten won, one lost, nine ties: 2 (1 + 11) / 2^11, exactly, whatever is drawn
    assert {round(sign_flip_p([0.5] * 10 + [-0.5] + [0.0] * 9, seed), 9) for seed in range(3)} == {
        round(24 / 2**11, 9)
    }
    # twenty others: all 2^20 signs are counted; 21: drawn
    assert sign_flip_p([1.0] * 20) == pytest.approx(2 / 2**20)
    assert sign_flip_p([1.0] * 21) == pytest.approx(2 / 10_001)
    assert sign_flip_p([1.0, -1.0, 1.0, 1.0] * 10) == sign_flip_p([1.0, -1.0, 1.0, 1.0] * 10)


def bounds(low: float, high: float) -> dict[str, float]:
    return {"low": low, "high": high}


def test_a_difference_holds_that_is_far_from_chance_on_enough_questions() -> None:
    rng = np.random.default_rng(1)
    weak = rng.normal(
        0.4, 1, 30
    ).tolist()  # by itself more than chance, behind two others of four not
    columns = {
        "far": rng.normal(2, 1, 30).tolist(),
        "weak": weak,
        "even": rng.normal(0, 1, 30).tolist(),
        "few": [2.0] * 9,
    }
    found = {
        "far": bounds(1.5, 2.5),
        "weak": bounds(0.1, 0.8),
        "even": bounds(-0.3, 0.4),
        "few": bounds(2.0, 2.0),
    }
    assert 0.025 < sign_flip_p(weak) < 0.05
    assert corrected({"weak": found["weak"]}, {"weak": weak})["weak"]["holds"]
    own = corrected(found, columns)
    assert {name for name, row in own.items() if row["holds"]} == {"far"}
    assert own["few"]["p_holm"] < 0.05, "nine questions are too few for a verdict"
    assert not corrected({"far": bounds(-0.1, 4.0)}, {"far": columns["far"]})["far"]["holds"], (
        "never against its own interval"
    )


def test_of_four_equal_arms_one_is_seldom_called_different() -> None:
    """In at most 5 % of all runs, and what chance brings: by each difference for itself it would be
    three or four times as many.
    """
    rng = np.random.default_rng(5)
    alone = together = 0
    for _ in range(100):
        columns = {name: rng.normal(0, 1, 12).tolist() for name in "abcd"}
        chances = {name: sign_flip_p(own) for name, own in columns.items()}
        alone += min(chances.values()) < 0.05
        together += min(holm(chances).values()) < 0.05
    assert together <= 9 < alone


def test_the_sentence_tells_what_holds_and_nothing_of_one_comparison() -> None:
    yes, no = {"holds": True}, {"holds": False}
    assert what_holds({"a": yes, "b": no, "c": None}, "naive", "F1") == (
        "of 2 comparisons with naive by F1, 1 holds after Holm's correction: a"
    )
    assert what_holds({"a": no, "b": no}, "naive", "F1").endswith(
        "none holds after Holm's correction"
    )
    assert what_holds({"a": yes, "b": yes}, "naive", "F1").endswith(
        "2 hold after Holm's correction: a, b"
    )
    assert (
        what_holds({"a": yes}, "naive", "F1") == what_holds({"a": {}, "b": {}}, "naive", "F1") == ""
    )
