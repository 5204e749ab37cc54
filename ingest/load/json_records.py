"""A record of a JSON transcript as any tool writes it: its words, speaker, channel and times, and
the single words that it holds.

The one vocabulary of `field_names` reads them all. A view is a record's values by those names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from dynagrag.core.errors import LoadError
from dynagrag.core.text import short
from dynagrag.ingest.load.field_names import (
    CHANNEL,
    DAYS,
    DURATION,
    LOOSE_TIMES,
    PARTS,
    PERSON_NAME,
    SPEAKER,
    START,
    TEXT,
    FieldNames,
    field_name,
    start_and_end,
    unit_in,
)
from dynagrag.ingest.load.times import MILLI_S, Instant, instant_of

Json = Mapping[str, Any]

_FINAL_KEYS = {"isfinal": True, "final": True, "ispartial": False, "endofturn": True}
"""Keys of streamed results, and what they are when a result will not change any more."""
_NO_SPEAKERS = frozenset({"uu", "unknown", "none", "null"})
"""What recognisers write where they couldn't tell."""
_WITHIN = ("data", "speech", "content", "body", "message")
"""Objects in a record that say the rest of it."""
_ALTERNATIVES = ("alternatives", "nbest")
_LEAST_MILLISECONDS = 1e11
"""As milliseconds since 1970 a day of 1973, as seconds one of the year 5138."""


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A word or sign within a record. `is_sign`: punctuation that stands at the word before."""

    text: str
    speaker: str | None
    start: Instant | None
    end: Instant | None
    duration: Instant | None
    is_sign: bool


@dataclass(frozen=True, slots=True)
class JsonRecord:
    """One segment, or all the words of a file or channel, in the file's own unit."""

    place: str
    text: str
    speaker: str | None
    channel: str | None
    start: Instant | None
    end: Instant | None
    duration: Instant | None
    parts: tuple[JsonPart, ...] = ()
    is_final: bool = True
    is_sign: bool = False


def is_records(value: Any) -> TypeGuard[list[Any]]:
    """Whether it is a list with objects in it."""
    return isinstance(value, list) and any(isinstance(own, dict) for own in value)


def view_of(record: Json) -> dict[str, Any]:
    """A record's values by normal key, with those of its first alternative and of its channel
    object. A record's own values come first.
    """
    view: dict[str, Any] = {}
    for key, value in record.items():
        view.setdefault(field_name(key), value)
    inner = view.get("channel")
    if isinstance(inner, dict):
        view = {key: own for key, own in view.items() if key != "channel"} | {
            field_name(key): own for key, own in inner.items() if field_name(key) not in view
        }
    for name in _WITHIN:
        inner = view.get(name)
        if isinstance(inner, dict):
            more = {field_name(key): own for key, own in inner.items()}
            if has_one_of(more, TEXT, START, SPEAKER):
                view = more | {key: own for key, own in view.items() if key != name}
    kind = view.get("type")
    inner = view.get(field_name(kind)) if isinstance(kind, str) else None
    if isinstance(inner, dict):  # a line of an export of many kinds: {"type": "post", "post": {}}
        view |= {field_name(key): own for key, own in inner.items()}
    for name in _ALTERNATIVES:
        listed = view.get(name)
        if isinstance(listed, list) and listed and isinstance(listed[0], dict):
            best = {field_name(key): own for key, own in listed[0].items()}
            view = best | view
    return view


def has_one_of(view: Mapping[str, Any], *fields: FieldNames) -> bool:
    """Whether it has a value of one of the fields that isn't empty."""
    return any(
        value not in (None, "", [], {}) and any(key in own for own in fields)
        for key, value in view.items()
    )


def has_words(record: Any) -> bool:
    """Whether it has a text, or parts that have one, under a known key."""
    if not isinstance(record, dict):
        return False
    view = view_of(record)
    return text_key(view) is not None or bool(_parts_in(view))


def has_place(record: Any, *, is_own: bool = False) -> bool:
    """Whether a record with words says who spoke or when, under a known key; itself, or else in its
    parts.
    """
    view = view_of(record) if isinstance(record, dict) else {}
    if not is_own and any(has_place(own, is_own=True) for own in _parts_in(view)[:50]):
        return True
    return any(
        value is not None
        and (key in SPEAKER or key in {"timestamps", "offsets"} or (key in START and len(key) > 1))
        for key, value in view.items()
    )


def with_replies(
    records: Sequence[tuple[Any, Mapping[str, Any]]],
) -> list[tuple[Any, Mapping[str, Any]]]:
    """Records, each with the replies that it holds behind it."""
    made = list[tuple[Any, Mapping[str, Any]]]()
    for value, around in records:
        listed = view_of(value).get("replies") if isinstance(value, dict) else None
        replies = listed if isinstance(listed, list) else []
        made += [(value, around), *((own, {}) for own in replies if has_words(own))]
    return made


def words_in(record: Any) -> list[str]:
    """The words of a record's text, or of its parts."""
    if not isinstance(record, dict):
        return []
    view = view_of(record)
    key = text_key(view)
    if key is not None:
        return view[key].split() if isinstance(view[key], str) else []
    return [word for own in _parts_in(view) for word in words_in(own)]


def text_key(view: Mapping[str, Any]) -> str | None:
    """The key of a record's words, None for none."""
    found = TEXT.found_in(view)
    return next(
        (key for key in found if isinstance(view[key], str)),
        next((key for key in found if key in TEXT.names and key != "words"), None),
    )


def read_record(record: Any, place: str, around: Mapping[str, Any]) -> JsonRecord:
    """A record with what the objects around it say of it.

    Args:
        record: The object itself.
        place: Its path, for errors.
        around: Values of those objects by normal key; the record's own come first.

    Raises:
        LoadError: It is no object, its text is no text, or a time is none.
    """
    if not isinstance(record, dict):
        raise LoadError(
            f"{place} is {short(repr(record), 40)}, not an object with a text; correct it or export"
            " it again"
        )
    view = view_of(record)
    key = text_key(view)
    text = _joined(view[key]) if key is not None else None
    if text is not None and not isinstance(text, str):
        raise LoadError(
            f"{place}.{key} is {short(str(text), 40)}, not a text; correct it or export it again"
        )
    start, end = _times_of(view, place)
    return JsonRecord(
        place=place,
        text=text or "",
        speaker=speaker_of(view) or speaker_of(around),
        channel=_channel_of(view) or _channel_of(around),
        start=start,
        end=end,
        duration=_duration_of(view, place),
        parts=tuple(_parts(view, place)),
        is_final=not str(around.get("message", "")).startswith("AddPartial")
        and all(bool(view.get(key, expected)) is expected for key, expected in _FINAL_KEYS.items()),
        is_sign=_is_sign(view),
    )


def seconds_of(record: JsonRecord | JsonPart, unit_s: float) -> tuple[float | None, float | None]:
    """Start and end of a record or word in seconds, for a file that counts in this unit."""
    start = None if record.start is None else record.start.seconds(unit_s)
    if record.end is not None:
        return start, record.end.seconds(unit_s)
    if start is None or record.duration is None:
        return start, None
    return start, start + record.duration.seconds(unit_s)


def _joined(text: Any) -> Any:
    """A text in pieces, some of which are objects (links in a chat's export), as one."""
    if not isinstance(text, list) or not any(isinstance(own, dict) for own in text):
        return text
    every = [own.get("text") if isinstance(own, dict) else own for own in text]
    pieces = [own for own in every if isinstance(own, str)]
    return "".join(pieces) if len(pieces) == len(every) else text


def _is_sign(view: Mapping[str, Any]) -> bool:
    return view.get("type") in ("punctuation", "punct")


def speaker_of(view: Mapping[str, Any]) -> str | None:
    """The speaker that a view names."""
    for key in SPEAKER.found_in(view):
        label = label_of(view[key], is_tag=key == "speakertag")
        if label is None or (key == "from" and label.replace(".", "").isdigit()):
            continue
        return label
    return None


def label_of(value: Any, *, is_tag: bool = False) -> str | None:
    """A speaker's name or number as text; None where it names nobody."""
    if isinstance(value, Mapping):
        by_key = {field_name(key): own for key, own in value.items()}
        found = (label_of(by_key.get(key)) for key in PERSON_NAME.names)
        return next((label for label in found if label is not None), None)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        # Google's tags begin with 1; 0 is where nobody was told apart.
        return None if is_tag and value == 0 else str(value)
    if not isinstance(value, str) or not value.strip():
        return None
    return None if value.strip().casefold() in _NO_SPEAKERS else value


def _channel_of(view: Mapping[str, Any]) -> str | None:
    for key in CHANNEL.found_in(view):
        value = view[key]
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, int | str) and not isinstance(value, bool) and str(value).strip():
            return str(value)
    return None


def _times_of(view: Mapping[str, Any], place: str) -> tuple[Instant | None, Instant | None]:
    """Start and end, from where a record has them: clock times before plain numbers."""
    for name in ("timestamps", "timestamp", "offsets", "instances", "time"):
        pair = view.get(name)
        if name == "instances" and isinstance(pair, list) and pair:
            pair = pair[0]
        if isinstance(pair, Mapping):
            inner = {field_name(key): own for key, own in pair.items()}
            hint = {"offsets": MILLI_S}.get(name)
            start, end = (_time(inner, keys, place, hint) for keys in start_and_end(inner))
            if start is not None:
                return start, end
        if name == "timestamp" and isinstance(pair, list) and len(pair) == 2:
            inner = {"start": pair[0], "end": pair[1]}
            return _time(inner, ("start",), place), _time(inner, ("end",), place)
    starts, ends = start_and_end(view)
    return _time(view, starts, place), _time(view, ends, place)


def _duration_of(view: Mapping[str, Any], place: str) -> Instant | None:
    # A `length` is of a text as often as of time.
    return _time(view, [own for own in DURATION.found_in(view) if own != "length"], place)


def _time(
    view: Mapping[str, Any], keys: Sequence[str], place: str, hint_s: float | None = None
) -> Instant | None:
    found: Instant | None = None
    for key in keys:
        value = view[key]
        is_loose = key in LOOSE_TIMES
        if value is None or (is_loose and isinstance(value, list | dict)):
            continue
        try:
            instant = instant_of(value, hint_s or unit_in(key))
            instant = _since_1970(instant) if instant and key in DAYS else instant
        except ValueError as err:
            if is_loose:
                continue
            raise LoadError(
                f"{place}.{key} is no time (found {short(str(value), 40)}); correct it or export"
                " it again"
            ) from err
        if instant is not None and instant.is_sure:
            return instant
        found = found or instant
    return found


def _since_1970(instant: Instant) -> Instant:
    """A large number under a key for a day is a count since 1970, in milliseconds where seconds
    would be in some thousand years.
    """
    if instant.is_sure or instant.value < _LEAST_MILLISECONDS:
        return instant
    return Instant(instant.value * MILLI_S, is_sure=True)


def _parts_in(view: Mapping[str, Any]) -> list[Any]:
    """The list of a record's parts; empty where it has none with words."""
    for key in PARTS.found_in(view):
        listed = view[key]
        if not isinstance(listed, list) or not listed:
            continue
        if key == "tokens" and text_key(view) is not None:
            continue  # of a model, not of speech: "[_BEG_]"
        if any(_is_timed_word(own) or (isinstance(own, dict) and has_words(own)) for own in listed):
            return listed
    return []


def _is_timed_word(value: Any) -> bool:
    """Watson's form of a word: ["hello", 0.1, 0.5]."""
    return isinstance(value, list) and len(value) == 3 and isinstance(value[0], str)


def _parts(view: Mapping[str, Any], place: str) -> list[JsonPart]:
    parts: list[JsonPart] = []
    for number, own in enumerate(_parts_in(view)):
        here = f"{place}.words[{number}]"
        if _is_timed_word(own):
            own = {"text": own[0], "start": own[1], "end": own[2]}
        if not isinstance(own, dict):
            continue
        inner = view_of(own)
        key = text_key(inner)
        if key is None or not isinstance(inner[key], str):
            deeper = read_record(own, here, {})
            parts += deeper.parts
            continue
        start, end = _times_of(inner, here)
        parts.append(
            JsonPart(
                text=inner[key],
                speaker=speaker_of(inner),
                start=start,
                end=end,
                duration=_duration_of(inner, here),
                is_sign=_is_sign(inner),
            )
        )
    return parts
