"""The workspace's node: its state, its lock, its lease; what is orphaned; and the end of it all.

The node is locked first by every change of records, so writers of one workspace queue instead of
deadlocking.
"""

from typing import LiteralString

from dynagrag.graph_store.neo4j_store.cypher.labels import check_label, fixed

WORKSPACE = "MATCH (w:Workspace {uid: $ws}) RETURN properties(w) AS state"
LOCK = """
MERGE (w:Workspace {uid: $ws})
ON CREATE SET w.ws = $ws, w.name = $ws, w.token = randomUUID(),
  w.records = '0', w.vectors = '0', w.graph = '0', w.derived_of = ''
SET w.locked = true
RETURN properties(w) AS state
"""
SET_STATE = "MATCH (w:Workspace {uid: $ws}) SET w += $state"
TAKE_LEASE = """
MATCH (w:Workspace {uid: $ws})
SET w.locked = true
WITH w, w.lease_holder IS NULL OR w.lease_holder = $holder OR w.lease_until < timestamp() AS is_free
FOREACH (_ IN CASE WHEN is_free THEN [1] ELSE [] END |
  SET w.lease_holder = $holder, w.lease_until = timestamp() + $milliseconds)
RETURN is_free
"""
END_LEASE = (
    "MATCH (w:Workspace {uid: $ws}) WHERE w.lease_holder = $holder REMOVE w.lease_holder,"
    " w.lease_until"
)
_WITHOUT_DOCUMENT = "n.ws = $ws AND n.uid > '' AND NOT EXISTS { (n)-[:PART_OF]->(:Document) }"
_WITHOUT_EXTRACTION = "n.ws = $ws AND n.uid > '' AND NOT EXISTS { (n)-[:FROM]->(:Extraction) }"
_ORPHANS = (
    ("turns", "Turn", _WITHOUT_DOCUMENT),
    ("passages", "Passage", _WITHOUT_DOCUMENT),
    ("extractions", "Extraction", _WITHOUT_DOCUMENT),
    ("mentions", "Mention", _WITHOUT_EXTRACTION),
    ("relation records", "RelationRecord", _WITHOUT_EXTRACTION),
)
ORPHANS = tuple(
    (what, f"MATCH (n:{label}) WHERE {is_orphan} RETURN count(n) AS num")
    for what, label, is_orphan in _ORPHANS
)
DELETE_ORPHANS = tuple(
    f"MATCH (n:{label}) WHERE {is_orphan} DETACH DELETE n RETURN count(*) AS num"
    for _, label, is_orphan in _ORPHANS
)
NUM_ENTITIES = "MATCH (n:Entity) WHERE n.ws = $ws AND n.uid > '' RETURN count(n) AS num"
NUM_RELATIONS = "MATCH ()-[r:RELATES]->() WHERE r.ws = $ws AND r.uid > '' RETURN count(r) AS num"
FOREIGN_NODES = """
MATCH (n) WHERE n.ws IS NULL AND NOT n:DynagragSchema
WITH n LIMIT 10000
UNWIND labels(n) AS label
RETURN label, count(*) AS num ORDER BY num DESC, label LIMIT 5
"""


def clear(label: str) -> LiteralString:
    """Some nodes of a workspace go, or some relations between its entities, until none is left."""
    check_label(label)
    if label == "RELATES":
        return (
            "MATCH ()-[r:RELATES]->() WHERE r.ws = $ws AND r.uid > '' WITH r LIMIT $limit DELETE r"
            " RETURN count(*) AS num"
        )
    place = "n.kind > '' AND n.id > ''" if label == "Vector" else "n.uid > ''"
    return fixed(
        f"MATCH (n:{label}) WHERE n.ws = $ws AND {place} WITH n LIMIT $limit DETACH DELETE n RETURN"
        " count(*) AS num"
    )
