"""How fast the default embedder is: python benchmarks/embed.py [--out FILE] [--texts FILE]

MiniLM by ONNX Runtime beside sentence-transformers, in one process, round by round in turn: words a
second by the clock and by CPU time, the median of the rounds' ratios (they are the processor's),
the time to the first vector, and the largest difference between the vectors. The texts are lines of
the transcript that the demo ships, or of a file.
"""

import argparse
import os
import platform
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np
from dynagrag.models.minilm_embedder import MiniLmEmbedder
from result_lines import ResultLines

from dynagrag import demo
from dynagrag.config.settings import Settings
from dynagrag.core.protocols import Embedder
from dynagrag.models.catalog import model_path
from dynagrag.models.embedders import SentenceTransformersEmbedder

NUM_TEXTS, ROUNDS = 1_000, 7


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, help="append the lines to this file")
    parser.add_argument("--texts", type=Path, help="file whose lines are embedded")
    chosen = parser.parse_args()
    lines, settings = ResultLines(chosen.out), Settings()
    folder = model_path("minilm", settings)
    if folder is None:
        raise SystemExit("run `dynagrag models pull minilm` first")
    texts = _texts(chosen.texts)
    words = sum(len(text.split()) for text in texts)
    lines.line("# python benchmarks/embed.py")
    threads = (
        f"{os.environ.get('OMP_NUM_THREADS', 'all')} threads of {len(os.sched_getaffinity(0))}"
        f" cores, {_processor()}"
    )
    libraries = f"onnxruntime {version('onnxruntime')}, torch {version('torch')}"
    lines.line(
        f"# {len(texts)} texts of {words:,} words; {threads}, {libraries},"
        f" {time.strftime('%Y-%m-%d')}; load {os.getloadavg()[0]:.1f}"
    )
    lines.line(f"{'engine':<24}{'first vector, s':>16}{'words/s':>10}{'words/CPU s':>13}")
    engines = {
        "ONNX Runtime": lambda: MiniLmEmbedder(settings),
        "sentence-transformers": lambda: SentenceTransformersEmbedder(str(folder), settings),
    }
    embedders: dict[str, Embedder] = {}
    first: dict[str, float] = {}
    for name, make in engines.items():
        began = time.perf_counter()
        embedders[name] = make()
        embedders[name].embed_documents(["The lunar module."])
        first[name] = time.perf_counter() - began
    vectors = [embedder.embed_documents(texts) for embedder in embedders.values()]
    spent = [[_spent(embedder, texts) for embedder in embedders.values()] for _ in range(ROUNDS)]
    for at, name in enumerate(engines):
        clock, cpu = (median(round_[at][kind] for round_ in spent) for kind in (0, 1))
        lines.line(f"{name:<24}{first[name]:>16.1f}{words / clock:>10,.0f}{words / cpu:>13,.0f}")
    for kind, told in enumerate(("by the clock", "by CPU time")):
        ratios = sorted(theirs[kind] / own[kind] for own, theirs in spent)
        lines.line(
            f"# {median(ratios):.2f} times as many words a second {told} ({ratios[0]:.2f} to"
            f" {ratios[-1]:.2f} of {ROUNDS} rounds)"
        )
    lines.line(
        f"# the largest difference between vectors is {np.abs(vectors[0] - vectors[1]).max():.1e}"
    )


def _spent(embedder: Embedder, texts: Sequence[str]) -> tuple[float, float]:
    """Seconds by the clock, and CPU seconds."""
    clock, cpu = time.perf_counter(), time.process_time()
    embedder.embed_documents(texts)
    return time.perf_counter() - clock, time.process_time() - cpu


def _processor() -> str:
    """Its name, where Linux tells it."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    return next(
        (
            line.partition(":")[2].strip()
            for line in told.splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )


def _texts(path: Path | None) -> list[str]:
    """So many different lines at most."""
    text = "\n".join(
        file.read_text(encoding="utf-8")
        for file in ([path] if path else sorted(Path(demo.__file__).parent.glob("*.txt")))
    )
    return list(dict.fromkeys(line for line in text.splitlines() if line.strip()))[:NUM_TEXTS]


if __name__ == "__main__":
    main()
