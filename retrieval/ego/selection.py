"""Diversity-aware choice of ego-graphs (DynaGRAG, section 3.2; docs/papers.md, Diversity).

    for c in centres by cosine desc:
        accept c iff top(c) shares nothing with the top nodes of those accepted before

The `paper` profile walks the whole order. `graph` looks at the best 20 N, leaves nodes that are
in more than 5 % of all ego-graphs out of the top nodes, and when fewer than N pass, allows 1 shared
top node, then 2, and so on, then fills by cosine. Every decision is traced.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dynagrag.config.settings import Profile
from dynagrag.core.schema import Candidate, Entity
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.undirected_graph import Floats, Ints


@dataclass(frozen=True, slots=True)
class Selection:
    """`centres` accepted, best cosine first, and one trace line for each centre that was looked at,
    in the order of the cosine.
    """

    centres: tuple[int, ...]
    candidates: tuple[Candidate, ...]


@dataclass(slots=True)
class _Trace:
    """The decisions so far. `owner[v]`: the accepted centre whose top nodes hold v (the first,
    where several do).
    """

    entities: tuple[Entity, ...]
    accepted: dict[int, str] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    owner: dict[int, int] = field(default_factory=dict)

    def consider(self, centre: int, top: tuple[int, ...], num_allowed: int) -> None:
        shared = [v for v in top if v in self.owner]
        if len(shared) > num_allowed:
            self.refused[centre] = (
                f"shares {self._names(shared)} with the ego-graph of"
                f" {self._names([self.owner[shared[0]]])}"
            )
            return
        fallback = ""
        if shared:
            fallback = f"fallback, {num_allowed} shared allowed: shares {self._names(shared)}; "
        self.accepted[centre] = f"{fallback}top nodes {self._names(list(top))}"
        self.refused.pop(centre, None)
        for v in top:
            self.owner.setdefault(v, centre)

    def _names(self, nodes: list[int]) -> str:
        return ", ".join(repr(self.entities[v].name) for v in nodes)


def select_diverse(
    index: EgoIndex,
    entities: tuple[Entity, ...],
    scores: Floats,
    profile: Profile,
    num_subgraphs: int,
) -> Selection:
    """At most `num_subgraphs` centres whose top nodes differ. `scores` (n,): what ranks the
    centres, as `EgoIndex.scores` gives it.
    """
    if num_subgraphs <= 0 or not len(scores):
        return Selection((), ())
    pool_size = None if profile.pool_factor is None else profile.pool_factor * num_subgraphs
    order = index.ordered(scores, pool_size)
    trace = _Trace(entities)
    for centre, top in _with_tops(index, order, profile, num_subgraphs):
        trace.consider(centre, top, 0)
        if len(trace.accepted) == num_subgraphs:
            break
    if profile.has_fallback:
        _fall_back(index, order, profile, num_subgraphs, trace)
    return _selection(trace, scores, order)


def select_by_cosine(
    index: EgoIndex, entities: tuple[Entity, ...], scores: Floats, num_subgraphs: int
) -> Selection:
    """The baseline: the first N of the order."""
    order = np.zeros(0, dtype=np.int64)
    if num_subgraphs > 0:
        order = index.ordered(scores, num_subgraphs)
    trace = _Trace(entities, accepted=dict.fromkeys(order.tolist(), "among the best by cosine"))
    return _selection(trace, scores, order)


def _with_tops(
    index: EgoIndex, order: Ints, profile: Profile, num_subgraphs: int
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Centres with their top nodes, computed in growing blocks: mostly the first few decide, and a
    block costs little more than a row.
    """
    start, size = 0, max(8, 2 * num_subgraphs)
    while start < len(order):
        block = order[start : start + size]
        yield from zip(
            block.tolist(),
            index.tops(block, profile.num_top_nodes, profile.prevalence_ceiling),
            strict=True,
        )
        start, size = start + size, min(4 * size, 1024)


def _fall_back(
    index: EgoIndex, order: Ints, profile: Profile, num_subgraphs: int, trace: _Trace
) -> None:
    for num_allowed in range(1, profile.num_top_nodes):
        for centre, top in _with_tops(index, order, profile, num_subgraphs):
            if len(trace.accepted) == num_subgraphs:
                return
            if centre not in trace.accepted:
                trace.consider(centre, top, num_allowed)
    for centre in order.tolist():
        if len(trace.accepted) == num_subgraphs:
            return
        if centre not in trace.accepted:
            trace.accepted[centre] = f"fallback, filled by cosine: {trace.refused.pop(centre)}"


def _selection(trace: _Trace, scores: Floats, order: Ints) -> Selection:
    lines = []
    for centre in order.tolist():
        is_accepted = centre in trace.accepted
        if is_accepted or centre in trace.refused:
            reason = trace.accepted[centre] if is_accepted else trace.refused[centre]
            entity = trace.entities[centre]
            lines.append(
                Candidate(entity.id, entity.name, float(scores[centre]), is_accepted, reason)
            )
    return Selection(tuple(c for c in order.tolist() if c in trace.accepted), tuple(lines))
