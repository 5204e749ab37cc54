"""Two tabs of one workspace in a real browser, and one whose connection is lost: nothing is lost or
done twice, and the page says where it stands.
"""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from app_server import AppServer, Chromium, settled, shoot
from ask_pages import QUESTION, TURNS
from ingests import Gate

from dynagrag.config.settings import load_settings
from dynagrag.workspace.conversations import Conversation, ConversationBook

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

OTHER = "Where is Borealis Labs located?"
MARKUP = "![x](http://evil.example/x.png) <b onclick=alert(1)>**Board**</b>"
_KEEP_SOCKETS = """
const Real = window.WebSocket
window.sockets = []
window.WebSocket = class extends Real {
    constructor(...given) {
        super(...given)
        window.sockets.push(this)
    }
}
"""
"""So that a test can close them, as a lost network does."""
_SEES_LOSS = """() => {
    const word = getComputedStyle(document.querySelector('[data-testid="stApp"]'), '::before')
    return word.visibility === 'visible' && word.content.includes('connection to dynagrag is lost')
}"""
_STATE = "() => document.querySelector('[data-testid=\"stApp\"]').dataset.testConnectionState"


@pytest.fixture
def gate(
    point_at_models: Callable[..., None], corpus: Any, cli: Callable[..., Any]
) -> Iterator[Gate]:
    """Models that hold every reply until it is opened; one meeting was ingested before."""
    made = Gate()
    with made.server() as server:
        point_at_models(server)
        made.is_open.set()
        assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0
        made.is_open.clear()
        made.prompts.clear()
        yield made
        made.is_open.set()


@pytest.fixture
def app(gate: Gate) -> Iterator[AppServer]:
    with AppServer() as running:
        yield running


def ask(page: "Page", question: str) -> None:
    box = page.get_by_placeholder("Ask about these transcripts")
    box.fill(question)
    box.press("Enter")


def wait_for_address(page: "Page") -> None:
    """The model may be asked before the page has the conversation in its address."""
    page.wait_for_url("**conversation=**")


def stop_button(page: "Page") -> "Locator":
    """Ours, of the question; Streamlit has another at the head, of a page's run."""
    return page.get_by_test_id("stMain").get_by_role("button", name="Stop")


def tabs(context: "BrowserContext", *urls: str) -> list["Page"]:
    made = []
    for url in urls:
        page = context.new_page()
        page.goto(url)
        settled(page)
        made.append(page)
    return made


def kept() -> tuple[Conversation, ...]:
    return ConversationBook(load_settings().workspaces_dir / "default").all()


def said(page: "Page") -> str:
    return (
        page.get_by_test_id("stMainBlockContainer").inner_text().replace("\u2060", "")
    )  # which keeps addresses from being links


def assert_sound(app: AppServer, page: "Page") -> None:
    """No traceback, neither on the page nor in the log."""
    assert page.get_by_test_id("stException").count() == 0
    assert "Something went wrong" not in said(page)
    assert "Traceback" not in app.log(), app.log()


@pytest.mark.parametrize("loss", ["the tab is closed", "the network is gone"])
def test_a_connection_that_is_lost_while_an_answer_is_written_loses_nothing_and_asks_nothing_twice(
    app: AppServer, chromium: Chromium, gate: Gate, loss: str
) -> None:
    context = chromium.context()
    context.add_init_script(_KEEP_SOCKETS)
    (page,) = tabs(context, app.url())
    ask(page, QUESTION)
    stop_button(page).wait_for()
    gate.wait_for(1)
    wait_for_address(page)
    address = page.url
    if loss == "the tab is closed":
        page.close()
        page = context.new_page()
    else:
        context.set_offline(True)
        page.evaluate("() => window.sockets.forEach(socket => socket.close())")
        page.wait_for_function(f"() => ({_STATE})() !== 'CONNECTED'")
        page.wait_for_function(_SEES_LOSS)
        shoot(page, "connection-lost")
    gate.is_open.set()
    page.wait_for_timeout(1_500)  # it is answered meanwhile
    if loss == "the tab is closed":
        page.goto(address)
    else:
        context.set_offline(False)
        page.wait_for_function(f"() => ({_STATE})() === 'CONNECTED'")
    page.get_by_text("Why this answer").wait_for()
    settled(page)
    assert said(page).count(QUESTION) == 1
    (conversation,) = kept()
    (exchange,) = conversation.exchanges
    assert exchange.answers[0].answer is not None
    assert set(gate.prompts.values()) == {1}
    assert_sound(app, page)


def test_a_page_that_comes_back_while_the_answer_is_written_follows_it(
    app: AppServer, chromium: Chromium, gate: Gate
) -> None:
    context = chromium.context()
    (page,) = tabs(context, app.url())
    ask(page, QUESTION)
    gate.wait_for(1)
    wait_for_address(page)
    address = page.url
    page.close()
    page = context.new_page()
    page.goto(address)
    stop_button(page).wait_for()
    assert re.search(r"(Looking for|Answering|Reading|Splitting|Writing).* … \d+ s", said(page))
    gate.is_open.set()
    page.get_by_text("Why this answer").wait_for()
    settled(page)
    assert said(page).count(QUESTION) == 1
    assert set(gate.prompts.values()) == {1}


def test_two_tabs_ask_at_once_in_one_conversation_and_in_two(
    app: AppServer, chromium: Chromium, gate: Gate
) -> None:
    one, two = tabs(chromium.context(), app.url(), app.url())
    ask(one, QUESTION)
    gate.wait_for(1)
    wait_for_address(one)
    ask(two, OTHER)
    stop_button(two).wait_for()
    third = chromium.context().new_page()
    third.goto(one.url)
    stop_button(third).wait_for()
    ask(third, OTHER)
    third.get_by_text("Next:").wait_for()
    shoot(third, "question-waits")
    gate.is_open.set()
    for page, num in ((two, 1), (third, 2)):
        page.get_by_text("Why this answer").nth(num - 1).wait_for()
        settled(page)
        assert_sound(app, page)
    asked = sorted(
        [exchange.asked for exchange in conversation.exchanges] for conversation in kept()
    )
    assert asked == [[OTHER], [QUESTION, OTHER]]
    assert all(
        exchange.answers and exchange.answers[0].answer
        for conversation in kept()
        for exchange in conversation.exchanges
    )


def test_a_document_that_another_tab_renames_and_deletes_is_told_of_where_it_is_open(
    app: AppServer, chromium: Chromium, gate: Gate
) -> None:
    gate.is_open.set()
    context = chromium.context()
    (reader,) = tabs(context, app.url())
    ask(reader, QUESTION)
    reader.get_by_text("Why this answer").wait_for()
    settled(reader)
    reader.locator('a[href^="source?"]').first.click()
    reader.locator(".st-key-source_beside .stMarkdownColoredBackground").first.wait_for()
    settled(reader)
    reader.get_by_role("button", name="Documents").click()
    reader.get_by_label("Only these documents").click()
    reader.get_by_role("option", name="board").click()
    reader.keyboard.press("Escape")
    settled(reader)
    page_of_it = (
        app.origin + "/" + str(reader.locator('a[href^="source?"]').first.get_attribute("href"))
    )
    source, other = tabs(context, page_of_it, page_of_it)

    other.get_by_role("button", name="Rename").click()
    other.get_by_label("Title").fill(MARKUP)
    other.get_by_role("button", name="Save").click()
    other.get_by_role("heading", name="Board").wait_for()
    settled(other)
    for page in (reader, source):
        run_again(page)
        assert MARKUP in said(page)

    other.goto(app.url("ingest"))
    settled(other)
    other.get_by_role("button", name="Delete", exact=True).click()
    other.get_by_role("button", name="Delete document").click()
    other.get_by_text("Deleted.").first.wait_for()
    run_again(source)
    assert "This document is no longer in the workspace" in said(source)
    run_again(reader)
    assert "This document is no longer in the workspace" in said(
        reader
    ) or "This workspace is empty" in said(reader)
    for page in (reader, source, other):
        assert_sound(app, page)
    assert chromium.foreign(app.origin) == []
    assert chromium.dialogs == []


def test_an_ingest_that_one_tab_pauses_is_seen_paused_in_the_other_and_resumed_there(
    app: AppServer, chromium: Chromium, gate: Gate, corpus: Any
) -> None:
    one, two = tabs(chromium.context(), app.url("ingest"), app.url("ingest"))
    one.locator('input[type="file"]').set_input_files(
        [str(path) for path in corpus.many(2, num_turns=30)]
    )
    one.get_by_role("button", name="Start", exact=True).click()
    gate.wait_for(1)
    run_again(two)
    for page in (one, two):
        page.get_by_role("button", name="Pause").wait_for()
    two.get_by_role("button", name="Pause").click()
    for page in (one, two):
        page.get_by_text(re.compile("Pausing …|is paused")).first.wait_for()
    one.get_by_role("button", name="Pause").wait_for(state="detached")
    gate.is_open.set()
    for page in (one, two):
        page.get_by_text("is paused").first.wait_for()
    one.get_by_role("button", name="Resume").first.click()
    one.get_by_text(re.compile("[Dd]one\\.")).first.wait_for()
    run_again(two)
    assert "is paused" not in said(two)
    for page in (one, two):
        assert_sound(app, page)


def test_an_entity_that_another_tab_merges_is_told_of_where_it_is_open(
    app: AppServer, chromium: Chromium, gate: Gate
) -> None:
    gate.is_open.set()
    context = chromium.context()
    graph, curate = tabs(context, app.url("graph"), app.url("curate", entity="Borealis Labs"))
    find = graph.get_by_label("Find an entity")
    find.fill("Borealis")
    find.press("Enter")
    graph.get_by_test_id("stMain").get_by_role("button").filter(
        has_text="Borealis Labs"
    ).first.click()
    graph.get_by_role("heading", name="Borealis Labs").wait_for()
    curate.get_by_text("Rename", exact=True).first.wait_for()

    (other,) = tabs(context, app.url("curate", entity="Borealis Labs"))
    other.get_by_text("Merge with another").click()
    box = other.get_by_label("Merge it with")
    box.fill("Acme")
    box.press("Enter")
    other.get_by_role("button", name="Merge", exact=True).click()
    other.get_by_text("Done:").wait_for()

    run_again(graph)
    assert "This entity is no longer in the graph: it was merged, renamed or deleted." in said(
        graph
    )
    curate.get_by_label("New name").fill("Borealis Institute")
    curate.get_by_role("button", name="Rename", exact=True).click()
    settled(curate)
    shoot(curate, "renamed-after-a-merge")
    assert "The graph has changed since you last looked" in said(curate)
    assert "it was not done" in said(curate)
    run_again(curate)
    assert "The graph was changed" not in said(curate)
    run_again(other)
    assert "The graph was changed" not in said(other)
    for page in (graph, curate, other):
        assert_sound(app, page)


def run_again(page: "Page") -> None:
    """As a visitor who does anything on it: the page is drawn anew, with its state."""
    page.evaluate("() => document.activeElement?.blur()")
    page.keyboard.press("r")
    page.wait_for_timeout(300)
    settled(page)
