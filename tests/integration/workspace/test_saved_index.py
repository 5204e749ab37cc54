"""Which index of ego-graphs is there once an ingest is done, so that the first question doesn't
wait for it.
"""

from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import load_settings
from dynagrag.fakes.fake_models import FakeChat, FakeEmbedder
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.ingest_job import IngestOptions


@pytest.mark.parametrize(("profile", "saved"), [("graph", ["graph"]), ("default", [])])
def test_an_ingest_saves_the_index_that_the_profile_of_the_settings_needs(
    home: Path, corpus: Any, profile: str, saved: list[str]
) -> None:
    settings = load_settings(profile=profile)
    with open_workspace(
        "w", settings=settings, chat_model=FakeChat(), embedder=FakeEmbedder()
    ) as space:
        space.prepare_ingest(
            corpus.many(1, num_turns=6), IngestOptions(extractor="llm")
        ).run_to_its_end()
        found = (space.folder / "index").glob("*")
        assert [path.name for path in found if path.is_dir()] == saved
