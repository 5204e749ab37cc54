"""JSON transcripts of recognisers, meeting tools, podcasts, courts and programs.

Where the segments lie is a table (`json_places`). What a segment says is read by one vocabulary
(`json_records`), its unit of time is told from the data (`times`), and words with times are
gathered into turns (`spoken_words`).
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import LabelDecision, SourceTurn
from dynagrag.core.text import collapse, plural, short
from dynagrag.graph_store.derived.speaker_roles import MAX_ROLE, ROLES_KEY, roles_text
from dynagrag.ingest.load.captions import with_labels
from dynagrag.ingest.load.field_names import TEXT, field_name
from dynagrag.ingest.load.field_turns import turns_in_field, with_leading_times
from dynagrag.ingest.load.html_text import html_lines, is_markup, read_field
from dynagrag.ingest.load.json_guesses import recurring_note, with_guesses
from dynagrag.ingest.load.json_people import of_one_kind, with_names
from dynagrag.ingest.load.json_places import (
    FEW_PAIRS,
    MOST_WORDS,
    FoundRecords,
    check_empty,
    known_records,
    listed_records,
    lists_in,
    rows_in,
    searched_records,
    wrapped_records,
)
from dynagrag.ingest.load.json_records import (
    JsonPart,
    JsonRecord,
    has_words,
    read_record,
    seconds_of,
    view_of,
    with_replies,
)
from dynagrag.ingest.load.json_speaker_spans import speaker_spans, speaker_within, with_speakers
from dynagrag.ingest.load.parsed import (
    DATE_KEY,
    MAX_TURN_CHARS,
    MEDIA_KEY,
    Parsed,
    is_address,
    speaker_or_none,
    split_lines,
    without_tags,
)
from dynagrag.ingest.load.prose import parse_text
from dynagrag.ingest.load.spoken_words import (
    MAX_WORDS,
    SpokenPiece,
    SpokenWord,
    covers,
    letters,
    pieces_of,
)
from dynagrag.ingest.load.tables import has_times, parse_table
from dynagrag.ingest.load.times import TimedWords, from_first, oldest_first, unit_note, unit_of

KNOWN_SHAPES = (
    "a list of {speaker, start, end, text}, or an object with turns (Oyez), segments (Podcasting"
    " 2.0, WhisperX, OpenAI), utterances (AssemblyAI) or what other recognisers write"
    " (docs/files.md)"
)
_WHOLE_KEYS = "text transcript fulltranscript transcription stttranscript content html body".split()
_MEDIA_KEYS = ("media_url", "audio_url", "webpage_url")
_UNKNOWN = "an unknown JSON form"
_GUESSED = frozenset({"turns-json", "other-json"})
"""Forms of any program, whose keys may be its own."""
_BRACES = re.compile(r"[{}]")
_MAX_OTHERS = 4
_SAMPLE_RECORDS, _MAX_TIME = 20, 40
_LOOKS_TIMED = re.compile(r"(?<!\d)\d{1,2}:\d\d(?!\d)")


def parse_json(text: str) -> Parsed:
    """The turns of a JSON transcript (or of JSON lines).

    Raises:
        LoadError: Malformed JSON (line and column), a known form with a bad record (its place), or
        no transcript (the keys found).
    """
    data = _data(text)
    parsed = parse_data(data)
    # Where the recording is, as AssemblyAI and yt-dlp's own JSON have it.
    found = [data.get(key) for key in _MEDIA_KEYS] if isinstance(data, dict) else []
    address = next((url for url in found if isinstance(url, str) and is_address(url)), "")
    return replace(parsed, meta=parsed.meta | {MEDIA_KEY: address}) if address else parsed


def _data(text: str) -> Any:
    try:
        return _loads(text)
    except json.JSONDecodeError as err:
        if err.msg == "Extra data":
            with suppress(ValueError, RecursionError):
                return [_loads(line) for line in text.split("\n") if line.strip()]
        raise LoadError(
            f"malformed JSON at line {err.lineno}, column {err.colno}: {err.msg}; correct it or"
            " export it again"
        ) from err
    except RecursionError as err:
        raise LoadError("malformed JSON: nested too deeply; export it again") from err
    except ValueError as err:
        raise LoadError(
            f"malformed JSON: {short(str(err), 100)}; correct it or export it again"
        ) from err


def _loads(text: str) -> Any:
    """JSON in which NaN and Infinity are null."""
    return json.loads(text, parse_constant=lambda name: None)


def parse_data(data: Any) -> Parsed:
    """The turns of what a JSON file holds. LoadError as `parse_json` raises it."""
    if not isinstance(data, dict | list):
        raise LoadError(f"not a transcript: a JSON {type(data).__name__}; known are {KNOWN_SHAPES}")
    every, kinds = data, ""
    if isinstance(data, list):
        data, kinds = of_one_kind(data)
    found = known_records(data)
    notes: tuple[str, ...] = (kinds,) if kinds else ()
    if found is None:
        check_empty(data)
        searched = searched_records(data)
        if searched is None:
            return _as_table(data, every) or _by_values(data) or _only_text(data)
        found = wrapped_records(data, searched) or searched
        if found is searched:
            notes += (f"an unknown JSON form: read from {_shown(found.path)}",)
            if found.others:
                others = ", ".join(map(_shown, found.others[:_MAX_OTHERS]))
                notes += (f"other lists with words are left out: {others}",)
    parsed = _read(found, every)
    return replace(parsed, notes=notes + parsed.notes, format=found.name)


def _as_table(records: Any, data: Any) -> Parsed | None:
    """Records or columns whose keys nobody knows, by what their values are; None for others.
    `data`: the whole file, which may list names.
    """
    rows = rows_in(records)
    if rows is None or not has_times(rows):
        return None
    parsed = parse_table(list(enumerate(rows, 1)), ",")
    notes = [_UNKNOWN, *parsed.notes]
    if not any(turn.speaker for turn in parsed.turns):
        notes += recurring_note(rows)
    turns = with_names(parsed.turns, data)
    return replace(parsed, turns=turns, notes=tuple(notes), format="other-json")


def _by_values(data: Any) -> Parsed | None:
    """The longest list within a file, whose keys don't say who speaks or when, where its values do;
    None where they don't either.
    """
    for path, values in _longest_lists(data)[:_MAX_OTHERS]:
        note = f"an unknown JSON form: read from {_shown(path)}"
        found = listed_records(path, values, data)
        parsed = None
        with suppress(LoadError):  # a list of other things: the refusal names the file's keys
            parsed = _as_table(values, data) if found is None else _read(found, data)
        if parsed is not None and any(
            own.speaker or own.start_s is not None for own in parsed.turns
        ):
            others = [own for own in parsed.notes if own != _UNKNOWN]
            return replace(parsed, notes=(note, *others), format="other-json")
    return None


def _longest_lists(data: Any) -> list[tuple[str, list[Any]]]:
    """The lists of objects within a file by their paths, longest first; those of one path, as of
    chapters, are one.
    """
    lists: dict[str, list[Any]] = {}
    for path, values in lists_in(data):
        lists.setdefault(path, []).extend(values)
    return sorted(lists.items(), key=lambda own: len(own[1]), reverse=True)


def _remedy(data: Any) -> str:
    """What a file has that may be its turns, and what its keys should be; "" where it has none."""
    longest = next((own for own in _longest_lists(data) if len(own[1]) > 1), None)
    if longest is None:
        return ""
    keys = dict.fromkeys(key for own in longest[1] if isinstance(own, dict) for key in own)
    return (
        f"the longest list is {_shown(longest[0])} with keys {_keys(keys)}: rename those of who"
        " speaks, when and what to speaker, start and text, or save it as CSV; "
    )


def _only_text(data: Any) -> Parsed:
    """A file whose text is all that there is; LoadError for what is no transcript."""
    if isinstance(data, dict):
        inner = next((data[key] for key in ("results", "result") if key in data), None)
        for value in (data, inner if isinstance(inner, dict) else {}):
            view = view_of(value)
            for key in _WHOLE_KEYS:
                if isinstance(view.get(key), str) and view[key].strip():
                    name = "assemblyai-json" if "utterances" in view else "text-json"
                    what = "utterances" if "utterances" in view else "segments"
                    return _of_text(view[key], name, f"no {what}")
        raise LoadError(
            f"not a transcript: its keys are {_keys(data)}; {_remedy(data)}known are {KNOWN_SHAPES}"
        )
    first = data[0]
    found = (
        f"records with the keys {_keys(first)}"
        if isinstance(first, dict)
        else f"a list of {type(first).__name__}"
    )
    raise LoadError(f"not a transcript: {found}; {_remedy(data)}known are {KNOWN_SHAPES}")


def _of_text(text: str, name: str, lack: str) -> Parsed:
    """A text that is all that a file has: HTML, lines with names or times, or one turn."""
    lines = html_lines(text) if is_markup(text) else text
    parsed = parse_text(split_lines(lines))
    if len(parsed.turns) > 1:
        what = "is read as a text file is"
    else:
        parsed, what = Parsed((SourceTurn(collapse(lines)),)), "is one turn"
    return replace(parsed, notes=(f"{lack}: its text {what}", *parsed.notes), format=name)


# ------------------------------------------------------------------------------- What segments say


def _read(found: FoundRecords, data: Any) -> Parsed:
    stem = found.path.removesuffix("[]") or "turns"
    values = with_replies(_last_of_turns(found.records))
    records = [
        read_record(value, stem if found.path == "." else f"{stem}[{number}]", around)
        for number, (value, around) in enumerate(values)
    ]
    notes = list[str]()
    if found.name in _GUESSED or not any(map(_is_placed, records)):
        records, notes = with_guesses([value for value, _ in values], records)
    if any(own.is_final for own in records):
        num_all = len(records)
        records = [own for own in records if own.is_final]
        if len(records) < num_all:
            notes.append(f"{plural(num_all - len(records), 'interim result')} left out")
    records, is_whole = _without_retold(records), found.is_whole
    if not found.form.is_captions and _are_words(records):
        records, is_whole = _gathered(records), True
    turns, notes_of_turns = _turns_of(records, found, data, is_whole=is_whole)
    labels: tuple[LabelDecision, ...] = ()
    inner = _whole_transcripts(records)
    if inner:
        turns, notes_of_turns = inner, ["each of its texts is read as a transcript"]
    called = with_names(turns, data)
    in_order = _by_start(called) if found.path.endswith("{}") else oldest_first(called)
    moved, notes_of_dates = from_first(in_order)
    notes += [*notes_of_turns, *notes_of_dates]
    if not found.is_whole:
        moved = with_leading_times(moved, notes)
        moved, labels = with_labels(moved, notes)
    num_empty = sum(not turn.text for turn in moved)
    if num_empty:
        notes.append(f"{plural(num_empty, 'empty turn')} left out")
    notes += _missed_times(values, moved)
    num_told = sum(len(turn.text.split()) for turn in moved)
    num_whole = len(_whole_text(found.data).split())
    if num_told < MOST_WORDS * num_whole:
        notes.append(
            f"its whole text has {num_whole:,} words, its segments {num_told:,}: only those are"
            " read"
        )
    num_annotations = found.name == "mission-json" and sum(
        "annotations" in value or "tokens" in value for value, _ in values
    )
    if num_annotations:
        notes.append(f"editors' annotations of {plural(num_annotations, 'turn')} left out")
    roles = _roles([value for value, _ in values])
    date = _date_of(data)
    return Parsed(
        moved,
        labels=labels,
        title=_title_of(data, found.name),
        notes=tuple(notes),
        meta=({ROLES_KEY: roles_text(roles)} if roles else {}) | ({DATE_KEY: date} if date else {}),
    )


def _is_placed(record: JsonRecord) -> bool:
    """Whether a record says who spoke or when, itself or in its parts."""
    own = (record.speaker, record.channel, record.start)
    return any(own) or any(part.speaker or part.start for part in record.parts)


def _whole_transcripts(records: Sequence[JsonRecord]) -> list[SourceTurn]:
    """The turns of texts each of which is a transcript, in records without speakers and parts."""
    if any(own.speaker or own.parts for own in records):
        return []
    found = [turns_in_field(own.text) for own in records if own.text.strip()]
    return [turn for turns in found for turn in turns] if found and all(found) else []


def _by_start(turns: Sequence[SourceTurn]) -> Sequence[SourceTurn]:
    """Turns of an object of objects, which has no order, by time where all have one."""
    if any(turn.start_s is None for turn in turns):
        return turns
    return sorted(turns, key=lambda turn: turn.start_s or 0.0)


def _last_of_turns(
    records: Sequence[tuple[Any, Mapping[str, Any]]],
) -> Sequence[tuple[Any, Mapping[str, Any]]]:
    """Of streamed results those that stand: turns come again as they grow, under one number, and
    OpenAI's segments once more as a whole.
    """
    segments = [own for own in records if _kind(own[0]) == "transcript.text.segment"]
    if segments:
        return segments
    if not any(isinstance(value, dict) and "turn_order" in value for value, _ in records):
        return records
    last = {
        str(value.get("turn_order")) if isinstance(value, dict) else "": (value, around)
        for value, around in records
        if has_words(value)
    }
    return list(last.values())


def _missed_times(
    values: Sequence[tuple[Any, Mapping[str, Any]]], turns: Sequence[SourceTurn]
) -> list[str]:
    """A note on values that look like times where no turn has one."""
    if any(turn.start_s is not None for turn in turns):
        return []
    for value, _ in values[:_SAMPLE_RECORDS]:
        for key, own in value.items() if isinstance(value, dict) else ():
            is_short = isinstance(own, str) and len(own) < _MAX_TIME
            if is_short and field_name(key) not in TEXT and _LOOKS_TIMED.search(own):
                return [f"no time taken, though its records have {collapse(key)[:40]} ({own})"]
    return []


def _kind(value: Any) -> Any:
    return value.get("type") if isinstance(value, dict) else None


def _without_retold(records: list[JsonRecord]) -> list[JsonRecord]:
    """Google tells speakers in a last result that has all words once more: only it is kept, with
    the text of those before.
    """
    if len(records) < 2 or not any(part.speaker for part in records[-1].parts):
        return records
    *before, last = records
    text = " ".join(collapse(own.text) for own in before)
    again = letters("".join(part.text for part in last.parts))
    if letters(text) != again or (last.text.strip() and letters(last.text) != again):
        return records
    return [replace(last, text=text, start=None, end=None)]


def _are_words(records: Sequence[JsonRecord]) -> bool:
    """Whether each record is a single word with a time."""
    filled = [own for own in records if own.text.strip()]
    return (
        len(filled) > 1
        and all(own.start is not None or own.is_sign for own in filled)
        and not any(own.parts for own in filled)
        and sum(len(own.text.split()) > 1 for own in filled) <= FEW_PAIRS * len(filled)
    )


def _gathered(records: Sequence[JsonRecord]) -> list[JsonRecord]:
    """A record of all words for each channel."""
    by_channel: dict[str | None, list[JsonPart]] = {}
    for own in records:
        part = JsonPart(own.text, own.speaker, own.start, own.end, own.duration, own.is_sign)
        by_channel.setdefault(own.channel, []).append(part)
    return [
        JsonRecord("words", "", None, channel, None, None, None, parts=tuple(parts))
        for channel, parts in by_channel.items()
    ]


def _turns_of(
    records: Sequence[JsonRecord],
    found: FoundRecords,
    data: Any,
    *,
    is_whole: bool,
) -> tuple[list[SourceTurn], list[str]]:
    """The records' turns, and notes."""
    texts = ((own, own.text or " ".join(part.text for part in own.parts)) for own in records)
    times = _plain_times(texts, found.form.hint_s)
    parts = ((part, part.text) for own in records for part in own.parts)
    part_times = _plain_times(parts, found.form.hint_s)
    unit_s, part_unit_s = unit_of(*times), unit_of(*part_times)
    is_named = any(own.speaker or any(p.speaker for p in own.parts) for own in records)
    spans = (
        []
        if is_named
        else speaker_spans(
            data, found, part_unit_s if any(own.parts for own in records) else unit_s
        )
    )
    notes = list(unit_note(unit_s, times[1]) or unit_note(part_unit_s, part_times[1]))
    turns: list[tuple[str | None, SourceTurn]] = []
    num_lost = 0
    for record in records:
        words = with_speakers(_words_of(record, part_unit_s), spans)
        pieces, is_lost = _pieces(record, words, unit_s, is_whole=is_whole)
        num_lost += is_lost
        for piece in pieces:
            text = _BRACES.sub("", piece.text) if found.name == "mission-json" else piece.text
            text, shown_s = (
                (without_tags(text), None) if found.form.is_captions else read_field(text)
            )
            if len(text) > MAX_TURN_CHARS:
                raise LoadError(
                    f"a turn is {len(text):,} characters long, at most {MAX_TURN_CHARS:,} can be"
                    " read; split it at its speakers"
                )
            start_s = shown_s if piece.start_s is None else piece.start_s
            speaker = speaker_or_none(piece.speaker) or speaker_within(start_s, piece.end_s, spans)
            turn = SourceTurn(collapse(text), speaker, start_s, piece.end_s)
            turns.append((record.channel, turn))
    if num_lost:
        notes.append(
            f"speakers and times of {plural(num_lost, 'segment')} left out: its single words"
            " aren't those of its text"
        )
    return _by_channel(turns), notes


def _plain_times(
    timed: Iterable[tuple[JsonRecord | JsonPart, str]], hint_s: float | None
) -> tuple[list[TimedWords], list[float | None]]:
    """The plain numbers of records or words, and the units that their keys suggest."""
    spans, hints = [], list[float | None]()
    for own, text in timed:
        start = own.start
        if start is None or start.is_sure:
            continue
        end = own.end.value if own.end is not None and not own.end.is_sure else None
        if end is None and own.duration is not None and not own.duration.is_sure:
            end = start.value + own.duration.value
        spans.append(TimedWords(text, start.value, end))
        hints.append(start.hint_s or hint_s)
    return spans, hints


def _words_of(record: JsonRecord, unit_s: float) -> list[SpokenWord]:
    return [
        SpokenWord(
            part.text, part.speaker or record.speaker, *seconds_of(part, unit_s), part.is_sign
        )
        for part in record.parts
    ]


def _pieces(
    record: JsonRecord, words: list[SpokenWord], unit_s: float, *, is_whole: bool
) -> tuple[list[SpokenPiece], bool]:
    """A record's pieces, and whether its words' speakers and times couldn't be used."""
    text = record.text if record.text.strip() else ""
    speakers = {word.speaker for word in words if word.speaker is not None}
    speaker = record.speaker or (next(iter(speakers)) if len(speakers) == 1 else None)
    is_mixed = record.speaker is None and len(speakers) > 1
    is_long = not text and len(words) > MAX_WORDS
    is_lost = False
    if words and (is_whole or is_mixed or is_long):
        if covers(words, text):
            return pieces_of(words, text), False
        is_lost = True
    pieces = [] if text else pieces_of(words)
    start, end = seconds_of(record, unit_s)
    first = next((word.start_s for word in words if word.start_s is not None), None)
    spoken = (word for word in reversed(words) if word.text.strip())
    last = next((word.end_s for word in spoken if word.end_s is not None), None)
    return [
        SpokenPiece(
            text or " ".join(piece.text for piece in pieces),
            speaker,
            first if start is None else start,
            end if end is not None or is_lost else last,
        )
    ], is_lost


def _by_channel(turns: Sequence[tuple[str | None, SourceTurn]]) -> list[SourceTurn]:
    """The turns in time. With several channels, a channel is the speaker where nothing else tells
    one, and parts speakers who have the same number in two.
    """
    channels = {channel for channel, _ in turns if channel is not None}
    if len(channels) < 2:
        return [turn for _, turn in turns]
    seen: dict[str, set[str | None]] = {}
    for channel, turn in turns:
        if turn.speaker is not None:
            seen.setdefault(turn.speaker, set()).add(channel)
    made = []
    for channel, turn in turns:
        own = turn.speaker
        where = f"channel {channel}" if channel and channel.isdigit() else channel
        if not seen:
            own = where
        elif own is not None and len(seen[own]) > 1 and _is_number(own):
            own = f"{own} ({where})"
        made.append(replace(turn, speaker=own))
    if all(turn.start_s is not None for turn in made):
        made.sort(key=lambda turn: turn.start_s or 0.0)
    return made


def _is_number(speaker: str) -> bool:
    """Whether a label only counts speakers: 0, A, spk_1."""
    return len(speaker) == 1 or speaker[-1].isdigit()


def _date_of(data: Any) -> str:
    """The day that a file says it is of, "" where it says none: ISO, or as a number since 1970."""
    body = data.get("data") if isinstance(data, dict) else None
    inner = body.get("transcript") if isinstance(body, dict) else None
    for value in (data, inner):
        date = value.get("date") if isinstance(value, dict) else None
        if isinstance(date, str) and re.match(r"\d{4}-\d\d-\d\d", date):
            return date[:10]
        if isinstance(date, int | float) and not isinstance(date, bool) and date > 1e9:
            with suppress(ValueError, OverflowError, OSError):
                since = date / 1000 if date > 1e11 else date
                return datetime.fromtimestamp(since, UTC).date().isoformat()
    return ""


def _whole_text(data: Any) -> str:
    """The text of a file as a whole, "" where it has none beside its segments."""
    view = view_of(data) if isinstance(data, dict) else {}
    texts = (view.get(key) for key in ("text", "fulltranscript", "transcript"))
    return next((text for text in texts if isinstance(text, str)), "")


def _title_of(data: Any, name: str) -> str:
    if not isinstance(data, dict):
        return ""
    inner = data.get("transcript")
    if name == "oyez-json":
        first = inner.get("title") if isinstance(inner, dict) else data.get("case")
        return _title(first, data.get("title"))
    body = data.get("data")
    nested = body.get("transcript") if isinstance(body, dict) else inner
    return _title(data.get("title")) or (
        _title(nested.get("title")) if isinstance(nested, dict) else ""
    )


def _roles(records: Sequence[Any]) -> dict[str, str]:
    """Each speaker's role, as the records state it; a speaker with two roles gets none."""
    found: dict[str, set[str]] = {}
    for record in records:
        speaker = record.get("speaker") if isinstance(record, dict) else None
        role = record.get("role") if isinstance(record, dict) else None
        if isinstance(speaker, dict):
            listed = speaker.get("roles")
            first = listed[0] if isinstance(listed, list) and listed else None
            role, speaker = (
                first.get("role_title") if isinstance(first, dict) else role,
                speaker.get("name"),
            )
        if (
            isinstance(speaker, str)
            and isinstance(role, str)
            and 0 < len(collapse(role)) <= MAX_ROLE
            and collapse(speaker)
        ):
            found.setdefault(collapse(speaker), set()).add(collapse(role))
    return {speaker: next(iter(roles)) for speaker, roles in found.items() if len(roles) == 1}


def _title(*parts: Any) -> str:
    return ": ".join(collapse(part) for part in parts if isinstance(part, str) and part.strip())


def _shown(path: str) -> str:
    """A path for a note."""
    return collapse(path)[:80]


def _keys(data: Mapping[str, Any]) -> str:
    keys = [collapse(str(key))[:40] for key in data]
    more = f" and {len(keys) - 8} more" if len(keys) > 8 else ""
    return ", ".join(keys[:8]) + more if keys else "none"
