"""The lines of a whole workspace that are nearest to a claim, for claims that no line put before
the model states.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Evidence, Line
from dynagrag.generation.evidence import Span, claim_lines, span_evidence, speaker_spans
from dynagrag.generation.support import nearness
from dynagrag.language.word_runs import words
from dynagrag.language.words import FUNCTION_WORDS
from dynagrag.retrieval.passages import PassageScores, best_rows

_MAX_LINES = 10
"""Of one claim, that are checked."""
_MAX_PASSAGES = 12
"""The best by words and vectors, of whose lines those are chosen."""


@dataclass(frozen=True, slots=True)
class NearestLines:
    """The lines nearest to a claim by label, and how many lines of the workspace have a word of it,
    function words aside: those that could bear on it.
    """

    lines: Mapping[str, Line]
    num_lines: int


class ClaimSearch:
    """Searches what an answer may quote: the workspace, or the part of it inside the filters.

    `evidence`: what the prompts held; it grows by the lines that are found, with labels that go on
    from theirs.
    """

    def __init__(
        self, passages: PassageScores, embedder: Embedder, evidence: Mapping[str, Evidence]
    ) -> None:
        self._passages, self._snapshot, self._embedder = passages, passages.snapshot, embedder
        self.evidence = dict(evidence)
        self._labels = {(e.document_id, e.start, e.end): e.label for e in evidence.values()}
        self._new_labels = itertools.count(
            1 + max((int(label[1:]) for label in evidence), default=0)
        )

    def nearest(self, claim: str) -> NearestLines:
        """Ten lines at most: of the passages that fit the claim best by words and vectors, those
        that are nearest to it by their words; ties by the passages' order.
        """
        vector = self._embedder.embed_query(claim)
        rows = best_rows(self._passages.fused(claim, vector), _MAX_PASSAGES)
        spans = [
            span
            for row in rows.tolist()
            for span in speaker_spans(self._snapshot, self._snapshot.passages[row])
        ]
        found = [span_evidence(self._snapshot, self._label(span), *span) for span in spans]
        shares = nearness(claim, [f"{e.speaker or ''} {e.quote}" for e in found])
        order = sorted(range(len(found)), key=lambda i: -shares[i])[:_MAX_LINES]
        nearest = {found[i].label: found[i] for i in order}
        self.evidence |= nearest
        telling = " ".join(word for word in words(claim) if word not in FUNCTION_WORDS)
        bearing = np.flatnonzero(self._passages.bm25(telling) > 0)
        return NearestLines(claim_lines(nearest, self._snapshot), self._passages.num_turns(bearing))

    def _label(self, span: Span) -> str:
        """That of the prompts for what stood in them, else a new one."""
        if span[1:] not in self._labels:
            self._labels[span[1:]] = f"E{next(self._new_labels)}"
        return self._labels[span[1:]]
