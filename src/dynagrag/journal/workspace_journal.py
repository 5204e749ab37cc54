"""A workspace's own local SQLite: cached replies, the ledger of calls, the set-aside list, verdicts
and jobs.

It lies beside the workspace whatever store holds the graph. WAL with synchronous=NORMAL: what a
method has stored survives the death of the process. Cached texts are JSON with a checksum; an entry
that does not read back is a miss.

Forgetting. A reply belongs to uses: one use is the set of documents whose text one prompt held.
Deleting a document ends every use that names it, and an entry goes with its last use. So a reply to
one chunk that two documents share lives until the second goes, and a reply that drew on two
documents goes with either. A reply that names no document goes with any deletion, since nobody
knows what it holds.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from dynagrag.core.errors import StoreError
from dynagrag.core.files.private_files import replace_text
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import ModelReply
from dynagrag.journal.job_files import JobFiles
from dynagrag.journal.jobs import Job, JobBook
from dynagrag.journal.journal_file import JournalFile, checked, checksum, now, storable


class _StoredReply(BaseModel):
    """A ModelReply as it is written."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    is_cut_off: bool
    prompt_tokens: int
    completion_tokens: int
    seconds: float


class _ExportedReply(_StoredReply):
    """One line of an export: a reply, its key, whose documents it names (one list a use), and which
    model gave it when.
    """

    key: str
    uses: list[list[str]]
    model: str
    date: str


@dataclass(frozen=True, slots=True)
class ReplyOrigin:
    """The model that gave a cached reply, and the day. `is_imported`: it came from a file of
    replies, not from a run here.
    """

    model: str
    date: str
    is_imported: bool


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One stage's spending on one document (None: on no single one). `calls` leaves cached replies
    out; they are in `cached`.
    """

    stage: str
    document_id: str | None
    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SetAside:
    """A chunk that yielded nothing, why, and in which job (None: noted by an older version)."""

    document_id: str
    start: int
    end: int
    reason: str
    at: str
    job_id: int | None = None


class Journal(JournalFile):
    """See the module. Thread-safe; several processes may use one file.

    Every method raises StoreError with the remedy when the file is locked, unreadable, or its disk
    is full.
    """

    def __init__(self, path: Path) -> None:
        """Opens or creates the file. Raises NewerStoreError where a newer dynagrag wrote it,
        nothing changed.
        """
        super().__init__(path)
        self.job_book = JobBook(self, path.parent / "jobs")
        self.job_files = JobFiles(self)

    def close(self) -> None:
        """Releases the file, and the jobs that this process was at."""
        self.job_book.close()
        super().close()

    def jobs(self) -> tuple[Job, ...]:
        """All jobs, oldest first."""
        return self.job_book.jobs()

    # replies

    def cached_reply(self, key: str) -> ModelReply | None:
        """The stored reply, or None where there is none or it does not read back."""
        row = self.row("SELECT body, checksum FROM replies WHERE key = ?", key)
        body = checked(key, row)
        if body is None:
            return None
        try:
            stored = _StoredReply.model_validate_json(body)
        except ValidationError:
            return None
        return ModelReply(**stored.model_dump())

    def store_reply(
        self, key: str, reply: ModelReply, documents: Sequence[str] = (), *, model: str = ""
    ) -> None:
        """Stores or replaces a reply; `documents` are those whose text its one prompt held (one
        use).
        """
        self._put_reply(
            key,
            reply,
            [documents] if documents else [],
            ReplyOrigin(model, now()[:10], is_imported=False),
        )

    def link_reply(self, key: str, document: str) -> None:
        """Adds a use by one document; a key that is not stored is left alone."""
        with self.write() as db:
            db.execute(
                "INSERT OR IGNORE INTO reply_uses SELECT key, ?, ? FROM replies WHERE key = ?",
                (content_id(document), document, key),
            )

    def reply_origin(self, key: str) -> ReplyOrigin | None:
        """The origin of the stored reply, or None."""
        row = self.row("SELECT model, date, is_imported FROM replies WHERE key = ?", key)
        return ReplyOrigin(str(row[0]), str(row[1]), bool(row[2])) if row else None

    def export_replies(self, path: Path) -> int:
        """Writes every readable reply as a line of JSON, sorted by key; how many."""
        lines = []
        for (key,) in self.rows("SELECT key FROM replies ORDER BY key"):
            reply, origin = self.cached_reply(key), self.reply_origin(key)
            if reply is None or origin is None:
                continue
            uses: dict[str, list[str]] = {}
            for use, document in self.rows(
                "SELECT use, document_id FROM reply_uses WHERE key = ? ORDER BY use, document_id",
                key,
            ):
                uses.setdefault(use, []).append(document)
            exported = _ExportedReply(
                key=key,
                uses=list(uses.values()),
                model=origin.model,
                date=origin.date,
                **{name: getattr(reply, name) for name in _StoredReply.model_fields},
            )
            lines.append(json.dumps(exported.model_dump(), sort_keys=True))
        try:
            replace_text(path, "".join(f"{line}\n" for line in lines))
        except OSError as err:
            raise StoreError(f"cannot write {path}: {err.strerror}; choose another file") from err
        return len(lines)

    def import_replies(self, path: Path) -> int:
        """Stores the replies of an export, marked as imported; how many lines it held. A key that
        is stored already is left as it is.

        Raises StoreError naming the line that is not a reply; nothing is stored then.
        """
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as err:
            raise StoreError(f"cannot read the replies in {path}: {err}") from err
        replies = []
        for number, line in enumerate(lines, start=1):
            try:
                replies.append(_ExportedReply.model_validate_json(line))
            except ValidationError as err:
                raise StoreError(
                    f"{path}, line {number}: not an exported reply; export the file again"
                ) from err
        with self.write():
            for reply in replies:
                if self.cached_reply(reply.key) is None:
                    stored = ModelReply(
                        **reply.model_dump(exclude={"key", "uses", "model", "date"})
                    )
                    self._put_reply(
                        reply.key,
                        stored,
                        reply.uses,
                        ReplyOrigin(reply.model, reply.date, is_imported=True),
                    )
        return len(replies)

    # ledger

    def record_call(
        self,
        stage: str,
        document_id: str | None = None,
        *,
        prompt_tokens: int = 0,
        completion_tokens: int = 0,
        seconds: float = 0.0,
        is_cached: bool = False,
    ) -> None:
        """Adds a row to the ledger. A cached reply's tokens and seconds are what it cost when it
        was made.
        """
        with self.write() as db:
            db.execute(
                "INSERT INTO ledger (at, stage, document_id, prompt_tokens, completion_tokens,"
                " seconds, is_cached) VALUES (?,?,?,?,?,?,?)",
                (
                    now(),
                    stage,
                    document_id,
                    prompt_tokens,
                    completion_tokens,
                    seconds,
                    int(is_cached),
                ),
            )

    def ledger(self) -> tuple[LedgerRow, ...]:
        """Usage by stage and document; tokens and seconds of real calls only."""
        rows = self.rows(
            "SELECT stage, document_id, SUM(1 - is_cached), SUM(is_cached), SUM((1 - is_cached) *"
            " prompt_tokens), SUM((1 - is_cached) * completion_tokens), SUM((1 - is_cached) *"
            " seconds) FROM ledger GROUP BY stage, document_id ORDER BY stage, document_id"
        )
        return tuple(LedgerRow(*row) for row in rows)

    def cached_seconds(self) -> float:
        """Usage of the original calls of all replies that came from the cache."""
        return float(self.rows("SELECT COALESCE(SUM(is_cached * seconds), 0) FROM ledger")[0][0])

    # set-aside list

    def set_aside(
        self, document_id: str, start: int, end: int, reason: str, job_id: int | None = None
    ) -> None:
        """Notes that a chunk yielded nothing in this job; a second note on the same chunk replaces
        the first.
        """
        with self.write() as db:
            db.execute(
                'INSERT OR REPLACE INTO set_asides (document_id, start, "end", reason, at, job_id)'
                " VALUES (?,?,?,?,?,?)",
                (document_id, start, end, storable(reason), now(), job_id),
            )

    def clear_set_aside(self, document_id: str, start: int, end: int) -> None:
        """Takes notes off that lie within the span: it was extracted after all."""
        with self.write() as db:
            db.execute(
                'DELETE FROM set_asides WHERE document_id = ? AND start >= ? AND "end" <= ?',
                (document_id, start, end),
            )

    def set_asides(self) -> tuple[SetAside, ...]:
        """All notes, by document and place."""
        return tuple(
            SetAside(*row)
            for row in self.rows(
                'SELECT document_id, start, "end", reason, at, job_id FROM set_asides ORDER BY'
                " document_id, start"
            )
        )

    # verdicts

    def verdict(self, key: str) -> str | None:
        """The stored verdict, or None where there is none or it does not read back."""
        return checked(key, self.row("SELECT body, checksum FROM verdicts WHERE key = ?", key))

    def has_verdicts(self) -> bool:
        """Whether any is stored."""
        return self.row("SELECT 1 FROM verdicts LIMIT 1") is not None

    def store_verdict(self, key: str, text: str, documents: Sequence[str] = ()) -> None:
        """Stores or replaces a verdict. It goes with the last of the documents it names, or by
        `keep_verdicts`.
        """
        body = storable(text)
        with self.write() as db:
            db.execute(
                "INSERT INTO verdicts VALUES (?,?,?) ON CONFLICT (key) DO UPDATE SET body ="
                " excluded.body, checksum = excluded.checksum",
                (key, body, checksum(key, body)),
            )
            db.executemany(
                "INSERT OR IGNORE INTO verdict_documents VALUES (?,?)",
                [(key, d) for d in documents],
            )

    def keep_verdicts(self, keys: Iterable[str]) -> int:
        """Drops every verdict but these, so that none speaks of what the graph no longer holds; how
        many were dropped.
        """
        kept = set(keys)
        dropped = [(key,) for (key,) in self.rows("SELECT key FROM verdicts") if key not in kept]
        with self.write() as db:
            db.executemany("DELETE FROM verdicts WHERE key = ?", dropped)
        return len(dropped)

    # forgetting

    def forget_documents(self, document_ids: Iterable[str]) -> int:
        """Drops what deleted documents leave: see the module. Ledger rows stay, without the
        document. How many cached entries went.
        """
        ids = [(d,) for d in dict.fromkeys(document_ids)]
        if not ids:
            return 0
        with self.write() as db:
            before = self._num_entries()
            db.executemany(
                "DELETE FROM reply_uses WHERE (key, use) IN (SELECT key, use FROM reply_uses WHERE"
                " document_id = ?)",
                ids,
            )
            db.execute("DELETE FROM replies WHERE key NOT IN (SELECT key FROM reply_uses)")
            db.executemany("DELETE FROM verdict_documents WHERE document_id = ?", ids)
            db.execute("DELETE FROM verdicts WHERE key NOT IN (SELECT key FROM verdict_documents)")
            db.executemany("DELETE FROM set_asides WHERE document_id = ?", ids)
            db.executemany("DELETE FROM job_documents WHERE document_id = ?", ids)
            db.executemany("DELETE FROM job_files WHERE document_id = ?", ids)
            db.executemany("UPDATE ledger SET document_id = NULL WHERE document_id = ?", ids)
            gone = before - self._num_entries()
        self.scrub()
        return gone

    # inside

    def _put_reply(
        self, key: str, reply: ModelReply, uses: Sequence[Sequence[str]], origin: ReplyOrigin
    ) -> None:
        fields = {name: getattr(reply, name) for name in _StoredReply.model_fields}
        # ASCII escapes, because SQLite holds no lone surrogates.
        body = json.dumps(_StoredReply(**fields).model_dump(), sort_keys=True)
        with self.write() as db:
            db.execute(
                "INSERT INTO replies VALUES (?,?,?,?,?,?) ON CONFLICT (key) DO UPDATE SET body ="
                " excluded.body, checksum = excluded.checksum, model = excluded.model, date ="
                " excluded.date, is_imported = excluded.is_imported",
                (
                    key,
                    body,
                    checksum(key, body),
                    origin.model,
                    origin.date,
                    int(origin.is_imported),
                ),
            )
            rows = [
                (key, content_id(*sorted(set(use))), document) for use in uses for document in use
            ]
            db.executemany("INSERT OR IGNORE INTO reply_uses VALUES (?,?,?)", rows)

    def _num_entries(self) -> int:
        return int(
            self.rows("SELECT (SELECT count(*) FROM replies) + (SELECT count(*) FROM verdicts)")[0][
                0
            ]
        )
