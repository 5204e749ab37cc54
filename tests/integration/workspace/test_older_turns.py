"""A workspace whose captions were read as one turn a cue becomes, with the next ingest, what a new
one is.
"""

from pathlib import Path
from typing import Any

import pytest

from dynagrag.ingest import earlier_readings, split

CUES = [
    "Ada Byron, who",
    "founded Acme Works, met",
    "Grace Hopper. Acme",
    "Works is located in Delft.",
    "Fathom Labs acquired",
    "Acme Works.",
]


@pytest.mark.usefixtures("server", "any_store")
@pytest.mark.parametrize("extractor", ["fast", "llm"])
def test_the_next_ingest_makes_it_the_graph_of_a_new_workspace(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extractor: str
) -> None:
    path = tmp_path / "talk.vtt"
    blocks = [
        f"00:00:{n * 2:02}.000 --> 00:00:{n * 2 + 2:02}.000\n{text}" for n, text in enumerate(CUES)
    ]
    path.write_text("WEBVTT\n\n" + "\n\n".join(blocks), encoding="utf-8")
    with monkeypatch.context() as before:
        before.setattr(split, "turns_of", lambda source, *_: source.turns)
        before.setattr(earlier_readings, "reader_version", lambda: "an older one")
        assert cli("ingest", path, "-y", "--extractor", extractor, "-w", "old").code == 0
    assert cli("ingest", path, "-y", "--extractor", extractor, "-w", "new").code == 0
    old, new = (cli("graph", "stats", "-w", name, "--json").json for name in ("old", "new"))
    assert (old["turns"], new["turns"]) == (6, 3)
    assert cli("ingest", path, "-y", "--extractor", extractor, "-w", "old").code == 0
    assert cli("graph", "stats", "-w", "old", "--json").json["digest"] == new["digest"]
    again = cli("ingest", path, "-y", "--extractor", extractor, "-w", "old")
    assert "1 unchanged" in again.out
