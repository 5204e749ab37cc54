"""`dynagrag check`: somebody's sentences against the lines of a workspace."""

from collections.abc import Callable
from typing import Any

import pytest

TURNS = [
    ("Maria", "The council paid 400 dollars for the roof of the mill."),
    ("Leo", "Grace Hopper founded Acme Works."),
    ("Maria", "Acme Works is located in Delft."),
]


def test_a_sentence_is_stated_contradicted_or_not_found_with_its_lines(
    corpus: Any, cli: Callable[..., Any], server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest = ("ingest", corpus.write("board.vtt", TURNS), "--extractor", "fast", "--yes")
    assert cli(*ingest).code == 0
    monkeypatch.delenv("DYNAGRAG_LLM")
    shown = cli("check", "Grace Hopper founded Acme Works. The council paid 500 dollars.")
    assert shown.code == 0
    assert shown.out == (
        "stated: Grace Hopper founded Acme Works.\n"
        '  [E1] board, Leo 0:10: "Grace Hopper founded Acme Works."\n'
        "contradicted: The council paid 500 dollars.\n"
        "  the line says 400 dollars, not 500 dollars\n"
        '  [E2] board, Maria 0:00: "The council paid 400 dollars for the roof of the mill."\n'
        "  checked by rules\n"
    )
    found = cli("check", "Ada Byron bought Acme Works.", "--json")
    (claim,) = found.json["claims"]
    assert (found.code, claim["verdict"], claim["lines"]) == (0, "not found", [])
    assert found.json["claim_lines"].keys() == set(claim["nearest"])
    assert claim["nearest"]
    assert cli("check", "Grace Hopper founded Acme Works.", "--speaker", "Maria").out.startswith(
        "not found: Grace Hopper founded Acme Works.\n"
    )
    unknown = cli("check", "The xylophones gleamed brightly.")
    assert "  no line of the sources has its words\n  checked by rules\n" in unknown.out
    asked = cli("check", "Who founded Acme Works?")
    assert (asked.code, asked.out) == (2, "")
    assert "write a sentence" in asked.err
    assert "the text is empty" in cli("check", " ").err
    assert server.counts.chat_calls == 0
