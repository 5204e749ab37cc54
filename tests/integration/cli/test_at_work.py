"""What a command that only reads says of an ingest that is running."""

from typing import Any

from ingests import Gate

from dynagrag.core.text import cut


def test_who_only_looks_is_told_of_an_ingest_that_is_at_work(
    gate: Gate, cli: Any, start: Any, corpus: Any
) -> None:
    assert (
        cli("ingest", corpus.write("first.vtt", corpus.meeting(9)), "--extractor", "fast").code == 0
    )
    path = corpus.many(1)[0]
    process = start("ingest", path)
    gate.wait_for(1)
    told = f"dynagrag: job 2 (ingest of {cut(str(path), 80)}, since "
    looks = [
        ("graph", "stats"),
        ("graph", "show"),
        ("graph", "merges"),
        ("graph", "edits"),
        ("graph", "suggest"),
        ("jobs",),
        ("jobs", "set-aside"),
    ]
    for arguments in looks:
        shown = cli(*arguments, "--json")
        (line,) = shown.err.splitlines()
        assert line.startswith(told), arguments
        assert f", process {process.pid}, extract " in line
        assert line.endswith(
            ") is at work in workspace 'default': what is shown is the state so far"
        )
        assert shown.json is not None
    process.kill()
    process.wait(20)
    assert cli("graph", "stats").err == cli("jobs").err == ""
