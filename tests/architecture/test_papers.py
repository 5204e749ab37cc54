"""docs/papers.md names files that are there, and what the code cites of it is one of its
headings.
"""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAPERS = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
HEADINGS = tuple(re.findall(r"^## (.+)$", PAPERS, re.MULTILINE))


def test_every_file_that_is_named_exists() -> None:
    named = set(re.findall(r"`([\w.-]+/[\w./-]*(?:\.py|\.jinja|/))`", PAPERS))
    assert len(named) > 20
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_every_heading_that_is_cited_exists() -> None:
    done = subprocess.run(
        ["git", "ls-files", "*.py", "*.jinja"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    files = [path for path in map(ROOT.joinpath, done.stdout.split()) if path.is_file()]
    cited = {
        (path.name, text)
        for path in files
        for text in re.findall(
            r"docs/papers\.md, ([A-Z].{0,30})", " ".join(path.read_text(encoding="utf-8").split())
        )
    }
    assert len(cited) > 10
    assert sorted(c for c in cited if not c[1].startswith(HEADINGS)) == []
