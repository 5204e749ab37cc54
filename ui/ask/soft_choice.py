"""The trained soft prompts of a workspace, as one of which answers."""

from collections.abc import Iterable

import streamlit as st

from dynagrag.ui.choice_labels import SOFT
from dynagrag.ui.safe_markdown import clean, plain
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.workspace_soft_prompt import OwnSoftPrompt, own_soft_prompts

HELP = (
    "A soft prompt is a small network that was trained on this workspace's questions, before a"
    " language model of its own. It retrieves by itself; its marks and claims are checked as those"
    " of any answer"
)


def soft_prompts(session: WorkspaceSession) -> list[OwnSoftPrompt]:
    """All that the workspace has, with what is against each."""
    return own_soft_prompts(session.space.settings, session.name, session.space.store.embedder())


def soft_labels(own: Iterable[OwnSoftPrompt]) -> dict[str, str]:
    """Labels of the soft prompts that fit, by `AskOptions.way`."""
    fitting = [soft for soft in own if not soft.why_not]
    return {
        f"soft:{s.name}": (
            f"{SOFT.get(s.name, s.name)} ({clean(s.label.removeprefix(s.name).strip())})"
        )
        for s in fitting
    }


def show_refused(own: Iterable[OwnSoftPrompt], workspace: str) -> None:
    """Names those that don't fit with the reason; where there is none at all, how to train one."""
    own = list(own)
    for soft in own:
        if soft.why_not:
            st.caption(
                f":material/block: {plain(SOFT.get(soft.name, soft.name))}: {plain(soft.why_not)}"
            )
    if not own:
        st.caption(
            "No soft prompt was trained on this workspace. `dynagrag train g-retriever --workspace"
            f" {clean(workspace)}` trains one."
        )
