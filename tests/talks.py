"""A workspace of small talks, questions made of it, and files of questions."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.schema import SourceTurn
from dynagrag.evaluation.questions.question_run import QuestionOptions, make_questions
from dynagrag.fakes import FakeEmbedder
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.ingest.imported.imported_corpus import ImportedTurns
from dynagrag.workspace.facade import open_workspace

NUM_TALKS = 8
THINGS = (
    "Delta Valve",
    "Odyssey",
    "Helium Tank",
    "Comet Bennett",
    "Main Bus",
    "Aquarius",
    "Port Arthur",
    "Fathom Labs",
)
SAID = (
    "The {} lost its pressure beside the {} last night.",
    "Somebody moved the {} away from the {} again.",
    "The {} feeds the {} by cable.",
)


def talk(number: int) -> ImportedTurns:
    turns = []
    for line in range(12):
        first, other = (
            THINGS[(number + line) % len(THINGS)],
            THINGS[(number + 3 * line + 1) % len(THINGS)],
        )
        words = SAID[line % len(SAID)].format(first, other if other != first else "Kettle")
        turns.append(
            SourceTurn(
                f"{words[:-1]} for {10 * number + line + 20} hours.",
                ("Ada", "Leo", "Grace")[line % 3],
            )
        )
    return ImportedTurns(f"Talk {number}", tuple(turns))


def fill(settings: Settings, name: str = "w", talks: Sequence[int] = range(NUM_TALKS)) -> None:
    with open_workspace(name, settings=settings) as space:
        space.ingest_jobs.ingest_imported([talk(number) for number in talks], FastExtractor())


def filled_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of a home with the workspace `w` of all talks, and the fake embedder for them."""
    monkeypatch.setattr(wiring, "make_embedder", lambda settings: FakeEmbedder(32))
    made = Settings(home=home)
    fill(made)
    return made


def made_file(settings: Settings, path: Path, num: int = 150) -> list[dict[str, object]]:
    make_questions(settings, QuestionOptions(path, "w", num))
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, rows: Sequence[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
