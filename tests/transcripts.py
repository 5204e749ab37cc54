"""A snapshot of a transcript that stands in a test: turns, passages and their vectors, without a
store or a graph.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dynagrag.config.settings import ChunkProfile
from dynagrag.core.schema import (
    UNMEASURED,
    CosineScale,
    Graph,
    LoadedSource,
    Question,
    Snapshot,
    SourceTurn,
)
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.ingest.split import make_document, split_passages
from dynagrag.retrieval.passages import PassageScores

DIMENSION = 64
NO_GRAPH = Graph(
    (), (), np.zeros((0, DIMENSION), np.float32), np.zeros((0, DIMENSION), np.float32), ()
)


def snapshot_of(turns: Sequence[tuple[str | None, str]], passage_words: int = 120) -> Snapshot:
    """The snapshot of one document of these turns: (speaker, text)."""
    source = LoadedSource(
        "talk.txt",
        "speaker-text",
        tuple(SourceTurn(text, speaker) for speaker, text in turns),
        "0" * 64,
        "Talk",
    )
    document, made = make_document(source, "w", "/talk.txt")
    passages = split_passages(document, made, ChunkProfile("test", passage_words=passage_words))
    vectors = FakeEmbedder(DIMENSION).embed_documents(
        [document.text[p.start : p.end] for p in passages]
    )
    return Snapshot(
        "w", "1", {document.id: document}, {document.id: made}, passages, vectors, {}, NO_GRAPH
    )


def line_index(
    turns: Sequence[tuple[str | None, str]],
    passage_words: int = 120,
    scale: CosineScale = UNMEASURED,
) -> LineIndex:
    """The index of the lines of such a snapshot. `scale`: as if its vectors were of another
    embedder.
    """
    snapshot = replace(snapshot_of(turns, passage_words), scale=scale)
    return LineIndex(PassageScores(snapshot))


def question(text: str) -> Question:
    """A question with its vector."""
    return Question(text, FakeEmbedder(DIMENSION).embed_query(text))
