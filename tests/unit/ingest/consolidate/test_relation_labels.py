"""Relation labels: verb forms by rule, verdicts with inverted members, opposites that never
merge.
"""

from collections.abc import Mapping

import numpy as np
import pytest
from scripted_judge import ScriptedJudge, group, record, run, said, same, vectors_of

from dynagrag.core.schema import CO_OCCURRENCE, LabelMerge
from dynagrag.graph_store.derived.two_step_mean import VectorTable
from dynagrag.ingest.consolidate.relation_labels import (
    LabelPlan,
    count_labels,
    label_texts,
    labels_by_rule,
    labels_may_join,
    merge_labels,
    plan_labels,
)
from dynagrag.ingest.consolidate.shown_block import ShownBlock
from dynagrag.ingest.consolidate.verdicts import Group


def test_verb_forms_merge_by_rule_and_a_passive_flips_the_ends() -> None:
    counts = {
        "owns": 3,
        "owned by": 2,
        "is owned by": 1,
        "works at": 1,
        "worked at": 2,
        "is located in": 1,
        "located in": 2,
        "lives by": 1,
    }
    assert labels_by_rule(counts) == {
        "owned by": ("owns", True),
        "is owned by": ("owns", True),
        "works at": ("worked at", False),
    }
    assert labels_by_rule({"was founded by": 1, "founded by": 2}) == {
        "was founded by": ("founded by", False)
    }


def test_a_passive_without_its_agent_is_no_form_of_the_active() -> None:
    for passive, active in (
        ("was appointed", "appointed"),
        ("is followed", "follows"),
        ("has been hired", "hired"),
        ("is invited to", "invites to"),
    ):
        assert labels_by_rule({passive: 2, active: 3}) == {}


def test_a_verdict_on_labels_joins_them_and_inverts_those_that_it_names() -> None:
    labels = ["owns", "possesses", "belongs to", "is owned by", "mentioned with", "left"]
    records = [record("Acme", label, "Zen") for label in labels] + [record("Acme", "owns", "Bob")]
    judge = ScriptedJudge(
        lambda text: (
            [{**group("owns", "possesses", "belongs to"), "inverted": ["belongs to"]}]
            if "<labels>" in text
            else []
        )
    )
    result = run([said("Acme"), said("Zen"), said("Bob")], records, judge=judge)
    assert result.consolidation.labels == (
        LabelMerge("belongs to", "owns", True, "model"),
        LabelMerge("is owned by", "owns", True, "verb form"),
        LabelMerge("possesses", "owns", False, "model"),
    )
    assert not any("mentioned with" in p.user for p, _, _ in judge.asked)


def test_a_rules_label_follows_its_canonical_label_through_a_verdict() -> None:
    records = [record("Acme", label, "Zen") for label in ("owns", "owns", "owned by", "belongs to")]
    judge = ScriptedJudge(
        lambda text: (
            [{**group("belongs to", "owns"), "inverted": ["owns"]}] if "<labels>" in text else []
        )
    )
    labels = {
        m.label: (m.canonical, m.inverted)
        for m in run([said("Acme"), said("Zen")], records, judge=judge).consolidation.labels
    }
    assert labels == {"owns": ("belongs to", True), "owned by": ("belongs to", False)}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("owns", "does not own"),
        ("flew to", "flew from"),
        ("before", "after"),
        ("opened valve", "closed valve"),
        ("ranked 1 in", "ranked 2 in"),
    ],
)
def test_opposite_labels_never_merge(a: str, b: str) -> None:
    assert not labels_may_join(a, b)
    assert not labels_may_join(b, a)


def _judged_labels(*labels: str, far: str, counts: Mapping[str, int] | None = None) -> LabelPlan:
    """A block of labels all alike but one, so that the guards leave that one out."""
    cosines = np.ones((len(labels), len(labels)), dtype=np.float32)
    cosines[labels.index(far), :] = cosines[:, labels.index(far)] = 0.5
    return LabelPlan({}, counts or dict.fromkeys(labels, 1), (labels,), (), (cosines,))


def test_two_inverted_labels_without_the_chosen_one_say_the_same() -> None:
    plan = _judged_labels("belongs to", "is part of", "owns", far="owns")
    merges, refused = merge_labels(plan, {0: [Group(2, (0, 1, 2), (0, 1))]})
    assert merges == (LabelMerge("is part of", "belongs to", False, "model"),)
    assert refused == ["belongs to / is part of / owns"]


def test_without_the_chosen_label_one_that_is_not_inverted_stands_for_the_others() -> None:
    plan = _judged_labels(
        "belongs to", "has", "owns", far="owns", counts={"belongs to": 9, "has": 1, "owns": 1}
    )
    assert merge_labels(plan, {0: [Group(2, (0, 1, 2), (0,))]})[0] == (
        LabelMerge("belongs to", "has", True, "model"),
    )


def test_a_label_is_shown_with_its_first_example_whatever_the_order_of_the_records() -> None:
    records = [
        record(head, label, "Zen", doc)
        for head, doc in (("Cy", "d1"), ("Acme", "d2"), ("Bob", "d3"))
        for label in ("owns", "has")
    ]
    vectors = vectors_of(label_texts(records), same)
    (block,) = plan_labels(records, vectors, {}).blocks
    assert block.lines == ("has | acme has zen", "owns | acme owns zen")
    assert block.documents == ("d2",)
    assert plan_labels(records[::-1], vectors, {}).blocks == (block,)


def test_an_example_is_shown_in_the_usual_spelling_of_its_names() -> None:
    records = [record("acme", label, "zen") for label in ("owns", "has")] + [
        record("bob", "owns", "zen")
    ]
    (block,) = plan_labels(
        records, vectors_of(label_texts(records), same), {"acme": "Acme Inc.", "zen": "ZEN"}
    ).blocks
    assert block == ShownBlock(
        ("has", "owns"), ("has | Acme Inc. has ZEN", "owns | Acme Inc. owns ZEN"), ("d0",)
    )


@pytest.mark.parametrize(
    ("forms", "canonical"),
    [
        (("manages", "managed"), "managed"),
        (("carries", "carried", "carry"), "carry"),
        (("stops", "stopped", "stopping"), "stops"),
        (("sells to", "selling to"), "sells to"),
        (("calls", "called"), "calls"),
        (("uses", "use"), "use"),
        (("passes", "passed"), "passed"),
        (("buzzed", "buzzes"), "buzzed"),
        (("focus", "focusing"), "focus"),
        (("miss", "missing"), "miss"),
        (("tennis", "tennising"), "tennis"),
    ],
)
def test_forms_of_one_verb_are_one_label(forms: tuple[str, ...], canonical: str) -> None:
    found = labels_by_rule(dict.fromkeys(forms, 1))
    assert found == {form: (canonical, False) for form in forms if form != canonical}


@pytest.mark.parametrize(
    "labels",
    [
        ("us", "u"),
        ("is", "i"),
        ("bus", "bu"),
        ("add", "ad"),
        ("hall", "hal"),
        ("sees", "sing"),
        ("wing", "wed"),
        ("dies", "died"),
        ("passes", "pases"),
    ],
)
def test_other_words_are_other_labels(labels: tuple[str, str]) -> None:
    assert labels_by_rule(dict.fromkeys(labels, 1)) == {}


@pytest.mark.parametrize(
    ("form", "other", "is_inverted"),
    [
        ("owned by", "owns", True),
        ("is owned by", "own", True),
        ("is being owned by", "owning", True),
        ("has been founded by", "founds", True),
        ("had been founded by", "was founded by", False),  # both are passives
        ("has been founded", "was founded", False),
        ("has founded", "founds", False),
        ("had given", "given", False),
        ("have been held in", "held in", False),
        ("is located in", "locates in", None),  # a passive that doesn't say by whom
        ("used by", "uses", None),  # nor are four, which may be a noun's (seed)
        ("asked by", "asks", True),
        ("red by", "reds", None),  # three letters and ed are no verb's form
        ("walked by house", "walks", None),
        ("walked past", "walks", None),
        ("has been", "be", None),
        ("has", "is", None),
        ("has size", "size", None),
        ("by", "is by", False),
    ],
)
def test_a_verb_form_is_another_one_or_its_passive(
    form: str, other: str, is_inverted: bool | None
) -> None:
    counts = {form: 1, other: 2}
    assert labels_by_rule(counts) == ({} if is_inverted is None else {form: (other, is_inverted)})


@pytest.mark.parametrize(
    ("counts", "canonical"),
    [
        ({"manages": 1, "managed": 2, "manage": 2}, "manage"),
        ({"managed by": 9, "manages": 1, "managed": 1}, "managed"),  # rather an active form
        ({"managed by": 1, "is managed by": 1}, "managed by"),
        ({"stops": 2, "stoped": 2}, "stops"),
    ],
)
def test_the_canonical_label_is_the_most_used_active_form(
    counts: dict[str, int], canonical: str
) -> None:
    assert {to for to, _ in labels_by_rule(counts).values()} == {canonical}


def test_a_label_is_counted_in_its_key_form_and_a_co_occurrence_is_none() -> None:
    records = [record("a", label, "b") for label in ("Owns", "owns", "mentioned with", "has")]
    assert count_labels(records) == {"owns": 2, "has": 1}
    assert CO_OCCURRENCE == "mentioned with"


def test_labels_that_no_rule_settles_are_embedded_where_they_are_two() -> None:
    records = [record("a", label, "b") for label in ("owns", "owned by", "has")]
    assert sorted(label_texts(records).values()) == ["has", "owns"]
    assert label_texts(records[:2]) == {}
    assert plan_labels(records[:2], VectorTable.empty(), {}).blocks == ()
    assert plan_labels(records, None, {}) == LabelPlan(
        {"owned by": ("owns", True)}, {"owns": 1, "owned by": 1, "has": 1}, (), (), ()
    )


@pytest.mark.parametrize(
    ("a", "b", "may_join"),
    [
        ("works at", "is employed at", True),
        ("owns", "never owns", False),
        ("doesn't own", "does not own", True),
        ("flew to", "flew from", False),
        ("flew to", "travelled to", True),
        ("to and from", "from and to", True),
        ("lacks", "has", False),
    ],
)
def test_labels_mean_the_same_unless_negation_or_opposites_tell_them_apart(
    a: str, b: str, may_join: bool
) -> None:
    assert labels_may_join(a, b) is labels_may_join(b, a) is may_join


def test_a_group_that_the_guards_leave_whole_is_not_refused() -> None:
    plan = _judged_labels("belongs to", "is part of", "owns", far="owns")
    merges, refused = merge_labels(plan, {0: [Group(0, (0, 1), ())]})
    assert merges == (LabelMerge("is part of", "belongs to", False, "model"),)
    assert refused == []


def test_each_block_has_the_cosines_of_its_own_labels() -> None:
    alike = {"owns": (1.0, 0.0), "holds": (0.96, 0.28), "sees": (0.0, 1.0), "views": (0.28, 0.96)}
    records = [record("Acme", label, "Zen") for label in alike]
    vectors = vectors_of(
        label_texts(records),
        lambda texts: np.array([alike[text] for text in texts], dtype=np.float32),
    )
    plan = plan_labels(records, vectors, {})
    assert sorted(plan.members) == [("holds", "owns"), ("sees", "views")]
    for cosines in plan.cosines:
        assert cosines == pytest.approx(np.array([[1.0, 0.96], [0.96, 1.0]]), abs=1e-5)
