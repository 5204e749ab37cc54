"""Conversations of a workspace: what was asked and answered, a file each, until they, or a document that they quote, are deleted."""

import json
import re
import secrets
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any

from dynagrag.errors import StoreError, UsageError
from dynagrag.text import clock

_ID = re.compile(r"[0-9a-f]{16}")
_MAX_TITLE = 60
_LOCK = RLock()
"""Between threads of one process; a conversation belongs to one visitor, so two processes hardly meet on one."""


@dataclass(frozen=True, slots=True)
class Arm:
    """How a question was answered, and the answer as `stored_answer.answer_json` writes it; or the error that came in its place."""

    retriever: str
    answer: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    llm: str = ""
    seconds: float = 0.0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question as it was typed, and what each arm answered: none while it is on its way, or where it was interrupted."""

    id: str
    asked: str
    at: str
    arms: tuple[Arm, ...]


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
        """(question, answer) of what a model answered: what a follow-up may refer to. Of two arms the first counts."""
        answers = [exchange.arms[0].answer for exchange in self.exchanges if exchange.arms and exchange.arms[0].answer]
        return [(a["question"], a["answer"]) for a in answers if a["trace"].get("answered_by_model")]


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
        """Newest first. One that can't be read is left out here, and named where it is asked for."""
        found: list[Conversation] = []
        for path in sorted(self._folder.glob("*.json"), key=_age) if self._folder.is_dir() else ():
            with suppress(StoreError, UsageError):
                found.append(self.conversation(path.stem))
            if len(found) == limit:
                break
        return tuple(found)

    def conversation(self, id_: str) -> Conversation:
        """One conversation; empty where nothing was asked yet. UsageError for an id that is none, StoreError where its file is damaged."""
        path = self._path(id_)
        if not path.is_file():
            return Conversation(id_)
        try:
            return _conversation(id_, json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as err:
            raise StoreError(f"the conversation {path} is damaged; delete the file, or put it right") from err

    def put(self, id_: str, exchange: Exchange) -> None:
        """Adds an exchange at its end, or puts it in the place of the one of its id."""
        with _LOCK:
            held = self.conversation(id_).exchanges
            is_new = all(other.id != exchange.id for other in held)
            kept = (*held, exchange) if is_new else tuple(exchange if other.id == exchange.id else other for other in held)
            self._write(Conversation(id_, kept))

    def delete(self, id_: str) -> None:
        """Deletes a conversation; one that isn't there is no error."""
        self._path(id_).unlink(missing_ok=True)

    def keep_documents(self, document_ids: Collection[str]) -> int:
        """Drops every exchange that quotes a document which is not among these; how many."""
        known, dropped = set(document_ids), 0
        with _LOCK:
            for held in self.all():
                kept = tuple(e for e in held.exchanges if all(_documents(arm) <= known for arm in e.arms))
                dropped += len(held.exchanges) - len(kept)
                if not kept:
                    self.delete(held.id)
                elif len(kept) < len(held.exchanges):
                    self._write(Conversation(held.id, kept))
        return dropped

    def _path(self, id_: str) -> Path:
        if not _ID.fullmatch(id_):
            raise UsageError("that is no conversation's id")
        return self._folder / f"{id_}.json"

    def _write(self, conversation: Conversation) -> None:
        path = self._path(conversation.id)
        try:
            self._folder.mkdir(exist_ok=True)  # without its parents: a workspace that was deleted meanwhile isn't made again
            part = path.with_suffix(".part")  # one writer at a time: see _LOCK
            try:
                part.write_text(json.dumps({"exchanges": [asdict(e) for e in conversation.exchanges]}), encoding="utf-8")
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
        except OSError as err:
            raise StoreError(f"the conversation cannot be kept in {self._folder}: {err.strerror}") from err


def _age(path: Path) -> tuple[int, str]:
    try:
        return (-path.stat().st_mtime_ns, path.name)
    except OSError:
        return (0, path.name)


def _documents(arm: Arm) -> set[str]:
    return set(arm.answer.get("trace", {}).get("document_ids", {}).values())


def _conversation(id_: str, found: Mapping[str, Any]) -> Conversation:
    exchanges = []
    for row in found["exchanges"]:
        arms = tuple(Arm(**arm) for arm in row["arms"])
        exchanges.append(Exchange(str(row["id"]), str(row["asked"]), str(row["at"]), arms))
    return Conversation(id_, tuple(exchanges))


def as_markdown(conversation: Conversation, workspace: str) -> str:
    """A conversation for a file: questions, answers, and under each the words that it cites."""
    lines = [f"# {conversation.title}", "", f"Workspace {workspace}, exported {now()[:16].replace('T', ' ')} UTC.", ""]
    for exchange in conversation.exchanges:
        lines += [f"## {' '.join(exchange.asked.split())}", ""]
        for arm in exchange.arms:
            lines += _arm_lines(arm, exchange.asked)
        if not exchange.arms:
            lines += ["*interrupted*", ""]
    return "\n".join(lines) + "\n"


def _arm_lines(arm: Arm, asked: str) -> list[str]:
    by = f"{arm.retriever}, {arm.llm}" if arm.llm else arm.retriever
    if arm.error:
        return [f"*({by})* {arm.error}", ""]
    answer = arm.answer
    lines = [f"*({by})*", ""]
    if answer["question"] != asked:
        lines += [f"Asked as: {answer['question']}", ""]
    lines += [answer["answer"], ""]
    cited = list(zip(answer["trace"].get("labels", []), answer["citations"], strict=False))
    if not answer["trace"].get("answered_by_model"):
        cited = [("-", citation) for citation in answer["trace"]["evidence"]]
    for label, citation in cited:
        at = "" if citation["start_s"] is None else f", {clock(citation['start_s'])}"
        who = f", {citation['speaker']}" if citation["speaker"] else ""
        lines.append(f'- [{label}] {citation["document"]}{who}{at}: "{" ".join(citation["quote"].split())}"')
    usage = answer["usage"]
    if usage["calls"]:
        cost = "" if arm.cost is None else f", {arm.cost:.4f}"
        lines += ["", f"{usage['calls']} calls, {usage['prompt_tokens']} + {usage['completion_tokens']} tokens, {arm.seconds:.1f} s{cost}"]
    return [*lines, ""]
