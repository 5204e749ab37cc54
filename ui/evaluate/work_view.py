"""The evaluations of a workspace that are at work, followed live; what has just ended; what was
stopped and can go on.
"""

import streamlit as st

from dynagrag.core.text import duration_text, plural
from dynagrag.ui import background, state
from dynagrag.ui.background import Work
from dynagrag.ui.evaluate import run_work
from dynagrag.ui.evaluate.kept_runs import KeptView, kept_runs, view_of
from dynagrag.ui.evaluate.run_request import RunRequest, keep_request
from dynagrag.ui.safe_markdown import plain, with_commands

_STAGES = {"": "Starting", "answer": "Answering", "judge": "Judging"}
_MAX_OFFERED = 3
_STOP_HELP = (
    "Stops once the calls under way have ended. What is done is kept, and you can resume the run"
    " here."
)


def show_current() -> None:
    """Draws them."""
    is_running = _is_any_running()
    st.fragment(_draw, run_every=1.0 if is_running else None)(is_running)
    for view, request in _offered():
        _show_offer(view, request)


def _works() -> list[Work]:
    return run_work.works(state.settings(), state.workspace_name())


def _is_any_running() -> bool:
    return any(work.is_running for work in _works())


def _draw(was_running: bool) -> None:
    with state.shown_errors():
        if was_running and not _is_any_running():
            st.rerun()  # the rest of the page is another now
        for work in _works():
            _show_running(work) if work.is_running else _show_ended(work)


def _show_running(work: Work) -> None:
    with st.container(border=True):
        st.markdown(f"**{plain(work.title)}**")
        share = min(1.0, work.done / work.total) if work.total else 0.0
        stage = _STAGES.get(
            work.stage, "Asking" if work.stage.startswith("ask") else work.stage.capitalize()
        )
        st.progress(
            share,
            text=plain(f"{stage}: {work.done:,} of {work.total:,}" if work.total > 1 else stage),
        )
        left = run_work.seconds_left(work)
        rest = "" if left is None else f" · about {duration_text(left)} left"
        st.caption(f"running for {duration_text(work.seconds)}{rest}")
        if work.is_stopped:
            st.caption("Stopping: calls under way end first.")
        elif st.button(
            "Stop", key=f"stop_{'/'.join(work.key[2:])}", icon=":material/stop:", help=_STOP_HELP
        ):
            work.is_stopped = True
            st.rerun()


def _show_ended(work: Work) -> None:
    if work.result is None and not work.error:  # stopped: the offer to resume says it
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if work.error:
            st.error(f"{plain(work.title)}: {with_commands(work.error)}", icon=":material/error:")
        else:
            failed = view_of(work.result).num_failed
            aside = (
                f" {plural(failed, 'answer')} could not be made; read the run to try again."
                if failed
                else ""
            )
            st.success(f"**{plain(work.title)}**: done.{aside}", icon=":material/check_circle:")
            if st.button(
                "Read it", key=f"read_{'/'.join(work.key[2:])}", icon=":material/article:"
            ):
                background.drop(work.key)
                open_run(work.result.name)
        if st.button("Hide this", key=f"hide_{'/'.join(work.key[2:])}", icon=":material/close:"):
            background.drop(work.key)
            st.rerun()


def open_run(name: str) -> None:
    """Shows a run on the next draw."""
    state.remember("evaluate_opened", name)
    st.rerun()


# ------------------------------------------------------------------------------------------ resumed


def at_work_here(view: KeptView) -> bool:
    """Whether this process is at work on it."""
    return any(work.is_running and work.notes.get("out") == view.run.path for work in _works())


def _offered() -> list[tuple[KeptView, RunRequest]]:
    """Runs of this workspace that were begun here and stopped before their end."""
    views, _ = kept_runs(state.settings())
    mine = [(view, view.request) for view in views if view.request is not None and not view.is_done]
    waiting = [
        (view, own)
        for view, own in mine
        if own.workspace == state.workspace_name() and not own.is_left and not at_work_here(view)
    ]
    return [(view, own) for view, own in waiting[:_MAX_OFFERED] if not view.is_held()]


def _show_offer(view: KeptView, request: RunRequest) -> None:
    with st.container(border=True):
        st.markdown(
            f":orange[:material/pause_circle:] **{plain(run_work.title(request))}** was stopped. "
            f"{plain(view.how_far())} are done, and are not asked again."
        )
        st.caption(f"begun {plain(view.begun)} UTC · {plain(view.name)}")
        if request.max_calls is not None:
            rest = st.number_input(
                "Model calls for the rest, at most",
                1,
                value=request.max_calls,
                key=f"budget_{view.name}",
                width=260,
            )
            request = request.model_copy(update={"max_calls": rest})
        with st.container(horizontal=True):
            resume_button(view, request, "Resume")
            if st.button(
                "Leave it",
                key=f"leave_{view.name}",
                help="Removes this notice. The run stays in the list under Read.",
            ):
                keep_request(view.run.path, request.model_copy(update={"is_left": True}))
                st.rerun()


def resume_button(view: KeptView, request: RunRequest, label: str) -> None:
    """Goes on with a run, with the models that it had."""
    if st.button(
        label,
        key=f"resume_{view.name}",
        icon=":material/play_arrow:",
        type="primary",
        disabled=_is_any_running(),
    ):
        run_work.resume(request, view.run.path)
        st.rerun()
