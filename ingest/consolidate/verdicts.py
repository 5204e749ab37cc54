"""A model's verdicts on blocks of names: several blocks a call, each verdict kept under a hash of exactly what the model saw of its block.

So a block that did not change is never judged again, however the blocks are packed. A stored verdict holds positions, not names: nothing of
a deleted document stays in it. A reply that cannot be read, or a group that is none, leaves its names unmerged and is reported.
"""

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dynagrag.errors import BudgetError, DynaGragError, ModelError, ModelRefusedError, ModelUnavailableError
from dynagrag.ids import content_id, entity_key, estimate_tokens
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.models.reply_schema import StrictReply
from dynagrag.prompts import render
from dynagrag.protocols import Prompt

STAGE = "consolidate"
CALL_TOKENS = 1200
"""Prompt tokens a call is packed up to, instructions included."""

T = TypeVar("T", bound=BaseModel)


class Judge(Protocol):
    """What consolidation needs of a metered chat model."""

    def ask(self, prompt: Prompt, schema: type[T], *, stage: str, max_tokens: int, documents: Sequence[str] = ()) -> T:
        """A reply that fits the schema."""


class VerdictStore(Protocol):
    """Where verdicts are kept: the workspace's journal."""

    def verdict(self, key: str) -> str | None:
        """The stored verdict, or None."""

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
class Block:
    """Names to be judged together: `names` (unique), the `lines` that the model sees, the documents whose text these hold."""

    names: tuple[str, ...]
    lines: tuple[str, ...]
    documents: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What the model sees of it."""
        return "\n".join(self.lines)


def one_line(text: str, max_chars: int) -> str:
    """Text of a document as part of a line: it can neither open a new line nor close the fence."""
    short = " ".join(text.split()).replace("<", "‹").replace(">", "›")
    return short if len(short) <= max_chars else short[: max_chars - 1].rstrip() + "…"


def distinct_names(texts: Sequence[str], max_chars: int) -> tuple[str, ...]:
    """Texts as one-line names that differ; those that would look the same are numbered."""
    short = [one_line(t, max_chars) for t in texts]
    seen: dict[str, int] = {}
    names = []
    for name in short:
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} [{seen[name]}]")
    return tuple(names)


@dataclass(frozen=True, slots=True)
class Group:
    """Positions in a block that stand for one thing; `inverted` is a part of the members without the canonical one."""

    canonical: int
    members: tuple[int, ...]
    inverted: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """What is judged: the prompt and the schema of its replies."""

    template: str
    schema: type[EntityGroups] | type[LabelGroups]

    def prompt(self, blocks: Sequence[Block]) -> Prompt:
        """The prompt of one call."""
        return Prompt(self.template, *render(self.template, blocks=[b.text for b in blocks]))

    def key(self, block: Block) -> str:
        """The key of a block's verdict: all that the model saw of it."""
        return content_id("verdict", *render(self.template, blocks=[block.text]))


ENTITIES = Kind("entity_groups", EntityGroups)
LABELS = Kind("label_groups", LabelGroups)


@dataclass
class Judged:
    """Verdicts by block position, and what happened on the way."""

    groups: dict[int, tuple[Group, ...]] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    num_cached: int = 0
    num_calls: int = 0
    is_complete: bool = True


def stored_verdicts(kind: Kind, blocks: Sequence[Block], verdicts: VerdictStore | None, judge_name: str | None) -> Judged:
    """The blocks that are settled already. `judge_name` None takes any model's verdict; else another model's does not count."""
    judged = Judged()
    for number, block in enumerate(blocks):
        key = kind.key(block)
        text = verdicts.verdict(key) if verdicts is not None else None
        groups = None if text is None else _read_verdict(text, len(block.names), judge_name)
        if groups is not None:
            judged.groups[number] = groups
            judged.keys.append(key)
            judged.num_cached += 1
    return judged


def pack(kind: Kind, blocks: Sequence[Block], open_blocks: Sequence[int], one_block_a_call: bool) -> list[list[int]]:
    """The open blocks by call: first fit, largest first, up to 1,200 prompt tokens a call. Calls in order of their first block.

    What is packed depends on the open blocks alone, and without some of the calls the rest is packed the same.
    """
    overhead = prompt_tokens(kind.prompt([]), kind.schema)
    sizes = {number: estimate_tokens(blocks[number].text) + 6 for number in open_blocks}
    calls: list[list[int]] = []
    for number in sorted(open_blocks, key=lambda n: (-sizes[n], n)):
        fitting = (c for c in calls if not one_block_a_call and overhead + sum(sizes[n] for n in (*c, number)) <= CALL_TOKENS)
        call = next(fitting, None)
        if call is None:
            calls.append([number])
        else:
            call.append(number)
    return sorted(sorted(call) for call in calls)


def ask_blocks(
    kind: Kind,
    blocks: Sequence[Block],
    judged: Judged,
    *,
    judge: Judge,
    judge_name: str,
    verdicts: VerdictStore | None,
    one_block_a_call: bool = False,
    max_concurrency: int = 1,
    on_call: Callable[[], None] = lambda: None,
) -> None:
    """Asks for the blocks that `judged` lacks and adds the verdicts to it. A spent budget or a model that is gone ends it, with a note."""
    calls = pack(kind, blocks, [n for n in range(len(blocks)) if n not in judged.groups], one_block_a_call)
    stop = threading.Event()

    def ask(call: Sequence[int]) -> EntityGroups | LabelGroups | DynaGragError | None:
        if stop.is_set():
            return None
        asked = [blocks[n] for n in call]
        documents = tuple(sorted({d for b in asked for d in b.documents}))
        max_tokens = 150 + 2 * sum(estimate_tokens(name) + 4 for b in asked for name in b.names)
        try:
            return judge.ask(kind.prompt(asked), kind.schema, stage=STAGE, max_tokens=max_tokens, documents=documents)
        except (ModelUnavailableError, ModelRefusedError, BudgetError) as err:
            stop.set()
            return err
        except ModelError as err:
            return err

    pool = ThreadPoolExecutor(max_workers=max(1, max_concurrency), thread_name_prefix="judge")
    try:
        for call, reply in zip(calls, pool.map(ask, calls), strict=True):
            if isinstance(reply, EntityGroups | LabelGroups):
                judged.num_calls += 1
                _take(kind, blocks, call, reply, judged, judge_name, verdicts)
                on_call()
                continue
            judged.is_complete = False
            if reply is not None:
                num_names = sum(len(blocks[n].names) for n in call)
                judged.notes.append(f"{num_names} names of {len(call)} blocks stay unmerged: {reply}")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after Ctrl-C nobody waits for the calls in flight
    num_skipped = sum(len(call) for call in calls) if stop.is_set() else 0
    num_skipped -= sum(1 for call in calls for n in call if n in judged.groups) if num_skipped else 0
    if num_skipped:
        judged.notes.append(f"{num_skipped} blocks of like names were not judged; the next ingest asks again")


def _take(
    kind: Kind,
    blocks: Sequence[Block],
    call: Sequence[int],
    reply: EntityGroups | LabelGroups,
    judged: Judged,
    judge_name: str,
    verdicts: VerdictStore | None,
) -> None:
    """Reads a reply into the verdicts of its blocks; a block that the reply doesn't speak of has the verdict that nothing is the same."""
    found: dict[int, list[Group]] = {number: [] for number in call}
    taken: set[tuple[int, int]] = set()
    for group in reply.groups:
        number, positions = _place_group(blocks, call, group)
        members = [p for p in dict.fromkeys(positions.values()) if (number, p) not in taken]
        if len(members) < 2:
            judged.notes.append(f"a group that is none was passed over: {', '.join(group.members)[:120]}")
            continue
        taken.update((number, p) for p in members)
        canonical = positions.get(group.canonical.strip(), members[0])
        inverted: tuple[int, ...] = ()
        if isinstance(group, LabelGroup):
            inverted = tuple(sorted({positions[i.strip()] for i in group.inverted if i.strip() in positions} - {canonical}))
        found[number].append(Group(canonical if canonical in members else members[0], tuple(sorted(members)), inverted))
    for number, groups in found.items():
        judged.groups[number] = tuple(groups)
        key = kind.key(blocks[number])
        judged.keys.append(key)
        if verdicts is not None:
            text = json.dumps({"judge": judge_name, "groups": [[g.canonical, list(g.members), list(g.inverted)] for g in groups]})
            verdicts.store_verdict(key, text, blocks[number].documents)


def _place_group(blocks: Sequence[Block], call: Sequence[int], group: EntityGroup) -> tuple[int, dict[str, int]]:
    """The block that most of a group's names are of, and the names' positions in it. Names of no or another block are left out."""
    named = [n.strip() for n in dict.fromkeys((*group.members, group.canonical)) if n.strip()]
    best, best_positions = call[0], dict[str, int]()
    for number in call:
        exact = {name: i for i, name in enumerate(blocks[number].names)}
        loose = {entity_key(name): i for i, name in enumerate(blocks[number].names)}
        positions = {n: exact.get(n, loose.get(entity_key(n), -1)) for n in named}
        positions = {n: p for n, p in positions.items() if p >= 0}
        if len(positions) > len(best_positions):
            best, best_positions = number, positions
    return best, best_positions


class _StoredVerdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    judge: str
    groups: list[tuple[int, list[int], list[int]]]


def _read_verdict(text: str, num_names: int, judge_name: str | None) -> tuple[Group, ...] | None:
    """A stored verdict; None for one that doesn't read back, doesn't fit its block, or is another model's."""
    try:
        stored = _StoredVerdict.model_validate_json(text)
    except ValidationError:
        return None
    fits = all(0 <= p < num_names for canonical, members, inverted in stored.groups for p in (canonical, *members, *inverted))
    if not fits or (judge_name is not None and stored.judge != judge_name):
        return None
    return tuple(Group(canonical, tuple(members), tuple(inverted)) for canonical, members, inverted in stored.groups)
