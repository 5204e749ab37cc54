"""Passages spread over prompts: how many, how large, in which order; and answers made part by
part.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spoken import spoken

from dynagrag import AskOptions, open_workspace
from dynagrag.config.settings import PROFILES
from dynagrag.core.schema import ScoredPassage, Snapshot
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.generation.answer_prompts import spread_passages
from dynagrag.generation.evidence import passage_evidence
from dynagrag.generation.hard_prompt import write_evidence_prompt

QUESTION = "What were the main disagreements?"


def talks(sizes: list[int]) -> Snapshot:
    """A document for each size, of so many passages."""
    said = [
        (
            "Ada",
            "Somebody moved the crates of the Odyssey over to the other side of the hold again.",
        )
    ]
    return spoken({f"T{number}": said * size for number, size in enumerate(sizes)})


def ranked(
    snapshot: Snapshot, order: Callable[[int], Any] = lambda row: row
) -> list[ScoredPassage]:
    rows = sorted(range(len(snapshot.passages)), key=order)
    return [
        ScoredPassage(snapshot.passages[row], 1 / (1 + place)) for place, row in enumerate(rows)
    ]


@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=6),
    st.integers(1, 8),
    st.integers(30, 400),
    st.randoms(),
)
def test_prompts_are_no_more_and_no_larger_than_allowed_and_hold_each_passage_once(
    sizes: list[int], num_prompts: int, budget: int, rng: Any
) -> None:
    snapshot = talks(sizes)
    keys = {row: rng.random() for row in range(len(snapshot.passages))}
    prompts = spread_passages(
        snapshot, ranked(snapshot, lambda row: keys[row]), num_prompts, budget
    )
    assert 0 < len(prompts) <= num_prompts
    ids = [scored.passage.id for passages in prompts for scored in passages]
    assert len(ids) == len(set(ids))
    for passages in prompts:
        written = write_evidence_prompt(passage_evidence(snapshot, passages), budget)
        assert written.num_lines_cut == 0 or len(passages) == 1
        by_document: dict[str, list[int]] = {}
        for scored in passages:
            by_document.setdefault(scored.passage.document_id, []).append(scored.passage.index)
        assert all(indexes == sorted(indexes) for indexes in by_document.values()), (
            "in the order of the text"
        )


def test_documents_and_sections_take_turns_the_best_first() -> None:
    snapshot = talks([20, 20, 20])
    (passages,) = spread_passages(snapshot, ranked(snapshot), 1, 250)
    documents = [scored.passage.document_id for scored in passages]
    assert len(passages) > 6
    assert (
        max(map(documents.count, "d0 d1 d2".split()))
        - min(map(documents.count, "d0 d1 d2".split()))
        <= 1
    )
    of_first = [
        scored.passage.index // 4 for scored in passages if scored.passage.document_id == "d0"
    ]
    assert len(of_first) == len(set(of_first)), (
        "no section has its second before others had their first"
    )


def test_the_best_passage_is_shown_also_where_it_stands_last_in_the_text() -> None:
    words = "and nobody minded that at all since the crops were in "
    snapshot = spoken(
        {
            "T": [
                ("Ada", f"Talk of {number}: {words * (1 + 5 * (number % 3))}")
                for number in range(80)
            ]
        }
    )
    best = len(snapshot.passages) - 1
    for budget in range(300, 500, 7):
        prompts = spread_passages(
            snapshot, ranked(snapshot, lambda row: (row != best, row * 37 % 79)), 8, budget
        )
        assert len(prompts) <= 8
        assert prompts[-1][-1].passage == snapshot.passages[best], budget


@given(
    st.lists(st.lists(st.integers(1, 40), min_size=1, max_size=40), min_size=1, max_size=3),
    st.integers(1, 8),
    st.integers(100, 400),
    st.randoms(),
)
def test_what_is_left_out_comes_after_all_that_is_shown(
    talks: list[list[int]], num_prompts: int, budget: int, rng: Any
) -> None:
    """By the turns: documents, of each the sections, the best first."""
    said = {
        f"T{i}": [("Ada", "The crates were moved. " * times) for times in talk]
        for i, talk in enumerate(talks)
    }
    snapshot = spoken(said)
    keys = {row: rng.random() for row in range(len(snapshot.passages))}
    passages = [scored.passage for scored in ranked(snapshot, lambda row: keys[row])]
    prompts = spread_passages(
        snapshot, ranked(snapshot, lambda row: keys[row]), num_prompts, budget
    )
    shown = {scored.passage.id for part in prompts for scored in part}
    documents = list(dict.fromkeys(p.document_id for p in passages))
    order: list[tuple[int, int, str]] = []
    for place, document in enumerate(documents):
        own = [p for p in passages if p.document_id == document]
        sections = list(dict.fromkeys(p.index // 4 for p in own))
        by_section = {section: [p for p in own if p.index // 4 == section] for section in sections}
        turns = sorted(
            own, key=lambda p: (by_section[p.index // 4].index(p), sections.index(p.index // 4))
        )
        order += [(turn, place, passage.id) for turn, passage in enumerate(turns)]
    assert shown == {id_ for _, _, id_ in sorted(order)[: len(shown)]}


def test_what_fits_is_shown_whole_in_as_few_prompts_as_it_takes() -> None:
    snapshot = talks([5])
    (passages,) = spread_passages(snapshot, ranked(snapshot, lambda row: -row), 8, 1500)
    assert [scored.passage.index for scored in passages] == [0, 1, 2, 3, 4]
    assert spread_passages(snapshot, [], 8, 1500) == []


def test_prompts_are_of_about_the_same_size() -> None:
    snapshot = talks([60])
    sizes = [len(passages) for passages in spread_passages(snapshot, ranked(snapshot), 8, 400)]
    assert len(sizes) > 2
    assert max(sizes) - min(sizes) <= 2


# ------------------------------------------------------------------------------------------ answers


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Asks two long talks under the profile `global`, its prompts made smaller so that it takes
    several.
    """
    monkeypatch.setenv("DYNAGRAG_CHECKER", "rules")
    monkeypatch.setitem(PROFILES, "global", replace(PROFILES["global"], subgraph_token_budget=800))
    for name in ("north", "south"):
        said = (
            f"Person Number{i} of the {name} works at Company Letter{chr(65 + i)}."
            for i in range(20)
        )
        more = (
            "It rained all week in every town along the river, and nobody minded that at all since"
            " the crops were in. " * 4
        )
        (tmp_path / f"{name}.txt").write_text(
            "\n".join(f"LEO: {line} {more}" for line in said), encoding="utf-8"
        )
    chats: list[FakeChat] = []

    def call(question: str = QUESTION, chat: FakeChat | None = None, **options: Any) -> Any:
        chats.append(chat or FakeChat())
        with open_workspace("w", chat_model=chats[-1], embedder=FakeEmbedder(64)) as space:
            if not space.store.documents():
                space.ingest([tmp_path / "north.txt", tmp_path / "south.txt"])
                chats[-1].prompts.clear()
            return space.ask(question, AskOptions(profile="global", **options)), chats[-1]

    return call


def test_each_part_is_asked_once_and_what_they_say_is_merged_with_its_citations(
    ask: Callable[..., Any],
) -> None:
    answer, chat = ask()
    assert not any("--max-calls" in note for note in answer.trace.notes)
    parts = [prompt for prompt in chat.prompts if prompt.name == "partial"]
    assert 2 < len(parts) <= 8
    assert [p.name for p in chat.prompts if p.name != "partial"] == ["helpfulness", "merge"]
    assert {c.document for c in answer.citations} <= {"north", "south"}
    assert answer.citations
    assert {
        name for a in answer.intermediate for name in a.centre.partition(": ")[2].split(", ")
    } == {"north", "south"}
    labels = [label for prompt in answer.trace.prompts for label in prompt.labels]
    assert labels == [f"E{n}" for n in range(1, len(labels) + 1)], "labels run through all parts"
    assert answer.trace.instructions == parts[0].system


def test_max_calls_is_kept_with_fewer_parts(ask: Callable[..., Any]) -> None:
    answer, chat = ask(max_calls=5)
    assert [p.name for p in chat.prompts] == ["partial"] * 3 + ["helpfulness", "merge"]
    assert not answer.is_abstained
    assert (
        "3 of 8 parts at most were read, since --max-calls 5 has room for no more"
        in answer.trace.notes
    )
    answer, chat = ask("What else were the main disagreements?", max_calls=1)
    assert [p.name for p in chat.prompts] == ["partial"]
    assert answer.citations


def test_parts_that_say_nothing_to_the_question_give_no_answer(ask: Callable[..., Any]) -> None:
    answer, _ = ask(
        chat=FakeChat(
            lambda prompt, schema: '{"answer": "", "citations": [], "enough_evidence": false}'
        )
    )
    assert answer.is_abstained
    assert not answer.citations
