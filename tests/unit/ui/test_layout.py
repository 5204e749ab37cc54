"""Places and communities of a drawing, and how they are kept."""

import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.ui.drawing import layout as graph_layout
from dynagrag.ui.drawing.layout import KeptLayouts, Layout, communities, place, place_3d

CLIQUES = [(a, b) for c in range(4) for a in range(8 * c, 8 * c + 8) for b in range(a + 1, 8 * c + 8)] + [(0, 8), (8, 16), (16, 24)]


def test_communities_are_numbered_by_size() -> None:
    found = communities(34, [*CLIQUES, (0, 32)])
    assert len(set(found[:8])) == 1
    assert found[0] == 0  # the clique with the extra member
    assert len({found[0], found[8], found[16], found[24]}) == 4
    assert found[33] == max(found)  # alone


def test_heavier_relations_hold_communities_together() -> None:
    square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    assert list(communities(4, square, [9, 1, 9, 1])) == [0, 0, 1, 1]


def test_places_are_the_same_every_time_and_differ_by_seed() -> None:
    assert np.array_equal(place(32, CLIQUES), place(32, CLIQUES))
    assert not np.array_equal(place(32, CLIQUES), place(32, CLIQUES, seed=1))


def test_communities_stand_apart() -> None:
    at = place(32, CLIQUES)
    middles = np.array([at[8 * c : 8 * c + 8].mean(axis=0) for c in range(4)])
    own = np.linalg.norm(at - np.repeat(middles, 8, axis=0), axis=1).mean()
    between = [np.linalg.norm(middles[a] - middles[b]) for a in range(4) for b in range(a)]
    assert own < min(between) / 2


def test_what_has_no_relation_stands_at_the_rim() -> None:
    at = np.linalg.norm(place(50, CLIQUES), axis=1)
    assert at[32:].min() > at[:32].max()
    assert at.max() <= 1.0001


def test_in_a_small_graph_a_lone_node_covers_no_other() -> None:
    at = place(8, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5)])
    apart = np.linalg.norm(at[:, None] - at[None], axis=2) + 9 * np.eye(8)
    assert apart[6:].min() > 0.2


@given(st.integers(0, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
@settings(deadline=None, max_examples=60)
def test_any_graph_gets_finite_places_in_the_disc(num: int, ends: list[tuple[int, int]]) -> None:
    pairs = [(a, b) for a, b in ends if a < num and b < num]  # loops and doubles among them
    at = place(num, pairs)
    assert at.shape == (num, 2)
    assert np.isfinite(at).all()
    assert (np.linalg.norm(at, axis=1) <= 1.0001).all()


def test_five_thousand_nodes_take_seconds() -> None:
    rng = np.random.default_rng(0)
    pairs = [(int(a), int(b)) for a, b in 5000 * rng.random((10_000, 2)) ** 2]
    start = time.process_time()
    at = place(5000, pairs, rng.integers(0, 40, 5000))
    assert time.process_time() - start < 20  # 0.7 s alone on a machine; spring layouts of other libraries: 11 to 37 s
    assert len(np.unique(at, axis=0)) == 5000


@pytest.mark.parametrize("num", [0, 1, 2, 3])
def test_3d_of_next_to_nothing(num: int) -> None:
    assert place_3d(num, []).shape == (num, 3)
    assert np.isfinite(place_3d(num, [(0, 1)] if num > 1 else [])).all()


def test_3d_uses_all_three_dimensions_and_keeps_components_readable() -> None:
    at = place_3d(32, CLIQUES[:-1])  # two components
    assert (at.std(axis=0) > 0.1).all()
    assert np.array_equal(at, place_3d(32, CLIQUES[:-1]))
    one = at[24:]
    assert np.linalg.norm(one - one.mean(axis=0), axis=1).mean() > 0.05  # not a dot


# ---------------------------------------------------------------------------------------------------------------- kept


@pytest.fixture
def kept(tmp_path: Path) -> Callable[[], KeptLayouts]:
    """The layouts of one workspace, as a process finds them that was just started."""
    return lambda: KeptLayouts(tmp_path / "index" / "layouts")


def _same(one: Layout, other: Layout) -> bool:
    return np.allclose(one.positions, other.positions, atol=1e-3) and np.array_equal(one.groups, other.groups)


@pytest.mark.parametrize("is_3d", [False, True])
def test_a_layout_is_made_once_and_read_by_the_next_process(
    kept: Callable[[], KeptLayouts], monkeypatch: pytest.MonkeyPatch, is_3d: bool
) -> None:
    made = kept().start(32, CLIQUES, [1.0] * len(CLIQUES), is_3d=is_3d).result(timeout=60)
    monkeypatch.setattr(graph_layout, "_laid_out", lambda *_: pytest.fail("it was made again"))
    again = kept().start(32, CLIQUES, [1.0] * len(CLIQUES), is_3d=is_3d)
    assert again.done()
    assert _same(again.result(), made)


def test_another_graph_is_another_layout(kept: Callable[[], KeptLayouts]) -> None:
    layouts = kept()
    one = layouts.start(3, [(0, 1)], [1.0]).result(timeout=60)
    assert not _same(one, layouts.start(3, [(0, 2)], [1.0]).result(timeout=60))


def test_a_reload_joins_the_work_under_way(kept: Callable[[], KeptLayouts], monkeypatch: pytest.MonkeyPatch) -> None:
    go, calls = Event(), []

    def slow(*what: object) -> Layout:
        calls.append(what)
        go.wait(30)
        return Layout(np.zeros((2, 2), dtype=np.float32), np.zeros(2, dtype=np.int64))

    monkeypatch.setattr(graph_layout, "_laid_out", slow)
    layouts = kept()
    first, second = layouts.start(2, [(0, 1)], [1.0]), layouts.start(2, [(0, 1)], [1.0])
    assert first is second
    go.set()
    first.result(timeout=30)
    assert len(calls) == 1


def test_a_layout_that_failed_is_tried_again(kept: Callable[[], KeptLayouts], monkeypatch: pytest.MonkeyPatch) -> None:
    layouts = kept()
    with monkeypatch.context() as patched:
        patched.setattr(graph_layout, "_laid_out", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            layouts.start(2, [(0, 1)], [1.0]).result(timeout=30)
    assert layouts.start(2, [(0, 1)], [1.0]).result(timeout=30).positions.shape == (2, 2)


@pytest.mark.parametrize(
    "damage", ["", "[]", "{", '{"positions": [[0, 0]], "groups": [0]}', '{"positions": [[NaN, 0], [1, 1]], "groups": [0, 0]}']
)
def test_a_damaged_file_is_made_anew(kept: Callable[[], KeptLayouts], tmp_path: Path, damage: str) -> None:
    made = kept().start(2, [(0, 1)], [1.0]).result(timeout=30)
    (file,) = (tmp_path / "index" / "layouts").iterdir()
    file.write_text(damage)
    assert _same(kept().start(2, [(0, 1)], [1.0]).result(timeout=30), made)


def test_files_hold_numbers_alone_and_do_not_pile_up(kept: Callable[[], KeptLayouts], tmp_path: Path) -> None:
    layouts = kept()
    for num in range(2, 20):
        layouts.start(num, [(0, 1)], [1.0]).result(timeout=30)
    files = list((tmp_path / "index" / "layouts").iterdir())
    assert len(files) == 12
    assert not set("".join(f.read_text() for f in files)) & set("abcdfhjklmqvwxyz")  # but the words "positions" and "groups"


def test_where_nothing_can_be_kept_it_is_laid_out_all_the_same(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    assert KeptLayouts(tmp_path / "file").start(2, [(0, 1)], [1.0]).result(timeout=30).positions.shape == (2, 2)
    assert "could not be kept" in caplog.text
