"""Asking a judge: what the calls cost, how a reply is read, what failing does."""

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest
from pydantic import BaseModel
from scripted_judge import (
    DictVerdicts,
    ScriptedJudge,
    group,
    merged,
    record,
    run,
    said,
    same,
    vectors_of,
)

from dynagrag.core.errors import (
    BudgetError,
    DynaGragError,
    InvalidReplyError,
    ModelRefusedError,
    ModelUnavailableError,
)
from dynagrag.core.ids import estimate_tokens
from dynagrag.core.protocols import Prompt
from dynagrag.core.schema import Mention, RelationRecord, Vectors
from dynagrag.fakes import FakeEmbedder
from dynagrag.graph_store.derived.embedded_texts import mention_texts
from dynagrag.ingest.consolidate.consolidation_plan import ConsolidationInput, plan_consolidation
from dynagrag.ingest.consolidate.judge_calls import Docket, Judging, ask_judge, read_reply
from dynagrag.ingest.consolidate.relation_labels import label_texts
from dynagrag.ingest.consolidate.shown_block import ShownBlock
from dynagrag.ingest.consolidate.verdicts import ENTITIES, Group, Judged, LabelGroups
from dynagrag.journal.jobs import JobCancelledError

T = TypeVar("T", bound=BaseModel)


def _many_like_names() -> tuple[list[Mention], list[RelationRecord]]:
    """120 names of 15 x 14 word pairs in 20 documents of 24 facts, each a thing of its own."""
    rng = random.Random(0)
    first = [
        "Red",
        "Blue",
        "Green",
        "Iron",
        "Silver",
        "North",
        "South",
        "East",
        "West",
        "Grand",
        "Bright",
        "Swift",
    ]
    first += ["Quiet", "Amber", "Royal"]
    second = [
        "Falcon",
        "River",
        "Harbor",
        "Summit",
        "Meadow",
        "Canyon",
        "Forge",
        "Lantern",
        "Orchard",
        "Beacon",
        "Anchor",
        "Willow",
    ]
    second += ["Bridge", "Prairie"]
    names = [f"{a} {b}" for a in first for b in second]
    rng.shuffle(names)
    mentions, records = [], []
    for number in range(20):
        for _ in range(24):
            a, b = rng.sample(names[:120], 2)
            label = rng.choice(
                ["works at", "founded", "acquired", "is located in", "partners with", "invested in"]
            )
            fact = f"{a} {label} {b}."
            mentions += [said(n, fact, doc=f"d{number}", type_="organization") for n in (a, b)]
            records.append(record(a, label, b, f"d{number}"))
    return mentions, records


@pytest.mark.parametrize(
    "embed",
    [same, FakeEmbedder(32).embed_documents, FakeEmbedder(384).embed_documents],
    ids=["alike", "32", "384"],
)
def test_a_corpus_of_like_names_costs_few_calls(embed: Callable[[Sequence[str]], Vectors]) -> None:
    mentions, records = _many_like_names()
    judge = ScriptedJudge()
    result = run(mentions, records, judge=judge, embed=embed)
    assert result.num_calls == len(judge.asked) <= 8
    assert sum(estimate_tokens(p.system + p.user) for p, _, _ in judge.asked) <= 6000
    assert all(estimate_tokens(p.system + p.user) <= 1250 for p, _, _ in judge.asked)
    assert merged(result) == []


def test_the_plan_says_before_what_the_calls_will_cost() -> None:
    mentions, records = _many_like_names()
    given = ConsolidationInput(
        mentions,
        records,
        vectors_of(mention_texts(mentions), same),
        vectors_of(label_texts(records), same),
    )
    plan = plan_consolidation(given)
    judge = ScriptedJudge()
    run(mentions, records, judge=judge)
    assert plan.num_calls == len(judge.asked)
    assert plan.prompt_tokens == sum(estimate_tokens(p.system + p.user) for p, _, _ in judge.asked)


def test_a_plan_can_be_stopped_while_the_rules_are_at_work() -> None:
    mentions = [said("lunar module"), said("LM")]
    steps = []

    def step() -> None:
        steps.append(1)
        if len(steps) == 4:
            raise JobCancelledError("stopped")

    given = ConsolidationInput(
        mentions, [], vectors_of(mention_texts(mentions), same), texts=["LM"] * 9, step=step
    )
    with pytest.raises(JobCancelledError):
        plan_consolidation(given)
    assert len(steps) == 4


# -------------------------------------------------------------------------------------------- calls


def _open_docket(num_blocks: int) -> Docket:
    blocks = tuple(
        ShownBlock((f"pump {n}", f"valve {n}"), (f"pump {n}", f"valve {n}"), (f"d{n}",))
        for n in range(num_blocks)
    )
    return Docket(ENTITIES, blocks, Judged())


class MeetingJudge(ScriptedJudge):
    """Answers once as many calls are under way as were announced."""

    def __init__(self, num_calls: int) -> None:
        super().__init__()
        self.barrier = threading.Barrier(num_calls, timeout=60)

    def ask(
        self,
        prompt: Prompt,
        schema: type[T],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> T:
        self.barrier.wait()
        return super().ask(prompt, schema, stage=stage, max_tokens=max_tokens, documents=documents)


def test_as_many_calls_are_under_way_as_may_be_at_once() -> None:
    judged = ask_judge(
        _open_docket(3), Judging(MeetingJudge(3), one_block_a_call=True, max_concurrency=3)
    )
    assert judged.num_calls == 3
    assert judged.is_complete


def test_a_group_that_is_none_is_told_with_the_first_hundred_and_twenty_letters_of_its_names() -> (
    None
):
    judge = ScriptedJudge(lambda text: [group("x" * 200, "y")])
    judged = ask_judge(_open_docket(1), Judging(judge))
    assert judged.notes == ("a group that is none was passed over: " + "x" * 120,)
    assert judged.groups == {0: ()}


@pytest.mark.parametrize(
    "error", [BudgetError("spent"), ModelUnavailableError("gone"), ModelRefusedError("no key")]
)
def test_after_what_no_other_call_can_mend_none_is_made(error: DynaGragError) -> None:
    judge = ScriptedJudge(lambda text: error)
    judged = ask_judge(_open_docket(3), Judging(judge, one_block_a_call=True))
    assert len(judge.asked) == 1
    assert judged.notes[-1] == "3 blocks of like names were not judged; the next ingest asks again"
    assert not judged.is_complete


class WaitingJudge(ScriptedJudge):
    """Answers once somebody has looked twice how far it is."""

    def __init__(self) -> None:
        super().__init__()
        self.ticks: list[tuple[int, int]] = []
        self.was_looked_at = threading.Event()

    def tick(self, done: int, total: int) -> None:
        self.ticks.append((done, total))
        if self.ticks.count((done, total)) > 1:
            self.was_looked_at.set()

    def ask(
        self,
        prompt: Prompt,
        schema: type[T],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> T:
        assert self.was_looked_at.wait(60)
        self.was_looked_at.clear()
        return super().ask(prompt, schema, stage=stage, max_tokens=max_tokens, documents=documents)


def test_whoever_watches_sees_again_and_again_how_many_calls_are_done() -> None:
    judge = WaitingJudge()
    ask_judge(_open_docket(2), Judging(judge, one_block_a_call=True, tick=judge.tick))
    assert set(judge.ticks) == {(0, 2), (1, 2)}
    assert judge.ticks == sorted(judge.ticks)


class SlowJudge(ScriptedJudge):
    """Takes its time over the second block, once the run was cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.under_way = threading.Event()
        self.was_cancelled = threading.Event()
        self.has_ended = threading.Event()

    def ask(
        self,
        prompt: Prompt,
        schema: type[T],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> T:
        if "pump 1" in prompt.user:
            self.under_way.set()
            assert self.was_cancelled.wait(60)
            time.sleep(0.2)
            self.has_ended.set()
        return super().ask(prompt, schema, stage=stage, max_tokens=max_tokens, documents=documents)


def test_a_run_that_is_cancelled_waits_for_the_call_under_way_and_keeps_what_was_answered() -> None:
    judge, verdicts = SlowJudge(), DictVerdicts()

    def tick(done: int, total: int) -> None:
        if done == 1:
            assert judge.under_way.wait(60)
            judge.was_cancelled.set()
            raise JobCancelledError("stopped")

    with pytest.raises(JobCancelledError):
        ask_judge(
            _open_docket(2), Judging(judge, "judge", verdicts, one_block_a_call=True, tick=tick)
        )
    assert judge.has_ended.is_set()
    assert len(verdicts.texts) == 1


def test_after_a_reply_that_cannot_be_read_the_others_are_asked_all_the_same() -> None:
    judge = ScriptedJudge(lambda text: InvalidReplyError("no JSON") if "pump 0" in text else [])
    judged = ask_judge(_open_docket(3), Judging(judge, one_block_a_call=True))
    assert set(judged.groups) == {1, 2}
    assert judged.notes == ("2 names of 1 blocks stay unmerged: no JSON",)


class StoppedJudge(ScriptedJudge):
    """Is stopped by Ctrl-C at the first block, while its call on another is under way."""

    def __init__(self) -> None:
        super().__init__()
        self.under_way, self.may_end, self.ended = (
            threading.Event(),
            threading.Event(),
            threading.Event(),
        )

    def ask(
        self,
        prompt: Prompt,
        schema: type[T],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> T:
        if "pump 0" in prompt.user:
            assert self.under_way.wait(60)
            raise KeyboardInterrupt
        self.under_way.set()
        self.may_end.wait(5)
        self.ended.set()
        return super().ask(prompt, schema, stage=stage, max_tokens=max_tokens, documents=documents)


def test_after_ctrl_c_nobody_waits_for_the_calls_under_way() -> None:
    judge = StoppedJudge()
    with pytest.raises(KeyboardInterrupt):
        ask_judge(_open_docket(2), Judging(judge, one_block_a_call=True, max_concurrency=2))
    has_waited = judge.ended.is_set()
    judge.may_end.set()
    assert not has_waited
    assert judge.ended.wait(60)


def test_a_reply_has_room_for_every_name_twice_and_the_documents_of_its_blocks() -> None:
    judge = ScriptedJudge()
    docket = _open_docket(2)
    ask_judge(docket, Judging(judge))
    ((_, documents, max_tokens),) = judge.asked
    assert documents == ("d0", "d1")
    assert max_tokens == 150 + 2 * sum(
        estimate_tokens(name) + 4 for block in docket.blocks for name in block.names
    )


def test_verdicts_on_blocks_that_are_no_more_stay_until_all_that_are_is_judged() -> None:
    verdicts = DictVerdicts()
    before, after = (
        [said("compute"), said("compute resources")],
        [said("compute", "new light on it"), said("compute resources")],
    )
    run(before, judge=ScriptedJudge(), verdicts=verdicts)
    old = dict(verdicts.texts)
    run(after, judge=ScriptedJudge(lambda text: InvalidReplyError("no JSON")), verdicts=verdicts)
    assert verdicts.texts == old
    run(after, judge=ScriptedJudge(), verdicts=verdicts)
    assert len(verdicts.texts) == 1
    assert verdicts.texts.keys() != old.keys()


# ------------------------------------------------------------------------------------------ replies

BLOCKS = [
    ShownBlock(names, names) for names in (("pump", "pump a", "fan"), ("pump", "valve", "lid"))
]


def _reply(*members: str, canonical: str = "", inverted: Sequence[str] = ()) -> LabelGroups:
    return LabelGroups.model_validate(
        {"groups": [{**group(*members, canonical=canonical), "inverted": list(inverted)}]}
    )


def test_a_group_is_of_the_block_that_holds_most_of_its_names() -> None:
    assert read_reply(BLOCKS, [0, 1], _reply("pump", "pump a"))[0] == {
        0: (Group(0, (0, 1)),),
        1: (),
    }
    assert read_reply(BLOCKS, [0, 1], _reply("valve", "pump", "fan", "lid"))[0] == {
        0: (),
        1: (Group(1, (0, 1, 2)),),
    }


def test_the_canonical_name_is_the_one_that_the_model_chose_wherever_it_stands() -> None:
    assert read_reply(BLOCKS, [0], _reply("pump", "fan", canonical="fan"))[0] == {
        0: (Group(2, (0, 2)),)
    }
    assert read_reply(BLOCKS, [0], _reply("fan", "pump", canonical="nobody"))[0] == {
        0: (Group(2, (0, 2)),)
    }


def test_a_canonical_name_that_another_group_has_gives_way_to_the_first_member() -> None:
    reply = LabelGroups.model_validate(
        {"groups": [group("pump", "pump a"), group("fan", "lid", canonical="pump")]}
    )
    blocks = [ShownBlock(("pump", "pump a", "fan", "lid"), ("a", "b", "c", "d"))]
    assert read_reply(blocks, [0], reply)[0] == {0: (Group(0, (0, 1)), Group(2, (2, 3)))}


@pytest.mark.parametrize(
    ("reply", "verdict", "unusable"),
    [
        (_reply("pump", "PUMP A "), (Group(0, (0, 1)),), []),  # as keys, where not letter by letter
        (_reply("pump", "pump", "fan"), (Group(0, (0, 2)),), []),
        (_reply("pump", "valve"), (), ["pump, valve"]),
        (_reply("pump"), (), ["pump"]),
        (_reply("pump", "pump"), (), ["pump, pump"]),
        (_reply("pump", "fan", inverted=["fan ", "lid"]), (Group(0, (0, 2), (2,)),), []),
        (_reply("pump", " ", canonical="fan"), (Group(2, (0, 2)),), []),
    ],
)
def test_a_group_has_the_names_of_its_block_that_the_reply_has(
    reply: LabelGroups, verdict: tuple[Group, ...], unusable: list[str]
) -> None:
    assert read_reply(BLOCKS[:1], [0], reply) == ({0: verdict}, unusable)


def test_the_canonical_label_is_never_inverted() -> None:
    assert read_reply(BLOCKS, [0], _reply("pump", "fan", inverted=["pump", "fan"]))[0] == {
        0: (Group(0, (0, 2), (2,)),)
    }
