"""Sets of labelled names as they are read: pairs in Ditto form, lists of aliases, and the files
that hold them.
"""

import gzip
import json
from pathlib import Path

import pytest
from labelled_names import line, record

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.evaluation.entities.entity_sets import (
    MAX_SUMMARY_WORDS,
    LabelledPair,
    load_entity_set,
    num_positives,
    read_aliases,
    read_ditto,
)

SHARED = Path(__file__).parents[5] / "shared" / "data"


def test_the_first_column_is_the_name_and_the_others_are_the_summary() -> None:
    lines = [
        line(
            record("blue door", addr="1 high st.", phone="", city="york"),
            record("door", note="COLVAL is no column"),
            0,
        )
    ]
    a, b = read_ditto(lines, "x").items
    assert (a.name, a.summary, a.key) == ("blue door", "addr 1 high st.; city york", "blue door")
    assert (b.name, b.summary) == ("door", "note COLVAL is no column")


def test_a_summary_is_cut_to_what_an_extractor_may_say() -> None:
    item, _ = read_ditto(
        [line(record("tv", description="word " * 99), record("set"), 0)], "x"
    ).items
    assert len(item.summary.split()) == MAX_SUMMARY_WORDS


def test_records_of_one_side_with_the_same_columns_are_one_item_and_sides_stay_apart() -> None:
    entity_set = read_ditto(
        [line(record("a1"), record("b1"), 0), line(record("a1"), record("a1"), 0)], "x"
    )
    assert [item.name for item in entity_set.items] == ["a1", "b1", "a1"]


def test_pairs_that_are_the_same_make_clusters_also_over_others() -> None:
    lines = [
        line(record("a"), record("b"), 1),
        line(record("c"), record("b"), 1),
        line(record("c"), record("d"), 1),
        line(record("e"), record("d"), 0),
    ]
    clusters = {item.name: item.cluster for item in read_ditto(lines, "x").items}
    assert len({clusters[name] for name in "abcd"}) == 1
    assert clusters["e"] != clusters["a"]


def test_a_repeated_pair_counts_once_and_one_labelled_both_ways_not_at_all() -> None:
    both = (record("a"), record("b"))
    entity_set = read_ditto(
        [
            line(*both, 1),
            line(*both, 1),
            line(record("c"), record("d"), 1),
            line(record("c"), record("d"), 0),
        ],
        "x",
    )
    assert entity_set.pairs == (LabelledPair(0, 1, is_same=True),)
    assert (entity_set.num_repeats, entity_set.set_aside) == (1, {"pair labelled both ways": 1})
    assert entity_set.items[2].cluster != entity_set.items[3].cluster


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "words",
        "a\tb\t1",
        line(record("a"), record("b"), 2),
        line(record("a"), record(""), 1),
        f"{record('a')}\t1",
        f"x {record('a')}\t\t0",
    ],
)
def test_a_line_that_is_no_labelled_pair_is_set_aside_and_the_others_are_read(bad: str) -> None:
    entity_set = read_ditto([bad, line(record("a"), record("b"), 1)], "x")
    assert (len(entity_set.pairs), sum(entity_set.set_aside.values())) == (1, 1)
    with pytest.raises(LoadError, match="holds no pair in Ditto form"):
        read_ditto([bad], "x")


def aliases(*rows: dict[str, object]) -> list[str]:
    return [json.dumps(row) for row in rows]


ROWS = aliases(
    {
        "mission": "m1",
        "kind": "role",
        "canonical": "Flight Director",
        "aliases": ["F", "Flight"],
        "definition": "Leads.",
    },
    {"mission": "m1", "kind": "person", "canonical": "Ada Byron", "aliases": ["CDR"]},
    {"mission": "m1", "kind": "role", "canonical": None, "aliases": ["CDR (EVA)"]},
    {"mission": "m2", "kind": "role", "canonical": "Flight director", "aliases": ["FD"]},
    {"mission": "m2", "kind": "person", "canonical": "Lise Keller", "aliases": ["CDR"]},
)


def test_a_list_of_aliases_labels_all_pairs_and_joins_rows_of_one_canonical_name() -> None:
    entity_set = read_aliases(ROWS, "x")
    by_cluster: dict[int, set[str]] = {}
    for item in entity_set.items:
        by_cluster.setdefault(item.cluster, set()).add(item.name)
    assert sorted(sorted(names) for names in by_cluster.values()) == [
        ["Ada Byron", "CDR"],
        ["CDR", "Lise Keller"],
        ["CDR (EVA)"],
        ["F", "FD", "Flight", "Flight Director", "Flight director"],
    ]
    assert entity_set.is_complete
    assert (len(entity_set.pairs), num_positives(entity_set.pairs)) == (45, 12)
    assert [i.summary for i in entity_set.items if i.name.startswith("F")] == [
        "Leads.",
        "",
        "",
        "",
        "",
    ]


def test_one_mission_leaves_the_others_out_and_an_unknown_one_is_named() -> None:
    assert {item.name for item in read_aliases(ROWS, "x", "m2").items} == {
        "Flight director",
        "FD",
        "Lise Keller",
        "CDR",
    }
    with pytest.raises(UsageError, match=r"no mission 'm9' in x; known: m1, m2"):
        read_aliases(ROWS, "x", "m9")


def test_rows_that_are_none_are_set_aside() -> None:
    entity_set = read_aliases(["nothing", "[]", '{"canonical": "a"}', *ROWS], "x")
    assert list(entity_set.set_aside.values()) == [3]
    with pytest.raises(LoadError, match="holds no two names"):
        read_aliases(['{"canonical": "a", "aliases": []}'], "x")


# -------------------------------------------------------------------------------------------- files


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "entity_resolution"
    folder.mkdir(parents=True)
    text = line(record("a"), record("b"), 1) + "\n"
    (folder / "ditto_Structured_Ale_valid.txt").write_text(text, encoding="utf-8")
    for name in ("Structured", "Dirty"):
        (folder / f"ditto_{name}_DBLP-ACM_valid.txt.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "apollo13_glossary_aliases.jsonl").write_text("\n".join(ROWS), encoding="utf-8")
    (folder / "spacelog_aliases.jsonl").write_text("\n".join(ROWS), encoding="utf-8")
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("dataset", "name"),
    [
        ("ditto-ale", "ditto_Structured_Ale_valid"),
        ("ditto-Structured_DBLP-ACM", "ditto_Structured_DBLP-ACM_valid"),
        ("ditto-dirty-dblp-acm-valid", "ditto_Dirty_DBLP-ACM_valid"),
        ("apollo13-aliases", "apollo13-aliases"),
        ("spacelog-m1", "spacelog-m1"),
    ],
)
def test_a_set_is_found_by_its_name_in_the_folder_or_the_one_above(
    data: Path, dataset: str, name: str
) -> None:
    assert load_entity_set(dataset, data).name == name
    assert load_entity_set(dataset, data / "entity_resolution").name == name


def test_a_set_may_be_a_file_of_ones_own(data: Path, tmp_path: Path) -> None:
    own = tmp_path / "mine.txt"
    own.write_bytes((data / "entity_resolution" / "ditto_Structured_Ale_valid.txt").read_bytes())
    assert load_entity_set("ditto", own).name == "mine"


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ("beer", r"unknown set 'beer'; known: ditto-NAME, apollo13-aliases"),
        ("ditto-wine", r"ditto-wine fits no set in .*: ditto_Dirty_DBLP-ACM_valid, .*Ale"),
        (
            "ditto-DBLP-ACM",
            (
                r"fits several sets in .*: ditto_Dirty_DBLP-ACM_valid,"
                r" ditto_Structured_DBLP-ACM_valid$"
            ),
        ),
    ],
)
def test_a_name_that_fits_no_set_or_several_is_wrong_use_and_says_which_there_are(
    data: Path, dataset: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        load_entity_set(dataset, data)


def test_a_file_that_is_missing_or_broken_is_named(data: Path, tmp_path: Path) -> None:
    for dataset in ("ditto-ale", "apollo13-aliases"):
        with pytest.raises(LoadError, match="--data"):
            load_entity_set(dataset, tmp_path / "nowhere")
    broken = data / "entity_resolution" / "ditto_Structured_Ale_valid.txt"
    for content in (gzip.compress(b"words")[:-9], b"\xff\xfe\xff"):
        broken.write_bytes(content)
        with pytest.raises(LoadError, match=r"Ale_valid\.txt can't be read as text"):
            load_entity_set("ditto-ale", data)


# ---------------------------------------------------------------------------------------- real sets


@pytest.mark.parametrize(
    ("dataset", "num_pairs"),
    [("ditto-Fodors-Zagats", 190), ("ditto-Beer", 91), ("apollo13-aliases", 58_996)],
)
def test_the_real_sets_are_read_whole(dataset: str, num_pairs: int) -> None:
    if not SHARED.is_dir():
        pytest.skip("the development data is not beside the repository")
    entity_set = load_entity_set(dataset, SHARED)
    assert (len(entity_set.pairs), dict(entity_set.set_aside)) == (num_pairs, {})
