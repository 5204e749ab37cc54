"""A workspace of 500 documents, without a browser: each page draws a bounded part of them, and any
of them can be found.

How long pages take with them, and with 100,000 entities: benchmarks/app_pages.py.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pages import until, words

from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.ui import background

NUM = 500
MAX_WIDGETS = 120
"""Of a page. Each costs a browser time at each draw; the longest has 15 documents with a link, a
box to delete and one to rename.
"""


@pytest.fixture
def many(server: OpenAIStubServer, corpus: Any, cli: Callable[..., Any]) -> Iterator[None]:
    for number in range(NUM):
        corpus.write(
            f"talk-{number:03}.vtt",
            [("Maria", f"Acme Works acquired Borealis Labs in room {number}.")],
        )
    assert cli("ingest", corpus.folder, "--extractor", "fast", "-y").code == 0
    yield
    background.wait_for_all()


def num_widgets(page: Any) -> int:
    """All that can be clicked or filled in, and the links in texts."""
    kinds = (
        "button",
        "checkbox",
        "multiselect",
        "number_input",
        "radio",
        "selectbox",
        "slider",
        "text_area",
        "text_input",
        "toggle",
    )
    boxes = sum(len(page.get(kind)) for kind in kinds)
    return (
        boxes
        + len(page.get("page_link"))
        + sum(str(text.value).count("](") for text in page.markdown)
    )


def test_each_page_draws_a_bounded_part_of_many_documents_and_finds_any(
    many: None, panel: Callable[[str], Any]
) -> None:
    ask = panel("ask.ask_page").run()
    assert num_widgets(ask) < MAX_WIDGETS
    assert f"{NUM} documents" in [subheader.value for subheader in ask.subheader]
    ask.selectbox(key="find_to_read").set_value("talk-499").run()
    assert not ask.exception
    assert "in room 499" in words(ask)
    assert len(ask.multiselect(key="filter_documents").options) == NUM

    ingest = panel("ingest.ingest_page").run()
    until(ingest, lambda: bool(ingest.number_input))
    assert num_widgets(ingest) < MAX_WIDGETS
    ingest.number_input(key="documents_page").set_value(34).run()
    assert "talk\\-499" in words(ingest)
    ingest.text_input(key="find_document").set_value(
        "talk-2"
    ).run()  # fewer pages than the one that is open
    assert not ingest.exception
    assert not ingest.error
    assert "100 of 500 documents" in words(ingest)
    ingest.text_input(key="find_document").set_value("talk-250").run()
    assert "1 of 500 documents" in words(ingest)

    for name in (
        "ask.source_page",
        "ask.why_page",
        "graph.graph_page",
        "curate.curate_page",
        "workspaces.workspaces_page",
        "evaluate.page",
    ):
        page = panel(name).run()
        assert not page.exception
        assert not page.error
        assert num_widgets(page) < MAX_WIDGETS, name
