"""Long work in threads: one of a key, found again, errors in words, stopped at its next step."""

import threading
from collections.abc import Iterator

import pytest

from dynagrag.core.errors import UsageError
from dynagrag.ui import background
from dynagrag.ui.background import Work

KEY = ("home", "w", "what")


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    yield
    background.wait_for_all()


def test_of_one_key_only_one_is_at_work_and_it_is_found_again_until_it_is_dropped() -> None:
    is_open, begun = threading.Event(), []

    def run(work: Work) -> int:
        begun.append(work)
        is_open.wait(10)
        work.progress("half", 1, 2)
        return 7

    first = background.start(KEY, "W", run)
    assert background.start(KEY, "W", run) is first
    assert first.is_running
    background.drop(KEY)
    assert background.find(KEY) is first
    is_open.set()
    assert first.wait(10)
    assert (first.result, first.stage, first.done, first.total, first.error) == (
        7,
        "half",
        1,
        2,
        "",
    )
    assert background.start(KEY, "W", run) is first
    assert len(begun) == 1
    assert background.found_under(("home", "w")) == [first]
    background.drop(KEY)
    assert background.find(KEY) is None


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (UsageError("do that instead"), "do that instead"),
        (OSError(28, "No space left on device"), "No space left on device; free some space"),
        (ValueError("secret sk-CANARY"), "Something went wrong (ValueError)"),
    ],
)
def test_an_error_is_said_in_words_that_are_fit_to_be_shown(error: Exception, said: str) -> None:
    def run(work: Work) -> None:
        raise error

    work = background.start(KEY, "W", run)
    assert work.wait(10)
    assert said in work.error
    assert "CANARY" not in work.error


def test_a_piece_of_work_is_stopped_at_its_next_step() -> None:
    is_open = threading.Event()

    def run(work: Work) -> int:
        is_open.wait(10)
        work.progress("next", 1, 2)
        return 7

    work = background.start(KEY, "W", run)
    work.is_stopped = True
    is_open.set()
    assert work.wait(10)
    assert (work.result, work.error) == (None, "")
