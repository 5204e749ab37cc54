"""What a judge said, as a line of a run's folder has it, whatever it was asked about."""

from pydantic import BaseModel, ConfigDict


class JudgeLine(BaseModel):
    """`verdict` None: there is none, or it could not be read, and `note` says why. `orders`: what it said of a pair each time."""

    model_config = ConfigDict(frozen=True)

    verdict: float | None = None
    orders: tuple[float | None, ...] = ()
    odds: float | None = None
    note: str = ""
    ms: float = 0.0

    @property
    def why_unreadable(self) -> str:
        """Why nothing of it could be read; empty where something could."""
        return self.note if self.verdict is None else ""

    @property
    def is_flip(self) -> bool:
        """Whether a pair's verdict changed with the order."""
        return len(self.orders) == 2 and None not in self.orders and self.orders[0] != self.orders[1]
