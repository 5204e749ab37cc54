"""Threads for large products: numpy and scipy let go of the interpreter's lock.

BLAS has threads of its own, but after each product they spin for some 25 ms, and take a core from
whatever comes next.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache

MAX_THREADS = 4


def num_threads() -> int:
    """Threads of the pool, 1 to 4."""
    return min(MAX_THREADS, os.cpu_count() or 1)


@cache
def thread_pool() -> ThreadPoolExecutor:
    """The one pool of this process. What runs in it must not wait for it."""
    return ThreadPoolExecutor(num_threads(), thread_name_prefix="retrieval")
