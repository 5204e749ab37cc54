"""The result of a run as a typed value: written to summary.json, printed by `--json`, read back."""

import json
from typing import Self

from pydantic import BaseModel, ConfigDict, JsonValue

_FORMAT = 1


class Result(BaseModel):
    """The figures of one run. A kind of evaluation derives its own, whose fields are what `--json`
    prints, in their order; fields may be other models, frozen dataclasses and mappings of numbers.

    Fields that are added later have defaults, so that old folders stay readable.
    """

    model_config = ConfigDict(frozen=True)

    def as_json(self) -> dict[str, JsonValue]:
        """The result as `--json` prints it."""
        return self.model_dump(mode="json")

    def to_file(self) -> str:
        """The text of summary.json: the same, and the format."""
        return json.dumps({"format": _FORMAT} | self.as_json(), ensure_ascii=False, indent=1)

    @classmethod
    def of_file(cls, data: bytes) -> Self:
        """Reads it back. ValueError where it is no such result, or a later version wrote it."""
        found = json.loads(data)
        if not isinstance(found, dict):
            raise ValueError("it is no object")
        written = found.pop("format", _FORMAT)  # files of before had none
        if written != _FORMAT:
            raise ValueError(f"it was written by a later version of dynagrag (format {written})")
        return cls.model_validate(found)
