"""SECURITY.md names a test for each promise, and the tests are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_promise_names_tests_that_are_there() -> None:
    rows = [
        line
        for line in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    promises = [row for row in rows if not row.startswith(("| promise", "| ---"))]
    assert promises
    assert [row for row in promises if not NAMED.search(row)] == []
    missing = [
        f"{path}::{name}"
        for row in promises
        for path, name in NAMED.findall(row)
        if not _is_there(ROOT / path, name)
    ]
    assert missing == []


def _is_there(path: Path, name: str) -> bool:
    return path.is_file() and bool(
        re.search(rf"^(?:async )?def {name}\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    )
