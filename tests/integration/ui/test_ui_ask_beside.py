"""The source beside an answer, in a real browser: one click, and the cited words are seen; the
recording plays from their second.
"""

import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from app_server import DESKTOP, PHONE, AppServer, Chromium, serious, settled, shoot

from dynagrag.fakes.fake_server import OpenAIStubServer

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

QUESTION = "What is located in Port Arthur?"
CITED_S = 300
"""The second at which the words that answer it are said."""
MARK = ".st-key-source_beside .stMarkdownColoredBackground"


def transcript() -> str:
    """An hour of talk in which one turn matters."""
    cues = []
    for number in range(120):
        said = (
            "Borealis Labs is located in Port Arthur."
            if number == CITED_S // 30
            else f"We looked at item {number} of the list for some time."
        )
        minutes, seconds = divmod(number * 30, 60)
        cues.append(
            f"00:{minutes:02}:{seconds:02}.000 --> 00:{minutes:02}:{seconds:02}.900\n"
            f"<v Maria>{said}"
        )
    return "WEBVTT\n\n" + "\n\n".join(cues) + "\n"


@pytest.fixture
def app(server: OpenAIStubServer) -> Iterator[AppServer]:
    """The app without a language model: the first line is the one that fits best."""
    with AppServer({"DYNAGRAG_LLM": ""}) as running:
        yield running


@pytest.fixture
def talk(app: AppServer, tmp_path: Path, cli: Callable[..., Any]) -> Path:
    """The transcript with its recording beside it, ingested."""
    path = tmp_path / "talk.vtt"
    path.write_text(transcript(), encoding="utf-8")
    with wave.open(str(path.with_suffix(".wav")), "wb") as made:
        made.setparams((1, 1, 3000, 0, "NONE", ""))
        made.writeframes(b"\x80" * 3000 * 3600)
    assert cli("ingest", path, "-y").code == 0
    return path


def ask(page: "Page", question: str = QUESTION) -> None:
    box = page.get_by_placeholder("Ask about these transcripts")
    box.fill(question)
    box.press("Enter")
    page.get_by_text("Why this answer").last.wait_for()
    settled(page)


def is_in_window(found: "Locator") -> bool:
    """Whether it is seen: within the window, and nothing lies over its first line."""
    return bool(
        found.evaluate("""element => {
            const [box, line] = [element.getBoundingClientRect(), element.getClientRects()[0]]
            if (!line) return false  // not drawn yet
            const [x, y] = [line.x + line.width / 2, line.y + line.height / 2]
            const at = document.elementFromPoint(x, y)
            const isInside = box.top >= 0 && box.bottom <= window.innerHeight
            return isInside && (at === element || element.contains(at))
        }""")
    )


def wait_until_in_window(page: "Page", found: "Locator") -> None:
    """It is brought into view as soon as it is drawn, and stays there."""
    for _ in range(100):
        if is_in_window(found):
            break
        page.wait_for_timeout(200)
    page.wait_for_timeout(600)  # what is brought into view is brought again a little later
    assert is_in_window(found)


@pytest.mark.usefixtures("talk")
def test_cited_words_are_brought_into_view_beside_the_answer_and_on_a_page_of_their_own(
    app: AppServer, chromium: Chromium
) -> None:
    for size in (DESKTOP, PHONE):
        follow_a_citation(chromium.open(app.url(), size), size)
        chromium.leave()
    assert chromium.foreign(app.origin) == []
    open_the_page_source(chromium.open(app.url(), DESKTOP))


def follow_a_citation(page: "Page", size: tuple[int, int]) -> None:
    """One click shows the cited words, and the recording at their second."""
    ask(page)
    link = page.locator('[class*="st-key-last_exchange"] a[href^="source?"]').first
    before = link.bounding_box()
    link.click()
    mark = page.locator(MARK).first
    mark.wait_for()
    settled(page)
    assert "Port Arthur" in mark.inner_text()
    wait_until_in_window(page, mark)
    shoot(page, f"beside-{size[0]}")
    if size == DESKTOP:
        after = link.bounding_box()
        assert before is not None
        assert after is not None
        assert abs(before["y"] - after["y"]) < 60  # the answer stays where it was read
    assert serious(page) == []
    player = page.locator(".st-key-source_beside audio")
    player.evaluate("element => { element.muted = true; return element.play() }")
    page.wait_for_function(
        "() => document.querySelector('.st-key-source_beside audio').currentTime > 0"
    )
    assert CITED_S <= player.evaluate("element => element.currentTime") < CITED_S + 30
    page.locator(".st-key-source_beside").get_by_role("button", name="Close").click()
    mark.wait_for(state="detached")


@pytest.mark.usefixtures("talk")
def test_an_answer_begins_at_the_head_of_the_window_also_after_a_reload(
    app: AppServer, chromium: Chromium
) -> None:
    page = chromium.open(app.url(), DESKTOP)
    for question in (QUESTION, "What is item 7?", "Who is Maria?"):
        ask(page, question)
    for _ in range(2):
        wait_until_in_window(
            page, page.locator("[class*='st-key-last_exchange']").get_by_text("Who is Maria?").first
        )
        page.reload()
        page.get_by_text("Why this answer").last.wait_for()
        settled(page)


def open_the_page_source(page: "Page") -> None:
    """A link with a key held opens it."""
    ask(page)
    with page.context.expect_page() as opened:
        page.locator('a[href^="source?"]').first.click(modifiers=["Control"])
    source = opened.value
    mark = source.locator(".stMarkdownColoredBackground").first
    mark.wait_for()
    settled(source)
    wait_until_in_window(source, mark)
