"""How helpful answers are: the judge's marks, what the claims say where it fails, and the order in
which the judge sees them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynagrag.core.errors import CutOffReplyError, InvalidReplyError
from dynagrag.core.ids import estimate_tokens
from dynagrag.core.schema import CheckedClaim, EmbedderIdentity, Line, Question, Vectors, Verdict
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.generation.claims.answer_claims import WrittenFrom, checked_claims
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.helpfulness import claims_helpfulness, helpfulness, judged_helpfulness
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import MeteredChat


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "journal.sqlite")
    yield made
    made.close()


def _metered(chat: FakeChat, journal: Journal) -> MeteredChat:
    return MeteredChat(chat, journal, workspace="w")


def _scores(**by_id: tuple[int, int, int]) -> str:
    return json.dumps(
        {
            "scores": [
                dict(zip(("id", "relevance", "coherence", "detail"), (i, *s), strict=True))
                for i, s in by_id.items()
            ]
        }
    )


def test_the_judge_s_scores_become_20_to_100_in_the_order_of_the_answers(journal: Journal) -> None:
    def rule(prompt: Any, schema: Any) -> str:
        place = {f"A{i}": prompt.user.index(f'id="A{i}"') for i in (1, 2)}
        is_first = prompt.user.index("good answer") - place["A1"] in range(30)
        good, bad = ("A1", "A2") if is_first else ("A2", "A1")
        return _scores(**{good: (5, 5, 5), bad: (1, 3, 1)})

    bad, good = judged_helpfulness(
        _metered(FakeChat(rule), journal), "q?", ["bad answer", "good answer"], 900
    )
    assert (bad.value, good.value) == (30.0, 100.0)
    assert (bad.scored_by, bad.parts) == ("judge", {"relevance": 1, "coherence": 3, "detail": 1})


@pytest.mark.parametrize(
    "reply", [_scores(A1=(5, 5, 5)), _scores(A1=(6, 5, 5), A2=(1, 1, 1)), '{"scores": "five"}', "5"]
)
def test_a_malformed_verdict_is_an_error_never_a_pass(journal: Journal, reply: str) -> None:
    with pytest.raises(InvalidReplyError):
        judged_helpfulness(
            _metered(FakeChat(lambda prompt, schema: reply), journal), "q?", ["one", "two"], 900
        )


def _claims(*verdicts: str, text: str = "It leaks.") -> list[CheckedClaim]:
    return [CheckedClaim(0, 1, text, Verdict(verdict)) for verdict in verdicts]


def test_without_a_verdict_of_the_judge_the_claims_score_and_say_so(journal: Journal) -> None:
    question = Question("Who founded Acme?", FakeEmbedder().embed_query("Who founded Acme?"))
    answers = ["Ada founded Acme.", "It rained a lot in Delft. The tram was late."]
    claims = [_claims("stated"), _claims("not found", "not found")]
    first, second = helpfulness(
        _metered(FakeChat(lambda p, s: "no"), journal),
        FakeEmbedder(),
        question,
        answers,
        claims,
        900,
    )
    assert first.scored_by == second.scored_by == "claims"
    assert 100 >= first.value > second.value > 0
    assert claims_helpfulness(FakeEmbedder(), question, " ", []).value == 0.0


def test_the_judge_sees_other_answers_in_another_order_and_the_same_in_the_same(
    journal: Journal,
) -> None:
    def order(question: str, letters: str) -> list[int]:
        chat = FakeChat()
        judged_helpfulness(
            _metered(chat, journal), question, [f"reply {letter}" for letter in letters], 2000
        )
        prompt = chat.prompts[0].user
        return sorted(range(len(letters)), key=lambda i: prompt.index(f"reply {letters[i]}"))

    orders = [order("q?", letters) for letters in ("abcde", "fghij", "klmno", "pqrst")]
    assert len({*map(tuple, orders)}) > 1
    assert len({tuple(order(question, "uvwxy")) for question in ("q?", "r?", "s?", "t?")}) > 1


def test_long_answers_are_shortened_alike_to_the_judge_s_budget(journal: Journal) -> None:
    chat = FakeChat()
    judged_helpfulness(_metered(chat, journal), "q?", ["long " * 900] * 5, 900)
    assert estimate_tokens(chat.prompts[0].system + chat.prompts[0].user) <= 900
    shown = [part.partition("</answer>")[0] for part in chat.prompts[0].user.split("<answer ")[1:]]
    assert len({len(text) for text in shown}) == 1


class FixedEmbedder:
    """Embeds each text as it is told; all others as the first unit vector."""

    identity = EmbedderIdentity("fixed", 2)

    def __init__(self, **vectors: tuple[float, float]) -> None:
        self._vectors = vectors

    def embed_documents(self, texts: Any) -> Vectors:
        return np.array(
            [self._vectors.get(text.strip(".?! "), (1.0, 0.0)) for text in texts], dtype=np.float32
        )

    def embed_query(self, text: str) -> Any:
        return self.embed_documents([text])[0]


def shown_order(chat: FakeChat, question: str, answers: list[str], journal: Journal) -> list[str]:
    """The answers in the order in which the judge sees them."""
    judged_helpfulness(_metered(chat, journal), question, answers, 900)
    user = chat.prompts[-1].user
    return sorted(answers, key=user.index)


def test_the_judge_sees_answers_in_another_order_a_question_and_in_the_same_each_time(
    journal: Journal,
) -> None:
    answers = ["first one", "second one", "third one", "fourth one", "fifth one"]
    questions = [f"question {i}?" for i in range(8)]
    chat, again = FakeChat(identity="once"), FakeChat(identity="again")
    orders = [shown_order(chat, question, answers, journal) for question in questions]
    assert len({tuple(order) for order in orders}) > 4
    assert orders == [shown_order(again, question, answers, journal) for question in questions]


def test_marks_go_to_the_answer_they_were_given_for_whatever_its_place(journal: Journal) -> None:
    answers = [f"answer number {i}" for i in (5, 4, 3, 2, 1)]

    def rule(prompt: Any, schema: Any) -> str:
        parts = prompt.user.split('id="')[1:]
        marks = {
            part.partition('"')[0]: int(part.partition("answer number ")[2][0]) for part in parts
        }
        return _scores(**{id_: (mark, 1, 1) for id_, mark in marks.items()})

    for question in ("a?", "b?", "c?"):
        scores = judged_helpfulness(_metered(FakeChat(rule), journal), question, answers, 900)
        assert [score.parts["relevance"] for score in scores] == [5, 4, 3, 2, 1]


def test_each_mark_weighs_what_it_says(journal: Journal) -> None:
    for marks, value in (((5, 1, 1), 60.0), ((1, 5, 1), 40.0), ((1, 1, 5), 40.0)):
        chat = FakeChat(
            lambda prompt, schema, marks=marks: _scores(A1=marks, A2=marks), identity=str(marks)
        )  # type: ignore[misc]
        assert [
            s.value for s in judged_helpfulness(_metered(chat, journal), "q?", ["one", "two"], 900)
        ] == [value, value]


@pytest.mark.parametrize(
    ("verdicts", "stated"),
    [
        (["stated"], 1.0),
        (["stated", "not found"], 0.5),
        (["stated", "stated", "contradicted", "not found"], 0.25),
        (["contradicted"], 0.0),
        (["not found"], 0.0),
        ([], 0.0),
    ],
)
@pytest.mark.parametrize(("answer", "relevance"), [("near", 1.0), ("across", 0.5)])
def test_the_score_is_relevance_times_what_is_stated_and_little_without_it(
    verdicts: list[str], stated: float, answer: str, relevance: float
) -> None:
    embedder = FixedEmbedder(across=(0.0, 1.0))
    score = claims_helpfulness(
        embedder, Question("q", embedder.embed_query("q")), answer, _claims(*verdicts)
    )
    assert score.parts == pytest.approx({"stated": stated, "relevance": relevance})
    assert score.value == pytest.approx(100 * relevance * (0.1 + 0.9 * stated))


def test_an_answer_that_no_line_states_is_not_dropped() -> None:
    embedder = FixedEmbedder(opposed=(-1.0, 0.0))
    assert (
        claims_helpfulness(
            embedder, Question("q", embedder.embed_query("q")), "opposed", _claims("not found")
        ).value
        == 1.0
    )


def test_an_echo_of_the_question_and_a_list_of_names_count_less_than_an_answer() -> None:
    embedder = FakeEmbedder()
    asked = "Who works at Acme Works?"
    line = {"E1": Line("Ada Byron works at Acme Works.")}
    answers = [
        "Ada Byron works at Acme Works.",
        "Somebody works at Acme Works.",
        "Ada Byron, Acme Works, Leo Byron.",
    ]
    claims = checked_claims([WrittenFrom(answer, line) for answer in answers], RulesChecker())
    question = Question(asked, embedder.embed_query(asked))
    scores = [
        claims_helpfulness(embedder, question, *pair).value
        for pair in zip(answers, claims, strict=True)
    ]
    assert scores[0] > 5 * max(scores[1:])


@pytest.mark.parametrize(
    ("asked", "stated"), [("Who said that the pump leaks?", 0.0), ("Does the pump leak?", 1.0)]
)
def test_only_a_question_for_yes_or_no_is_answered_in_its_own_words(
    asked: str, stated: float
) -> None:
    embedder = FixedEmbedder()
    claims = _claims("stated", text="The pump leaks.")
    assert (
        claims_helpfulness(
            embedder, Question(asked, embedder.embed_query("q")), "near", claims
        ).parts["stated"]
        == stated
    )


def test_long_answers_keep_eighty_characters_though_the_budget_has_no_room(
    journal: Journal,
) -> None:
    chat = FakeChat()
    judged_helpfulness(_metered(chat, journal), "q?", ["x" * 200, "y" * 200], 1)
    assert (chat.prompts[0].user.count("x" * 80), chat.prompts[0].user.count("x" * 81)) == (1, 0)


def test_the_judge_has_sixty_tokens_an_answer_and_a_hundred_more(journal: Journal) -> None:
    answers = ["one", "two", "three", "four", "five"]
    verdict = _scores(**{f"A{i}": (3, 3, 3) for i in range(1, 6)})
    metered = _metered(FakeChat(lambda prompt, schema: verdict.ljust(4 * 400)), journal)
    assert [score.value for score in judged_helpfulness(metered, "q?", answers, 900)] == [60.0] * 5
    assert (metered.usage("judge").calls, metered.usage().calls) == (1, 1)
    with pytest.raises(CutOffReplyError):
        judged_helpfulness(
            _metered(FakeChat(lambda prompt, schema: verdict.ljust(4 * 400 + 1)), journal),
            "p?",
            answers,
            900,
        )
