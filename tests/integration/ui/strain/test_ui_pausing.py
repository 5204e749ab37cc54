"""Pause and Stop in a real browser, with models that take their time: the ingest obeys after a
call or two, and the page shows it.

Every stage is paused without a browser in tests/integration/workspace/test_pausing.py;
benchmarks/ingest_progress.py measures how soon.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from app_server import AppServer, Chromium, settled, shoot
from ingests import WatchedModels

from dynagrag.journal.jobs import Job
from dynagrag.journal.workspace_journal import Journal

_STEP_S = 0.25
_MOST_CALLS = 3
"""A run looks for the wish 0.4 s after it last did, and a call takes 0.25 s: however busy the
machine is, it's no more.
"""


class SlowModels(WatchedModels):
    """Each call takes a while; of each it is kept whether somebody had asked for the job's end when
    it began.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._looking = threading.Lock()
        self.slow = ""
        self.num_calls = 0
        self.num_late = 0
        """Calls that began once the wish was in the job's record."""

    def before_reply(self, num_asked: int) -> None:
        self._step("extract")

    def before_vectors(self, texts: Sequence[str]) -> None:
        self._step("embed")

    def _step(self, stage: str) -> None:
        with self._looking:
            self.num_calls += 1
            self.num_late += any(job.is_paused or job.is_cancelled for job in self.jobs())
        if stage == self.slow:
            time.sleep(_STEP_S)

    def jobs(self) -> tuple[Job, ...]:
        if not self._path.is_file():
            return ()
        with closing(Journal(self._path)) as journal:
            return journal.jobs()


@pytest.fixture
def models(home: Path, point_at_models: Callable[..., None]) -> Iterator[SlowModels]:
    made = SlowModels(home / "workspaces" / "default" / "journal.sqlite")
    with made.server() as server:
        point_at_models(server, max_concurrency=1)
        yield made


@pytest.fixture
def app(models: SlowModels) -> Iterator[AppServer]:
    with AppServer() as running:
        yield running


@pytest.mark.parametrize(("stage", "button"), [("extract", "Pause"), ("embed", "Stop")])
def test_an_ingest_obeys_after_a_call_or_two_and_the_page_shows_it(
    app: AppServer, chromium: Chromium, models: SlowModels, corpus: Any, stage: str, button: str
) -> None:
    models.slow = stage
    page = chromium.open(app.url("ingest"))
    page.locator('input[type="file"]').set_input_files(
        [str(path) for path in corpus.many(6, num_turns=60)]
    )
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text({"extract": "Extracting:", "embed": "Embedding:"}[stage]).first.wait_for()
    page.get_by_test_id("stMain").get_by_role("button", name=button, exact=True).click()
    told = page.get_by_text(
        "is paused" if button == "Pause" else "was stopped; what was done is kept"
    ).first
    told.wait_for()
    settled(page)
    shoot(page, f"obeyed-{stage}-{button.lower()}")
    (job,) = models.jobs()
    assert (job.status, job.is_paused, job.stage) == ("cancelled", button == "Pause", stage)
    assert datetime.fromisoformat(job.finished_at) >= datetime.fromisoformat(job.started_at)
    assert models.num_late <= _MOST_CALLS
    num_calls = models.num_calls
    page.wait_for_timeout(1_000)
    assert models.num_calls == num_calls  # nothing goes on behind the page
    if button == "Pause":  # what was stopped is resumed under Past jobs
        assert page.get_by_test_id("stMain").get_by_role("button", name="Resume").count() == 1
    assert page.get_by_test_id("stMain").get_by_role("button", name=button, exact=True).count() == 0
