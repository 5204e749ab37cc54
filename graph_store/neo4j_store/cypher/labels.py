"""The labels of nodes, and what statements are made of that exist once a label, or once a vector
dimension (a number).
"""

from typing import LiteralString

from dynagrag.graph_store.neo4j_store.neo4j_rows import COLUMNS

RECORD_LABELS = ("Document", "Turn", "Passage", "Extraction", "Mention", "RelationRecord", "Edit")
DERIVED_LABELS = ("Entity", "Merge", "LabelMerge")
SCOPED_LABELS = ("Edit", "Merge", "LabelMerge")
"""Their own ids say nothing of the workspace: they are in `id`, and `uid` is made of both."""
NODE_LABELS = ("Workspace", *RECORD_LABELS, *DERIVED_LABELS, "Vector")


def fixed(text: str) -> LiteralString:
    """Text that was put together of the literals of this package and a number."""
    return text


def check_label(label: str) -> None:
    """AssertionError for a label that isn't one of these (RELATES: the relationship type)."""
    if label != "RELATES" and label not in NODE_LABELS:
        raise AssertionError(f"{label!r} is no label of ours")


def row_of(label: str) -> str:
    """A node `n` as a row: its properties in the order of `COLUMNS`."""
    first = "id" if label in SCOPED_LABELS else "uid"
    return "[" + ", ".join(f"n.{column}" for column in (first, *COLUMNS[label][1:])) + "]"
