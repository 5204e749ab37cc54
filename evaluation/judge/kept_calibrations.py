"""How far each judge agreed with people, kept by the model's identity: every later verdict of that
judge is printed with it.
"""

import fcntl
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from dynagrag.core.errors import LoadError
from dynagrag.core.files.private_files import make_folder, private, replace_text
from dynagrag.evaluation.judge.reliability import is_reliable

_FOLDER = Path("evaluation") / "judge" / "calibrations"


class KeptFigures(BaseModel):
    """The agreement on one set. `prompt`: a hash of the wording that the judge was asked with;
    `on`: the day.
    """

    model_config = ConfigDict(frozen=True)

    n: int
    accuracy: float | None
    kappa: float | None
    kappa_interval: tuple[float, float] | None = None
    pearson: float | None = None
    flips: int
    ties: int
    unreadable: int
    prompt: str
    on: str

    def is_reliable(self, threshold: float) -> bool | None:
        """As a calibration itself has it."""
        return is_reliable(self.kappa, self.kappa_interval, self.unreadable, self.n, threshold)


class KeptCalibration(BaseModel):
    """All that is known of one judge."""

    model_config = ConfigDict(frozen=True)

    judge: str
    identity: str
    sets: dict[str, KeptFigures] = {}


def kept_calibration(home: Path, name: str, identity: str) -> KeptCalibration:
    """What is kept of a judge; without sets where it was never calibrated. LoadError where the file
    is damaged.
    """
    path = _path(home, identity)
    if not path.is_file():
        return KeptCalibration(judge=name, identity=identity)
    try:
        return KeptCalibration.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError) as err:
        raise LoadError(
            f"{path} cannot be read ({type(err).__name__}); delete it and calibrate {name} again"
        ) from err


def keep(
    home: Path,
    name: str,
    identity: str,
    figures: Mapping[str, Mapping[str, Any]],
    prompts: Mapping[str, str],
) -> KeptCalibration:
    """Adds the figures of these sets. A calibration on more rows with the same wording stays: a
    quick look doesn't replace it. Two at once wait for each other.
    """
    path = _path(home, identity)
    make_folder(path.parent)
    with open(path.with_suffix(".lock"), "a", opener=private) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = _with_figures(home, name, identity, figures, prompts)
        replace_text(path, kept.model_dump_json(indent=1))
    return kept


def _with_figures(
    home: Path,
    name: str,
    identity: str,
    figures: Mapping[str, Mapping[str, Any]],
    prompts: Mapping[str, str],
) -> KeptCalibration:
    before = kept_calibration(home, name, identity)
    sets = dict(before.sets)
    for set_name, own in figures.items():
        made = KeptFigures.model_validate(
            {field: own.get(field) for field in KeptFigures.model_fields if field in own}
            | {"prompt": prompts[set_name], "on": datetime.now(UTC).date().isoformat()}
        )
        old = sets.get(set_name)
        if old is None or old.prompt != made.prompt or old.n <= made.n:
            sets[set_name] = made
    return KeptCalibration(judge=name, identity=identity, sets=sets)


def _path(home: Path, identity: str) -> Path:
    return home / _FOLDER / f"{hashlib.sha256(identity.encode()).hexdigest()[:16]}.json"
