"""How fast the default embedder is: python benchmarks/embed.py [--out FILE] [--texts FILE]

MiniLM by ONNX Runtime beside sentence-transformers, in one process, in turn: words a second by the clock and by CPU time, the time to the
first vector, and the largest difference between their vectors. The texts are lines of the transcript that the demo ships, or of a file.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np
from result_lines import ResultLines

from dynagrag import demo
from dynagrag.models.catalog import model_path
from dynagrag.models.embedders import SentenceTransformersEmbedder
from dynagrag.models.minilm_embedder import MiniLmEmbedder
from dynagrag.schema import Vectors
from dynagrag.settings import Settings

NUM_TEXTS, ROUNDS = 1_000, 3


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
    threads = f"{os.environ.get('OMP_NUM_THREADS', 'all')} threads of {len(os.sched_getaffinity(0))} cores, {platform.machine()}"
    libraries = f"onnxruntime {version('onnxruntime')}, torch {version('torch')}"
    lines.line(
        f"# {len(texts)} texts of {words:,} words; {threads}, {libraries}, {time.strftime('%Y-%m-%d')}; load {os.getloadavg()[0]:.1f}"
    )
    lines.line(f"{'engine':<24}{'first vector, s':>16}{'words/s':>10}{'words/CPU s':>13}")
    found, rates = [], []
    for name, make in (
        ("ONNX Runtime", lambda: MiniLmEmbedder(settings)),
        ("sentence-transformers", lambda: SentenceTransformersEmbedder(str(folder), settings)),
    ):
        began = time.perf_counter()
        embedder = make()
        embedder.embed_documents(["The lunar module."])
        first = time.perf_counter() - began
        vectors, clock, cpu = _timed(embedder.embed_documents, texts)
        lines.line(f"{name:<24}{first:>16.1f}{words / clock:>10,.0f}{words / cpu:>13,.0f}")
        found.append(vectors)
        rates.append((words / clock, words / cpu))
    ratios = " and ".join(f"{own / other:.2f}" for own, other in zip(*rates, strict=True))
    largest = np.abs(found[0] - found[1]).max()
    lines.line(
        f"# {ratios} times as many words a second, by the clock and by CPU time; the largest difference between vectors is {largest:.1e}"
    )


def _timed(embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> tuple[Vectors, float, float]:
    """The vectors, and the medians of seconds by the clock and of CPU seconds."""
    clocks, cpus = [], []
    for _ in range(ROUNDS):
        clock, cpu = time.perf_counter(), time.process_time()
        vectors = embed(texts)
        clocks.append(time.perf_counter() - clock)
        cpus.append(time.process_time() - cpu)
    return vectors, median(clocks), median(cpus)


def _texts(path: Path | None) -> list[str]:
    """So many different lines at most."""
    text = "\n".join(file.read_text(encoding="utf-8") for file in ([path] if path else sorted(Path(demo.__file__).parent.glob("*.txt"))))
    return list(dict.fromkeys(line for line in text.splitlines() if line.strip()))[:NUM_TEXTS]


if __name__ == "__main__":
    main()
