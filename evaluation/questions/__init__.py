"""Questions made of a workspace, each with what answers it: of its records, or written by a model
and checked.
"""
