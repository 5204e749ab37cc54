"""Verdicts on the claims of an answer: the model's citations first, then what code finds; what is
shown of them; strict answers.
"""

from collections.abc import Sequence

import pytest

from dynagrag.core.errors import BudgetError, ModelUnavailableError
from dynagrag.core.schema import CheckedClaim, Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims import rules_checker
from dynagrag.generation.claims.answer_claims import WrittenFrom, checked_claims, final_claims
from dynagrag.generation.claims.line_findings import LineFinding
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.claims.strict_answer import strict_answer
from dynagrag.generation.claims.verdict_text import verdict_note


class ByLetter:
    """Lines that hold the claim's last letter state it; those that hold it with a ! contradict it.
    Keeps what it was asked.
    """

    name = "by letter"

    def __init__(self) -> None:
        self.asked: list[Sequence[Claim]] = []

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        self.asked.append(claims)
        return [self._check(claim) for claim in claims]

    def _check(self, claim: Claim) -> ClaimCheck:
        letter = claim.text.strip(" .")[-1]
        for verdict, sign in ((Verdict.STATED, letter), (Verdict.CONTRADICTED, f"{letter}!")):
            rows = tuple(i for i, line in enumerate(claim.lines) if sign in line.text.split())
            if rows:
                return ClaimCheck(verdict, rows, 1.0, "" if verdict is Verdict.STATED else "denied")
        return ClaimCheck(Verdict.NOT_FOUND, (), 0.0, "nowhere")


def lines(**quotes: str) -> dict[str, Line]:
    return {label: Line(quote, "X", "talk", "d") for label, quote in quotes.items()}


def checked(
    text: str, evidence: dict[str, Line], checker: ByLetter | None = None
) -> tuple[CheckedClaim, ...]:
    return checked_claims([WrittenFrom(text, evidence)], checker or ByLetter())[0]


def told(claims: Sequence[CheckedClaim]) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [(claim.verdict.value, claim.lines, claim.found) for claim in claims]


def test_a_claim_is_held_against_its_citations_and_then_against_the_other_lines() -> None:
    evidence = lines(E1="a", E2="b", E3="c!")
    claims = checked("X did a [E1]. X did b [E1]. X did c. X did d [E2].", evidence)
    assert told(claims) == [
        ("stated", ("E1",), ()),
        ("stated", ("E2",), ("E2",)),
        ("contradicted", ("E3",), ("E3",)),
        ("not found", (), ()),
    ]
    assert [claim.cited for claim in claims] == [("E1",), ("E1",), (), ("E2",)]
    assert [claim.reason for claim in claims] == ["", "", "denied", "nowhere"]


def test_a_line_that_is_cited_and_contradicts_is_not_outvoted_by_one_that_code_finds() -> None:
    assert told(checked("X did a [E1].", lines(E1="a!", E2="a"))) == [("contradicted", ("E1",), ())]
    assert told(checked("X did a [E1][E2].", lines(E1="a!", E2="a"))) == [("stated", ("E2",), ())]


def test_the_checker_is_asked_once_and_not_about_claims_without_lines() -> None:
    checker = ByLetter()
    checked("X did a [E1]. X did b [E1]. X did c [E1]. X did d.", lines(E1="a", E2="b"), checker)
    assert [len(claims) for claims in checker.asked] == [4]
    assert {line.speaker for claim in checker.asked[0] for line in claim.lines} == {"X"}
    checker = ByLetter()
    assert told(checked("X did a.", {}, checker)) == [("not found", (), ())]
    assert checker.asked == []


def test_a_checker_sees_the_cited_lines_alone_where_rules_are_sure_of_them() -> None:
    evidence = lines(E1="The valve leaked.", E2="The tank was full.", E3="Leo saw the crew.")
    checker = ByLetter()
    checked(
        "The valve leaked [E1]. The tank was full [E1]. Ada sold the tram [E1].", evidence, checker
    )
    assert [[line.text for line in claim.lines] for claim in checker.asked[0]] == [
        ["The valve leaked."],
        ["The tank was full.", "Leo saw the crew."],
        [line.text for line in evidence.values()],
    ]


def test_code_names_two_lines_at_most_and_looks_first_at_those_that_share_most_words() -> None:
    evidence = lines(**{f"E{i}": "z a" for i in range(1, 30)}, E30="valve a")
    claim = checked("The valve did a.", evidence)[0]
    assert (claim.found[0], len(claim.found)) == ("E30", 2)


def test_a_claim_keeps_the_lines_that_it_had_in_the_answer_it_came_from() -> None:
    evidence = lines(**{f"E{i}": "valve z" for i in range(1, 30)}, E30="a")
    known = [CheckedClaim(0, 1, "the valve did a", Verdict.STATED, (), ("E30",))]
    assert checked("The valve did a.", evidence)[0].verdict is Verdict.NOT_FOUND
    assert checked_claims([WrittenFrom("The valve did a.", evidence)], ByLetter(), known)[0][
        0
    ].found == ("E30",)


@pytest.mark.parametrize("error", [ModelUnavailableError("gone"), BudgetError("spent")])
def test_where_the_checker_s_model_fails_rules_check_and_it_is_said(error: Exception) -> None:
    class Failing(ByLetter):
        name = "model"

        def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
            raise error

    final = final_claims(
        WrittenFrom("The valve leaked [E1].", lines(E1="The valve leaked.")), Failing(), ()
    )
    assert ([claim.verdict.value for claim in final.claims], final.checked_by) == (
        ["stated"],
        "rules",
    )
    assert final.notes == (f"the claims were checked by rules, since model failed: {error}",)


STRICT = {
    "X did a. X did z.": "X did a.",
    "X did a [E1], and X did z.": "X did a. [E1]",
    "X did z, and it did a.": "It did a.",
    "Here is what I found:\n- X did a\n- X did z\n\nX did b.": (
        "Here is what I found:\n- X did a\n\nX did b."
    ),
    "EECOM reported:\n- loss of a\n- loss of z": "EECOM reported:\n- loss of a",
    "Yes. X did a. Who else?": "X did a.",
    "X did z.": "",
    "Yes.": "",
}


@pytest.mark.parametrize("text", STRICT)
def test_a_strict_answer_keeps_what_is_stated_and_nothing_else(text: str) -> None:
    claims = checked(text, lines(E1="a b"))
    strict = strict_answer(text, claims)
    assert strict.text == STRICT[text]
    assert {*strict.left_out} == {claim for claim in claims if claim.verdict is not Verdict.STATED}
    assert [
        strict.text[claim.start : claim.end].strip("[E1]. ")[-1] for claim in strict.claims
    ] == [claim.text.strip(".")[-1] for claim in claims if claim.verdict is Verdict.STATED]


def test_what_the_checker_notes_is_told_once_with_its_name() -> None:
    class Noting(ByLetter):
        def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
            return [ClaimCheck(Verdict.STATED, (0,), 1.0, note="slow") for _ in claims]

    final = final_claims(WrittenFrom("X did a [E1]. X did b.", lines(E1="a", E2="b")), Noting(), ())
    assert (final.checked_by, final.notes, final.left_out) == ("by letter", ("slow",), ())
    assert [(claim.text, claim.score, claim.lines) for claim in final.claims] == [
        ("X did a.", 1.0, ("E1",)),
        ("X did b.", 1.0, ("E1",)),
    ]
    assert final_claims(WrittenFrom("X did a.", lines(E1="a")), ByLetter(), ()).notes == ()


def test_claims_of_several_texts_are_kept_apart() -> None:
    texts = [
        WrittenFrom("X did a. X did b.", lines(E1="a")),
        WrittenFrom("Yes.", {}),
        WrittenFrom("X did b.", lines(E1="b")),
    ]
    found = checked_claims(texts, ByLetter())
    assert [[(claim.text, claim.verdict.value) for claim in claims] for claims in found] == [
        [("X did a.", "stated"), ("X did b.", "not found")],
        [],
        [("X did b.", "stated")],
    ]


def test_case_and_blank_space_do_not_hide_a_claim_that_was_known() -> None:
    evidence = lines(**{f"E{i}": "valve z" for i in range(1, 30)}, E30="a")
    known = [
        CheckedClaim(0, 1, " The  VALVE did a!", Verdict.STATED, (), ("E30",)),
        CheckedClaim(0, 1, "x", Verdict.NOT_FOUND),
    ]
    assert checked_claims([WrittenFrom("The valve did a.", evidence)], ByLetter(), known)[0][
        0
    ].lines == ("E30",)


def test_a_claim_is_held_against_the_same_lines_once(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[str] = []
    finding = rules_checker.line_finding

    def counted(text: str, line: Line) -> LineFinding:
        held.append(text)
        return finding(text, line)

    monkeypatch.setattr(rules_checker, "line_finding", counted)
    rules_checker._checked.cache_clear()
    checked_claims(
        [
            WrittenFrom(
                "The crate was sold twice [E1].",
                {"E1": Line("The crate was sold twice.", "Ann", "T")},
            )
        ],
        RulesChecker(),
    )
    assert len(held) == 1


def test_where_no_line_shares_a_word_the_cited_one_is_nearest_and_no_other_language_is_named() -> (
    None
):
    evidence = {
        "E1": Line("Der Turm ist zu.", "Eva", "d", language="de"),
        "E2": Line("Odda tekst do marca.", "Marek", "m", language="pl"),
    }
    rules = RulesChecker()
    cited, uncited = checked_claims(
        [WrittenFrom("She will hand it in by May [E2]. It was painted blue last year.", evidence)],
        rules,
    )[0]
    assert (cited.lines, cited.language) == (("E2",), "pl")
    assert (uncited.verdict, uncited.lines) == (Verdict.NOT_CHECKED, ())
    assert verdict_note(uncited) == "not checked"


def test_a_claim_is_in_the_language_of_its_answer_or_question_whatever_its_lines_are_in() -> None:
    evidence = {
        "E1": Line(
            "Tekst o technice pisze Barbara Jasińska z Krakowa.", "Marek", "m", language="pl"
        ),
        "E2": Line("Marek Zieliński jest temu przeciwny.", "Marek", "m", language="pl"),
    }
    answer = "Marek Zieliński opposes it [E2]. Professor Barbara Jasińska writes the text [E1]."
    rules = RulesChecker()
    english = checked_claims([WrittenFrom(answer, evidence, "Who opposes it?")], rules)[0]
    # the language that is named is that of the line: rules read the claim's
    assert [claim.reason for claim in english] == ["rules do not read its language (Polish)"] * 2
    german = "Holger Brandt sperrte den Turm [E1]."
    lines = {"E1": Line("The tower was closed by Holger Brandt.", "Ann", "t", language="en")}
    (claim,) = checked_claims([WrittenFrom(german, lines, "Wer hat den Turm gesperrt?")], rules)[0]
    assert (claim.verdict, claim.language) == (Verdict.NOT_CHECKED, "de")
