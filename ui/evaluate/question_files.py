"""Files of questions of a workspace: what visitors bring, and what is made of it. They lie in its
folder `questions`, and go with it.

A file is never replaced by another: runs that asked it can then be resumed.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError
from dynagrag.core.files.private_files import make_folder, private
from dynagrag.evaluation.judge.judge_options import JudgeOptions, plan_judge
from dynagrag.evaluation.question_sets.json_rows import SUFFIXES, read_rows
from dynagrag.evaluation.questions.question_run import By, QuestionOptions, make_questions
from dynagrag.ui.safe_markdown import clean
from dynagrag.ui.safe_name import safe_name
from dynagrag.workspace.workspace_folder import workspace_folder

_FOLDER = "questions"
MAX_BYTES = 50_000_000


def folder_of(settings: Settings, workspace: str) -> Path:
    """Where a workspace's questions lie, as `workspace_folder` has it."""
    return workspace_folder(settings, workspace, _FOLDER)


def checked_name(name: str) -> str:
    """The name of a file of questions. LoadError where it can be none."""
    if safe_name(name) != name or not name.endswith(SUFFIXES):
        raise LoadError(f"{name} is no file of questions; its name must end in .jsonl")
    return name


def kept_files(folder: Path) -> list[str]:
    """The files of questions, the last written first."""
    found = (
        [path for path in folder.iterdir() if path.name.endswith(SUFFIXES) and path.is_file()]
        if folder.is_dir()
        else []
    )
    return [
        path.name for path in sorted(found, key=lambda path: (-path.stat().st_mtime, path.name))
    ]


def keep(folder: Path, name: str, content: IO[bytes]) -> str:
    """Keeps a file whose questions can be asked; its name, with a number where another has it.

    LoadError, which names the line, where it can't be read; nothing is kept then.
    """
    name = checked_name(safe_name(name))
    data = content.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise LoadError(f"{name} is larger than {MAX_BYTES // 1_000_000} MB; split it")
    make_folder(folder)
    with TemporaryDirectory(dir=folder, prefix=".partial-") as aside:
        partial = Path(aside) / name
        with open(partial, "wb", opener=private) as file:
            file.write(data)
        try:
            plan_judge(JudgeOptions(partial))  # what needs least of a row: its question
        except LoadError as err:
            raise LoadError(str(err).replace(str(partial), name)) from None
        for target in (folder / numbered for numbered in _numbered(name)):
            if target.is_file() and target.read_bytes() == data:
                break
            if not target.exists():
                os.replace(partial, target)
                break
    return target.name


def _numbered(name: str) -> Iterator[str]:
    """mine.jsonl, mine-2.jsonl, mine-3.jsonl and so on."""
    suffix = next(suffix for suffix in SUFFIXES if name.endswith(suffix))
    yield name
    number = 2
    while True:
        yield f"{name.removesuffix(suffix)}-{number}{suffix}"
        number += 1


def make(settings: Settings, workspace: str, num: int) -> Mapping[str, Any]:
    """Makes questions of a workspace's records, without a model, and keeps them; what was made,
    with the name of the `file`.
    """
    folder = folder_of(settings, workspace)
    make_folder(folder)
    with TemporaryDirectory(dir=folder, prefix=".partial-") as aside:
        out = Path(aside) / f"made-{num}.jsonl"
        options = QuestionOptions(out=out, workspace=workspace, num=num, by=By.RECORDS)
        made = make_questions(settings.model_copy(update={"llm": None}), options)
        with out.open("rb") as file:
            return made | {"file": keep(folder, out.name, file)}


def discard(folder: Path, name: str) -> None:
    """Removes a file."""
    (folder / checked_name(name)).unlink(missing_ok=True)


def first_rows(path: Path, num: int) -> tuple[list[dict[str, str]], int]:
    """The first rows as a table shows them, and how many there are. LoadError where the file can't
    be read.
    """
    try:
        rows, _ = read_rows(path)
    except LoadError as err:
        raise LoadError(str(err).replace(str(path), path.name)) from None
    return [_cells(row.values) for row in rows[:num]], len(rows)


def _cells(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "Question": clean(row.get("question", ""), 200),
        "Answer": clean("nothing answers it" if _is_unanswerable(row) else _answer(row), 200),
        "Where it is": clean(_place(row), 120),
        "Kind": clean(row.get("kind", ""), 40),
    }


def _is_unanswerable(row: Mapping[str, Any]) -> bool:
    return row.get("answerable") is False or row.get("unanswerable") is True


def _answer(row: Mapping[str, Any]) -> str:
    """The answers, else the words that answer."""
    others = row.get("answers") or row.get("decisive")
    given = [row.get("answer"), *(others if isinstance(others, list) else ())]
    return " / ".join(str(text) for text in given if text)


def _place(row: Mapping[str, Any]) -> str:
    turns, documents = row.get("turns"), row.get("documents")
    if isinstance(turns, list):
        return "; ".join(_turns(turn) for turn in turns)
    if isinstance(documents, list):
        return "; ".join(map(str, documents))
    return str(row.get("document") or "")


def _turns(turn: Any) -> str:
    if not isinstance(turn, dict):
        return str(turn)
    first, last = turn.get("first"), turn.get("last", turn.get("first"))
    return (
        f"{turn.get('document')},"
        f" {f'turn {first}' if first == last else f'turns {first} to {last}'}"
    )
