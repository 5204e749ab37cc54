"""The page Ask, without a browser."""

from collections.abc import Callable
from typing import Any

from dynagrag.fakes_server import OpenAIStubServer


def test_without_a_workspace_a_visitor_is_told_where_to_begin(server: OpenAIStubServer, panel: Callable[[str], Any]) -> None:
    page = panel("ask_panel").run()
    assert not page.exception
    assert "Ingest" in page.info[0].value
