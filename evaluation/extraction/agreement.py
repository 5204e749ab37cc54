"""How far two readings of the same chunks agree: the second is measured against the first as an
extractor is.
"""

from pathlib import Path

from dynagrag.core.errors import LoadError
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.extraction.extraction_gold import GoldSet, load_gold, shipped_gold
from dynagrag.evaluation.extraction.extraction_report import SECOND_READING, ReadingResult
from dynagrag.evaluation.extraction.extraction_scores import extraction_scores
from dynagrag.evaluation.extraction.found_things import marked


def evaluate_reading(gold: Path | None, reading: Path, seed: int = SEED) -> ReadingResult:
    """The figures of a second reading of some chunks of the gold, with F1 as the agreement, which
    is the same both ways.

    Raises LoadError where a file is wrong, or the reading has a chunk that the gold lacks or that
    has another text there.
    """
    first, second = load_gold(gold or shipped_gold()), load_gold(reading)
    chunks = {chunk.id: chunk for chunk in first.chunks}
    for chunk in second.chunks:
        if chunk.id not in chunks:
            raise LoadError(
                f"{reading}: the gold has no chunk {chunk.id!r}; a second reading marks chunks of"
                " the gold under their ids"
            )
        if chunk.text != chunks[chunk.id].text:
            raise LoadError(
                f"{reading}: the text of {chunk.id!r} is not that of the gold; a second reading"
                " marks the same text"
            )
    both = GoldSet(first.name, tuple(chunks[chunk.id] for chunk in second.chunks), first.file)
    found = {chunk.id: marked(chunk) for chunk in second.chunks}
    return ReadingResult(
        dataset=both.name,
        chunks=len(both.chunks),
        extractor=SECOND_READING,
        llm=None,
        **dict(extraction_scores(both.chunks, found, seed)),
        seed=seed,
    )
