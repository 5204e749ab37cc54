"""What a method retrieves of the graphs of a set, without asking a model: how often a right answer
is in it, and how much smaller it is (G-Retriever, tables 4 and 11; docs/papers.md, GraphQA).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.core.extras import check_extras
from dynagrag.core.ids import estimate_tokens
from dynagrag.evaluation.bootstrap_intervals import Interval, intervals, share_intervals
from dynagrag.evaluation.graphqa.graph_methods import GraphMethod, GraphPart, method_of
from dynagrag.evaluation.graphqa.graph_question import AnswerForm, GraphQuestion, Part
from dynagrag.evaluation.graphqa.graph_retrieval import TextVectors, nearest_facts
from dynagrag.evaluation.graphqa.graph_sets import ALL, load_graph_set
from dynagrag.evaluation.graphqa.retrieval_options import RetrievalOptions
from dynagrag.evaluation.graphqa.text_tables import text_tables
from dynagrag.ingest.pipeline import Progress
from dynagrag.language.word_runs import words

_ESTIMATED = "estimated, four characters a token"
_PUBLISHED: Mapping[tuple[str, str], Mapping[str, str]] = MappingProxyType(
    {
        ("webqsp", "kaping"): {"accuracy": "60.81 % (G-Retriever, table 11)"},
        ("webqsp", "g-retriever"): {
            "accuracy": "70.49 % (G-Retriever, table 11; the same number as its hit)",
            "nodes_before": "1,371 (table 4)",
            "nodes_after": "18 (table 4)",
            "tokens_before": "100,627 (table 4, tokens of Llama 2)",
            "tokens_after": "610 (table 4)",
        },
        ("scenegraphs", "g-retriever"): {
            "nodes_before": "19 (table 4)",
            "nodes_after": "5 (table 4)",
            "tokens_before": "1,396 (table 4, tokens of Llama 2)",
            "tokens_after": "235 (table 4)",
        },
    }
)
_MEANINGS = {
    "accuracy": "questions of which a right answer is in what is retrieved",
    "all_answers": "share of a question's right answers in it",
    "in_graph": "questions of which a right answer is in the whole graph: the ceiling",
    "nodes_before": "nodes of a graph",
    "nodes_after": "nodes that are retrieved, each once",
    "tokens_before": "tokens of the whole graph's text",
    "tokens_after": "tokens of the text that is retrieved",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalQualityOptions:
    """Which method on which rows. `tokenizer`: a folder or hub name of a transformers model, by
    whose tokens texts are counted; None: estimated.
    """

    dataset: str
    data: Path
    method: str = "g-retriever"
    part: Part | None = Part.TEST
    limit: int | None = None
    tokenizer: str | None = None
    retrieval: RetrievalOptions = field(default_factory=RetrievalOptions)

    def check(self) -> GraphMethod:
        """The method. UsageError for one that retrieves nothing."""
        method = method_of(self.method, options=self.retrieval)
        if not method.reads_graph or method.retrieval is GraphPart.WHOLE:
            raise UsageError(f"{self.method} retrieves nothing; take g-retriever, grag or kaping")
        needed = {"torch_geometric": "train", "transformers": "local"}
        is_tree = method.retrieval is GraphPart.TREE
        check_extras("retrieving of graphs", needed | ({"pcst_fast": "pcst"} if is_tree else {}))
        return method


@dataclass(frozen=True, slots=True)
class RetrievalQuality:
    """Of the rows of a set: means with 95 % intervals over the questions, by measure. Measures of
    answers are missing where these are labels, which no graph holds. `published`: what the paper
    printed for the same, in words.
    """

    dataset: str
    method: str
    split: str
    n: int
    embedder: str
    tokens: str
    measures: Mapping[str, Interval]
    published: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """For people."""
        rows = f"{self.n} rows of the split {self.split}"
        yield f"What {self.method} retrieves on {self.dataset}: {rows}, vectors of {self.embedder}"
        yield f"tokens: {self.tokens}"
        for name, own in self.measures.items():
            is_share = not name.startswith(("nodes", "tokens"))
            scale, unit = (100, " %") if is_share else (1, "")
            mean, low, high = (f"{scale * n:,.1f}" for n in (own.mean, own.low, own.high))
            printed = f"; published: {self.published[name]}" if name in self.published else ""
            yield f"  {name}: {mean}{unit} ({low} to {high}), {_MEANINGS[name]}{printed}"
        if "accuracy" not in self.measures:
            yield "  no accuracy: this set's answers are labels, which no graph holds"


def measure_retrieval(
    settings: Settings, options: RetrievalQualityOptions, progress: Progress | None = None
) -> RetrievalQuality:
    """Retrieves for each question. Errors as in `RetrievalQualityOptions.check`, and those of files
    and models that aren't there.
    """
    method, tell = options.check(), progress or (lambda *_: None)
    graph_set = load_graph_set(options.dataset, options.data)
    questions = graph_set.of(options.part)[: options.limit]
    count = _tokenizer(options.tokenizer, settings)
    embedder = wiring.make_embedder(settings)
    vectors = TextVectors(embedder)
    rows = []
    for done, question in enumerate(questions):
        tell("retrieve", done, len(questions))
        rows.append(_row(question, vectors, method, count))
    tell("retrieve", len(questions), len(questions))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    shares = {name: own for name, own in columns.items() if name in ("accuracy", "in_graph")}
    found = intervals({name: own for name, own in columns.items() if name not in shares})
    found |= share_intervals(shares)
    return RetrievalQuality(
        dataset=graph_set.name,
        method=options.method,
        split=options.part.value if options.part else ALL,
        n=len(questions),
        embedder=embedder.identity.name,
        tokens=f"those of {options.tokenizer}" if options.tokenizer else _ESTIMATED,
        measures={name: found[name] for name in columns},
        published=_PUBLISHED.get((graph_set.name, options.method), {}),
    )


def _row(
    question: GraphQuestion,
    vectors: TextVectors,
    method: GraphMethod,
    count: Callable[[str], int],
) -> dict[str, float]:
    from dynagrag.evaluation.graphqa.soft_examples import described, retrieved

    graph, parts = question.graph, retrieved(question, vectors, method)
    if method.retrieval is GraphPart.FACTS:
        facts = nearest_facts(question, vectors, method.options)
        nodes = {end for head, _, tail in facts for end in (head, tail)}
    else:
        nodes = {graph.nodes[node] for part in parts for node in part.read.nodes}
    row: dict[str, float] = {}
    if question.form is not AnswerForm.LABEL:
        held = [_holds(nodes, answer) for answer in question.answers]
        row["accuracy"] = float(any(held))
        row["all_answers"] = sum(held) / len(held) if held else 0.0
        row["in_graph"] = float(any(_holds(graph.nodes, answer) for answer in question.answers))
    return row | {
        "nodes_before": float(len(graph.nodes)),
        "nodes_after": float(len(nodes)),
        "tokens_before": float(count(text_tables(graph))),
        "tokens_after": float(count(described(question, vectors, method, parts))),
    }


def _holds(nodes: Sequence[str] | set[str], answer: str) -> bool:
    """Whether the words of an answer stand together in one of the texts, of any case."""
    wanted = f" {' '.join(words(answer.casefold()))} "
    return bool(wanted.strip()) and any(
        wanted in f" {' '.join(words(text.casefold()))} " for text in nodes
    )


def _tokenizer(name: str | None, settings: Settings) -> Callable[[str], int]:
    if name is None:
        return estimate_tokens
    check_extras("counting a model's tokens", {"transformers": "local"})
    from transformers import AutoTokenizer

    from dynagrag.models.catalog import hub_model
    from dynagrag.models.transformers_chat import locate_model

    source = locate_model(name)
    folder = Path(source) if Path(source).exists() else hub_model(source, settings)
    where: dict[str, Any] = {"local_files_only": True}
    if folder.is_file():
        folder, where = folder.parent, where | {"gguf_file": folder.name}
    tokenizer = AutoTokenizer.from_pretrained(folder, **where)
    return lambda text: len(tokenizer(text, add_special_tokens=False)["input_ids"])
