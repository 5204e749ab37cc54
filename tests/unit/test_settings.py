"""Where settings come from, in which order, and what is said of a wrong one."""

from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import CHUNK_PROFILES, PROFILES, Settings, load_settings
from dynagrag.core.errors import SettingsError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> Path:
    home.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_argument_beats_the_environment_beats_dotenv_beats_the_file(
    folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings().workspace == "default"
    (home / "settings.toml").write_text(
        'workspace = "file"\nllm = "openai:file"\n', encoding="utf-8"
    )
    assert load_settings().workspace == "file"
    (folder / ".env").write_text(
        "DYNAGRAG_WORKSPACE=dotenv\nDJANGO_SECRET=x\nOPENAI_API_KEY=sk-env\n", encoding="utf-8"
    )
    assert load_settings().workspace == "dotenv"
    monkeypatch.setenv("DYNAGRAG_WORKSPACE", "environment")
    assert load_settings().workspace == "environment"
    assert load_settings(workspace="argument").workspace == "argument"
    assert load_settings(workspace=None).workspace == "environment"
    assert load_settings().llm == "openai:file"


def test_a_key_is_never_printed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    settings = load_settings()
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-secret"
    assert "sk-secret" not in f"{settings} {settings!r} {settings.model_dump()}"


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("DYNAGRAG_MAX_CONCURRENCY", "0", "max_concurrency"),
        ("DYNAGRAG_TEMPERATURE", "warm", "temperature"),
        ("DYNAGRAG_PROFILE", "papers", "profile.*known: default, graph, global, paper"),
        ("DYNAGRAG_MAX_RETRIES", "-1", "max_retries"),
        ("DYNAGRAG_TIMEOUT_S", "inf", "timeout_s"),
        ("DYNAGRAG_TIMEOUT_S", "nan", "timeout_s"),
        ("DYNAGRAG_TIMEOUT_S", "1e30", "timeout_s"),
        ("DYNAGRAG_REQUESTS_PER_MINUTE", "inf", "requests_per_minute"),
        ("DYNAGRAG_PRICE_PER_MILLION_PROMPT_TOKENS", "inf", "price_per_million"),
        ("OPENAI_API_KEY", "sk-sch\u00fcssel", "OPENAI_API_KEY"),
        ("OPENAI_BASE_URL", "localhost:8080", "OPENAI_BASE_URL"),
        ("OPENAI_BASE_URL", "ftp://h/v1", "OPENAI_BASE_URL"),
        ("OPENAI_BASE_URL", "http://h:99999/v1", "OPENAI_BASE_URL"),
        ("OPENAI_BASE_URL", "http://[::1", "OPENAI_BASE_URL"),
        ("DYNAGRAG_COLOUR", "red", "DYNAGRAG_COLOUR"),
        ("DYNAGRAG_CACHE", "off", "DYNAGRAG_CACHE"),
    ],
)
def test_a_wrong_or_unknown_setting_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, named: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=named) as refused:
        load_settings()
    assert "\n" not in str(refused.value)
    assert (
        not name.startswith("OPENAI") or value not in f"{refused.value} {refused.value.__cause__}"
    )


@pytest.mark.parametrize("text", ["DYNAGRAG_COLOUR=red\n", "DYNAGRAG_TEMPERATURE=warm\n"])
def test_a_wrong_line_of_dotenv_is_named(folder: Path, text: str) -> None:
    (folder / ".env").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"(?i)colour|temperature"):
        load_settings()


def test_the_settings_file_lies_in_the_home_that_is_set(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "settings.toml").write_text('embedder = "openai:theirs"\n', encoding="utf-8")
    monkeypatch.setenv("DYNAGRAG_HOME", str(other))
    settings = load_settings()
    assert (settings.embedder, settings.workspaces_dir, settings.models_dir) == (
        "openai:theirs",
        other / "workspaces",
        other / "models",
    )


def test_every_setting_is_in_the_example_file_with_its_default() -> None:
    lines = (Path(__file__).parents[2] / ".env.example").read_text(encoding="utf-8").splitlines()
    shown: dict[str, str] = dict(
        line.removeprefix("#").split("=", 1)
        for line in lines
        if "=" in line and not line.startswith("# ")
    )
    fields: dict[str, Any] = {
        (f.validation_alias or f"DYNAGRAG_{n.upper()}"): f.default
        for n, f in Settings.model_fields.items()
    }
    assert shown.keys() == fields.keys()
    for name, default in fields.items():
        if isinstance(default, str | int | float):
            assert shown[name] == f"{default:g}" if isinstance(default, float) else str(default)


def test_profiles_are_known_by_their_names() -> None:
    assert all(name == profile.name for name, profile in {**PROFILES}.items())
    assert all(name == profile.name for name, profile in {**CHUNK_PROFILES}.items())
