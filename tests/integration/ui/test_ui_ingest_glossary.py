"""The page Ingest, without a browser: a glossary beside the files."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import has, press, until, words

from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.ui import background
from dynagrag.workspace.glossaries import glossaries_in_force

TALK = (
    b"WEBVTT\n\n00:00:00.000 --> 00:00:09.000\n<v Leo>The LM is in orbit. The Lunar Module docks at"
    b" noon.\n"
)
GLOSSARY = b"term,aliases,definition\nLunar Module,LM,The lander\n"
Pages = Callable[[], Any]


@pytest.fixture
def page(panel: Callable[[str], Any]) -> Iterator[Any]:
    """The page with a talk to ingest."""
    made = panel("ingest.ingest_page").run()
    made.file_uploader[0].set_value([("talk.vtt", TALK, "")]).run()
    until(made, lambda: has(made, "Start"))
    yield made
    background.wait_for_all()


def _bring(page: Any, name: str, content: bytes) -> None:
    page.file_uploader[1].set_value([(name, content, "")]).run()
    until(page, lambda: has(page, "Start"))


def test_a_glossary_is_read_at_once_and_holds_once_the_run_is_done(
    server: OpenAIStubServer, page: Any, open_space: Any
) -> None:
    _bring(page, "words.csv", GLOSSARY)
    assert "1 term, 1 other name" in words(page)
    press(page, "Start")
    until(page, lambda: bool(page.success))
    with open_space("default") as space:
        assert [(g.name, g.num_terms) for g in glossaries_in_force(space.store.edits())] == [
            ("words.csv", 1)
        ]


def test_terms_that_the_sources_do_not_name_are_in_the_report(
    server: OpenAIStubServer, page: Any
) -> None:
    _bring(page, "words.csv", GLOSSARY + b"Gimbal Lock,,\n")
    press(page, "Start")
    until(page, lambda: bool(page.success))
    assert "2 of 2 terms of" in words(page)
    assert "named nothing that was found in the sources" in words(page)


def test_a_glossary_that_cannot_be_read_is_refused_and_not_kept(
    server: OpenAIStubServer, page: Any, home: Path
) -> None:
    _bring(page, "../words.csv", b"colour,size\nred,1\n")
    assert "the columns are" in page.error[0].value
    assert "partial" not in page.error[0].value
    assert not any(
        path.is_file() for path in (home / "workspaces" / "default" / "glossaries").rglob("*")
    )
    press(page, "Start")
    until(page, lambda: bool(page.success))
    assert not list((home / "workspaces").rglob("words.csv"))


def test_a_glossary_that_is_taken_out_of_the_box_is_not_used(
    server: OpenAIStubServer, page: Any, open_space: Any
) -> None:
    _bring(page, "words.csv", GLOSSARY)
    page.file_uploader[1].set_value(None).run()
    press(page, "Start")
    until(page, lambda: bool(page.success))
    with open_space("default") as space:
        assert glossaries_in_force(space.store.edits()) == ()
