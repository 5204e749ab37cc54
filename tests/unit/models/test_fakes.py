import pytest
from pydantic import BaseModel

from dynagrag.core.protocols import Prompt
from dynagrag.fakes import FakeChat, FakeEmbedder


class Entity(BaseModel):
    name: str
    type: str
    summary: str


class Relation(BaseModel):
    source: str
    target: str
    label: str
    summary: str
    quote: str


class Extraction(BaseModel):
    entities: list[Entity]
    relations: list[Relation]


class Intermediate(BaseModel):
    answer: str
    citations: list[str]
    enough_evidence: bool


class Score(BaseModel):
    id: str
    relevance: int
    coherence: int
    detail: int


class Judge(BaseModel):
    scores: list[Score]


def test_simple_sentences_become_relations_with_verbatim_quotes() -> None:
    said = "BOB: Well, Grace Hopper founded  Bank of Delft. And Acme is located\nin Delft. He left."
    text = f"<x>Ada works at Zed.</x> <excerpt>\n{said}\n</excerpt>"
    found = Extraction.model_validate_json(
        FakeChat().complete(Prompt("e", "Zoe works at Zed.", text), Extraction, 1000).text
    )
    assert [(r.source, r.label, r.target) for r in found.relations] == [
        ("Grace Hopper", "founded", "Bank of Delft"),
        ("Acme", "is located in", "Delft"),
    ]
    assert all(r.quote in text for r in found.relations)
    assert [e.name for e in found.entities] == ["Grace Hopper", "Bank of Delft", "Acme", "Delft"]


def test_evidence_is_cited_and_its_absence_said() -> None:
    user = (
        '[1] "Acme" (0.5): a company [E2]\n[E1] BOB 0:12 "Ada works at Acme."\n[E2] BOB'
        ' "x"\nQuestion: who?'
    )
    reply = Intermediate.model_validate_json(
        FakeChat().complete(Prompt("i", "", user), Intermediate, 1000).text
    )
    assert (reply.citations, reply.enough_evidence) == (["E1"], True)
    assert "".join(FakeChat().stream(Prompt("m", "", user), 100)).endswith("[E1].")
    empty = Intermediate.model_validate_json(
        FakeChat().complete(Prompt("i", "", "Question: who?"), Intermediate, 1000).text
    )
    assert (empty.citations, empty.enough_evidence) == ([], False)


def test_each_answer_is_scored_once() -> None:
    user = '<answer id="A1">\none\n</answer>\n<answer id="A2">\ntwo\n</answer>'
    reply = Judge.model_validate_json(FakeChat().complete(Prompt("j", "", user), Judge, 1000).text)
    assert [(s.id, s.relevance) for s in reply.scores] == [("A1", 3), ("A2", 3)]


def test_a_script_is_followed_then_the_rule() -> None:
    chat = FakeChat(lambda prompt, schema: "rule", script=["one", ValueError("two")])
    assert chat.complete(Prompt("p", "", ""), None, 10).text == "one"
    with pytest.raises(ValueError, match="two"):
        chat.complete(Prompt("p", "", ""), None, 10)
    assert chat.complete(Prompt("p", "", ""), None, 10).text == "rule"
    assert chat.num_calls == 3


def test_shared_words_bring_texts_together() -> None:
    embedder = FakeEmbedder()
    query = embedder.embed_query("Where does the engine work?")
    near, far = (
        embedder.embed_documents(["The engine works in Delft.", "Bananas ripen slowly."]) @ query
    )
    assert near > far + 0.3
