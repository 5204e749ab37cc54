"""Questions that a pruner is trained on: what supports them, which documents they serve, and lines
that can't be read.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.evaluation.pruning.pruning_example import Part
from dynagrag.evaluation.pruning.training_questions import (
    SEVERAL_FOLDS,
    SEVERAL_PARTS,
    fold_questions,
    of_turns,
    read_questions,
    split_questions,
)
from dynagrag.evaluation.questions.made_question import QuestionKind
from dynagrag.workspace.facade import open_workspace
from tests.talks import NUM_TALKS, filled_home, made_file, write


@pytest.fixture
def settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    return filled_home(home, monkeypatch)


def test_no_document_serves_two_parts_and_what_the_file_says_is_kept(
    settings: Settings, tmp_path: Path
) -> None:
    rows = made_file(settings, tmp_path / "q.jsonl")
    said = {row["id"]: row["split"] for row in rows}
    with open_workspace("w", settings=settings) as space:
        snapshot = space.current_graph.snapshot()
    found = split_questions(read_questions(tmp_path / "q.jsonl"), snapshot)
    others = [{k: v for k, v in row.items() if k not in ("split", "id")} for row in rows]
    bare = write(tmp_path / "bare.jsonl", [*others, {"question": "Who left?", "answerable": False}])
    anew = split_questions(read_questions(bare), snapshot)
    for split in (found, anew):
        documents = {part: {document for _, document in rows} for part, rows in split.parts.items()}
        assert all(documents.values())
        assert sum(map(len, documents.values())) == split.num_documents == NUM_TALKS
    assert all(
        said[question.id] == part for part, rows in found.parts.items() for question, _ in rows
    )
    assert anew.left_out - found.left_out == {"nothing answers it": 1}
    of_one = [row for row in rows if row["kind"] == QuestionKind.CLOZE and row["split"] == "train"]
    mixed = write(tmp_path / "mixed.jsonl", [of_one[0] | {"split": "test"}, *of_one[1:]])
    with pytest.raises(
        UsageError, match=r"'Talk \d' have the splits .* give all of them one split"
    ):
        split_questions(read_questions(mixed), snapshot)


def test_a_question_about_documents_of_two_parts_teaches_and_measures_nothing(
    settings: Settings, tmp_path: Path
) -> None:
    rows = [
        row
        for row in made_file(settings, tmp_path / "q.jsonl")
        if row["kind"] == QuestionKind.CLOZE
    ]
    with open_workspace("w", settings=settings) as space:
        snapshot = space.current_graph.snapshot()
    document_of = {passage.id: passage.document_id for passage in snapshot.passages}
    of_part = {str(row["split"]): row["provenance"]["passages"] for row in rows}  # type: ignore[index]
    both = {
        "id": "both",
        "question": "Who said both?",
        "provenance": {"passages": of_part["train"] + of_part["test"]},
    }
    found = split_questions(read_questions(write(tmp_path / "both.jsonl", [*rows, both])), snapshot)
    assert found.left_out[SEVERAL_PARTS] == 1
    documents = {
        part: {document_of[id_] for q, _ in own for id_ in q.provenance.passages}
        for part, own in found.parts.items()
    }
    assert not documents[Part.TRAIN] & (documents[Part.TEST] | documents[Part.VALIDATION])
    assert "both" not in [question.id for own in found.parts.values() for question, _ in own]
    folded = fold_questions(read_questions(tmp_path / "both.jsonl"), snapshot, NUM_TALKS)
    assert folded.left_out[SEVERAL_FOLDS] == 1
    documents_of = [{document for _, document in own} for own in folded.folds]
    assert sum(map(len, documents_of)) == folded.num_documents == len(set().union(*documents_of))


def test_a_question_with_turns_alone_is_supported_by_all_that_they_name_and_state(
    settings: Settings, tmp_path: Path
) -> None:
    rows = made_file(settings, tmp_path / "q.jsonl")
    made = next(row for row in rows if row.get("turns"))
    bare = {"question": "What was that about?", "turns": made["turns"]}
    with open_workspace("w", settings=settings) as space:
        snapshot = space.current_graph.snapshot()
    (found,) = of_turns(read_questions(write(tmp_path / "people.jsonl", [bare])), snapshot)
    passages = set(found.provenance.passages)
    assert set(made["provenance"]["passages"]) <= passages  # type: ignore[index]
    assert set(found.provenance.records) == {
        id_ for id_, record in snapshot.records.items() if record.passage_id in passages
    }
    assert found.provenance.records
    graph = snapshot.graph
    named = {
        entity.id
        for entity, own in zip(graph.entities, graph.entity_passages, strict=True)
        if passages & set(own)
    }
    assert set(found.provenance.entities) == named
    with_provenance = of_turns(read_questions(tmp_path / "q.jsonl"), snapshot)
    assert [question.provenance.model_dump(mode="json") for question in with_provenance] == [
        row["provenance"] for row in rows
    ]
    assert split_questions([found], snapshot).left_out == Counter()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {"question": "Who?", "turns": [{"document": "Talk 1", "first": 3, "last": 1}]},
            "line 1: 'turns' go from 3 to 1",
        ),
        ({"question": "Who?", "split": "exam"}, "line 1: 'split' is 'exam'"),
        (
            {"question": "Who?", "provenance": {"passages": 5}},
            "line 1: 'provenance' must hold lists of ids",
        ),
        ({"question": "Who?", "answerable": "no"}, "line 1: 'answerable' must be true or false"),
        ({"id": "q"}, "'question' is missing"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(
    row: dict[str, object], said: str, tmp_path: Path
) -> None:
    with pytest.raises(LoadError, match=re.escape(said)):
        read_questions(write(tmp_path / "q.jsonl", [row]))
