"""`dynagrag inspect`: how each file would be read."""

from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.options import FOLLOW_LINKS, JSON
from dynagrag.cli.terminal import EXIT_SET_ASIDE, in_line, say, say_json
from dynagrag.core.text import clock, cut

if TYPE_CHECKING:
    from dynagrag.core.schema import LoadedSource

_MAX_SPEAKERS = 12
_MAX_WORDS_SHOWN = 90
_MAX_ALIKE = 10
"""Pairs of speakers who may be one person."""


def inspect(
    paths: Annotated[list[str], typer.Argument(metavar="PATHS", help="Files, folders or globs.")],
    follow_links: FOLLOW_LINKS = False,
    as_json: JSON = False,
) -> int:
    """Show how each file is read, or why it is refused, and which speakers look like one person.
    Nothing is stored.

    --json prints one object per line: {path, format, turns: [{speaker, start_s, end_s, text}],
    refused}; times are in seconds.
    """
    from dynagrag.ingest.load import find_sources, inspect_row, load_source

    num_refused = num_read = 0
    labels: set[str] = set()
    found = find_sources(paths, follows_links=follow_links)
    for source in (*map(load_source, found.files), *found.left_out):
        num_refused += source.refused is not None
        num_read += source.refused is None
        labels.update(turn.speaker for turn in source.turns if turn.speaker)
        if as_json:
            say_json(inspect_row(source))
        else:
            _print_source(source)
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


def _print_source(source: "LoadedSource") -> None:
    from dynagrag.ingest.extract.case_use import fast_remarks
    from dynagrag.ingest.load import turns_of

    if source.refused is not None:
        say(f"{in_line(source.path)}\n  refused: {source.refused}")
        return
    turns = turns_of(source)
    num_words = sum(len(t.text.split()) for t in turns)
    speakers = list(dict.fromkeys(t.speaker for t in turns if t.speaker))
    more = " ..." if len(speakers) > _MAX_SPEAKERS else ""
    times = [t.start_s for t in turns if t.start_s is not None]
    of_cues = f" of {len(source.turns)} cues" if len(turns) != len(source.turns) else ""
    say(in_line(source.path))
    say(
        f"  {source.format}, {source.encoding or 'text'}: {len(turns)} turns{of_cues}, {num_words}"
        " words"
    )
    say(f"  speakers: {', '.join(speakers[:_MAX_SPEAKERS]) + more if speakers else 'none named'}")
    say(f"  times: {clock(min(times))} to {clock(max(times))}" if times else "  times: none given")
    for turn in turns[:2]:
        say(f"  | {turn.speaker + ': ' if turn.speaker else ''}{cut(turn.text, _MAX_WORDS_SHOWN)}")
    for note in (*source.notes, *fast_remarks("\n".join(turn.text for turn in turns))):
        say(f"  note: {note}")
