"""The file of questions: what its lines hold, and that nobody's edits are lost."""

import json
import os
from pathlib import Path

import pytest

from dynagrag.core.errors import UsageError
from dynagrag.evaluation.question_sets.own_questions import load_own
from dynagrag.evaluation.questions.made_question import (
    GoldTurns,
    MadeQuestion,
    Provenance,
    QuestionKind,
    Split,
)
from dynagrag.evaluation.questions.question_file import (
    check_writable,
    content_hash,
    made_with_path,
    path_for,
    write_questions,
)


def question(text: str, **more: object) -> MadeQuestion:
    turns = (GoldTurns(document="Loop", first=2, last=3),)
    values: dict[str, object] = {
        "id": text[:4],
        "kind": QuestionKind.SPECIFIC,
        "turns": turns,
        "made_by": "records",
        "split": Split.TEST,
    }
    return MadeQuestion.model_validate({"question": text, "answer": "B", **values, **more})


def test_a_line_holds_what_is_known_and_no_empty_field(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    both = [
        question(
            "Who opened it?",
            provenance=Provenance(passages=("p1",), records=("r1",), entities=("e1",)),
        ),
        question(
            "Why?", id="2", kind=QuestionKind.UNANSWERABLE, answer="", turns=(), answerable=False
        ),
    ]
    write_questions(path, both, {"seed": 1})
    first, second = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    assert first == {
        "id": "Who ",
        "question": "Who opened it?",
        "kind": "specific",
        "answer": "B",
        "turns": [{"document": "Loop", "first": 2, "last": 3}],
        "provenance": {"passages": ["p1"], "records": ["r1"], "entities": ["e1"]},
        "made_by": "records",
        "split": "test",
    }
    assert (second["answerable"], "answer" in second, "turns" in second) == (False, False, False)
    assert [q.text for q in load_own(path).questions] == ["Who opened it?"]
    assert json.loads(made_with_path(path).read_text(encoding="utf-8"))["seed"] == 1
    assert path.stat().st_mode & 0o077 == 0, "the words of documents are the user's alone"


def test_what_was_written_may_be_written_again_and_what_was_edited_not(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    check_writable(path, False)
    write_questions(path, [question("One?")], {})
    check_writable(path, False)
    write_questions(path, [question("Two?")], {})
    check_writable(path, False)
    path.write_text(path.read_text(encoding="utf-8").replace("Two", "2"), encoding="utf-8")
    with pytest.raises(UsageError, match="was edited"):
        check_writable(path, False)
    check_writable(path, True)


def test_a_file_of_others_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    made_with_path(path).write_text("no JSON", encoding="utf-8")
    with pytest.raises(UsageError, match="holds something else"):
        check_writable(path, False)
    with pytest.raises(UsageError, match="plain lines"):
        check_writable(tmp_path / "q.jsonl.gz", False)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match=r"pipe .*name a \.jsonl file"):
        check_writable(tmp_path / "pipe", True)


def test_where_nothing_can_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    for path in (tmp_path / "none" / "q.jsonl", tmp_path):
        with pytest.raises(UsageError, match="can't be written"):
            check_writable(path, True)


def test_what_is_edited_meanwhile_is_left_and_another_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    before = content_hash(path)
    assert path_for(path, before) == path
    path.write_text("mine\n", encoding="utf-8")
    assert path_for(path, before) == tmp_path / "q.new.jsonl"
    (tmp_path / "q.new.jsonl").write_text("mine too\n", encoding="utf-8")
    assert path_for(path, before) == tmp_path / "q.new2.jsonl"
    assert path_for(path, content_hash(path)) == path


def test_killed_between_its_two_files_it_can_be_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "q.jsonl"
    write_questions(path, [question("One?")], {})
    replace, seen = os.replace, []

    def dying(source: Path, target: Path) -> None:
        seen.append(target)
        if target == path:
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(os, "replace", dying)
    with pytest.raises(KeyboardInterrupt):
        write_questions(path, [question("Two?")], {})
    monkeypatch.undo()
    assert seen == [made_with_path(path), path]
    assert "One?" in path.read_text(encoding="utf-8")
    check_writable(path, False)
