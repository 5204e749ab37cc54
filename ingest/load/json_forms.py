"""JSON transcripts: Podcasting 2.0, WhisperX, AssemblyAI, Oyez (both forms), mission loops, and
plain lists of turns.

All of them are a list of records with a text, mostly a speaker and times, under other names; one
model reads them all.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import AliasChoices, BaseModel, Field, ValidationError, field_validator

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import any_seconds, collapse, plural, short
from dynagrag.graph_store.derived.speaker_roles import MAX_ROLE, ROLES_KEY, roles_text
from dynagrag.ingest.load.parsed import (
    MAX_TURN_CHARS,
    MEDIA_KEY,
    Parsed,
    is_address,
    speaker_or_none,
)

_MEDIA_KEYS = ("media_url", "audio_url", "webpage_url")
KNOWN_SHAPES = (
    "a list of {speaker, start, end, text}, or an object with turns (Oyez), segments (Podcasting"
    " 2.0, WhisperX) or utterances (AssemblyAI)"
)
_TEXT_KEYS = ("text", "body", "message", "transcript", "content", "utterance")
_BRACES = re.compile(r"[{}]")


class _Record(BaseModel):
    """One turn as any of the known forms has it. Times in the form's own unit."""

    text: str | None = Field(default=None, validation_alias=AliasChoices(*_TEXT_KEYS))
    text_blocks: list["_Record"] | None = None
    speaker: str | None = Field(
        default=None,
        validation_alias=AliasChoices("speaker", "source", "speaker_name", "speakerName", "name"),
    )
    start: float | None = Field(
        default=None,
        validation_alias=AliasChoices("start", "startTime", "start_time", "start_s", "begin"),
    )
    end: float | None = Field(
        default=None, validation_alias=AliasChoices("end", "endTime", "end_time", "end_s", "stop")
    )

    @field_validator("speaker", mode="before")
    @classmethod
    def _name(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            value = value.get("name")
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("start", "end", mode="before")
    @classmethod
    def _seconds(cls, value: Any) -> Any:
        if isinstance(value, str):
            seconds = any_seconds(value)
            if seconds is None and value.strip():
                raise ValueError("is no time")
            return seconds
        return value

    @property
    def words(self) -> str:
        """The text, or that of its blocks."""
        if self.text is None and self.text_blocks:
            return " ".join(block.words for block in self.text_blocks)
        return self.text or ""


def parse_json(text: str) -> Parsed:
    """The turns of a JSON transcript (or of JSON lines).

    Raises:
        LoadError: Malformed JSON (line and column), a known form with a bad record (its place), or
        no transcript (the keys found).
    """
    try:
        data = _loads(text)
    except json.JSONDecodeError as err:
        data = None
        if err.msg == "Extra data":
            with suppress(ValueError, RecursionError):
                data = [_loads(line) for line in text.split("\n") if line.strip()]
        if data is None:
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
    parsed = _parsed(data)
    # Where the recording is, as AssemblyAI and yt-dlp's own JSON have it.
    found = [data.get(key) for key in _MEDIA_KEYS] if isinstance(data, dict) else []
    address = next((url for url in found if isinstance(url, str) and is_address(url)), "")
    return replace(parsed, meta=parsed.meta | {MEDIA_KEY: address}) if address else parsed


def _loads(text: str) -> Any:
    """JSON in which NaN and Infinity are null."""
    return json.loads(text, parse_constant=lambda name: None)


def _parsed(data: Any) -> Parsed:
    if isinstance(data, list):
        is_mission = _has_key(data, "source") and _has_key(data, "message")
        return _turns(data, "mission-json" if is_mission else "turns-json", "")
    if not isinstance(data, dict):
        raise LoadError(f"not a transcript: a JSON {type(data).__name__}; known are {KNOWN_SHAPES}")
    transcript = data.get("transcript")
    if isinstance(transcript, dict) and isinstance(transcript.get("sections"), list):
        turns: list[Any] = []
        for number, section in enumerate(transcript["sections"]):
            if not isinstance(section, dict) or not isinstance(section.get("turns"), list):
                raise LoadError(
                    f"transcript.sections[{number}] has no list of turns; export it again"
                )
            turns += section["turns"]
        return _turns(
            turns, "oyez-json", "turns", title=_title(transcript.get("title"), data.get("title"))
        )
    if isinstance(data.get("turns"), list):
        is_oyez = _has_key(data["turns"], "stop") or "case" in data
        return _turns(
            data["turns"],
            "oyez-json" if is_oyez else "turns-json",
            "turns",
            title=_title(data.get("case"), data.get("title")),
        )
    title = _title(data.get("title"))
    if isinstance(data.get("utterances"), list):
        return _turns(
            data["utterances"], "assemblyai-json", "utterances", unit_s=0.001, title=title
        )
    if isinstance(data.get("segments"), list):
        is_podcast = _has_key(data["segments"], "body") or _has_key(data["segments"], "startTime")
        form = "podcast-json" if is_podcast else "whisperx-json"
        return _turns(data["segments"], form, "segments", title=title)
    if "utterances" in data and isinstance(data.get("text"), str):
        return Parsed(
            (SourceTurn(collapse(data["text"])),),
            notes=("no utterances: its text is one turn",),
            format="assemblyai-json",
        )
    raise LoadError(f"not a transcript: its keys are {_keys(data)}; known are {KNOWN_SHAPES}")


def _turns(
    records: Sequence[Any], form: str, where: str, *, unit_s: float = 1.0, title: str = ""
) -> Parsed:
    if not records:
        raise LoadError(
            f"its list of {where or 'turns'} is empty; check that the transcription had finished"
        )
    if not any(_has_key(records, key) for key in (*_TEXT_KEYS, "text_blocks")):
        first = records[0]
        found = (
            f"records with the keys {_keys(first)}"
            if isinstance(first, dict)
            else f"a list of {type(first).__name__}"
        )
        raise LoadError(f"not a transcript: {found}; known are {KNOWN_SHAPES}")
    is_mission = form == "mission-json"
    turns = []
    for index, record in enumerate(records):
        read = _record(record, f"{where or 'turns'}[{index}]")
        words = _BRACES.sub("", read.words) if is_mission else read.words
        if len(words) > MAX_TURN_CHARS:
            raise LoadError(
                f"a turn is {len(words):,} characters long, at most {MAX_TURN_CHARS:,} can be read;"
                " split it at its speakers"
            )
        start, end = (None if value is None else value * unit_s for value in (read.start, read.end))
        turns.append(SourceTurn(collapse(words), speaker_or_none(read.speaker), start, end))
    num_annotations = is_mission and sum("annotations" in r or "tokens" in r for r in records)
    roles = _roles(records)
    notes = []
    num_empty = sum(not turn.text for turn in turns)
    if num_empty:
        notes.append(f"{plural(num_empty, 'empty turn')} left out")
    if num_annotations:
        notes.append(f"editors' annotations of {plural(num_annotations, 'turn')} left out")
    return Parsed(
        tuple(turns),
        title=title,
        notes=tuple(notes),
        format=form,
        meta={ROLES_KEY: roles_text(roles)} if roles else {},
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


def _record(record: Any, where: str) -> _Record:
    if not isinstance(record, dict):
        raise LoadError(
            f"{where} is {short(repr(record), 40)}, not an object with a text; correct it or export"
            " it again"
        )
    try:
        return _Record.model_validate(record)
    except ValidationError as err:
        first = err.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise LoadError(
            f"{where}.{name} {message} (found {short(str(first['input']), 40)}); correct it or"
            " export it again"
        ) from err


def _has_key(records: Sequence[Any], key: str) -> bool:
    return any(isinstance(record, dict) and key in record for record in records)


def _keys(data: Mapping[str, Any]) -> str:
    keys = [collapse(str(key))[:40] for key in data]
    more = f" and {len(keys) - 8} more" if len(keys) > 8 else ""
    return ", ".join(keys[:8]) + more if keys else "none"


def _title(*parts: Any) -> str:
    return ": ".join(collapse(part) for part in parts if isinstance(part, str) and part.strip())
