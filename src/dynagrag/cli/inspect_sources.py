"""`dynagrag inspect`: how each file would be read."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.options import FOLLOW_LINKS, JSON
from dynagrag.cli.terminal import EXIT_SET_ASIDE, in_line, say, say_json
from dynagrag.core.text import clock, cut

if TYPE_CHECKING:
    from dynagrag.core.schema import LoadedSource
    from dynagrag.ingest.load.speaker_audit import AuditFinding

_MAX_LABELS = 20
_MAX_WORDS_SHOWN = 90
_MAX_FINDINGS = 10
_MAX_ALIKE = 10
"""Pairs of speakers who may be one person."""


def inspect(
    paths: Annotated[list[str], typer.Argument(metavar="PATHS", help="Files, folders or globs.")],
    follow_links: FOLLOW_LINKS = False,
    check_speakers: Annotated[
        bool,
        typer.Option(
            "--speakers",
            help=(
                "Check the speakers against what is said: who thanks themselves by name, says to"
                " be another, or is named while another speaks; labels that may be one person's."
            ),
        ),
    ] = False,
    as_json: JSON = False,
) -> int:
    """Show how each file is read, or why it is refused: what became of each label, and which
    speakers look like one person. Nothing is stored.

    --json prints one object per line: {path, format, turns: [{speaker, start_s, end_s, text}],
    labels: [{text, fate, why, num_turns, num_words, times_s, lines}], refused}, with --speakers
    also {findings: [{kind, labels, what, lines}], doubtful}; times are in seconds.
    """
    from dynagrag.ingest.load import find_sources, inspect_row, load_source, turns_of
    from dynagrag.ingest.load.speaker_audit import are_doubtful, audit_speakers

    num_refused = num_read = 0
    labels: set[str] = set()
    found = find_sources(paths, follows_links=follow_links)
    for source in (*map(load_source, found.files), *found.left_out):
        num_refused += source.refused is not None
        num_read += source.refused is None
        labels.update(turn.speaker for turn in source.turns if turn.speaker)
        findings = audit_speakers(turns_of(source)) if check_speakers else ()
        if as_json:
            row = inspect_row(source)
            if check_speakers:
                row["findings"] = [asdict(finding) for finding in findings]
                row["doubtful"] = are_doubtful(findings)
            say_json(row)
            continue
        _print_source(source)
        if check_speakers and source.refused is None:
            has_speakers = any(turn.speaker for turn in source.turns)
            _print_findings(findings, has_speakers=has_speakers)
    if not as_json:
        if num_read + num_refused > 1:
            say(f"{num_read} read, {num_refused} refused")
        _print_alike(labels)
    if num_refused:
        return EXIT_SET_ASIDE if num_read else 1
    return 0


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


def _print_findings(findings: "Sequence[AuditFinding]", *, has_speakers: bool) -> None:
    from dynagrag.ingest.load.speaker_audit import are_doubtful

    if not has_speakers:
        say("  speakers: no speakers to check")
        return
    if not findings:
        say("  speakers: nothing that is said speaks against them")
        return
    say("  speakers doubtful:" if are_doubtful(findings) else "  speakers to look at:")
    for finding in findings[:_MAX_FINDINGS]:
        say(in_line(f"    {finding.text()}"))
    if len(findings) > _MAX_FINDINGS:
        say(f"    ... and {len(findings) - _MAX_FINDINGS} more, which --json lists")


def _print_source(source: "LoadedSource") -> None:
    from dynagrag.ingest.extract.case_use import fast_remarks
    from dynagrag.ingest.load import turns_of
    from dynagrag.ingest.load.label_report import label_line, unknown_notes

    if source.refused is not None:
        say(f"{in_line(source.path)}\n  refused: {source.refused}")
        return
    turns = turns_of(source)
    num_words = sum(len(t.text.split()) for t in turns)
    times = [t.start_s for t in turns if t.start_s is not None]
    of_cues = f" of {len(source.turns)} cues" if len(turns) != len(source.turns) else ""
    say(in_line(source.path))
    say(
        f"  {source.format}, {source.encoding or 'text'}: {len(turns)} turns{of_cues}, {num_words}"
        " words"
    )
    say("  labels:" if source.labels else "  labels: none")
    for label in source.labels[:_MAX_LABELS]:
        say(in_line(f"    {label_line(label)}"))
    if len(source.labels) > _MAX_LABELS:
        say(f"    ... and {len(source.labels) - _MAX_LABELS} more, which --json lists")
    say(f"  times: {clock(min(times))} to {clock(max(times))}" if times else "  times: none given")
    for turn in turns[:2]:
        say(f"  | {turn.speaker + ': ' if turn.speaker else ''}{cut(turn.text, _MAX_WORDS_SHOWN)}")
    remarks = fast_remarks("\n".join(turn.text for turn in turns))
    for note in (*source.notes, *unknown_notes(source), *remarks):
        say(f"  note: {note}")
