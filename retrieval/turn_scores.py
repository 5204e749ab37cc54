"""How well each turn fits a question, by vectors and words at four scales (docs/papers.md, Turns).

scale          vectors                                words
turn           mean of its facts' vectors             its own, and its speaker's name
few turns      the same with two on either side       theirs
passage        the passage's own                      those of its turns, and its title's
surroundings   mean with three on either side         theirs

f = z(sum of the four cosines) + z(sum of z(BM25) of the four), the surroundings twice, scaled so
that the best passage has 1 and the worst 0: a passage has the f of its best turn. z: less the mean,
over the standard deviation.

Nothing is embedded for it: a turn's vector is the mean of those of the facts that it says, and only
its length is kept. Windows' words are summed from their turns' when a question asks for them.
"""

from functools import cached_property
from math import log
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.schema import ScoredTurn, Vector, Vectors
from dynagrag.retrieval.neighbours import window_rows
from dynagrag.retrieval.passages import K1, B, PassageScores, Scores, best_rows, cosines_with

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

Ints = NDArray[np.int64]
TURNS_BESIDE, PASSAGES_BESIDE = 2, 3
"""On either side: of a turn, of a passage."""
AROUND_COUNTS = 2.0
"""The weight of the surroundings; the other three scales have 1."""
_CHUNK = 8192
"""Rows whose mean vectors are held at once."""


def z(scores: Scores) -> Scores:
    """Less the mean, over the standard deviation; a constant gives 0."""
    spread = float(scores.std()) if len(scores) else 0.0
    return (scores - scores.mean()) / spread if spread > 0 else np.zeros_like(scores)


class TurnScores:
    """Scores of the parts of turns that lie in a snapshot's passages: t of them, in the passages'
    order; a passage of a document without turns is one. What they are compared by is made at first
    use.
    """

    def __init__(self, passages: PassageScores) -> None:
        self._snapshot, self._passages = passages.snapshot, passages
        self._parts = passages.turn_parts
        self.rows: Ints = self._parts.rows

    def first_stage(self, text: str, query: Vector) -> tuple[Scores, Scores]:
        """(t,) f of the turns, at most 1, and (p,) of the passages, 0 to 1."""
        fit = z(self._cosines(query)) + z(self._word_scores(text))
        best = self.best_of_passages(fit)
        low, high = (best.min(), best.max()) if len(best) else (0.0, 0.0)
        span = high - low or 1.0
        return (fit - low) / span, (best - low) / span

    def best_of_passages(self, scores: Scores) -> Scores:
        """(p,) the best of each passage's turns."""
        best = np.full(len(self._snapshot.passages), -np.inf)
        np.maximum.at(best, self.rows, scores)
        return best

    def best(self, scores: Scores, num: int) -> tuple[ScoredTurn, ...]:
        """The best turns, each once, ties by their place in the corpus."""
        found: dict[tuple[str, int], float] = {}
        for at in best_rows(np.round(scores, 6), 2 * num).tolist():
            document = self._snapshot.passages[self.rows[at]].document_id
            found.setdefault((document, int(self._parts.indexes[at])), float(scores[at]))
        turns = (ScoredTurn(*turn, score) for turn, score in found.items())
        return tuple(turns)[:num]

    def _cosines(self, query: Vector) -> Scores:
        """(t,) sum of the cosines of the four scales."""
        facts = cosines_with(self._snapshot.facts.vectors, query)
        passages = self._passages.dense(query)
        own, around = passages[self.rows], self._around_mean(passages)[self.rows]
        said, near = (mean(facts) for mean in self._turn_means)
        fills, is_silent = self._is_like_its_passage
        turn = np.where(fills | is_silent, own, said)
        few = np.where(self._stands_alone, turn, np.where(is_silent, own, near))
        return turn + few + own + AROUND_COUNTS * around

    def _word_scores(self, text: str) -> Scores:
        """(t,) sum of z(BM25) of the four scales."""
        columns, counts = self._counts
        terms = self._passages.terms.of_question(text)
        asked = [columns[term] for term in terms if term in columns]
        counts = counts[:, np.array(asked, dtype=np.int64)]
        total = np.zeros(len(self.rows))
        for scale in self._turn_words:
            total += z(scale.bm25(counts))
        for scale, weight in zip(self._passage_words, (1.0, AROUND_COUNTS), strict=True):
            total += weight * z(scale.bm25(counts)[self.rows])
        return total

    # --------------------------------------------------------------------------------------- scales

    @cached_property
    def _is_like_its_passage(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(t,) whether a turn fills its passage, and whether no fact of its passage has a place: it
        then has the passage's vector.
        """
        num_facts = np.bincount(self.rows, self._said.sum(axis=1), len(self._snapshot.passages))
        return np.bincount(self.rows)[self.rows] == 1, num_facts[self.rows] == 0

    @cached_property
    def _stands_alone(self) -> NDArray[np.bool_]:
        """(t,) whether a turn is all of its document."""
        is_alone: NDArray[np.bool_] = np.diff(self._few_turns.indptr) == 1
        return is_alone

    @cached_property
    def _few_turns(self) -> "csr_array":
        """(t, t) which turns stand in the window of each."""
        documents = self._passages.neighbours.documents[self.rows]
        return _sums(window_rows(documents, TURNS_BESIDE), len(self.rows))

    @cached_property
    def _around(self) -> "csr_array":
        """(p, p) which passages stand around each, itself too."""
        windows = window_rows(self._passages.neighbours.documents, PASSAGES_BESIDE)
        return _sums(windows, len(self._snapshot.passages))

    @cached_property
    def _said(self) -> "csr_array":
        """(t, f) the facts that each turn says, weighted by their words."""
        from scipy.sparse import csr_array

        facts, shape = self._snapshot.facts, (len(self.rows), len(self._snapshot.facts.texts))
        placed = np.flatnonzero(facts.starts >= 0)
        length = 1 + max((len(d.text) for d in self._snapshot.documents.values()), default=0)
        at = facts.passage_rows[placed] * length + facts.starts[placed]
        turn = np.searchsorted(self.rows * length + self._parts.starts, at, side="right") - 1
        is_in = (turn >= 0) & (self.rows[turn] == facts.passage_rows[placed]) if len(turn) else []
        placed, turn = placed[is_in], turn[is_in]
        weights = np.array([len(facts.texts[i].split()) for i in placed.tolist()], dtype=np.float64)
        return csr_array((weights, (turn, placed)), shape=shape)

    @cached_property
    def _turn_means(self) -> "tuple[_MeanCosines, _MeanCosines]":
        vectors = self._snapshot.facts.vectors
        near = self._few_turns @ self._said
        return _MeanCosines(self._said, vectors), _MeanCosines(near, vectors)

    @cached_property
    def _around_mean(self) -> "_MeanCosines":
        return _MeanCosines(self._around, self._snapshot.passage_vectors)

    # ---------------------------------------------------------------------------------------- words

    @cached_property
    def _counts(self) -> "tuple[dict[str, int], csc_array]":
        """The column of each term, and (t + p, v) how often it occurs in each turn, with its
        speaker's name, and then in each passage's title.
        """
        from scipy.sparse import coo_array, csc_array

        table = self._passages.corpus_words.terms
        is_title = np.zeros(len(table.ptr) - 1, dtype=bool)
        is_title[table.documents[:-1]] = True
        is_next = np.diff(self._passages.neighbours.documents, prepend=-1) != 0
        documents = np.cumsum(is_next) - 1
        places = (np.flatnonzero(~is_title), np.flatnonzero(is_title)[documents])
        rows, columns = table.entries(np.concatenate(places))
        shape = (len(self.rows) + len(self._snapshot.passages), len(table.vocabulary))
        ones = np.ones(len(rows), dtype=np.float32)
        counts = csc_array(coo_array((ones, (rows, columns)), shape=shape))
        return {term: i for i, term in enumerate(table.vocabulary)}, counts

    @cached_property
    def _turn_words(self) -> "tuple[_WordScale, _WordScale]":
        from scipy.sparse import csr_array, eye_array, hstack

        no_titles = csr_array((len(self.rows), len(self._snapshot.passages)), dtype=np.float32)
        turns = (csr_array(eye_array(len(self.rows), dtype=np.float32)), self._few_turns)
        _, counts = self._counts
        own, few = (_WordScale(hstack([each, no_titles]), counts) for each in turns)
        return own, few

    @cached_property
    def _passage_words(self) -> "tuple[_WordScale, _WordScale]":
        from scipy.sparse import csr_array, eye_array, hstack

        num, ones = len(self._snapshot.passages), np.ones(len(self.rows), np.float32)
        holds = csr_array((ones, (self.rows, np.arange(len(self.rows)))), (num, len(self.rows)))
        own = csr_array(hstack([holds, eye_array(num, dtype=np.float32)]))
        _, counts = self._counts
        return _WordScale(own, counts), _WordScale(self._around @ own, counts)


class _MeanCosines:
    """Cosines of weighted means of unit vectors, of which the lengths alone are kept."""

    def __init__(self, weights: "csr_array", vectors: Vectors) -> None:
        """`weights` (m, n) of the vectors (n, d)."""
        self._weights = weights
        lengths = [
            np.linalg.norm(weights[at : at + _CHUNK] @ vectors, axis=1)
            for at in range(0, weights.shape[0], _CHUNK)
        ]
        self._lengths: Scores = np.concatenate([np.zeros(0), *lengths])

    def __call__(self, cosines: Scores) -> Scores:
        """(m,) of the means, by those of the vectors (n,); 0 where there is nothing."""
        sums: Scores = self._weights @ cosines
        return np.divide(sums, self._lengths, out=np.zeros(len(sums)), where=self._lengths > 0)


class _WordScale:
    """BM25 over texts that are made of several: k1 1.5, b 0.75, idf log(1 + (N - n + .5) / (n +
    .5)).
    """

    def __init__(self, made_of: "csr_array", counts: "csc_array") -> None:
        """`made_of` (m, t) which counted texts each holds; `counts` (t, v) of all terms."""
        from scipy.sparse import csr_array

        self._made_of = csr_array(made_of)
        lengths = self._made_of @ np.asarray(counts.sum(axis=1)).ravel()
        mean = float(lengths.mean()) if len(lengths) else 0.0
        self._norms = K1 * (1 - B + B * lengths / (mean or 1.0))

    def bm25(self, counts: "csc_array") -> Scores:
        """(m,) by the counts (t, a) of the question's terms."""
        found = (self._made_of @ counts).tocsc()
        num, held = len(self._norms), np.diff(found.indptr)
        idf = np.array([log(1 + (num - n + 0.5) / (n + 0.5)) for n in held.tolist()])
        shares = found.data * (K1 + 1) / (found.data + self._norms[found.indices])
        scores = np.bincount(found.indices, shares * np.repeat(idf, held), num)
        return np.round(scores, 6)


def _sums(windows: Ints, num: int) -> "csr_array":
    """(len(windows), num) ones from each window's first to its last."""
    from scipy.sparse import csr_array

    sizes = windows[:, 1] - windows[:, 0]
    ends = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    columns = np.arange(int(ends[-1])) - np.repeat(ends[:-1] - windows[:, 0], sizes)
    ones = np.ones(len(columns), dtype=np.float32)
    return csr_array((ones, columns, ends), shape=(len(windows), num))
