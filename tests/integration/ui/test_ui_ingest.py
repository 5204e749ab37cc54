"""The page Ingest, without a browser."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ingests import Gate, digest
from pages import has, press, until, words

from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.ui import background
from dynagrag.ui.ingest import job_runner
from dynagrag.workspace.facade import open_workspace

TALK = (
    b"WEBVTT\n\n00:00:00.000 --> 00:00:09.000\n<v Leo>Ada Byron founded Acme Works.\n\n"
    b"00:00:10.000 --> 00:00:19.000\n<v Maria>Acme Works is located in Delft.\n"
)
Pages = Callable[[], Any]


@pytest.fixture
def gate(point_at_models: Callable[..., None]) -> Iterator[Gate]:
    gate = Gate()
    with gate.server() as server:
        point_at_models(server, max_concurrency=2)
        yield gate
        gate.is_open.set()
        background.wait_for_all()


@pytest.fixture
def open_page(panel: Callable[[str], Any]) -> Iterator[Pages]:
    """The page, each time as another visitor's."""
    yield lambda: panel("ingest.ingest_page").run()
    background.wait_for_all()


def _upload(page: Any, *files: tuple[str, bytes]) -> None:
    page.file_uploader[0].set_value([(name, content, "") for name, content in files]).run()
    until(page, lambda: has(page, "Start") or bool(page.error))


def _ingest(page: Any, *files: tuple[str, bytes]) -> None:
    _upload(page, *files)
    press(page, "Start")
    until(page, lambda: bool(page.success))


# -------------------------------------------------------------------------------------------- bring


def test_an_uploaded_file_is_previewed_estimated_and_ingested(
    server: OpenAIStubServer, open_page: Pages, home: Path, key: str
) -> None:
    page = open_page()
    assert "is created with your first files" in page.caption[0].value
    _upload(page, ("talk.vtt", TALK))
    row = page.dataframe[0].value.iloc[0]
    assert (row["File"], row["Format"], row["Turns"], row["Words"], row["Speakers"]) == (
        "talk.vtt",
        "vtt",
        2,
        11,
        "Leo, Maria",
    )
    assert row["Times"] == "0:00 to 0:19"
    shown = words(page)
    assert "**Leo 0\\:00** Ada Byron founded Acme Works" in shown
    assert "**1 new** · 1 chunk to extract" in shown
    assert "At most about **2 calls**" in shown
    assert "no prices are set" in shown
    assert server.counts.chat_calls == 0
    press(page, "Start")
    until(page, lambda: bool(page.success))
    assert "The graph has 5 entities and 2 relations" in page.success[0].value
    assert not has(page, "Start")
    assert "2 turns · Leo, Maria" in words(page)
    assert page.dataframe[0].value.iloc[0]["Status"] == "done"
    assert (home / "workspaces" / "default" / "uploads" / "talk.vtt").read_bytes() == TALK
    assert key not in words(page)


def test_prices_of_the_settings_are_in_the_estimate(
    server: OpenAIStubServer, open_page: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNAGRAG_PRICE_PER_MILLION_PROMPT_TOKENS", "1000")
    page = open_page()
    _upload(page, ("talk.vtt", TALK))
    assert "price about 1.23" in words(page)


def test_the_language_of_a_file_is_shown_and_can_be_changed_before_the_ingest(
    server: OpenAIStubServer, open_page: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DYNAGRAG_LLM")
    page = open_page()
    rat = (
        "Anna: Der Rat hat gestern den Haushalt der Stadt beschlossen, und die Mühle bleibt.\n"
        "Bernd: Die Kosten für das neue Dach der Mühle sind noch nicht bekannt.\n"
    )
    _upload(page, ("rat.txt", rat.encode()), ("talk.vtt", TALK))
    assert list(page.dataframe[0].value["Language"]) == ["German", "English"]
    page.selectbox(key="language_of").set_value("rat.txt (1)").run()
    [box] = [box for box in page.selectbox if box.label == "Language"]
    assert box.value == "de"
    box.set_value("nl").run()
    assert list(page.dataframe[0].value["Language"]) == ["Dutch", "English"]
    until(page, lambda: has(page, "Start"))
    press(page, "Start")
    until(page, lambda: bool(page.success))
    with open_workspace("default") as space:
        found = {document.title: document.language for document in space.store.documents()}
    assert found == {"rat": "nl", "talk": "en"}
    labels = [box.proto.popover.label for box in page.get("popover")]
    shown = [label for label in labels if label in ("Dutch", "English")]
    assert sorted(shown) == ["Dutch", "English"], "and of documents that are in, with its box"
    _upload(page, ("rat.txt", rat.encode()))
    assert list(page.dataframe[0].value["Language"]) == ["Dutch"]


def test_without_a_language_model_the_quick_way_is_offered(
    server: OpenAIStubServer, open_page: Pages, monkeypatch: Any
) -> None:
    monkeypatch.delenv("DYNAGRAG_LLM")
    page = open_page()
    _upload(page, ("talk.vtt", TALK))
    assert page.radio(key="ingest_extractor").value == "fast"
    assert "no calls, no cost" in words(page)
    page.radio(key="ingest_extractor").set_value("llm").run()
    assert "No language model is set" in page.info[0].value
    page.radio(key="ingest_extractor").set_value("fast").run()
    press(page, "Start")
    until(page, lambda: bool(page.success))
    assert server.counts.chat_calls == 0


def test_what_is_refused_is_said_and_the_rest_goes_on(
    server: OpenAIStubServer, open_page: Pages, home: Path, tmp_path: Path
) -> None:
    before = set(tmp_path.rglob("*"))
    page = open_page()
    _upload(
        page,
        ("empty.vtt", b""),
        ("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(99)),
        ("../../x.vtt", TALK),
    )
    until(page, lambda: has(page, "Start"))
    assert [e.value.partition("**: ")[0].split(" was")[0] for e in page.error] == [
        "**empty\\.vtt**",
        "**photo\\.png**",
    ]
    assert "is empty" in page.error[0].value
    assert "PNG image" in page.error[1].value
    uploads = home / "workspaces" / "default" / "uploads"
    assert [p.name for p in uploads.iterdir()] == ["x.vtt"]
    assert not list(home.glob("*.vtt"))
    assert set(tmp_path.rglob("*")) == before


def test_pasted_text_with_a_title_is_a_document_and_without_one_it_stays(
    server: OpenAIStubServer, open_page: Pages
) -> None:
    page = open_page()
    page.radio(key="way").set_value("Paste text").run()
    page.text_area[0].set_value("Leo: Ada Byron founded Acme Works.")
    press(page, "Preview")
    assert "title" in page.warning[0].value
    assert page.text_area[0].value == "Leo: Ada Byron founded Acme Works."
    page.text_input[0].set_value("Board 3/5: the [big] one")
    press(page, "Preview")
    until(page, lambda: has(page, "Start"))
    assert page.dataframe[0].value.iloc[0]["Format"] == "text"
    press(page, "Start")
    until(page, lambda: bool(page.success))
    assert "Board 3\\-5" in words(page)


def test_a_folder_of_this_machine_is_read_where_it_is(
    server: OpenAIStubServer, open_page: Pages, corpus: Any, home: Path
) -> None:
    corpus.many(2, num_turns=6)
    page = open_page()
    page.radio(key="way").set_value("Files on this machine").run()
    page.text_input[0].set_value(str(corpus.folder / "no such"))
    press(page, "Preview")
    assert "no such file or folder" in page.error[0].value
    page.text_input[0].set_value(str(corpus.folder))
    press(page, "Preview")
    until(page, lambda: has(page, "Start"))
    assert list(page.dataframe[0].value["File"]) == ["meeting-0.vtt", "meeting-1.vtt"]
    assert any("no longer in the folder" in box.label for box in page.checkbox)
    press(page, "Start")
    until(page, lambda: bool(page.success))
    assert not (home / "workspaces" / "default" / "uploads").exists()
    assert "2 documents" in [caption.value for caption in page.caption]


def test_a_changed_file_takes_the_place_of_its_document_and_the_same_content_is_no_new_one(
    server: OpenAIStubServer, open_page: Pages, cli: Any
) -> None:
    page = open_page()
    _ingest(page, ("talk.vtt", TALK))
    _upload(page, ("copy.vtt", TALK))
    assert "in the workspace already" in words(page)
    assert next(b for b in page.button if b.label == "Start").disabled
    press(page, "Clear")
    _upload(page, ("talk.vtt", TALK.replace(b"Delft", b"Leiden")))
    assert "**1 changed**" in words(page)
    press(page, "Start")
    until(page, lambda: bool(page.success) and not has(page, "Start"))
    stats = cli("graph", "stats", "--json").json
    assert (stats["documents"], stats["turns"]) == (1, 2)
    assert "Leiden" in cli("graph", "show").out
    assert "Delft" not in cli("graph", "show").out


def test_a_file_that_is_taken_out_of_the_box_is_left_out(
    server: OpenAIStubServer, open_page: Pages, home: Path
) -> None:
    page = open_page()
    _upload(page, ("talk.vtt", TALK))
    page.file_uploader[0].set_value(None).run()
    assert not has(page, "Start")
    assert list((home / "workspaces" / "default" / "uploads").iterdir()) == []


def test_what_was_uploaded_and_not_ingested_is_offered_to_others_and_previewed_when_wanted(
    server: OpenAIStubServer, open_page: Pages
) -> None:
    first = open_page()
    _upload(first, ("talk.vtt", TALK))
    assert not has(first, "Preview them")
    again = open_page()
    assert not has(again, "Start")
    assert not again.dataframe
    assert "and not ingested: talk\\.vtt" in words(again)
    press(again, "Preview them")
    until(again, lambda: has(again, "Start"))
    assert list(again.dataframe[0].value["File"]) == ["talk.vtt"]
    assert not has(again, "Preview them")
    press(again, "Remove")
    assert not has(again, "Start")
    assert not has(open_page(), "Preview them")


def test_what_others_uploaded_and_left_is_removed_when_wanted(
    server: OpenAIStubServer, open_page: Pages, home: Path
) -> None:
    _upload(open_page(), ("talk.vtt", TALK))
    again = open_page()
    press(again, "Remove them")
    assert not has(again, "Remove them")
    assert list((home / "workspaces" / "default" / "uploads").iterdir()) == []


@pytest.mark.parametrize("name", ["../../elsewhere", "a b", "x" * 70])
def test_a_workspace_that_cannot_be_called_so_is_refused(
    server: OpenAIStubServer, panel: Any, home: Path, name: str
) -> None:
    page = panel("ingest.ingest_page")
    page.query_params["workspace"] = name
    page.run()
    assert "cannot be a workspace's name" in page.error[0].value.replace("\\", "")
    assert not page.file_uploader
    assert not home.exists() or not list(home.rglob("uploads"))


def test_words_of_a_file_are_never_markup(server: OpenAIStubServer, open_page: Pages) -> None:
    evil = (
        b"WEBVTT\n\n00:00:00.000 --> 00:00:09.000\n<v ![s](http://evil.example/s)>See"
        b" ![x](http://evil.example/x) <script>a()</script>\n"
    )
    page = open_page()
    _ingest(page, ("![f](http-evil).vtt", evil))
    for element in [*page.markdown, *page.caption, *page.success, *page.error]:
        assert "![" not in element.value
        assert "<script" not in element.value.replace("\\<script", "")


# --------------------------------------------------------------------------------------------- jobs


def test_an_ingest_is_paused_seen_after_a_reload_and_resumed_without_a_repeated_call(
    gate: Gate, open_page: Pages, corpus: Any
) -> None:
    paths = corpus.many(3, num_turns=40)
    gate.num_free = 3
    page = open_page()
    _upload(page, *((path.name, path.read_bytes()) for path in paths))
    press(page, "Start")
    gate.wait_for(5)
    page = open_page()
    until(page, lambda: has(page, "Pause"))
    assert "meeting\\-0\\.vtt and 2 more" in words(page)
    until(page, lambda: "Extracting: 3 of" in words(page).replace("\\", ""))
    press(page, "Pause")
    assert "Pausing" in words(page) or "is paused" in words(page)  # whichever is first
    assert not has(page, "Stop")
    until(page, lambda: "is paused" in words(page))  # else the calls to come would be made
    gate.is_open.set()
    until(page, lambda: has(page, "Resume"))
    assert "is paused" in words(page)
    page = open_page()
    first = dict(gate.prompts)
    gate.prompts.clear()
    press(page, "Resume")
    until(page, lambda: bool(page.success))
    assert not set(first) & set(gate.prompts)
    assert not has(page, "Resume")


def test_a_stopped_ingest_is_offered_no_more_but_can_be_resumed_from_the_table(
    gate: Gate, open_page: Pages, corpus: Any, cli: Any
) -> None:
    page = open_page()
    gate.num_free = 1  # a model's first call is made alone
    _upload(page, *((path.name, path.read_bytes()) for path in corpus.many(2, num_turns=40)))
    press(page, "Start")
    gate.wait_for(2)
    until(page, lambda: has(page, "Stop"))
    press(page, "Stop")
    until(page, lambda: cli("jobs", "--json").json[0]["status"] == "cancelled")
    gate.is_open.set()
    until(page, lambda: bool(page.info))
    assert "was stopped; what was done is kept" in page.info[0].value
    assert [s.label for s in page.selectbox if "earlier" in s.label] == ["Resume an earlier job"]
    press(page, "Resume")
    until(page, lambda: bool(page.success))


def test_a_job_whose_process_died_is_offered_when_the_page_opens(
    gate: Gate, open_page: Pages, start: Any, corpus: Any, cli: Any
) -> None:
    paths = corpus.many(2, num_turns=40)
    gate.num_free = 2
    process = start("ingest", *paths)
    gate.wait_for(4)
    page = open_page()
    assert "by another process" in words(page)
    process.send_signal(signal.SIGKILL)
    process.wait(20)
    page = open_page()
    assert "was interrupted" in words(page)
    gate.is_open.set()
    press(page, "Resume")
    until(page, lambda: bool(page.success))
    assert cli("ingest", *paths, "-w", "whole").code == 0
    assert digest(cli, "default") == digest(cli, "whole")


def test_an_offer_that_is_left_does_not_come_back(
    gate: Gate, open_page: Pages, start: Any, corpus: Any
) -> None:
    process = start("ingest", *corpus.many(1, num_turns=40))
    gate.wait_for(1)
    process.send_signal(signal.SIGKILL)
    process.wait(20)
    page = open_page()
    assert "was interrupted" in words(page)
    press(page, "Dismiss")
    assert not has(page, "Dismiss")
    assert not has(open_page(), "Dismiss")


def test_a_second_click_on_start_begins_nothing(
    gate: Gate, open_page: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page()
    _upload(page, ("talk.vtt", TALK))
    begin = job_runner.start_ingest
    monkeypatch.setattr(
        job_runner, "start_ingest", lambda *args: [begin(*args), begin(*args)][1]
    )  # both clicks hold the same ticket
    press(page, "Start")
    gate.is_open.set()
    until(page, lambda: bool(page.success))
    assert len(page.success) == 1
    assert list(page.dataframe[0].value["Job"]) == [1]


def test_two_tabs_that_ingest_into_one_workspace_both_end_and_nothing_is_doubled(
    gate: Gate, open_page: Pages, corpus: Any, cli: Any
) -> None:
    paths = corpus.many(3, num_turns=30)
    files = [(path.name, path.read_bytes()) for path in paths]
    one, two = open_page(), open_page()
    gate.num_free = 2  # each tab's first call is made alone
    _upload(one, *files[:2])
    _upload(two, *files[1:])
    press(one, "Start")
    press(two, "Start")
    gate.wait_for(4)
    gate.is_open.set()
    until(one, lambda: len(one.success) == 2)
    assert cli("ingest", *(Path(p) for p in paths), "-w", "whole").code == 0
    assert digest(cli, "default") == digest(cli, "whole")


def test_a_spent_budget_is_said_and_a_larger_one_goes_on(
    server: OpenAIStubServer, open_page: Pages, corpus: Any
) -> None:
    page = open_page()
    _upload(page, *((path.name, path.read_bytes()) for path in corpus.many(2, num_turns=40)))
    next(n for n in page.number_input if n.label == "Calls at most").set_value(1).run()
    until(page, lambda: has(page, "Start"))
    press(page, "Start")
    until(page, lambda: has(page, "Resume"))
    assert "has spent its budget" in words(page)
    assert "budget of 1 model calls" in words(page).replace("\\", "")
    assert server.counts.chat_calls == 1
    next(n for n in page.number_input if "for the rest" in n.label).set_value(500).run()
    press(page, "Resume")
    until(page, lambda: bool(page.success))


def test_a_model_that_refuses_is_said_and_the_job_can_go_on(
    server: OpenAIStubServer, open_page: Pages, key: str
) -> None:
    page = open_page()
    _upload(page, ("talk.vtt", TALK))
    until(page, lambda: has(page, "Start"))
    server.fail_next(Fault.UNAUTHORIZED, 50)
    press(page, "Start")
    until(page, lambda: bool(page.error) or has(page, "Resume"))
    assert "401" in words(page) or "key" in words(page)
    assert key not in words(page)
    server.reset()
    if not has(page, "Resume"):
        until(page, lambda: has(page, "Start"))
        press(page, "Start")
    else:
        press(page, "Resume")
    until(page, lambda: bool(page.success))


def test_what_was_set_aside_is_listed_with_its_reason_and_tried_again(
    steered: Any, open_page: Pages, corpus: Any
) -> None:
    steered.faults_by_marker["Delft"] = Fault.INVALID
    page = open_page()
    _ingest(page, ("talk.vtt", TALK), ("other.vtt", TALK.replace(b"Delft", b"Leiden")))
    assert "1 chunk set aside" in page.success[0].value
    assert "Set aside (1)" in [tab.label for tab in page.tabs]
    shown = words(page).replace("\\", "")
    assert "1 chunk could not be extracted" in shown
    assert "document=" in shown
    assert "“Ada Byron founded Acme Works. Acme Works is located in Delft. …”" in shown
    steered.faults_by_marker.clear()
    press(page, "Retry")
    until(page, lambda: bool(page.success) and "Nothing is set aside" in words(page))


# ---------------------------------------------------------------------------------------- documents


def test_a_document_is_deleted_with_its_uploaded_file(
    server: OpenAIStubServer, open_page: Pages, home: Path
) -> None:
    page = open_page()
    _ingest(page, ("talk.vtt", TALK), ("other.txt", b"Ines: Grace Hopper founded Fathom Labs.\n"))
    next(b for b in page.button if b.label == "Delete document").click().run()
    until(page, lambda: any("Deleted" in s.value for s in page.success))
    assert "1 document" in [caption.value for caption in page.caption]
    assert [p.name for p in (home / "workspaces" / "default" / "uploads").iterdir()] == ["talk.vtt"]


def test_a_document_gets_another_title_where_it_is_listed(
    server: OpenAIStubServer, open_page: Pages
) -> None:
    page = open_page()
    _ingest(page, ("talk.vtt", TALK))
    next(t for t in page.text_input if t.label == "Title").set_value("What *Leo* said")
    press(page, "Save")
    assert not page.exception
    assert r"What \*Leo\* said" in words(page)


def test_other_pages_see_the_new_graph_at_once(server: OpenAIStubServer, open_page: Pages) -> None:
    from streamlit.testing.v1 import AppTest

    look = AppTest.from_string(
        "import streamlit as st\n"
        "from dynagrag.ui import state\n"
        "session = state.session()\n"
        "st.text(len(session.space.current_graph.snapshot().graph.entities) if session else None)\n"
    )
    page = open_page()
    assert look.run().text[0].value == "None"
    _ingest(page, ("talk.vtt", TALK))
    assert look.run().text[0].value == "5"
    press(page, "Delete document")
    until(page, lambda: any("Deleted" in s.value for s in page.success))
    assert look.run().text[0].value == "0"
