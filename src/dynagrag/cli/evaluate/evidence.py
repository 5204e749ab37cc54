"""`dynagrag evaluate evidence`: whether the words that answer are shown, and how early."""

from pathlib import Path
from typing import Annotated

import typer

from dynagrag.cli.evaluate.shared import LIMIT, OUT, one_of, say_experiment
from dynagrag.cli.options import EMBEDDER, JSON, RERANKER, STORE, VERBOSE, WORKSPACE
from dynagrag.cli.terminal import ProgressBars, read_settings, set_up_log

EVIDENCE_MEASURES = (
    "Measures, in points (fractions of 1 with --json), with 95 % intervals over questions: first,"
    " the share of the questions whose answering words are in the first clip shown; first 3, in"
    " the first three; shown, in any; cut, of those where a clip begins or ends amid them;"
    " nothing fits, the share of which that was said, wrongly and rightly."
)
QUESTIONS = Annotated[
    Path,
    typer.Option(
        "--questions",
        metavar="FILE",
        help=(
            "JSON lines with `question`, and `decisive` (a list of words of lines that answer; with"
            ' `mode` "all" each of them is needed, else any will do) or `unanswerable` true.'
            " Optional: `document` (where the words stand: a file name, title, path or id),"
            " `speaker` (asked of their words alone), `kind`, `id`; `turns` ([{document, first,"
            " last}], counted from 0) in place of `decisive`."
        ),
    ),
]
SCOPE = Annotated[
    str,
    typer.Option(
        "--scope",
        help="Ask the whole workspace (corpus), or each question of its `document` (document).",
    ),
]


def evidence(
    questions: QUESTIONS,
    workspace: WORKSPACE = None,
    scope: SCOPE = "corpus",
    limit: LIMIT = None,
    out: OUT = None,
    embedder: EMBEDDER = None,
    store: STORE = None,
    reranker: RERANKER = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure whether `ask` shows the words that answer your questions first, and says where
    nothing does. No language model is asked. With a reranker each question is asked without it
    and with it.

    Example: dynagrag evaluate evidence --workspace work --questions mine.jsonl
    """
    set_up_log(verbose)
    from dynagrag.evaluation.evidence.evidence_measures import EvidenceOptions, evaluate_evidence
    from dynagrag.evaluation.question_sets.question_set import Scope

    options = EvidenceOptions(questions, workspace, one_of("--scope", scope, Scope), limit, out)
    settings = read_settings(None, embedder, store, reranker=reranker)
    with ProgressBars(as_json) as progress:
        run, result = evaluate_evidence(settings, options, progress)
    say_experiment(run, result, as_json)
    return 0
