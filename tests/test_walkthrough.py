"""The whole flow, offline, in the order in which a transcript becomes an answer. Read this first."""

from pathlib import Path

import pytest

from dynagrag import AskOptions, open_workspace
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.ids import entity_key
from dynagrag.ingest.load import load_source
from dynagrag.ingest.split import chunk_passages, make_document, split_passages
from dynagrag.settings import CHUNK_PROFILES
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
    assert [(t.speaker, t.start_s) for t in source.turns] == [("Maria", 1.0), ("Leo", 6.0), ("Maria", 10.0)]


def test_2_turns_are_split_into_passages_and_chunks_with_offsets(transcript: Path) -> None:
    document, turns = make_document(load_source(transcript), "walkthrough", str(transcript))
    passages = split_passages(document, turns, CHUNK_PROFILES["default"])
    chunks = chunk_passages(document, passages, CHUNK_PROFILES["default"])
    assert document.text[turns[1].start : turns[1].end] == "Charles Babbage founded Analytical Engines. The rain stopped."
    assert len(passages) == len(chunks) == 1  # a short meeting: one passage of at most 120 words, one extraction call


def test_3_an_ingest_makes_records_and_derives_the_graph_from_them(space: Workspace, transcript: Path) -> None:
    report = space.ingest([transcript])
    assert (report.num_chunks, report.set_aside) == (1, ())
    names = {e.key: e for e in space.graph().entities}
    assert {"ada byron", "charles babbage", "analytical engines", "north london", "maria", "leo"} == set(names)
    assert names["maria"].is_speaker
    labels = {r.label for r in space.graph().relations}
    assert labels == {"works at", "founded", "is located in"}


def test_4_every_relation_knows_the_words_it_rests_on_who_said_them_and_when(space: Workspace, transcript: Path) -> None:
    space.ingest([transcript])
    snapshot = space.snapshot()
    record = next(r for r in snapshot.records.values() if r.label == "founded")
    turn = snapshot.turns[record.document_id][record.turn_index]
    assert snapshot.text(record.document_id, record.quote_start, record.quote_end) == "Charles Babbage founded Analytical Engines."
    assert (turn.speaker, turn.start_s) == ("Leo", 6.0)


def test_5_a_second_ingest_does_nothing(space: Workspace, transcript: Path) -> None:
    space.ingest([transcript])
    before = space.stats()
    report = space.ingest([transcript])
    assert (report.num_chunks, space.stats()) == (0, before)


def test_6_a_question_retrieves_diverse_ego_graphs(space: Workspace, transcript: Path) -> None:
    space.ingest([transcript])
    found = space.retrieve("Who founded Analytical Engines?")
    assert found.subgraphs
    assert all(c.reason for c in found.candidates)  # why each was accepted or refused


def test_7_the_answer_cites_only_what_is_there(space: Workspace, transcript: Path) -> None:
    space.ingest([transcript])
    answer = space.ask("Who founded Analytical Engines?")
    assert not answer.is_abstained
    assert answer.citations
    texts = {d.title: d.text for d in space.store.documents()}
    assert all(texts[c.document][c.start : c.end] == c.quote for c in answer.citations)


def test_8_without_a_model_the_evidence_is_shown(transcript: Path) -> None:
    space = open_workspace("fast", embedder=FakeEmbedder())
    from dynagrag import IngestOptions

    space.ingest([transcript], IngestOptions(extractor="fast"))
    answer = space.ask("Who founded Analytical Engines?", AskOptions(retriever="hybrid"))
    assert not answer.is_answered_by_model
    assert ("Leo", "Charles Babbage founded Analytical Engines. The rain stopped.") in {(e.speaker, e.quote) for e in answer.evidence}


def test_9_deleting_a_document_leaves_nothing_of_it(space: Workspace, transcript: Path) -> None:
    space.ingest([transcript])
    space.delete("meeting")
    stats = space.stats()
    assert (stats.documents, stats.mentions, stats.entities, stats.relation_records) == (0, 0, 0, 0)


def test_names_meet_under_one_key() -> None:
    assert entity_key("The  Analytical Engine's") == entity_key('"analytical engine"') == "analytical engine"
    assert len({entity_key(n) for n in ("C", "C++", "C#")}) == 3
