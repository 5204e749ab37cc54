"""How well consolidation finds the names that are one entity, on sets that say which are
(`entity_sets`).

What runs is the product's own: the set's names become mentions, `ingest.consolidate` plans and
decides, `graph_store.derived.canonical` says which key each one ends under. Items under one
canonical key, the connected components of the merges, are one predicted cluster.

Three figures of merit: blocking recall, the share of the positive pairs that have one key, were
joined by a rule or stand in one block, since no others can ever be found; pairs and clusters with
the rules alone, and with a model as judge where there is one; and what the model would be asked, or
find by its vectors' cosine alone, at each threshold of that cosine.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from pydantic import BaseModel, ConfigDict

from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Consolidation, EditKind, Mention, MentionKind, Vectors
from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.entities.entity_scores import (
    Scores,
    cluster_scores,
    pair_intervals,
    pair_scores,
    telling_pairs,
)
from dynagrag.evaluation.entities.entity_sets import EntitySet, Item, num_positives
from dynagrag.evaluation.frame.results import Result
from dynagrag.graph_store.derived.canonical import canonical_keys, make_edit
from dynagrag.graph_store.derived.embedded_texts import mention_texts
from dynagrag.graph_store.derived.glossary import glossary_text
from dynagrag.graph_store.derived.two_step_mean import VectorTable, key_vectors
from dynagrag.ingest.consolidate.consolidation import decide
from dynagrag.ingest.consolidate.consolidation_plan import (
    ConsolidationInput,
    ConsolidationPlan,
    plan_consolidation,
)
from dynagrag.ingest.consolidate.guards import MIN_GROUP_COSINE, Name, conflict
from dynagrag.ingest.consolidate.judge_calls import Judging
from dynagrag.ingest.consolidate.used_names import squashed
from dynagrag.ingest.consolidate.verdicts import Group, Judge, Judged
from dynagrag.ingest.load.glossary_file import GlossaryFile
from dynagrag.models.cosine_scales import scale_of_embedder

THRESHOLDS = (MIN_GROUP_COSINE, 0.65, 0.75, 0.80, 0.85, 0.90, 0.95)
_EXTRACTOR = "evaluation"


class FoundBy(StrEnum):
    """How a positive pair came together."""

    KEY = "one key"
    RULE = "rule"
    BLOCK = "one block"


class Missed(BaseModel):
    """A positive pair that nothing can find, and why. `cosine`: of the two keys' vectors, as
    MiniLM's would be, -1 to 1.
    """

    model_config = ConfigDict(frozen=True)

    a: str
    b: str
    reason: str
    cosine: float


@dataclass(frozen=True, slots=True)
class Blocking:
    """What is put before a judge. `recall`: share of the positive pairs that are `found`.
    `num_compared`: pairs of names within blocks. `num_calls` and `prompt_tokens`: what a model
    would be asked.
    """

    recall: float
    found: dict[str, int]
    num_blocks: int
    num_names: int
    largest: int
    num_compared: int
    num_calls: int
    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class Quality:
    """How well names were joined: of all labelled pairs, of those without homonyms
    (`telling_pairs`), of clusters. `num_joined`: items that share their cluster with another.
    `intervals`: of `pair`, by the names of its figures. `wrong`: pairs that were joined and that
    the set calls different.
    """

    pair: Scores
    telling: Scores
    cluster: Scores
    num_clusters: int
    num_joined: int
    intervals: dict[str, Interval]
    wrong: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ThresholdRow:
    """Only candidates of at least this cosine, -1 to 1, are put before a judge: what blocks then
    hold, what a model would be asked, and the quality where the cosine itself is the judge: what
    reaches it is joined, as far as the guards let it.
    """

    cosine: float
    blocking_recall: float
    num_compared: int
    num_calls: int
    joined_by_cosine: Quality


@dataclass(frozen=True, slots=True)
class ModelRun:
    """What a model as judge made of it. `num_calls`: replies that could be used, cached ones too.
    `num_refused`: groups that guards cut. `notes`: what was refused or left open.
    """

    name: str
    quality: Quality
    num_calls: int
    num_refused: int
    seconds: float
    notes: tuple[str, ...]


class EntityResult(Result):
    """The result of a set. `num_keys`: different names as the product sees them; equal ones are one
    entity whatever the set says. `run`: its folder, where it is kept.
    """

    dataset: str
    num_items: int
    num_keys: int
    num_pairs: int
    num_positives: int
    num_repeats: int
    is_complete: bool
    has_summaries: bool
    glossaries: tuple[str, ...]
    num_telling: int
    embedder: str
    set_aside: dict[str, int]
    blocking: Blocking
    missed: tuple[Missed, ...]
    without_model: Quality
    with_model: ModelRun | None
    thresholds: tuple[ThresholdRow, ...]
    run: str = ""


def evaluate_entities(
    entity_set: EntitySet,
    embedder: Embedder,
    *,
    has_summaries: bool = False,
    glossaries: Sequence[GlossaryFile] = (),
    judge: Judge | None = None,
    judge_name: str = "",
    one_block_a_call: bool = False,
    max_concurrency: int = 1,
    thresholds: Sequence[float] = THRESHOLDS,
) -> EntityResult:
    """Consolidates a set's names and compares with what the set says.

    Args:
        entity_set: The names and what is one entity.
        embedder: As of a workspace.
        has_summaries: Whether mentions have the other columns as their summary, as a model's
        extraction would; else they are bare names, as
            from the fast extractor.
        glossaries: Files as of `ingest --glossary`.
        judge: Asked about ambiguous names; None: rules alone.
        judge_name: The judge's identity.
        one_block_a_call: For small models.
        max_concurrency: Calls at once.
        thresholds: Cosines, -1 to 1 and as MiniLM's would be, for the table by threshold; below the
        product's own bound of 0.55 nothing changes.
    """
    run = _Run(entity_set, embedder, has_summaries, one_block_a_call, glossaries)
    plan = run.plan(MIN_GROUP_COSINE)
    blocking, missed = run.blocking(plan)
    return EntityResult(
        dataset=entity_set.name,
        num_items=len(entity_set.items),
        num_keys=len({item.key for item in entity_set.items} - {""}),
        num_pairs=len(entity_set.pairs),
        num_positives=num_positives(entity_set.pairs),
        num_repeats=entity_set.num_repeats,
        is_complete=entity_set.is_complete,
        has_summaries=has_summaries,
        glossaries=tuple(g.name for g in glossaries),
        num_telling=run.num_telling,
        embedder=embedder.identity.name,
        set_aside=dict(entity_set.set_aside),
        blocking=blocking,
        missed=missed,
        without_model=run.quality(decide(plan).consolidation),
        with_model=None if judge is None else run.judged(plan, judge, judge_name, max_concurrency),
        thresholds=tuple(run.threshold_row(cosine) for cosine in thresholds),
    )


def mentions_of(items: Sequence[Item], has_summaries: bool) -> list[Mention]:
    """A mention of kind said for each item with a key, as an extractor would give it; each in a
    document of its own.
    """
    mentions = []
    for number, item in enumerate(items):
        if item.key:
            document = content_id("entity set", number)
            summary = item.summary if has_summaries else ""
            id_ = content_id(document, item.key, summary)
            mentions.append(
                Mention(
                    id_,
                    document,
                    0,
                    0,
                    (),
                    item.name,
                    item.key,
                    item.type,
                    summary,
                    MentionKind.SAID,
                    _EXTRACTOR,
                )
            )
    return mentions


class _Run:
    """A set's mentions with their vectors, embedded once, and what is asked of them."""

    def __init__(
        self,
        entity_set: EntitySet,
        embedder: Embedder,
        has_summaries: bool,
        one_block_a_call: bool,
        glossaries: Sequence[GlossaryFile],
    ) -> None:
        self._set = entity_set
        self._mentions = mentions_of(entity_set.items, has_summaries)
        self._counts = Counter(m.key for m in self._mentions)
        texts = mention_texts(self._mentions)
        self._vectors = VectorTable.of(
            tuple(texts), embedder.embed_documents(tuple(texts.values()))
        )
        self._scale = scale_of_embedder(embedder)
        self._one_block_a_call = one_block_a_call
        self._telling = telling_pairs(
            entity_set.pairs, [squashed(item.key) for item in entity_set.items]
        )
        self._edits = [
            make_edit(
                EditKind.GLOSSARY, name=g.name, what=glossary_text(g.rows), by="evaluation", at=""
            )
            for g in glossaries
        ]
        self._texts = sorted({m.summary for m in self._mentions} - {""})

    @property
    def num_telling(self) -> int:
        """How many labelled pairs hold no homonym."""
        return len(self._telling)

    def plan(self, min_cosine: float) -> ConsolidationPlan:
        """What rules settle, and the blocks that are left for a judge."""
        names = ConsolidationInput(
            self._mentions,
            (),
            self._vectors,
            edits=self._edits,
            texts=self._texts,
            scale=self._scale,
        )
        return plan_consolidation(
            names, Judging(one_block_a_call=self._one_block_a_call), min_cosine=min_cosine
        )

    def quality(self, consolidation: Consolidation) -> Quality:
        """How well the items are joined that these merges join."""
        canon = canonical_keys(self._counts, consolidation, ())
        items = self._set.items
        # an item without a key is no mention: it stays alone
        predicted = [
            canon.of[item.key] if item.key else number for number, item in enumerate(items)
        ]
        sizes = Counter(predicted)
        return Quality(
            pair_scores(self._set.pairs, predicted),
            pair_scores(self._telling, predicted),
            cluster_scores([item.cluster for item in items], predicted),
            len(sizes),
            sum(size for size in sizes.values() if size > 1),
            pair_intervals(self._set.pairs, predicted),
            tuple(
                (items[p.i].name, items[p.j].name)
                for p in self._set.pairs
                if not p.is_same and predicted[p.i] == predicted[p.j]
            ),
        )

    def judged(
        self, plan: ConsolidationPlan, judge: Judge, name: str, max_concurrency: int
    ) -> ModelRun:
        """Lets a model judge the names that rules leave open."""
        start = time.perf_counter()
        judging = Judging(
            judge, name, one_block_a_call=self._one_block_a_call, max_concurrency=max_concurrency
        )
        result = decide(plan, judging)
        seconds = round(time.perf_counter() - start, 1)
        return ModelRun(
            name,
            self.quality(result.consolidation),
            result.num_calls,
            result.num_refused,
            seconds,
            result.notes,
        )

    def blocking(self, plan: ConsolidationPlan) -> tuple[Blocking, tuple[Missed, ...]]:
        """What is put before a judge, and the positive pairs that are not."""
        group_of = {key: group.key for group in plan.groups for key in group.keys}
        block_of = {
            group.key: number for number, block in enumerate(plan.blocks) for group in block.groups
        }
        found: Counter[str] = Counter()
        missed: list[tuple[Item, Item]] = []
        for pair in self._set.pairs:
            if not pair.is_same:
                continue
            a, b = self._set.items[pair.i], self._set.items[pair.j]
            left, right = group_of.get(a.key), group_of.get(b.key)
            if a.key and a.key == b.key:
                found[FoundBy.KEY] += 1
            elif left is None or right is None:
                missed.append((a, b))
            elif left == right:
                found[FoundBy.RULE] += 1
            elif block_of.get(left, -1) == block_of.get(right, -2):
                found[FoundBy.BLOCK] += 1
            else:
                missed.append((a, b))
        sizes = [len(block.groups) for block in plan.blocks]
        num_found = found.total()
        blocking = Blocking(
            recall=num_found / (num_found + len(missed)) if num_found + len(missed) else 0.0,
            found={str(how): found[how] for how in FoundBy},
            num_blocks=len(sizes),
            num_names=sum(sizes),
            largest=max(sizes, default=0),
            num_compared=sum(n * (n - 1) // 2 for n in sizes),
            num_calls=plan.num_calls,
            prompt_tokens=plan.prompt_tokens,
        )
        table = key_vectors(self._mentions, self._vectors)
        cosine = self._scale.of_names
        return blocking, tuple(
            _missed(a, b, round(cosine(_unit_cosine(table, a.key, b.key)), 3)) for a, b in missed
        )

    def threshold_row(self, cosine: float) -> ThresholdRow:
        """Blocks of candidates of at least this cosine, and what joining by the cosine alone makes
        of them.
        """
        plan = self.plan(cosine)
        blocking, _ = self.blocking(plan)
        groups = {
            number: _near_groups(block.cosines, cosine) for number, block in enumerate(plan.blocks)
        }
        joined = decide(replace(plan, name_docket=replace(plan.name_docket, known=Judged(groups))))
        return ThresholdRow(
            cosine,
            blocking.recall,
            blocking.num_compared,
            plan.num_calls,
            self.quality(joined.consolidation),
        )


def _near_groups(cosines: Vectors, min_cosine: float) -> tuple[Group, ...]:
    """A verdict by cosine alone: the connected components of what reaches it, from (n, n) cosines
    of a block.
    """
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(cosines >= min_cosine, directed=False)
    parts = [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)]
    return tuple(Group(part[0], tuple(part)) for part in parts if len(part) > 1)


def _unit_cosine(table: VectorTable, a: str, b: str) -> float:
    if a not in table.rows or b not in table.rows:
        return 0.0
    left, right = table.array[table.rows[a]], table.array[table.rows[b]]
    norms = float(np.linalg.norm(left) * np.linalg.norm(right))
    return round(float(left @ right) / norms, 3) if norms else 0.0


def _missed(a: Item, b: Item, cosine: float) -> Missed:
    if not a.key or not b.key:
        reason = "a name without letters and digits"
    elif why := conflict(Name(a.key, a.type), Name(b.key, b.type)):
        reason = f"guard: {why}"
    elif cosine < MIN_GROUP_COSINE:
        reason = f"cosine below {MIN_GROUP_COSINE}"
    else:
        reason = "not near enough, or their block was full"
    return Missed(a=a.name, b=b.name, reason=reason, cosine=cosine)
