"""The words of HTML, of a page or of a field in another file, through beautifulsoup4."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from dynagrag.ingest.load.paragraph_times import TIME_MARK, mark_of

_BLOCKS = frozenset(
    """
        address article aside blockquote body caption center dd details div dl dt fieldset
        figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre
        section summary table tbody td tfoot th thead tr ul
    """.split()
)
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
HEADING = "###### "
"""Marks a heading as Markdown does."""
FURNITURE = ("nav", "footer")
"""Elements of a page that stand beside its text."""
_DROPPED = frozenset(
    (*FURNITURE, *"script style noscript template svg iframe head object canvas".split())
)
_TAG = re.compile(
    r"<(/?(?:p|div|br|span|b|i|u|em|strong|ul|ol|li|a|blockquote|h[1-6]|table|tbody|tr|td|font|at"
    r"|attachment|img))(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_TIMES = (("data-timestamp", 1.0), ("data-m", 0.001))
"""Attributes in which transcription tools keep the time of an element (oTranscribe, Hyperaudio and
Trint), and their unit in seconds.
"""
_NUMBER = re.compile(r"\d{1,8}(?:\.\d{1,9})?", re.ASCII)
_CLOCK = re.compile(r"[\[(]?\d{1,3}(?::\d\d){1,2}(?:[.,]\d{1,3})?[\])]?", re.ASCII)
_CHAT_LINK = re.compile(r"<((?:https?://|mailto:|[@#!])[^<>|\s]{1,2000})(?:\|([^<>|]{1,200}))?>")
"""A link or a person in Slack's and Discord's texts."""
_EMPTY = frozenset({"br", "img"})
_BLANK = re.compile(r"[ \t\n\r\f]+")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]]*\s*$")


def is_markup(text: str) -> bool:
    """Whether a field's text is HTML: it has tags that are no words."""
    names = {match[1].lower() for match in _TAG.finditer(text)} if "<" in text else set()
    return any("/" + name in names or name in _EMPTY for name in names)


def html_lines(text: str) -> str:
    """The words of HTML with a blank line round each block, and the times of its elements as
    `paragraph_times` reads them.

    A time in the midst of a paragraph begins a line of its own where a sentence has ended.
    """
    from bs4 import BeautifulSoup

    # lxml: the standard library's parser needs quadratic time for broken tags (60 s for 1 MB of
    # "<v ").
    return "".join(html_words(BeautifulSoup(text, "lxml")))


def read_field(text: str) -> tuple[str, float | None]:
    """A field's words, without markup and the addresses of links, and the first time that an
    element of it has.
    """
    text = _CHAT_LINK.sub(lambda match: match[2] or match[1], text) if "<" in text else text
    if not is_markup(text):
        return text, None
    lines = html_lines(text)
    first = TIME_MARK.search(lines)
    return TIME_MARK.sub(" ", lines), None if first is None else int(first[1]) / 1000


def html_words(soup: Any, marks_headings: bool = False) -> Iterator[str]:
    """A page's text with blank lines round its blocks, HEADING before headings if that is asked.
    Walked by links, not by recursion: pages may be nested without end.
    """
    from bs4.element import NavigableString, PreformattedString, Tag

    dropped: set[int] = set()
    before = "\n"
    is_timed = False  # whether the paragraph has a time so far
    for element in soup.descendants:
        piece = ""
        is_cited = element.name == "footer" and element.parent.name == "blockquote"
        if id(element.parent) in dropped or (element.name in _DROPPED and not is_cited):
            dropped.add(
                id(element)
            )  # passed over, not cut out: that looks for its place among its siblings each time
        elif isinstance(element, Tag):
            piece = "\n" if element.name == "br" else "\n\n" if element.name in _BLOCKS else ""
            piece += HEADING if marks_headings and _is_heading(element) else ""
            mark = _mark(element, before, is_first=not is_timed)
            if mark and _is_clock(element):
                dropped.add(id(element))  # what it shows is its time
            piece += mark
        elif isinstance(element, NavigableString) and not isinstance(element, PreformattedString):
            is_kept = any(parent.name == "pre" for parent in islice(element.parents, 4))
            # No-break spaces stay, as in a browser: two of them part a name from its words.
            piece = str(element) if is_kept else _BLANK.sub(" ", str(element))
        if not getattr(element, "contents", None):
            piece += _ends(element)
        before = piece if piece.strip(" ") else before
        is_timed = "¤" in piece or (is_timed and "\n" not in piece)
        yield piece


def _ends(leaf: Any) -> str:
    """A blank line where a block ends with this leaf. Each element is climbed from its last leaf
    alone.
    """
    while leaf.next_sibling is None and leaf.parent is not None:
        leaf = leaf.parent
        if leaf.name in _BLOCKS:
            return "\n\n"
    return ""


def _is_heading(element: Any) -> bool:
    """Whether it is a heading that begins with words, not with a block or a picture."""
    if element.name not in _HEADINGS:
        return False
    inside = list(first_inside(element, 4))
    first = next((own for own in inside if own.name is None), None)
    has_block = any(own.name in _BLOCKS for own in inside)
    return first is not None and bool(first.strip()) and not has_block


def first_inside(element: Any, most: int) -> Iterator[Any]:
    """The first so many elements and texts in an element, at most ten levels below it. Whatever
    asks for all that is in it goes down to its last leaf first.
    """
    own = element.next_element
    for _ in range(most):
        if own is None or not any(parent is element for parent in islice(own.parents, 10)):
            return
        yield own
        own = own.next_element


def _is_clock(element: Any) -> bool:
    return _CLOCK.fullmatch(element.get_text().strip()) is not None


def _mark(element: Any, before: str, *, is_first: bool) -> str:
    """The time of an element, before which `before` stands; "" where it has none. Of elements that
    hold words only the first of a paragraph has one that counts.
    """
    for name, unit_s in _TIMES:
        value = element.get(name)
        if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
            continue
        mark = mark_of(float(value) * unit_s) + " "
        if before.endswith("\n") or (is_first and not _is_clock(element)):
            return mark
        if _is_clock(element):
            return ("\n" if _SENTENCE_END.search(before) else " ") + mark
    return ""
