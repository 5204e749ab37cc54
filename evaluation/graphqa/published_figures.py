"""Figures that papers and reruns print for GraphQA, in percent, by set and system. Models, rows and
scorers differ from ours: each says its own.

`hit`: a right answer stands anywhere in the output, which GRAG's tables call Hit@1 (docs/papers.md,
GraphQA).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Published:
    """A figure in percent, of which measure, and whose. `model`: the language model, empty where
    there is none; `split`: of the rows; `scorer`: one of ours, or words for another; `trained_on`:
    the set, None: the one that was asked, if anything was trained.
    """

    value: float
    metric: str
    source: str
    model: str = ""
    split: str = "test"
    scorer: str = "paper_compat"
    trained_on: str | None = None

    @property
    def how(self) -> str:
        """With which model, on which rows, by which scorer."""
        trained = (f"trained on {self.trained_on}",) if self.trained_on else ()
        return ", ".join((self.model or "no model", *trained, f"{self.split} rows", self.scorer))


Figures = Mapping[str, tuple[Published, ...]]
L7, CHAT7, L13, CHAT13 = "Llama 2 7B", "Llama 2 7B chat", "Llama 2 13B", "Llama 2 13B chat"
_OWN = "own scorer"
_13B = re.compile(r"(?<!\d)13b", re.IGNORECASE)
_G, _GRAG = "G-Retriever, table 3", "GRAG, table 2"
_G_SETS = ("explagraphs", "scenegraphs", "webqsp")
_WHOLE = ("zero-shot", "zero-cot", "cot-bag", "prompt-tuning", "graph-token", "lora")
_AS_IT_IS = ("zero-shot", "zero-cot", "cot-bag", "kaping")
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
_GRAG_ROWS: tuple[
    tuple[str, str, tuple[float, ...]], ...
] = (  # accuracy of ExplaGraphs; hit, F1 and recall of WebQSP
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
    ("webqsp", "lora without text", "hit", 60.93, "GRAG, table 3, without retrieval"),
    *(
        (
            "webqsp",
            f"g-retriever with top nodes {k}, top edges {k}",
            "hit",
            value,
            "G-Retriever, table 10",
        )
        for k, value in ((3, 69.77), (5, 70.63), (10, 72.48), (20, 70.39))
    ),
)
_LLM_ONLY = "GRAG, {}, LLM only: the whole graph's text"
_OTHERS: tuple[tuple[str, str, Published], ...] = (  # set, system, figure
    ("explagraphs", "majority", Published(58.84, "accuracy", "326 of the 554 test rows")),
    ("explagraphs", "zero-shot", Published(33.94, "accuracy", _LLM_ONLY.format("table 2"), CHAT7)),
    ("webqsp", "zero-shot", Published(41.48, "hit", _LLM_ONLY.format("table 2"), CHAT7)),
    ("webqsp", "zero-shot", Published(25.55, "f1", _LLM_ONLY.format("table 2"), CHAT7)),
    (
        "explagraphs",
        "zero-shot",
        Published(33.57, "accuracy", _LLM_ONLY.format("section 5"), CHAT13),
    ),
    ("webqsp", "zero-shot", Published(41.12, "hit", _LLM_ONLY.format("section 5"), CHAT13)),
    ("webqsp", "question-only", Published(61.16, "hit", "G-Retriever, table 12", CHAT7)),
    ("webqsp", "g-retriever", Published(75.58, "hit", "G-Retriever, table 8", L13)),
    *(
        (
            dataset,
            system,
            Published(
                value, metric, "GRAG, table 4 (LoRA or not isn't told)", L7, trained_on=trained_on
            ),
        )
        for dataset, metric, value, trained_on in (
            ("explagraphs", "accuracy", 45.40, "webqsp"),
            ("webqsp", "hit", 42.37, "explagraphs"),
        )
        for system in ("grag", "grag-lora")
    ),
    ("webqsp", "grag", Published(72.4, "hit", "as later papers report it", L7)),
    (
        "webqsp",
        "g-retriever",
        Published(60.5, "hit", "a reproduction, G-Retriever's repository, issue 3", L7),
    ),
    *(
        (
            "webqsp",
            "g-retriever",
            Published(
                value, metric, "a rerun, PyTorch Geometric, pull request 8984", CHAT7, scorer=_OWN
            ),
        )
        for metric, value in (
            ("hit", 62.05),
            ("f1", 46.47),
            ("precision", 45.65),
            ("recall", 55.14),
        )
    ),
    *(
        (
            "cwq",
            "g-retriever",
            Published(
                value,
                metric,
                "a rerun, PyTorch Geometric, pull request 9950",
                "Llama 3.1 8B",
                scorer=_OWN,
            ),
        )
        for metric, value in (
            ("hit", 56.75),
            ("f1", 53.10),
            ("precision", 54.44),
            ("recall", 54.35),
        )
    ),
    *(
        (
            "webqsp",
            system,
            Published(
                value,
                metric,
                "a rerun, PyTorch Geometric, pull request 10000",
                "a model that isn't told",
                scorer=_OWN,
            ),
        )
        for system, metric, value in (
            ("subgraphrag", "hit", 80.77),
            ("subgraphrag", "hits@1", 76.13),
            ("subgraphrag", "f1", 59.94),
            ("question-only", "hit", 35.47),
        )
    ),
    *(
        (dataset, system.lower(), Published(value, metric, system, L7, scorer=_OWN))
        for system, dataset, metric, value in (
            ("GNS", "webqsp", "hit", 73.3),
            ("TopoRAG", "webqsp", "hit", 87.1),
            ("GNS", "explagraphs", "accuracy", 92.3),
            ("TopoRAG", "explagraphs", "accuracy", 89.0),
            ("GNS", "scenegraphs", "accuracy", 84.7),
            ("TopoRAG", "scenegraphs", "accuracy", 83.6),
        )
    ),
)


def published_of(dataset: str) -> Figures:
    """A set's figures by system, in the order of the sources; empty where nothing was printed."""
    return _FIGURES.get(dataset, MappingProxyType({}))


def published_beside(
    dataset: str, system: str, lm: str | None, trained_on: str | None
) -> tuple[Published, ...]:
    """The figures beside a run: of a 13B the figures of one, of others those of smaller models; of
    what was trained on another set those of what was trained so.
    """
    is_13b, other = bool(lm and _13B.search(lm)), None if trained_on == dataset else trained_on
    figures = published_of(dataset).get(system, ()) or published_of(dataset).get(
        _as_papers_have(system), ()
    )
    return tuple(
        own for own in figures if bool(_13B.search(own.model)) is is_13b and own.trained_on == other
    )


def _as_papers_have(system: str) -> str:
    """The papers' baselines read whole graphs, and GRAG 20 ego-graphs, without having that in their
    names.
    """
    system = system.removesuffix(" with ego graphs 20")
    name, _, part = system.partition(" without ")
    return name if part == "retrieval" and name in _WHOLE else system


def _figures() -> Mapping[str, Figures]:
    found: dict[str, dict[str, tuple[Published, ...]]] = {}

    def add(dataset: str, system: str, own: Published) -> None:
        of_set = found.setdefault(dataset, {})
        of_set[system] = (*of_set.get(system, ()), own)

    for system, row in _G_ROWS.items():
        for dataset, printed in zip(_G_SETS, row, strict=True):
            metric = "hit" if dataset == "webqsp" else "accuracy"
            source = (
                f"{_G}, the whole graph" if system in _WHOLE and dataset != "explagraphs" else _G
            )
            add(
                dataset,
                system,
                Published(printed, metric, source, CHAT7 if system in _AS_IT_IS else L7),
            )
    for system, variant, (accuracy, *of_lists) in _GRAG_ROWS:
        measures = (
            ("explagraphs", "accuracy", accuracy),
            *(("webqsp", *own) for own in zip(("hit", "f1", "recall"), of_lists, strict=True)),
        )
        for dataset, metric, value in measures:
            add(dataset, system, Published(value, metric, f"{_GRAG}{variant}", L7))
    for dataset, system, metric, value, source in _PARTS:
        add(dataset, system, Published(value, metric, source, L7))
    for dataset, system, own in _OTHERS:
        add(dataset, system, own)
    return found


_FIGURES = _figures()
