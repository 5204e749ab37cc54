"""`evaluate citations` from files and workspace to the folder: what is printed and kept, stopped
and gone on with, and what it costs.
"""

import json
import re
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from dynagrag import demo
from dynagrag.config.settings import load_settings
from dynagrag.core.errors import (
    BudgetError,
    LoadError,
    SettingsError,
    UsageError,
)
from dynagrag.core.schema import Claim, ClaimCheck, Verdict
from dynagrag.evaluation.citations.checking_cost import CheckingCost
from dynagrag.evaluation.citations.citation_report import CitationResult, CitationRun
from dynagrag.evaluation.citations.citation_run import CitationOptions, evaluate_citations
from dynagrag.evaluation.frame.kept_run import ManyFailuresError, StoppedRunError
from dynagrag.evaluation.retrieval.retrieval_report import RetrievalRun
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.journal.workspace_journal import Journal
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.ingest_job import IngestOptions

NASTY = "<script>alert('x')</script>"
ROWS = [
    {
        "claim": f"Ada {verb} in 18{n}.",
        "evidence": ["Nobody came.", f"Ada left in 18{n}. {NASTY}"],
        "label": int(verb == "left"),
        "kind": kind,
    }
    for n in range(30, 36)
    for verb, kind in (("left", ""), ("sang", "verb"), ("never left", "neg"))
]
FIGURES = {
    "n",
    "balanced",
    "interval",
    "true_kept",
    "false_caught",
    "ms",
    "auroc",
    "scores",
    "num_true",
    "num_false",
    "verdicts",
}


class Counting:
    """Calls everything stated by the first line, and counts."""

    name = "all"

    def __init__(self) -> None:
        self.num_checked = 0

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        self.num_checked += len(claims)
        return [ClaimCheck(Verdict.STATED, (0,)) for _ in claims]


class Noting:
    """Calls everything not found, since it went without something."""

    name = "without"

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        return [ClaimCheck(Verdict.NOT_FOUND, note="no model answers") for _ in claims]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


@pytest.fixture
def evaluate(home: Path, pairs: Path) -> Callable[..., tuple[CitationRun, CitationResult]]:
    def call(
        checker: Any = None, progress: Any = None, on_cost: Any = None, **options: Any
    ) -> tuple[CitationRun, CitationResult]:
        wanted = options if {"workspace", "dataset"} & set(options) else {"pairs": pairs} | options
        made = {} if checker is None else {"make": lambda *_: checker}
        return evaluate_citations(
            load_settings(home=home), CitationOptions(**wanted), progress, on_cost, **made
        )

    return call


@pytest.fixture
def demo_workspace(open_space: Callable[..., Workspace]) -> str:
    """The demo's transcripts, with a graph made without a model."""
    space = open_space("demo")
    space.ingest([str(path) for path in demo.transcripts()], IngestOptions(extractor="fast"))
    space.close()
    return "demo"


def test_the_demo_is_checked_by_rules_and_prints_json_of_the_promised_shape(
    demo_workspace: str, cli: Callable[..., Any], home: Path
) -> None:
    done = cli("evaluate", "citations", "-w", demo_workspace, "--checker", "rules", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    own = found["checkers"]["rules"]
    assert set(own) >= FIGURES
    assert own["n"] == found["claims"] > 40
    assert own["num_true"] * 2 == own["n"]
    assert set(own["false_caught"]) >= {
        "number",
        "negation",
        "name",
        "verb",
        "speaker",
        "modality",
        "invention",
    }
    assert set(own["verdicts"]) == {
        *own["false_caught"],
        "as it stands",
        "as its speaker said",
        "reworded",
    }
    for share in (own["balanced"], own["true_kept"], *own["false_caught"].values()):
        assert 0 <= share <= 1
    assert own["balanced"] > 0.5
    again = cli(
        "evaluate", "citations", "-w", demo_workspace, "--json", "--limit", "8", "--seed", "5"
    )
    assert json.loads(again.out)["claims"] == 8
    assert len(list((home / "evaluation" / "runs").iterdir())) == 2


def test_a_checker_that_calls_everything_stated_is_worth_a_half(
    demo_workspace: str, evaluate: Callable[..., Any]
) -> None:
    for options in ({"workspace": demo_workspace, "data": Path("elsewhere")}, {}):
        own = evaluate(Counting(), **options)[1].checkers["rules"]
        assert (own.balanced, own.true_kept, set(own.false_caught.values())) == (
            0.5,
            1.0,
            {0.0},
        )


def test_pairs_are_checked_and_all_that_was_found_is_kept(
    pairs: Path, cli: Callable[..., Any], tmp_path: Path
) -> None:
    done = cli("evaluate", "citations", "--pairs", pairs, "--out", tmp_path / "run")
    assert done.code == 0, done.err
    assert "18 claims, 6 true, 12 false (6 neg, 6 verb), were each checked" in done.out
    run = CitationRun.read(tmp_path / "run")
    assert {p.name for p in run.path.iterdir()} == {
        "run.json",
        "checks.jsonl",
        "claims.jsonl",
        "summary.json",
        "report.html",
    }
    assert len(run.lines()) == len(run.claims()) == 18
    own = run.result().checkers["rules"]
    assert (own.n, own.false_caught["neg"], own.num_false) == (
        18,
        1.0,
        {"neg": 6, "verb": 6},
    )
    assert all(line.ms > 0 and not line.error for line in run.lines())


def test_the_report_shows_what_went_wrong_and_lets_no_text_be_markup(
    evaluate: Callable[..., Any],
) -> None:
    run, _ = evaluate(Counting())
    html = (run.path / "report.html").read_text(encoding="utf-8")
    assert "What rules got wrong" in html
    assert html.count("<svg") == 1
    assert "Ada sang in 1830." in html
    assert "default-src 'none'" in html
    assert "<script" not in html
    assert "http" not in html.replace("http-equiv", "")


def test_several_checkers_are_compared_with_the_first_on_the_same_claims(
    pairs: Path,
    cli: Callable[..., Any],
    openai_stub: OpenAIStubServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    point_at(openai_stub, monkeypatch)
    done = cli(
        "evaluate",
        "citations",
        "--pairs",
        pairs,
        "--checker",
        "rules,model",
        "--checker",
        "rules+model",
        "--json",
    )
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert list(found["checkers"]) == ["rules", "model", "rules+model"]
    assert set(found["differences"]) == {"model", "rules+model"}
    assert "estimate for model: at most 18 calls, " in done.err
    assert "estimate for rules:" not in done.err
    assert openai_stub.counts.chat_calls == 18, "a large model is not asked for probabilities"
    before = openai_stub.counts.chat_calls
    again = json.loads(
        cli("evaluate", "citations", "--pairs", pairs, "--checker", "model", "--json").out
    )
    assert again["checkers"]["model"]["balanced"] == found["checkers"]["model"]["balanced"]
    assert openai_stub.counts.chat_calls == before, "replies are kept"


def test_a_reply_from_the_cache_counts_with_the_time_that_it_took_when_it_was_made(
    evaluate: Callable[..., Any], openai_stub: OpenAIStubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_at(openai_stub, monkeypatch, DYNAGRAG_MAX_CONCURRENCY="1")
    seconds = count(step=100)
    monkeypatch.setattr(Journal, "cached_seconds", lambda journal: next(seconds))
    run, summary = evaluate(checkers=("model",), limit=4)
    assert all(100_000 <= line.ms < 150_000 for line in run.lines())
    assert summary.checkers["model"].ms >= 100_000


def point_at(server: OpenAIStubServer, monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    wanted = {
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "sk-none",
        "DYNAGRAG_LLM": "openai:fake",
        "DYNAGRAG_MAX_RETRIES": "0",
    }
    for name, value in (wanted | more).items():
        monkeypatch.setenv(name, value)


def test_a_budget_stops_a_run_which_then_goes_on_where_it_was(
    evaluate: Callable[..., Any],
    openai_stub: OpenAIStubServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    point_at(
        openai_stub,
        monkeypatch,
        DYNAGRAG_MAX_CONCURRENCY="2",
        DYNAGRAG_PRICE_PER_MILLION_PROMPT_TOKENS="1000",
    )
    costs: list[CheckingCost] = []
    with pytest.raises(BudgetError, match="the budget of 6 model calls is spent"):
        evaluate(
            checkers=("model",),
            out=tmp_path / "run",
            max_calls=6,
            on_cost=lambda _, cost: costs.append(cost),
        )
    assert openai_stub.counts.chat_calls == 6
    run, summary = evaluate(
        checkers=("model",), out=tmp_path / "run", on_cost=lambda _, cost: costs.append(cost)
    )
    assert summary.checkers["model"].n == len({line.claim for line in run.lines()}) == 18
    assert openai_stub.counts.chat_calls == 18, "nothing that was answered is asked again"
    assert [cost.calls for cost in costs] == [18, 13]
    assert costs[0].money == pytest.approx(costs[0].prompt_tokens / 1000)


def test_a_stopped_run_goes_on_to_the_same_summary(
    evaluate: Callable[..., Any], tmp_path: Path
) -> None:
    def interrupt(stage: str, done: int, total: int) -> None:
        if done == 10:
            raise KeyboardInterrupt

    with pytest.raises(StoppedRunError, match=r"resume with the same command and --out .*run"):
        evaluate(Counting(), interrupt, out=tmp_path / "run")
    path = tmp_path / "run" / "checks.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    checker = Counting()
    run, summary = evaluate(checker, out=tmp_path / "run")
    assert checker.num_checked == 1 + 9, "one to warm up, the torn one and those that were left"
    assert len(run.lines()) == 18
    whole = evaluate(Counting(), out=tmp_path / "whole")[1]
    figures = [found.as_json() for found in (summary, whole)]
    for found in figures:
        del found["run"], found["checkers"]["rules"]["ms"]
    assert figures[0] == figures[1]
    with pytest.raises(UsageError, match="made with other settings: seed was 0, is 1"):
        evaluate(Counting(), out=tmp_path / "run", seed=1)


def test_without_out_a_stopped_run_of_the_same_settings_is_gone_on_with(
    evaluate: Callable[..., Any],
) -> None:
    with pytest.raises(BudgetError):
        evaluate(Counting(), lambda *_: (_ for _ in ()).throw(BudgetError("spent")))
    first, _ = evaluate(Counting())
    assert first.path.name.endswith("-citations-pairs-1")
    assert evaluate(Counting())[0].path.name.endswith("-citations-pairs-2")


def test_claims_that_a_model_did_not_answer_for_are_counted_and_tried_again(
    pairs: Path,
    cli: Callable[..., Any],
    openai_stub: OpenAIStubServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    point_at(openai_stub, monkeypatch, DYNAGRAG_MAX_CONCURRENCY="1")
    openai_stub.fail_next(Fault.GARBAGE, 2)
    command = (
        "evaluate",
        "citations",
        "--pairs",
        pairs,
        "--checker",
        "rules+model",
        "--out",
        tmp_path / "run",
    )
    done = cli(*command)
    assert done.code == 3, (done.out, done.err)
    assert "rules+model: 2 claims not checked in full" in done.out
    done = cli(*command)
    assert done.code == 0, (done.out, done.err)
    assert len(CitationRun.read(tmp_path / "run").lines()) == 18 + 2


def test_a_model_that_answers_nothing_in_a_row_stops_the_run(
    evaluate: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dynagrag.evaluation.batches.MAX_FAILED", 5)
    with pytest.raises(
        ManyFailuresError,
        match=r"the last 5 claims failed \(rules\): no model answers; what was",
    ):
        evaluate(Noting())


def test_a_run_of_another_kind_is_none_to_compare(evaluate: Callable[..., Any]) -> None:
    run, _ = evaluate(Counting())
    with pytest.raises(
        LoadError, match=r"holds a run of another kind \(it has no questions\.jsonl\)"
    ):
        RetrievalRun.read(run.path)


@pytest.mark.parametrize(
    ("options", "error", "wanted"),
    [
        ({"pairs": None}, UsageError, "name what to check, one of"),
        ({"workspace": "w", "pairs": Path("a")}, UsageError, "name what to check, one of"),
        ({"dataset": "wice"}, UsageError, "say where wice lies: --data"),
        (
            {"dataset": "fever", "data": Path()},
            UsageError,
            "unknown data set 'fever'; known: gold, short, wice",
        ),
        ({"checkers": ()}, UsageError, "name a checker"),
        ({"checkers": ("guess",)}, UsageError, "unknown checker 'guess'; known: rules"),
        (
            {"checkers": ("rules+model",)},
            SettingsError,
            "asks a language model: name one with --llm",
        ),
        ({"pairs": Path("nowhere.jsonl")}, LoadError, "nowhere.jsonl cannot be read"),
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


def test_the_kinds_of_a_file_write_no_line_of_their_own(cli: Any, tmp_path: Path) -> None:
    rows = [
        {
            "claim": "Ada left.",
            "evidence": "Ada left.",
            "label": n,
            "kind": "x\n  FAKE\x1b[2J\u200f" * (1 - n),
        }
        for n in (0, 1)
    ]
    (tmp_path / "p.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    done = cli("evaluate", "citations", "--pairs", tmp_path / "p.jsonl")
    assert done.code == 0
    assert not [line for line in done.out.splitlines() if line.strip().startswith("FAKE")]
    assert not {"\x1b", "\u200f"} & set(done.out)


def test_a_seed_below_zero_is_refused_before_anything_is_checked(
    pairs: Path, cli: Callable[..., Any]
) -> None:
    assert "--seed" in cli("evaluate", "citations", "--pairs", pairs, "--seed", "-5").complaint(2)


def test_the_estimate_counts_the_thoughts_of_a_model_that_thinks(
    pairs: Path,
    cli: Callable[..., Any],
    openai_stub: OpenAIStubServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    point_at(openai_stub, monkeypatch)

    def calls_and_tokens(llm: str) -> tuple[int, int]:
        done = cli("evaluate", "citations", "--pairs", pairs, "--checker", "model", "--llm", llm)
        found = re.search(r"at most (\d+) calls, .* ([\d,]+) reply tokens", done.err)
        assert found is not None, done.err
        return int(found[1]), int(found[2].replace(",", ""))

    calls, tokens = calls_and_tokens("openai:m")
    assert calls_and_tokens("openai:gpt-5-mini") == (calls, tokens + 1000 * calls)
