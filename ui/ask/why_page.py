"""The page Why: how an answer came about, from the candidates to the merged text. Everything is read from the kept answer's trace."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dynagrag.errors import UsageError
from dynagrag.graph_store.derived.embedded_texts import CO_OCCURRENCE
from dynagrag.text import clock
from dynagrag.ui import state
from dynagrag.ui.ask.answer_view import ARMS, show_arm
from dynagrag.ui.drawing.graph_drawing import draw_graph
from dynagrag.ui.drawing.graph_parts import Edge, Node
from dynagrag.ui.safe_markdown import clean, plain, source_link
from dynagrag.ui.state import Desk
from dynagrag.workspace.conversations import Arm, Conversation, ConversationBook, Exchange


def page() -> None:
    """The answer of the address bar, else the last one of the last conversation."""
    desk = state.needs_workspace()
    if desk is None:
        return
    with state.shown_errors():
        st.title("Why")
        book = ConversationBook(desk.space.folder)
        found = _chosen(book)
        if found is None:
            st.info("No question has been answered in this workspace yet. Ask one under **Ask**.", icon=":material/forum:")
            return
        exchange, number = _pick(*found)
        arm = exchange.arms[number]
        if arm.error:
            show_arm(desk.name, arm, exchange.asked)
            return
        _explain(desk, exchange, arm)


def _chosen(book: ConversationBook) -> tuple[Conversation, str] | None:
    """The conversation, and the id of the exchange that is asked for."""
    given = st.query_params.get("conversation") or state.remembered("conversation", "")
    conversations: Sequence[Conversation] = ()
    if given:
        try:
            conversations = (book.conversation(given),)
        except UsageError:
            conversations = ()
    if not any(e.arms for c in conversations for e in c.exchanges):
        conversations = book.all()
    found = next((c for c in conversations if any(e.arms for e in c.exchanges)), None)
    if found is None:
        return None
    return found, st.query_params.get("exchange", "")


def _pick(conversation: Conversation, exchange_id: str) -> tuple[Exchange, int]:
    """Which answer of the conversation is explained: exchange and arm."""
    answers = [(exchange, number) for exchange in conversation.exchanges for number in range(len(exchange.arms))]
    given = st.query_params.get("arm", "0")
    wanted = next((i for i, (e, n) in enumerate(answers) if e.id == exchange_id and str(n) == given), None)
    index = len(answers) - 1 if wanted is None else wanted
    picked: int = st.selectbox(
        "Answer", range(len(answers)), index=index, format_func=lambda i: _name(*answers[i]), key=f"why_{conversation.id}"
    )
    return answers[picked]


def _name(exchange: Exchange, number: int) -> str:
    asked = clean(exchange.asked)
    return f"{asked} ({exchange.arms[number].retriever})" if len(exchange.arms) > 1 else asked


def _explain(desk: Desk, exchange: Exchange, arm: Arm) -> None:
    trace = arm.answer["trace"]
    with st.expander("The answer", expanded=False):
        show_arm(desk.name, arm, exchange.asked)
    facts = [
        plain(ARMS.get(arm.retriever, arm.retriever)),
        f"profile {plain(trace['profile'])}",
        f"{trace['num_passages']} passages retrieved",
        f"{sum(c['accepted'] for c in trace['candidates'])} of {len(trace['candidates'])} ego-graphs accepted",
        f"{len(trace['subgraphs'])} prompts",
    ]
    if trace["answered_by_model"]:
        facts.append(f"{sum(a['helpfulness'] > 0 for a in arm.answer['intermediate'])} helpful answers")
    st.caption(" · ".join(facts))
    for note in trace["notes"]:
        st.caption(f":material/info: {plain(note)}")
    passages, graphs, prompts, answers = st.tabs(["Passages", "Ego-graphs", "Prompts", "Answers"])
    with passages:
        _passages(desk, trace)
    with graphs:
        _candidates(trace)
        _subgraphs(exchange.id, trace["subgraphs"])
    with prompts:
        _prompts(trace)
        _merge_prompt(trace)
    with answers:
        _intermediate(arm.answer["intermediate"], trace)


# ----------------------------------------------------------------------------------------------------------- passages


def _passages(desk: Desk, trace: Mapping[str, Any]) -> None:
    told = trace.get("passages")
    if told is None:
        st.markdown("This retriever says no more than the order of its passages; the lines it brought:")
        st.dataframe(
            [{"document": c["document"], "speaker": c["speaker"], "words": c["quote"]} for c in trace["evidence"]], hide_index=True
        )
        return
    steps = told.get("steps", ())  # an answer kept by an earlier version has none
    names = ", ".join(f"**{plain(name)}**" for name in told["linked"]) or "none that the graph knows"
    st.markdown(f"Names in the question: {names}")
    for fact in told["facts"]:
        st.markdown(f"Nearest fact, cosine {fact['cosine']:.2f}: “{plain(fact['text'])}”")
    if told["gate"] < 1:
        st.caption(f"The graph counts {told['gate']:.0%}: less where a question is long, and where many passages hold no entity.")
    shown = {id_ for subgraph in trace["subgraphs"] for id_ in subgraph["evidence_ids"]}
    rows = [
        {
            "rank": rank,
            "in a prompt": row["id"] in shown,
            "score": row["score"],
            "words and vectors": row["first_stage"],
            "graph": row["graph"],
            "bridge": row["bridge"],
            "around it": row["around"],
            **({"steps": row["steps"]} if steps else {}),
            "source": source_link(desk.name, row.get("document_id", ""), row["start"], row["end"]),
            "document": row["document"],
            "time": "" if row["start_s"] is None else clock(row["start_s"]),
            "begins with": row["words"],
            "reached over": row.get("over", ""),
        }
        for rank, row in enumerate(told["ranked"], start=1)
    ]
    numbers = ("score", "words and vectors", "graph", "bridge", "around it", "steps")
    columns = {name: st.column_config.NumberColumn(name, format="%.2f") for name in numbers}
    st.dataframe(rows, hide_index=True, column_config=columns | {"source": st.column_config.LinkColumn("source", display_text="open")})
    st.caption(
        "The score is the sum of the columns after it: how well words and vectors fit, PageRank from what the question names, the "
        "best bridge from another passage, and what stands around it" + (", and what the question's steps changed." if steps else ".")
    )


# ---------------------------------------------------------------------------------------------------------- ego-graphs


def _candidates(trace: Mapping[str, Any]) -> None:
    if not trace["candidates"]:
        st.markdown("This retriever looks at no ego-graphs.")
        return
    rows = [{"accepted": c["accepted"], "centre": c["entity"], "score": c["score"], "reason": c["reason"]} for c in trace["candidates"]]
    with st.expander(f"{len(rows)} candidates in the order of their score", expanded=False):
        if trace["profile"] == "default":
            st.caption("The score is the entity's cosine with the question plus 0.1 ln of its PageRank share, so it may be below zero.")
        st.dataframe(rows, hide_index=True, height=280)


def _subgraphs(exchange_id: str, subgraphs: Sequence[Mapping[str, Any]]) -> None:
    drawn = [(i, s) for i, s in enumerate(subgraphs) if s.get("nodes")]
    if not drawn:
        return
    names = {i: s["nodes"][0]["name"] for i, s in drawn}
    picked = st.selectbox(
        "Ego-graph", [i for i, _ in drawn], format_func=lambda i: f"{clean(names[i], 60)} ({len(subgraphs[i]['nodes'])} nodes)"
    )
    subgraph = subgraphs[picked]
    nodes = subgraph["nodes"]
    num_visited = sum(n["place"] is not None for n in nodes)
    num_in = sum(n["in_prompt"] for n in nodes)
    cut = f"{num_visited - num_in} were pruned to fit the prompt (hollow), " if num_visited > num_in else ""
    st.caption(
        f"{len(nodes)} of {subgraph['num_nodes']} nodes are drawn. The walk visited {num_visited}; {cut}{num_in} are in the prompt. "
        f"Size: times mentioned. Faint: what the pruner ({plain(subgraph['pruner'])}) scores low; it goes first. "
        "Red: the walk. Arrows: the relations as they are stated. Colour: communities of this subgraph alone."
    )
    step = _step(f"{exchange_id}_{picked}", num_visited)
    _draw(subgraph, step, key=f"ego_{exchange_id}_{picked}")
    path = [n for n in sorted(nodes, key=lambda n: n["place"] or 0) if n["place"] is not None and n["place"] <= step]
    st.markdown("Order of the walk: " + " → ".join(f"{n['place']} **{plain(n['name'])}**" for n in path))
    with st.expander("The walk as a table"):
        st.dataframe([_step_row(n, nodes) for n in path], hide_index=True)
    if subgraph["unvisited"]:
        st.caption(f"{subgraph['unvisited']} nodes were not reached: a walk visits at most 40.")


def _step_row(node: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "step": node["place"],
        "entity": node["name"],
        "depth": node["depth"],
        "reached from": "" if node["parent"] is None else nodes[node["parent"]]["name"],
        "pruner's score": node["score"],
        "in the prompt": node["in_prompt"],
    }


def _step(key: str, num_visited: int) -> int:
    """How far the walk is shown: all of it, or step by step."""
    if num_visited < 2:
        return num_visited
    return int(st.slider("Steps of the walk", 1, num_visited, num_visited, key=f"step_{key}", help="Draws the walk up to this step"))


def _draw(subgraph: Mapping[str, Any], step: int, key: str) -> None:
    nodes = subgraph["nodes"]
    reached = [n["place"] is not None and n["place"] <= step for n in nodes]
    walked = {frozenset((row, n["parent"])) for row, n in enumerate(nodes) if reached[row] and n["parent"] is not None}
    draw_graph(
        [
            Node(
                id=n["id"],
                label=n["name"],
                order=n["place"] if reached[row] else None,
                weight=max(1, n["weight"]),
                opacity=0.25 + 0.75 * n["score"] if reached[row] else 0.2,
                is_hollow=not n["in_prompt"],
                tooltip=f"{n['name']}: weight {n['weight']}, score {n['score']:.2f}, {n['hops']} hops from the centre",
            )
            for row, n in enumerate(nodes)
        ],
        [
            Edge(
                source=nodes[e["source"]]["id"],
                target=nodes[e["target"]]["id"],
                label=", ".join(label for label in e["labels"] if label != CO_OCCURRENCE),  # it says nothing, and there are many
                weight=e["weight"],
                opacity=0.25 + 0.75 * e["score"],
                tooltip=f"{', '.join(e['labels'])}: stated {e['weight']} times, score {e['score']:.2f}",
                is_highlighted=frozenset((e["source"], e["target"])) in walked,
            )
            for e in subgraph["edges"]
        ],
        key=key,
        height=520,
    )


# ------------------------------------------------------------------------------------------------- prompts and answers


def _prompts(trace: Mapping[str, Any]) -> None:
    subgraphs = trace["subgraphs"]
    if not subgraphs:
        st.markdown("Nothing was retrieved, so there was no prompt.")
        return
    st.caption("What was put before the model for each intermediate answer, after the same instructions and the question.")
    with st.expander("The instructions of each"):
        st.code(trace["instructions"], language=None, wrap_lines=True)
    for number, subgraph in enumerate(subgraphs, start=1):
        cut = f", {subgraph['lines_cut']} lines cut" if subgraph["lines_cut"] else ""
        about = f"{plain(subgraph['centre'])}, an ego-graph" if subgraph.get("nodes") else "the ranked passages"
        with st.expander(f"{number}. {about}: {subgraph['context_tokens']} tokens{cut}", expanded=number == 1):
            st.code(subgraph["prompt"], language=None, wrap_lines=True)


def _merge_prompt(trace: Mapping[str, Any]) -> None:
    if trace["merge_prompt"]:
        with st.expander("The prompt of the merged answer, whole"):
            st.code(trace["merge_prompt"], language=None, wrap_lines=True)


def _intermediate(intermediate: Sequence[Mapping[str, Any]], trace: Mapping[str, Any]) -> None:
    if not intermediate:
        st.markdown("No language model answered.")
        return
    if how := trace.get("merge"):
        st.markdown(f"How the answer came about: {plain(how)}")
    for failure in trace.get("failed_intermediate_answers", ()):
        st.warning(plain(failure))
    for answer in intermediate:
        with st.container(border=True):
            enough = "" if answer["has_enough_evidence"] else " · not enough evidence, left out"
            scored = f"helpfulness {answer['helpfulness']:.0f} of 100{_score_parts(answer)}"
            centre = "the ranked passages" if answer["centre"] == trace["retriever"] else plain(answer["centre"])
            st.caption(f"from **{centre}** · {scored}{enough}")
            st.markdown(plain(answer["answer"]) or "(no answer)")


def _score_parts(answer: Mapping[str, Any]) -> str:
    """ ": relevance 4, coherence 5, detail 3 of 5 by the judge", where the answer has been scored."""
    parts = answer.get("score_parts")  # an answer kept by an earlier version has none
    if not parts:
        return f", by {plain(answer['scored_by'])}"
    if answer["scored_by"] == "judge":
        return ": " + ", ".join(f"{name} {mark:.0f}" for name, mark in parts.items()) + " of 5 by the judge (counted 2 : 1 : 1)"
    return ": " + ", ".join(f"{name} {term:.2f}" for name, term in parts.items()) + " by the formula (counted 2 : 1 : 1)"
