"""Asking a model which names of a block are one: several blocks a call.

A reply that cannot be read, or a group that is none, leaves its names unmerged and is reported.
"""

import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass

from dynagrag.core.errors import (
    BudgetError,
    ContextTooShortError,
    DynaGragError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
)
from dynagrag.core.ids import entity_key, estimate_tokens
from dynagrag.core.protocols import Prompt
from dynagrag.ingest.consolidate.shown_block import ShownBlock
from dynagrag.ingest.consolidate.verdicts import (
    STAGE,
    BlockKind,
    EntityGroup,
    EntityGroups,
    Group,
    Judge,
    Judged,
    LabelGroup,
    LabelGroups,
    VerdictStore,
    stored_verdicts,
    verdict_text,
)
from dynagrag.journal.jobs import JobCancelledError
from dynagrag.models.metered_chat import prompt_tokens

CALL_TOKENS = 1200
"""Up to how many prompt tokens a call is packed, instructions included."""

Call = Sequence[int]
"""The blocks of one call, as positions in their docket."""
Reply = EntityGroups | LabelGroups

_LOOK_EVERY_S = 0.2


@dataclass(frozen=True, slots=True)
class Judging:
    """The judge of what rules leave open, and how it is asked.

    Args:
        judge: Asked about ambiguous names; None: rules and kept verdicts only.
        judge_name: The judge's identity; a verdict of another one is not used while there is a
        judge.
        verdicts: Where verdicts are kept.
        one_block_a_call: For small models.
        max_concurrency: Calls at once.
        tick: Called with how many of how many calls are done, several times a second. An exception
        it raises ends the asking; calls in flight are waited for first, since their replies are
        paid for and kept.
    """

    judge: Judge | None = None
    judge_name: str = ""
    verdicts: VerdictStore | None = None
    one_block_a_call: bool = False
    max_concurrency: int = 1
    tick: Callable[[int, int], None] = lambda done, total: None

    @property
    def can_settle(self) -> bool:
        """Whether a judge or a kept verdict could settle anything."""
        if self.judge is not None:
            return True
        return self.verdicts is not None and self.verdicts.has_verdicts()

    @property
    def accepted_name(self) -> str | None:
        """The judge whose kept verdicts count; None: any."""
        return None if self.judge is None else self.judge_name


NOBODY = Judging()
"""Rules alone."""


@dataclass(frozen=True, slots=True)
class Docket:
    """Blocks of one kind for the judge, and the verdicts that are known already."""

    kind: BlockKind
    blocks: tuple[ShownBlock, ...]
    known: Judged

    @classmethod
    def of(cls, kind: BlockKind, blocks: Sequence[ShownBlock], judging: Judging) -> "Docket":
        """Blocks with the verdicts that are kept of them."""
        return cls(
            kind,
            tuple(blocks),
            stored_verdicts(kind, blocks, judging.verdicts, judging.accepted_name),
        )

    def prompt(self, call: Call) -> Prompt:
        """The prompt of a call."""
        return self.kind.prompt([self.blocks[number] for number in call])

    def calls(self, one_block_a_call: bool) -> list[list[int]]:
        """The open blocks by call: first fit, largest first, up to 1,200 prompt tokens per call.
        Calls in order of their first block.

        What is packed depends on the open blocks alone, and without some of the calls the rest is
        packed the same.
        """
        overhead = prompt_tokens(self.kind.prompt([]), self.kind.schema)
        sizes = {
            n: estimate_tokens(block.text) + 6
            for n, block in enumerate(self.blocks)
            if n not in self.known.groups
        }
        calls: list[list[int]] = []
        for number in sorted(sizes, key=lambda n: (-sizes[n], n)):
            room = CALL_TOKENS - overhead - sizes[number]
            fitting = (c for c in calls if sum(sizes[n] for n in c) <= room)
            call = None if one_block_a_call else next(fitting, None)
            if call is None:
                calls.append([number])
            else:
                call.append(number)
        return sorted(sorted(call) for call in calls)


def ask_judge(docket: Docket, judging: Judging) -> Judged:
    """The verdicts that are known, and the judge's on what is open. A spent budget or a model that
    is gone ends it, with a note.
    """
    if judging.judge is None:
        return docket.known
    groups, keys = dict(docket.known.groups), list(docket.known.keys)
    notes = list(docket.known.notes)
    calls = docket.calls(judging.one_block_a_call)
    asking = _Asking(docket, judging.judge)
    num_calls = 0
    with closing(asking.replies(calls, judging)) as replies:
        for call, reply in replies:
            if not isinstance(reply, Reply):
                if reply is not None:
                    num_names = sum(len(docket.blocks[n].names) for n in call)
                    notes.append(f"{num_names} names of {len(call)} blocks stay unmerged: {reply}")
                continue
            num_calls += 1
            found, unusable = read_reply(docket.blocks, call, reply)
            notes += [f"a group that is none was passed over: {names[:120]}" for names in unusable]
            groups.update(found)
            for number, verdict in found.items():
                block = docket.blocks[number]
                keys.append(docket.kind.key(block))
                if judging.verdicts is not None:
                    text = verdict_text(judging.judge_name, verdict)
                    judging.verdicts.store_verdict(keys[-1], text, block.documents)
    num_open = sum(n not in groups for call in calls for n in call)
    if asking.has_stopped and num_open:
        notes.append(f"{num_open} blocks of like names were not judged; the next ingest asks again")
    return Judged(
        groups,
        tuple(keys),
        tuple(notes),
        docket.known.num_cached,
        num_calls,
        is_complete=not num_open,
    )


class _Asking:
    """Calls of a judge, several at once. After the first that says that no other can succeed, none
    is made.
    """

    def __init__(self, docket: Docket, judge: Judge) -> None:
        self._docket = docket
        self._judge = judge
        self._stop = threading.Event()

    @property
    def has_stopped(self) -> bool:
        """Whether calls were left out."""
        return self._stop.is_set()

    def replies(
        self, calls: Sequence[Call], judging: Judging
    ) -> Generator[tuple[Call, Reply | DynaGragError | None]]:
        """Each call, in order, with its reply, what failed, or None where it was not made; in place
        of one that was too long for the model, its halves.
        """
        pool = ThreadPoolExecutor(
            max_workers=max(1, judging.max_concurrency), thread_name_prefix="judge"
        )
        try:
            replies = [pool.submit(self._ask, call) for call in calls]
            for number, reply in enumerate(replies):
                judging.tick(number, len(calls))
                while not wait([reply], timeout=_LOOK_EVERY_S).done:
                    judging.tick(number, len(calls))
                yield from reply.result()
        except JobCancelledError:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        finally:
            # After Ctrl-C nobody waits for the calls in flight.
            pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self, call: Call) -> list[tuple[Call, Reply | DynaGragError | None]]:
        try:
            return [(call, self._ask_once(call))]
        except ContextTooShortError as err:
            if len(call) == 1:
                return [(call, err)]
            half = len(call) // 2
            return self._ask(call[:half]) + self._ask(call[half:])

    def _ask_once(self, call: Call) -> Reply | DynaGragError | None:
        if self._stop.is_set():
            return None
        kind, blocks = self._docket.kind, [self._docket.blocks[n] for n in call]
        documents = tuple(sorted({d for block in blocks for d in block.documents}))
        name_tokens = sum(estimate_tokens(name) + 4 for block in blocks for name in block.names)
        try:
            return self._judge.ask(
                self._docket.prompt(call),
                kind.schema,
                stage=STAGE,
                max_tokens=150 + 2 * name_tokens,
                documents=documents,
            )
        except ContextTooShortError:
            raise
        except (ModelUnavailableError, ModelRefusedError, BudgetError) as err:
            self._stop.set()
            return err
        except ModelError as err:
            return err


def read_reply(
    blocks: Sequence[ShownBlock], call: Call, reply: Reply
) -> tuple[dict[int, tuple[Group, ...]], list[str]]:
    """A reply as verdicts on the blocks of its call, and the groups in it that are none, each as
    its names.

    A block that the reply doesn't speak of has the verdict that nothing is the same. A name in two
    groups counts in the first alone.
    """
    found: dict[int, list[Group]] = {number: [] for number in call}
    taken: set[tuple[int, int]] = set()
    unusable = []
    for group in reply.groups:
        number, positions = _place_group(blocks, call, group)
        members = [p for p in dict.fromkeys(positions.values()) if (number, p) not in taken]
        if len(members) < 2:
            unusable.append(", ".join(group.members))
            continue
        taken.update((number, p) for p in members)
        canonical = positions.get(group.canonical.strip(), members[0])
        stated = map(str.strip, group.inverted if isinstance(group, LabelGroup) else ())
        inverted = {positions[name] for name in stated if name in positions} - {canonical}
        canonical = canonical if canonical in members else members[0]
        found[number].append(Group(canonical, tuple(sorted(members)), tuple(sorted(inverted))))
    return {number: tuple(groups) for number, groups in found.items()}, unusable


def _place_group(
    blocks: Sequence[ShownBlock], call: Sequence[int], group: EntityGroup
) -> tuple[int, dict[str, int]]:
    """The block that most of a group's names are of, and the names' positions in it. Names of no or
    another block are left out.
    """
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
