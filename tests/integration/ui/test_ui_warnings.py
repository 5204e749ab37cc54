"""What the command line prints as a warning is shown in the app too."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from odd_model_server import OddModelServer, cuts_prompts
from pages import words

from dynagrag.ui import warnings_view

_SHOWN = """
from dynagrag.ui.warnings_view import keep_warnings, show_warnings
keep_warnings()
show_warnings()
"""


@pytest.fixture
def shown() -> Iterator[Any]:
    """The part of each page that shows warnings."""
    from streamlit.testing.v1 import AppTest

    warnings_view._KEPT.clear()  # of tests before, in the same process
    yield AppTest.from_string(_SHOWN, default_timeout=60)
    warnings_view._KEPT.clear()
    logging.getLogger("dynagrag").removeHandler(warnings_view._KEPT)


def test_a_prompt_that_the_server_cut_is_said_in_the_app(
    shown: Any, point_at_models: Callable[..., None], corpus: Any, cli: Any
) -> None:
    assert not shown.run().expander
    with OddModelServer(cuts_prompts(50)) as server:
        point_at_models(server)
        assert cli("ingest", *corpus.many(2), "--llm", "openai:m", "--yes").code == 0
    page = shown.run()
    assert page.expander[0].label.endswith(("warning", "warnings"))
    assert "num_ctx in the Modelfile" in words(page).replace("\\", "")
    page.button("dismiss_warnings").click().run()
    assert not page.expander


def test_warnings_are_shown_once_without_keys_and_as_text(
    shown: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-CANARY-0123456789")
    shown.run()
    log = logging.getLogger("dynagrag.models")
    for _ in range(2):
        log.warning("%s sk-CANARY-0123456789 [here](http://x.example)\n# head", "openai:m")
    log.info("not this")
    page = shown.run()
    assert page.expander[0].label == "1 warning"
    assert "CANARY" not in words(page)
    assert "[here](http" not in words(page), "no link of a server's words"
