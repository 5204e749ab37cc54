"""What comments and documents cite is in the repository: no path of a file that isn't, no
specification that nobody else has.

`STILL_WRONG` names citations that shall be mended. An entry that is no longer needed fails too, so
the list only gets shorter.
"""

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
PRIVATE = re.compile(
    r"\b(?:methods|retrieval|storage|stack) specs?\b|\bspecs?, section|\bthe"
    r" specification\b|\b(?:from the specs|as in the spec)\b"
    r"|\.\./shared",
    re.IGNORECASE,
)
"""Ways in which papers were cited that are not part of the repository."""
CITED = re.compile(
    r"(?<![\w/.:@-])(?:\.{1,2}/)*(?:[\w.-]+/)*[\w-]+\.(?:py|jinja|sh|md|toml|grass|txt|jsonl?|svg|js)\b(?![\w(/-])"
)
CODE = {".py", ".jinja", ".sh", ".js", ".grass"}
"""Named alone, without a folder, these are files of ours; `notes.md` or `talk.txt` may be a
reader's.
"""
NOT_PROSE = (
    "benchmarks/results/",
    "src/dynagrag/demo/",
    "tests/golden/prompts/",
    "CHANGELOG.md",
    "constraints.txt",
    "LICENSE",
)
"""Data, what was true when it was written, and names of packages."""
NOT_OURS = {"__init__.py", "conftest.py", "Node.js"}
"""Names of a kind of file."""

STILL_WRONG: set[tuple[str, str]] = set()
"""(file, what it cites)."""


def test_what_is_cited_is_in_the_repository_but_for_those_listed() -> None:
    tracked = _tracked()
    found = {
        (str(path), cited)
        for path in tracked
        for cited in _wrong(path, (ROOT / path).read_bytes(), tracked)
    }
    assert sorted(found - STILL_WRONG) == [], (
        "cite the paper or docs/papers.md, or where the file is now"
    )
    assert sorted(STILL_WRONG - found) == [], "no longer cited: remove them from STILL_WRONG"


@pytest.mark.parametrize(
    ("path", "text", "cited"),
    [
        ("docs/a.md", "see `ingest/gone.py`", ["ingest/gone.py"]),
        (
            "docs/a.md",
            "see `gone.py`, [tour](tour.md) and [it](../retrieval/pruning/untrained_prior.py)",
            ["gone.py"],
        ),
        (
            "docs/a.md",
            (
                "your notes.md, https://example.org/docs/gone.py, `prompts/NAME.jinja`,"
                " `retrieval/pruning/untrained_prior.py`"
            ),
            [],
        ),
        ("docs/a.md", "[there](gone.md) and docs/gone.md", ["docs/gone.md", "gone.md"]),
        (
            "ingest/a.py",
            '"""Like `gone.py`."""\nx = "ingest/not_prose.py"  # but docs/lost.md\n',
            ["docs/lost.md", "gone.py"],
        ),
        ("ingest/a.py", "# methods spec, 3.4\n", ["methods spec"]),
    ],
)
def test_what_is_cited_wrongly_is_found(path: str, text: str, cited: list[str]) -> None:
    assert sorted(_wrong(PurePosixPath(path), text.encode(), _tracked())) == cited


def _tracked() -> set[PurePosixPath]:
    done = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    return {PurePosixPath(line) for line in done.stdout.splitlines() if (ROOT / line).is_file()}


def _wrong(path: PurePosixPath, data: bytes, tracked: set[PurePosixPath]) -> set[str]:
    if str(path).startswith(NOT_PROSE) or (ROOT / path) == Path(__file__):
        return set()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return set()
    found = {re.sub(r"\s+", " ", m[0]) for m in PRIVATE.finditer(text)}
    cited = _not_there(path, text, tracked)
    if cited and path.suffix == ".py":  # reading tokens takes a hundred times as long
        cited = _not_there(path, "\n".join(_prose(text)), tracked)
    return found | cited


def _not_there(path: PurePosixPath, text: str, tracked: set[PurePosixPath]) -> set[str]:
    return {
        m[0]
        for m in CITED.finditer(text)
        if not _is_there(path, m[0], text[m.start() - 2 : m.start()], tracked)
    }


def _prose(source: str) -> Iterator[str]:
    """Comments, and strings that are statements of their own: docstrings, and those below a
    name.
    """
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value.value


def _is_there(path: PurePosixPath, cited: str, before: str, tracked: set[PurePosixPath]) -> bool:
    name = PurePosixPath(cited)
    is_link = before == "]("
    is_ours = (
        is_link
        or name.suffix in CODE
        or name.parts[0] in {p.parts[0] for p in tracked if len(p.parts) > 1}
    )
    if not is_ours or name.name in NOT_OURS or re.search(r"NAME|XXX", cited):
        return True
    if is_link or cited.startswith(("./", "../")):
        return (ROOT / path.parent / name).exists()
    asked = str(name).removeprefix("dynagrag/")
    return (
        any(f"/{known}".endswith(f"/{asked}") for known in tracked)
        or (ROOT / "src" / "dynagrag" / asked).exists()
    )
