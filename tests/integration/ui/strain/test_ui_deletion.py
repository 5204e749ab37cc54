"""Deleting documents in a real browser: what one click deletes, the next click in the same place
doesn't go on with.
"""

from collections.abc import Callable
from typing import Any

from app_server import DESKTOP, AppServer, Chromium, settled


def test_the_box_of_a_deletion_closes_with_it(
    app: AppServer, chromium: Chromium, corpus: Any, cli: Callable[..., Any]
) -> None:
    for name, place in (("alba", "Port Arthur"), ("bona", "Delft"), ("cara", "Leeds")):
        assert (
            cli(
                "ingest",
                corpus.write(f"{name}.vtt", [("Maria", f"Borealis Labs is located in {place}.")]),
                "-y",
            ).code
            == 0
        )
    page = chromium.open(app.url("ingest"), DESKTOP)
    settled(page)
    page.get_by_role("button", name="Delete").first.click()
    page.get_by_role("button", name="Delete document").click()
    page.get_by_text("2 documents", exact=True).wait_for()
    settled(page)
    assert page.get_by_text("bona").first.is_visible()
    assert page.get_by_role("button", name="Delete document").count() == 0
