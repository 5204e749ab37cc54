"""The page Curate, without a browser: what each tab offers, does, refuses, and that nothing of it
is markup.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dynagrag import open_workspace
from dynagrag.core.schema import Entity
from dynagrag.curation import corrections
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.ui import background
from dynagrag.ui.curate import correction_work

EVIL = "![x](http://evil.example/x.png) <b>*bold*</b>"
TURNS = [
    (
        "Ada",
        "We met Zanzibar Relay at dawn. The Zanzibar Relay spoke to Port Arthur about Mercury.",
    ),
    ("Ben", "I saw Relay Zanzibar again near Port Arthur. Then Mercury answered Zanzibar Relay."),
    ("Ben", "Here the Red Battery failed. Then all Red Batteries failed near Port Arthur."),
]
Page = Callable[..., Any]


@pytest.fixture
def files(corpus: Any) -> list[Path]:
    second = [("Ada", "The probe passed Mercury and the Sun. Beside Mercury stood Old Delft.")]
    return [corpus.write("one.vtt", TURNS), corpus.write("two.vtt", second)]


@pytest.fixture
def page(
    server: OpenAIStubServer,
    cli: Callable[..., Any],
    files: list[Path],
    panel: Callable[[str], Any],
) -> Iterator[Page]:
    """The page of a workspace with two transcripts, at one of its tabs."""
    assert cli("ingest", *files, "--extractor", "fast", "-y").code == 0

    def open_at(tab: str = "Suggestions") -> Any:
        made = panel("curate.curate_page")
        made.session_state["curate_tab"] = tab
        return checked(made.run())

    yield open_at
    background.wait_for_all()


def checked(shown: Any) -> Any:
    """Nothing failed, and no words of others became markup."""
    assert not shown.exception
    said = [
        str(e.value)
        for kind in ("markdown", "caption", "info", "success", "error", "warning")
        for e in shown.get(kind)
    ]
    assert not [
        text
        for text in said
        if "![x](" in text or ("<b>" in text.replace("\\", "\\\\") and "\\<b" not in text)
    ]
    return shown


def click(shown: Any, label: str, number: int = 0) -> Any:
    """Clicks the button with this label; a correction's thread has ended when the page is drawn."""
    buttons = [b for b in shown.button if b.label == label]
    assert buttons, [b.label for b in shown.button]
    return checked(buttons[number].click().run())


def field(shown: Any, label: str, kind: str = "text_input") -> Any:
    return next(e for e in shown.get(kind) if e.label.startswith(label))


def words(shown: Any, *kinds: str) -> str:
    return "\n".join(
        str(e.value)
        for kind in kinds or ("markdown", "caption", "info", "success")
        for e in shown.get(kind)
    ).replace("\\", "")


def graph() -> tuple[Entity, ...]:
    with open_workspace(create=False) as space:
        return space.graph().entities


def names() -> set[str]:
    return {e.name for e in graph()}


def correct(act: Callable[..., object], *args: Any, **kwargs: Any) -> None:
    with open_workspace(create=False) as space:
        act(space, *args, **kwargs, by="somebody else")


def test_without_a_workspace_a_visitor_is_told_where_to_begin(
    server: OpenAIStubServer, panel: Callable[[str], Any]
) -> None:
    page = panel("curate.curate_page").run()
    assert not page.exception
    shown = [element.value for element in page.markdown]
    assert "#### Your own recordings" in shown
    assert "[Upload files or paste text](ingest?workspace=default)" in shown


def test_an_empty_workspace_and_one_without_merges_say_so(
    server: OpenAIStubServer, cli: Callable[..., Any], corpus: Any, panel: Callable[[str], Any]
) -> None:
    with open_workspace():
        pass
    assert "empty" in panel("curate.curate_page").run().info[0].value
    assert (
        cli(
            "ingest",
            corpus.write("a.vtt", [("Ada", "We saw Port Arthur.")]),
            "--extractor",
            "fast",
            "-y",
        ).code
        == 0
    )
    told = {
        "Suggestions": "No suggestions",
        "Merges made": "Nothing has been merged",
        "History": "No corrections yet",
    }
    for tab, text in told.items():
        shown = panel("curate.curate_page")
        shown.session_state["curate_tab"] = tab
        assert text in shown.run().info[0].value


def test_a_suggestion_shows_its_evidence_and_is_merged_under_the_name_that_is_given(
    page: Page,
) -> None:
    shown = page()
    said = words(shown)
    assert "**Zanzibar Relay** · said 3 times" in said
    assert "the same words; near in meaning" in said
    assert "(source?workspace=default&document=" in said
    field(shown, "Name after merging (said 4 times)").set_value("The Relay")
    shown = click(shown, "Merge")
    assert "**Now:** The Relay, said 4 times (also Relay Zanzibar, Zanzibar Relay)" in words(
        shown, "success"
    )
    assert "The Relay" in names()
    assert "Zanzibar" not in words(shown, "markdown").replace("said by", "").split("The Relay")[0]
    shown = click(shown, "Undo this")
    assert {"Zanzibar Relay", "Relay Zanzibar"} <= names()


def test_a_dismissed_suggestion_is_gone_and_comes_back_when_that_is_undone(page: Page) -> None:
    shown = click(page(), "Not the same")
    assert "No suggestions" in words(shown, "info")
    shown = page("History")
    assert "Zanzibar Relay: not the same" in words(shown)
    click(shown, "Undo")
    assert "the same words" in words(page())


def test_a_merge_that_was_made_is_undone_and_a_second_tab_is_told(page: Page) -> None:
    one, other = page("Merges made"), page("Merges made")
    assert "From Red Battery (1), Red Batteries (1) · a rule: singular and plural" in words(
        one
    ) or "Red Batteries (1), Red Battery (1)" in words(one)
    click(one, "Undo")
    assert {"Red Battery", "Red Batteries"} <= names()
    assert "Nothing has been merged" in words(checked(other.run()))
    with open_workspace(create=False) as space:
        assert len(space.store.edits()) == 1


def test_an_entity_is_found_and_renamed(page: Page) -> None:
    shown = field(page("Find and edit"), "Find an entity").set_value("arthur").run()
    assert "**Port Arthur**" in words(shown)
    field(shown, "New name").set_value(EVIL)
    shown = click(shown, "Rename")
    assert EVIL in names()
    shown = field(shown, "Find an entity").set_value("bold").run()
    assert "Port Arthur" in words(checked(shown))
    checked(page("History"))


@pytest.mark.parametrize("name", ["", "  ", "...", "x" * 10_000, "a\x00b"])
def test_what_can_be_no_name_is_said_in_place_and_changes_nothing(page: Page, name: str) -> None:
    shown = field(page("Find and edit"), "Find an entity").set_value("arthur").run()
    field(shown, "New name").set_value(name)
    shown = click(shown, "Rename")
    assert "name" in words(shown, "error")
    assert "Port Arthur" in names()


def test_any_two_entities_are_merged_after_a_preview_but_not_one_with_itself(page: Page) -> None:
    shown = field(page("Find and edit"), "Find an entity").set_value("arthur").run()
    shown = field(shown, "What to change", "radio").set_value("Merge with another").run()
    shown = field(shown, "Merge it with").set_value("port arthur").run()
    assert "same entity" in words(shown, "info")
    shown = field(shown, "Merge it with").set_value("delft").run()
    assert "Makes one entity of Port Arthur, Old Delft, said 4 times" in words(shown)
    click(shown, "Merge")
    assert "Old Delft" not in names()


def test_names_are_split_out_of_an_entity(page: Page) -> None:
    correct(corrections.merge, ["port arthur", "old delft", "sun"])
    shown = field(page("Find and edit"), "Find an entity").set_value("arthur").run()
    shown = field(shown, "What to change", "radio").set_value("Split names out").run()
    field(shown, "Names that belong", "multiselect").set_value(["old delft"])
    click(shown, "Split")
    assert [set(e.keys) for e in graph() if "port arthur" in e.keys] == [{"port arthur", "sun"}]


def test_one_name_of_two_things_is_told_apart_by_document(page: Page) -> None:
    shown = field(page("Find and edit"), "Find an entity").set_value("mercury").run()
    shown = field(shown, "What to change", "radio").set_value("One name, two things").run()
    with open_workspace(create=False) as space:
        two = space.documents.find("two").id
    field(shown, "Documents", "multiselect").set_value([two])
    field(shown, "Name of the other").set_value("Planet Mercury")
    click(shown, "Tell apart")
    assert {"Mercury", "Planet Mercury"} <= names()
    assert "Mercury is Planet Mercury in two" in words(page("History"))


def test_history_tells_who_and_what_is_inactive_and_undoes_both_ways(
    page: Page, cli: Callable[..., Any], corpus: Any
) -> None:
    correct(corrections.rename, "old delft", "Delft")
    shown = page("History")
    assert "Old Delft is called Delft" in words(shown)
    assert "In force · somebody else," in words(shown)
    field(shown, "Your name").set_value("Grace")
    shown = click(shown, "Undo")
    assert "undone by Grace" in words(shown)
    assert "Old Delft" in names()
    shown = click(shown, "Bring back")
    assert "Delft" in names()
    assert cli("ingest", corpus.write("two.vtt", TURNS[:1]), "--extractor", "fast", "-y").code == 0
    assert "1 inactive: their names are not in the graph now" in words(page("History"))


def test_while_somebody_else_derives_the_graph_a_correction_says_so(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corrections, "MAX_WAIT_S", 0.2)
    shown = page()
    with open_workspace(create=False) as space, space.parts.writing():
        told = click(shown, "Merge")
    assert "another process has been changing" in words(told, "error")
    assert "Zanzibar Relay" in names()


def test_a_long_correction_is_followed_and_nothing_else_is_begun_meanwhile(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = page()
    monkeypatch.setattr(correction_work, "_WAIT_S", 0.0)
    with open_workspace(create=False) as space, space.parts.writing():
        told = click(shown, "Merge")
        assert "Updating the graph" in words(told, "info")
        assert not told.button
    assert all(work.wait(60) for work in background.found_under(()))
    assert "Relay Zanzibar" not in names()
    monkeypatch.setattr(correction_work, "_WAIT_S", 3.0)
    assert "Done:" in words(checked(told.run()), "success")


def test_long_lists_are_paged(page: Page, cli: Callable[..., Any], corpus: Any) -> None:
    letters = [
        "Kilo",
        "Lima",
        "Mike",
        "Oscar",
        "Papa",
        "Quebec",
        "Romeo",
        "Sierra",
        "Tango",
        "Uniform",
        "Victor",
        "Whiskey",
    ]
    turns = [("Ada", f"We saw Unit {word} Alpha. Then Alpha Unit {word} left.") for word in letters]
    assert cli("ingest", corpus.write("units.vtt", turns), "--extractor", "fast", "-y").code == 0
    shown = page()
    total = int(words(shown, "caption").split(" to look at")[0].rsplit("\n", 1)[-1])
    assert total > 10
    assert len([b for b in shown.button if b.label == "Merge"]) == 10
    shown = click(shown, "Next")
    assert f"11–{min(20, total)} of {total}" in words(shown)
    shown = click(shown, "Previous")
    assert f"1–10 of {total}" in words(shown)
    shown = field(shown, "Filter by name").set_value("zanzibar").run()
    assert len([b for b in shown.button if b.label == "Merge"]) == 1


def test_words_of_documents_are_no_markup(page: Page, cli: Callable[..., Any], corpus: Any) -> None:
    evil = [
        (
            "Ada",
            (
                "We met ![x](http://evil.example/x.png) Evil Image and Image Evil there. Here"
                " <b>Evil Image</b> came."
            ),
        )
    ]
    assert cli("ingest", corpus.write("evil.vtt", evil), "--extractor", "fast", "-y").code == 0
    shown = page()
    assert "Image Evil" in words(shown)
    for tab in ("Merges made", "History"):
        checked(page(tab))
    checked(field(page("Find and edit"), "Find an entity").set_value("image").run())


def test_a_link_from_another_page_opens_its_entity(page: Page, panel: Callable[[str], Any]) -> None:
    shown = panel("curate.curate_page")
    shown.query_params["entity"] = "Old Delft"
    assert "**Old Delft**" in words(checked(shown.run()))


def test_while_a_large_graph_is_read_the_page_says_so_and_then_shows_it_as_it_was(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_read = threading.Event()
    read = correction_work.read_seen

    def slowly(store: Any) -> Any:
        may_read.wait(60)
        return read(store)

    monkeypatch.setattr(correction_work, "read_seen", slowly)
    monkeypatch.setattr(correction_work, "_WAIT_S", 0.1)
    shown = page("History")
    assert "Reading the graph" in words(shown, "info")
    may_read.set()
    assert all(work.wait(60) for work in background.found_under(()))
    assert "No corrections yet" in words(checked(shown.run()), "info")
    may_read.clear()
    correct(corrections.rename, "old delft", "Delft")
    shown = checked(shown.run())
    assert "this is how it was before" in words(shown, "caption")
    assert "No corrections yet" in words(shown, "info")
    may_read.set()
    assert all(work.wait(60) for work in background.found_under(()))
    assert "Old Delft is called Delft" in words(checked(shown.run()))
