"""A small knowledge graph in the files of PathQuestion and WebQSP: people with spouses, towns and trades, and questions over two facts."""

import gzip
import json
from pathlib import Path

import pytest

NUM_PEOPLE = 40
TRADES = ("baker", "miner", "pilot", "nurse")
TOWNS = ("york", "bath", "hull", "ely", "ripon")


def facts() -> list[tuple[str, str, str]]:
    rows = []
    for i in range(NUM_PEOPLE):
        rows += [(f"person_{i}", "spouse", f"partner_{i}"), (f"person_{i}", "friend", f"person_{(i + 1) % NUM_PEOPLE}")]
        rows += [(f"partner_{i}", "trade", TRADES[i % len(TRADES)]), (f"partner_{i}", "town", TOWNS[i % len(TOWNS)])]
    return rows


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """The folder of --data."""
    data = tmp_path / "sets"
    folder = data / "graphqa" / "pathquestion"
    folder.mkdir(parents=True)
    (folder / "2H-kb.txt").write_text("\n".join("\t".join(fact) for fact in facts()), encoding="utf-8")
    rows, asked = [], []
    for i in range(NUM_PEOPLE):
        for relation, value in (("trade", TRADES[i % len(TRADES)]), ("town", TOWNS[i % len(TOWNS)])):
            path = f"person_{i}#spouse#partner_{i}#{relation}#{value}"
            rows.append(f"what is the {relation} of the spouse of person_{i} ?\t{value}({value}/)\t{path}#<end>#{value}")
            triples = [[f"person_{i}", "spouse", f"partner_{i}"], [f"partner_{i}", relation, value]]
            asked.append({"id": f"w{i}{relation}", "question": f"which {relation}?", "q_entity": [f"person_{i}"], "triples": triples})
    (folder / "PQ-2H.txt").write_text("\n".join(rows), encoding="utf-8")
    (data / "graphqa" / "webqsp_questions.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    table = "head\trelation\ttail\tsource\n" + "\n".join("\t".join((*fact, "labelled")) for fact in facts())
    (data / "graphqa" / "webqsp_kg.tsv.gz").write_bytes(gzip.compress(table.encode()))
    return data
