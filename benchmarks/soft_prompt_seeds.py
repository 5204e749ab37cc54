"""Soft prompts on ExplaGraphs with three seeds, within a time limit: several trainings at once,
each followed by its measurement.

    python benchmarks/soft_prompt_seeds.py --data FOLDER [--lm smollm2] [--seconds 420]

The first seed of every method comes first. At the limit, trainings are interrupted and their best
epoch so far is measured. Prints one line per method and seed, then mean and range over the seeds;
`--out FILE` appends the lines to a file. The same command goes on where it was stopped.
"""

import argparse
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import torch
from result_lines import ResultLines

LEARNING_RATES = {
    "grag": 1e-3,
    "g-retriever": 1e-3,
    "g-retriever-lora": 3e-4,
    "prompt-tuning": 1e-3,
    "graph-token": 1e-3,
    "lora": 3e-4,
}
"""Adapters of the language model diverge at the rate that suits a small graph encoder."""
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Job:
    """One training."""

    method: str
    seed: int


@dataclass(frozen=True)
class Outcome:
    """`accuracy` and its interval in points, by the papers' scorer."""

    job: Job
    accuracy: float
    low: float
    high: float
    unparsable: float
    was_stopped: bool
    epochs: str
    seconds: float


class Runner:
    """Trains and measures jobs as processes of the command line."""

    def __init__(self, asked: argparse.Namespace, started: float) -> None:
        self._asked = asked
        self._train_until = started + asked.seconds * 0.8
        self._measure_until = started + asked.seconds
        self._lock = threading.Lock()

    def run(self, job: Job) -> Outcome | None:
        """None where nothing was learned before the limit, or a command failed (see its log)."""
        began = time.monotonic()
        folder = self._asked.runs / f"{job.method}-{job.seed}"
        folder.mkdir(parents=True, exist_ok=True)
        common = ["--dataset", "explagraphs", "--data", str(self._asked.data)]
        common += ["--lm", self._asked.lm]
        if self._asked.device:
            common += ["--device", self._asked.device]
        train = [
            "train",
            job.method,
            *common,
            "--seed",
            str(job.seed),
            "--out",
            str(folder / "net"),
        ]
        train += ["--learning-rate", str(LEARNING_RATES[job.method])]
        if self._asked.max_rows:
            train += ["--max-rows", str(self._asked.max_rows)]
        code = self._call(train, folder / "train.log", self._train_until)
        if not (folder / "net" / "model.safetensors").exists():
            return None
        measure = ["evaluate", "graphqa", *common, "--method", job.method]
        measure += ["--checkpoint", str(folder / "net"), "--json"]
        if self._asked.limit:
            measure += ["--limit", str(self._asked.limit)]
        if self._call(measure, folder / "measure.log", self._measure_until, folder / "result.json"):
            return None
        found = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        scores = found["measures"]["paper_compat"]
        log = (folder / "train.log").read_text(encoding="utf-8", errors="replace")
        losses = [line for line in log.splitlines() if ": loss " in line]
        return Outcome(
            job,
            *(100 * scores["accuracy"][name] for name in ("mean", "low", "high")),
            unparsable=100 * scores["unparsable"]["mean"],
            was_stopped=code != 0,
            epochs="; ".join(_losses(line) for line in losses),
            seconds=time.monotonic() - began,
        )

    def _call(self, words: list[str], log: Path, until: float, out: Path | None = None) -> int:
        """Its exit code; 130 where the limit stopped it."""
        if (left := until - time.monotonic()) <= 0:
            return 130
        command = [sys.executable, "-m", "dynagrag.cli", *words]
        with log.open("a") as errors, (out or log).open("w" if out else "a") as output:
            process = subprocess.Popen(command, stdout=output, stderr=errors)
            try:
                return process.wait(left)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                process.wait()
                return 130


def _losses(line: str) -> str:
    """`0.960 / 0.658` of "epoch 1: loss 0.960, on rows that it does not learn 0.658, 9 s"."""
    learned = line.partition(": loss ")[2].partition(",")[0]
    return f"{learned} / {line.rpartition(' learn ')[2].partition(',')[0]}"


def main() -> None:
    """Trains, measures and prints."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with ExplaGraphs' file")
    parser.add_argument("--lm", default="smollm2", help="language model (default smollm2)")
    parser.add_argument("--runs", type=Path, default=Path("build/soft_prompt_seeds"))
    parser.add_argument("--device", help="cpu or cuda (default: a GPU if there is one)")
    parser.add_argument("--at-once", type=int, default=1, help="trainings at once (default 1)")
    parser.add_argument("--seconds", type=float, default=420, help="of the whole run (default 420)")
    parser.add_argument("--methods", default=",".join(LEARNING_RATES), help="default: all six")
    parser.add_argument("--max-rows", type=int, help="rows to train on (default: all)")
    parser.add_argument("--limit", type=int, help="rows to measure on (default: all)")
    parser.add_argument("--out", type=Path, help="append the lines to this file")
    asked = parser.parse_args()
    methods = asked.methods.split(",")
    jobs = [Job(method, seed) for seed in SEEDS for method in methods]
    runner = Runner(asked, time.monotonic())
    with ThreadPoolExecutor(asked.at_once) as pool:
        outcomes = list(pool.map(runner.run, jobs))
    lines = ResultLines(asked.out)
    _print_rows(lines, asked, jobs, outcomes)
    for method in methods:
        found = [o.accuracy for o in outcomes if o is not None and o.job.method == method]
        if found:
            lines.line(
                f"{method:<17} {len(found)} seeds: {statistics.mean(found):.1f}"
                f" ({min(found):.1f} to {max(found):.1f})"
            )


def _print_rows(
    lines: ResultLines, asked: argparse.Namespace, jobs: list[Job], outcomes: list[Outcome | None]
) -> None:
    """One line per training."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.processor()
    rows = f"{asked.max_rows} rows" if asked.max_rows else "all rows"
    lines.line(
        f"# python benchmarks/soft_prompt_seeds.py --at-once {asked.at_once} --seconds"
        f" {asked.seconds:.0f}: ExplaGraphs, {asked.lm}, {rows}, {device}, {os.cpu_count()} cores,"
        f" torch {torch.__version__}, {time.strftime('%Y-%m-%d')}"
    )
    lines.line(
        f"{'method, seed':<20}{'paper_compat':>24}{'unparsable':>12}{'seconds':>9}"
        "  loss by epoch: learned / held out"
    )
    for job, outcome in zip(jobs, outcomes, strict=True):
        name = f"{job.method}, {job.seed}"
        if outcome is None:
            lines.line(f"{name:<20}{'not measured':>24}  {_last_line(asked.runs, job)}")
            continue
        score = f"{outcome.accuracy:.1f} ({outcome.low:.1f} to {outcome.high:.1f})"
        stopped = "  (stopped by the limit)" if outcome.was_stopped else ""
        lines.line(
            f"{name:<20}{score:>24}{outcome.unparsable:>12.1f}{outcome.seconds:>9.0f}"
            f"  {outcome.epochs}{stopped}"
        )


def _last_line(runs: Path, job: Job) -> str:
    """The last that its commands said."""
    logs = sorted(
        (runs / f"{job.method}-{job.seed}").glob("*.log"), key=lambda p: p.stat().st_mtime
    )
    said = logs[-1].read_text(encoding="utf-8", errors="replace").splitlines() if logs else []
    return said[-1] if said else "no time was left"


if __name__ == "__main__":
    main()
