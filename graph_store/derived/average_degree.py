"""The density of a graph: its average degree, before and after entities were merged."""

from collections.abc import Iterable

from dynagrag.core.schema import Graph, Mention, RelationRecord
from dynagrag.graph_store.derived.linking_words import thing_keys


def average_degree(graph: Graph) -> float:
    """2m/n on the undirected simple graph; 0.0 without entities."""
    pairs = {(min(r.head, r.tail), max(r.head, r.tail)) for r in graph.relations}
    return 2 * len(pairs) / len(graph.entities) if graph.entities else 0.0


def average_degree_before(counted: Iterable[Mention], records: Iterable[RelationRecord]) -> float:
    """2m/n of the graph with every key of a name an entity of its own: before consolidation.

    Args:
        counted: The mentions that count (`live_mentions.counting_mentions`).
        records: All relation records; those between other keys are passed over.
    """
    keys = thing_keys(counted)
    pairs = {
        (min(r.head, r.tail), max(r.head, r.tail))
        for r in records
        if r.head in keys and r.tail in keys and r.head != r.tail
    }
    return 2 * len(pairs) / len(keys) if keys else 0.0
