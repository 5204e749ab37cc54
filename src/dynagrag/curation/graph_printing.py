"""The graph as lines for a terminal, from the rows of graph_queries."""

from collections.abc import Iterator

from dynagrag.core.text import collapse, cut, plural, times
from dynagrag.curation.graph_queries import Row

_MAX_QUOTE = 160


def near_lines(view: Row) -> Iterator[str]:
    """The lines of a neighbourhood."""
    yield (
        f"{view['name']}: {plural(len(view['entities']) - 1, 'entity', 'entities')} and"
        f" {plural(len(view['relations']), 'relation')} around it"
    )
    yield from _relation_lines(view)
    if view["is_cut"]:
        yield "  ... and more: the heaviest are shown (--limit)"


def overview_lines(view: Row) -> Iterator[str]:
    """The lines of an overview."""
    yield "entities (weight = times mentioned):"
    for row in view["entities"]:
        yield (
            f"  {row['weight']:>5}  {row['name']}"
            + (f" ({row['type']})" if row["type"] else "")
            + f", {plural(row['relations'], 'relation')}"
        )
    yield "relations (weight = times stated):"
    yield from _relation_lines(view)


def entity_lines(view: Row) -> Iterator[str]:
    """The lines of one entity."""
    type_ = f" ({view['type']})" if view["type"] else ""
    yield f"{view['name']}{type_}, mentioned {times(view['weight'])}{speaking_text(view['speaks'])}"
    if view["aliases"]:
        yield "  also: " + ", ".join(view["aliases"])
    for summary in view["summaries"]:
        yield f"  . {summary}"
    for row in view["relations"]:
        evidence, words = row["evidence"], "no sentence says it"
        if evidence["quote"]:
            words = f'"{cut(collapse(evidence["quote"]), _MAX_QUOTE)}"'
        yield f"  {row['head']} --{row['label']}--> {row['tail']} (x{row['weight']})"
        yield f"      {evidence['speaker'] or evidence['document']}: {words}"
    if view["note"]:
        yield f"  {view['note']}"
    hidden = view["num_relations"] - len(view["relations"])
    if hidden > 0:
        yield f"  ... and {hidden} more relations (--limit)"


def speaking_text(speaks: Row | None) -> str:
    """How much a speaker says, behind what else is told of them; empty of one who says nothing."""
    if speaks is None:
        return ""
    words, turns = plural(speaks["words"], "word"), plural(speaks["turns"], "turn")
    return f", speaks {words} in {turns} of {plural(speaks['documents'], 'document')}"


def _relation_lines(view: Row) -> Iterator[str]:
    for row in view["relations"]:
        yield f"  {row['weight']:>5}  {row['head']} --{row['label']}--> {row['tail']}"
    if view["note"]:
        yield f"  {view['note']}"
