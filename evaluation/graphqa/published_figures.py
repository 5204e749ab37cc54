"""What papers and reruns print for GraphQA, in percent, by set and system. Models, rows and scorers differ from ours: each says its own.

`hit`: a right answer stands anywhere in the output, which GRAG's tables call Hit@1 (docs/papers.md, GraphQA). With a Llama 2 7B that is
frozen, or trained where a row says LoRA, unless the source names another.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Published:
    """A figure in percent, of which measure, and whose."""

    value: float
    metric: str
    source: str


Figures = Mapping[str, tuple[Published, ...]]
_G, _GRAG = "G-Retriever, table 3", "GRAG, table 2"
_G_SETS = ("explagraphs", "scenegraphs", "webqsp")
_G_ROWS: Mapping[str, tuple[float, float, float]] = {
    "zero-shot": (56.50, 39.74, 41.06),
    "zero-cot": (57.04, 52.60, 51.30),
    "cot-bag": (57.94, 56.80, 39.60),
    "kaping": (62.27, 43.75, 52.64),
    "prompt-tuning": (57.63, 63.41, 48.34),
    "graph-token": (85.08, 49.03, 57.05),
    "g-retriever": (85.16, 81.31, 70.49),
    "lora": (85.38, 78.62, 66.03),
    "g-retriever-lora": (87.05, 86.83, 73.79),
}
_GRAG_ROWS: tuple[tuple[str, str, tuple[float | None, ...]], ...] = (  # accuracy of ExplaGraphs; hit, F1 and recall of WebQSP
    ("question-only", ", LLM only, 7B chat", (33.94, 41.48, 25.55, None)),
    ("lora", "", (89.27, 61.86, 42.95, 41.93)),
    ("bm25", "", (60.11, 42.87, 29.99, 28.79)),
    ("dense", ", MiniLM-L12-v2", (60.11, 47.30, 34.85, 32.89)),
    ("dense", ", LaBSE", (60.11, 44.96, 32.80, 31.26)),
    ("dense", ", mContriever", (58.66, 44.53, 31.72, 30.47)),
    ("dense", ", E5-base", (60.11, 47.05, 34.21, 32.54)),
    ("g-retriever", "", (88.25, 68.08, 46.74, 45.79)),
    ("g-retriever-lora", "", (90.42, 70.16, 50.23, 50.02)),
    ("grag", "", (92.23, 72.36, 50.22, 50.99)),
    ("grag-lora", "", (92.74, 72.75, 50.41, 51.12)),
)
_PARTS: tuple[tuple[str, str, str, float, str], ...] = (  # set, system, measure, value, source
    ("webqsp", "g-retriever without encoder", "hit", 54.62, "G-Retriever, table 6"),
    ("webqsp", "g-retriever without projector", "hit", 69.70, "G-Retriever, table 6"),
    ("webqsp", "g-retriever without text", "hit", 56.96, "G-Retriever, table 6"),
    ("webqsp", "g-retriever without retrieval", "hit", 63.84, "G-Retriever, table 6"),
    ("webqsp", "g-retriever with gcn", "hit", 70.70, "G-Retriever, table 7"),
    ("webqsp", "g-retriever with gat", "hit", 70.27, "G-Retriever, table 7"),
    ("explagraphs", "g-retriever with gcn", "accuracy", 83.94, "G-Retriever, table 7"),
    ("explagraphs", "g-retriever with gat", "accuracy", 84.30, "G-Retriever, table 7"),
    ("webqsp", "grag-lora without retrieval", "hit", 60.93, "GRAG, table 3"),
    ("webqsp", "grag-lora without encoder", "hit", 58.35, "GRAG, table 3"),
    ("webqsp", "grag-lora without pruning", "hit", 56.71, "GRAG, table 3"),
    ("webqsp", "grag-lora without text", "hit", 44.96, "GRAG, table 3"),
)
_LIST = ("hit", "hits@1", "f1", "precision", "recall")
_LATER_ROWS: tuple[tuple[str, str, str, tuple[float | None, ...]], ...] = (  # set, system, source, measures in the order of _LIST
    ("webqsp", "question-only", "G-Retriever, table 12", (61.16, None, None, None, None)),
    ("webqsp", "g-retriever", "a reproduction, G-Retriever's repository, issue 3", (60.5, None, None, None, None)),
    ("webqsp", "g-retriever", "a rerun, PyTorch Geometric, pull request 8984, 7B chat", (62.05, None, 46.47, 45.65, 55.14)),
    ("webqsp", "grag", "as later papers report it, frozen 7B", (72.4, None, None, None, None)),
    ("webqsp", "gns", "GNS, frozen 7B", (73.3, None, None, None, None)),
    ("webqsp", "toporag", "TopoRAG, frozen 7B", (87.1, None, None, None, None)),
    ("webqsp", "subgraphrag", "a rerun, PyTorch Geometric, pull request 10000", (80.77, 76.13, 59.94, None, None)),
    ("webqsp", "question-only", "a rerun, PyTorch Geometric, pull request 10000", (35.47, None, None, None, None)),
    ("cwq", "g-retriever", "a rerun, PyTorch Geometric, pull request 9950, Llama 3.1 8B", (56.75, None, 53.10, 54.44, 54.35)),
)
_LATER_OF_LABELS = (
    ("explagraphs", "gns", "accuracy", 92.3, "GNS, frozen 7B"),
    ("explagraphs", "toporag", "accuracy", 89.0, "TopoRAG, frozen 7B"),
    ("scenegraphs", "gns", "accuracy", 84.7, "GNS, frozen 7B"),
    ("scenegraphs", "toporag", "accuracy", 83.6, "TopoRAG, frozen 7B"),
)


def published_of(dataset: str) -> Figures:
    """A set's figures by system, in the order of the sources; empty where nothing was printed."""
    return _FIGURES.get(dataset, MappingProxyType({}))


def _figures() -> Mapping[str, Figures]:
    found: dict[str, dict[str, tuple[Published, ...]]] = {}

    def add(dataset: str, system: str, metric: str, value: float | None, source: str) -> None:
        if value is not None:
            own = found.setdefault(dataset, {})
            own[system] = (*own.get(system, ()), Published(value, metric, source))

    add("explagraphs", "majority", "accuracy", 58.84, "326 of the 554 test rows")
    for system, row in _G_ROWS.items():
        for dataset, printed in zip(_G_SETS, row, strict=True):
            add(dataset, system, "hit" if dataset == "webqsp" else "accuracy", printed, _G)
    for system, variant, (accuracy, *of_lists) in _GRAG_ROWS:
        add("explagraphs", system, "accuracy", accuracy, f"{_GRAG}{variant}")
        for metric, value in zip(("hit", "f1", "recall"), of_lists, strict=True):
            add("webqsp", system, metric, value, f"{_GRAG}{variant}")
    for dataset, system, metric, value, source in (*_PARTS, *_LATER_OF_LABELS):
        add(dataset, system, metric, value, source)
    for dataset, system, source, values in _LATER_ROWS:
        for metric, value in zip(_LIST, values, strict=True):
            add(dataset, system, metric, value, source)
    return found


_FIGURES = _figures()
