"""Commands whose output nobody reads any more, as behind `| head -1`: the work goes on, and the
exit code is that of the work.
"""

import os
import subprocess
import sys
from typing import Any

import pytest

from dynagrag.fakes.fake_server import OpenAIStubServer


def _into_closed(*args: object, streams: tuple[str, ...] = ("stdout",)) -> tuple[int, str]:
    """The exit code and what stderr had, of a command whose streams nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    pipes: dict[str, Any] = {"stderr": subprocess.PIPE} | dict.fromkeys(streams, writer)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "dynagrag.cli", *map(str, args)],
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=60,
            check=False,
            **pipes,
        )
    finally:
        os.close(writer)
    return done.returncode, done.stderr or ""


@pytest.mark.parametrize("streams", [("stdout",), ("stdout", "stderr")])
def test_an_ingest_whose_output_nobody_reads_is_done_whole(
    server: OpenAIStubServer, corpus: Any, cli: Any, streams: tuple[str, ...]
) -> None:
    paths = corpus.many(3)
    code, err = _into_closed("ingest", *paths, "--extractor", "fast", "--yes", streams=streams)
    assert (code, err) == (0, "")
    again = cli("ingest", *paths, "--extractor", "fast", "--yes")
    assert "0 new, 0 changed, 3 unchanged" in again.out
    assert cli("jobs").out.count("done") >= 1


@pytest.mark.parametrize(
    "words", [("ask", "Who founded Acme Works?"), ("documents",), ("graph", "stats")], ids=" ".join
)
def test_a_command_whose_output_nobody_reads_ends_as_it_would(
    server: OpenAIStubServer, corpus: Any, cli: Any, words: tuple[str, ...]
) -> None:
    cli("ingest", *corpus.many(2), "--extractor", "fast", "--yes")
    code, err = _into_closed(*words)
    assert (code, [line for line in err.splitlines() if " after " not in line]) == (
        0,
        [],
    )  # progress
    code, err = _into_closed(*words, "--workspace", "none")
    assert code == 1
    assert err.startswith("dynagrag: "), "what went wrong is said where somebody reads"


def test_help_that_nobody_reads_is_no_error() -> None:
    assert _into_closed("--help") == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_an_output_for_which_there_is_no_room_is_an_error_in_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dynagrag.cli", "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "free some space" in done.stderr
