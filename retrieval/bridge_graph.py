"""The graph that Bridge-PPR walks on: entities and passages, as sparse matrices (retrieval spec, section 1).

A over entities then passages = [[C, M^T], [M, 0]]     C[e, e'] = number of facts that hold both, M = passage holds entity
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynagrag.schema import Facts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]

STAY = 0.65
"""How much of a walker's weight goes on along edges at each step; the rest returns to the restart."""
NUM_STEPS = 6
MANY_ENTRIES = 300_000
"""From here on a product is shared among threads."""
MAX_THREADS = 4


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
        ptr = np.searchsorted(self.facts.passage_rows[order], np.arange(self.num_passages + 1)).astype(np.int64)
        return ptr, order

    @cached_property
    def passages_of_entity(self) -> tuple[Ints, Ints]:
        """(ptr, passages): the passages that hold entity e, ascending."""
        rows = np.repeat(np.arange(self.num_passages), np.diff(self.facts.held_ptr))
        order = np.argsort(self.facts.held, kind="stable")
        ptr = np.searchsorted(self.facts.held[order], np.arange(self.num_entities + 1)).astype(np.int64)
        return ptr, rows[order].astype(np.int64)

    @cached_property
    def df(self) -> Ints:
        """(n,) passages that hold each entity."""
        return np.diff(self.passages_of_entity[0])

    @cached_property
    def coverage(self) -> float:
        """Share of the passages that hold an entity: of the others the walk knows nothing."""
        return float((np.diff(self.facts.held_ptr) > 0).mean()) if self.num_passages else 0.0

    def spread(self, mass: Floats32) -> Floats32:
        """(n + p,): A^T applied to (n + p,), A row-normalised; a node without neighbours passes nothing on.

        C is never made: C x = F^T (F x) - d x, with F fact holds entity and d facts of each entity, at a third of C's entries.
        """
        n, num_facts = self.num_entities, len(self.facts.texts)
        by_row, by_column = self._products
        passed = mass * self._shares
        held = by_row(passed[:n])
        spread: Floats32 = np.empty_like(mass)
        spread[:n] = by_column(np.concatenate((held[:num_facts], passed[n:]))) - self._num_facts * passed[:n]
        spread[n:] = held[num_facts:]
        np.maximum(spread, 0.0, out=spread)  # what rounding left below nothing
        return spread

    @cached_property
    def _products(self) -> "tuple[_Product, _Product]":
        """(f + p, n) which entities each fact, then each passage, holds, times a vector; and its transpose."""
        from scipy.sparse import csr_array

        facts = self.facts
        ptr = np.concatenate((facts.ptr, facts.ptr[-1] + facts.held_ptr[1:])).astype(np.int32)  # 32 bits: half of what a step reads
        columns = np.concatenate((facts.entities, facts.held)).astype(np.int32)
        rows = csr_array((np.ones(len(columns), dtype=np.float32), columns, ptr), shape=(len(ptr) - 1, self.num_entities))
        return _Product(rows), _Product(csr_array(rows.T))

    @cached_property
    def _num_facts(self) -> Floats32:
        """(n,) facts of each entity."""
        return np.bincount(self.facts.entities, minlength=self.num_entities).astype(np.float32)

    @cached_property
    def _shares(self) -> Floats32:
        """(n + p,) 1 / sum of a row of A; 0 where it has none."""
        facts = self.facts
        sizes = np.diff(facts.ptr)
        together = np.bincount(facts.entities, weights=np.repeat(sizes - 1, sizes), minlength=self.num_entities)
        degrees = np.concatenate((together + self.df, np.diff(facts.held_ptr)))
        shares: Floats32 = np.divide(1.0, degrees, out=np.zeros(len(degrees)), where=degrees > 0).astype(np.float32)
        return shares

    def entities_of_fact(self, fact: int) -> Ints:
        """Entities of one fact."""
        return self.facts.entities[self.facts.ptr[fact] : self.facts.ptr[fact + 1]]

    def entities_of_passage(self, passage: int) -> Ints:
        """Entities of one passage."""
        return self.facts.held[self.facts.held_ptr[passage] : self.facts.held_ptr[passage + 1]]

    def pagerank(self, restart: Floats, num_steps: int = NUM_STEPS) -> Floats:
        """(n + p,): y <- 0.65 A^T y + 0.35 x, from y = x; `restart` x (n + p,) sums to 1."""
        start: Floats32 = restart.astype(np.float32)
        mass = start
        for _ in range(num_steps):
            mass = np.float32(STAY) * self.spread(mass) + np.float32(1 - STAY) * start
        return mass.astype(np.float64)


class _Product:
    """A sparse matrix times a vector; a large one by several threads, each with its own rows (scipy lets go of the interpreter's lock)."""

    def __init__(self, matrix: "csr_array") -> None:
        num = min(MAX_THREADS, os.cpu_count() or 1) if matrix.nnz > MANY_ENTRIES else 1
        ends = np.searchsorted(matrix.indptr, np.linspace(0, matrix.nnz, num + 1)[1:-1])
        bounds = [0, *ends.tolist(), matrix.shape[0]]
        self._parts = [matrix[first:last] for first, last in pairwise(bounds)] if num > 1 else [matrix]
        self._pool = ThreadPoolExecutor(num, thread_name_prefix="pagerank") if num > 1 else None

    def __call__(self, vector: Floats32) -> Floats32:
        if self._pool is None:
            return np.asarray(self._parts[0] @ vector, dtype=np.float32)
        return np.concatenate(list(self._pool.map(lambda part: part @ vector, self._parts)))
