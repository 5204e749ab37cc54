"""The page Settings, without a browser."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import has, press, until, words

from dynagrag.config import system_keyring
from dynagrag.config.settings import load_settings
from dynagrag.core.errors import ModelUnavailableError
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.ui import background
from dynagrag.ui.settings import models_view

Pages = Callable[[], Any]
TYPED = "sk-typed-by-hand-CANARY"


@pytest.fixture
def open_page(panel: Callable[[str], Any], server: OpenAIStubServer) -> Iterator[Pages]:
    """The page, each time as another visitor's."""
    yield lambda: panel("settings.settings_page").run()
    background.wait_for_all()


def _words(page: Any) -> str:
    """As they are read: without the escapes of Markdown."""
    return words(page).replace("\\", "")


def _field(page: Any, label: str) -> Any:
    return next(field for field in (*page.text_input, *page.selectbox) if field.label == label)


def _offering(page: Any, name: str) -> Any:
    """The page with another language model to choose: a test can't type a new one as a visitor
    can.
    """
    page.session_state["choices"] = {"llm": {name: None}}
    return page.run()


# --------------------------------------------------------------------------------------------- keys


def _nowhere(folder: Path) -> bool:
    return all(
        TYPED.encode() not in file.read_bytes() for file in folder.rglob("*") if file.is_file()
    )


def test_a_key_is_kept_in_the_keyring_alone_and_removed_again(
    open_page: Pages, keyring: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    page = open_page()
    assert "Key for openai: models** · not set" in _words(page)
    _field(page, "Key for openai: models").set_value(f" {TYPED}\n")
    press(page, "Save in the keyring")
    assert keyring.entries == {("dynagrag", "OPENAI_API_KEY"): TYPED}
    assert "set, from the system's keyring" in _words(page)
    assert TYPED not in words(page)
    assert _field(page, "Key for openai: models").value == ""
    assert _nowhere(home)
    found = load_settings().openai_api_key
    assert found is not None
    assert found.get_secret_value() == TYPED
    page = open_page()
    press(page, "Remove")
    assert keyring.entries == {}
    assert load_settings().openai_api_key is None
    assert "not set" in _words(page)


def test_without_a_keyring_a_key_holds_for_this_visit(
    open_page: Pages, no_keyring: None, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    page = open_page()
    assert "Keys can't be saved here" in page.info[0].value
    assert not has(page, "Save in the keyring")
    _field(page, "Key for openai: models").set_value(TYPED)
    page.button(key="FormSubmitter:key_form_openai_api_key-Use for this visit").click().run()
    assert "set for this visit" in _words(page)
    assert TYPED not in words(page)
    assert _nowhere(home)
    assert load_settings().openai_api_key is None
    assert "not set" in _words(open_page())


def test_a_locked_keyring_is_said_and_stops_no_page(
    open_page: Pages, keyring: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    page = open_page()
    _field(page, "Key for openai: models").set_value(TYPED)
    press(page, "Save in the keyring")
    system_keyring.look_again()
    keyring.is_locked = True
    page = open_page()
    assert "is locked" in page.info[0].value
    assert "in the keyring, which can't be read" in _words(page)
    keyring.is_locked = False
    press(page, "Try the keyring again")
    assert "set, from the system's keyring" in _words(page)


def test_a_key_that_can_be_none_is_refused_without_being_shown(
    open_page: Pages, keyring: Any
) -> None:
    page = open_page()
    _field(page, "Key for openai: models").set_value(f"{TYPED}\u201d")
    press(page, "Save in the keyring")
    assert "can be in no key" in page.error[0].value
    assert TYPED not in page.error[0].value
    assert keyring.entries == {}


# ------------------------------------------------------------------------------- store and password


def test_the_store_of_new_workspaces_is_saved_without_user_and_password(
    open_page: Pages, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEO4J_URI", raising=False)
    page = open_page()
    next(radio for radio in page.radio if radio.label == "Store").set_value("A Neo4j server")
    _field(page, "Address of the Neo4j server").set_value("bolt://me:CANARY@localhost:7687")
    page.button(key="FormSubmitter:store-Save").click().run()
    assert "without user and password" in page.error[0].value
    assert not (home / "settings.toml").exists()
    _field(page, "Address of the Neo4j server").set_value("bolt://localhost:7687")
    page.button(key="FormSubmitter:store-Save").click().run()
    assert load_settings().neo4j_uri == "bolt://localhost:7687"


def test_a_new_password_is_kept_as_a_hash(open_page: Pages, home: Path) -> None:
    page = open_page()
    _field(page, "New password").set_value("correct horse")
    _field(page, "Repeat it").set_value("battery staple")
    page.button(key="FormSubmitter:password-Save").click().run()
    assert "differ" in page.error[0].value
    _field(page, "New password").set_value("correct horse")
    _field(page, "Repeat it").set_value("correct horse")
    page.button(key="FormSubmitter:password-Save").click().run()
    assert page.success
    assert load_settings().password_hash is not None
    assert "correct horse" not in (home / "settings.toml").read_text()


# ------------------------------------------------------------------------------------------- models


def test_what_is_set_is_shown_with_where_it_comes_from_and_never_a_key(
    open_page: Pages, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:pa55word@127.0.0.1:9/v1")
    page = open_page()
    shown = _words(page)
    assert _field(page, "Language model").value == "openai:fake"
    assert "from DYNAGRAG_LLM in the environment" in shown
    assert "set, from OPENAI_API_KEY in the environment" in shown
    assert key not in shown
    assert (
        _field(page, "Address of an OpenAI-compatible server").value
        == "http://me:(key)@127.0.0.1:9/v1"
    )
    assert "pa55word" not in shown


def test_a_model_is_chosen_for_this_visit_and_tried(
    open_page: Pages, server: OpenAIStubServer
) -> None:
    page = _offering(open_page(), "openai:other")
    _field(page, "Language model").set_value("openai:other")
    press(page, "Use for this visit")
    until(page, lambda: len(page.success) == 2)
    assert "chosen for this visit" in _words(page)
    assert "openai:other answered in" in page.success[0].value.replace("\\", "")
    assert "dimensions" in page.success[1].value
    assert server.requests
    assert "openai:other" not in _words(open_page())


def test_a_model_that_is_saved_holds_for_later_visits_unless_the_environment_beats_it(
    open_page: Pages, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    page = _offering(open_page(), "openai:saved")
    _field(page, "Language model").set_value("openai:saved")
    press(page, "Save")
    assert (home / "settings.toml").read_text() == 'llm = "openai:saved"\n'
    assert "beats the file" in page.warning[0].value
    monkeypatch.delenv("DYNAGRAG_LLM")
    page = open_page()
    assert _field(page, "Language model").value == "openai:saved"
    _field(page, "Language model").set_value("")
    press(page, "Save")
    assert (home / "settings.toml").read_text().strip() == ""


def test_a_setting_that_cannot_be_one_is_refused(open_page: Pages, home: Path) -> None:
    page = open_page()
    _field(page, "Price of a million prompt tokens").set_value("much")
    press(page, "Save")
    assert "price_per_million_prompt_tokens" in page.error[0].value.replace("\\", "")
    _field(page, "Price of a million prompt tokens").set_value("")
    _field(page, "Address of an OpenAI-compatible server").set_value("http://me:sk-CANARY@host/v1")
    press(page, "Save")
    assert "not kept here" in page.error[0].value
    assert "CANARY" not in page.error[0].value
    assert not (home / "settings.toml").exists()


@pytest.mark.parametrize(
    "fault", [Fault.UNAUTHORIZED, Fault.SERVER_ERROR, Fault.TOO_MANY, Fault.GARBAGE]
)
def test_a_model_that_does_not_answer_is_said_without_the_key(
    open_page: Pages, server: OpenAIStubServer, key: str, fault: Fault
) -> None:
    page = open_page()
    server.fail_next(fault, 2)
    press(page, "Test the connection")
    until(page, lambda: len(page.error) == 2)
    assert "Language model: " in page.error[0].value
    assert key not in _words(page)
    assert "Traceback" not in _words(page)
    server.reset()
    press(page, "Test the connection")
    until(page, lambda: len(page.success) == 2)


def test_models_are_listed_and_fetched_in_the_background(
    open_page: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulled: list[str] = []

    def pull(name: str, settings: Any, on_progress: Callable[[int, int, str], None]) -> Path:
        on_progress(1, 2, f"fetching {name}")
        pulled.append(name)
        if len(pulled) == 1:
            raise ModelUnavailableError("neither the hub nor the index answered")
        return settings.models_dir

    monkeypatch.setattr(models_view, "pull", pull)
    page = open_page()
    assert "1,117 MB" in _words(page)
    page.button(key="pull_qwen").click().run()
    until(page, lambda: bool(page.error))
    assert "neither the hub nor the index answered" in page.error[0].value
    page.run()
    page.button(key="pull_qwen").click().run()
    until(page, lambda: len(pulled) == 2)
    assert pulled == ["qwen", "qwen"]
