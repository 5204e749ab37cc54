"""A deletion that is killed: at every step what lies on the disk is finished by whoever opens the
workspace next, and nothing is left.
"""

import fcntl
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from workspace_contents import silent

from dynagrag import IngestOptions
from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.protocols import ModelReply
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.graph_store.sqlite_store.sqlite_connection import Connection
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore
from dynagrag.graph_store.transfer import copy_workspace
from dynagrag.ingest.graph_deriver import Deriver
from dynagrag.journal.journal_file import JournalFile
from dynagrag.journal.workspace_journal import Journal
from dynagrag.upkeep.workspace_backup import back_up
from dynagrag.workspace.conversations import ConversationBook, Exchange, KeptAnswer, new_id
from dynagrag.workspace.deletion import DocumentDeletions
from dynagrag.workspace.facade import Workspace, open_workspace

A = [
    (
        "Leo",
        "Quetzal Vane founded Umbra Foundry. Ada Byron works at Acme Works. The quokka sleeps.",
    ),
    (
        "Quill Marsh",
        "Acme Works is located in Port Arthur. Umbra Foundry is located in Xanadu Heights.",
    ),
]
B = [
    ("Leo", "Ada Byron works at Acme Works. Grace Hopper founded Borealis Labs."),
    ("Ines", "Borealis Labs acquired Acme Works. It rained all day."),
]
SECRETS = ("quetzal", "umbra", "quokka", "xanadu", "quill marsh", "vane")
"""Words that only A holds, as keys or text."""


class Images:
    """Copies of the home as they lie on the disk after each step that changes a file: what SIGKILL
    there would leave.
    """

    def __init__(self, home: Path, folder: Path) -> None:
        self._home, self._folder = home, folder
        self.taken: list[Path] = []

    def take(self) -> None:
        image = self._folder / f"image-{len(self.taken)}"
        shutil.copytree(self._home, image)
        self.taken.append(image)

    @contextmanager
    def of_every_step(self) -> Iterator[None]:
        """Every commit, every wiping of a file, every file that is replaced or removed."""
        self.take()
        with pytest.MonkeyPatch.context() as patch:
            for cls, is_inside in (
                (Connection, lambda c: c._sqlite.in_transaction),
                (JournalFile, lambda j: j._db.in_transaction),
            ):
                patch.setattr(cls, "write", self._after_commit(cls.write, is_inside))
            for owner, name in (
                (Connection, "scrub"),
                (JournalFile, "scrub"),
                (Path, "unlink"),
                (Path, "replace"),
                (shutil, "rmtree"),
            ):
                patch.setattr(owner, name, self._after(getattr(owner, name)))
            yield

    def _after_commit(self, real: Any, is_inside: Callable[[Any], bool]) -> Any:
        @contextmanager
        def write(this: Any) -> Iterator[Any]:
            is_part = is_inside(this)
            with real(this) as connection:
                yield connection
            if not is_part:
                self.take()

        return write

    def _after(self, real: Any) -> Any:
        def step(*args: Any, **options: Any) -> Any:
            result = real(*args, **options)
            self.take()
            return result

        return step


def found_in(folder: Path) -> list[str]:
    """The words of A in the bytes of a folder's files."""
    everything = b"\n".join(
        file.read_bytes().lower() for file in folder.rglob("*") if file.is_file()
    )
    return [word for word in SECRETS if word.encode() in everything]


def keep_answer(space: Workspace) -> None:
    """A conversation with one answer, which quotes A."""
    answer = space.evidence("Who founded Umbra Foundry?")
    assert "Umbra" in repr(answer.evidence)
    ConversationBook(space.folder).put(
        new_id(),
        Exchange(new_id(), "Who founded it?", "2026-11-22", (KeptAnswer("dynagrag", answer),)),
    )


class KilledError(BaseException):
    """In place of SIGKILL, where nothing is to run after it but what gives locks back."""


def killed(*_: object, **__: object) -> None:
    raise KilledError


def kill(work: Callable[[], object], owner: Any = Deriver, name: str = "rederive") -> None:
    """Does something until this function is called."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, killed)
        with pytest.raises(KilledError):
            work()


def words(space: Workspace) -> str:
    """All that a graph's reader sees."""
    return repr(
        (
            space.graph().entities,
            space.graph().relations,
            space.store.consolidation().merges,
            space.store.overview(),
        )
    ).casefold()


@pytest.fixture
def filled_with_both(open_space: Callable[..., Workspace], corpus: Any) -> Workspace:
    """A workspace that holds A and B, and a conversation that quotes A."""
    space = open_space()
    space.ingest([corpus.write("a.vtt", A), corpus.write("b.vtt", B)])
    keep_answer(space)
    return space


def test_a_deletion_that_is_killed_at_any_step_is_finished_by_the_next_opening(
    filled_with_both: Workspace,
    open_space: Callable[..., Workspace],
    corpus: Any,
    home: Path,
    tmp_path: Path,
) -> None:
    alone = open_space("alone", at=tmp_path / "alone")
    alone.ingest([corpus.write("b.vtt", B)])
    images = Images(home, tmp_path)
    with images.of_every_step():
        filled_with_both.documents.delete("a")
    assert len(images.taken) > 10
    has_begun = []
    for number, image in enumerate(images.taken):
        with open_space(at=image) as space:
            has_begun.append(not any(d.title == "a" for d in space.store.documents()))
            seen = [word for word in SECRETS if word in words(space)]
            assert not seen if has_begun[-1] else seen, number
        if has_begun[-1]:
            assert not found_in(image), number
        with open_space(at=image) as space:
            assert space.documents.delete("a")[0].title == "a"
            assert space.store.digest() == alone.store.digest(), number
        assert not found_in(image), number
    assert has_begun == sorted(has_begun), "what has begun is finished"
    assert has_begun.count(False) <= 2, "it is noted before anything else is done"


def test_commands_after_a_killed_deletion_finish_and_repeat_it(
    server: Any, cli: Any, corpus: Any, home: Path
) -> None:
    assert cli("ingest", corpus.write("a.vtt", A), corpus.write("b.vtt", B)).code == 0
    with open_workspace() as space:
        kill(lambda: space.documents.delete("a"))
    exported = cli("graph", "export", home / "graph.json")
    assert exported.code == 0, exported
    assert "acme works" in (home / "graph.json").read_text(encoding="utf-8").casefold()
    assert not found_in(home)
    for _ in range(2):
        again = cli("delete", "a", "--yes", "--json")
        assert (again.code, again.json["title"]) == (0, "a")
    assert cli("delete", "c", "--yes").code == 2


@pytest.mark.usefixtures("any_store")
@pytest.mark.parametrize(
    ("owner", "name"),
    [(ConversationBook, "keep_documents"), (Deriver, "rederive"), (DocumentDeletions, "end")],
)
def test_whoever_opens_a_store_after_a_killed_deletion_sees_nothing_of_it(
    filled_with_both: Workspace, open_space: Callable[..., Workspace], owner: Any, name: str
) -> None:
    kill(lambda: filled_with_both.documents.delete("a"), owner, name)
    space = open_space()
    assert not [word for word in SECRETS if word in words(space)]
    assert [d.title for d in space.store.documents()] == ["b"]
    assert space.store.is_derived_current()
    assert space.documents.delete("a")[0].title == "a"
    assert not found_in(space.folder)
    with pytest.raises(UsageError, match="no document 'c'"):
        space.documents.delete("c")


def test_an_open_workspace_finishes_what_another_process_left(
    filled_with_both: Workspace, open_space: Callable[..., Workspace]
) -> None:
    other = open_space()
    kill(lambda: filled_with_both.documents.delete("a"))
    other.parts.finish_deletions()
    assert not [word for word in SECRETS if word in words(other)]


def test_what_cannot_be_finished_now_is_not_shown(
    filled_with_both: Workspace,
    open_space: Callable[..., Workspace],
    monkeypatch: pytest.MonkeyPatch,
    cli: Any,
    tmp_path: Path,
) -> None:
    kill(lambda: filled_with_both.documents.delete("a"))
    monkeypatch.setattr("dynagrag.workspace.facade.DELETION_WAIT_S", 0.0)
    with (filled_with_both.folder / "lock").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(
            WorkspaceError,
            match=r"a document is being deleted from workspace 'w', .* wait until it is done",
        ):
            open_space()
        filled_with_both.parts.finish_deletions(
            insists=False
        )  # an open one leaves it to whoever holds it
        assert "a document is being deleted" in cli(
            "graph", "export", tmp_path / "g.json", "-w", "w"
        ).complaint(1)
    assert not [word for word in SECRETS if word in words(open_space())]


def test_a_backup_or_copy_of_half_a_deletion_is_refused(
    filled_with_both: Workspace, tmp_path: Path
) -> None:
    kill(lambda: filled_with_both.documents.delete("a"))
    with pytest.raises(
        WorkspaceError, match="its deletion was interrupted; wait until it is done, or finish it"
    ):
        back_up(filled_with_both, tmp_path / "w.zip", is_forced=False, progress=silent)
    assert not (tmp_path / "w.zip").exists()
    for one, other in (
        (filled_with_both.store, SqliteStore(tmp_path / "t.sqlite", "w")),
        (SqliteStore(tmp_path / "u.sqlite", "w"), None),
    ):
        with pytest.raises(WorkspaceError, match="is being deleted from workspace 'w'"):
            copy_workspace(one, other or filled_with_both.store, silent)


def test_a_deletion_is_finished_without_an_embedder_and_without_a_model(
    filled_with_both: Workspace, open_space: Callable[..., Workspace], corpus: Any
) -> None:
    """An ingest that removes what is missing was killed before it had embedded what is new."""

    class Absent(FakeEmbedder):
        def embed_documents(self, texts: Any) -> Any:
            raise AssertionError("nothing is embedded by an opening")

    (corpus.folder / "a.vtt").unlink()
    corpus.write("c.vtt", [("Ines", "Edith Clarke founded Corvus Works.")])
    kill(lambda: filled_with_both.ingest([corpus.folder], IngestOptions(remove_missing=True)))
    chat = FakeChat(lambda *_: pytest.fail("no model is asked by an opening"))
    space = open_space(embedder=Absent(), chat=chat)
    assert not [word for word in SECRETS if word in words(space)]
    assert "edith clarke" in words(space)
    assert not space.store.is_derived_current()
    assert not found_in(space.folder)
    space = open_space()
    space.ingest([corpus.folder])
    alone = open_space("alone")
    alone.ingest([corpus.folder])
    assert space.store.digest() == alone.store.digest()


def test_files_that_hold_the_document_go_too(
    filled_with_both: Workspace, home: Path, corpus: Any
) -> None:
    space = filled_with_both
    uploads, unpacked = space.folder / "uploads", home / "restoring" / "w"
    uploads.mkdir()
    unpacked.mkdir(parents=True)
    names = [
        shutil.copy(corpus.write(name, turns), uploads / name)
        for name, turns in (("x.vtt", [*A, *A]), ("y.vtt", [*B, *B]))
    ]
    space.ingest(names)
    left = (
        unpacked / "graph.sqlite",
        space.folder / ".journal.sqlite.partial",
        space.folder / "conversations" / "0.part",
    )
    for path in left:
        path.write_text("Quetzal Vane")
    space.documents.delete("x")
    space.documents.delete("a")
    assert not any(path.exists() for path in (*left, names[0]))
    assert names[1].exists()
    assert not found_in(home)


def test_a_folder_on_another_machine_forgets_what_was_deleted_from_this_one(
    filled_with_both: Workspace, tmp_path: Path
) -> None:
    """Two machines have no folder in common, only the store."""
    here = filled_with_both
    there = tmp_path / "there"
    shutil.copytree(here.folder, there)
    here.documents.delete("a")
    journal = Journal(there / "journal.sqlite")
    other = DocumentDeletions(there, here.store, journal, tmp_path / "restoring")
    assert journal.export_replies(tmp_path / "before.jsonl") > here.journal.export_replies(
        tmp_path / "here.jsonl"
    )
    other.catch_up()
    assert journal.export_replies(tmp_path / "after.jsonl") == here.journal.export_replies(
        tmp_path / "here.jsonl"
    )
    assert list((there / "conversations").iterdir()) == []
    journal.close()
    for file in there.glob("graph.sqlite*"):
        file.unlink()  # the store's own, here
    assert not found_in(there)


def test_a_deletion_of_ones_own_leaves_what_another_machine_deleted_to_be_forgotten(
    filled_with_both: Workspace, tmp_path: Path
) -> None:
    here = filled_with_both
    a, b = here.documents.find("a"), here.documents.find("b")
    journal = Journal(tmp_path / "journal.sqlite")
    journal.store_reply("k", ModelReply("{}", False, 1, 1, 0.1), [a.id])
    other = DocumentDeletions(tmp_path, here.store, journal, tmp_path / "restoring")
    here.documents.delete("a")
    other.begin_and_delete([b], is_replaced=False)
    other.end()
    assert journal.cached_reply("k") is not None
    other.catch_up()
    assert journal.cached_reply("k") is None
    journal.close()


def test_a_document_that_came_back_is_deleted_again_and_forgotten_by_others_only_when_it_has_gone(
    filled_with_both: Workspace, tmp_path: Path, corpus: Any
) -> None:
    space = filled_with_both
    space.documents.delete("a")
    with pytest.raises(UsageError, match="no document 'meeting'"):
        space.documents.delete("meeting")
    space.ingest([corpus.write("a.vtt", A)])
    journal = Journal(tmp_path / "journal.sqlite")
    journal.store_reply("k", ModelReply("{}", False, 1, 1, 0.1), [space.documents.find("a").id])
    DocumentDeletions(tmp_path, space.store, journal, tmp_path / "restoring").catch_up()
    assert journal.cached_reply("k") is not None
    assert not space.documents.is_deleted("a")
    assert space.documents.delete("a")[0].text, (
        "the document itself, not the note of the one before"
    )
    DocumentDeletions(tmp_path, space.store, journal, tmp_path / "restoring").catch_up()
    assert journal.cached_reply("k") is None
    journal.close()


def test_a_new_version_of_a_file_that_is_killed_on_its_way_in_is_finished_too(
    filled_with_both: Workspace, open_space: Callable[..., Workspace], corpus: Any
) -> None:
    corpus.write("a.vtt", B[:1])
    kill(lambda: filled_with_both.ingest([corpus.folder / "a.vtt"]))
    with (filled_with_both.folder / "lock").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        open_space()  # the old version may be seen while somebody is at work
    assert not [word for word in SECRETS if word in words(open_space())]
