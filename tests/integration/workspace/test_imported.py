"""Given passages in a workspace: ingested without a model, once however often, resumed where it was
stopped, found and cited.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dynagrag.core.errors import UsageError
from dynagrag.core.schema import Answer, SourceTurn
from dynagrag.fakes import FakeEmbedder
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.ingest.imported.imported_corpus import (
    ImportedCorpus,
    ImportedDocument,
    ImportedPassage,
    ImportedTurns,
    read_imported,
)
from dynagrag.ingest.imported.imported_extractor import ImportedExtractor
from dynagrag.ingest.imported.imported_plan import imported_ids
from dynagrag.ingest.pipeline import IngestReport
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.ingest_job import IngestOptions, options_of

OpenSpace = Callable[..., Workspace]

PASSAGES = (
    ImportedPassage(
        "Acme Works",
        " Acme Works is a firm in North London. It was founded by Ada Byron in 1901. Ada Byron was"
        " born in Old Delft.",
        ("Acme Works", "North London", "1901"),
        (
            ("Acme Works", "is located in", "North London"),
            ("Acme Works", "was founded by", "Ada Byron"),
            ("Ada Byron", "was born in", "Old Delft"),
        ),
    ),
    ImportedPassage(
        "Old Delft",
        "Old Delft lies on the river Schie.",
        ("Old Delft", "Schie"),
        (("Old Delft", "lies on", "river Schie"),),
    ),
    ImportedPassage(
        "Old Delft",
        "Old Delft is also a song by the band Corvus.",
        ("Corvus",),
        (("Old Delft", "is by", "Corvus"),),
    ),
    ImportedPassage("", "The ferry across the Schie runs each hour."),
    ImportedPassage(
        "Twin", "Grace Hopper wrote the manual.", (), (("Grace Hopper", "wrote", "the manual"),)
    ),
    ImportedPassage(
        "Twin", "Grace Hopper wrote the manual.", (), (("Grace Hopper", "wrote", "the manual"),)
    ),
)
MEETING = ImportedTurns(
    "Weekly call",
    tuple(
        SourceTurn(
            f"We talked about point {i} of the list for quite some time and then went on. " * 3,
            "AB"[i % 2],
        )
        for i in range(12)
    ),
)


class StoppedError(BaseException):
    """As Ctrl-C and a killed process are: nothing catches it on its way."""


def ingest(
    space: Workspace, *documents: ImportedDocument, source: str = "/data/given.jsonl"
) -> IngestReport:
    corpus = ImportedCorpus(documents, source)
    return space.ingest_jobs.ingest_imported(corpus, ImportedExtractor(corpus))


def counts(report: IngestReport) -> tuple[int, int, int, int]:
    return len(report.added), len(report.replaced), len(report.unchanged), report.num_chunks


def check_words(space: Workspace, answer: Answer) -> None:
    """Every line is some document's own words under its title; titles may stand twice."""
    documents = space.store.documents()
    for item in (*answer.citations, *answer.evidence):
        assert item.quote
        assert item.quote in [
            d.text[item.start : item.end] for d in documents if d.title == item.document
        ]


def stop_at(stage: str, done: int) -> Callable[[str, int, int], None]:
    def progress(at: str, num: int, total: int) -> None:
        if at == stage and num >= done:
            raise StoppedError

    return progress


def test_triples_become_the_graph_and_twins_are_two_documents(
    open_space: OpenSpace, any_store: str
) -> None:
    space = open_space(store=any_store)
    report = ingest(space, *PASSAGES, MEETING)
    assert counts(report)[:3] == (7, 0, 0)
    graph = space.graph()
    keys = {e.id: e.key for e in graph.entities}
    relations = {(keys[r.head], r.label, keys[r.tail]): r for r in graph.relations}
    assert {key: r.support for key, r in relations.items()} == {
        ("acme works", "is located in", "north london"): 1,
        ("acme works", "was founded by", "ada byron"): 1,
        ("ada byron", "was born in", "old delft"): 1,
        ("old delft", "lies on", "river schie"): 1,
        ("old delft", "is by", "corvus"): 1,
        ("grace hopper", "wrote", "manual"): 2,
    }
    documents = {d.id: d for d in space.store.documents()}
    corpus = ImportedCorpus((*PASSAGES, MEETING))
    assert [documents[i].title for i in imported_ids(corpus, space.name)] == [
        d.title or "given.jsonl#4" for d in corpus.documents
    ]
    texts = {
        p.document_id: documents[p.document_id].text[p.start : p.end]
        for p in space.store.passages()
    }
    assert [texts[i] for i in imported_ids(ImportedCorpus(PASSAGES), space.name)] == [
        p.text for p in PASSAGES
    ]
    assert space.stats().passages > len(PASSAGES) + 2
    again = open_space("again")
    ingest(again, *PASSAGES, MEETING)
    assert again.store.digest() == space.store.digest()


def test_a_second_run_does_nothing(open_space: OpenSpace) -> None:
    embedder = FakeEmbedder()
    space = open_space(embedder=embedder)
    ingest(space, *PASSAGES, MEETING)
    before, num_texts = space.store.version(), embedder.num_texts
    report = ingest(space, *PASSAGES, MEETING)
    assert counts(report) == (0, 0, 7, 0)
    assert (space.store.version(), embedder.num_texts) == (before, num_texts)


@pytest.mark.parametrize(
    ("stage", "done"),
    [("extract", 0), ("extract", 3), ("embed", 0), ("consolidate", 1), ("write graph", 0)],
)
def test_a_run_that_was_stopped_goes_on_and_ends_as_a_whole_one(
    open_space: OpenSpace, stage: str, done: int
) -> None:
    whole, stopped = open_space("whole"), open_space("stopped")
    ingest(whole, *PASSAGES, MEETING)
    corpus = ImportedCorpus((*PASSAGES, MEETING), "/data/given.jsonl")
    with pytest.raises(StoppedError):
        stopped.ingest_jobs.ingest_imported(corpus, ImportedExtractor(corpus), stop_at(stage, done))
    stopped.close()
    space = open_space("stopped")
    report = space.ingest_jobs.ingest_imported(corpus, ImportedExtractor(corpus))
    assert len(report.added) + len(report.unchanged) == 7
    assert not report.set_aside
    assert space.store.digest() == whole.store.digest()
    assert space.stats().chunks == whole.stats().chunks
    assert space.store.is_derived_current()


def test_rows_that_move_keep_their_records(open_space: OpenSpace) -> None:
    embedder = FakeEmbedder()
    space = open_space(embedder=embedder)
    ingest(space, *PASSAGES)
    num_texts = embedder.num_texts
    report = ingest(space, ImportedPassage("New", "A new first row."), *PASSAGES)
    assert report.num_chunks == 1
    assert embedder.num_texts == num_texts + 1  # its passage
    assert sorted(d.uri.rpartition("#")[2] for d in space.store.documents()) == list("1234567")


def test_a_changed_row_replaces_what_stood_there(open_space: OpenSpace) -> None:
    space, fresh = open_space(), open_space("fresh")
    ingest(space, *PASSAGES)
    changed = ImportedPassage("Schie", "The Schie is a river.", (), (("Schie", "is", "a river"),))
    report = ingest(space, *PASSAGES[:2], changed, *PASSAGES[3:])
    assert [d.title for d in report.replaced] == ["Schie"]
    ingest(fresh, *PASSAGES[:2], changed, *PASSAGES[3:])
    assert len(space.store.documents()) == len(PASSAGES)
    assert space.store.digest() == fresh.store.digest()


def test_a_title_that_was_given_stays_with_its_row(open_space: OpenSpace) -> None:
    space = open_space()
    ingest(space, *PASSAGES[:2])
    space.documents.rename("Old Delft", "The river")
    ingest(
        space,
        PASSAGES[0],
        replace(PASSAGES[1], text="Old Delft lies on the river Schie, near the sea."),
    )
    assert sorted(document.title for document in space.store.documents()) == [
        "Acme Works",
        "The river",
    ]


def test_rows_that_are_no_more_stay_until_they_are_deleted(open_space: OpenSpace) -> None:
    space = open_space()
    ingest(space, *PASSAGES)
    report = ingest(space, *PASSAGES[:2])
    assert len(space.store.documents()) == len(PASSAGES)
    assert report.removed == ()


def test_the_fast_extractor_makes_a_graph_of_them_too(open_space: OpenSpace) -> None:
    space = open_space()
    corpus = ImportedCorpus(PASSAGES)
    report = space.ingest_jobs.ingest_imported(PASSAGES, FastExtractor(corpus.titles))
    assert counts(report)[0] == 6
    entities = {e.key: e.type for e in space.graph().entities}
    assert entities["old delft"] in ("name", "title")
    assert "given" not in " ".join(entities)  # what has no title is not called by its place
    assert counts(space.ingest_jobs.ingest_imported(PASSAGES, FastExtractor(corpus.titles))) == (
        0,
        0,
        6,
        0,
    )


def test_another_extractor_replaces_the_records_of_the_one_before(open_space: OpenSpace) -> None:
    space, fresh = open_space(), open_space("fresh")
    space.ingest_jobs.ingest_imported(PASSAGES, FastExtractor())
    ingest(space, *PASSAGES, source="given")
    ingest(fresh, *PASSAGES, source="given")
    assert space.store.digest() == fresh.store.digest()
    assert {r.extractor for r in space.store.relation_records()} == {
        ImportedExtractor(PASSAGES).name
    }


def test_naive_search_cites_a_given_passage_in_its_own_words(open_space: OpenSpace) -> None:
    space = open_space()
    ingest(space, *PASSAGES)
    answer = space.ask(
        "Which firm in North London was founded by Ada Byron?", AskOptions(retriever="naive")
    )
    check_words(space, answer)
    assert answer.citations[0].document == "Acme Works"
    assert answer.citations[0].quote == PASSAGES[0].text


@pytest.mark.parametrize("retriever", ["dynagrag", "dynagrag-cosine", "naive", "bm25", "hybrid"])
def test_what_no_sentence_says_is_never_cited(open_space: OpenSpace, retriever: str) -> None:
    space = open_space()
    ingest(space, *PASSAGES)
    unquoted = {r.id for r in space.store.relation_records() if r.quote_start == r.quote_end}
    assert len(unquoted) == 1
    answer = space.ask(
        "Which firm was founded by Ada Byron?", AskOptions(retriever=retriever, profile="graph")
    )
    check_words(space, answer)
    assert not unquoted & {e.id for e in (*answer.evidence, *answer.citations)}


def test_the_commands_work_on_it(
    open_space: OpenSpace, cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {
            "title": p.title,
            "text": p.text,
            "extracted_entities": p.entities,
            "extracted_triples": p.triples,
        }
        for p in PASSAGES
        if p.title
    ]
    path = tmp_path / "given.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    space = open_space()
    corpus = read_imported(path)
    space.ingest_jobs.ingest_imported(corpus, ImportedExtractor(corpus))
    digest = space.store.digest()
    space.close()
    shown = cli("graph", "show", "Acme Works", "-w", "w")
    assert shown.code == 0
    assert "Acme Works: no sentence says it" in shown.out
    kept = tmp_path / "kept.zip"
    assert cli("backup", kept, "-w", "w").code == 0
    monkeypatch.setenv("DYNAGRAG_HOME", str(tmp_path / "elsewhere"))
    assert cli("restore", kept).code == 0
    assert open_space(at=tmp_path / "elsewhere").store.digest() == digest


def test_a_job_of_what_was_given_says_how_to_repeat_it(open_space: OpenSpace) -> None:
    space = open_space()
    with pytest.raises(StoppedError):
        space.ingest_jobs.ingest_imported(
            PASSAGES, ImportedExtractor(PASSAGES), stop_at("extract", 2)
        )
    (job,) = space.jobs()
    with pytest.raises(UsageError, match="run the ingest itself again"):
        space.prepare_resume(job.id)


def test_a_file_is_ingested_and_resumed_by_its_job_and_rows_that_are_gone_are_deleted(
    open_space: OpenSpace, tmp_path: Path
) -> None:
    path = tmp_path / "given.jsonl"
    lines = [
        json.dumps({"title": p.title, "text": p.text, "extracted_triples": p.triples})
        for p in PASSAGES
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    space, fresh = open_space(), open_space("fresh")
    options = IngestOptions(extractor="file", remove_missing=True)
    with pytest.raises(StoppedError):
        space.prepare_ingest([path], options).run(stop_at("extract", 2))
    (job,) = space.jobs()
    assert options_of(job.request) == options
    report = space.prepare_resume(job.id).run()
    assert len(report.added) + len(report.unchanged) == len(PASSAGES)
    assert [j.id for j in space.jobs()] == [job.id]
    path.write_text("\n".join(lines[:4]), encoding="utf-8")
    report = space.prepare_ingest([path], options).run()
    assert len(report.removed) == 2
    fresh.prepare_ingest([path], options).run()
    assert space.store.digest() == fresh.store.digest()


ROWS = tuple(ImportedPassage(n, f"{n} came in.", (n,)) for n in ("Ada", "Cleo", "Dora", "Eve"))


def write_rows(path: Path, rows: Sequence[ImportedPassage]) -> Path:
    path.write_text(
        "\n".join(
            json.dumps({"title": p.title, "text": p.text, "extracted_entities": p.entities})
            for p in rows
        )
    )
    return path


def titles(space: Workspace) -> list[str]:
    return sorted(d.title for d in space.store.documents())


@pytest.mark.parametrize("gone", [0, 1, 3])
def test_the_line_that_was_deleted_is_named_and_goes_only_where_that_is_asked_for(
    open_space: OpenSpace, tmp_path: Path, gone: int
) -> None:
    space, path = open_space(), write_rows(tmp_path / "cur.jsonl", ROWS)
    keep, remove = (
        IngestOptions(extractor="file"),
        IngestOptions(extractor="file", remove_missing=True),
    )
    space.prepare_ingest([path], keep).run()
    write_rows(path, [row for i, row in enumerate(ROWS) if i != gone])
    for _ in range(2):
        prepared = space.prepare_ingest([path], keep)
        assert [d.title for d in prepared.plan.missing] == [ROWS[gone].title]
        assert prepared.run().removed == ()
        assert titles(space) == ["Ada", "Cleo", "Dora", "Eve"]
    prepared = space.prepare_ingest([path], remove)
    assert [d.title for d in prepared.plan.missing] == [ROWS[gone].title]
    assert [d.title for d in prepared.run().removed] == [ROWS[gone].title]
    assert titles(space) == sorted({"Ada", "Cleo", "Dora", "Eve"} - {ROWS[gone].title})
    space.prepare_ingest([path], keep).run()
    assert sorted(d.uri.rpartition("#")[2] for d in space.store.documents()) == [
        "1",
        "2",
        "3",
    ], "the others move up"


def test_a_row_that_moved_is_replaced_by_none(open_space: OpenSpace, tmp_path: Path) -> None:
    space, path = open_space(), write_rows(tmp_path / "cur.jsonl", ROWS)
    options = IngestOptions(extractor="file")
    space.prepare_ingest([path], options).run()
    write_rows(path, [ImportedPassage("Zoe", "Zoe came in."), *ROWS])
    prepared = space.prepare_ingest([path], options)
    assert [d.replaces for d in prepared.plan.documents] == [()] * 5
    assert prepared.run().replaced == ()
    assert len(titles(space)) == 5


def test_what_a_new_text_replaces_is_named_where_missing_rows_are_removed(
    open_space: OpenSpace, tmp_path: Path
) -> None:
    space, path = open_space(), write_rows(tmp_path / "cur.jsonl", ROWS)
    space.prepare_ingest([path], IngestOptions(extractor="file")).run()
    write_rows(path, [ImportedPassage("Zoe", "Zoe came in."), *ROWS[1:]])
    assert space.prepare_ingest([path], IngestOptions(extractor="file")).plan.missing == ()
    prepared = space.prepare_ingest([path], IngestOptions(extractor="file", remove_missing=True))
    assert [d.title for d in prepared.plan.missing] == ["Ada"]
    prepared.run()
    assert titles(space) == ["Cleo", "Dora", "Eve", "Zoe"]


def test_rows_that_are_no_more_stay_also_where_two_have_one_place(
    open_space: OpenSpace, tmp_path: Path
) -> None:
    space, options = open_space(), IngestOptions(extractor="file")
    zoe = ImportedPassage("Zoe", "Zoe came in.", ("Zoe",))
    for rows in (ROWS, (ROWS[1], zoe, *ROWS[2:]), ROWS[1:]):
        report = space.prepare_ingest([write_rows(tmp_path / "cur.jsonl", rows)], options).run()
        assert (report.replaced, report.removed) == ((), ())
    assert titles(space) == ["Ada", "Cleo", "Dora", "Eve", "Zoe"]
