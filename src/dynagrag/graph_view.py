"""The graph for people and other programs: the heaviest entities, one entity with its evidence, and exports."""

import csv
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dynagrag.errors import UsageError
from dynagrag.ids import entity_key
from dynagrag.schema import Entity, Graph, Relation
from dynagrag.workspace import Workspace

Row = dict[str, Any]


def overview(space: Workspace, limit: int) -> Row:
    """The heaviest entities and relations."""
    graph = space.graph()
    names = {e.id: e.name for e in graph.entities}
    degree: dict[str, int] = {}
    for relation in graph.relations:
        for end in (relation.head, relation.tail):
            degree[end] = degree.get(end, 0) + 1
    entities = sorted(graph.entities, key=lambda e: (-e.weight, -degree.get(e.id, 0), e.key))[:limit]
    relations = sorted(graph.relations, key=lambda r: (-r.weight, -r.support, names[r.head], names[r.tail], r.label))[:limit]
    return {
        "entities": [{"name": e.name, "type": e.type, "weight": e.weight, "relations": degree.get(e.id, 0)} for e in entities],
        "relations": [_relation_row(r, names) for r in relations],
    }


def _relation_row(relation: Relation, names: dict[str, str]) -> Row:
    return {
        "head": names[relation.head],
        "label": relation.label,
        "tail": names[relation.tail],
        "weight": relation.weight,
        "support": relation.support,
    }


def entity_view(space: Workspace, name: str, limit: int) -> Row:
    """One entity: its names, summaries, and its relations with the words they rest on. Raises UsageError naming near misses."""
    snapshot = space.snapshot()
    graph = snapshot.graph
    entity = _find(graph, name)
    names = {e.id: e.name for e in graph.entities}
    own = [r for r in graph.relations if entity.id in (r.head, r.tail)]
    own.sort(key=lambda r: (-r.weight, names[r.head], names[r.tail], r.label))
    relations = []
    for relation in own[:limit]:
        records = [snapshot.records[i] for i in relation.record_ids]
        record = next((r for r in records if r.quote_start < r.quote_end), records[0])
        turn = snapshot.turns[record.document_id][record.turn_index]
        quote = snapshot.text(record.document_id, record.quote_start, record.quote_end)
        said = {"document": snapshot.documents[record.document_id].title, "speaker": turn.speaker, "start_s": turn.start_s, "quote": quote}
        relations.append(_relation_row(relation, names) | {"evidence": said})
    return {
        "name": entity.name,
        "type": entity.type,
        "weight": entity.weight,
        "aliases": list(entity.aliases),
        "summaries": list(entity.summaries[:limit]),
        "num_relations": len(own),
        "relations": relations,
    }


def _find(graph: Graph, name: str) -> Entity:
    key = entity_key(name)
    named = [e for e in graph.entities if key in e.keys] or [e for e in graph.entities if key == entity_key(e.name)]
    if named:
        return named[0]
    near = sorted((e for e in graph.entities if key and (key in e.key or e.key in key)), key=lambda e: (-e.weight, e.key))[:8]
    hint = f"; near: {', '.join(e.name for e in near)}" if near else ""
    raise UsageError(f"no entity {name!r}{hint}")


def near_view(space: Workspace, name: str, num_hops: int, limit: int) -> Row:
    """What lies around an entity, read straight from the store: quick in a large graph too. Raises UsageError naming near misses."""
    found = space.store.neighbourhood(_find_in_store(space, name), num_hops=num_hops, fan_out=limit, max_relations=limit)
    names = {e.id: e.name for e in found.entities}
    return {
        "name": found.entities[0].name,
        "entities": [{"name": e.name, "type": e.type, "weight": e.weight} for e in found.entities],
        "relations": [_relation_row(r, names) for r in found.relations],
        "is_cut": found.is_cut,
    }


def _find_in_store(space: Workspace, name: str) -> str:
    """The id of an entity by any of its names, found by search: the graph isn't read whole."""
    key = entity_key(name)
    near = []
    for entity_id, _ in space.store.search_entities(name, limit=50):
        entity = space.store.neighbourhood(entity_id, num_hops=0).entities[0]
        if key in entity.keys or key == entity_key(entity.name):
            return entity_id
        near.append(entity.name)
    hint = f"; near: {', '.join(near[:8])}" if near else ""
    raise UsageError(f"no entity {name!r}{hint}")


def print_near(view: Row) -> Iterator[str]:
    """The lines of a neighbourhood."""
    yield f"{view['name']}: {len(view['entities']) - 1} entities and {len(view['relations'])} relations around it"
    for row in view["relations"]:
        yield f"  {row['weight']:>5}  {row['head']} --{row['label']}--> {row['tail']}"
    if view["is_cut"]:
        yield "  ... and more: the heaviest are shown (--limit)"


def print_overview(view: Row) -> Iterator[str]:
    """The lines of an overview."""
    yield "entities (weight = times mentioned):"
    for row in view["entities"]:
        yield f"  {row['weight']:>5}  {row['name']}" + (f" ({row['type']})" if row["type"] else "") + f", {row['relations']} relations"
    yield "relations (weight = times stated):"
    for row in view["relations"]:
        yield f"  {row['weight']:>5}  {row['head']} --{row['label']}--> {row['tail']}"


def print_entity(view: Row) -> Iterator[str]:
    """The lines of one entity."""
    yield f"{view['name']}" + (f" ({view['type']})" if view["type"] else "") + f", mentioned {view['weight']} times"
    if view["aliases"]:
        yield "  also: " + ", ".join(view["aliases"])
    for summary in view["summaries"]:
        yield f"  . {summary}"
    for row in view["relations"]:
        said = row["evidence"]
        yield f"  {row['head']} --{row['label']}--> {row['tail']} (x{row['weight']})"
        words = f'"{" ".join(said["quote"].split())[:160]}"' if said["quote"] else "no sentence says it"
        yield f"      {said['speaker'] or said['document']}: {words}"
    hidden = view["num_relations"] - len(view["relations"])
    if hidden > 0:
        yield f"  ... and {hidden} more relations (--limit)"


def export(graph: Graph, file: Path, force: bool) -> list[Path]:
    """Writes the graph; what was written. Raises UsageError for an unknown ending or a file that is there."""
    writers = {".graphml": _write_graphml, ".json": _write_json, ".csv": _write_csv}
    writer = writers.get(file.suffix.lower())
    if writer is None:
        raise UsageError(f"{file.name!r}: the ending says the format; use {', '.join(writers)}")
    targets = [file] if file.suffix.lower() != ".csv" else [file.with_suffix(".entities.csv"), file.with_suffix(".relations.csv")]
    for target in targets:
        if target.exists() and not force:
            raise UsageError(f"{target} is there already; write elsewhere or use --force")
    writer(graph, targets)
    return targets


def _entity_row(entity: Entity) -> Row:
    row = asdict(entity)
    return {k: list(v) if isinstance(v, tuple) else v for k, v in row.items()}


def _write_json(graph: Graph, targets: list[Path]) -> None:
    relations = [{k: list(v) if isinstance(v, tuple) else v for k, v in asdict(r).items()} for r in graph.relations]
    value = {"entities": [_entity_row(e) for e in graph.entities], "relations": relations}
    targets[0].write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")


def _write_csv(graph: Graph, targets: list[Path]) -> None:
    with targets[0].open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(["id", "name", "type", "weight", "aliases", "summaries"])
        writer.writerows([e.id, e.name, e.type, e.weight, "; ".join(e.aliases), " | ".join(e.summaries)] for e in graph.entities)
    with targets[1].open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(["id", "head", "label", "tail", "weight", "support", "summaries"])
        writer.writerows([r.id, r.head, r.label, r.tail, r.weight, r.support, " | ".join(r.summaries)] for r in graph.relations)


def _write_graphml(graph: Graph, targets: list[Path]) -> None:
    import networkx as nx

    made: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for e in graph.entities:
        made.add_node(e.id, name=_xml(e.name), type=_xml(e.type), weight=e.weight, summary=_xml(" | ".join(e.summaries)))
    for r in graph.relations:
        made.add_edge(
            r.head, r.tail, key=r.id, label=_xml(r.label), weight=r.weight, support=r.support, summary=_xml(" | ".join(r.summaries))
        )
    nx.write_graphml(made, targets[0], encoding="utf-8")


def _xml(text: str) -> str:
    """Without the characters that XML 1.0 can't hold."""
    return "".join(c for c in text if c in "\t\n\r" or ("\x20" <= c <= "\ud7ff") or ("\ue000" <= c <= "\ufffd") or c > "\uffff")
