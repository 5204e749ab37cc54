"""What is kept for the next process is made anew by other code: all that it imports is hashed."""

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from dynagrag.core.code_version import code_files, code_version
from dynagrag.retrieval import corpus_words, kept_texts

_IMPORT = re.compile(r"^ *from (dynagrag[\w.]*) import \(?\s*(\w+)", re.MULTILINE)


def _is_module(package: str, name: str) -> bool:
    return (
        hasattr(import_module(package), "__path__") and find_spec(f"{package}.{name}") is not None
    )


@pytest.mark.parametrize(
    "hashed",
    [(*corpus_words.COUNTED_BY, corpus_words), (*kept_texts.MADE_BY, kept_texts)],
    ids=["words", "facts"],
)
def test_all_that_makes_it_is_hashed(hashed: tuple[ModuleType, ...]) -> None:
    names = {module.__name__ for module in hashed} | {"dynagrag.config"}  # sizes: what is stored
    imported = {
        name
        for file in code_files(hashed)
        if file.suffix == ".py"
        for package, given in _IMPORT.findall(file.read_text())
        for name in [f"{package}.{given}" if _is_module(package, given) else package]
    }
    assert "dynagrag.core.schema" in imported
    assert not {n for n in imported if not any(f"{n}.".startswith(f"{own}.") for own in names)}


def test_other_code_has_another_version(tmp_path: Path) -> None:
    module = ModuleType("made")
    module.__file__ = str(tmp_path / "made.py")
    (tmp_path / "made.py").write_text("x = 1\n")
    first = code_version((module,), ())
    code_version.cache_clear()
    assert code_version((module,), ()) == first != code_version((module,), ("numpy",))
    (tmp_path / "made.py").write_text("x = 2\n")
    code_version.cache_clear()
    assert code_version((module,), ()) != first
    (tmp_path / "made.py").unlink()
    code_version.cache_clear()
    assert code_version((module,), ()) == ""
    code_version.cache_clear()
