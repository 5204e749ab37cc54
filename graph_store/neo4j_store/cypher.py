"""Every Cypher statement that is ever sent. Values are parameters; labels, types and property names are those written here, never text.

A few statements exist once a label, or once a vector dimension (a number); the functions at the end make those from fixed parts.
The workspace's node is locked first by every change of records, so writers of one workspace queue instead of deadlocking.
"""

from typing import LiteralString

from dynagrag.graph_store.neo4j_store.rows import COLUMNS

RECORD_LABELS = ("Document", "Turn", "Passage", "Extraction", "Mention", "RelationRecord", "Edit")
DERIVED_LABELS = ("Entity", "Merge", "LabelMerge")
SCOPED_LABELS = ("Edit", "Merge", "LabelMerge")
"""Their own ids say nothing of the workspace: they are in `id`, and `uid` is made of both."""
NODE_LABELS = ("Workspace", *RECORD_LABELS, *DERIVED_LABELS, "Vector")

# ------------------------------------------------------------------------------------------------------------- server

COMPONENTS = "CALL dbms.components() YIELD name, versions, edition RETURN versions[0] AS version, edition"
SHOW_INDEXES = (
    "SHOW INDEXES YIELD name, type, state, populationPercent, entityType, labelsOrTypes, properties, failureMessage "
    "RETURN name, type, state, populationPercent, entityType, labelsOrTypes, properties, failureMessage"
)
SHOW_CONSTRAINTS = "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties RETURN name, type, labelsOrTypes, properties"
SCHEMA_VERSION = "MATCH (s:DynagragSchema {uid: 'schema'}) RETURN s.version AS version"
SET_SCHEMA_VERSION = "MERGE (s:DynagragSchema {uid: 'schema'}) SET s.version = $version, s.migrated = $names"

# ----------------------------------------------------------------------------------------------------------- workspace

WORKSPACE = "MATCH (w:Workspace {uid: $ws}) RETURN properties(w) AS state"
LOCK = """
MERGE (w:Workspace {uid: $ws})
ON CREATE SET w.ws = $ws, w.name = $ws, w.token = randomUUID(), w.records = '0', w.vectors = '0', w.graph = '0', w.derived_of = ''
SET w.locked = true
RETURN properties(w) AS state
"""
SET_STATE = "MATCH (w:Workspace {uid: $ws}) SET w += $state"
TAKE_LEASE = """
MATCH (w:Workspace {uid: $ws})
SET w.locked = true
WITH w, w.lease_holder IS NULL OR w.lease_holder = $holder OR w.lease_until < timestamp() AS is_free
FOREACH (_ IN CASE WHEN is_free THEN [1] ELSE [] END | SET w.lease_holder = $holder, w.lease_until = timestamp() + $milliseconds)
RETURN is_free
"""
END_LEASE = "MATCH (w:Workspace {uid: $ws}) WHERE w.lease_holder = $holder REMOVE w.lease_holder, w.lease_until"

# ----------------------------------------------------------------------------------------------------- writing records

SIGNATURES_OF_PARTS = """
MATCH (d:Document {uid: $document})<-[:PART_OF]-(n)
WHERE n:Turn OR n:Passage
RETURN n.uid AS uid, n.sig AS sig
"""
SIGNATURE_OF_DOCUMENT = "MATCH (d:Document {uid: $document}) RETURN d.sig AS sig"
PUT_DOCUMENT = "MERGE (d:Document {uid: $uid}) SET d += $props"
PUT_TURNS = """
MATCH (d:Document {uid: $document})
UNWIND $rows AS row
MERGE (n:Turn {uid: row.uid}) SET n += row.props
MERGE (n)-[:PART_OF]->(d)
"""
PUT_PASSAGES = """
MATCH (d:Document {uid: $document})
UNWIND $rows AS row
MERGE (n:Passage {uid: row.uid}) SET n += row.props
MERGE (n)-[:PART_OF]->(d)
"""
UNCHAIN_PASSAGES = "MATCH (d:Document {uid: $document})<-[:PART_OF]-(:Passage)-[r:NEXT]->(:Passage) DELETE r"
CHAIN_PASSAGES = """
UNWIND $pairs AS pair
MATCH (a:Passage {uid: pair[0]}) MATCH (b:Passage {uid: pair[1]})
MERGE (a)-[:NEXT]->(b)
"""
DELETE_TURNS = "UNWIND $uids AS uid MATCH (n:Turn {uid: uid}) DETACH DELETE n"
DELETE_PASSAGES = "UNWIND $uids AS uid MATCH (n:Passage {uid: uid}) DETACH DELETE n"

EXTRACTIONS_OF = """
MATCH (x:Extraction) WHERE x.document = $document AND x.start >= 0 AND x.ws = $ws
RETURN x.uid AS uid, x.start AS start, x.stop AS stop, x.extractor AS extractor
"""
OVERLAPPING = """
UNWIND $rows AS row
MATCH (x:Extraction) WHERE x.document = row.document AND x.start < row.stop AND x.stop > row.start AND x.extractor <> 'split'
RETURN DISTINCT x.uid AS uid
"""
DELETE_EXTRACTIONS = """
UNWIND $uids AS uid
MATCH (x:Extraction {uid: uid})
OPTIONAL MATCH (x)<-[:FROM]-(n)
DETACH DELETE n, x
"""
EXISTING_EXTRACTIONS = "UNWIND $uids AS uid MATCH (x:Extraction {uid: uid}) RETURN x.uid AS uid, x.sig AS sig"
RECORDS_OF_EXTRACTIONS = """
UNWIND $uids AS uid
MATCH (x:Extraction {uid: uid})<-[:FROM]-(n)
RETURN n.uid AS uid, n.sig AS sig, 'Mention' IN labels(n) AS is_mention
"""
KNOWN_DOCUMENTS = """
UNWIND $uids AS uid
MATCH (d:Document {uid: uid}) WHERE d.ws = $ws
RETURN uid, CASE WHEN uid IN $known THEN null ELSE d.text END AS text
"""
PUT_EXTRACTIONS = """
UNWIND $rows AS row
MATCH (d:Document {uid: row.props.document})
MERGE (x:Extraction {uid: row.uid}) SET x += row.props
MERGE (x)-[:PART_OF]->(d)
"""
PUT_MENTIONS = """
UNWIND $rows AS row
MATCH (x:Extraction {uid: row.extraction})
MERGE (m:Mention {uid: row.uid}) SET m += row.props
MERGE (m)-[:FROM]->(x)
WITH m, row
OPTIONAL MATCH (m)-[old:IN_PASSAGE]->(:Passage)
DELETE old
WITH DISTINCT m, row
UNWIND row.props.passages AS passage
MATCH (p:Passage {uid: passage})
MERGE (m)-[:IN_PASSAGE]->(p)
"""
PUT_RELATION_RECORDS = """
UNWIND $rows AS row
MATCH (x:Extraction {uid: row.extraction})
MERGE (r:RelationRecord {uid: row.uid}) SET r += row.props
MERGE (r)-[:FROM]->(x)
WITH r, row
MATCH (p:Passage {uid: row.props.passage})
MERGE (r)-[:IN_PASSAGE]->(p)
"""
DELETE_MENTIONS = "UNWIND $uids AS uid MATCH (n:Mention {uid: uid}) DETACH DELETE n"
DELETE_RELATION_RECORDS = "UNWIND $uids AS uid MATCH (n:RelationRecord {uid: uid}) DETACH DELETE n"
RELINK_MENTIONS = """
MATCH (:Document {uid: $document})<-[:PART_OF]-(:Extraction)<-[:FROM]-(n:Mention)
UNWIND n.passages AS passage
MATCH (p:Passage {uid: passage})
MERGE (n)-[:IN_PASSAGE]->(p)
"""
RELINK_RELATION_RECORDS = """
MATCH (:Document {uid: $document})<-[:PART_OF]-(:Extraction)<-[:FROM]-(n:RelationRecord)
MATCH (p:Passage {uid: n.passage})
MERGE (n)-[:IN_PASSAGE]->(p)
"""
DELETE_DOCUMENT = """
MATCH (d:Document {uid: $document}) WHERE d.ws = $ws
OPTIONAL MATCH (d)<-[:PART_OF]-(part)
OPTIONAL MATCH (part)<-[:FROM]-(record)
DETACH DELETE record, part, d
RETURN count(*) AS num
"""
PUT_EDIT = "MERGE (e:Edit {uid: $uid}) SET e += $props"
SIGNATURE_OF_EDIT = "MATCH (e:Edit {uid: $uid}) RETURN e.sig AS sig"
NUM_CHUNKS = "MATCH (x:Extraction) WHERE x.ws = $ws AND x.uid > '' AND x.extractor <> 'split' RETURN count(x) AS num"

# ------------------------------------------------------------------------------------------------------------- vectors

# Pages are ordered by all columns of their index: by the last one alone, each page would sort all that is left.
SIGNATURES_OF_VECTORS = """
MATCH (v:Vector) WHERE v.ws = $ws AND v.kind = $kind AND v.id > $after
RETURN v.id AS uid, v.sig AS sig ORDER BY v.ws, v.kind, v.id LIMIT $limit
"""
FETCH_VECTORS = (
    "UNWIND $uids AS uid MATCH (v:Vector) WHERE v.ws = $ws AND v.kind = $kind AND v.id = uid RETURN v.id AS uid, v.vec AS vector"
)
SOME_SIGNATURES_OF_VECTORS = (
    "UNWIND $uids AS uid MATCH (v:Vector) WHERE v.ws = $ws AND v.kind = $kind AND v.id = uid RETURN v.id AS uid, v.sig AS sig"
)
PUT_VECTORS = """
UNWIND $rows AS row
MERGE (v:Vector {uid: row.uid})
SET v.ws = $ws, v.kind = $kind, v.id = row.id, v.sig = row.sig, v.vec = row.vector
"""
DELETE_VECTORS = "UNWIND $uids AS uid MATCH (v:Vector {uid: uid}) DELETE v"
SIGNATURES_OF_PASSAGE_VECTORS = (
    "MATCH (n:Passage) WHERE n.ws = $ws AND n.uid > $after RETURN n.uid AS uid, n.vec_sig AS sig ORDER BY n.ws, n.uid LIMIT $limit"
)
SOME_SIGNATURES_OF_PASSAGE_VECTORS = (
    "UNWIND $uids AS uid MATCH (n:Passage {uid: uid}) WHERE n.ws = $ws RETURN n.uid AS uid, n.vec_sig AS sig"
)
SIGNATURES_OF_ENTITY_VECTORS = (
    "MATCH (n:Entity) WHERE n.ws = $ws AND n.uid > $after RETURN n.uid AS uid, n.vec_sig AS sig ORDER BY n.ws, n.uid LIMIT $limit"
)
SIGNATURES_OF_RELATION_VECTORS = (
    "MATCH ()-[r:RELATES]->() WHERE r.ws = $ws AND r.uid > $after RETURN r.uid AS uid, r.vec_sig AS sig ORDER BY r.ws, r.uid LIMIT $limit"
)
FETCH_RELATION_VECTORS = "UNWIND $uids AS uid MATCH ()-[r:RELATES {uid: uid}]->() RETURN r.uid AS uid, r.vec AS vector"

# ------------------------------------------------------------------------------------------------- writing the derived view

PUT_ENTITIES = """
UNWIND $rows AS row
MERGE (n:Entity {uid: row.uid}) SET n += row.props
"""
PUT_RELATIONS = """
UNWIND $rows AS row
MATCH (h:Entity {uid: row.head}) MATCH (t:Entity {uid: row.tail})
MERGE (h)-[r:RELATES {uid: row.uid}]->(t)
SET r += row.props
"""
DELETE_ENTITIES = "UNWIND $uids AS uid MATCH (n:Entity {uid: uid}) DETACH DELETE n"
DELETE_RELATIONS = "UNWIND $uids AS uid MATCH ()-[r:RELATES {uid: uid}]->() DELETE r"
PUT_MERGES = "UNWIND $rows AS row MERGE (n:Merge {uid: row.uid}) SET n += row.props"
PUT_LABEL_MERGES = "UNWIND $rows AS row MERGE (n:LabelMerge {uid: row.uid}) SET n += row.props"
DELETE_MERGES = "UNWIND $uids AS uid MATCH (n:Merge {uid: uid}) DELETE n"
DELETE_LABEL_MERGES = "UNWIND $uids AS uid MATCH (n:LabelMerge {uid: uid}) DELETE n"
LINKS_OF_MENTIONS = (
    "MATCH (m:Mention) WHERE m.ws = $ws AND m.uid > $after RETURN m.uid AS uid, m.entity AS sig ORDER BY m.ws, m.uid LIMIT $limit"
)
LINK_MENTIONS = """
UNWIND $rows AS row
MATCH (m:Mention {uid: row.uid})
OPTIONAL MATCH (m)-[old:OF]->(:Entity)
DELETE old
WITH DISTINCT m, row
SET m.entity = row.to
WITH m, row WHERE row.to IS NOT NULL
MATCH (e:Entity {uid: row.to})
MERGE (m)-[:OF]->(e)
"""
LINKS_OF_RECORDS = """
MATCH (r:RelationRecord) WHERE r.ws = $ws AND r.uid > $after
RETURN r.uid AS uid, r.relation_uid AS sig ORDER BY r.ws, r.uid LIMIT $limit
"""
LINK_RECORDS = "UNWIND $rows AS row MATCH (r:RelationRecord {uid: row.uid}) SET r.relation_uid = row.to"

# ------------------------------------------------------------------------------------------------------------- browsing

HOP = """
UNWIND $frontier AS uid
MATCH (s:Entity {uid: uid}) WHERE s.ws = $ws
CALL (s) {
  WITH s WHERE s.strongest IS NULL OR size(s.strongest) < $fan_out
  MATCH (s)-[r:RELATES]-(:Entity)
  RETURN r ORDER BY r.weight DESC, r.uid LIMIT $fan_out
UNION
  WITH s WHERE size(s.strongest) >= $fan_out
  UNWIND s.strongest[..$fan_out] AS strong
  MATCH ()-[r:RELATES {uid: strong}]->()
  RETURN r
}
WITH DISTINCT r WHERE r.weight >= $min_weight AND r.ws = $ws
RETURN r.uid AS id, startNode(r).uid AS head, endNode(r).uid AS tail, r.weight AS weight
ORDER BY weight DESC, id LIMIT $limit
"""
LARGEST_DEGREE = "UNWIND $frontier AS uid MATCH (s:Entity {uid: uid}) RETURN max(COUNT { (s)-[:RELATES]-() }) AS degree"
ENTITIES = """
UNWIND $uids AS uid
MATCH (n:Entity {uid: uid}) WHERE n.ws = $ws
RETURN [n.uid, n.key, n.name, n.sense, n.keys, n.aliases, n.type, n.weight, n.summaries, n.is_speaker, []] AS row
"""
SEARCH_NAMES = """
CALL db.index.fulltext.queryNodes('entity_names', $words) YIELD node, score
WHERE node.ws = $ws
RETURN node.uid AS uid, score, node.weight AS weight LIMIT $limit
"""

# --------------------------------------------------------------------------------------------------------------- health

_WITHOUT_DOCUMENT = "n.ws = $ws AND n.uid > '' AND NOT EXISTS { (n)-[:PART_OF]->(:Document) }"
_WITHOUT_EXTRACTION = "n.ws = $ws AND n.uid > '' AND NOT EXISTS { (n)-[:FROM]->(:Extraction) }"
_ORPHANS = (
    ("turns", "Turn", _WITHOUT_DOCUMENT),
    ("passages", "Passage", _WITHOUT_DOCUMENT),
    ("extractions", "Extraction", _WITHOUT_DOCUMENT),
    ("mentions", "Mention", _WITHOUT_EXTRACTION),
    ("relation records", "RelationRecord", _WITHOUT_EXTRACTION),
)
ORPHANS = tuple((what, f"MATCH (n:{label}) WHERE {is_orphan} RETURN count(n) AS num") for what, label, is_orphan in _ORPHANS)
DELETE_ORPHANS = tuple(f"MATCH (n:{label}) WHERE {is_orphan} DETACH DELETE n RETURN count(*) AS num" for _, label, is_orphan in _ORPHANS)
NUM_ENTITIES = "MATCH (n:Entity) WHERE n.ws = $ws AND n.uid > '' RETURN count(n) AS num"
NUM_RELATIONS = "MATCH ()-[r:RELATES]->() WHERE r.ws = $ws AND r.uid > '' RETURN count(r) AS num"
FOREIGN_NODES = """
MATCH (n) WHERE n.ws IS NULL AND NOT n:DynagragSchema
WITH n LIMIT 10000
UNWIND labels(n) AS label
RETURN label, count(*) AS num ORDER BY num DESC, label LIMIT 5
"""


# ------------------------------------------------------------------------------------- statements made of fixed parts


def _fixed(text: str) -> LiteralString:
    """Text that was put together of the literals of this module and a number."""
    return text


def uid_constraint(label: str) -> LiteralString:
    """Ids are unique within a label, which makes MERGE safe among several writers."""
    _check(label)
    if label == "RELATES":
        return "CREATE CONSTRAINT dynagrag_relates_uid IF NOT EXISTS FOR ()-[r:RELATES]-() REQUIRE r.uid IS UNIQUE"
    return _fixed(f"CREATE CONSTRAINT dynagrag_{label.lower()}_uid IF NOT EXISTS FOR (n:{label}) REQUIRE n.uid IS UNIQUE")


def workspace_index(label: str) -> LiteralString:
    """Paging a workspace's nodes in order of their ids."""
    _check(label)
    if label == "RELATES":
        return "CREATE INDEX dynagrag_relates_ws IF NOT EXISTS FOR ()-[r:RELATES]-() ON (r.ws, r.uid)"
    return _fixed(f"CREATE INDEX dynagrag_{label.lower()}_ws IF NOT EXISTS FOR (n:{label}) ON (n.ws, n.uid)")


EXTRACTION_INDEX = "CREATE INDEX dynagrag_extraction_document IF NOT EXISTS FOR (n:Extraction) ON (n.document, n.start)"
RECORD_INDEX = "CREATE INDEX dynagrag_record_relation IF NOT EXISTS FOR (n:RelationRecord) ON (n.relation_uid)"
VECTOR_INDEX = "CREATE INDEX dynagrag_vector_id IF NOT EXISTS FOR (n:Vector) ON (n.ws, n.kind, n.id)"
FULL_TEXT_INDEX = "CREATE FULLTEXT INDEX entity_names IF NOT EXISTS FOR (n:Entity) ON EACH [n.name, n.aliases, n.summaries]"


def signatures(label: str) -> LiteralString:
    """A page of (uid, sig) of a workspace, in order of uid."""
    _check(label)
    pattern = "()-[n:RELATES]->()" if label == "RELATES" else f"(n:{label})"
    return _fixed(
        f"MATCH {pattern} WHERE n.ws = $ws AND n.uid > $after RETURN n.uid AS uid, n.sig AS sig ORDER BY n.ws, n.uid LIMIT $limit"
    )


def fetch(label: str) -> LiteralString:
    """Whole rows, by uid."""
    _check(label)
    if label == "RELATES":
        return (
            "UNWIND $uids AS uid MATCH ()-[n:RELATES {uid: uid}]->() "
            "RETURN uid, n.sig AS sig, "
            "[n.uid, startNode(n).uid, endNode(n).uid, n.label, n.weight, n.support, n.summaries, n.record_ids] AS row"
        )
    return _fixed(f"UNWIND $uids AS uid MATCH (n:{label} {{uid: uid}}) RETURN uid, n.sig AS sig, {_row(label)} AS row")


def of_document(label: str) -> LiteralString:
    """Whole rows of one document."""
    _check(label)
    if label in ("Mention", "RelationRecord"):
        pattern = f"(:Document {{uid: $document, ws: $ws}})<-[:PART_OF]-(x:Extraction)<-[:FROM]-(n:{label})"
        return _fixed(f"MATCH {pattern} RETURN x.uid AS extraction, {_row(label)} AS row")
    return _fixed(f"MATCH (:Document {{uid: $document, ws: $ws}})<-[:PART_OF]-(n:{label}) RETURN {_row(label)} AS row")


def records_of() -> LiteralString:
    """A workspace's relation records, by uid."""
    return _fixed(f"UNWIND $uids AS uid MATCH (n:RelationRecord {{uid: uid}}) WHERE n.ws = $ws RETURN uid, {_row('RelationRecord')} AS row")


def put_node_vectors(label: str, dimension: int) -> LiteralString:
    """The native vector of passages or entities, under a property of its dimension: one property can have one index only."""
    _check(label)
    return _fixed(
        f"UNWIND $rows AS row MATCH (n:{label} {{uid: row.uid}}) "
        f"CALL db.create.setNodeVectorProperty(n, '{vector_property(dimension)}', row.vector) SET n.vec_sig = row.sig"
    )


def fetch_node_vectors(label: str, dimension: int) -> LiteralString:
    """The native vectors, by uid."""
    _check(label)
    return _fixed(f"UNWIND $uids AS uid MATCH (n:{label} {{uid: uid}}) RETURN uid, n.{vector_property(dimension)} AS vector")


def drop_node_vectors(label: str, dimension: int) -> LiteralString:
    """Nodes stay, their vectors go."""
    _check(label)
    return _fixed(f"UNWIND $uids AS uid MATCH (n:{label} {{uid: uid}}) REMOVE n.{vector_property(dimension)}, n.vec_sig")


def vector_property(dimension: int) -> LiteralString:
    """embedding_384 for 384 dimensions."""
    return _fixed(f"embedding_{int(dimension)}")


def vector_index_name(label: str, dimension: int) -> LiteralString:
    """entity_vec_384 for entities of 384 dimensions."""
    return _fixed(f"{label.lower()}_vec_{int(dimension)}")


def vector_index(label: str, dimension: int, has_filter: bool) -> LiteralString:
    """The vector index of a label and dimension; with `has_filter` (2026.01 and later) the workspace is a filter of it."""
    _check(label)
    extra = "WITH [n.ws] " if has_filter else ""
    head = "CYPHER 25 " if has_filter else ""
    return _fixed(
        f"{head}CREATE VECTOR INDEX {vector_index_name(label, dimension)} IF NOT EXISTS "
        f"FOR (n:{label}) ON (n.{vector_property(dimension)}) "
        f"{extra}OPTIONS {{indexConfig: {{`vector.dimensions`: {int(dimension)}, `vector.similarity_function`: 'cosine'}}}}"
    )


def nearest_nodes(label: str, dimension: int, has_filter: bool) -> LiteralString:
    """The nearest nodes of a workspace; without filter the index is asked for `$reach` over all workspaces."""
    _check(label)
    name = vector_index_name(label, dimension)
    if has_filter:
        return _fixed(
            f"CYPHER 25 MATCH (n:{label}) SEARCH n IN (VECTOR INDEX {name} FOR $vector WHERE n.ws = $ws LIMIT $limit) SCORE AS score "
            "RETURN n.uid AS uid, score ORDER BY score DESC, uid"
        )
    return _fixed(
        f"CALL db.index.vector.queryNodes('{name}', $reach, $vector) YIELD node, score WHERE node.ws = $ws "
        "RETURN node.uid AS uid, score ORDER BY score DESC, uid LIMIT $limit"
    )


def drop_index(name: str) -> LiteralString:
    """An index of ours that failed, or that is made anew."""
    if not all(c.isascii() and (c.isalnum() or c == "_") for c in name):
        raise AssertionError(f"{name!r} is no index of ours")
    return _fixed(f"DROP INDEX {name} IF EXISTS")


def forget_signatures(label: str) -> LiteralString:
    """Rows of the derived view, some at a time, so that all of them are written again."""
    _check(label)
    pattern = "()-[n:RELATES]->()" if label == "RELATES" else f"(n:{label})"
    return _fixed(
        f"MATCH {pattern} WHERE n.ws = $ws AND n.uid > '' AND n.sig IS NOT NULL WITH n LIMIT $limit REMOVE n.sig RETURN count(*) AS num"
    )


def clear(label: str) -> LiteralString:
    """Some nodes of a workspace go, or some relations between its entities, until none is left."""
    _check(label)
    if label == "RELATES":
        return "MATCH ()-[r:RELATES]->() WHERE r.ws = $ws AND r.uid > '' WITH r LIMIT $limit DELETE r RETURN count(*) AS num"
    place = "n.kind > '' AND n.id > ''" if label == "Vector" else "n.uid > ''"
    return _fixed(f"MATCH (n:{label}) WHERE n.ws = $ws AND {place} WITH n LIMIT $limit DETACH DELETE n RETURN count(*) AS num")


def _row(label: str) -> str:
    first = "id" if label in SCOPED_LABELS else "uid"
    return "[" + ", ".join(f"n.{column}" for column in (first, *COLUMNS[label][1:])) + "]"


def _check(label: str) -> None:
    if label != "RELATES" and label not in NODE_LABELS:
        raise AssertionError(f"{label!r} is no label of ours")
