"""The graph as a file: GraphML, JSON or CSV."""

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np

from dynagrag.core.errors import UsageError
from dynagrag.core.files.private_files import replace_bytes
from dynagrag.core.schema import Entity, Graph, Relation


def targets_of(file: Path) -> list[Path]:
    """The files that an export to this one writes: CSV takes two."""
    if file.suffix.lower() != ".csv":
        return [file]
    return [file.with_suffix(".entities.csv"), file.with_suffix(".relations.csv")]


def export(graph: Graph, file: Path, force: bool) -> list[Path]:
    """Writes the graph, for the user alone; what was written. Each file is there whole or not at
    all. Raises UsageError for an unknown ending or a file that is there.
    """
    writers = {".graphml": _as_graphml, ".json": _as_json, ".csv": _as_csv}
    writer = writers.get(file.suffix.lower())
    if writer is None:
        raise UsageError(f"{file.name!r}: the ending says the format; use {', '.join(writers)}")
    targets = targets_of(file)
    for target in targets:
        if target.exists() and not force:
            raise UsageError(f"{target} is there already; write elsewhere or use --force")
    for target, data in zip(targets, writer(graph), strict=True):
        replace_bytes(target, data)
    return targets


def part(entities: Iterable[Entity], relations: Iterable[Relation]) -> Graph:
    """A part of a graph, to export it: without vectors."""
    entities, relations = tuple(entities), tuple(relations)
    none = np.zeros((0, 0), dtype=np.float32)
    return Graph(entities, relations, none, none, tuple(() for _ in entities))


def exported(graph: Graph, ending: str) -> tuple[bytes, str]:
    """The graph as a file of this format ("graphml", "json", "csv") and the file's ending: two CSV
    files come as one zip archive.
    """
    with tempfile.TemporaryDirectory() as folder:
        written = export(graph, Path(folder, f"graph.{ending}"), force=False)
        if len(written) == 1:
            return written[0].read_bytes(), ending
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in written:
                archive.write(file, file.name)
        return packed.getvalue(), "zip"


def _as_json(graph: Graph) -> list[bytes]:
    value = {
        "entities": [asdict(e) for e in graph.entities],
        "relations": [asdict(r) for r in graph.relations],
    }
    return [json.dumps(value, ensure_ascii=False, indent=1).encode()]


def _as_csv(graph: Graph) -> list[bytes]:
    entities: Iterator[list[str | int]] = (
        [e.id, e.name, e.type, e.weight, "; ".join(e.aliases), " | ".join(e.summaries)]
        for e in graph.entities
    )
    relations: Iterator[list[str | int]] = (
        [r.id, r.head, r.label, r.tail, r.weight, r.support, " | ".join(r.summaries)]
        for r in graph.relations
    )
    return [
        _table(["id", "name", "type", "weight", "aliases", "summaries"], entities),
        _table(["id", "head", "label", "tail", "weight", "support", "summaries"], relations),
    ]


def _table(names: list[str], rows: Iterable[list[str | int]]) -> bytes:
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(names)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return written.getvalue().encode()


def _cell(value: str | int) -> str | int:
    """A text that a spreadsheet would take for a formula, and run, begins with an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _as_graphml(graph: Graph) -> list[bytes]:
    import networkx as nx

    made: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for e in graph.entities:
        made.add_node(
            e.id,
            name=_xml(e.name),
            type=_xml(e.type),
            weight=e.weight,
            summary=_xml(" | ".join(e.summaries)),
        )
    for r in graph.relations:
        made.add_edge(
            r.head,
            r.tail,
            key=r.id,
            label=_xml(r.label),
            weight=r.weight,
            support=r.support,
            summary=_xml(" | ".join(r.summaries)),
        )
    written = io.BytesIO()
    nx.write_graphml(made, written, encoding="utf-8")
    return [written.getvalue()]


def _xml(text: str) -> str:
    """Without the characters that XML 1.0 can't hold."""
    return "".join(
        c
        for c in text
        if c in "\t\n\r" or ("\x20" <= c <= "\ud7ff") or ("\ue000" <= c <= "\ufffd") or c > "\uffff"
    )
