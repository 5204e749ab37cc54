"""A small knowledge graph in the files of PathQuestion and WebQSP: people with spouses, towns and
trades, and questions over two facts.

And the same of films, directors and towns, as passages in the files of 2WikiMultihopQA.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

NUM_PEOPLE = 40
TRADES = ("baker", "miner", "pilot", "nurse")
TOWNS = ("york", "bath", "hull", "ely", "ripon")


def facts() -> list[tuple[str, str, str]]:
    rows = []
    for i in range(NUM_PEOPLE):
        rows += [
            (f"person_{i}", "spouse", f"partner_{i}"),
            (f"person_{i}", "friend", f"person_{(i + 1) % NUM_PEOPLE}"),
        ]
        rows += [
            (f"partner_{i}", "trade", TRADES[i % len(TRADES)]),
            (f"partner_{i}", "town", TOWNS[i % len(TOWNS)]),
        ]
    return rows


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """The folder of --data."""
    data = tmp_path / "sets"
    folder = data / "graphqa" / "pathquestion"
    folder.mkdir(parents=True)
    (folder / "2H-kb.txt").write_text(
        "\n".join("\t".join(fact) for fact in facts()), encoding="utf-8"
    )
    rows, asked = [], []
    for i in range(NUM_PEOPLE):
        for relation, value in (
            ("trade", TRADES[i % len(TRADES)]),
            ("town", TOWNS[i % len(TOWNS)]),
        ):
            path = f"person_{i}#spouse#partner_{i}#{relation}#{value}"
            rows.append(
                f"what is the {relation} of the spouse of person_{i}"
                f" ?\t{value}({value}/)\t{path}#<end>#{value}"
            )
            triples = [[f"person_{i}", "spouse", f"partner_{i}"], [f"partner_{i}", relation, value]]
            asked.append(
                {
                    "id": f"w{i}{relation}",
                    "question": f"which {relation}?",
                    "q_entity": [f"person_{i}"],
                    "triples": triples,
                }
            )
    (folder / "PQ-2H.txt").write_text("\n".join(rows), encoding="utf-8")
    (data / "graphqa" / "webqsp_questions.jsonl").write_text(
        "\n".join(map(json.dumps, asked)), encoding="utf-8"
    )
    table = "head\trelation\ttail\tsource\n" + "\n".join(
        "\t".join((*fact, "labelled")) for fact in facts()
    )
    (data / "graphqa" / "webqsp_kg.tsv.gz").write_bytes(gzip.compress(table.encode()))
    return data


FILMS = (
    "Amber",
    "Birch",
    "Cobalt",
    "Dune",
    "Ember",
    "Fjord",
    "Garnet",
    "Harbour",
    "Iris",
    "Jasper",
    "Kestrel",
    "Lagoon",
    "Marble",
    "Nectar",
)
PEOPLE = (
    "Ada Quill",
    "Ben Rook",
    "Cleo Stark",
    "Dan Thorn",
    "Eva Umber",
    "Finn Vale",
    "Gwen Wells",
    "Hal Yarrow",
    "Ida Zorn",
    "Jon Alder",
)
HOMES = ("Delft", "Ghent", "Lyon", "Turin", "Porto", "Malmo", "Gdansk", "Brno")


def _films(first: int, count: int) -> Iterator[tuple[str, str, str, list[tuple[str, list[str]]]]]:
    """Film, director, the director's town, and their passages."""
    for i in range(first, first + count):
        film = f"{FILMS[i % len(FILMS)]} {FILMS[(i // len(FILMS) + i + 1) % len(FILMS)]}"
        director = f"{PEOPLE[i % len(PEOPLE)]} {FILMS[i // len(PEOPLE)]}"
        town = HOMES[i % len(HOMES)]
        passages = [
            (
                f"{film} (film)",
                [f"{film} is a film directed by {director}.", "It was shown in Oslo."],
            ),
            (director, [f"{director} was born in {town}.", f"{director} once met Olaf Grimm."]),
        ]
        yield film, director, town, passages


@pytest.fixture
def two_wiki(tmp_path: Path) -> Path:
    """The folder of --data: 40 questions to train on, 10 others to measure on."""
    data = tmp_path / "sets"
    folder = data / "large" / "multihop"
    folder.mkdir(parents=True)
    train, asked, corpus = [], [], []
    for film, director, town, passages in _films(0, 40):
        row = {
            "id": f"t-{film}",
            "question": f"Where was the director of {film} born?",
            "supporting_facts": [[t, 0] for t, _ in passages],
        }
        row |= {
            "evidences": [[film, "director", director], [director, "place of birth", town]],
            "context": passages,
            "answer": town,
        }
        train.append(row)
    for film, director, _, passages in _films(40, 10):
        row = {
            "id": f"q-{film}",
            "question": f"Where was the director of {film} born?",
            "supporting_titles": [t for t, _ in passages],
        }
        asked.append(
            row
            | {
                "evidences": [
                    [film, "director", director],
                    [director, "place of birth", "Atlantis"],
                ],
                "answer": "Atlantis",
            }
        )
        corpus += [{"title": title, "text": " ".join(sentences)} for title, sentences in passages]
    for name, rows in (("train", train), ("questions", asked), ("corpus", corpus)):
        (folder / f"2wiki_{name}.jsonl").write_text(
            "\n".join(map(json.dumps, rows)), encoding="utf-8"
        )
    return data
