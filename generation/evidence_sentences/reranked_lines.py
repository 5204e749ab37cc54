"""The best lines in the order of a reranker, which reads the stretch of talk of each."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dynagrag.core.protocols import Reranker
from dynagrag.generation.evidence_sentences.line_fit import WEIGHTS, Fits
from dynagrag.generation.evidence_sentences.line_index import PassageSentence
from dynagrag.retrieval.cross_encoder_search import NUM_WINDOWS


def reranked(question: str, fits: Fits, reranker: Reranker) -> Fits:
    """The fits, where the lines of the best 50 stretches share out those that they had, by the
    score of their stretch, then by their own fit.
    """
    windows: dict[tuple[str, int, int], str] = {}
    members: list[tuple[int, tuple[str, int, int]]] = []
    for i in fits.order():
        stretch = fits.stretches[i]
        window = (stretch[0].document_id, stretch[0].start, stretch[-1].end)
        if window not in windows:
            if len(windows) == NUM_WINDOWS:
                continue
            windows[window] = _as_read(stretch)
        members.append((i, window))
    scores = dict(
        zip(windows, reranker.scores(question, list(windows.values())).tolist(), strict=True)
    )
    order = sorted(members, key=lambda own: -round(scores[own[1]], 6))  # ties: as they were
    held = WEIGHTS["held"] * fits.parts["held"]  # which come first, whoever reads them
    own = fits.total - held
    total = own.copy()
    total[[i for i, _ in order]] = np.sort(own[[i for i, _ in members]])[::-1]
    return replace(fits, total=total + held)


def _as_read(stretch: Sequence[PassageSentence]) -> str:
    """The words of a stretch, each speaker's name before theirs."""
    parts: list[str] = []
    before: tuple[int, str | None] | None = None
    for sentence in stretch:
        turn = (sentence.turn_index, sentence.speaker)
        label = f"{sentence.speaker}: " if sentence.speaker and turn != before else ""
        parts.append(label + sentence.text)
        before = turn
    return " ".join(parts)
