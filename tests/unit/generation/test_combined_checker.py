"""How the rules' verdicts and a model's become one, and what is said when the model can't be
asked.
"""

import logging
from collections.abc import Sequence

import pytest

from dynagrag.core.errors import BudgetError, ModelUnavailableError
from dynagrag.core.schema import Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.combined_checker import CombinedChecker

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
    assert (
        combined(
            ClaimCheck(NOT_FOUND, (), 0.4, "no 9", is_sure=True), ClaimCheck(STATED, (0,), 1.0)
        ).verdict
        is NOT_FOUND
    )
    assert combined(ClaimCheck(NOT_FOUND, (), 0.4), ClaimCheck(STATED, (0,), 1.0)).verdict is STATED


def test_rules_alone_state_nothing_that_a_model_denies() -> None:
    assert (
        combined(ClaimCheck(STATED, (0,), 1.0), ClaimCheck(NOT_FOUND, (), 0.0, "no")).verdict
        is NOT_FOUND
    )
    assert (
        combined(ClaimCheck(STATED, (0,), 1.0), ClaimCheck(CONTRADICTED, (1,), 0.0, "no")).verdict
        is CONTRADICTED
    )


def test_what_the_rules_contradict_no_model_states() -> None:
    check = combined(
        ClaimCheck(CONTRADICTED, (1,), 0.1, "the line says 3"), ClaimCheck(STATED, (0,), 1.0)
    )
    assert (check.verdict, check.lines, check.reason) == (CONTRADICTED, (1,), "the line says 3")
    assert check.score == 0.45
    doubted = combined(
        ClaimCheck(CONTRADICTED, (1,), 0.1, "the line says 3"), ClaimCheck(NOT_FOUND, (), 0.2)
    )
    assert doubted.score == pytest.approx(0.15)


def test_a_model_that_is_sure_finds_what_the_rules_do_not() -> None:
    check = combined(
        ClaimCheck(NOT_FOUND, (), 0.4, "too few of its words"), ClaimCheck(STATED, (0,), 0.95)
    )
    assert (check.verdict, check.lines, check.reason) == (STATED, (0,), "")
    assert check.score == pytest.approx(0.675)
    unsure = combined(
        ClaimCheck(NOT_FOUND, (), 0.4, "too few of its words"), ClaimCheck(STATED, (0,), 0.55)
    )
    assert (unsure.verdict, unsure.lines, unsure.reason) == (NOT_FOUND, (), "too few of its words")


def test_a_model_that_is_sure_takes_back_what_the_rules_are_not_sure_of() -> None:
    check = combined(
        ClaimCheck(STATED, (1,), 0.7), ClaimCheck(NOT_FOUND, (), 0.1, "the model does not find it")
    )
    assert (check.verdict, check.lines, check.reason) == (
        NOT_FOUND,
        (),
        "the model does not find it",
    )


def test_a_line_that_a_model_finds_against_a_claim_is_shown() -> None:
    check = combined(
        ClaimCheck(NOT_FOUND, (), 0.4, "too few"),
        ClaimCheck(CONTRADICTED, (1,), 0.0, "the model reads otherwise"),
    )
    assert (check.verdict, check.lines, check.reason) == (
        CONTRADICTED,
        (1,),
        "the model reads otherwise",
    )


def test_two_models_weigh_together_as_much_as_the_rules() -> None:
    parts = [("rules", 0.8), ("model", 0.4), ("nli:x", 0.0)]
    (check,) = CombinedChecker(
        [Fixed(name, ClaimCheck(STATED, (0,), score)) for name, score in parts]
    ).check([CLAIM])
    assert check.score == pytest.approx(0.5)


def test_one_model_that_fails_leaves_the_other() -> None:
    stated, failed = ClaimCheck(STATED, (0,), 0.9), ModelUnavailableError("gone")
    (check,) = CombinedChecker(
        [
            Fixed("rules", ClaimCheck(NOT_FOUND, (), 0.4)),
            Fixed("model", failed),
            Fixed("nli:x", stated),
        ]
    ).check([CLAIM])
    assert (check.verdict, check.note) == (STATED, "checked without model: gone")


def test_without_the_model_the_rules_stand_and_it_is_said(caplog: pytest.LogCaptureFixture) -> None:
    rules = ClaimCheck(STATED, (0,), 0.9)
    with caplog.at_level(logging.WARNING):
        check = combined(rules, ModelUnavailableError("the server is gone"))
    assert (check.verdict, check.lines, check.score) == (rules.verdict, rules.lines, rules.score)
    assert "the server is gone" in check.note
    assert "the server is gone" in caplog.text


def test_a_claim_that_the_model_did_not_answer_for_keeps_the_rules_verdict() -> None:
    check = combined(
        ClaimCheck(STATED, (0,), 0.9),
        ClaimCheck(NOT_FOUND, (), None, "not checked", "the model did not answer for it"),
    )
    assert (check.verdict, check.lines, check.reason) == (STATED, (0,), "")
    assert check.note == "the model did not answer for it"


class Checks:
    """Says one thing of every claim, or fails."""

    def __init__(self, name: str, said: ClaimCheck | Exception) -> None:
        self.name, self._said = name, said

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        if isinstance(self._said, Exception):
            raise self._said
        return [self._said for _ in claims]


@pytest.mark.parametrize(
    "failed", [ClaimCheck(NOT_FOUND, note="not asked"), ModelUnavailableError("gone")]
)
def test_without_rules_too_what_did_not_check_is_left_out_wherever_it_stands(
    failed: ClaimCheck | Exception,
) -> None:
    stated = Checks("nli:x", ClaimCheck(STATED, (0,), 0.97))
    for checkers in ((Checks("model", failed), stated), (stated, Checks("model", failed))):
        check = CombinedChecker(checkers).check([Claim("It closed.", (Line("It closed."),))])[0]
        assert (check.verdict, check.score) == (STATED, 0.97)
        assert check.note


def test_where_every_model_fails_that_is_an_error() -> None:
    with pytest.raises(ModelUnavailableError, match="gone"):
        CombinedChecker(
            (
                Checks("model", ModelUnavailableError("gone")),
                Checks("nli:x", ModelUnavailableError("gone, too")),
            )
        ).check([])


def test_a_spent_budget_ends_the_check() -> None:
    with pytest.raises(BudgetError):
        combined(ClaimCheck(STATED, (0,), 0.9), BudgetError("spent"))


R, M = "the rules' reason", "the model's"


@pytest.mark.parametrize(
    ("rules", "model", "expected"),
    [
        # at the threshold
        (
            ClaimCheck(NOT_FOUND, (), 0.1, R),
            ClaimCheck(STATED, (0,), 0.9),
            ClaimCheck(NOT_FOUND, (), 0.5, R),
        ),
        (
            ClaimCheck(NOT_FOUND, (), 0.25, R),
            ClaimCheck(STATED, (0,), 1.0),
            ClaimCheck(STATED, (0,), 0.625),
        ),
        # whose lines
        (
            ClaimCheck(STATED, (1,), 1.0),
            ClaimCheck(STATED, (0,), 1.0),
            ClaimCheck(STATED, (1,), 1.0),
        ),
        (
            ClaimCheck(NOT_FOUND, (), 0.25, R),
            ClaimCheck(NOT_FOUND, (), 1.0, M),
            ClaimCheck(NOT_FOUND, (), 0.625, R),
        ),
        # against
        (
            ClaimCheck(CONTRADICTED, (1,), 0.5, R),
            ClaimCheck(STATED, (0,), 1.0),
            ClaimCheck(CONTRADICTED, (1,), 0.45, R),
        ),
        (
            ClaimCheck(CONTRADICTED, (1,), 0.0, R),
            ClaimCheck(CONTRADICTED, (0,), 0.5, M),
            ClaimCheck(CONTRADICTED, (1,), 0.25, R),
        ),
        (
            ClaimCheck(NOT_FOUND, (), 0.25, R),
            ClaimCheck(CONTRADICTED, (0,), 0.0, M),
            ClaimCheck(CONTRADICTED, (0,), 0.125, M),
        ),
        # whose reason
        (
            ClaimCheck(STATED, (1,), 0.5),
            ClaimCheck(NOT_FOUND, (), 0.0, M),
            ClaimCheck(NOT_FOUND, (), 0.25, M),
        ),
        (
            ClaimCheck(STATED, (1,), 0.5),
            ClaimCheck(NOT_FOUND, (), 0.0),
            ClaimCheck(NOT_FOUND, (), 0.25, "the checkers differ about it"),
        ),
        # no score, or sure
        (
            ClaimCheck(NOT_FOUND, (), None, R),
            ClaimCheck(STATED, (0,), 1.0, note="n"),
            ClaimCheck(STATED, (0,), 1.0, note="n"),
        ),
        (
            ClaimCheck(NOT_FOUND, (), 0.4, R, is_sure=True),
            ClaimCheck(STATED, (0,), 1.0),
            ClaimCheck(NOT_FOUND, (), 0.4, R, is_sure=True),
        ),
        # notes
        (
            ClaimCheck(STATED, (1,), 1.0, note="a"),
            ClaimCheck(STATED, (0,), 1.0, note="b"),
            ClaimCheck(STATED, (1,), 1.0, note="a; b"),
        ),
        (
            ClaimCheck(NOT_FOUND, (), 0.25, R, "a"),
            ClaimCheck(NOT_FOUND, (), 0.25, M, "b"),
            ClaimCheck(NOT_FOUND, (), 0.25, R, "a; b"),
        ),
        (
            ClaimCheck(CONTRADICTED, (1,), 0.25, R),
            ClaimCheck(NOT_FOUND, (), 0.25, M, "b"),
            ClaimCheck(CONTRADICTED, (1,), 0.25, R, "b"),
        ),
        (
            ClaimCheck(NOT_FOUND, (), 0.25, R),
            ClaimCheck(CONTRADICTED, (0,), 0.25, M, "b"),
            ClaimCheck(CONTRADICTED, (0,), 0.25, M, "b"),
        ),
    ],
)
def test_a_verdict_with_its_lines_score_reason_and_notes(
    rules: ClaimCheck, model: ClaimCheck, expected: ClaimCheck
) -> None:
    assert combined(rules, model) == expected


def test_of_two_models_the_surest_gives_the_lines_and_the_least_sure_the_reason() -> None:
    def all_three(*checks: ClaimCheck) -> ClaimCheck:
        names = ("rules", "model", "nli:x")
        return CombinedChecker(
            [Fixed(name, check) for name, check in zip(names, checks, strict=True)]
        ).check([CLAIM])[0]

    stated = all_three(
        ClaimCheck(NOT_FOUND, (), 0.5, R),
        ClaimCheck(STATED, (0,), 0.75),
        ClaimCheck(STATED, (1,), 1.0),
    )
    assert stated == ClaimCheck(STATED, (1,), 0.6875)
    doubted = all_three(
        ClaimCheck(STATED, (0,), 0.5),
        ClaimCheck(NOT_FOUND, (), 0.25, "little"),
        ClaimCheck(NOT_FOUND, (), 0.0, "least"),
    )
    assert doubted == ClaimCheck(NOT_FOUND, (), 0.3125, "least")
    unscored = all_three(
        ClaimCheck(STATED, (0,), 1.0),
        ClaimCheck(NOT_FOUND, (), None, note="n"),
        ClaimCheck(STATED, (1,), 1.0),
    )
    assert unscored == ClaimCheck(STATED, (0,), 1.0, note="n")


def test_each_claim_gets_its_own_verdict() -> None:
    class Each(Fixed):
        def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
            return [ClaimCheck(STATED, (0,), 1.0), ClaimCheck(NOT_FOUND, (), 0.0, "no")]

    checks = CombinedChecker(
        [Each("rules", ClaimCheck(STATED)), Each("model", ClaimCheck(STATED))]
    ).check([CLAIM, CLAIM])
    assert [check.verdict for check in checks] == [STATED, NOT_FOUND]
