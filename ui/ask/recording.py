"""The recording of a transcript, at the second of the words that were cited. Nothing is fetched: a
file is played, an address is a link.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from dynagrag.core.schema import Document, Turn
from dynagrag.core.text import clock
from dynagrag.ingest.load.parsed import MEDIA_KEY, is_address
from dynagrag.ui.safe_markdown import plain, with_commands
from dynagrag.ui.state import WorkspaceSession

_SOUNDS = (".mp3", ".m4a", ".wav", ".ogg", ".oga", ".opus", ".flac", ".aac")
_FILMS = (".mp4", ".webm", ".m4v", ".mov", ".ogv")
_LANGUAGE = re.compile(r"\.[a-z]{2,3}(?:-[A-Za-z]{2,4})?$")
"""talk.en, talk.pt-BR: how captions name their language."""
_EBML = b"\x1aE\xdf\xa3"
_ATOMS = (b"ftyp", b"moov", b"wide", b"mdat", b"free", b"skip")
_UNTOLD: Mapping[str, Callable[[bytes], bool]] = {
    ".webm": lambda head: head.startswith(_EBML),
    ".ogv": lambda head: head.startswith(b"OggS"),
    ".mov": lambda head: head[4:8] in _ATOMS,
    ".aac": lambda head: (
        head.startswith((b"ID3", b"ADIF"))
        or (len(head) > 1 and head[0] == 0xFF and head[1] & 0xF6 == 0xF0)
    ),
}
"""Forms whose length isn't read, and whether a file's first bytes are such: EBML (RFC 8794), Ogg
(RFC 3533), a QuickTime atom, ADTS (its sync word and layer 0), ADIF or an ID3 tag before it.
"""
_NUM_HEAD = 16
_MAX_BYTES = 500_000_000
"""Of a file that is played here: Streamlit holds what it serves in memory."""
_YOUTUBE_ID = re.compile(r"\[([\w-]{11})\]\.")
_SLACK_S = 2.0
"""By which a recording may be shorter than its transcript says."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A file beside its transcript. `duration_s`: None where its form doesn't tell."""

    path: Path
    duration_s: float | None
    error: str = ""

    @property
    def is_film(self) -> bool:
        """Whether there is something to see."""
        return self.path.suffix.lower() in _FILMS


def find_recording(uri: str, folder: Path | None) -> Path | None:
    """The media file of a transcript's name: beside it, else in `folder`. `talk.vtt` and
    `talk.en.vtt` both find `talk.mp3`.
    """
    source = Path(uri)
    stems = list(dict.fromkeys((source.stem, _LANGUAGE.sub("", source.stem))))
    names = [
        f"{stem}{ending}"
        for stem in stems
        if stem
        for suffix in (*_SOUNDS, *_FILMS)
        for ending in (suffix, suffix.upper())
    ]
    places = [source.parent, folder] if folder else [source.parent]
    return next(
        (place / name for place in places for name in names if _is_there(place / name)), None
    )


def _is_there(path: Path) -> bool:
    """Whether it is a file of its folder: a link that leads out of it is none, and a name that is
    too long for one isn't either.
    """
    try:
        return path.is_file() and path.resolve().parent == path.parent.resolve()
    except OSError:
        return False


def read_recording(path: Path) -> Recording:
    """Reads a recording's duration, or what is wrong with it."""
    from tinytag import TinyTag
    from tinytag.tinytag import TinyTagException

    try:
        if path.stat().st_size > _MAX_BYTES:
            return Recording(
                path,
                None,
                f"is too large to be played here ({path.stat().st_size / 1e9:.1f} GB); open it in a"
                " player",
            )
        if (is_such := _UNTOLD.get(path.suffix.lower())) is not None:
            with path.open("rb") as file:
                is_sound = is_such(file.read(_NUM_HEAD))
            return Recording(
                path,
                None,
                (
                    ""
                    if is_sound
                    else f"is no {path.suffix.lower()} file; put a sound or film file in its place"
                ),
            )
        duration = TinyTag.get(str(path)).duration
    except (TinyTagException, OSError, ValueError) as err:
        return Recording(
            path,
            None,
            f"can't be read as a recording ({type(err).__name__}); put a sound or film file in its"
            " place",
        )
    return (
        Recording(path, duration)
        if duration
        else Recording(path, None, "holds no sound; put another file in its place")
    )


def start_of(recording: Recording, turns: Sequence[Turn], at_s: float) -> tuple[float | None, str]:
    """The recording's second of a transcript's time, and what there is to say of it.

    A time that the recording doesn't reach is counted from the transcript's first turn, as of
    mission clocks; None where that fails too.
    """
    duration, times = (
        recording.duration_s,
        [turn.start_s for turn in turns if turn.start_s is not None],
    )
    first, last = (times[0], max(times)) if times else (0.0, 0.0)
    if duration is None or (at_s <= duration and last <= duration + _SLACK_S):
        return at_s, ""
    if at_s - first <= duration and last - first <= duration + _SLACK_S:
        return (
            at_s - first,
            f"The recording is taken to begin at {clock(first)}, as the transcript does.",
        )
    lasts = f"The recording lasts {clock(duration)}, and the transcript goes on to {clock(last)}"
    if at_s <= duration:
        return at_s, f"{lasts}: its times may not fit."
    return None, f"{lasts}: {clock(at_s)} is not in it."


def address_of(document: Document) -> str:
    """Where the recording is on the web: what the file said, else YouTube's of the id that yt-dlp
    writes into names; empty without.
    """
    known = document.meta.get(MEDIA_KEY, "")
    if is_address(known):
        return known
    named = _YOUTUBE_ID.search(Path(document.uri).name)
    return f"https://www.youtube.com/watch?v={named.group(1)}" if named else ""


def at_second(address: str, at_s: float) -> str:
    """The address at a second: `t=75s` where YouTube is asked, else the fragment `t=75` of media
    fragments (W3C).
    """
    parts = urlsplit(address)
    second = max(0, int(at_s))
    if (parts.hostname or "").removeprefix("www.").removeprefix("m.") in (
        "youtube.com",
        "youtu.be",
    ):
        return urlunsplit(
            parts._replace(query="&".join(filter(None, (parts.query, f"t={second}s"))))
        )
    return urlunsplit(parts._replace(fragment=f"t={second}"))


def show_recording(
    session: WorkspaceSession, document: Document, turns: Sequence[Turn], at_s: float | None
) -> None:
    """A player at the cited second, or a link to it. Nothing where there is no recording."""
    if address := address_of(document):
        label = "Open the recording" if at_s is None else f"Open the recording at {clock(at_s)}"
        st.link_button(label, at_second(address, at_s or 0.0), icon=":material/open_in_new:")
    path = find_recording(document.uri, session.space.settings.media)
    if path is None:
        return
    recording = read_recording(path)
    if recording.error:
        st.caption(f":material/volume_off: {plain(path.name)} {plain(recording.error)}.")
        return
    start, note = (0.0, "") if at_s is None else start_of(recording, turns, at_s)
    if start is not None:
        (st.video if recording.is_film else st.audio)(path, start_time=int(start))
    if note:
        st.caption(f":material/schedule: {with_commands(note)}")
