"""What is no file is refused before it is read, since a pipe can be waited for without end."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag.core.errors import DynaGragError
from dynagrag.core.files.regular_files import is_irregular
from dynagrag.evaluation.citations.claim_sets import load_pairs
from dynagrag.graph_store.archive import read_manifest
from dynagrag.ingest.imported.imported_corpus import read_imported


def test_a_pipe_is_no_regular_file_nor_is_a_link_to_one(tmp_path: Path) -> None:
    pipe, file, link = (tmp_path / name for name in ("pipe", "file", "link"))
    os.mkfifo(pipe)
    file.touch()
    link.symlink_to(pipe)
    (tmp_path / "broken").symlink_to(tmp_path / "nothing")
    irregular = {
        path.name
        for path in (pipe, file, link, tmp_path, tmp_path / "broken", Path("\0"), Path("/dev/null"))
        if is_irregular(path)
    }
    assert irregular == {"pipe", "link", "null"}


@pytest.mark.parametrize("read", [load_pairs, read_imported, read_manifest])
def test_what_people_name_is_refused_where_it_is_no_regular_file(
    read: Callable[[Path], Any],
) -> None:
    with pytest.raises(
        DynaGragError,
        match=(
            r"^/dev/null is no regular file \(a pipe, socket or device\); save its content to a"
            r" file$"
        ),
    ):
        read(Path("/dev/null"))
