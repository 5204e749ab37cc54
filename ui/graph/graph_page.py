"""The page Graph: an entity found by name and what lies around it, or the whole graph's most
mentioned things (overview.py).

No more than a bounded part is ever read from the store or sent to the browser, however large the
graph is.
"""

from collections import Counter
from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dynagrag.core.errors import StoreError
from dynagrag.core.schema import Document, Entity
from dynagrag.core.text import cut, times
from dynagrag.curation.graph_export import part
from dynagrag.curation.graph_queries import (
    StatedRelation,
    entity_facts,
    entity_quotes,
    way_between,
)
from dynagrag.ui import first_visit, state
from dynagrag.ui.choice_labels import unique_labels
from dynagrag.ui.drawing.graph_drawing import draw_graph
from dynagrag.ui.drawing.graph_parts import DrawnEdge, DrawnNode
from dynagrag.ui.graph.on_phone import HEIGHT, drawing_or_list
from dynagrag.ui.graph.overview import about, offer_downloads, read_overview, show_overview
from dynagrag.ui.quotes_view import show_quotes
from dynagrag.ui.safe_markdown import (
    clean,
    plain,
    source_link,
    speaker_and_time,
    with_commands,
)
from dynagrag.ui.state import WorkspaceSession

_PATH = "graph_path"
_FIND = "graph_find"
_IS_FOUND = "graph_is_found"
_MAX_HITS = 12
_MAX_CRUMBS = 6
_MAX_CHARS = 200
_NUM_QUOTES = 5
_RELATIONS = (25, 50, 100, 200, 500, 1000)


def page() -> None:
    """Draws the page."""
    head = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    head.title("Graph", width="content")
    session = first_visit.needs_workspace()
    if session is None:
        return
    with state.shown_errors():
        seen = read_overview(session)
        if seen.num_entities == 0:
            if session.documents():
                st.info("No entity was found in this workspace's documents.", icon=":material/hub:")
            else:
                first_visit.show_empty_workspace()
            return
        with head:
            if state.remembered(_IS_FOUND, False):  # a box can be emptied only before it is drawn
                st.session_state[_FIND] = ""
                state.remember(_IS_FOUND, False)
            text = st.text_input(
                "Find an entity",
                key=_FIND,
                max_chars=_MAX_CHARS,
                placeholder="Name, or words",
                icon=":material/search:",
            ).strip()
            drawn = st.container(width="content")
        if text:
            _show_hits(session, text)
        path = _path()
        if path:
            with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
                st.button(
                    "Whole graph",
                    icon=":material/hub:",
                    type="tertiary",
                    on_click=_back,
                    args=(0,),
                    key="crumb_all",
                )
                first = max(0, len(path) - _MAX_CRUMBS)
                if first:
                    st.markdown("› …")
                for number, (_, name) in enumerate(path[first:], start=first + 1):
                    st.markdown("›")
                    label = plain(cut(name, 40)) or "\\(no name\\)"
                    is_here = number == len(path)
                    st.button(
                        label,
                        type="tertiary",
                        on_click=_back,
                        args=(number,),
                        key=f"crumb_{number}",
                        disabled=is_here,
                    )
            _show_entity(session, path[-1][0], drawn)
        else:
            clicked = show_overview(session, seen, drawn)
            if clicked is not None:
                _go(clicked.id, clicked.name)
                st.rerun()


# ------------------------------------------------------------------------------------- where we are


def _path() -> list[tuple[str, str]]:
    """(id, name) of the entities visited, the one shown last. Empty: the whole graph."""
    return list(state.remembered(_PATH, []))


def _go(entity_id: str, name: str) -> None:
    path = _path()
    ids = [id_ for id_, _ in path]
    state.remember(
        _PATH, path[: ids.index(entity_id) + 1] if entity_id in ids else [*path, (entity_id, name)]
    )
    state.remember(_IS_FOUND, True)


def _back(num: int) -> None:
    state.remember(_PATH, _path()[:num])


def _show_hits(session: WorkspaceSession, text: str) -> None:
    with state.shown_errors():
        hits = session.space.store.search_entities(text, limit=_MAX_HITS)
        if not hits:
            st.info(
                f"Nothing is called {plain(text)}. Whole words are looked for, in any case.",
                icon=":material/search_off:",
            )
            return
        with st.container(horizontal=True, gap="small"):
            for entity_id, _ in hits:
                entity = _entity(session, entity_id)
                if entity is not None:
                    label = (
                        f"{plain(cut(entity.name, 60))} · {plain(entity.type)}"
                        if entity.type
                        else plain(cut(entity.name, 60))
                    )
                    st.button(
                        f"{label} · {entity.weight}×",
                        on_click=_go,
                        args=(entity.id, entity.name),
                        key=f"hit_{entity.id}",
                    )


def _entity(session: WorkspaceSession, entity_id: str) -> Entity | None:
    """None where it has gone since it was found."""
    try:
        return session.space.store.neighbourhood(entity_id, num_hops=0).entities[0]
    except StoreError:
        return None


# --------------------------------------------------------------------------------------- one entity


def _show_entity(session: WorkspaceSession, entity_id: str, drawn: DeltaGenerator) -> None:
    """`drawn`: where what is drawn is chosen."""
    if _entity(session, entity_id) is None:
        st.warning(
            "This entity is no longer in the graph: it was merged, renamed or deleted.",
            icon=":material/link_off:",
        )
        return
    with drawn.popover("What is drawn", icon=":material/tune:"):
        num_hops = st.slider("Steps from the entity", 1, 3, 1, key="near_hops")
        max_relations = st.select_slider("Relations at most", _RELATIONS, 50, key="near_relations")
        min_weight = st.number_input(
            "Stated at least this often",
            1,
            10_000,
            1,
            key="near_weight",
            help="Relations that were stated less often are left out.",
        )
    drawing, facts = st.columns([3, 2], gap="medium")
    with drawing:
        near = session.space.store.neighbourhood(
            entity_id,
            num_hops=num_hops,
            fan_out=max_relations,
            max_relations=max_relations,
            min_weight=int(min_weight),
        )
        with drawing_or_list():
            centre = near.entities[0].id
            nodes = [
                DrawnNode(e.id, e.name, e.weight, tooltip=about(e), is_highlighted=e.id == centre)
                for e in near.entities
            ]
            edges = [
                DrawnEdge(r.head, r.tail, r.label, r.weight, is_directed=r.is_directed)
                for r in near.relations
            ]
            clicked_id = draw_graph(
                nodes, edges, key="graph_near", height=HEIGHT, file_name="neighbourhood"
            )
            clicked = next((e for e in near.entities if e.id == clicked_id), None)
            more = " There are more; the most stated are drawn." if near.is_cut else ""
            st.caption(
                f"{len(near.entities)} entities, {len(near.relations)} relations.{more} Click an"
                " entity to open it, point at a line to read it, scroll to zoom. Larger: mentioned"
                " more often. Colour: community."
            )
        with st.popover("Export", icon=":material/download:"):
            offer_downloads(
                lambda: part(near.entities, near.relations), "neighbourhood", key="near"
            )
    with facts:
        store = session.space.store
        documents = _documents(session, str(session.space.folder), store.version())
        found = entity_facts(store, entity_id, documents)
        _show_entity_head(found.entity)
        _show_said(session, found.entity, documents)
        _show_way(session, found.entity, documents)
        st.markdown("**Relations**" if found.relations else "No relation of it is stated.")
        for stated in found.relations:
            _show_relation(session.name, found.entity.id, stated)
        if found.note:
            st.caption(with_commands(found.note))
        if found.has_more:
            st.caption("These are its most stated relations; there are more.")
    if clicked is not None and clicked.id != entity_id:
        _go(clicked.id, clicked.name)
        st.rerun()


@st.cache_resource(show_spinner=False, max_entries=2)
def _documents(_session: WorkspaceSession, folder: str, version: str) -> Mapping[str, Document]:
    """The documents by id, read once per version of the store."""
    return {document.id: document for document in _session.documents()}


def _show_entity_head(entity: Entity) -> None:
    st.subheader(plain(cut(entity.name, 120)) or "\\(no name\\)")
    kind = f"{plain(entity.type)} · " if entity.type else ""
    st.caption(f"{kind}mentioned {times(entity.weight)}{' · speaks' if entity.is_speaker else ''}")
    others = [alias for alias in entity.aliases if alias != entity.name]
    if others:
        shown = ", ".join(plain(cut(alias, 60)) for alias in others[:12])
        st.markdown(f"**Also:** {shown}{' …' if len(others) > 12 else ''}")
    lines = [f"- {plain(cut(text, 400))}" for text in entity.summaries[:30]]
    if lines:
        st.markdown("\n".join(lines[:3]))
    if len(lines) > 3:
        with st.expander(f"What else is said of it ({len(entity.summaries) - 3})"):
            st.markdown("\n".join(lines[3:]))


def _show_said(
    session: WorkspaceSession, entity: Entity, documents: Mapping[str, Document]
) -> None:
    """Who says it when, in the order of time."""
    quotes, has_more = entity_quotes(session.space.store, entity, documents)
    if not quotes:
        return
    st.markdown("**Where it is said**")
    by = Counter(quote.speaker or "" for quote in quotes)
    if len(by) > 1:
        labels = {who: f"{cut(who, 30) or 'no speaker'} ({num})" for who, num in by.most_common()}
        who = st.pills(
            "Said by",
            list(labels),
            format_func=lambda who: plain(labels.get(who, who)),
            key=f"said_by_{entity.id}",
            label_visibility="collapsed",
        )
        if who is not None:
            quotes = [quote for quote in quotes if (quote.speaker or "") == who]
    show_quotes(session.name, quotes[:_NUM_QUOTES])
    if quotes[_NUM_QUOTES:]:
        with st.expander(f"More places ({len(quotes) - _NUM_QUOTES})"):
            show_quotes(session.name, quotes[_NUM_QUOTES:])
    if has_more:
        st.caption("Those of the first documents; there are more.")


def _show_relation(workspace: str, entity_id: str, stated: StatedRelation) -> None:
    relation = stated.relation
    other, name = (
        (relation.tail, stated.tail) if relation.head == entity_id else (relation.head, stated.head)
    )
    with st.container(border=True):
        st.markdown(
            f"{plain(cut(stated.head, 80))} **{plain(cut(relation.label, 80))}**"
            f" {plain(cut(stated.tail, 80))}"
            + (f" · stated {relation.weight} times" if relation.weight > 1 else "")
        )
        for statement in stated.statements:
            link = source_link(workspace, statement.document_id, statement.start, statement.end)
            who = speaker_and_time(statement.speaker, statement.start_s)
            words = (
                f"“{plain(cut(statement.words, 240))}” "
                if statement.words
                else "Named together here: "
            )
            place = f"[{plain(cut(statement.title, 60)) or 'source'}]({link})"
            # a caption would dim its link below the contrast that reading needs
            st.markdown(f"{words}{f'{who}, ' if who else ''}{place}")
        if other != entity_id:  # the way there for those who can't click the drawing
            label = plain(cut(name, 60)) or "\\(no name\\)"
            st.button(
                label,
                icon=":material/arrow_forward:",
                type="tertiary",
                on_click=_go,
                args=(other, name),
                key=f"to_{relation.id}",
            )


def _show_way(session: WorkspaceSession, entity: Entity, documents: Mapping[str, Document]) -> None:
    """Shows the shortest path from the entity to another that is chosen."""
    st.markdown("**Path to another entity**")
    text = st.text_input(
        "Path to",
        key="way_find",
        max_chars=_MAX_CHARS,
        placeholder="A name",
        label_visibility="collapsed",
    )
    if not text.strip():
        return
    hits = [
        _entity(session, id_)
        for id_, _ in session.space.store.search_entities(text, limit=_MAX_HITS)
    ]
    others = {e.id: e.name for e in hits if e is not None and e.id != entity.id}
    if not others:
        st.info(f"Nothing else is called {plain(text)}.", icon=":material/search_off:")
        return
    other = next(iter(others))
    if len(others) > 1:
        labels = unique_labels({id_: clean(name, 60) for id_, name in others.items()})
        other = st.selectbox(
            "To", list(labels), format_func=lambda id_: labels.get(id_, id_), key="way_to"
        )
    way = way_between(session.space.store, entity.id, other, documents)
    if not way:
        st.info(
            f"No path to {plain(cut(others[other], 60))} within six relations.",
            icon=":material/link_off:",
        )
        return
    here = entity.id
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="way"):
        st.markdown(plain(cut(entity.name, 40)) or "\\(no name\\)")
        for number, step in enumerate(way):
            is_forward = step.relation.head == here
            here, name = (
                (step.relation.tail, step.tail) if is_forward else (step.relation.head, step.head)
            )
            # the relation as an arrow whose label opens what states it
            label = plain(cut(step.relation.label, 40))
            if step.statements:
                statement = step.statements[0]
                link = source_link(
                    session.name, statement.document_id, statement.start, statement.end
                )
                label = f"[{label}]({link})"
            st.markdown(f"— {label} →" if is_forward else f"← {label} —")
            st.button(
                plain(cut(name, 40)) or "\\(no name\\)",
                type="tertiary",
                on_click=_go,
                args=(here, name),
                key=f"way_{number}",
            )
