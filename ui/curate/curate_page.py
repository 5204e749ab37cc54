"""The page Curate: merges that are suggested and those that were made, corrections by hand, and
their history with a way back.
"""

import streamlit as st

from dynagrag.core.text import times
from dynagrag.curation import corrections
from dynagrag.curation.suggestions import Suggestion
from dynagrag.curation.view import EditState, Seen, clipped, history, made_merges
from dynagrag.ui import first_visit, state
from dynagrag.ui.curate import edit_tab
from dynagrag.ui.curate.correction_work import (
    LAST_SEEN,
    correct,
    given_name,
    seen_of,
    show_correction,
    sign_as,
    signed_as,
)
from dynagrag.ui.curate.entity_view import show_entity
from dynagrag.ui.curate.list_pager import page_of, show_pager
from dynagrag.ui.quotes_view import show_quotes
from dynagrag.ui.safe_markdown import plain, plain_lines
from dynagrag.ui.state import WorkspaceSession

TABS = ("Suggestions", "Merges made", "Find and edit", "History")
_RULES = {
    "model": "by a language model",
    "by hand": "by hand",
    "spelling": "a rule: only spelt differently",
    "plural": "a rule: singular and plural",
    "acronym": "a rule: initials that the text explains",
}
_MAX_FILTER = 200


def page() -> None:
    """Draws the page."""
    st.title("Curate")
    session = first_visit.needs_workspace()
    if session is None:
        return
    with state.shown_errors():
        st.caption(
            "Say which names stand for the same thing and which don't. Corrections hold for files"
            " added later too, and can be undone.",
            help=(
                "If a language model compares names in this workspace, it may be asked again about"
                " names close to those you correct."
            ),
        )
        if show_correction(session):
            return
        if not session.documents():
            first_visit.show_empty_workspace()
            return
        seen = seen_of(session)
        if seen is not None:
            # what was sent from a form that is no longer drawn would be dropped in silence
            last = state.remembered(LAST_SEEN, "")
            if last not in ("", seen.version):
                st.warning(
                    "The graph has changed since you last looked, in another tab or by another"
                    " process. This is how it is now. If you were changing something that isn't"
                    " here any more, it was not done.",
                    icon=":material/sync:",
                )
            state.remember(LAST_SEEN, seen.version)
            wanted = st.query_params.get("entity")  # a link from another page
            tabs = st.tabs(
                TABS, key="curate_tab", on_change="rerun", default=TABS[2] if wanted else None
            )
            shows = (_suggestions, _made, edit_tab.show, _history)
            for tab, show in zip(tabs, shows, strict=True):
                if tab.open:  # what isn't looked at isn't read
                    with tab:
                        show(session, seen)


# -------------------------------------------------------------------------------------- suggestions


def _suggestions(session: WorkspaceSession, seen: Seen) -> None:
    found = seen.suggestions
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = st.text_input(
            "Filter by name", key="curate_filter_suggestions", max_chars=_MAX_FILTER, width=300
        )
        every = st.toggle(
            "Show unlikely ones too",
            key="curate_unlikely",
            help=(
                "Names that are only similar, or that differ in something that matters, such as a"
                " number."
            ),
        )
    num_likely = sum(s.is_likely for s in found)
    shown = [
        s
        for s in found
        if (every or s.is_likely)
        and _holds(
            part, *(n for i in s.entity_ids for n in (seen.by_id[i].name, *seen.by_id[i].keys))
        )
    ]
    if not shown:
        more = (
            ""
            if every or len(found) == num_likely
            else f" {len(found) - num_likely:,} unlikely ones can be shown."
        )
        st.info(
            f"No suggestions{' for this filter' if part.strip() else ''}.{more}",
            icon=":material/task_alt:",
        )
        return
    st.caption(f"{len(shown):,} to look at, most likely first.")
    for suggestion in page_of(shown, "suggestions"):
        _suggestion(session, seen, suggestion)
    show_pager(len(shown), "suggestions")


def _holds(part: str, *names: str) -> bool:
    wanted = " ".join(part.casefold().split())
    return not wanted or any(wanted in name.casefold() for name in names)


def _suggestion(session: WorkspaceSession, seen: Seen, suggestion: Suggestion) -> None:
    entities = [seen.by_id[i] for i in suggestion.entity_ids]
    preview = corrections.preview_merge(seen, entities)
    key = "_".join(suggestion.entity_ids)
    with st.form(f"suggestion_{key}"):
        for column, entity in zip(st.columns(2), entities, strict=True):
            with column:
                show_entity(session, seen, entity)
        st.markdown(f":material/thumb_up: {plain('; '.join(suggestion.reasons))}")
        if suggestion.against:
            st.markdown(f":material/thumb_down: {plain('; '.join(suggestion.against))}")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            called = st.text_input(
                f"Name after merging (said {times(preview.weight)})",
                preview.name,
                key=f"name_{key}",
                width=320,
            )
            merged = st.form_submit_button(
                "Merge", key=f"merge_{key}", type="primary", icon=":material/merge:"
            )
            apart = st.form_submit_button(
                "Not the same",
                key=f"apart_{key}",
                icon=":material/block:",
                help="Keeps them apart from now on.",
            )
    if merged:
        correct(session, corrections.merge, suggestion.keys, given_name(called, preview))
    if apart:
        correct(session, corrections.keep_apart, suggestion.keys)


# -------------------------------------------------------------------------------------- merges made


def _made(session: WorkspaceSession, seen: Seen) -> None:
    merges = made_merges(seen)
    if not merges:
        st.info(
            "Nothing has been merged yet, whether by a rule, by a model or by hand.",
            icon=":material/merge:",
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = st.text_input(
            "Filter by name", key="curate_filter_made", max_chars=_MAX_FILTER, width=300
        )
        makers = {"All": None, "A language model": "model", "By hand": "by hand", "Rules": "rule"}
        maker = makers[st.selectbox("Made by", list(makers), key="curate_maker", width=220)]
    shown = [
        m
        for m in merges
        if maker in (None, m.rule if m.rule in ("model", "by hand") else "rule")
        and _holds(part, m.entity.name, *(key for key, _ in m.members))
    ]
    st.caption(f"{len(shown):,} of {len(merges):,} merges.")
    for merge in page_of(shown, "made"):
        with st.container(border=True):
            members = ", ".join(
                f"{plain(clipped(seen.shown(key), 40))} ({number})" for key, number in merge.members
            )
            st.markdown(
                f"**{plain(clipped(merge.entity.name))}** · said {times(merge.entity.weight)}"
            )
            how = " and ".join(_RULES.get(rule, rule) for rule in merge.rule.split("+"))
            st.caption(
                f"From {members} · {plain(how)}{' by ' + plain(merge.by) if merge.by else ''}"
            )
            show_quotes(
                session.name,
                seen.quotes([key for key, _ in merge.members], min(len(merge.members), 3)),
            )
            if merge.rule == "model" and merge.saw:
                with st.expander("What the model saw"):
                    st.markdown(plain_lines(merge.saw))
            if st.button(
                "Undo",
                key=f"undo_{merge.id}",
                icon=":material/undo:",
                help="Keeps them apart, also in files that you add later.",
            ):
                is_by_hand = merge.rule == "by hand"
                undo = corrections.undo_edit if is_by_hand else corrections.undo_made_merge
                correct(session, undo, merge.id)
    show_pager(len(shown), "made")


# ------------------------------------------------------------------------------------------ history


def _history(session: WorkspaceSession, seen: Seen) -> None:
    sign_as(
        st.text_input(
            "Your name, kept with your corrections", signed_as(), key="curate_by", width=320
        )
    )
    lines = history(seen)
    if not lines:
        st.info("No corrections yet.", icon=":material/history:")
        return
    num_inactive = sum(line.state is EditState.INACTIVE for line in lines)
    if num_inactive:
        st.caption(
            f"{num_inactive} inactive: their names are not in the graph now. They take effect again"
            " when the names come back."
        )
    for line in page_of(lines, "history"):
        with st.container(border=True):
            icon = {"in force": "check", "sleeping": "bedtime", "undone": "undo"}[line.state.value]
            st.markdown(f":material/{icon}: {plain(line.text)}")
            summary = (
                f"{line.state.word.capitalize()} · {plain(clipped(line.edit.by))},"
                f" {plain(line.edit.at[:16].replace('T', ' '))}"
            )
            if line.undone_by is not None:
                summary += (
                    f" · undone by {plain(clipped(line.undone_by.by))},"
                    f" {plain(line.undone_by.at[:16].replace('T', ' '))}"
                )
            st.caption(summary)
            if line.state is EditState.UNDONE:
                if st.button("Bring back", key=f"redo_{line.edit.id}", icon=":material/redo:"):
                    correct(session, corrections.redo_edit, line.edit.id)
            elif st.button("Undo", key=f"unedit_{line.edit.id}", icon=":material/undo:"):
                correct(session, corrections.undo_edit, line.edit.id)
    show_pager(len(lines), "history")
