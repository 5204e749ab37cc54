"""`dynagrag evaluate qa`: how right the answers of each arm are, what they cite and what they
cost.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.evaluate.shared import (
    BASELINE,
    DATA,
    EXTRACTOR,
    GIVEN,
    HALF,
    LIMIT,
    MAX_CALLS,
    OUT,
    PART,
    names_in,
    one_of,
    say_estimate,
    say_experiment,
)
from dynagrag.cli.options import EMBEDDER, JSON, LLM, STORE, VERBOSE, WORKSPACE
from dynagrag.cli.terminal import EXIT_SET_ASIDE, ProgressBars, read_settings, set_up_log
from dynagrag.registry.choices import Use, names_for
from dynagrag.registry.pruners import PRUNERS
from dynagrag.registry.retrievers import RETRIEVERS

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings
    from dynagrag.evaluation.qa.qa_options import QaOptions

QA_MEASURES = (
    "Measures, in points (fractions of 1 with --json): exact and F1, of the answer in a few words,"
    " where the given answers are short; ROUGE-L, where they are long; answer recall, the right"
    " words stand in the whole answer; stated, contradicted, not found, shares of the answer's"
    " claims; cited right, the share of the citations that touch the gold; gold cited, the share of"
    " the gold that is cited. Cut off counts answers whose reply came to no end; they are wrong."
    " Costs are means per question; a reply from the cache counts as the call that it once was."
)
DATASET = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        help=(
            "Published set: musique, hotpotqa, 2wiki, multihop-rag, qmsum, locomo, squality or"
            " graphrag-bench. Needs --data."
        ),
    ),
]
QUESTIONS = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        metavar="FILE",
        help=(
            "Your own questions for a workspace, instead of --dataset: JSON lines with `question`,"
            " and optional `answer` or `answers`, `answerable` (false where nothing answers it),"
            " `documents` or `turns` (what should be cited), `kind`."
        ),
    ),
]
ARMS = Annotated[
    str | None,
    typer.Option(
        "--arms",
        help=(
            "What to compare, separated by commas: default, graph, paper; dsa-diverse, bfs-diverse,"
            " bfs-cosine (DynaGRAG's experiment); a retriever"
            f" ({', '.join(names_for(RETRIEVERS, Use.ARM))}), naive-parts (naive, answered part by"
            f" part); pruner:NAME (graph with a pruner: {', '.join(names_for(PRUNERS, Use.ARM))},"
            " trained or a folder); soft:NAME (a trained soft prompt: g-retriever, grag,"
            " graph-token, prompt-tuning or a folder, as `ask --soft` has it), hard:NAME (the same"
            " language model before the same text, without soft tokens); closed-book (no evidence);"
            " gold (the right passages alone); rerank:MODEL (a cross-encoder). global (for general"
            " questions: many passages, part by part). All but global, soft and hard have equal"
            " room for evidence; the last two have as much as each other. Default: default, naive,"
            " closed-book and gold."
        ),
    ),
]
SCOPE = Annotated[
    str | None,
    typer.Option(
        "--scope",
        help=(
            "For qmsum: ask each question of its own meeting (document) or of all (corpus). For"
            " locomo: of its own conversation (conversation) or of all. Default: the narrow one."
        ),
    ),
]
RAGAS_ROWS = Annotated[
    Path | None,
    typer.Option(
        "--ragas-rows",
        metavar="FILE",
        help=(
            "Write the answers too as the JSON lines that RAGAS scores: user_input, response,"
            " retrieved_contexts, reference."
        ),
    ),
]
KIND = Annotated[
    str | None,
    typer.Option("--kind", help="Ask only questions of this kind, such as general for qmsum."),
]


def qa(
    dataset: DATASET = None,
    data: DATA = None,
    questions: QUESTIONS = None,
    workspace: WORKSPACE = None,
    arms: ARMS = None,
    baseline: BASELINE = None,
    half: HALF = "all",
    scope: SCOPE = None,
    kind: KIND = None,
    part: PART = None,
    limit: LIMIT = None,
    extractor: EXTRACTOR = "fast",
    given: GIVEN = None,
    out: OUT = None,
    max_calls: MAX_CALLS = None,
    ragas_rows: RAGAS_ROWS = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure how right the answers are, and write a report. Shows what the model will cost first.
    Run it again to resume.

    Example: dynagrag evaluate qa --dataset musique --data sets --arms default,naive,gold --llm qwen
    --limit 20
    """
    set_up_log(verbose)
    from dynagrag.evaluation.qa.qa_options import DEFAULT_ARMS, QaOptions
    from dynagrag.evaluation.question_sets.question_set import Half, Scope

    options = QaOptions(
        dataset=dataset,
        data=data,
        questions=questions,
        workspace=workspace,
        arms=DEFAULT_ARMS if arms is None else names_in(arms),
        baseline=baseline,
        extractor=extractor,
        half=one_of("--half", half, Half),
        scope=None if scope is None else one_of("--scope", scope, Scope),
        kind=kind,
        limit=limit,
        part=part,
        given=given,
        out=out,
        max_calls=max_calls,
        ragas_rows=ragas_rows,
    )
    return _answer(options, read_settings(llm, embedder, store), as_json)


def _answer(options: "QaOptions", settings: "Settings", as_json: bool) -> int:
    from dynagrag.evaluation.qa.qa_run import evaluate_qa

    with ProgressBars(as_json) as progress:
        run, result = evaluate_qa(settings, options, progress, say_estimate)
    say_experiment(run, result, as_json)
    return EXIT_SET_ASIDE if any(result.errors.values()) else 0
