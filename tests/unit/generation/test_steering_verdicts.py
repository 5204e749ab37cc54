"""What verdicts change of an answer: what no shown line states is searched for, what lines state
wins, and what no line supports isn't printed first.
"""

import json
import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from dynagrag import AskOptions, IngestOptions, open_workspace
from dynagrag.core.protocols import Prompt
from dynagrag.core.schema import Answer, Verdict
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.generation.claims.verdict_text import UNSUPPORTED, verdict_note
from dynagrag.generation.evidence_sentences.answerable import NOTHING_FITS
from dynagrag.generation.stored_answer import answer_json, answer_of
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.text_reports import answer_lines, trace_lines

SIGHTS = ("harbour", "orchard", "library", "foundry", "chapel", "dairy", "quarry", "tannery")
TALK = "\n".join(
    f"GUIDE: The {sight} of district {row} was opened in {1500 + row} by mayor Olsen. Visitors came"
    f" to it by tram all year long, and the warden of the {sight} there was kept very busy."
    for row in range(40)
    for sight in SIGHTS
) + ("\nGUIDE: Jonas Lind is learning the violin.\nGUIDE: The ferry was never sold to Norway.\n")
QUESTION = "Who opened the harbour of district 3?"
RIGHT = "The harbour of district 3 was opened in 1503 by mayor Olsen."
LESSONS = f"GUIDE: Jonas Lind is learning the violin.\n{TALK}"
ELSEWHERE = "Jonas Lind is learning the violin."
DENIED = "The ferry was sold to Norway."
INVENTED = "A zeppelin factory was blown up by pirates in 1742."
Reply = Callable[[Prompt], str | dict[str, Any]]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Answer]]:
    """Asks a workspace of 320 sights with a model that replies as a rule says; rules check."""
    monkeypatch.setenv("DYNAGRAG_CHECKER", "rules")
    opened: list[Workspace] = []

    def call(reply: Reply, options: AskOptions | None = None, **more: Any) -> Answer:
        source = tmp_path / "talk.txt"
        source.write_text(more.pop("talk", TALK), encoding="utf-8")

        def rule(prompt: Prompt, schema: Any) -> str:
            made = reply(prompt)
            return made if isinstance(made, str) else json.dumps(made)

        chat = FakeChat(rule, is_small=more.pop("is_small", False))
        opened.append(open_workspace("w", chat_model=chat, embedder=FakeEmbedder(64)))
        opened[-1].ingest([source], IngestOptions(extractor="fast"))
        asked = more.pop("asked", QUESTION)
        return opened[-1].ask(asked, options or AskOptions(retriever="bm25"), **more)

    yield call
    for space in opened:
        space.close()


def says(text: str) -> dict[str, Any]:
    return {"answer": text, "citations": ["E1"], "enough_evidence": True}


# ------------------------------------------------------------------------- searched for everywhere


def test_a_claim_that_no_shown_line_states_is_found_elsewhere_in_the_workspace(
    ask: Callable[..., Answer],
) -> None:
    answer = ask(lambda prompt: says(f"{RIGHT} {ELSEWHERE} {DENIED} {INVENTED}"))
    shown = {label for prompt in answer.trace.prompts for label in prompt.labels}
    right, elsewhere, denied, invented = answer.claims
    assert (right.verdict, right.num_searched) == (Verdict.STATED, None)
    assert (elsewhere.verdict, denied.verdict) == (Verdict.STATED, Verdict.CONTRADICTED)
    assert invented.verdict is Verdict.NOT_FOUND
    for claim, words in ((elsewhere, "violin"), (denied, "never sold")):
        assert not shown.intersection(claim.lines)
        assert words in answer.lines[claim.lines[0]].quote
        assert claim.num_searched is not None


def test_a_claim_that_is_nowhere_tells_how_many_lines_could_bear_on_it(
    ask: Callable[..., Answer],
) -> None:
    answer = ask(lambda prompt: says(f"{RIGHT} The warden of Mars resigned. {INVENTED}"))
    _, warden, invented = answer.claims
    # all sights have a warden, and the last of them share a passage with the two other lines
    assert warden.num_searched == 322
    assert verdict_note(warden) == "not found: in none of 322 lines that could bear on it"
    assert invented.num_searched == 0
    assert verdict_note(invented) == "not found: no line of the sources has its words"
    assert answer_of(json.loads(json.dumps(answer_json(answer)))).claims == answer.claims


def test_what_is_stated_elsewhere_is_not_contradicted_by_a_line_on_another_thing(
    ask: Callable[..., Answer],
) -> None:
    far = "The dairy of district 37 was opened in 1537 by mayor Olsen."
    wrong = "The chapel of district 37 was opened in 1542 by mayor Olsen."
    right, false = ask(lambda prompt: says(f"{far} {wrong}")).claims
    assert (right.verdict, right.lines != right.cited) == (Verdict.STATED, True)
    assert false.verdict is not Verdict.STATED


def test_filters_bound_the_search(ask: Callable[..., Answer]) -> None:
    talk = f"{TALK}NORA: The zeppelin was painted green."
    mine = AskOptions(retriever="bm25")
    found = ask(lambda prompt: says("The zeppelin was painted green."), mine, talk=talk)
    assert found.claims[0].verdict is Verdict.STATED
    from dynagrag.core.schema import Filters

    other = AskOptions(retriever="bm25", filters=Filters(speakers=("GUIDE",)))
    assert (
        ask(lambda prompt: says("The zeppelin was painted green."), other, talk=talk)
        .claims[0]
        .verdict
        is Verdict.NOT_FOUND
    )


# --------------------------------------------------------------------------------- verdicts steer


OPENED = re.compile(r"The \w+ of district \d+ was opened in \d+ by mayor Olsen\.")
LABEL = re.compile(r"\[(E\d+)\] GUIDE")
WRONG = "The harbour was opened by the queen of Spain."


def judged(prompt: Prompt) -> dict[str, Any]:
    ids = [part.partition('"')[0] for part in prompt.user.split('id="')[1:]]
    return {
        "scores": [
            {
                "id": own,
                "relevance": 1 if "mayor Olsen" in block else 5,
                "coherence": 5,
                "detail": 5,
            }
            for own, block in zip(ids, prompt.user.split('id="')[1:], strict=True)
        ]
    }


def test_an_answer_that_lines_state_wins_over_more_helpful_ones_that_none_states(
    ask: Callable[..., Answer],
) -> None:
    merges: list[Prompt] = []
    stated: list[str] = []
    numbers = count()

    def reply(prompt: Prompt) -> str | dict[str, Any]:
        if prompt.name == "intermediate":
            if next(numbers) == 2:
                stated.append(OPENED.findall(prompt.user)[0])
                return says(stated[0])
            return says(f"{WRONG} [{LABEL.findall(prompt.user)[0]}]")
        if prompt.name == "merge":
            merges.append(prompt)
        return judged(prompt) if prompt.name == "helpfulness" else "The queen of Spain [E1]."

    answer = ask(reply, AskOptions(profile="graph"))
    assert len(answer.intermediate) > 2
    assert stated[0] in answer.text
    assert "queen" not in answer.text
    assert not merges
    assert any("no line states them" in note for note in answer.trace.notes)
    assert stated[0] in answer.intermediate[0].answer


def test_where_the_first_answer_settles_the_question_no_other_prompt_is_asked(
    ask: Callable[..., Answer],
) -> None:
    prompts: list[Prompt] = []

    def reply(prompt: Prompt) -> dict[str, Any]:
        prompts.append(prompt)
        return says("Jonas Lind is learning the violin.")

    answer = ask(
        reply, AskOptions(profile="graph"), asked="What is Jonas Lind learning?", talk=LESSONS
    )
    assert [prompt.name for prompt in prompts] == ["intermediate"]
    assert len(answer.intermediate) == answer.usage.calls == 1
    assert any(note.startswith("1 of 5 prompts was asked") for note in answer.trace.notes)
    assert len(answer.trace.prompts) == 5


@pytest.mark.parametrize(
    ("first", "whole", "told"),
    [
        (ELSEWHERE, "", ELSEWHERE),
        (INVENTED, RIGHT, RIGHT),
        (RIGHT, f"{RIGHT} {ELSEWHERE}", f"{RIGHT} {ELSEWHERE}"),
        ("", INVENTED, ""),
    ],
    ids=["it settles", "only the whole", "both are stated", "only the first, of another sight"],
)
def test_a_small_model_looks_at_the_best_lines_and_only_then_at_all(
    ask: Callable[..., Answer], first: str, whole: str, told: str
) -> None:
    prompts: list[Prompt] = []
    asked = "What is Jonas Lind learning?" if not whole else QUESTION

    def reply(prompt: Prompt) -> dict[str, Any]:
        prompts.append(prompt)
        return says((first or another_in(prompt)) if len(prompts) == 1 else whole)

    def another_in(prompt: Prompt) -> str:
        sights: list[str] = OPENED.findall(prompt.user)
        return next(sight for sight in sights if "district 3 " not in sight)

    answer = ask(reply, AskOptions(), asked=asked, talk=LESSONS, is_small=True)
    assert answer.text == f"{told or another_in(prompts[0])} [E1]"
    assert [prompt.name for prompt in prompts] == ["intermediate"] * (2 if whole else 1)
    look, everything = answer.trace.prompts
    assert set(look.labels) < set(everything.labels)
    assert 3 * look.num_tokens < everything.num_tokens


@pytest.mark.parametrize("is_cut", [True, False])
def test_an_answer_whose_citations_were_cut_off_stands_behind_the_lines(
    ask: Callable[..., Answer], is_cut: bool
) -> None:
    uncited = {"answer": INVENTED, "citations": [], "enough_evidence": True}
    answer = ask(lambda prompt: {"answer": INVENTED} if is_cut else uncited)
    assert answer.is_abstained is not is_cut
    assert answer.is_unsupported is is_cut
    assert (INVENTED in answer.text) is is_cut


def test_a_small_model_judges_no_answers(ask: Callable[..., Answer]) -> None:
    names: list[str] = []

    def reply(prompt: Prompt) -> str | dict[str, Any]:
        names.append(prompt.name)
        return says(OPENED.findall(prompt.user)[0]) if prompt.name == "intermediate" else RIGHT

    answer = ask(reply, AskOptions(profile="graph"), is_small=True)
    assert "helpfulness" not in names
    assert {own.scored_by for own in answer.intermediate} == {"claims"}


def test_a_merge_that_no_line_states_gives_way_to_the_answer_that_lines_state(
    ask: Callable[..., Answer],
) -> None:
    merged = "The queen of Spain had opened the harbour gates twice [E1]. It was loud [E1]."

    def reply(prompt: Prompt) -> str | dict[str, Any]:
        if prompt.name == "intermediate":
            return says(OPENED.findall(prompt.user)[0])
        return judged(prompt) if prompt.name == "helpfulness" else merged

    pieces: list[str] = []
    answer = ask(reply, AskOptions(profile="graph"), on_text=pieces.append)
    assert OPENED.search(answer.text)
    assert "".join(pieces) == answer.text
    assert answer.trace.merge.startswith("no line states the merged answer")


def test_an_answer_that_no_line_supports_is_not_streamed_and_stands_behind_the_lines(
    ask: Callable[..., Answer],
) -> None:
    pieces: list[str] = []
    answer = ask(lambda prompt: says(f"{DENIED} {INVENTED}"), on_text=pieces.append)
    assert answer.is_unsupported
    assert pieces == []
    lines = [*answer_lines(answer)]
    at = lines.index(UNSUPPORTED)
    assert any("The harbour of district 3" in line for line in lines[:at])
    assert INVENTED in lines[at + 1]
    assert not any(INVENTED in line for line in lines[:at])
    assert answer_json(answer)["unsupported"]


def test_a_supported_answer_is_streamed_and_is_not_folded(ask: Callable[..., Answer]) -> None:
    pieces: list[str] = []
    answer = ask(lambda prompt: says(f"{INVENTED} {RIGHT}"), on_text=pieces.append)
    assert "".join(pieces) == answer.text
    assert not answer.is_unsupported
    assert UNSUPPORTED not in [*answer_lines(answer)]


def test_doubts_stand_before_what_the_model_says(
    ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    best_lines = "dynagrag.generation.evidence_sentences.best_lines"
    monkeypatch.setattr(f"{best_lines}.LEAST", 2.0)
    monkeypatch.setattr(f"{best_lines}.answerable", lambda *_: 0.0)
    monkeypatch.setattr(f"{best_lines}.holds_all_words", lambda *_: False)
    monkeypatch.setattr(f"{best_lines}.holds_every_word", lambda *_: False)
    pieces: list[str] = []
    answer = ask(lambda prompt: says(RIGHT), on_text=pieces.append)
    assert pieces[0].startswith(NOTHING_FITS)
    assert "".join(pieces[1:]) == answer.text
    lines = [*answer_lines(answer)]
    assert lines[0] == NOTHING_FITS
    assert RIGHT in lines[1]
    assert not any(NOTHING_FITS in line for line in answer_lines(answer, with_text=False))


def test_the_language_of_each_line_is_in_the_trace_and_other_languages_are_not_checked(
    ask: Callable[..., Answer],
) -> None:
    finnish = (
        "OPAS: Satama avattiin vuonna 1901 ja siinä on kolme porttia.\n"
        "OPAS: Vieraat tulivat satamaan raitiovaunulla joka päivä.\n"
    )
    naive = AskOptions(retriever="naive")
    answer = ask(lambda prompt: says("Satama avattiin vuonna 1905."), naive, talk=finnish)
    (claim,) = answer.claims
    assert (claim.verdict, claim.language) == (Verdict.NOT_CHECKED, "fi")
    assert verdict_note(claim).startswith("not checked (Finnish); nearest: E")
    assert not answer.is_unsupported
    assert set(answer.trace.languages.values()) == {"fi"}
    assert any("languages of the lines: Finnish" in line for line in trace_lines(answer.trace))
