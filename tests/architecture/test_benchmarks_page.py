"""docs/benchmarks.md is what its script writes, and the script finds every figure or fails."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_benchmarks", DOCS / "write_benchmarks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


LINES = (
    "# first run",
    "arm      recall@5 recall@10   against naive",
    "default      83.5      93.1  +20.0 (+12.9 to +27.3)",
    "naive        63.5      74.6",
    "in points",
    "# second run",
    "              found  marked",
    "same span       453     714",
)


def test_the_page_is_current(script: ModuleType) -> None:
    written = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert written == script.page(), "run `make docs-benchmarks`"


def test_figures_are_looked_up_by_run_row_and_column(script: ModuleType) -> None:
    file = script.Results("runs.txt", LINES)
    table = file.table("recall@5")
    assert table.cell("default", "recall@10") == "93.1"
    assert table.cell("naive", "against naive") == ""
    assert table.markdown(["recall@5"]).splitlines()[-1] == "| naive | 63.5 |"
    assert file.after("# second").table("found").cell("same span", "marked") == "714"
    assert file.find(r"default +([\d.]+)") == "83.5"


def test_a_figure_that_is_not_there_is_an_error(script: ModuleType) -> None:
    file = script.Results("runs.txt", LINES)
    table = file.table("recall@5")
    lookups = [
        lambda: table.cell("bm25", "recall@5"),
        lambda: table.cell("default", "mrr"),
        lambda: table.markdown(["recall@5"], ["default", "bm25"]),
        lambda: file.after("# first", 2),
        lambda: file.find("no such line"),
        lambda: file.after("# second").table("recall@5"),
    ]
    for lookup in lookups:
        with pytest.raises(LookupError):
            lookup()
