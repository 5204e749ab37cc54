"""Which keys stand for one entity and which labels for one relation (methods spec, 3.4): rules first, the model only for what is left.

    keys -> safe rules -> candidate pairs -> blocks of at most 25 -> verdicts (kept by what was seen) -> guards -> merges

Every merge names its rule and what was seen, and can be undone: nothing is changed but the view that `derive` makes. Without a judge only
rules and verdicts that are kept already merge.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dynagrag.graph_store.derived.canonical import effective_edits, kept_apart, make_merge
from dynagrag.graph_store.derived.two_step_mean import VectorTable, group_means, key_vectors
from dynagrag.ids import estimate_tokens
from dynagrag.ingest.consolidate.blocking import candidate_pairs, cut_into_blocks
from dynagrag.ingest.consolidate.guards import MIN_GROUP_COSINE, Name, conflict, split_group
from dynagrag.ingest.consolidate.labels import LabelPlan, merge_labels, plan_labels
from dynagrag.ingest.consolidate.safe_rules import SafeName, safe_merges
from dynagrag.ingest.consolidate.verdicts import (
    ENTITIES,
    LABELS,
    Block,
    Group,
    Judge,
    Judged,
    VerdictStore,
    ask_blocks,
    distinct_names,
    one_line,
    pack,
    stored_verdicts,
)
from dynagrag.schema import Consolidation, Edit, EditKind, Flag, Mention, MentionKind, Merge, RelationRecord, Vectors
from dynagrag.vectors import unit_rows

__all__ = ["ConsolidationPlan", "ConsolidationResult", "Judge", "VerdictStore", "consolidate", "decide", "plan_consolidation"]

_MAX_NAME = 60
_MAX_TYPE = 20
_MAX_SUMMARY = 70
_MAX_NEIGHBOUR = 24
_NUM_NEIGHBOURS = 3

Embed = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True, slots=True)
class _Group:
    """Keys that rules made one: what a model sees as one name. `name` is the canonical key's."""

    name: Name
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConsolidationPlan:
    """What rules settled, and what a model would be asked: `num_calls` of `prompt_tokens` in all, after what is known already."""

    merges: tuple[Merge, ...]
    groups: tuple[_Group, ...]
    members: tuple[tuple[int, ...], ...]
    blocks: tuple[Block, ...]
    cosines: tuple[Vectors, ...]
    apart: frozenset[tuple[str, str]]
    names: Mapping[str, Name]
    labels: LabelPlan
    known: Judged
    known_labels: Judged
    num_calls: int
    prompt_tokens: int
    one_block_a_call: bool


@dataclass(frozen=True, slots=True)
class ConsolidationResult:
    """The merges, and how they came about. `notes`: what was refused or left open, for the report."""

    consolidation: Consolidation
    notes: tuple[str, ...]
    num_blocks: int
    num_cached: int
    num_calls: int
    num_refused: int


def consolidate(
    mentions: Sequence[Mention],
    records: Sequence[RelationRecord],
    *,
    mention_vectors: VectorTable,
    embed: Embed,
    judge: Judge | None = None,
    judge_name: str = "",
    verdicts: VerdictStore | None = None,
    edits: Iterable[Edit] = (),
    texts: Iterable[str] = (),
    one_block_a_call: bool = False,
    max_concurrency: int = 1,
) -> ConsolidationResult:
    """Plans and decides in one go.

    Args:
        mentions: The mentions that count (`derive.counting_mentions`).
        records: The relation records of their keys.
        mention_vectors: By text id, as for `derive`.
        embed: Embeds relation labels; called only where a model or a verdict could use it.
        judge: Asked about ambiguous names; None: rules and kept verdicts only.
        judge_name: The judge's identity; a verdict of another one is not used while there is a judge.
        verdicts: Where verdicts are kept.
        edits: A person's corrections: what was told apart or joined by hand is not judged.
        texts: Where acronyms may be defined; none: no such rule.
        one_block_a_call: For small models.
        max_concurrency: Calls at once.

    Never raises for a model's failure or a spent budget: the names concerned stay unmerged, and `notes` says so.
    """
    plan = plan_consolidation(
        mentions,
        records,
        mention_vectors=mention_vectors,
        embed=embed,
        judge_name=judge_name if judge is not None else None,
        can_judge=judge is not None or verdicts is not None,
        verdicts=verdicts,
        edits=edits,
        texts=texts,
        one_block_a_call=one_block_a_call,
    )
    return decide(plan, judge=judge, judge_name=judge_name, verdicts=verdicts, max_concurrency=max_concurrency)


def plan_consolidation(
    mentions: Sequence[Mention],
    records: Sequence[RelationRecord],
    *,
    mention_vectors: VectorTable,
    embed: Embed,
    judge_name: str | None = None,
    can_judge: bool = True,
    verdicts: VerdictStore | None = None,
    edits: Iterable[Edit] = (),
    texts: Iterable[str] = (),
    one_block_a_call: bool = False,
    min_cosine: float = MIN_GROUP_COSINE,
) -> ConsolidationPlan:
    """Everything but the calls. `can_judge` False skips the search for candidates, which only a verdict could settle. Candidates below
    `min_cosine`, -1 to 1, are not judged; less than the guards' own bound changes nothing.
    """
    edits = tuple(edits)
    names = _safe_names(mentions)
    by_key = {n.name.key: n.name for n in names}
    apart = frozenset(pair for keys in kept_apart(edits) for pair in combinations(sorted(set(keys)), 2))
    merges = safe_merges(names, lambda a, b: (min(a, b), max(a, b)) not in apart, texts)
    named = {m.key for m in mentions if Flag.CONTENT_WORD not in m.flags}
    groups = [g for g in _groups(names, merges) if not named.isdisjoint(g.keys)]  # plain words are the rules' alone: too many to judge
    shown = {n.name.key: n.surface for n in names}
    labels = plan_labels(records, embed if can_judge else None, shown)
    members: list[tuple[int, ...]] = []
    cosines: list[Vectors] = []
    blocks: list[Block] = []
    if can_judge and len(groups) > 1:
        vectors = _group_vectors(mentions, groups, mention_vectors)
        pairs = [
            p
            for p in candidate_pairs([g.name for g in groups], vectors)
            if p.cosine >= min_cosine and _may_join(groups[p.i], groups[p.j], by_key, frozenset())
        ]
        # Blocks are cut as if nobody had corrected anything, so that a correction leaves the verdicts on all other names in force.
        is_open = _open_pairs(groups, by_key, apart, edits)
        members = [tuple(block) for block in cut_into_blocks(pairs) if any(is_open(i, j) for i, j in combinations(block, 2))]
        cosines = [vectors[list(block)] @ vectors[list(block)].T for block in members]
        blocks = _blocks(members, groups, mentions, records, shown)
    known = stored_verdicts(ENTITIES, blocks, verdicts, judge_name)
    known_labels = stored_verdicts(LABELS, labels.blocks, verdicts, judge_name)
    prompts = [
        kind.prompt([some[n] for n in call])
        for kind, some, settled in ((ENTITIES, blocks, known), (LABELS, list(labels.blocks), known_labels))
        for call in pack(kind, some, [n for n in range(len(some)) if n not in settled.groups], one_block_a_call)
    ]
    return ConsolidationPlan(
        merges=tuple(merges),
        groups=tuple(groups),
        members=tuple(members),
        blocks=tuple(blocks),
        cosines=tuple(cosines),
        apart=apart,
        names=by_key,
        labels=labels,
        known=known,
        known_labels=known_labels,
        num_calls=len(prompts),
        prompt_tokens=sum(estimate_tokens(p.system + p.user) for p in prompts),
        one_block_a_call=one_block_a_call,
    )


def decide(
    plan: ConsolidationPlan, *, judge: Judge | None, judge_name: str = "", verdicts: VerdictStore | None = None, max_concurrency: int = 1
) -> ConsolidationResult:
    """Asks what the plan leaves open (nothing without a judge), guards the verdicts, and makes the merges."""
    judged, judged_labels = plan.known, plan.known_labels
    if judge is not None:
        for kind, blocks, known in ((ENTITIES, plan.blocks, judged), (LABELS, plan.labels.blocks, judged_labels)):
            ask_blocks(
                kind,
                blocks,
                known,
                judge=judge,
                judge_name=judge_name,
                verdicts=verdicts,
                one_block_a_call=plan.one_block_a_call,
                max_concurrency=max_concurrency,
            )
        if verdicts is not None and judged.is_complete and judged_labels.is_complete:
            verdicts.keep_verdicts([*judged.keys, *judged_labels.keys])
    merges, refused = _guarded_merges(plan, judged.groups)
    labels, refused_labels = merge_labels(plan.labels, judged_labels.groups)
    notes = [*judged.notes, *judged_labels.notes]
    if refused or refused_labels:
        few = "; ".join([*refused, *refused_labels][:3])
        notes.append(f"{len(refused) + len(refused_labels)} groups that the model proposed were cut by guards, e.g. {few}")
    return ConsolidationResult(
        consolidation=Consolidation((*plan.merges, *merges), labels),
        notes=tuple(notes),
        num_blocks=len(plan.blocks) + len(plan.labels.blocks),
        num_cached=judged.num_cached + judged_labels.num_cached,
        num_calls=judged.num_calls + judged_labels.num_calls,
        num_refused=len(refused) + len(refused_labels),
    )


def _guarded_merges(plan: ConsolidationPlan, verdicts: Mapping[int, Sequence[Group]]) -> tuple[list[Merge], list[str]]:
    """Merges of the verdicts' groups as far as the guards let them; and the groups that a guard cut, in words."""
    merges: list[Merge] = []
    refused: list[str] = []
    for number, groups in sorted(verdicts.items()):
        block = [plan.groups[i] for i in plan.members[number]]
        sizes = [len(g.keys) for g in block]
        for group in groups:
            parts = split_group(group.members, _block_guard(block, plan), plan.cosines[number], sizes)
            if len(parts) > 1:
                refused.append(" / ".join(block[i].name.key for i in group.members))
            for part in parts:
                if len(part) > 1:
                    canonical = block[group.canonical if group.canonical in part else part[0]].name.key
                    saw = "\n".join(plan.blocks[number].lines[i] for i in part)
                    merges.append(make_merge([k for i in part for k in block[i].keys], canonical, "model", saw))
    return merges, refused


def _block_guard(block: Sequence[_Group], plan: ConsolidationPlan) -> Callable[[int, int], bool]:
    return lambda i, j: _may_join(block[i], block[j], plan.names, plan.apart)


def _may_join(a: _Group, b: _Group, names: Mapping[str, Name], apart: frozenset[tuple[str, str]]) -> bool:
    return all((min(x, y), max(x, y)) not in apart and conflict(names[x], names[y]) is None for x in a.keys for y in b.keys)


def _open_pairs(
    groups: Sequence[_Group], names: Mapping[str, Name], apart: frozenset[tuple[str, str]], edits: Sequence[Edit]
) -> Callable[[int, int], bool]:
    """Whether two groups may be one for all that a person said: neither told apart nor joined by hand."""
    joined = _joined_by_hand(edits)

    def is_open(i: int, j: int) -> bool:
        is_joined = joined.get(groups[i].name.key, -1) == joined.get(groups[j].name.key, -2)
        return not is_joined and _may_join(groups[i], groups[j], names, apart)

    return is_open


def _joined_by_hand(edits: Sequence[Edit]) -> dict[str, int]:
    """Keys that a person merged -> which edit; two keys of one edit need no verdict."""
    return {key: i for i, e in enumerate(effective_edits(edits)) if e.kind is EditKind.MERGE for key in e.keys}


def _safe_names(mentions: Sequence[Mention]) -> list[SafeName]:
    """The keys in alphabetical order, with their usual type and spelling (ties: shortest, alphabetical)."""
    types: dict[str, Counter[str]] = defaultdict(Counter)
    surfaces: dict[str, Counter[str]] = defaultdict(Counter)
    weights: Counter[str] = Counter()
    speakers: set[str] = set()
    for m in mentions:
        surfaces[m.key][m.name] += 1
        if m.type:
            types[m.key][m.type] += 1
        if m.kind is MentionKind.SPEAKER:
            speakers.add(m.key)
        weights[m.key] += m.kind is MentionKind.SAID
    return [
        SafeName(Name(key, _usual(types[key]) if key in types else "", key in speakers), _usual(surfaces[key]), weights[key])
        for key in sorted(surfaces)
    ]


def _usual(counts: Mapping[str, int]) -> str:
    return min(counts, key=lambda text: (-counts[text], len(text), text))


def _groups(names: Sequence[SafeName], merges: Sequence[Merge]) -> list[_Group]:
    absorbed = {key: m for m in merges for key in m.members}
    groups = []
    for name in names:
        merge = absorbed.get(name.name.key)
        if merge is None or merge.canonical == name.name.key:
            groups.append(_Group(name.name, merge.members if merge else (name.name.key,)))
    return groups


def _group_vectors(mentions: Sequence[Mention], groups: Sequence[_Group], vectors: VectorTable) -> Vectors:
    """(n, d) unit rows: the mean of e_k over each group's keys."""
    table = key_vectors(mentions, vectors)
    rows = table.find([key for g in groups for key in g.keys])
    numbers = np.repeat(np.arange(len(groups), dtype=np.int64), [len(g.keys) for g in groups])
    return unit_rows(group_means(table.array, rows, numbers, len(groups)))


def _blocks(
    members: Sequence[Sequence[int]],
    groups: Sequence[_Group],
    mentions: Sequence[Mention],
    records: Sequence[RelationRecord],
    shown: Mapping[str, str],
) -> list[Block]:
    """What the model sees: of each name its type, its longest summary and the three names that it most often occurs with."""
    group_of = {key: i for block in members for i in block for key in groups[i].keys}
    summaries: dict[int, set[str]] = defaultdict(set)
    documents: dict[int, set[str]] = defaultdict(set)
    neighbours: dict[int, Counter[str]] = defaultdict(Counter)
    for m in mentions:
        if (i := group_of.get(m.key)) is not None:
            documents[i].add(m.document_id)
            if m.summary:
                summaries[i].add(m.summary)
    for r in records:
        for key, other in ((r.head, r.tail), (r.tail, r.head)):
            if (i := group_of.get(key)) is not None and other not in groups[i].keys:
                neighbours[i][other] += 1
                documents[i].add(r.document_id)
    blocks = []
    for block in members:
        names = distinct_names([shown[groups[i].name.key] for i in block], _MAX_NAME)
        lines = tuple(_line(n, groups[i].name.type, summaries[i], neighbours[i], shown) for n, i in zip(names, block, strict=True))
        blocks.append(Block(names, lines, tuple(sorted({d for i in block for d in documents[i]}))))
    return blocks


def _line(name: str, type_: str, summaries: set[str], neighbours: Mapping[str, int], shown: Mapping[str, str]) -> str:
    line = f"{name} ({one_line(type_, _MAX_TYPE)})" if type_ else name
    if summaries:
        line += ": " + one_line(min(summaries, key=lambda s: (-len(s), s)), _MAX_SUMMARY)
    most = sorted(neighbours, key=lambda k: (-neighbours[k], k))[:_NUM_NEIGHBOURS]
    if most:
        line += " | " + ", ".join(one_line(shown.get(k, k), _MAX_NEIGHBOUR) for k in most)
    return line
