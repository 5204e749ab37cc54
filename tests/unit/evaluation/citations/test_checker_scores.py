"""Balanced accuracy by kind, its interval from resampled sources, AUROC with ties."""

import random
from collections.abc import Sequence
from itertools import product

import pytest

from dynagrag.core.schema import Claim, ClaimCheck, Verdict
from dynagrag.evaluation.citations.checker_scores import (
    Checked,
    ThresholdFigures,
    auroc,
    checker_scores,
    difference,
)
from dynagrag.evaluation.citations.claim_sets import LabelledClaim

S, C, N = Verdict.STATED, Verdict.CONTRADICTED, Verdict.NOT_FOUND
CLAIM = Claim("", ())


def checked(
    kind: str | None,
    verdict: Verdict,
    score: float | None = None,
    source: str = "",
    ms: float = 1.0,
) -> Checked:
    """`kind` None: a true claim."""
    checked.num += 1  # type: ignore[attr-defined]
    id_ = str(checked.num)  # type: ignore[attr-defined]
    claim = LabelledClaim(
        id_, CLAIM, kind is None, kind or "", "true" if kind is None else "false", source or id_
    )
    return Checked(claim, ClaimCheck(verdict, (), score), ms)


checked.num = 0  # type: ignore[attr-defined]


def test_a_kind_counts_alike_however_many_claims_it_has() -> None:
    own = [
        checked(None, S),
        checked(None, N),
        *[checked("neg", C)] * 3,
        checked("swap", S),
        checked("swap", N),
    ]
    found = checker_scores(own, resamples=50)
    assert found.true_kept == 0.5
    assert found.false_caught == {"neg": 1.0, "swap": 0.5}
    assert found.balanced == pytest.approx((0.5 + 0.75) / 2)
    assert (found.n, found.num_true, found.num_false) == (7, 2, {"neg": 3, "swap": 2})
    assert found.verdicts["swap"] == {S: 1, C: 0, N: 1, Verdict.NOT_CHECKED: 0}
    assert found.verdicts["true"] == {S: 1, C: 0, N: 1, Verdict.NOT_CHECKED: 0}


def test_without_kinds_all_false_claims_are_one() -> None:
    found = checker_scores(
        [checked(None, S), checked("", S), checked("", N), checked("", C), checked("", N)],
        resamples=50,
    )
    assert found.false_caught == {"false": 0.75}
    assert found.balanced == 0.875


@pytest.mark.parametrize("verdict", list(Verdict))
def test_one_answer_for_everything_is_worth_a_half(verdict: Verdict) -> None:
    own = [checked(kind, verdict) for kind in (None, None, None, "neg", "swap", "swap")]
    found = checker_scores(own, resamples=50)
    assert (found.balanced, found.interval) == (0.5, (0.5, 0.5))


def test_what_cannot_be_told_is_none() -> None:
    found = checker_scores([checked(None, S)])
    assert found.true_kept == 1
    assert [
        getattr(found, name) for name in ("balanced", "interval", "auroc", "scores", "right_line")
    ] == [None] * 5


def test_the_interval_holds_the_value_and_is_wider_where_claims_stand_and_fall_together() -> None:
    rng = random.Random(0)
    verdicts = [(kind, S if rng.random() < 0.6 else N) for kind in (None, "neg") * 60]
    apart = checker_scores([checked(kind, verdict) for kind, verdict in verdicts], resamples=400)
    alone = [
        Checked(c.claim, c.check)
        for i in range(12)
        for c in [checked(("neg", None)[i % 2], verdicts[i][1], source=str(i))] * 10
    ]
    together = checker_scores(alone, resamples=400)
    for found in (apart, together):
        low, high = found.interval
        assert low <= found.balanced <= high
    assert together.interval[1] - together.interval[0] > 1.5 * (
        apart.interval[1] - apart.interval[0]
    )


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    own = [checked(kind, rng) for kind in (None, "neg", "num") for rng in (S, N, S, C, S, S, N)]
    first, again, other = (checker_scores(own, seed, 100).interval for seed in (0, 0, 1))
    assert first == again != other


def test_a_difference_is_paired_so_that_what_both_get_wrong_does_not_widen_it() -> None:
    base = [checked(None, S if i % 3 else N) for i in range(30)] + [
        checked("neg", N if i % 2 else S) for i in range(30)
    ]
    same = difference(base, base, resamples=50)
    assert (same.difference, same.interval) == (0.0, (0.0, 0.0))
    better = [Checked(c.claim, ClaimCheck(S if c.claim.is_true else N)) for c in base]
    found = difference(better, base, resamples=200)
    assert found.difference == pytest.approx((1 / 3 + 1 / 2) / 2, abs=1e-6)
    assert 0 < found.interval[0] < found.difference < found.interval[1]


@pytest.mark.parametrize(
    ("scores", "truth", "area"),
    [
        ([0.9, 0.8, 0.2], [True, True, False], 1.0),
        ([0.1, 0.8], [True, False], 0.0),
        ([0.5, 0.5], [True, False], 0.5),
        ([0.5, 0.5, 0.9, 0.1], [True, False, True, False], 0.875),
        ([0.5], [True], None),
    ],
)
def test_auroc_counts_ties_half(
    scores: Sequence[float], truth: Sequence[bool], area: float | None
) -> None:
    assert auroc(scores, truth) == area


def test_auroc_is_the_share_of_ordered_pairs() -> None:
    rng = random.Random(1)
    scores, truth = (
        [rng.randrange(8) / 8 for _ in range(60)],
        [rng.random() < 0.4 for _ in range(60)],
    )
    true, false = (
        [s for s, t in zip(scores, truth, strict=True) if t is wanted] for wanted in (True, False)
    )
    pairs = [(a > b) + (a == b) / 2 for a, b in product(true, false)]
    assert auroc(scores, truth) == pytest.approx(sum(pairs) / len(pairs))


def test_the_best_threshold_is_told_apart_from_the_verdicts() -> None:
    own = [
        checked(None, N, 0.4),
        checked(None, N, 0.6),
        checked("neg", N, 0.3),
        checked("neg", S, 0.1),
        checked("neg", S, None),
    ]
    found = checker_scores(own, resamples=20)
    assert found.balanced == pytest.approx(1 / 6, abs=1e-6)
    assert found.auroc == 1
    assert found.scores == ThresholdFigures(n=4, best_threshold=0.4, balanced_at_best_threshold=1.0)


def test_the_right_line_is_looked_for_among_true_claims_that_were_kept() -> None:
    def found_in(rows: tuple[int, ...], verdict: Verdict = S) -> Checked:
        claim = LabelledClaim(
            str(rows), CLAIM, True, "", "true", "s", (frozenset([2]), frozenset([4, 5]))
        )
        return Checked(claim, ClaimCheck(verdict, rows))

    own = [found_in((2,)), found_in((0, 5)), found_in((1,)), found_in((), N)]
    assert checker_scores(own, resamples=5).right_line == pytest.approx(2 / 3, abs=1e-6)
