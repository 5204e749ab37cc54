"""How the rules' verdicts and a model's become one, and what is said when the model can't be asked."""

import logging
from collections.abc import Sequence

import pytest

from dynagrag.errors import BudgetError, ModelUnavailableError
from dynagrag.generation.claims.combined_checker import CombinedChecker
from dynagrag.schema import Claim, ClaimCheck, Line, Verdict

CLAIM = Claim("The pump failed.", (Line("It broke."), Line("The pump is fine.")))
STATED, CONTRADICTED, NOT_FOUND = Verdict.STATED, Verdict.CONTRADICTED, Verdict.NOT_FOUND


class Fixed:
    """Says the same of every claim, or fails."""

    def __init__(self, name: str, check: ClaimCheck | Exception) -> None:
        self.name = name
        self._check = check

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        if isinstance(self._check, Exception):
            raise self._check
        return [self._check for _ in claims]


def combined(rules: ClaimCheck, model: ClaimCheck | Exception) -> ClaimCheck:
    (check,) = CombinedChecker([Fixed("model", model), Fixed("rules", rules)]).check([CLAIM])
    return check


def test_rules_go_first_wherever_they_were_named() -> None:
    check = ClaimCheck(NOT_FOUND)
    assert CombinedChecker([Fixed("model", check), Fixed("rules", check)]).name == "rules+model"
    assert CombinedChecker([Fixed("nli:x", check), Fixed("model", check)]).name == "nli:x+model"


def test_no_model_states_what_has_a_number_of_no_line() -> None:
    assert combined(ClaimCheck(NOT_FOUND, (), 0.4, "no 9", is_sure=True), ClaimCheck(STATED, (0,), 1.0)).verdict is NOT_FOUND
    assert combined(ClaimCheck(NOT_FOUND, (), 0.4), ClaimCheck(STATED, (0,), 1.0)).verdict is STATED


def test_rules_alone_state_nothing_that_a_model_denies() -> None:
    assert combined(ClaimCheck(STATED, (0,), 1.0), ClaimCheck(NOT_FOUND, (), 0.0, "no")).verdict is NOT_FOUND
    assert combined(ClaimCheck(STATED, (0,), 1.0), ClaimCheck(CONTRADICTED, (1,), 0.0, "no")).verdict is CONTRADICTED


def test_what_the_rules_contradict_no_model_states() -> None:
    check = combined(ClaimCheck(CONTRADICTED, (1,), 0.1, "the line says 3"), ClaimCheck(STATED, (0,), 1.0))
    assert (check.verdict, check.lines, check.reason) == (CONTRADICTED, (1,), "the line says 3")
    assert check.score == 0.45
    doubted = combined(ClaimCheck(CONTRADICTED, (1,), 0.1, "the line says 3"), ClaimCheck(NOT_FOUND, (), 0.2))
    assert doubted.score == pytest.approx(0.15)


def test_a_model_that_is_sure_finds_what_the_rules_do_not() -> None:
    check = combined(ClaimCheck(NOT_FOUND, (), 0.4, "too few of its words"), ClaimCheck(STATED, (0,), 0.95))
    assert (check.verdict, check.lines, check.reason) == (STATED, (0,), "")
    assert check.score == pytest.approx(0.675)
    unsure = combined(ClaimCheck(NOT_FOUND, (), 0.4, "too few of its words"), ClaimCheck(STATED, (0,), 0.55))
    assert (unsure.verdict, unsure.lines, unsure.reason) == (NOT_FOUND, (), "too few of its words")


def test_a_model_that_is_sure_takes_back_what_the_rules_are_not_sure_of() -> None:
    check = combined(ClaimCheck(STATED, (1,), 0.7), ClaimCheck(NOT_FOUND, (), 0.1, "the model does not find it"))
    assert (check.verdict, check.lines, check.reason) == (NOT_FOUND, (), "the model does not find it")


def test_a_line_that_a_model_finds_against_a_claim_is_shown() -> None:
    check = combined(ClaimCheck(NOT_FOUND, (), 0.4, "too few"), ClaimCheck(CONTRADICTED, (1,), 0.0, "the model reads otherwise"))
    assert (check.verdict, check.lines, check.reason) == (CONTRADICTED, (1,), "the model reads otherwise")


def test_two_models_weigh_together_as_much_as_the_rules() -> None:
    parts = [("rules", 0.8), ("model", 0.4), ("nli:x", 0.0)]
    (check,) = CombinedChecker([Fixed(name, ClaimCheck(STATED, (0,), score)) for name, score in parts]).check([CLAIM])
    assert check.score == pytest.approx(0.5)


def test_one_model_that_fails_leaves_the_other() -> None:
    stated, failed = ClaimCheck(STATED, (0,), 0.9), ModelUnavailableError("gone")
    (check,) = CombinedChecker([Fixed("rules", ClaimCheck(NOT_FOUND, (), 0.4)), Fixed("model", failed), Fixed("nli:x", stated)]).check(
        [CLAIM]
    )
    assert (check.verdict, check.note) == (STATED, "checked without model: gone")


def test_without_the_model_the_rules_stand_and_it_is_said(caplog: pytest.LogCaptureFixture) -> None:
    rules = ClaimCheck(STATED, (0,), 0.9)
    with caplog.at_level(logging.WARNING):
        check = combined(rules, ModelUnavailableError("the server is gone"))
    assert (check.verdict, check.lines, check.score) == (rules.verdict, rules.lines, rules.score)
    assert "the server is gone" in check.note
    assert "the server is gone" in caplog.text


def test_a_claim_that_the_model_did_not_answer_for_keeps_the_rules_verdict() -> None:
    check = combined(ClaimCheck(STATED, (0,), 0.9), ClaimCheck(NOT_FOUND, (), None, "not checked", "the model did not answer for it"))
    assert (check.verdict, check.lines, check.reason) == (STATED, (0,), "")
    assert check.note == "the model did not answer for it"


def test_a_spent_budget_ends_the_check() -> None:
    with pytest.raises(BudgetError):
        combined(ClaimCheck(STATED, (0,), 0.9), BudgetError("spent"))
