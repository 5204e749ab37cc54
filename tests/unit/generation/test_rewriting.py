"""What a rewriting of a follow-up may cost, and from how much of the talk it is made."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dynagrag.errors import CutOffReplyError
from dynagrag.fakes import FakeChat
from dynagrag.generation.question_wording import rewrite_question
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
    assert rewrite_question(metered, [("Who founded Acme?", "Ada.")], "Where is it?") == "Where is Acme?"
    assert (metered.usage("rewrite").calls, metered.usage().calls) == (1, 1)
    longer = MeteredChat(FakeChat(lambda prompt, schema: REPLY.ljust(801)), journal, workspace="w")
    with pytest.raises(CutOffReplyError):
        rewrite_question(longer, [("Who founded Acme?", "Ada.")], "Where is that?")


def test_six_hundred_characters_of_an_earlier_answer_are_shown(journal: Journal) -> None:
    chat = FakeChat(lambda prompt, schema: REPLY)
    rewrite_question(MeteredChat(chat, journal, workspace="w"), [("Who founded Acme?", "x" * 700)], "Where is it?")
    assert [("x" * 600 in p.user, "x" * 601 in p.user) for p in chat.prompts] == [(True, False)]
