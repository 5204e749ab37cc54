"""What comments and documents cite is in the repository: no path of a file that isn't, no specification that nobody else has.

`STILL_WRONG` names citations that shall be mended. An entry that is no longer needed fails too, so the list only gets shorter.
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
    r"\b(?:methods|retrieval|storage|stack) specs?\b|\bspecs?, section|\bthe specification\b|\b(?:from the specs|as in the spec)\b"
    r"|\.\./shared",
    re.IGNORECASE,
)
"""Ways in which papers were cited that are not part of the repository."""
CITED = re.compile(r"(?<![\w/.:@-])(?:\.{1,2}/)*(?:[\w.-]+/)*[\w-]+\.(?:py|jinja|sh|md|toml|grass|txt|jsonl?|svg|js)\b(?![\w(/-])")
CODE = {".py", ".jinja", ".sh", ".js", ".grass"}
"""Named alone, without a folder, these are files of ours; `notes.md` or `talk.txt` may be a reader's."""
NOT_PROSE = ("benchmarks/results/", "src/dynagrag/demo/", "tests/golden/prompts/", "CHANGELOG.md", "constraints.txt", "LICENSE")
"""Data, what was true when it was written, and names of packages."""
NOT_OURS = {"__init__.py", "conftest.py", "Node.js"}
"""Names of a kind of file."""

STILL_WRONG: set[tuple[str, str]] = {
    ("CONTRIBUTING.md", "cli_common.py"),
    ("CONTRIBUTING.md", "cli_curate.py"),
    ("CONTRIBUTING.md", "cli_evaluate.py"),
    ("CONTRIBUTING.md", "suggest.py"),
    ("docs/decisions.md", "Methods spec"),
    ("docs/decisions.md", "as in the spec"),
    ("docs/decisions.md", "storage spec"),
    ("docs/decisions.md", "the specification"),
    ("docs/tour.md", "../src/dynagrag/schema.py"),
    ("docs/tour.md", "../src/dynagrag/workspace.py"),
    ("docs/tour.md", "bridge_arm.py"),
    ("docs/tour.md", "curation.py"),
    ("docs/tour.md", "facts.py"),
    ("docs/tour.md", "graph_layout.py"),
    ("docs/tour.md", "ingest_run.py"),
    ("docs/tour.md", "neo4j_store.py"),
    ("docs/tour.md", "sqlite_store.py"),
    ("docs/tour.md", "two_step.py"),
    ("docs/tour.md", "workspace.py"),
    ("docs/tour.md", "workspace_lock.py"),
    ("docs/tour.md", "workspaces.py"),
    ("evaluation/entity_sets.py", "methods spec"),
    ("generation/answer.py", "methods spec"),
    ("generation/context.py", "methods spec"),
    ("generation/evidence.py", "methods spec"),
    ("generation/hard_prompt.py", "methods spec"),
    ("generation/helpfulness.py", "methods spec"),
    ("generation/prompt_cut.py", "methods spec"),
    ("generation/prompt_lines.py", "methods spec"),
    ("generation/stretches.py", "retrieval spec"),
    ("generation/traversal.py", "methods spec"),
    ("graph_store/derived/derive.py", "Methods spec"),
    ("graph_store/derived/derive.py", "methods spec"),
    ("graph_store/derived/derive.py", "storage spec"),
    ("graph_store/derived/fact_texts.py", "retrieval spec"),
    ("graph_store/derived/live_mentions.py", "retrieval spec"),
    ("graph_store/derived/two_step_mean.py", "methods spec"),
    ("graph_store/hops.py", "storage spec"),
    ("graph_store/neo4j_store/store.py", "storage spec"),
    ("graph_store/sqlite_store/store.py", "storage spec"),
    ("ingest/consolidate/blocking.py", "methods spec"),
    ("ingest/consolidate/consolidation.py", "methods spec"),
    ("ingest/consolidate/guards.py", "methods spec"),
    ("ingest/consolidate/labels.py", "methods spec"),
    ("ingest/extract/fast_extractor.py", "Retrieval spec"),
    ("ingest/extract/fast_rules.py", "retrieval spec"),
    ("ingest/extract/llm_extractor.py", "methods spec"),
    ("ingest/extract/llm_extractor.py", "storage spec"),
    ("ingest/extract/quotes.py", "Storage spec"),
    ("ingest/extract/reply_records.py", "methods spec"),
    ("prompts/entity_groups.jinja", "methods spec"),
    ("prompts/extract.jinja", "methods spec"),
    ("prompts/helpfulness.jinja", "methods spec"),
    ("prompts/intermediate.jinja", "methods spec"),
    ("prompts/label_groups.jinja", "methods spec"),
    ("prompts/merge.jinja", "methods spec"),
    ("prompts/repair.jinja", "methods spec"),
    ("retrieval/bridge/bridge_graph.py", "retrieval spec"),
    ("retrieval/bridge/bridge_search.py", "retrieval spec"),
    ("retrieval/bridge/linking.py", "retrieval spec"),
    ("retrieval/bridge/neighbours.py", "retrieval spec"),
    ("retrieval/bridge/scorer.py", "retrieval spec"),
    ("retrieval/ego/dynagrag_search.py", "retrieval spec"),
    ("retrieval/ego/ego_index.py", "methods spec"),
    ("retrieval/ego/index_refresh.py", "methods spec"),
    ("retrieval/ego/pooling.py", "methods spec"),
    ("retrieval/ego/reach.py", "methods spec"),
    ("retrieval/ego/selection.py", "methods spec"),
    ("retrieval/ego/undirected.py", "methods spec"),
    ("retrieval/passages.py", "retrieval spec"),
    ("retrieval/prune.py", "methods spec"),
    ("src/dynagrag/ids.py", "storage spec"),
    ("src/dynagrag/models/metered.py", "storage spec"),
    ("src/dynagrag/schema/answers.py", "retrieval spec"),
    ("src/dynagrag/schema/records.py", "retrieval spec"),
    ("src/dynagrag/settings.py", "from the specs"),
    ("src/dynagrag/settings.py", "methods spec"),
    ("src/dynagrag/settings.py", "stack spec"),
    ("src/dynagrag/settings.py", "storage spec"),
    ("src/dynagrag/workspace/facade.py", "curation.py"),
    ("tests/integration/test_faults_death.py", "Storage spec"),
    ("tests/integration/test_faults_deletion.py", "Storage spec"),
    ("tests/integration/test_faults_models.py", "Storage spec"),
    ("tests/integration/test_faults_neo4j.py", "Storage spec"),
    ("tests/integration/test_faults_resume.py", "Storage spec"),
    ("tests/integration/test_faults_security.py", "Storage spec"),
    ("tests/integration/test_neo4j_schema.py", "Storage spec"),
    ("tests/integration/test_store_faults_both.py", "Storage spec"),
    ("tests/unit/evaluation/test_entity_resolution.py", "../shared"),
    ("tests/unit/evaluation/test_published_sets.py", "../shared"),
    ("tests/unit/ingest/test_fast_extractor.py", "../shared"),
    ("tests/unit/retrieval/test_bridge.py", "the specification"),
    ("ui/drawing/save_svg.js", "drawing.py"),
    ("ui/graph/overview.py", "graph_layout.py"),
    ("ui/graph/page.py", "graph_overview.py"),
    ("ui/plain.py", "storage spec"),
}
"""(file, what it cites)."""


def test_what_is_cited_is_in_the_repository_but_for_those_listed() -> None:
    tracked = _tracked()
    found = {(str(path), cited) for path in tracked for cited in _wrong(path, (ROOT / path).read_bytes(), tracked)}
    assert sorted(found - STILL_WRONG) == [], "cite the paper or docs/papers.md, or where the file is now"
    assert sorted(STILL_WRONG - found) == [], "no longer cited: remove them from STILL_WRONG"


@pytest.mark.parametrize(
    ("path", "text", "cited"),
    [
        ("docs/a.md", "see `ingest/gone.py`", ["ingest/gone.py"]),
        ("docs/a.md", "see `gone.py`, [tour](tour.md) and [it](../retrieval/prune.py)", ["gone.py"]),
        ("docs/a.md", "your notes.md, https://example.org/docs/gone.py, `prompts/NAME.jinja`, `retrieval/prune.py`", []),
        ("docs/a.md", "[there](gone.md) and docs/gone.md", ["docs/gone.md", "gone.md"]),
        ("ingest/a.py", '"""Like `gone.py`."""\nx = "ingest/not_prose.py"  # but docs/lost.md\n', ["docs/lost.md", "gone.py"]),
        ("ingest/a.py", "# methods spec, 3.4\n", ["methods spec"]),
    ],
)
def test_what_is_cited_wrongly_is_found(path: str, text: str, cited: list[str]) -> None:
    assert sorted(_wrong(PurePosixPath(path), text.encode(), _tracked())) == cited


def _tracked() -> set[PurePosixPath]:
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False)
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
    prose = "\n".join(_prose(text)) if path.suffix == ".py" else text
    found = {re.sub(r"\s+", " ", m[0]) for m in PRIVATE.finditer(text)}
    return found | {m[0] for m in CITED.finditer(prose) if not _is_there(path, m[0], prose[m.start() - 2 : m.start()], tracked)}


def _prose(source: str) -> Iterator[str]:
    """Comments, and strings that are statements of their own: docstrings, and those below a name."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def _is_there(path: PurePosixPath, cited: str, before: str, tracked: set[PurePosixPath]) -> bool:
    name = PurePosixPath(cited)
    is_link = before == "]("
    is_ours = is_link or name.suffix in CODE or name.parts[0] in {p.parts[0] for p in tracked if len(p.parts) > 1}
    if not is_ours or name.name in NOT_OURS or re.search(r"NAME|XXX", cited):
        return True
    if is_link or cited.startswith(("./", "../")):
        return (ROOT / path.parent / name).exists()
    asked = str(name).removeprefix("dynagrag/")
    return any(f"/{known}".endswith(f"/{asked}") for known in tracked) or (ROOT / "src" / "dynagrag" / asked).exists()
