"""`dynagrag ingest`: sources into the graph."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.options import EMBEDDER, FOLLOW_LINKS, JSON, LLM, STORE, VERBOSE, WORKSPACE, YES
from dynagrag.cli.run_job import run_prepared
from dynagrag.cli.terminal import ProgressBars, is_terminal, open_space, read_settings, set_up_log
from dynagrag.core.errors import DynaGragError
from dynagrag.registry.choices import chosen_with_place, listed
from dynagrag.registry.extractors import EXTRACTORS, NO_LLM

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings

EXTRACTOR = Annotated[
    str,
    typer.Option(help=f"What finds entities and relations: {listed(EXTRACTORS)}."),
]
CHUNKS = Annotated[
    str | None,
    typer.Option(
        help=(
            "Chunk size: default (up to 600 tokens per model call) or small (one passage per call)."
            " Default: small for small models, else default."
        )
    ),
]
TYPES = Annotated[
    str | None,
    typer.Option(help="Extract only these entity types, separated by commas. Default: any type."),
]
RELATIONS = Annotated[
    str | None,
    typer.Option(
        help=(
            "Labels of relations that `--extractor gliner:...` looks for, separated by commas."
            " Default: none."
        )
    ),
]
FOCUS = Annotated[
    str,
    typer.Option(
        help="Tell the model in one sentence what to look for. Default: nothing in particular."
    ),
]
GLEANINGS = Annotated[
    int, typer.Option(min=0, max=5, help="Extra calls per chunk, which ask for what was missed.")
]
MERGES = Annotated[
    str | None,
    typer.Option(
        help=(
            "Who decides which names are one entity: rules, or model (rules first). Default: model,"
            " unless it is small."
        )
    ),
]
MAX_CALLS = Annotated[
    int | None,
    typer.Option(
        min=1, help="Stop before the model is called more often than this. Default: no limit."
    ),
]
MAX_TOKENS = Annotated[
    int | None,
    typer.Option(
        min=1, help="Stop before prompts and replies take more tokens than this. Default: no limit."
    ),
]
GLOSSARY = Annotated[
    list[str] | None,
    typer.Option(
        "--glossary",
        metavar="FILE",
        help=(
            "Names that are one, as CSV or JSON: term, aliases, definition. It is stored and holds"
            " in later ingests, until a file of the same name takes its place. May be repeated."
        ),
    ),
]
REMOVE_MISSING = Annotated[
    bool,
    typer.Option(
        "--remove-missing",
        help="Delete documents whose files were in one of the folders and are gone.",
    ),
]

SPEAKER_MAP = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MAP",
        help=(
            "Names for speakers: one as LABEL=NAME, or a file, CSV (label,name or label,name,file)"
            " or JSON ({label: name}). An empty name or - is nobody, one name for two labels makes"
            " them one, the label - stands for turns without a speaker, and a label that a file"
            " wasn't read with is looked for before colons. Later ingests of the same files keep"
            " them. May be repeated. Default: the labels of the files."
        ),
    ),
]

LANGUAGE = Annotated[
    str,
    typer.Option(
        metavar="LANGUAGE",
        help=(
            "The language of all these files, by ISO 639-1 code or English name (de, German): whose"
            " sentences, stems and function words count. Later ingests of the same files keep it."
            " Default: each file's own, as its words tell; `documents` shows it."
        ),
    ),
]


def ingest(
    paths: Annotated[list[str], typer.Argument(metavar="PATHS", help="Files, folders or globs.")],
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    extractor: EXTRACTOR = "llm",
    chunks: CHUNKS = None,
    types: TYPES = None,
    relations: RELATIONS = None,
    focus: FOCUS = "",
    gleanings: GLEANINGS = 0,
    merges: MERGES = None,
    max_calls: MAX_CALLS = None,
    max_tokens: MAX_TOKENS = None,
    glossary: GLOSSARY = None,
    remove_missing: REMOVE_MISSING = False,
    speaker_map: SPEAKER_MAP = None,
    follow_links: FOLLOW_LINKS = False,
    language: LANGUAGE = "",
    yes: YES = False,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Read files, extract entities and relations, build the graph. Run it again at will: only new
    and changed files are read.

    Example: dynagrag ingest talks/ --llm qwen

    Several ingests may run at once. Each is a job, which `dynagrag jobs` lists, resumes and
    cancels.
    """
    set_up_log(verbose)
    from dynagrag.ingest.extract.llm_extractor import ExtractionOptions
    from dynagrag.ingest.load import find_sources
    from dynagrag.ingest.load.speaker_names import SpeakerNames, read_speaker_names
    from dynagrag.workspace.address import workspace_meant
    from dynagrag.workspace.glossaries import read_glossaries
    from dynagrag.workspace.ingest_job import IngestOptions, check_options

    names = read_speaker_names(*speaker_map) if speaker_map else SpeakerNames()
    extraction = ExtractionOptions(_listed(types), focus, gleanings, _listed(relations))
    options = IngestOptions(
        _with_whole_path(extractor),
        chunks,
        merges,
        extraction,
        max_calls,
        max_tokens,
        remove_missing,
        names,
        tuple(str(Path(path).absolute()) for path in glossary or ()),
        follow_links,
        language,
    )
    settings = read_settings(llm, embedder, store)
    check_options(options)  # an option or a path that can't be makes no workspace
    find_sources(paths, follows_links=follow_links)
    read_glossaries(options.glossaries)
    if chosen_with_place("extractor", extractor, EXTRACTORS)[0].needs_model and not settings.llm:
        options = replace(options, extractor=_ask_for_fast(yes))
    folder = settings.workspaces_dir / workspace_meant(workspace, settings)
    is_new = not folder.exists()
    try:
        with open_space(workspace, settings, create=True) as space:
            with ProgressBars(as_json) as progress:
                prepared = space.prepare_ingest(paths, options, progress)
            return run_prepared(prepared, yes, as_json)
    except DynaGragError:
        if is_new and folder.exists():
            with suppress(DynaGragError):  # what went wrong before is told
                _remove_if_empty(workspace, settings)
        raise


def _listed(text: str | None) -> tuple[str, ...]:
    """The parts of an option between its commas."""
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _with_whole_path(extractor: str) -> str:
    """An extractor with its model's folder from the root, so that a resumed job finds it."""
    name, _, place = extractor.partition(":")
    return f"{name}:{Path(place).absolute()}" if place and Path(place).is_dir() else extractor


def _remove_if_empty(workspace: str | None, settings: "Settings") -> None:
    """Removes a workspace that this command made, and in which nothing was begun."""
    from dynagrag.workspace.workspace_catalog import delete_workspace

    with open_space(workspace, settings) as space:
        is_empty = not space.jobs() and not space.store.documents()
        name = space.name
    if is_empty:
        delete_workspace(name, settings)


def _ask_for_fast(yes: bool) -> str:
    from dynagrag.core.errors import SettingsError

    question = (
        "No language model is configured. Build the graph without one, from names and repeated"
        " words (--extractor fast)?"
    )
    if is_terminal() and (yes or typer.confirm(question, err=True)):
        return "fast"
    raise SettingsError(NO_LLM)
