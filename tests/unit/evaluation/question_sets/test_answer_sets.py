"""Sets with their answers, and own files of questions with answers: what is read, left out and
refused.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.evaluation.question_sets.answer_sets import ANSWER_LOADERS, load_answer_set
from dynagrag.evaluation.question_sets.own_questions import load_own, load_own_answers
from dynagrag.evaluation.question_sets.published_sets import load_set
from dynagrag.evaluation.question_sets.question_set import Gold, GoldAnswer, Scope, TurnSpan

SHARED = Path(__file__).parents[5] / "shared" / "data"
Write = Callable[[str, Sequence[Any]], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes rows below the data folder."""

    def make(name: str, rows: Sequence[Any]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return make


def meeting(**more: Any) -> dict[str, Any]:
    turns = [{"speaker": "S", "content": f"Turn {i}."} for i in range(10)]
    return {
        "meeting_transcripts": turns,
        "specific_query_list": [],
        "general_query_list": [],
    } | more


# ---------------------------------------------------------------------------------------- published


def test_aliases_are_answers_too_and_rows_without_an_answer_are_counted(
    write: Write, tmp_path: Path
) -> None:
    write("multihop/musique_corpus.jsonl", [{"title": "Ada", "text": "Ada was born in Delft."}])
    rows = [
        {
            "id": "a",
            "question": "Where?",
            "supporting_titles": ["Ada"],
            "answer": "Delft",
            "answer_aliases": ["Delft ", "Delf"],
        },
        {"id": "b", "question": "When?", "supporting_titles": ["Ada"]},
        {"id": "c", "question": "Why?", "supporting_titles": ["Ada"], "answer": " "},
    ]
    write("multihop/musique_questions.jsonl", rows)
    loaded = load_answer_set("musique", tmp_path)
    assert [(q.id, q.answer) for q in loaded.questions] == [("a", GoldAnswer(("Delft", "Delf")))]
    assert loaded.notes == {"questions left out: they have no answer": 2}
    assert len(load_set("musique", tmp_path).questions) == 3


def test_the_same_question_with_another_answer_stops_the_run_for_answers_alone(
    write: Write, tmp_path: Path
) -> None:
    write("multihop/hotpotqa_corpus.jsonl", [{"title": "Ada", "text": "Ada was born in Delft."}])
    row = {"_id": "a", "question": "Where?", "supporting_facts": [["Ada", 0]], "answer": "Delft"}
    write("multihop/hotpotqa_questions.jsonl", [row, row | {"answer": "Leiden"}])
    with pytest.raises(
        LoadError, match=r"line 2: the question 'Where\?' stands in line 1 with another answer"
    ):
        load_answer_set("hotpotqa", tmp_path)
    assert len(load_set("hotpotqa", tmp_path).questions) == 1


def test_a_file_without_any_answer_is_refused(write: Write, tmp_path: Path) -> None:
    write("multihop/2wiki_corpus.jsonl", [{"title": "Ada", "text": "Ada was born in Delft."}])
    write(
        "multihop/2wiki_retrieval_questions.jsonl",
        [{"question": "Where?", "supporting_titles": ["Ada"]}],
    )
    with pytest.raises(LoadError, match="questions without answers alone"):
        load_answer_set("2wiki", tmp_path)
    write(
        "multihop/2wiki_questions.jsonl",
        [
            {
                "question": "Where?",
                "supporting_titles": ["Ada"],
                "answer": "Delft",
                "type": "inference",
            }
        ],
    )
    assert [(q.answer, q.kind) for q in load_answer_set("2wiki", tmp_path).questions] == [
        (GoldAnswer(("Delft",)), "inference")
    ]
    assert load_set("2wiki", tmp_path).questions[0].answer is None


def test_multihop_rag_keeps_what_the_articles_do_not_answer(write: Write, tmp_path: Path) -> None:
    write("multihop/multihop_rag_chunks.jsonl", [{"text": "The firm grew."}])
    rows = [
        {
            "id": "0",
            "question": "Did it?",
            "question_type": "null_query",
            "answer": "Insufficient information.",
            "evidence_in_chunks": False,
        },
        {
            "id": "1",
            "question": "Did it grow?",
            "question_type": "inference_query",
            "answer": "Yes",
            "evidence_in_chunks": True,
            "evidence_list": [{"fact": "It grew."}],
        },
    ]
    write("multihop/multihop_rag_questions.jsonl", rows)
    loaded = load_answer_set("multihop-rag", tmp_path)
    assert [(q.answer, q.gold, q.kind) for q in loaded.questions] == [
        (GoldAnswer(is_answerable=False), Gold(), "null_query"),
        (GoldAnswer(("Yes",)), Gold(facts=("It grew.",)), "inference_query"),
    ]
    assert len(load_set("multihop-rag", tmp_path).questions) == 1


def test_qmsum_has_specific_and_general_queries(write: Write, tmp_path: Path) -> None:
    specific = [
        {"query": "What?", "answer": "This {vocalsound} one .", "relevant_text_span": [["2", "3"]]}
    ]
    general = [
        {"query": "Summarize the meeting", "answer": "All."},
        {"query": "What?", "answer": "Another."},
    ]
    write(
        "transcript_qa/qmsum_val.jsonl",
        [meeting(specific_query_list=specific, general_query_list=general)],
    )
    loaded = load_answer_set("qmsum", tmp_path)
    assert [(q.kind, q.answer, q.gold, q.document) for q in loaded.questions] == [
        ("specific", GoldAnswer(("This one .",)), Gold(spans=(TurnSpan("0", 2, 3),)), "0"),
        ("general", GoldAnswer(("All.",)), Gold(documents=("0",)), "0"),
        ("general", GoldAnswer(("Another.",)), Gold(documents=("0",)), "0"),
    ]
    assert len({q.id for q in loaded.questions}) == 3
    assert loaded.scopes == (Scope.DOCUMENT, Scope.CORPUS)
    assert [q.text for q in load_set("qmsum", tmp_path).questions] == ["What?"]


def test_squality_has_several_people_s_answers_to_questions_of_a_story(
    write: Write, tmp_path: Path
) -> None:
    responses = [
        {"response_text": "He fled."},
        {"response_text": " "},
        {"response_text": "He ran."},
        {"response_text": "He ran."},
    ]
    story = {
        "metadata": {"passage_id": "77"},
        "document": "I\n\n\nHe said:\n go.\n \nThen he fled.",
        "questions": [
            {"question_text": "What then?", "responses": responses},
            {"question_text": "Who?", "responses": []},
        ],
    }
    write("transcript_qa/squality_stories.jsonl", [story])
    loaded = load_answer_set("squality", tmp_path)
    assert [(q.id, q.answer, q.document) for q in loaded.questions] == [
        ("77-1", GoldAnswer(("He fled.", "He ran.")), "0")
    ]
    assert [turn.text for turn in loaded.corpus[0].turns] == ["I", "He said: go.", "Then he fled."]
    assert loaded.scopes == (Scope.DOCUMENT,)


def test_graphrag_bench_asks_of_one_text(write: Write, tmp_path: Path) -> None:
    write(
        "multihop/graphrag_bench_medical_questions.jsonl",
        [{"id": "m", "question": "What?", "answer": "BCC.", "question_type": "Fact"}],
    )
    corpus = tmp_path / "multihop" / "graphrag_bench_medical_corpus.json"
    corpus.write_text(
        json.dumps([{"corpus_name": "Medical", "context": "BCC is common.\nIt grows."}]),
        encoding="utf-8",
    )
    loaded = load_answer_set("graphrag-bench", tmp_path)
    assert [(q.answer, q.kind, q.gold) for q in loaded.questions] == [
        (GoldAnswer(("BCC.",)), "Fact", Gold())
    ]
    assert [turn.text for turn in loaded.corpus[0].turns] == ["BCC is common.", "It grows."]
    for bad in ("{", "[]", '[{"context": " "}]', '{"context": "x"}'):
        corpus.write_text(bad, encoding="utf-8")
        with pytest.raises(LoadError, match="graphrag_bench_medical_corpus"):
            load_answer_set("graphrag-bench", tmp_path)


def test_what_is_no_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"unknown data set 'squad'; known: musique, .*squality"):
        load_answer_set("squad", tmp_path)
    with pytest.raises(UsageError, match="has no parts"):
        load_answer_set("squality", tmp_path, "x")
    with pytest.raises(LoadError, match="there is no folder"):
        load_answer_set("squality", tmp_path / "none")


@pytest.mark.parametrize("name", ANSWER_LOADERS)
def test_the_real_files_are_read(name: str) -> None:
    folder = SHARED / "large" if name == "2wiki" else SHARED
    if not folder.is_dir():
        pytest.skip("the data sets aren't here")
    loaded = load_answer_set(name, folder)
    assert len(loaded.questions) > 50
    assert all(
        q.answer is not None and bool(q.answer.texts) == q.answer.is_answerable
        for q in loaded.questions
    )
    assert len({q.id for q in loaded.questions}) == len(loaded.questions)


# ---------------------------------------------------------------------------------------------- own


def test_own_questions_have_answers_evidence_kind_and_provenance(write: Write) -> None:
    rows = [
        {
            "question": "Who?",
            "answer": " Ada ",
            "documents": ["a.txt"],
            "kind": "specific",
            "provenance": {"passages": ["p1"]},
        },
        {
            "question": "When?",
            "answer": "1843",
            "answers": ["in 1843", "1843"],
            "turns": [{"document": "a.txt", "first": 2}],
        },
        {"question": "Why?", "answerable": False},
        {"question": "How?"},
        {"id": "other", "question": " how? "},
    ]
    loaded = load_own_answers(write("own.jsonl", rows))
    assert [q.answer for q in loaded.questions] == [
        GoldAnswer(("Ada",)),
        GoldAnswer(("1843", "in 1843")),
        GoldAnswer(is_answerable=False),
        GoldAnswer(),
    ]
    assert [q.gold for q in loaded.questions] == [
        Gold(documents=("a.txt",)),
        Gold(spans=(TurnSpan("a.txt", 2, 2),)),
        Gold(),
        Gold(),
    ]
    assert (loaded.questions[0].kind, loaded.questions[0].provenance) == (
        "specific",
        {"passages": ["p1"]},
    )
    assert loaded.notes == {"questions that stand in the file twice, asked once": 1}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"question": "Who?", "answer": ""}], r"line 1: the answer is empty or no text; write it"),
        ([{"question": "Who?", "answers": ["Ada", " "]}], "the answer is empty"),
        (
            [{"question": "Who?", "provenance": {"records": ["\ud800"]}}],
            "line 1: 'provenance' holds a lone surrogate",
        ),
        ([{"question": "Who?", "answers": "Ada"}], "'answers' must be a list"),
        ([{"question": "Who?", "answer": 7}], "the answer is empty or no text"),
        ([{"question": "Who?", "answer": "Ada", "answers": [""]}], "the answer is empty"),
        (
            [{"question": "Who?", "answer": "Ada", "answerable": False}],
            "has an answer and 'answerable': false",
        ),
        ([{"question": "Who?", "answerable": "no"}], "'answerable' must be true or false"),
        ([{"question": "Who?", "documents": ["a"], "turns": []}], "both 'documents' and 'turns'"),
        (
            [{"question": "Who?", "answer": "Ada"}, {"question": "Who?", "answer": "Bo"}],
            r"line 2: .* stands in line 1 with another answer",
        ),
        (
            [{"question": "Who?", "documents": ["a"]}, {"question": "Who?", "documents": ["b"]}],
            "line 2: .*'Who.'.*line 1 with other documents",
        ),
        (
            [
                {"id": "a", "question": "Who?", "answer": "Ada"},
                {"id": "b", "question": "WHO? ", "answer": "Bo"},
            ],
            "line 2: .* another answer",
        ),
        (
            [
                {"id": "a", "question": "Who?", "answer": "Ada"},
                {"id": "a", "question": "Why?", "answer": "Bo"},
            ],
            "line 2: the id 'a' was used",
        ),
        (
            [{"question": "Who? " * 40_000, "answer": "Ada"}],
            r"line 1: the question has 200,000 characters, and 10,000 at most",
        ),
    ],
)
def test_an_own_file_that_can_not_be_meant_is_refused_by_its_line(
    write: Write, rows: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(LoadError, match=message):
        load_own_answers(write("own.jsonl", rows))


def test_questions_for_retrieval_still_need_what_should_be_found(write: Write) -> None:
    with pytest.raises(LoadError, match="neither 'documents' nor 'turns'"):
        load_own(write("own.jsonl", [{"question": "Who?", "answer": "Ada"}]))
