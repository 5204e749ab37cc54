"""What the columns of a run's tables mean, in the words of its kind's report."""

import re
from collections.abc import Iterable, Mapping

from dynagrag.evaluation.judge.calibration_report import WORDS as CALIBRATION_WORDS
from dynagrag.evaluation.judge.judge_report import WORDS as JUDGED_WORDS
from dynagrag.ui.evaluate.kept_runs import (
    CALIBRATION,
    JUDGED,
)

_WORDS: Mapping[str, Mapping[str, str]] = {
    JUDGED: JUDGED_WORDS,
    CALIBRATION: CALIBRATION_WORDS,
}
_INTERVAL = "95 % interval"


def explained(kind: str, columns: Iterable[str]) -> list[tuple[str, str]]:
    """The columns that need a word, with it, in their order; those of one meaning stand
    together.
    """
    words = {
        name: said for names, said in _WORDS.get(kind, {}).items() for name in names.split(", ")
    }
    found: dict[str, list[str]] = {}
    for column in dict.fromkeys(columns):
        if said := words.get(_name_of(column)):
            found.setdefault(said, []).append(column)
    return [(", ".join(own), said) for said, own in found.items()]


def _name_of(column: str) -> str:
    """What the report calls it."""
    if "against " in column or "95 %" in column:
        return _INTERVAL
    return re.sub(r"^recall@\d+$", "recall@k", column.partition(": ")[0].removesuffix(", %"))
