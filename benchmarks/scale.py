"""What one more recording costs, by size of the archive: python benchmarks/scale.py 1000 5000
[--source OTHER/src ...] [--keep FOLDER] [--out FILE]

Documents like talk are written: a few speakers each, names by Zipf's law (a name that was said is
said again, and now and then a new one comes), plain words, 70 words a document. They are ingested
without a model, with vectors that are near where words are shared. Then, each in a process of its
own, whose CPU seconds and peak memory count: six questions, the same again, the same folder again
(nothing new), one more file, and one file deleted. `--source`: the steps by the code of another
checkout as well, in the same run, on the same documents.
"""

import argparse
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from result_lines import ResultLines

WORKSPACE = "scale"
DIMENSION = 64
_WORDS_A_DOCUMENT = 70
_ROOT = Path(__file__).parents[1]
WORKER = f"""
import json, sys, time
from pathlib import Path

from dynagrag import IngestOptions, load_settings, open_workspace
from dynagrag.fakes import FakeEmbedder

step, home, argument = sys.argv[1:4]
settings = load_settings(home=Path(home), store="sqlite")
embedder = FakeEmbedder({DIMENSION}, "hashed")
told = {{}}
with open_workspace("scale", settings=settings, embedder=embedder) as space:
    if step == "ingest":
        report = space.ingest([Path(argument)], IngestOptions(extractor="fast"))
        told = {{"entities": report.graph.num_entities, "relations": report.graph.num_relations}}
        told["seconds"] = {{name: round(value, 2) for name, value in report.seconds.items()}}
    elif step == "delete":
        space.documents.delete(argument)
    elif step == "ask":
        cpu = time.process_time()
        for place, question in enumerate(argument.split("|")):
            answer = space.ask(question)
            key = "first" if not place else "next"
            told.setdefault(key, []).append(round(time.process_time() - cpu, 3))
            cpu = time.process_time()
print("RESULT" + json.dumps(told))
"""


class Talk:
    """Documents like talk, the same for the same seed; document n doesn't depend on how many there
    are.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        rng = random.Random(seed)
        syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
        self._syllables = syllables
        self._plain = sorted(
            {"".join(rng.choices(syllables, k=rng.randint(2, 3))) for _ in range(4000)}
        )
        rng.shuffle(self._plain)

    def name(self, rank: int) -> str:
        """The name of this rank among all names: of one, two or three words."""
        rng = random.Random(f"{self._seed} name {rank}")
        words = ["".join(rng.choices(self._syllables, k=rng.randint(2, 4))).capitalize()]
        words += [
            "".join(rng.choices(self._syllables, k=rng.randint(2, 3))).capitalize()
            for _ in range(rng.choice((0, 1, 1, 2)))
        ]
        return " ".join(words)

    def document(self, number: int) -> str:
        """One document: lines `Speaker: words.`"""
        rng = random.Random(f"{self._seed} document {number}")
        known = 20 + 8 * (number + 1)
        people = [self._person(_zipf(rng, 5 + known // 10)) for _ in range(rng.randint(2, 4))]
        lines = []
        num_words = 0
        while num_words < _WORDS_A_DOCUMENT:
            said = " ".join(self._sentence(rng, known) for _ in range(rng.randint(1, 2)))
            lines.append(f"{rng.choice(people)}: {said}")
            num_words += len(lines[-1].split())
        return "\n".join(lines) + "\n"

    def _person(self, rank: int) -> str:
        rng = random.Random(f"{self._seed} person {rank}")
        return " ".join("".join(rng.choices(self._syllables, k=3)).capitalize() for _ in range(2))

    def _sentence(self, rng: random.Random, known: int) -> str:
        words = [self._plain[_zipf(rng, len(self._plain))] for _ in range(rng.randint(4, 9))]
        for _ in range(rng.randint(0, 2)):
            # Half of what is named is known to all, half seldom comes again.
            rank = _zipf(rng, known) if rng.random() < 0.5 else rng.randrange(known)
            words.insert(rng.randint(1, len(words)), self.name(rank))
        words.insert(1, rng.choice(("was", "saw", "has", "wants", "left", "made")))
        text = f"the {' '.join(words)}."
        return text[:1].upper() + text[1:]


def _zipf(rng: random.Random, size: int) -> int:
    """A rank below `size`, of a chance of about 1 / (rank + 1)."""
    return min(int(size ** rng.random()) - 1, size - 1) if size > 1 else 0


@dataclass(frozen=True, slots=True)
class Step:
    """One measured process. `cpu_s`: user and system, with its children's; `peak_mb`: of memory."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    told: Mapping[str, object]


def run(step: str, home: Path, argument: str, source: Path) -> Step:
    """One step in a process of its own, by the code of a checkout's `src`."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, step, str(home), argument],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        assert process.stdout is not None
        out = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - began
    if process.returncode:
        raise SystemExit(f"{step} ended with {process.returncode}")
    told = json.loads(out.rpartition("RESULT")[2])
    return Step(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1000, told)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", type=int, nargs="+", help="numbers of documents")
    parser.add_argument("--source", type=Path, action="append", help="another checkout's src")
    parser.add_argument("--keep", type=Path, help="keep homes and documents here, for a later run")
    parser.add_argument("--out", type=Path, help="append the lines to this file")
    chosen = parser.parse_args()
    lines = ResultLines(chosen.out)
    sources = [_ROOT / "src", *(chosen.source or [])]
    lines.line(f"# {platform.machine()}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}")
    lines.line("# CPU s (wall s) and peak MB of each process; of questions the CPU s of each")
    for size in chosen.sizes:
        with tempfile.TemporaryDirectory() as scratch:
            folder = (chosen.keep or Path(scratch)) / f"scale-{size}"
            for source in sources:
                lines.line(f"## {size:,} documents, {_commit(source)}")
                measure(folder, size, source, lines)


def measure(folder: Path, size: int, source: Path, lines: ResultLines) -> None:
    """All steps at one size by one checkout's code. Its ingest is made once and copied."""
    talk = Talk()
    talks = folder / "talks"
    if not talks.is_dir():
        talks.mkdir(parents=True)
        for number in range(size):
            (talks / f"talk{number:06}.txt").write_text(talk.document(number), encoding="utf-8")
    more = talks / f"talk{size:06}.txt"
    more.unlink(missing_ok=True)
    home = folder / f"home-{_commit(source)}"
    if not home.is_dir():
        made = folder / "made"
        shutil.rmtree(made, ignore_errors=True)
        _tell(lines, "ingest of all", run("ingest", made, str(talks), source))
        made.rename(home)
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(home, work)
    questions = [f"What did they say about {talk.name(rank)}?" for rank in (3, 9, 27, 81, 150, 200)]
    for what in ("six questions", "six questions again"):
        _tell(lines, what, run("ask", work, "|".join(questions), source))
    _tell(lines, "nothing new", run("ingest", work, str(talks), source))
    more.write_text(talk.document(size), encoding="utf-8")
    _tell(lines, "one more file", run("ingest", work, str(talks), source))
    _tell(lines, "one more file, named", run("ingest", work, str(more), source))
    _tell(lines, "one deleted", run("delete", work, more.name, source))
    more.unlink()
    shutil.rmtree(work)


def _tell(lines: ResultLines, what: str, step: Step) -> None:
    told = json.dumps(step.told) if step.told else ""
    lines.line(f"{what:<22} {step.cpu_s:8.2f} ({step.wall_s:.1f}) {step.peak_mb:8,.0f} MB  {told}")


def _commit(source: Path) -> str:
    words = ["git", "-C", str(source), "rev-parse", "--short", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
