"""A question's way from intermediate answers to one: scoring, order, packing, rewriting; and what
happens where a model fails.
"""

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynagrag import AskOptions, open_workspace
from dynagrag.config.settings import PROFILES
from dynagrag.core.errors import (
    CutOffReplyError,
    InvalidReplyError,
    ModelError,
    ModelUnavailableError,
    SettingsError,
    UsageError,
)
from dynagrag.core.ids import estimate_tokens
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.generation.answer import ABSTENTION, NO_MODEL
from dynagrag.generation.citations import cited_labels
from dynagrag.generation.question_wording import rewrite_question, split_question
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.workspace.facade import Workspace

WORDS = "\n".join(
    f"LEO: Person Number{i} works at Company Letter{chr(65 + i)}. It rained in week {i} and nobody"
    " minded."
    for i in range(12)
)
QUESTION = "Who works at Company LetterA, LetterB or LetterC?"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "journal.sqlite")
    yield made
    made.close()


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Asks a workspace of simple facts; the chat model is given to the question alone, and checks
    no claims.
    """
    monkeypatch.setenv("DYNAGRAG_CHECKER", "rules")
    source = tmp_path / "talk.txt"
    source.write_text(WORDS, encoding="utf-8")
    with open_workspace("w", chat_model=FakeChat(), embedder=FakeEmbedder(64)) as made:
        made.ingest([source])
    opened: list[Workspace] = []

    def call(chat: FakeChat | None, question: str = QUESTION, **more: Any) -> Any:
        opened.append(open_workspace("w", chat_model=chat, embedder=FakeEmbedder(64)))
        more.setdefault(
            "options", AskOptions(profile="graph")
        )  # several prompts, so that there is something to merge
        return opened[-1].ask(question, **more)

    yield call
    for space in opened:
        space.close()


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


def test_without_a_model_the_evidence_is_shown_and_nothing_else_is_claimed(
    ask: Callable[..., Any],
) -> None:
    answer = ask(None)
    assert (answer.text, answer.is_abstained, answer.is_answered_by_model, answer.citations) == (
        NO_MODEL,
        True,
        False,
        (),
    )
    places = [(e.document, e.start, e.end) for e in answer.evidence]
    assert 0 < len(places) == len(set(places))


def test_intermediate_answers_are_sorted_by_helpfulness_and_the_useless_are_left_out_of_the_merge(
    ask: Callable[..., Any],
) -> None:
    def rule(prompt: Any, schema: Any) -> str:
        if prompt.name == "intermediate" and "Number2 works" in prompt.user.partition("--")[0]:
            return '{"answer": "", "citations": [], "enough_evidence": false}'
        if prompt.name == "helpfulness":
            ids = [part.partition('"')[0] for part in prompt.user.split('id="')[1:]]
            return _scores(**{i: (1 + n % 5, 3, 3) for n, i in enumerate(ids)})
        return simple_reply(prompt, schema)

    chat = FakeChat(rule)
    answer = ask(chat)
    scores = [a.helpfulness for a in answer.intermediate]
    assert scores == sorted(scores, reverse=True)
    assert all(
        a.scored_by == ("judge" if a.has_enough_evidence else "none") for a in answer.intermediate
    )
    assert all((a.helpfulness == 0) == (not a.has_enough_evidence) for a in answer.intermediate)
    for a in answer.intermediate:
        marks = a.score_parts
        assert a.helpfulness == (
            20 * (0.5 * marks["relevance"] + 0.25 * marks["coherence"] + 0.25 * marks["detail"])
            if marks
            else 0
        )
    merge = next(p for p in chat.prompts if p.name == "merge")
    shown = (
        merge.user.partition("<partial_answers>")[2]
        .partition("</partial_answers>")[0]
        .strip()
        .splitlines()
    )
    assert len(shown) == sum(a.helpfulness > 0 for a in answer.intermediate)
    assert estimate_tokens(merge.system + merge.user) <= PROFILES["default"].merge_token_budget


def test_the_merge_sees_only_evidence_that_an_answer_cites(ask: Callable[..., Any]) -> None:
    def rule(prompt: Any, schema: Any) -> str:
        if prompt.name != "intermediate":
            return simple_reply(prompt, schema)
        last = re.findall(r"^\[(E\d+)\]", prompt.user, re.MULTILINE)[-1]
        return json.dumps({"answer": "He does.", "citations": [last], "enough_evidence": True})

    chat = FakeChat(rule)
    ask(chat)
    answers, _, evidence = next(p for p in chat.prompts if p.name == "merge").user.partition(
        "<evidence>"
    )
    assert QUESTION in answers + evidence
    lines = [line[1:].partition("]")[0] for line in evidence.splitlines() if line.startswith("[E")]
    assert len(lines) > 1
    assert set(lines) == set(cited_labels(answers))


def test_long_answers_are_packed_into_the_merge_s_budget(ask: Callable[..., Any]) -> None:
    def rule(prompt: Any, schema: Any) -> str:
        reply = simple_reply(prompt, schema)
        return (
            json.dumps(json.loads(reply) | {"answer": "very long " * 130})
            if prompt.name == "intermediate"
            else reply
        )

    chat = FakeChat(rule)
    answer = ask(chat)
    merge = next(p for p in chat.prompts if p.name == "merge")
    assert estimate_tokens(merge.system + merge.user) <= PROFILES["default"].merge_token_budget
    assert merge.user.count("very long") < 130 * len(answer.intermediate)
    assert answer.citations


def test_one_useful_answer_needs_neither_judge_nor_merge(ask: Callable[..., Any]) -> None:
    chat = FakeChat()
    answer = ask(chat, options=AskOptions(retriever="bm25"))
    assert [p.name for p in chat.prompts] == ["intermediate"]
    assert answer.citations
    assert all(f"[{label}]" in answer.text for label in answer.trace.labels)


def test_no_reply_at_all_is_an_error_and_no_abstention(ask: Callable[..., Any]) -> None:
    with pytest.raises(ModelError, match="gone"):
        ask(FakeChat(script=[ModelUnavailableError("gone; try later")] * 20))


def test_an_object_that_neither_answers_nor_declines_is_no_reply(ask: Callable[..., Any]) -> None:
    with pytest.raises(InvalidReplyError, match="neither answer nor enough_evidence"):
        ask(FakeChat(lambda prompt, schema: '{"unexpected": true}'))


def test_failed_parts_are_named_in_the_trace(ask: Callable[..., Any]) -> None:
    answer = ask(FakeChat(script=[ModelUnavailableError("a hiccup")]))
    assert answer.trace.failures == ("a hiccup",)
    assert not answer.is_abstained


def test_an_abstention_is_streamed_too_and_keeps_what_was_looked_at(
    ask: Callable[..., Any],
) -> None:
    pieces: list[str] = []
    chat = FakeChat(
        lambda prompt, schema: '{"answer": "", "citations": [], "enough_evidence": false}'
    )
    answer = ask(chat, on_text=pieces.append)
    assert "".join(pieces) == answer.text == ABSTENTION
    assert answer.evidence
    assert answer.trace.reason
    assert "merge" not in {p.name for p in chat.prompts}


def test_several_threads_may_ask_one_workspace_at_once(ask: Callable[..., Any]) -> None:
    ask(FakeChat())  # makes it
    asked = [(QUESTION, name) for name in ("dynagrag", "naive", "bm25", "bridge-ppr")] + [
        ("Who works at Firm3?", "hybrid")
    ]

    def answers(space: Workspace, num_threads: int) -> list[tuple[str, tuple[str, ...]]]:
        with ThreadPoolExecutor(num_threads) as pool:
            made = list(
                pool.map(
                    lambda pair: space.ask(
                        pair[0], AskOptions(retriever=pair[1]), chat_model=FakeChat()
                    ),
                    asked,
                )
            )
        return [(answer.text, tuple(c.id for c in answer.citations)) for answer in made]

    with (
        open_workspace("w", embedder=FakeEmbedder(64)) as one,
        open_workspace("w", embedder=FakeEmbedder(64)) as many,
    ):
        assert answers(many, 5) == answers(one, 1)


def test_progress_tells_each_stage_and_each_prompt_that_is_answered(
    ask: Callable[..., Any],
) -> None:
    stages: list[tuple[str, int, int]] = []
    answer = ask(FakeChat(), progress=lambda *stage: stages.append(stage))
    num = len(answer.trace.prompts)
    assert num > 1
    assert stages[:2] == [("retrieve", 0, 1), ("answer", 0, num)]
    assert sorted(stages[2 : 2 + num]) == [("answer", i, num) for i in range(1, num + 1)]
    assert stages[2 + num :] == [("score", 0, 1), ("merge", 0, 1), ("check", 0, 1)]


def test_a_subgraph_in_the_trace_is_whole_and_its_walk_begins_at_the_centre(
    ask: Callable[..., Any],
) -> None:
    drawn = [p for p in ask(FakeChat()).trace.prompts if p.subgraph]
    assert drawn
    for prompt in drawn:
        nodes = prompt.subgraph.nodes
        assert (nodes[0].place, nodes[0].name, nodes[0].parent) == (1, prompt.centre, None)
        assert tuple(n.name for n in nodes if n.place) == prompt.walked[: len(nodes)]
        assert all(nodes[n.parent].place < n.place for n in nodes[1:] if n.place)
        assert all(n.depth == nodes[n.parent].depth + 1 for n in nodes[1:] if n.place)
        assert len(nodes) <= prompt.subgraph.num_nodes
        assert sum(n.is_in_prompt for n in nodes) == prompt.num_nodes_in


def test_an_edge_in_the_trace_points_from_head_to_tail_whichever_id_is_the_smaller(
    ask: Callable[..., Any], tmp_path: Path
) -> None:
    answer = ask(FakeChat())
    with open_workspace("w", embedder=FakeEmbedder(64)) as space:
        graph = space.graph()
    stated = {(r.head, r.label, r.tail) for r in graph.relations}
    drawn = [
        (prompt.subgraph.nodes[edge.source].id, label, prompt.subgraph.nodes[edge.target].id)
        for prompt in answer.trace.prompts
        if prompt.subgraph
        for edge in prompt.subgraph.edges
        for label in edge.labels
        if label != "…"
    ]
    assert any(head > tail for head, _, tail in drawn)
    assert set(drawn) <= stated


def test_a_follow_up_is_rewritten_from_the_last_three_exchanges(journal: Journal) -> None:
    chat = FakeChat(lambda prompt, schema: '{"question": " Where is Acme? "}')
    history = [(f"question {i}", "answer " * 500) for i in range(5)]
    assert rewrite_question(_metered(chat, journal), history, "Where is it?") == "Where is Acme?"
    assert "question 1" not in chat.prompts[0].user
    assert "question 2" in chat.prompts[0].user
    assert estimate_tokens(chat.prompts[0].user) < 600
    assert rewrite_question(_metered(chat, journal), [], "Where is it?") == "Where is it?"


def test_an_empty_rewriting_leaves_the_question_as_it_is(journal: Journal) -> None:
    chat = FakeChat(lambda prompt, schema: '{"question": "  "}')
    assert rewrite_question(_metered(chat, journal), [("a", "b")], "Where is it?") == "Where is it?"


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (
            '{"steps": [" Who built  it? ", "Who leads that firm?", "Who built it?", ""]}',
            ("Who built it?", "Who leads that firm?"),
        ),
        ('{"steps": ["who leads the  firm"]}', ()),
        (
            '{"steps": ["Who is A?", "who is a", "Who is B?", "Who is C?", "Who is D?"]}',
            ("Who is A?", "Who is B?", "Who is C?"),
        ),
        (json.dumps({"steps": ["Who is " + "very " * 80 + "old?", "Who is A?"]}), ("Who is A?",)),
        ('{"steps": []}', ()),
        ("I would not split it.", ()),
    ],
)
def test_a_question_is_split_into_other_questions_or_not_at_all(
    reply: str, wanted: tuple[str, ...], journal: Journal
) -> None:
    assert (
        split_question(
            _metered(FakeChat(lambda prompt, schema: reply), journal), "Who leads the firm?"
        )
        == wanted
    )


def test_a_splitting_that_breaks_off_leaves_the_question_whole_and_says_so(
    ask: Callable[..., Any],
) -> None:
    def rule(prompt: Any, schema: Any) -> str:
        if prompt.name == "split":
            raise CutOffReplyError("too long")
        return simple_reply(prompt, schema)

    answer = ask(FakeChat(rule), options=AskOptions(profile="graph", is_split=True))
    assert answer.citations
    assert "the model found no steps in it" in answer.trace.notes


def test_a_follow_up_is_split_as_it_was_rewritten(ask: Callable[..., Any]) -> None:
    chat = FakeChat(
        lambda p, s: (
            '{"question": "Who works at LetterA?"}' if p.name == "rewrite" else simple_reply(p, s)
        )
    )
    ask(
        chat,
        "And at LetterA?",
        options=AskOptions(profile="graph", is_split=True),
        history=[("Who works at LetterB?", "Number1.")],
    )
    assert next(p for p in chat.prompts if p.name == "split").user == "Who works at LetterA?"


def test_a_split_question_costs_one_call_more_and_its_steps_are_told(
    ask: Callable[..., Any],
) -> None:
    chat = FakeChat()
    answer = ask(
        chat,
        "Who works at Company LetterA and who works at Company LetterB?",
        options=AskOptions(profile="graph", is_split=True),
    )
    assert [p.name for p in chat.prompts].count("split") == 1
    assert answer.trace.ranking.steps == (
        "Who works at Company LetterA",
        "who works at Company LetterB?",
    )
    assert all(row.steps is not None for row in answer.trace.ranking.passages)
    assert answer.citations


def test_a_question_is_not_split_for_what_cannot_use_it_nor_without_a_model(
    ask: Callable[..., Any],
) -> None:
    for options in (
        AskOptions(retriever="naive", is_split=True),
        AskOptions(profile="paper", is_split=True),
    ):
        with pytest.raises(UsageError, match="can be split for"):
            ask(FakeChat(), options=options)
    with pytest.raises(SettingsError, match="a model splits the question"):
        ask(None, options=AskOptions(profile="graph", is_split=True))


def test_a_blank_question_is_refused(ask: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match="empty"):
        ask(FakeChat(), question=" \n ")


def test_no_vector_is_needed_twice(ask: Callable[..., Any]) -> None:
    answer = ask(FakeChat())
    assert np.isfinite([a.helpfulness for a in answer.intermediate]).all()
    assert answer.usage.calls == len(answer.intermediate) + 2


def test_a_model_is_told_of_whom_lines_say_what_is_asked_of_another(
    tmp_path: Path, ask: Callable[..., Any]
) -> None:
    source = tmp_path / "letters.txt"
    source.write_text(
        "TILDA: I play the cello.\nGORAN: I bought a greenhouse for my tomatoes.\nGORAN: My"
        " tomatoes in the greenhouse ripened in July.\nTILDA: I paint the harbour.\n",
        encoding="utf-8",
    )
    chat = FakeChat()
    with open_workspace("letters", chat_model=chat, embedder=FakeEmbedder(64)) as space:
        space.ingest([source])
        answer = space.ask("When did Tilda's tomatoes in the greenhouse ripen?")
        assert (answer.other_person.asked, answer.other_person.other) == ("TILDA", "GORAN")
        assert 'Note: lines that fit the question are about "GORAN"' in chat.prompts[-1].user
        space.ask("When did Goran's tomatoes in the greenhouse ripen?")
        assert not any("Note: " in prompt.user for prompt in chat.prompts[-1:])


def test_an_answer_that_cites_nothing_counts_for_nothing_and_stays_out_of_the_merge(
    ask: Callable[..., Any],
) -> None:
    first: list[str] = []

    def rule(prompt: Any, schema: Any) -> str:
        if prompt.name == "intermediate" and prompt.user == (first or [prompt.user])[0]:
            first.append(prompt.user)
            return (
                '{"answer": "It is known to everybody.", "citations": [], "enough_evidence": true}'
            )
        return simple_reply(prompt, schema)

    chat = FakeChat(rule, identity="boasts")
    answer = ask(chat)
    boasts = [a for a in answer.intermediate if "known to everybody" in a.answer]
    assert boasts
    assert {
        (a.helpfulness, a.scored_by, a.has_enough_evidence, a.evidence_ids) for a in boasts
    } == {(0.0, "none", False, ())}
    assert not any(
        "known to everybody" in p.user for p in chat.prompts if p.name in ("helpfulness", "merge")
    )


def own_line(prompt: Any) -> tuple[str, str]:
    """Label and words of the last evidence line of a prompt."""
    lines = re.findall(r'^\[(E\d+)\][^"\n]*"([^".\n]+)', prompt.user, re.MULTILINE)
    label, said = lines[-1]
    return label, said


def reply_of(label: str, said: str, is_enough: bool = True) -> str:
    return json.dumps(
        {"answer": f"{said} [{label}].", "citations": [label], "enough_evidence": is_enough}
    )


def different_answers(merged: str) -> Callable[[Any, Any], str]:
    """Intermediate answers that differ, scored differently, and this in place of the merged one."""

    def rule(prompt: Any, schema: Any) -> str:
        if prompt.name == "intermediate":
            return reply_of(*own_line(prompt))
        if prompt.name == "helpfulness":
            ids = [part.partition('"')[0] for part in prompt.user.split('id="')[1:]]
            return _scores(**{i: (1 + n % 5, 3, 3) for n, i in enumerate(ids)})
        return merged

    return rule


def test_what_a_model_says_without_enough_evidence_is_left_out_though_it_cites(
    ask: Callable[..., Any],
) -> None:
    answer = ask(
        FakeChat(
            lambda prompt, schema: reply_of(*own_line(prompt), is_enough=False), identity="doubts"
        )
    )
    assert all(a.evidence_ids and not a.has_enough_evidence for a in answer.intermediate)
    assert (answer.text, answer.is_abstained, answer.citations) == (ABSTENTION, True, ())


def test_answers_that_are_as_helpful_stand_in_the_order_of_retrieval(
    ask: Callable[..., Any],
) -> None:
    found = [a.retrieval_score for a in ask(FakeChat()).intermediate]
    assert len(set(found)) > 2
    assert found == sorted(found, reverse=True)


def test_a_merge_that_cites_nothing_is_replaced_by_the_most_helpful_answer(
    ask: Callable[..., Any],
) -> None:
    pieces: list[str] = []
    chat = FakeChat(different_answers("Nothing is cited here."), identity="forgets")
    answer = ask(chat, on_text=pieces.append)
    assert len({a.answer for a in answer.intermediate}) > 1
    assert answer.intermediate[0].helpfulness > answer.intermediate[-1].helpfulness
    assert "".join(pieces) == answer.text == answer.intermediate[0].answer
    assert (
        answer.trace.merge
        == "the merged answer cited nothing; this is the most helpful intermediate answer"
    )
    merge = next(p for p in chat.prompts if p.name == "merge")
    assert answer.trace.merge_prompt == f"{merge.system}\n\n{merge.user}"


class BreakingChat(FakeChat):
    """Its merged answer breaks off after so many pieces."""

    def __init__(self, num_pieces: int) -> None:
        super().__init__(identity=f"breaks off after {num_pieces}")
        self._num_pieces = num_pieces

    def stream(self, prompt: Any, max_tokens: int) -> Iterator[str]:
        for number, piece in enumerate(super().stream(prompt, max_tokens)):
            if number == self._num_pieces:
                raise ModelUnavailableError("gone")
            yield piece
        for word in ("and", "so", "it", "goes", "on"):
            yield f" {word}"
        raise ModelUnavailableError("gone")


@pytest.mark.parametrize(("num_pieces", "is_shown"), [(1000, True), (1, False)])
def test_a_merge_that_breaks_off_is_replaced_by_the_best_answer(
    ask: Callable[..., Any], num_pieces: int, is_shown: bool
) -> None:
    pieces: list[str] = []
    answer = ask(BreakingChat(num_pieces), on_text=pieces.append)
    assert "the merge broke off (gone)" in answer.trace.merge
    assert answer.text == answer.intermediate[0].answer
    shown = "".join(pieces)
    assert shown.endswith(answer.text)
    assert ("The reply broke off here." in shown) is is_shown is (shown != answer.text)


def test_stretches_are_made_of_the_lines_that_are_cited(ask: Callable[..., Any]) -> None:
    def rule(prompt: Any, schema: Any) -> str:
        label, said = own_line(prompt)
        return reply_of(label, said)

    alone = ask(FakeChat(rule, identity="cites one"), options=AskOptions(retriever="bm25"))
    assert len(alone.citations) == 1
    assert alone.windows == ()
    assert ask(None, options=AskOptions(retriever="bm25")).windows


def test_labels_that_no_line_has_are_not_cited(ask: Callable[..., Any]) -> None:
    def rule(prompt: Any, schema: Any) -> str:
        label, said = own_line(prompt)
        return json.dumps({"answer": f"{said}.", "citations": [f"[{label.lower()}]", "E999"]})

    answer = ask(FakeChat(rule, identity="invents"), options=AskOptions(retriever="bm25"))
    assert len(answer.trace.labels) == 1
    assert "E999" not in answer.text
