"""`make mutate`: does any unit test fail when a line of a room is wrong? A seeded sample of
mutmut's mutants, one room a run.

    python tests/mutate.py retrieval --sample 100 --seed 0

mutmut reads module names off paths, so the working tree is first written as one plain package
(`build/mutate/ROOM/src/dynagrag/...`, with real folders in place of the links). Every mutant is
tried with the unit tests that run through its function, in a fork of a process that has imported
them. What was tried before is kept: after Ctrl-C, or with a larger sample, the same command
resumes. Mutants of functions that were changed are tried anew, and all of a room when one of its
tests was changed. Bodies of functions alone are changed: constants of modules and fields of classes
are for tests by hand.

Exit code 1 when fewer than `--at-least` percent are killed. `mutmut show NAME` in the room's folder
shows a mutant.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
SKIPPED = 34
"""mutmut's own exit code for a mutant that is left out."""
KILLED = {1, 3, 36, 24, -24, 152, 255, -9, -11}
"""A test fails, pytest breaks, it takes fifteen times as long, or the process dies."""


ROOMS = {
    "retrieval": "retrieval",
    "generation": "generation",
    "derived": "graph_store/derived",
    "consolidate": "ingest/consolidate",
}
"""What is changed, as a folder below `dynagrag`."""


def main(argv: list[str]) -> int:
    """Writes the tree, makes the mutants, tries the sample and prints which survived."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("room", choices=sorted(ROOMS))
    parser.add_argument(
        "--sample", type=int, default=100, help="how many mutants; 0: all of them (default 100)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    parser.add_argument(
        "--at-least", type=float, default=0, help="percent that must be killed (default 0)"
    )
    asked = parser.parse_args(argv)
    folder = ROOT / "build" / "mutate" / asked.room
    write_tree(folder, ROOMS[asked.room])
    began = time.perf_counter()
    if mutmut(folder, "generate"):
        return 2
    chosen = choose(folder, asked.sample, asked.seed)
    code = mutmut(folder, "run")
    return code or report(folder, chosen, asked.at_least, time.perf_counter() - began)


def write_tree(folder: Path, room: str) -> None:
    """The files that git tracks or would, with the links replaced by what they lead to. A file that
    is the same is left as it is.
    """
    done = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    links = {link.name for link in (ROOT / "src" / "dynagrag").iterdir() if link.is_symlink()}
    wanted: dict[Path, bytes] = {}
    for line in done.stdout.splitlines():
        top = line.partition("/")[0]
        if (ROOT / line).is_file() and (top in {"src", "tests", "pyproject.toml"} or top in links):
            wanted[Path("src/dynagrag", line) if top in links else Path(line)] = (
                ROOT / line
            ).read_bytes()
    tests = tests_of(room, wanted)
    digest = _tests_digest(wanted, tests)
    wanted[Path("pyproject.toml")] += settings(room, tests).encode()
    if folder.exists() and _read(folder / "tests.digest") != digest:
        shutil.rmtree(folder)
    for known in list(folder.rglob("*")) if folder.exists() else []:
        inside = known.relative_to(folder)
        if known.is_file() and inside.parts[0] in {"src", "tests"} and inside not in wanted:
            known.unlink()
            (folder / "mutants" / inside).unlink(missing_ok=True)
    for path, data in wanted.items():
        if _read(folder / path) != data:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
    (folder / "tests.digest").write_bytes(digest)


def tests_of(room: str, wanted: dict[Path, bytes]) -> list[str]:
    """The unit tests that import the room, without those that start processes (a mutant is one of
    this process alone, and mutmut fails in others) or read the docs, which are not in the tree.
    """
    name = f"dynagrag.{room.replace('/', '.')}".encode()
    return sorted(
        str(p)
        for p, data in wanted.items()
        if p.is_relative_to("tests/unit")
        and p.name.startswith("test_")
        and name in data
        and b"import subprocess" not in data
        and b'"docs"' not in data
    )


def settings(room: str, tests: list[str]) -> str:
    """The section of pyproject.toml that mutmut reads."""
    values = {
        "source_paths": ["src/dynagrag"],
        "only_mutate": [f"src/dynagrag/{room}/*"],
        "pytest_add_cli_args": [
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-m",
            "not neo4j and not model",
            "--hypothesis-profile=mutate",
        ],
        "pytest_add_cli_args_test_selection": tests,
        # What a message says is for people: tests that held to every letter would only be in the
        # way.
        # `strict=True` is an assertion of ours, which nothing should ever meet.
        "do_not_mutate_patterns": [r"raise \w+\(", r"(_LOG|logger)\.\w+\(", r"strict=True"],
        "use_git_change_detection": False,
    }
    # Literals of JSON are TOML's, but for the names of true and false, which are the same.
    return "\n[tool.mutmut]\n" + "".join(
        f"{name} = {json.dumps(value)}\n" for name, value in values.items()
    )


def mutmut(folder: Path, what: str) -> int:
    """Runs it in the tree; its `generate` is the first step of its `run`, which has no command of
    its own.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder / "mutants" / "src"),
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
    command = [sys.executable, "-m", "mutmut", "run"]
    if what == "generate":
        steps = (
            "m.makedirs('mutants', exist_ok=True); m.copy_src_dir(); m.copy_also_copy_files();"
            " m.create_mutants(2)"
        )
        command = [
            sys.executable,
            "-c",
            f"import mutmut.__main__ as m; m.set_mutant_under_test('mutant_generation'); {steps}",
        ]
    with (folder / f"{what}.log").open("w") as log:
        code = subprocess.run(
            command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False
        ).returncode
    if code:
        sys.stderr.write(
            (folder / f"{what}.log").read_text(encoding="utf-8", errors="replace")[-3000:]
        )
        sys.stderr.write(
            f"\nmutmut ended with {code}; all it said is in {folder / f'{what}.log'}\n"
        )
    return code


def choose(folder: Path, size: int, seed: int) -> set[str]:
    """Names of a sample, the same for the same code and seed, a smaller one part of a larger; marks
    the others as left out.
    """
    names = sorted(name for _, codes in _results(folder) for name in codes)
    random.Random(seed).shuffle(names)
    chosen = set(names[:size] if size else names)
    for meta in _metas(folder):
        kept = json.loads(meta.read_text(encoding="utf-8"))
        codes = kept["exit_code_by_key"]
        for name, code in codes.items():
            if name not in chosen:
                codes[name] = SKIPPED if code is None else code
            elif code == SKIPPED:
                codes[name] = None
        meta.write_text(json.dumps(kept, indent=4), encoding="utf-8")
    return chosen


def report(folder: Path, chosen: set[str], at_least: float, seconds: float) -> int:
    """One line a mutant that nobody noticed, and the rate."""
    codes = {
        name: code
        for _, found in _results(folder)
        for name, code in found.items()
        if name in chosen
    }
    lost = {name: code for name, code in sorted(codes.items()) if code not in KILLED}
    for name, code in lost.items():
        why = {0: "survived", 5: "no test runs it", 33: "no test runs it", None: "not tried"}.get(
            code, f"ended with {code}"
        )
        sys.stdout.write(f"{why:<16} {name}\n")
    num_killed = len(codes) - len(lost)
    rate = 100 * num_killed / max(1, len(codes))
    sys.stdout.write(
        f"{num_killed} of {len(codes)} killed ({rate:.1f} %), {seconds:.0f} s; 'mutmut show NAME'"
        f" in {folder} shows one\n"
    )
    return 1 if rate < at_least else 0


def _metas(folder: Path) -> Iterable[Path]:
    return sorted((folder / "mutants" / "src").rglob("*.meta"))


def _results(folder: Path) -> Iterable[tuple[Path, dict[str, int | None]]]:
    return [
        (meta, json.loads(meta.read_text(encoding="utf-8"))["exit_code_by_key"])
        for meta in _metas(folder)
    ]


def _tests_digest(wanted: dict[Path, bytes], tests: list[str]) -> bytes:
    """Changes with any of the tests, or a conftest.py: results are of these."""
    made = hashlib.sha256()
    for path in sorted(wanted):
        if path.name == "conftest.py" or str(path) in tests:
            made.update(str(path).encode() + b"\0" + wanted[path])
    return made.hexdigest().encode()


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
