"""When a judge can be believed: by its agreement with people, and by how much of what it says can
be read.
"""

from collections.abc import Sequence

THRESHOLD = 0.4
"""Of kappa: "moderate" agreement begins above it (Landis and Koch 1977), and half of the verdicts
beyond chance are noise below it.
"""
MAX_UNREADABLE = 0.1
"""A judge of which more can't be read chooses the rows that it is measured on."""

NOT_RELIABLE, NOT_KNOWN = "not reliable for this", "not known to be reliable for this"
"""How the first line of a report begins that is no praise."""
MIN_ROWS = 10
"""Of n rows without an error up to 3 / n of all may be wrong: below ten rows kappa may be under the
threshold.
"""


def is_reliable(
    kappa: float | None, interval: Sequence[float] | None, unreadable: int, n: int, threshold: float
) -> bool | None:
    """Whether a judge's verdicts of this kind can be believed: True by the lower end of kappa's
    interval; None where that can't be told.
    """
    if kappa is None or kappa < threshold or unreadable > MAX_UNREADABLE * n:
        return False
    return True if interval and interval[0] >= threshold and n - unreadable >= MIN_ROWS else None


def why_not(
    kappa: float | None, interval: Sequence[float] | None, unreadable: int, n: int, threshold: float
) -> str:
    """Why `is_reliable` isn't True."""
    if unreadable > MAX_UNREADABLE * n:
        return f"{unreadable} of {n} verdicts could not be read"
    if kappa is None:
        return "all verdicts are the same"
    if kappa < threshold:
        return f"below {threshold:g}"
    if n - unreadable < MIN_ROWS:
        return f"fewer than {MIN_ROWS} rows"
    return (
        f"which may be below {threshold:g}"
        if interval
        else "its interval was not kept: calibrate again"
    )
