"""Whatever words a file of captions or a table holds, its turns hold them, in order.

For JSON `test_json_providers` has the same.
"""

import json
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynagrag.ingest.load import load_source
from dynagrag.ingest.load.whole_turns import turns_of

Cues = list[str]
_CUES = st.lists(
    st.lists(st.text("abcdeéßжの", min_size=1, max_size=7), min_size=1, max_size=12).map(" ".join),
    min_size=2,
    max_size=8,
    unique=True,
)


def _each(cues: Cues, line: str, head: str = "", tail: str = "") -> str:
    """A line a cue, of `{a}`, `{b}` (seconds), `{n}` (its number) and `{text}`."""
    return (
        head
        + "".join(
            line.format(a=4 * at, b=4 * at + 3, n=at + 1, text=text) for at, text in enumerate(cues)
        )
        + tail
    )


WRITERS: dict[str, Callable[[Cues], str]] = {
    "a.vtt": lambda cues: _each(
        cues, "00:{a:02}.000 --> 00:{b:02}.000\n{text}\n\n", head="WEBVTT\n\n"
    ),
    "a.srt": lambda cues: _each(cues, "{n}\n00:00:{a:02},000 --> 00:00:{b:02},000\n{text}\n\n"),
    "a.sbv": lambda cues: _each(cues, "0:00:{a:02}.000,0:00:{b:02}.000\n{text}\n\n"),
    "a.ass": lambda cues: _each(
        cues,
        "Dialogue: 0,0:00:{a:02}.00,0:00:{b:02}.00,Default,,0,0,0,,{text}\n",
        head="[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style,"
        " Name, MarginL, MarginR, MarginV, Effect, Text\n",
    ),
    "a.smi": lambda cues: _each(
        cues,
        "<SYNC Start={a}000><P Class=E>{text}\n",
        head="<SAMI><BODY>\n",
        tail="</BODY></SAMI>",
    ),
    "a.sub": lambda cues: _each(cues, "{{{a}0}}{{{b}0}}{text}\n", head="{1}{1}25\n"),
    "mpl2.txt": lambda cues: _each(cues, "[{a}0][{b}0]{text}\n"),
    "a.lrc": lambda cues: _each(cues, "[00:{a:02}.00]{text}\n"),
    "a.ttml": lambda cues: _each(
        list(map(escape, cues)),
        '<p begin="{a}s" end="{b}s">{text}</p>',
        head="<tt><body><div>",
        tail="</div></body></tt>",
    ),
    "srv3.xml": lambda cues: _each(
        list(map(escape, cues)),
        '<p t="{a}000" d="3000"><s>{text}</s></p>',
        head="<timedtext><body>",
        tail="</body></timedtext>",
    ),
    "labels.txt": lambda cues: _each(cues, "{a}.0\t{b}.0\t{text}\n"),
    "a.csv": lambda cues: _each(cues, '{a},{b},"{text}"\n', head="start,end,text\n"),
    "json3.json": lambda cues: json.dumps(
        {
            "events": [
                {"tStartMs": 4000 * at, "segs": [{"utf8": text}]} for at, text in enumerate(cues)
            ]
        }
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_turns_hold_every_word_of_the_file(tmp_path: Path, name: str) -> None:
    @settings(
        max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(cues=_CUES)
    def read(cues: Cues) -> None:
        path = tmp_path / name
        path.write_text(WRITERS[name](cues), encoding="utf-8")
        source = load_source(path)
        assert source.refused is None
        words = [word for text in cues for word in text.split()]
        assert [word for turn in source.turns for word in turn.text.split()] == words
        assert [turn.start_s for turn in source.turns] == [4.0 * at for at in range(len(cues))] or (
            name in _BY_FRAMES
        )
        joined = [word for turn in turns_of(source) for word in turn.text.split()]
        assert joined == words or len(joined) >= len(words) / 2  # what rolls up is shown once

    read()


_BY_FRAMES = {"a.sub"}
