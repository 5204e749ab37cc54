"""What a workspace's node in Neo4j says: the marks of its last changes, its embedder, and whose
turn it is to write the derived view.
"""

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dynagrag.core.errors import StoreError
from dynagrag.core.schema import EmbedderIdentity, VectorKind
from dynagrag.graph_store.neo4j_store.cypher import workspace_statements

if TYPE_CHECKING:
    from neo4j import Transaction

State = Mapping[str, Any]
"""The node's properties; empty before the first write."""


def set_state(tx: "Transaction", workspace: str, **values: Any) -> None:
    """Sets properties of the node; None takes one away."""
    tx.run(workspace_statements.SET_STATE, ws=workspace, state=values).consume()


def new_mark() -> str:
    """A text that no change had before."""
    return uuid.uuid4().hex


def mark(state: State, name: str) -> str:
    """The mark of the last change of `records`, `vectors` or `graph`."""
    return str(state.get(name, "0"))


def embedder(state: State) -> EmbedderIdentity | None:
    """The embedder of the workspace's vectors."""
    name = state.get("embedder_name")
    return EmbedderIdentity(str(name), dimension(state)) if name else None


def dimension(state: State) -> int:
    """The dimension of its vectors; 0 before the first."""
    return int(state.get("embedder_dimension") or 0)


def stamp(state: State, kind: VectorKind) -> str:
    """A mark that changes whenever vectors of the kind may have changed."""
    if kind in (VectorKind.ENTITY, VectorKind.RELATION):
        return mark(state, "graph")
    return (
        f"{mark(state, 'vectors')} {mark(state, 'records')}"
        if kind is VectorKind.PASSAGE
        else mark(state, "vectors")
    )


def begin_writing(
    tx: "Transaction", workspace: str, now: State, planned_on: State, turn: str, *, is_new: bool
) -> bool:
    """From here on the writer of this turn alone writes the view; whether the view is still the one
    that was planned on.
    """
    is_same = now["graph"] == mark(planned_on, "graph") and not now.get("writing")
    set_state(
        tx,
        workspace,
        derived_of="",
        writing=turn,
        **({"graph": new_mark()} if is_new or not is_same else {}),
    )
    return is_same


def check_writing(tx: "Transaction", workspace: str, turn: str) -> None:
    """Before each batch is committed: a writer that lost its turn must not add to another one's
    view.
    """
    _check_turn(
        tx.run(workspace_statements.LOCK, ws=workspace).single(strict=True)["state"],
        workspace,
        turn,
    )


def end_writing(
    tx: "Transaction",
    workspace: str,
    now: State,
    turn: str,
    derived_of: str,
    counts: Mapping[str, int],
) -> None:
    """Marks the view as current, unless another writer began meanwhile. Its mark is new again,
    since what was read while it was being written was a part of it.
    """
    if now.get("written") == turn:  # a replay
        return
    _check_turn(now, workspace, turn)
    changed = {"graph": new_mark()} if counts else {}
    set_state(tx, workspace, derived_of=derived_of, writing=None, written=turn, **counts, **changed)


def _check_turn(now: State, workspace: str, turn: str) -> None:
    if now.get("writing") != turn:
        raise StoreError(
            f"another machine took over writing the graph of workspace {workspace!r}; run the"
            " command again"
        )
