"""Conversations of a workspace: what was asked and answered, a file each, until they, or a document
that they quote, are deleted.
"""

import fcntl
import json
import logging
import re
import secrets
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from dynagrag.core.errors import StoreError, UsageError
from dynagrag.core.files.private_files import private, write_text
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular
from dynagrag.core.schema import Answer, Citation, Clip
from dynagrag.core.text import clock, escaped_markdown
from dynagrag.generation.claims.verdict_text import (
    IDLE,
    claims_summary,
    failures_summary,
    idle_citations,
    marked_text,
    shown_lines,
    with_numbers,
)
from dynagrag.generation.evidence_sentences.doubts import doubts_text
from dynagrag.generation.stored_answer import answer_json, answer_of
from dynagrag.workspace.text_reports import clip_rows, clip_turns

CitationT = TypeVar("CitationT", bound=Citation)
_LOG = logging.getLogger(__name__)
_ID = re.compile(r"[0-9a-f]{16}")
_MAX_TITLE = 60
NOTES = b"notes".hex().ljust(16, "0")
"""The conversation that holds what was saved of the others."""
_NUM_COPIED = 5
"""Lines of evidence without an answer that are copied."""
_FORMAT = 1
"""Of a conversation's file. Versions before it wrote none, and the same form."""
_UNREADABLE = (
    "This answer was kept by another version of dynagrag, or its file is damaged; it cannot be"
    " shown. Ask again."
)
_LOCK = RLock()
"""Between threads of one process; between processes a file's lock, see `_alone`."""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """One retriever's answer, or the error in its place. `llm`: the language model's name, empty
    where there was none.

    `unread`: the stored form of an answer that this version can't read; it stays in the file as it
    is.
    """

    retriever: str
    answer: Answer | None = None
    error: str = ""
    llm: str = ""
    seconds: float = 0.0
    cost: float | None = None
    unread: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question as it was typed, and what each retriever answered: none while it is on its way, or
    where it was interrupted.
    """

    id: str
    asked: str
    at: str
    answers: tuple[KeptAnswer, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Exchanges in their order. The title is its first question."""

    id: str
    exchanges: tuple[Exchange, ...] = ()

    @property
    def title(self) -> str:
        """The first question, cut."""
        first = " ".join(self.exchanges[0].asked.split()) if self.exchanges else "New conversation"
        return first if len(first) <= _MAX_TITLE else first[: _MAX_TITLE - 1] + "…"

    def history(self) -> list[tuple[str, str]]:
        """(question, answer) of what a model answered: what a follow-up may refer to. Of two
        retrievers' answers the first counts.
        """
        firsts = [exchange.answers[0].answer for exchange in self.exchanges if exchange.answers]
        return [
            (answer.question, answer.text)
            for answer in firsts
            if answer is not None and answer.is_answered_by_model
        ]


def new_id() -> str:
    """An id for a conversation or an exchange."""
    return secrets.token_hex(8)


def now() -> str:
    """The time in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class ConversationBook:
    """The conversations in a workspace's folder."""

    def __init__(self, workspace_folder: Path) -> None:
        self._folder = workspace_folder / "conversations"

    def all(self, limit: int | None = None) -> tuple[Conversation, ...]:
        """Newest first, without the notes. One that can't be read is left out here, and named where
        it is asked for.
        """
        found: list[Conversation] = []
        paths = (
            [path for path in self._folder.glob("*.json") if path.stem != NOTES]
            if self._folder.is_dir()
            else []
        )
        for path in sorted(paths, key=_age):
            with suppress(StoreError, UsageError):
                found.append(self.conversation(path.stem))
            if len(found) == limit:
                break
        return tuple(found)

    def conversation(self, id_: str) -> Conversation:
        """One conversation; empty where nothing was asked yet.

        Raises UsageError for an id that is none, StoreError where its file is damaged or a newer
        version's.
        """
        path = self._path(id_)
        if not path.is_file():
            return Conversation(id_)
        try:
            found = _read(path)
            if found.get("format", 0) > _FORMAT:
                raise StoreError(
                    f"the conversation {path} was kept by a newer version of dynagrag; update"
                    " dynagrag to open it"
                )
            exchanges = []
            for row in found["exchanges"]:
                answers = tuple(_kept(**arm) for arm in row["arms"])
                exchanges.append(
                    Exchange(str(row["id"]), str(row["asked"]), str(row["at"]), answers)
                )
            return Conversation(id_, tuple(exchanges))
        except (
            OSError,
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            RecursionError,
        ) as err:
            raise StoreError(
                f"the conversation {path} is damaged; delete the file, or put it right"
            ) from err

    def put(self, id_: str, exchange: Exchange) -> None:
        """Adds an exchange at its end, or puts it in the place of the one of its id."""
        with self._alone():
            held = self.conversation(id_).exchanges
            is_new = all(other.id != exchange.id for other in held)
            kept = (
                (*held, exchange)
                if is_new
                else tuple(exchange if other.id == exchange.id else other for other in held)
            )
            self._write(self._path(id_), _conversation_json(Conversation(id_, kept)))

    def take_out(self, id_: str, exchange_id: str) -> None:
        """Takes one exchange out; one that isn't there is no error."""
        with self._alone():
            held = self.conversation(id_).exchanges
            left = tuple(exchange for exchange in held if exchange.id != exchange_id)
            if not left:
                self.delete(id_)
            elif len(left) < len(held):
                self._write(self._path(id_), _conversation_json(Conversation(id_, left)))

    def delete(self, id_: str) -> None:
        """Deletes a conversation; one that isn't there is no error."""
        self._path(id_).unlink(missing_ok=True)

    def keep_documents(self, document_ids: Collection[str]) -> int:
        """Drops every exchange that quotes a document which is not among these; how many.

        It reads what is stored rather than what this version understands, so that a damaged answer,
        or a newer version's, keeps no deleted words. A file that is no JSON at all is named in a
        warning.
        """
        known, dropped = set(document_ids), 0
        with self._alone():
            for part in [*self._folder.glob("*.part")]:
                part.unlink(missing_ok=True)  # of a process that was killed as it wrote
            for path in sorted(self._folder.glob("*.json")):
                try:
                    found = _read(path)
                except (OSError, ValueError, RecursionError):
                    _LOG.warning(
                        "the conversation %s can't be read; if it quotes a deleted document, delete"
                        " the file",
                        path,
                    )
                    continue
                # a version's form that isn't known counts as one exchange
                rows = found.get("exchanges") if isinstance(found, dict) else None
                rows = rows if isinstance(rows, list) else [found]
                kept = [row for row in rows if _quoted(row) <= known]
                dropped += len(rows) - len(kept)
                if rows and not kept:
                    path.unlink(missing_ok=True)
                elif len(kept) < len(rows):
                    self._write(path, {**found, "exchanges": kept})
        return dropped

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else reads to change, or writes, the workspace's conversations meanwhile, in any
        process. Not reentrant.
        """
        with _LOCK:
            try:
                lock = self._folder.with_suffix(".lock")
                handle = open(lock, "a", encoding="utf-8", opener=private)  # noqa: SIM115
            except FileNotFoundError:  # a workspace that was deleted meanwhile isn't made again
                yield
                return
            except OSError as err:
                raise StoreError(
                    f"the conversation cannot be kept in {self._folder}: {err.strerror}"
                ) from err
            with handle:
                # the system lets go of it however the process ends
                fcntl.flock(handle, fcntl.LOCK_EX)
                yield

    def _path(self, id_: str) -> Path:
        if not _ID.fullmatch(id_):
            raise UsageError("that is no conversation's id")
        return self._folder / f"{id_}.json"

    def _write(self, path: Path, form: Mapping[str, Any]) -> None:
        try:
            # without its parents: a workspace that was deleted meanwhile isn't made again
            self._folder.mkdir(mode=0o700, exist_ok=True)
            part = path.with_suffix(".part")  # one writer at a time: see _alone
            try:
                write_text(part, json.dumps(form))
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
        except OSError as err:
            raise StoreError(
                f"the conversation cannot be kept in {self._folder}: {err.strerror}"
            ) from err


def _read(path: Path) -> Any:
    """The JSON of a file. ValueError where it holds none, or is a pipe, which may never end."""
    if is_irregular(path):
        raise ValueError(IRREGULAR)
    return json.loads(path.read_text(encoding="utf-8"))


def _age(path: Path) -> tuple[int, str]:
    try:
        return (-path.stat().st_mtime_ns, path.name)
    except OSError:
        return (0, path.name)


def _quoted(stored: Any) -> set[str]:
    """Ids of all documents that a stored value names under `document_ids`, at any depth."""
    if not isinstance(stored, (list, dict)):
        return set()
    inner = stored.values() if isinstance(stored, dict) else stored
    found = set[str]().union(*map(_quoted, inner))
    named = stored.get("document_ids") if isinstance(stored, dict) else None
    if isinstance(named, dict):
        named = named.values()
    elif not isinstance(named, list):
        named = ()
    return found | {id_ for id_ in named if isinstance(id_, str)}


def _conversation_json(conversation: Conversation) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "exchanges": [
            {
                "id": exchange.id,
                "asked": exchange.asked,
                "at": exchange.at,
                "arms": [
                    {
                        "retriever": kept.retriever,
                        "answer": answer_json(kept.answer) if kept.answer else dict(kept.unread),
                        "error": "" if kept.unread else kept.error,
                        "llm": kept.llm,
                        "seconds": kept.seconds,
                        "cost": kept.cost,
                    }
                    for kept in exchange.answers
                ],
            }
            for exchange in conversation.exchanges
        ],
    }


def _kept(retriever: str, answer: Mapping[str, Any], **more: Any) -> KeptAnswer:
    if not isinstance(answer, dict):
        return KeptAnswer(retriever, **more | {"error": _UNREADABLE})
    if not answer:
        return KeptAnswer(retriever, **more)
    try:
        return KeptAnswer(retriever, answer_of(answer), **more)
    except (KeyError, TypeError, ValueError, AttributeError):
        return KeptAnswer(retriever, **more | {"error": _UNREADABLE}, unread=answer)


def with_titles(conversation: Conversation, titles: Mapping[str, str]) -> Conversation:
    """Its lines under their documents' titles of now, by document id; those of documents that are
    gone keep the title they had.
    """

    def titled(kept: KeptAnswer) -> KeptAnswer:
        answer = kept.answer
        if answer is None:
            return kept
        ids = answer.trace.document_ids
        citations = tuple(_titled(line, titles, ids) for line in answer.citations)
        evidence = tuple(_titled(line, titles, ids) for line in answer.evidence)
        clips = tuple(_titled_clip(clip, titles, ids) for clip in answer.clips)
        other = answer.other_person
        if other:
            other = replace(other, line=_titled(other.line, titles, ids))
        named = replace(
            answer, citations=citations, evidence=evidence, clips=clips, other_person=other
        )
        return replace(kept, answer=named)

    exchanges = (
        replace(exchange, answers=tuple(map(titled, exchange.answers)))
        for exchange in conversation.exchanges
    )
    return replace(conversation, exchanges=tuple(exchanges))


def _titled(
    line: CitationT, titles: Mapping[str, str], document_ids: Mapping[str, str]
) -> CitationT:
    return replace(line, document=titles.get(document_ids.get(line.id, ""), line.document))


def _titled_clip(clip: Clip, titles: Mapping[str, str], document_ids: Mapping[str, str]) -> Clip:
    title = titles.get(document_ids.get(clip.id, ""), clip.document)
    turns = tuple(replace(turn, document=title) for turn in clip.turns)
    return replace(clip, document=title, turns=turns)


def as_markdown(conversation: Conversation, workspace: str) -> str:
    """A conversation for a file: questions, answers, and under each the words that it cites."""
    lines = [
        f"# {conversation.title}",
        "",
        f"Workspace {workspace}, exported {now()[:16].replace('T', ' ')} UTC.",
        "",
    ]
    for exchange in conversation.exchanges:
        lines.append(exchange_as_markdown(exchange))
        if not exchange.answers:
            lines += ["*interrupted*", ""]
    return "\n".join(lines) + "\n"


def exchange_as_markdown(exchange: Exchange) -> str:
    """A question and its answers with the words that they cite, as Markdown."""
    return "\n".join(
        [
            f"## {' '.join(exchange.asked.split())}",
            "",
            *(line for kept in exchange.answers for line in _kept_lines(kept, exchange.asked)),
        ]
    )


def exchange_as_text(exchange: Exchange) -> str:
    """The same for a letter: answers with the lines that they cite, no marks of Markdown. Of
    several each names its maker.
    """
    pieces = [" ".join(exchange.asked.split()), ""]
    for kept in exchange.answers:
        answer = kept.answer
        if answer is None:
            continue
        if len(exchange.answers) > 1:
            pieces.append(f"({_by(kept)})")
        shown: list[tuple[str, Citation]] = []
        if answer.is_answered_by_model:
            pieces += [with_numbers(marked_text(answer), answer), ""]
            for label, _, line in shown_lines(answer):
                shown.append((with_numbers(f"[{label}] ", answer), line))
        if not shown and answer.clips:
            for number, clip in enumerate(answer.shown_clips, start=1):
                pieces += clip_rows(clip, number, ("", ""))
        elif not shown:  # an answer that an earlier version kept
            shown = [("", line) for line in answer.evidence[:_NUM_COPIED]]
        for label, line in shown:
            pieces.append(f"{label}{_who(line)}: “{' '.join(line.quote.split())}”")
        pieces.append("")
    return "\n".join(pieces).strip() + "\n"


def _clip_markdown(clip: Clip, number: int) -> Iterator[str]:
    """A clip as an item of a list, its turns in it, hits in bold."""
    at = "" if clip.start_s is None else f", {clock(clip.start_s)}"
    side = f"{escaped_markdown(clip.side)}: " if clip.side else ""
    yield f"{number}. {side}{escaped_markdown(clip.document)}{at}"
    for who, pieces in clip_turns(clip):
        words = " ".join(
            f"**{escaped_markdown(text)}**" if is_hit else escaped_markdown(text)
            for text, is_hit in pieces
        )
        yield f'    - {f"{escaped_markdown(who)}: " if who else ""}"{words}"'


def _who(line: Citation) -> str:
    at = "" if line.start_s is None else clock(line.start_s)
    return ", ".join(part for part in (line.document, line.speaker or "", at) if part)


def _by(kept: KeptAnswer) -> str:
    return f"{kept.retriever}, {kept.llm}" if kept.llm else kept.retriever


def _kept_lines(kept: KeptAnswer, asked: str) -> list[str]:
    answer = kept.answer
    if answer is None or kept.error:
        return [f"*({_by(kept)})* {kept.error}", ""]
    lines = [f"*({_by(kept)})*", ""]
    if answer.question != asked:
        lines += [f"Asked as: {answer.question}", ""]
    if answer.is_answered_by_model and (doubts := doubts_text(answer)):
        lines += [doubts, ""]
    if answer.is_unsupported:
        lines += ["No line of the sources supports this answer:", ""]
    lines += [with_numbers(marked_text(answer), answer), ""]
    cited: list[tuple[str, Citation]] = []
    if answer.is_answered_by_model:
        for label, note, line in shown_lines(answer):
            cited.append((f"{label}, {note}" if note else label, line))
        cited += [(f"{label}, {IDLE}", line) for label, line in idle_citations(answer)]
    elif answer.clips:
        for number, clip in enumerate(answer.shown_clips, start=1):
            lines += _clip_markdown(clip, number)
    else:  # an earlier version kept it
        cited += [("-", line) for line in answer.evidence]
    for label, line in cited:
        where, quote = escaped_markdown(_who(line)), escaped_markdown(line.quote)
        lines.append(f'- {with_numbers(f"[{label}]", answer)} {where}: "{quote}"')
    for note in filter(None, (claims_summary(answer), failures_summary(answer))):
        lines += ["", note]
    usage = answer.usage
    if usage.calls:
        cost = "" if kept.cost is None else f", {kept.cost:.4f}"
        tokens = f"{usage.prompt_tokens} + {usage.completion_tokens} tokens"
        lines += ["", f"{usage.calls} calls, {tokens}, {kept.seconds:.1f} s{cost}"]
    return [*lines, ""]
