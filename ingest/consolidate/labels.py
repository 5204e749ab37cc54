"""Relation labels: which say the same thing, and which say it the other way round (methods spec, 3.4, step 4).

By rule: forms of one verb (works at / worked at), and its passive, which flips the ends (owned by / owns). The model is asked about what is
near in meaning. Co-occurrences have no label to judge.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.graph_store.derived.canonical import label_key
from dynagrag.graph_store.derived.embedded_texts import CO_OCCURRENCE
from dynagrag.ingest.consolidate.blocking import Pair, cut_into_blocks, near_pairs
from dynagrag.ingest.consolidate.guards import Name, conflict, split_group
from dynagrag.ingest.consolidate.verdicts import Block, Group, distinct_names, one_line
from dynagrag.schema import LabelMerge, RelationRecord, Vectors

_MAX_LABEL = 60
_MAX_EXAMPLE = 70
_AUXILIARIES = frozenset(["is", "are", "was", "were", "be", "been", "being", "am"])
_PERFECT = frozenset(["has", "have", "had"])
_NEGATIONS = frozenset(["not", "no", "never", "without", "cannot", "n't", "isn't", "doesn't", "didn't", "won't", "wasn't", "lacks"])
_OPPOSITES = (
    "from to", "into out", "above below over under", "before after", "starts start started begins stops stop stopped ends ended finishes",
    "opens opened open closes closed close", "increases increased raises raised decreases decreased lowers lowered reduces reduced",
    "gains gained loses lost", "buys bought sells sold", "sends sent receives received", "teaches learns", "enters leaves entered left",
    "likes dislikes loves hates", "supports opposes", "parent child", "turned turns",
)  # fmt: skip
_SIDE = {word: i for i, words in enumerate(_OPPOSITES) for word in words.split()}


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """What rules settled, and the blocks that only a model can: positions in a block are positions in `members[block]`, a label each."""

    by_rule: Mapping[str, tuple[str, bool]]
    counts: Mapping[str, int]
    members: tuple[tuple[str, ...], ...]
    blocks: tuple[Block, ...]
    vectors: Mapping[str, int]
    cosines: Vectors | None


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

    The canonical label is the most used active form (ties: shortest, alphabetical); passives alone stay as they are.
    """
    forms: dict[tuple[str, ...], list[tuple[str, bool]]] = defaultdict(list)
    for label in counts:
        stems, is_passive = _verb_form(label)
        forms[stems].append((label, is_passive))
    merged: dict[str, tuple[str, bool]] = {}
    for group in forms.values():
        actives = [label for label, is_passive in group if not is_passive]
        canonical = min(actives or [label for label, _ in group], key=lambda label: (-counts[label], len(label), label))
        for label, is_passive in group:
            if label != canonical:
                merged[label] = (canonical, is_passive and bool(actives))
    return merged


def _verb_form(label: str) -> tuple[tuple[str, ...], bool]:
    """(stems without auxiliaries, whether it is a passive with its "by"): was founded by -> (found,), True."""
    words = label.split()
    has_be = False
    while len(words) > 1 and words[0] in _AUXILIARIES:
        words, has_be = words[1:], True
    if len(words) > 1 and words[0] in _PERFECT and words[1].endswith(("ed", "en")):
        has_be = has_be or "been" in words
        words = [w for w in words[1:] if w != "been"] or words
    is_passive = len(words) == 2 and words[1] == "by" and words[0].endswith("ed") and len(words[0]) > 4
    if is_passive:
        words = words[:1]
    elif has_be and words[0].endswith(("ed", "en")):
        # "was appointed" without its "by" is no form of "appointed": merged without a flip it would invert the fact
        return ("be", _stem(words[0]), *words[1:]), False
    return (_stem(words[0]), *words[1:]), is_passive


def _stem(word: str) -> str:
    for ending, put in (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word[: -len(ending)] + put
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word.removesuffix("e")


def plan_labels(records: Sequence[RelationRecord], embed: Callable[[Sequence[str]], Vectors] | None, shown: Mapping[str, str]) -> LabelPlan:
    """Settles labels by rule and cuts the rest into blocks. `embed` None: rules only. `shown`: key -> name, for the examples."""
    counts = count_labels(records)
    by_rule = labels_by_rule(counts)
    labels = sorted(set(counts) - set(by_rule))
    if embed is None or len(labels) < 2:
        return LabelPlan(by_rule, counts, (), (), {}, None)
    vectors = embed(labels)
    pairs = [Pair(i, j, round(c, 6)) for i, j, c in near_pairs(vectors) if labels_may_join(labels[i], labels[j])]
    blocks = cut_into_blocks(pairs)
    examples = _examples(records, {labels[i] for block in blocks for i in block}, shown)
    members = tuple(tuple(labels[i] for i in block) for block in blocks)
    judged = tuple(_block(m, examples) for m in members)
    used = sorted({label for m in members for label in m})
    rows = {label: i for i, label in enumerate(used)}
    some = vectors[[labels.index(label) for label in used]] if used else vectors[:0]
    return LabelPlan(by_rule, counts, members, judged, rows, some @ some.T)


def _block(labels: Sequence[str], examples: Mapping[str, tuple[str, str]]) -> Block:
    names = distinct_names(labels, _MAX_LABEL)
    lines = tuple(f"{name} | {one_line(examples[label][0], _MAX_EXAMPLE)}" for name, label in zip(names, labels, strict=True))
    return Block(names, lines, tuple(sorted({examples[label][1] for label in labels})))


def _examples(records: Sequence[RelationRecord], labels: set[str], shown: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """For each label an example and its document: the alphabetically first, which depends on no order."""
    keys: dict[str, str] = {}
    best: dict[str, tuple[str, str]] = {}
    for record in records:
        label = keys.setdefault(record.label, label_key(record.label))
        if label in labels:
            text = f"{shown.get(record.head, record.head)} {label} {shown.get(record.tail, record.tail)}"
            best[label] = min(best.get(label, (text, record.document_id)), (text, record.document_id))
    return best


def labels_may_join(a: str, b: str) -> bool:
    """Whether nothing speaks against two labels meaning the same: numbers, negations and opposites must agree."""
    left, right = set(a.split()), set(b.split())
    if conflict(Name(a), Name(b)) is not None or bool(left & _NEGATIONS) != bool(right & _NEGATIONS):
        return False
    return not any(x != y and _SIDE.get(x, -1) == _SIDE.get(y, -2) for x in left - right for y in right - left)


def merge_labels(plan: LabelPlan, verdicts: Mapping[int, Sequence[Group]]) -> tuple[tuple[LabelMerge, ...], list[str]]:
    """The label merges of rules and verdicts together, and the groups that a guard cut, in words."""
    of: dict[str, tuple[str, bool, str]] = {label: (to, inverted, "verb form") for label, (to, inverted) in plan.by_rule.items()}
    refused: list[str] = []
    for number, groups in sorted(verdicts.items()):
        for group in groups:
            labels = plan.members[number]
            members = [plan.vectors[labels[p]] for p in group.members]
            names = {plan.vectors[labels[p]]: labels[p] for p in group.members}
            inverted = {labels[p] for p in group.inverted}
            assert plan.cosines is not None  # there are blocks only where labels were embedded
            parts = split_group(members, _label_guard(names), plan.cosines, [1] * len(plan.vectors))
            if len(parts) > 1:
                refused.append(" / ".join(sorted(names.values())))
            for part in parts:
                _merge_part([names[i] for i in part], labels[group.canonical], inverted, plan.counts, of)
    for label, (to, is_inverted) in plan.by_rule.items():  # a rule's canonical label may have been merged by a verdict
        if to in of:
            further, flips, _ = of[to]
            of[label] = (further, is_inverted != flips, "verb form+model")
    return tuple(LabelMerge(label, to, inverted, rule) for label, (to, inverted, rule) in sorted(of.items())), refused


def _label_guard(names: Mapping[int, str]) -> Callable[[int, int], bool]:
    return lambda i, j: labels_may_join(names[i], names[j])


def _merge_part(
    part: Sequence[str], chosen: str, inverted: set[str], counts: Mapping[str, int], of: dict[str, tuple[str, bool, str]]
) -> None:
    if len(part) < 2:
        return
    canonical = chosen if chosen in part else min(part, key=lambda label: (label in inverted, -counts[label], len(label), label))
    for label in part:
        if label != canonical:
            of[label] = (canonical, (label in inverted) != (canonical in inverted), "model")
