"""`dynagrag ask`: one question, or a conversation."""

import sys
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from dynagrag.cli.options import (
    EMBEDDER,
    JSON,
    LLM,
    RERANKER,
    STORE,
    VERBOSE,
    WORKSPACE,
)
from dynagrag.cli.terminal import (
    Waiting,
    complain,
    open_to_read,
    printable,
    read_settings,
    say,
    say_json,
    set_up_log,
)
from dynagrag.core.errors import DynaGragError, UsageError
from dynagrag.core.text import moment_seconds
from dynagrag.registry.choices import listed
from dynagrag.registry.profiles import PAPER, PAPER_DIFFERS, PROFILE_ROWS
from dynagrag.registry.pruners import PRUNERS
from dynagrag.registry.retrievers import RETRIEVERS
from dynagrag.registry.traversals import TRAVERSALS

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings
    from dynagrag.core.protocols import Embedder
    from dynagrag.workspace.asking import AskOptions
    from dynagrag.workspace.facade import Workspace

RETRIEVER = Annotated[
    str | None,
    typer.Option(
        help=(
            f"How evidence is found: {listed(RETRIEVERS)}. Default: the profile's own, bridge-ppr"
            " for default and global, dynagrag for graph and paper."
        )
    ),
]
TRAVERSAL = Annotated[
    str | None,
    typer.Option(
        help=(
            f"How subgraphs become text: {listed(TRAVERSALS)}. Only where some are read. Default:"
            " dsa-bfs."
        )
    ),
]
PRUNER = Annotated[
    str | None,
    typer.Option(
        help=(
            "What scores the entities and relations of subgraphs, only where some are read"
            f" (profiles graph and paper; retrievers of trees and facts): {listed(PRUNERS)},"
            " trained (the workspace's own, by `dynagrag train pruner --workspace`), or a"
            " checkpoint's folder. Default: the setting `pruner`, else auto: trained for DynaGRAG's"
            " ego-graphs (retrievers dynagrag, and dynagrag-cosine under paper), under paper"
            " wherever there is one, under graph where it beat the untrained ones on held-out"
            " documents; else prior."
        )
    ),
]
PROFILE = Annotated[
    str | None,
    typer.Option(
        help=(
            f"How it is answered: {listed(PROFILE_ROWS)}. Options that a profile doesn't use are"
            " refused. Default: the setting `profile`, else default."
        )
    ),
]
DOCUMENT = Annotated[
    list[str] | None,
    typer.Option(
        help=(
            "Use only this document (a title or part of it, path or id); may be repeated. Default:"
            " all documents."
        )
    ),
]
SPEAKER = Annotated[
    list[str] | None,
    typer.Option(help="Use only what this speaker said; may be repeated. Default: all speakers."),
]
SINCE = Annotated[
    str | None,
    typer.Option(
        help=(
            "Use only turns from this time on: seconds or h:mm:ss of the recording, a date of a"
            " chat. Default: all."
        )
    ),
]
UNTIL = Annotated[
    str | None,
    typer.Option(
        help=(
            "Use only turns before this time: seconds or h:mm:ss of the recording, a date of a"
            " chat. Default: all."
        )
    ),
]
SPLIT_QUESTION = Annotated[
    bool,
    typer.Option(
        "--split-question",
        help=(
            "Let the model split the question into steps first, and search for each (one more"
            " call)."
        ),
    ),
]
STRICT = Annotated[
    bool | None,
    typer.Option(
        "--strict/--no-strict",
        help=(
            "Leave out of the answer what no line of the sources states, and abstain when nothing"
            " is left. Default: of a small model's answer what was checked and isn't stated is left"
            " out; --no-strict shows all of it."
        ),
    ),
]
SOFT = Annotated[
    str | None,
    typer.Option(
        "--soft",
        help=(
            "Answer with a trained system in place of the language model: g-retriever, grag,"
            " graph-token (the graph without its text) or prompt-tuning (the text without the"
            " graph), the workspace's own, by `dynagrag train g-retriever --workspace`; or a"
            " checkpoint's folder. It retrieves by itself, without --retriever and --profile; its"
            " marks and claims are checked as those of any answer. --llm then only rewrites later"
            " questions of a conversation, and checks claims where it is large enough."
        ),
    ),
]
MAX_CALLS = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Stop before a question calls the model more often than this. Default: no limit.",
    ),
]
LINES = Annotated[
    int | None,
    typer.Option(
        min=1,
        help=(
            "Where nothing is answered, show this many single lines of evidence, each with the"
            " words before and after it. Default: up to five stretches of talk. --json has all."
        ),
    ),
]
_PAPER_EPILOG = "\n\n".join(
    ("What of --profile paper isn't as published, and what the paper leaves open:", *PAPER_DIFFERS)
)


class AskCommand(TyperCommand):
    """`ask`, whose help lists what of the profile `paper` isn't the paper where that is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Looks for it before help is printed, which comes first."""
        pairs = pairwise(["", *args])
        if any(b == f"--profile={PAPER}" or (a == "--profile" and b == PAPER) for a, b in pairs):
            self.epilog = _PAPER_EPILOG
        return super().parse_args(ctx, args)


_HOW_TO_HAVE_A_MODEL = (
    "Here are the nearest lines alone; for an answer name one, e.g. --llm qwen (after `dynagrag"
    " models pull qwen`) or --llm openai:NAME"
)
TRACE = Annotated[
    bool, typer.Option("--trace", help="Print why each passage and subgraph was chosen or refused.")
]


def ask(
    question: Annotated[
        str | None,
        typer.Argument(
            metavar="QUESTION",
            help="The question, of 10,000 characters at most. Without one, a conversation begins.",
        ),
    ] = None,
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    retriever: RETRIEVER = None,
    traversal: TRAVERSAL = None,
    profile: PROFILE = None,
    pruner: PRUNER = None,
    reranker: RERANKER = None,
    document: DOCUMENT = None,
    speaker: SPEAKER = None,
    since: SINCE = None,
    until: UNTIL = None,
    split_question: SPLIT_QUESTION = False,
    strict: STRICT = None,
    soft: SOFT = None,
    max_calls: MAX_CALLS = None,
    lines: LINES = None,
    trace: TRACE = False,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Answer a question; citations lead to the words it rests on. Without a language model, print
    the evidence.

    Example: dynagrag ask "What did EECOM report?" --workspace demo
    """
    set_up_log(verbose)
    settings = read_settings(llm, embedder, store, reranker=reranker)
    since_s, until_s = seconds_of(since, "--since"), seconds_of(until, "--until")
    from dynagrag.models.embedders import begin_loading
    from dynagrag.workspace.address import workspace_meant
    from dynagrag.workspace.own_embedder import probable_embedder

    folder = settings.workspaces_dir / workspace_meant(workspace, settings)
    probable = probable_embedder(folder, settings)
    loading = begin_loading(probable)  # while the rest is imported and the graph is read

    def embedder_of(chosen: "Settings") -> "Embedder":
        from dynagrag import wiring

        is_loading = loading is not None and chosen.embedder == probable.embedder
        return loading if loading and is_loading else wiring.make_embedder(chosen)

    from dynagrag.core.schema import Filters
    from dynagrag.workspace.asking import AskOptions
    from dynagrag.workspace.option_uses import NEEDS_MODEL

    options = AskOptions(
        retriever=retriever,
        traversal=traversal,
        profile=profile,
        filters=Filters(tuple(document or ()), tuple(speaker or ()), since_s, until_s),
        max_calls=max_calls,
        is_split=split_question,
        is_strict=strict,
        pruner=pruner,
        soft=soft,
    )
    shown = _Shown(as_json, trace, lines)
    from dynagrag.workspace.workspace_embedder import EmbedderOpener

    opener = EmbedderOpener(embedder_of) if loading else None
    with open_to_read(workspace, settings, opener) as space:
        for sentence in space.questions.unused_options(options, space.models.chat_model):
            needs_model = sentence.endswith(NEEDS_MODEL)
            complain(f"{sentence}. {_HOW_TO_HAVE_A_MODEL}" if needs_model else sentence)
        if question is not None:
            if soft is not None and llm is not None:
                from dynagrag import wiring

                if not wiring.asks_model(
                    wiring.chosen_checker(space.settings.checker, space.models.chat_model)
                ):
                    raise UsageError(
                        "--soft answers in place of the language model, and the checker in use asks"
                        " none: leave out --llm"
                    )
            _ask_once(space, question, options, [], shown)
        else:
            _converse(space, options, shown)
    return 0


@dataclass(frozen=True, slots=True)
class _Shown:
    """Options of how an answer is printed. `languages_told`: lines on languages that were
    printed already.
    """

    as_json: bool
    has_trace: bool
    num_lines: int | None
    languages_told: set[str] = field(default_factory=set)


def seconds_of(text: str | None, option: str) -> float | None:
    """The time that an option names. UsageError where it is none."""
    seconds = None if text is None else moment_seconds(text)
    if text is not None and seconds is None:
        raise UsageError(f"{option} {text!r} is no time; write seconds, h:mm:ss or a date")
    return seconds


def _ask_once(
    space: "Workspace",
    question: str,
    options: "AskOptions",
    history: list[tuple[str, str]],
    shown: _Shown,
) -> str:
    """Asks, prints, and gives back the answer's text."""
    from dynagrag.generation.claims.verdict_text import left_out_lines
    from dynagrag.generation.stored_answer import answer_json
    from dynagrag.workspace.asking import STAGES
    from dynagrag.workspace.text_reports import answer_lines, trace_lines
    from dynagrag.workspace.unread_languages import answer_language_line

    printed: list[str] = []

    def on_text(piece: str) -> None:
        waiting.stop()
        printed.append(piece)
        sys.stdout.write(printable(piece))
        sys.stdout.flush()

    def on_stage(stage: str, done: int, total: int) -> None:
        so_far = f", {done} of {total}" if total > 1 else ""
        waiting.tell(STAGES.get(stage, "Reading the graph") + so_far)

    # the first question loads the graph and the models
    with Waiting("Looking for evidence", shown.as_json) as waiting:
        answer = space.ask(question, options, history, None if shown.as_json else on_text, on_stage)
    if shown.as_json:
        say_json(answer_json(answer))
        return answer.text
    if printed:
        say()
    has_titles = len(space.current_graph.snapshot().documents) > 1
    for line in answer_lines(answer, not printed, shown.num_lines, has_titles):
        say(line)
    line = answer_language_line(space.parts, answer)
    if line and line not in shown.languages_told:
        shown.languages_told.add(line)
        say(f"  note: {line}")
    if shown.has_trace:
        for line in left_out_lines(answer):
            say(f"  left out, {line}")
        for line in trace_lines(answer.trace):
            say(line)
    return answer.text


def _converse(space: "Workspace", options: "AskOptions", shown: _Shown) -> None:
    is_prompting = sys.stdin.isatty() and not shown.as_json
    if is_prompting:
        say("Ask a question; a later one may refer to earlier ones. An empty line or Ctrl-D ends.")
    history: list[tuple[str, str]] = []
    while True:
        try:
            question = input("> " if is_prompting else "").strip()
        except EOFError:
            return
        if not question:
            return
        try:
            history.append((question, _ask_once(space, question, options, history, shown)))
        except DynaGragError as err:
            if not sys.stdin.isatty():
                raise
            complain(str(err))
        if not shown.as_json:
            say()
