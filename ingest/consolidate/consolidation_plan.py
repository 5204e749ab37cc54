"""Consolidation before a model is asked: the merges of the rules, and the blocks of names that are
left for a judge.

keys -> safe rules -> groups -> candidate pairs -> blocks of at most 25 -> the verdicts that are
kept
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from dynagrag.core.ids import estimate_tokens
from dynagrag.core.schema import (
    UNMEASURED,
    CosineScale,
    Edit,
    EditKind,
    Mention,
    Merge,
    RelationRecord,
    Vectors,
)
from dynagrag.core.vectors import unit_rows
from dynagrag.graph_store.derived.canonical import effective_edits, kept_apart
from dynagrag.graph_store.derived.glossary import read_glossary
from dynagrag.graph_store.derived.linking_words import is_name
from dynagrag.graph_store.derived.two_step_mean import VectorTable, group_means, key_vectors
from dynagrag.ingest.consolidate.blocking import candidate_pairs, cut_into_blocks
from dynagrag.ingest.consolidate.guards import MIN_GROUP_COSINE, MergeGuard
from dynagrag.ingest.consolidate.judge_calls import NOBODY, Docket, Judging
from dynagrag.ingest.consolidate.relation_labels import LabelPlan, plan_labels
from dynagrag.ingest.consolidate.safe_rules import SafeGroup, safe_groups, safe_merges
from dynagrag.ingest.consolidate.shown_block import name_blocks
from dynagrag.ingest.consolidate.used_names import used_names
from dynagrag.ingest.consolidate.verdicts import ENTITIES, LABELS


@dataclass(frozen=True, slots=True)
class ConsolidationInput:
    """The records that are consolidated, and what is known about them.

    Args:
        mentions: The mentions that count (`derive.counting_mentions`).
        records: The relation records of their keys.
        mention_vectors: By text id, as for `derive`.
        label_vectors: Those of `relation_labels.label_texts`, by text id.
        edits: A person's corrections: what they joined or keep apart is not judged.
        texts: Where acronyms may be defined; none: no such rule.
        step: Called again and again while rules are at work; may raise.
        scale: Of the vectors' cosines.
    """

    mentions: Sequence[Mention]
    records: Sequence[RelationRecord]
    mention_vectors: VectorTable
    label_vectors: VectorTable = field(default_factory=VectorTable.empty)
    edits: Sequence[Edit] = ()
    texts: Sequence[str] = ()
    step: Callable[[], None] = lambda: None
    scale: CosineScale = UNMEASURED


@dataclass(frozen=True, slots=True)
class CandidateBlock:
    """Groups of keys that may be one entity, with the (n, n) cosines of their vectors, as MiniLM's
    would be.
    """

    groups: tuple[SafeGroup, ...]
    cosines: Vectors


@dataclass(frozen=True, slots=True)
class ConsolidationPlan:
    """The merges by rule, and what is open for a model: `num_calls` of `prompt_tokens` in all,
    without what kept verdicts settle.

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
    inputs: ConsolidationInput,
    judging: Judging = NOBODY,
    *,
    finds_candidates: bool = True,
    min_cosine: float = MIN_GROUP_COSINE,
) -> ConsolidationPlan:
    """Everything but the calls.

    Args:
        inputs: What is consolidated.
        judging: Where verdicts are kept, whose count, and how blocks are packed into calls.
        finds_candidates: False skips the search for what only a verdict could settle.
        min_cosine: Candidates below, -1 to 1 and as MiniLM's would be, are not judged; less than
        the guards' own bound changes nothing.
    """
    names = used_names(inputs.mentions)
    surfaces = {name.key: name.surface for name in names}
    guard = MergeGuard(
        {name.key: name.name for name in names},
        frozenset(
            pair for keys in kept_apart(inputs.edits) for pair in combinations(sorted(set(keys)), 2)
        ),
        read_glossary(inputs.edits),
    )
    inputs.step()
    merges = safe_merges(names, guard, inputs.texts, inputs.step)
    # Plain words and phrases are the rules' alone, since they are too many to judge.
    named = {mention.key for mention in inputs.mentions if is_name(mention)}
    groups = [group for group in safe_groups(names, merges) if not named.isdisjoint(group.keys)]
    blocks = _candidate_blocks(groups, guard, inputs, min_cosine) if finds_candidates else []
    inputs.step()
    records = inputs.records
    label_vectors = inputs.label_vectors if finds_candidates else None
    labels = plan_labels(records, label_vectors, surfaces, inputs.scale)
    inputs.step()
    shown = name_blocks([block.groups for block in blocks], inputs.mentions, records, surfaces)
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


def _candidate_blocks(
    groups: Sequence[SafeGroup], guard: MergeGuard, inputs: ConsolidationInput, min_cosine: float
) -> list[CandidateBlock]:
    """The blocks of groups that may be one, without those in which a person has settled every pair.

    Blocks are cut as if nobody had corrected anything, so that a correction leaves the verdicts on
    all other names in force.
    """
    if len(groups) < 2:
        return []
    # (n, d) unit rows: the mean of e_k over each group's keys.
    table = key_vectors(inputs.mentions, inputs.mention_vectors)
    rows = table.find([key for group in groups for key in group.keys])
    sizes = [len(group.keys) for group in groups]
    numbers = np.repeat(np.arange(len(groups), dtype=np.int64), sizes)
    vectors = unit_rows(group_means(table.array, rows, numbers, len(groups)))
    uncorrected = MergeGuard(guard.names, glossary=guard.glossary)
    pairs = [
        pair
        for pair in candidate_pairs([group.name for group in groups], vectors, scale=inputs.scale)
        if pair.cosine >= min_cosine
        and uncorrected.may_join_all(groups[pair.i].keys, groups[pair.j].keys)
    ]
    merges = [e for e in effective_edits(inputs.edits) if e.kind is EditKind.MERGE]
    joined = {key: i for i, edit in enumerate(merges) for key in edit.keys}
    blocks = []
    for members in cut_into_blocks(pairs):
        block = tuple(groups[i] for i in members)
        if any(
            not (a.key in joined and joined[a.key] == joined.get(b.key))
            and guard.may_join_all(a.keys, b.keys)
            for a, b in combinations(block, 2)
        ):
            blocks.append(
                CandidateBlock(block, inputs.scale.of_names(vectors[members] @ vectors[members].T))
            )
    return blocks
