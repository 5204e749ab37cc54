"""Files that change places, versions that replace others, and what a failed replacement leaves
standing.
"""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from dynagrag.core.errors import StoreError, WorkspaceError
from dynagrag.core.protocols import Extraction
from dynagrag.core.schema import Vectors
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.workspace.facade import Workspace, open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

ONE = "Leo: Ada Byron founded Acme Works.\n\nZoe: Acme Works acquired Delft Mills.\n"
TWO = "Leo: Grace Hopper founded Fathom Labs.\n\nZoe: Fathom Labs acquired Delft Mills.\n"
FAST = IngestOptions(extractor="fast")


def _space(name: str = "w", chat: FakeChat | None = None) -> Workspace:
    return open_workspace(name, chat_model=chat or FakeChat(), embedder=FakeEmbedder(64))


def _fresh_digest(folder: Path, options: IngestOptions | None = None) -> str:
    with _space("fresh-" + folder.name) as space:
        space.ingest([folder], options)
        return space.stats().digest


@pytest.mark.parametrize("options", [None, FAST], ids=["llm", "fast"])
def test_two_files_that_swap_their_names_keep_everything(
    tmp_path: Path, options: IngestOptions | None
) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_text(ONE)
    b.write_text(TWO)
    with _space() as space:
        space.ingest([tmp_path], options)
        before = space.stats()
        a.write_text(TWO)
        b.write_text(ONE)
        space.ingest([tmp_path], options)
        assert space.stats() == before
        assert {Path(d.uri).name: d.text.split("\n")[0] for d in space.store.documents()} == {
            "a.txt": "Grace Hopper founded Fathom Labs.",
            "b.txt": "Ada Byron founded Acme Works.",
        }


def test_a_rotated_file_is_moved_and_not_deleted_by_a_later_ingest(tmp_path: Path) -> None:
    log, old = tmp_path / "log.txt", tmp_path / "log.1.txt"
    log.write_text(ONE)
    with _space() as space:
        space.ingest([tmp_path])
        log.rename(old)
        log.write_text(TWO)
        space.ingest([tmp_path])
        assert space.stats().documents == 2
        log.write_text(TWO + "\nLeo: Ines Ruiz founded Mono Mills.\n")
        space.ingest([log])
        assert {Path(d.uri).name for d in space.store.documents()} == {"log.txt", "log.1.txt"}
        assert space.stats().digest == _fresh_digest(tmp_path)


def test_killed_between_a_document_and_its_speakers_the_next_run_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text(ONE)
    with _space() as space:
        real = space.store.put_extractions

        def dies(extractions: list[Extraction]) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(space.store, "put_extractions", dies)
        with pytest.raises(KeyboardInterrupt):
            space.ingest([tmp_path])
        monkeypatch.setattr(space.store, "put_extractions", real)
        space.ingest([tmp_path])
        assert {"leo", "zoe"} <= {e.key for e in space.graph().entities if e.is_speaker}
        resumed = space.stats()
    with _space("undisturbed") as space:
        space.ingest([tmp_path])
        assert space.stats() == resumed


def test_a_model_that_fails_leaves_the_records_of_the_one_before(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(ONE)
    with _space() as space:
        space.ingest([tmp_path])
        before = space.stats()
    with _space(chat=FakeChat(lambda *_: "no JSON at all", identity="another")) as space:
        report = space.prepare_ingest([tmp_path]).run()
        assert len(report.set_aside) == 1
        assert space.stats() == before


def test_a_version_that_yields_nothing_does_not_delete_the_one_before(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(ONE)
    with _space() as space:
        space.ingest([tmp_path])
    (tmp_path / "a.txt").write_text(TWO)
    with _space(chat=FakeChat(lambda *_: "no JSON at all")) as space:
        space.prepare_ingest([tmp_path]).run()
        assert "ada byron" in {e.key for e in space.graph().entities}
    with _space() as space:
        space.ingest([tmp_path])
        assert space.stats().digest == _fresh_digest(tmp_path)


def test_other_sizes_of_passages_leave_no_speaker_twice(tmp_path: Path) -> None:
    turns = [
        f"{who}: Person {i} founded Company {i}. {'and so on ' * 8}"
        for i, who in enumerate("ABCDE" * 8)
    ]
    (tmp_path / "a.txt").write_text("\n\n".join(turns))
    with _space() as space:
        space.ingest([tmp_path])
        space.ingest([tmp_path], IngestOptions(chunk_profile="small"))
        changed = space.stats()
    with _space("small") as space:
        space.ingest([tmp_path], IngestOptions(chunk_profile="small"))
        assert space.stats() == changed


def test_vectors_that_hold_no_numbers_are_refused(tmp_path: Path) -> None:
    class Broken(FakeEmbedder):
        def embed_documents(self, texts: object) -> Vectors:
            return np.full((len(texts), 32), np.nan, dtype=np.float32)  # type: ignore[arg-type]

    (tmp_path / "a.txt").write_text(ONE)
    with (
        open_workspace("w", chat_model=FakeChat(), embedder=Broken()) as space,
        pytest.raises(StoreError, match="NaN"),
    ):
        space.ingest([tmp_path])


@pytest.mark.parametrize("planned", [TWO, ONE], ids=["changed", "unchanged"])
def test_a_plan_is_made_again_when_another_process_wrote_in_between(
    tmp_path: Path, planned: str
) -> None:
    (tmp_path / "a.txt").write_text(ONE)
    with _space() as space, _space() as other:
        space.ingest([tmp_path])
        (tmp_path / "a.txt").write_text(planned)
        prepared = space.prepare_ingest([tmp_path])
        other.documents.delete("a")
        prepared.run()
        assert space.stats().digest == _fresh_digest(tmp_path)


def test_a_second_writer_waits_for_the_first_and_gives_up_in_the_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.txt").write_text(ONE)
    with _space() as space:
        space.ingest([tmp_path])
        before = space.stats()
        held = (
            "import fcntl,sys; f=open(sys.argv[1],'w'); fcntl.flock(f, fcntl.LOCK_EX);"
            " print('held', flush=True); sys.stdin.read()"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", held, str(space.folder / "lock")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        space.parts.max_wait_s = 0.2
        for write in (lambda: space.ingest([tmp_path]), lambda: space.documents.delete("a")):
            with pytest.raises(
                WorkspaceError, match="another process has been changing workspace 'w'"
            ):
                write()
        assert space.stats() == before
        assert [job.status for job in space.jobs()] == ["done", "failed"]
        space.parts.max_wait_s = 60
        caplog.clear()
        threading.Timer(0.5, child.communicate).start()
        space.documents.delete("a")
        assert [
            r.message.startswith("workspace 'w' is being changed by another process; waiting")
            for r in caplog.records
        ] == [True]
        assert child.wait(10) == 0
