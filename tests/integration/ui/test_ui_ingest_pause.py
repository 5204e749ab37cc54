"""Pause on the page Ingest, in a real browser and beside another tab."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from app_server import AppServer, Chromium
from ingests import Gate
from pages import has, press, until, words

from dynagrag.ui import background


@pytest.fixture
def gate(point_at_models: Callable[..., None]) -> Iterator[Gate]:
    gate = Gate()
    with gate.server() as server:
        point_at_models(server, max_concurrency=2)
        yield gate
        gate.is_open.set()
        background.wait_for_all()


def test_two_tabs_that_pause_one_job_both_show_it_paused(gate: Gate, panel: Any, start: Any, corpus: Any) -> None:
    process = start("ingest", *corpus.many(2, num_turns=40))
    gate.wait_for(1)
    one, two = panel("ingest.page").run(), panel("ingest.page").run()
    until(one, lambda: has(one, "Pause"))
    until(two, lambda: has(two, "Pause"))
    shown = words(one).replace("\\", "")
    assert "by another process" in shown
    assert "0 of 2 files extracted" in [box.label for box in one.expander]
    press(one, "Pause")
    press(two, "Pause")
    for page in (one, two):
        until(page, lambda page=page: has(page, "Resume"))
        assert not page.error
    gate.is_open.set()
    process.wait(60)


def test_a_pause_is_seen_in_the_browser_while_a_call_is_in_flight(
    gate: Gate, app_at_gate: AppServer, chromium: Chromium, start: Any, corpus: Any
) -> None:
    process = start("ingest", *corpus.many(2, num_turns=40))
    gate.wait_for(1)
    page = chromium.open(app_at_gate.url("ingest"))
    page.get_by_role("button", name="Pause").click()
    page.get_by_text(re.compile("is paused")).wait_for()
    assert not gate.is_open.is_set()
    page.get_by_role("button", name="Resume").wait_for()
    assert chromium.foreign(app_at_gate.origin) == []
    gate.is_open.set()
    process.wait(60)


@pytest.fixture
def app_at_gate(gate: Gate) -> Iterator[AppServer]:
    with AppServer() as running:
        yield running
