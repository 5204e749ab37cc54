"""The derived view: writing entities, relations and merges, linking the records to them, and
looking around an entity.
"""

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
    "MATCH (m:Mention) WHERE m.ws = $ws AND m.uid > $after RETURN m.uid AS uid, m.entity AS sig"
    " ORDER BY m.ws, m.uid LIMIT $limit"
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
LINK_RECORDS = (
    "UNWIND $rows AS row MATCH (r:RelationRecord {uid: row.uid}) SET r.relation_uid = row.to"
)
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
LARGEST_DEGREE = (
    "UNWIND $frontier AS uid MATCH (s:Entity {uid: uid}) RETURN max(COUNT { (s)-[:RELATES]-() }) AS"
    " degree"
)
ENTITIES = """
UNWIND $uids AS uid
MATCH (n:Entity {uid: uid}) WHERE n.ws = $ws
RETURN [n.uid, n.key, n.name, n.sense, n.keys, n.aliases, n.type, n.weight, n.summaries,
        n.is_speaker, []] AS row
"""
SEARCH_NAMES = """
CALL db.index.fulltext.queryNodes('entity_names', $words) YIELD node, score
WHERE node.ws = $ws
RETURN node.uid AS uid, score, node.weight AS weight LIMIT $limit
"""
