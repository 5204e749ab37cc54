"""What consolidation would do, before a model is asked: the merges of the rules, and the blocks of
names that are left for a judge.

keys -> safe rules -> groups -> candidate pairs -> blocks of at most 25 -> the verdicts that are
kept
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from dynagrag.core.ids import estimate_tokens
from dynagrag.core.schema import Edit, EditKind, Flag, Mention, Merge, RelationRecord, Vectors
from dynagrag.core.vectors import unit_rows
from dynagrag.graph_store.derived.canonical import effective_edits, kept_apart
from dynagrag.graph_store.derived.glossary import read_glossary
from dynagrag.graph_store.derived.two_step_mean import VectorTable, group_means, key_vectors
from dynagrag.ingest.consolidate.blocking import candidate_pairs, cut_into_blocks
from dynagrag.ingest.consolidate.guards import MIN_GROUP_COSINE, MergeGuard
from dynagrag.ingest.consolidate.judging import NOBODY, Docket, Judging
from dynagrag.ingest.consolidate.labels import LabelPlan, plan_labels
from dynagrag.ingest.consolidate.safe_rules import SafeGroup, safe_groups, safe_merges
from dynagrag.ingest.consolidate.shown_block import name_blocks
from dynagrag.ingest.consolidate.used_names import used_names
from dynagrag.ingest.consolidate.verdicts import ENTITIES, LABELS


@dataclass(frozen=True, slots=True)
class ConsolidationInput:
    """What is consolidated.

    Args:
        mentions: The mentions that count (`derive.counting_mentions`).
        records: The relation records of their keys.
        mention_vectors: By text id, as for `derive`.
        label_vectors: Those of `labels.label_texts`, by text id.
        edits: A person's corrections: what was told apart or joined by hand is not judged.
        texts: Where acronyms may be defined; none: no such rule.
        step: Called again and again while rules are at work; may raise.
    """

    mentions: Sequence[Mention]
    records: Sequence[RelationRecord]
    mention_vectors: VectorTable
    label_vectors: VectorTable = field(default_factory=VectorTable.empty)
    edits: Sequence[Edit] = ()
    texts: Sequence[str] = ()
    step: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class CandidateBlock:
    """Groups of keys that may be one entity, with the (n, n) cosines of their vectors."""

    groups: tuple[SafeGroup, ...]
    cosines: Vectors


@dataclass(frozen=True, slots=True)
class ConsolidationPlan:
    """What rules settled, and what a model would be asked: `num_calls` of `prompt_tokens` in all,
    after what is known already.

    `groups`: all that a model might be asked about; block n of `blocks` is block n of
    `name_docket`.
    """

    merges: tuple[Merge, ...]
    groups: tuple[SafeGroup, ...]
    guard: MergeGuard
    blocks: tuple[CandidateBlock, ...]
    labels: LabelPlan
    name_docket: Docket
    label_docket: Docket
    num_calls: int
    prompt_tokens: int


def plan_consolidation(
    given: ConsolidationInput,
    judging: Judging = NOBODY,
    *,
    finds_candidates: bool = True,
    min_cosine: float = MIN_GROUP_COSINE,
) -> ConsolidationPlan:
    """Everything but the calls.

    Args:
        given: What is consolidated.
        judging: Where verdicts are kept, whose count, and how blocks are packed into calls.
        finds_candidates: False skips the search for what only a verdict could settle.
        min_cosine: Candidates below, -1 to 1, are not judged; less than the guards' own bound
        changes nothing.
    """
    names = used_names(given.mentions)
    surfaces = {name.key: name.surface for name in names}
    guard = MergeGuard(
        {name.key: name.name for name in names},
        _told_apart(given.edits),
        read_glossary(given.edits),
    )
    given.step()
    merges = safe_merges(names, guard, given.texts, given.step)
    groups = _judgeable(safe_groups(names, merges), given.mentions)
    blocks = _candidate_blocks(groups, guard, given, min_cosine) if finds_candidates else []
    given.step()
    labels = plan_labels(given.records, given.label_vectors if finds_candidates else None, surfaces)
    given.step()
    shown = name_blocks([block.groups for block in blocks], given.mentions, given.records, surfaces)
    dockets = (Docket.of(ENTITIES, shown, judging), Docket.of(LABELS, labels.blocks, judging))
    prompts = [
        docket.prompt(call) for docket in dockets for call in docket.calls(judging.one_block_a_call)
    ]
    return ConsolidationPlan(
        tuple(merges),
        tuple(groups),
        guard,
        tuple(blocks),
        labels,
        *dockets,
        num_calls=len(prompts),
        prompt_tokens=sum(estimate_tokens(prompt.system + prompt.user) for prompt in prompts),
    )


def _judgeable(groups: Iterable[SafeGroup], mentions: Iterable[Mention]) -> list[SafeGroup]:
    """Groups with a key that somebody named; plain words are the rules' alone, since they are too
    many to judge.
    """
    named = {mention.key for mention in mentions if Flag.CONTENT_WORD not in mention.flags}
    return [group for group in groups if not named.isdisjoint(group.keys)]


def _candidate_blocks(
    groups: Sequence[SafeGroup], guard: MergeGuard, given: ConsolidationInput, min_cosine: float
) -> list[CandidateBlock]:
    """The blocks of groups that may be one, but for those in which a person has settled every pair.

    Blocks are cut as if nobody had corrected anything, so that a correction leaves the verdicts on
    all other names in force.
    """
    if len(groups) < 2:
        return []
    vectors = _group_vectors(groups, given)
    uncorrected = MergeGuard(guard.names, glossary=guard.glossary)
    pairs = [
        pair
        for pair in candidate_pairs([group.name for group in groups], vectors)
        if pair.cosine >= min_cosine
        and uncorrected.may_join_all(groups[pair.i].keys, groups[pair.j].keys)
    ]
    joined = _joined_by_hand(given.edits)
    blocks = []
    for members in cut_into_blocks(pairs):
        block = tuple(groups[i] for i in members)
        if any(_is_open(a, b, guard, joined) for a, b in combinations(block, 2)):
            blocks.append(CandidateBlock(block, vectors[members] @ vectors[members].T))
    return blocks


def _group_vectors(groups: Sequence[SafeGroup], given: ConsolidationInput) -> Vectors:
    """(n, d) unit rows: the mean of e_k over each group's keys."""
    table = key_vectors(given.mentions, given.mention_vectors)
    rows = table.find([key for group in groups for key in group.keys])
    numbers = np.repeat(
        np.arange(len(groups), dtype=np.int64), [len(group.keys) for group in groups]
    )
    return unit_rows(group_means(table.array, rows, numbers, len(groups)))


def _is_open(a: SafeGroup, b: SafeGroup, guard: MergeGuard, joined: Mapping[str, int]) -> bool:
    """Whether two groups may be one for all that a person said: neither told apart nor joined by
    hand.
    """
    is_joined = a.key in joined and joined[a.key] == joined.get(b.key)
    return not is_joined and guard.may_join_all(a.keys, b.keys)


def _told_apart(edits: Iterable[Edit]) -> frozenset[tuple[str, str]]:
    """Pairs of keys that a person told apart, each in alphabetical order."""
    return frozenset(
        pair for keys in kept_apart(edits) for pair in combinations(sorted(set(keys)), 2)
    )


def _joined_by_hand(edits: Iterable[Edit]) -> dict[str, int]:
    """Keys that a person merged -> which edit; two keys of one edit need no verdict."""
    return {
        key: i
        for i, e in enumerate(effective_edits(edits))
        if e.kind is EditKind.MERGE
        for key in e.keys
    }
