"""A model's verdicts on blocks of names, each kept under a hash of exactly what the model saw of
its block.

So a block that did not change is never judged again, however the blocks are packed into calls. A
stored verdict holds positions, not names: nothing of a deleted document stays in it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Prompt
from dynagrag.ingest.consolidate.shown_block import ShownBlock
from dynagrag.models.reply_schema import StrictReply
from dynagrag.prompts import render

STAGE = "consolidate"

T = TypeVar("T", bound=BaseModel)


class Judge(Protocol):
    """The part of a metered chat model that consolidation needs."""

    def ask(
        self,
        prompt: Prompt,
        schema: type[T],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> T:
        """A reply that fits the schema."""


class VerdictStore(Protocol):
    """A store of verdicts: the workspace's journal."""

    def verdict(self, key: str) -> str | None:
        """The stored verdict, or None."""

    def has_verdicts(self) -> bool:
        """Whether any is stored."""

    def store_verdict(self, key: str, text: str, documents: Sequence[str] = ()) -> None:
        """Stores or replaces a verdict; `documents` are those whose text was seen."""

    def keep_verdicts(self, keys: Iterable[str]) -> int:
        """Drops every verdict but these; how many."""


class EntityGroup(StrictReply):
    """Names of one thing. `canonical` is one of the members."""

    canonical: str = ""
    members: list[str] = Field(default_factory=list)


class EntityGroups(StrictReply):
    """The reply to `entity_groups.jinja`: only groups of two or more."""

    groups: list[EntityGroup]


class LabelGroup(EntityGroup):
    """Labels of one relation; `inverted` members say it the other way round."""

    inverted: list[str] = Field(default_factory=list)


class LabelGroups(StrictReply):
    """The reply to `label_groups.jinja`: only groups of two or more."""

    groups: list[LabelGroup]


@dataclass(frozen=True, slots=True)
class Group:
    """Positions in a block that stand for one thing; `inverted` is a part of the members without
    the canonical one.
    """

    canonical: int
    members: tuple[int, ...]
    inverted: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockKind:
    """A kind of block: its prompt and the schema of its replies."""

    template: str
    schema: type[EntityGroups] | type[LabelGroups]

    def prompt(self, blocks: Sequence[ShownBlock]) -> Prompt:
        """The prompt of one call."""
        return Prompt(self.template, *render(self.template, blocks=[b.text for b in blocks]))

    def key(self, block: ShownBlock) -> str:
        """The key of a block's verdict: all that the model saw of it."""
        return content_id("verdict", *render(self.template, blocks=[block.text]))


ENTITIES = BlockKind("entity_groups", EntityGroups)
LABELS = BlockKind("label_groups", LabelGroups)


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts by block position, and what happened on the way. `keys`: under which they are
    kept.
    """

    groups: Mapping[int, tuple[Group, ...]] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    num_cached: int = 0
    num_calls: int = 0
    is_complete: bool = True


def stored_verdicts(
    kind: BlockKind,
    blocks: Sequence[ShownBlock],
    verdicts: VerdictStore | None,
    judge_name: str | None,
) -> Judged:
    """The blocks that are settled already. `judge_name` None takes any model's verdict; else
    another model's does not count.
    """
    if verdicts is None:
        return Judged()
    groups: dict[int, tuple[Group, ...]] = {}
    keys: list[str] = []
    for number, block in enumerate(blocks):
        key = kind.key(block)
        text = verdicts.verdict(key)
        found = None if text is None else _read_verdict(text, len(block.names), judge_name)
        if found is not None:
            groups[number] = found
            keys.append(key)
    return Judged(groups, tuple(keys), num_cached=len(groups))


def verdict_text(judge_name: str, groups: Sequence[Group]) -> str:
    """A verdict as it is stored."""
    return json.dumps(
        {
            "judge": judge_name,
            "groups": [[g.canonical, list(g.members), list(g.inverted)] for g in groups],
        }
    )


class _StoredVerdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    judge: str
    groups: list[tuple[int, list[int], list[int]]]


def _read_verdict(text: str, num_names: int, judge_name: str | None) -> tuple[Group, ...] | None:
    """A stored verdict; None for one that doesn't read back, doesn't fit its block, or is another
    model's.
    """
    try:
        stored = _StoredVerdict.model_validate_json(text)
    except ValidationError:
        return None
    fits = all(
        0 <= p < num_names
        for canonical, members, inverted in stored.groups
        for p in (canonical, *members, *inverted)
    )
    if not fits or (judge_name is not None and stored.judge != judge_name):
        return None
    return tuple(
        Group(canonical, tuple(members), tuple(inverted))
        for canonical, members, inverted in stored.groups
    )
