"""Coroutines in tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_on_a_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, on a thread of its own: a browser test leaves a running loop on this
    one.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
