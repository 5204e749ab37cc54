"""Stamps of corrections, whatever the clock says."""

import pytest

from dynagrag.core.errors import StoreError
from dynagrag.core.schema import Edit, EditKind
from dynagrag.workspace.edit_stamp import Stamp


def _edit(at: str) -> Edit:
    return Edit("e", EditKind.RENAME, ("k",), "K", "", "her", at)


@pytest.mark.parametrize("at", ["2999-01-01T00:00:00.000000+00:00", "2999-01-01T00:00:00"])
def test_a_correction_comes_after_those_before_it_though_the_clock_went_back(at: str) -> None:
    stamp = Stamp([_edit(at)], "her")
    first, second = (stamp.edit(EditKind.RENAME, ["k"], name="N").at for _ in range(2))
    assert at < first < second


@pytest.mark.parametrize("at", ["9999-12-31T23:59:59.999999+00:00", "soon", "9000"])
def test_a_time_after_which_none_can_come_is_told_in_one_line(at: str) -> None:
    with pytest.raises(StoreError, match="its file was altered"):
        Stamp([_edit(at)], "her").edit(EditKind.RENAME, ["k"], name="N")
