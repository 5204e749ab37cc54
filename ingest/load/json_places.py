"""Where the segments of a JSON transcript lie.

A form is a row of `FORMS`: the places of its segments. What no row knows is looked for: the list of
objects with the most words that have a speaker or a time.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from dynagrag.core.errors import LoadError
from dynagrag.ingest.load.field_names import ABOVE, field_name
from dynagrag.ingest.load.json_records import (
    has_place,
    has_words,
    is_records,
    read_record,
    view_of,
    words_in,
)
from dynagrag.ingest.load.times import MILLI_S, TICK_S

_MAX_KEYS = 500
"""Of the records of a table."""
_MAX_INNER = 3
"""Objects within a record of a table."""
_MAX_DEPTH, _MAX_LISTS, _MAX_WRAPS = 12, 2_000, 3
"""Of the search for segments in a file of an unknown tool."""
FEW_PAIRS = 0.1
"""The share of single words that may be two (`New York`)."""
MOST_WORDS = 0.9
"""The share of the words of the best list that another one must have to be it."""
_NOT_SPEECH = re.compile(
    r"translat|summar|chapter|topic|highlight|entit|intent|action|keyword|sentiment|alternative",
    re.IGNORECASE,
)


_SAMPLE_S = 1 / 16_000
"""Otter counts samples of sound."""


@dataclass(frozen=True, slots=True)
class JsonForm:
    """Where a tool's JSON has its segments.

    Attributes:
        name: The format that users see.
        places: Paths such as `results.channels[].words[]`, best first; `*` is each value of an
            object, a path that ends without `[]` one object with all words of a file or channel.
        has: Keys of which a record must have one, for paths that others have as well; both of two
            with a space between.
        hint_s: The unit of plain numbers, where the data don't speak against it.
        speakers: Paths of records that say who spoke from when to when, for words that don't; the
            first that is there.
        is_captions: Cues, whose entities and tags are no words.
    """

    name: str
    places: tuple[str, ...]
    has: tuple[str, ...] = ()
    hint_s: float | None = None
    speakers: tuple[str, ...] = ()
    is_captions: bool = False


FORMS = (
    JsonForm("oyez-json", ("transcript.sections[].turns[]",)),
    JsonForm("oyez-json", ("turns[]",), has=("stop",)),
    JsonForm(
        "aws-json",
        ("results.audio_segments[]", "results.channel_labels.channels[]", "results"),
        has=("items", "transcript"),
        speakers=("results.speaker_labels.segments[].items[]", "results.speaker_labels.segments[]"),
    ),
    JsonForm("aws-json", ("Transcript[]",), has=("beginoffsetmillis",), hint_s=MILLI_S),
    JsonForm(
        "aws-json",
        (
            "Conversation.TranscriptSegments[]",
            "Transcript.Results[]",
            "[].Transcript.Results[]",
            "[].TranscriptEvent.Transcript.Results[]",
        ),
    ),
    JsonForm(
        "deepgram-json",
        (
            "results.utterances[]",
            "results.channels[].alternatives[0].paragraphs.paragraphs[]",
            "results.channels[]",
        ),
    ),
    JsonForm("deepgram-json", ("[]",), has=("channelindex", "speechfinal")),
    JsonForm("azure-json", ("recognizedPhrases[]",), hint_s=TICK_S),
    JsonForm("azure-json", ("phrases[]",), has=("offsetmilliseconds", "offset"), hint_s=MILLI_S),
    JsonForm("azure-json", ("[]", "."), has=("recognitionstatus", "displaytext"), hint_s=TICK_S),
    JsonForm("azure-json", ("videos[].insights.transcript[]", "insights.transcript[]")),
    JsonForm("speechmatics-json", ("results[]", "[].results[]"), has=("type",)),
    JsonForm("watson-json", ("results[]",), has=("timestamps",), speakers=("speaker_labels[]",)),
    JsonForm(
        "google-json",
        (
            "results[]",
            "response.results[]",
            "[].results[]",
            "results.*.transcript.results[]",
            "results.*.inlineResult.transcript.results[]",
        ),
        has=("alternatives",),
    ),
    JsonForm("rev-json", ("monologues[]",)),
    JsonForm(
        "fireflies-json",
        (
            "data.transcript.sentences[]",
            "data.transcripts[].sentences[]",
            "transcript.sentences[]",
            "sentences[]",
        ),
        has=("speakername", "sentence", "rawtext"),
    ),
    JsonForm("fireflies-json", ("[]",), has=("sentence",)),
    JsonForm(
        "gladia-json",
        (
            "result.transcription.utterances[]",
            "transcription.utterances[]",
            "payload.transcription.utterances[]",
            "prediction[]",
        ),
    ),
    JsonForm("whispercpp-json", ("transcription[]",)),
    JsonForm("youtube-json", ("events[]",), has=("segs",), hint_s=MILLI_S, is_captions=True),
    JsonForm("youtube-json", ("snippets[]",), is_captions=True),
    JsonForm("youtube-json", ("[]", "[][]"), has=("duration", "dur"), is_captions=True),
    JsonForm("mission-json", ("[]",), has=("message source",)),
    JsonForm("turns-json", ("turns[]",)),
    JsonForm("assemblyai-json", ("utterances[]",), hint_s=MILLI_S),
    JsonForm("podcast-json", ("segments[]",), has=("body", "startTime")),
    JsonForm(
        "elevenlabs-json", ("transcripts[]", "."), has=("languagecode", "languageprobability")
    ),
    JsonForm("whisper-json", ("speakers[]", "chunks[]"), has=("timestamp",)),
    JsonForm("whisperx-json", ("segments[]",)),
    JsonForm("teams-json", ("entries[]",), has=("startoffset", "speakerdisplayname")),
    JsonForm("assemblyai-json", (".",), has=("audiourl", "acousticmodel", "speechmodel")),
    JsonForm("assemblyai-json", ("sentences[]", "paragraphs[]"), hint_s=MILLI_S),
    JsonForm("otter-json", ("speech.transcripts[]",), has=("startoffset",), hint_s=_SAMPLE_S),
    JsonForm("turns-json", ("[]",)),
    JsonForm("draft-json", ("blocks[]",), has=("inlinestyleranges", "entityranges", "data")),
    JsonForm(
        "words-json",
        (".", "transcript"),
        speakers=("paragraphs[]", "transcript.paragraphs[]", "speakers[]", "diarization[]"),
    ),
)
"""Most particular first."""


@dataclass(frozen=True, slots=True)
class FoundRecords:
    """A list of records with what stands around each."""

    name: str
    path: str
    records: Sequence[tuple[Any, Mapping[str, Any]]]
    form: JsonForm
    is_whole: bool
    data: Any
    """The object that the path begins at."""
    others: tuple[str, ...] = ()
    """Paths of other lists with words, which aren't read."""

    @property
    def num_words(self) -> int:
        """How many words the records have, in their texts or their parts."""
        return sum(len(words_in(value)) for value, _ in self.records)


def known_records(data: Any) -> FoundRecords | None:
    """The first form that has records with words; of its places the first with speakers, else the
    first.
    """
    for form in FORMS:
        found = []
        for path in form.places:
            records = list(records_at(data, path))
            if records and _is_of(form, path, records):
                is_whole = not path.endswith("[]") or path in _OF_CHANNELS
                own = FoundRecords(form.name, path, records, form, is_whole, data)
                if not (form.is_captions and _has_speakers(own)):
                    found.append(own)
        if found:
            return next((own for own in found if _has_speakers(own)), found[0])
    return None


def records_at(data: Any, path: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The values at a path, each with the plain values of the objects above it."""
    steps = re.findall(r"\[\d*\]|\*|[^.\[\]]+", path)
    here: list[tuple[Any, dict[str, Any]]] = [(data, {})]
    for at, step in enumerate(steps):
        following: list[tuple[Any, dict[str, Any]]] = []
        for value, around in here:
            if step == "[]" and is_records(value):
                is_last = at + 1 == len(steps)
                for number, own in enumerate(value):
                    if is_last or isinstance(own, dict | list):
                        beside = {"channel": number} if steps[at - 1] == "channels" else {}
                        following.append((own, {**around, **beside}))
            elif step == "[]" and isinstance(value, list) and at + 1 < len(steps):
                following += [(own, around) for own in value if isinstance(own, list)]
            elif step == "[0]" and isinstance(value, list) and value:
                following.append((value[0], around))
            elif isinstance(value, dict):
                keys = [step] if step in value else list(value) if step == "*" else []
                if keys:
                    # The file's own object says of a whole file; who speaks isn't told by that.
                    beside = {field_name(key): own for key, own in value.items()} if at else {}
                    above = around | {key: beside[key] for key in ABOVE & beside.keys()}
                    following += [(value[key], above) for key in keys]
        here = following
    yield from here


_OF_CHANNELS = frozenset(
    ("results.channels[]", "results.channel_labels.channels[]", "transcripts[]")
)
"""Lists whose records are all words of a channel."""


def _is_of(form: JsonForm, path: str, records: Sequence[tuple[Any, Any]]) -> bool:
    """Whether records are a form's: they have words and one of its keys, and single objects parts
    with times.
    """
    values = [record for record, _ in records if isinstance(record, dict)]
    if not any(has_words(value) for value in values):
        return False
    views = [view_of(value) for value in values[:50]]
    signs = [tuple(map(field_name, own.split())) for own in form.has]
    if signs and not any(view.keys() >= set(sign) for view in views for sign in signs):
        return False
    if path.endswith("[]"):
        return True
    with suppress(LoadError):
        parts = read_record(values[0], path, {}).parts
        if sum(len(part.text.split()) > 1 for part in parts) > FEW_PAIRS * len(parts):
            return False
        return any(part.start is not None or part.speaker is not None for part in parts)
    return False


def _has_speakers(found: FoundRecords) -> bool:
    with suppress(LoadError):  # of a bad record, which the reading of all names
        read = (read_record(value, "", around) for value, around in found.records)
        return any(own.speaker or any(part.speaker for part in own.parts) for own in read)
    return False


def check_empty(data: Any) -> None:
    """LoadError where a list that should have segments has none."""
    for form in FORMS:
        for path in form.places:
            key = path.removesuffix("[]")
            if path.endswith("[]") and isinstance(data, dict) and data.get(key) == []:
                raise LoadError(
                    f"its list of {key} is empty; check that the transcription had finished"
                )
    if data == []:
        raise LoadError("its list of turns is empty; check that the transcription had finished")


def wrapped_records(data: Any, searched: FoundRecords) -> FoundRecords | None:
    """A known form in an object within the file, as an answer's body or a job's output; None where
    the most words lie elsewhere.
    """
    inner = [data]
    enough = MOST_WORDS * searched.num_words
    for _ in range(_MAX_WRAPS):
        inner = [
            own
            for value in inner
            if isinstance(value, dict)
            for own in value.values()
            if isinstance(own, dict)
        ]
        for value in inner[:_MAX_LISTS]:
            found = known_records(value)
            if found is not None and found.num_words > enough:
                return replace(found, data=value)
    return None


def searched_records(data: Any) -> FoundRecords | None:
    """The list of objects, anywhere, with the most words that have a speaker or a time."""
    lists: dict[str, list[tuple[Any, Mapping[str, Any]]]] = {}
    for path, values in lists_in(data):
        if any(has_words(own) and has_place(own) for own in values[:50]):
            # Lists that only a number tells apart (session_1, session_2) are one.
            name = re.sub(r"\d+", "N", path)
            lists.setdefault(name, []).extend((own, {}) for own in values)
        if len(lists) >= _MAX_LISTS:
            break
    if not lists:
        return None
    found = []
    for path, records in lists.items():
        filled = [own for own in records if has_words(own[0])]
        is_whole = not any(has_place(value, is_own=True) for value, _ in filled)
        found.append(FoundRecords("other-json", path, filled, _OTHER, is_whole, data))
    most = max(own.num_words for own in found)
    if not most:
        return None
    enough = [own for own in found if own.num_words > MOST_WORDS * most]
    best = max(enough, key=lambda own: (_has_speakers(own), -len(own.records), -len(own.path)))
    others = [own.path for own in found if own.num_words and not _is_within(own, best)]
    return replace(best, others=tuple(others))


def lists_in(data: Any) -> Iterator[tuple[str, list[Any]]]:
    """The lists of objects anywhere in a file by their paths (`posts[]`), and objects that hold
    like objects by their ids (`posts{}`), in the order of a list of those ids beside them.
    """
    to_see: list[tuple[str, Any, int, list[Any]]] = [("", data, 0, [])]
    while to_see:
        path, value, depth, beside = to_see.pop()
        if depth > _MAX_DEPTH or _NOT_SPEECH.search(path):
            continue
        if isinstance(value, dict):
            if _is_by_id(value):
                ids = next((own for own in beside if value.keys() <= set(own)), list(value))
                yield f"{path}{{}}", [value[key] for key in dict.fromkeys(ids) if key in value]
            lists = [own for own in value.values() if _are_ids(own)]
            to_see += [
                (f"{path}.{key}".strip("."), own, depth + 1, lists)
                for key, own in reversed(value.items())
            ]
        elif isinstance(value, list):
            if is_records(value):
                yield f"{path}[]", value
            to_see += [(f"{path}[]", own, depth + 1, []) for own in reversed(value)]


def _are_ids(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(own, str) for own in value)


def _is_by_id(value: Mapping[str, Any]) -> bool:
    """Whether an object is a list of like objects under their ids: all share most keys."""
    inner = list(value.values())
    if len(inner) < 2 or not all(isinstance(own, dict) and own for own in inner):
        return False
    first = inner[0].keys()
    return all(2 * len(first & own.keys()) > max(len(first), len(own)) for own in inner)


def listed_records(path: str, values: Sequence[Any], data: Any) -> FoundRecords | None:
    """Objects of a list with texts under known keys; None where they have none."""
    filled: list[tuple[Any, Mapping[str, Any]]] = [(own, {}) for own in values if has_words(own)]
    return FoundRecords("other-json", path, filled, _OTHER, False, data) if filled else None


def rows_in(data: Any) -> list[list[str]] | None:
    """A header and rows, where a file is flat records, columns of values, or columns beside rows;
    else None.
    """
    if isinstance(data, dict):
        names, body = data.get("columns"), data.get("data")
        lists = list(data.values())
        if isinstance(names, list) and isinstance(body, list):
            return _texts([names, *body])
        if len(lists) > 1 and all(isinstance(own, list) for own in lists):
            return _texts([list(data), *zip(*lists, strict=False)])
        data = lists
    if not isinstance(data, list):
        return None
    if len(data) > 1 and all(isinstance(own, list) and len(own) > 1 for own in data):
        return _texts(data)
    if not all(isinstance(own, dict) for own in data):
        return None
    flat = [dict(_flat(own, "", 0)) for own in data]
    keys = list(dict.fromkeys(key for own in flat for key in own))
    if len(keys) > _MAX_KEYS:
        return None
    return _texts([keys, *([own.get(key) for key in keys] for own in flat)])


def _flat(record: Mapping[str, Any], path: str, depth: int) -> Iterator[tuple[str, Any]]:
    """The values of a record and of the objects in it by their paths (`time.from`)."""
    for key, value in record.items():
        if isinstance(value, Mapping) and depth < _MAX_INNER:
            yield from _flat(value, f"{path}{key}.", depth + 1)
        else:
            yield f"{path}{key}", value


def _texts(rows: Sequence[Sequence[Any]]) -> list[list[str]] | None:
    """Rows of plain values as texts; None where a value isn't plain."""
    plain = (str, int, float, type(None))
    if not all(isinstance(row, list | tuple) for row in rows) or not all(
        isinstance(cell, plain) for row in rows for cell in row
    ):
        return None
    return [["" if cell is None else str(cell) for cell in row] for row in rows]


def _is_within(own: FoundRecords, best: FoundRecords) -> bool:
    """Whether one of two lists is the other, or holds it."""
    return own.path.startswith(best.path) or best.path.startswith(own.path)


_OTHER = JsonForm("other-json", ())
