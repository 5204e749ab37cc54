"""Which keys stand for one entity and which labels for one relation (DynaGRAG, section 3.1): rules
first, the model only for what is left.

    plan: safe rules, blocks of candidates -> verdicts (kept by what was seen) -> guards -> merges

Every merge names its rule and what was seen, and can be undone: nothing is changed but the view
that `derive` makes. Without a judge only rules and verdicts that are kept already merge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from dynagrag.core.schema import Consolidation, Merge
from dynagrag.graph_store.derived.canonical import make_merge
from dynagrag.ingest.consolidate.consolidation_plan import (
    ConsolidationInput,
    ConsolidationPlan,
    plan_consolidation,
)
from dynagrag.ingest.consolidate.guards import split_group
from dynagrag.ingest.consolidate.judge_calls import NOBODY, Judging, ask_judge
from dynagrag.ingest.consolidate.relation_labels import merge_labels
from dynagrag.ingest.consolidate.verdicts import Group


@dataclass(frozen=True, slots=True)
class ConsolidationResult:
    """The merges and how they came about. `notes` tell the report what was refused or left open."""

    consolidation: Consolidation
    notes: tuple[str, ...]
    num_blocks: int
    num_cached: int
    num_calls: int
    num_refused: int


def consolidate(inputs: ConsolidationInput, judging: Judging = NOBODY) -> ConsolidationResult:
    """Plans and decides in one go.

    Never raises for a model's failure or a spent budget: the names concerned stay unmerged, and
    `notes` says so.
    """
    return decide(plan_consolidation(inputs, judging, finds_candidates=judging.can_settle), judging)


def decide(plan: ConsolidationPlan, judging: Judging = NOBODY) -> ConsolidationResult:
    """Asks what the plan leaves open (nothing without a judge), guards the verdicts, and makes the
    merges.
    """
    names, labels = ask_judge(plan.name_docket, judging), ask_judge(plan.label_docket, judging)
    is_complete = judging.judge is not None and names.is_complete and labels.is_complete
    if judging.verdicts is not None and is_complete:
        # The judge has settled every block: verdicts on blocks that are gone are dropped.
        judging.verdicts.keep_verdicts([*names.keys, *labels.keys])
    merges, refused = _merge_names(plan, names.groups)
    label_merges, refused_labels = merge_labels(plan.labels, labels.groups)
    refused += refused_labels
    notes = [*names.notes, *labels.notes]
    if refused:
        notes.append(
            f"{len(refused)} groups that the model proposed were cut by guards, e.g."
            f" {'; '.join(refused[:3])}"
        )
    return ConsolidationResult(
        consolidation=Consolidation((*plan.merges, *merges), label_merges),
        notes=tuple(notes),
        num_blocks=len(plan.name_docket.blocks) + len(plan.label_docket.blocks),
        num_cached=names.num_cached + labels.num_cached,
        num_calls=names.num_calls + labels.num_calls,
        num_refused=len(refused),
    )


def _merge_names(
    plan: ConsolidationPlan, verdicts: Mapping[int, Sequence[Group]]
) -> tuple[list[Merge], list[str]]:
    """Merges of the verdicts' groups as far as the guards let them; and the groups that a guard
    cut, in words.
    """
    merges: list[Merge] = []
    refused: list[str] = []
    for number, groups in sorted(verdicts.items()):
        block, lines = plan.blocks[number], plan.name_docket.blocks[number].lines
        keys = [group.keys for group in block.groups]
        sizes = [len(own) for own in keys]

        def may_join(i: int, j: int, keys: Sequence[tuple[str, ...]] = keys) -> bool:
            return plan.guard.may_join_all(keys[i], keys[j])

        for group in groups:
            parts = split_group(group.members, may_join, block.cosines, sizes)
            if len(parts) > 1:
                refused.append(" / ".join(block.groups[i].key for i in group.members))
            for part in parts:
                if len(part) > 1:
                    # Under the name that the model chose, or the part's first where another part
                    # holds that.
                    canonical = group.canonical if group.canonical in part else part[0]
                    members = chain.from_iterable(keys[i] for i in part)
                    name = block.groups[canonical].key
                    evidence = "\n".join(lines[i] for i in part)
                    merges.append(make_merge(members, name, "model", evidence))
    return merges, refused
