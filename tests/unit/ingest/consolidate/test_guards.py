"""Which keys may stand for one entity, where a person and a glossary have their say."""

from collections.abc import Sequence

import numpy as np
import pytest

from dynagrag.graph_store.derived.glossary import GlossaryRow, resolve
from dynagrag.ingest.consolidate.guards import MergeGuard, Name, split_group, tokens_of

# The glossary has MAIN A and MAIN B as one thing, which no rule would, and the pump as another.
GLOSSARY = resolve([GlossaryRow("DC bus", ("main a", "main b")), GlossaryRow("pump", ("main c",))])
KEYS = ("dc bus", "main a", "main b", "pump", "main c", "dc buses", "main", "bus 1", "bus 2", "lid")
NAMES = {key: Name(key) for key in KEYS}


@pytest.mark.parametrize(
    ("left", "right", "may_join"),
    [
        (["dc bus"], ["dc buses"], True),
        (["bus 1"], ["bus 2"], False),  # they conflict
        (["bus 1", "lid"], ["dc buses", "bus 2"], False),  # one pair of all
        (["main a"], ["main b"], True),  # but for the glossary they would
        (["main a"], ["pump"], False),  # two things of the glossary
        (["main a"], ["main c"], False),
        (["main a"], ["main"], False),
        (["dc bus", "main a"], ["main"], True),  # MAIN A says nothing of what else DC bus may be
        (["dc bus", "main a"], ["lid"], True),
        (["main a", "main b"], ["main"], False),  # of these the first does
        (["main"], ["dc bus", "main a"], True),
        (["lid"], ["lid"], True),
    ],
)
def test_all_keys_of_two_sides_may_be_one_or_none(
    left: Sequence[str], right: Sequence[str], may_join: bool
) -> None:
    guard = MergeGuard(NAMES, glossary=GLOSSARY)
    assert guard.may_join_all(left, right) is may_join
    assert guard.may_join_all(right, left) is may_join


def test_what_a_person_told_apart_is_two_whatever_else_says_that_it_is_one() -> None:
    guard = MergeGuard(NAMES, frozenset({("dc bus", "dc buses"), ("main a", "main b")}), GLOSSARY)
    for left, right in (
        (["dc bus"], ["dc buses"]),
        (["lid", "dc buses"], ["dc bus", "bus 1"]),
        (["main a"], ["main b"]),
    ):
        assert guard.are_kept_apart(left, right)
        assert guard.are_kept_apart(right, left)
        assert not guard.may_join_all(left, right)
        assert not MergeGuard(NAMES, glossary=GLOSSARY).are_kept_apart(left, right)
    assert not guard.are_kept_apart(["dc bus"], ["main a"])


@pytest.mark.parametrize(
    ("key", "tokens"),
    [
        ("o.2 tank", ("o", "2", "tank")),
        ("u.s. navy", ("us", "navy")),
        ("u.s.s.r", ("ussr",)),
        ("apollo13", ("apollo", "13")),
        ("c++ and c#", ("c", "++", "and", "c", "#")),
        ("high-gain antenna", ("high", "gain", "antenna")),
        ("don't it's dog's", ("don", "it", "dog")),
        ("o'neill", ("o", "neill")),
        ("!", ()),
    ],
)
def test_a_key_is_cut_into_words_numbers_and_signs(key: str, tokens: tuple[str, ...]) -> None:
    assert tokens_of(key) == tokens


def test_of_pairs_that_exclude_each_other_the_nearest_are_joined_then_the_first() -> None:
    """a and b are nearer than b and c; a and c are too far apart to be of one group."""
    cosines = np.array([[1, 0.9, 0.5], [0.9, 1, 0.8], [0.5, 0.8, 1]], dtype=np.float32)
    assert split_group([0, 1, 2], lambda i, j: True, cosines, [1] * 3) == [[0, 1], [2]]
    nearer = cosines[::-1, ::-1]
    assert split_group([0, 1, 2], lambda i, j: True, nearer, [1] * 3) == [[0], [1, 2]]
    cosines[0, 1] = cosines[1, 0] = 0.8
    assert split_group([0, 1, 2], lambda i, j: True, cosines, [1] * 3) == [[0, 1], [2]]
    assert split_group([2, 1, 4], lambda i, j: i + j != 3, np.ones((5, 5)), [1] * 5) == [
        [1],
        [2],
        [4],
    ]
