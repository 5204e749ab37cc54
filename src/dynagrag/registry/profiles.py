"""The profiles of `ask --profile`, in words. Their numbers are `config.settings.PROFILES`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from dynagrag.registry.choices import Choice, Use, table

if TYPE_CHECKING:
    from dynagrag.config.settings import Profile


class ProfileChoice(Choice[Callable[[], "Profile"]]):
    """A profile's words; `make` gives its numbers."""


def _row(name: str, sentence: str) -> ProfileChoice:
    def make() -> "Profile":
        from dynagrag.config.settings import PROFILES

        return PROFILES[name]

    uses = Use.COMMAND | Use.APP
    return ProfileChoice(
        name=name, sentence=sentence, label=name.capitalize(), make=make, uses=uses
    )


PROFILE_ROWS = table(
    _row("default", "the best passages; graph for a small model"),
    _row("graph", "ego-graphs beside a prompt of passages"),
    _row(
        "global",
        "for questions about the whole, passages from all over, answered in up to 8 parts that are"
        " merged",
    ),
    _row("paper", "DynaGRAG exactly as published"),
)
