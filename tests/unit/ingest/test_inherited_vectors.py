"""Of a file that changed only what is new is embedded, and it has the vectors of one made fresh."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dynagrag import IngestOptions, open_workspace
from dynagrag.core.schema import VectorKind
from dynagrag.fakes import FakeEmbedder
from dynagrag.workspace.facade import Workspace

LINES = [
    f"{('Anna', 'Ben')[n % 2]}: The weir of village {n} was mended in {1900 + n}."
    for n in range(60)
]


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [*lines, "Ben: And one line more."],
        lambda lines: ["Ben: A line before all.", *lines],
        lambda lines: lines[:20] + lines[30:],
        lambda lines: lines * 2,
    ],
    ids=["appended", "before", "less", "twice"],
)
def test_of_a_file_that_changed_only_what_is_new_is_embedded(
    tmp_path: Path, change: Callable[[list[str]], list[str]]
) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    embedder = FakeEmbedder()
    with open_workspace("w", embedder=embedder) as space:
        _ingest(space, path)
        first = embedder.num_texts
        path.write_text("\n".join(change(LINES)), encoding="utf-8")
        _ingest(space, path)
        assert embedder.num_texts - first < 0.3 * first
        with open_workspace("fresh", embedder=FakeEmbedder()) as fresh:
            _ingest(fresh, path)
            assert _passages(space) == _passages(fresh)
            assert space.store.digest() == fresh.store.digest()


def _ingest(space: Workspace, path: Path) -> None:
    space.ingest([path], IngestOptions(extractor="fast"))


def _passages(space: Workspace) -> list[tuple[int, bytes]]:
    passages = space.store.passages()
    vectors = space.store.vectors(VectorKind.PASSAGE, [p.id for p in passages])
    return [(p.start, np.round(v, 6).tobytes()) for p, v in zip(passages, vectors, strict=True)]
