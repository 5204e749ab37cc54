"""Records in lines, `Speaker: Ann` above `Time: 0:12` above `Text: So`, as YAML and lists of fields
have them: rows of a table, where one field runs as times do. And a record a line, as programs write
logs: `t0=3.1 spk=ann "So"`, where one field is a speaker's.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from dynagrag.core.text import plural, short
from dynagrag.ingest.load.field_names import SPEAKER, TEXT, field_name
from dynagrag.ingest.load.label_shapes import ends_sentence
from dynagrag.ingest.load.parsed import Parsed
from dynagrag.ingest.load.tables import has_times, parse_table

_FIELD = re.compile(
    r"[ \t]*(?P<dash>-[ \t]+)?(?P<key>[^\W\d][\w -]{0,30}?)[ \t]*:[ \t]+(?P<value>\S.*)"
)
_PAIR = re.compile(
    r"(?<![\w.=-])(?P<key>[A-Za-z_][\w.-]{0,30})="
    r"(?:\"(?P<quoted>(?:[^\"\\]|\\.){0,20000})\"|(?P<bare>[^\s\"=]+?)(?=[,;:|]?(?:\s|$)))"
)
_OF_SPEAKERS = ("speaker", "spk", "talker", "participant")
_SHARE, _BETWEEN = 0.8, "|:;,-–> \t"
_FEWEST, _MOST, _SENTENCES = 3, 0.9, 0.3


def parse_line_records(lines: Sequence[str]) -> Parsed | None:
    """The turns of records in lines, each with the same fields; None for another text."""
    records: list[dict[str, str]] = []
    last = ""
    num_filled = num_fields = 0
    for line in lines:
        if not any(map(str.isalnum, line)):  # blank, or a rule between records
            continue
        num_filled += 1
        match = _FIELD.fullmatch(line)
        if match is None:
            if records and line[:1].isspace() and last:
                records[-1][last] += f" {line.strip()}"
                num_fields += 1
            continue
        num_fields += 1
        last, value = match["key"], match["value"].strip("\"'")
        if not records or last in records[-1]:
            records.append({})
        records[-1][last] = value
    alike = [own for own in records if own.keys() == records[-1].keys()]
    keys = list(records[-1]) if records else []
    if len(alike) < _FEWEST or len(keys) < 2 or num_fields < _MOST * num_filled:
        return None
    # What stands above the first record, such as a title, is in it, too.
    rows = [keys, *([own.get(key, "") for key in keys] for own in records)]
    if len(alike) < len(records) - 1 or not has_times(rows):
        return None
    parsed = parse_table(list(enumerate(rows, 1)), ",")
    num_ended = sum(ends_sentence(turn.text) for turn in parsed.turns)
    if num_ended < _SENTENCES * len(parsed.turns):  # people and the years of their birth
        return None
    more = [key for key in records[0] if key not in keys]
    notes = [f"fields above the records left out: {', '.join(more[:4])}"] if more else []
    return replace(parsed, notes=(*notes, *parsed.notes), format="field-lines")


def parse_log_lines(lines: Sequence[str]) -> Parsed | None:
    """The turns of lines that are a record each, `key=value` with a speaker's among them and the
    words as a value or behind the last one; None for another text.
    """
    records: list[dict[str, str]] = []
    before = ""
    for line in filter(str.strip, lines):
        pairs = list(_PAIR.finditer(line))
        record = {own["key"]: _unquoted(own) for own in pairs}
        if pairs and any(map(_is_of_speakers, record)):
            words = line[pairs[-1].end() :].strip(_BETWEEN).strip('"“”')
            records.append(record | ({"text": words} if words else {}))
            before = before or line[: pairs[0].start()].strip(_BETWEEN)
    keys = list(records[0]) if records else []
    alike = [own for own in records if own.keys() == records[0].keys()]
    num_filled = sum(bool(line.strip()) for line in lines)
    is_few = len(alike) < max(_FEWEST, _SHARE * num_filled)
    if is_few or not any(field_name(key) in TEXT for key in keys):
        return None
    num_left = num_filled - len(alike)
    rows = [keys, *([own[key] for key in keys] for own in alike)]
    parsed = parse_table(list(enumerate(rows, 1)), ",")
    notes = [f"before its fields left out: {short(before, 40)}"] if before else []
    notes += [f"{plural(num_left, 'line')} with other fields left out"] if num_left else []
    return replace(parsed, notes=(*notes, *parsed.notes), format="log-lines")


def _unquoted(pair: re.Match[str]) -> str:
    quoted = pair["quoted"]
    return pair["bare"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)


def _is_of_speakers(key: str) -> bool:
    return field_name(key).startswith(_OF_SPEAKERS) and field_name(key) in SPEAKER
