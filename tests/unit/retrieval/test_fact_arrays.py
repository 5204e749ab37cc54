"""A snapshot's facts as arrays: which passage says each, and which entities it holds."""

from pathlib import Path

import numpy as np

from dynagrag import IngestOptions, open_workspace
from dynagrag.core.schema import Filters, Snapshot
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.retrieval.filters import apply_filters

TEXTS = {
    "a.md": "# Acme Works\n\nAda Byron founded Acme Works.\n",
    "b.txt": "Borealis Labs is located in Delft. Ada Byron works at Acme Works.",
    "c.txt": "Nothing of note.",
}
DTYPE = np.dtype(np.int64)


def test_each_fact_is_in_its_passage_with_its_entities_and_each_passage_has_its_subject(
    tmp_path: Path,
) -> None:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with open_workspace("w", chat_model=FakeChat(), embedder=FakeEmbedder()) as space:
        space.ingest(sorted(tmp_path.glob("*.*")), IngestOptions(extractor="llm"))
        snapshot = space.current_graph.snapshot()
        facts, keys = snapshot.facts, [e.key for e in snapshot.graph.entities]
        titles = [snapshot.documents[p.document_id].title for p in snapshot.passages]
        assert {
            (
                titles[row],
                text.partition(":")[0],
                tuple(keys[e] for e in facts.entities[facts.ptr[i] : facts.ptr[i + 1]]),
            )
            for i, (row, text) in enumerate(zip(facts.passage_rows, facts.texts, strict=True))
        } == {
            ("Acme Works", "ada byron founded acme works", ("ada byron", "acme works")),
            ("b", "borealis labs is located in delft", ("delft", "borealis labs")),
            ("b", "ada byron works at acme works", ("ada byron", "acme works")),
        }
        held = [
            {keys[e] for e in facts.held[facts.held_ptr[row] : facts.held_ptr[row + 1]]}
            for row in range(len(titles))
        ]
        assert dict(zip(titles, held, strict=True)) == {
            "Acme Works": {"ada byron", "acme works"},
            "b": {"ada byron", "acme works", "borealis labs", "delft"},
            "c": set(),
        }
        subjects = {
            title: "" if entity == -1 else keys[entity]
            for title, entity in zip(titles, facts.subjects, strict=True)
        }
        assert subjects == {"Acme Works": "acme works", "b": "", "c": ""}
        assert facts.vectors.shape == (3, snapshot.passage_vectors.shape[1])
        _assert_of_integers(snapshot)
        none = apply_filters(snapshot, space.store, Filters(documents=("c.txt",)))
        assert (none.facts.texts, none.facts.words) == ((), ())
        assert [len(none.facts.ptr), len(none.facts.held_ptr)] == [1, 2]
        _assert_of_integers(none)


def _assert_of_integers(snapshot: Snapshot) -> None:
    facts = snapshot.facts
    for array in (
        facts.passage_rows, facts.ptr, facts.entities, facts.held_ptr, facts.held, facts.subjects
    ):  # fmt: skip
        assert array.dtype == DTYPE
