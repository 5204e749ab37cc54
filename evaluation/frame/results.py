"""The result of a run as a typed value: written to summary.json, printed by `--json`, read back."""

import json
from typing import ClassVar, Self

from pydantic import BaseModel, ConfigDict, JsonValue

_VERSION = "format"


class Result(BaseModel):
    """The figures of one run. A kind of evaluation derives its own, whose fields are what `--json`
    prints, in their order; fields may be other models, frozen dataclasses and mappings of numbers.

    `version` is raised when the fields change, and `upgraded` then makes today's fields of those of
    before, so that old folders stay readable.
    """

    model_config = ConfigDict(frozen=True)

    version: ClassVar[int] = 1

    def as_json(self) -> dict[str, JsonValue]:
        """The result as `--json` prints it."""
        return self.model_dump(mode="json")

    def to_file(self) -> str:
        """The text of summary.json: the same, and the version of its fields."""
        return json.dumps({_VERSION: self.version} | self.as_json(), ensure_ascii=False, indent=1)

    @classmethod
    def of_file(cls, data: bytes) -> Self:
        """Reads it back, whichever version wrote it. ValueError where it is no such result."""
        found = json.loads(data)
        if not isinstance(found, dict):
            raise ValueError("it is no object")
        written = found.pop(_VERSION, 1)  # files of before had none
        if not isinstance(written, int) or written > cls.version:
            raise ValueError(f"it was written by a later version of dynagrag (format {written})")
        return cls.model_validate(cls.upgraded(found, written))

    @classmethod
    def upgraded(cls, found: dict[str, JsonValue], written: int) -> dict[str, JsonValue]:
        """Today's fields of those that version `written` had."""
        return found
