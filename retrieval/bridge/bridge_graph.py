"""The graph that Bridge-PPR walks on: entities and passages, as sparse matrices (docs/papers.md,
Bridge-PPR, step 4).

A over entities then passages = [[C, M^T], [M, 0]]
C[e, e'] = number of facts that hold both, M = passage holds entity
"""

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.schema import Facts
from dynagrag.retrieval.threads import num_threads, thread_pool

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]

DAMPING = 0.65
"""The share of the mass that goes on along edges at each step; the rest returns to the restart."""
NUM_STEPS = 6
"""Steps of PageRank; it is not run to convergence."""
MANY_ENTRIES = 300_000
"""From here on a product is shared among threads."""


class BridgeGraph:
    """One snapshot's facts as matrices; immutable. n entities, p passages, f facts."""

    def __init__(self, facts: Facts, num_entities: int) -> None:
        self.facts = facts
        self.num_entities = num_entities
        self.num_passages = len(facts.subjects)

    @cached_property
    def facts_of_passage(self) -> tuple[Ints, Ints]:
        """(ptr, facts): the facts of passage j are facts[ptr[j]:ptr[j + 1]], ascending."""
        order = np.argsort(self.facts.passage_rows, kind="stable").astype(np.int64)
        ptr = np.searchsorted(
            self.facts.passage_rows[order], np.arange(self.num_passages + 1)
        ).astype(np.int64)
        return ptr, order

    @cached_property
    def passages_of_entity(self) -> tuple[Ints, Ints]:
        """(ptr, passages): the passages that hold entity e, ascending."""
        rows = np.repeat(np.arange(self.num_passages), np.diff(self.facts.held_ptr))
        order = np.argsort(self.facts.held, kind="stable")
        ptr = np.searchsorted(self.facts.held[order], np.arange(self.num_entities + 1)).astype(
            np.int64
        )
        return ptr, rows[order].astype(np.int64)

    @cached_property
    def df(self) -> Ints:
        """(n,) passages that hold each entity."""
        return np.diff(self.passages_of_entity[0])

    @cached_property
    def share_with_entities(self) -> float:
        """Share of the passages that hold an entity: of the others the walk knows nothing."""
        return float((np.diff(self.facts.held_ptr) > 0).mean()) if self.num_passages else 0.0

    @cached_property
    def _order(self) -> Ints:
        """(n + p,) the walk's order: entities that most facts and passages hold first, since what
        stands together is read a third faster; then passages.
        """
        num_held_by = np.bincount(
            np.concatenate((self.facts.entities, self.facts.held)), minlength=self.num_entities
        )
        return np.concatenate(
            (
                np.argsort(-num_held_by, kind="stable"),
                self.num_entities + np.arange(self.num_passages),
            )
        )

    @cached_property
    def place(self) -> Ints:
        """(n + p,) where each entity, then each passage, stands in the walk's order."""
        place = np.empty_like(self._order)
        place[self._order] = np.arange(len(place))
        return place

    @cached_property
    def _products(self) -> "tuple[_Product, _Product]":
        """(f + p, n) which entities each fact, then each passage, holds, times a vector; and its
        transpose.
        """
        facts = self.facts
        rows = self._rows(
            np.concatenate((facts.ptr, facts.ptr[-1] + facts.held_ptr[1:])),
            np.concatenate((facts.entities, facts.held)),
        )
        columns = rows.T.tocsr()
        return _Product(rows, columns), _Product(columns, rows)

    @cached_property
    def _by_passage(self) -> "_Product":
        return _Product(self._rows(self.facts.held_ptr, self.facts.held))

    def _rows(self, ptr: Ints, entities: Ints) -> "csr_array":
        """(len(ptr) - 1, n) of ones; indices of 32 bits: half of what a step reads."""
        from scipy.sparse import csr_array

        ones = np.ones(len(entities), dtype=np.float32)
        rows = csr_array(
            (ones, self.place[entities].astype(np.int32), ptr.astype(np.int32)),
            shape=(len(ptr) - 1, self.num_entities),
        )
        rows.sort_indices()
        return rows

    @cached_property
    def _num_facts(self) -> Floats32:
        """(n,) facts of each entity."""
        num = np.bincount(self.facts.entities, minlength=self.num_entities).astype(np.float32)
        return num[self._order[: self.num_entities]]

    @cached_property
    def _shares(self) -> Floats32:
        """(n + p,) 1 / sum of a row of A; 0 where it has none."""
        facts = self.facts
        sizes = np.diff(facts.ptr)
        together = np.bincount(
            facts.entities, weights=np.repeat(sizes - 1, sizes), minlength=self.num_entities
        )
        degrees = np.concatenate((together + self.df, np.diff(facts.held_ptr)))
        shares: Floats32 = np.divide(
            1.0, degrees, out=np.zeros(len(degrees)), where=degrees > 0
        ).astype(np.float32)
        return shares[self._order]

    def entities_of_fact(self, fact: int) -> Ints:
        """Entities of one fact."""
        return self.facts.entities[self.facts.ptr[fact] : self.facts.ptr[fact + 1]]

    def entities_of_passage(self, passage: int) -> Ints:
        """Entities of one passage."""
        return self.facts.held[self.facts.held_ptr[passage] : self.facts.held_ptr[passage + 1]]

    def pagerank(self, restart: Floats, num_steps: int = NUM_STEPS) -> "PageRank":
        """y <- 0.65 A^T y + 0.35 x, from y = x; `restart` x (n + p,) sums to 1."""
        start: Floats32 = np.zeros(len(restart), dtype=np.float32)
        first = np.flatnonzero(restart)
        start[self.place[first]] = restart[first]
        back = np.float32(1 - DAMPING) * start
        mass = start
        for step in range(num_steps - 1):
            mass = self.spread(mass, is_first=step == 0)
            mass *= np.float32(DAMPING)
            mass += back
        return PageRank(self, mass, back)

    def spread(self, mass: Floats32, is_first: bool = False) -> Floats32:
        """(n + p,): A^T applied to (n + p,), A row-normalised, both in the walk's order; a node
        without neighbours passes nothing on. `is_first`: most of it is 0.

        C is never made: C x = F^T (F x) - d x, with F fact holds entity and d facts of each entity,
        at a third of C's entries.
        """
        n, num_facts = self.num_entities, len(self.facts.texts)
        by_row, by_column = self._products
        passed = mass * self._shares
        held = by_row(passed[:n], is_first)
        spread: Floats32 = np.empty_like(mass)
        spread[n:] = held[num_facts:]
        held[num_facts:] = passed[n:]
        entities = by_column(held, is_first)
        entities -= self._num_facts * passed[:n]
        np.maximum(entities, 0.0, out=spread[:n])  # what rounding left below nothing
        return spread

    def spread_to_passages(self, mass: Floats32) -> Floats32:
        """(p,) the last rows of `spread`, at a quarter of its cost."""
        n = self.num_entities
        return self._by_passage(mass[:n] * self._shares[:n])


class PageRank:
    """Where PageRank ends. Its last step is taken for the passages alone, and for the entities when
    somebody asks for them.
    """

    def __init__(self, graph: BridgeGraph, before: Floats32, back: Floats32) -> None:
        """`before` the last step (n + p,), in the walk's order; `back` 0.35 x (n + p,)."""
        self._graph = graph
        self._before = before
        self._back = back

    @cached_property
    def passages(self) -> Floats:
        """(p,)"""
        mass = (
            np.float32(DAMPING) * self._graph.spread_to_passages(self._before)
            + self._back[self._graph.num_entities :]
        )
        return mass.astype(np.float64)

    @cached_property
    def entities(self) -> Floats:
        """(n,)"""
        mass = np.float32(DAMPING) * self._graph.spread(self._before) + self._back
        return mass[self._graph.place[: self._graph.num_entities]].astype(np.float64)


class _Product:
    """A sparse matrix times a vector; a large one by several threads, each with its own rows."""

    def __init__(self, matrix: "csr_array", transpose: "csr_array | None" = None) -> None:
        num = num_threads() if matrix.nnz > MANY_ENTRIES else 1
        ends = np.searchsorted(matrix.indptr, np.linspace(0, matrix.nnz, num + 1)[1:-1])
        bounds = [0, *ends.tolist(), matrix.shape[0]]
        self._parts = (
            [matrix[first:last] for first, last in pairwise(bounds)] if num > 1 else [matrix]
        )
        self._transpose = transpose

    def __call__(self, vector: Floats32, is_sparse: bool = False) -> Floats32:
        """`is_sparse`: reads the columns of its non-zeros alone, unless they hold more than a tenth
        of the matrix.
        """
        if is_sparse and self._transpose is not None:
            columns = np.flatnonzero(vector)
            few = self._transpose[columns]
            if few.nnz < self._transpose.nnz / 10:
                return np.asarray(few.T @ vector[columns], dtype=np.float32)
        if len(self._parts) == 1:
            return np.asarray(self._parts[0] @ vector, dtype=np.float32)
        return np.concatenate(list(thread_pool().map(lambda part: part @ vector, self._parts)))
