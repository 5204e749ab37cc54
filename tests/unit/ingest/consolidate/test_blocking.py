"""Candidates and blocks: what meets, what never does, and that no step looks at all pairs."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import MINILM_SCALE, CosineScale, Vectors
from dynagrag.core.vectors import unit_rows
from dynagrag.ingest.consolidate import blocking
from dynagrag.ingest.consolidate.blocking import (
    MAX_BLOCK,
    CandidatePair,
    candidate_pairs,
    cut_into_blocks,
    initials,
    near_pairs,
)
from dynagrag.ingest.consolidate.guards import MAX_GROUP, Name, conflict, split_group

ALIKE: Vectors = np.ones((1, 4), dtype=np.float32) / 2


def candidates(
    keys: list[str], vectors: Vectors | None = None, type_: str = ""
) -> set[tuple[str, str]]:
    rows = np.repeat(ALIKE, len(keys), axis=0) if vectors is None else vectors
    return {(keys[p.i], keys[p.j]) for p in candidate_pairs([Name(k, type_) for k in keys], rows)}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("gpt-4", "gpt-7"),
        ("tank 1", "tank 2"),
        ("oxygen tank", "oxygen tank 2"),
        ("main a", "main b"),
        ("main", "main b"),
        ("fuel cell 1", "fuel cell 3"),
        ("apollo xiii", "apollo 12"),
        ("saturn v", "saturn 1b"),
        ("apollo xiv", "apollo xvi"),
        ("c", "c++"),
        ("first stage", "second stage"),
        ("version 3.5", "version 3.6"),
        ("north bridge", "south bridge"),
        ("high gain", "low gain"),
    ],
)
def test_other_numbers_letters_and_opposites_never_meet(a: str, b: str) -> None:
    assert conflict(Name(a), Name(b)) is not None
    assert conflict(Name(b), Name(a)) is not None
    assert candidates([a, b]) == set()


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("tank 1", "tank 2", "different numbers"),
        ("main a", "main b", "different letters"),
        ("north bridge", "south bridge", "opposite words"),
        ("first man", "first woman", "opposite words"),
    ],
)
def test_the_reason_of_a_conflict_is_told(a: str, b: str, reason: str) -> None:
    assert conflict(Name(a), Name(b)) == reason


def test_a_numeral_of_twenty_digits_is_a_sign_of_its_own_and_no_number() -> None:
    assert conflict(Name(f"part {'12'.zfill(19)}"), Name("part 12")) is None
    assert conflict(Name(f"part {'12'.zfill(20)}"), Name("part 12")) == "different numbers"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("apollo xiii", "apollo 13"),
        ("spacex", "space x"),
        ("macos x", "mac os x"),
        ("apollo xiv", "apollo 14"),
        ("channel 07", "channel 7"),
        ("channel ٧", "channel seven"),
        ("world war ii", "second world war"),
        ("o.2", "o2"),
        ("u.s. navy", "us navy"),
        ("compute", "compute resources"),
        ("high-gain antenna", "high gain antenna"),
        ("civil war", "the civil wars"),
        ("north bridge", "bridge"),
    ],
)
def test_one_number_in_another_form_is_no_conflict(a: str, b: str) -> None:
    assert conflict(Name(a), Name(b)) is None
    assert conflict(Name(b), Name(a)) is None


@pytest.mark.parametrize(
    ("a", "b", "is_same"),
    [
        ("fred haise", "fred smith", False),
        ("jim lovell", "marilyn lovell", False),
        ("lovell", "haise", False),
        ("jim lovell", "james a. lovell, jr", True),
        ("j. lovell", "james lovell", True),
        ("k. lovell", "james lovell", False),
        ("lovell", "jim lovell", True),
        ("senator warren", "elizabeth warren", True),
        ("justice thomas", "clarence thomas", True),
        ("chief justice roberts", "john g. roberts", True),
        ("senator warren", "senator sanders", False),
        ("judge jackson", "justice alito", False),
        ("dr. lovell", "lovell", True),
        ("ann lee am", "ann lee", True),
        ("ann lee am", "bob lee", False),
        ("fred haise", "frederick haise", True),
        ("john smith", "james smith", False),
        ("al bean", "alan bean", False),
        ("ala bean", "alan bean", True),
    ],
)
def test_different_person_names_never_meet(a: str, b: str, is_same: bool) -> None:
    assert (conflict(Name(a, "person"), Name(b, "Person")) is None) == is_same
    assert (conflict(Name(b, "person"), Name(a)) is None) == is_same


def test_speakers_are_never_merged_with_each_other_but_may_be_with_a_name() -> None:
    assert (
        conflict(Name("jim lovell", is_speaker=True), Name("jim lovell jr", is_speaker=True))
        == "two speakers"
    )
    assert conflict(Name("lovell", is_speaker=True), Name("jim lovell", "person")) is None


@pytest.mark.parametrize(
    ("a", "b", "is_same"),
    [
        ("ann lee mp", "ann lee", True),
        ("ann lee kc mp", "ann lee", True),
        ("ann lee am", "ann lee ms", True),
        ("ann lee mp", "bob lee", False),
        ("ann mp", "ann", False),
        ("mary ann lee", "mary-ann lee", False),
    ],
)
def test_speakers_whose_names_differ_in_the_letters_of_an_office_alone_may_be_one(
    a: str, b: str, is_same: bool
) -> None:
    assert (conflict(Name(a, is_speaker=True), Name(b, is_speaker=True)) is None) == is_same


def test_names_meet_by_near_vectors_a_shared_head_or_an_acronym() -> None:
    vectors = unit_rows(
        np.array(
            [[1, 0, 0.2], [1, 0.1, 0], [0, 1, 0.9], [0.1, 1, 0], [0.9, 0, 1.2]], dtype=np.float32
        )
    )
    keys = ["command ship", "mother vessel", "msc", "manned spacecraft center", "command module"]
    assert candidates(keys, vectors) == {
        ("command ship", "mother vessel"),
        ("msc", "manned spacecraft center"),
        ("command ship", "command module"),
    }
    assert initials("manned spacecraft center") == "msc"
    assert initials("department of defense") == "dd"


def test_a_shared_head_says_nothing_about_vectors_that_are_far_apart() -> None:
    vectors = unit_rows(np.array([[1, 0], [0.6, 0.8], [0.5, 0.9]], dtype=np.float32))
    assert candidates(["red falcon", "red river", "red"], vectors) == {("red river", "red")}


def _all_at_cosine(num_rows: int, cosine: float) -> Vectors:
    """Rows of which every two have this cosine."""
    shared = np.full((num_rows, 1), np.sqrt(cosine))
    return np.hstack([shared, np.sqrt(1 - cosine) * np.eye(num_rows)]).astype(np.float32)


def test_a_word_that_opens_more_than_two_hundred_names_tells_nothing() -> None:
    keys = [f"report {chr(97 + i // 26)}{chr(97 + i % 26)}q" for i in range(201)]
    assert len(candidates(keys[:200], _all_at_cosine(200, 0.7))) == 200 * 199 // 2
    assert candidates(keys, _all_at_cosine(201, 0.7)) == set()


def test_a_number_at_the_begin_is_no_shared_head() -> None:
    assert candidates(["1970 census", "1970 budget"], _all_at_cosine(2, 0.7)) == set()
    assert candidates(["open census", "open budget"], _all_at_cosine(2, 0.7)) == {
        ("open census", "open budget")
    }


def test_a_lone_letter_at_the_begin_is_no_shared_head_but_a_sign_is() -> None:
    assert candidates(["u boat", "u turn"], _all_at_cosine(2, 0.7)) == set()
    assert candidates(["uv boat", "uv turn"], _all_at_cosine(2, 0.7)) == {("uv boat", "uv turn")}
    assert candidates(["++ boat", "++ turn"], _all_at_cosine(2, 0.7)) == {("++ boat", "++ turn")}


def test_words_that_say_little_are_heads_where_a_name_has_no_others() -> None:
    assert candidates(["the by", "the on"], _all_at_cosine(2, 0.7)) == {("the by", "the on")}
    assert candidates(["the boat", "the turn"], _all_at_cosine(2, 0.7)) == set()


def test_a_name_of_signs_alone_shares_no_head() -> None:
    assert candidates(["!!!", "red falcon", "???", "red river"], _all_at_cosine(4, 0.7)) == {
        ("red falcon", "red river")
    }


@pytest.mark.parametrize(("cosine", "num_pairs"), [(0.54, 0), (0.56, 1)])
def test_an_acronym_too_must_be_as_near_as_a_group(cosine: float, num_pairs: int) -> None:
    assert (
        len(candidates(["msc", "manned spacecraft center"], _all_at_cosine(2, cosine))) == num_pairs
    )


@pytest.mark.parametrize(("cosine", "num_pairs"), [(0.64, 0), (0.66, 1)])
def test_a_shared_head_needs_a_cosine_of_its_own(cosine: float, num_pairs: int) -> None:
    assert len(candidates(["red falcon", "red river"], _all_at_cosine(2, cosine))) == num_pairs


@pytest.mark.parametrize(("cosine", "num_pairs"), [(0.79, 0), (0.81, 1)])
def test_near_vectors_alone_make_a_pair_from_eight_tenths(cosine: float, num_pairs: int) -> None:
    assert (
        len(candidates(["command ship", "mother vessel"], _all_at_cosine(2, cosine))) == num_pairs
    )


def test_candidates_come_strongest_first_then_by_place_with_cosines_to_six_decimals() -> None:
    rows = unit_rows(
        np.array([[1, 0, 0], [1, 0.5, 0], [1, 0.1, 0.1], [1, 0.5, 0]], dtype=np.float32)
    )
    names = [Name(k) for k in ("red falcon", "red river", "red fox", "red stone")]
    pairs = candidate_pairs(names, rows)
    assert [(p.i, p.j) for p in pairs] == [(1, 3), (0, 2), (1, 2), (2, 3), (0, 1), (0, 3)]
    exact = [float(rows[p.i].astype(float) @ rows[p.j].astype(float)) for p in pairs]
    assert [p.cosine for p in pairs] == [pytest.approx(c, abs=1e-6) for c in exact]
    assert all(p.cosine == round(p.cosine, 6) for p in pairs)


def test_near_pairs_equal_the_naive_ones() -> None:
    rng = np.random.default_rng(0)
    vectors = unit_rows((rng.standard_normal((600, 5))).astype(np.float32))
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -2)
    naive = set()
    for i, row in enumerate(cosines):
        for j in np.argsort(-row, kind="stable")[:10]:
            if row[j] >= 0.8:
                naive.add((min(i, int(j)), max(i, int(j))))
    assert {(i, j) for i, j, _ in near_pairs(vectors)} == naive


@pytest.mark.parametrize("common", [1.0, 5.0])
def test_candidates_are_the_same_where_all_vectors_have_something_in_common(common: float) -> None:
    """As those of bge-small and e5-small, beside MiniLM's: every cosine c is (c + b) / (1 + b)."""
    rng = np.random.default_rng(1)
    rows = unit_rows((rng.standard_normal((60, 6)) + 0.4).astype(np.float32))
    names = [Name(f"{head} {tail}") for head in ("red", "blue", "old") for tail in range(20)]
    names = [Name(n.key.translate(str.maketrans("0123456789", "abcdefghij"))) for n in names]
    shifted = unit_rows(np.c_[rows, np.full(len(rows), common**0.5, np.float32)])
    mean = (MINILM_SCALE.names + common) / (1 + common)
    scale = CosineScale(mean, apart=0.7, answers=0.8)
    expected = candidate_pairs(names, rows)
    found = candidate_pairs(names, shifted, scale=scale)
    assert [(p.i, p.j) for p in found] == [(p.i, p.j) for p in expected] != []
    assert [p.cosine for p in found] == pytest.approx([p.cosine for p in expected], abs=1e-5)
    assert len(candidate_pairs(names, shifted)) > len(expected)


def _topics(num_rows: int, seed: int = 0) -> Vectors:
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(20, num_rows // 40), 32))
    rows = 0.7 * centres[rng.zipf(1.5, num_rows) % len(centres)] + rng.standard_normal(
        (num_rows, 32)
    )
    doubles = rng.choice(num_rows, num_rows // 5)
    rows[: num_rows // 5] = rows[doubles] + 0.4 * rng.standard_normal((num_rows // 5, 32))
    return unit_rows(rows.astype(np.float32))


def test_the_approximate_search_finds_nearly_all_near_pairs_and_only_true_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vectors = _topics(5000)
    found = near_pairs(vectors)
    assert found == near_pairs(vectors)
    monkeypatch.setattr(blocking, "_MAX_EXACT", 10**6)
    exact = {(i, j) for i, j, _ in near_pairs(vectors)}
    assert len(exact) > 500
    assert len({(i, j) for i, j, _ in found} & exact) >= 0.95 * len(exact)
    assert all(
        cosine >= 0.8 and abs(cosine - float(vectors[i] @ vectors[j])) < 1e-5
        for i, j, cosine in found
    )


def test_of_thousands_of_equal_vectors_each_is_near_the_first_ten() -> None:
    """All lists but one are empty."""
    num_rows = 2100
    found = near_pairs(np.repeat(ALIKE, num_rows, axis=0))
    assert found == [(i, j, 1.0) for i in range(10) for j in range(i + 1, num_rows)]


def test_blocking_stays_far_below_all_pairs_as_names_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: dict[int, int] = {}
    for num_names in (4000, 16000):
        vectors = _topics(num_names)
        compared[num_names] = sum(
            len(rows) * len(columns) for rows, columns, _ in blocking._compared(vectors, 0)
        )
    assert compared[16000] < 0.2 * 16000**2
    assert compared[16000] < 10 * compared[4000]  # all pairs would be 16 times as many


def test_a_word_that_all_names_share_does_not_make_all_pairs() -> None:
    keys = [
        f"report {chr(97 + i // 26 % 26)}{chr(97 + i % 26)}{chr(97 + i // 676)}x"
        for i in range(5000)
    ]
    rng = np.random.default_rng(0)
    start = time.process_time()
    assert (
        len(candidates(keys, unit_rows(rng.standard_normal((5000, 64)).astype(np.float32)))) < 100
    )
    assert time.process_time() - start < 20


_pairs = st.lists(
    st.tuples(st.integers(0, 80), st.integers(0, 80), st.floats(0.55, 1)), max_size=200
)


@settings(max_examples=60, deadline=None)
@given(_pairs, st.randoms(use_true_random=False))
def test_blocks_are_small_disjoint_and_depend_on_the_pairs_alone(
    raw: list[tuple[int, int, float]], rng: object
) -> None:
    unique = {(min(i, j), max(i, j)): c for i, j, c in raw if i != j}
    pairs = [CandidatePair(i, j, c) for (i, j), c in unique.items()]
    blocks = cut_into_blocks(pairs)
    members = [i for block in blocks for i in block]
    assert len(members) == len(set(members))
    assert set(members) <= {i for p in pairs for i in (p.i, p.j)}
    assert all(2 <= len(block) <= MAX_BLOCK and block == sorted(block) for block in blocks)
    rng.shuffle(pairs)  # type: ignore[attr-defined]
    assert cut_into_blocks(pairs) == blocks


def test_a_chain_longer_than_a_block_is_cut_at_its_weakest_links() -> None:
    pairs = [CandidatePair(i, i + 1, 0.9 if i % 20 else 0.6) for i in range(1, 60)]
    assert cut_into_blocks(pairs) == [list(range(1, 21)), list(range(21, 41)), list(range(41, 61))]


def test_a_pair_that_would_overfill_a_block_is_passed_over_and_later_ones_still_join() -> None:
    first, second = (
        [CandidatePair(i, i + 1, 0.95) for i in range(19)],
        [CandidatePair(i, i + 1, 0.94) for i in range(100, 109)],
    )
    late = [CandidatePair(5, 105, 0.9), CandidatePair(19, 50, 0.8)]
    assert cut_into_blocks([*late, *first, *second]) == [[*range(20), 50], list(range(100, 110))]


def test_a_block_holds_twenty_five_names() -> None:
    pairs = [CandidatePair(i, i + 1, 0.9) for i in range(25)]
    assert cut_into_blocks(pairs) == [list(range(25))]


def test_a_group_is_split_where_members_conflict_or_are_far_apart() -> None:
    keys = ["tank 1", "tank 2", "tank one"]
    cosines = np.ones((3, 3), dtype=np.float32)
    assert split_group(
        [0, 1, 2], lambda i, j: conflict(Name(keys[i]), Name(keys[j])) is None, cosines, [1] * 3
    ) == [[0, 2], [1]]
    cosines[0, 2] = cosines[2, 0] = 0.5
    cosines[0, 1] = cosines[1, 0] = 0.9
    assert split_group([0, 1, 2], lambda i, j: True, cosines, [1] * 3) == [[0], [1, 2]]


def test_a_member_that_fits_two_parts_which_exclude_each_other_stays_alone() -> None:
    names = [Name(k, "person") for k in ("jim lovell", "lovell", "marilyn lovell")]
    parts = split_group(
        [0, 1, 2],
        lambda i, j: conflict(names[i], names[j]) is None,
        np.ones((3, 3), dtype=np.float32),
        [1] * 3,
    )
    assert parts == [[0], [1], [2]]


def test_a_group_holds_at_most_twelve_keys() -> None:
    parts = split_group(range(20), lambda i, j: True, np.ones((20, 20), dtype=np.float32), [1] * 20)
    assert max(len(p) for p in parts) == MAX_GROUP
    assert split_group([0, 1], lambda i, j: True, np.ones((2, 2), dtype=np.float32), [7, 6]) == [
        [0],
        [1],
    ]
