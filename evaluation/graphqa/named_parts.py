"""The nodes and edges that a free reply names, in the forms in which graphs stand in prompts and in
which models list them (docs/papers.md, GraphQA, step 9).

A line that is quoted word for word from what the model saw names what that line says. Others are
read by the first form that fits:

    (cat; is a; animal)   cat; is a; animal   cat | is a | animal   cat, is a, animal
    cat [1] is connected to animal [1.1] via is a        [1.1] animal
    cat → is a → animal   cat --is a--> animal   cat → animal (edge 1): an edge of any relation
    0,is a,1   0,cat      a row of the tables of edges, and of nodes
    cat (node 0)          (node 0)           cat: a name of a few words
"""

import csv
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dynagrag.evaluation.graphqa.answer_items import tokens_of

Edge = tuple[str, str, str]
"""Source, relation (empty: any), target."""
_MAX_NAME_TOKENS = 5
"""A longer line without a separator is a sentence, and names nothing, and so is a longer part
between commas.
"""
_NUMBER = r"\d+(?:\.\d+)*"
_IN_BRACKETS = re.compile(r"\(([^();]*;[^();]*;[^();]*)\)")
_BULLET = re.compile(r"^\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)")
_INLINE_BULLET = re.compile(r"\s+[*•]\s+")
_CONNECTED = re.compile(
    rf"^(?P<source>.*?)\s*(?:\[(?P<from>{_NUMBER})\])?\s+is connected to\s+"
    rf"(?P<target>.*?)\s*(?:\[(?P<to>{_NUMBER})\])?\s+via\s+(?P<relation>.+)$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(rf"^\[(?P<number>{_NUMBER})\]\s*(?P<name>.*)$")
_LABELLED_ARROW = re.compile(r"\s*-{1,2}\s*\[?(?P<label>[^\[\]<>-][^\[\]<>]*?)\]?\s*-{1,2}>\s*")
_ARROW = re.compile(r"\s*(?:→|⟶|-{1,2}>|=+>)\s*")
_ANNOTATION = re.compile(rf"[(\[]\s*(?P<kind>node|edge)s?\s*#?(?P<number>{_NUMBER})?\s*[)\]]", re.I)
_NODE_NUMBER = re.compile(rf"^node\s*#?(?P<number>{_NUMBER})$", re.IGNORECASE)
_HEADS = frozenset({"node_id,node_attr", "src,edge_attr,dst"})
_HEADINGS = frozenset({("nodes",), ("edges",), ("node",), ("edge",), ("graph",)})
_SEPARATORS = (";", "|", ",")
_QUOTES = " \t\"'`"


@dataclass(frozen=True, slots=True)
class NamedParts:
    """The names in a reply, each once: `nodes` with the edges' ends."""

    nodes: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownText:
    """The text of a graph that a model saw. `entries`: what each of its lines names, by the line
    without its indent (a row that spans lines is one); `numbers`: the nodes that a number stands
    for, several where several ego-graphs count from 1.
    """

    entries: Mapping[str, NamedParts] = field(default_factory=dict)
    numbers: Mapping[str, Collection[str]] = field(default_factory=dict)


NOTHING_SHOWN = ShownText()


def named_in(reply: str, shown: ShownText = NOTHING_SHOWN) -> NamedParts:
    """The names of a reply, edges' ends first."""
    nodes: dict[str, None] = {}
    edges: dict[Edge, None] = {}
    rest: list[str] = []
    for quoted, line in _lines(reply, shown.entries):
        if quoted is None:
            rest.append(line)
        else:
            nodes |= dict.fromkeys(quoted.nodes)
            edges |= dict.fromkeys(quoted.edges)
    text = "\n".join(rest)
    for found in _IN_BRACKETS.findall(text):
        edges[_three(found.split(";"))] = None
    for line in _IN_BRACKETS.sub("\n", text).splitlines():
        for item in _INLINE_BULLET.split(line):
            parts = _parts(_BULLET.sub("", item).strip())
            nodes |= dict.fromkeys(parts.nodes)
            edges |= dict.fromkeys(parts.edges)
    ends = (end for source, _, target in edges for end in (source, target))
    return NamedParts(tuple(dict.fromkeys((*ends, *nodes))), tuple(edges))


def _lines(
    reply: str, entries: Mapping[str, NamedParts]
) -> Iterator[tuple[NamedParts | None, str]]:
    """Each line of a reply, or several that quote one entry, with what the entry names."""
    lines = reply.splitlines()
    longest = max((entry.count("\n") + 1 for entry in entries), default=1)
    at = 0
    while at < len(lines):
        for num in range(min(longest, len(lines) - at), 0, -1):
            text = "\n".join(lines[at : at + num]).strip()
            quoted = entries.get(text, entries.get(_BULLET.sub("", text)))
            if quoted is not None:
                yield quoted, text
                break
        else:
            yield None, lines[at]
            num = 1
        at += num


def _parts(line: str) -> NamedParts:
    if line in _HEADS or tokens_of(line) in _HEADINGS:
        return NamedParts()
    if found := _CONNECTED.match(line):
        source = _name(found["source"]) or found["from"] or ""
        target = _name(found["target"]) or found["to"] or ""
        return NamedParts((), ((source, _name(found["relation"]), target),))
    if found := _NUMBERED.match(line):
        return NamedParts((_name(found["name"]) or found["number"],))
    return _along_arrows(line) or _row(line) or _separated(line)


def _along_arrows(line: str) -> NamedParts | None:
    """An edge along arrows, of any relation where there is but one."""
    parts = [_without_annotation(part) for part in _ARROW.split(line)]
    if labelled := _LABELLED_ARROW.search(line):
        ends = line[: labelled.start()], line[labelled.end() :]
        parts = [_without_annotation(ends[0]), labelled["label"], _without_annotation(ends[1])]
    if len(parts) == 2 and all(_is_name(part) for part in parts):
        parts.insert(1, "")
    return NamedParts((), (_three(parts),)) if len(parts) == 3 else None


def _row(line: str) -> NamedParts | None:
    """A row of a table as CSV has it."""
    cells = next(csv.reader([line], skipinitialspace=True), [])
    if len(cells) == 2 and cells[0].isdigit():
        return NamedParts((cells[0], cells[1].strip(_QUOTES)))
    if len(cells) == 3 and cells[0].isdigit() and cells[2].isdigit():
        return NamedParts((), (_three(cells),))
    return None


def _separated(line: str) -> NamedParts:
    for separator in _SEPARATORS:
        parts = [_without_annotation(part.strip(_QUOTES + "()")) for part in line.split(separator)]
        is_prose = separator == "," and not all(_is_name(part) for part in parts)
        if len(parts) == 3 and not is_prose:
            return NamedParts((), (_three(parts),))
    name = _without_annotation(line)
    return NamedParts((name,)) if _is_name(name) else NamedParts()


def _without_annotation(text: str) -> str:
    """A name without "(node 0)" or "(edge 1)" behind it; where that is all, the node's number."""
    found = _ANNOTATION.search(text)
    bare = _ANNOTATION.sub("", text).strip(_QUOTES)
    if not bare and found and found["kind"].lower() == "node":
        return str(found["number"] or "")
    numbered = _NODE_NUMBER.match(bare)
    return numbered["number"] if numbered else bare


def _name(text: str) -> str:
    """A name as it was before GRAG's lines quoted it."""
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        try:
            return str(json.loads(text))
        except ValueError:  # quoted by the model, not by JSON
            return text.strip(_QUOTES)
    return text.strip(_QUOTES)


def _three(parts: Sequence[str]) -> Edge:
    source, relation, target = (part.strip(_QUOTES) for part in parts)
    return source, relation, target


def _is_name(text: str) -> bool:
    """Whether a text may be a name: a few words, and no sentence or heading."""
    num = len(tokens_of(text))
    return (
        0 < num <= _MAX_NAME_TOKENS
        and not text.endswith((":", "?", "!"))
        and (num == 1 or not text.endswith("."))
    )
