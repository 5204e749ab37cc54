"""The tab "Find and edit" of the page Curate: an entity by its name, and what a person can change
about it.
"""

import streamlit as st

from dynagrag.core.schema import Entity
from dynagrag.core.text import plural, times
from dynagrag.curation import corrections
from dynagrag.curation.view import Seen, clipped
from dynagrag.ui import state
from dynagrag.ui.choice_labels import unique_labels
from dynagrag.ui.curate.correction_work import correct, given_name
from dynagrag.ui.curate.entity_view import show_entity
from dynagrag.ui.safe_markdown import plain
from dynagrag.ui.state import WorkspaceSession

RENAME, MERGE, SPLIT, SENSES = (
    "Rename",
    "Merge with another",
    "Split names out",
    "One name, two things",
)
_MAX_FOUND = 20
_MAX_TEXT = 200


def show(session: WorkspaceSession, seen: Seen) -> None:
    """Draws the tab."""
    entity = _choose(seen, "Find an entity", "edit", st.query_params.get("entity", ""))
    if entity is None:
        return
    with st.container(border=True):
        show_entity(session, seen, entity, num_quotes=3)
    ways = [RENAME, MERGE, *([SPLIT] if len(entity.keys) > 1 else []), SENSES]
    way = st.radio("What to change", ways, key=f"way_{entity.id}", horizontal=True)
    {RENAME: _rename, MERGE: _merge, SPLIT: _split, SENSES: _senses}[way or RENAME](
        session, seen, entity
    )


def _choose(seen: Seen, label: str, name: str, first: str = "") -> Entity | None:
    """An entity by a search; None until one is found."""
    text = st.text_input(
        label,
        first[:_MAX_TEXT],
        key=f"find_{name}",
        max_chars=_MAX_TEXT,
        placeholder="part of a name",
        icon=":material/search:",
    )
    if not text.strip():
        return None
    found = seen.find(text, _MAX_FOUND)
    if not found:
        st.info(f"No entity's name contains {plain(clipped(text))}.", icon=":material/search_off:")
        return None
    by_id = {e.id: e for e in found}
    ids, last = list(by_id), state.remembered(f"curate_found_{name}", "")
    index = ids.index(last) if last in by_id else 0
    # a box keeps the words of its choice, which a correction changes
    key = f"found_{name}_{seen.version}"
    lines = {}
    for entity in found:  # a select box shows its options as they are
        aliases = ", ".join(clipped(alias, 30) for alias in entity.aliases[:3])
        also = f" (also {aliases})" if aliases else ""
        lines[entity.id] = f"{clipped(entity.name)}{also}, said {times(entity.weight)}"
    labels = unique_labels(lines)
    chosen = st.selectbox(
        f"Found ({len(found)})", ids, index=index, format_func=lambda i: labels.get(i, i), key=key
    )
    state.remember(f"curate_found_{name}", chosen)
    return by_id[chosen] if chosen else None


def _rename(session: WorkspaceSession, seen: Seen, entity: Entity) -> None:
    with st.form(f"rename_{entity.id}"):
        name = st.text_input("New name", entity.name, key=f"rename_to_{entity.id}")
        is_sent = st.form_submit_button("Rename", key=f"rename_do_{entity.id}", type="primary")
    if is_sent:
        corrections.checked_name(name)
        correct(session, corrections.rename, entity.key, name)


def _merge(session: WorkspaceSession, seen: Seen, entity: Entity) -> None:
    other = _choose(seen, "Merge it with", f"other_{entity.id}")
    if other is None:
        return
    if other.id == entity.id:
        st.info("That is the same entity; find another one.", icon=":material/info:")
        return
    preview = corrections.preview_merge(seen, [entity, other])
    with st.form(f"merge_{entity.id}"):
        names = ", ".join(plain(clipped(n, 40)) for n in preview.names[:10])
        between = (
            f" {plural(preview.num_between, 'relation')} between them will be kept as notes."
            if preview.num_between
            else ""
        )
        st.markdown(f"Makes one entity of {names}, said {times(preview.weight)}.{between}")
        name = st.text_input("Its name", preview.name, key=f"merge_as_{entity.id}_{other.id}")
        is_sent = st.form_submit_button(
            "Merge", key=f"merge_do_{entity.id}", type="primary", icon=":material/merge:"
        )
    if is_sent:
        correct(session, corrections.merge, [entity.key, other.key], given_name(name, preview))


def _split(session: WorkspaceSession, seen: Seen, entity: Entity) -> None:
    spelt = unique_labels(
        {key: f"{clipped(name)} ({number})" for key, name, number in seen.spelt(entity)}
    )
    with st.form(f"split_{entity.id}"):
        out = st.multiselect(
            "Names that belong to something else",
            list(spelt),
            format_func=spelt.__getitem__,
            key=f"split_out_{entity.id}",
        )
        together = st.toggle(
            "These all name one thing",
            key=f"split_together_{entity.id}",
            help="If off, each becomes an entity of its own.",
        )
        is_sent = st.form_submit_button(
            "Split", key=f"split_do_{entity.id}", type="primary", icon=":material/call_split:"
        )
    if is_sent:
        correct(session, corrections.split, entity.key, out, is_together=together)


def _senses(session: WorkspaceSession, seen: Seen, entity: Entity) -> None:
    held = unique_labels(
        {d.id: f"{clipped(d.title)} ({times(number)})" for d, number in seen.in_documents(entity)}
    )
    st.caption(
        "One name may stand for two things, as Mercury does for a planet and a spacecraft. Say in"
        " which documents it means the other one."
    )
    target = None
    is_known = st.toggle("The other thing is already in the graph", key=f"sense_known_{entity.id}")
    if is_known:
        target = _choose(seen, "Which entity it is", f"sense_{entity.id}")
    with st.form(f"sense_{entity.id}"):
        documents = st.multiselect(
            "Documents", list(held), format_func=held.__getitem__, key=f"sense_in_{entity.id}"
        )
        name = (
            ""
            if is_known
            else st.text_input("Name of the other thing", key=f"sense_name_{entity.id}")
        )
        is_sent = st.form_submit_button(
            "Tell apart",
            key=f"sense_do_{entity.id}",
            type="primary",
            disabled=is_known and target is None,
        )
    if is_sent:
        if target is None:
            corrections.checked_name(name)
        correct(
            session,
            corrections.tell_senses_apart,
            entity.key,
            documents,
            name,
            other=target.key if target else "",
        )
