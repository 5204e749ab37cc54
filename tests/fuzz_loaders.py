"""Looks for files on which a loader fails, with atheris (libFuzzer): inputs that reach new lines of
the loaders are changed further.

    make fuzz SECONDS=600

runs it in an environment of its own, as atheris is no dependency. Half of the inputs are bytes
under an ending, which begin with the files in `--seeds`, some of them with a part repeated to 100
kB; half are files of a form, built by the strategies of `hostile_files`. An input fails where
`check_reading` does, or where it takes longer than half a second and 10 s a megabyte of CPU time.
Each failure is printed once by its kind and place, and its file is kept in `--found`.
"""

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parent))

with atheris.instrument_imports(include=["dynagrag.ingest", "dynagrag.core.text"]):
    from hostile_files import FORMS, check_reading

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

_ENDINGS = (
    ".txt",
    ".vtt",
    ".srt",
    ".sbv",
    ".json",
    ".jsonl",
    ".csv",
    ".md",
    ".html",
    ".xml",
    ".pdf",
    ".docx",
    "",
)
_SECONDS, _SECONDS_PER_BYTE = 0.5, 10e-6
_MAX_REPEATED = 100_000


class Campaign:
    """Counts inputs, and keeps the first of each kind of failure."""

    def __init__(self, folder: Path, found: Path) -> None:
        self.folder = folder
        self.found = found
        self.kinds: Counter[str] = Counter()
        self.num_inputs = 0
        self.begun = time.monotonic()
        self.slowest = 0.0

    def read(self, data: bytes, suffix: str) -> None:
        """Reads one file, and says what failed."""
        path = self.folder / f"a{suffix}"
        path.write_bytes(data)
        self.num_inputs += 1
        start = time.process_time()
        try:
            check_reading(path)
        except Exception as err:  # noqa: BLE001 - it is counted, shown and kept
            last = traceback.extract_tb(err.__traceback__)[-1]
            self.keep(
                f"{type(err).__name__} in {Path(last.filename).name}:{last.lineno}:"
                f" {str(err)[:150]!r}",
                data,
                suffix,
            )
        seconds = time.process_time() - start
        self.slowest = max(self.slowest, seconds)
        if seconds > _SECONDS + _SECONDS_PER_BYTE * len(data):
            self.keep(f"slow {suffix}", data, suffix, f": {seconds:.1f} s for {len(data)} bytes")
        if self.num_inputs % 5_000 == 0:
            self.report()

    def keep(self, kind: str, data: bytes, suffix: str, more: str = "") -> None:
        """Prints and keeps a failure, where it is the first of its kind."""
        self.kinds[kind] += 1
        if self.kinds[kind] == 1:
            file = self.found / f"{len(self.kinds)}{suffix}"
            file.write_bytes(data)
            sys.stderr.write(f"FOUND {kind}{more} -> {file}\n")

    def report(self) -> None:
        """How far it is."""
        rate = self.num_inputs / (time.monotonic() - self.begun)
        sys.stderr.write(
            f"{self.num_inputs} files, {rate:.0f} a second, slowest {self.slowest:.2f} s,"
            f" {len(self.kinds)} kinds of failure\n"
        )


def _repeated(data: bytes) -> bytes:
    """The data with its middle third as often as fits: what takes the square of a file's length is
    slow then.
    """
    third = len(data) // 3
    return (
        data[:third]
        + data[third : 2 * third] * (_MAX_REPEATED // max(1, third))
        + data[2 * third :]
    )


def main() -> None:
    """Runs until `--seconds` are over; libFuzzer then ends the process."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument(
        "--seeds", type=Path, nargs="*", default=[], help="folders of real files to begin with"
    )
    parser.add_argument("--found", type=Path, default=Path(tempfile.gettempdir()) / "dynagrag-fuzz")
    parser.add_argument("--form", choices=sorted(FORMS), help="only files of this form")
    options = parser.parse_args()
    options.found.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), options.found)
        wanted = [options.form] if options.form else list(FORMS)

        @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
        @given(
            st.sampled_from(wanted).flatmap(
                lambda form: st.tuples(st.just(FORMS[form][0]), FORMS[form][1])
            )
        )
        def of_a_form(found: tuple[str, bytes]) -> None:
            campaign.read(found[1], found[0])

        def one(data: bytes) -> None:
            if options.form or (data and data[0] % 2):
                of_a_form.hypothesis.fuzz_one_input(data[1:])
            elif data:
                campaign.read(
                    _repeated(data[1:]) if data[0] % 4 else data[1:],
                    _ENDINGS[data[0] // 4 % len(_ENDINGS)],
                )

        seeds = Path(folder, "seeds")
        seeds.mkdir()
        files = [
            path
            for place in options.seeds
            for path in place.rglob("*")
            if path.is_file() and path.suffix in _ENDINGS
        ]
        for number, path in enumerate(files):
            (seeds / str(number)).write_bytes(
                bytes([4 * _ENDINGS.index(path.suffix)]) + path.read_bytes()[:20_000]
            )
        limits = [
            f"-max_total_time={options.seconds}",
            "-max_len=20000",
            "-timeout=120",
            "-rss_limit_mb=4096",
            "-verbosity=0",
        ]
        atheris.Setup([sys.argv[0], *limits, str(seeds)], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
