"""Milliseconds a question, and memory, of Bridge-PPR, on made corpora of the shape of 2Wiki's (4
facts and 16 names a passage, 6 a fact).

    python benchmarks/retrieval.py --passages 6119
        documents of one passage
    python benchmarks/retrieval.py --passages 100000 --per-document 100
        long transcripts: with windows of passages

Prints one line a measurement; `--out FILE` appends them to a file. Questions are embedded already.
For real sets: `dynagrag evaluate`.
"""

import argparse
import os
import platform
import resource
import statistics
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from result_lines import ResultLines

from dynagrag.core.schema import (
    Document,
    Entity,
    Facts,
    Graph,
    Passage,
    Question,
    Snapshot,
    Turn,
    Vectors,
)
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.plain_search import HybridSearch, NaiveSearch

DIMENSION = 384
WORDS, FACTS, NAMES, NAMES_IN_FACT = 75, 4, 20, 6
"""2Wiki's passages hold 16 different names, its sentences 6."""
_VOCABULARY = 40_000


def unit(rng: np.random.Generator, num: int) -> Vectors:
    """(num, 384) random unit rows."""
    x = rng.standard_normal((num, DIMENSION), dtype=np.float32)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return x


def skewed(rng: np.random.Generator, num: int, size: int) -> NDArray[np.int64]:
    """`size` numbers below `num`, the low ones often."""
    return (num * rng.random(size) ** 3).astype(np.int64)


def make_snapshot(num_passages: int, per_document: int, seed: int = 0) -> Snapshot:
    """Passages of random words with facts and names; documents of `per_document` passages, each a
    turn of one of three speakers.
    """
    rng = np.random.default_rng(seed)
    vocabulary = np.array([f"w{i}" for i in range(_VOCABULARY)])
    num_entities = 7 * num_passages
    entities = tuple(
        Entity(f"e{i:08}", f"name {i}", f"Name {i}", "", (f"name {i}",), (), "name", 1, ())
        for i in range(num_entities)
    )
    documents: dict[str, Document] = {}
    turns: dict[str, tuple[Turn, ...]] = {}
    passages: list[Passage] = []
    for start in range(0, num_passages, per_document):
        id_ = f"d{start:08}"
        texts = [
            " ".join(vocabulary[skewed(rng, _VOCABULARY, WORDS)])
            for _ in range(min(per_document, num_passages - start))
        ]
        documents[id_] = Document(id_, "w", id_, f"/{id_}", "", "\n".join(texts))
        at, own = 0, []
        for i, text in enumerate(texts):
            own.append(Turn(f"{id_}-{i}", id_, i, at, at + len(text), f"Speaker {i % 3}"))
            passages.append(Passage(f"p{start + i:08}", id_, i, at, at + len(text), i, i))
            at += len(text) + 1
        turns[id_] = tuple(own)
    held = [np.unique(skewed(rng, num_entities, NAMES)) for _ in range(num_passages)]
    facts = [
        rng.permutation(held[p])[:NAMES_IN_FACT] for p in range(num_passages) for _ in range(FACTS)
    ]
    facts_ptr = np.concatenate(([0], np.cumsum([len(f) for f in facts]))).astype(np.int64)
    held_ptr = np.concatenate(([0], np.cumsum([len(h) for h in held]))).astype(np.int64)
    table = Facts(
        tuple("a fact" for _ in facts),
        np.repeat(np.arange(num_passages), FACTS).astype(np.int64),
        facts_ptr,
        np.concatenate(facts).astype(np.int64),
        unit(rng, len(facts)),
        held_ptr,
        np.concatenate(held).astype(np.int64),
        np.array([h[0] for h in held], dtype=np.int64),
    )
    graph = Graph(
        entities,
        (),
        unit(rng, num_entities),
        np.zeros((0, DIMENSION), dtype=np.float32),
        ((),) * num_entities,
    )
    return Snapshot(
        "w", "1", documents, turns, tuple(passages), unit(rng, num_passages), {}, graph, facts=table
    )


def peak_mib() -> float:
    """Most memory that this process had so far, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Parses, measures, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=6_119)
    parser.add_argument("--per-document", type=int, default=1)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()

    say = ResultLines(options.out).line
    snapshot = make_snapshot(options.passages, options.per_document)
    machine = (
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}"
    )
    sizes = f"{len(snapshot.facts.texts):,} facts, {len(snapshot.graph.entities):,} entities"
    say(f"# {options.passages:,} passages, {options.per_document} a document, {sizes}; {machine}")
    before = peak_mib()
    rng = np.random.default_rng(1)
    questions = []
    for _ in range(options.questions):
        names = " and ".join(f"Name {i}" for i in skewed(rng, len(snapshot.graph.entities), 2))
        words = " ".join(f"w{i}" for i in skewed(rng, _VOCABULARY, 6))
        questions.append(Question(f"What {words} has {names} with Speaker 1?", unit(rng, 1)[0]))
    passages = PassageScores(snapshot)
    for arm in (
        NaiveSearch(snapshot, passages),
        HybridSearch(snapshot, passages),
        BridgeSearch(snapshot, passages),
    ):
        start = time.perf_counter()
        arm.retrieve(questions[0], 10, 0)
        first = time.perf_counter() - start
        times = []
        for question in questions:
            start = time.perf_counter()
            arm.retrieve(question, 10, 0)
            times.append(1000 * (time.perf_counter() - start))
        times.sort()
        say(
            f"{arm.name:<12} p50 {statistics.median(times):7.1f} ms  p95"
            f" {times[int(0.95 * len(times))]:7.1f}  max {times[-1]:7.1f}; first question, with all"
            f" that is built once: {first:6.1f} s"
        )
    say(
        f"memory: {before:,.0f} MiB with the snapshot read, {peak_mib():,.0f} MiB at most with all"
        " indexes"
    )


if __name__ == "__main__":
    main()
