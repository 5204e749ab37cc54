"""What dynagrag costs besides the model: calls, prompt tokens and seconds, with an instant model
behind an OpenAI-compatible server.

The corpus is 20 documents of about 1,560 tokens (names, verbs and filler); model and embeddings
come from the same server on the loopback, which counts. Tokens are characters / 4, the reply's
schema included. Printed beside the peers' figures for the same corpus and server, which were taken
on another day on a machine of the same kind. Usage: python benchmarks/overhead.py [CORPUS_FOLDER]
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dynagrag import AskOptions, load_settings, open_workspace
from dynagrag.fakes.fake_server import OpenAIStubServer

PEERS = """
a question: calls, prompt tokens, seconds without the model
peer                  model calls (a chunk)   prompt tokens   index s   a question
lightrag-hku 1.5.7    40 (2)                  181k            11-16     2, 37k, 0.17
graphrag 3.3.0        77 (3.9)                230k            52        1, 11.7k, 29 (CLI)
nano-graphrag 0.0.8   69 (3.5)                265k            31        1, 7.2k, 0.11
fast-graphrag 0.0.5   60 (1; 60 chunks)       143k            1.5       2.6, 13.4k, 1.2
hipporag 2.0.0a4      40 (2)                  78k             4         2, 11.3k, 0.13
llama-index-core 0.14 40 (1; 40 chunks)       41k             3         -
""".strip()
QUESTIONS = [
    "What did Red Falcon acquire?",
    "Who partners with Iron River?",
    "Where is Silver Harbor located?",
    "Who founded Quiet Beacon?",
]


def corpus(folder: Path, num_docs: int = 20, num_facts: int = 24) -> None:
    """Reports of names and verbs between filler, always the same."""
    rng = random.Random(0)
    first = """
        Red Blue Green Iron Silver North South East West Grand Bright Swift Quiet Amber Royal
    """.split()
    second = (
        "Falcon River Harbor Summit Meadow Canyon Forge Lantern Orchard Beacon Anchor Willow Bridge"
        " Prairie".split()
    )
    names = [f"{a} {b}" for a in first for b in second]
    rng.shuffle(names)
    names = names[:120]
    verbs = ["works at", "founded", "acquired", "is located in", "partners with", "invested in"]
    filler = (
        "the quarterly review noted steady progress across several unrelated matters while the"
        " committee kept its usual calendar and the minutes were filed without further comment by"
        " the clerk on duty that afternoon"
    )
    for d in range(num_docs):
        sentences = [f"report number {d} was written for the archive."]
        for _ in range(num_facts):
            x, y = rng.sample(names, 2)
            sentences.append(f"{x} {rng.choice(verbs)} {y}. In addition, {filler}.")
        (folder / f"report{d:04d}.txt").write_text(" ".join(sentences), encoding="utf-8")


def main() -> None:
    """Measures and prints."""
    with tempfile.TemporaryDirectory() as temporary, OpenAIStubServer() as server:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary) / "corpus"
        if len(sys.argv) < 2:
            folder.mkdir()
            corpus(folder)
        source_tokens = sum(len(p.read_text(encoding="utf-8")) for p in folder.iterdir()) / 4
        os.environ |= {
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "none",
            "DYNAGRAG_HOME": f"{temporary}/home",
        }
        settings = load_settings(llm="openai:fake", embedder="openai:fake")
        with open_workspace("warm", settings=settings) as warm:  # imports and first connections
            warm.ingest([sorted(folder.iterdir())[0]])
            warm.ask(QUESTIONS[0])
        server.reset()
        with open_workspace("bench", settings=settings) as space:
            started = time.perf_counter()
            report = space.ingest([folder])
            seconds = time.perf_counter() - started
            calls, tokens = server.counts.chat_calls, server.counts.prompt_chars / 4
            print(f"source {source_tokens:,.0f} tokens, {report.num_chunks} chunks")
            print(
                f"ingest: {calls} calls ({calls / report.num_chunks:.2f} a chunk), {tokens:,.0f}"
                f" prompt tokens, {tokens / source_tokens:.2f} x source"
            )
            print(
                f"        {seconds:.2f} s in a warm process: "
                + ", ".join(f"{k} {v:.2f}" for k, v in report.seconds.items())
            )
            print(
                f"graph:  {report.graph.num_entities} entities, {report.graph.num_relations}"
                " relations"
            )
            ask(space, server)
        ingest_command(folder, temporary)
        print("\n" + PEERS)
        print(
            f"{'dynagrag':<21}"
            f" {f'{calls} ({calls / report.num_chunks:.2f}; {report.num_chunks} chunks)':<23}"
            f" {f'{tokens / 1000:.0f}k':<15} {seconds:.1f}"
        )


def ask(space: object, server: OpenAIStubServer) -> None:
    """Questions: what the server counted, and the seconds that were not spent waiting for it."""
    from dynagrag.workspace.facade import Workspace

    assert isinstance(space, Workspace)
    for options in (AskOptions(), AskOptions(retriever="hybrid")):
        space.ask("What does the archive hold?", options)
        server.reset()
        started = time.perf_counter()
        for question in QUESTIONS:
            space.ask(question, options)
        seconds = (time.perf_counter() - started) / len(QUESTIONS)
        print(
            f"a question ({options.retriever}): {server.counts.chat_calls / len(QUESTIONS):.1f}"
            f" calls, {server.counts.prompt_chars / 4 / len(QUESTIONS):,.0f} prompt tokens,"
            f" {seconds * 1000:.0f} ms with an instant model"
        )


def ingest_command(folder: Path, temporary: str) -> None:
    """The whole command in a new process."""
    environment = os.environ | {
        "DYNAGRAG_LLM": "openai:fake",
        "DYNAGRAG_EMBEDDER": "openai:fake",
        "DYNAGRAG_HOME": f"{temporary}/cold",
    }
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "dynagrag.cli", "ingest", str(folder)],
        env=environment,
        check=True,
        capture_output=True,
    )
    print(f"the whole command, cold: {time.perf_counter() - started:.2f} s")
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "dynagrag.cli", "--help"],
        env=environment,
        check=True,
        capture_output=True,
    )
    print(f"dynagrag --help: {time.perf_counter() - started:.2f} s")


if __name__ == "__main__":
    main()
