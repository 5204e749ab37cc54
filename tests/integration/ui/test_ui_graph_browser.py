"""The page Graph in a real browser: it draws, nodes can be dragged and clicked, and names do
nothing but stand there.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from app_server import DESKTOP, PHONE, AppServer, Chromium, serious, settled
from drawn import Drawing

from dynagrag.core.schema import Consolidation, Entity, Relation
from dynagrag.curation.graph_export import part
from dynagrag.fakes.fake_server import OpenAIStubServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLACEHOLDER = "--x_x--0_0--"
HOSTILE = (
    f"{PLACEHOLDER}alert(1){PLACEHOLDER}",
    f"--x_x--0_{PLACEHOLDER}0--fetch('http://evil.example/f'){PLACEHOLDER}0_0--",
    "<img src=http://evil.example/i.png onerror=alert(2)>",
    "![x](http://evil.example/m.png)",
    "image://http://evil.example/s.png",
    "[go](javascript:alert(3))",
    "{a|words} {b} $& ${alert(4)}",
    "<script>alert(5)</script>",
    "x" * 10_000,
    "two\nlines\x00\u202e",
)
WriteGraph = Callable[[Sequence[Entity], Sequence[Relation]], None]


@pytest.fixture
def write_graph(server: OpenAIStubServer, open_space: Callable[..., Any]) -> WriteGraph:
    """Writes a graph into the default workspace as an ingest does at its end."""

    def write(entities: Sequence[Entity], relations: Sequence[Relation]) -> None:
        space = open_space("default")
        identity = replace(space.embedder.identity, name="openai:fake")
        space.store.set_embedder(identity)
        vectors = {
            "entity_vectors": np.zeros((len(entities), identity.dimension), np.float32),
            "relation_vectors": np.zeros((len(relations), identity.dimension), np.float32),
        }
        graph = part(sorted(entities, key=lambda e: e.id), sorted(relations, key=lambda r: r.id))
        space.store.write_graph(replace(graph, **vectors), Consolidation(), space.store.records())
        space.close()

    return write


def entity(number: int, name: str, weight: int = 1) -> Entity:
    return Entity(
        f"{number:032x}",
        f"e{number}",
        name,
        "",
        (f"e{number}",),
        (name,),
        name[:50],
        weight,
        (name,),
    )


def relation(number: int, head: int, tail: int, label: str = "knows") -> Relation:
    return Relation(f"{number:032x}", f"{head:032x}", f"{tail:032x}", label, 1, 1, (label,), ())


def ring(num: int) -> tuple[list[Entity], list[Relation]]:
    """So many entities in a ring with chords, the first one heavy."""
    entities = [entity(i, f"Entity {i}", 400 if i == 0 else 1 + i % 5) for i in range(num)]
    return entities, [
        relation(k * num + i, i, (i + step) % num)
        for k, step in enumerate((1, 7))
        for i in range(num)
    ]


@pytest.fixture
def start(server: OpenAIStubServer) -> Iterator[Callable[[], AppServer]]:
    """Starts the app; it ends with the test."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(AppServer())


def test_a_thousand_nodes_are_drawn_and_one_is_dragged(
    write_graph: WriteGraph, start: Callable[[], AppServer], chromium: Chromium, tmp_path: Path
) -> None:
    write_graph(*ring(1000))
    app = start()
    page = chromium.open(app.url("graph"), (1280, 1100))
    page.get_by_role("button", name="What is drawn").click()
    thumb = page.get_by_role("slider", name="Entities shown")
    thumb.focus()
    thumb.press("End")
    settled(page)
    page.keyboard.press("Escape")
    drawing = Drawing(page)
    drawing.wait(1000)
    assert drawing.num_colours() > 10
    before = drawing.circles(tmp_path)
    assert len(before) == 1000
    heaviest = max(range(1000), key=lambda i: before[i].radius)
    drawing.drag(before[heaviest], 45, 30)
    after = drawing.circles(tmp_path)
    moved = [
        i for i in range(1000) if abs(after[i].x - before[i].x) + abs(after[i].y - before[i].y) > 3
    ]
    assert moved == [heaviest]
    assert abs(after[heaviest].x - before[heaviest].x - 45) < 3
    assert chromium.received_bytes < 1_000_000
    assert chromium.foreign(app.origin) == []


_OVERLAPS = """saved => {
    // in the app's page: its font is not elsewhere
    const frame = document.body.appendChild(document.createElement('div'))
    frame.innerHTML = saved
    const texts = [...frame.querySelectorAll('text')]
    const boxes = texts.map(text => [text.textContent, text.getBoundingClientRect()])
    const isBeside = (a, b) => a.right <= b.left + 2 || b.right <= a.left + 2
    const isAbove = (a, b) => a.bottom <= b.top + 2 || b.bottom <= a.top + 2
    const overlap = (a, b) => !isBeside(a, b) && !isAbove(a, b)
    const pairs = boxes.flatMap(([name, a], i) => {
        const others = boxes.slice(i + 1).filter(([, b]) => overlap(a, b))
        return others.map(([other]) => [name, other])
    })
    return [boxes.length, pairs]
}"""


def test_no_label_lies_over_another(
    write_graph: WriteGraph, start: Callable[[], AppServer], chromium: Chromium, tmp_path: Path
) -> None:
    entities, relations = ring(120)
    write_graph(
        entities,
        [*relations, *(relation(1000 + i, 0, i, "is mentioned with") for i in range(1, 60))],
    )
    page = chromium.open(start().url("graph"), (1280, 800))
    assert_labels_apart(page, tmp_path)
    box = page.get_by_label("Find an entity")
    box.fill("Entity 0")
    box.press("Enter")
    page.get_by_test_id("stMain").get_by_role("button", name="Entity 0 ·").filter(
        visible=True
    ).first.click()
    page.get_by_role("heading", name="Entity 0").wait_for()
    assert_labels_apart(page, tmp_path)


def assert_labels_apart(page: "Page", folder: Path) -> None:
    settled(page)
    drawing = Drawing(page)
    drawing.wait()
    num_labels, overlapping = page.evaluate(_OVERLAPS, drawing.save_svg(folder / "drawing.svg"))
    assert num_labels > 15
    assert overlapping == []


def test_on_a_narrow_phone_a_list_comes_first_and_nothing_runs_out(
    write_graph: WriteGraph, start: Callable[[], AppServer], chromium: Chromium
) -> None:
    write_graph(*ring(90))
    page = chromium.open(start().url("graph"), (320, 700))
    box = page.get_by_role("button", name="Entity 0 ·").bounding_box()
    assert box is not None
    assert box["y"] < 700
    assert not page.locator(".echarts-container").is_visible()
    page.get_by_text("Show the drawing").click()
    settled(page)
    page.locator(".echarts-container").wait_for(state="visible")
    assert not page.get_by_role("button", name="Entity 0 ·").is_visible()
    assert (
        page.evaluate("() => document.querySelector('[data-testid=\"stMain\"]').scrollWidth") <= 320
    )


def test_a_click_goes_to_the_entity_and_shows_only_what_lies_around_it(
    write_graph: WriteGraph, start: Callable[[], AppServer], chromium: Chromium, tmp_path: Path
) -> None:
    write_graph(*ring(400))
    page = chromium.open(start().url("graph"), (1280, 1100))
    drawing = Drawing(page)
    drawing.wait(70)
    circles = drawing.circles(tmp_path)
    drawing.click(max(circles, key=lambda c: c.radius))
    page.get_by_role("heading", name="Entity 0").wait_for()
    settled(page)
    drawing.wait(5)
    assert serious(page) == []
    page.get_by_role("button", name="Whole graph").click()
    settled(page)
    drawing.wait(70)


def test_hostile_names_ask_for_nothing_and_run_nothing(
    write_graph: WriteGraph, start: Callable[[], AppServer], chromium: Chromium, tmp_path: Path
) -> None:
    entities = [entity(i, name, 10 - i) for i, name in enumerate(HOSTILE)]
    write_graph(entities, [relation(100 + i, 0, i, name) for i, name in enumerate(HOSTILE) if i])
    app = start()
    for size, is_dark in ((DESKTOP, False), (PHONE, True)):
        look_at_every_drawing(
            chromium.open(app.url("graph"), (size[0], 1100), is_dark=is_dark), size, tmp_path
        )
        chromium.leave()
    assert chromium.foreign(app.origin) == []
    assert chromium.dialogs == []
    assert chromium.errors == []


def look_at_every_drawing(page: "Page", size: tuple[int, int], folder: Path) -> None:
    if size == PHONE:
        page.get_by_role("button", name="two lines").wait_for()  # a list comes first
        page.get_by_text("Show the drawing").click()
        settled(page)
    drawing = Drawing(page)
    drawing.wait(len(HOSTILE))
    for circle in drawing.circles(folder):  # every tooltip
        box = page.locator(".echarts-container").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + circle.x, box["y"] + circle.y)
        page.wait_for_timeout(60)
    saved = (folder / "drawing.svg").read_text(encoding="utf-8")
    assert "<img" not in saved
    assert "<image" not in saved
    assert "<script" not in saved
    for name in ("3D", "Entities", "Distributions"):
        page.get_by_role("tab", name=name).click()
        settled(page)
    page.locator(".js-plotly-plot, .echarts-container").first.wait_for()
    box = page.get_by_label("Find an entity")
    box.fill("alert")
    box.press("Enter")
    hit = page.get_by_test_id("stMain").get_by_role("button").filter(has_text="alert").first
    hit.click()
    page.get_by_test_id("stHeading").nth(1).wait_for()
    settled(page)
    drawing.wait()
    assert serious(page) == []
