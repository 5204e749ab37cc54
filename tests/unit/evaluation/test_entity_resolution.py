"""`dynagrag evaluate entities`: the sets as they are read, the measures by hand, and the product's own consolidation measured on them."""

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pytest
import typer
from pydantic import BaseModel

from dynagrag.cli import evaluate_entities as cli_evaluate_entities
from dynagrag.cli.evaluate_entities import entity_report_lines
from dynagrag.errors import LoadError, ModelUnavailableError, UsageError
from dynagrag.evaluation.entity_resolution import EntityReport, evaluate_entities, mentions_of
from dynagrag.evaluation.entity_scores import cluster_scores, pair_scores, scores
from dynagrag.evaluation.entity_sets import (
    MAX_SUMMARY_WORDS,
    EntitySet,
    LabelledPair,
    load_entity_set,
    num_positives,
    read_aliases,
    read_ditto,
)
from dynagrag.fakes import FakeEmbedder
from dynagrag.fakes.server import OpenAIStubServer
from dynagrag.ingest.consolidate.verdicts import EntityGroups
from dynagrag.journal.workspace_journal import Journal
from dynagrag.protocols import Prompt

T = TypeVar("T", bound=BaseModel)
SHARED = Path(__file__).parents[4] / "shared" / "data"


def record(name: str, **columns: str) -> str:
    return " ".join(f"COL {column} VAL {value} " for column, value in {"name": name, **columns}.items())


def line(a: str, b: str, label: int | str) -> str:
    return f"{a}\t{b}\t{label}"


def diners() -> EntitySet:
    """Same key; a rule (spelling); one block for a judge; a positive that a guard keeps apart; two negatives, one of them alike."""
    lines = [
        line(record("Blue Door"), record("the blue door", city="york"), 1),
        line(record("High-Gain Grill"), record("high gain grill"), 1),
        line(record("Old Harbor Fish House"), record("old harbor fish"), 1),
        line(record("Pier 7 Bar"), record("pier bar"), 1),
        line(record("Old Harbor Fish House"), record("old harbor steak"), 0),
        line(record("Blue Door"), record("pier bar"), 0),
    ]
    return read_ditto(lines, "diners")


class Waiter:
    """A judge that joins names by a function of what it is shown."""

    def __init__(self, reply: Callable[[str], Sequence[dict[str, object]]]) -> None:
        self.reply = reply
        self.asked: list[str] = []

    def ask(self, prompt: Prompt, schema: type[T], *, stage: str, max_tokens: int, documents: Sequence[str] = ()) -> T:
        assert schema is EntityGroups
        self.asked.append(prompt.user)
        return schema.model_validate({"groups": self.reply(prompt.user)})


def joins(*members: str) -> Callable[[str], Sequence[dict[str, object]]]:
    return lambda shown: [{"canonical": members[0], "members": list(members)}] if all(m in shown for m in members) else []


# -------------------------------------------------------------------------------------------------------------- sets


def test_the_first_column_is_the_name_and_the_others_are_the_summary() -> None:
    lines = [line(record("blue door", addr="1 high st.", phone="", city="york"), record("door", note="COLVAL is no column"), 0)]
    a, b = read_ditto(lines, "x").items
    assert (a.name, a.summary, a.key) == ("blue door", "addr 1 high st.; city york", "blue door")
    assert (b.name, b.summary) == ("door", "note COLVAL is no column")


def test_a_summary_is_cut_to_what_an_extractor_may_say() -> None:
    (item, _) = read_ditto([line(record("tv", description="word " * 99), record("set"), 0)], "x").items
    assert len(item.summary.split()) == MAX_SUMMARY_WORDS


def test_records_of_one_side_with_the_same_columns_are_one_item_and_sides_stay_apart() -> None:
    entity_set = read_ditto([line(record("a1"), record("b1"), 0), line(record("a1"), record("a1"), 0)], "x")
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
    entity_set = read_ditto([line(*both, 1), line(*both, 1), line(record("c"), record("d"), 1), line(record("c"), record("d"), 0)], "x")
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
    {"mission": "m1", "kind": "role", "canonical": "Flight Director", "aliases": ["F", "Flight"], "definition": "Leads."},
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
    assert [i.summary for i in entity_set.items if i.name.startswith("F")] == ["Leads.", "", "", "", ""]


def test_one_mission_leaves_the_others_out_and_an_unknown_one_is_named() -> None:
    assert {item.name for item in read_aliases(ROWS, "x", "m2").items} == {"Flight director", "FD", "Lise Keller", "CDR"}
    with pytest.raises(UsageError, match=r"no mission 'm9' in x; known: m1, m2"):
        read_aliases(ROWS, "x", "m9")


def test_rows_that_are_none_are_set_aside() -> None:
    entity_set = read_aliases(["nothing", "[]", '{"canonical": "a"}', *ROWS], "x")
    assert list(entity_set.set_aside.values()) == [3]
    with pytest.raises(LoadError, match="holds no two names"):
        read_aliases(['{"canonical": "a", "aliases": []}'], "x")


# ------------------------------------------------------------------------------------------------------------- files


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
def test_a_set_is_found_by_its_name_in_the_folder_or_the_one_above(data: Path, dataset: str, name: str) -> None:
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
        ("ditto-DBLP-ACM", r"fits several sets in .*: ditto_Dirty_DBLP-ACM_valid, ditto_Structured_DBLP-ACM_valid$"),
    ],
)
def test_a_name_that_fits_no_set_or_several_is_wrong_use_and_says_which_there_are(data: Path, dataset: str, message: str) -> None:
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


# ---------------------------------------------------------------------------------------------------------- measures


def test_pairs_by_hand() -> None:
    pairs = [LabelledPair(0, 1, True), LabelledPair(1, 2, True), LabelledPair(2, 3, False), LabelledPair(0, 3, False)]
    assert pair_scores(pairs, "aabb") == scores(1 / 2, 1 / 2)
    assert pair_scores(pairs, "abcd") == scores(0.0, 0.0)
    assert pair_scores(pairs, "aaab") == scores(1.0, 1.0)


def test_b_cubed_by_hand() -> None:
    # items of gold {1, 1, 1, 2} in predicted {a, a, b, b}: precision (1 + 1 + 1/2 + 1/2) / 4, recall (2/3 + 2/3 + 1/3 + 1) / 4
    result = cluster_scores([1, 1, 1, 2], "aabb")
    assert (result.precision, result.recall) == (pytest.approx(0.75), pytest.approx(2 / 3))
    assert result.f1 == pytest.approx(2 * 0.75 * (2 / 3) / (0.75 + 2 / 3))
    assert cluster_scores([1, 2, 2], "abb") == scores(1.0, 1.0)
    assert cluster_scores([], "") == scores(0.0, 0.0)


# --------------------------------------------------------------------------------------------------------------- run


def test_blocking_recall_says_how_each_positive_pair_meets_and_why_one_does_not() -> None:
    report = evaluate_entities(diners(), FakeEmbedder())
    assert report.blocking.found == {"one key": 1, "rule": 1, "one block": 1}
    assert report.blocking.recall == 3 / 4
    assert [(m.a, m.b, m.reason) for m in report.missed] == [("Pier 7 Bar", "pier bar", "guard: different numbers")]
    assert report.blocking.num_calls == 1
    assert (report.num_items, report.num_keys, report.num_pairs, report.num_positives) == (9, 8, 6, 4)


def test_without_a_model_equal_keys_and_rules_join_and_nothing_else() -> None:
    report = evaluate_entities(diners(), FakeEmbedder())
    assert report.with_model is None
    assert report.without_model.pair == scores(1.0, 2 / 4)
    assert (report.without_model.num_clusters, report.without_model.num_joined) == (7, 4)
    assert report.without_model.cluster.precision == 1.0
    assert report.without_model.cluster.recall == pytest.approx((5 + 4 * 0.5) / 9)


def test_a_model_joins_what_rules_leave_open_and_its_errors_cost_precision() -> None:
    right = Waiter(joins("Old Harbor Fish House", "old harbor fish"))
    wrong = Waiter(joins("Old Harbor Fish House", "old harbor fish", "old harbor steak"))
    good, bad = (evaluate_entities(diners(), FakeEmbedder(), judge=j, judge_name="waiter").with_model for j in (right, wrong))
    assert good is not None
    assert bad is not None
    assert (good.name, good.num_calls, good.quality.pair) == ("waiter", 1, scores(1.0, 3 / 4))
    assert bad.quality.pair == scores(3 / 4, 3 / 4)
    assert bad.quality.cluster.precision < good.quality.cluster.precision


def test_what_the_rules_alone_reach_is_the_same_with_a_model_beside_them() -> None:
    judge = Waiter(joins("Old Harbor Fish House", "old harbor fish"))
    with_model = evaluate_entities(diners(), FakeEmbedder(), judge=judge)
    assert with_model.without_model == evaluate_entities(diners(), FakeEmbedder()).without_model
    assert with_model.with_model is not None
    assert with_model.with_model.quality != with_model.without_model


def test_a_model_that_is_gone_leaves_the_rules_result_and_a_note() -> None:
    class Gone:
        def ask(self, prompt: Prompt, schema: type[T], *, stage: str, max_tokens: int, documents: Sequence[str] = ()) -> T:
            raise ModelUnavailableError("the server is away")

    report = evaluate_entities(diners(), FakeEmbedder(), judge=Gone())
    assert report.with_model is not None
    assert report.with_model.quality == report.without_model
    assert "the server is away" in report.with_model.notes[0]


def test_summaries_are_shown_to_the_model_only_where_they_are_asked_for() -> None:
    lines = [line(record("Old Harbor Fish House", city="york"), record("old harbor fish", city="hull"), 1)]
    for has_summaries in (False, True):
        judge = Waiter(lambda shown: [])
        report = evaluate_entities(read_ditto(lines, "x"), FakeEmbedder(dimension=64), has_summaries=has_summaries, judge=judge)
        assert report.blocking.num_calls == len(judge.asked) == 1
        assert ("city hull" in judge.asked[0]) == has_summaries


def test_a_name_without_letters_and_digits_is_no_mention_and_joins_nothing() -> None:
    entity_set = read_ditto([line(record("..."), record("?!"), 1), line(record("a b"), record("c d"), 0)], "x")
    report = evaluate_entities(entity_set, FakeEmbedder())
    assert [m.name for m in mentions_of(entity_set.items, False)] == ["a b", "c d"]
    assert [m.reason for m in report.missed] == ["a name without letters and digits"]
    assert report.without_model.num_clusters == 4


def test_a_higher_threshold_puts_less_before_a_judge() -> None:
    rows = evaluate_entities(diners(), FakeEmbedder(), thresholds=(0.55, 0.8, 1.0)).thresholds
    assert [row.cosine for row in rows] == [0.55, 0.8, 1.0]
    for low, high in pairwise(rows):
        assert low.blocking_recall >= high.blocking_recall
        assert (low.num_compared, low.num_calls) >= (high.num_compared, high.num_calls)
    assert rows[0].blocking_recall == evaluate_entities(diners(), FakeEmbedder()).blocking.recall
    assert rows[-1].joined_by_cosine == evaluate_entities(diners(), FakeEmbedder()).without_model


def test_joining_by_cosine_keeps_to_the_guards() -> None:
    (row,) = evaluate_entities(diners(), FakeEmbedder(), thresholds=(0.55,)).thresholds
    assert row.joined_by_cosine.pair.recall == 3 / 4  # "Pier 7 Bar" is alike, and stays alone
    assert row.joined_by_cosine.pair.precision == 3 / 4  # the two old harbors are as near


def test_every_name_alone_and_all_names_the_same_are_measured_too() -> None:
    alone = evaluate_entities(read_ditto([line(record("north wind"), record("iron river"), 0)], "x"), FakeEmbedder())
    assert (alone.blocking.recall, alone.without_model.pair, alone.without_model.cluster) == (0.0, scores(0, 0), scores(1, 1))
    same = evaluate_entities(read_ditto([line(record("north wind"), record("North Wind"), 1)], "x"), FakeEmbedder())
    assert (same.blocking.recall, same.without_model.pair.f1) == (1.0, 1.0)


# ----------------------------------------------------------------------------------------------------------- command


@pytest.fixture
def own_file(tmp_path: Path, openai_stub: OpenAIStubServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set with a line that is none; the embedder is a server on the loopback, which has a chat model too."""
    path = tmp_path / "diners.txt"
    lines = [
        line(record("Blue Door"), record("the blue door"), 1),
        line(record("Old Harbor Fish"), record("old harbor fish house"), 1),
        "?",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setenv("OPENAI_BASE_URL", openai_stub.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.setenv("DYNAGRAG_EMBEDDER", "openai:fake")
    return path


def command(*args: str) -> object:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(cli_evaluate_entities.entities)
    return app(args=list(args), standalone_mode=False)


def test_the_command_prints_json_and_says_by_its_exit_code_that_lines_were_set_aside(
    own_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--dataset", "ditto", "--data", str(own_file), "--json", "--threshold", "0.7") == 3
    report = json.loads(capsys.readouterr().out)
    assert (report["dataset"], report["num_pairs"], report["blocking"]["recall"], report["with_model"]) == ("diners", 2, 1.0, None)
    assert report["without_model"]["pair"] == {"precision": 1.0, "recall": 0.5, "f1": pytest.approx(2 / 3)}
    assert [row["cosine"] for row in report["thresholds"]] == [0.7]


def test_the_command_keeps_a_models_replies_so_that_the_same_run_asks_nothing_twice(
    own_file: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        command("--dataset", "ditto", "--data", str(own_file), "--llm", "openai:fake", "--json")
    first, second = (json.loads(out)["with_model"] for out in capsys.readouterr().out.splitlines())
    assert first["num_calls"] == 1
    assert first["quality"] == second["quality"]
    journal = Journal(home / "evaluation" / "entities" / "journal.sqlite")
    assert [(row.calls, row.cached) for row in journal.ledger()] == [(1, 1)]
    journal.close()


def test_people_read_every_part_of_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    report = evaluate_entities(diners(), FakeEmbedder(), judge=Waiter(lambda shown: []), judge_name="waiter")
    text = "\n".join(entity_report_lines(report))
    for part in (
        "diners: 9 items under 8 keys, 6 labelled pairs, 4 of them one entity; bare names, embedder fake",
        "blocking recall 0.750: 1 one key, 1 rule, 1 one block, 1 missed",
        "'Pier 7 Bar' / 'pier bar'",
        "rules alone                1.000  0.500  0.667",
        "waiter                     1.000  0.500  0.667",
        "pairs that the set doesn't label count as different in clusters, and not at all in pairs",
    ):
        assert part in text
    assert json.loads(json.dumps(asdict(report)))["blocking"]["num_blocks"] == report.blocking.num_blocks


# --------------------------------------------------------------------------------------------------------- real sets


@pytest.mark.parametrize(("dataset", "num_pairs"), [("ditto-Fodors-Zagats", 190), ("ditto-Beer", 91), ("apollo13-aliases", 58_996)])
def test_the_real_sets_are_read_whole(dataset: str, num_pairs: int) -> None:
    if not SHARED.is_dir():
        pytest.skip("the development data is not beside the repository (../shared/data)")
    entity_set = load_entity_set(dataset, SHARED)
    assert (len(entity_set.pairs), dict(entity_set.set_aside)) == (num_pairs, {})


@pytest.mark.parametrize("dataset", ["ditto-Structured_Fodors-Zagats", "ditto-Structured_DBLP-ACM"])
def test_names_that_need_no_embedder_to_meet_do(dataset: str) -> None:
    """With MiniLM blocking recall is 1.000 and 0.993 (benchmarks/results/entities.txt); words alone come near."""
    if not SHARED.is_dir():
        pytest.skip("the development data is not beside the repository (../shared/data)")
    report: EntityReport = evaluate_entities(load_entity_set(dataset, SHARED), FakeEmbedder(dimension=64), thresholds=())
    assert report.blocking.recall >= 0.95
