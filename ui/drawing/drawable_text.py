"""Texts that are safe to hand to a drawing.

Names come from documents and models. The component streamlit-echarts runs a string that holds its
placeholder `--x_x--0_0--` as JavaScript, and ECharts has templates, rich text and (in tooltips)
HTML. So every text goes through `drawable`, tooltips are drawn on the canvas instead of as HTML,
and labels are fetched by a `Function` of ours that no text is part of, so that nothing in them is a
template.
"""

import re

from dynagrag.core.text import STEERING

MAX_TIP = 300
"""Characters of a tooltip."""
_PLACEHOLDER = "--x_x--0_0--"
_HEART_OF_IT = re.compile(r"x_x(?=--0_0)")
_INVISIBLE = re.compile(rf"[\x00-\x1f\x7f-\x9f\u200c\u200d\ud800-\udfff{STEERING}]")


class Function(str):
    """JavaScript of ours, as the component wants it. Its own class for that can't be had outside of
    a running app.
    """

    __slots__ = ()

    def __new__(cls, code: str) -> "Function":
        """Between placeholders."""
        return super().__new__(cls, f"{_PLACEHOLDER}{code}{_PLACEHOLDER}")


def drawable(text: str, max_chars: int = MAX_TIP) -> str:
    """The text on one line, cut with an ellipsis, so that neither ECharts nor its component sees
    anything in it but words.
    """
    line = " ".join(_INVISIBLE.sub(" ", text[: 4 * max_chars]).split())
    if len(line) > max_chars:
        line = line[: max_chars - 1].rstrip() + "…"
    # a word joiner: {name|words} would be rich text
    return _HEART_OF_IT.sub("x x", line).replace("{", "{\u2060")
