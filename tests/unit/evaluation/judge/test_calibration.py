"""A judge's calibration: its sets, its figures, what is kept, and what is resumed, refused and
reported.
"""

import gzip
import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.errors import (
    BudgetError,
    InvalidReplyError,
    LoadError,
    ModelRefusedError,
    ModelUnavailableError,
    PromptRefusedError,
    SettingsError,
    UsageError,
)
from dynagrag.core.protocols import ChatModel, Prompt
from dynagrag.evaluation.frame.terminal import report_lines
from dynagrag.evaluation.judge import kept_calibrations
from dynagrag.evaluation.judge.calibration_figures import (
    GradesAgreement,
    PairsAgreement,
    grade_of,
    set_agreement,
)
from dynagrag.evaluation.judge.calibration_report import CalibrationRun, VerdictLine
from dynagrag.evaluation.judge.calibration_run import CalibrationOptions, calibrate_judge
from dynagrag.evaluation.judge.calibration_sets import CalibrationRow, RowKind, load_calibration_set
from dynagrag.evaluation.judge.kept_calibrations import Agreement, kept_calibration
from dynagrag.evaluation.judge.reliability import NOT_RELIABLE, is_reliable
from dynagrag.fakes import FakeChat

NASTY = "<script>alert('x')</script>"


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


def evouna(i: int, is_right: bool, **more: Any) -> dict[str, Any]:
    answer = "It is Scorpio." if is_right else "It is Libra."
    row = {
        "id": f"TQ-{i}",
        "question": f"What sign is person {i}?",
        "golden_answer": "Scorpio/Skorpio",
        "system": f"s{i % 2}",
    }
    return row | {"answer": answer, "human_correct": is_right} | more


def pair(i: int, better: int) -> dict[str, Any]:
    outputs = ("A good one.", "A bad one, which is longer than the other.")[
        :: 1 if better == 1 else -1
    ]
    return {
        "id": f"p{i}",
        "set": "S/x",
        "instruction": f"Do {i}.",
        "output_1": outputs[0],
        "output_2": outputs[1],
        "better": better,
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write(
        folder / "judge" / "evouna_TQ.jsonl.gz",
        [evouna(i, i % 3 != 0) for i in range(40)] + [evouna(99, True, answer=None)],
    )
    write(folder / "judge" / "pairs.jsonl.gz", [pair(i, 1 + i % 2) for i in range(12)])
    graded = []
    for story in range(4):
        for system, rating in (("bart", 10.0), ("human", 95.0)):
            text = f"Story {story} told {'well' if rating > 50 else 'badly'}. {NASTY}"
            row = {
                "passage_id": str(story),
                "question": "What is the plot?",
                "system": system,
                "response": text,
            }
            graded.append(row | {"mean": {"overall-rating": rating}})
    write(folder / "judge" / "squality_human_eval.jsonl", graded)
    answers = [
        {"response_text": f"Story {{}} told {how}. {NASTY}"}
        for how in ("well", "by one", "by another", "by a third")
    ]
    stories = [
        {
            "metadata": {"passage_id": str(s)},
            "questions": [
                {
                    "question_text": "What is the plot? ",
                    "responses": [{"response_text": a["response_text"].format(s)} for a in answers],
                }
            ],
        }
        for s in range(4)
    ]
    write(folder / "transcript_qa" / "squality_stories.jsonl.gz", stories)
    return folder


def good_judge(prompt: Prompt, schema: Any) -> str:
    """Says what people said of the rows above."""
    if "verdict" in schema["properties"]:
        return json.dumps({"verdict": "yes" if "It is Scorpio" in prompt.user else "no"})
    if "better" in schema["properties"]:
        return json.dumps(
            {"better": "1" if prompt.user.index("good") < prompt.user.index("bad") else "2"}
        )
    answer = prompt.user.rpartition("<answer>")[2]
    return json.dumps({"score": 5 if "well" in answer else 1})


def options(data: Path, **more: Any) -> CalibrationOptions:
    return CalibrationOptions(**{"data": data, "sets": ("evouna_TQ", "squality", "pairs")} | more)


def made(model: ChatModel) -> Callable[[Settings], ChatModel | None]:
    return lambda settings: model


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


# ------------------------------------------------------------------------------------------ figures


def test_a_judge_that_agrees_is_reliable_and_kept_with_its_figures(
    data: Path, settings: Settings
) -> None:
    model = FakeChat(good_judge, name="good")
    run, result = calibrate_judge(settings, options(data), make=made(model))
    for own in result.sets.values():
        assert (own.accuracy, own.kappa, own.unreadable, own.flips, own.ties) == (1.0, 1.0, 0, 0, 0)
    assert [own.n for own in result.sets.values()] == [40, 8, 12]
    assert result.verdict.startswith(
        "not known to be reliable for this: good on squality (kappa 1.00 (1.00 to 1.00), fewer than"
        " 10 rows)"
    )
    assert "; reliable: good on evouna_TQ (kappa 1.00 (1.00 to 1.00))" in result.verdict
    assert result.notes == {"evouna_TQ": {"rows without an answer": 1}}
    graded = result.sets["squality"]
    assert isinstance(graded, GradesAgreement)
    assert graded.pearson == 1.0
    kept = kept_calibration(settings.home, "good", model.identity)
    assert {name: own.kappa for name, own in kept.sets.items()} == {
        "evouna_TQ": 1.0,
        "squality": 1.0,
        "pairs": 1.0,
    }
    assert kept_calibration(settings.home, "good", "another identity").sets == {}
    assert run.is_done
    assert run.result() == result, "each set is read back as what it is"


def test_a_summary_of_before_is_read(data: Path, settings: Settings) -> None:
    run, result = calibrate_judge(settings, options(data), make=made(FakeChat(good_judge)))
    old = json.loads(run.summary_file.read_text(encoding="utf-8"))
    for name in ("format", "sizes", "notes"):
        old.pop(name)
    for own in old["sets"].values():
        own.pop("kappa_interval")
    run.summary_file.write_text(json.dumps(old), encoding="utf-8")
    assert run.result().sets["pairs"].kappa == result.sets["pairs"].kappa
    assert "pairs: the longer output wins" in "\n".join(report_lines(run.report()))


def test_a_judge_that_says_one_thing_of_everything_is_not_reliable_in_the_first_line(
    data: Path, settings: Settings
) -> None:
    def constant(prompt: Prompt, schema: Any) -> str:
        replies = {"verdict": "yes", "better": "1", "score": 3}
        return json.dumps({name: replies[name] for name in schema["properties"]})

    run, result = calibrate_judge(
        settings, options(data), make=made(FakeChat(constant, name="flat"))
    )
    pairs, graded = result.sets["pairs"], result.sets["squality"]
    assert result.sets["evouna_TQ"].kappa == 0.0
    assert (pairs.flips, pairs.ties, pairs.accuracy) == (12, 12, 0.0)
    assert isinstance(graded, GradesAgreement)
    assert graded.pearson is None
    assert not any(own.is_reliable for own in result.sets.values())
    assert next(report_lines(run.report())).startswith(NOT_RELIABLE)
    json.dumps(result.as_json(), allow_nan=False)


def test_verdicts_that_cannot_be_read_are_counted_and_make_a_judge_unreliable(
    data: Path, settings: Settings
) -> None:
    def prose(prompt: Prompt, schema: Any) -> str:
        number = re.search(r"person (\d+)", prompt.user)
        return (
            "I rate 5/5 but 1" if number and int(number[1]) % 4 == 0 else good_judge(prompt, schema)
        )

    _, result = calibrate_judge(
        settings, options(data, sets=("evouna_TQ",)), make=made(FakeChat(prose))
    )
    own = result.sets["evouna_TQ"]
    assert (own.n, own.unreadable, own.accuracy) == (40, 10, 1.0)
    assert not own.is_reliable
    assert "10 of 40 verdicts could not be read" in result.verdict


def test_figures_of_a_set_by_hand() -> None:
    rows = [
        CalibrationRow(
            "pairs", f"r{i}", RowKind.PAIR, "s", f"q{i}", "q", ("a b c", "a"), 1.0 if i < 6 else 2.0
        )
        for i in range(8)
    ]
    verdicts: list[tuple[float | None, tuple[float | None, ...]]] = [(1, (1, 1))] * 4 + [
        (0, (1, 2)),
        (2, (2, 2)),
        (2, (2, 2)),
        (None, (1, None)),
    ]
    lines = {
        row.id: VerdictLine(set="pairs", row=row.id, verdict=v, orders=o, ms=1.0)
        for row, (v, o) in zip(rows, verdicts, strict=True)
    }
    found = set_agreement(RowKind.PAIR, rows, lines, resamples=100)
    assert isinstance(found, PairsAgreement)
    # of seven that could be read five agree: four of "1", one of "2"; by chance (6 * 4 + 1 * 2) /
    # 49
    assert found.accuracy == pytest.approx(5 / 7, abs=1e-4)
    assert found.kappa == pytest.approx((5 / 7 - 26 / 49) / (1 - 26 / 49), abs=1e-4)
    assert (found.flips, found.ties, found.unreadable) == (1, 1, 1)
    assert found.accuracy_without_ties == pytest.approx(5 / 6, abs=1e-4)
    assert found.longer_wins == pytest.approx(4 / 6, abs=1e-4)
    assert found.lengths["the better one is shorter"].n == 1
    assert found.accuracy_by_odds is None


@pytest.mark.parametrize(
    ("rating", "grade"), [(0, 1), (19.9, 1), (20, 2), (50, 3), (80, 5), (100, 5)]
)
def test_a_rating_is_a_fifth_of_the_scale(rating: float, grade: int) -> None:
    assert grade_of(rating) == grade


# --------------------------------------------------------------------------------------------- runs


def test_rows_are_drawn_by_the_seed(data: Path) -> None:
    first, again, other = (load_calibration_set(data, "evouna_TQ", 10, seed) for seed in (0, 0, 1))
    assert first == again
    assert [row.id for row in first.rows] != [row.id for row in other.rows]
    assert (len(first.rows), first.size) == (10, 40)


def test_a_reference_is_never_the_judged_text_itself(data: Path) -> None:
    found = load_calibration_set(data, "squality", None, 0)
    assert found.rows
    assert all(row.texts[0] not in row.references for row in found.rows)
    assert all(row.references for row in found.rows)


def test_a_run_that_was_stopped_goes_on_where_it_was_and_asks_nothing_twice(
    data: Path, settings: Settings, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    first = FakeChat(
        good_judge, script=[*['{"verdict": "no"}'] * 10, ModelUnavailableError("429: slow down")]
    )
    with pytest.raises(ModelUnavailableError, match=r"429.*what was done is kept: resume"):
        calibrate_judge(settings, options(data, out=out), make=made(first))
    second = FakeChat(good_judge)
    run, result = calibrate_judge(settings, options(data, out=out), make=made(second))
    num_kept = sum(line.verdict == 0.0 and line.set == "evouna_TQ" for line in run.lines()[:10])
    assert num_kept >= 1
    assert len(run.lines()) == 60
    assert {p.user for p in first.prompts[:10]}.isdisjoint(p.user for p in second.prompts)
    third = FakeChat(good_judge)
    assert calibrate_judge(settings, options(data, out=out), make=made(third))[1] == result
    assert third.num_calls == 0


def test_a_judge_that_cannot_be_read_is_given_up_on(
    data: Path, settings: Settings, tmp_path: Path
) -> None:
    prose = FakeChat(lambda prompt, schema: "I would rate it 5/5 but 1")
    with pytest.raises(
        InvalidReplyError,
        match=r"the last 20 judgements of fake could not be read, e\.g\. .*holds no JSON.*resume",
    ):
        calibrate_judge(settings, options(data, out=tmp_path / "run"), make=made(prose))
    assert 20 <= len(CalibrationRun.at(tmp_path / "run").lines()) < 40


def test_a_row_that_the_provider_refuses_is_unreadable_and_the_others_are_judged(
    data: Path, settings: Settings
) -> None:
    refusing = FakeChat(good_judge, script=[PromptRefusedError("400: content policy")])
    run, result = calibrate_judge(settings, options(data), make=made(refusing))
    assert [own.unreadable for own in result.sets.values()] == [1, 0, 0]
    assert [line.note for line in run.lines() if line.note] == ["400: content policy"]


def test_a_judge_that_refuses_every_prompt_says_how_to_resume(
    data: Path, settings: Settings, tmp_path: Path
) -> None:
    refusing = FakeChat(good_judge, script=[ModelRefusedError("401: no such key")])
    with pytest.raises(
        ModelRefusedError, match=r"401: no such key; .*resume with the same command and --out"
    ):
        calibrate_judge(settings, options(data, out=tmp_path / "run"), make=made(refusing))
    assert not CalibrationRun.at(tmp_path / "run").lines()


def test_a_budget_is_a_limit_and_what_was_judged_is_kept(data: Path, settings: Settings) -> None:
    model = FakeChat(good_judge)
    with pytest.raises(BudgetError, match="try again with a larger one, with --out"):
        calibrate_judge(settings, options(data, max_calls=7), make=made(model))
    assert model.num_calls == 7
    again = FakeChat(good_judge)
    run, _ = calibrate_judge(settings, options(data), make=made(again))
    assert again.num_calls == 40 + 8 + 24 - 7
    assert run.is_done


def test_other_settings_are_refused(data: Path, settings: Settings, tmp_path: Path) -> None:
    out = tmp_path / "run"
    calibrate_judge(settings, options(data, out=out), make=made(FakeChat(good_judge)))
    for more in ({"seed": 1}, {"max_rows": 3}, {"threshold": 0.6}):
        with pytest.raises(UsageError, match="other settings"):
            calibrate_judge(
                settings, options(data, out=out, **more), make=made(FakeChat(good_judge))
            )
    with pytest.raises(UsageError, match="judge was"):
        calibrate_judge(
            settings, options(data, out=out), make=made(FakeChat(good_judge, name="another"))
        )


def test_a_quick_look_does_not_replace_what_is_kept_of_more_rows(
    data: Path, settings: Settings
) -> None:
    model = FakeChat(good_judge)
    calibrate_judge(settings, options(data), make=made(model))
    calibrate_judge(settings, options(data, max_rows=3), make=made(FakeChat(good_judge)))
    assert kept_calibration(settings.home, "fake", model.identity).sets["evouna_TQ"].n == 40


def test_two_calibrations_at_once_keep_the_figures_of_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = kept_calibrations.kept_calibration

    def slowly(*args: Any) -> kept_calibrations.KeptCalibration:
        found = read(*args)
        time.sleep(0.1)
        return found

    monkeypatch.setattr(kept_calibrations, "kept_calibration", slowly)
    agreed = Agreement(n=4, accuracy=1.0, kappa=1.0, flips=0, ties=0, unreadable=0)
    with ThreadPoolExecutor() as pool:
        each = [
            pool.submit(
                kept_calibrations.keep_calibration,
                tmp_path,
                "fake",
                "f",
                {name: agreed},
                {name: "p"},
            )
            for name in "abc"
        ]
        for done in each:
            done.result()
    assert set(read(tmp_path, "fake", "f").sets) == {"a", "b", "c"}
    assert not list(tmp_path.rglob("*.part"))


def test_the_cost_is_told_before_and_with_the_time_after_the_first(
    data: Path, settings: Settings
) -> None:
    costs: list[str] = []
    model = FakeChat(good_judge)
    calibrate_judge(
        settings,
        options(data),
        on_cost=lambda cost: costs.append(f"{model.num_calls}: {cost}"),
        make=made(model),
    )
    assert costs[0].startswith("0: at most 72 calls, ")
    assert costs[1].startswith("1: at most 72 calls, ")
    assert "by the first one" in costs[1]


# ---------------------------------------------------------------------------------------- bad input


def test_what_was_given_wrong_is_said_before_anything_is_asked(
    data: Path, settings: Settings, tmp_path: Path
) -> None:
    model = FakeChat(good_judge)
    for given, error, words in [
        (options(data, sets=("nq",)), UsageError, "unknown set 'nq'; known: evouna_NQ"),
        (options(data, sets=()), UsageError, "name a set"),
        (options(tmp_path / "nowhere"), LoadError, "no folder judge/"),
        (options(data, sets=("evouna_NQ",)), LoadError, "evouna_NQ.jsonl"),
    ]:
        with pytest.raises(error, match=words):
            calibrate_judge(settings, given, make=made(model))
    with pytest.raises(SettingsError, match="--llm"):
        calibrate_judge(settings, options(data), make=lambda settings: None)
    assert model.num_calls == 0


@pytest.mark.parametrize(
    ("name", "row", "words"),
    [
        ("evouna_TQ", {"human_correct": "yes"}, "'human_correct' is 'yes'"),
        ("evouna_TQ", {"id": "TQ-1", "question": "Another?"}, "two different rows"),
        ("pairs", {"better": 3}, "'better' is 3"),
        ("pairs", {"id": ...}, "'id' is missing"),
        ("pairs", {"output_1": ""}, "'output_1'"),
        ("squality", {"mean": {"overall-rating": 120}}, "overall-rating"),
    ],
)
def test_a_wrong_row_is_named(name: str, row: dict[str, Any], words: str, data: Path) -> None:
    file = {
        "evouna_TQ": "evouna_TQ.jsonl.gz",
        "pairs": "pairs.jsonl.gz",
        "squality": "squality_human_eval.jsonl",
    }[name]
    path = data / "judge" / file
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    changed = {
        field: value for field, value in (rows[0] | {"id": "new"} | row).items() if value is not ...
    }
    write(path, [*rows, changed])
    with pytest.raises(LoadError, match=words):
        load_calibration_set(data, name, None, 0)


# ------------------------------------------------------------------------------------------ reports


def test_the_report_is_whole_html_that_runs_nothing(data: Path, settings: Settings) -> None:
    run, _ = calibrate_judge(
        settings,
        options(data),
        make=made(FakeChat(lambda p, s: json.dumps({"score": 4, "verdict": "no", "better": "2"}))),
    )
    html = (run.path / "report.html").read_text(encoding="utf-8")
    assert NASTY not in html
    assert "&lt;script&gt;" in html
    assert NOT_RELIABLE in html
    HTMLParser().feed(html)


def test_golden_answers_are_split_between_words_and_not_within_numbers(tmp_path: Path) -> None:
    golden = ["24/7/all day", "1/2 cup / half a cup", "A1/B2"]
    write(
        tmp_path / "judge" / "evouna_NQ.jsonl.gz",
        [evouna(i, True, golden_answer=text) for i, text in enumerate(golden)],
    )
    rows = load_calibration_set(tmp_path, "evouna_NQ", None, 1).rows
    assert [row.references for row in rows] == [
        ("24/7", "all day"),
        ("1/2 cup", "half a cup"),
        ("A1", "B2"),
    ]


def test_rows_without_a_reference_are_passed_over_and_counted(data: Path) -> None:
    rows = [
        evouna(i, True, golden_answer=golden) for i, golden in enumerate(("Scorpio", "/", " / / "))
    ]
    write(data / "judge" / "evouna_NQ.jsonl.gz", rows)
    found = load_calibration_set(data, "evouna_NQ", None, 1)
    assert ([row.id for row in found.rows], found.notes) == (
        ["TQ-0"],
        {"rows whose reference is empty": 2},
    )
    path = data / "transcript_qa" / "squality_stories.jsonl.gz"
    stories = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    stories[0]["questions"][0]["responses"] = [
        {"response_text": text} for text in ("", " ", "Story 0 told well.")
    ]
    write(path, stories)
    found = load_calibration_set(data, "squality", None, 1)
    assert (len(found.rows), found.notes) == (8, {})
    assert all(text.strip() for row in found.rows for text in row.references)
    stories[0]["questions"][0]["responses"] = [{"response_text": text} for text in ("", " ")]
    write(path, stories)
    found = load_calibration_set(data, "squality", None, 1)
    assert (len(found.rows), found.notes) == (6, {"rows without a reference by another person": 2})


@pytest.mark.parametrize(
    ("kappa", "interval", "n", "unreadable", "found"),
    [
        (0.6, (0.4, 0.8), 100, 0, True),
        (0.6, (0.3, 0.8), 100, 0, None),
        (0.6, None, 100, 0, None),
        (1.0, (1.0, 1.0), 2, 0, None),
        (0.3, (0.1, 0.5), 100, 0, False),
        (0.3, None, 100, 0, False),
        (0.6, (0.5, 0.8), 100, 11, False),
        (None, None, 100, 0, False),
    ],
)
def test_a_judge_is_reliable_by_the_lower_end_of_its_interval(
    kappa: float | None,
    interval: tuple[float, float] | None,
    n: int,
    unreadable: int,
    found: bool | None,
) -> None:
    assert is_reliable(kappa, interval, unreadable, n, 0.4) is found
