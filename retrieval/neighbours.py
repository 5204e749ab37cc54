"""A passage's neighbours: a conversation is a line, so they say much about it (docs/papers.md,
Surroundings).
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.schema import Passage

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_DISTANCE = 5
"""Neighbours on either side that smooth a score."""
DECAY = 0.8
"""A neighbour's weight falls by this with each place further off."""
_FULL = 2 * sum(DECAY**offset for offset in range(1, MAX_DISTANCE + 1))


class Neighbours:
    """The neighbours of each passage in its document, up to five on either side, weighted 0.8 ^
    distance.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        """`passages` of a document stand together, in order, as a snapshot has them. `documents`:
        the number of each one's.
        """
        ids = np.array([p.document_id for p in passages], dtype=np.str_)
        self.documents: Ints = np.unique(ids, return_inverse=True)[1].astype(np.int64)

    def smooth(self, scores: Floats) -> Floats:
        """(p,): sum over o = -5..5 of 0.8^|o| s[j + o], over the weights that exist; a document of
        one passage keeps its score.
        """
        smoothed: Floats = self._kernel @ scores
        return smoothed

    @cached_property
    def presence(self) -> Floats:
        """(p,) the weight of the neighbours that there are over that of all ten: 0 in a document of
        one passage, 1 amid a long one.
        """
        present: Floats = (1.0 / self._kernel.diagonal() - 1.0) / _FULL
        return present

    @cached_property
    def most_present(self) -> Floats:
        """(p,) the largest presence in the passage's document: below 1 where it is short."""
        most = np.zeros(self.documents.max(initial=-1) + 1)
        np.maximum.at(most, self.documents, self.presence)
        return most[self.documents]

    @cached_property
    def _kernel(self) -> "csr_array":
        from scipy.sparse import coo_array, csr_array, diags_array

        documents = self.documents
        num = len(documents)
        rows, columns, weights = [np.arange(num)], [np.arange(num)], [np.ones(num)]
        for offset in range(1, min(MAX_DISTANCE, num - 1) + 1):
            left = np.flatnonzero(documents[:-offset] == documents[offset:])
            rows += [left, left + offset]
            columns += [left + offset, left]
            weights += [np.full(2 * len(left), DECAY**offset)]
        kernel = csr_array(
            coo_array(
                (np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns))),
                shape=(num, num),
            )
        )
        return csr_array(diags_array(1.0 / kernel.sum(axis=1)) @ kernel)


def window_rows(documents: Ints, num_beside: int) -> Ints:
    """(p, 2): first row and row after the last of each row with its `num_beside` neighbours on
    either side, by the documents (p,) of the rows, which stand together.
    """
    num = len(documents)
    if not num:
        return np.zeros((0, 2), dtype=np.int64)
    rows = np.arange(num)
    starts = np.flatnonzero(np.diff(documents, prepend=-1))
    document = np.searchsorted(starts, rows, side="right") - 1
    begin, end = starts[document], np.append(starts[1:], num)[document]
    return np.stack(
        (np.maximum(begin, rows - num_beside), np.minimum(end, rows + num_beside + 1)), axis=1
    ).astype(np.int64)
