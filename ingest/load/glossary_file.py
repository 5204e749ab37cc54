"""Glossary files: CSV with the columns term, aliases, definition, or JSON. What can't be used is
noted with its line; the rest is used.

    CSV    a header names the columns; aliases are separated by ; or |; comma, semicolon, tab or |
           between the columns
    JSON   a list of objects with `term`, `aliases` (a list, or a text as in CSV) and `definition`;
           an object of such objects, or of definitions, by term; or one object a line

`synonyms` stands for aliases, `canonical` and `name` for the term.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynagrag.core.errors import LoadError
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular
from dynagrag.core.ids import entity_key
from dynagrag.core.text import collapse, cut
from dynagrag.graph_store.derived.glossary import GlossaryRow, resolve
from dynagrag.ingest.load.encoding import decode
from dynagrag.ingest.load.parsed import CONTROLS

MAX_NAME = 200
MAX_DEFINITION = 10_000
MAX_BYTES = 50 * 1024 * 1024
_MAX_FIELD = 131_072
"""As csv reads by default; a longer one is nearly always a quotation mark that was left open."""
_FIELD_TOO_LONG = f"a field of more than {_MAX_FIELD:,} characters; is a quotation mark left open?"
_TOO_MANY_FIELDS = (
    "more fields than columns; put a field that holds the delimiter in quotation marks"
)
_NAME_OVER_LINES = "a name over several lines; is a quotation mark left open? left out"
_NO_NAME = (
    f"without letter or digit, of more than {MAX_NAME} characters or with broken ones; left out"
)
_MAX_SHOWN = 5
_ROLES = {
    "term": ("term", "canonical", "name"),
    "aliases": ("aliases", "alias", "synonyms", "synonym", "also", "abbreviation", "acronym"),
    "definition": ("definition", "description", "meaning"),
}
_FIELD_NAMES = frozenset({"kind", "category", "line", "mission"}.union(*_ROLES.values()))
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class GlossaryFile:
    """A glossary as read from the file `name`. `notes` tell what was left out or stands for several
    things, with its lines.
    """

    name: str
    rows: tuple[GlossaryRow, ...]
    notes: tuple[str, ...] = ()

    @property
    def num_aliases(self) -> int:
        """All aliases."""
        return sum(len(row.aliases) for row in self.rows)


def read_glossary_file(path: Path) -> GlossaryFile:
    """Reads a glossary.

    Raises:
        LoadError: It can't be read, is neither CSV nor JSON of this kind, or holds no term. The
        message names file and line.
    """
    text, notes = _text(path)
    entries = _json_entries(text) if text.lstrip()[:1] in ("{", "[") else _csv_entries(text)
    rows: list[GlossaryRow] = []
    aside: dict[str, list[int]] = {}
    try:
        for line, entry in entries:
            row, problems = _row(entry, line)
            for problem in problems:
                aside.setdefault(problem, []).append(line)
            if row is not None:
                rows.append(row)
    except _FormError as err:
        raise LoadError(f"glossary {path}, line {err.line}: {err.problem}") from err
    problem_notes = []
    for problem, numbers in aside.items():
        more = f" and {len(numbers) - _MAX_SHOWN} more" if len(numbers) > _MAX_SHOWN else ""
        shown = ", ".join(map(str, numbers[:_MAX_SHOWN]))
        problem_notes.append(f"line{'s' if len(numbers) > 1 else ''} {shown}{more}: {problem}")
    if not rows:
        why = f" ({'; '.join(problem_notes)})" if problem_notes else ""
        raise LoadError(
            f"glossary {path} holds no term{why}; write CSV with the columns"
            " term,aliases,definition, or JSON objects with them"
        )
    name = path.name.encode("utf-8", "backslashreplace").decode()  # a name's bytes may be no text
    return GlossaryFile(name, tuple(rows), (*notes, *problem_notes, *_double_meanings(rows)))


class _FormError(Exception):
    """The file is not of the form, from this line on."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


def _text(path: Path) -> tuple[str, list[str]]:
    """The file's text, and notes on its encoding."""
    try:
        if is_irregular(path):
            raise LoadError(f"glossary {path} {IRREGULAR}")
        if path.stat().st_size > MAX_BYTES:
            raise LoadError(f"glossary {path} is larger than {MAX_BYTES // 2**20} MiB; split it")
        decoded = decode(path.read_bytes())
    except OSError as err:
        raise LoadError(f"glossary {path} can't be read: {err.strerror or err}") from err
    except LoadError as err:
        raise err if str(path) in str(err) else LoadError(f"glossary {path} {err}") from err
    if not decoded.text.strip():
        raise LoadError(
            f"glossary {path} is empty; write CSV with the columns term,aliases,definition, or JSON"
            " objects with them"
        )
    return decoded.text, list(decoded.notes)


# ---------------------------------------------------------------------------------------------- CSV


def _csv_entries(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(line, fields by role) of each row that isn't blank."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first = next(number for number, line in enumerate(lines) if line.strip())
    delimiter, columns = _columns(lines[first], first + 1)
    width = len(next(csv.reader([lines[first]], delimiter=delimiter)))
    reader = csv.reader((line + "\n" for line in lines[first + 1 :]), delimiter=delimiter)
    start = first + 2
    try:
        for cells in reader:
            # csv's own limit is the process's: reading a table raises it.
            if max(map(len, cells), default=0) > _MAX_FIELD:
                raise _FormError(start, _FIELD_TOO_LONG)
            fields = {role: cells[at] if at < len(cells) else "" for role, at in columns.items()}
            names = [fields.get("term", ""), *_listed_aliases(fields.get("aliases", ""))]
            if any(cell.strip() for cell in cells[width:]):
                fields = {"problem": _TOO_MANY_FIELDS}
            elif any("\n" in name.strip() for name in names):
                fields = {"problem": _NAME_OVER_LINES}
            is_last = first + 1 + reader.line_num >= len(lines)
            if is_last and _is_left_open(lines[start - 1 :], delimiter):
                raise _FormError(start, "a quotation mark that is never closed")
            yield start, fields
            start = first + 2 + reader.line_num
    except csv.Error as err:
        problem = _FIELD_TOO_LONG if "field larger" in str(err) else str(err)
        raise _FormError(start, problem) from err


def _is_left_open(lines: Sequence[str], delimiter: str) -> bool:
    """Whether the last row ends within quotation marks, which csv lets pass unless it is strict."""
    try:
        list(csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True))
    except csv.Error as err:
        return "unexpected end" in str(err)
    return False


def _columns(header: str, line: int) -> tuple[str, dict[str, int]]:
    """The delimiter, and the place of each column that the header names."""
    best: tuple[str, dict[str, int]] = (",", {})
    for delimiter in _DELIMITERS:
        cells = [
            collapse(cell).casefold().strip("\ufeff\"'")
            for cell in next(csv.reader([header[:2000]], delimiter=delimiter), [])
        ]
        places = {
            role: at
            for role, names in _ROLES.items()
            if (at := next((i for i, c in enumerate(cells) if c in names), None)) is not None
        }
        if len(places) > len(best[1]):
            best = (delimiter, places)
    if not {"term", "aliases"} <= best[1].keys() and not {"term", "definition"} <= best[1].keys():
        raise _FormError(
            line,
            f"the columns are {cut(collapse(header), 80)!r}; they must be term, aliases, definition"
            " (in any order)",
        )
    return best


# --------------------------------------------------------------------------------------------- JSON


class _Scanner:
    """Reads JSON values one by one and knows the line of each. Unlike `json.loads`, it loses no
    repeated key of the outermost object.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()
        self._at = 0
        self._line, self._counted = 1, 0

    def peek(self) -> str:
        while self._at < len(self._text) and self._text[self._at] in " \t\r\n\ufeff":
            self._at += 1
        return self._text[self._at : self._at + 1]

    def line(self) -> int:
        self.peek()
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def expect(self, signs: str) -> str:
        found = self.peek()
        if not found or found not in signs:
            raise _FormError(
                self.line(), f"{found or 'the end'!r} where {' or '.join(signs)} should be"
            )
        self._at += 1
        return found

    def value(self) -> Any:
        self.peek()
        try:
            value, self._at = self._decoder.raw_decode(self._text, self._at)
        except json.JSONDecodeError as err:
            raise _FormError(err.lineno, f"no JSON ({err.msg})") from err
        except ValueError as err:
            raise _FormError(self.line(), "a number of too many digits") from err
        except RecursionError as err:
            raise _FormError(self.line(), "JSON nested too deep") from err
        return value


def _json_entries(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(line, fields by role) of each entry of a list, an object by term, or objects a line."""
    scanner = _Scanner(text)
    if scanner.peek() == "[":
        scanner.expect("[")
        while scanner.peek() != "]":
            yield scanner.line(), _fields(scanner.value())
            if scanner.peek() != "]":
                scanner.expect(",]")
        scanner.expect("]")
    elif _is_by_term(text):
        yield from _by_term(scanner)
    else:
        while scanner.peek():
            yield scanner.line(), _fields(scanner.value())
        return
    if scanner.peek():
        raise _FormError(scanner.line(), "more behind the end of the JSON")


def _is_by_term(text: str) -> bool:
    """Whether an object has entries or definitions by term, rather than being an entry itself."""
    scanner = _Scanner(text)
    scanner.expect("{")
    if scanner.peek() != '"':
        return True
    key = scanner.value()
    scanner.expect(":")
    return scanner.peek() == "{" or key not in _FIELD_NAMES


def _by_term(scanner: _Scanner) -> Iterator[tuple[int, Mapping[str, Any]]]:
    scanner.expect("{")
    while scanner.peek() != "}":
        line, term = scanner.line(), scanner.value()
        scanner.expect(":")
        value = scanner.value()
        if isinstance(value, dict):
            yield line, {"term": term, **_fields(value)}
        else:
            role = "aliases" if isinstance(value, list) else "definition"
            yield line, {"term": term, role: value}
        if scanner.peek() != "}":
            scanner.expect(",}")
    scanner.expect("}")


def _fields(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        return {"problem": "no object with term, aliases, definition; left out"}
    return {
        role: value[name]
        for role, names in _ROLES.items()
        for name in reversed(names)
        if name in value and value[name] is not None
    }


# --------------------------------------------------------------------------------------------- rows


def _row(entry: Mapping[str, Any], line: int) -> tuple[GlossaryRow | None, list[str]]:
    """An entry as a row, and what is wrong with it; no row where nothing of it can be used."""
    if "problem" in entry:
        return None, [entry["problem"]]
    problems: list[str] = []
    term, definition = entry.get("term", ""), entry.get("definition", "")
    listed = entry.get("aliases", [])
    listed = listed if isinstance(listed, list) else _listed_aliases(str(listed))
    if not all(isinstance(text, str) for text in (term, definition, *listed)):
        return None, ["a field that is no text; left out"]
    term, meaning = collapse(term), CONTROLS.sub("\ufffd", collapse(definition))
    aliases = []
    for alias in filter(None, map(collapse, listed)):
        if _is_name(alias):
            aliases.append(alias)
        else:
            problems.append(f"an alias {_NO_NAME}")
    if not _is_name(term):
        is_blank = not (term or aliases or meaning)
        return None, [] if is_blank else [f"no term, or one {_NO_NAME}"]
    if len(meaning) > MAX_DEFINITION:
        problems.append(f"a definition of more than {MAX_DEFINITION:,} characters; cut there")
        meaning = meaning[:MAX_DEFINITION]
    return GlossaryRow(term, tuple(dict.fromkeys(aliases)), meaning, line), problems


def _listed_aliases(text: str) -> list[str]:
    return text.replace("|", ";").split(";")


def _is_name(text: str) -> bool:
    return (
        len(text) <= MAX_NAME
        and any(c.isalnum() for c in text)
        and bool(entity_key(text))
        and not CONTROLS.search(text)
    )


def _double_meanings(rows: Sequence[GlossaryRow]) -> list[str]:
    """Notes on names of several things, with their lines, and on aliases in a circle."""
    found = resolve(rows)
    lines: dict[str, list[int]] = {}
    for row in rows:
        for key in {entity_key(row.term), *map(entity_key, row.aliases)}:
            lines.setdefault(key, []).append(row.line)
    notes = [
        f"{cut(key, 60)!r} stands for several things"
        f" ({', '.join(cut(t, 40) for t in terms[:_MAX_SHOWN])}; lines"
        f" {', '.join(map(str, lines[key][:_MAX_SHOWN]))}); it is left apart"
        for key, terms in sorted(found.ambiguous.items())
    ]
    for circle in found.circles:
        shown = [repr(cut(term, 60)) for term in circle[:_MAX_SHOWN]]
        more = f" and {len(circle) - _MAX_SHOWN} more" if len(circle) > _MAX_SHOWN else ""
        notes.append(
            f"{' and '.join(shown)} are aliases of each other; they are one"
            if len(circle) == 2
            else f"{', '.join(shown)}{more} are aliases in a circle; they are one"
        )
    num_more = len(notes) - 2 * _MAX_SHOWN
    if num_more > 0:
        notes[2 * _MAX_SHOWN :] = [f"and {num_more} more names of several things or in a circle"]
    return notes
