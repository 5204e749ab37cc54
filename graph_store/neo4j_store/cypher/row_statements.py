"""Whole rows of any label, and the signatures that say which of them changed."""

from typing import LiteralString

from dynagrag.graph_store.neo4j_store.cypher.labels import check_label, fixed, row_of


def signatures(label: str) -> LiteralString:
    """A page of (uid, sig) of a workspace, in order of uid."""
    check_label(label)
    pattern = "()-[n:RELATES]->()" if label == "RELATES" else f"(n:{label})"
    return fixed(
        f"MATCH {pattern} WHERE n.ws = $ws AND n.uid > $after RETURN n.uid AS uid, n.sig AS sig"
        " ORDER BY n.ws, n.uid LIMIT $limit"
    )


def fetch(label: str) -> LiteralString:
    """Whole rows, by uid."""
    check_label(label)
    if label == "RELATES":
        return (
            "UNWIND $uids AS uid MATCH ()-[n:RELATES {uid: uid}]->() RETURN uid, n.sig AS sig,"
            " [n.uid, startNode(n).uid, endNode(n).uid, n.label, n.weight, n.support, n.summaries,"
            " n.record_ids] AS row"
        )
    return fixed(
        f"UNWIND $uids AS uid MATCH (n:{label} {{uid: uid}}) RETURN uid, n.sig AS sig,"
        f" {row_of(label)} AS row"
    )


def of_document(label: str) -> LiteralString:
    """Whole rows of one document."""
    check_label(label)
    if label in ("Mention", "RelationRecord"):
        pattern = (
            "(:Document {uid: $document, ws:"
            f" $ws}})<-[:PART_OF]-(x:Extraction)<-[:FROM]-(n:{label})"
        )
        return fixed(f"MATCH {pattern} RETURN x.uid AS extraction, {row_of(label)} AS row")
    return fixed(
        f"MATCH (:Document {{uid: $document, ws: $ws}})<-[:PART_OF]-(n:{label}) RETURN"
        f" {row_of(label)} AS row"
    )


def records_of() -> LiteralString:
    """A workspace's relation records, by uid."""
    return fixed(
        "UNWIND $uids AS uid MATCH (n:RelationRecord {uid: uid}) WHERE n.ws = $ws RETURN uid,"
        f" {row_of('RelationRecord')} AS row"
    )


def passages_of() -> LiteralString:
    """The rows of the passages that hold one of a workspace's entities, in one list."""
    return fixed(
        "MATCH (e:Entity {uid: $uid}) WHERE e.ws = $ws RETURN COLLECT { UNWIND e.passages AS uid"
        f" MATCH (n:Passage {{uid: uid}}) RETURN {row_of('Passage')} }} AS rows"
    )


def forget_signatures(label: str) -> LiteralString:
    """Rows of the derived view, some at a time, so that all of them are written again."""
    check_label(label)
    pattern = "()-[n:RELATES]->()" if label == "RELATES" else f"(n:{label})"
    return fixed(
        f"MATCH {pattern} WHERE n.ws = $ws AND n.uid > '' AND n.sig IS NOT NULL WITH n LIMIT $limit"
        " REMOVE n.sig RETURN count(*) AS num"
    )
