"""What a rewriting of a follow-up may cost, and from how much of the talk it is made."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynagrag.core.errors import CutOffReplyError
from dynagrag.fakes import FakeChat
from dynagrag.generation.question_wording import rewrite_question, split_question
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import MeteredChat

REPLY = '{"question": "Where is Acme?"}'


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "journal.sqlite")
    yield made
    made.close()


def test_a_rewriting_is_one_call_of_at_most_two_hundred_tokens(journal: Journal) -> None:
    metered = MeteredChat(FakeChat(lambda prompt, schema: REPLY.ljust(800)), journal, workspace="w")
    assert (
        rewrite_question(metered, [("Who founded Acme?", "Ada.")], "Where is it?")
        == "Where is Acme?"
    )
    assert (metered.usage("rewrite").calls, metered.usage().calls) == (1, 1)
    longer = MeteredChat(FakeChat(lambda prompt, schema: REPLY.ljust(801)), journal, workspace="w")
    with pytest.raises(CutOffReplyError):
        rewrite_question(longer, [("Who founded Acme?", "Ada.")], "Where is that?")


def test_six_hundred_characters_of_an_earlier_answer_are_shown(journal: Journal) -> None:
    chat = FakeChat(lambda prompt, schema: REPLY)
    rewrite_question(
        MeteredChat(chat, journal, workspace="w"),
        [("Who founded Acme?", "x" * 700)],
        "Where is it?",
    )
    assert [("x" * 600 in p.user, "x" * 601 in p.user) for p in chat.prompts] == [(True, False)]


def test_the_last_three_exchanges_are_shown(journal: Journal) -> None:
    chat = FakeChat(lambda prompt, schema: REPLY)
    history = [(f"Question {i}?", f"Answer {i}.") for i in range(5)]
    rewrite_question(MeteredChat(chat, journal, workspace="w"), history, "Where is it?")
    (prompt,) = chat.prompts
    assert prompt.name == "rewrite"
    assert [
        i for i in range(5) if f"Question {i}?" in prompt.user and f"Answer {i}." in prompt.user
    ] == [2, 3, 4]
    assert "Where is it?" in prompt.user


@pytest.mark.parametrize(
    ("reply", "question"),
    [('{"question": "  Who?  "}', "Who?"), ('{"question": " "}', "Where is it?")],
)
def test_a_rewriting_without_words_leaves_the_question(
    journal: Journal, reply: str, question: str
) -> None:
    metered = MeteredChat(FakeChat(lambda prompt, schema: reply), journal, workspace="w")
    assert rewrite_question(metered, [("Who founded Acme?", "Ada.")], "Where is it?") == question
    assert rewrite_question(metered, [], "Where?") == "Where?"


def test_steps_are_told_once_each_and_never_the_question_itself(journal: Journal) -> None:
    steps = [
        "  Who  founded Acme? ",
        "who founded acme",
        "WHO LEADS THE FIRM",
        "?",
        "x" * 301,
        "y" * 300,
    ]
    replies = iter([steps[:4], steps[4:]])
    chat = FakeChat(lambda prompt, schema: json.dumps({"steps": next(replies)}))
    metered = MeteredChat(chat, journal, workspace="w")
    assert split_question(metered, "Who leads the firm?") == ("Who founded Acme?",)
    assert split_question(metered, "Who left the firm?") == ("y" * 300,)
    assert [prompt.name for prompt in chat.prompts] == ["split", "split"]
    assert metered.usage("split").calls == 2
    assert "Who left the firm?" in chat.prompts[1].user
