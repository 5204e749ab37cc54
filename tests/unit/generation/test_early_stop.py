"""When the first intermediate answer is enough."""

import pytest

from dynagrag.core.schema import CheckedClaim, Line, Verdict
from dynagrag.generation.early_stop import settles
from dynagrag.generation.reply_types import IntermediateReply
from dynagrag.models.reply_schema import strict_schema

ASKED = "Who opened the harbour of District 3 in Bergen?"
LINES = {
    "E1": Line("The harbour of district 3 was opened by mayor Olsen.", "ANN", "Bergen"),
    "E2": Line("The tannery of district 2 was opened by mayor Olsen.", "ANN", "Bergen"),
}


def claim(text: str, verdict: Verdict = Verdict.STATED, line: str = "E1") -> CheckedClaim:
    return CheckedClaim(0, len(text), text, verdict, lines=(line,))


@pytest.mark.parametrize(
    ("claims", "is_enough"),
    [
        ([claim("Mayor Olsen opened it.")], True),
        ([claim("Mayor Olsen opened it."), claim("It was loud.", Verdict.NOT_FOUND)], False),
        ([claim("Mayor Olsen opened it.", Verdict.NOT_CHECKED)], False),
        ([claim("Mayor Olsen opened the tannery of district 2.", line="E2")], False),
        ([claim("The harbour of District 3 in Bergen was opened.")], False),
        ([], False),
    ],
    ids=["stated", "not all", "unread", "of another thing", "an echo", "nothing said"],
)
def test_it_is_enough_where_lines_state_all_of_it_and_it_is_about_what_is_asked(
    claims: list[CheckedClaim], is_enough: bool
) -> None:
    assert settles(ASKED, claims, LINES) is is_enough


def test_the_words_of_the_question_that_a_short_answer_is_checked_with_are_not_its_own() -> None:
    text = f"{ASKED} Mayor Olsen"
    short = CheckedClaim(0, 11, text, Verdict.STATED, lines=("E2",), question=ASKED)
    assert not settles(ASKED, [short], LINES)


def test_names_and_numbers_must_all_be_there_and_half_of_the_other_words() -> None:
    lines = {"E1": Line("Ann repaired the old mill in May.", "BOB")}
    said = [claim("Ann repaired the old mill.")]
    assert settles("Which mill did Ann repair?", said, lines)
    assert not settles("Which mill did Ann and Eve repair?", said, lines)
    assert not settles("Why does Ann fear windy winter mornings?", said, lines)


def test_a_model_is_asked_for_few_citations_and_more_are_forgiven() -> None:
    assert strict_schema(IntermediateReply)["properties"]["citations"]["maxItems"] == 12
    many = [f"E{number}" for number in range(40)]
    assert IntermediateReply(answer="Yes.", citations=many).citations == many
