"""Layouts are made once, kept in the workspace's folder, and found again by the next process."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from dynagrag.ui.drawing import kept_layouts
from dynagrag.ui.drawing.kept_layouts import KeptLayouts, Layout

CLIQUES = [
    (a, b) for c in range(4) for a in range(8 * c, 8 * c + 8) for b in range(a + 1, 8 * c + 8)
] + [(0, 8), (8, 16), (16, 24)]


@pytest.fixture
def kept(tmp_path: Path) -> Callable[[], KeptLayouts]:
    """The layouts of one workspace, as a process finds them that was just started."""
    return lambda: KeptLayouts(tmp_path / "index" / "layouts")


def _same(one: Layout, other: Layout) -> bool:
    return np.allclose(one.positions, other.positions, atol=1e-3) and np.array_equal(
        one.groups, other.groups
    )


@pytest.mark.parametrize("is_3d", [False, True])
def test_a_layout_is_made_once_and_read_by_the_next_process(
    kept: Callable[[], KeptLayouts], monkeypatch: pytest.MonkeyPatch, is_3d: bool
) -> None:
    made = kept().start(32, CLIQUES, [1.0] * len(CLIQUES), is_3d=is_3d).result(timeout=60)
    monkeypatch.setattr(kept_layouts, "_laid_out", lambda *_: pytest.fail("it was made again"))
    again = kept().start(32, CLIQUES, [1.0] * len(CLIQUES), is_3d=is_3d)
    assert again.done()
    assert _same(again.result(), made)


def test_another_graph_is_another_layout(kept: Callable[[], KeptLayouts]) -> None:
    layouts = kept()
    one = layouts.start(3, [(0, 1)], [1.0]).result(timeout=60)
    assert not _same(one, layouts.start(3, [(0, 2)], [1.0]).result(timeout=60))


def test_a_reload_joins_the_work_under_way(
    kept: Callable[[], KeptLayouts], monkeypatch: pytest.MonkeyPatch
) -> None:
    go, calls = Event(), []

    def slow(*what: object) -> Layout:
        calls.append(what)
        go.wait(30)
        return Layout(np.zeros((2, 2), dtype=np.float32), np.zeros(2, dtype=np.int64))

    monkeypatch.setattr(kept_layouts, "_laid_out", slow)
    layouts = kept()
    first, second = layouts.start(2, [(0, 1)], [1.0]), layouts.start(2, [(0, 1)], [1.0])
    assert first is second
    go.set()
    first.result(timeout=30)
    assert len(calls) == 1


def test_a_layout_that_failed_is_tried_again(
    kept: Callable[[], KeptLayouts], monkeypatch: pytest.MonkeyPatch
) -> None:
    layouts = kept()
    with monkeypatch.context() as patched:
        patched.setattr(kept_layouts, "_laid_out", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            layouts.start(2, [(0, 1)], [1.0]).result(timeout=30)
    assert layouts.start(2, [(0, 1)], [1.0]).result(timeout=30).positions.shape == (2, 2)


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "[]",
        "{",
        '{"positions": [[0, 0]], "groups": [0]}',
        '{"positions": [[NaN, 0], [1, 1]], "groups": [0, 0]}',
    ],
)
def test_a_damaged_file_is_made_anew(
    kept: Callable[[], KeptLayouts], tmp_path: Path, damage: str
) -> None:
    made = kept().start(2, [(0, 1)], [1.0]).result(timeout=30)
    (file,) = (tmp_path / "index" / "layouts").iterdir()
    file.write_text(damage)
    assert _same(kept().start(2, [(0, 1)], [1.0]).result(timeout=30), made)


def test_files_hold_numbers_alone_and_do_not_pile_up(
    kept: Callable[[], KeptLayouts], tmp_path: Path
) -> None:
    layouts = kept()
    for num in range(2, 20):
        layouts.start(num, [(0, 1)], [1.0]).result(timeout=30)
    files = list((tmp_path / "index" / "layouts").iterdir())
    assert len(files) == 12
    assert not set("".join(f.read_text() for f in files)) & set(
        "abcdfhjklmqvwxyz"
    )  # but the words "positions" and "groups"


def test_where_nothing_can_be_kept_it_is_laid_out_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert KeptLayouts(tmp_path / "file").start(2, [(0, 1)], [1.0]).result(
        timeout=30
    ).positions.shape == (2, 2)
    assert "could not be kept" in caplog.text
