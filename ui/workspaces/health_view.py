"""Findings of `dynagrag doctor` on this workspace, its repair, and its backup."""

from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from dynagrag.core.errors import UsageError
from dynagrag.core.schema import Finding
from dynagrag.ui import background, state
from dynagrag.ui.background import Work
from dynagrag.ui.progress import has_ended
from dynagrag.ui.safe_markdown import plain, with_commands
from dynagrag.upkeep import doctor
from dynagrag.upkeep.workspace_backup import back_up

_MAX_BACKUP_BYTES = 200_000_000
"""It goes through this process's memory to the browser."""


def show() -> None:
    """Draws it."""
    settings, name = state.settings(), state.workspace_name()
    st.markdown(f"Workspace **{plain(name)}**, its store, and this installation.")
    key = background.key_of(settings, name, "doctor")
    with st.container(horizontal=True):
        if st.button(
            "Check",
            icon=":material/health_and_safety:",
            help="Changes nothing. It loads the models that are set.",
        ):
            background.drop(key)
            quick = settings.model_copy(update=state.QUICK)
            background.start(key, "Check", lambda _: doctor.check(quick, name))
        with st.popover(
            "Repair", icon=":material/build:", disabled=name not in state.known_workspaces()
        ):
            st.markdown(
                "Makes missing indexes of the store, deletes records whose document is gone, and"
                " builds the graph again from what was extracted. No model is asked; corrections"
                " made by hand stay."
            )
            if st.button(
                "Repair the store",
                type="primary",
                key="repair",
                disabled=background.has_job_at_work(settings, name),
            ):
                background.drop(key)
                background.start(key, "Repair", lambda _: doctor.repair(settings, name))
                st.rerun()
        if st.button(
            "Prepare a backup",
            icon=":material/archive:",
            disabled=name not in state.known_workspaces(),
            help="One file: records, graph, replies.",
        ):
            backup_key = background.key_of(settings, name, "backup")
            background.drop(backup_key)
            open_space = state.opener(has_model=False)

            def run(work: Work) -> bytes:
                with TemporaryDirectory() as folder, open_space() as space:
                    file = Path(folder) / "whole.zip"
                    back_up(space, file, is_forced=False, progress=work.progress)
                    if file.stat().st_size > _MAX_BACKUP_BYTES:
                        raise UsageError(
                            f"it has {file.stat().st_size / 1e6:,.0f} MB, too much for a browser;"
                            f" run `dynagrag backup FILE -w {name}`"
                        )
                    return file.read_bytes()

            background.start(backup_key, "Backup", run)
    _follow_backup()
    work = background.find(key)
    if work is not None and has_ended(
        work, lambda _: "Checking installation, models, store and workspace"
    ):
        if work.error:
            st.error(f"{work.title}: {with_commands(work.error)}", icon=":material/error:")
            return
        findings: list[Finding] = work.result
        bad = [found for found in findings if not found.is_ok]
        for found in bad:
            remedy = f"  \n→ {with_commands(found.remedy)}" if found.remedy else ""
            st.error(
                f"**{plain(found.what)}**: {plain(found.finding)}{remedy}", icon=":material/error:"
            )
        if not bad:
            st.success("All is well.", icon=":material/check_circle:")
        with st.expander(f"{len(findings) - len(bad)} findings without fault"):
            for found in findings:
                if found.is_ok:
                    st.markdown(f"**{plain(found.what)}**: {plain(found.finding)}")


# ------------------------------------------------------------------------------------------- backup


def _follow_backup() -> None:
    settings, name = state.settings(), state.workspace_name()
    work = background.find(background.key_of(settings, name, "backup"))
    if work is None or not has_ended(work, lambda _: "Writing the backup", can_stop=True):
        return
    if work.is_stopped:
        background.drop(work.key)
        return
    if work.error:
        st.error(f"Backup: {with_commands(work.error)}", icon=":material/error:")
        return
    size = f"{len(work.result) / 1e6:,.1f} MB"
    st.download_button(
        f"Download the backup, {size}",
        work.result,
        f"{name}.dynagrag.zip",
        "application/zip",
        icon=":material/download:",
    )
    st.caption("`dynagrag restore FILE` puts it back.")
