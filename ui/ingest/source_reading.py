"""Reads files before an ingest stores anything, for the page Ingest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import IO

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import LabelDecision, LoadedSource
from dynagrag.ingest.extract.case_use import fast_remarks
from dynagrag.ingest.load import find_sources, load_source, turns_of
from dynagrag.ingest.load.introductions import Introduction, introductions
from dynagrag.ingest.load.label_report import unknown_share
from dynagrag.ingest.load.speaker_audit import AuditFinding, are_doubtful, audit_speakers
from dynagrag.language.document_language import found_language
from dynagrag.language.identification import UNKNOWN
from dynagrag.ui.ingest.upload_folder import keep, sha256_of, text_name

_MAX_TURNS = 8
_MAX_TURN_CHARS = 300


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One file. `origin`: what is to be ingested for it, itself or the folder or pattern that names
    it; "" where it was refused at the door. `upload_id`: the uploaded file that it was; `replaced`:
    the earlier one whose place it took; `is_unread`: it is to be read once there is space for it;
    `unknown_share`: of its words, without a speaker; `findings`: what speaks against its speakers;
    `introduced`: the names that speakers give whose labels are none; `language`: the code that was
    found, "und" where it can't be told.
    """

    name: str
    path: str
    origin: str
    format: str
    title: str
    num_turns: int
    num_words: int
    speakers: tuple[str, ...]
    start_s: float | None
    end_s: float | None
    notes: tuple[str, ...]
    first: tuple[tuple[str | None, float | None, str], ...]
    refused: str
    upload_id: str = ""
    sha256: str = ""
    replaced: str = ""
    is_unread: bool = False
    labels: tuple[LabelDecision, ...] = ()
    unknown_share: float = 0.0
    findings: tuple[AuditFinding, ...] = ()
    introduced: tuple[Introduction, ...] = ()
    language: str = UNKNOWN

    @property
    def is_doubtful(self) -> bool:
        """Whether what is said speaks against the speakers."""
        return are_doubtful(self.findings)


@dataclass(frozen=True, slots=True)
class SourceInput:
    """Input of a visitor: a file with its content, or (content None) the name of a file, folder or
    pattern on this machine.
    """

    name: str
    content: IO[bytes] | None = None
    id: str = ""


def pasted(title: str, text: str) -> SourceInput:
    """Pasted text as a file. LoadError where it has no title that a file can have."""
    return SourceInput(text_name(title), BytesIO(text.encode("utf-8", "replace")))


def read_all(
    folder: Path, inputs: Sequence[SourceInput], progress: Callable[[str, int, int], None]
) -> tuple[SourceRow, ...]:
    """Reads the inputs; files with their content are kept in `folder`. What can't be read is
    a row with the reason.
    """
    rows: list[SourceRow] = []
    for number, item in enumerate(inputs):
        progress("read", number, len(inputs))
        if item.content is not None:
            taken = {row.path for row in rows if row.upload_id}
            kept = keep(folder, item.name, item.content, taken)
            kept_row = _row(
                kept.source,
                kept.source.path if kept.source.refused is None else "",
                kept.note,
                item,
            )
            rows.append(replace(kept_row, replaced=kept.replaced, is_unread=kept.is_unread))
            continue
        try:
            found = find_sources([item.name])
        except LoadError as err:
            rows.append(_row(LoadedSource(item.name, None, refused=str(err)), "", "", item))
            continue
        for at, path in enumerate(found.files):
            progress("read", at, len(found.files))
            rows.append(_row(load_source(path), item.name, "", item))
        rows += [_row(source, "", "", item) for source in found.left_out]
    return tuple(rows)


def replaced_since(rows: Sequence[SourceRow], folder: Path) -> list[str]:
    """Names of the rows whose file in `folder` is not the one that was read, or is gone: another
    visitor's of the same name has taken its place.
    """
    kept = [row for row in rows if row.origin and Path(row.path).parent == folder]
    return [row.name for row in kept if _hash(Path(row.path)) != row.sha256]


def _hash(path: Path) -> str:
    try:
        return sha256_of(path)
    except OSError:
        return ""


def _row(source: LoadedSource, origin: str, note: str, item: SourceInput) -> SourceRow:
    turns = turns_of(source)
    text = "\n".join(turn.text for turn in turns)
    language = found_language(text)
    starts = [turn.start_s for turn in turns if turn.start_s is not None]
    ends = [turn.end_s for turn in turns if turn.end_s is not None]
    return SourceRow(
        name=Path(source.path).name or source.path,
        path=source.path,
        origin=origin,
        format=source.format or "",
        title=source.title,
        num_turns=len(turns),
        num_words=sum(len(turn.text.split()) for turn in turns),
        speakers=tuple(dict.fromkeys(turn.speaker for turn in turns if turn.speaker)),
        start_s=min(starts, default=None),
        end_s=max(starts + ends, default=None),
        notes=(
            *((note,) if note else ()),
            *source.notes,
            *fast_remarks(text, language),
        ),
        first=tuple(
            (turn.speaker, turn.start_s, turn.text[:_MAX_TURN_CHARS]) for turn in turns[:_MAX_TURNS]
        ),
        refused=source.refused or "",
        upload_id=item.id,
        sha256=source.sha256,
        labels=source.labels,
        unknown_share=unknown_share(source),
        findings=audit_speakers(turns),
        introduced=introductions(turns),
        language=language,
    )
