"""A file of JSON lines that grows while a run is at work, and outlives the process: a torn last
line is dropped.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from dynagrag.core.errors import LoadError
from dynagrag.core.files.private_files import naming, private

_Row = TypeVar("_Row", bound=BaseModel)


class LinesFile(Generic[_Row]):
    """See the module. Several threads may append; only one process at a time, which the run's
    folder sees to.
    """

    def __init__(self, path: Path, kind: type[_Row]) -> None:
        self.path = path
        self._kind = kind
        self._lock = Lock()

    def lines(self) -> list[_Row]:
        """All whole lines, in the order in which they were made. LoadError where one is damaged."""
        return read_lines(self.path, self._kind)

    def append(self, lines: Iterable[_Row]) -> None:
        """Adds lines that belong together, all or, where that fails (a full disk), none."""
        data = "".join(f"{line.model_dump_json()}\n" for line in lines).encode()
        with (
            self._lock,
            naming(self.path),
            open(self.path, "ab", buffering=0, opener=private) as file,
        ):
            before = file.seek(0, os.SEEK_END)
            try:
                while data:
                    data = data[file.write(data) :]
            except BaseException:
                file.truncate(before)
                raise

    def drop_torn_line(self) -> None:
        """Cuts off what a killed process left of its last line."""
        if self.path.is_file():
            data = self.path.read_bytes()
            if not data.endswith(b"\n"):
                os.truncate(self.path, data.rfind(b"\n") + 1)


def read_lines(path: Path, kind: type[_Row]) -> list[_Row]:
    """The rows of a file of a run, none where it isn't there. LoadError where one is damaged."""
    if not path.is_file():
        return []
    rows = []
    data = path.read_bytes()
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n") if data else (), start=1):
        try:
            rows.append(kind.model_validate_json(line))
        except ValidationError as err:
            raise LoadError(
                f"{path}, line {number} is damaged; delete that line and run the same command with"
                f" --out {path.parent}"
            ) from err
    return rows
