"""Which jobs are offered to be gone on with."""

import pytest

from dynagrag.journal.jobs import Job, JobRequest, JobStatus
from dynagrag.ui.ingest.job_runner import named, to_go_on

FILES = JobRequest(("/talks/a.vtt",), {"extractor": "fast"})
CHUNK, OTHER = (
    JobRequest(options={"extractor": "fast"}, places=(("d", start, 9),)) for start in (0, 5)
)


def job(
    id_: int, request: JobRequest, status: JobStatus = JobStatus.STOPPED, is_cancelled: bool = False
) -> Job:
    return Job(id_, "ingest", status, request, "", 0, 0, {}, "", "", "", "", is_cancelled)


@pytest.mark.parametrize(
    ("later", "offered"),
    [
        ([], [1]),
        ([job(2, FILES, JobStatus.DONE)], []),
        ([job(2, FILES, JobStatus.RUNNING)], []),
        ([job(2, FILES)], [2]),
        ([job(2, FILES, is_cancelled=True)], [1]),  # nobody went on with the work
        ([job(2, CHUNK, JobStatus.DONE)], [1]),
    ],
)
def test_a_job_is_offered_unless_a_later_one_took_up_its_files(
    later: list[Job], offered: list[int]
) -> None:
    assert [found.id for found in to_go_on([job(1, FILES), *later])] == offered


def test_retries_of_other_chunks_are_other_jobs_and_the_last_comes_first() -> None:
    assert [found.id for found in to_go_on([job(1, CHUNK), job(2, OTHER)])] == [2, 1]
    assert [
        found.id
        for found in to_go_on([job(1, CHUNK), job(2, OTHER), job(3, CHUNK, JobStatus.DONE)])
    ] == [2]


def test_a_job_without_its_options_cannot_be_gone_on_with() -> None:
    assert to_go_on([job(1, JobRequest(("/talks/a.vtt",)))]) == []


def test_paths_are_named_in_a_few_words() -> None:
    assert [named(paths) for paths in ([], ["/talks/a.vtt"], ["/talks/a.vtt", "b", "c"])] == [
        "",
        "a.vtt",
        "a.vtt and 2 more",
    ]
