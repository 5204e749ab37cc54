"""docs/decisions/: short numbered records of one form, all of them in the index."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "decisions"
RECORDS = sorted(FOLDER.glob("[0-9]*.md"))
PARTS = ["Context", "Choice", "Figures", "Would change it"]
MAX_LINES = 25
"""Beside the rows of its tables."""


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_is_short_and_has_its_parts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^\*\*([^*]+)\.\*\*", text, re.MULTILINE) == PARTS
    assert sum(not line.startswith("|") for line in text.splitlines()) <= MAX_LINES


def test_the_index_lists_every_record_by_its_number_and_title() -> None:
    heads = {path.name: path.read_text(encoding="utf-8").splitlines()[0] for path in RECORDS}
    titles = {name: head.removeprefix("# ") for name, head in heads.items()}
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^(\d+\. )\[(.+)\]\((\S+)\)$", index, re.MULTILINE)
    assert {name: number + title for number, title, name in listed} == titles
    numbers = [int(name[:4]) for name in titles]
    assert numbers == sorted(set(numbers)), "a number stands for one record"
