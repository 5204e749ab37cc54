"""The page Graph, without a browser."""

import io
import json
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dynagrag.core.errors import StoreError
from dynagrag.core.schema import Consolidation, Entity, Overview, Relation
from dynagrag.curation.graph_export import exported, part
from dynagrag.curation.graph_queries import binned, entity_facts, is_name, narrowed, way_between
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.ui.drawing import kept_layouts

Panel = Callable[[str], AppTest]
TURNS = [
    ("Maria", "Acme Works acquired Borealis Labs."),
    ("Leo", "Ada Byron works at Acme Works. Ada Byron works at Borealis Labs."),
    ("Maria", "Grace Hopper works at Acme Works."),
]


@pytest.fixture
def ingested(server: OpenAIStubServer, corpus: Any, cli: Callable[..., Any]) -> None:
    """The default workspace with one meeting."""
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0


def _texts(page: AppTest) -> str:
    kinds = ("markdown", "caption", "subheader", "info", "warning", "error", "title")
    return "\n".join(str(element.value) for kind in kinds for element in page.get(kind))


def _button(page: AppTest, label: str) -> Any:
    return next(b for b in page.button if label in b.label)


def _find(page: AppTest, text: str) -> AppTest:
    return page.text_input[0].set_value(text).run()


def _open(page: AppTest, name: str) -> AppTest:
    return _button(_find(page, name), name).click().run()


def _tab(page: AppTest, name: str) -> AppTest:
    page.session_state["graph_tabs"] = name
    return page.run()


def _drawings(page: AppTest) -> list[dict[str, Any]]:
    """What ECharts was told, a drawing each."""
    found = [json.loads(element.proto.json) for element in page.get("bidi_component")]
    return [value["options"] for value in found]


def test_without_a_workspace_a_visitor_is_told_where_to_begin(
    server: OpenAIStubServer, panel: Panel
) -> None:
    page = panel("graph.graph_page").run()
    assert not page.exception
    shown = [element.value for element in page.markdown]
    assert "#### Your own recordings" in shown
    assert "[Upload files or paste text](ingest?workspace=default)" in shown


def test_an_empty_graph_is_said_to_be_empty(
    server: OpenAIStubServer, panel: Panel, corpus: Any, cli: Callable[..., Any]
) -> None:
    cli("ingest", corpus.write("small.vtt", TURNS), "-y")
    assert cli("delete", "small", "--yes").code == 0
    page = panel("graph.graph_page").run()
    assert not page.exception
    assert "empty" in page.info[0].value


def test_the_whole_graph_is_drawn_and_counted(ingested: None, panel: Panel) -> None:
    page = panel("graph.graph_page").run()
    assert not page.exception
    assert "entities, " in page.caption[0].value
    (options,) = _drawings(page)
    assert {"Acme Works", "Borealis Labs", "Ada Byron"} <= {
        item["words"] for item in options["series"][0]["data"]
    }


def test_an_entity_is_found_and_shown_with_the_words_that_state_its_relations(
    ingested: None, panel: Panel
) -> None:
    page = _open(panel("graph.graph_page").run(), "Acme Works")
    assert not page.exception
    text = _texts(page)
    assert page.subheader[0].value == "Acme Works"
    assert "Acme Works acquired Borealis Labs" in text
    assert "source?workspace=" in text
    assert "Maria" in text
    (options,) = _drawings(page)
    assert "Grace Hopper" in {item["words"] for item in options["series"][0]["data"]}
    assert page.text_input[0].value == ""  # the search is done


def test_an_entity_is_quoted_in_the_order_of_time_and_by_who_says_it(
    ingested: None, panel: Panel
) -> None:
    page = _open(panel("graph.graph_page").run(), "Acme Works")

    def quotes() -> list[str]:
        shown = [element.value for element in page.markdown]
        own = shown[shown.index("**Where it is said**") : shown.index("**Path to another entity**")]
        return [text.partition("” ")[0].replace("\\", "") for text in own[1:]]

    assert quotes() == [
        "“**Acme Works** acquired Borealis Labs.",
        "“Ada Byron works at **Acme Works**. Ada Byron works at Borealis Labs.",
        "“Grace Hopper works at **Acme Works**.",
    ]
    page.get("button_group")[0].set_value("Leo").run()
    assert len(quotes()) == 1


def test_the_path_leads_back(ingested: None, panel: Panel) -> None:
    page = _open(_open(panel("graph.graph_page").run(), "Acme Works"), "Ada Byron")
    assert page.subheader[0].value == "Ada Byron"
    _button(page, "Acme Works").click().run()
    assert page.subheader[0].value == "Acme Works"
    _button(page, "Whole graph").click().run()
    assert "entities, " in page.caption[0].value


def test_a_relation_leads_to_its_other_end_without_the_drawing(
    ingested: None, panel: Panel
) -> None:
    page = _open(panel("graph.graph_page").run(), "Acme Works")
    _button(page, "Grace Hopper").click().run()
    assert page.subheader[0].value == "Grace Hopper"


def test_nothing_found_is_said(ingested: None, panel: Panel) -> None:
    page = _find(panel("graph.graph_page").run(), "Zebra")
    assert "Nothing is called Zebra" in page.info[0].value


@pytest.mark.parametrize(
    "text",
    [
        "\x00",
        "![x](http://evil.example/x.png)",
        "'; DROP TABLE entities; --",
        'AND OR NOT ( * " ~',
        "x" * 200,
    ],
)
def test_whatever_is_typed_is_looked_for(ingested: None, panel: Panel, text: str) -> None:
    page = _find(panel("graph.graph_page").run(), text)
    assert not page.exception
    assert not page.error
    assert "![x](" not in _texts(page)


def test_an_entity_that_has_gone_is_said_to_be_gone(ingested: None, panel: Panel) -> None:
    page = panel("graph.graph_page")
    page.session_state["of_workspace_graph_path"] = [("0" * 32, "Nobody")]
    page.run()
    assert not page.exception
    assert "no longer" in page.warning[0].value


def test_what_the_filters_leave_is_drawn(ingested: None, panel: Panel) -> None:
    page = panel("graph.graph_page").run()
    linked = len(_drawings(page)[0]["series"][0]["data"])
    page.toggle(key="graph_lone").set_value(True).run()
    num = len(_drawings(page)[0]["series"][0]["data"])
    assert linked < num
    page.number_input(key="graph_weight").set_value(
        1
    ).run()  # Maria and Leo are mentioned by nobody
    assert 0 < len(_drawings(page)[0]["series"][0]["data"]) < num
    page.number_input(key="graph_weight").set_value(0).run()
    page.selectbox(key="graph_document").select_index(0).run()
    assert not page.exception


def test_the_3d_view_is_laid_out_in_the_background_once(
    ingested: None, panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    real = kept_layouts.place_3d
    monkeypatch.setattr(
        kept_layouts,
        "place_3d",
        lambda *what: (calls.append(what), time.sleep(0.5), real(*what))[-1],
    )
    page = _tab(panel("graph.graph_page").run(), "3D")
    assert not page.exception
    assert "laid out in 3D" in _texts(page)
    page.run()
    deadline = time.monotonic() + 30
    while not page.get("plotly_chart") and time.monotonic() < deadline:
        time.sleep(0.2)
        page.run()
    assert page.get("plotly_chart")
    _tab(panel("graph.graph_page").run(), "3D")
    assert len(calls) == 1


@pytest.mark.parametrize("name", ["Distributions", "Entities", "Export"])
def test_every_tab_opens(ingested: None, panel: Panel, name: str) -> None:
    page = _tab(panel("graph.graph_page").run(), name)
    assert not page.exception
    assert not page.error
    assert (len(_drawings(page)), len(page.dataframe), len(page.get("download_button"))) == {
        "Distributions": (2, 0, 0),
        "Entities": (0, 1, 0),
        "Export": (0, 0, 3),
    }[name]


def test_names_are_shown_as_they_are(
    server: OpenAIStubServer, panel: Panel, open_space: Callable[..., Any]
) -> None:
    bad = "![x](http://evil.example/x.png) <img src=x> `a` --x_x--0_0--alert(1)--x_x--0_0--"
    space = open_space("default")
    entities = [
        Entity(f"{i:032x}", f"e{i}", bad, "", (f"e{i}",), (bad,), bad, 2 - i, (bad,))
        for i in range(2)
    ]
    relation = Relation("f" * 32, entities[0].id, entities[1].id, bad, 1, 1, (bad,), ())
    dimension = space.embedder.identity.dimension
    space.store.set_embedder(space.embedder.identity)
    vectors = {
        "entity_vectors": np.zeros((2, dimension), np.float32),
        "relation_vectors": np.zeros((1, dimension), np.float32),
    }
    space.store.write_graph(
        replace(part(entities, [relation]), **vectors), Consolidation(), space.store.records()
    )
    page = panel("graph.graph_page")
    page.session_state["of_workspace_graph_path"] = [(entities[0].id, bad)]
    page.run()
    assert not page.exception
    assert page.subheader
    assert "![x]" not in _texts(page)
    assert "](http" not in _texts(page)
    assert "--x_x--0_0--alert" not in json.dumps(_drawings(page))


# ----------------------------------------------------------------------------------------- its rows


def test_facts_are_read_by_id_on_both_stores(
    any_store: str, open_space: Callable[..., Any], corpus: Any
) -> None:
    space = open_space(store=any_store)
    space.ingest([corpus.write("board.vtt", TURNS)])
    documents = {d.id: d for d in space.store.documents()}
    acme = next(e for e in space.graph().entities if e.name == "Acme Works")
    facts = entity_facts(space.store, acme.id, documents)
    assert {(r.head, r.tail) for r in facts.relations} >= {
        ("Acme Works", "Borealis Labs"),
        ("Grace Hopper", "Acme Works"),
    }
    for stated in facts.relations:
        assert stated.statements
        for said in stated.statements:
            assert (
                documents[said.document_id].text[said.start : said.end] == said.words
                or not said.words
            )
            assert said.speaker in {"Maria", "Leo"}
    few = entity_facts(space.store, acme.id, documents, max_relations=1)
    assert (len(few.relations), few.has_more) == (1, True)
    assert all(
        not r.statements for r in entity_facts(space.store, acme.id, {}).relations
    )  # its documents went meanwhile
    with pytest.raises(StoreError):
        entity_facts(space.store, "0" * 32, documents)


def _overview() -> Overview:
    entities = tuple(
        Entity(str(i), f"e{i}", f"E{i}", "", (), (), "thing" if i % 2 else "person", 9 - i, ())
        for i in range(6)
    )
    relations = tuple(
        Relation(f"r{i}", str(i), str(i + 1), "knows", 1, 1, (), ()) for i in range(5)
    )
    return Overview(
        entities,
        (1,) * 6,
        tuple((f"p{i // 3}",) for i in range(6)),
        relations,
        5,
        {1: 6},
        {9: 6},
        {"thing": 3, "person": 3},
    )


def test_filters_narrow_an_overview_and_its_relations() -> None:
    seen = _overview()
    assert [e.id for e in narrowed(seen, limit=2)[0]] == ["0", "1"]
    assert [r.id for r in narrowed(seen, limit=3)[1]] == ["r0", "r1"]
    assert [e.id for e in narrowed(seen, types=["thing"], limit=9)[0]] == ["1", "3", "5"]
    assert [e.id for e in narrowed(seen, min_weight=8, limit=9)[0]] == ["0", "1"]
    assert [e.id for e in narrowed(seen, passages={"p1"}, limit=9)[0]] == ["3", "4", "5"]
    assert narrowed(seen, passages=set(), limit=9) == ((), ())


def test_what_is_related_to_nothing_drawn_is_left_out_unless_nothing_is() -> None:
    seen = replace(_overview(), relations=_overview().relations[3:])  # 3 - 4 - 5
    assert [e.id for e in narrowed(seen, limit=9, are_linked=True)[0]] == ["3", "4", "5"]
    assert [e.id for e in narrowed(seen, limit=2, are_linked=True)[0]] == ["3", "4"]
    alone = replace(seen, relations=())
    assert narrowed(alone, limit=2, are_linked=True) == narrowed(alone, limit=2)


def test_bins_double_in_width_and_lose_nothing() -> None:
    assert binned({0: 2, 1: 5, 2: 1, 3: 1, 9: 4}) == [
        ("0", 2),
        ("1", 5),
        ("2-3", 2),
        ("4-7", 0),
        ("8-15", 4),
    ]
    assert binned({5: 1}) == [("4-7", 1)]
    assert binned({}) == []


def test_exports_are_files_that_other_programs_read() -> None:
    import networkx as nx

    seen = _overview()
    graph = part(seen.entities, seen.relations)
    text, ending = exported(graph, "graphml")
    assert ending == "graphml"
    assert len(nx.read_graphml(io.BytesIO(text))) == 6
    assert len(json.loads(exported(graph, "json")[0])["relations"]) == 5
    packed, ending = exported(graph, "csv")
    assert ending == "zip"
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.namelist() == ["graph.entities.csv", "graph.relations.csv"]
        assert archive.read("graph.relations.csv").decode().count("\n") == 6


def test_the_whole_graph_can_be_saved_after_its_workspace_was_closed_as_idle(
    ingested: None, panel: Panel
) -> None:
    from dynagrag.ui import state
    from dynagrag.ui.graph import overview

    session = state.session()
    assert session is not None
    read = overview._whole(session)
    state.close_sessions(session.name)
    assert any(entity.name == "Acme Works" for entity in read().entities)


def test_a_path_to_another_entity_is_shown_with_its_source(ingested: None, panel: Panel) -> None:
    page = _open(panel("graph.graph_page").run(), "Grace Hopper")
    page.text_input(key="way_find").set_value("Borealis").run()
    assert not page.exception
    steps = [button for button in page.button if str(button.key).startswith("way_")]
    assert [button.label for button in steps] == ["Acme Works", "Borealis Labs"]
    assert "](" in next(
        m.value for m in page.markdown if m.value.startswith("— ")
    )  # the relation opens its source
    steps[-1].click().run()
    assert page.subheader[0].value == "Borealis Labs"


def test_a_path_is_found_or_said_not_to_be(
    any_store: str, open_space: Callable[..., Any], corpus: Any
) -> None:
    space = open_space(store=any_store)
    space.ingest(
        [corpus.write("board.vtt", [*TURNS, ("Leo", "Alan Turing works at Bletchley Park.")])]
    )
    ids = {e.name: e.id for e in space.graph().entities}
    documents = {d.id: d for d in space.store.documents()}
    way = way_between(space.store, ids["Grace Hopper"], ids["Borealis Labs"], documents)
    assert [{w.head, w.tail} for w in way] == [
        {"Grace Hopper", "Acme Works"},
        {"Acme Works", "Borealis Labs"},
    ]
    assert all(w.statements for w in way)
    assert way_between(space.store, ids["Grace Hopper"], ids["Bletchley Park"], documents) == ()
    assert way_between(space.store, ids["Grace Hopper"], ids["Grace Hopper"], documents) == ()


def test_names_come_before_plain_words() -> None:
    assert [is_name(text) for text in ("Acme", "iPhone", "東京", "court", "42", "")] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]
    seen = _overview()
    plain = replace(seen, entities=(replace(seen.entities[0], name="court"), *seen.entities[1:]))
    assert [e.id for e in narrowed(plain, limit=3, are_names_first=True)[0]] == ["1", "2", "3"]
    assert [e.id for e in narrowed(plain, limit=9, are_names_first=True)[0]] == [
        "1",
        "2",
        "3",
        "4",
        "5",
        "0",
    ]
