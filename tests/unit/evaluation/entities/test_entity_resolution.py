"""The product's own consolidation, measured on small sets of labelled names."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from labelled_names import T, Waiter, diners, joins, line, record

from dynagrag.core.errors import ModelUnavailableError
from dynagrag.core.protocols import Prompt
from dynagrag.evaluation.entities.entity_resolution import (
    EntityResult,
    evaluate_entities,
    mentions_of,
)
from dynagrag.evaluation.entities.entity_scores import scores
from dynagrag.evaluation.entities.entity_sets import load_entity_set, read_ditto
from dynagrag.fakes import FakeEmbedder

SHARED = Path(__file__).parents[5] / "shared" / "data"


def test_blocking_recall_says_how_each_positive_pair_meets_and_why_one_does_not() -> None:
    report = evaluate_entities(diners(), FakeEmbedder())
    assert report.blocking.found == {"one key": 1, "rule": 1, "one block": 1}
    assert report.blocking.recall == 3 / 4
    assert [(m.a, m.b, m.reason) for m in report.missed] == [
        ("Pier 7 Bar", "pier bar", "guard: different numbers")
    ]
    assert report.blocking.num_calls == 1
    assert (report.num_items, report.num_keys, report.num_pairs, report.num_positives) == (
        9,
        8,
        6,
        4,
    )


def test_without_a_model_equal_keys_and_rules_join_and_nothing_else() -> None:
    report = evaluate_entities(diners(), FakeEmbedder())
    assert report.with_model is None
    assert report.without_model.pair == scores(1.0, 2 / 4)
    assert (report.without_model.num_clusters, report.without_model.num_joined) == (7, 4)
    assert report.without_model.cluster.precision == 1.0
    assert report.without_model.cluster.recall == pytest.approx((5 + 4 * 0.5) / 9)


def test_a_model_joins_what_rules_leave_open_and_its_errors_cost_precision() -> None:
    right = Waiter(joins("Old Harbor Fish House", "old harbor fish"))
    wrong = Waiter(joins("Old Harbor Fish House", "old harbor fish", "old harbor steak"))
    good, bad = (
        evaluate_entities(diners(), FakeEmbedder(), judge=j, judge_name="waiter").with_model
        for j in (right, wrong)
    )
    assert good is not None
    assert bad is not None
    assert (good.name, good.num_calls, good.quality.pair) == ("waiter", 1, scores(1.0, 3 / 4))
    assert bad.quality.pair == scores(3 / 4, 3 / 4)
    assert bad.quality.cluster.precision < good.quality.cluster.precision


def test_what_the_rules_alone_reach_is_the_same_with_a_model_beside_them() -> None:
    judge = Waiter(joins("Old Harbor Fish House", "old harbor fish"))
    with_model = evaluate_entities(diners(), FakeEmbedder(), judge=judge)
    assert with_model.without_model == evaluate_entities(diners(), FakeEmbedder()).without_model
    assert with_model.with_model is not None
    assert with_model.with_model.quality != with_model.without_model


def test_a_model_that_is_gone_leaves_the_rules_result_and_a_note() -> None:
    class Gone:
        def ask(
            self,
            prompt: Prompt,
            schema: type[T],
            *,
            stage: str,
            max_tokens: int,
            documents: Sequence[str] = (),
        ) -> T:
            raise ModelUnavailableError("the server is away")

    report = evaluate_entities(diners(), FakeEmbedder(), judge=Gone())
    assert report.with_model is not None
    assert report.with_model.quality == report.without_model
    assert "the server is away" in report.with_model.notes[0]


def test_summaries_are_shown_to_the_model_only_where_they_are_asked_for() -> None:
    lines = [
        line(
            record("Old Harbor Fish House", city="york"), record("old harbor fish", city="hull"), 1
        )
    ]
    for has_summaries in (False, True):
        judge = Waiter(lambda shown: [])
        report = evaluate_entities(
            read_ditto(lines, "x"),
            FakeEmbedder(dimension=64),
            has_summaries=has_summaries,
            judge=judge,
        )
        assert report.blocking.num_calls == len(judge.asked) == 1
        assert ("city hull" in judge.asked[0]) == has_summaries


def test_a_name_without_letters_and_digits_is_no_mention_and_joins_nothing() -> None:
    entity_set = read_ditto(
        [line(record("..."), record("?!"), 1), line(record("a b"), record("c d"), 0)], "x"
    )
    report = evaluate_entities(entity_set, FakeEmbedder())
    assert [m.name for m in mentions_of(entity_set.items, False)] == ["a b", "c d"]
    assert [m.reason for m in report.missed] == ["a name without letters and digits"]
    assert report.without_model.num_clusters == 4


def test_a_higher_threshold_puts_less_before_a_judge() -> None:
    rows = evaluate_entities(diners(), FakeEmbedder(), thresholds=(0.55, 0.8, 1.0)).thresholds
    assert [row.cosine for row in rows] == [0.55, 0.8, 1.0]
    for low, high in pairwise(rows):
        assert low.blocking_recall >= high.blocking_recall
        assert (low.num_compared, low.num_calls) >= (high.num_compared, high.num_calls)
    assert rows[0].blocking_recall == evaluate_entities(diners(), FakeEmbedder()).blocking.recall
    assert rows[-1].joined_by_cosine == evaluate_entities(diners(), FakeEmbedder()).without_model


def test_joining_by_cosine_keeps_to_the_guards() -> None:
    (row,) = evaluate_entities(diners(), FakeEmbedder(), thresholds=(0.55,)).thresholds
    assert row.joined_by_cosine.pair.recall == 3 / 4  # "Pier 7 Bar" is alike, and stays alone
    assert row.joined_by_cosine.pair.precision == 3 / 4  # the two old harbors are as near


def test_every_name_alone_and_all_names_the_same_are_measured_too() -> None:
    alone = evaluate_entities(
        read_ditto([line(record("north wind"), record("iron river"), 0)], "x"), FakeEmbedder()
    )
    assert (alone.blocking.recall, alone.without_model.pair, alone.without_model.cluster) == (
        0.0,
        scores(0, 0),
        scores(1, 1),
    )
    same = evaluate_entities(
        read_ditto([line(record("north wind"), record("North Wind"), 1)], "x"), FakeEmbedder()
    )
    assert (same.blocking.recall, same.without_model.pair.f1) == (1.0, 1.0)


# ---------------------------------------------------------------------------------------- real sets


@pytest.mark.parametrize("dataset", ["ditto-Structured_Fodors-Zagats", "ditto-Structured_DBLP-ACM"])
def test_names_that_need_no_embedder_to_meet_do(dataset: str) -> None:
    """With MiniLM blocking recall is 1.000 and 0.993 (benchmarks/results/entities.txt); words alone
    come near.
    """
    if not SHARED.is_dir():
        pytest.skip("the development data is not beside the repository")
    report: EntityResult = evaluate_entities(
        load_entity_set(dataset, SHARED), FakeEmbedder(dimension=64), thresholds=()
    )
    assert report.blocking.recall >= 0.95
