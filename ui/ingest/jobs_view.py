"""Ingests as the journal has them, whatever process is at them: how far they are, how to resume
one, what was set aside, those of the past.
"""

import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from dynagrag.core.errors import UsageError
from dynagrag.core.text import duration_text, plural
from dynagrag.ingest.time_left import TimeLeft
from dynagrag.journal.jobs import RESUMABLE, Job, JobStatus
from dynagrag.ui import background, state
from dynagrag.ui.background import Work
from dynagrag.ui.ingest import files_view, job_runner
from dynagrag.ui.ingest.job_runner import RunOutcome
from dynagrag.ui.safe_markdown import plain, plain_lines, with_commands
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.ingest_job import demands_of

_STAGES = {
    "": "Starting",
    "read": "Reading the files",
    "wait": "Waiting until another change of this workspace ends",
    "store": "Storing the files",
    "extract": "Extracting",
    "records": "Reading what is stored",
    "embed": "Embedding",
    "consolidate": "Finding names that mean the same",
    "judge": "Asking the model which names mean the same",
    "derive": "Building the graph",
    "write graph": "Writing the graph",
    "index": "Building the index",
}
_MAX_SHOWN = 20
_REDRAWN_S = 0.5
_PASSAGES_A_CHUNK = 4
"""Chunks of 600 tokens, passages of 120 words."""
_PAUSE_HELP = (
    "Takes effect at the next step, in about a second. What is done is kept; resume whenever you"
    " like."
)
_STOP_HELP = (
    "Takes effect at the next step, in about a second, and drops the job from this list. What was"
    " extracted is kept, and reaches the graph with the next question or ingest. The job can be"
    " resumed under Past jobs."
)


def show_current(session: WorkspaceSession | None) -> None:
    """Shows running jobs live, those that have just ended, and those that can be resumed."""
    is_running = _is_any_running(session)
    st.fragment(_draw, run_every=_REDRAWN_S if is_running else None)(is_running)


def _is_any_running(session: WorkspaceSession | None) -> bool:
    is_here = background.has_job_at_work(state.settings(), state.workspace_name())
    return is_here or (session is not None and session.space.journal.job_book.is_any_running())


def _draw(was_running: bool) -> None:
    with state.shown_errors():
        session = state.session()
        if was_running and not _is_any_running(session):
            st.rerun()  # the rest of the page is another now
        works = background.jobs_of(state.settings(), state.workspace_name())
        # asked before the jobs: none of theirs is running then
        ended = [work for work in works if not work.is_running]
        jobs = session.space.journal.jobs() if session is not None else ()
        running = {w.notes["job"]: w for w in works if w not in ended and "job" in w.notes}
        failed = {w.notes["job"]: w.error for w in ended if w.error and "job" in w.notes}
        offered = job_runner.to_go_on(jobs)
        for work in works:
            if work in ended:
                _show_ended(work, {job.id for job in offered})
            elif "job" not in work.notes:
                with st.container(border=True):
                    st.markdown(f"**{plain(work.title)}**")
                    st.progress(
                        _share(work.done, work.total),
                        text=_stage_text(work.stage, work.done, work.total),
                    )
                    st.caption(f"at work for {duration_text(work.seconds)}")
        for job in jobs:
            if job.status is JobStatus.RUNNING and session is not None:
                _show_running(session, job, running.get(job.id))
        for job in offered:
            if job.status is JobStatus.INTERRUPTED and job.id in failed:
                # The error of this process's run could not be noted (a full disk), so the journal
                # takes its process for dead.
                job = replace(job, status=JobStatus.FAILED, reason=failed[job.id])
            _show_offer(job, is_ending=job.id in running)


def _share(done: int, total: int) -> float:
    return min(1.0, max(0.0, done / total)) if total else 0.0


def _stage_text(stage: str, done: int, total: int) -> str:
    words = _STAGES.get(stage, stage.capitalize())
    if stage == "embed" and total:  # counted in work, not in texts
        return plain(f"{words}: {done / total:.0%}")
    return plain(f"{words}: {done:,} of {total:,}" if total > 1 else words)


# ------------------------------------------------------------------------------------------ running


def _show_running(session: WorkspaceSession, job: Job, work: Work | None) -> None:
    with st.container(border=True):
        st.markdown(f"**Job {job.id}: {plain(_what(job))}**")
        stage, done, total = (
            (work.stage, work.done, work.total) if work else (job.stage, job.done, job.total)
        )
        # told from what this visitor's page has seen of the run; empty while it can't be
        seen: dict[tuple[int, str], TimeLeft] = state.remembered("time_left", {})
        chunks = job.counts.get("chunks", 0)
        own = seen.setdefault(
            (job.id, job.started_at), TimeLeft(num_passages=chunks * _PASSAGES_A_CHUNK)
        )
        now = time.monotonic()
        own.tell(stage, done, total, now)
        left = own.text(now)
        st.progress(
            _share(done, total),
            text=_stage_text(stage, done, total) + (f" · {left}" if left else ""),
        )
        counts = job.counts
        parts = [
            f"{plural(counts.get('documents', 0), 'document')},"
            f" {plural(counts.get('chunks', 0), 'chunk')} to extract"
        ]
        if aside := sum(item.job_id == job.id for item in session.space.journal.set_asides()):
            parts.append(f"{aside} set aside")
        if work is not None and "found" in work.notes:
            mentions, relations = work.notes["found"]
            parts.append(
                f"{plural(mentions, 'mention')} and {plural(relations, 'relation')} found so far"
            )
        if work:
            spent = job_runner.spent_since(work, session.space.journal.ledger())
            if spent is not None and spent[0]:
                parts.append(f"{spent[0]:,} calls, {spent[1]:,} tokens so far")
            parts.append(f"at work for {duration_text(work.seconds)}")
        else:
            age = datetime.now(UTC) - datetime.fromisoformat(job.started_at)
            begun = duration_text(max(0.0, age.total_seconds()))
            parts.append(f"begun {begun} ago, by another process")
        st.caption(plain(" · ".join(parts)))
        if job.is_paused or job.is_cancelled:
            st.caption("Pausing …" if job.is_paused else "Stopping …")
        else:
            with st.container(horizontal=True):
                if st.button(
                    "Pause", key=f"pause_{job.id}", icon=":material/pause:", help=_PAUSE_HELP
                ):
                    _end(session, job, is_pause=True)
                if st.button("Stop", key=f"stop_{job.id}", icon=":material/stop:", help=_STOP_HELP):
                    _end(session, job, is_pause=False)
        files_view.show(
            session.space.journal.job_files.of(job.id), is_running=True, key=f"files_{job.id}"
        )


def _end(session: WorkspaceSession, job: Job, is_pause: bool) -> None:
    """Where another tab was first, or the job has just ended, the page shows what is so."""
    with suppress(UsageError):
        session.space.journal.job_book.cancel(job.id, is_pause=is_pause)
    st.rerun()


def _what(job: Job) -> str:
    if job.request.paths:
        return job_runner.named(job.request.paths)
    return (
        f"{plural(len(job.request.places), 'chunk')} set aside before"
        if job.request.places
        else job.kind
    )


# -------------------------------------------------------------------------------------------- ended


def _show_ended(work: Work, offered: Collection[int]) -> None:
    outcome = work.result if isinstance(work.result, RunOutcome) else None
    if outcome is None:
        job, is_stopped = work.notes.get("job"), True
    else:
        job, is_stopped = outcome.job_id, bool(outcome.stopped_by)
    if is_stopped and job in offered:
        return  # the offer to resume says it
    title = plain(work.title)
    with st.container(horizontal=True, vertical_alignment="center"):
        if outcome is None:
            st.error(f"{title}: {with_commands(work.error)}", icon=":material/error:")
        elif is_stopped:
            st.info(f"{title}: {plain(outcome.stopped_by)}", icon=":material/stop_circle:")
        else:
            st.success(f"**{title}**: {plain(outcome.graph)}", icon=":material/check_circle:")
            state.link_to_page("ask", "Ask about it", ":material/forum:")
        if outcome is not None and outcome.lines:
            with st.popover("Report", icon=":material/list:"):
                st.markdown(plain_lines("\n".join(outcome.lines)))
        if st.button("Dismiss", key=f"hide_{'/'.join(work.key[2:])}", icon=":material/close:"):
            background.drop(work.key)
            st.rerun()


def _show_offer(job: Job, is_ending: bool) -> None:
    with st.container(border=True):
        place = f" at “{_stage_text(job.stage, job.done, job.total)}”" if job.stage else ""
        if job.status is JobStatus.FAILED:
            word = "failed"
        elif job.is_paused:
            word = "is paused"
        else:
            word = (
                "has spent its budget" if job.status is JobStatus.STOPPED else f"was {job.status}"
            )
        st.markdown(
            f":orange[:material/pause_circle:] **Job {job.id}: {plain(_what(job))}** {word}{place}."
            " What was done is kept."
        )
        if job.reason and not job.is_paused:
            st.caption(plain(job.reason))
        if is_ending:
            st.caption(
                "The model's replies that are under way are still being collected, since they are"
                " paid for."
            )
        if not job.is_own:
            st.caption(plain(_why_not_here(job)))
        budgets = _ask_budgets(job) if job.is_own else (None, None)
        llm = _ask_model(job) if job.is_own else None
        with st.container(horizontal=True):
            if st.button(
                "Resume",
                key=f"resume_{job.id}",
                icon=":material/play_arrow:",
                type="primary",
                disabled=is_ending or not job.is_own,
            ):
                job_runner.resume(job, llm, *budgets)
                st.rerun()
            if st.button(
                "Dismiss",
                key=f"leave_{job.id}",
                help="The job stays under Past jobs, and what was extracted is kept.",
            ):
                session = state.session()
                if session is not None:
                    session.space.journal.job_book.leave(job.id)
                st.rerun()


def _why_not_here(job: Job) -> str:
    return (
        f"{demands_of(job)}. If that is right, resume it in a terminal with `dynagrag jobs resume"
        f" {job.id}`, or ingest the files here anew."
    )


def _ask_budgets(job: Job) -> tuple[int | None, int | None]:
    """The budgets of the rest, where the job's own are spent."""
    if job.status is not JobStatus.STOPPED:
        return None, None
    now = [job.request.options.get(name) for name in ("max_calls", "max_tokens")]
    labels = ("Calls at most, for the rest", "Tokens at most, for the rest")
    budgets = [
        (
            st.number_input(
                label, min_value=1, value=int(budget), key=f"budget_{job.id}_{label}", width=260
            )
            if budget
            else None
        )
        for label, budget in zip(labels, now, strict=True)
    ]
    return budgets[0], budgets[1]


def _ask_model(job: Job) -> str | None:
    """The model to resume with, where another than the job's is set now."""
    before, now = job.request.llm, state.settings().llm
    if not before or not now or before == now:
        return None
    return st.selectbox(
        "Language model",
        [before, now],
        key=f"model_{job.id}",
        width=360,
        help="Choose the job's own, or the one in the settings now.",
    )


# ---------------------------------------------------------------------------------------- set aside


def show_set_aside(session: WorkspaceSession) -> None:
    """Chunks that could not be extracted, and a way to try them again."""
    items = session.space.journal.set_asides()
    if not items:
        st.caption("Nothing is set aside: everything that was read was extracted.")
        return
    st.caption(
        f"{plural(len(items), 'chunk')} could not be extracted. Questions still find the text; its"
        " entities are missing from the graph."
    )
    documents = {document.id: document for document in session.documents()}
    for item in items[:_MAX_SHOWN]:
        document = documents.get(item.document_id)
        title = document.title if document else item.document_id[:12]
        words = " ".join(document.text[item.start : item.end].split())[:120] if document else ""
        job_words = f" · job {item.job_id}" if item.job_id is not None else ""
        place = {"document": item.document_id, "start": str(item.start), "end": str(item.end)}
        state.link_to_page(
            "source",
            f"{plain(title)}, characters {item.start:,} to {item.end:,}{job_words}",
            ":material/description:",
            **place,
        )
        st.markdown(f"“{plain(words)} …”")
        st.caption(f":material/error: {plain(item.reason)}")
    if len(items) > _MAX_SHOWN:
        st.caption(f"… and {len(items) - _MAX_SHOWN} more")
    llm = state.settings().llm
    ways = (
        {"as before": (None, None)}
        | ({f"with {llm}": (llm, "llm")} if llm else {})
        | {"without a model": (None, "fast")}
    )
    way = st.selectbox("How to retry", list(ways), width=360, key="retry_way")
    is_busy = background.has_job_at_work(state.settings(), state.workspace_name())
    if st.button("Retry", key="retry", icon=":material/refresh:", disabled=is_busy):
        num_before = state.remembered("retries", 0)
        state.remember("retries", num_before + 1)
        job_runner.retry(session.space.journal, str(num_before), *ways[way])
        st.rerun()


# --------------------------------------------------------------------------------------------- past


def show_past(session: WorkspaceSession) -> None:
    """All jobs as a table, the last first, and a way to resume those that are not offered above."""
    jobs = session.space.journal.jobs()[::-1]
    if not jobs:
        st.caption("No ingest yet.")
        return
    rows = []
    for job in jobs:
        is_paused = job.is_paused and job.status is JobStatus.CANCELLED
        row = {
            "Job": job.id,
            "What": _what(job),
            "Status": "paused" if is_paused else str(job.status),
            "Began (UTC)": job.started_at[:16].replace("T", " "),
            "Ended": job.finished_at[11:16],
            "Documents": job.counts.get("documents"),
            "Chunks": job.counts.get("extracted", job.counts.get("chunks")),
            "Set aside": job.counts.get("set_aside"),
            "Why it ended": job.reason,
        }
        rows.append(row)
    st.dataframe(rows, hide_index=True, width="stretch")
    picked = (
        st.selectbox("Files of job", [job.id for job in jobs], key="files_of_job", width=160)
        if len(jobs) > 1
        else jobs[0].id
    )
    files_view.show(
        session.space.journal.job_files.of(picked), is_running=False, key="files_of_past"
    )
    offered = {job.id for job in job_runner.to_go_on(jobs[::-1])}
    left = [
        job
        for job in jobs
        if job.status in RESUMABLE and job.request.options and job.id not in offered
    ]
    if left:
        names = {f"Job {job.id}, {job.status}: {_what(job)}": job for job in left}
        with st.container(horizontal=True, vertical_alignment="bottom"):
            earlier = st.selectbox(
                "Resume an earlier job", list(names), width=420, key="resume_left"
            )
            is_pressed = st.button("Resume", key="resume_left_go", icon=":material/play_arrow:")
            if is_pressed and earlier is not None and names[earlier].is_own:
                job_runner.resume(names[earlier])
                st.rerun()
        if earlier is not None and not names[earlier].is_own:
            st.caption(plain(_why_not_here(names[earlier])))
