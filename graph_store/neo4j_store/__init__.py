"""The Neo4j store: the workspaces of one database. Every statement that is sent stands in
`cypher`.
"""
