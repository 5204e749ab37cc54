"""`evaluate extraction` from marked chunks to the folder: what is printed and kept, stopped and
gone on with, and what it costs.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import BudgetError, LoadError, SettingsError, UsageError
from dynagrag.core.protocols import Prompt
from dynagrag.evaluation.batches import MAX_FAILED
from dynagrag.evaluation.extraction.extraction_gold import shipped_gold
from dynagrag.evaluation.extraction.extraction_report import ExtractionResult, ExtractionRun
from dynagrag.evaluation.extraction.extraction_run import ExtractionRunOptions, evaluate_extraction
from dynagrag.evaluation.frame.kept_run import StoppedRunError
from dynagrag.fakes import FakeChat, simple_reply
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.ingest.plan import IngestEstimate

NASTY = "<script>alert('x')</script>"
PEOPLE = ["Ada", "Leo", "Grace", "Alan", "Edsger", "Barbara"]
ROWS = [
    {
        "id": f"row {n}",
        "turns": [{"speaker": "Host", "text": f"{name} works at Acme {n}. {NASTY} And it rained."}],
        "entities": [
            {"text": name, "type": "person"},
            {"text": f"Acme {n}", "type": "organization"},
            {"text": "rained"},
        ],
        "relations": [
            {
                "head": name,
                "label": "works at",
                "tail": f"Acme {n}",
                "quote": f"{name} works at Acme {n}.",
            }
        ],
    }
    for n, name in enumerate(PEOPLE, 1)
]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


@pytest.fixture
def evaluate(home: Path, gold: Path) -> Callable[..., tuple[ExtractionRun, ExtractionResult]]:
    def call(
        progress: Any = None, on_cost: Any = None, **options: Any
    ) -> tuple[ExtractionRun, ExtractionResult]:
        return evaluate_extraction(
            load_settings(home=home),
            ExtractionRunOptions(**{"gold": gold} | options),
            progress,
            on_cost,
        )

    return call


def point_at(server: OpenAIStubServer, monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    wanted = {
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "sk-none",
        "DYNAGRAG_LLM": "openai:fake",
        "DYNAGRAG_MAX_RETRIES": "0",
    }
    for name, value in (wanted | more).items():
        monkeypatch.setenv(name, value)


def test_the_shipped_chunks_are_measured_without_a_model_and_print_json_of_the_promised_shape(
    cli: Callable[..., Any], home: Path
) -> None:
    done = cli("evaluate", "extraction", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["dataset"], found["chunks"], found["extractor"], found["errors"]) == (
        "gold",
        40,
        "fast",
        0,
    )
    exact = found["entities"]["exact"]
    assert exact["num_gold"] > 700
    assert exact["precision"]["low"] < exact["precision"]["mean"] < exact["precision"]["high"]
    assert exact["num_right"] <= found["entities"]["overlap"]["num_right"]
    assert found["relations"]["directed"]["num_found"] == 0, (
        "without a model there are only pairs that are mentioned together"
    )
    assert found["co_occurrences"]["undirected"]["num_found"] > 0
    assert found["num_words"] > 0
    (run,) = (home / "evaluation" / "runs").iterdir()
    assert run.name.endswith("-extraction-gold-1")


def test_a_second_reading_is_measured_against_the_gold(
    cli: Callable[..., Any], gold: Path, tmp_path: Path
) -> None:
    done = cli(
        "evaluate",
        "extraction",
        "--reading",
        shipped_gold().parent / "second_reading.jsonl",
        "--json",
    )
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["chunks"] == 10
    assert found["entities"]["exact"]["f1"]["mean"] > 0.8
    mine = tmp_path / "reading.jsonl"
    mine.write_text(
        json.dumps(ROWS[1] | {"entities": ROWS[1]["entities"][:2]}) + "\n", encoding="utf-8"
    )
    done = cli("evaluate", "extraction", "--gold", gold, "--reading", mine)
    assert done.code == 0, done.err
    assert "gold: what a second reading finds" in done.out
    assert "1 chunk of text" in done.out
    assert "Of 2 things that were found, overlapping, 2 have the marked type." in done.out
    assert "the gold has no chunk 'row 2'" in cli(
        "evaluate", "extraction", "--reading", mine
    ).complaint(1)
    mine.write_text(
        json.dumps({"id": "row 1", "text": "Ada", "entities": [], "relations": []}) + "\n",
        encoding="utf-8",
    )
    assert "the text of 'row 1' is not that of the gold" in cli(
        "evaluate", "extraction", "--gold", gold, "--reading", mine
    ).complaint(1)
    assert "leave out --limit" in cli(
        "evaluate", "extraction", "--gold", gold, "--reading", mine, "--limit", "1"
    ).complaint(2)


def test_a_model_that_finds_all_but_the_rain_is_measured_so(
    gold: Path,
    cli: Callable[..., Any],
    openai_stub: OpenAIStubServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    point_at(openai_stub, monkeypatch)
    done = cli(
        "evaluate",
        "extraction",
        "--extractor",
        "llm",
        "--gold",
        gold,
        "--out",
        tmp_path / "run",
        "--json",
    )
    assert done.code == 0, (done.out, done.err)
    assert "estimate: 6 calls, " in done.err
    found = json.loads(done.out)
    assert found["llm"] == "openai:fake"
    assert found["entities"]["exact"]["precision"]["mean"] == 1
    assert found["entities"]["exact"]["recall"]["mean"] == pytest.approx(2 / 3, abs=1e-5)
    assert found["relations"]["directed"]["f1"] == {"mean": 1, "low": 1, "high": 1}
    assert found["type_agreement"]["matched"] == 12
    run = ExtractionRun.read(tmp_path / "run")
    assert {p.name for p in run.path.iterdir()} == {
        "run.json",
        "found.jsonl",
        "chunks.jsonl",
        "summary.json",
        "report.html",
    }
    assert len(run.lines()) == len(run.chunks()) == 6
    before = openai_stub.counts.chat_calls
    again = json.loads(
        cli("evaluate", "extraction", "--extractor", "llm", "--gold", gold, "--json").out
    )
    assert again["entities"] == found["entities"]
    assert openai_stub.counts.chat_calls == before == 6, "replies are kept"


def test_the_report_shows_what_went_wrong_and_lets_no_text_be_markup(
    evaluate: Callable[..., Any],
) -> None:
    run, _ = evaluate()
    html = (run.path / "report.html").read_text(encoding="utf-8")
    assert "rained" in html
    assert "default-src 'none'" in html
    assert "<script" not in html
    assert "http" not in html.replace("http-equiv", "")


def test_a_budget_stops_a_run_which_then_goes_on_where_it_was(
    evaluate: Callable[..., Any],
    openai_stub: OpenAIStubServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    point_at(
        openai_stub,
        monkeypatch,
        DYNAGRAG_MAX_CONCURRENCY="1",
        DYNAGRAG_PRICE_PER_MILLION_PROMPT_TOKENS="1000",
    )
    costs: list[IngestEstimate] = []
    with pytest.raises(BudgetError, match="the budget of 4 model calls is spent"):
        evaluate(extractor="llm", out=tmp_path / "run", max_calls=4, on_cost=costs.append)
    assert openai_stub.counts.chat_calls == 4
    run, result = evaluate(extractor="llm", out=tmp_path / "run", on_cost=costs.append)
    assert openai_stub.counts.chat_calls == 6, "nothing that was answered is asked again"
    assert [cost.calls for cost in costs] == [6, 2]
    assert costs[0].money == pytest.approx(costs[0].prompt_tokens / 1000)
    assert result.errors == 0
    assert sorted(line.chunk for line in run.lines()) == [row["id"] for row in ROWS]


def test_a_run_in_two_parts_counts_all_that_was_dropped_and_keeps_it_when_it_is_done(
    evaluate: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def reply(prompt: Prompt, schema: Mapping[str, Any] | None) -> str:
        facts = json.loads(simple_reply(prompt, schema))
        return json.dumps(facts | {"entities": [*facts["entities"], {"name": "it"}]})

    with OpenAIStubServer(FakeChat(reply)) as server:
        point_at(server, monkeypatch, DYNAGRAG_MAX_CONCURRENCY="2")
        with pytest.raises(BudgetError):
            evaluate(extractor="llm", out=tmp_path / "run", max_calls=4)
        run, resumed = evaluate(extractor="llm", out=tmp_path / "run")
        before = run.summary_file.read_bytes()
        _, done = evaluate(extractor="llm", out=tmp_path / "run")
    assert resumed.dropped == done.dropped == {"entity: no name": len(ROWS)}
    assert run.summary_file.read_bytes() == before
    assert f"dropped: {len(ROWS)} x entity: no name" in run.report().notes


def test_the_parts_of_a_chunk_that_failed_are_not_counted_twice_when_it_is_tried_again(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A row that the extractor takes in parts: of two of them it drops something, and one of these
    fails at first.
    """
    ends = ("Ada works at Acme.", "Leo works at Delft.")
    turns = [{"text": " ".join([end, *["It rained."] * 400])} for end in ends]
    row = {"id": "long", "turns": turns, "entities": [{"text": "Ada"}], "relations": []}
    (tmp_path / "long.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    is_down = True

    def reply(prompt: Prompt, schema: Mapping[str, Any] | None) -> str:
        if is_down and "Leo works" in prompt.user:
            return "no JSON"
        names = ["it"] if "works at" in prompt.user else []
        return json.dumps({"entities": [{"name": name} for name in names], "relations": []})

    options = ExtractionRunOptions("llm", tmp_path / "long.jsonl", out=tmp_path / "run")
    with OpenAIStubServer(FakeChat(reply)) as server:
        point_at(server, monkeypatch)
        _, first = evaluate_extraction(load_settings(home=home), options)
        is_down = False
        _, again = evaluate_extraction(load_settings(home=home), options)
    assert (first.errors, first.dropped) == (1, {"entity: no name": 1})
    assert (again.errors, again.dropped) == (0, {"entity: no name": 2})


def test_a_relation_whose_ends_are_only_mentioned_together_is_listed_as_not_found(
    gold: Path, evaluate: Callable[..., Any]
) -> None:
    quote = "In May Ada Byron joined Acme Works."
    relation = {"head": "Ada Byron", "label": "joined", "tail": "Acme Works", "quote": quote}
    ends = [{"text": relation["head"]}, {"text": relation["tail"]}]
    row = {"id": "a", "text": quote, "entities": ends, "relations": [relation]}
    gold.write_text(json.dumps(row) + "\n", encoding="utf-8")
    run, result = evaluate()
    assert result.co_occurrences["undirected"].num_hit == 1
    assert result.relations["undirected"].num_hit == 0
    (worst,) = run.report().cases
    (listing,) = worst.cases[0].columns[3].listings
    assert [item.words for item in listing.items] == ["ada byron | joined | acme works"]


def test_the_chunks_with_most_mistakes_count_things_and_relations(
    gold: Path, evaluate: Callable[..., Any]
) -> None:
    rows = [ROWS[0] | {"relations": []}, ROWS[1]]
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run, _ = evaluate()
    (worst,) = run.report().cases
    for case in worst.cases:
        wrong, missed, wrong_pairs, missed_pairs = (
            len(column.listings[0].items) for column in case.columns
        )
        assert case.value == f"{wrong + wrong_pairs} wrong, {missed + missed_pairs} missed"
    assert [case.text for case in worst.cases] == ["row 2", "row 1"]


def test_a_stopped_run_goes_on_to_the_same_summary(
    evaluate: Callable[..., Any], tmp_path: Path
) -> None:
    def interrupt(stage: str, done: int, total: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(StoppedRunError, match=r"resume with the same command and --out .*run"):
        evaluate(interrupt, out=tmp_path / "run")
    path = tmp_path / "run" / "found.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    seen: list[int] = []
    run, result = evaluate(lambda stage, done, total: seen.append(done), out=tmp_path / "run")
    assert seen == [4, 5, 6], "the torn one and those that were left"
    assert len(run.lines()) == 6
    whole = evaluate(out=tmp_path / "whole")[1]
    assert result.model_copy(update={"run": ""}) == whole.model_copy(update={"run": ""})
    with pytest.raises(UsageError, match="made with other settings: seed was 0, is 1"):
        evaluate(out=tmp_path / "run", seed=1)


def test_chunks_that_failed_are_counted_and_tried_again(
    gold: Path,
    cli: Callable[..., Any],
    openai_stub: OpenAIStubServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    point_at(openai_stub, monkeypatch, DYNAGRAG_MAX_CONCURRENCY="1")
    openai_stub.fail_next(Fault.GARBAGE, 2)
    command = (
        "evaluate",
        "extraction",
        "--extractor",
        "llm",
        "--gold",
        gold,
        "--out",
        tmp_path / "run",
    )
    done = cli(*command)
    assert done.code == 3, (done.out, done.err)
    assert "2 chunks failed in part" in done.out
    done = cli(*command)
    assert done.code == 0, (done.out, done.err)
    assert len(ExtractionRun.read(tmp_path / "run").lines()) == 6 + 2


def test_a_model_that_no_chunk_reaches_ends_the_run_with_its_words(
    gold: Path,
    cli: Callable[..., Any],
    openai_stub: OpenAIStubServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    point_at(openai_stub, monkeypatch, DYNAGRAG_MAX_CONCURRENCY="1")
    command = ("evaluate", "extraction", "--extractor", "llm", "--gold", gold, "--limit", "2")
    openai_stub.fail_next(Fault.SERVER_ERROR, 20)
    done = cli(*command, "--out", tmp_path / "run")
    assert (done.code, done.out) == (1, ""), "no figures of what was not asked"
    assert "failed on its own side" in done.err
    assert "resume with the same command" in done.err
    openai_stub.reset()
    assert cli(*command, "--out", tmp_path / "run").code == 0


def test_a_limit_takes_the_first_chunks(evaluate: Callable[..., Any]) -> None:
    run, result = evaluate(limit=2)
    assert result.chunks == len(run.chunks()) == 2


def test_a_summary_of_before_is_read(evaluate: Callable[..., Any]) -> None:
    run, result = evaluate()
    old = json.loads(run.summary_file.read_text(encoding="utf-8"))
    del old["format"], old["entities"]["with_inner"]
    run.summary_file.write_text(json.dumps(old), encoding="utf-8")
    read = ExtractionRun.read(run.path)
    assert read.result().entities["exact"] == result.entities["exact"]
    assert "names inside others" not in str(read.report().results)


def test_a_run_ends_with_its_figures_though_no_reply_could_be_read(
    tmp_path: Path,
    cli: Callable[..., Any],
    openai_stub: OpenAIStubServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    point_at(openai_stub, monkeypatch)
    rows = [ROWS[0] | {"id": f"row {n}", "document": ""} for n in range(MAX_FAILED + 1)]
    gold = tmp_path / "many.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    openai_stub.fail_next(Fault.INVALID, 10 * len(rows))
    done = cli("evaluate", "extraction", "--extractor", "llm", "--gold", gold, "--json")
    assert done.code == 3, (done.out, done.err)
    assert json.loads(done.out)["errors"] == len(rows)


@pytest.mark.parametrize(
    ("options", "error", "wanted"),
    [
        ({"extractor": "guess"}, UsageError, "unknown extractor 'guess'; known: llm"),
        (
            {"extractor": "file"},
            UsageError,
            "--extractor file reads what others extracted; name one that reads texts: fast or llm",
        ),
        ({"extractor": "llm"}, SettingsError, "asks a language model: name one with --llm"),
        ({"gold": Path("nowhere.jsonl")}, LoadError, r"nowhere\.jsonl cannot be read"),
    ],
)
def test_wrong_use_is_refused_before_a_folder_is_made(
    options: dict[str, Any],
    error: type[Exception],
    wanted: str,
    evaluate: Callable[..., Any],
    home: Path,
) -> None:
    with pytest.raises(error, match=wanted):
        evaluate(**options)
    assert not (home / "evaluation" / "runs").exists()


def test_the_types_of_a_file_write_no_line_of_their_own(cli: Any, tmp_path: Path) -> None:
    row = {
        "text": "Ada left.",
        "entities": [{"text": "Ada", "type": "x\n  FAKE\x1b[2J\u200f"}],
        "relations": [],
    }
    (tmp_path / "g.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    done = cli("evaluate", "extraction", "--gold", tmp_path / "g.jsonl")
    assert done.code == 0
    assert not [line for line in done.out.splitlines() if line.strip().startswith("FAKE")]
    assert not {"\x1b", "\u200f"} & set(done.out)


def test_the_estimate_counts_the_thoughts_of_a_model_that_thinks(
    gold: Path,
    cli: Callable[..., Any],
    openai_stub: OpenAIStubServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    point_at(openai_stub, monkeypatch)
    options = ("--extractor", "llm", "--gold", gold, "--limit", 2)
    tokens = []
    for llm in ("openai:m", "openai:gpt-5-mini"):
        done = cli("evaluate", "extraction", *options, "--llm", llm, "--out", tmp_path / llm[-4:])
        found = re.search(r"estimate: 2 calls, .* ([\d,]+) reply tokens", done.err)
        assert found is not None, done.err
        tokens.append(int(found[1].replace(",", "")))
    assert tokens[1] == tokens[0] + 2000
