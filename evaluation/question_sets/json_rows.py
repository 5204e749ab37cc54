"""Rows of .jsonl and .jsonl.gz files, checked: what is wrong is named by file, line and field."""

import gzip
import hashlib
import io
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynagrag.core.errors import LoadError
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular
from dynagrag.evaluation.question_sets.question_set import DataFile, EvalQuestion, GoldAnswer

_MAX_SHOWN = 60
_MAX_EXPANSION = 200
_FREE_EXPANSION_BYTES = 64_000_000
SUFFIXES = (".jsonl.gz", ".jsonl")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a file. `index` counts the rows from 0, blank lines left out; `line` counts lines
    from 1, as an editor does.
    """

    path: Path
    index: int
    line: int
    values: Mapping[str, Any]

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"{self.path}, line {self.line}"

    def text(self, *names: str) -> str:
        """The first of these fields that the row has, which must be text and not blank. LoadError
        else.
        """
        for name in names:
            if name in self.values:
                value = self.values[name]
                if isinstance(value, str) and value.strip():
                    return self.kept(value, name)
                raise LoadError(f"{self.place}: {name!r} is {_shown(value)}; it must be text")
        raise self.lacks(*names)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, not empty, without doubles."""
        return self.strings(self.items(name), name)

    def strings(self, values: Sequence[Any], name: str) -> tuple[str, ...]:
        """These values of a field, which must be texts, without doubles."""
        for value in values:
            if not isinstance(value, str) or not value.strip():
                raise LoadError(
                    f"{self.place}: {name!r} holds {_shown(value)}; every item must be text"
                )
        return tuple(dict.fromkeys(self.kept(value, name) for value in values))

    def kept(self, text: str, name: str) -> str:
        """The text of a field, as it is. LoadError where no file can hold it: it has a lone
        surrogate.
        """
        if _has_surrogate(text):
            raise LoadError(
                f"{self.place}: {name!r} holds a lone surrogate (half of a character):"
                f" {_shown(text)}; take it out"
            )
        return text

    def document_name(self, text: str, name: str) -> str:
        """The name of a document, which may be its path. LoadError where it can be none: it has a
        null character.
        """
        if "\0" in text:
            raise LoadError(
                f"{self.place}: {name!r} holds a null character: {_shown(text)}; no document has"
                " such a name; take it out"
            )
        return self.kept(text, name)

    def id(self, name: str) -> str:
        """An id as text, whatever it is in the file. LoadError where it is missing."""
        if name not in self.values:
            raise self.lacks(name)
        return self.kept(str(self.values[name]), name)

    def flag(self, name: str) -> bool:
        """A field that must be true or false."""
        if name not in self.values:
            raise self.lacks(name)
        value = self.values[name]
        if not isinstance(value, bool):
            raise LoadError(f"{self.place}: {name!r} must be true or false")
        return value

    def items(self, name: str) -> list[Any]:
        """A list that is not empty."""
        if name not in self.values:
            raise self.lacks(name)
        value = self.values[name]
        if not isinstance(value, list) or not value:
            raise LoadError(
                f"{self.place}: {name!r} is {_shown(value)}; it must be a list that is not empty"
            )
        return value

    def word(self, *names: str) -> str:
        """The first of these fields that the row has, where it is text; empty else."""
        value = next((self.values[name] for name in names if name in self.values), None)
        return value if isinstance(value, str) and not _has_surrogate(value) else ""

    def answer(self) -> GoldAnswer | None:
        """The published answer with its aliases; None where the row has none."""
        first, aliases = self.values.get("answer"), self.values.get("answer_aliases")
        texts = [first, *(aliases if isinstance(aliases, list) else ())]
        kept = [
            text.strip()
            for text in texts
            if isinstance(text, str) and text.strip() and not _has_surrogate(text)
        ]
        return (
            GoldAnswer(tuple(dict.fromkeys(kept)))
            if isinstance(first, str) and first.strip() and kept
            else None
        )

    def lacks(self, *names: str) -> LoadError:
        """The error that a field is missing."""
        return LoadError(
            f"{self.place}: the field {' or '.join(map(repr, names))} is missing; the row has"
            f" {', '.join(self.values) or 'none'}"
        )


def find_file(folder: Path, *stems: str) -> Path:
    """The file of one of these names in a folder, with .jsonl.gz or .jsonl. LoadError where there
    is none.
    """
    for stem in stems:
        for suffix in SUFFIXES:
            path = folder / f"{stem}{suffix}"
            if path.is_file():
                return path
    wanted = " or ".join(f"{stem}.jsonl[.gz]" for stem in stems)
    raise LoadError(
        f"there is no {wanted} in {folder}; --data names the folder that holds multihop/ and"
        " transcript_qa/"
    )


def read_rows(path: Path) -> tuple[list[Row], DataFile]:
    """The rows of a file and its hash. LoadError where it can't be read, a line is no JSON object,
    or there is no row.
    """
    rows, file = each_row(path)
    read = list(rows)
    if not read:
        raise LoadError(f"{path} holds no row; it must be JSON lines, an object a line")
    return read, file


def each_row(path: Path) -> tuple[Iterator[Row], DataFile]:
    """The same for files whose rows are too large to hold all at once; they are read as they are
    taken, and there may be none.
    """
    text, file = _read(path)
    return _rows(path, text), file


def read_json(path: Path) -> tuple[Any, DataFile]:
    """The value of a .json or .json.gz file, and its hash. LoadError where it can't be read."""
    text, file = _read(path)
    try:
        return json.loads(text), file
    except (ValueError, RecursionError) as err:
        raise LoadError(f"{path} is no JSON, or cut off: {err}; fetch it again") from err


def read_lines_of(path: Path) -> tuple[list[tuple[int, str]], DataFile]:
    """The lines of a text file that are not blank, by their number from 1, and its hash. LoadError
    where it can't be read or has none.
    """
    text, file = _read(path)
    lines = [
        (number, line.rstrip("\r"))
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]
    if not lines:
        raise LoadError(f"{path} holds no line")
    return lines, file


def _read(path: Path) -> tuple[str, DataFile]:
    if is_irregular(path):
        raise LoadError(f"{path} {IRREGULAR}")
    try:
        data = path.read_bytes()
        text = (_unpacked(data, path) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except OSError as err:
        raise LoadError(
            f"{path} cannot be read: {err.strerror or 'it is no gzip file'}; check the path"
        ) from err
    except (EOFError, zlib.error) as err:
        raise LoadError(f"{path} is cut off or no gzip file: {err}; fetch it again") from err
    except UnicodeDecodeError as err:
        raise LoadError(f"{path} is no UTF-8 text (byte {err.start}); save it as UTF-8") from err
    return text, DataFile(path.name, hashlib.sha256(data).hexdigest())


def _unpacked(data: bytes, path: Path) -> bytes:
    """What was packed, as far as rows can be packed. LoadError for what is made to fill the
    memory.
    """
    most = _FREE_EXPANSION_BYTES + _MAX_EXPANSION * len(data)
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
        unpacked = packed.read(most + 1)
    if len(unpacked) > most:
        raise LoadError(
            f"{path} unpacks from {len(data):,} to more than {most:,} bytes, as no rows do; unpack"
            " it yourself where you trust it, and name the .jsonl file"
        )
    return unpacked


def _rows(path: Path, text: str) -> Iterator[Row]:
    index = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as err:
            raise LoadError(
                f"{path}, line {number} is no JSON: {err}; each line must be one object"
            ) from err
        if not isinstance(values, dict):
            raise LoadError(
                f"{path}, line {number} holds {_shown(values)}; each line must be one object"
            )
        yield Row(path, index, number, values)
        index += 1


def without_doubles(
    questions: Sequence[tuple[EvalQuestion, Row]], notes: Counter[str], by_answer: bool = False
) -> tuple[EvalQuestion, ...]:
    """The questions, each once: a row that says the same again is passed over and counted.
    LoadError where two differ under one id.

    `by_answer`: whether they differ where only their answers do.
    """
    kept: dict[str, tuple[EvalQuestion, Row]] = {}
    for question, row in questions:
        first, first_row = kept.setdefault(question.id, (question, row))
        if first is question:
            continue
        if (first.text, first.gold, first.document) != (
            question.text,
            question.gold,
            question.document,
        ):
            raise LoadError(
                f"{row.place}: the id {question.id!r} was used in line {first_row.line} for"
                " something else; give it its own id"
            )
        if by_answer and first.answer != question.answer:
            raise LoadError(
                f"{row.place}: the question {shortened(question.text)!r} stands in line"
                f" {first_row.line} with another answer; keep one of the two, or give both answers"
                " in one row: 'answers': [...]"
            )
        notes["double rows passed over"] += 1
    return tuple(question for question, _ in kept.values())


def shortened(text: str) -> str:
    """As a message names a question."""
    return text[:_MAX_SHOWN]


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _shown(value: Any) -> str:
    text = json.dumps(
        value, ensure_ascii=isinstance(value, str) and _has_surrogate(value), default=str
    )
    return text if len(text) <= 60 else text[:57] + "..."
