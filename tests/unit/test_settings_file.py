"""settings.toml written by the program: one line a setting, the rest as it was, never a secret."""

from pathlib import Path

import pytest

from dynagrag.config.settings import load_settings, where_set
from dynagrag.config.settings_file import save_settings, settings_file
from dynagrag.core.errors import SettingsError


def test_a_setting_is_saved_read_back_and_taken_out(home: Path) -> None:
    assert (
        save_settings(llm='openai:gpt-"5"', price_per_million_prompt_tokens=0.25)
        == home / "settings.toml"
    )
    assert (load_settings().llm, load_settings().price_per_million_prompt_tokens) == (
        'openai:gpt-"5"',
        0.25,
    )
    assert where_set("llm") == "settings.toml"
    save_settings(llm=None)
    assert (load_settings().llm, where_set("llm")) == (None, "default")
    assert load_settings().price_per_million_prompt_tokens == 0.25


def test_what_else_the_file_holds_stays(home: Path) -> None:
    home.mkdir()
    settings_file().write_text('# mine\nworkspace = "talks"\nllm = "old"  # for now\n')
    save_settings(llm="new")
    assert settings_file().read_text() == 'llm = "new"\n# mine\nworkspace = "talks"\n'


def test_the_environment_beats_the_file_and_says_so(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    save_settings(llm="saved")
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text("DYNAGRAG_LLM=dotenv\n")
    assert (load_settings().llm, where_set("llm")) == ("dotenv", "DYNAGRAG_LLM in .env")
    monkeypatch.setenv("DYNAGRAG_LLM", "environment")
    assert (load_settings().llm, where_set("llm")) == (
        "environment",
        "DYNAGRAG_LLM in the environment",
    )
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert where_set("openai_base_url") == "OPENAI_BASE_URL in the environment"


@pytest.mark.parametrize("name", ["openai_api_key", "neo4j_password", "nonsense"])
def test_a_secret_is_never_written(home: Path, name: str) -> None:
    with pytest.raises(SettingsError, match=r"not kept in settings\.toml"):
        save_settings(**{name: "sk-CANARY"})
    assert not settings_file().exists()


@pytest.mark.parametrize("text", ['llm = """\nold\n"""\n', "[broken\n"])
def test_a_file_that_it_cannot_change_is_left_as_it_is(home: Path, text: str) -> None:
    home.mkdir()
    settings_file().write_text(text)
    with pytest.raises(SettingsError, match=r"by hand|cannot be read"):
        save_settings(llm="new")
    assert settings_file().read_text() == text
