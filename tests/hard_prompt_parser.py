"""Reads a hard prompt back into its nodes, relations and evidence: the proof that writing it loses
nothing.
"""

import json
import re
from dataclasses import dataclass

from dynagrag.core.errors import DynaGragError
from dynagrag.core.text import seconds_of
from dynagrag.generation import evidence, hard_prompt

_ESCAPED = re.compile(r"\\(?:u([0-9a-f]{4})|(.))")
_JSON_STRING = r'"(?:[^"\\]|\\.)*"'
_TAIL = r"(?:: (?P<summary>.*?))?(?: (?P<evidence>(?:\[E[0-9]+\])+))?"
_NODE_LINE = re.compile(
    rf"(?P<indent> *)\[(?P<number>[0-9.]+)\] (?P<name>{_JSON_STRING}) \((?P<score>[0-9.]+)\){_TAIL}"
)
_RELATION_LINE = re.compile(
    rf" *(?P<mark>[-=]) \[(?P<head>[0-9.]+)\] --(?P<label>{_JSON_STRING})--> \[(?P<tail>[0-9.]+)\]"
    rf" \((?P<score>[0-9.]+)\){_TAIL}"
)
_EVIDENCE_LINE = re.compile(
    rf"\[(?P<label>E[0-9]+)\](?: (?P<speaker>{_JSON_STRING}(?= )|{evidence.BARE_SPEAKER}))??"
    rf"(?: (?P<time>-?[0-9]+(?::[0-9]{{2}}){{1,2}}))? (?P<quote>{_JSON_STRING})"
)


@dataclass(frozen=True, slots=True)
class ParsedNode:
    """`number` "1.2"; `summaries` each on one line; `evidence` labels in order."""

    number: str
    name: str
    score: float
    summaries: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParsedRelation:
    """`head` and `tail` are node numbers in the stored direction; `under` is the node that the line
    stands below.
    """

    under: str
    head: str
    tail: str
    label: str
    score: float
    summaries: tuple[str, ...]
    evidence: tuple[str, ...]
    is_tree: bool


@dataclass(frozen=True, slots=True)
class ParsedEvidence:
    """`start_s` in whole seconds."""

    label: str
    speaker: str | None
    start_s: int | None
    quote: str


@dataclass(frozen=True, slots=True)
class ParsedPrompt:
    """All of a prompt, in its order."""

    nodes: tuple[ParsedNode, ...]
    relations: tuple[ParsedRelation, ...]
    evidence: tuple[ParsedEvidence, ...]
    num_lines_cut: int = 0
    num_nodes_unvisited: int = 0


def parse_hard_prompt(text: str) -> ParsedPrompt:
    """Inverse of `write_hard_prompt`. Raises DynaGragError naming the line that has none of the
    forms or refers to nothing above it.
    """
    nodes: dict[str, ParsedNode] = {}
    relations: list[ParsedRelation] = []
    evidence: list[ParsedEvidence] = []
    left_out = (0, 0)
    for at, line in enumerate(text.split("\n") if text else (), start=1):
        if found := _EVIDENCE_LINE.fullmatch(line):
            evidence.append(_evidence(found))
        elif found := _RELATION_LINE.fullmatch(line):
            relation = _relation(found, next(reversed(nodes), ""))
            if not {
                relation.head,
                relation.tail,
                relation.under,
            } <= nodes.keys() or relation.under not in (relation.head, relation.tail):
                raise DynaGragError(
                    f"hard prompt, line {at}: the relation refers to a node that does not stand"
                    f" above it: {line[:80]!r}"
                )
            relations.append(relation)
        elif (found := _NODE_LINE.fullmatch(line)) and len(found["indent"]) == 2 * found[
            "number"
        ].count("."):
            nodes[found["number"]] = _node(found)
        elif found := hard_prompt.LEFT_OUT_LINE.fullmatch(line):
            left_out = (int(found["lines"]), int(found["nodes"]))
        else:
            raise DynaGragError(f"hard prompt, line {at}: not a line of the format: {line[:80]!r}")
    return ParsedPrompt(tuple(nodes.values()), tuple(relations), tuple(evidence), *left_out)


def split_summaries(text: str | None) -> tuple[str, ...]:
    """Inverse of `hard_prompt.join_summaries`: the summaries, each as `evidence.one_line`
    makes it.
    """
    return (
        tuple(_ESCAPED.sub(_unescape, part) for part in text.split(hard_prompt.SUMMARY_JOIN))
        if text
        else ()
    )


def _node(found: re.Match[str]) -> ParsedNode:
    name = _from_json(found["name"])
    return ParsedNode(found["number"], name, float(found["score"]), *_tail(found))


def _relation(found: re.Match[str], under: str) -> ParsedRelation:
    label = _from_json(found["label"])
    summaries, cited = _tail(found)
    is_tree = found["mark"] == "-"
    return ParsedRelation(
        under, found["head"], found["tail"], label, float(found["score"]), summaries, cited, is_tree
    )


def _evidence(found: re.Match[str]) -> ParsedEvidence:
    speaker = found["speaker"]
    if speaker is not None and speaker.startswith('"'):
        speaker = _from_json(speaker)
    start_s = None if found["time"] is None else seconds_of(found["time"])
    return ParsedEvidence(found["label"], speaker, start_s, _from_json(found["quote"]))


def _tail(found: re.Match[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return split_summaries(found["summary"]), tuple(re.findall(r"E[0-9]+", found["evidence"] or ""))


def _from_json(text: str) -> str:
    return str(json.loads(text))


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else str(match[2])
