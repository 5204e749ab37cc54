"""What a reader is told of an answer's claims, in the text and under it."""

from dataclasses import replace

import pytest

from dynagrag.core.schema import (
    Answer,
    AnswerTrace,
    CheckedClaim,
    Citation,
    IntermediateAnswer,
    Usage,
    Verdict,
)
from dynagrag.generation.claims.verdict_text import (
    claims_summary,
    failures_summary,
    marked_text,
    shown_lines,
    verdict_note,
    with_numbers,
)
from dynagrag.workspace.conversations import Conversation, Exchange, KeptAnswer, as_markdown
from dynagrag.workspace.text_reports import answer_lines

TEXT = "The pump leaks [E1]. Leo saw it. Ines left [E2]. It rained."


def _line(words: str) -> Citation:
    return Citation(words, "board", 0, len(words), "LEO", 61.0, words)


def _claim(
    words: str, verdict: Verdict, cited: tuple[str, ...] = (), lines: tuple[str, ...] = ()
) -> CheckedClaim:
    start = TEXT.index(words)
    return CheckedClaim(start, start + len(words), words, verdict, cited, lines)


@pytest.fixture
def answer() -> Answer:
    claims = (
        _claim("The pump leaks [E1].", Verdict.STATED, ("E1",), ("E1",)),
        _claim("Leo saw it.", Verdict.STATED, (), ("E7",)),
        _claim("Ines left [E2].", Verdict.CONTRADICTED, ("E2",), ("E2", "E9")),
        _claim("It rained.", Verdict.NOT_FOUND),
    )
    return Answer(
        question="What happened?",
        text=TEXT,
        is_abstained=False,
        citations=(_line("the pump is leaking"), _line("Ines stayed")),
        intermediate=(),
        evidence=(),
        trace=AnswerTrace(retriever="bm25", labels=("E1", "E2")),
        usage=Usage(),
        claims=claims,
        lines={"E7": _line("I saw the leak"), "E9": _line("Ines never left")},
        checked_by="rules",
    )


def test_each_claim_that_its_citations_do_not_state_is_marked_where_it_stands(
    answer: Answer,
) -> None:
    assert (
        marked_text(answer)
        == "The pump leaks [E1]. Leo saw it. [found: E7] Ines left [E2]. (contradicted by E2 and"
        " E9) It rained. (not found in the sources)"
    )
    assert marked_text(replace(answer, claims=())) == TEXT


def test_under_an_answer_stand_the_model_s_lines_then_those_of_code_and_a_summary(
    answer: Answer,
) -> None:
    assert list(answer_lines(answer))[1:] == [
        '  [E1] board, LEO 1:01: "the pump is leaking"',
        '  [E2] (contradicts a claim) board, LEO 1:01: "Ines stayed"',
        '  [E7] (found by rules) board, LEO 1:01: "I saw the leak"',
        '  [E9] (contradicts a claim; found by rules) board, LEO 1:01: "Ines never left"',
        "  claims: 2 stated, 1 contradicted, 1 not found; checked by rules",
    ]


def test_lines_cited_beside_those_that_state_a_claim_are_only_named(answer: Answer) -> None:
    first, second = replace(answer.claims[0], cited=("E1", "E3", "E2")), answer.claims[2]
    cited = replace(answer, claims=(first, second), citations=(*answer.citations, _line("Leo ate")))
    cited = replace(cited, trace=replace(answer.trace, labels=("E1", "E2", "E3")))
    shown = list(answer_lines(cited))
    assert [line[:6] for line in shown if line.startswith("  [")] == ["  [E1]", "  [E2]", "  [E9]"]
    assert "  also cited, but not needed: other lines state it: [E3]" in shown
    unfound = replace(cited, claims=(replace(first, verdict=Verdict.NOT_FOUND, lines=()),))
    assert not any("also cited" in line for line in answer_lines(unfound))


def test_under_a_text_that_was_streamed_the_claims_that_need_a_word_are_named(
    answer: Answer,
) -> None:
    assert list(answer_lines(answer, with_text=False))[:3] == [
        '  found: E7: "Leo saw it."',
        '  contradicted by E2 and E9: "Ines left [E2]."',
        '  not found in the sources: "It rained."',
    ]


def test_what_a_strict_answer_left_out_is_counted(answer: Answer) -> None:
    left_out = tuple(claim for claim in answer.claims if claim.verdict is not Verdict.STATED)
    strict = replace(answer, claims=answer.claims[:2], left_out=left_out)
    summary = (
        "claims: 2 stated, 0 contradicted, 0 not found; left out: 0 stated, 1 contradicted, 1 not"
        " found; checked by rules"
    )
    assert claims_summary(strict) == summary
    assert claims_summary(replace(strict, claims=())).startswith("claims: none; left out: ")
    assert (
        claims_summary(replace(answer, claims=()))
        == "claims: none that could be checked; checked by rules"
    )
    assert claims_summary(replace(answer, checked_by="")) == ""


def test_intermediate_answers_that_failed_are_counted(answer: Answer) -> None:
    failed = replace(answer, trace=replace(answer.trace, failures=("refused", "no JSON")))
    assert failures_summary(answer) == ""
    assert (
        list(answer_lines(failed))[-1]
        == "  note: 2 of 2 intermediate answers failed and are missing here: refused"
    )
    other = IntermediateAnswer("x", (), True, 1.0, "claims", "c", 0.0)
    assert failures_summary(replace(failed, intermediate=(other,))).startswith(
        "2 of 3 intermediate answers"
    )


def test_an_exported_conversation_tells_the_verdicts(answer: Answer) -> None:
    kept = KeptAnswer("bm25", answer)
    page = as_markdown(
        Conversation("0" * 16, (Exchange("1", "What happened?", "now", (kept,)),)), "w"
    )
    numbered = (
        "The pump leaks [1]. Leo saw it. [found: 3] Ines left [2]. (contradicted by 2 and 4) It"
        " rained. (not found in the sources)"
    )
    assert with_numbers(marked_text(answer), answer) == numbered
    assert numbered in page
    assert (
        with_numbers("E7 is a road, and (E7) a mark, [E99] is none", answer)
        == "E7 is a road, and (3) a mark, [E99] is none"
    )
    assert '- [3, found by rules] board, LEO, 1:01: "I saw the leak"' in page
    assert "claims: 2 stated, 1 contradicted, 1 not found; checked by rules" in page


@pytest.mark.parametrize(
    ("verdict", "cited", "lines", "note"),
    [
        (Verdict.STATED, ("E1",), ("E1",), ""),
        (Verdict.STATED, (), ("E1", "E3"), "found: E1, E3"),
        (Verdict.STATED, ("E1",), ("E1", "E3"), "found: E3"),
        (Verdict.CONTRADICTED, ("E1",), ("E1",), "contradicted by E1"),
        (Verdict.CONTRADICTED, (), ("E1", "E3"), "contradicted by E1 and E3"),
        (Verdict.NOT_FOUND, ("E1",), (), "not found in the sources"),
    ],
)
def test_what_a_reader_must_know_of_a_claim(
    verdict: Verdict, cited: tuple[str, ...], lines: tuple[str, ...], note: str
) -> None:
    assert verdict_note(_claim("It rained.", verdict, cited, lines)) == note


def test_lines_that_a_model_helped_to_find_are_not_said_to_be_the_rules(answer: Answer) -> None:
    shown = shown_lines(replace(answer, checked_by="rules+model"))
    assert [(label, what) for label, what, _ in shown] == [
        ("E1", ""),
        ("E2", "contradicts a claim"),
        ("E7", "found by rules+model"),
        ("E9", "contradicts a claim; found by rules+model"),
    ]
    early = replace(answer, trace=replace(answer.trace, labels=()), lines={})
    assert shown_lines(early) == [], "a line without its label, or its words, is not shown"
