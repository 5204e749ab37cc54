"""The page Ingest, without a browser: names for speakers before anything is stored."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pages import has, press, until, words

from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.ui import background

TALK = (
    b"WEBVTT\n\n00:00:00.000 --> 00:00:09.000\n<v Leo>Ada Byron founded Acme Works.\n\n"
    b"00:00:10.000 --> 00:00:19.000\n<v Maria>Acme Works is located in Delft.\n"
)
Pages = Callable[[], Any]


@pytest.fixture
def open_page(panel: Callable[[str], Any]) -> Iterator[Pages]:
    """The page, each time as another visitor's."""
    yield lambda: panel("ingest.ingest_page").run()
    background.wait_for_all()


def _upload(page: Any, *files: tuple[str, bytes]) -> None:
    page.file_uploader[0].set_value([(name, content, "") for name, content in files]).run()
    until(page, lambda: has(page, "Start") or bool(page.error))


def test_speakers_are_named_merged_and_left_out_in_the_preview(
    server: OpenAIStubServer, open_page: Pages, open_space: Any
) -> None:
    def spoken() -> list[str | None]:
        with open_space("default") as space:
            return [turn.speaker for turn in space.store.turns()]

    def name(page: Any, **names: str) -> None:
        fields = {
            field.label: field for field in page.text_input if field.label in {"Leo", "Maria"}
        }
        for label, value in names.items():
            fields[label].set_value(value)
        press(page, "Use these names")
        until(page, lambda: has(page, "Start"))

    page = open_page()
    _upload(page, ("talk.vtt", TALK))
    name(page, Leo="Leo Kim", Maria="")
    assert "Leo → Leo Kim, Maria → left out" in words(page)
    press(page, "Start")
    until(page, lambda: bool(page.success))
    assert spoken() == ["Leo Kim", None]

    page = open_page()
    _upload(page, ("talk.vtt", TALK))
    assert {
        field.label: field.value for field in page.text_input if field.label in {"Leo", "Maria"}
    } == {"Leo": "Leo Kim", "Maria": ""}
    name(page, Maria="Leo Kim")
    press(page, "Start")
    until(page, lambda: bool(page.success))
    assert spoken() == ["Leo Kim", "Leo Kim"]


def test_the_preview_shows_what_speaks_against_speakers_and_takes_names_for_turns_without_one(
    open_page: Pages, open_space: Any
) -> None:
    cues = [("<v Ann>", "Hello, Ann."), ("", "It rains a lot."), ("<v Ann>", "Thank you, Ann.")]
    blocks = [
        f"00:00:{9 * n:02}.000 --> 00:00:{9 * n + 9:02}.000\n{voice}{text}"
        for n, (voice, text) in enumerate(cues)
    ]
    page = open_page()
    _upload(page, ("talk.vtt", "\n\n".join(["WEBVTT", *blocks]).encode()))
    assert "What is said speaks against the speakers of **talk\\.vtt**" in page.warning[0].value
    shown = "".join(own.value for own in page.markdown).replace("\\", "")
    assert "Ann speaks to Ann: turn 1 (0:00), Ann: Hello, Ann." in shown
    assert "44% of the words have no speaker." in words(page)
    (field,) = [own for own in page.text_input if own.label.startswith("Turns without a speaker")]
    field.set_value("Leo Kim")
    press(page, "Use these names")
    until(page, lambda: has(page, "Start"))
    assert "no speaker → Leo Kim" in words(page)
    press(page, "Start")
    until(page, lambda: bool(page.success))
    with open_space("default") as space:
        assert [turn.speaker for turn in space.store.turns()] == ["Ann", "Leo Kim", "Ann"]


def test_the_preview_offers_the_name_that_a_speaker_without_one_gives(
    open_page: Pages, open_space: Any
) -> None:
    talk = b"Speaker 1: Welcome to the show.\nSpeaker 3: Hi, I'm Ifeoma, I run it.\n"
    page = open_page()
    _upload(page, ("talk.txt", talk + b"Speaker 1: Thank you for the words.\n"))
    shown = "".join(own.value for own in page.caption).replace("\\", "")
    assert "Speaker 3 says to be Ifeoma: turn 2" in shown
    press(page, "Rename Speaker 3 → Ifeoma")
    assert not has(page, "Rename Speaker 3 → Ifeoma")
    assert {"Speaker 1", "Ifeoma"} <= {field.value for field in page.text_input}
    assert "Speaker 3 → Ifeoma" in words(page)
    until(page, lambda: has(page, "Start"))
    press(page, "Start")
    until(page, lambda: bool(page.success))
    with open_space("default") as space:
        assert [turn.speaker for turn in space.store.turns()] == [
            "Speaker 1",
            "Ifeoma",
            "Speaker 1",
        ]
