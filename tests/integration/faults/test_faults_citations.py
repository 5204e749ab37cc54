"""Every citation is checked: whatever arm brings the evidence and whatever the model makes of it.
Filters let nothing else through.
"""

import json
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dynagrag import AskOptions, IngestOptions, open_workspace, wiring
from dynagrag.config.settings import PROFILES
from dynagrag.core.errors import ModelUnavailableError, UsageError
from dynagrag.core.schema import Answer, Filters
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.generation.answer import ABSTENTION
from dynagrag.registry.retrievers import RETRIEVERS
from dynagrag.registry.traversals import TRAVERSALS
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.option_uses import WayToAnswer, without_unused

OpenSpace = Callable[..., Workspace]
Check = Callable[[Workspace, Answer], int]
QUESTIONS = (
    "Who works at Acme Works?",
    "Where is Delta Labs located, and what did Ember Partners acquire?",
    "Was it raining?",
)


@pytest.fixture(scope="module")
def ingested() -> dict[str, Path]:
    """The homes whose workspace `w` has the meetings, by extractor: made once, copied for each
    test.
    """
    return {}


@pytest.fixture
def bring_in(
    open_space: OpenSpace,
    corpus: Any,
    home: Path,
    ingested: dict[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], Workspace]:
    """The workspace `w` with four meetings, by this extractor."""

    def brought_in(extractor: str) -> Workspace:
        if extractor not in ingested:
            with open_space() as made:
                made.ingest(corpus.many(4, num_turns=30), IngestOptions(extractor=extractor))
            ingested[extractor] = shutil.copytree(
                home, tmp_path_factory.mktemp("ingested") / "home"
            )
        shutil.copytree(ingested[extractor], home, dirs_exist_ok=True)
        return open_space()

    return brought_in


@pytest.fixture
def space(bring_in: Callable[[str], Workspace]) -> Workspace:
    return bring_in("llm")


def _ask(space: Workspace, question: str, options: AskOptions | None = None) -> Answer:
    """Asks, and holds the streamed text to the final one; what no line supports is not streamed."""
    pieces: list[str] = []
    answer = space.ask(
        question, options or AskOptions(profile="graph"), on_text=pieces.append
    )  # several prompts, so that there is a merge
    assert "".join(pieces) == ("" if answer.is_unsupported else answer.text)
    return answer


def _with(space: Workspace, chat: FakeChat, open_space: OpenSpace) -> Workspace:
    """The same workspace with another model."""
    space.close()
    return open_space(space.name, chat=chat)


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_every_citation_is_a_record_or_passage_with_its_quote_in_place(
    space: Workspace, check_citations: Check, retriever: str
) -> None:
    num_cited = 0
    for traversal, profile, question in product(TRAVERSALS, PROFILES, QUESTIONS):
        chosen = PROFILES[profile]
        way = WayToAnswer(wiring.retriever_name(retriever, chosen), chosen, retriever)
        options = AskOptions(retriever=retriever, traversal=traversal, profile=profile)
        answer = _ask(space, question, without_unused(options, way))
        num_cited += check_citations(space, answer)
        assert answer.evidence
        for citation in answer.citations:
            turns = next(
                t
                for d, t in space.current_graph.snapshot().turns.items()
                if space.current_graph.snapshot().documents[d].title == citation.document
            )
            said = next(t for t in turns if t.start <= citation.start < t.end)
            assert citation.speaker == said.speaker
            assert citation.start_s == said.second_of(citation.start)
    assert num_cited >= len(TRAVERSALS) * len(PROFILES)


def _rule(answer: dict[str, Any], merged: str = "") -> Callable[[Any, Any], str]:
    """simple_reply, but for the intermediate answers and the merge."""

    def rule(prompt: Any, schema: Any) -> str:
        if prompt.name == "intermediate":
            return json.dumps(answer)
        return merged if prompt.name == "merge" and merged else simple_reply(prompt, schema)

    return rule


@pytest.mark.parametrize(
    "reply",
    [
        {
            "answer": "A quetzal does [E999].",
            "citations": ["E999", "E0", "the transcript"],
            "enough_evidence": True,
        },
        {"answer": "A quetzal does.", "citations": [], "enough_evidence": True},
        {"answer": "Ada Byron does [E1].", "citations": ["E1"], "enough_evidence": False},
        {"answer": "  ", "citations": ["E1"], "enough_evidence": True},
    ],
    ids=["unknown ids", "no ids", "not enough", "no words"],
)
@pytest.mark.parametrize("retriever", ["dynagrag", "hybrid"])
def test_an_answer_without_support_is_an_abstention(
    space: Workspace,
    open_space: OpenSpace,
    check_citations: Check,
    reply: dict[str, Any],
    retriever: str,
) -> None:
    space = _with(space, FakeChat(_rule(reply)), open_space)
    answer = _ask(space, QUESTIONS[0], AskOptions(retriever=retriever))
    assert (answer.is_abstained, answer.text, answer.citations) == (True, ABSTENTION, ())
    assert check_citations(space, answer) == 0


def test_marks_that_name_nothing_are_taken_out_of_the_merged_answer(
    space: Workspace, open_space: OpenSpace, check_citations: Check
) -> None:
    def rule(prompt: Any, schema: Any) -> str:
        if prompt.name != "merge":
            return simple_reply(prompt, schema)
        evidence = prompt.user.partition("<evidence>")[2]
        label = evidence.partition("[")[2].partition("]")[0]
        words = evidence.partition('"')[2].partition('"')[0]  # the first line states them
        return f"\n First [E999]. {words} [{label}, E998]. [E12345] And [so on]. "

    space = _with(space, FakeChat(rule), open_space)
    answer = _ask(space, QUESTIONS[0])
    assert answer.trace.merge == "merged"
    assert "E99" not in answer.text
    assert "E12345" not in answer.text
    assert answer.text.startswith("First")
    assert answer.text.endswith("And [so on].")
    assert check_citations(space, answer) == 1
    assert answer.text.count("[E") == 1


@pytest.mark.parametrize(
    "merged", ["Ada Byron does, I am sure of it.", "Ada Byron does [E999].", "   "]
)
def test_a_merge_that_cites_nothing_is_replaced_by_an_answer_that_does(
    space: Workspace, open_space: OpenSpace, check_citations: Check, merged: str
) -> None:
    def rule(prompt: Any, schema: Any) -> str:
        return merged if prompt.name == "merge" else simple_reply(prompt, schema)

    space = _with(space, FakeChat(rule), open_space)
    answer = _ask(space, QUESTIONS[0])
    assert "I am sure" not in answer.text
    assert "E999" not in answer.text
    assert not answer.is_abstained
    assert check_citations(space, answer) >= 1


class _Breaks(FakeChat):
    """Its streams break off after so many pieces."""

    def __init__(self, num_pieces: int) -> None:
        super().__init__()
        self._num_pieces = num_pieces

    def stream(self, prompt: Any, max_tokens: int) -> Any:
        for number, piece in enumerate(super().stream(prompt, max_tokens)):
            if number == self._num_pieces:
                raise ModelUnavailableError("fake went away; try later")
            yield piece


@pytest.mark.parametrize("num_pieces", [0, 2, 25])
def test_a_merge_that_breaks_off_still_gives_a_cited_answer(
    space: Workspace, open_space: OpenSpace, check_citations: Check, num_pieces: int
) -> None:
    space = _with(space, _Breaks(num_pieces), open_space)
    answer = _ask(space, QUESTIONS[0])
    assert check_citations(space, answer) >= 1
    assert not answer.is_abstained


def test_one_subgraph_without_a_reply_does_not_cost_the_answer(
    space: Workspace, open_space: OpenSpace, check_citations: Check
) -> None:
    space = _with(space, FakeChat(script=["junk", "junk"]), open_space)
    answer = _ask(space, QUESTIONS[0])
    assert check_citations(space, answer) >= 1
    assert not answer.is_abstained


def test_a_question_costs_at_most_seven_calls_and_6000_prompt_tokens_beside_the_checking(
    server: OpenAIStubServer, corpus: Any, check_citations: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNAGRAG_CHECKER", "rules")
    with open_workspace("w", embedder=FakeEmbedder(64)) as space:
        space.ingest(corpus.many(12, num_turns=60))
        num_merged = 0
        for question in (
            *QUESTIONS,
            "Tell me everything that was said of "
            + ", ".join(e.name for e in space.graph().entities[:20])
            + ".",
        ):
            for retriever in RETRIEVERS:
                server.reset()
                answer = _ask(space, question, AskOptions(retriever=retriever, profile="graph"))
                check_citations(space, answer)
                assert server.counts.chat_calls <= 7
                assert server.counts.prompt_chars / 4 <= 6000
                assert answer.usage.calls == server.counts.chat_calls
                num_merged += server.counts.chat_calls == 7
        assert num_merged >= 2, "no question used all five subgraphs"


def test_a_question_asked_again_costs_nothing(open_space: OpenSpace, corpus: Any) -> None:
    chat = FakeChat()
    space = open_space(chat=chat)
    space.ingest(corpus.many(3))
    first = _ask(space, QUESTIONS[0])
    num_calls = chat.num_calls
    again = _ask(space, QUESTIONS[0])
    assert (chat.num_calls, again.usage.calls) == (num_calls, 0)
    assert (again.text, again.citations) == (first.text, first.citations)


# ------------------------------------------------------------------------------------------ filters


@pytest.mark.parametrize("extractor", ["llm", "fast"])
@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_filters_let_nothing_through_from_outside(
    bring_in: Callable[[str], Workspace], extractor: str, retriever: str
) -> None:
    space = bring_in(extractor)
    for filters in (
        Filters(documents=("meeting-1",)),
        Filters(speakers=("maria",)),
        Filters(start_s=60, end_s=150),
        Filters(documents=("meeting-0", "meeting-2"), speakers=("Leo", "Ines"), start_s=30),
    ):
        answer = _ask(
            space, QUESTIONS[1], AskOptions(retriever=retriever, profile="graph", filters=filters)
        )
        assert answer.evidence
        for item in (*answer.citations, *answer.evidence):
            assert not filters.documents or item.document in filters.documents
            assert not filters.speakers or (item.speaker or "").casefold() in {
                s.casefold() for s in filters.speakers
            }
            assert item.start_s is not None
            assert filters.start_s is None or item.start_s >= filters.start_s
            assert filters.end_s is None or item.start_s < filters.end_s


def test_a_document_filter_gives_the_graph_of_that_document_alone(
    open_space: OpenSpace, corpus: Any
) -> None:
    from dynagrag.retrieval.filters import apply_filters

    paths = corpus.many(3, num_turns=25)
    whole, alone = open_space(), open_space("alone")
    whole.ingest(paths)
    alone.ingest(paths[1:2])
    inside = apply_filters(
        whole.current_graph.snapshot(), whole.store, Filters(documents=("meeting-1",))
    ).graph
    expected = alone.graph()
    assert {(e.key, e.weight) for e in inside.entities} == {
        (e.key, e.weight) for e in expected.entities
    }
    names, other = {e.id: e.key for e in inside.entities}, {e.id: e.key for e in expected.entities}
    assert {
        (names[r.head], r.label, names[r.tail], r.weight, r.support) for r in inside.relations
    } == {(other[r.head], r.label, other[r.tail], r.weight, r.support) for r in expected.relations}


def test_a_filter_by_speaker_counts_only_what_they_said(open_space: OpenSpace, corpus: Any) -> None:
    from dynagrag.retrieval.filters import apply_filters

    space = open_space()
    turns = [
        ("Leo", "Ada Byron founded Acme Works."),
        ("Ines", "Ada Byron works at Borealis Labs."),
        ("Leo", "Acme Works is located in Delft."),
    ]
    space.ingest([corpus.write("a.vtt", turns)])
    graph = apply_filters(
        space.current_graph.snapshot(), space.store, Filters(speakers=("Leo",))
    ).graph
    names = {e.id: e.key for e in graph.entities}
    assert {(names[r.head], r.label, names[r.tail]) for r in graph.relations} == {
        ("ada byron", "founded", "acme works"),
        ("acme works", "is located in", "delft"),
    }
    assert "borealis labs" not in names.values()
    assert "ines" not in names.values()


@pytest.mark.parametrize(
    ("filters", "named"),
    [
        (Filters(documents=("meeting-9",)), ("meeting-9", "meeting-0", "meeting-1")),
        (Filters(speakers=("Nobody",)), ("Nobody", "leo", "maria")),
    ],
)
def test_an_unknown_name_in_a_filter_is_refused_with_those_there_are(
    open_space: OpenSpace, corpus: Any, filters: Filters, named: tuple[str, ...]
) -> None:
    space = open_space()
    space.ingest(corpus.many(2, num_turns=12))
    with pytest.raises(UsageError) as refused:
        space.ask(QUESTIONS[0], AskOptions(filters=filters))
    assert all(name.casefold() in str(refused.value).casefold() for name in named)
