"""Writes docs/cli.md from the commands' own help. Usage: python docs/write_cli_help.py [--print]"""

import io
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path

NAMES = """
inspect; ingest; ask; delete; graph; graph stats; graph show; graph near; graph merges; graph undo; graph export; graph copy;
graph suggest; graph merge; graph apart; graph split; graph rename; graph sense; graph edits; graph unedit;
jobs; jobs list; jobs resume; jobs cancel; jobs set-aside; jobs retry; evaluate; evaluate retrieval; evaluate compare;
evaluate entities; models; models list; models pull; backup; restore; doctor; demo
"""
COMMANDS = [[], *(name.split() for name in NAMES.split(";"))]


def page() -> str:
    """The whole page."""
    os.environ |= {"COLUMNS": "100", "TERMINAL_WIDTH": "100"}
    from dynagrag.cli import run

    parts = [
        "# Every command\n\nWritten by `make help-docs` from the commands' own help. Exit codes: 0 ok, 1 an error in one line, 2 wrong use,"
    ]
    parts.append("3 done with some items set aside or refused, 130 Ctrl-C.\n")
    for command in COMMANDS:
        out = io.StringIO()
        with redirect_stdout(out):
            run([*command, "--help"])
        lines = "\n".join(line.rstrip() for line in out.getvalue().strip().splitlines())
        parts.append(f"## {' '.join(['dynagrag', *command])}\n\n```text\n{lines}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    if "--print" in sys.argv:
        sys.stdout.write(page())
    else:
        (Path(__file__).parent / "cli.md").write_text(page(), encoding="utf-8")
