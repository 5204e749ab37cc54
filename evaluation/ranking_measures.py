"""Measures of a ranking against its gold, 0 to 1. Those that are standard come from ir-measures,
which asks trec_eval's own code.

    recall@k    share of the gold that is among the first k
    all@5       all gold is among the first five
    p@5         share of gold among the first five
    hit@1       the first is gold
    mrr         1 / place of the first gold, 0 without one
    r@10        gold among the first ten, of at most ten
    turn_hit@k  a turn of the gold is among the first k turns, where gold names turns

Gold that the corpus lacks counts as gold that was not found.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynagrag.core.extras import check_extras

if TYPE_CHECKING:
    from ir_measures import Measure

CURVE = 10
"""Recall is kept at every depth up to this one."""
NAMES = ("recall@2", "recall@5", "recall@10", "all@5", "hit@1", "mrr", "p@5", "r@10")
PROMPT = "prompt"
"""Prompt recall: the share of the gold that stands in the prompts; of runs that write prompts."""
TURN_DEPTHS = {f"turn_hit@{k}": k for k in (1, 3, 10)}
_CUT = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """A ranking's measures by name, in the order of NAMES, and its recall at 1, 2, ... 10."""

    values: Mapping[str, float]
    recall: tuple[float, ...]


def check_library() -> None:
    """Raises SettingsError where ir-measures is missing, before anything is done that would be for
    nothing.
    """
    check_extras("measuring rankings", {"ir_measures": "evaluate"})


def turn_hits(
    turns: Sequence[tuple[str, int]], gold: Collection[tuple[str, int]]
) -> dict[str, float]:
    """Whether one of the first 1, 3 and 10 turns is gold, by the measure's name."""
    return {name: float(any(t in gold for t in turns[:k])) for name, k in TURN_DEPTHS.items()}


def measure(
    rankings: Mapping[str, Sequence[str]], gold: Collection[str], num_missing: int = 0
) -> dict[str, Measured]:
    """The measures of several rankings of one question, by their names.

    Args:
        rankings: The units that each brought, best first, each unit once.
        gold: What should be found; not empty unless `num_missing` says that there is more.
        num_missing: How much of the gold the corpus lacks.

    Raises:
        ValueError: There is no gold at all.
    """
    import ir_measures
    from ir_measures import RR, P, Qrel, R, ScoredDoc, Success

    lost = [
        f"missing {i}" for i in range(num_missing)
    ]  # no unit has a blank in its name: ids are hex, and titles are numbered below
    wanted = sorted(gold)
    if not wanted and not lost:
        raise ValueError("a question without gold cannot be measured")
    number = {
        unit: str(i)
        for i, unit in enumerate(
            dict.fromkeys([*wanted, *(u for units in rankings.values() for u in units)])
        )
    }
    qrels = [
        Qrel(name, unit, 1) for name in rankings for unit in (*(number[u] for u in wanted), *lost)
    ]
    # trec_eval breaks ties by its own rule, so each place has a score of its own.
    run = [
        ScoredDoc(name, number[unit], -float(place))
        for name, units in rankings.items()
        for place, unit in enumerate(units)
    ]
    recalls = [R @ k for k in range(1, CURVE + 1)]
    standard: dict[str, Measure] = {"hit@1": Success @ 1, "mrr": RR, "p@5": P @ 5}
    found: dict[tuple[str, str], float] = {
        (m.query_id, str(m.measure)): float(m.value)
        for m in ir_measures.iter_calc([*recalls, *standard.values()], qrels, run)
    }
    made = {}
    for name, units in rankings.items():
        recall = tuple(found[name, str(r)] for r in recalls)
        values = {label: found[name, str(m)] for label, m in standard.items()} | {
            f"recall@{k}": recall[k - 1] for k in (2, 5, 10)
        }
        values["all@5"] = float(len(set(units[:5]) & set(wanted)) == len(wanted) + num_missing)
        values["r@10"] = len(set(units[:_CUT]) & set(wanted)) / min(_CUT, len(wanted) + num_missing)
        made[name] = Measured({label: values[label] for label in NAMES}, recall)
    return made
