"""Training steps a second and peak memory of G-Retriever here and in PyG, and what retrieval costs
a question.

    python benchmarks/learned.py train --data FOLDER [--lm smollm2]
        steps in turn, the memory of each in a process of its own
    python benchmarks/learned.py retrieve
        trees and ego-graphs of graphs of WebQSP's size; about 7 minutes on one core, fewer with
        --questions and --centres

`--data` has ExplaGraphs as `dynagrag evaluate graphqa` reads it; without it rows are made. Both
models have the same encoder, language model (frozen), rows, batches, precision and optimizer.
Prints one line a measurement; `--out FILE` appends them to a file. Seconds are of the CPU, over all
threads: those of the clock tell what else the machine does too.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from learned_pyg import PygGRetriever, naive_grag, pyg_tree, save_unquantized
from result_lines import ResultLines
from torch import Tensor, nn

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.schema import EmbedderIdentity, Vector, Vectors
from dynagrag.evaluation.graphqa.graph_methods import METHODS
from dynagrag.evaluation.graphqa.graph_question import AnswerForm, GraphQuestion, Part, TextGraph
from dynagrag.evaluation.graphqa.graph_retrieval import TextVectors, ego_graphs_of, tree_of
from dynagrag.evaluation.graphqa.graph_sets import load_graph_set
from dynagrag.evaluation.graphqa.soft_examples import soft_examples
from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions
from dynagrag.generation.soft_prompt.language_model import load_language_model
from dynagrag.generation.soft_prompt.precision import Precision
from dynagrag.generation.soft_prompt.soft_example import SoftExample
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions
from dynagrag.retrieval.steiner.steiner_tree import TreeOptions

WIDTH = 256
NUM_NODES, NUM_EDGES = 1371, 4252
"""The mean graph of WebQSP (G-Retriever, table 2)."""
SIDES = ("dynagrag", "pyg")


class RandomEmbedder:
    """Unit vectors drawn from the text's hash: what vectors say makes no difference to the time."""

    identity = EmbedderIdentity("random", 384)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, 384)."""
        drawn = np.stack(
            [np.random.default_rng([*text.encode()]).standard_normal(384) for text in texts]
        )
        found: Vectors = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
        return found

    def embed_query(self, text: str) -> Vector:
        """(384,)."""
        return self.embed_documents([text])[0]


def made_questions(num: int) -> list[GraphQuestion]:
    """Rows of the shape of ExplaGraphs: five nodes, four edges, two arguments."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(num):
        graph = TextGraph.of_triples(
            (f"idea {i} {j}", "is capable of", f"idea {i} {j + 1}") for j in range(4)
        )
        words = " ".join(f"word{w}" for w in rng.integers(0, 500, 24))
        asked = (
            f"Argument 1: {words}\nArgument 2: {words}\nQuestion: Do they support or counter each"
            " other?\n\nAnswer:"
        )
        label = "support" if i % 2 else "counter"
        rows.append(GraphQuestion(str(i), asked, words, graph, (label,), label, Part.TRAIN))
    return rows


def training_examples(data: Path | None, num: int) -> tuple[str, list[SoftExample]]:
    """What they are called, and the first rows."""
    if data is None:
        return "made rows", soft_examples(
            made_questions(num), TextVectors(RandomEmbedder()), METHODS["g-retriever"]
        )
    rows = load_graph_set("explagraphs", data).of(Part.TRAIN)[:num]
    return "ExplaGraphs", soft_examples(
        rows, TextVectors(wiring.make_embedder(Settings())), METHODS["g-retriever"]
    )


def make_ours(
    folder: Path, dimension: int
) -> tuple[nn.Module, Callable[[Sequence[SoftExample]], Tensor]]:
    """What learns, and the loss of a batch."""
    torch.manual_seed(0)
    lm = load_language_model(str(folder), Settings(), Precision.FLOAT32)
    model = SoftPromptModel(
        lm, SoftPromptOptions(EncoderOptions(dimension, width=WIDTH), projection=WIDTH)
    )
    return model.tokens, model.loss


def make_pyg(
    folder: Path, dimension: int
) -> tuple[nn.Module, Callable[[Sequence[SoftExample]], Tensor]]:
    """The same of PyG's."""
    torch.manual_seed(0)
    model = PygGRetriever(folder, EncoderOptions(dimension, width=WIDTH))
    return model.learned, model.loss


MAKE = dict(zip(SIDES, (make_ours, make_pyg), strict=True))


class Side:
    """One of the two, with an optimizer of its own."""

    def __init__(self, name: str, folder: Path, dimension: int) -> None:
        self.learned, self._loss = MAKE[name](folder, dimension)
        self._optimizer = torch.optim.AdamW(
            self.learned.parameters(), lr=1e-4, weight_decay=0.05, betas=(0.9, 0.95)
        )
        self.num_learned = sum(value.numel() for value in self.learned.parameters())

    def step(self, batch: Sequence[SoftExample]) -> tuple[float, float]:
        """(CPU seconds, loss) of a step."""
        started = time.process_time()
        self._optimizer.zero_grad()
        loss = self._loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.learned.parameters(), 0.1)
        self._optimizer.step()
        return time.process_time() - started, float(loss.detach())


def batches_of(examples: Sequence[SoftExample], size: int, num: int) -> list[Sequence[SoftExample]]:
    """So many batches, from the start again after the last row."""
    doubled = [*examples, *examples[:size]]
    return [
        doubled[start : start + size] for start in ((i * size) % len(examples) for i in range(num))
    ]


def spread(values: Sequence[float], form: str = ".2f") -> str:
    """min / median / max."""
    return " / ".join(
        format(value, form) for value in (min(values), statistics.median(values), max(values))
    )


def train(options: argparse.Namespace, lines: ResultLines, folder: Path) -> None:
    """Steps of the two in turn, each on the same batch; then the memory of each alone."""
    what, examples = training_examples(options.data, options.rows)
    sides = {name: Side(name, folder, 384) for name in SIDES}
    taken: dict[str, list[float]] = {name: [] for name in SIDES}
    losses: dict[str, float] = {}
    for number, batch in enumerate(batches_of(examples, options.batch, options.steps + 2)):
        order = SIDES if number % 2 else SIDES[::-1]
        for name in order:
            seconds, losses[name] = sides[name].step(batch)
            if number >= 2:  # the first two warm up
                taken[name].append(seconds)
    lines.line(
        f"{what}, {len(examples)} rows, batches of {options.batch}, {options.steps} steps of each"
        f" in turn, width {WIDTH}, {options.lm}"
    )
    for name in SIDES:
        rate = 1 / statistics.median(taken[name])
        lines.line(
            f"{name:<10}{rate:6.3f} steps a CPU second, CPU seconds a step min / median / max"
            f" {spread(taken[name])}; {sides[name].num_learned:,} learned; last loss"
            f" {losses[name]:.2f}"
        )
    ratios = [theirs / ours for ours, theirs in zip(taken["dynagrag"], taken["pyg"], strict=True)]
    lines.line(f"as fast as pyg, batch by batch, times: min / median / max {spread(ratios)}")
    peaks = {name: peak_of(name, folder, options) for name in SIDES}
    for name, (loaded, peak) in peaks.items():
        lines.line(
            f"{name:<10}peak memory {peak:,.0f} MB, {loaded:,.0f} MB of it once the model was"
            " loaded, before the first step"
        )
    lines.line(
        f"of pyg's peak: {peaks['dynagrag'][1] / peaks['pyg'][1]:.2f}; of what its steps add:"
        f" {_added(peaks):.2f}"
    )


def _added(peaks: dict[str, tuple[float, float]]) -> float:
    ours, theirs = (peaks[name][1] - peaks[name][0] for name in SIDES)
    return ours / theirs if theirs > 0 else float("inf")


def peak_of(name: str, folder: Path, options: argparse.Namespace) -> tuple[float, float]:
    """MB of a process of its own: once loaded, and at most over two steps."""
    data = [] if options.data is None else ["--data", str(options.data)]
    command = [
        sys.executable,
        __file__,
        "memory",
        "--side",
        name,
        "--folder",
        str(folder),
        "--batch",
        str(options.batch),
        *data,
    ]
    done = subprocess.run(
        [*command, "--rows", str(options.rows)], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return found["loaded"], found["peak"]


def memory(options: argparse.Namespace) -> None:
    """One side alone."""
    _, examples = training_examples(options.data, options.rows)
    side = Side(options.side, options.folder, 384)
    loaded = _status_mb("VmRSS")
    for batch in batches_of(examples, options.batch, 2):
        side.step(batch)
    print(json.dumps({"loaded": loaded, "peak": _status_mb("VmHWM")}))


def _status_mb(name: str) -> float:
    """MB of this process, now (VmRSS) or at most (VmHWM). `getrusage` would tell the parent's peak
    where that is larger.
    """
    rows = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(rows[name].split()[0]) / 1024


def web_question(seed: int) -> GraphQuestion:
    """A question over a graph of WebQSP's mean size; a few nodes have most edges, in and out, as
    round a topic of Freebase.
    """
    rng = np.random.default_rng(seed)
    heads, tails = ((NUM_NODES * rng.random(NUM_EDGES) ** 4).astype(int) for _ in range(2))
    nodes = tuple(f"entity {seed} {i}" for i in range(NUM_NODES))
    edges = tuple(
        (int(h), f"relation {r}", int(t))
        for h, r, t in zip(heads, rng.integers(0, 300, NUM_EDGES), tails, strict=True)
    )
    asked = f"question {seed}"
    return GraphQuestion(
        asked,
        asked,
        asked,
        TextGraph(nodes, edges),
        ("x",),
        "x",
        Part.TEST,
        AnswerForm.LIST,
        TreeOptions(),
    )


def retrieve(options: argparse.Namespace, lines: ResultLines) -> None:
    """CPU milliseconds a question once all texts have vectors."""
    vectors = TextVectors(RandomEmbedder())
    times: dict[str, list[float]] = {}

    def clocked(name: str, run: Callable[[], Any]) -> None:
        started = time.process_time()
        run()
        times.setdefault(name, []).append(1000 * (time.process_time() - started))

    for seed in range(options.questions + 1):
        question = web_question(seed)
        if seed == 0:
            (
                tree_of(question, vectors),
                ego_graphs_of(question, vectors),
                pyg_tree(question, vectors),
            )  # warm
            continue
        vectors.of([*question.graph.nodes, *(label for _, label, _ in question.graph.edges)])
        clocked("tree", lambda question=question: tree_of(question, vectors))  # type: ignore[misc]
        clocked("tree, pyg", lambda question=question: pyg_tree(question, vectors))  # type: ignore[misc]
        clocked("ego-graphs", lambda question=question: ego_graphs_of(question, vectors))  # type: ignore[misc]
    lines.line(
        f"{options.questions} made graphs of {NUM_NODES:,} nodes and {NUM_EDGES:,} edges, vectors"
        " of 384 numbers, embedding left out"
    )
    for name, own in times.items():
        lines.line(f"{name:<12}CPU ms a question min / median / max {spread(own, '.1f')}")
    ratios = [theirs / ours for ours, theirs in zip(times["tree"], times["tree, pyg"], strict=True)]
    lines.line(
        f"as fast as pyg's tree, question by question, times: min / median / max {spread(ratios)}"
    )
    found = naive_grag(web_question(1).graph, options.centres)
    lines.line(
        "GRAG as its code does it: k_hop_subgraph a node, then a search of the list of all edges"
        " for each of the ego-graph's"
    )
    lines.line(
        f"  {found.ego_ms:.1f} + {found.text_ms:.1f} CPU ms an ego-graph over {options.centres} of"
        f" them, of {found.num_edges:.0f} edges in the mean; so {found.of_all_s(NUM_NODES):.0f} s a"
        f" question for all {NUM_NODES:,}"
    )
    ours = statistics.median(times["ego-graphs"]) / 1000
    lines.line(f"ego-graphs here: {found.of_all_s(NUM_NODES) / ours:,.0f} times as fast")


def command_line(parser: argparse.ArgumentParser, options: argparse.Namespace) -> str:
    """What was run, with all options that aren't the defaults; the data's folder goes without its
    name.
    """
    given = {
        name: value
        for name, value in vars(options).items()
        if value != parser.get_default(name) and name not in ("what", "out")
    }
    given |= {"data": "FOLDER"} if options.data else {}
    return " ".join(
        [
            "python benchmarks/learned.py",
            options.what,
            *(f"--{name} {value}" for name, value in given.items()),
        ]
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("train", "retrieve", "memory"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--lm", default="smollm2", help="a pulled model, a GGUF file or a folder")
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--centres", type=int, default=20)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.what == "memory":
        memory(options)
        return
    lines = ResultLines(options.out)
    lines.line(f"# {command_line(parser, options)}")
    cores = len(os.sched_getaffinity(0))
    lines.line(
        f"# {torch.get_num_threads()} threads on {cores} cores, no GPU used, {platform.system()}"
        f" {platform.machine()}, Python {platform.python_version()}, torch {torch.__version__},"
        f" {time.strftime('%Y-%m-%d')}; load of the machine {os.getloadavg()[0]:.1f}"
    )
    if options.what == "retrieve":
        retrieve(options, lines)
        return
    with tempfile.TemporaryDirectory() as folder:
        train(options, lines, save_unquantized(options.lm, Path(folder)))


if __name__ == "__main__":
    main()
