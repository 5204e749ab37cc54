"""The house stays in order: folders, links and map in step; imports one way; every setting
documented.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dynagrag.config.settings import Settings

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = {"ingest", "graph_store", "retrieval", "generation", "evaluation", "prompts", "ui"}


def test_the_links_and_the_folders_agree() -> None:
    links = {p.name for p in (ROOT / "src" / "dynagrag").iterdir() if p.is_symlink()}
    assert links == FOLDERS
    assert all((ROOT / "src" / "dynagrag" / name).resolve() == ROOT / name for name in FOLDERS)


def test_every_package_is_installed_with_and_without_links() -> None:
    code = (
        "import setuptools, runpy, json\n"
        "setuptools.setup = lambda **given: print(json.dumps(given))\n"
        "runpy.run_path('setup.py')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    made = json.loads(done.stdout)
    assert {k: v for k, v in made["package_dir"].items() if k} == {
        f"dynagrag.{name}": name for name in FOLDERS
    }
    inits = [
        p for p in _tracked() if p.name == "__init__.py" and p.parts[len(ROOT.parts)] != "tests"
    ]
    found = set()
    for folder in (init.parent.relative_to(ROOT) for init in inits):
        inside = folder.relative_to("src") if folder.parts[0] == "src" else Path("dynagrag", folder)
        found.add(".".join(inside.parts))
    assert found == set(made["packages"])


def test_every_file_that_is_no_python_is_in_the_wheel() -> None:
    data = PYPROJECT["tool"]["setuptools"]["package-data"]
    missing = []
    for path in (p.relative_to(ROOT) for p in _tracked()):
        inside = path.relative_to("src") if path.parts[0] == "src" else Path("dynagrag", path)
        if path.suffix != ".py" and (path.parts[0] == "src" or path.parts[0] in FOLDERS):
            globs = data.get(".".join(inside.parent.parts), [])
            if not any(path.match(glob) for glob in globs):
                missing.append(str(path))
    assert missing == [], "name them in package-data"


def test_heavy_libraries_are_imported_where_they_are_used() -> None:
    code = (
        "import sys, pkgutil, importlib, dynagrag\n"
        "whole = ('langchain_retriever', 'dynagrag.checkpoints.', 'dynagrag.training.',"
        " 'pruning_network', 'opened_method', 'soft_', 'reasoning_chat')\n"
        "names = [m.name for m in pkgutil.walk_packages(dynagrag.__path__, 'dynagrag.')"
        " if not any(own in m.name for own in whole)]\n"
        "for name in names: importlib.import_module(name)\n"
        "heavy = {'torch', 'torch_geometric', 'transformers', 'sentence_transformers', 'openai',"
        " 'langchain_openai', 'langchain', 'bm25s', 'networkx'}\n"
        "print(sorted(heavy & set(sys.modules)), len(names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded, _, count = done.stdout.strip().rpartition(" ")
    assert loaded == "[]"
    assert int(count) > 50


def test_every_command_starts_without_the_libraries_of_searches() -> None:
    code = (
        "import sys, dynagrag.cli.main, dynagrag.wiring, dynagrag.workspace.facade; print('scipy'"
        " in sys.modules)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "False\n"
    )


def test_every_setting_is_in_the_example_environment() -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    named = set(re.findall(r"^#(\w+)=", text, re.MULTILINE))
    fields = {
        str(f.validation_alias or f"DYNAGRAG_{name.upper()}")
        for name, f in Settings.model_fields.items()
    }
    assert named == fields


def test_a_class_name_stands_for_one_thing() -> None:
    found: dict[str, list[str]] = {}
    for path in (p for p in _tracked() if p.suffix == ".py"):
        if path.relative_to(ROOT).parts[0] in FOLDERS | {"src"}:
            for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
                found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def _tracked() -> list[Path]:
    done = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def test_no_file_names_a_machine_path_or_a_secret() -> None:
    bad = re.compile(rb"(?<![\w.])/(?:root|home|work)/[a-z]|sk-(?!CANARY)[A-Za-z0-9]{20,}")
    found = [
        str(p.relative_to(ROOT))
        for p in _tracked()
        if p.suffix not in {".png", ".pdf"} and p != Path(__file__) and bad.search(p.read_bytes())
    ]
    assert found == []


def test_no_file_is_large() -> None:
    assert [p.name for p in _tracked() if p.stat().st_size > 3_000_000] == []
