"""Rows of .parquet files, the form in which data sets of Hugging Face are kept."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dynagrag.core.errors import LoadError, SettingsError
from dynagrag.evaluation.question_sets.json_rows import Row
from dynagrag.evaluation.question_sets.question_set import DataFile


def parquet_rows(path: Path) -> tuple[Iterator[Row], DataFile]:
    """The rows of a file, read as they are taken, and its hash. LoadError for what is no such file,
    SettingsError without pyarrow.
    """
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as err:
        raise SettingsError(
            f"{path.name} is read with pyarrow: pip install pyarrow (the package datasets"
            " brings it)"
        ) from err
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        opened = ParquetFile(path)
    except (OSError, ArrowException) as err:
        raise LoadError(
            f"{path} can't be read as parquet: {str(err).splitlines()[0]}; fetch it again"
        ) from err
    return _rows(path, opened), DataFile(path.name, digest)


def _rows(path: Path, opened: Any) -> Iterator[Row]:
    index = 0
    for batch in opened.iter_batches(batch_size=64):
        for values in batch.to_pylist():
            yield Row(path, index, index + 1, values)
            index += 1
