"""A `.env` of the current folder sends a key that is not its own to nobody without a yes."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from dynagrag.cli import terminal
from dynagrag.config.key_hosts import allow, check_model_host, check_store_host, key_hosts
from dynagrag.config.settings import load_settings
from dynagrag.config.settings_file import save_settings
from dynagrag.core.errors import SettingsError
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.embedders import open_embedder
from dynagrag.workspace.address import open_store

URL = "http://evil.example:8080/v1"
BOLT = "bolt://evil.example:7687"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def dotenv(*lines: str) -> None:
    Path(".env").write_text("".join(f"{line}\n" for line in lines))


@pytest.fixture
def has_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key and a password in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    monkeypatch.setenv("NEO4J_PASSWORD", "mine too")


@pytest.mark.usefixtures("has_key")
@pytest.mark.parametrize("name", ["openai_base_url", "DYNAGRAG_OPENAI_BASE_URL"])
def test_a_base_url_of_dotenv_gets_no_key_of_the_environment(name: str) -> None:
    dotenv(f"{name}={URL}")
    settings = load_settings(llm="openai:m", embedder="openai:e")
    for open_it in (
        lambda: open_chat_model("openai:m", settings),
        lambda: open_embedder("openai:e", settings),
    ):
        with pytest.raises(SettingsError) as refused:
            open_it()
        assert all(
            word in str(refused.value)
            for word in ("http://evil.example:8080", "OPENAI_BASE_URL", "OPENAI_API_KEY", "yes")
        )
        assert "sk-mine" not in str(refused.value)


@pytest.mark.usefixtures("has_key")
@pytest.mark.parametrize(
    "line",
    [
        f"NEO4J_URI={BOLT}",
        f"DYNAGRAG_NEO4J_URI={BOLT}",
        f"DYNAGRAG_STORE={BOLT}",
        "DYNAGRAG_HOME=./theirs/",
        "DYNAGRAG_HOME='theirs '",
    ],
)
def test_a_server_of_dotenv_gets_no_password_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, folder: Path, line: str
) -> None:
    dotenv(line)
    if line.startswith("DYNAGRAG_HOME"):
        monkeypatch.delenv("DYNAGRAG_HOME")
    theirs = folder / ("theirs " if "theirs '" in line else "theirs") / "workspaces" / "w"
    theirs.mkdir(parents=True)
    (theirs / "store").write_text(BOLT)
    settings = load_settings()
    for given in (
        settings,
        settings.model_copy(update={"store": BOLT}),
    ):  # the doctor opens a store by its address
        with pytest.raises(SettingsError, match=r"evil\.example:7687") as refused:
            open_store(settings.workspaces_dir / "w", "w", given)
        assert "NEO4J_PASSWORD" in str(refused.value)
        assert "mine too" not in str(refused.value)


@pytest.mark.usefixtures("has_key")
@pytest.mark.parametrize(
    "second", ["DYNAGRAG_OPENAI_BASE_URL", "openai_base_url", "OPENA\u0131_BASE_URL"]
)
def test_a_second_spelling_in_dotenv_hides_no_base_url(second: str) -> None:
    for lines in (("OPENAI_BASE_URL", second), (second, "OPENAI_BASE_URL")):
        Path(".env").write_text(
            "".join(f"{name}=http://{i}.example/v1\n" for i, name in enumerate(lines)),
            encoding="utf-8",
        )
        with pytest.raises(SettingsError, match=r"http://[01]\.example"):
            check_model_host(load_settings(llm="openai:m"))


@pytest.mark.usefixtures("has_key")
@pytest.mark.parametrize(
    "lines", [("NEO4J_URI", "DYNAGRAG_NEO4J_URI"), ("DYNAGRAG_NEO4J_URI", "NEO4J_URI")]
)
def test_a_second_spelling_in_dotenv_hides_no_server(lines: tuple[str, str]) -> None:
    dotenv(*(f"{name}=bolt://{i}.example" for i, name in enumerate(lines)))
    settings = load_settings()
    assert settings.neo4j_uri is not None
    with pytest.raises(SettingsError, match="NEO4J_URI"):
        check_store_host(settings, settings.neo4j_uri)


@pytest.mark.parametrize(
    "case",
    ["its own key", "no key", "the environment", "settings.toml", "an argument", "no base URL"],
)
def test_what_the_user_says_needs_no_question(monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    key, url, given = "OPENAI_API_KEY=sk-mine", f"OPENAI_BASE_URL={URL}", {"llm": "openai:m"}
    dotenv(
        *{
            "its own key": (key, url),
            "no base URL": (),
            "an argument": ("OPENAI_BASE_URL=http://other/v1",),
        }.get(case, (url,))
    )
    if case not in ("its own key", "no key"):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    if case == "the environment":
        monkeypatch.setenv("OPENAI_BASE_URL", URL)
    if case == "settings.toml":
        save_settings(openai_base_url=URL)
    if case == "an argument":
        given["openai_base_url"] = URL
    settings = load_settings(**given)
    assert key_hosts(settings) == []
    check_model_host(settings)
    check_store_host(settings, BOLT)


@pytest.mark.usefixtures("has_key")
@pytest.mark.parametrize(
    "own", ["http://mine.example/v1", "http://evil.example/v1", "https://evil.example:8080/v1"]
)
def test_a_base_url_of_settings_toml_says_yes_to_its_own_host_alone(own: str) -> None:
    save_settings(openai_base_url=own)
    dotenv(f"OPENAI_BASE_URL={URL}")
    with pytest.raises(SettingsError, match=r"http://evil\.example:8080"):
        check_model_host(load_settings(llm="openai:m"))
    save_settings(openai_base_url=f"{URL}/other/path")
    check_model_host(load_settings(llm="openai:m"))


@pytest.mark.usefixtures("has_key")
def test_a_yes_holds_for_this_host_and_folder(
    monkeypatch: pytest.MonkeyPatch, folder: Path, home: Path
) -> None:
    dotenv(f"OPENAI_BASE_URL={URL}", f"NEO4J_URI={BOLT}", "DYNAGRAG_HOME=theirs")
    (folder / "theirs").mkdir()
    settings = load_settings(llm="openai:m")
    model_host, store_host = key_hosts(settings)
    (folder / "theirs" / "allowed_hosts.json").write_text(
        json.dumps([[str(folder), "OPENAI_API_KEY", model_host.origin]])
    )
    assert len(key_hosts(settings)) == 2, "a file of theirs counts for nothing"
    allow(model_host)
    assert key_hosts(settings) == [store_host]
    check_model_host(settings)
    assert (home / "allowed_hosts.json").stat().st_mode & 0o077 == 0
    allow(store_host)
    assert key_hosts(settings) == []
    dotenv("OPENAI_BASE_URL=http://evil.example:8081/v1")
    assert len(key_hosts(load_settings(llm="openai:m"))) == 1
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    dotenv(f"OPENAI_BASE_URL={URL}")
    assert len(key_hosts(load_settings(llm="openai:m"))) == 1


@pytest.mark.usefixtures("has_key")
def test_a_spoilt_file_of_allowed_hosts_allows_none(home: Path) -> None:
    dotenv(f"OPENAI_BASE_URL={URL}")
    home.mkdir()
    for text in ("[1]", "{", '"x"', "[[1, 2]]"):
        (home / "allowed_hosts.json").write_text(text)
        assert len(key_hosts(load_settings(llm="openai:m"))) == 1


@pytest.mark.usefixtures("has_key")
def test_a_terminal_is_asked_once_after_a_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answers = iter([False, True])

    def confirm(question: str, **_: Any) -> bool:
        asked.append(question)
        return next(answers)

    monkeypatch.setattr(typer, "confirm", confirm)
    dotenv(f"OPENAI_BASE_URL={URL}")
    terminal.read_settings("openai:m")
    assert asked == [], "there is no terminal"
    monkeypatch.setattr(terminal, "is_terminal", lambda: True)
    with pytest.raises(SettingsError):
        check_model_host(terminal.read_settings("openai:m"))
    for _ in range(2):
        check_model_host(terminal.read_settings("openai:m"))
    assert (
        asked
        == [
            "The .env of this folder sets OPENAI_BASE_URL. Send your OPENAI_API_KEY to http://evil.example:8080?"
        ]
        * 2
    )


@pytest.mark.parametrize(
    "lines",
    [
        (f"OPENAI_BASE_URL={URL}/${{THEIR_SECRET}}", "OPENAI_API_KEY=x"),
        (f"OPENAI_BASE_URL={URL}", "openai_api_key='${THEIR_SECRET}'"),
        ("X=${THEIR_SECRET}", "Y=a${X}", f"export DYNAGRAG_STORE={BOLT}/${{Y}}", "X=harmless"),
        ("\ufeffDYNAGRAG_QUERY_PREFIX=${THEIR_SECRET:-x}",),
        ("DYNAGRAG_LLM=openai:${THEIR_SECRET:-m}", "THEIR_SECRET=mine"),
    ],
)
def test_a_line_of_dotenv_takes_nothing_out_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, lines: tuple[str, ...]
) -> None:
    monkeypatch.setenv("THEIR_SECRET", "another program's key")
    dotenv(*lines)
    with pytest.raises(
        SettingsError,
        match=r"in \.env takes THEIR_SECRET from the environment; write its value there",
    ):
        load_settings()


def test_a_line_of_dotenv_may_refer_to_other_lines_and_to_the_home_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("THEIR_SECRET", "another program's key")
    monkeypatch.setenv("HOME", "/opt/ada")
    dotenv(
        "HOST=h",
        "DYNAGRAG_WORKSPACE=w-${HOST}",
        "DYNAGRAG_LLM=gguf:${HOME}/m",
        "DATABASE=${THEIR_SECRET}",
    )
    settings = load_settings()
    assert (settings.workspace, settings.llm) == ("w-h", "gguf:/opt/ada/m")
