r"""The lines of a hard prompt, one form each, so that a parser can read back exactly what was
written.

    INDENT[1.2] "name" (0.83): summary | summary [E1][E4]             a node; INDENT is two spaces a level
    INDENT  - [1] --"label"--> [1.2] (0.55): summary [E2]             under a node: a relation between it and its parent
    INDENT  = [1.2] --"label"--> [1.1] (0.40): summary                under a node: a relation to a node that stands before it
    [E3] SPEAKER 0:12 "quote"                                         evidence; speaker and time where the source has them
    (left out: 5 lines, 12 nodes)                                     last, where something was left out

What is decided here: names, labels and quotes are JSON strings, with control characters, line
separators and the bracket of "[E3" as \uXXXX. Summaries are put on one line (blank space collapsed;
empty ones vanish) and joined by " | "; in them a backslash, a bar and the bracket of "[E3" get a
backslash, control characters become \uXXXX. So every bare [E3] in a prompt is ours, whatever a
document says. A speaker is written bare when it is made of letters, digits and a few marks, else as
a JSON string. Time is m:ss or h:mm:ss, in whole seconds, rounded down.
"""

import json
import re
from collections.abc import Sequence

from dynagrag.core.text import clock

_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_CITATION = r"\[(?=\s*[Ee]\d)"
_IN_JSON = re.compile(f"{_CITATION}|[{_CONTROL}]")
_IN_SUMMARY = re.compile(rf"{_CITATION}|[\\|]|[{_CONTROL}]")
BARE_SPEAKER = r"[^\W\d_](?:[\w.,'&/()-]| (?! |$))*"
_IS_BARE = re.compile(BARE_SPEAKER)

SUMMARY_JOIN = " | "
LEFT_OUT_LINE = re.compile(r"\(left out: (?P<lines>[0-9]+) lines, (?P<nodes>[0-9]+) nodes\)")


def one_line(text: str) -> str:
    """Blank space of every kind collapsed to single spaces."""
    return " ".join(text.split())


def as_json(text: str) -> str:
    """A JSON string that holds no control character and nothing that looks like a citation."""
    return _IN_JSON.sub(
        lambda match: f"\\u{ord(match.group()):04x}", json.dumps(text, ensure_ascii=False)
    )


def join_summaries(summaries: Sequence[str]) -> str:
    """All summaries on one line, unambiguously."""
    return SUMMARY_JOIN.join(
        _IN_SUMMARY.sub(_escape, line) for line in map(one_line, summaries) if line
    )


def node_body(name: str, score: float, summaries: Sequence[str]) -> str:
    """What a node's line says whatever its number."""
    return f"{as_json(name)} ({score:.2f}){_summary(summaries)}"


def node_line(number: str, body: str, labels: Sequence[str]) -> str:
    """Without its line end."""
    return f"{_indent(number)}[{number}] {body}{_cited(labels)}"


def relation_body(label: str, score: float, summaries: Sequence[str]) -> tuple[str, str]:
    """What a relation's line says before and after the number of its tail."""
    return f"--{as_json(label)}-->", f"({score:.2f}){_summary(summaries)}"


def relation_line(
    under: str, is_tree: bool, head: str, tail: str, body: tuple[str, str], labels: Sequence[str]
) -> str:
    """`under` is the number of the node below which the line stands; the arrow is the stored
    direction.
    """
    return (
        f"{_indent(under)}  {'-' if is_tree else '='} [{head}] {body[0]} [{tail}]"
        f" {body[1]}{_cited(labels)}"
    )


def evidence_line(label: str, speaker: str | None, start_s: float | None, quote: str) -> str:
    """A blank speaker is no speaker."""
    who = "" if not speaker else f" {speaker if _IS_BARE.fullmatch(speaker) else as_json(speaker)}"
    when = "" if start_s is None else f" {clock(start_s)}"
    return f"[{label}]{who}{when} {as_json(quote)}"


def left_out_line(num_lines: int, num_nodes: int) -> str:
    """What is not there."""
    return f"(left out: {num_lines} lines, {num_nodes} nodes)"


def is_left_out_line(line: str) -> bool:
    """Whether a prompt's line only tells what is not there."""
    return LEFT_OUT_LINE.fullmatch(line) is not None


def _indent(number: str) -> str:
    return "  " * number.count(".")


def _summary(summaries: Sequence[str]) -> str:
    text = join_summaries(summaries)
    return f": {text}" if text else ""


def _cited(labels: Sequence[str]) -> str:
    return " " + "".join(f"[{label}]" for label in labels) if labels else ""


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    return f"\\{char}" if char in "\\|[" else f"\\u{ord(char):04x}"
