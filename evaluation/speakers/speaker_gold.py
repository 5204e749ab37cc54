"""Transcripts with their gold, what a careful reader says of each turn: `talk.vtt` has it in
`talk.vtt.gold.json`.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dynagrag.core.errors import LoadError
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular

SUFFIX = ".gold.json"


class TrueTurn(BaseModel):
    """What one speaker says in one go. `speaker`: the name, or every name that is right (the first
    is the best one); None: these words are nobody's, so a reader may as well leave them out.

    `start_s`: when it begins; None: the file doesn't say. Without the field its time isn't looked
    at.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    speaker: str | tuple[str, ...] | None
    text: str = Field(min_length=1)
    start_s: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are right; empty where the words are nobody's."""
        return (self.speaker,) if isinstance(self.speaker, str) else self.speaker or ()

    @property
    def has_time(self) -> bool:
        """Whether its time is looked at."""
        return "start_s" in self.model_fields_set


class _Gold(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str = ""
    turns: tuple[TrueTurn, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class GoldFile:
    """A transcript and its turns as they are right. `id`: its path below the folder; `about`: what
    is hard about it; `sha256`: of both files.
    """

    id: str
    path: Path
    about: str
    turns: tuple[TrueTurn, ...]
    sha256: str


def load_gold_files(folder: Path) -> list[GoldFile]:
    """All transcripts of a folder, at any depth, that have a gold file beside them, in the order of
    their paths.

    Raises:
        LoadError: No gold in the folder, gold without its transcript, or gold that is wrong, with
            the field.
    """
    if not folder.is_dir():
        raise LoadError(f"{folder} is no folder; --data names the folder of transcripts and gold")
    files = [_gold_file(path, folder) for path in sorted(folder.rglob(f"*{SUFFIX}"))]
    if not files:
        raise LoadError(
            f"there is no gold in {folder}: beside talk.vtt, write what is right into"
            f" talk.vtt{SUFFIX} (docs/evaluation.md shows how)"
        )
    return files


def _gold_file(path: Path, folder: Path) -> GoldFile:
    transcript = path.with_name(path.name.removesuffix(SUFFIX))
    for own in (path, transcript):
        if is_irregular(own):
            raise LoadError(f"{own} {IRREGULAR}")
    try:
        data, words = path.read_bytes(), transcript.read_bytes()
    except OSError as err:
        raise LoadError(
            f"{err.filename} cannot be read: {err.strerror}; gold stands beside its transcript"
        ) from err
    try:
        gold = _Gold.model_validate_json(data)
    except ValidationError as err:
        first = err.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise LoadError(f"{path}: {place}: {first['msg']}") from err
    return GoldFile(
        id=transcript.relative_to(folder).as_posix(),
        path=transcript,
        about=gold.about,
        turns=gold.turns,
        sha256=hashlib.sha256(data + words).hexdigest(),
    )
