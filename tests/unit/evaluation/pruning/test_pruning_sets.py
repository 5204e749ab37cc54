"""Sets of questions over knowledge graphs: what is read, what supports an answer, and what is told
of bad files.
"""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.evaluation.pruning.pruning_example import Part, part_of, split_by_group
from dynagrag.evaluation.pruning.pruning_sets import examples_of, load_pruning_set
from dynagrag.fakes import FakeEmbedder


@pytest.mark.parametrize("dataset", ["pathquestion", "webqsp"])
def test_the_support_of_an_answer_is_its_path(dataset: str, sets: Path) -> None:
    found = load_pruning_set(dataset, sets)
    assert len(found.questions) == 80
    assert [len(file.sha256) for file in found.files] == [64, 64]
    first = examples_of(found, FakeEmbedder())[0]
    (subgraph,), (nodes,), (edges,) = first.subgraphs, first.node_labels, first.edge_labels
    assert nodes[0] == 1, "the centre is what the question is about"
    assert (nodes.sum(), edges.sum()) == (first.num_nodes, first.num_edges) == (3, 2)
    supported = set(subgraph.pairs[edges > 0].ravel().tolist())
    assert supported == set(np.flatnonzero(nodes).tolist()), (
        "the path's pairs join the path's nodes"
    )
    assert first.group == "person_0"


def test_about_70_15_and_15_percent_of_the_groups_are_drawn() -> None:
    drawn = Counter(part_of(f"person_{i}") for i in range(2000))
    assert [round(drawn[part] / 2000, 1) for part in Part] == pytest.approx(
        [0.7, 0.15, 0.15], abs=0.051
    )
    assert abs(drawn[Part.TRAIN] - 1400) < 80


def test_a_group_serves_the_same_whatever_else_the_set_holds(sets: Path) -> None:
    examples = examples_of(load_pruning_set("pathquestion", sets), FakeEmbedder())
    whole, few = (
        split_by_group(examples),
        split_by_group([e for e in examples if e.group.endswith(("1", "4", "7"))]),
    )
    assert sum(map(len, whole.values())) == len(examples)
    assert all(whole.values()), "each part has some"
    groups = {part: {example.group for example in own} for part, own in whole.items()}
    assert not groups[Part.TRAIN] & groups[Part.TEST]
    assert not groups[Part.VALIDATION] & (groups[Part.TRAIN] | groups[Part.TEST])
    for part, own in few.items():
        assert {example.group for example in own} <= groups[part]


def test_what_is_given_wrong_is_told(sets: Path) -> None:
    data = sets
    with pytest.raises(UsageError, match="no set 'squad'"):
        load_pruning_set("squad", data)
    with pytest.raises(UsageError, match="no part 'PQ-9H'"):
        load_pruning_set("pathquestion", data, "PQ-9H")
    with pytest.raises(LoadError, match=r"3H-kb|PQ-3H"):
        load_pruning_set("pathquestion", data, "PQ-3H")
    path = data / "graphqa" / "pathquestion" / "PQ-2H.txt"
    path.write_text("who?\tme\ta#b\n", encoding="utf-8")
    with pytest.raises(
        LoadError, match=r"PQ-2H\.txt, line 1: a question has text, answers and a path"
    ):
        load_pruning_set("pathquestion", data)
    (data / "graphqa" / "pathquestion" / "2H-kb.txt").write_text("a\tb\n", encoding="utf-8")
    with pytest.raises(LoadError, match="line 1: a fact has head, relation and tail"):
        load_pruning_set("pathquestion", data)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"triples": [["a", "b"]]}, r"'triples' holds \[\"a\", \"b\"\]"),
        ({"triples": ["abc"]}, r"'triples' holds \"abc\""),
        ({"triples": [["a", None, "b"]]}, "'triples' holds null"),
        ({"triples": [None]}, "'triples' holds null"),
        ({"triples": 5}, "'triples' is 5"),
        ({"triples": None}, "'triples' is null"),
        ({"q_entity": {"name": "a"}}, r"'q_entity' is \{"),
        ({"q_entity": [None]}, "'q_entity' holds null"),
        ({"q_entity": None}, "'q_entity' is null"),
        ({"q_entity": "person_0"}, "'q_entity' is"),
    ],
)
def test_a_row_of_webqsp_that_is_not_of_its_form_is_named(
    wrong: dict[str, object], said: str, sets: Path
) -> None:
    path = sets / "graphqa" / "webqsp_questions.jsonl"
    first, second, *_ = path.read_text(encoding="utf-8").splitlines()
    path.write_text(f"{first}\n{json.dumps(json.loads(second) | wrong)}\n", encoding="utf-8")
    with pytest.raises(LoadError, match=rf"webqsp_questions\.jsonl, line 2: {said}"):
        load_pruning_set("webqsp", sets)


def test_a_row_of_webqsp_without_an_entity_or_triples_asks_nothing(sets: Path) -> None:
    path = sets / "graphqa" / "webqsp_questions.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    path.write_text(
        "\n".join(
            map(json.dumps, [rows[0] | {"q_entity": []}, rows[1] | {"triples": []}, *rows[2:]])
        ),
        encoding="utf-8",
    )
    assert len(load_pruning_set("webqsp", sets).questions) == len(rows) - 2
