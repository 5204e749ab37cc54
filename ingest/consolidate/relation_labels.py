"""Relation labels: which say the same thing, and which say it the other way round.

By rule: forms of one verb (works at / worked at), and its passive, which flips the ends (owned by /
owns). The model is asked about what is near in meaning. Co-occurrences have no label to judge.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dynagrag.core.schema import (
    CO_OCCURRENCE,
    UNMEASURED,
    CosineScale,
    LabelMerge,
    RelationRecord,
    Vectors,
)
from dynagrag.graph_store.derived.canonical import label_key
from dynagrag.graph_store.derived.embedded_texts import text_id
from dynagrag.graph_store.derived.two_step_mean import VectorTable
from dynagrag.ingest.consolidate.blocking import CandidatePair, cut_into_blocks, near_pairs
from dynagrag.ingest.consolidate.guards import Name, conflict, split_group
from dynagrag.ingest.consolidate.shown_block import ShownBlock, distinct_names, fenced_excerpt
from dynagrag.ingest.consolidate.verdicts import Group
from dynagrag.language.english.data import groups_of, words_of
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.word_class import WordClass

_MAX_LABEL = 60
_MAX_EXAMPLE = 70
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", ""))
_AUXILIARIES = words_of(WordClass.BE)
_PERFECT = words_of(WordClass.HAVE)
_NEGATIONS = words_of(WordClass.NEGATION, WordClass.NEGATED_AUXILIARY) | {"n't", "lacks"}
_SIDE = {
    word: side for side, group in enumerate(groups_of(GroupKind.OPPOSED_LABELS)) for word in group
}


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """The labels that rules settled, and the blocks that only a model can.

    Block n holds the labels `members[n]`, whose cosines, (m, m) and as MiniLM's would be, are
    `cosines[n]`. `by_rule`: as
    `labels_by_rule` gives it.
    """

    by_rule: Mapping[str, tuple[str, bool]]
    counts: Mapping[str, int]
    members: tuple[tuple[str, ...], ...]
    blocks: tuple[ShownBlock, ...]
    cosines: tuple[Vectors, ...]


def count_labels(records: Iterable[RelationRecord]) -> Counter[str]:
    """How often each label is used, in its key form; co-occurrences left out."""
    raw = Counter(r.label for r in records)
    counts: Counter[str] = Counter()
    for label, number in raw.items():
        counts[label_key(label)] += number
    del counts[CO_OCCURRENCE]
    return counts


def labels_by_rule(counts: Mapping[str, int]) -> dict[str, tuple[str, bool]]:
    """label -> (canonical label, whether it is inverted), for labels that a rule merges.

    The canonical label is the most used active form (ties: shortest, alphabetical); passives alone
    stay as they are.
    """
    forms: dict[tuple[str, ...], list[tuple[str, bool]]] = defaultdict(list)
    for label in counts:
        stems, is_passive = _verb_form(label)
        forms[stems].append((label, is_passive))
    merged: dict[str, tuple[str, bool]] = {}
    for group in forms.values():
        actives = [label for label, is_passive in group if not is_passive]
        canonical = min(
            actives or [label for label, _ in group],
            key=lambda label: (-counts[label], len(label), label),
        )
        for label, is_passive in group:
            if label != canonical:
                merged[label] = (canonical, is_passive and bool(actives))
    return merged


def _verb_form(label: str) -> tuple[tuple[str, ...], bool]:
    """(stems without auxiliaries, whether it is a passive with its "by"): was founded by ->
    (found,), True.
    """
    words = label.split()
    has_be = False
    while len(words) > 1 and words[0] in _AUXILIARIES:
        words, has_be = words[1:], True
    if len(words) > 1 and words[0] in _PERFECT and words[1].endswith(("ed", "en")):
        has_be = has_be or "been" in words
        words = [w for w in words[1:] if w != "been"] or words
    is_passive = (
        len(words) == 2 and words[1] == "by" and words[0].endswith("ed") and len(words[0]) > 4
    )
    if is_passive:
        words = words[:1]
    elif has_be and words[0].endswith(("ed", "en")):
        # "was appointed" without its "by" is no form of "appointed": merged without a flip it would
        # invert the fact
        return ("be", _stem(words[0]), *words[1:]), False
    return (_stem(words[0]), *words[1:]), is_passive


def _stem(word: str) -> str:
    if not word.endswith(("ss", "us", "is")):
        for ending, put in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)] + put
                break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word.removesuffix("e")


def label_texts(records: Iterable[RelationRecord]) -> dict[str, str]:
    """The labels that are to be embedded, by text id: those that no rule merges, where they are two
    or more.
    """
    counts = count_labels(records)
    return {text_id(label): label for label in _unsettled(counts, labels_by_rule(counts))}


def plan_labels(
    records: Sequence[RelationRecord],
    vectors: VectorTable | None,
    surfaces: Mapping[str, str],
    scale: CosineScale = UNMEASURED,
) -> LabelPlan:
    """Settles labels by rule and cuts the rest into blocks.

    Args:
        records: With their labels as stated.
        vectors: Those of `label_texts`, by text id; None: rules only.
        surfaces: The usual spelling of keys, for the examples.
        scale: Of the vectors' cosines.
    """
    counts = count_labels(records)
    by_rule = labels_by_rule(counts)
    labels = _unsettled(counts, by_rule)
    if vectors is None or not labels:
        return LabelPlan(by_rule, counts, (), (), ())
    rows = vectors.array[vectors.find([text_id(label) for label in labels])]
    pairs = [
        CandidatePair(i, j, round(c, 6))
        for i, j, c in near_pairs(rows, scale)
        if labels_may_join(labels[i], labels[j])
    ]
    blocks = cut_into_blocks(pairs)
    members = tuple(tuple(labels[i] for i in block) for block in blocks)
    examples = _examples(records, {label for block in members for label in block}, surfaces)
    used = sorted({i for block in blocks for i in block})
    place = {i: at for at, i in enumerate(used)}
    some = rows[np.array(used, dtype=np.int64)]
    cosines = scale.of_names(some @ some.T)  # one product: its last bits depend on the shape
    shown = []
    for own in members:
        names = distinct_names(own, _MAX_LABEL)
        excerpts = [fenced_excerpt(examples[label][0], _MAX_EXAMPLE) for label in own]
        lines = [f"{name} | {excerpt}" for name, excerpt in zip(names, excerpts, strict=True)]
        documents = sorted({examples[label][1] for label in own})
        shown.append(ShownBlock(names, tuple(lines), tuple(documents)))
    return LabelPlan(
        by_rule,
        counts,
        members,
        tuple(shown),
        tuple(cosines[np.ix_(at, at)] for at in ([place[i] for i in block] for block in blocks)),
    )


def _unsettled(counts: Iterable[str], by_rule: Container[str]) -> list[str]:
    """The labels that only a model could merge, in alphabetical order; a lone one with nothing."""
    labels = sorted(label for label in counts if label not in by_rule)
    return labels if len(labels) > 1 else []


def _examples(
    records: Sequence[RelationRecord], labels: set[str], surfaces: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """For each label its alphabetically first example, so that order doesn't matter, and the
    example's document.
    """
    keys: dict[str, str] = {}
    best: dict[str, tuple[str, str]] = {}
    for record in records:
        label = keys.setdefault(record.label, label_key(record.label))
        if label in labels:
            head, tail = (surfaces.get(key, key) for key in (record.head, record.tail))
            example = (f"{head} {label} {tail}", record.document_id)
            best[label] = min(best.get(label, example), example)
    return best


def labels_may_join(a: str, b: str) -> bool:
    """Whether nothing speaks against two labels meaning the same: numbers, negations and opposites
    must agree.
    """
    left, right = set(a.split()), set(b.split())
    if left.isdisjoint(_NEGATIONS) != right.isdisjoint(_NEGATIONS):
        return False
    sides = {_SIDE[word] for word in left - right if word in _SIDE}
    is_opposed = any(_SIDE.get(word) in sides for word in right - left)
    return not is_opposed and conflict(Name(a), Name(b)) is None


def merge_labels(
    plan: LabelPlan, verdicts: Mapping[int, Sequence[Group]]
) -> tuple[tuple[LabelMerge, ...], list[str]]:
    """The label merges of rules and verdicts together, and the groups that a guard cut, in
    words.
    """
    merges = {
        label: LabelMerge(label, to, inverted, "verb form")
        for label, (to, inverted) in plan.by_rule.items()
    }
    refused: list[str] = []
    for number, groups in sorted(verdicts.items()):
        labels = plan.members[number]

        def may_join(i: int, j: int, labels: Sequence[str] = labels) -> bool:
            return labels_may_join(labels[i], labels[j])

        for group in groups:
            parts = split_group(
                group.members,
                may_join,
                plan.cosines[number],
                [1] * len(labels),
            )
            if len(parts) > 1:
                refused.append(" / ".join(sorted(labels[i] for i in group.members)))
            for part in parts:
                made = _merge_part(part, group, labels, plan.counts)
                merges.update((merge.label, merge) for merge in made)
    # A rule's canonical label may have been merged by a verdict.
    for label, (to, is_inverted) in plan.by_rule.items():
        if to in merges:
            merges[label] = LabelMerge(
                label, merges[to].canonical, is_inverted != merges[to].inverted, "verb form+model"
            )
    return tuple(merge for _, merge in sorted(merges.items())), refused


def _merge_part(
    part: Sequence[int], group: Group, labels: Sequence[str], counts: Mapping[str, int]
) -> Iterator[LabelMerge]:
    """Merges into the label that the model chose; where that is in another part, into the most
    used, rather one that isn't inverted.
    """

    def rank(i: int) -> tuple[bool, int, int, str]:
        return i in group.inverted, -counts[labels[i]], len(labels[i]), labels[i]

    canonical = group.canonical if group.canonical in part else min(part, key=rank)
    for i in part:
        if i != canonical:
            yield LabelMerge(
                labels[i],
                labels[canonical],
                (i in group.inverted) != (canonical in group.inverted),
                "model",
            )
