"""Rules of vectors that every part shares."""

import numpy as np

from dynagrag.core.vectors import unit_rows


def test_rows_have_length_one_and_rows_of_zeros_stay() -> None:
    rows = np.array([[3, 4], [0, 0], [-2, 0]], dtype=np.float32)
    unit = unit_rows(rows)
    assert unit.dtype == np.float32
    assert unit.tolist() == np.array([[0.6, 0.8], [0, 0], [-1, 0]], dtype=np.float32).tolist()
    assert rows[0].tolist() == [3, 4]
    assert unit_rows(rows[:0]).shape == (0, 2)
