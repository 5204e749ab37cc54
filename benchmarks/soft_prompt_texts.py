"""How often the words that answer a question stand in the text that a trained soft prompt reads,
without its language model.

    python benchmarks/soft_prompt_texts.py --data FOLDER [--sets locomo,qmsum] [--every 3]
    [--system g-retriever] [--lm smollm2] [--out FILE]

`--data` holds talk/, transcript_qa/ and multihop/. Corpora are ingested without a model into the
settings' home, once; each question is asked of its meeting (of LoCoMo: its conversation), and of
all. Three texts of at most 768 tokens of the language model's tokenizer: `tree`, of the graph
alone, as versions before had it; `beside`, as `ask --soft` reads it; `passages`, the same without
subgraphs. `any`: a turn that answers (where titles are gold, a passage) stands there by half of its
characters and more; `gold`: the share of the characters of all of them.
"""

import argparse
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from result_lines import ResultLines

from dynagrag import load_settings
from dynagrag.config.settings import PROFILES, Settings
from dynagrag.core.schema import Evidence, Filters, Question
from dynagrag.evaluation.bootstrap_intervals import intervals
from dynagrag.evaluation.question_sets.gold_resolver import Resolver
from dynagrag.evaluation.question_sets.locomo import ADVERSARIAL
from dynagrag.evaluation.question_sets.published_sets import load_set
from dynagrag.evaluation.question_sets.question_set import EvalQuestion
from dynagrag.evaluation.retrieval.evaluated_workspace import EvaluatedWorkspace, open_evaluated
from dynagrag.evaluation.retrieval.prompt_arms import prompt_recall
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions
from dynagrag.generation.answer_plan import AnswerPlan
from dynagrag.generation.answer_prompt import all_evidence
from dynagrag.generation.soft_prompt.soft_answers import (
    MAX_DESCRIPTION,
    SYSTEMS,
    SoftSystem,
    lines_read,
)
from dynagrag.generation.soft_prompt.soft_reading import soft_reading
from dynagrag.generation.soft_prompt.soft_text import SoftText, TokenBudget, write_soft_text
from dynagrag.models.catalog import model_path
from dynagrag.models.known_models import CATALOG
from dynagrag.workspace.asking import AnswerOverrides, AskOptions

OLD_BUDGETS = {"pcst": 900, "grag": 450}
"""Tokens of a subgraph's prompt when it had no passages beside it, by retriever."""
HELD = 0.5
"""Of a turn's characters, for it to stand in a text."""


@dataclass(frozen=True)
class Read:
    """Of a question's text: the lines, and its tokens; whether it has graph lines."""

    lines: Sequence[Evidence]
    tokens: int
    has_graph: bool


Texts = Mapping[str, Callable[[Question, AnswerPlan], SoftText]]


def texts_of(system: SoftSystem, budget: TokenBudget) -> Texts:
    """The ways to a text by name."""

    def tree(question: Question, plan: AnswerPlan) -> SoftText:
        profile = replace(
            PROFILES["default"],
            passage_ranking="ego",
            num_subgraphs=system.num_subgraphs,
            subgraph_token_budget=OLD_BUDGETS[system.retriever],
        )
        found = plan.retrieve(question)
        bare = replace(found, turns=(), trace=None, passages=())
        write = plan.writer(question, bare)
        return write_soft_text(lambda own: write(own, ()), profile, budget)

    def beside(question: Question, plan: AnswerPlan) -> SoftText:
        return soft_reading(question, plan, budget).text

    def passages(question: Question, plan: AnswerPlan) -> SoftText:
        alone = replace(plan, retriever=_WithoutSubgraphs(plan))
        return soft_reading(question, alone, budget).text

    return {"tree": tree, "beside": beside, "passages": passages}


def read_by(
    texts: Texts, question: Question, plan: AnswerPlan, budget: TokenBudget
) -> dict[str, Read]:
    """What stands in each text. Without graph lines, passages beside none are passages alone."""
    found = {name: read(texts[name](question, plan), budget) for name in ("tree", "beside")}
    has_graph = found["beside"].has_graph
    alone = read(texts["passages"](question, plan), budget) if has_graph else found["beside"]
    return found | {"passages": alone}


class _WithoutSubgraphs:
    def __init__(self, plan: AnswerPlan) -> None:
        self._inner, self.name = plan.retriever, plan.retriever.name

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int):  # type: ignore[no-untyped-def]
        found = self._inner.retrieve(question, num_passages, num_subgraphs)
        return replace(found, subgraphs=())


def read(text: SoftText, budget: TokenBudget) -> Read:
    """What stands in a text."""
    evidence = all_evidence(text.prompts)
    lines = [evidence[label] for label in lines_read(evidence, text.text)]
    has_graph = any(prompt.hard.num_nodes for prompt in text.prompts)
    return Read(lines, budget.num_tokens(text.text.strip()), has_graph)


def measure(
    place: EvaluatedWorkspace,
    questions: Sequence[EvalQuestion],
    of_documents: Callable[[EvalQuestion], tuple[str, ...]],
    system: SoftSystem,
    budget: TokenBudget,
) -> dict[str, list[float]]:
    """Columns of the questions: `any`, `gold`, `tokens` and `graph` of each text."""
    resolver = Resolver(place.space.current_graph.snapshot(), place.find)
    columns: dict[str, list[float]] = {}
    for question in questions:
        filters = Filters(documents=of_documents(question))
        plan = place.space.questions.plan(
            AskOptions(filters=filters), None, AnswerOverrides(system=system)
        )
        asked = Question(question.text, place.space.questions.query_vector(question.text))
        things = resolver.gold_words(question.gold)
        turns = [[[span]] for thing in things for where in thing for span in where]
        for name, found in read_by(texts_of(system, budget), asked, plan, budget).items():
            held = [prompt_recall([turn], 0, found.lines) for turn in turns]
            for column, value in (
                ("any", float(max(held, default=0.0) >= HELD)),
                ("gold", prompt_recall(things, 0, found.lines)),
                ("tokens", float(found.tokens)),
                ("graph", float(found.has_graph)),
            ):
                columns.setdefault(f"{name} {column}", []).append(value)
    return columns


def report(out: ResultLines, name: str, columns: Mapping[str, Sequence[float]]) -> list[str]:
    """A line for each text; the lines of the paired differences are returned."""
    found = intervals(columns)
    texts = list(dict.fromkeys(column.partition(" ")[0] for column in columns))
    for text in texts:
        shares = "  ".join(
            found[f"{text} {column}"].times(100).text() for column in ("any", "gold")
        )
        tokens = statistics.mean(columns[f"{text} tokens"])
        graph = 100 * statistics.mean(columns[f"{text} graph"])
        out.line(f"{name + ', ' + text:<34}  {shares}  {tokens:.0f}  {graph:.0f}")
    differences = []
    for one, other in (("beside", "tree"), ("beside", "passages")):
        for column in ("any", "gold"):
            values = np.subtract(columns[f"{one} {column}"], columns[f"{other} {column}"])
            difference = intervals({"": values.tolist()})[""].times(100).text(sign="+")
            differences.append(f"#   {name}: {one} - {other}, {column}: {difference}")
    return differences


def tokenizer_budget(lm: str, settings: Settings) -> TokenBudget:
    """The budget by a language model's own tokenizer."""
    from transformers import AutoTokenizer

    path = model_path(lm, settings) if lm in CATALOG else Path(lm)
    if path is None:
        raise SystemExit(f"the model {lm} isn't here: run `dynagrag models pull {lm}`")
    of_file = {"gguf_file": path.name} if path.is_file() else {}
    folder = path.parent if of_file else path
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, **of_file)
    return TokenBudget(
        lambda text: len(tokenizer(text, add_special_tokens=False).input_ids), MAX_DESCRIPTION
    )


def main() -> None:
    """Parses, measures, prints."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="locomo,qmsum")
    parser.add_argument(
        "--every", type=int, default=3, help="every so manieth question (default 3)"
    )
    parser.add_argument("--system", choices=tuple(SYSTEMS), default="g-retriever")
    parser.add_argument("--lm", default="smollm2", help="whose tokenizer counts (default smollm2)")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    settings = load_settings()
    out, system = ResultLines(options.out), SYSTEMS[options.system]
    budget = tokenizer_budget(options.lm, settings)
    out.line(
        f"# python benchmarks/soft_prompt_texts.py --sets {options.sets} --every {options.every}"
        f" --system {options.system} --lm {options.lm}: Python {platform.python_version()},"
        f" embedder {settings.embedder}, {time.strftime('%Y-%m-%d')}; in points, 95 %"
    )
    out.line(f"{'questions, text':<34}  any  gold  tokens  with graph lines")
    for name in options.sets.split(","):
        loaded = load_set(name, options.data)
        asked = [q for q in loaded.questions if q.kind != ADVERSARIAL][:: options.every]
        evaluated = EvaluateOptions(dataset=name, data=options.data)
        with open_evaluated(settings, evaluated, loaded, lambda *_: None, None) as place:

            def own(question: EvalQuestion, place: EvaluatedWorkspace = place) -> tuple[str, ...]:
                return place.ids(question.conversation or (question.document or "",))

            whole = f"{name}, {len(asked)}"
            said = []
            if any(question.conversation or question.document for question in asked):
                columns = measure(place, asked, own, system, budget)
                said += report(out, f"{whole} of their own", columns)
            columns = measure(place, asked, lambda _: (), system, budget)
            for line in [*said, *report(out, f"{whole} of all", columns)]:
                out.line(line)


if __name__ == "__main__":
    main()
