"""The whole flow, offline, in the order in which a transcript becomes an answer. Read this
first.
"""

import json
from pathlib import Path

import pytest

from dynagrag import AskOptions, open_workspace
from dynagrag.config.settings import CHUNK_PROFILES
from dynagrag.core.ids import entity_key
from dynagrag.core.protocols import Prompt
from dynagrag.core.schema import Question, Verdict
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.fakes.fake_models import JsonSchema, simple_reply
from dynagrag.ingest.load import load_source
from dynagrag.ingest.split import chunk_passages, make_document, split_passages
from dynagrag.workspace.facade import Workspace

TRANSCRIPT = """WEBVTT

00:00:01.000 --> 00:00:05.000
<v Maria>Ada Byron works at Analytical Engines.</v>

00:00:06.000 --> 00:00:09.000
<v Leo>Charles Babbage founded Analytical Engines. The rain stopped.</v>

00:00:10.000 --> 00:00:14.000
<v Maria>Analytical Engines is located in North London.</v>
"""


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "meeting.vtt"
    path.write_text(TRANSCRIPT, encoding="utf-8")
    return path


@pytest.fixture
def space() -> Workspace:
    return open_workspace("walkthrough", chat_model=FakeChat(), embedder=FakeEmbedder(dimension=64))


def test_1_a_file_is_read_as_turns(transcript: Path) -> None:
    source = load_source(transcript)
    assert (source.format, source.refused) == ("vtt", None)
    assert [(t.speaker, t.start_s) for t in source.turns] == [
        ("Maria", 1.0),
        ("Leo", 6.0),
        ("Maria", 10.0),
    ]


def test_2_turns_are_split_into_passages_and_chunks_with_offsets(transcript: Path) -> None:
    document, turns = make_document(load_source(transcript), "walkthrough", str(transcript))
    passages = split_passages(document, turns, CHUNK_PROFILES["default"])
    chunks = chunk_passages(document, passages, CHUNK_PROFILES["default"])
    assert (
        document.text[turns[1].start : turns[1].end]
        == "Charles Babbage founded Analytical Engines. The rain stopped."
    )
    assert (
        len(passages) == len(chunks) == 1
    )  # a short meeting: one passage of at most 120 words, one extraction call


def test_3_an_ingest_makes_records_and_derives_the_graph_from_them(
    space: Workspace, transcript: Path
) -> None:
    report = space.ingest([transcript])
    assert (report.num_chunks, report.set_aside) == (1, ())
    names = {e.key: e for e in space.graph().entities}
    assert {
        "ada byron",
        "charles babbage",
        "analytical engines",
        "north london",
        "maria",
        "leo",
    } == set(names)
    assert names["maria"].is_speaker
    labels = {r.label for r in space.graph().relations}
    assert labels == {"works at", "founded", "is located in"}


def test_4_every_relation_knows_the_words_it_rests_on_who_said_them_and_when(
    space: Workspace, transcript: Path
) -> None:
    space.ingest([transcript])
    snapshot = space.current_graph.snapshot()
    record = next(r for r in snapshot.records.values() if r.label == "founded")
    turn = snapshot.turns[record.document_id][record.turn_index]
    assert (
        snapshot.text(record.document_id, record.quote_start, record.quote_end)
        == "Charles Babbage founded Analytical Engines."
    )
    assert (turn.speaker, turn.start_s) == ("Leo", 6.0)


def test_5_a_second_ingest_does_nothing(space: Workspace, transcript: Path) -> None:
    space.ingest([transcript])
    before = space.stats()
    report = space.ingest([transcript])
    assert (report.num_chunks, space.stats()) == (0, before)


def test_6_a_question_is_planned_and_the_plan_s_retriever_finds_diverse_ego_graphs(
    space: Workspace, transcript: Path
) -> None:
    space.ingest([transcript])
    options = AskOptions(profile="graph")  # `dynagrag ask --profile graph`
    plan = space.questions.plan(options, chat=None)
    text = "Who founded Analytical Engines?"
    question = Question(text, space.questions.query_vector(text))
    found = plan.retriever.retrieve(question, num_passages=10, num_subgraphs=5)
    assert found.subgraphs
    assert all(c.reason for c in found.candidates)  # why each was accepted or refused


def test_7_the_answer_cites_only_what_is_there(space: Workspace, transcript: Path) -> None:
    space.ingest([transcript])
    answer = space.ask("Who founded Analytical Engines?")
    assert not answer.is_abstained
    assert answer.citations
    texts = {d.title: d.text for d in space.store.documents()}
    assert all(texts[c.document][c.start : c.end] == c.quote for c in answer.citations)


def test_8_each_claim_of_the_answer_has_a_verdict_and_a_strict_answer_keeps_what_is_stated(
    transcript: Path,
) -> None:
    true = "Charles Babbage founded Analytical Engines."
    false = "Analytical Engines is not located in North London."
    made_up = "Leo sold it to Ada in 1871."
    said = f"{true} {false} {made_up}"

    def careless(prompt: Prompt, schema: JsonSchema | None) -> str:
        if schema is None:
            return said
        reply = json.loads(simple_reply(prompt, schema))
        return json.dumps(reply | {"answer": said} if "answer" in reply else reply)

    space = open_workspace(
        "walkthrough", chat_model=FakeChat(careless), embedder=FakeEmbedder(dimension=64)
    )
    space.ingest([transcript])
    checked = space.ask("Who founded Analytical Engines?")
    assert {claim.text: claim.verdict for claim in checked.claims} == {
        true: Verdict.STATED,  # by a line that the model didn't cite: code found it
        false: Verdict.CONTRADICTED,
        made_up: Verdict.NOT_FOUND,
    }
    strict = space.ask(
        "Who founded Analytical Engines?", AskOptions(is_strict=True)
    )  # `dynagrag ask --strict`
    assert true in strict.text
    assert [claim.text for claim in strict.left_out] == [false, made_up]


def test_9_without_a_model_the_evidence_is_shown(transcript: Path) -> None:
    space = open_workspace("fast", embedder=FakeEmbedder())
    from dynagrag import IngestOptions

    space.ingest([transcript], IngestOptions(extractor="fast"))
    answer = space.ask("Who founded Analytical Engines?", AskOptions(retriever="hybrid"))
    assert not answer.is_answered_by_model
    assert ("Leo", "Charles Babbage founded Analytical Engines. The rain stopped.") in {
        (e.speaker, e.quote) for e in answer.evidence
    }


def test_10_deleting_a_document_leaves_nothing_of_it(space: Workspace, transcript: Path) -> None:
    space.ingest([transcript])
    space.documents.delete("meeting")
    stats = space.stats()
    assert (stats.documents, stats.mentions, stats.entities, stats.relation_records) == (0, 0, 0, 0)


def test_names_meet_under_one_key() -> None:
    assert (
        entity_key("The  Analytical Engine's")
        == entity_key('"analytical engine"')
        == "analytical engine"
    )
    assert len({entity_key(n) for n in ("C", "C++", "C#")}) == 3
