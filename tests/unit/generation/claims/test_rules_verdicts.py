"""What the rules make of several lines: rows, scores, reasons, and lines that are read together."""

import pytest

from dynagrag.core.schema import Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.rules_checker import RulesChecker

STATED, CONTRADICTED, NOT_FOUND = Verdict.STATED, Verdict.CONTRADICTED, Verdict.NOT_FOUND
RAIN = "It rained."


def check(claim: str, *lines: str | Line) -> ClaimCheck:
    return RulesChecker().check(
        [Claim(claim, tuple(line if isinstance(line, Line) else Line(line) for line in lines))]
    )[0]


def test_without_lines_the_reason_says_so() -> None:
    assert check("Ada left.") == ClaimCheck(NOT_FOUND, (), 0.0, "there is no line")


def test_all_lines_that_state_it_are_named_the_best_first_and_its_score_counts() -> None:
    found = check(
        "Ada quickly founded a small tram firm.",
        RAIN,
        "Ada quickly founded a tram firm.",
        "Ada founded a small tram firm quickly.",
    )
    assert (found.verdict, found.lines, found.score, found.reason) == (STATED, (2, 1), 1.0, "")
    alone = check(
        "Ada founded a small red tram firm there.", "Ada founded a small tram firm there."
    )
    assert (alone.verdict, alone.score) == (STATED, pytest.approx(0.5 + 0.5 * 4 / 5))


def test_the_line_against_it_that_shares_most_is_named() -> None:
    found = check(
        "The big red pump holds 5 volts.",
        "The red pump holds 4 volts.",
        RAIN,
        "The big red pump holds 6 volts.",
    )
    assert (found.verdict, found.lines, found.reason) == (
        CONTRADICTED,
        (2,),
        "the line says 6 volts, not 5 volts",
    )
    assert found.score == pytest.approx(0.1)
    assert not found.is_sure


def test_a_line_that_states_it_outweighs_one_against_it() -> None:
    assert check(
        "The pump holds 5 volts.", "The pump holds 4 volts.", "The pump holds 5 volts."
    ).lines == (1,)


def test_a_line_of_something_else_does_not_contradict() -> None:
    other = check("The red pump of the plant holds 5 volts.", "A truck holds 4 volts.")
    assert (other.verdict, other.lines, other.reason) == (
        NOT_FOUND,
        (),
        "the line says 4 volts, not 5 volts",
    )
    assert other.score == pytest.approx(0.45 * 2 / 5)


def test_from_three_words_of_five_on_it_is_the_same_thing() -> None:
    assert (
        check("The big pump holds the red 5 volts.", "The pump holds 4 volts.").verdict
        is CONTRADICTED
    )
    assert (
        check("The big pump slowly holds the red 5 volts.", "The pump holds 4 volts.").verdict
        is NOT_FOUND
    )


def test_the_line_that_shares_most_gives_the_reason_and_the_score() -> None:
    found = check(
        "Ada sold the red tram in Delft.",
        RAIN,
        "Ada sold the red tram in Rome.",
        "Ada sold a house.",
    )
    assert (found.verdict, found.lines, found.reason.casefold()) == (
        NOT_FOUND,
        (),
        "the line says 'rome', not 'delft'",
    )
    assert found.score == pytest.approx(0.45)
    few = check("Ada sold the red tram slowly.", "Ada sold it.")
    assert (few.reason, few.verdict) == ("the line says nothing of 'red tram'", NOT_FOUND)


@pytest.mark.parametrize(
    ("lines", "is_sure"),
    [(["The pump holds water."], True), (["Pump 5 is old.", "The pump holds water."], False)],
)
def test_a_number_that_no_line_has_is_a_sure_sign(lines: list[str], is_sure: bool) -> None:
    found = check("The pump holds 5 volts.", *lines)
    assert (found.verdict, found.is_sure) == (NOT_FOUND, is_sure)


# ----------------------------------------------------------------------------------- lines together

HIRED, FOUNDED = "Ada hired Bob.", "Ada founded Acme in Rome."
BOTH = "Ada hired Bob and founded Acme in Rome."


@pytest.mark.parametrize(
    ("claim", "lines", "rows"),
    [
        (BOTH, (HIRED, FOUNDED), (0, 1)),
        (BOTH, (RAIN, FOUNDED, HIRED), (1, 2)),
        (BOTH, (HIRED, "Ada hired Bob again.", FOUNDED), (0, 2)),
        (BOTH, (HIRED, "Has Ada founded Acme in Rome?", FOUNDED), (0, 2)),
        (
            "Ada hired Bob and founded Acme in Delft.",
            (Line(HIRED, None, "Delft"), Line("Ada founded Acme.", None, "Rome")),
            (0, 1),
        ),
        (
            "Leo said Ada hired Bob and founded Acme in Rome.",
            (Line(HIRED, "LEO"), Line(FOUNDED, "LEO")),
            (0, 1),
        ),
        (
            "Ada sold Acme, Foo, Baz and Qux.",
            ("Ada sold Acme.", "Ada sold Foo.", "Ada sold Baz.", "Ada sold Qux."),
            (0, 1, 2, 3),
        ),
    ],
)
def test_lines_that_each_bring_a_part_state_it_together(
    claim: str, lines: tuple[str | Line, ...], rows: tuple[int, ...]
) -> None:
    found = check(claim, *lines)
    assert (found.verdict, found.lines, found.reason, found.score) == (STATED, rows, "", 1.0)


@pytest.mark.parametrize(
    ("claim", "lines"),
    [
        (BOTH, (Line(HIRED, "LEO"), Line(FOUNDED, "INES"))),
        (BOTH, (HIRED, "Has Ada founded Acme in Rome?")),
        (
            "Ada sold Acme, Foo, Baz, Qux and Zap.",
            ("Ada sold Acme.", "Ada sold Foo.", "Ada sold Baz.", "Ada sold Qux.", "Ada sold Zap."),
        ),
        ("Ada hired Bob and founded Acme in sunny, quiet Rome, slowly.", (HIRED, FOUNDED)),
    ],
)
def test_parts_that_do_not_belong_together_state_nothing(
    claim: str, lines: tuple[str | Line, ...]
) -> None:
    found = check(claim, *lines)
    assert (found.verdict, found.lines) == (NOT_FOUND, ())
    assert found.reason
    assert 0 < (found.score or 0) < 0.5


def test_lines_together_must_have_four_words_of_five() -> None:
    sold, built = "Ada sold a red tram.", "Ada built Acme in Rome."
    assert check("Ada sold a red tram and built Acme in Rome gladly.", sold, built).lines == (0, 1)
    found = check("Ada sold a tram and built Acme in Rome gladly.", sold, built)
    assert (found.verdict, found.reason) == (NOT_FOUND, "its words stand in lines apart")
    assert found.score == pytest.approx(0.45 * 3 / 4)


def test_a_line_that_repeats_the_claim_but_for_a_word_is_not_helped_by_another() -> None:
    assert (
        check("We met Ada in old Rome.", "We met Ada in old Bonn.", "Then came Rome.").verdict
        is NOT_FOUND
    )


# ------------------------------------------------------------------------------ sentences of a line


@pytest.mark.parametrize(
    ("claim", "line", "verdict"),
    [
        ("Ada sold the tram.", "It rained. Ada sold the tram. Then Bob came.", STATED),
        (BOTH, f"{HIRED} {FOUNDED}", STATED),
        (BOTH, f"{'It rained in Delft. ' * 80}{HIRED} {FOUNDED}", STATED),
        (BOTH, f"{HIRED} {RAIN} {FOUNDED}", NOT_FOUND),
        (BOTH, "Has Ada hired Bob? Ada founded Acme in Rome.", NOT_FOUND),
        ("The tram was sold.", "Was it sold? The tram was not sold.", CONTRADICTED),
        (
            "The pump holds 5 volts.",
            "It rained. The pump holds 4 volts. Then Bob came.",
            CONTRADICTED,
        ),
    ],
)
def test_a_turn_is_read_sentence_by_sentence_and_by_two(
    claim: str, line: str, verdict: Verdict
) -> None:
    assert check(claim, line).verdict is verdict


def test_a_line_that_goes_on_beyond_all_measure_is_cut_and_such_a_claim_is_not_checked() -> None:
    filler = "and so on " * 300
    assert check("Ada sold the tram.", f"Ada sold the tram {filler}.").verdict is STATED
    found = check(f"Ada sold the tram {' ' * 2000} in 1990.", "Ada sold the tram.")
    assert (found.verdict, found.reason) == (
        Verdict.NOT_CHECKED,
        "it is too long to be checked",
    )


# -------------------------------------------------------------------------------------- who says it


@pytest.mark.parametrize(
    ("speaker", "verdict", "reason"),
    [
        ("EECOM", STATED, ""),
        ("GUIDO", NOT_FOUND, "the line is GUIDO's"),
        (None, NOT_FOUND, "the line does not tell who said it"),
    ],
)
def test_words_are_the_speaker_s_own(speaker: str | None, verdict: Verdict, reason: str) -> None:
    found = check("EECOM said the pump failed.", Line("The pump failed.", speaker))
    assert (found.verdict, found.reason) == (verdict, reason)
    assert found.score == (1.0 if verdict is STATED else 0.45)


def test_a_line_may_tell_that_somebody_said_it() -> None:
    assert (
        check("Ada announced that the pump failed.", "Ada announced that the pump failed.").verdict
        is STATED
    )
    assert (
        check("Ada announced that the pump failed.", "Ada announced that the valve failed.").verdict
        is NOT_FOUND
    )


@pytest.mark.parametrize(
    ("claim", "line", "verdict"),
    [
        # could and would of what can and will
        ("Leo said it could leak.", "It can leak.", STATED),
        ("Leo said the tank would leak.", "The tank will leak.", STATED),
        ("Leo said the tank would leak.", "The tank should leak.", NOT_FOUND),
        ("Leo said the tank leaked.", "The tank could leak.", NOT_FOUND),
        # nouns that say what somebody does
        ("The government collects data.", "The government's collection of data grew.", STATED),
        ("Acme acquired Foo.", "Acme's acquisition of Foo was late.", STATED),
        ("Foo acquired Acme.", "Acme's acquisition of Foo was late.", CONTRADICTED),
        ("Acme acquired Foo.", "The acquisition of Foo by Acme was late.", STATED),
    ],
)
def test_other_wordings(claim: str, line: str, verdict: Verdict) -> None:
    assert check(claim, Line(line, "LEO")).verdict is verdict


def test_people_of_one_last_name_are_kept_apart_and_letters_behind_a_name_are_no_verb() -> None:
    assert (
        check("John Smith was born in 1957.", "Jane Smith was born in 1957.").verdict is NOT_FOUND
    )
    assert check("Bob Smith was born in 1957.", "Robert Smith was born in 1957.").verdict is STATED
    assert (
        check(
            "Michael Brown criticised Mary Brown.", "Mary Brown criticised Michael Brown."
        ).verdict
        is not STATED
    )
    line = "Lynne Neagle AM invited Hefin David AM."
    assert check(line, line).verdict is STATED
    assert check("Hefin David AM invited Lynne Neagle AM.", line).verdict is CONTRADICTED


def test_a_claim_of_small_words_alone_is_not_stated_by_just_any_line() -> None:
    assert check("We have that.", "Thanks very much for that.").verdict is NOT_FOUND
    assert check("We have that.", "Well, we have that in here.").verdict is STATED
    assert check("We have 5.", "We saw 5.").verdict is STATED
