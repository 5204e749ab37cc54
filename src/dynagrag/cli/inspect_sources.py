"""`dynagrag inspect`: how each file would be read."""

from collections.abc import Sequence
from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.options import FOLLOW_LINKS, JSON, STORE
from dynagrag.cli.terminal import (
    EXIT_SET_ASIDE,
    in_line,
    open_to_read,
    read_settings,
    say,
    say_json,
)
from dynagrag.core.errors import UsageError
from dynagrag.core.text import clock, cut, plural

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings
    from dynagrag.core.schema import LoadedSource, SourceTurn

_MAX_LABELS = 20
_MAX_WORDS_SHOWN = 90
_MAX_FINDINGS = 10
_MAX_ALIKE = 10
"""Pairs of speakers who may be one person."""


def inspect(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATHS",
            help=(
                "Files, folders or globs; with --workspace documents (title, path or id), and by"
                " default all of them."
            ),
        ),
    ] = None,
    follow_links: FOLLOW_LINKS = False,
    check_speakers: Annotated[
        bool,
        typer.Option(
            "--speakers",
            help=(
                "Check the speakers against what is said: who thanks themselves by name, says to"
                " be another, or is named while another speaks; labels that may be one person's;"
                " names that unnamed speakers give."
            ),
        ),
    ] = False,
    workspace: Annotated[
        str | None,
        typer.Option(
            "--workspace",
            "-w",
            help="With --speakers: check what this workspace holds. Default: files.",
        ),
    ] = None,
    store: STORE = None,
    as_json: JSON = False,
) -> int:
    """Show how each file is read, or why it is refused: what became of each label, and which
    speakers look like one person. Nothing is stored.

    --json prints one object per line: {path, format, language, turns: [{speaker, start_s,
    end_s, text}], labels: [{text, fate, why, num_turns, num_words, times_s, lines}], refused},
    with --speakers also {findings: [{kind, labels, what, lines}], doubtful, introduced:
    [{label, name, line}]}; times are in seconds, languages ISO 639-1 codes. Of a workspace's
    documents: {document, id} and what --speakers adds.

    Example: dynagrag inspect --speakers -w talks "Board meeting"
    """
    if workspace is not None:
        if not check_speakers:
            raise UsageError("a workspace's documents are checked with --speakers: add it")
        return _inspect_stored(workspace, read_settings(store=store), paths or (), as_json)
    if not paths:
        raise UsageError(
            "name files, folders or globs to read, or a workspace to check: --speakers -w NAME"
        )
    from dynagrag.ingest.load import find_sources, inspect_row, load_source, turns_of

    num_refused = num_read = 0
    labels: set[str] = set()
    found = find_sources(paths, follows_links=follow_links)
    for source in (*map(load_source, found.files), *found.left_out):
        num_refused += source.refused is not None
        num_read += source.refused is None
        labels.update(turn.speaker for turn in source.turns if turn.speaker)
        turns = turns_of(source)
        if as_json:
            say_json(inspect_row(source) | (_speakers_row(turns) if check_speakers else {}))
            continue
        _print_source(source)
        if check_speakers and source.refused is None:
            _print_speakers(turns)
    if not as_json:
        if num_read + num_refused > 1:
            say(f"{num_read} read, {num_refused} refused")
        _print_alike(labels)
    if num_refused:
        return EXIT_SET_ASIDE if num_read else 1
    return 0


def _inspect_stored(
    workspace: str, settings: "Settings", names: "Sequence[str]", as_json: bool
) -> int:
    """Checks the speakers of a workspace's documents, with the names that they have there."""
    from dynagrag.ingest.load.speaker_audit import spoken_turns

    labels: set[str] = set()
    with open_to_read(workspace, settings) as space:
        found = [space.documents.find(name) for name in names] or space.store.documents()
        documents = {document.id: document for document in found}  # each once
        for document in documents.values():
            turns = spoken_turns(document, space.store.turns(document.id))
            labels.update(turn.speaker for turn in turns if turn.speaker)
            if as_json:
                say_json({"document": document.title, "id": document.id} | _speakers_row(turns))
                continue
            say(in_line(document.title))
            _print_speakers(turns)
    if not as_json:
        if not documents:
            say("the workspace holds no documents yet")
        _print_alike(labels)
    return 0


def _speakers_row(turns: "Sequence[SourceTurn]") -> dict[str, Any]:
    from dynagrag.ingest.load.introductions import introductions
    from dynagrag.ingest.load.speaker_audit import are_doubtful, audit_speakers

    findings = audit_speakers(turns)
    return {
        "findings": [asdict(finding) for finding in findings],
        "doubtful": are_doubtful(findings),
        "introduced": [asdict(own) for own in introductions(turns)],
    }


def _print_alike(labels: set[str]) -> None:
    from dynagrag.ingest.load.speaker_names import alike

    pairs = alike(labels)
    if pairs:
        say(
            "note: these look like one person; where they are, write the line into a file and"
            " `dynagrag ingest --speaker-map FILE`"
        )
    for label, name in pairs[:_MAX_ALIKE]:
        say(f"  {label},{name}")
    if len(pairs) > _MAX_ALIKE:
        say(f"  ... and {len(pairs) - _MAX_ALIKE} more")


def _print_speakers(turns: "Sequence[SourceTurn]") -> None:
    from dynagrag.core.ids import entity_key
    from dynagrag.core.role_labels import is_role_label
    from dynagrag.ingest.load.introductions import introductions
    from dynagrag.ingest.load.speaker_audit import are_doubtful, audit_speakers

    if not any(turn.speaker for turn in turns):
        say("  speakers: no speakers to check")
        return
    labels = {turn.speaker for turn in turns if turn.speaker}
    roles = sorted(label for label in labels if is_role_label(entity_key(label)))
    if roles:
        shown = ", ".join(roles[:_MAX_LABELS])
        option = f"--speaker-map {quote(f'{roles[0]}=NAME')}"
        say(in_line(f"  roles, which are somebody else's in each file: {shown}"))
        say(
            in_line(
                f"    `dynagrag ingest {option}` says who it is, or joins those of several files"
            )
        )
    findings, introduced = audit_speakers(turns), introductions(turns)
    if findings:
        say("  speakers doubtful:" if are_doubtful(findings) else "  speakers to look at:")
    else:
        say("  speakers: nothing that is said speaks against them")
    for finding in findings[:_MAX_FINDINGS]:
        say(in_line(f"    {finding.text()}"))
    if len(findings) > _MAX_FINDINGS:
        say(f"    ... and {len(findings) - _MAX_FINDINGS} more, which --json lists")
    for own in introduced[:_MAX_FINDINGS]:
        say(in_line(f"  {own.text()}; `dynagrag ingest {own.option}` takes the name"))


def _print_source(source: "LoadedSource") -> None:
    from dynagrag.ingest.extract.case_use import fast_remarks
    from dynagrag.ingest.load import turns_of
    from dynagrag.ingest.load.label_report import label_line, unknown_notes
    from dynagrag.language.document_language import found_language
    from dynagrag.language.identification import language_name

    if source.refused is not None:
        say(f"{in_line(source.path)}\n  refused: {source.refused}")
        return
    language = found_language("\n".join(turn.text for turn in source.turns))
    turns = turns_of(source, language)
    num_words = sum(len(t.text.split()) for t in turns)
    times = [t.start_s for t in turns if t.start_s is not None]
    of_cues = f" of {len(source.turns)} cues" if len(turns) != len(source.turns) else ""
    say(in_line(source.path))
    say(
        f"  {source.format}, {source.encoding or 'text'}: {plural(len(turns), 'turn')}{of_cues},"
        f" {plural(num_words, 'word')}, {language_name(language)}"
    )
    say("  labels:" if source.labels else "  labels: none")
    for label in source.labels[:_MAX_LABELS]:
        say(in_line(f"    {label_line(label)}"))
    if len(source.labels) > _MAX_LABELS:
        say(f"    ... and {len(source.labels) - _MAX_LABELS} more, which --json lists")
    say(f"  times: {clock(min(times))} to {clock(max(times))}" if times else "  times: none given")
    for turn in turns[:2]:
        say(f"  | {turn.speaker + ': ' if turn.speaker else ''}{cut(turn.text, _MAX_WORDS_SHOWN)}")
    remarks = fast_remarks("\n".join(turn.text for turn in turns), language)
    for note in (*source.notes, *unknown_notes(source), *remarks):
        say(f"  note: {note}")
