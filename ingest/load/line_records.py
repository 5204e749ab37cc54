"""Records in lines, `Speaker: Ann` above `Time: 0:12` above `Text: So`, as YAML and lists of fields
have them: rows of a table, where one field runs as times do.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from dynagrag.ingest.load.label_shapes import ends_sentence
from dynagrag.ingest.load.parsed import Parsed
from dynagrag.ingest.load.tables import has_times, parse_table

_FIELD = re.compile(
    r"[ \t]*(?P<dash>-[ \t]+)?(?P<key>[^\W\d][\w -]{0,30}?)[ \t]*:[ \t]+(?P<value>\S.*)"
)
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
