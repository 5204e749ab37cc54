"""Where the command line begins: the commands, how they are run, and what becomes of errors. Exit 0
ok, 1 our error, 2 wrong use, 3 done with some items set aside, 130 Ctrl-C.
"""

import errno
import os
import sys
from typing import Annotated

import typer

from dynagrag.cli.ask import AskCommand, ask
from dynagrag.cli.backup import backup, doctor, restore
from dynagrag.cli.check import check
from dynagrag.cli.demo import demo
from dynagrag.cli.document_commands import delete, documents, rename, set_language
from dynagrag.cli.embedder_commands import embedder_app
from dynagrag.cli.evaluate.citations import MEASURES, citations
from dynagrag.cli.evaluate.embedders import embedders
from dynagrag.cli.evaluate.entities import entities
from dynagrag.cli.evaluate.evidence import EVIDENCE_MEASURES, evidence
from dynagrag.cli.evaluate.extraction import EXTRACTION_MEASURES, extraction
from dynagrag.cli.evaluate.graph_quality import graph_retrieval
from dynagrag.cli.evaluate.graphqa import GRAPHQA_MEASURES, graphqa
from dynagrag.cli.evaluate.judge import JUDGE_MEASURES, judge
from dynagrag.cli.evaluate.kind_command import command_of
from dynagrag.cli.evaluate.pruner import PRUNER_MEASURES, pruner
from dynagrag.cli.evaluate.qa import QA_MEASURES, qa
from dynagrag.cli.evaluate.questions import QUESTION_KINDS, questions
from dynagrag.cli.evaluate.retrieval import evaluate_app
from dynagrag.cli.graph_commands import graph_app
from dynagrag.cli.ingest import ingest
from dynagrag.cli.inspect_sources import inspect
from dynagrag.cli.job_commands import jobs_app
from dynagrag.cli.model_commands import models_app
from dynagrag.cli.serve import serve
from dynagrag.cli.terminal import EXIT_INTERRUPTED, complain, outlet, say
from dynagrag.cli.train import train_app
from dynagrag.cli.train_soft_prompt import add_soft_prompts
from dynagrag.cli.workspaces import workspaces_app
from dynagrag.core.errors import DynaGragError
from dynagrag.evaluation.kinds import KINDS
from dynagrag.models.memory_errors import is_out_of_memory

_ABOUT = (
    "Turn transcripts and documents into a knowledge graph, and ask it questions: code checks every"
    " citation of an answer."
)

_REMEDIES = (
    (
        (errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
        "free some space on that disk and run the command again; ",
    ),
    (
        (errno.EACCES, errno.EPERM, errno.EROFS),
        "make it yours to read and write, or set DYNAGRAG_HOME to a folder of your own; ",
    ),
)
"""What helps against errors of the system, by their numbers."""


def _new_app() -> typer.Typer:
    return typer.Typer(
        name="dynagrag",
        help=_ABOUT,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


app = _new_app()
for _command in (
    inspect,
    ingest,
    ask,
    check,
    documents,
    rename,
    set_language,
    delete,
    backup,
    restore,
    doctor,
    serve,
    demo,
):
    app.command(cls=AskCommand if _command is ask else None)(_command)
app.add_typer(graph_app, name="graph")
app.add_typer(models_app, name="models")
app.add_typer(embedder_app, name="embedder")
app.add_typer(jobs_app, name="jobs")
app.add_typer(workspaces_app, name="workspaces")
app.add_typer(evaluate_app, name="evaluate")
add_soft_prompts(train_app)
app.add_typer(train_app, name="train")
evaluate_app.command()(embedders)
evaluate_app.command()(entities)
evaluate_app.command(epilog=MEASURES)(citations)
evaluate_app.command(epilog=EVIDENCE_MEASURES)(evidence)
evaluate_app.command(epilog=EXTRACTION_MEASURES)(extraction)
evaluate_app.command(epilog=JUDGE_MEASURES)(judge)
evaluate_app.command(epilog=QUESTION_KINDS)(questions)
evaluate_app.command(epilog=QA_MEASURES)(qa)
evaluate_app.command(epilog=PRUNER_MEASURES)(pruner)
evaluate_app.command(epilog=GRAPHQA_MEASURES)(graphqa)
evaluate_app.command("graph-retrieval")(graph_retrieval)
for _kind in KINDS:
    if _kind.command:
        evaluate_app.command(_kind.command)(command_of(_kind))


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"dynagrag {version('dynagrag')}")
        raise typer.Exit


@app.callback(help=_ABOUT)
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


def _app_of(words: list[str]) -> typer.Typer:
    """The command or group alone that the first word names, since typer takes a tenth of a second
    to make them all; else all.
    """
    first = words[:1]
    commands = [c for c in app.registered_commands if c.callback and c.callback.__name__ in first]
    groups = [group for group in app.registered_groups if group.name in first]
    if not commands and not groups:
        return app
    made = _new_app()
    made.callback(help=_ABOUT)(_options)
    made.registered_commands, made.registered_groups = commands, groups
    return made


def main(argv: list[str] | None = None) -> None:
    """Runs the command line and exits."""
    sys.stdout, sys.stderr = outlet(sys.stdout), outlet(sys.stderr)
    code = run(argv)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as err:  # a full disk, where the output is a file
        code = code or _complain_of_system(err)
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - in its place to the end
    if code == EXIT_INTERRUPTED:
        os._exit(code)  # model calls still in flight on other threads must not hold the prompt
    sys.exit(code)


def run(argv: list[str] | None = None) -> int:
    """Runs the command line and returns its exit code; errors of dynagrag become one line on
    stderr.
    """
    try:
        words = sys.argv[1:] if argv is None else argv
        result = _app_of(words)(args=words, standalone_mode=False, prog_name="dynagrag")
    except DynaGragError as err:
        complain(str(err))
        return err.exit_code
    except typer.Abort:
        complain("stopped; what was stored before stays")
        return EXIT_INTERRUPTED
    except KeyboardInterrupt:
        result = EXIT_INTERRUPTED
    except OSError as err:
        return _complain_of_system(err)
    except Exception as err:
        if is_out_of_memory(err):
            why = next(iter(str(err).splitlines()), type(err).__name__)
            complain(f"out of memory ({why}); free some of the machine's, or ask for less")
            return 1
        is_of_typer = type(err).__module__.split(".")[0] in {"click", "typer"}
        if not is_of_typer or not hasattr(err, "format_message"):
            raise
        if type(err).__name__ == "NoArgsIsHelpError":
            say(err.format_message())
            return 2
        command = getattr(getattr(err, "ctx", None), "command_path", "dynagrag")
        complain(f"{err.format_message()} (see `{command} --help`)")
        return 2
    if result == EXIT_INTERRUPTED:  # typer makes it of Ctrl-C
        complain("interrupted; what was stored before stays; run the same command again to resume")
    return result if isinstance(result, int) else 0


def _complain_of_system(err: OSError) -> int:
    """One line on an error of the system, and the exit code."""
    where = f" ({err.filename})" if err.filename else ""
    remedy = next((text for numbers, text in _REMEDIES if err.errno in numbers), "")
    complain(f"{err.strerror or err}{where}; {remedy}what was stored before stays")
    return 1
