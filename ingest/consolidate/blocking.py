"""Which keys may be one entity, found without comparing all pairs: the first step of de-duplication
(DynaGRAG, section 3.1).

Three near-linear sources of candidate pairs: near vectors, a shared first or last word, acronyms.
Pairs that could never pass the guards are none. Connected candidates are cut into blocks of at most
25, strongest pairs first, so a block is small enough for one look.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.schema import UNMEASURED, CosineScale, Vectors
from dynagrag.ingest.consolidate.guards import MIN_GROUP_COSINE, Name, conflict, tokens_of
from dynagrag.ingest.consolidate.used_names import SMALL_WORDS, initials, squashed

MIN_NEAR_COSINE = 0.80
NUM_NEAREST = 10
MAX_BLOCK = 25
MIN_HEAD_COSINE = 0.65
"""A shared first or last word alone ("Red Falcon", "Red River") says little; below this the pair
must also be part of a longer name.
"""
_MAX_BUCKET = 200
"""A word that opens or closes more names than this tells nothing apart; such names still meet by
their vectors.
"""
_MAX_EXACT = 2048
"""Up to here all cosines are computed (0.1 s); above, lists around centroids are searched."""
_NUM_PROBES = 4


@dataclass(frozen=True, slots=True)
class CandidatePair:
    """Two candidates, i < j, with the cosine of their vectors, as MiniLM's would be."""

    i: int
    j: int
    cosine: float


def candidate_pairs(
    names: Sequence[Name],
    vectors: Vectors,
    is_guarded: bool = True,
    scale: CosineScale = UNMEASURED,
) -> list[CandidatePair]:
    """Candidate pairs, strongest first (ties by indices).

    Args:
        names: In a fixed order; indices of the result count in it.
        vectors: (n, d) unit rows, step-1 vectors of the keys.
        is_guarded: Whether pairs that the guards forbid are left out; else they are for a person to
        see.
        scale: Of the vectors' cosines.
    """
    found: dict[tuple[int, int], float] = {}
    for i, j, cosine in near_pairs(vectors, scale):
        found[i, j] = cosine
    for i, j in chain(_head_pairs(names, vectors, scale), _acronym_pairs(names)):
        found.setdefault((i, j), scale.of_names(float(vectors[i] @ vectors[j])))
    pairs = [
        CandidatePair(i, j, round(cosine, 6))
        for (i, j), cosine in found.items()
        if cosine >= MIN_GROUP_COSINE and not (is_guarded and conflict(names[i], names[j]))
    ]
    return sorted(pairs, key=lambda p: (-p.cosine, p.i, p.j))


def near_pairs(
    vectors: Vectors,
    scale: CosineScale = UNMEASURED,
    min_cosine: float = MIN_NEAR_COSINE,
    num_nearest: int = NUM_NEAREST,
    seed: int = 0,
) -> list[tuple[int, int, float]]:
    """Pairs i < j whose cosine, as MiniLM's would be, reaches `min_cosine`, one being among the
    `num_nearest` of the other. Sorted.

    Exact up to 2,048 rows. Above, each row is compared with the rows of the 4 of sqrt(n) lists
    whose centroids are nearest to it: O(n^1.5 d) instead of O(n^2 d), for the loss of near pairs on
    the border of lists (0.1 % of them at 5,000 rows, 0.5 % at 20,000).
    """
    hits: dict[tuple[int, int], float] = {}
    for rows, columns, own in _compared(vectors, seed):
        cosines = scale.of_names(own)
        for at in range(len(rows)):
            near = np.flatnonzero(cosines[at] >= min_cosine)
            near = near[columns[near] != rows[at]]
            if len(near) > num_nearest:
                near = near[np.lexsort((columns[near], -cosines[at, near]))[:num_nearest]]
            for column in near:
                i, j = sorted((int(rows[at]), int(columns[column])))
                hits[i, j] = float(cosines[at, column])
    return [(i, j, cosine) for (i, j), cosine in sorted(hits.items())]


def _compared(
    vectors: Vectors, seed: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], Vectors]]:
    """(rows, columns, cosines) of blocks that together hold every row with the columns it is
    compared with.
    """
    num_rows = len(vectors)
    everything = np.arange(num_rows, dtype=np.int64)
    if num_rows <= _MAX_EXACT:
        for start in range(0, num_rows, 512):
            rows = everything[start : start + 512]
            yield rows, everything, vectors[rows] @ vectors.T
        return
    probes = _nearest_centroids(vectors, seed)
    by_list = np.argsort(probes[:, 0], kind="stable")
    bounds = np.searchsorted(probes[by_list, 0], np.arange(probes.max() + 2))
    order = np.argsort(probes, axis=None, kind="stable")
    probe_bounds = np.searchsorted(probes.ravel()[order], np.arange(probes.max() + 2))
    for number in range(int(probes.max()) + 1):
        columns = by_list[bounds[number] : bounds[number + 1]]
        asking = order[probe_bounds[number] : probe_bounds[number + 1]] // probes.shape[1]
        for start in range(0, len(asking) if len(columns) else 0, 1024):
            rows = asking[start : start + 1024]
            yield rows, columns, vectors[rows] @ vectors[columns].T


def _nearest_centroids(vectors: Vectors, seed: int) -> NDArray[np.int64]:
    """(n, 4): the lists nearest to each row, nearest first. Centroids: three rounds of k-means on a
    sample.
    """
    rng = np.random.default_rng(seed)
    num_lists = math.isqrt(len(vectors)) + 1
    sample = vectors[
        np.sort(rng.choice(len(vectors), size=min(len(vectors), 24 * num_lists), replace=False))
    ]
    centroids = sample[np.sort(rng.choice(len(sample), size=num_lists, replace=False))]
    for _ in range(3):
        nearest = np.argmax(sample @ centroids.T, axis=1)
        sums = np.zeros_like(centroids)
        np.add.at(sums, nearest, sample)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        centroids = np.where(norms > 0, sums / np.where(norms > 0, norms, 1), centroids).astype(
            np.float32
        )
    probes = np.empty((len(vectors), _NUM_PROBES), dtype=np.int64)
    for start in range(0, len(vectors), 4096):
        cosines = vectors[start : start + 4096] @ centroids.T
        top = np.argpartition(-cosines, _NUM_PROBES - 1, axis=1)[:, :_NUM_PROBES]
        ranks = np.argsort(-np.take_along_axis(cosines, top, axis=1), axis=1, kind="stable")
        probes[start : start + 4096] = np.take_along_axis(top, ranks, axis=1)
    return probes


def _content_words(key: str) -> tuple[str, ...]:
    tokens = tokens_of(key)
    return (
        tuple(t for t in tokens if t not in SMALL_WORDS and (len(t) > 1 or not t.isalpha()))
        or tokens
    )


def _head_pairs(
    names: Sequence[Name], vectors: Vectors, scale: CosineScale
) -> Iterator[tuple[int, int]]:
    """Pairs that share their first or last content word, and are near enough or one name within the
    other.
    """
    contents = [frozenset(_content_words(n.key)) for n in names]
    buckets: dict[str, list[int]] = defaultdict(list)
    for i, name in enumerate(names):
        content = _content_words(name.key)
        for head in {content[0], content[-1]} if content else ():
            if not head.isdecimal():
                buckets[head].append(i)
    for head in sorted(buckets):
        members = buckets[head]
        if not 2 <= len(members) <= _MAX_BUCKET:
            continue
        cosines = scale.of_names(vectors[members] @ vectors[members].T)
        for a, b in np.argwhere(np.triu(cosines >= MIN_GROUP_COSINE, 1)):
            i, j = members[a], members[b]
            if (
                cosines[a, b] >= MIN_HEAD_COSINE
                or contents[i] <= contents[j]
                or contents[j] <= contents[i]
            ):
                yield i, j


def _acronym_pairs(names: Sequence[Name]) -> Iterator[tuple[int, int]]:
    by_initials: dict[str, list[int]] = defaultdict(list)
    for i, name in enumerate(names):
        if len(letters := initials(name.key)) >= 2:
            by_initials[letters].append(i)
    for i, name in enumerate(names):
        for j in by_initials.get(squashed(name.key), ()):
            if i != j:
                yield min(i, j), max(i, j)


def cut_into_blocks(pairs: Sequence[CandidatePair]) -> list[list[int]]:
    """Blocks of 2 to 25 indices, each sorted, in order of their first index.

    Pairs are joined strongest first, as long as the block stays small enough; the result depends on
    the pairs alone.
    """
    block_of: dict[int, list[int]] = {}
    for pair in sorted(pairs, key=lambda p: (-p.cosine, p.i, p.j)):
        a = block_of.setdefault(pair.i, [pair.i])
        b = block_of.setdefault(pair.j, [pair.j])
        if a is b or len(a) + len(b) > MAX_BLOCK:
            continue
        large, small = (a, b) if len(a) >= len(b) else (b, a)
        large.extend(small)
        block_of.update(dict.fromkeys(small, large))
    unique = {id(block): sorted(block) for block in block_of.values() if len(block) > 1}
    return sorted(unique.values())
