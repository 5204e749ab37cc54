"""The conversations in a workspace's folder: what is kept, read again, and dropped."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dynagrag.core.errors import StoreError, UsageError
from dynagrag.core.schema import Answer, AnswerTrace, Citation, Clip, OtherPerson, Usage
from dynagrag.generation.stored_answer import answer_json
from dynagrag.workspace.conversations import (
    NOTES,
    ConversationBook,
    Exchange,
    KeptAnswer,
    as_markdown,
    exchange_as_markdown,
    exchange_as_text,
    new_id,
    with_titles,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "conversations"
OLD = "0123456789abcdef"
"""A conversation as it was kept before files had a format number: a split question for two
retrievers, one without a model, one that was stopped, one that was interrupted.
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The file of the old conversation, in a workspace's folder."""
    path = tmp_path / "conversations" / f"{OLD}.json"
    path.parent.mkdir()
    shutil.copy(GOLDEN / path.name, path)
    return path


def stored(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def as_kept_now(exchanges: Any) -> Any:
    """Without the counts of words shared, which verdicts on claims have replaced: they are read
    over. Whether anything fits wasn't asked, and where evidence fits wasn't either. All subgraphs
    were ego-graphs, and no speaker was doubted.
    """
    for exchange in exchanges:
        for arm in exchange["arms"]:
            if "question" in arm["answer"]:
                arm["answer"] |= {
                    "answerable": None,
                    "nothing_fits": False,
                    "unsupported": False,
                    "unknown_names": {},
                    "quiet_speakers": [],
                    "other_person": None,
                    "unread_language": "",
                    "unjudged_language": "",
                    "question_language": "",
                    "lines_language": "",
                }
            for line in arm["answer"].get("trace", {}).get("evidence", ()):
                line |= {
                    "match_start": 0,
                    "match_end": 0,
                    "fit": 0.0,
                    "before": None,
                    "after": None,
                }
            if "trace" in arm["answer"]:
                arm["answer"]["trace"] |= {"subgraph_kind": "ego-graph", "doubtful": []}
            for key in ("uncited_sentences", "weak_citations"):
                arm["answer"].get("trace", {}).pop(key, None)
    return exchanges


def test_a_conversation_without_a_format_number_opens_as_it_was(old: Path, tmp_path: Path) -> None:
    conversation = ConversationBook(tmp_path).conversation(OLD)
    for exchange, row in zip(
        conversation.exchanges, as_kept_now(stored(old)["exchanges"]), strict=True
    ):
        for kept, arm in zip(exchange.answers, row["arms"], strict=True):
            told = json.loads(json.dumps(answer_json(kept.answer))) if kept.answer else {}
            assert told == arm["answer"]
            assert (kept.retriever, kept.error, kept.llm, kept.seconds, kept.cost) == tuple(
                arm[key] for key in ("retriever", "error", "llm", "seconds", "cost")
            )
    assert [question for question, _ in conversation.history()] == [
        "Where does Ada work and who acquired Borealis Labs?"
    ]


def test_its_export_is_as_it_was(old: Path, tmp_path: Path) -> None:
    text = as_markdown(ConversationBook(tmp_path).conversation(OLD), "w")
    assert re.sub(r"exported .* UTC", "exported NOW UTC", text) == (GOLDEN / f"{OLD}.md").read_text(
        encoding="utf-8"
    )


def test_copied_text_has_no_marks_and_markdown_shows_the_marks_of_the_words() -> None:
    quote = "Use *both* of <b>them</b>, a_b and **c**. Yes."
    turn = Citation("p", "A *big* talk", 0, len(quote), "ANN", 61.0, quote)
    clip = Clip("p", "A *big* talk", 0, len(quote), (turn,), ((0, 41),), (0, 41))
    made = Answer(
        *("What?", "No model.", True, (), (), (), AnswerTrace(retriever="dynagrag"), Usage()),
        is_answered_by_model=False,
        clips=(clip,),
    )
    exchange = Exchange(new_id(), "What?", "2026", (KeptAnswer("dynagrag", made),))
    assert f'ANN 1:01: "{quote}"' in exchange_as_text(exchange)
    exported = exchange_as_markdown(exchange)
    assert r"1. A \*big\* talk, 1:01" in exported
    with_side = replace(made, clips=(replace(clip, side="Bo_b"),))
    of_side = replace(exchange, answers=(KeptAnswer("dynagrag", with_side),))
    assert r"1. Bo\_b: A \*big\* talk, 1:01" in exchange_as_markdown(of_side)
    assert "1. [Bo_b] 1:01, A *big* talk" in exchange_as_text(of_side)
    hit = r"**Use \*both\* of \<b\>them\</b\>, a\_b and \*\*c\*\*.** Yes."
    assert f'    - ANN 1:01: "{hit}"' in exported


def test_its_lines_stand_under_what_their_documents_are_called_now(
    old: Path, tmp_path: Path
) -> None:
    conversation = ConversationBook(tmp_path).conversation(OLD)
    kept = conversation.exchanges[0].answers[0].answer
    assert kept is not None
    line = kept.evidence[0]
    titled = (
        with_titles(conversation, {kept.trace.document_ids[line.id]: "Another title"})
        .exchanges[0]
        .answers[0]
        .answer
    )
    assert titled is not None
    assert {
        e.document
        for e in titled.evidence
        if kept.trace.document_ids[e.id] == kept.trace.document_ids[line.id]
    } == {"Another title"}
    other = replace(kept, other_person=OtherPerson("Ann", "Bob", line))
    asked = replace(conversation.exchanges[0], answers=(KeptAnswer("dynagrag", other),))
    named = with_titles(
        replace(conversation, exchanges=(asked,)),
        {kept.trace.document_ids[line.id]: "Another title"},
    )
    shown = named.exchanges[0].answers[0].answer
    assert shown is not None
    assert shown.other_person is not None
    assert shown.other_person.line.document == "Another title"
    assert with_titles(conversation, {}) == conversation, "a document that is gone keeps its title"


def test_it_is_written_again_with_a_number_and_the_same_answers(old: Path, tmp_path: Path) -> None:
    before = as_kept_now(stored(old)["exchanges"])
    ConversationBook(tmp_path).put(OLD, Exchange("e" * 16, "More?", "2026", ()))
    after = stored(old)
    assert after["format"] == 1
    assert after["exchanges"] == [
        *before,
        {"id": "e" * 16, "asked": "More?", "at": "2026", "arms": []},
    ]


def test_a_newer_version_s_conversation_is_named_and_left_alone(old: Path, tmp_path: Path) -> None:
    old.write_text(json.dumps({"format": 2, "exchanges": []}), encoding="utf-8")
    book = ConversationBook(tmp_path)
    with pytest.raises(StoreError, match="newer version"):
        book.conversation(OLD)
    with pytest.raises(StoreError, match="newer version"):
        book.put(OLD, Exchange("e" * 16, "More?", "2026", ()))
    assert book.all() == ()
    assert stored(old) == {"format": 2, "exchanges": []}


def test_an_answer_that_cannot_be_read_is_said_and_stays_in_the_file(
    old: Path, tmp_path: Path
) -> None:
    broken = stored(old)
    del (
        broken["exchanges"][0]["arms"][0]["answer"]["trace"]["profile"],
        broken["exchanges"][0]["arms"][1]["answer"]["question"],
    )
    del broken["exchanges"][0]["arms"][0]["answer"]["trace"]["cached_replies"]
    old.write_text(json.dumps(broken), encoding="utf-8")
    book = ConversationBook(tmp_path)
    first = book.conversation(OLD).exchanges[0]
    assert [kept.answer for kept in first.answers] == [None, None]
    assert all("cannot be shown" in kept.error for kept in first.answers)
    book.put(OLD, Exchange("e" * 16, "More?", "2026", ()))
    assert as_kept_now(stored(old)["exchanges"])[:-1] == as_kept_now(broken["exchanges"])
    assert book.keep_documents(()) == 2  # what it quotes is known all the same
    assert [e.asked for e in book.conversation(OLD).exchanges] == ["And then?", "Lost?", "More?"]


def test_the_second_answer_s_quotes_count_for_a_deletion_and_the_first_one_for_a_follow_up(
    tmp_path: Path,
) -> None:
    def kept(text: str, document: str) -> KeptAnswer:
        trace = AnswerTrace(retriever="naive", document_ids={"x": document})
        return KeptAnswer("naive", Answer("q", text, False, (), (), (), trace, Usage()))

    book, id_ = ConversationBook(tmp_path), new_id()
    book.put(id_, Exchange(new_id(), "q", "2026", (kept("first", "d1"), kept("second", "d2"))))
    assert book.conversation(id_).history() == [("q", "first")]
    assert book.keep_documents({"d1", "d2"}) == 0
    assert book.keep_documents({"d1"}) == 1
    assert book.all() == ()


def test_an_id_that_is_none_reaches_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("{}")
    for bad in ("../secret", "secret", "", "0" * 15, "G" * 16):
        with pytest.raises(UsageError):
            ConversationBook(tmp_path).conversation(bad)


def test_a_damaged_conversation_is_named_and_the_others_stay(tmp_path: Path) -> None:
    kept = ConversationBook(tmp_path)
    good, bad = new_id(), new_id()
    kept.put(good, Exchange(new_id(), "q", "2026", (KeptAnswer("naive", error="no"),)))
    (tmp_path / "conversations" / f"{bad}.json").write_text('{"exchanges": [{"id": 1}]}')
    assert [c.id for c in kept.all()] == [good]
    with pytest.raises(StoreError, match="damaged"):
        kept.conversation(bad)


def stored_ids(form: Any) -> list[str]:
    """Ids of the documents that the answers of the conversation quote."""
    answers = [
        arm["answer"] for row in form["exchanges"] for arm in row.get("arms", ()) if arm["answer"]
    ]
    named = [answer["trace"]["document_ids"] for answer in answers]
    return [
        id_
        for ids in named
        if isinstance(ids, dict)
        for id_ in ids.values()
        if isinstance(id_, str)
    ]


def _first_answer(form: Any) -> Any:
    return form["exchanges"][0]["arms"][0]["answer"]


@pytest.mark.parametrize("document_ids", [["x"], {"E1": ["x"]}, "x", None])
def test_a_damaged_trace_stops_no_deletion(old: Path, tmp_path: Path, document_ids: Any) -> None:
    form = stored(old)
    _first_answer(form)["trace"]["document_ids"] = document_ids
    old.write_text(json.dumps(form), encoding="utf-8")
    assert ConversationBook(tmp_path).conversation(OLD).exchanges[0].answers[0].answer is None
    quoted = set(stored_ids(form))
    assert quoted
    ConversationBook(tmp_path).keep_documents([])
    left = old.read_text(encoding="utf-8") if old.is_file() else ""
    assert [id_ for id_ in quoted if id_ in left] == []


def test_a_newer_version_s_conversation_keeps_no_words_of_a_deleted_document(
    old: Path, tmp_path: Path
) -> None:
    form = stored(old) | {"format": 99, "more": {"kept": True}}
    form["exchanges"].append({"id": "f" * 16, "later": "form"})
    old.write_text(json.dumps(form), encoding="utf-8")
    assert ConversationBook(tmp_path).keep_documents([]) > 0
    after = stored(old)
    assert (after["format"], after["more"], after["exchanges"][-1]) == (
        99,
        {"kept": True},
        form["exchanges"][-1],
    )
    assert [id_ for id_ in stored_ids(form) if id_ in json.dumps(after)] == []


def test_what_is_no_json_is_named_when_documents_go(
    old: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    old.write_text("{", encoding="utf-8")
    assert ConversationBook(tmp_path).keep_documents([]) == 0
    assert str(old) in caplog.text


@pytest.mark.parametrize(("key", "value"), [("labels", None), ("notes", 3), ("document_ids", "x")])
def test_a_field_of_the_wrong_kind_makes_the_answer_unread(
    old: Path, tmp_path: Path, key: str, value: Any
) -> None:
    form = stored(old)
    _first_answer(form)["trace"][key] = value
    old.write_text(json.dumps(form), encoding="utf-8")
    conversation = ConversationBook(tmp_path).conversation(OLD)
    assert conversation.exchanges[0].answers[0].answer is None
    assert "cannot be shown" in as_markdown(conversation, "w")


def test_an_answer_that_is_none_leaves_the_others_of_its_conversation(
    old: Path, tmp_path: Path
) -> None:
    form = stored(old)
    form["exchanges"][0]["arms"][0]["answer"] = None
    old.write_text(json.dumps(form), encoding="utf-8")
    assert len(ConversationBook(tmp_path).conversation(OLD).exchanges) == len(form["exchanges"])


_SAVE_MANY = """
import sys
from pathlib import Path
from dynagrag.workspace.conversations import NOTES, ConversationBook, Exchange
for number in range(25):
    exchange = Exchange(f"{sys.argv[2]}{number:015x}", "why?", "2026", ())
    ConversationBook(Path(sys.argv[1])).put(NOTES, exchange)
"""


def test_two_processes_that_save_notes_lose_none(tmp_path: Path) -> None:
    workers = [
        subprocess.Popen([sys.executable, "-c", _SAVE_MANY, str(tmp_path), first]) for first in "ab"
    ]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    assert len(ConversationBook(tmp_path).conversation(NOTES).exchanges) == 50


@pytest.mark.parametrize("what", ["a pipe", "deep"])
def test_a_file_of_no_conversation_holds_no_deletion_up(tmp_path: Path, what: str) -> None:
    path = tmp_path / "conversations" / f"{OLD}.json"
    path.parent.mkdir()
    if what == "a pipe":
        os.mkfifo(path)
    else:
        path.write_text("[" * 99_999)
    assert ConversationBook(tmp_path).keep_documents([]) == 0
    if what == "deep":
        with pytest.raises(StoreError, match="is damaged"):
            ConversationBook(tmp_path).conversation(OLD)
