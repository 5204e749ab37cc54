"""What a page says of work that ended badly, or that was asked for twice: the real reason, and what was done."""

import errno
from collections.abc import Callable
from typing import Any

import pytest
from pages import has, press, shown, until

from dynagrag.errors import StoreError
from dynagrag.fakes.server import OpenAIStubServer
from dynagrag.journal.jobs import JobBook
from dynagrag.ui import background
from dynagrag.workspace.ingest_job import PreparedIngest

TURNS = [("Ada", "We met Zanzibar Relay at dawn, and Mercury answered."), ("Ben", "Mercury spoke to Zanzibar Relay again.")]


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
    page = panel("ingest.page").run()
    page.file_uploader[0].set_value([("talk.txt", b"LEO: Ada Byron founded Acme Works.\n", "")]).run()
    until(page, lambda: has(page, "Start"))
    press(page, "Start")
    until(page, lambda: has(page, "Resume") and "failed" in shown(page))
    assert "No space left on device; free some space" in shown(page)
    assert "was interrupted" not in shown(page)
    background.wait_for_all()


def _merging() -> None:
    import streamlit as st

    from dynagrag.curation import corrections
    from dynagrag.ui import state
    from dynagrag.ui.curate.correction_work import correct, show_correction

    desk = state.desk()
    assert desk is not None
    show_correction(desk)
    for name in ("Mercury", "Zanzibar Relay"):
        if st.button(name):
            correct(desk, corrections.merge, ["mercury", "zanzibar relay"], name)


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
