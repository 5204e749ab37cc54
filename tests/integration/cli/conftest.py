"""A model server that waits, for commands that meet an ingest under way."""

from collections.abc import Callable, Iterator

import pytest
from ingests import Gate


@pytest.fixture
def gate(point_at_models: Callable[..., None]) -> Iterator[Gate]:
    gate = Gate()
    with gate.server() as server:
        point_at_models(server, max_concurrency=2)
        yield gate
        gate.is_open.set()
