"""What else a JSON file says beside its segments: names by ids, and records of other kinds."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import collapse
from dynagrag.ingest.load.field_names import PEOPLE_STEMS, PERSON_NAME, TEXT, field_name
from dynagrag.ingest.load.json_records import (
    text_key,
    view_of,
    words_in,
)

_CHANNEL = "channel "
_MAX_DEPTH, _MAX_NAME, _MAX_KINDS = 12, 60, 20
_KIND_KEYS = frozenset("type ev event kind eventtype op action".split())
_HALF = 0.5
"""The share of the words of the kind with most that one with another key for them must have."""


def with_names(turns: Sequence[SourceTurn], data: Any) -> tuple[SourceTurn, ...]:
    """The turns with speakers' names for their ids and channels, as the file lists them elsewhere;
    an id without a name stays.
    """
    ids = {own.speaker.removeprefix(_CHANNEL) for own in turns if own.speaker}
    names = names_of(data, ids)
    return tuple(
        replace(own, speaker=names.get(own.speaker.removeprefix(_CHANNEL), own.speaker))
        if own.speaker
        else own
        for own in turns
    )


def names_of(data: Any, ids: Collection[str]) -> dict[str, str]:
    """Names by ids: of the object or the objects of a list that have most of those ids, each with a
    name of its own. Ids that are numbers count only in what is called speakers or the like.
    """
    best: dict[str, str] = {}
    tables: dict[str, dict[str, set[str]]] = {}
    for path, id_, name in _named(data, ids):
        tables.setdefault(path, {}).setdefault(id_, set()).add(name)
    for path, found in tables.items():
        names = {id_: next(iter(own)) for id_, own in found.items() if len(own) == 1}
        is_of_people = any(word in path.casefold() for word in PEOPLE_STEMS)
        is_own = len(set(names.values())) == len(names) and (len(names) > 1 or len(ids) == 1)
        if is_of_people or (is_own and not all(map(str.isdigit, names))):
            best = max(best, names, key=len)
    return best


def _named(data: Any, ids: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """(path, id, name) of each place in a file that has both."""
    to_see: list[tuple[str, Any, int]] = [("", data, 0)]
    while to_see:
        path, value, depth = to_see.pop()
        if depth > _MAX_DEPTH:
            continue
        if isinstance(value, list):
            to_see += [(path, own, depth + 1) for own in reversed(value)]
            continue
        if not isinstance(value, dict):
            continue
        name = "" if _is_said(value) else _name_in(value)
        for key, own in value.items():
            inner = f"{path}.{key}"
            if key in ids and isinstance(own, str | dict):
                called = own if isinstance(own, str) else _name_in(own)
                if called and called.strip():
                    yield path, key, collapse(called)[:_MAX_NAME]
            elif name and isinstance(own, str | int) and str(own) in ids and str(own) != name:
                yield path, str(own), name
            to_see.append((inner, own, depth + 1))


def _is_said(record: Mapping[str, Any]) -> bool:
    """Whether a record has words of a talk."""
    view = {field_name(key): own for key, own in record.items()}
    return any(
        isinstance(view[key], str) for key in TEXT.found_in(view) if key not in PERSON_NAME.names
    )


def _name_in(record: Mapping[str, Any]) -> str:
    """Somebody's name in a record, "" for one without."""
    view = {field_name(key): own for key, own in record.items()}
    keys = [key for key in PERSON_NAME.names if key in view and key != "id"]
    keys += [key for key in view if any(word in key for word in PERSON_NAME.words)]
    named = (view[key] for key in keys if isinstance(view[key], str))
    name = next((own for own in named if own.strip()), "")
    return collapse(name)[:_MAX_NAME]


def of_one_kind(values: list[Any]) -> tuple[list[Any], str]:
    """A list's records without those of kinds that hardly say anything, as the log of a meeting has
    (joined, left), and a note of them.
    """
    objects = [value for value in values if isinstance(value, dict)]
    key = next(
        (
            own
            for own in (objects[0] if objects else {})
            if field_name(own) in _KIND_KEYS
            and all(isinstance(value.get(own), str) for value in objects)
        ),
        None,
    )
    kinds = Counter(value[key] for value in objects) if key is not None else Counter[str]()
    if not 1 < len(kinds) <= _MAX_KINDS:
        return values, ""
    words, keys = Counter[str](), dict[str, set[str | None]]()
    for value in objects:
        words[value[key]] += len(words_in(value))
        keys.setdefault(value[key], set()).add(text_key(view_of(value)))
    (best, most), *_ = words.most_common(1)
    left = [
        own for own in kinds if words[own] < _HALF * most and not keys[own] & keys[best] - {None}
    ]
    if not left:
        return values, ""
    kept = [value for value in objects if value[key] not in left]
    told = ", ".join(f"{kinds[kind]} {collapse(kind)[:30]}" for kind in left[:4])
    return kept, f"records of other kinds left out: {told}"
