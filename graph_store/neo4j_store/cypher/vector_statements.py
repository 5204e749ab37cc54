"""Vectors: of passages and entities as native, indexed properties, of relations on themselves, the
others in nodes of their own.
"""

from typing import LiteralString

from dynagrag.graph_store.neo4j_store.cypher.labels import check_label, fixed

# Pages are ordered by all columns of their index: by the last one alone, each page would sort all
# that is left.
SIGNATURES_OF_VECTORS = """
MATCH (v:Vector) WHERE v.ws = $ws AND v.kind = $kind AND v.id > $after
RETURN v.id AS uid, v.sig AS sig ORDER BY v.ws, v.kind, v.id LIMIT $limit
"""
FETCH_VECTORS = (
    "UNWIND $uids AS uid MATCH (v:Vector) WHERE v.ws = $ws AND v.kind = $kind AND v.id = uid RETURN"
    " v.id AS uid, v.vec AS vector"
)
SOME_SIGNATURES_OF_VECTORS = (
    "UNWIND $uids AS uid MATCH (v:Vector) WHERE v.ws = $ws AND v.kind = $kind AND v.id = uid RETURN"
    " v.id AS uid, v.sig AS sig"
)
PUT_VECTORS = """
UNWIND $rows AS row
MERGE (v:Vector {uid: row.uid})
SET v.ws = $ws, v.kind = $kind, v.id = row.id, v.sig = row.sig, v.vec = row.vector
"""
DELETE_VECTORS = "UNWIND $uids AS uid MATCH (v:Vector {uid: uid}) DELETE v"
SIGNATURES_OF_PASSAGE_VECTORS = (
    "MATCH (n:Passage) WHERE n.ws = $ws AND n.uid > $after RETURN n.uid AS uid, n.vec_sig AS sig"
    " ORDER BY n.ws, n.uid LIMIT $limit"
)
SOME_SIGNATURES_OF_PASSAGE_VECTORS = (
    "UNWIND $uids AS uid MATCH (n:Passage {uid: uid}) WHERE n.ws = $ws RETURN n.uid AS uid,"
    " n.vec_sig AS sig"
)
SIGNATURES_OF_ENTITY_VECTORS = (
    "MATCH (n:Entity) WHERE n.ws = $ws AND n.uid > $after RETURN n.uid AS uid, n.vec_sig AS sig"
    " ORDER BY n.ws, n.uid LIMIT $limit"
)
SIGNATURES_OF_RELATION_VECTORS = (
    "MATCH ()-[r:RELATES]->() WHERE r.ws = $ws AND r.uid > $after RETURN r.uid AS uid, r.vec_sig AS"
    " sig ORDER BY r.ws, r.uid LIMIT $limit"
)
FETCH_RELATION_VECTORS = (
    "UNWIND $uids AS uid MATCH ()-[r:RELATES {uid: uid}]->() RETURN r.uid AS uid, r.vec AS vector"
)


def put_node_vectors(label: str, dimension: int) -> LiteralString:
    """The native vector of passages or entities, under a property of its dimension: one property
    can have one index only.
    """
    check_label(label)
    return fixed(
        f"UNWIND $rows AS row MATCH (n:{label} {{uid: row.uid}}) CALL"
        f" db.create.setNodeVectorProperty(n, '{vector_property(dimension)}', row.vector) SET"
        " n.vec_sig = row.sig"
    )


def fetch_node_vectors(label: str, dimension: int) -> LiteralString:
    """The native vectors, by uid."""
    check_label(label)
    return fixed(
        f"UNWIND $uids AS uid MATCH (n:{label} {{uid: uid}}) RETURN uid,"
        f" n.{vector_property(dimension)} AS vector"
    )


def drop_node_vectors(label: str, dimension: int) -> LiteralString:
    """Nodes stay, their vectors go."""
    check_label(label)
    return fixed(
        f"UNWIND $uids AS uid MATCH (n:{label} {{uid: uid}}) REMOVE n.{vector_property(dimension)},"
        " n.vec_sig"
    )


def vector_property(dimension: int) -> LiteralString:
    """embedding_384 for 384 dimensions."""
    return fixed(f"embedding_{int(dimension)}")


def vector_index_name(label: str, dimension: int) -> LiteralString:
    """entity_vec_384 for entities of 384 dimensions."""
    return fixed(f"{label.lower()}_vec_{int(dimension)}")


def nearest_nodes(label: str, dimension: int, has_filter: bool) -> LiteralString:
    """The nearest nodes of a workspace; without filter the index is asked for `$reach` over all
    workspaces.
    """
    check_label(label)
    name = vector_index_name(label, dimension)
    if has_filter:
        return fixed(
            f"CYPHER 25 MATCH (n:{label}) SEARCH n IN (VECTOR INDEX {name} FOR $vector WHERE n.ws ="
            " $ws LIMIT $limit) SCORE AS score RETURN n.uid AS uid, score ORDER BY score DESC, uid"
        )
    return fixed(
        f"CALL db.index.vector.queryNodes('{name}', $reach, $vector) YIELD node, score WHERE"
        " node.ws = $ws RETURN node.uid AS uid, score ORDER BY score DESC, uid LIMIT $limit"
    )
