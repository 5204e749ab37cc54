"""Words of a corpus that are kept for the next process: the same as those that are read anew,
whatever came, changed or went, and nothing of what has gone.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from dynagrag.core.files.kept_arrays import KeptArrays
from dynagrag.core.schema import Document, Graph, Passage, Snapshot, Turn
from dynagrag.retrieval.corpus_words import FILE, WordTable
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.turn_scores import TurnScores

SAID = {
    "harbour": [("Ada", "The pumps leaked at night."), ("Bob", "Which pump do you mean?")],
    "mill": [("Carla", "Der Müller mahlt das Mehl.")],
    "empty title": [("Ada", "Nothing but rain, and rain again.")],
}


def corpus(said: dict[str, list[tuple[str, str]]]) -> Snapshot:
    """A document a title, with a passage a turn."""
    documents, turns, passages = {}, {}, []
    for title, lines in said.items():
        id_ = f"d-{title}"
        text = "\n".join(words for _, words in lines)
        documents[id_] = Document(id_, "w", title, f"/of {title}.txt", "", text)
        own, at = [], 0
        for i, (speaker, words) in enumerate(lines):
            own.append(Turn(f"{id_}{i}", id_, i, at, at + len(words), speaker))
            passages.append(Passage(f"p-{id_}{i}", id_, i, at, at + len(words), i, i))
            at += len(words) + 1
        turns[id_] = tuple(own)
    vectors = np.ones((len(passages), 2), dtype=np.float32)
    graph = Graph((), (), vectors[:0], vectors[:0], ())
    return Snapshot("w", "1", documents, turns, tuple(passages), vectors, {}, graph)


@pytest.fixture
def files(tmp_path: Path) -> KeptArrays:
    @contextmanager
    def always() -> Iterator[bool]:
        yield True

    return KeptArrays(tmp_path, always)


def counted(made: Snapshot, files: KeptArrays | None) -> list[list[Counter[str]]]:
    """The terms and the words of all texts, by the word."""
    words = PassageScores(made, files).corpus_words
    return [
        [Counter(table.vocabulary[i] for i in text) for text in table.texts()]
        for table in (words.terms, words.words)
    ]


def test_kept_words_are_those_read_anew(files: KeptArrays) -> None:
    assert counted(corpus(SAID), files) == counted(corpus(SAID), None)
    assert counted(corpus(SAID), files) == counted(corpus(SAID), None)
    words = "harbour the pumps leaked at night".split()
    assert counted(corpus(SAID), files)[1][0] == Counter(words)


@pytest.mark.parametrize(
    "change",
    [
        {"mill": [("Carla", "Der Müller mahlt Korn.")]},
        {"mill": [("Karla", "Der Müller mahlt das Mehl.")]},
        {"attic": [("Dora", "Dust lies on the beams.")]},
        {"zoo": [("Dora", "The seals are fed at noon."), ("Ada", "By whom?")]},
    ],
)
def test_what_came_or_changed_is_read_anew(
    files: KeptArrays, change: dict[str, list[tuple[str, str]]]
) -> None:
    counted(corpus(SAID), files)
    changed = dict(sorted((SAID | change).items()))
    assert counted(corpus(changed), files) == counted(corpus(changed), None)


def test_only_what_changed_is_read(files: KeptArrays, monkeypatch: pytest.MonkeyPatch) -> None:
    counted(corpus(SAID), files)
    read: list[str] = []
    taken = "dynagrag.retrieval.corpus_words._DocumentTexts.words"

    def words(_: object, title: str) -> list[list[str]]:
        read.append(title)
        return [["x"]]

    monkeypatch.setattr(taken, words)
    counted(corpus(SAID), files)
    assert not read
    counted(corpus(SAID | {"attic": [("Dora", "Dust.")]}), files)
    assert read == ["attic"]


def test_a_renamed_document_and_another_order_are_seen(files: KeptArrays) -> None:
    counted(corpus(SAID), files)
    backwards = dict(reversed(SAID.items()))
    assert counted(corpus(backwards), files) == counted(corpus(backwards), None)
    renamed = {("quay" if title == "harbour" else title): own for title, own in SAID.items()}
    assert counted(corpus(renamed), files) == counted(corpus(renamed), None)


def test_no_word_of_a_document_that_went_is_left(files: KeptArrays) -> None:
    counted(corpus(SAID), files)
    assert b"leaked" in (files.folder / FILE).read_bytes()
    counted(corpus({"mill": SAID["mill"]}), files)
    left = (files.folder / FILE).read_bytes()
    assert b"leaked" not in left
    assert b"mehl" in left


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
def test_a_damaged_file_is_none(
    files: KeptArrays, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    counted(corpus(SAID), files)
    path = files.folder / FILE
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes({"cut": bytes(data[:-9]), "flipped": bytes(data), "empty": b""}[damage])
    assert counted(corpus(SAID), files) == counted(corpus(SAID), None)
    assert "made again" in caplog.text
    caplog.clear()
    counted(corpus(SAID), files)
    assert not caplog.text


def test_nothing_is_written_while_it_may_not(tmp_path: Path) -> None:
    @contextmanager
    def never() -> Iterator[bool]:
        yield False

    files = KeptArrays(tmp_path, never)
    assert counted(corpus(SAID), files) == counted(corpus(SAID), None)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    @contextmanager
    def always() -> Iterator[bool]:
        yield True

    (tmp_path / "file").write_text("no folder")
    files = KeptArrays(tmp_path / "file", always)
    assert counted(corpus(SAID), files) == counted(corpus(SAID), None)
    assert "can't be written" in caplog.text


def test_scores_do_not_depend_on_what_was_kept(files: KeptArrays) -> None:
    counted(corpus({"zoo": [("Dora", "The mean seals leaked.")], **SAID}), files)
    made = corpus(SAID)
    for text in ("Which pumps leaked?", "Wer mahlt Mehl?"):
        kept, anew = PassageScores(made, files), PassageScores(made)
        assert kept.bm25(text).tolist() == anew.bm25(text).tolist()
        assert (
            TurnScores(kept)._word_scores(text).tolist()
            == TurnScores(anew)._word_scores(text).tolist()
        )


def test_tables_are_joined_and_ordered() -> None:
    one = WordTable.of([[["a", "b", "a"], []], [["c"]]])
    both = one.and_then(WordTable.of([[["b", "d"]], []]))
    assert both.vocabulary == ("a", "b", "c", "d")
    assert both.texts() == [[0, 1, 0], [], [2], [1, 3]]
    some = both.taken(np.array([2, 0]))
    assert [[some.vocabulary[i] for i in text] for text in some.texts()] == [
        ["b", "d"],
        ["a", "b", "a"],
        [],
    ]
    assert "c" not in some.vocabulary
