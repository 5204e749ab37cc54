"""Sets in their own forms: gold, halves, what is left out with a count, and what stops with file,
line and remedy.
"""

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.evaluation.question_sets.own_questions import Enough, load_own, load_own_texts
from dynagrag.evaluation.question_sets.published_sets import load_set
from dynagrag.evaluation.question_sets.question_set import Gold, Half, Scope, TurnSpan

Write = Callable[[str, Sequence[Any]], Path]
PASSAGES = [
    {"title": "Ada", "text": "Ada was born in Delft."},
    {"title": "Delft", "text": "Delft lies on a canal."},
]
TITLED = {
    "id": "q1",
    "question": "Where does the canal of Ada's town lie?",
    "supporting_titles": ["Ada", "Delft"],
}
SHARED = Path(__file__).parents[5] / "shared" / "data"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes rows below the data folder; .gz where the name says so. A row that is text is written
    as it is.
    """

    def make(name: str, rows: Sequence[Any]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return make


@pytest.fixture
def musique(write: Write) -> Callable[..., Path]:
    def make(*questions: Any) -> Path:
        write("multihop/musique_corpus.jsonl.gz", PASSAGES)
        return write("multihop/musique_questions.jsonl", questions or [TITLED]).parents[1]

    return make


def meeting(num_turns: int, *queries: dict[str, Any]) -> dict[str, Any]:
    turns = [
        {"speaker": f"S{i % 2}", "content": f"Turn {i} {{disfmarker}} goes on ."}
        for i in range(num_turns)
    ]
    return {
        "meeting_transcripts": turns,
        "specific_query_list": list(queries),
        "topic_list": [],
        "general_query_list": [],
    }


def query(text: str, *spans: tuple[str, str]) -> dict[str, Any]:
    return {"query": text, "answer": "", "relevant_text_span": [list(s) for s in spans]}


# --------------------------------------------------------------------------------------------- gold


def test_plain_and_packed_files_are_read_alike(musique: Callable[..., Path]) -> None:
    loaded = load_set("musique", musique())
    assert [(q.id, q.gold) for q in loaded.questions] == [("q1", Gold(titles=("Ada", "Delft")))]
    assert [(d.title, d.text) for d in loaded.corpus] == [
        ("Ada", "Ada was born in Delft."),
        ("Delft", "Delft lies on a canal."),
    ]
    assert {f.name for f in loaded.files} == {"musique_questions.jsonl", "musique_corpus.jsonl.gz"}
    assert all(len(f.sha256) == 64 for f in loaded.files)
    assert (loaded.main_measure, loaded.scopes) == ("recall@5", (Scope.CORPUS,))


def test_hotpotqa_takes_each_supporting_title_once(write: Write, tmp_path: Path) -> None:
    write("multihop/hotpotqa_corpus.jsonl", PASSAGES)
    facts = [["Ada", 0], ["Ada", 1], ["Delft", 0]]
    write(
        "multihop/hotpotqa_questions.jsonl",
        [{"_id": "h", "question": "Where?", "supporting_facts": facts}],
    )
    assert load_set("hotpotqa", tmp_path).questions[0].gold == Gold(titles=("Ada", "Delft"))


def test_2wiki_rows_without_ids_are_known_by_their_words(write: Write, tmp_path: Path) -> None:
    write("multihop/2wiki_corpus.jsonl", PASSAGES)
    rows = [{"question": f"Where {i}?", "supporting_titles": ["Ada"]} for i in range(2)]
    write("multihop/2wiki_retrieval_questions.jsonl", rows)
    ids = [q.id for q in load_set("2wiki", tmp_path).questions]
    write("multihop/2wiki_retrieval_questions.jsonl", rows[::-1])
    assert [q.id for q in load_set("2wiki", tmp_path).questions] == ids[::-1]
    assert len(set(ids)) == 2


def test_multihop_rag_keeps_what_the_chunks_hold_and_counts_the_rest(
    write: Write, tmp_path: Path
) -> None:
    write(
        "multihop/multihop_rag_chunks.jsonl", [{"chunk_id": 7, "text": "The firm, it said, grew."}]
    )
    rows = [
        {
            "id": str(i),
            "question": f"Did it grow {i}?",
            "question_type": kind,
            "evidence_in_chunks": is_in,
            "evidence_list": [{"fact": "It grew."}],
        }
        for i, (kind, is_in) in enumerate(
            [
                ("inference_query", True),
                ("null_query", False),
                ("null_query", True),
                ("temporal_query", False),
            ]
        )
    ]
    write("multihop/multihop_rag_questions.jsonl", rows)
    loaded = load_set("multihop-rag", tmp_path)
    assert [(q.id, q.gold) for q in loaded.questions] == [("0", Gold(facts=("It grew.",)))]
    assert sorted(loaded.notes.values()) == [1, 2]
    assert [d.title for d in loaded.corpus] == [""]


def test_qmsum_drops_tags_and_questions_about_half_of_a_meeting(
    write: Write, tmp_path: Path
) -> None:
    rows = [
        meeting(10, query("Narrow?", ("2", "4")), query("Wide?", ("0", "4"))),
        meeting(4, query("Both?", ("0", "0"), ("0", "0"))),
    ]
    write("transcript_qa/qmsum_val.jsonl.gz", rows)
    loaded = load_set("qmsum", tmp_path)
    assert [(q.text, q.gold.spans, q.document) for q in loaded.questions] == [
        ("Narrow?", (TurnSpan("0", 2, 4),), "0"),
        ("Both?", (TurnSpan("1", 0, 0), TurnSpan("1", 0, 0)), "1"),
    ]
    assert [(t.speaker, t.text) for t in loaded.corpus[0].turns[:2]] == [
        ("S0", "Turn 0 goes on ."),
        ("S1", "Turn 1 goes on ."),
    ]
    assert loaded.notes == {"questions left out: their gold is half of the meeting or more": 1}
    assert (loaded.main_measure, loaded.scopes) == ("p@5", (Scope.DOCUMENT, Scope.CORPUS))


def test_qmsum_spans_beyond_the_meeting_are_cut_and_counted(write: Write, tmp_path: Path) -> None:
    write("transcript_qa/qmsum_val.jsonl", [meeting(10, query("Late?", ("8", "12")))])
    loaded = load_set("qmsum", tmp_path)
    assert loaded.questions[0].gold.spans == (TurnSpan("0", 8, 9),)
    assert list(loaded.notes.values()) == [1]


def test_a_question_that_a_meeting_asks_again_with_other_gold_has_its_number_in_its_id(
    write: Write, tmp_path: Path
) -> None:
    asked = [
        query("Why?", ("1", "1")),
        query("Who?", ("2", "2")),
        query("Why?", ("3", "3")),
        query("Why?", ("3", "3")),
    ]
    write(
        "transcript_qa/qmsum_test.jsonl",
        [meeting(10, *asked), meeting(10, query("Why?", ("4", "4")))],
    )
    loaded = load_set("qmsum", tmp_path, "test")
    why = loaded.questions[0].id
    assert [q.id for q in loaded.questions[2:]] == [
        f"{why}-3",
        why.replace("meeting-1", "meeting-2"),
    ]
    assert [q.gold.spans[0].first for q in loaded.questions] == [1, 2, 3, 4]
    assert loaded.notes == {"double rows passed over": 1}
    write("transcript_qa/qmsum_val.jsonl", [meeting(10, asked[0], asked[1])])
    assert [q.id for q in load_set("qmsum", tmp_path).questions] == [
        q.id for q in loaded.questions[:2]
    ]


def test_a_qmsum_span_that_stands_the_wrong_way_round_is_put_in_order(
    write: Write, tmp_path: Path
) -> None:
    write("transcript_qa/qmsum_val.jsonl", [meeting(10, query("Back?", ("4", "2")))])
    assert load_set("qmsum", tmp_path).questions[0].gold.spans == (TurnSpan("0", 2, 4),)


def test_a_qmsum_span_wholly_outside_its_meeting_is_no_gold(write: Write, tmp_path: Path) -> None:
    rows = [
        meeting(
            20,
            query("Partly?", ("500", "600"), ("3", "3")),
            query("Never?", ("500", "600")),
            query("Before?", ("-9", "-2")),
        )
    ]
    write("transcript_qa/qmsum_val.jsonl", rows)
    loaded = load_set("qmsum", tmp_path)
    assert [(q.text, q.gold.spans) for q in loaded.questions] == [
        ("Partly?", (TurnSpan("0", 3, 3),))
    ]
    assert loaded.notes == {
        "turn spans wholly outside their meeting, left out": 3,
        "questions left out: they name no turn": 2,
    }


@pytest.mark.parametrize(
    ("span", "wanted"),
    [
        ("null", "is None; it must be a list"),
        ("[[0, 1e999]]", r"holds \[0, inf\]"),
        ("[null]", "holds None"),
        ("7", "is 7; it must be a list"),
    ],
)
def test_a_qmsum_span_that_is_none_is_named(
    span: str, wanted: str, write: Write, tmp_path: Path
) -> None:
    row = json.dumps(meeting(10, query("Q?"))).replace(
        '"relevant_text_span": []', f'"relevant_text_span": {span}'
    )
    write("transcript_qa/qmsum_val.jsonl", [row])
    with pytest.raises(
        LoadError, match=rf"qmsum_val\.jsonl, line 1: 'relevant_text_span' .*{wanted}"
    ):
        load_set("qmsum", tmp_path)


def test_which_qmsum_file_is_asked_where_it_cannot_be_known(write: Write, tmp_path: Path) -> None:
    write("transcript_qa/qmsum_train_25.jsonl", [meeting(10, query("One?", ("1", "1")))])
    assert len(load_set("qmsum", tmp_path).questions) == 1
    write("transcript_qa/qmsum_test.jsonl", [meeting(10, query("Two?", ("1", "1")))])
    with pytest.raises(UsageError, match=r"qmsum_test\.jsonl, qmsum_train_25\.jsonl.*--part"):
        load_set("qmsum", tmp_path)
    assert load_set("qmsum", tmp_path, "test").questions[0].text == "Two?"


def test_halves_are_even_and_odd_rows_and_share_none() -> None:
    rows = range(7)
    assert [r for r in rows if Half.TUNING.holds(r)] == [0, 2, 4, 6]
    assert [r for r in rows if Half.REPORTING.holds(r)] == [1, 3, 5]
    assert all(Half.ALL.holds(r) for r in rows)


# ---------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ({"id": "q"}, "line 1: the field 'question' is missing; the row has id"),
        ({"id": "q", "question": "Where?"}, "line 1: the field 'supporting_titles' is missing"),
        (
            {"id": "q", "question": "Where?", "supporting_titles": []},
            "must be a list that is not empty",
        ),
        (
            {"id": "q", "question": "Where?", "supporting_titles": [3]},
            "'supporting_titles' holds 3; every item must be text",
        ),
        (
            {"id": "q", "question": "  ", "supporting_titles": ["Ada"]},
            "'question' is \"  \"; it must be text",
        ),
        ("{torn", "line 1 is no JSON"),
        ("[" * 100_000, "line 1 is no JSON"),
        (
            {"id": "q\ud800", "question": "Where?", "supporting_titles": ["Ada"]},
            "line 1: 'id' holds a lone surrogate",
        ),
        (
            {"id": "q", "question": "Where\ud800?", "supporting_titles": ["Ada"]},
            "line 1: 'question' holds a lone surrogate",
        ),
        ("[1]", "line 1 holds \\[1\\]; each line must be one object"),
    ],
)
def test_a_broken_row_is_named_by_file_line_and_field(
    row: Any, wanted: str, musique: Callable[..., Path]
) -> None:
    with pytest.raises(LoadError, match=wanted) as caught:
        load_set("musique", musique(row))
    assert "musique_questions.jsonl" in str(caught.value)


def test_the_same_row_twice_counts_once_and_another_under_its_id_is_refused(
    musique: Callable[..., Path],
) -> None:
    loaded = load_set("musique", musique(TITLED, TITLED))
    assert len(loaded.questions) == 1
    assert loaded.notes == {"double rows passed over": 1}
    with pytest.raises(
        LoadError, match="line 3: the id 'q1' was used in line 1 for something else"
    ):
        load_set("musique", musique(TITLED, TITLED, TITLED | {"question": "Who?"}))


def test_missing_files_folders_and_names_say_what_there_should_be(
    musique: Callable[..., Path], tmp_path: Path
) -> None:
    with pytest.raises(LoadError, match="there is no musique_questions"):
        load_set("musique", tmp_path)
    with pytest.raises(LoadError, match="there is no folder"):
        load_set("musique", tmp_path / "nowhere")
    with pytest.raises(UsageError, match="known: musique, hotpotqa, 2wiki, multihop-rag, qmsum"):
        load_set("squad", musique())
    with pytest.raises(UsageError, match="--part val is for qmsum alone"):
        load_set("musique", musique(), "val")


def test_damaged_and_empty_files_are_refused(write: Write, musique: Callable[..., Path]) -> None:
    folder = musique()
    path = folder / "multihop" / "musique_corpus.jsonl.gz"
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"not packed"):
        path.write_bytes(damaged)
        with pytest.raises(LoadError, match=r"musique_corpus\.jsonl\.gz"):
            load_set("musique", folder)
    write("multihop/musique_corpus.jsonl.gz", [])
    with pytest.raises(LoadError, match="holds no row"):
        load_set("musique", folder)


def test_a_set_without_a_usable_question_says_why(write: Write, tmp_path: Path) -> None:
    write("transcript_qa/qmsum_val.jsonl", [meeting(4, query("Wide?", ("0", "3")))])
    with pytest.raises(LoadError, match="no question that can be evaluated: 1 questions left out"):
        load_set("qmsum", tmp_path)


# ----------------------------------------------------------------------------------------- own file


def test_own_questions_name_documents_or_turns(write: Write) -> None:
    path = write(
        "own/questions.jsonl",
        [
            {"question": "Who?", "documents": ["kickoff.vtt", "Review"]},
            {
                "id": 5,
                "question": "When?",
                "turns": [
                    {"document": "Review", "first": 3, "last": 5},
                    {"document": "Review", "first": 9},
                ],
            },
        ],
    )
    first, second = load_own(path).questions
    assert first.gold == Gold(documents=("kickoff.vtt", "Review"))
    assert (second.id, second.gold.spans) == (
        "5",
        (TurnSpan("Review", 3, 5), TurnSpan("Review", 9, 9)),
    )


def test_own_questions_without_an_answer_are_counted_and_left_out(write: Write) -> None:
    rows = [
        {"question": "Who?", "documents": ["a"], "kind": "specific", "split": "train"},
        {"question": "Why?", "answerable": False},
    ]
    loaded = load_own(write("own/questions.jsonl", rows))
    assert [question.text for question in loaded.questions] == ["Who?"]
    assert loaded.notes == {"questions left out: nothing answers them (answerable: false)": 1}


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ({"question": "Who?"}, "neither 'documents' nor 'turns'"),
        ({"question": "Who?", "decisive": ["Ann"]}, "for `dynagrag evaluate evidence`"),
        ({"question": "Who?", "documents": ["a"], "turns": []}, "both 'documents' and 'turns'"),
        (
            {"question": "Who?", "documents": ["a"], "answerable": "no"},
            "'answerable' must be true or false",
        ),
        ({"question": "Who?", "answerable": False}, "no question that can be evaluated"),
        (
            {"question": "Who?", "turns": [{"document": "a", "first": 3, "last": 1}]},
            "go from 3 to 1, which is before it",
        ),
        ({"question": "Who?", "turns": [{"document": "a", "first": True}]}, "turns counted from 0"),
        ({"question": "Who?", "turns": ["a"]}, "turns counted from 0"),
        (
            {"question": "Who?", "documents": ["Eve\ud800"]},
            "line 1: 'documents' holds a lone surrogate",
        ),
        (
            {"question": "Who?", "documents": ["Eve\0"]},
            "line 1: 'documents' holds a null character",
        ),
        (
            {"question": "Who?", "turns": [{"document": "Eve\0", "first": 0}]},
            "line 1: 'document' holds a null character",
        ),
        (
            {"question": "Who\ud800?", "documents": ["Eve"]},
            "line 1: 'question' holds a lone surrogate",
        ),
        (
            {"id": "\ud800", "question": "Who?", "documents": ["Eve"]},
            "line 1: 'id' holds a lone surrogate",
        ),
    ],
)
def test_own_rows_that_say_nothing_to_find_are_refused(row: Any, wanted: str, write: Write) -> None:
    with pytest.raises(LoadError, match=wanted):
        load_own(write("own/questions.jsonl", [row]))


# ---------------------------------------------------------------------------------------- real sets


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real sets are not beside the repository")
@pytest.mark.parametrize("name", ["musique", "hotpotqa", "2wiki", "multihop-rag", "qmsum"])
def test_the_real_sets_are_read_whole(name: str) -> None:
    loaded = load_set(name, SHARED)
    titles = {d.title for d in loaded.corpus}
    assert loaded.questions
    assert all(title in titles for q in loaded.questions for title in q.gold.titles)


@pytest.mark.parametrize("half", list(Half))
def test_a_limit_reads_no_more_of_a_file_than_it_asks(write: Write, half: Half) -> None:
    rows: list[Any] = [{"question": f"Who {n // 2}?", "documents": ["a"]} for n in range(20)]
    rows[1:1] = [{"question": "Why?", "documents": ["a"], "answerable": False}]
    path = write("own/questions.jsonl", [*rows, {"question": "beyond", "documents": 7}])
    with pytest.raises(LoadError, match="line 22"):
        load_own(path)
    whole = load_own(write("own/sound.jsonl", rows)).questions
    for limit in (1, 3):
        enough = Enough(limit, lambda question: half.holds(question.row))
        read = load_own(path, enough)
        assert [q for q in read.questions if half.holds(q.row)][:limit] == [
            q for q in whole if half.holds(q.row)
        ][:limit]
        assert len(read.questions) < 10
    assert load_own_texts(path, Enough(2))[0] == load_own_texts(path)[0][:2]


def test_a_bomb_in_a_file_of_rows_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl.gz"
    with gzip.open(path, "wb") as file:
        for _ in range(300):
            file.write(bytes(1_000_000))
    with pytest.raises(LoadError, match="as no rows do"):
        load_own(path)
