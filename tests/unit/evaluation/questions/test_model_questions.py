"""Questions that a model writes: what passes, what is left out and why, and that no call is paid
twice.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from spoken import spoken

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import ModelUnavailableError, PromptRefusedError
from dynagrag.core.protocols import Prompt
from dynagrag.evaluation.batches import MAX_FAILED
from dynagrag.evaluation.questions.drafts import SplitSayings
from dynagrag.evaluation.questions.made_question import QuestionKind, Split
from dynagrag.evaluation.questions.model_questions import (
    REFUSED,
    UNREADABLE,
    QuestionWriter,
    Written,
)
from dynagrag.evaluation.questions.question_cost import question_cost
from dynagrag.evaluation.questions.question_writing import WRITABLE, requests
from dynagrag.evaluation.questions.record_questions import DOUBLE
from dynagrag.evaluation.questions.sayings import Sayings
from dynagrag.fakes import FakeChat
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import Budget, MeteredChat

LINE = re.compile(r'^\[(E\d+)\] (\w+)? ?"(.*)"$', re.MULTILINE)


def evidence(num_talks: int = 0) -> SplitSayings:
    """The loops, or talks of so many turns that say something else each."""
    talks = {
        f"T{i}": [("Ada", f"The Odyssey carried {10 + i} crates of item{i} stuff{i} there.")]
        for i in range(num_talks)
    }
    sayings = Sayings(spoken(talks) if talks else spoken())
    return SplitSayings(sayings, dict.fromkeys(sayings.documents, Split.TRAIN))


class Model:
    """Writes a question about the last two words of each line, and answers from the line that it
    has. `changes` by the prompt's name.
    """

    def __init__(self, **changes: Any) -> None:
        self.changes = changes
        self.names: list[str] = []

    def __call__(self, prompt: Prompt, schema: Any) -> str:
        self.names.append(prompt.name)
        if isinstance(made := self.changes.get(prompt.name.removesuffix(".repair")), str):
            return made
        return json.dumps({**self._reply(prompt), **(made or {})})

    def _reply(self, prompt: Prompt) -> dict[str, Any]:
        lines = LINE.findall(prompt.user)
        if prompt.name == "closed_book":
            return {"answer": "", "is_known": False}
        answer = lines[0][2].rstrip(".").split()[-1]
        if prompt.name == "intermediate":
            is_wanted = "unheard" not in prompt.user
            said = " ".join(f"{line[2].rstrip('.')} [{line[0]}]." for line in lines)
            return {"answer": said, "citations": ["E1"], "enough_evidence": is_wanted}
        asked = "unheard" if "do not state" in prompt.system else "detail"
        words = "-".join(line[2].split()[-3] for line in lines)
        return {
            "question": (
                f"Which {asked} of {words} did anybody mention {len(self.names)} hours later?"
            ),
            "answer": answer,
            "statement": lines[0][2],
            "lines": [line[0] for line in lines],
        }


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Callable[..., Written]]:
    journal = Journal(tmp_path / "journal.sqlite")

    def call(
        model: Any,
        *kinds: QuestionKind,
        num: int = 3,
        of: SplitSayings | None = None,
        max_calls: int | None = None,
        num_at_once: int = 1,
    ) -> Written:
        chat = MeteredChat(FakeChat(model), journal, workspace="w", budget=Budget(max_calls, None))
        writer = QuestionWriter(of or evidence(), chat, RulesChecker(), lambda _: (), num_at_once)
        return writer.write(kinds or WRITABLE, num, 0)

    yield call
    journal.close()


def test_every_kind_is_written_answered_without_and_from_its_passages(
    write: Callable[..., Written],
) -> None:
    model = Model()
    written = write(model, num=5)
    assert ({q.kind for q in written.questions}, written.drops, written.stopped) == (
        {*WRITABLE},
        {},
        "",
    )
    assert [
        model.names.count(name) for name in ("write_question", "closed_book", "intermediate")
    ] == [5, 4, 5]
    by_kind = {q.kind: q for q in written.questions}
    assert (
        by_kind[QuestionKind.UNANSWERABLE].answerable,
        by_kind[QuestionKind.UNANSWERABLE].turns,
    ) == (False, ())
    assert all(q.made_by == "fake" and (q.turns or not q.answerable) for q in written.questions)
    assert len(by_kind[QuestionKind.TWO_HOP].provenance.passages) == 2


@pytest.mark.parametrize(
    ("changes", "kind", "fault"),
    [
        (
            {"intermediate": {"enough_evidence": False}},
            QuestionKind.SPECIFIC,
            "its passages don't answer it",
        ),
        (
            {"intermediate": {"answer": "Something else entirely [E1]."}},
            QuestionKind.SPECIFIC,
            "its passages answer something else",
        ),
        (
            {"write_question": {"statement": "Nobody knows what a squirrel eats."}},
            QuestionKind.SPECIFIC,
            "no line states its answer",
        ),
        (
            {"intermediate": {"enough_evidence": True}},
            QuestionKind.UNANSWERABLE,
            "the workspace answers it",
        ),
        (
            {"write_question": {"question": "What do these lines say of it?"}},
            QuestionKind.SPECIFIC,
            "speaks of the lines that it was written from",
        ),
        ({"intermediate": "no JSON"}, QuestionKind.SPECIFIC, UNREADABLE),
    ],
)
def test_what_fails_a_check_is_left_out_and_counted(
    changes: dict[str, Any], kind: QuestionKind, fault: str, write: Callable[..., Written]
) -> None:
    written = write(Model(**changes), kind, num=2)
    assert not written.questions
    assert set(written.drops) == {fault}


def test_a_model_that_knows_the_answer_by_heart_gives_no_question(
    write: Callable[..., Written],
) -> None:
    def knowing(prompt: Prompt, schema: Any) -> str:
        knows = {"answer": "stuff0 stuff1 stuff2 there", "is_known": True}
        return json.dumps(knows) if prompt.name == "closed_book" else Model()(prompt, schema)

    written = write(knowing, QuestionKind.SPECIFIC, of=evidence(3))
    assert written.drops == {"the model knows its answer without the passages": 3}


def test_the_same_question_always_is_kept_once_and_given_up_on(
    write: Callable[..., Written],
) -> None:
    model = Model(write_question={"question": "Which crates did anybody ever carry around?"})
    written = write(model, QuestionKind.SPECIFIC, num=40, of=evidence(40))
    assert (len(written.questions), written.drops) == (1, {DOUBLE: MAX_FAILED})
    assert model.names.count("write_question") == MAX_FAILED + 1


def test_a_model_that_answers_prose_is_given_up_on_with_its_reason(
    write: Callable[..., Written],
) -> None:
    written = write(lambda *_: "Of course! Here is a question.", num=40, of=evidence(40))
    assert (written.questions, written.drops) == ([], {UNREADABLE: MAX_FAILED})
    assert "the last 20 replies of fake could not be read" in written.stopped


def test_a_prompt_that_the_provider_refuses_is_left_out_and_the_others_are_written(
    write: Callable[..., Written],
) -> None:
    model = Model()

    def refusing(prompt: Prompt, schema: Any) -> str:
        if not model.names:
            model.names.append("refused")
            raise PromptRefusedError("content policy")
        return model(prompt, schema)

    written = write(refusing, QuestionKind.SPECIFIC, num=2)
    assert (len(written.questions), written.drops, written.stopped) == (2, {REFUSED: 1}, "")


def test_a_spent_budget_and_a_silent_server_stop_it_and_lose_nothing(
    write: Callable[..., Written],
) -> None:
    written = write(Model(), QuestionKind.SPECIFIC, num=5, max_calls=7)
    assert len(written.questions) == 2
    assert "budget of 7 model calls is spent" in written.stopped
    model = Model()
    again = write(model, QuestionKind.SPECIFIC, num=5)
    assert [q.id for q in again.questions[:2]] == [q.id for q in written.questions]
    assert model.names.count("write_question") == 2, "the first three are in the cache"


def test_a_server_that_falls_silent_stops_it_and_keeps_what_was_made(
    write: Callable[..., Written],
) -> None:
    model = Model()

    def falling_silent(prompt: Prompt, schema: Any) -> str:
        if len(model.names) == 6:
            raise ModelUnavailableError("no connection")
        return model(prompt, schema)

    written = write(falling_silent, QuestionKind.SPECIFIC, num=5)
    assert (len(written.questions), written.stopped) == (2, "no connection")


def test_as_many_at_once_as_you_like_make_the_same(
    write: Callable[..., Written], tmp_path: Path
) -> None:
    def steady(prompt: Prompt, schema: Any) -> str:
        return Model()(prompt, schema)  # its questions don't depend on what was asked before

    one = write(steady, num=6, num_at_once=1)
    journal = Journal(tmp_path / "other.sqlite")
    chat = MeteredChat(FakeChat(steady), journal, workspace="w", budget=Budget())
    many = QuestionWriter(evidence(), chat, RulesChecker(), lambda _: (), 4).write(WRITABLE, 6, 0)
    journal.close()
    assert [q.id for q in one.questions] == [q.id for q in many.questions]


def test_the_first_call_tells_the_pace_and_is_not_made_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "timed.sqlite")
    model = FakeChat(Model(), delay_s=0.05)
    writer = QuestionWriter(
        evidence(),
        MeteredChat(model, journal, workspace="w", budget=Budget()),
        RulesChecker(),
        lambda _: (),
    )
    pace = writer.seconds_per_token(WRITABLE[0], 0)
    assert pace is not None
    assert 0 < pace < 0.05
    assert len(model.prompts) == 1
    writer.write(WRITABLE, 2, 0)
    assert len({prompt.user for prompt in model.prompts}) == len(model.prompts)
    journal.close()


def test_the_estimate_counts_every_call_of_questions_that_pass(
    write: Callable[..., Written],
) -> None:
    model = Model()
    write(model, num=5)
    cost = question_cost(evidence(), WRITABLE, 5, 0, asks_checker=False, settings=load_settings())
    assert (cost.questions, cost.calls) == (5, len(model.names))
    assert (
        question_cost(evidence(), WRITABLE, 5, 0, asks_checker=True, settings=load_settings()).calls
        == len(model.names) + 4
    )
    assert "5 questions, 14 calls" in str(cost)
    thinking = question_cost(
        evidence(), WRITABLE, 5, 0, asks_checker=False, settings=load_settings(), thoughts=1000
    )
    assert thinking.reply_tokens == cost.reply_tokens + 1000 * cost.calls


def test_what_is_shown_is_spread_and_no_choice_comes_twice() -> None:
    for kind in WRITABLE:
        found = requests(evidence(), kind, 0)
        assert (
            len({tuple(sorted(p.id for p in request.passages)) for request in found})
            == len(found)
            > 0
        )
