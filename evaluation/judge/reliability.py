"""When a judge can be believed: by its agreement with people, and by how much of what it says can be read."""

THRESHOLD = 0.4
"""Of kappa: "moderate" agreement begins above it (Landis and Koch 1977), and half of the verdicts beyond chance are noise below it."""
MAX_UNREADABLE = 0.1
"""A judge of which more can't be read chooses the rows that it is measured on."""


def is_reliable(kappa: float | None, unreadable: int, n: int, threshold: float) -> bool:
    """Whether a judge's verdicts of this kind are worth printing without a warning."""
    return kappa is not None and kappa >= threshold and unreadable <= MAX_UNREADABLE * n
