"""A transaction that is open already, for what otherwise begins one for each batch."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, LiteralString, Protocol, TypeVar

if TYPE_CHECKING:
    from neo4j import Transaction

T = TypeVar("T")


class Transactions(Protocol):
    """What reads and writes; a connection does each in a transaction of its own."""

    def read(self, query: LiteralString, **parameters: Any) -> list[Mapping[str, Any]]:
        """The rows of one reading statement."""

    def write(self, work: "Callable[[Transaction], T]") -> T:
        """The result of `work` in a transaction."""


class OneTransaction:
    """All in the transaction that it was made with; nobody sees any of it before the commit."""

    def __init__(self, tx: "Transaction") -> None:
        self._tx = tx

    def read(self, query: LiteralString, **parameters: Any) -> list[Mapping[str, Any]]:
        """The rows of one reading statement."""
        return [dict(row) for row in self._tx.run(query, parameters)]

    def write(self, work: "Callable[[Transaction], T]") -> T:
        """The result of `work`, which the outer transaction commits."""
        return work(self._tx)
