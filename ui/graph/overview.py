"""The whole graph on the page Graph: its most mentioned things drawn in 2D and 3D, distributions, a
table, exports.

The store is asked once per version for its 5,000 heaviest entities; layouts are kept
(drawing/kept_layouts.py).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dynagrag.core.schema import Entity, Graph, Overview, Relation
from dynagrag.core.text import cut
from dynagrag.curation.graph_export import exported, part
from dynagrag.curation.graph_queries import binned, narrowed
from dynagrag.ui import state
from dynagrag.ui.choice_labels import document_labels
from dynagrag.ui.drawing.graph_drawing import draw_bars, draw_graph
from dynagrag.ui.drawing.graph_parts import MAX_NODES, DrawnEdge, DrawnNode
from dynagrag.ui.drawing.kept_layouts import FOLDER, KeptLayouts, Layout
from dynagrag.ui.drawing.themes import themes
from dynagrag.ui.graph.figure_3d import figure
from dynagrag.ui.graph.on_phone import HEIGHT, drawing_or_list
from dynagrag.ui.safe_markdown import plain
from dynagrag.ui.state import WorkspaceSession

MAX_RELATIONS = 10_000
"""Between the entities that may be drawn: twice as many are as slow again to drag, and no easier to
read.
"""
_NUM_FIRST = 70
_NUM_3D = 300
_BREADTH = 1.4
"""A drawing is wider than high, as windows are."""
_AS_HIGH_AS_WIDE = """@media (max-width: 640px) {
    .st-key-graph_3d_box, :has(> .st-key-graph_3d_box) { flex: none; height: 92vw; }
}"""
_NUM_ROWS = 1000
_MAX_TIPS = 1000
_NUM_LISTED = 40
_Chosen = Callable[..., tuple[tuple[Entity, ...], tuple[Relation, ...]]]
_HELP = "The most mentioned first; plain words in lower case come after all names."
_FORMATS = {"GraphML": "graphml", "JSON": "json", "CSV": "csv"}


def read_overview(session: WorkspaceSession) -> Overview:
    """The heaviest part of the graph, read once per version of the store."""
    return _read(session, str(session.space.folder), session.space.store.version())


@st.cache_resource(show_spinner="Reading the graph …", max_entries=4)
def _read(_session: WorkspaceSession, folder: str, version: str) -> Overview:
    return _session.space.store.overview(MAX_NODES, MAX_RELATIONS)


@st.cache_resource(show_spinner=False, max_entries=16)
def _layouts(folder: str) -> KeptLayouts:
    """One for all visitors, so that a reload finds the work that is under way."""
    return KeptLayouts(Path(folder) / FOLDER)


def _layout(
    session: WorkspaceSession,
    entities: Sequence[Entity],
    relations: Sequence[Relation],
    *,
    is_3d: bool = False,
) -> "Future[Layout]":
    number = {entity.id: i for i, entity in enumerate(entities)}
    pairs = [(number[r.head], number[r.tail]) for r in relations]
    return _layouts(str(session.space.folder)).start(
        len(entities), pairs, [float(r.weight) for r in relations], is_3d=is_3d
    )


def show_overview(
    session: WorkspaceSession, seen: Overview, drawn: DeltaGenerator
) -> Entity | None:
    """Draws it; the entity that was clicked. `drawn`: where what is drawn is chosen."""
    with drawn.popover("What is drawn", icon=":material/tune:"):
        chosen, has_lone = _chosen(session, seen)
    listed, _ = chosen()
    entities, relations = chosen(are_linked=not has_lone)
    st.caption(f"{seen.num_entities:,} entities, {seen.num_relations:,} relations")
    names = ("Drawing", "3D", "Distributions", "Entities", "Export")
    drawing, space, numbers, table, export = st.tabs(names, on_change="rerun", key="graph_tabs")
    clicked = None
    if not entities:
        st.info("No entity passes these filters.", icon=":material/filter_alt_off:")
    elif drawing.open:
        with drawing:
            clicked = _draw(session, entities, relations)
    elif space.open:
        with space:
            _show_3d(session, entities, relations)
    elif table.open:
        with table:
            clicked = _show_table(seen, listed)
    elif export.open:
        with export:
            st.markdown(
                "**Picture**: the icons at the upper right of the drawing save it as PNG or SVG."
            )
            options = {
                f"What is drawn ({len(entities):,} entities)": False,
                "The whole graph": True,
            }
            what = st.radio("Data of", list(options), key="export_what", horizontal=True)
            is_whole = options[what]
            graph = _whole(session) if is_whole else lambda: part(entities, relations)
            offer_downloads(graph, "graph", key="whole" if is_whole else "part")
    if numbers.open:
        with numbers:
            for column, title, counts, key in zip(
                st.columns(2),
                ("Relations of an entity", "Times an entity is mentioned"),
                (seen.degree_counts, seen.weight_counts),
                ("degrees", "weights"),
                strict=True,
            ):
                with column:
                    st.markdown(f"**{title}**")
                    draw_bars(binned(counts), key=f"graph_{key}", name=title.lower())
            st.caption(
                "Of all entities, whatever the filters. Bins double in width; the scale of the"
                " counts is logarithmic."
            )
    return clicked


def _chosen(session: WorkspaceSession, seen: Overview) -> tuple[_Chosen, bool]:
    """What gives the entities and relations that pass the filters, and whether entities without a
    relation are drawn.
    """
    limit = most = min(MAX_NODES, seen.num_entities)
    if most > 20:
        limit = st.slider(
            "Entities shown",
            10,
            most,
            min(_NUM_FIRST, most),
            step=10 if most > 300 else 1,
            key="graph_limit",
            help=_HELP,
        )
    kinds = [
        kind
        for kind, _ in sorted(seen.type_counts.items(), key=lambda item: (-item[1], item[0]))
        if kind
    ][:100]
    types = st.multiselect("Types", kinds, key="graph_types", placeholder="All types")
    heaviest = max(seen.weight_counts)
    min_weight = st.number_input(
        "Mentioned at least this often", 0, max(1, heaviest), 0, key="graph_weight"
    )
    # None: those of all documents
    titles = _titles(session, str(session.space.folder), session.space.store.version())
    chosen = st.selectbox(
        "Document",
        titles,
        index=None,
        format_func=lambda id_: titles.get(id_, id_),
        key="graph_document",
        placeholder="All documents",
    )
    passages = (
        None if chosen is None else {passage.id for passage in session.space.store.passages(chosen)}
    )
    has_lone = st.toggle("Draw those without a relation too", key="graph_lone")
    if seen.num_entities > MAX_NODES:
        st.caption(
            f"This chooses among the {MAX_NODES:,} most mentioned entities; search finds all."
        )
    narrow = partial(
        narrowed,
        seen,
        types=types,
        min_weight=int(min_weight),
        passages=passages,
        limit=limit,
        are_names_first=True,
    )
    return narrow, has_lone


@st.cache_resource(show_spinner=False, max_entries=4)
def _titles(_session: WorkspaceSession, folder: str, version: str) -> dict[str, str]:
    """By document id."""
    return document_labels(_session.documents())


# ----------------------------------------------------------------------------------------- drawings


def _draw(
    session: WorkspaceSession, entities: Sequence[Entity], relations: Sequence[Relation]
) -> Entity | None:
    with st.spinner("Laying out the graph …"):
        made = _layout(session, entities, relations).result()
    has_tips = len(entities) <= _MAX_TIPS
    nodes = [
        DrawnNode(
            e.id,
            e.name,
            e.weight,
            int(group),
            x=_BREADTH * float(x),
            y=float(y),
            tooltip=about(e) if has_tips else "",
        )
        for e, group, (x, y) in zip(entities, made.groups, made.positions, strict=True)
    ]
    edges = [
        DrawnEdge(r.head, r.tail, r.label, r.weight, is_directed=r.is_directed) for r in relations
    ]
    with drawing_or_list() as listed:
        clicked = draw_graph(
            nodes, edges, key="graph_overview", height=HEIGHT, has_theme_names=True
        )
        st.caption(
            "Click an entity to open it, drag it to move it, scroll to zoom. Larger: mentioned more"
            " often. Colour: theme, things that are related to each other more than to others,"
            " called by the most mentioned; click one to hide it. Entities without a relation are"
            " in the tab Entities."
        )
    with listed:
        found = themes(nodes, made.groups.tolist(), least=1)
        for theme in sorted(found, key=lambda theme: -nodes[theme.members[0]].weight):
            if len(theme.members) > 1:
                st.markdown(f"**{plain(theme.name)}**")
            for i in theme.members:
                name = cut(entities[i].name, 60)
                if st.button(
                    f"{plain(name) or '(no name)'} · {entities[i].weight}×",
                    type="tertiary",
                    key=f"listed_{entities[i].id}",
                ):
                    return entities[i]
    return next((e for e in entities if e.id == clicked), None)


def about(entity: Entity) -> str:
    """An entity in a line."""
    return (
        f"{entity.name}{f' ({entity.type})' if entity.type else ''}, mentioned {entity.weight}"
        " times"
    )


def _show_3d(
    session: WorkspaceSession, entities: Sequence[Entity], relations: Sequence[Relation]
) -> None:
    """Kamada and Kawai's layout in three dimensions, made on a thread of its own."""
    heaviest = entities[:_NUM_3D]
    ids = {entity.id for entity in heaviest}
    relations = [r for r in relations if r.head in ids and r.tail in ids and r.head != r.tail]
    linked = {end for r in relations for end in (r.head, r.tail)}
    entities = [entity for entity in heaviest if entity.id in linked]
    if not entities:
        st.info(
            "None of these entities is related to another of them.", icon=":material/scatter_plot:"
        )
        return
    made = _layout(session, entities, relations, is_3d=True)
    if made.done() and made.exception() is None:
        # no higher than wide: what doesn't fit beside is cut off
        st.html(f"<style>{_AS_HIGH_AS_WIDE}</style>")
        with st.container(key="graph_3d_box", height=620, border=False):
            st.plotly_chart(
                figure(
                    entities,
                    relations,
                    [about(e) for e in entities],
                    made.result(),
                    is_dark=st.context.theme.type == "dark",
                ),
                height="stretch",
                key="graph_3d",
                config={"displaylogo": False},
            )
        num_alone = len(heaviest) - len(entities)
        alone = (
            f" {num_alone} of them have no relation to the others and are left out."
            if num_alone
            else ""
        )
        st.caption(
            f"The {len(heaviest)} most mentioned entities.{alone} Drag to turn, scroll to zoom."
            " Colour: community."
        )
    else:
        _wait(made, len(entities))


@st.fragment(run_every=1.0)
def _wait(made: "Future[Layout]", num: int) -> None:
    if not made.done():
        st.info(
            f"{num} entities are being laid out in 3D. This takes a few seconds, once for this"
            " graph.",
            icon=":material/hourglass_top:",
        )
    elif made.exception() is None:
        st.rerun()
    else:
        st.error(
            f"The 3D layout failed ({type(made.exception()).__name__}). Reload the page to try"
            " again.",
            icon=":material/error:",
        )


# -------------------------------------------------------------------------------- numbers and files


def _show_table(seen: Overview, entities: Sequence[Entity]) -> Entity | None:
    degrees = dict(zip((e.id for e in seen.entities), seen.degrees, strict=True))
    shown = entities[:_NUM_ROWS]
    rows = [
        {
            "Entity": e.name,
            "Type": e.type,
            "Mentioned": e.weight,
            "Relations": degrees[e.id],
            "Also": ", ".join(e.aliases[:5]),
        }
        for e in shown
    ]
    picked = st.dataframe(
        rows,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="graph_table",
        height=560,
    )
    st.caption(
        "Tick a row to open the entity."
        + (f" The {_NUM_ROWS:,} most mentioned are listed." if len(entities) > _NUM_ROWS else "")
    )
    chosen = picked["selection"]["rows"]
    return shown[chosen[0]] if chosen and chosen[0] < len(shown) else None


def _cell(text: str) -> str:
    """A table's cell: short, and without the half characters that a model can write but Arrow can't
    hold.
    """
    return text[:200].encode("utf-8", "replace").decode()


def _whole(session: WorkspaceSession) -> Callable[[], Graph]:
    """Returns a function that reads the whole graph when a download is clicked; the page's session
    may have been closed as idle by then.
    """
    open_space = state.opener(session.name, has_model=False)

    def read() -> Graph:
        with open_space() as space:
            return space.store.graph()

    return read


def offer_downloads(graph: Callable[[], Graph], name: str, key: str) -> None:
    """A button for each format; the file is made when it is pressed."""
    with st.container(horizontal=True):
        for title, ending in _FORMATS.items():
            is_csv = ending == "csv"
            st.download_button(
                title,
                data=lambda ending=ending: exported(graph(), ending)[0],  # type: ignore[misc]
                file_name=f"{name}.{'zip' if is_csv else ending}",
                mime="application/zip" if is_csv else "application/octet-stream",
                icon=":material/download:",
                on_click="ignore",
                key=f"download_{key}_{ending}",
                help="Two files in one archive" if is_csv else None,
            )
