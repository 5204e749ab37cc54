"""`dynagrag doctor`: every thing broken by hand is found, named with its remedy, and mended where
it can be.
"""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.graph_store.transfer import COPY_NOTE
from dynagrag.journal.jobs import JobRequest
from dynagrag.journal.workspace_journal import Journal
from dynagrag.upkeep.doctor import derived_digest
from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]


@pytest.fixture
def ingested(server: OpenAIStubServer, cli: Any, corpus: Any) -> list[Path]:
    paths: list[Path] = corpus.many(2, 12)
    assert cli("ingest", *paths).code == 0
    return paths


@pytest.fixture
def graph(home: Path) -> Path:
    return home / "workspaces" / "default" / "graph.sqlite"


def change(path: Path, *statements: str) -> None:
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


def bad(said: Any) -> dict[str, str]:
    """What is wrong: the finding and remedy of each thing."""
    assert said.err == ""
    lines = [line for line in said.out.splitlines() if line.startswith("BAD ")]
    assert said.code == (1 if lines else 0)
    return {line[4:27].strip(): line[27:].strip() for line in lines}


BREAKAGES = {
    "an index is gone": (
        ("DROP INDEX mentions_of_extraction",),
        "indexes",
        "mentions_of_extraction",
    ),
    "orphaned records": (
        (
            "INSERT INTO turns SELECT 'lost', 'nobody', 0, 0, 1, NULL, NULL, NULL",
            (
                "INSERT INTO mentions SELECT 'lost', 999999, document_id, 0, 1, '[]', name, key,"
                " type, summary, kind, extractor, flags FROM mentions LIMIT 1"
            ),
        ),
        "orphaned records",
        "1 turns, 1 mentions",
    ),
    "a weight is wrong": (
        ("UPDATE entities SET weight = weight + 1 WHERE weight > 0",),
        "digest",
        "derived again",
    ),
    "an entity is gone": (
        ("DELETE FROM entities WHERE id = (SELECT head FROM relations LIMIT 1)",),
        "orphaned records",
        "relations",
    ),
}


@pytest.mark.parametrize("what", BREAKAGES)
def test_what_is_broken_is_found_and_mended_to_the_same_graph(
    ingested: list[Path], cli: Any, graph: Path, what: str
) -> None:
    statements, where, finding = BREAKAGES[what]
    digest = cli("graph", "stats", "--json").json["digest"]
    assert bad(cli("doctor")) == {}
    change(graph, "PRAGMA foreign_keys = OFF", *statements)
    found = bad(cli("doctor"))
    assert finding in found[where]
    assert "doctor --repair" in found[where]
    mended = cli("doctor", "--repair")
    assert bad(mended) == {}
    assert f"digest {digest[:12]}" in mended.out
    assert cli("graph", "stats", "--json").json["digest"] == digest
    assert "the same as before" in cli("doctor", "--repair").out


def test_a_graph_that_the_next_question_derives_is_not_bad(
    ingested: list[Path], cli: Any, graph: Path
) -> None:
    assert cli("rename", ingested[0], "The first talk").code == 0
    looked = cli("doctor")
    assert bad(looked) == {}
    assert "older than the records; the next question derives it again" in looked.out
    found = bad(cli("doctor", "--embedder", "openai:another"))
    assert "doctor --repair" in found["graph"]
    assert cli("ask", "Who?", "--lines", "1").code == 0
    assert "older than the records" not in cli("doctor").out
    change(graph, "UPDATE meta SET value = 'before' WHERE name = 'derived_of'")
    assert bad(cli("doctor", "--repair")) == {}
    assert "older than the records" not in cli("doctor").out


def test_looking_changes_nothing(ingested: list[Path], cli: Any, graph: Path) -> None:
    change(graph, "DROP INDEX turns_of_document")
    assert bad(cli("doctor"))
    assert list(bad(cli("doctor"))) == ["indexes"]


@pytest.mark.parametrize("keep", [0.5, 0.9])
def test_a_file_that_was_cut_off_is_said_with_its_remedy(
    ingested: list[Path], cli: Any, graph: Path, keep: float
) -> None:
    data = graph.read_bytes()
    graph.write_bytes(data[: int(len(data) * keep)])
    for arguments in (("doctor",), ("doctor", "--repair")):
        found = bad(cli(*arguments))
        assert any("restore" in line for line in found.values()), found


def test_flipped_bytes_in_the_file_are_said(ingested: list[Path], cli: Any, graph: Path) -> None:
    data = bytearray(graph.read_bytes())
    for at in range(8192, len(data), 4096):
        data[at : at + 40] = bytes(40)
    graph.write_bytes(bytes(data))
    assert bad(cli("doctor"))


def test_vectors_of_another_embedder_are_said(ingested: list[Path], cli: Any) -> None:
    found = bad(cli("doctor", "--embedder", "openai:another"))
    assert "use --embedder openai:fake" in found["vectors"]


def test_it_starts_and_repairs_where_no_embedder_and_no_model_can_be_had(
    ingested: list[Path], cli: Any, graph: Path
) -> None:
    change(graph, "DROP INDEX turns_of_document")
    nothing = ("--embedder", "/no/such/folder", "--llm", "gguf:/no/such.gguf")
    assert {"embedder", "language model", "indexes"} == set(bad(cli("doctor", *nothing)))
    mended = cli("doctor", "--repair", *nothing)
    assert set(bad(mended)) == {"embedder", "language model"}
    assert "made index turns_of_document" in mended.out


def test_missing_vectors_are_made_again_or_the_embedder_is_asked_for(
    ingested: list[Path], cli: Any, graph: Path
) -> None:
    change(graph, "DELETE FROM vectors WHERE kind = 'passage'")
    assert "passages have none" in bad(cli("doctor"))["vectors"]
    found = bad(cli("doctor", "--repair", "--embedder", "/no/such/folder"))
    assert "vectors are missing, and the embedder cannot be opened" in found["workspace default"]
    assert bad(cli("doctor", "--repair")) == {}


def test_set_asides_and_unfinished_copies_are_said(
    ingested: list[Path], cli: Any, open_space: OpenSpace
) -> None:
    space = open_space("default")
    space.journal.set_aside(space.store.documents()[0].id, 0, 5, "no reply")
    space.store.set_note(COPY_NOTE, "{}")
    found = bad(cli("doctor"))
    assert set(found) == {"set aside", "copy"}
    assert "again" in found["set aside"]
    assert "graph copy" in found["copy"]
    assert (
        "graph copy" in bad(cli("doctor", "--repair"))["copy"]
    )  # a graph of half the records would be no repair


def test_a_job_whose_process_is_gone_is_said(ingested: list[Path], cli: Any, home: Path) -> None:
    journal = Journal(home / "workspaces" / "default" / "journal.sqlite")
    number = journal.job_book.start("ingest", JobRequest())
    assert bad(cli("doctor")) == {}
    journal.close()  # lets go of the job, as the end of its process does
    assert f"interrupted: {number}" in bad(cli("doctor"))["jobs"]


def test_a_repair_does_not_undo_a_persons_edits_or_a_models_merges(
    open_space: OpenSpace, corpus: Any, cli: Any, server: Any
) -> None:
    space = open_space("default")
    space.ingest(
        [
            corpus.write(
                "a.vtt",
                [
                    ("Leo", "Acme Works founded Delta Labs."),
                    ("Leo", "The Acme-Works partners with Ember Labs."),
                ],
            )
        ]
    )
    merges, digest = space.store.consolidation().merges, space.store.digest()
    assert merges
    assert cli("doctor", "--repair").out
    assert (space.store.consolidation().merges, space.store.digest()) == (merges, digest)


def test_the_digest_derived_again_needs_no_vectors(open_space: OpenSpace, corpus: Any) -> None:
    space = open_space()
    space.ingest(corpus.many(2, 20))
    assert derived_digest(space.store) == space.store.digest()


def test_an_emptied_workspace_is_sound(ingested: list[Path], cli: Any) -> None:
    for path in ingested:
        assert cli("delete", path, "--yes").code == 0
    assert bad(cli("doctor")) == {}


def test_each_finding_is_an_object_for_programs(
    ingested: list[Path], cli: Any, graph: Path
) -> None:
    change(graph, "DROP INDEX turns_of_document")
    said = cli("doctor", "--json")
    rows = json.loads(said.out)
    assert said.code == 1
    assert all(set(row) == {"what", "is_ok", "finding", "remedy"} for row in rows)
    assert [row["what"] for row in rows if not row["is_ok"]] == ["indexes"]
    assert {row["what"] for row in rows} >= {
        "version",
        "home",
        "store",
        "file",
        "indexes",
        "orphaned records",
        "graph",
        "digest",
        "vectors",
    }
    assert [row["what"] for row in json.loads(cli("doctor", "--repair", "--json").out)][:2] == [
        "repair",
        "repair",
    ]


def test_a_workspace_that_is_not_there_is_wrong_only_where_it_was_asked_for(
    server: OpenAIStubServer, cli: Any
) -> None:
    assert bad(cli("doctor")) == {}
    assert "does not exist yet" in bad(cli("doctor", "-w", "x"))["workspace"]
    assert "does not exist yet" in bad(cli("doctor", "-w", "x", "--repair"))["workspace"]


# -------------------------------------------------------------------------------------------- Neo4j


@pytest.mark.neo4j
@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("DROP INDEX entity_names", "indexes"),
        ("CREATE (:Mention {uid: 'lost of ' + $ws, ws: $ws})", "orphaned records"),
        (
            (
                "MATCH (e:Entity) WHERE e.ws = $ws WITH e LIMIT 1 SET e.weight = e.weight + 7,"
                " e.sig = 'altered'"
            ),
            "digest",
        ),
    ],
)
def test_what_is_broken_in_neo4j_is_found_and_mended(
    server: OpenAIStubServer,
    cli: Any,
    corpus: Any,
    own_neo4j: Any,
    neo4j_workspace: str,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    statement: str,
    where: str,
) -> None:
    import neo4j

    monkeypatch.setenv("NEO4J_PASSWORD", own_neo4j.password)
    here = ("-w", neo4j_workspace)
    assert cli("ingest", *corpus.many(2, 12), *here, "--store", own_neo4j.address).code == 0
    assert bad(cli("doctor", *here)) == {}
    digest = cli("graph", "stats", *here, "--json").json["digest"]
    with neo4j.GraphDatabase.driver(
        own_neo4j.address, auth=(own_neo4j.username, own_neo4j.password)
    ) as driver:
        driver.execute_query(statement, ws=neo4j_workspace)
        if where == "digest":
            driver.execute_query(
                "MATCH (w:Workspace {uid: $ws}) SET w.graph = randomUUID()", ws=neo4j_workspace
            )
    assert "doctor --repair" in bad(cli("doctor", *here))[where]
    if (
        where == "indexes"
    ):  # also where the workspace is to be made yet, and without a trace of having looked
        elsewhere = ("-w", f"{neo4j_workspace}-new", "--store", own_neo4j.address)
        assert set(bad(cli("doctor", *elsewhere))) == {"indexes", "workspace"}
        assert not (home / "workspaces" / f"{neo4j_workspace}-new").exists()
        assert "indexes" not in bad(cli("doctor", "--repair", *elsewhere))
    assert bad(cli("doctor", "--repair", *here)) == {}
    assert cli("graph", "stats", *here, "--json").json["digest"] == digest
