"""The graph as a file: GraphML, JSON or CSV."""

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from dynagrag.core.errors import UsageError
from dynagrag.core.schema import Entity, Graph, Relation


def export(graph: Graph, file: Path, force: bool) -> list[Path]:
    """Writes the graph; what was written. Raises UsageError for an unknown ending or a file that is
    there.
    """
    writers = {".graphml": _write_graphml, ".json": _write_json, ".csv": _write_csv}
    writer = writers.get(file.suffix.lower())
    if writer is None:
        raise UsageError(f"{file.name!r}: the ending says the format; use {', '.join(writers)}")
    targets = (
        [file]
        if file.suffix.lower() != ".csv"
        else [file.with_suffix(".entities.csv"), file.with_suffix(".relations.csv")]
    )
    for target in targets:
        if target.exists() and not force:
            raise UsageError(f"{target} is there already; write elsewhere or use --force")
    writer(graph, targets)
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


def _write_json(graph: Graph, targets: list[Path]) -> None:
    value = {
        "entities": [asdict(e) for e in graph.entities],
        "relations": [asdict(r) for r in graph.relations],
    }
    targets[0].write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")


def _write_csv(graph: Graph, targets: list[Path]) -> None:
    with targets[0].open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(["id", "name", "type", "weight", "aliases", "summaries"])
        writer.writerows(
            [e.id, e.name, e.type, e.weight, "; ".join(e.aliases), " | ".join(e.summaries)]
            for e in graph.entities
        )
    with targets[1].open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(["id", "head", "label", "tail", "weight", "support", "summaries"])
        writer.writerows(
            [r.id, r.head, r.label, r.tail, r.weight, r.support, " | ".join(r.summaries)]
            for r in graph.relations
        )


def _write_graphml(graph: Graph, targets: list[Path]) -> None:
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
    nx.write_graphml(made, targets[0], encoding="utf-8")


def _xml(text: str) -> str:
    """Without the characters that XML 1.0 can't hold."""
    return "".join(
        c
        for c in text
        if c in "\t\n\r" or ("\x20" <= c <= "\ud7ff") or ("\ue000" <= c <= "\ufffd") or c > "\uffff"
    )
