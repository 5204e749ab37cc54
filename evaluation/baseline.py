"""The arm that the others are compared with."""

from collections.abc import Sequence

from dynagrag.core.errors import UsageError

_USUAL = "naive"


def chosen_baseline(wanted: str | None, arms: Sequence[str]) -> str:
    """The one that is wanted, else `naive`, else the first arm. UsageError where it is none of the
    arms.
    """
    baseline = wanted or (_USUAL if _USUAL in arms else arms[0])
    if baseline not in arms:
        raise UsageError(f"the baseline {baseline!r} is not among the arms; add it with --arms")
    return baseline
