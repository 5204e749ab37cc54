"""The ego-graphs of the page Why: the candidates, and each accepted one drawn with its walk."""

from typing import Any

import streamlit as st

from dynagrag.core.schema import (
    CO_OCCURRENCE,
    AnswerTrace,
    EdgeTrace,
    NodeTrace,
    SubgraphTrace,
)
from dynagrag.core.text import plural
from dynagrag.registry.retrievers import BRIDGE_PPR, DYNAGRAG
from dynagrag.retrieval.pruning.no_pruner import NoPruner
from dynagrag.ui.choice_labels import unique_labels
from dynagrag.ui.drawing.graph_drawing import draw_graph
from dynagrag.ui.drawing.graph_parts import DrawnEdge, DrawnNode
from dynagrag.ui.safe_markdown import clean, plain

_UNREACHED = 0.5
"""Opacity: seen on a dark page too, and told from what is reached by being hollow."""

_SCORE, _PRUNED = "Score", "Pruner's score"
_TWO_DIGITS = st.column_config.NumberColumn(format="%.2f")
_NO_EGO_GRAPHS = (
    "This answer was made from passages alone: its profile reads no ego-graphs. With **Options**,"
    " Advanced, Profile **Graph** of the page Ask they are read beside the passages, and drawn"
    " here."
)


def show_candidates(trace: AnswerTrace) -> None:
    """A table of the centres that were looked at."""
    if not trace.candidates:
        st.markdown(
            _NO_EGO_GRAPHS
            if trace.retriever in (BRIDGE_PPR, DYNAGRAG)  # the former name of bridge-ppr here
            else "This retriever looks at no subgraphs."
        )
        return
    rows = [
        {"Accepted": c.is_accepted, "Centre": c.entity, _SCORE: c.score, "Reason": c.reason}
        for c in trace.candidates
    ]
    num_accepted = sum(c.is_accepted for c in trace.candidates)
    st.markdown(
        f"{plural(len(rows), f'candidate {trace.subgraph_kind}')} looked at, {num_accepted}"
        " accepted."
    )
    with st.expander("The candidates by score"):
        if trace.profile == "graph" and trace.retriever.startswith("dynagrag"):
            st.caption(
                "The score is the ego-graph's cosine with the question, as MiniLM's would be, plus"
                " 0.1 ln of its PageRank share, so it may be below zero."
            )
        st.dataframe(rows, hide_index=True, height=280, column_config={_SCORE: _TWO_DIGITS})


def show_subgraphs(exchange_id: str, trace: AnswerTrace) -> None:
    """One subgraph at a time: its drawing, the walk up to a step, and the walk as a table."""
    drawn = {
        number: (prompt, prompt.subgraph)
        for number, prompt in enumerate(trace.prompts)
        if prompt.subgraph is not None
    }
    if not drawn:
        return
    labels = unique_labels(
        {
            number: f"{clean(subgraph.nodes[0].name, 60)} ({plural(len(subgraph.nodes), 'node')})"
            for number, (_, subgraph) in drawn.items()
        }
    )
    picked = st.selectbox(
        trace.subgraph_kind.capitalize(), list(labels), format_func=labels.__getitem__
    )
    prompt, subgraph = drawn[picked]
    num_visited = sum(node.place is not None for node in subgraph.nodes)
    num_in = sum(node.is_in_prompt for node in subgraph.nodes)
    cut = (
        f"{num_visited - num_in} were pruned to fit the prompt (hollow), "
        if num_visited > num_in
        else ""
    )
    if any(node.mask is not None for node in subgraph.nodes):
        faint = "Faint: what GRAG's soft pruning left little of before the graph became a token."
    elif prompt.pruner == NoPruner.label:
        faint = (
            "There was no pruner, so all score alike; where lines are cut, what is mentioned least"
            " goes first."
        )
    else:
        faint = (
            f"Faint: what the pruner ({plain(prompt.pruner)}) scores low; where lines are cut, it"
            " goes first."
        )
    st.caption(
        f"{len(subgraph.nodes)} of {subgraph.num_nodes} nodes are drawn. The walk visited"
        f" {num_visited}; {cut}{num_in} are in the prompt. Size: times mentioned."
        f" {faint} Red: the walk. Arrows: the relations as they are stated. Colour: communities of"
        " this subgraph alone."
    )
    key = f"{exchange_id}_{picked}"
    step = num_visited
    if num_visited > 1:
        step = st.slider(
            "Steps of the walk",
            1,
            num_visited,
            num_visited,
            key=f"step_{key}",
            help="Draws the walk up to this step",
        )
    _draw(subgraph, step, key=f"ego_{key}")
    path = sorted((n for n in subgraph.nodes if _is_reached(n, step)), key=lambda n: n.place or 0)
    st.markdown("Order of the walk: " + " → ".join(f"{n.place} **{plain(n.name)}**" for n in path))
    with st.expander("The walk as a table"):
        st.dataframe(
            [
                {
                    "Step": n.place,
                    "Entity": n.name,
                    "Depth": n.depth,
                    "Reached from": "" if n.parent is None else subgraph.nodes[n.parent].name,
                    _PRUNED: n.score,
                    "In the prompt": n.is_in_prompt,
                    **({} if n.prize is None else {"Prize": n.prize}),
                    **({} if n.mask is None else {"Mask": n.mask}),
                }
                for n in path
            ],
            hide_index=True,
            column_config={_PRUNED: _TWO_DIGITS},
        )
    _show_chosen_by(trace.subgraph_kind, subgraph)
    if prompt.num_unvisited:
        st.caption(
            f"{prompt.num_unvisited} nodes were not visited: a walk ends where the prompt is full."
        )


def _show_chosen_by(kind: str, subgraph: SubgraphTrace) -> None:
    """Shows the prizes (of a tree) or masks (of soft pruning) of entities and facts."""
    things: list[NodeTrace | EdgeTrace] = [*subgraph.nodes, *subgraph.edges]
    has_prizes = any(own.prize is not None for own in things)
    has_masks = any(own.mask is not None for own in things)
    if not (has_prizes or has_masks):
        return
    title = (
        "Prizes: what was near the question"
        if has_prizes
        else "Masks: what soft pruning left of each"
    )
    with st.expander(title, expanded=True):
        if has_prizes:
            st.caption(
                "The nearest entities and facts got prizes by rank, each fact has a cost, and the"
                f" {kind} is worth most. What has no prize stands in it because it joins what has."
            )
        head = "Prize" if has_prizes else "Mask"
        names = [node.name for node in subgraph.nodes]
        rows = [_chosen_row(node.name, "entity", node, head) for node in subgraph.nodes]
        rows += [
            _chosen_row(
                f"{names[e.source]} – {', '.join(e.labels)} – {names[e.target]}", "fact", e, head
            )
            for e in subgraph.edges
        ]
        st.dataframe(sorted(rows, key=lambda row: -(row[head] or 0.0)), hide_index=True)


def _chosen_row(name: str, kind: str, own: NodeTrace | EdgeTrace, head: str) -> dict[str, Any]:
    return {"Entity or fact": name, "Kind": kind, head: own.prize if head == "Prize" else own.mask}


def _is_reached(node: NodeTrace, step: int) -> bool:
    return node.place is not None and node.place <= step


def _draw(subgraph: SubgraphTrace, step: int, key: str) -> None:
    nodes = subgraph.nodes
    walked = {
        frozenset((row, n.parent))
        for row, n in enumerate(nodes)
        if _is_reached(n, step) and n.parent is not None
    }
    drawn_nodes = []
    for node in nodes:
        is_reached = _is_reached(node, step)
        drawn_nodes.append(
            DrawnNode(
                id=node.id,
                label=node.name,
                order=node.place if is_reached else None,
                weight=max(1, node.weight),
                opacity=0.25 + 0.75 * _shown_share(node) if is_reached else _UNREACHED,
                is_hollow=not node.is_in_prompt,
                tooltip=(
                    f"{node.name}: weight {node.weight}, {_share_text(node)}, {node.hops} hops from"
                    " the centre"
                ),
            )
        )
    drawn_edges = [
        DrawnEdge(
            source=nodes[edge.source].id,
            target=nodes[edge.target].id,
            # co-occurrence says nothing, and there is much of it
            label=", ".join(label for label in edge.labels if label != CO_OCCURRENCE),
            weight=edge.weight,
            opacity=0.25 + 0.75 * _shown_share(edge),
            tooltip=f"{', '.join(edge.labels)}: stated {edge.weight} times, {_share_text(edge)}",
            is_highlighted=frozenset((edge.source, edge.target)) in walked,
            is_directed=any(label != CO_OCCURRENCE for label in edge.labels),
        )
        for edge in subgraph.edges
    ]
    draw_graph(drawn_nodes, drawn_edges, key=key, height="520px")


def _shown_share(own: NodeTrace | EdgeTrace) -> float:
    """Share for the opacity: the mask of soft pruning, else the pruner's score."""
    return own.score if own.mask is None else own.mask


def _share_text(own: NodeTrace | EdgeTrace) -> str:
    share = f"score {own.score:.2f}" if own.mask is None else f"mask {own.mask:.2f}"
    return share if own.prize is None else f"{share}, prize {own.prize:g}"
