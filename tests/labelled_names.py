"""What tests of entity resolution share: pairs in Ditto form, a small set of them, and a judge that
joins what it is told to.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from dynagrag.core.protocols import Prompt
from dynagrag.evaluation.entities.entity_sets import EntitySet, read_ditto
from dynagrag.ingest.consolidate.verdicts import EntityGroups

T = TypeVar("T", bound=BaseModel)


def record(name: str, **columns: str) -> str:
    return " ".join(
        f"COL {column} VAL {value} " for column, value in {"name": name, **columns}.items()
    )


def line(a: str, b: str, label: int | str) -> str:
    return f"{a}\t{b}\t{label}"


def diners() -> EntitySet:
    """Same key; a rule (spelling); one block for a judge; a positive that a guard keeps apart; two
    negatives, one of them alike.
    """
    lines = [
        line(record("Blue Door"), record("the blue door", city="york"), 1),
        line(record("High-Gain Grill"), record("high gain grill"), 1),
        line(record("Old Harbor Fish House"), record("old harbor fish"), 1),
        line(record("Pier 7 Bar"), record("pier bar"), 1),
        line(record("Old Harbor Fish House"), record("old harbor steak"), 0),
        line(record("Blue Door"), record("pier bar"), 0),
    ]
    return read_ditto(lines, "diners")


class Waiter:
    """A judge that joins names by a function of what it is shown."""

    def __init__(self, reply: Callable[[str], Sequence[dict[str, object]]]) -> None:
        self.reply = reply
        self.asked: list[str] = []

    def ask(
        self,
        prompt: Prompt,
        schema: type[T],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> T:
        assert schema is EntityGroups
        self.asked.append(prompt.user)
        return schema.model_validate({"groups": self.reply(prompt.user)})


def joins(*members: str) -> Callable[[str], Sequence[dict[str, object]]]:
    return lambda shown: (
        [{"canonical": members[0], "members": list(members)}]
        if all(m in shown for m in members)
        else []
    )
