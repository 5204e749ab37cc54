"""The page Evaluate: what to measure and what it takes, the runs at work, and reading and comparing
those that are kept.
"""

import streamlit as st

from dynagrag.graph_store.rules import check_workspace_name
from dynagrag.ui import state
from dynagrag.ui.evaluate import compare_view, runs_view, start_form, work_view

_MEASURE, _READ, _COMPARE = "Measure", "Read", "Compare"
_VIEW = "evaluate_view"


def page() -> None:
    """Draws the page."""
    st.title("Evaluate")
    with state.shown_errors():
        check_workspace_name(state.workspace_name())  # it may come from the address bar
        if opened := state.remembered("evaluate_opened", ""):  # somebody asked to read a run
            state.remember("evaluate_opened", "")
            st.session_state[_VIEW] = _READ
            runs_view.pick(opened)
        st.session_state.setdefault(_VIEW, state.remembered(_VIEW, _MEASURE))
        work_view.show_current()
        view = st.radio(
            "What to do",
            [_MEASURE, _READ, _COMPARE],
            key=_VIEW,
            horizontal=True,
            label_visibility="collapsed",
        )
        state.remember(_VIEW, view)
        with state.shown_errors():
            if view == _MEASURE:
                start_form.show()
            elif view == _READ:
                runs_view.show()
            else:
                compare_view.show()
