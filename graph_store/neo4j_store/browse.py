"""Bounded looks into Neo4j's derived view: hops around an entity, and search by words."""

import time
from collections import Counter
from typing import Any

from dynagrag.errors import StoreError
from dynagrag.graph_store.hops import Edge, Hops, walk_hops
from dynagrag.graph_store.neo4j_store import cypher, rows
from dynagrag.graph_store.neo4j_store.connection import Neo4jConnection
from dynagrag.graph_store.rules import no_entity
from dynagrag.schema import Neighbourhood, Overview, RelationRecord


def neighbourhood(
    connection: Neo4jConnection,
    workspace: str,
    entity_id: str,
    *,
    num_hops: int,
    fan_out: int,
    max_relations: int,
    min_weight: int,
    timeout_s: float,
) -> Neighbourhood:
    """See `GraphBrowser.neighbourhood`: one bounded statement a hop, all in one transaction."""
    end = time.monotonic() + timeout_s
    too_slow = StoreError(f"the neighbourhood took longer than {timeout_s:g} s; ask for fewer hops or a smaller fan-out")

    def check_time() -> None:
        if time.monotonic() > end:
            raise too_slow

    def work(tx: Any) -> Neighbourhood:
        has_more = False

        def expand(frontier: list[str], limit: int) -> tuple[list[Edge], bool]:
            nonlocal has_more
            values = {"frontier": frontier, "ws": workspace, "min_weight": min_weight, "fan_out": fan_out, "limit": limit}
            edges = [Edge(*row.values()) for row in tx.run(cypher.HOP, values)]
            if not has_more:  # else it is known that something is left out
                has_more = (tx.run(cypher.LARGEST_DEGREE, frontier=frontier).single(strict=True)["degree"] or 0) > fan_out
            return edges, has_more

        return _read(tx, workspace, walk_hops(entity_id, expand, num_hops=num_hops, max_relations=max_relations, check_time=check_time))

    try:
        made = connection.look(work, timeout_s)
    except StoreError as err:
        if "TransactionTimedOut" in str(getattr(err.__cause__, "code", "")):
            raise too_slow from err
        raise
    if entity_id not in {e.id for e in made.entities}:
        raise no_entity(entity_id)
    return made


def _read(tx: Any, workspace: str, walked: Hops) -> Neighbourhood:
    """The entities and relations of a walk; one may have gone since."""
    nodes = {row["row"][0]: rows.entity(row["row"])[0] for row in tx.run(cypher.ENTITIES, uids=list(walked.hops), ws=workspace)}
    found = tx.run(cypher.fetch("RELATES"), uids=list(walked.relation_ids))
    relations = {row["uid"]: rows.relation(row["row"]) for row in found}
    ordered = sorted((i for i in walked.hops if i in nodes), key=lambda i: (walked.hops[i], i))
    kept = [relations[i] for i in walked.relation_ids if i in relations]
    kept = [r for r in kept if r.head in nodes and r.tail in nodes]
    return Neighbourhood(tuple(nodes[i] for i in ordered), tuple(kept), walked.is_cut)


def overview(entity_rows: list[rows.Row], relation_rows: list[rows.Row], max_entities: int, max_relations: int) -> Overview:
    """See `GraphBrowser.overview`. A relation whose end has gone since is left out."""
    entities = sorted((rows.entity(row) for row in entity_rows), key=lambda e: (-e[0].weight, e[0].id))
    degrees = {entity.id: 0 for entity, _ in entities}
    relations = [r for r in map(rows.relation, relation_rows) if r.head in degrees and r.tail in degrees]
    for relation in relations:
        for end in {relation.head, relation.tail}:
            degrees[end] += 1
    top = entities[:max_entities]
    ids = {entity.id for entity, _ in top}
    among = sorted((r for r in relations if r.head in ids and r.tail in ids), key=lambda r: (-r.weight, r.id))
    return Overview(
        entities=tuple(entity for entity, _ in top),
        degrees=tuple(degrees[entity.id] for entity, _ in top),
        entity_passages=tuple(passages for _, passages in top),
        relations=tuple(among[:max_relations]),
        num_relations=len(relations),
        degree_counts=dict(Counter(degrees.values())),
        weight_counts=dict(Counter(entity.weight for entity, _ in entities)),
        type_counts=dict(Counter(entity.type for entity, _ in entities)),
    )


def records_of(connection: Neo4jConnection, workspace: str, ids: list[str]) -> tuple[RelationRecord, ...]:
    """See `GraphBrowser.records_of`."""
    found = {row["uid"]: rows.record(row["row"]) for row in connection.read(cypher.records_of(), uids=ids, ws=workspace)}
    return tuple(found[i] for i in dict.fromkeys(ids) if i in found)


def search_entities(connection: Neo4jConnection, workspace: str, text: str, limit: int) -> tuple[tuple[str, float], ...]:
    """By the full-text index: any of the words, each quoted so that nothing in it is an operator."""
    words = " OR ".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in text.split())
    if not words:
        return ()
    found = connection.read(cypher.SEARCH_NAMES, words=words, ws=workspace, limit=limit)
    ordered = sorted(found, key=lambda row: (-row["score"], -row["weight"], row["uid"]))
    return tuple((row["uid"], float(row["score"])) for row in ordered)
