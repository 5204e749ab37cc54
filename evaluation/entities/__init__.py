"""`dynagrag evaluate entities`: how well consolidation joins the names of one entity, on sets that
say which are.
"""
