"""Findings on a workspace in Neo4j and on its database; nothing here changes anything."""

from dynagrag.core.schema import Finding
from dynagrag.graph_store.neo4j_store.cypher import workspace_statements
from dynagrag.graph_store.neo4j_store.database_schema import Neo4jSchema
from dynagrag.graph_store.neo4j_store.neo4j_connection import Neo4jConnection
from dynagrag.graph_store.neo4j_store.neo4j_state import State, dimension
from dynagrag.graph_store.rules import REPAIR, orphans


def find(
    connection: Neo4jConnection, schema: Neo4jSchema, workspace: str, state: State
) -> list[Finding]:
    """The schema, orphaned records, the view, and what else the database holds."""
    found = schema.findings(dimension(state) or None, state.get("vector_index") != "made")
    found.append(
        orphans(
            {
                what: int(connection.read(query, ws=workspace)[0]["num"])
                for what, query in workspace_statements.ORPHANS
            }
        )
    )
    # Counted on the server: the local copy wouldn't see what somebody deleted there.
    wanted = (state.get("num_entities", 0), state.get("num_relations", 0))
    there = tuple(
        int(connection.read(query, ws=workspace)[0]["num"])
        for query in (workspace_statements.NUM_ENTITIES, workspace_statements.NUM_RELATIONS)
    )
    is_whole = (
        there == wanted
        or bool(state.get("writing"))
        or state.get("derived_of") != state.get("records")
    )
    counts = f"{there[0]} entities, {there[1]} relations" + (
        "" if there == wanted else f"; {wanted[0]} and {wanted[1]} were written"
    )
    found.append(Finding("view", is_whole, counts, REPAIR))
    others = ", ".join(
        f"{row['num']} :{row['label']}"
        for row in connection.read(workspace_statements.FOREIGN_NODES)
    )
    if others:
        found.append(
            Finding(
                "other data",
                True,
                f"the database also holds {others} of another program, left alone",
            )
        )
    return found
