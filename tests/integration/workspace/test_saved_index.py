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


@pytest.mark.parametrize(("is_small", "saved"), [(True, ["graph"]), (False, [])])
def test_an_ingest_saves_the_index_that_answers_by_its_model_need(
    home: Path, corpus: Any, is_small: bool, saved: list[str]
) -> None:
    settings = load_settings()
    with open_workspace(
        "w", settings=settings, chat_model=FakeChat(is_small=is_small), embedder=FakeEmbedder()
    ) as space:
        space.prepare_ingest(
            corpus.many(1, num_turns=6), IngestOptions(extractor="llm")
        ).run_to_its_end()
        assert [path.name for path in (space.folder / "index").glob("*")] == saved
