"""Every Cypher statement that is ever sent. Values are parameters; labels, types and property names
are fixed in the code, never text.
"""
