"""The bounded walk that every store's `neighbourhood` is: hop by hop, never by paths (storage spec, section 3, "Ego-graph")."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dynagrag.schema import Relation


@dataclass(frozen=True, slots=True)
class Hops:
    """Hop number of each entity id, the relations by (weight desc, id), and whether a bound let something out."""

    hops: dict[str, int]
    relations: tuple[Relation, ...]
    is_cut: bool


def walk_hops(
    entity_id: str,
    expand: Callable[[list[str]], Sequence[Relation]],
    *,
    num_hops: int,
    fan_out: int,
    max_relations: int,
    deadline: Callable[[], None],
) -> Hops:
    """Walks from an entity. `expand` gives the relations of each frontier node, at least the `fan_out` + 1 heaviest of each where it has
    them; what is over `fan_out` only tells that there is more. `deadline` raises when time is up.
    """
    hops = {entity_id: 0}
    taken: dict[str, Relation] = {}
    frontier, is_cut = [entity_id], False
    for hop in range(1, num_hops + 1):
        deadline()
        found = {r.id: r for r in expand(sorted(frontier))}
        near, has_more = _heaviest(found.values(), frontier, fan_out)
        is_cut = is_cut or has_more
        frontier = []
        for relation in near:
            if relation.id in taken:
                continue
            if len(taken) >= max_relations:
                is_cut = True
                break
            taken[relation.id] = relation
            for end in (relation.head, relation.tail):
                if end not in hops:
                    hops[end] = hop
                    frontier.append(end)
        if not frontier:
            break
    return Hops(hops, tuple(sorted(taken.values(), key=_order)), is_cut)


def _heaviest(relations: Iterable[Relation], frontier: Sequence[str], fan_out: int) -> tuple[list[Relation], bool]:
    """The relations that are among the `fan_out` heaviest of a frontier node, by (weight desc, id); whether a node had more."""
    at: dict[str, list[Relation]] = {node: [] for node in frontier}
    has_more = False
    near: dict[str, Relation] = {}
    for relation in sorted(relations, key=_order):
        for end in (relation.head, relation.tail):
            if end not in at:
                continue
            if len(at[end]) < fan_out:
                at[end].append(relation)
                near[relation.id] = relation
            else:
                has_more = True
    return sorted(near.values(), key=_order), has_more


def _order(relation: Relation) -> tuple[int, str]:
    return (-relation.weight, relation.id)
