"""How well names were joined: precision, recall and F1 of pairs and of clusters."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from dynagrag.evaluation.bootstrap_intervals import Interval, f1_intervals
from dynagrag.evaluation.entities.entity_sets import LabelledPair


@dataclass(frozen=True, slots=True)
class Scores:
    """Fractions of 1. A share of nothing is 0."""

    precision: float
    recall: float
    f1: float


def scores(precision: float, recall: float) -> Scores:
    """With F1, their harmonic mean."""
    return Scores(
        precision,
        recall,
        2 * precision * recall / (precision + recall) if precision + recall else 0.0,
    )


def pair_scores(pairs: Sequence[LabelledPair], predicted: Sequence[Hashable]) -> Scores:
    """Of the labelled pairs alone: one is found where both items have the same predicted
    cluster.
    """
    found = [p.is_same for p in pairs if predicted[p.i] == predicted[p.j]]
    positives = sum(p.is_same for p in pairs)
    return scores(
        sum(found) / len(found) if found else 0.0, sum(found) / positives if positives else 0.0
    )


def pair_intervals(
    pairs: Sequence[LabelledPair], predicted: Sequence[Hashable]
) -> dict[str, Interval]:
    """`precision`, `recall` and `f1` as of `pair_scores`, with their intervals: the pairs are drawn
    again, as if each stood for itself.
    """
    counts = Counter((predicted[p.i] == predicted[p.j], p.is_same) for p in pairs)
    kinds = [(True, True), (True, False), (False, True), (False, False)]
    units = [
        (int(found and same), int(found), int(found and same), int(same)) for found, same in kinds
    ]
    return f1_intervals(units, times=[counts[kind] for kind in kinds])


def telling_pairs(pairs: Sequence[LabelledPair], forms: Sequence[str]) -> tuple[LabelledPair, ...]:
    """The pairs without a homonym: a name that the set has, letter for letter, for two things,
    which no method that goes by names can tell. `forms`: each item's letters and digits.
    """
    homonyms = {forms[p.i] for p in pairs if not p.is_same and forms[p.i] == forms[p.j]}
    return tuple(p for p in pairs if homonyms.isdisjoint((forms[p.i], forms[p.j])))


def cluster_scores(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> Scores:
    """B-cubed (Bagga and Baldwin, 1998): of each item's predicted cluster the share that is of its
    gold cluster, and the other way round; the mean over the items. An item that stands alone in
    both counts as right, so a set of many singles scores high when nothing is joined.
    """
    if not gold:
        return scores(0.0, 0.0)
    both = Counter(zip(gold, predicted, strict=True))
    of_gold, of_predicted = Counter(gold), Counter(predicted)
    precision = sum(n * n / of_predicted[p] for (_, p), n in both.items()) / len(gold)
    recall = sum(n * n / of_gold[g] for (g, _), n in both.items()) / len(gold)
    return scores(precision, recall)
