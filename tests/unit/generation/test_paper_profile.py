"""The profile `paper`: what it does as the paper has it, and the one list of what it doesn't."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dynagrag import AskOptions, open_workspace
from dynagrag.cli.main import app
from dynagrag.core.schema import Answer
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.generation.answer import ABSTENTION
from dynagrag.registry.profiles import PAPER_DIFFERS
from dynagrag.workspace.facade import Workspace

PAPERS = Path(__file__).parents[3] / "docs" / "papers.md"
QUESTION = "Who founded which firm?"
WORDS = "\n\n".join(
    f"SPEAKER{i}: Person{i} founded Firm{i}. Person{i} lives in Town{i}." for i in range(8)
)


def plain(text: str) -> str:
    return " ".join(text.split())


def test_the_documentation_lists_what_the_help_lists() -> None:
    section = PAPERS.read_text(encoding="utf-8").split("## What `paper` isn't")[1]
    section = section.split("\n## ")[0]
    items = re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]
    assert [plain(item) for item in items] == list(PAPER_DIFFERS)
    for words in (["ask", "--help"], ["ask", "--profile", "paper", "--help"]):
        shown = CliRunner().invoke(app, words)
        assert shown.exit_code == 0
        for item in PAPER_DIFFERS:
            assert (item in plain(shown.output)) is ("paper" in words)


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Answer]]:
    """Asks a workspace of simple facts under a profile, with a rule of replies."""
    monkeypatch.setenv("DYNAGRAG_CHECKER", "rules")
    source = tmp_path / "talk.txt"
    source.write_text(WORDS, encoding="utf-8")
    opened: list[Workspace] = []
    with open_workspace("w", chat_model=FakeChat(), embedder=FakeEmbedder(64)) as made:
        made.ingest([source])

    def call(rule: Callable[[Any, Any], str], profile: str = "paper", **more: Any) -> Answer:
        chat = FakeChat(rule, identity=f"{profile} {len(opened)}")
        opened.append(open_workspace("w", chat_model=chat, embedder=FakeEmbedder(64)))
        return opened[-1].ask(QUESTION, AskOptions(profile=profile, **more))

    yield call
    for space in opened:
        space.close()


def helpful(prompt: Any) -> str:
    """Marks that fall with the place of an answer in the judge's prompt."""
    ids = [part.partition('"')[0] for part in prompt.user.split('id="')[1:]]
    marks = [{"relevance": max(1, 5 - n), "coherence": 3, "detail": 3} for n in range(len(ids))]
    return json.dumps({"scores": [{"id": i, **own} for i, own in zip(ids, marks, strict=True)]})


def centre_of(prompt: Any) -> str:
    """The entity that an ego-graph's prompt begins with."""
    return re.findall(r'^\[1\] "([^"]+)"', prompt.user, re.MULTILINE)[0]


def told(says: str, merged: str = "Firms were founded [E1].") -> Callable[[Any, Any], str]:
    """The first ego-graph that is asked cites a line; the others say so much, and cite nothing."""
    centres: list[str] = []

    def rule(prompt: Any, schema: Any) -> str:
        if prompt.name == "intermediate":
            centre = centre_of(prompt) if '[1] "' in prompt.user else "passages"
            centres.append(centre)
            is_first = centre == centres[0]
            reply = {"answer": f"{says} {centre}." if says else "", "citations": []}
            if is_first:
                label = re.findall(r"^\[(E\d+)\]", prompt.user, re.MULTILINE)[0]
                reply = {"answer": "Person0 founded Firm0.", "citations": [label]}
            return json.dumps(reply | {"enough_evidence": is_first})
        if prompt.name == "helpfulness":
            return helpful(prompt)
        return merged if prompt.name == "merge" else simple_reply(prompt, schema)

    return rule


def test_every_intermediate_answer_is_merged_the_most_helpful_first(
    ask: Callable[..., Answer],
) -> None:
    answer = ask(told("Somebody said something"))
    assert len(answer.intermediate) > 2
    marks = [own.helpfulness for own in answer.intermediate]
    assert marks == sorted(marks, reverse=True)
    assert min(marks) > 0
    place = -1
    for own in answer.intermediate:
        place = answer.trace.merge_prompt.find(own.answer[:30], place + 1)
        assert place >= 0, "each behind the one before"
    assert not any("left out" in note for note in answer.trace.notes)
    of_graph = ask(told("Somebody said something"), "graph").trace.merge_prompt
    assert "Somebody said something" not in of_graph, "without a line it says nothing there"


def test_a_single_intermediate_answer_is_still_put_before_the_model(
    ask: Callable[..., Answer],
) -> None:
    answer = ask(told("", "Firms were founded [E1]."))
    assert sum(own.helpfulness > 0 for own in answer.intermediate) == 1
    assert (answer.text, answer.trace.merge) == ("Firms were founded [E1].", "merged")
    assert not ask(told(""), "graph").trace.merge


def test_a_merge_that_no_line_states_stands_where_it_cites_one(ask: Callable[..., Answer]) -> None:
    merged = "Nothing at all was ever said of aubergines [E1]."
    assert ask(told("", merged)).text == merged
    assert ask(told("", merged), "graph").text != merged
    uncited = ask(told("", "Nothing at all was ever said of aubergines."))
    assert uncited.trace.merge.startswith("the merged answer cited nothing")


def test_without_any_intermediate_answer_it_abstains(ask: Callable[..., Answer]) -> None:
    def rule(prompt: Any, schema: Any) -> str:
        if prompt.name == "intermediate":
            return '{"answer": " ", "citations": [], "enough_evidence": false}'
        return simple_reply(prompt, schema)

    answer = ask(rule)
    assert (answer.text, answer.is_abstained) == (ABSTENTION, True)


def test_it_is_told_that_nothing_was_trained(ask: Callable[..., Answer]) -> None:
    def of_pruner(*options: Any, **more: Any) -> list[str]:
        notes = ask(simple_reply, *options, **more).trace.notes
        return [note for note in notes if "no trained MLP and GCN" in note]

    assert len(of_pruner()) == 1
    assert of_pruner("graph") == of_pruner("paper", pruner="prior") == []
    assert of_pruner("paper", retriever="naive") == []
