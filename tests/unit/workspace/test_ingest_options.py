"""Options of an ingest that can't be are refused before anything is opened, wherever they come
from.
"""

import pytest

from dynagrag.core.errors import DynaGragError
from dynagrag.ingest.load.speaker_names import SpeakerNames
from dynagrag.workspace.ingest_job import IngestOptions, check_options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (IngestOptions(extractor="guess"), "guess"),
        (IngestOptions(merges="both"), "unknown way to merge 'both'"),
        (
            IngestOptions(speakers=SpeakerNames({"A": "x" * 300})),
            "gives 'A' a name of 300 characters",
        ),
        (
            IngestOptions(speakers=SpeakerNames({}, {"talk.vtt": {"A": "An\0na"}})),
            "gives 'A' a name with control or broken characters",
        ),
    ],
)
def test_an_option_that_cannot_be_is_refused(options: IngestOptions, said: str) -> None:
    with pytest.raises(DynaGragError, match=said):
        check_options(options)
