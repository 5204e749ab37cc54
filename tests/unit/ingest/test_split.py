"""Passages tile the text, chunks keep to their size, and an edit moves few boundaries."""

import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.config.settings import CHUNK_PROFILES, ChunkProfile
from dynagrag.core.ids import estimate_tokens
from dynagrag.core.schema import (
    Chunk,
    Document,
    LoadedSource,
    MentionKind,
    Passage,
    SourceTurn,
    Turn,
)
from dynagrag.ingest.split import (
    chunk_passages,
    halve,
    make_document,
    speaker_mentions,
    split_passages,
    turn_at,
)
from dynagrag.language.sentences import num_words

SHARED = Path(__file__).parents[3].parent / "shared"
DEFAULT = CHUNK_PROFILES["default"]
SMALL = CHUNK_PROFILES["small"]

texts = st.lists(
    st.sampled_from(
        [
            "so",
            "Dr.",
            "valve",
            "closed.",
            "why?",
            "13",
            "5.5",
            "\n",
            "\n\n",
            " ",
            "\t",
            "...",
            "漢字。",
            "a" * 90,
        ]
    ),
    max_size=60,
)
turn_lists = st.lists(
    st.tuples(texts.map(" ".join), st.sampled_from([None, "CDR", "A", "Jim Lovell"])), max_size=12
)


def build(
    turns: list[tuple[str, str | None]], sha: str = "abc"
) -> tuple[Document, tuple[Turn, ...]]:
    source = LoadedSource(
        "x.txt",
        "plain",
        tuple(SourceTurn(text, speaker) for text, speaker in turns),
        sha256=sha,
        title="x",
    )
    return make_document(source, "w", "x.txt")


def split(
    turns: list[tuple[str, str | None]], profile: ChunkProfile = DEFAULT
) -> tuple[Document, tuple[Passage, ...], tuple[Chunk, ...]]:
    document, parts = build(turns)
    passages = split_passages(document, parts, profile)
    return document, passages, chunk_passages(document, passages, profile)


def conversation(num_turns: int, seed: int) -> list[tuple[str, str | None]]:
    rng = random.Random(seed)
    words = [
        "alpha",
        "bravo",
        "valve",
        "tank",
        "pressure",
        "crew",
        "panel",
        "switch",
        "heater",
        "battery",
        "roll",
        "pitch",
        "water",
    ]
    turns: list[tuple[str, str | None]] = []
    for _ in range(num_turns):
        turns.append(
            (
                " ".join(rng.choices(words, k=rng.randrange(3, 40))).capitalize() + ".",
                rng.choice(["CDR", "CMP", "LMP"]),
            )
        )
    return turns


def test_a_document_is_its_turns_joined_by_line_breaks() -> None:
    document, turns = build([("Hello.", "A"), ("", "B"), ("Two\nlines.", None)])
    assert document.text == "Hello.\n\nTwo\nlines."
    assert [document.text[t.start : t.end] for t in turns] == ["Hello.", "", "Two\nlines."]
    assert [t.speaker for t in turns] == ["A", "B", None]


def test_document_id_depends_on_workspace_and_source_content_alone() -> None:
    source = LoadedSource("a.txt", "plain", (SourceTurn("Hi."),), sha256="s1", title="T")
    first, _ = make_document(source, "w", "a.txt")
    assert (
        make_document(replace(source, path="b.txt", title="Other"), "w", "b.txt")[0].id == first.id
    )
    assert make_document(source, "other", "a.txt")[0].id != first.id
    assert make_document(replace(source, sha256="s2"), "w", "a.txt")[0].id != first.id


@settings(max_examples=120, deadline=None)
@given(turn_lists, st.integers(3, 120))
def test_passages_tile_all_text_that_is_not_blank(
    turns: list[tuple[str, str | None]], most: int
) -> None:
    document, parts = build(turns)
    passages = split_passages(document, parts, replace(DEFAULT, passage_words=most))
    end = 0
    for index, passage in enumerate(passages):
        piece = document.text[passage.start : passage.end]
        assert passage.index == index
        assert piece
        assert piece == piece.strip()
        assert num_words(piece) <= most
        assert not document.text[end : passage.start].strip()
        assert turn_at(parts, passage.start).index == passage.first_turn
        assert turn_at(parts, passage.end - 1).index == passage.last_turn
        end = passage.end
    assert not document.text[end:].strip()


@settings(max_examples=60, deadline=None)
@given(turn_lists, st.sampled_from([10, 40, 600, None]))
def test_chunks_hold_every_passage_once_within_their_size(
    turns: list[tuple[str, str | None]], most: int | None
) -> None:
    profile = replace(DEFAULT, passage_words=20, chunk_tokens=most)
    document, passages, chunks = split(turns, profile)
    assert [p for chunk in chunks for p in chunk.passages] == list(passages)
    for chunk in chunks:
        assert (chunk.start, chunk.end) == (chunk.passages[0].start, chunk.passages[-1].end)
        size = estimate_tokens(document.text[chunk.start : chunk.end])
        assert len(chunk.passages) == 1 or (most is not None and size <= most)


def test_short_turns_stay_whole_and_a_long_one_is_cut_at_its_sentences() -> None:
    long = " ".join(f"This is sentence number {i} of a rather long speech." for i in range(40))
    document, passages, _ = split([("Go ahead.", "A"), (long, "B"), ("Thank you.", "A")])
    pieces = [document.text[p.start : p.end] for p in passages]
    assert len(pieces) > 2
    assert all(piece.endswith(".") for piece in pieces)
    assert pieces[0].startswith("Go ahead.\nThis is sentence number 0")


def test_speech_without_punctuation_is_cut_at_word_boundaries() -> None:
    document, passages, _ = split([(" ".join(f"w{i}" for i in range(300)), None)])
    assert [len(document.text[p.start : p.end].split()) for p in passages] == [120, 120, 60]


def test_the_small_profile_reads_one_passage_a_call() -> None:
    _, passages, chunks = split(conversation(60, 3), SMALL)
    assert [c.passages for c in chunks] == [(p,) for p in passages]


@pytest.mark.parametrize("seed", range(4))
def test_a_turn_inserted_early_leaves_most_later_chunks_as_they_were(seed: int) -> None:
    turns = conversation(1500, seed)
    document, _, chunks = split(turns)
    before = {document.text[c.start : c.end] for c in chunks}
    edited, _, after = split(
        [*turns[:5], ("A turn that nobody had heard before.", "CDR"), *turns[5:]]
    )
    kept = sum(edited.text[c.start : c.end] in before for c in after)
    assert kept >= 0.8 * len(after)


def test_the_corpus_of_the_peers_table_takes_at_most_three_chunks_a_document(
    tmp_path: Path,
) -> None:
    tool = SHARED / "tools" / "bench_corpus.py"
    if not tool.exists():
        pytest.skip("bench_corpus.py is not beside the repository: see CONTRIBUTING.md")
    subprocess.run([sys.executable, str(tool), str(tmp_path)], check=True)
    files = sorted(tmp_path.glob("*.txt"))
    assert len(files) == 20
    assert sum(len(split([(f.read_text(), None)])[2]) for f in files) <= 60


def test_halves_are_cut_between_passages_then_sentences_then_never() -> None:
    document, _, chunks = split(conversation(40, 1))
    whole = chunks[0]
    pending, pieces = [whole], []
    while pending:
        chunk = pending.pop()
        halves = halve(document, chunk)
        if halves is None:
            pieces.append(chunk)
            continue
        left, right = halves
        assert (left.start, right.end) == (chunk.start, chunk.end)
        assert left.end <= right.start
        assert not document.text[left.end : right.start].strip()
        if len(chunk.passages) > 1:
            assert left.passages + right.passages == chunk.passages
        else:
            assert left.passages == right.passages == chunk.passages
        pending += halves
    texts_ = [document.text[c.start : c.end] for c in sorted(pieces, key=lambda c: c.start)]
    assert len(texts_) > len(whole.passages)
    assert all(len(re.findall(r"\.(?:\s|$)", text)) == 1 for text in texts_)
    assert "".join("".join(texts_).split()) == "".join(
        document.text[whole.start : whole.end].split()
    )


def test_halves_of_lines_without_punctuation_are_cut_between_lines() -> None:
    document, passages, _ = split([("go ahead", "A"), ("roger out", "B")])
    halves = halve(document, Chunk(document.id, 0, len(document.text), passages))
    assert halves is not None
    assert [document.text[h.start : h.end] for h in halves] == ["go ahead", "roger out"]


def test_a_speaker_is_mentioned_once_in_each_passage_where_they_speak() -> None:
    long = " ".join(f"This is sentence number {i} of a rather long speech." for i in range(40))
    document, turns = build(
        [
            (long, "Jim Lovell"),
            ("Yes.", "SPEAKER_01"),
            ("No.", "Jim Lovell"),
            ("", "Ghost"),
            ("Hm.", None),
        ]
    )
    passages = split_passages(document, turns, DEFAULT)
    mentions = speaker_mentions(document, turns, passages)
    jim = [m for m in mentions if m.key == "jim lovell"]
    assert [m.passage_ids for m in jim] == [(p.id,) for p in passages]
    assert {m.type for m in jim} == {"person"}
    (other,) = [m for m in mentions if m not in jim]
    assert (other.key, other.type, other.name) == ("speaker_01 @abc", "speaker", "SPEAKER_01")
    assert all(m.kind is MentionKind.SPEAKER and m.extractor == "split" for m in mentions)
    assert len({m.id for m in mentions}) == len(mentions)


def test_turn_at_gives_a_line_break_to_the_turn_before_it() -> None:
    _, turns = build([("ab", None), ("", None), ("cd", None)])
    assert [turn_at(turns, i).index for i in range(6)] == [0, 0, 0, 1, 2, 2]


def test_no_turns_give_no_passages() -> None:
    document, passages, chunks = split([(" \n ", "A"), ("", None)])
    assert document.text == " \n \n"
    assert (passages, chunks) == ((), ())
