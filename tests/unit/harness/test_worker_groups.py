"""Tests that share something big run on one worker."""

import pytest


@pytest.mark.xdist_group("harness")
def test_a_test_of_a_group_says_so_in_its_id_where_the_scheduler_reads_it(
    request: pytest.FixtureRequest,
) -> None:
    is_grouped = bool(request.config.getoption("loadgroup", False))
    assert request.node.nodeid.endswith("@harness") is is_grouped
