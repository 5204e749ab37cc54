"""How steadily an ingest tells how far it is, and how soon it obeys a pause.

    python benchmarks/ingest_progress.py FILE          # the largest silence of each stage, seconds
    python benchmarks/ingest_progress.py FILE --pause  # from Pause to paused, once in each stage

It ingests FILE without a language model into a workspace of its own, in a temporary folder, with
the embedder of the settings.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from threading import Thread

from dynagrag.config.settings import Settings, load_settings
from dynagrag.journal.jobs import JobCancelledError, JobStatus
from dynagrag.workspace.facade import Workspace, open_workspace
from dynagrag.workspace.ingest_job import IngestOptions, PreparedIngest

_OPTIONS = IngestOptions(extractor="fast")
_SETTLED_S = 0.3
"""A stage is left to itself so long before it is paused."""


def main() -> None:
    """Measures, and prints a line a stage."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--pause", action="store_true", help="pause once in each stage, instead of running through"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        settings = load_settings()
        (Path(home) / "models").symlink_to(settings.models_dir)
        measure = _pauses if given.pause else _silences
        measure(given.file, settings.model_copy(update={"home": Path(home), "llm": None}))


def _silences(file: Path, settings: Settings) -> None:
    began = time.monotonic()
    events: list[tuple[float, str, int, int]] = [(began, "plan", 0, 1)]
    with open_workspace("progress", settings=settings) as space:
        prepared = space.prepare_ingest([file], _OPTIONS)
        prepared.run(
            lambda stage, done, total: events.append((time.monotonic(), stage, done, total))
        )
    events.append((time.monotonic(), "end", 0, 1))
    spent: dict[str, float] = {}
    silent: dict[str, float] = {}
    for (at, stage, _, _), (later, _, _, _) in pairwise(events):
        spent[stage] = spent.get(stage, 0.0) + later - at
        silent[stage] = max(silent.get(stage, 0.0), later - at)
    print(f"{'stage':<18} {'seconds':>8} {'events':>7} {'largest silence, s':>19}")
    for stage in spent:
        number = sum(event[1] == stage for event in events)
        print(f"{stage:<18} {spent[stage]:8.1f} {number:7} {silent[stage]:19.2f}", flush=True)


def _pauses(file: Path, settings: Settings) -> None:
    print(f"{'paused in':<18} {'seconds until it was':>21}")
    with open_workspace("pauses", settings=settings) as space:
        seen: set[str] = set()
        prepared: PreparedIngest = space.prepare_ingest([file], _OPTIONS)
        while _run_to_a_new_stage(space, prepared, seen):
            assert prepared.job_id is not None
            prepared = space.prepare_resume(prepared.job_id)


def _run_to_a_new_stage(space: Workspace, prepared: PreparedIngest, seen: set[str]) -> bool:
    """Runs until a stage of which nothing was seen yet is paused; False where there is none."""
    asked: list[tuple[str, float]] = []
    book = space.journal.job_book

    def ask(stage: str) -> None:
        time.sleep(_SETTLED_S)
        assert prepared.job_id is not None
        if book.job(prepared.job_id).status is JobStatus.RUNNING:
            book.cancel(prepared.job_id, is_pause=True)
            asked.append((stage, time.monotonic()))

    def progress(stage: str, done: int, total: int) -> None:
        if stage not in seen and not asked:
            seen.add(stage)
            Thread(target=ask, args=(stage,), daemon=True).start()

    _ended(lambda: prepared.run(progress))
    for stage, at in asked:
        print(f"{stage:<18} {time.monotonic() - at:21.2f}", flush=True)
    assert prepared.job_id is not None
    return book.job(prepared.job_id).status is JobStatus.CANCELLED


def _ended(run: Callable[[], object]) -> None:
    try:
        run()
    except JobCancelledError:
        return


if __name__ == "__main__":
    main()
