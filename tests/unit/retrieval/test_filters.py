"""A filtered snapshot holds what was said inside the bounds, and nothing else."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynagrag import AskOptions, IngestOptions, open_workspace
from dynagrag.core.errors import UsageError
from dynagrag.core.schema import Filters, Snapshot
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.retrieval.filters import apply_filters, without_deleted
from dynagrag.workspace.facade import Workspace

TURNS = [
    ("Leo", "Ada Byron founded Acme Works."),
    ("Ines", "Acme Works acquired Borealis Labs."),
    ("Ines", "Borealis Labs is located in Delft, a small town by the water."),
    ("Leo", "Yes."),
    ("Maria", "Ada Byron works at Acme Works."),
]

Fill = Callable[..., Workspace]


@pytest.fixture
def fill(tmp_path: Path) -> Iterator[Fill]:
    opened: list[Workspace] = []

    def make(*documents: Sequence[tuple[str, str]], extractor: str = "llm") -> Workspace:
        space = open_workspace(f"w{len(opened)}", chat_model=FakeChat(), embedder=FakeEmbedder())
        opened.append(space)
        paths = []
        for number, turns in enumerate(documents):
            cues = [
                f"00:00:{10 * i:02}.000 --> 00:00:{10 * i + 9:02}.000\n<v {who}>{words}\n"
                for i, (who, words) in enumerate(turns)
            ]
            paths.append(tmp_path / f"doc{number}.vtt")
            paths[-1].write_text("WEBVTT\n\n" + "\n".join(cues), encoding="utf-8")
        space.ingest(paths, IngestOptions(extractor=extractor))
        return space

    yield make
    for space in opened:
        space.close()


def _inside(space: Workspace, **bounds: object) -> Snapshot:
    return apply_filters(space.current_graph.snapshot(), space.store, Filters(**bounds))  # type: ignore[arg-type]


def test_no_bounds_change_nothing(fill: Fill) -> None:
    space = fill(TURNS)
    assert _inside(space) is space.current_graph.snapshot()


def test_each_run_of_turns_inside_is_a_passage_of_its_own(fill: Fill) -> None:
    space = fill(TURNS)
    snapshot = space.current_graph.snapshot()
    (whole,) = snapshot.passages
    (cut,) = _inside(space, speakers=("INES",)).passages
    assert snapshot.passage_text(cut) == "\n".join(words for _, words in TURNS[1:3])
    leo = _inside(space, speakers=("Leo",))
    assert [(p.first_turn, p.last_turn) for p in leo.passages] == [(0, 0), (3, 3)]
    assert [p.index for p in leo.passages] == [0, 1]
    assert len({p.id for p in (whole, cut, *leo.passages)}) == 4
    assert leo.passage_vectors.tolist() == snapshot.passage_vectors[[0, 0]].tolist()
    assert _inside(space, speakers=("leo", "ines", "maria")).passages == (whole,)


def test_names_and_relations_are_in_the_run_that_says_them(fill: Fill) -> None:
    turns = [
        ("Leo", "Ada Byron founded Acme Works."),
        ("Ines", "Go on."),
        ("Leo", "Acme Works acquired Borealis Labs."),
    ]
    leo = _inside(fill(turns), speakers=("Leo",))
    first, last = (p.id for p in leo.passages)
    graph = leo.graph
    held = {e.key: set(ids) for e, ids in zip(graph.entities, graph.entity_passages, strict=True)}
    assert held == {
        "leo": {first, last},
        "ada byron": {first},
        "acme works": {first, last},
        "borealis labs": {last},
    }
    assert {r.label: r.passage_id for r in leo.records.values()} == {
        "founded": first,
        "acquired": last,
    }
    assert sorted(leo.facts.passage_rows.tolist()) == [0, 1]


@pytest.mark.parametrize("retriever", ["hybrid", "bm25", "naive", "dynagrag", "triples", "pcst"])
def test_every_answer_of_a_speaker_is_found_under_a_filter(fill: Fill, retriever: str) -> None:
    answers = ["Pumps fail in winter when Acme Works is cold.", "Make was owned by Ada Byron."]
    space = fill([("Ines", "Why?"), ("Leo", answers[0]), ("Ines", "Who?"), ("Leo", answers[1])])
    options = AskOptions(retriever=retriever, filters=Filters(speakers=("Leo",)))
    for question, answer in zip(
        ("When do pumps at Acme Works fail?", "Who owned make, Ada Byron?"), answers, strict=True
    ):
        found = space.ask(question, options)
        assert answer in {e.quote for e in found.evidence}
        assert {e.speaker for e in found.evidence} == {"Leo"}


def test_time_bounds_are_half_open(fill: Fill) -> None:
    space = fill(TURNS)
    (cut,) = _inside(space, start_s=10, end_s=30).passages
    assert (cut.first_turn, cut.last_turn) == (1, 2)
    assert _inside(space, start_s=50).passages == ()
    assert _inside(space, start_s=30, end_s=10).passages == ()


def test_weights_and_relations_count_only_what_is_inside(fill: Fill) -> None:
    space = fill(
        TURNS, TURNS
    )  # equal words in both: one document, since sources are known by their content
    assert len(space.store.documents()) == 1
    graph = _inside(space, speakers=("Maria",)).graph
    names = {e.id: e.key for e in graph.entities}
    assert {(names[r.head], r.label, names[r.tail], r.weight) for r in graph.relations} == {
        ("ada byron", "works at", "acme works", 1)
    }
    assert set(names.values()) == {"ada byron", "acme works", "maria"}


def test_several_documents_are_any_of_them_and_other_bounds_hold_in_each(fill: Fill) -> None:
    space = fill(
        TURNS,
        [("Leo", "Grace Hopper founded Fathom Labs.")],
        [("Maria", "Grace Hopper acquired Ember Labs.")],
    )
    inside = _inside(space, documents=("doc0", "doc1"), speakers=("leo", "maria"))
    assert {d.title for d in inside.documents.values()} == {"doc0", "doc1"}
    assert {r.label for r in inside.records.values()} == {"founded", "works at"}
    assert inside.version != space.current_graph.snapshot().version


def test_an_entity_of_one_document_has_the_vector_there_that_it_has_in_the_whole(
    fill: Fill,
) -> None:
    space = fill(TURNS, [("Leo", "Grace Hopper founded Fathom Labs.")])
    whole, part = space.current_graph.snapshot().graph, _inside(space, documents=("doc1",)).graph
    row = next(i for i, e in enumerate(whole.entities) if e.key == "fathom labs")
    inside = next(i for i, e in enumerate(part.entities) if e.key == "fathom labs")
    assert whole.entity_vectors[row].any()
    assert part.entity_vectors[inside].tolist() == whole.entity_vectors[row].tolist()


def test_a_document_is_named_by_title_path_id_or_file_name(fill: Fill, tmp_path: Path) -> None:
    space = fill(TURNS, [("Leo", "Grace Hopper founded Fathom Labs.")])
    document = next(d for d in space.store.documents() if d.title == "doc1")
    for name in (document.id, document.id[:8], "DOC1", str(tmp_path / "doc1.vtt"), "doc1.vtt"):
        assert set(_inside(space, documents=(name,)).documents) == {document.id}
    with pytest.raises(UsageError, match="known"):
        _inside(space, documents=(document.id[:7],))


def test_a_part_of_one_document_s_title_names_it_and_of_several_none(fill: Fill) -> None:
    space = fill(TURNS, [("Leo", "Grace Hopper founded Fathom Labs.")])
    assert {d.title for d in _inside(space, documents=("Oc1",)).documents.values()} == {"doc1"}
    with pytest.raises(
        UsageError, match=r"'doc' is a part of 2 documents' titles .*'doc0', 'doc1'"
    ):
        _inside(space, documents=("doc",))


@pytest.mark.parametrize(
    "bounds",
    [
        {"documents": ("doc7",)},
        {"speakers": ("Nobody",)},
        {"documents": ("doc0",), "speakers": ("Nobody",)},
    ],
)
def test_what_is_not_there_is_refused(fill: Fill, bounds: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(UsageError, match=r"known"):
        _inside(fill(TURNS), **bounds)


@pytest.mark.parametrize(
    "name", ["Justice Kagan", "justice kagan", "Kagan", "ELENA KAGAN", "Ms. Kagan"]
)
def test_a_speaker_is_named_by_title_and_last_name_too(fill: Fill, name: str) -> None:
    space = fill(
        [
            ("Elena Kagan", "Grace Hopper founded Fathom Labs."),
            ("Ann Lee", "Ada Byron works at Acme Works."),
        ]
    )
    inside = _inside(space, speakers=(name,))
    assert {inside.passage_text(passage) for passage in inside.passages} == {
        "Grace Hopper founded Fathom Labs."
    }


def test_who_is_meant_by_two_is_refused_and_the_nearest_are_told_first(fill: Fill) -> None:
    names = [*(f"Olga Bell{chr(97 + i)}" for i in range(24)), "Ann Lee"]
    turns = [(name, f"Acme Works has {i} pumps.") for i, name in enumerate(names)]
    space = fill(*(turns[i : i + 5] for i in range(0, 25, 5)))
    with pytest.raises(
        UsageError, match=r"no speakers match 'An Lea' .* known: Ann Lee; .* and 5 more$"
    ):
        _inside(space, speakers=("An Lea",))
    with pytest.raises(UsageError, match=r"24 speakers match 'Bell'"):
        _inside(space, speakers=("Bell",))


def test_a_speaker_of_another_document_gives_nothing_and_no_error(fill: Fill) -> None:
    space = fill(TURNS, [("Olga", "Grace Hopper founded Fathom Labs.")])
    inside = _inside(space, documents=("doc0",), speakers=("olga",))
    assert (inside.passages, inside.graph.entities) == ((), ())


def test_among_those_who_may_be_meant_are_first_those_whose_name_holds_the_word(
    fill: Fill,
) -> None:
    """Ely is more like "ell" than Bellweather is, but doesn't hold it; Cy is not like it at all."""
    names = ("Ely", "Zoe Bellweather", "Cy", "Bo Bellweather")
    space = fill([(name, f"Acme Works has {name}.") for name in names])
    with pytest.raises(
        UsageError,
        match=r"2 speakers match 'ell' .* known: Bo Bellweather; Zoe Bellweather; Ely; Cy$",
    ):
        _inside(space, speakers=("ell",))
    (one,) = _inside(space, speakers=(" ELY ",)).passages
    (held,) = _inside(space, speakers=("o bell",)).passages
    assert (one.first_turn, held.first_turn) == (0, 3)
    with pytest.raises(UsageError, match=r"no speakers match ' '"):
        _inside(space, speakers=(" ",))


def test_a_quote_over_two_turns_is_inside_where_both_turns_are(fill: Fill) -> None:
    space = fill(TURNS)
    snapshot = space.current_graph.snapshot()
    (turns,) = snapshot.turns.values()
    (record,) = [r for r in snapshot.records.values() if r.turn_index == 1]
    for end, bounds, is_inside in (
        (turns[1].end, {"start_s": 10, "end_s": 20}, True),
        (turns[2].start, {"start_s": 10, "end_s": 20}, True),
        (turns[2].start + 1, {"start_s": 10, "end_s": 20}, False),
        (turns[2].start + 1, {"start_s": 10, "end_s": 30}, True),
        (turns[3].end, {"start_s": 10, "end_s": 30}, False),
        (turns[4].end, {"start_s": 10}, True),
        (turns[4].end, {"start_s": 20}, False),
        (turns[4].end, {"documents": ("doc0",)}, True),
    ):
        longer = replace(snapshot, records={record.id: replace(record, quote_end=end)})
        inside = apply_filters(longer, space.store, Filters(**bounds))  # type: ignore[arg-type]
        assert list(inside.records) == ([record.id] if is_inside else [])


def test_a_passage_that_holds_a_part_of_a_turn_is_not_widened_to_the_turn(fill: Fill) -> None:
    space = fill(TURNS)
    snapshot = space.current_graph.snapshot()
    (whole,), (turns,) = snapshot.passages, snapshot.turns.values()
    part = replace(whole, start=turns[0].start + 4, end=turns[4].end - 3)
    for bounds, span in (
        ({"end_s": 10}, (turns[0].start + 4, turns[0].end)),
        ({"start_s": 40}, (turns[4].start, turns[4].end - 3)),
        ({"start_s": 10, "end_s": 20}, (turns[1].start, turns[1].end)),
    ):
        inside = apply_filters(replace(snapshot, passages=(part,)), space.store, Filters(**bounds))
        assert [(p.start, p.end) for p in inside.passages] == [span]


def test_a_name_counts_where_it_is_said_in_a_turn_inside_and_a_speaker_where_they_speak(
    fill: Fill,
) -> None:
    space = fill([("Leo", "Ada\nByron founded Acme  Works."), ("Ines", "Ada Byron met Leo.")])
    assert {e.key for e in _inside(space, speakers=("Leo",)).graph.entities} == {
        "leo",
        "ada byron",
        "acme works",
    }
    assert "acme works" not in {e.key for e in _inside(space, start_s=10).graph.entities}


def test_without_speakers_or_times_a_text_is_inside_as_a_whole_document_alone(
    fill: Fill, tmp_path: Path
) -> None:
    space = fill(TURNS)
    plain = tmp_path / "plain.txt"
    plain.write_text("Grace Hopper founded Fathom Labs.", encoding="utf-8")
    space.ingest([plain])
    assert [d.title for d in _inside(space, documents=("plain",)).documents.values()] == ["plain"]
    for bounds in ({"speakers": ("Leo",)}, {"start_s": 0}, {"end_s": 99}):
        inside = _inside(space, **bounds)
        assert [d.title for d in inside.documents.values()] == ["doc0"]
        assert inside.turns.keys() == inside.documents.keys()
        assert len(inside.passage_vectors) == len(inside.passages) > 0


_WHO = st.sampled_from(("Leo", "Ines", ""))
_SECOND = st.sampled_from((0, 10, 20))
_TALK = st.lists(
    st.tuples(
        st.sampled_from(("Leo", "Ines")),
        st.lists(
            st.sampled_from(
                (
                    "Pumps fail.",
                    "Ada Byron smiled.",
                    "The pump at Acme Works broke.",
                    "Acme Works.",
                    "Delft, of course.",
                )
            ),
            min_size=1,
            max_size=4,
        ).map(" ".join),
    ),
    min_size=1,
    max_size=8,
)


@given(documents=st.lists(_TALK, min_size=1, max_size=3, unique_by=str), who=_WHO, start=_SECOND)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_passages_inside_hold_every_word_of_the_turns_inside_and_no_other(
    fill: Fill, documents: list[list[tuple[str, str]]], who: str, start: int
) -> None:
    space = fill(*documents, extractor="fast")
    filters = Filters(speakers=(who,), start_s=start) if who else Filters(start_s=start)
    whole = space.current_graph.snapshot()
    if who and not any(t.speaker == who for own in whole.turns.values() for t in own):
        return
    part = apply_filters(whole, space.store, filters)
    inside = {
        (id_, place)
        for id_, turns in whole.turns.items()
        for t in turns
        if (not who or t.speaker == who) and t.start_s is not None and t.start_s >= start
        for place in range(t.start, t.end)
    }
    held = {(p.document_id, place) for p in part.passages for place in range(p.start, p.end)}
    blank = {(d.id, i) for d in whole.documents.values() for i, c in enumerate(d.text) if c == "\n"}
    assert held - blank == inside - blank
    assert len({p.id for p in part.passages}) == len(part.passages) == len(part.passage_vectors)


@given(documents=st.lists(_TALK, min_size=2, max_size=4, unique_by=str))
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_the_fast_extractor_finds_in_a_part_is_what_it_finds_in_the_part_alone(
    fill: Fill, documents: list[list[tuple[str, str]]]
) -> None:
    """Its rules look at all documents, so a part may have names that the whole has not: these have
    no vector, and are no failure.
    """
    whole, alone = fill(*documents, extractor="fast"), fill(documents[0], extractor="fast")
    inside, expected = _inside(whole, documents=("doc0",)).graph, alone.graph()
    assert {(e.key, e.weight) for e in inside.entities} == {
        (e.key, e.weight) for e in expected.entities
    }


def test_a_whole_graph_is_left_as_it_is(fill: Fill) -> None:
    space = fill(TURNS, [("Olga", "Grace Hopper founded Fathom Labs.")])
    snapshot = space.current_graph.snapshot()
    assert without_deleted(snapshot, space.store) is snapshot
    space.store.delete_document(space.documents.find("doc1").id)
    with (
        space.parts.writing()
    ):  # another process is at it: nothing is written, the snapshot is right all the same
        fresh = space.current_graph.snapshot()
    assert "grace hopper" in {e.key for e in space.graph().entities}
    assert "grace hopper" not in {e.key for e in fresh.graph.entities}
    assert fresh.facts.texts
    assert not any("Hopper" in text for text in fresh.facts.texts)
    assert len(fresh.facts.held_ptr) == len(fresh.passages) + 1
