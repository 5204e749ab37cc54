"""What docs/neo4j.md shows is true: each query and the LangChain example run on a real server,
against workspaces whose facts are known.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import neo4j
import pytest
from neo4j_server import GivenServer, Neo4jServer

import dynagrag
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.graph_store.neo4j_store.cypher import labels
from dynagrag.workspace.facade import Workspace, open_workspace

pytestmark = pytest.mark.neo4j
FOLDER = Path(__file__).parents[3] / "docs"
PAGE = (FOLDER / "neo4j.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```cypher\n(.*?)```", PAGE, re.DOTALL)
MONDAY = [
    ("Maria", "Ada Byron works at Analytical Engines."),
    ("Leo", "Charles Babbage founded Analytical Engines."),
    ("Ines", "Analytical Engines acquired Borealis Labs."),
]
TUESDAY = [
    (
        "Leo",
        (
            "Analytical Engines is located in North London. Charles Babbage founded Analytical"
            " Engines."
        ),
    ),
    ("Ines", "Borealis Labs partners with Delta Works."),
]
ELSEWHERE = [
    ("Canary", "Edith Canary founded Analytical Engines."),
    ("Canary", "Edith Canary works at Delta Works."),
] * 3
SCANS = {
    "AllNodesScan",
    "NodeByLabelScan",
    "UnionNodeByLabelsScan",
    "DirectedRelationshipTypeScan",
    "UndirectedRelationshipTypeScan",
}

Talk = Sequence[tuple[str, str]]
Rows = list[dict[str, Any]]


@pytest.fixture
def environment(neo4j_server: Neo4jServer | GivenServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", neo4j_server.address)
    monkeypatch.setenv("NEO4J_USERNAME", neo4j_server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_server.password)
    monkeypatch.setenv("NEO4J_DATABASE", neo4j_server.database)


@pytest.fixture
def space(environment: None, neo4j_workspace: str, corpus: Any) -> Iterator[Workspace]:
    """Two meetings; beside it another workspace with the same names, and more about them."""
    with ExitStack() as stack:
        made = [
            stack.enter_context(_space(name))
            for name in (neo4j_workspace, f"{neo4j_workspace}-other")
        ]
        for one in made:
            stack.callback(one.store.clear)
        made[0].ingest([corpus.write("monday.vtt", MONDAY), corpus.write("tuesday.vtt", TUESDAY)])
        made[1].ingest([corpus.write("elsewhere.vtt", ELSEWHERE)])
        yield made[0]


def _space(name: str) -> Workspace:
    return open_workspace(name, chat_model=FakeChat(), embedder=FakeEmbedder())


@pytest.fixture
def driver(neo4j_server: Neo4jServer | GivenServer) -> Iterator[neo4j.Driver]:
    with neo4j.GraphDatabase.driver(
        neo4j_server.address, auth=(neo4j_server.username, neo4j_server.password)
    ) as made:
        yield made


def _values(space: Workspace) -> dict[str, str]:
    return {
        "ws": space.name,
        "name": "Analytical Engines",
        "other": "Delta Works",
        "words": "babbage engines",
    }


def _read(
    driver: neo4j.Driver, server: Neo4jServer | GivenServer, query: str, space: Workspace
) -> neo4j.EagerResult:
    return driver.execute_query(query, _values(space), routing_="r", database_=server.database)  # type: ignore[arg-type]


def test_every_query_of_the_page_answers_from_its_workspace_alone(
    space: Workspace, driver: neo4j.Driver, neo4j_server: Neo4jServer | GivenServer
) -> None:
    heaviest, said, connected, speakers, shared, found = (
        [record.data() for record in _read(driver, neo4j_server, query, space).records]
        for query in QUERIES
    )
    assert heaviest[0] == {
        "name": "Analytical Engines",
        "type": "organization",
        "said": 2,
        "relations": 4,
    }
    assert {row["name"] for row in heaviest} == {
        *(
            "Analytical Engines",
            "Charles Babbage",
            "Borealis Labs",
            "Ada Byron",
            "North London",
            "Delta Works",
        )
    }
    assert _quotes(said) == {
        ("monday", 0.0, "Maria", "Ada Byron works at Analytical Engines."),
        ("monday", 10.0, "Leo", "Charles Babbage founded Analytical Engines."),
        ("monday", 20.0, "Ines", "Analytical Engines acquired Borealis Labs."),
        ("tuesday", 0.0, "Leo", "Analytical Engines is located in North London."),
        ("tuesday", 0.0, "Leo", "Charles Babbage founded Analytical Engines."),
    }
    assert connected[0]["names"] == ["Analytical Engines", "Borealis Labs", "Delta Works"]
    assert connected[0]["labels"] == ["acquired", "partners with"]
    assert [(row["speaker"], row["quotes"], row["documents"]) for row in speakers] == [
        ("Leo", 3, 2),
        ("Ines", 1, 1),
        ("Maria", 1, 1),
    ]
    assert [(row["head"], row["label"], row["tail"], row["documents"]) for row in shared] == [
        ("Charles Babbage", "founded", "Analytical Engines", 2)
    ]
    assert {"Analytical Engines", "Charles Babbage"} <= {row["name"] for row in found}
    assert "Canary" not in repr([heaviest, said, connected, speakers, shared, found])


def _quotes(rows: Rows) -> set[tuple[Any, ...]]:
    return {(row["document"], row["start_s"], row["speaker"], row["quote"]) for row in rows}


def test_no_query_of_the_page_reads_all_workspaces(
    space: Workspace, driver: neo4j.Driver, neo4j_server: Neo4jServer | GivenServer
) -> None:
    for query in QUERIES:
        plan = _read(driver, neo4j_server, f"EXPLAIN {query}", space).summary.plan
        assert plan is not None
        assert "$ws" in query
        assert SCANS.isdisjoint(_operators(plan)), query


def _operators(plan: Mapping[str, Any]) -> set[str]:
    own = {str(plan["operatorType"]).partition("@")[0]}
    return own.union(*(_operators(child) for child in plan.get("children", [])))


# langchain-neo4j itself calls what neo4j-graphrag warns about
@pytest.mark.filterwarnings("ignore:The default returned 'id' field:DeprecationWarning")
def test_the_langchain_retriever_of_the_page_reads_the_passages_of_one_workspace(
    space: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def with_fakes(name: str) -> Workspace:
        assert name == "talks"
        return _space(space.name)

    monkeypatch.setattr(dynagrag, "open_workspace", with_fakes)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, "docs/neo4j.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "Charles Babbage founded Analytical Engines." in printed
    assert "monday ['Ines', 'Leo', 'Maria']" in printed
    assert "tuesday ['Ines', 'Leo']" in printed
    assert "['Analytical Engines', " in printed
    assert "Canary" not in printed


def test_the_style_file_and_the_table_know_the_labels_that_the_store_writes() -> None:
    styled = set(
        re.findall(
            r"^node\.(\w+)", (FOLDER / "neo4j.grass").read_text(encoding="utf-8"), re.MULTILINE
        )
    )
    table = PAGE.partition("| label |")[2].partition("\n\n")[0]
    listed = {
        name
        for first in re.findall(r"^\| ([A-Z][\w, ]+) \|", table, re.MULTILINE)
        for name in first.split(", ")
    }
    assert styled <= set(labels.NODE_LABELS)
    assert listed == {*labels.NODE_LABELS, "RELATES"}
