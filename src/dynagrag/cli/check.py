"""`dynagrag check`: is a sentence stated in the transcripts?"""

from typing import Annotated

import typer

from dynagrag.cli.ask import DOCUMENT, MAX_CALLS, SINCE, SPEAKER, UNTIL, seconds_of
from dynagrag.cli.options import EMBEDDER, JSON, LLM, STORE, VERBOSE, WORKSPACE
from dynagrag.cli.terminal import Waiting, open_to_read, read_settings, say, say_json, set_up_log


def check(
    sentence: Annotated[
        str,
        typer.Argument(
            metavar="SENTENCE", help="What somebody claims: one or more sentences that state it."
        ),
    ],
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    document: DOCUMENT = None,
    speaker: SPEAKER = None,
    since: SINCE = None,
    until: UNTIL = None,
    max_calls: MAX_CALLS = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Check whether your transcripts state a sentence, contradict it, or have nothing of it, with
    the lines. What wasn't found may still be true. Without a language model rules check; they read
    English.

    Example: dynagrag check "MAIN B reads 4 volts." --workspace demo
    """
    set_up_log(verbose)
    settings = read_settings(llm, embedder, store)
    since_s, until_s = seconds_of(since, "--since"), seconds_of(until, "--until")
    from dynagrag.core.schema import Filters
    from dynagrag.workspace.statement_report import statement_json, statement_lines

    filters = Filters(tuple(document or ()), tuple(speaker or ()), since_s, until_s)
    with open_to_read(workspace, settings) as space:
        with Waiting("Looking for the nearest lines", as_json):
            checked = space.check(sentence, filters, max_calls)
        if as_json:
            say_json(statement_json(checked))
            return 0
        for line in statement_lines(checked):
            say(line)
    return 0
