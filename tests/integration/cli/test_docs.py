"""What the docs show is true: the library's blocks run, the commands' help is as printed."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dynagrag
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.workspace.facade import open_workspace

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TALK = """Maria: Ada Byron works at Analytical Engines.

Leo: Charles Babbage founded Analytical Engines.
"""


def test_the_library_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "one.txt").write_text(TALK, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def with_fakes(name: str, **settings: Any) -> object:
        assert settings == {"llm": "openai:gpt-5-mini"}
        return open_workspace(name, chat_model=FakeChat(), embedder=FakeEmbedder(64))

    monkeypatch.setattr(dynagrag, "open_workspace", with_fakes, raising=False)
    blocks = re.findall(
        r"```python\n(.*?)```",
        (ROOT / "docs" / "library.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, "docs/library.md", "exec"), names)
    printed = capsys.readouterr().out
    assert len(blocks) == 8
    assert "Charles Babbage founded Analytical Engines." in printed


def test_the_pages_of_commands_are_current(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, str(ROOT / "docs" / "write_cli_help.py"), str(tmp_path)],
        check=True,
        env=dict(os.environ),
    )
    written, kept = (
        {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
        for folder in (tmp_path, ROOT / "docs" / "cli")
    )
    assert written == kept, "run `make help-docs`"


def test_every_command_of_the_readme_and_of_the_pages_exists() -> None:
    pages = {page: page.read_text(encoding="utf-8") for page in PAGES}
    blocks = {
        page: "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL))
        for page, text in pages.items()
    }
    used = {
        page: set(re.findall(r"^dynagrag (\w+)", block, re.MULTILINE))
        for page, block in blocks.items()
    }
    done = subprocess.run(
        [sys.executable, "-m", "dynagrag", "--help"], capture_output=True, text=True, check=True
    )
    known = set(re.findall(r"^  (\w+)  ", done.stdout, re.MULTILINE))
    assert used[ROOT / "README.md"]
    assert set.union(*used.values()) <= known


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_the_langchain_retriever_gives_each_speaker_his_own_words(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(TALK, encoding="utf-8")
    with open_workspace("w", chat_model=FakeChat(), embedder=FakeEmbedder(64)) as space:
        space.ingest([tmp_path / "one.txt"])
        found = dynagrag.WorkspaceRetriever(workspace=space).invoke(
            "Who founded Analytical Engines?"
        )
    assert {(d.metadata["speaker"], d.page_content) for d in found} == {
        ("Maria", "Ada Byron works at Analytical Engines."),
        ("Leo", "Charles Babbage founded Analytical Engines."),
    }
