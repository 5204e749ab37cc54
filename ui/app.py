"""The app that `dynagrag serve` serves. A page a panel; what they share is in state.py."""

from pathlib import Path

import streamlit as st

from dynagrag.ui import state
from dynagrag.ui.ask import ask_page as ask_page
from dynagrag.ui.ask import source_page, why_page
from dynagrag.ui.curate import curate_page as curate_page
from dynagrag.ui.evaluate import page as evaluate_page
from dynagrag.ui.graph import graph_page as graph_page
from dynagrag.ui.ingest import ingest_page as ingest_page
from dynagrag.ui.serving import server
from dynagrag.ui.settings import settings_page as settings_page
from dynagrag.ui.warnings_view import keep_warnings, show_warnings
from dynagrag.ui.workspaces import workspaces_page as workspaces_page

# files of ours: Streamlit fetches a `:material/` page icon from another host
ICON = Path(__file__).parent / "icon.svg"
LOGO = Path(__file__).parent / "logo.svg"
_LESS_AIR = "[data-testid='stMainBlockContainer'] { padding-top: 3.5rem; }"
"""Streamlit leaves 6rem above a page's title, for a header that is empty here."""
_WHOLE_LINKS = "[data-testid='stPageLink'] :is(span, p) { white-space: normal; overflow: visible; }"
"""Streamlit cuts the words of a link off where a phone ends."""
_WHOLE_BADGES = ".stMarkdownBadge { white-space: normal; }"
"""And those of a badge."""
_DANGER = """[class*='st-key-delete_'] button[kind='primary'] {
    background-color: #b3261e; border-color: #b3261e; color: #ffffff;
}"""
"""Buttons that can't be undone look dangerous."""
_LOST = """@keyframes connection-lost { to { visibility: visible; } }
[data-testid='stApp']:not([data-test-connection-state='CONNECTED'])::before {
    content: 'The connection to dynagrag is lost. What was begun there goes on, '
        'and this page shows it once it is back.';
    position: fixed; inset: 0 0 auto 0; z-index: 1000000; padding: 0.5rem 1rem; text-align: center;
    background: #7a3e00; color: #ffffff; visibility: hidden;
    animation: connection-lost 0s 1.5s forwards;
}"""
"""Streamlit dims the page and writes a faint word into its corner."""
_ON_PHONE = "workspace_on_phone"
_ONLY_ON_PHONE = f"@media (min-width: 641px) {{ .st-key-{_ON_PHONE} {{ display: none; }} }}"
"""The sidebar with the list of workspaces is folded away on a phone: there it stands above the page
too.
"""
PAGES = (
    (ask_page, "Ask", "", ":material/forum:"),
    (why_page, "Why", "why", ":material/account_tree:"),
    (graph_page, "Graph", "graph", ":material/hub:"),
    (ingest_page, "Ingest", "ingest", ":material/upload_file:"),
    (curate_page, "Curate", "curate", ":material/merge:"),
    (evaluate_page, "Evaluate", "evaluate", ":material/query_stats:"),
    (workspaces_page, "Workspaces", "workspaces", ":material/folder:"),
    (settings_page, "Settings", "settings", ":material/settings:"),
)


def main() -> None:
    """Navigation, the workspace that the visitor is in, and the page."""
    keep_warnings()
    st.set_page_config(
        page_title="dynagrag", page_icon=str(ICON), layout="wide", initial_sidebar_state="auto"
    )
    st.html(
        f"<style>{_LESS_AIR}\n{_WHOLE_LINKS}\n{_WHOLE_BADGES}\n{_DANGER}\n{_LOST}\n{_ONLY_ON_PHONE}</style>"
    )
    if not server.is_served():  # nothing checks who asks, and for which password
        st.error("Start the app with `dynagrag serve`.", icon=":material/lock:")
        st.stop()
    pages = [
        st.Page(module.page, title=title, url_path=path, icon=icon, default=not path)
        for module, title, path, icon in PAGES
    ]
    first = pages[0]
    pages.append(st.Page(source_page.page, title="Source", url_path="source", visibility="hidden"))
    pages.append(
        st.Page(lambda: st.switch_page(first), title="Ask", url_path="ask", visibility="hidden")
    )  # what a person would type
    chosen = st.navigation(pages)
    state.know_pages({page.url_path: page for page in pages})
    st.logo(str(LOGO), size="large", icon_image=str(ICON))
    with st.sidebar:
        _choose_workspace("pick")
    with st.container(key=_ON_PHONE):
        _choose_workspace("pick_on_phone")
    chosen.run()
    with st.sidebar:
        show_warnings()  # those of this run too
    if (
        st.query_params.get(state.WORKSPACE) != state.workspace_name()
    ):  # so that a reload, or the link sent to somebody, comes back here
        st.query_params[state.WORKSPACE] = state.workspace_name()


def _choose_workspace(key: str) -> None:
    """The list of workspaces. `key`: of the place where it stands."""
    with state.shown_errors():
        now = state.workspace_name()
        names = sorted({*state.known_workspaces(), now})
        picked = st.selectbox("Workspace", names, index=names.index(now), key=f"{key}_{now}")
        if picked != now:
            state.switch_workspace(picked)
            st.rerun()


if __name__ == "__main__":
    main()
