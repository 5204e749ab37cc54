"""The files of a job, and how far each is: kept while the job runs and after it, so that any
process can show them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.journal.journal_file import JournalFile, storable

_MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class JobFile:
    """A file of a job. `num_done` of its `num_chunks` are extracted, `num_aside` could not be;
    `reason`: why, or why it was refused.

    `document_id` "": it was refused, and is no document.
    """

    name: str
    document_id: str = ""
    num_chunks: int = 0
    num_done: int = 0
    num_aside: int = 0
    reason: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether it could not be read."""
        return not self.document_id

    @property
    def is_extracted(self) -> bool:
        """Whether nothing of it is left to be extracted."""
        return not self.is_refused and self.num_done + self.num_aside >= self.num_chunks


class JobFiles:
    """The files of all jobs of a workspace. Thread-safe as the journal is."""

    def __init__(self, file: JournalFile) -> None:
        self._file = file

    def start(self, job_id: int, files: Iterable[JobFile]) -> None:
        """Notes what a run is at, in this order; what an earlier run of the job noted goes."""
        rows = [
            (
                job_id,
                n,
                storable(f.name),
                f.document_id,
                f.num_chunks,
                storable(f.reason)[:_MAX_REASON],
            )
            for n, f in enumerate(files)
        ]
        with self._file.write() as db:
            db.execute("DELETE FROM job_files WHERE job_id = ?", (job_id,))
            db.executemany(
                "INSERT INTO job_files (job_id, number, name, document_id, chunks, reason) VALUES"
                " (?,?,?,?,?,?)",
                rows,
            )

    def note(self, job_id: int, extracted: Mapping[str, int]) -> None:
        """Notes how many chunks of each document are extracted."""
        with self._file.write() as db:
            db.executemany(
                "UPDATE job_files SET done = ? WHERE job_id = ? AND document_id = ? AND done <> ?",
                [
                    (number, job_id, document_id, number)
                    for document_id, number in extracted.items()
                ],
            )

    def set_aside(self, job_id: int, document_id: str, reason: str) -> None:
        """Notes that a chunk of a document could not be extracted."""
        with self._file.write() as db:
            db.execute(
                "UPDATE job_files SET aside = aside + 1, reason = ? WHERE job_id = ? AND"
                " document_id = ?",
                (storable(reason)[:_MAX_REASON], job_id, document_id),
            )

    def of(self, job_id: int) -> Sequence[JobFile]:
        """The files of a job, in their order; none of a job of an older version."""
        rows = self._file.rows(
            "SELECT name, document_id, chunks, done, aside, reason FROM job_files WHERE job_id = ?"
            " ORDER BY number",
            job_id,
        )
        return [JobFile(*row) for row in rows]
