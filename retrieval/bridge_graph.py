"""The graph that Bridge-PPR walks on: entities and passages, as one sparse matrix (retrieval spec, section 1).

A over entities then passages = [[C, M^T], [M, 0]]     C[e, e'] = number of facts that hold both, M = passage holds entity
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dynagrag.schema import Facts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

STAY = 0.65
"""How much of a walker's weight goes on along edges at each step; the rest returns to the restart."""
NUM_STEPS = 6


@dataclass(frozen=True, slots=True)
class Matrices:
    """`step` (n + p, n + p): the transposed transition matrix, columns sum to 1 or 0. `df` (n,): passages that hold each entity."""

    step: "csr_array"
    df: Ints


class BridgeGraph:
    """One snapshot's facts as matrices; immutable. n entities, p passages, f facts."""

    def __init__(self, facts: Facts, num_entities: int) -> None:
        self.facts = facts
        self.num_entities = num_entities
        self.num_passages = len(facts.subjects)

    @cached_property
    def facts_of_passage(self) -> tuple[Ints, Ints]:
        """(ptr, facts): the facts of passage j are facts[ptr[j]:ptr[j + 1]], ascending."""
        order = np.argsort(self.facts.passages, kind="stable").astype(np.int64)
        ptr = np.searchsorted(self.facts.passages[order], np.arange(self.num_passages + 1)).astype(np.int64)
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
    def step(self) -> "csr_array":
        """(n + p, n + p) float32: the transposed transition matrix; a column sums to 1, or to 0 where a node has no neighbour."""
        from scipy.sparse import block_array, csr_array, diags_array

        n, facts = self.num_entities, self.facts
        of_facts = csr_array((np.ones(len(facts.entities), dtype=np.float32), facts.entities, facts.ptr), shape=(len(facts.texts), n))
        together = csr_array(of_facts.T @ of_facts)
        together.setdiag(0)
        together.eliminate_zeros()
        held = csr_array((np.ones(len(facts.held), dtype=np.float32), facts.held, facts.held_ptr), shape=(self.num_passages, n))
        adjacency = csr_array(block_array([[together, held.T], [held, None]], format="csr"))
        degrees: Floats = np.asarray(adjacency.sum(axis=1)).ravel().astype(np.float64)
        share = np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0)
        # A is symmetric, so its transposed row-normalised form is itself with scaled columns
        return csr_array(adjacency @ diags_array(share).astype(np.float32))

    def entities_of_fact(self, fact: int) -> Ints:
        """Entities of one fact."""
        return self.facts.entities[self.facts.ptr[fact] : self.facts.ptr[fact + 1]]

    def entities_of_passage(self, passage: int) -> Ints:
        """Entities of one passage."""
        return self.facts.held[self.facts.held_ptr[passage] : self.facts.held_ptr[passage + 1]]

    def pagerank(self, restart: Floats, num_steps: int = NUM_STEPS) -> Floats:
        """(n + p,): y <- 0.65 A^T y + 0.35 x, from y = x; `restart` x (n + p,) sums to 1."""
        start: NDArray[np.float32] = restart.astype(np.float32)
        mass = start
        for _ in range(num_steps):
            mass = np.float32(STAY) * (self.step @ mass) + np.float32(1 - STAY) * start
        return mass.astype(np.float64)
