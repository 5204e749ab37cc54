"""LoCoMo's own form: sessions as documents, evidence by turns, categories, what is left out with a
count, and what stops with its place.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from dynagrag.core.errors import LoadError
from dynagrag.evaluation.question_sets.answer_sets import load_answer_set
from dynagrag.evaluation.question_sets.published_sets import load_set
from dynagrag.evaluation.question_sets.question_set import GoldAnswer, Scope, TurnSpan


def turn(id_: str, speaker: str, text: str, **more: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": id_, "text": text, **more}


def talk(name: str = "conv-1", *qa: dict[str, Any]) -> dict[str, Any]:
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_10_date_time": "9 am on 2 May, 2023",
            "session_10": [turn("D10:1", "Ana", "I moved  to Delft.")],
            "session_2_date_time": "8 am on 1 May, 2023",
            "session_2": [
                turn("D2:1", "Ana", "Hello!"),
                turn("D2:2", "Ben", "Look at this.", blip_caption="a red canoe"),
            ],
            "session_11": [],
        },
        "qa": list(qa),
    }


def asked(category: int, *evidence: str, **more: Any) -> dict[str, Any]:
    return {"question": f"Where of {category}?", "evidence": list(evidence), **more} | {
        "category": category
    }


def write(folder: Path, *talks: dict[str, Any]) -> Path:
    path = folder / "talk/locomo/some.json.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(json.dumps(talks).encode()))
    return folder


def test_sessions_are_documents_in_their_order_with_their_date(tmp_path: Path) -> None:
    loaded = load_set("locomo", write(tmp_path, talk("conv-1", asked(4, "D2:2"))))
    assert [(d.key, d.title) for d in loaded.corpus] == [
        ("conv-1 session 2", "8 am on 1 May, 2023"),
        ("conv-1 session 10", "9 am on 2 May, 2023"),
    ]
    assert [t.text for d in loaded.corpus for t in d.turns] == [
        "Hello!",
        "Look at this. [a red canoe]",
        "I moved to Delft.",
    ]
    assert loaded.scopes == (Scope.CONVERSATION, Scope.CORPUS)
    assert loaded.main_measure == "recall@5"


def test_evidence_names_turns_and_their_sessions_count_as_found(tmp_path: Path) -> None:
    row = asked(1, "D2:1; D:10:1", "D2:1", "D", "D9:9")
    loaded = load_set("locomo", write(tmp_path, talk("conv-1", row, asked(2, "D"))))
    (question,) = loaded.questions
    assert question.gold.spans == (
        TurnSpan("conv-1 session 2", 0, 0),
        TurnSpan("conv-1 session 10", 0, 0),
    )
    assert question.gold.is_of_documents
    assert question.documents_in(Scope.CONVERSATION) == ("conv-1 session 2", "conv-1 session 10")
    assert question.documents_in(Scope.CORPUS) == ()
    assert question.kind == "multi-hop"
    assert loaded.notes == {
        "turns named as evidence that are not there": 1,
        "questions left out: their evidence names no turn that is there": 1,
    }


def test_what_was_asked_of_the_wrong_person_has_no_answer_and_is_apart(tmp_path: Path) -> None:
    rows = asked(2, "D2:1", answer=2022), asked(5, "D2:2", adversarial_answer="a canoe")
    loaded = load_answer_set("locomo", write(tmp_path, talk("conv-1", *rows)))
    assert [q.answer for q in loaded.questions] == [
        GoldAnswer(("2022",)),
        GoldAnswer(is_answerable=False),
    ]
    assert [q.kind in loaded.kinds_apart for q in loaded.questions] == [False, True]


def test_all_files_of_a_folder_are_read_and_no_conversation_twice(tmp_path: Path) -> None:
    one, two = talk("conv-1", asked(4, "D2:1")), talk("conv-2", asked(4, "D10:1"))
    (tmp_path / "locomo10.json").write_text(json.dumps([one, two, one]))
    loaded = load_set("locomo", tmp_path)
    assert [(q.id, q.row) for q in loaded.questions] == [("conv-1-1", 0), ("conv-2-1", 1)]
    assert loaded.notes["conversations that stand there twice, read once"] == 1
    assert len(loaded.corpus) == 4


@pytest.mark.parametrize(
    ("talks", "message"),
    [
        ({}, "must hold a list of conversations"),
        ([{"sample_id": "c"}], "the field 'conversation' is missing"),
        ([{"conversation": {}}], "the field 'sample_id' is missing"),
        ([talk("c") | {"conversation": {}}], "has no session"),
        ([talk("c") | {"conversation": {"session_1": [{}]}}], "every turn of 'session_1'"),
        ([talk("c", {"evidence": []})], "question 1 of 'qa' must have 'question'"),
    ],
)
def test_what_is_no_conversation_is_refused_with_its_place(
    tmp_path: Path, talks: Any, message: str
) -> None:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(talks))
    with pytest.raises(LoadError, match=message) as caught:
        load_set("locomo", tmp_path)
    assert "locomo.json" in str(caught.value)


def test_a_folder_without_it_says_what_is_looked_for(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"no talk/locomo/\*\.json"):
        load_set("locomo", tmp_path)
