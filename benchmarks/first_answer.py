"""How long a newcomer waits for a first answer: python benchmarks/first_answer.py [--out FILE]
[--models FOLDER]

A workspace of the demo's two transcripts is made without a model (`--extractor fast`) in a home of
its own. Then `ask` from a cold start, each time a process of its own, and the app in headless
Chromium: its page, and the first question that is put to it. Seconds are by the clock; CPU seconds
and memory are those of the command. Needs MiniLM, and for the app Chromium (CHROMIUM, or
/usr/bin/chromium).
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from result_lines import ResultLines

from dynagrag import demo
from dynagrag.config.settings import Settings

sys.path.insert(
    0, str(Path(__file__).parents[1] / "tests" / "servers")
)  # the app and the browser as the tests have them

QUESTION = "What low pressures did GNC report?"
FOLLOW_UP = "Who asked about the fuel cells?"
ROUNDS = 5
ASK_TARGET_S, APP_TARGET_S = 2.0, 3.0
_PAINTS = """
window.shift = window.largest = 0
new PerformanceObserver(seen => {
    for (const one of seen.getEntries()) if (!one.hadRecentInput) window.shift += one.value
}).observe({ type: 'layout-shift', buffered: true })
new PerformanceObserver(seen => { window.largest = seen.getEntries().at(-1).startTime })
    .observe({ type: 'largest-contentful-paint', buffered: true })
"""
"""What browsers measure of a page as it is drawn: Largest Contentful Paint, and Layout Shift that
no hand caused (W3C).
"""


@dataclass(frozen=True, slots=True)
class Took:
    """What a command took."""

    seconds: float
    cpu_s: float
    peak_bytes: int


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, help="append the lines to this file")
    parser.add_argument(
        "--models",
        type=Path,
        help="the folder that MiniLM lies in; default: that of your home",
        default=Settings().models_dir,
    )
    chosen = parser.parse_args()
    lines = ResultLines(chosen.out)
    lines.line("# python benchmarks/first_answer.py")
    threads = os.environ.get("OMP_NUM_THREADS", "all")
    machine = (
        f"{len(os.sched_getaffinity(0))} cores, {threads} threads, Python"
        f" {platform.python_version()}, {time.strftime('%Y-%m-%d')}"
    )
    lines.line(f"# {machine}; load by others {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "models").symlink_to(chosen.models.resolve())
        measure_commands(home, lines)
        measure_app(home, lines)


def measure_commands(home: Path, lines: ResultLines) -> None:
    """The ingest, and `ask`."""
    sources = [str(path) for path in sorted(Path(demo.__file__).parent.glob("*.txt"))]
    say(
        lines,
        "ingest the demo's transcripts, --extractor fast",
        timed(home, "ingest", *sources, "--extractor", "fast"),
    )
    say(lines, "ask, the first after that", timed(home, "ask", QUESTION))
    again = [timed(home, "ask", QUESTION) for _ in range(ROUNDS)]
    middle = Took(
        median(t.seconds for t in again),
        median(t.cpu_s for t in again),
        max(t.peak_bytes for t in again),
    )
    say(lines, f"ask, median of {ROUNDS} processes", middle, ASK_TARGET_S)


def measure_app(home: Path, lines: ResultLines) -> None:
    """The page Ask, the first question to it and the second."""
    from app_server import AppServer, browser, settled

    start = time.perf_counter()
    with AppServer({"DYNAGRAG_HOME": str(home)}) as app, browser() as chromium:
        lines.line(f"{'serve, until it answers':<52} {time.perf_counter() - start:6.2f} s")
        page = chromium.context((1280, 900)).new_page()
        box = page.get_by_test_id("stChatInputTextArea")
        answers = page.get_by_text("No language model")

        def asked(question: str, number: int) -> Callable[[], None]:
            def act() -> None:
                box.fill(question)
                box.press("Enter")
                answers.nth(number).wait_for()

            return act

        page.add_init_script(_PAINTS)
        clocked(
            lines,
            "the page Ask, until its box for questions is there",
            lambda: (page.goto(app.url()), box.wait_for()),
        )
        settled(page)
        first, largest, shift = page.evaluate(
            "[performance.getEntriesByName('first-contentful-paint')[0].startTime, window.largest,"
            " window.shift]"
        )
        lines.line(
            f"{'  first paint, largest paint, layout shift':<52} {first / 1000:6.2f} s"
            f" {largest / 1000:6.2f} s {shift:9.3f}"
        )
        clocked(
            lines, "the first question, until its lines are shown", asked(QUESTION, 0), APP_TARGET_S
        )
        settled(page)
        clocked(lines, "the second question", asked(FOLLOW_UP, 1))


def timed(home: Path, *words: str) -> Took:
    """Runs a command of dynagrag; CalledProcessError where it fails."""
    command = [sys.executable, "-m", "dynagrag.cli", *words]
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        env={**os.environ, "DYNAGRAG_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if (code := os.waitstatus_to_exitcode(status)) != 0:
        raise subprocess.CalledProcessError(code, command)
    process.returncode = code
    return Took(seconds, used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss)


def say(lines: ResultLines, what: str, took: Took, target_s: float | None = None) -> None:
    """One line of a command."""
    target = "" if target_s is None else f"  target {target_s:.0f} s"
    lines.line(
        f"{what:<52} {took.seconds:6.2f} s {took.cpu_s:6.2f} CPU s {took.peak_bytes / 1e6:6.0f}"
        f" MB{target}"
    )


def clocked(
    lines: ResultLines, what: str, act: Callable[[], object], target_s: float | None = None
) -> None:
    """One line of what a visitor waits for."""
    start = time.perf_counter()
    act()
    target = "" if target_s is None else f"  target {target_s:.0f} s"
    lines.line(f"{what:<52} {time.perf_counter() - start:6.2f} s{target}")


if __name__ == "__main__":
    main()
