"""What a page says of work that ended badly, or that was asked for twice: the real reason, and what
was done.
"""

import errno
from collections.abc import Callable
from typing import Any

import pytest
from ingests import Gate
from pages import has, press, shown, until

from dynagrag.core.errors import StoreError
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.journal.jobs import JobBook
from dynagrag.journal.workspace_journal import Journal
from dynagrag.ui import background
from dynagrag.workspace.ingest_job import PreparedIngest

TURNS = [
    ("Ada", "We met Zanzibar Relay at dawn, and Mercury answered."),
    ("Ben", "Mercury spoke to Zanzibar Relay again."),
]


def test_an_ingest_that_a_full_disk_ends_is_told_as_that(
    server: OpenAIStubServer, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(self: PreparedIngest, follower: Any, job_id: int) -> None:
        follower("extract", 0, 1)
        raise OSError(errno.ENOSPC, "No space left on device")

    def finish(self: JobBook, job_id: int, *_: Any, **__: Any) -> None:
        self._let_go(job_id, is_over=True)
        raise StoreError("the journal cannot be written")

    monkeypatch.setattr(PreparedIngest, "_carry_out", fill)
    monkeypatch.setattr(JobBook, "finish", finish)
    page = panel("ingest.ingest_page").run()
    page.file_uploader[0].set_value(
        [("talk.txt", b"LEO: Ada Byron founded Acme Works.\n", "")]
    ).run()
    until(page, lambda: has(page, "Start"))
    press(page, "Start")
    until(page, lambda: has(page, "Resume") and "failed" in shown(page))
    assert "No space left on device; free some space" in shown(page)
    assert "was interrupted" not in shown(page)
    background.wait_for_all()


def test_an_ingest_that_ends_while_the_page_is_drawn_is_not_shown_as_ended_and_at_work(
    point_at_models: Callable[..., None],
    panel: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate, read = Gate(), Journal.jobs

    def read_before_the_end(journal: Journal) -> Any:
        jobs = read(journal)
        gate.is_open.set()
        assert all(work.wait(30) for work in background.found_under(()))
        return jobs

    with gate.server() as server:
        point_at_models(server, max_concurrency=2)
        page = panel("ingest.ingest_page").run()
        page.file_uploader[0].set_value(
            [("talk.txt", b"LEO: Ada Byron founded Acme Works.\n", "")]
        ).run()
        until(page, lambda: has(page, "Start"))
        press(page, "Start")
        until(page, lambda: has(page, "Pause"))
        monkeypatch.setattr(Journal, "jobs", read_before_the_end)
        page.run()
        assert not page.exception
        assert has(page, "Pause")
        assert not page.success
        until(page, lambda: bool(page.success))
        assert not has(page, "Pause")


def _merging() -> None:
    import streamlit as st

    from dynagrag.curation import corrections
    from dynagrag.ui import state
    from dynagrag.ui.curate.correction_work import correct, show_correction

    session = state.session()
    assert session is not None
    show_correction(session)
    for name in ("Mercury", "Zanzibar Relay"):
        if st.button(name):
            correct(session, corrections.merge, ["mercury", "zanzibar relay"], name)


def test_a_merge_that_is_asked_for_twice_is_told_as_done(
    server: OpenAIStubServer, corpus: Any, cli: Callable[..., Any], panel: Callable[[str], Any]
) -> None:
    from streamlit.testing.v1 import AppTest

    assert cli("ingest", corpus.write("one.vtt", TURNS), "--extractor", "fast", "-y").code == 0
    page = AppTest.from_function(_merging, default_timeout=60).run()
    press(page, "Mercury")
    press(page, "Mercury")
    assert page.success[0].value.startswith("Done")
    assert not page.error
    press(page, "Zanzibar Relay")  # another request, which is refused
    assert "is one entity already" in page.error[0].value
    background.wait_for_all()
