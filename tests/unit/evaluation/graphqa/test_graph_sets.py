"""The sets of GraphQA as they are read, split and given their graphs."""

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.evaluation.graphqa.expla_graphs import load_expla_graphs
from dynagrag.evaluation.graphqa.graph_question import (
    AnswerForm,
    GraphQuestion,
    Part,
    TextGraph,
    shuffled_parts,
)
from dynagrag.evaluation.graphqa.graph_sets import GraphSet, load_graph_set
from dynagrag.evaluation.graphqa.scene_graphs import parts_of_images
from dynagrag.evaluation.pruning.pruning_example import part_of
from dynagrag.evaluation.pruning.triple_graph import Triple, TripleGraph

OBJECT = {
    "name": "man",
    "attributes": ["tall", "old"],
    "x": 1,
    "y": 2,
    "w": 30,
    "h": 40,
    "relations": [{"name": "on", "object": "2"}],
}
MAT = {"name": "mat", "attributes": [], "x": 0, "y": 0, "w": 5, "h": 6, "relations": []}


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def by_id(found: GraphSet) -> dict[str, GraphQuestion]:
    return {question.id: question for question in found.questions}


def test_rows_are_shuffled_as_the_authors_shuffle_them() -> None:
    parts = shuffled_parts(2766)
    assert [sum(part is own for part in parts) for own in Part] == [1659, 553, 554]
    assert [parts[i] for i in (1087, 394, 583)] == [Part.TRAIN] * 3
    assert [parts[i] for i in (1966, 2448, 1474, 1476)] == [Part.VALIDATION] * 2 + [Part.TEST] * 2
    assert shuffled_parts(0) == []


def test_the_authors_file_of_expla_graphs_gets_their_split(tmp_path: Path) -> None:
    row = '"say ""x"""\tb\tsupport\t(a; is; b)\n'
    path = tmp_path / "train_dev.tsv"
    path.write_text("arg1\targ2\tlabel\tgraph\n" + row * 2766, encoding="utf-8")
    questions, _ = load_expla_graphs(tmp_path)
    assert [questions[i].part for i in (1087, 1966, 1474)] == [
        Part.TRAIN,
        Part.VALIDATION,
        Part.TEST,
    ]
    assert questions[1087].id == "1087"
    assert questions[0].query == 'Argument 1: say "x"\nArgument 2: b'
    path.write_text("arg1\targ2\tlabel\tgraph\n" + row * 2765, encoding="utf-8")
    with pytest.raises(
        LoadError, match=r"lacks index, split; .* only the authors' file of 2,766 rows goes without"
    ):
        load_expla_graphs(tmp_path)


def scenes(folder: Path, **changes: Any) -> None:
    write_rows(
        folder / "scene_graphs.jsonl",
        [{"image_id": str(i), "objects": {"1": OBJECT | changes, "2": MAT}} for i in range(10)],
    )
    asked = {"question": "What is the man on?", "answer": "mat", "answer_rule": "unique"}
    rows = [asked | {"q_id": f"q{i}", "image_id": str(i)} for i in range(10)]
    write_rows(
        folder / "scene_graph_questions.jsonl",
        [*rows, rows[0] | {"q_id": "x", "answer": None, "answer_rule": "none"}],
    )


def test_scene_graphs(tmp_path: Path) -> None:
    scenes(tmp_path)
    found = load_graph_set("scenegraphs", tmp_path)
    question = by_id(found)["q3"]
    assert question.graph == TextGraph(
        (
            "name: man; attribute: tall, old; (x,y,w,h): (1, 2, 30, 40)",
            "name: mat; (x,y,w,h): (0, 0, 5, 6)",
        ),
        ((0, "on", 1),),
    )
    assert (question.question, question.answers, question.form) == (
        "Question: What is the man on?\n\nAnswer:",
        ("mat",),
        AnswerForm.SHORT,
    )
    assert question.tree is not None
    assert (question.tree.num_nodes, question.tree.num_edges, question.tree.cost) == (3, 3, 1.0)
    assert found.left_out == {"rows whose answer is guessed or unknown": 1}
    assert {question.part for question in found.questions} == {*Part}
    parts = parts_of_images([str(i) for i in range(10)])
    assert [question.part for question in found.questions] == [parts[str(i)] for i in range(10)]
    assert len(found.of(None)) == 10


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"relations": [{"name": "on", "object": "9"}]},
            "line 1: a relation of object 1 must have",
        ),
        ({"x": "left"}, "line 1: the object 1 must have a name and whole numbers"),
        ({"attributes": "tall"}, "line 1: 'attributes' of an object must be a list"),
    ],
)
def test_a_broken_scene_graph_is_named(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    scenes(tmp_path, **changes)
    with pytest.raises(LoadError, match=said):
        load_graph_set("scenegraphs", tmp_path)


def test_a_question_about_an_image_without_a_graph_is_named(tmp_path: Path) -> None:
    scenes(tmp_path)
    write_rows(
        tmp_path / "scene_graph_questions.jsonl",
        [{"q_id": "q", "image_id": "99", "question": "?", "answer": "a"}],
    )
    with pytest.raises(LoadError, match="line 1: there is no scene graph of the image '99'"):
        load_graph_set("scenegraphs", tmp_path)


@pytest.mark.parametrize("place", ["graphqa/pathquestion", "pathquestion"])
def test_path_questions_are_split_by_entity_and_stand_in_its_ego_graph(
    tmp_path: Path, place: str
) -> None:
    folder = tmp_path / place
    folder.mkdir(parents=True)
    facts = [f"p{i}\tspouse\tq{i}\nq{i}\tplace.of_birth\tx_(y)\n" for i in range(40)]
    (folder / "2H-kb.txt").write_text("".join(facts) + "a\tb\tc\n", encoding="utf-8")
    rows = [
        f"where is p{i} 's spouse from"
        f" ?\tx_(y)(x_(y)/z/)\tp{i}#spouse#q{i}#place.of_birth#x_(y)#<end>#x_(y)\n"
        for i in range(40)
    ]
    (folder / "PQ-2H.txt").write_text("".join(rows), encoding="utf-8")
    found = load_graph_set("pq-2h", tmp_path)
    question = found.questions[0]
    assert question.answers == ("x (y)", "z")
    assert question.label == "x (y)|z"
    assert question.path == (("p0", "spouse", "q0"), ("q0", "place of birth", "x (y)"))
    assert {"p0", "q0", "x (y)", "q7"} <= set(question.graph.nodes), "three hops round p0"
    assert not {"a", "c"} & set(question.graph.nodes), "which nothing leads to"
    assert [q.part for q in found.questions] == [part_of(f"p{i}") for i in range(40)]
    assert {q.part for q in found.questions} == set(Part)


def web(folder: Path, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    write_rows(folder / f"{name}_questions.jsonl.gz", rows)
    facts = "".join(
        f"Town {i}\tlies.in\tLand {i}\tlabelled\nLand {i}\thas.king\tKing {i}\twalked\n"
        for i in range(60)
    )
    (folder / f"{name}_kg.tsv").write_text(
        f"head\trelation\ttail\tsource\n{facts}", encoding="utf-8"
    )


def test_a_graph_is_cut_out_of_the_shared_one_when_it_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"id": f"t-{i}", "question": "where", "answers": [f"Land {i}"], "q_entity": [f"Town {i}"]}
        for i in range(60)
    ]
    web(tmp_path, "webqsp", rows)
    cut: list[tuple[str, ...]] = []
    near = TripleGraph.near

    def watched(self: TripleGraph, names: Iterable[str]) -> tuple[Triple, ...]:
        cut.append(tuple(names))
        return near(self, names)

    monkeypatch.setattr(TripleGraph, "near", watched)
    found = load_graph_set("webqsp", tmp_path)
    assert cut == []
    assert [file.name for file in found.files] == [
        "webqsp_questions.jsonl.gz",
        "webqsp_kg.tsv",
    ], "what a run rests on is known before"
    graph = by_id(found)["t-3"].graph
    assert (len(graph.nodes), len(graph.edges)) == (3, 2)
    assert cut == [("Town 3",)]


def test_web_questions_over_a_shared_graph(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {
            "id": f"t-{i}",
            "question": "in which land is it",
            "answers": [f"Land {i}"],
            "q_entity": [f"Town {i}"],
        }
        for i in range(60)
    ]
    rows[7] |= {"q_entity": [], "question": "where is Town 7"}
    rows[8] |= {"q_entity": [], "question": "who is called king"}
    rows[9] |= {"answers": []}
    web(tmp_path, "webqsp", rows)
    found = load_graph_set("webqsp", tmp_path)
    asked = by_id(found)
    assert asked["t-3"].graph == TextGraph(
        ("land 3", "king 3", "town 3"), ((0, "has.king", 1), (2, "lies.in", 0))
    )
    assert (asked["t-3"].label, asked["t-3"].question) == (
        "land 3",
        "Question: in which land is it\nAnswer: ",
    )
    assert [asked[f"t-{i}"].part for i in (3, 4, 5)] == [part_of(f"Town {i}") for i in (3, 4, 5)]
    assert "town 7" in asked["t-7"].graph.nodes, "it is named in the question"
    assert "t-8" not in asked or {"king 0", "king 1", "king 10"} <= set(asked["t-8"].graph.nodes), (
        "the names that share most words"
    )
    assert found.left_out["rows without an answer"] == 1


def test_no_training_question_of_cwq_shares_an_entity_with_one_to_measure_on(
    tmp_path: Path,
) -> None:
    train, test = (
        next(f"WebQTest-{i}" for i in range(99) if part_of(f"WebQTest-{i}") is part)
        for part in (Part.TRAIN, Part.TEST)
    )
    asked = [(f"{train}_a", "Town 1"), (f"{train}_b", "Town 2"), (f"{test}_c", "Town 2")]
    web(
        tmp_path,
        "cwq",
        [
            {"id": i, "question": f"Where is {town} now?", "answers": ["Land 1"]}
            for i, town in asked
        ],
    )
    found = load_graph_set("cwq", tmp_path)
    assert {q.id: q.part for q in found.questions} == {
        f"{train}_a": Part.TRAIN,
        f"{test}_c": Part.TEST,
    }
    assert found.left_out == {"training rows that share an entity with a row to measure on": 1}


ROG = {
    "question": "who",
    "answer": ["A", "B, C"],
    "q_entity": ["X"],
    "graph": [["X", "Is.A", "A"], ["A", "is.b", "X"]],
}


def test_rog_rows_bring_graphs_and_splits_of_their_own(tmp_path: Path) -> None:
    for part in ("train", "validation", "test"):
        write_rows(
            tmp_path / "RoG-webqsp" / "data" / f"{part}-00000-of-00001.jsonl", [ROG | {"id": part}]
        )
    found = by_id(load_graph_set("webqsp", tmp_path))
    assert {id_: question.part.value for id_, question in found.items()} == {
        part: part for part in ("train", "validation", "test")
    }
    assert found["test"].graph == TextGraph(("x", "a"), ((0, "Is.A", 1), (1, "is.b", 0)))
    assert found["test"].answers == ("A", "B, C")
    assert found["test"].label == "a|b, c"
    write_rows(tmp_path / "RoG-cwq_test.jsonl", [ROG | {"id": "1", "graph": [], "split": "val"}])
    (own,) = load_graph_set("cwq", tmp_path).questions
    assert (own.graph, own.part) == (TextGraph((), ()), Part.VALIDATION)


def test_rog_rows_may_be_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    (tmp_path / "RoG-webqsp").mkdir()
    parquet.write_table(
        pyarrow.Table.from_pylist([ROG | {"id": "a"}, ROG | {"id": "b"}]),
        tmp_path / "RoG-webqsp" / "test.parquet",
    )
    found = load_graph_set("webqsp", tmp_path)
    assert [(q.id, q.part, len(q.graph.edges)) for q in found.questions] == [
        ("a", Part.TEST, 2),
        ("b", Part.TEST, 2),
    ]
    (tmp_path / "RoG-webqsp" / "test.parquet").write_text("no parquet", encoding="utf-8")
    with pytest.raises(LoadError, match="can't be read as parquet"):
        load_graph_set("webqsp", tmp_path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"graph": [["a", "b"]]},
            "line 1: 'graph' holds .* must be a list of head, relation and tail",
        ),
        ({"answer": "A"}, "line 1: 'answer' is \"A\"; it must be a list"),
        ({"split": "later"}, "line 1: 'split' is 'later'; it must be train, validation or test"),
        ({"question": ""}, "line 1: 'question' is"),
    ],
)
def test_a_broken_row_of_the_web_is_named(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    write_rows(tmp_path / "RoG-webqsp.jsonl", [ROG | {"id": "1"} | changes])
    with pytest.raises(LoadError, match=said):
        load_graph_set("webqsp", tmp_path)


@pytest.mark.parametrize(
    ("dataset", "said"),
    [
        ("webqsp", r"neither webqsp_questions\.jsonl"),
        ("cwq", r"neither cwq_questions\.jsonl"),
        ("scenegraphs", r"no scene_graphs\*\.jsonl"),
        ("pql-3h", "PQL-3H.txt cannot be read"),
    ],
)
def test_files_that_are_missing_are_named(tmp_path: Path, dataset: str, said: str) -> None:
    with pytest.raises(LoadError, match=said):
        load_graph_set(dataset, tmp_path)


def test_ids_stand_once_and_sets_have_names(tmp_path: Path) -> None:
    write_rows(tmp_path / "RoG-webqsp.jsonl", [ROG | {"id": "1"}, ROG | {"id": "1"}])
    with pytest.raises(LoadError, match=r"the id '1' stands 2 times in RoG-webqsp\.jsonl"):
        load_graph_set("webqsp", tmp_path)
    with pytest.raises(
        UsageError,
        match="there is no set 'magic' of GraphQA; known: explagraphs, scenegraphs, webqsp",
    ):
        load_graph_set("magic", tmp_path)
    write_rows(
        tmp_path / "webqsp" / "webqsp_questions.jsonl",
        [{"id": "1", "question": "q", "answers": ["a"]}],
    )
    with pytest.raises(LoadError, match=r"no webqsp_kg\.tsv"):
        load_graph_set("webqsp", tmp_path / "webqsp")


def test_images_are_split_as_the_authors_code_does_it() -> None:
    selection = pytest.importorskip(
        "sklearn.model_selection", reason="scikit-learn comes with the extra `local`"
    )
    asked_of = [f"i{number * 7 % 50}" for number in range(120)]
    images = list(dict.fromkeys(asked_of))
    shuffled = np.random.RandomState(42).permutation(images)
    train, rest = selection.train_test_split(shuffled, test_size=0.4, random_state=42)
    validation, test = selection.train_test_split(rest, test_size=0.5, random_state=42)
    parts = parts_of_images(asked_of)
    for part, own in ((Part.TRAIN, train), (Part.VALIDATION, validation), (Part.TEST, test)):
        assert {image for image, served in parts.items() if served is part} == set(own)


def test_the_authors_names_of_sets_are_known(tmp_path: Path) -> None:
    (tmp_path / "expla_graphs_own.tsv").write_text(
        "index\tsplit\targ1\targ2\tlabel\tgraph\n0\tval\ta\tb\tsupport\t(cat; is a; animal)\n",
        encoding="utf-8",
    )
    found = load_graph_set("expla_graphs", tmp_path)
    assert found == load_graph_set("explagraphs", tmp_path)
    assert found.name == "explagraphs"
