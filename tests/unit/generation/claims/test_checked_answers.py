"""Answers of a model that cites wrongly, or not at all: what a user sees is what the model wrote,
and what was found out about it.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dynagrag import AskOptions, open_workspace
from dynagrag.core.schema import Answer
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.generation.answer import ABSTENTION
from dynagrag.workspace.text_reports import answer_lines

SAID = """LEO: The oxygen tank was inspected before launch.
INES: Our CEO stepped down in May.
MARIA: The chief engineer resigned from the board of the tram company.
LEO: Kim Lee was never fired by the board.
EECOM: Let's try to put FUEL CELL 1 on MAIN B, FUEL CELL 3 on MAIN A.
FLIGHT: Yeah, we wanted to get FUEL CELL 1 configured to MAIN A, FUEL CELL 3 to MAIN B."""


@pytest.fixture
def names() -> list[str]:
    """Of the prompts that the model was asked."""
    return []


@pytest.fixture
def ask(
    tmp_path: Path, names: list[str], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Answer]]:
    """The answer where a model replies with these words; in them {words} is the mark of the line
    that begins so.
    """
    (tmp_path / "talk.txt").write_text(SAID, encoding="utf-8")
    with open_workspace(
        "w",
        embedder=FakeEmbedder(64),
        chat_model=FakeChat(),
        checker=getattr(request, "param", "rules"),
    ) as space:
        space.ingest([tmp_path / "talk.txt"])

        def call(text: str, is_small: bool = False, **options: Any) -> Answer:
            def rule(prompt: Any, schema: Any) -> str:
                names.append(prompt.name)
                if prompt.name != "intermediate":
                    return simple_reply(prompt, schema)
                labels = {
                    words: label
                    for label, words in re.findall(
                        r'^\[(E\d+)\][^"\n]*"([^"\n]+)', prompt.user, re.MULTILINE
                    )
                }
                marked = re.sub(
                    r"\{([^}]+)\}",
                    lambda m: next(f"[{e}]" for w, e in labels.items() if w.startswith(m[1])),
                    text,
                )
                return json.dumps({"answer": marked, "citations": []})

            chat = FakeChat(rule, identity=text, is_small=is_small)
            asked = AskOptions(**{"retriever": "naive"} | options)
            return space.ask("What happened?", asked, chat_model=chat)

        yield call


def told(answer: Answer) -> list[str]:
    return [claim.verdict.value for claim in answer.claims]


def test_a_claim_without_a_mark_is_not_given_a_line_that_does_not_state_it(
    ask: Callable[..., Answer],
) -> None:
    answer = ask(
        "The oxygen tank was inspected before launch{The oxygen}. The oxygen tank exploded before"
        " launch."
    )
    assert answer.text.endswith("The oxygen tank exploded before launch.")
    assert told(answer)[0] == "stated"
    assert told(answer)[1] != "stated"
    assert answer.claims[1].cited == answer.claims[1].found == ()


def test_a_paraphrased_citation_is_not_swapped_for_another_line(ask: Callable[..., Answer]) -> None:
    answer = ask("The chief executive resigned {Our CEO}.")
    assert [citation.quote for citation in answer.citations] == ["Our CEO stepped down in May."]
    assert answer.claims[0].cited == answer.trace.labels
    assert not answer.claims[0].found


def test_a_line_that_code_found_is_shown_as_found_by_code(ask: Callable[..., Answer]) -> None:
    answer = ask("The oxygen tank was inspected before launch.")
    assert "[E" not in answer.text
    assert answer.citations == ()
    shown = list(answer_lines(answer))
    (label,) = answer.lines
    assert shown[0] == f"The oxygen tank was inspected before launch. [found: {label}]"
    assert shown[1].startswith(f"  [{label}] (found by rules) talk, LEO")


def test_a_line_that_denies_what_it_is_cited_for_does_not_state_it(
    ask: Callable[..., Answer],
) -> None:
    answer = ask("Kim Lee was fired by the board {Kim Lee}.")
    assert told(answer) != ["stated"]
    assert answer.claims[0].cited == answer.trace.labels


def test_a_strict_answer_leaves_out_what_no_line_states_and_says_how_much(
    ask: Callable[..., Answer],
) -> None:
    answer = ask(
        "The oxygen tank was inspected before launch {The oxygen}. Ada sold the tram.",
        is_strict=True,
    )
    assert re.fullmatch(r"The oxygen tank was inspected before launch \[E\d+\]\.", answer.text)
    assert [claim.text for claim in answer.left_out] == ["Ada sold the tram."]
    assert [answer.text[claim.start : claim.end] for claim in answer.claims] == [answer.text]
    assert any(
        "left out: 0 stated, 0 contradicted, 1 not found" in line for line in answer_lines(answer)
    )


def test_a_strict_answer_of_which_nothing_is_stated_is_an_abstention(
    ask: Callable[..., Answer],
) -> None:
    answer = ask("Ada sold the tram {The chief}.", is_strict=True)
    assert (answer.text, answer.is_abstained, answer.citations) == (ABSTENTION, True, ())
    assert answer.trace.reason == "no claim of the answer is stated by its lines"
    assert len(answer.left_out) == 1
    assert not ask("Ada sold the tram {The chief}.").is_abstained


FALSE_END = "The oxygen tank was inspected before launch {The oxygen}. Ada sold the tram."


def test_a_small_models_answer_goes_without_what_no_line_states(
    ask: Callable[..., Answer],
) -> None:
    answer = ask(FALSE_END, is_small=True)
    assert "oxygen" in answer.text
    assert "Ada" not in answer.text
    assert [claim.text for claim in answer.left_out] == ["Ada sold the tram."]


def test_all_of_a_small_models_answer_is_shown_on_request(ask: Callable[..., Answer]) -> None:
    answer = ask(FALSE_END, is_small=True, is_strict=False)
    assert "Ada sold the tram" in answer.text
    assert answer.left_out == ()


def test_a_small_models_answer_of_which_no_line_states_anything_stands_behind_the_lines(
    ask: Callable[..., Answer],
) -> None:
    answer = ask("Ada sold the tram {The chief}.", is_small=True)
    assert (answer.is_unsupported, answer.is_abstained, answer.left_out) == (True, False, ())
    assert "Ada" not in next(answer_lines(answer))


def test_what_nobody_could_check_stays_in_a_small_models_answer(ask: Callable[..., Answer]) -> None:
    answer = ask("Der Tank wurde vor dem Start von Leo geprüft {The oxygen}.", is_small=True)
    assert (told(answer), answer.left_out) == (["not checked"], ())
    assert answer.text.startswith("Der Tank wurde vor dem Start von Leo geprüft")


@pytest.mark.parametrize("ask", ["auto"], indirect=True)
def test_the_model_checks_all_claims_of_an_answer_in_one_call(
    ask: Callable[..., Answer], names: list[str]
) -> None:
    answer = ask(
        "The oxygen tank was inspected before launch {The oxygen}. Kim Lee was fired {Kim Lee}."
    )
    assert (names, answer.checked_by) == (["intermediate", "check_claims"], "rules+model")
