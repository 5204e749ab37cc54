"""Nothing grows past what fits a head: functions of 50 lines, modules of 400, folders of 20
modules.

`STILL_TOO_LARGE` names what is over the limit and shall be split. An entry that is no longer needed
fails too.
"""

import ast
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
MAX_FUNCTION_LINES = 50
MAX_MODULE_LINES = 400
MAX_FOLDER_MODULES = 20

STILL_TOO_LARGE: set[str] = set()
"""Folders as `folder/`, modules as their path, functions as `path::name`."""


def test_functions_modules_and_folders_are_small_but_for_those_listed() -> None:
    paths = _modules()
    found = {*_long_functions(paths), *_long_modules(paths), *_full_folders(paths)}
    assert sorted(found - STILL_TOO_LARGE) == [], "split these"
    assert sorted(STILL_TOO_LARGE - found) == [], (
        "no longer too large: remove them from STILL_TOO_LARGE"
    )


def test_what_is_too_large_is_found(tmp_path: Path) -> None:
    long = tmp_path / "long.py"
    long.write_text(
        "class A:\n    def f(self):\n"
        + "        x = 1\n" * MAX_FUNCTION_LINES
        + "\n" * MAX_MODULE_LINES,
        encoding="utf-8",
    )
    assert list(_long_functions([long])) == [f"{long}::f"]
    assert list(_long_modules([long])) == [str(long)]
    assert list(_full_folders([Path(f"a/m{i}.py") for i in range(MAX_FOLDER_MODULES + 1)])) == [
        "a/"
    ]
    assert (
        list(
            _full_folders(
                [Path("a/__init__.py"), *(Path(f"a/m{i}.py") for i in range(MAX_FOLDER_MODULES))]
            )
        )
        == []
    )


def _modules() -> list[Path]:
    """Every Python file that git tracks or would, relative to the root."""
    done = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    return [Path(line) for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def _long_functions(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        for node in ast.walk(ast.parse((ROOT / path).read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                if node.end_lineno - node.lineno + 1 > MAX_FUNCTION_LINES:
                    yield f"{path}::{node.name}"


def _long_modules(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        if len((ROOT / path).read_bytes().splitlines()) > MAX_MODULE_LINES:
            yield str(path)


def _full_folders(paths: list[Path]) -> Iterator[str]:
    sizes = Counter(PurePosixPath(path).parent for path in paths if path.name != "__init__.py")
    yield from (f"{folder}/" for folder, size in sizes.items() if size > MAX_FOLDER_MODULES)
