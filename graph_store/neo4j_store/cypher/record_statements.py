"""Documents, turns, passages, extractions with their mentions and relation records, and edits:
writing, replacing, deleting.
"""

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
UNCHAIN_PASSAGES = (
    "MATCH (d:Document {uid: $document})<-[:PART_OF]-(:Passage)-[r:NEXT]->(:Passage) DELETE r"
)
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
MATCH (x:Extraction)
WHERE x.document = row.document AND x.start < row.stop AND x.stop > row.start
  AND x.extractor <> 'split'
RETURN DISTINCT x.uid AS uid
"""
DELETE_EXTRACTIONS = """
UNWIND $uids AS uid
MATCH (x:Extraction {uid: uid})
OPTIONAL MATCH (x)<-[:FROM]-(n)
DETACH DELETE n, x
"""
EXISTING_EXTRACTIONS = (
    "UNWIND $uids AS uid MATCH (x:Extraction {uid: uid}) RETURN x.uid AS uid, x.sig AS sig"
)
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
DELETE_EDITS = (
    "UNWIND $uids AS uid MATCH (e:Edit {uid: uid}) DETACH DELETE e RETURN count(*) AS num"
)
SIGNATURE_OF_EDIT = "MATCH (e:Edit {uid: $uid}) RETURN e.sig AS sig"
NUM_CHUNKS = (
    "MATCH (x:Extraction) WHERE x.ws = $ws AND x.uid > '' AND x.extractor <> 'split' RETURN"
    " count(x) AS num"
)
