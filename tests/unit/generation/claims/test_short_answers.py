"""A short answer is a claim together with its question."""

import pytest

from dynagrag.core.schema import CheckedClaim, Claim, Line, Verdict
from dynagrag.evaluation.citations.claim_sets import SHORT, load_by_hand
from dynagrag.generation.claims.answer_claims import WrittenFrom, checked_claims
from dynagrag.generation.claims.claim_split import split_claims
from dynagrag.generation.claims.held_stream import HeldStream
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.claims.short_answers import statement, whole_claim
from dynagrag.generation.claims.verdict_text import verdict_note


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("Who signed the letter?", "Bob Hill", "Bob Hill signed the letter."),
        ("Who was the mayor in 1982?", "Ana Gil.", "Ana Gil was the mayor in 1982."),
        ("Who is Mrs. Lang?", "The head of Acme", "Mrs. Lang is the head of Acme."),
        ("Who did Ann hire?", "Bob Hill", "Ann hired Bob Hill."),
        ("When was the mill sold?", "1950", "The mill was sold in 1950."),
        ("When did Ann Lee leave Hull?", "In 1974", "Ann Lee left Hull in 1974."),
        ("When is the next meeting?", "Monday", "The next meeting is on Monday."),
        ("What year was the mill sold?", "In 1950.", "The mill was sold in 1950."),
        ("Where does Bob live?", "Hull", "Bob lives in Hull."),
        ("How much did the kiosk cost?", "500 euros", "The kiosk cost 500 euros."),
        ("How many people came?", "12", "12 people came."),
        ("How many people did Ann invite?", "Twelve", "Ann invited twelve people."),
        ("How old is the bridge?", "80 years", "The bridge is 80 years."),
        ("Which company repaired the tower?", "Acme", "Acme repaired the tower."),
        ("What is the name of the mule?", "Perla", "The name of the mule is Perla."),
        ("What did Ann sell in 1990?", "the mill", "Ann sold the mill in 1990."),
        ("Did the council reject the plan?", "Yes", "The council rejected the plan."),
        ("Did Ann Lee sign it?", "No.", "Ann Lee did not sign it."),
        ("Has the roof been repaired?", "No", "The roof has not been repaired."),
        ("Is the pump running?", "Yes", "The pump is running."),
    ],
)
def test_a_question_and_its_short_answer_make_one_statement(
    question: str, answer: str, wanted: str
) -> None:
    assert statement(question, answer) == wanted


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who signed the letter?", "In 1974"),
        ("When was the mill sold?", "Bob Hill"),
        ("How many people came?", "Bob Hill"),
        ("Who signed it, Ann or Bob?", "Ann"),
        ("Why did it break?", "rust"),
        ("When did the old pump break?", "1974"),
        ("Was the mill sold?", "Perhaps"),
        ("Tell me about the mill", "Bob Hill"),
        ("Who did not sign the letter?", "Bob Hill"),
        ("Who else signed the letter?", "Bob Hill"),
        ("Did anyone sign the letter?", "No"),
        ("Was the price high?", "Yes"),
        ("¿Quién firmó la carta?", "Ana Gil"),
    ],
)
def test_no_statement_is_made_where_the_rules_cannot(question: str, answer: str) -> None:
    assert statement(question, answer) is None


def checked(question: str, answer: str, *quotes: str) -> tuple[CheckedClaim, ...]:
    lines = {f"E{i}": Line(quote, "Ann", "t", "d") for i, quote in enumerate(quotes, start=1)}
    return checked_claims([WrittenFrom(answer, lines, question)], RulesChecker())[0]


def test_a_name_that_merely_stands_in_a_line_is_not_stated() -> None:
    lines = ("Bob Hill came at nine.", "The letter was signed by Eva Roth.")
    (wrong,) = checked("Who signed the letter?", "Bob Hill [E1].", *lines)
    (right,) = checked("Who signed the letter?", "Eva Roth [E2].", *lines)
    assert wrong.verdict is not Verdict.STATED
    assert (right.verdict, right.lines) == (Verdict.STATED, ("E2",))
    assert (right.start, right.end, right.question) == (0, 14, "Who signed the letter?")


def test_two_events_of_one_sentence_keep_their_dates() -> None:
    line = "Bob Hill left in 1974 and came back in 1980."
    for year, verdict in (("1980", Verdict.STATED), ("1974", Verdict.CONTRADICTED)):
        (claim,) = checked("When did Bob Hill come back?", f"{year} [E1].", line)
        assert claim.verdict is verdict
    (claim,) = checked("Who left in 1980?", "Bob Hill [E1].", line)
    assert claim.verdict is Verdict.NOT_CHECKED


def test_a_short_answer_that_no_line_has_a_word_of_is_not_found() -> None:
    (claim,) = checked("Who signed the letter?", "Zoe Quint [E1].", "Eva Roth signed the letter.")
    assert claim.verdict is not Verdict.STATED
    (claim,) = checked("Who signed the letter?", "Zoe Quint [E1].", "The letter came late.")
    assert claim.verdict is Verdict.NOT_FOUND


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("¿Quién era el alcalde en 1982?", "Ramón Ortega [E1]."),
        ("Wann wurde die Mühle verkauft?", "1950 [E1]."),
        ("Czy młyn został sprzedany?", "Tak [E1]."),
        ("Why did the old pump of the mill break?", "Rust [E1]."),
    ],
)
def test_what_no_rule_can_read_is_not_checked_and_the_nearest_line_named(
    question: str, answer: str
) -> None:
    quotes = ("Ramón Ortega, Tak, 1950, rust.", "Otra cosa.")
    (claim,) = checked(question, answer, *quotes)
    assert (claim.verdict, claim.lines) == (Verdict.NOT_CHECKED, ("E1",))
    assert verdict_note(claim) == "not checked (short answer); nearest: E1"


def test_items_and_cited_names_are_short_answers_and_courtesies_are_not() -> None:
    question = "Who spoke?"
    listed = split_claims("Here is what I found:\n- Ann Lee [E1]\n- Bob Hill [E2]", question)
    assert [claim.text for claim in listed] == ["Who spoke? Ann Lee", "Who spoke? Bob Hill"]
    (only,) = split_claims("Ann Lee spoke first [E1]. Glad to help!", question)
    assert (only.text, only.question) == ("Ann Lee spoke first.", "")
    assert not split_claims("Sure!", question)
    assert not split_claims("Ann Lee [E1].")


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("Who signed the letter?", "It was Bob Hill [E1].", ""),
        ("Who signed the letter?", "It was Eva Roth [E2].", "stated"),
        ("Who signed the letter?", "Bob Hill did [E1].", ""),
        ("Who signed the letter?", "Eva Roth did [E2].", "stated"),
        ("When was the letter signed?", "That was in 1974 [E2].", "stated"),
        ("When was the letter signed?", "It was in 1950 [E3].", ""),
        ("Did Eva Roth sign the letter?", "Yes, she did [E2].", "stated"),
        ("Did Bob Hill sign the letter?", "Yes, he did [E1].", ""),
    ],
)
def test_a_sentence_that_only_frames_a_short_answer_says_nothing_else(
    question: str, answer: str, wanted: str
) -> None:
    quotes = (
        "It was Bob Hill who called.",
        "Eva Roth signed the letter in 1974.",
        "It was in 1950, they said.",
    )
    (claim,) = checked(question, answer, *quotes)
    assert (claim.verdict.value == "stated") is (wanted == "stated")
    assert claim.question == question


def test_a_stream_is_held_back_until_a_line_states_a_short_answer() -> None:
    lines = {"E1": Line("It was Bob Hill who called. Eva Roth signed it.", "Ann", "t", "d", "en")}
    for answer, is_open in (("It was Bob Hill. ", False), ("Eva Roth. ", True)):
        shown: list[str] = []
        stream = HeldStream(shown.append, lambda: lines, "Who signed it?")
        stream(answer)
        assert stream.is_supported() is is_open
        assert shown == [answer] * is_open


def test_a_sentence_that_says_more_than_its_answer_is_a_claim_itself() -> None:
    (claim,) = split_claims("It was the pump that failed first.", "What failed?")
    assert (claim.text, claim.question) == ("It was the pump that failed first.", "")


def test_a_model_checks_the_statement_or_the_two_behind_each_other() -> None:
    who, why = "Who signed it?", "Why did it break?"
    assert whole_claim(Claim(f"{who} Bob Hill", (), 0, who)) == Claim("Bob Hill signed it.", ())
    assert whole_claim(Claim(f"{why} Rust", (), 0, why)) == Claim("Why did it break? Rust", ())


def test_of_short_answers_by_hand_none_is_stated_wrongly_and_most_true_ones_are() -> None:
    claims = load_by_hand(SHORT).claims
    checks = RulesChecker().check([own.claim for own in claims])
    verdicts = list(zip(claims, checks, strict=True))
    assert len(claims) == 199
    stated = [own.id for own, check in verdicts if check.verdict is Verdict.STATED]
    untrue = [own.id for own, _ in verdicts if not own.is_true]
    against = (Verdict.CONTRADICTED, Verdict.NOT_FOUND)
    denied = [own.id for own, check in verdicts if own.is_true and check.verdict in against]
    assert not {*stated} & {*untrue}
    assert not denied
    assert len(stated) >= 65
