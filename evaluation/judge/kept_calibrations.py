"""How far each judge agreed with people, kept by the model's identity: every later verdict of that
judge is printed with it.
"""

import fcntl
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from dynagrag.core.errors import LoadError
from dynagrag.core.files.private_files import make_folder, private, replace_text
from dynagrag.evaluation.judge.reliability import is_reliable

_FOLDER = Path("evaluation") / "judge" / "calibrations"


class Agreement(BaseModel):
    """How far a judge agreed with people on the `n` rows of a set."""

    model_config = ConfigDict(frozen=True)

    n: int
    accuracy: float | None
    kappa: float | None
    kappa_interval: tuple[float, float] | None = None
    pearson: float | None = None
    flips: int
    ties: int
    unreadable: int

    def is_reliable(self, threshold: float) -> bool | None:
        """As a calibration itself has it."""
        return is_reliable(self.kappa, self.kappa_interval, self.unreadable, self.n, threshold)


class KeptAgreement(Agreement):
    """The agreement on one set as it is kept. `prompt`: a hash of the wording that the judge was
    asked with; `on`: the day.
    """

    prompt: str
    on: str


class KeptCalibration(BaseModel):
    """All that is known of one judge."""

    model_config = ConfigDict(frozen=True)

    judge: str
    identity: str
    sets: dict[str, KeptAgreement] = {}


def kept_calibration(home: Path, name: str, identity: str) -> KeptCalibration:
    """The calibration that is kept of a judge; without sets where it was never calibrated.
    LoadError where the file is damaged.
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


def keep_calibration(
    home: Path,
    name: str,
    identity: str,
    sets: Mapping[str, Agreement],
    prompts: Mapping[str, str],
) -> KeptCalibration:
    """Adds the agreement on these sets. A calibration on more rows with the same wording stays: a
    quick look doesn't replace it. Two at once wait for each other.
    """
    path, today = _path(home, identity), datetime.now(UTC).date().isoformat()
    make_folder(path.parent)
    with open(path.with_suffix(".lock"), "a", opener=private) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        all_sets = dict(kept_calibration(home, name, identity).sets)
        for set_name, own in sets.items():
            made = KeptAgreement(**dict(own), prompt=prompts[set_name], on=today)
            old = all_sets.get(set_name)
            if old is None or old.prompt != made.prompt or old.n <= made.n:
                all_sets[set_name] = made
        kept = KeptCalibration(judge=name, identity=identity, sets=all_sets)
        replace_text(path, kept.model_dump_json(indent=1))
    return kept


def _path(home: Path, identity: str) -> Path:
    return home / _FOLDER / f"{hashlib.sha256(identity.encode()).hexdigest()[:16]}.json"
