"""The runs that are kept, as a list; one of them opened: its figures, its worst questions, what it
was made with, its report.
"""

from dataclasses import replace

import streamlit as st

from dynagrag.core.text import plural
from dynagrag.evaluation.frame.html import flat
from dynagrag.ui import state
from dynagrag.ui.evaluate import work_view, worst_questions
from dynagrag.ui.evaluate.kept_runs import KeptView, kept_runs
from dynagrag.ui.evaluate.report_view import show_report
from dynagrag.ui.evaluate.worst_questions import ReadAnswer, ReadQuestion
from dynagrag.ui.safe_markdown import clean, plain, plain_lines

_PICKED = "evaluate_run"
_NUM_WORST = 5
_MAX_LISTED = 200
_MAX_UNREADABLE = 5


def pick(name: str) -> None:
    """Has a run opened."""
    state.remember(_PICKED, name)
    st.session_state.pop(_PICKED, None)


def show() -> None:
    """The list, and the run that is picked."""
    views, unreadable = kept_runs(state.settings())
    if unreadable:
        st.caption(f"{plural(len(unreadable), 'folder')} can't be read:")
    for name, why in list(unreadable.items())[:_MAX_UNREADABLE]:
        st.caption(f"{plain(name)}: {plain(why)}")
    if not views:
        st.caption(
            "There are no runs yet. Begin one under **Measure**; runs of `dynagrag evaluate` are"
            " listed here too."
        )
        return
    with st.expander(plural(len(views), "run"), expanded=True):
        st.dataframe([_row(view) for view in views[:_MAX_LISTED]], hide_index=True, width="stretch")
    by_name = {view.name: view for view in views[:_MAX_LISTED]}
    labels = {
        name: clean(f"{view.begun}, {view.what}: {view.asked_of} ({view.name})", 160)
        for name, view in by_name.items()
    }
    picked = state.remembered(_PICKED, "")
    names = list(by_name)
    name = st.selectbox(
        "Run to read",
        names,
        index=names.index(picked) if picked in by_name else 0,
        format_func=lambda name: labels[name],
        key=_PICKED,
    )
    state.remember(_PICKED, name)
    with state.shown_errors():
        _show_run(by_name[name])


def _row(view: KeptView) -> dict[str, str]:
    return {
        "Begun (UTC)": view.begun,
        "What": view.what,
        "State": _state(view),
        "Questions": clean(view.asked_of, 60),
        "Arms": clean(", ".join(view.arms), 60),
        "Folder": view.name,
    }


def _state(view: KeptView) -> str:
    if view.is_done:
        return "done"
    is_at_work = work_view.at_work_here(view) or view.is_held()
    state_name = "at work" if is_at_work else "stopped"
    return f"{state_name}: {how_far}" if (how_far := view.how_far()) else state_name


# ---------------------------------------------------------------------------------------------- one


def _show_run(view: KeptView) -> None:
    if view.is_done:
        _show_figures(view)
        _show_worst(view)
    else:
        how_far = f": {plain(view.how_far())}" if view.how_far() else ""
        st.info(f"This run hasn't finished{how_far}.", icon=":material/hourglass_top:")
    _show_resume(view)
    with st.expander("What it was made with"):
        versions = view.run.head.get("versions", {})
        rows = [
            *flat(view.settings),
            *((f"version of {name}", str(own)) for name, own in versions.items()),
        ]
        st.dataframe(
            [{"Setting": clean(name), "Value": clean(value, 200)} for name, value in rows],
            hide_index=True,
            width="stretch",
        )
        st.caption(f"Folder: {plain(view.run.path)}")


def _show_figures(view: KeptView) -> None:
    report = view.run.whole_report()
    if worst_questions.has_questions(view):  # shown below, of the arm that is chosen
        report = replace(report, cases=())
    show_report(report, view.name)
    if view.report is not None:
        st.download_button(
            "Report (HTML)",
            view.report.read_bytes,
            f"{view.name}.html",
            "text/html",
            icon=":material/download:",
            help="One page with plots and more questions to read. It works offline.",
        )


def _show_resume(view: KeptView) -> None:
    request = view.request
    can_resume = not view.is_done and not work_view.at_work_here(view) and not view.is_held()
    if not can_resume and not (view.is_done and view.num_failed):
        return
    if request is None:
        st.caption(
            "It was begun on the command line: the same command goes on with it, and tries what"
            " failed again."
        )
    elif request.workspace != state.workspace_name():
        st.caption(f"Open the workspace {plain(request.workspace)} to go on with it.")
    elif can_resume:
        work_view.resume_button(view, request, "Resume this run")
    else:
        st.caption(
            f"{plural(view.num_failed, 'answer')} could not be made; they are left out of the"
            " figures."
        )
        work_view.resume_button(view, request, "Try the failed answers again")


# -------------------------------------------------------------------------------------------- worst


def _show_worst(view: KeptView) -> None:
    arms = [arm for arm in view.arms if arm]
    if not worst_questions.has_questions(view) or not arms:
        return
    st.subheader("Questions to read, the worst first")
    arm = st.selectbox("Worst for which arm", arms, key=f"evaluate_worst_{view.name}", width=360)
    for read in worst_questions.worst_questions(view, arm, _NUM_WORST):
        _show_question(read, arm)


def _show_question(read: ReadQuestion, arm: str) -> None:
    own = next((answer.value for answer in read.answers if answer.arm == arm), "")
    with st.expander(f"{plain(clean(read.text, 160))}" + (f" · {plain(own)}" if own else "")):
        if read.wanted:
            st.markdown(
                "**Wanted**  \n"
                + "  \n".join(f":material/flag: {plain(text)}" for text in read.wanted)
            )
        for answer in sorted(read.answers, key=lambda answer: answer.arm != arm):
            _show_answer(answer)


def _show_answer(answer: ReadAnswer) -> None:
    head = f"**{plain(answer.arm)}**" + (f" · {plain(answer.value)}" if answer.value else "")
    marks = {True: ":green[:material/check:] ", False: ":gray[:material/remove:] ", None: ""}
    st.markdown(
        "  \n".join(
            [head, *(marks[is_right] + plain_lines(text) for text, is_right in answer.lines)]
        )
    )
