"""What answers: the language model, or a soft prompt that was trained on this workspace."""

import streamlit as st

from dynagrag.ui import state
from dynagrag.ui.ask.answer_view import SOFT
from dynagrag.ui.safe_markdown import clean, plain
from dynagrag.ui.state import Desk
from dynagrag.workspace.workspace_soft_prompt import own_soft_prompts

_KEY = "ask_soft"
_HELP = (
    "A soft prompt is a small network that was trained on this workspace's questions, before a language model of its own. It retrieves by "
    "itself; its marks and claims are checked as those of any answer"
)


def choose_soft(desk: Desk) -> str | None:
    """The trained soft prompt that answers, None for the language model. Those that don't fit are named with the reason."""
    own = own_soft_prompts(desk.space.settings, desk.name, desk.space.store.embedder())
    fitting = {soft.name: soft.label for soft in own if not soft.why_not}
    last = state.remembered(_KEY, "")
    names = ["", *fitting]
    picked = st.selectbox(
        "Answered by",
        names,
        index=names.index(last) if last in names else 0,
        format_func=lambda name: (
            f"{SOFT.get(name, name)} ({clean(fitting[name].removeprefix(name).strip())})" if name else "The language model"
        ),
        help=_HELP,
        disabled=not fitting,
    )
    state.remember(_KEY, picked)
    for soft in own:
        if soft.why_not:
            st.caption(f":material/block: {plain(SOFT.get(soft.name, soft.name))}: {plain(soft.why_not)}")
    if not own:
        st.caption(f"No soft prompt was trained on this workspace. `dynagrag train g-retriever --workspace {clean(desk.name)}` trains one.")
    return str(picked) or None
