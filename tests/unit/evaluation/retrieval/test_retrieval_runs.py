"""Run folders: begun, torn, gone on with, refused, summed up, compared, shown."""

import json
import re
import resource
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.files.private_files import is_open_to_others
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.kept_run import StoppedRunError, new_folder, what_is_evaluated
from dynagrag.evaluation.frame.terminal import report_lines
from dynagrag.evaluation.judge.calibration_report import CalibrationRun
from dynagrag.evaluation.ranking_measures import measure
from dynagrag.evaluation.retrieval.retrieval_compare import compare
from dynagrag.evaluation.retrieval.retrieval_report import (
    PASSAGES,
    PassageWords,
    RetrievalLine,
    RetrievalResult,
    RetrievalRun,
    RetrievedPassage,
    by_scope,
)
from dynagrag.evaluation.retrieval.retrieval_scores import PointsDifference, scope_figures

SETTINGS = {"dataset": "tiny", "arms": ["default", "naive"], "half": "all", "measure": "recall@5"}
NASTY = "<script>alert('x')</script> & \u2028 \"quoted\""


def line(
    question: str,
    arm: str,
    brought: Sequence[str],
    gold: Sequence[str] = ("g",),
    scope: str = "corpus",
    ms: float = 1.0,
) -> RetrievalLine:
    found = measure({arm: brought}, gold)[arm]
    return RetrievalLine(
        scope=scope,
        question=question,
        text=f"Which one is {question}? {NASTY}",
        arm=arm,
        passages=tuple(RetrievedPassage(id=id_, score=0.5, gold=id_ in gold) for id_ in brought),
        gold=tuple(gold),
        measures=dict(found.values),
        recall=found.recall,
        ms=ms,
    )


def lines(better: str = "default") -> list[RetrievalLine]:
    """Four questions: one arm finds the gold at once, the other at the third place."""
    return [
        line(f"q{i}", arm, ["g"] if arm == better else ["x", "y", "g"], ms=i + 1)
        for i in range(4)
        for arm in SETTINGS["arms"]
    ]


def done(path: Path, own: Sequence[RetrievalLine], **changes: object) -> RetrievalRun:
    run = RetrievalRun.open(path, SETTINGS | changes, {"python": "3"})
    run.file.append(own)
    finish(run, own, SETTINGS["arms"], {f"of {NASTY}": 2}, [NASTY])
    return run


def finish(
    run: RetrievalRun,
    own: Sequence[RetrievalLine],
    arms: Sequence[str],
    notes: dict[str, int],
    missing: list[str],
) -> None:
    scopes = {scope: scope_figures(found, arms, "naive") for scope, found in by_scope(own).items()}
    first = next(iter(scopes.values()))
    words = [PassageWords(id=i, title=f"T-{i}", words=NASTY) for i in "gxy"]
    run.write_rows(PASSAGES, words)
    run.keep_result(
        RetrievalResult(
            dataset="tiny",
            questions=first.questions,
            passages=3,
            arms=first.arms,
            measure="recall@5",
            baseline="naive",
            intervals=first.intervals,
            scopes=scopes,
            notes=notes,
            missing_gold=missing,
        )
    )


def page_of(run: RetrievalRun) -> str:
    return render(run.report(), run.head)


# ------------------------------------------------------------------------------------------ folders


def test_lines_come_back_as_they_were_written_whatever_they_hold(tmp_path: Path) -> None:
    run = RetrievalRun.open(tmp_path / "run", SETTINGS, {})
    run.file.append(lines())
    assert RetrievalRun.open(tmp_path / "run", SETTINGS, {}).lines() == lines()


def test_a_torn_last_line_is_dropped_and_asked_again(tmp_path: Path) -> None:
    run = RetrievalRun.open(tmp_path, SETTINGS, {})
    run.file.append(lines())
    path = tmp_path / "questions.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    assert RetrievalRun.open(tmp_path, SETTINGS, {}).lines() == lines()[:-1]
    path.write_bytes(whole[:30])
    assert RetrievalRun.open(tmp_path, SETTINGS, {}).lines() == []


def test_a_write_that_failed_in_the_middle_leaves_no_half_line(tmp_path: Path) -> None:
    run = RetrievalRun.open(tmp_path, SETTINGS, {})
    run.file.append(lines()[:1])
    path = tmp_path / "questions.jsonl"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, limits[1]))
        with pytest.raises(OSError, match="File too large") as caught:
            run.file.append(lines()[1:2])
        assert caught.value.filename == str(path), "a full disk names its file"
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
        with pytest.raises(OSError, match="File too large") as caught:
            run.write_report("the figures of a run")
        assert caught.value.filename == str(tmp_path / "report.html")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    run.file.append(lines()[2:])
    assert run.lines() == [*lines()[:1], *lines()[2:]]


def test_a_line_that_is_no_utf_8_is_named(tmp_path: Path) -> None:
    run = RetrievalRun.open(tmp_path, SETTINGS, {})
    run.file.append(lines()[:2])
    path = tmp_path / "questions.jsonl"
    path.write_bytes(path.read_bytes().replace(b"q0", b"q\xff"))
    with pytest.raises(LoadError, match=r"questions\.jsonl, line 1 is damaged"):
        run.lines()


def test_a_run_that_does_not_say_when_it_was_begun_is_refused(tmp_path: Path) -> None:
    RetrievalRun.open(tmp_path, SETTINGS, {})
    head = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    (tmp_path / "run.json").write_text(json.dumps(head | {"begun": None}), encoding="utf-8")
    with pytest.raises(LoadError, match="when it was begun"):
        RetrievalRun.at(tmp_path)


@pytest.mark.parametrize("summary", ["{}", "[]", "7", '{"arms": {}}'])
def test_a_summary_without_figures_is_refused_with_what_to_do(summary: str, tmp_path: Path) -> None:
    run = done(tmp_path, lines())
    (tmp_path / "summary.json").write_text(summary, encoding="utf-8")
    with pytest.raises(LoadError, match="delete that file and run the evaluation again"):
        run.result()


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    run = RetrievalRun.open(tmp_path, SETTINGS, {})
    run.file.append(lines())
    path = tmp_path / "questions.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"q1"', "q1", 1), encoding="utf-8")
    with pytest.raises(LoadError, match="line 3 is damaged"):
        run.lines()


def test_a_run_of_other_settings_is_refused_by_name_and_left_alone(tmp_path: Path) -> None:
    RetrievalRun.open(tmp_path, SETTINGS, {})
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(
        UsageError, match=r"half was all, is tuning; seed was null, is 3; choose another folder"
    ):
        RetrievalRun.open(tmp_path, SETTINGS | {"half": "tuning", "seed": 3}, {})
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_what_changed_is_named_and_no_hash_is_shown(tmp_path: Path) -> None:
    settings = SETTINGS | {"files": {"q.jsonl": "a" * 64, "r.jsonl": "b" * 64}, "asked": "c" * 32}
    RetrievalRun.open(tmp_path, settings, {})
    with pytest.raises(
        UsageError, match=r"files: q\.jsonl changed; asked changed; choose another folder"
    ):
        RetrievalRun.open(
            tmp_path,
            settings | {"files": {"q.jsonl": "d" * 64, "r.jsonl": "b" * 64}, "asked": "e" * 32},
            {},
        )


def test_other_libraries_are_noted_and_no_reason_to_refuse(tmp_path: Path) -> None:
    RetrievalRun.open(tmp_path, SETTINGS, {"numpy": "1"})
    assert RetrievalRun.open(tmp_path, SETTINGS, {"numpy": "2"}).head["versions"] == {"numpy": "1"}


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds something else than a run"):
        RetrievalRun.open(tmp_path, SETTINGS, {})
    with pytest.raises(LoadError, match="is no run's folder"):
        RetrievalRun.read(tmp_path)
    (tmp_path / "run.json").write_text('{"format": 99}')
    with pytest.raises(LoadError, match="another version"):
        RetrievalRun.read(tmp_path)


def test_a_run_that_was_stopped_can_be_found_but_not_read(tmp_path: Path) -> None:
    RetrievalRun.open(tmp_path, SETTINGS, {}).file.append(lines()[:3])
    assert RetrievalRun.is_unfinished(tmp_path, SETTINGS)
    assert not RetrievalRun.is_unfinished(tmp_path, SETTINGS | {"half": "tuning"})
    assert not RetrievalRun.is_unfinished(tmp_path / "nowhere", SETTINGS)
    with pytest.raises(UsageError, match="was stopped before its end"):
        RetrievalRun.read(tmp_path)


def test_new_folders_have_the_next_number(tmp_path: Path) -> None:
    first = new_folder(tmp_path, "tiny")
    first.mkdir()
    assert (first.name[10:], new_folder(tmp_path, "tiny").name[10:]) == ("-tiny-1", "-tiny-2")


def test_a_run_lies_in_the_home_and_is_gone_on_with_until_it_is_done(tmp_path: Path) -> None:
    runs = tmp_path / "evaluation" / "runs"
    runs.mkdir(parents=True, mode=0o755)
    first = RetrievalRun.begin(tmp_path, "my set [1]", SETTINGS)
    assert first.path.parent == runs
    assert first.path.name.endswith("-my-set-[1]-1")
    assert not is_open_to_others(runs)
    assert RetrievalRun.begin(tmp_path, "my set [1]", SETTINGS).path == first.path
    assert RetrievalRun.begin(
        tmp_path, "my set [1]", SETTINGS | {"half": "tuning"}
    ).path.name.endswith("-2")
    first.summary_file.write_text("{}")
    assert RetrievalRun.begin(tmp_path, "my set [1]", SETTINGS).path.name.endswith("-3")
    assert RetrievalRun.begin(tmp_path, "my set [1]", SETTINGS, first.path).path == first.path


def test_a_run_says_what_it_evaluates_and_what_all_runs_say(tmp_path: Path) -> None:
    found = [
        kind.begin(tmp_path, "a", {"seed": 0}).settings for kind in (RetrievalRun, CalibrationRun)
    ]
    assert [list(own) for own in found] == [
        ["seed", "resamples", "dynagrag"],
        ["evaluates", "seed", "resamples", "dynagrag"],
    ]
    assert found[1]["evaluates"] == "calibration"


def test_a_calibration_of_before_it_was_called_so_is_gone_on_with(tmp_path: Path) -> None:
    run = CalibrationRun.begin(tmp_path, "a", {"seed": 0})
    path = run.path / "run.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"calibration"', '"judge"'), encoding="utf-8"
    )
    assert what_is_evaluated(run.path) == "calibration"
    assert CalibrationRun.begin(tmp_path, "a", {"seed": 0}).path == run.path


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    run = RetrievalRun.open(tmp_path, SETTINGS, {})
    with (
        pytest.raises(
            StoppedRunError,
            match=r"what was done is kept: resume with the same command and --out .*test_ctrl_c",
        ),
        run.held(8),
    ):
        raise KeyboardInterrupt


def test_a_run_that_is_being_asked_is_refused_and_passed_over(tmp_path: Path) -> None:
    run = RetrievalRun.open(tmp_path, SETTINGS, {})
    with run.held(8):
        assert not RetrievalRun.is_unfinished(tmp_path, SETTINGS)
        with pytest.raises(UsageError, match="another process is at work on the run in"):
            RetrievalRun.open(tmp_path, SETTINGS, {})
        with (
            pytest.raises(UsageError, match="another process is at work on the run in"),
            run.held(8),
        ):
            pass
    assert RetrievalRun.is_unfinished(tmp_path, SETTINGS)
    RetrievalRun.open(tmp_path, SETTINGS, {})


def test_a_done_run_that_lacks_lines_is_no_longer_done(tmp_path: Path) -> None:
    run = done(tmp_path, lines())
    with run.held(8):
        assert run.is_done
    (tmp_path / "questions.jsonl").write_text(
        "".join(f"{own.model_dump_json()}\n" for own in lines()[1:]), encoding="utf-8"
    )
    with run.held(8):
        assert not run.is_done


def test_where_no_run_can_be_kept_the_option_is_named(tmp_path: Path) -> None:
    file = tmp_path / "thesis.txt"
    file.write_text("mine")
    for path in (file, file / "run", tmp_path / ("x" * 300)):
        with pytest.raises(UsageError, match="--out"):
            RetrievalRun.open(path, SETTINGS, {})
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]


# ------------------------------------------------------------------------------------------ summary


def test_a_summary_holds_means_medians_curves_and_paired_differences() -> None:
    found = scope_figures(by_scope(lines())["corpus"], SETTINGS["arms"], "naive")
    assert (found.questions, found.arms["default"]["mrr"], found.arms["naive"]["mrr"]) == (
        4,
        1,
        pytest.approx(1 / 3, abs=1e-6),
    )
    assert found.arms["default"]["ms"] == 2.5
    assert found.curves["naive"] == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    assert found.intervals["default"]["hit@1"] == PointsDifference(100, 100, 100)
    assert "naive" not in found.intervals


def test_kinds_apart_count_in_no_figure_but_their_own() -> None:
    own = [
        line(f"q{i}", arm, ["g"] if kind == "plain" else []).model_copy(update={"kind": kind})
        for i, kind in enumerate(("plain", "plain", "odd"))
        for arm in SETTINGS["arms"]
    ]
    found = scope_figures(by_scope(own)["corpus"], SETTINGS["arms"], "naive", ("odd",))
    assert (found.questions, found.arms["default"]["hit@1"]) == (2, 1)
    assert {k: (v.questions, v.arms["naive"]["hit@1"]) for k, v in found.kinds.items()} == {
        "plain": (2, 1),
        "odd": (1, 0),
    }
    only = {arm: {"q2": asked["q2"]} for arm, asked in by_scope(own)["corpus"].items()}
    assert scope_figures(only, SETTINGS["arms"], "naive", ("odd",)).questions == 1


def test_what_is_told_of_the_wrong_person_counts_by_kind_and_of_one_arm() -> None:
    told = {"q0": False, "q1": True, "odd0": True, "odd1": True, "odd2": True}
    own = [
        line(question, arm, ["g"]).model_copy(
            update={
                "kind": question[:-1],
                "other_person": is_told if arm == "default" else None,
            }
        )
        for question, is_told in told.items()
        for arm in SETTINGS["arms"]
    ]
    found = scope_figures(by_scope(own)["corpus"], SETTINGS["arms"], "naive", ("odd",))
    shares = found.other_person
    assert shares is not None
    assert (shares.arm, shares.right.mean, shares.false_alarms.mean) == ("default", 1, 0.5)
    assert shares.right.low < 1
    unmeasured = [own_line.model_copy(update={"other_person": None}) for own_line in own]
    found = scope_figures(by_scope(unmeasured)["corpus"], SETTINGS["arms"], "naive", ("odd",))
    assert found.other_person is None


def test_kinds_apart_are_not_compared_either(tmp_path: Path) -> None:
    odd = [line("odd", arm, []).model_copy(update={"kind": "odd"}) for arm in SETTINGS["arms"]]
    runs = [done(tmp_path / name, [*lines(), *odd], apart=["odd"]) for name in ("a", "b")]
    compared = compare(*runs)
    assert compared.questions == 4
    assert compared.scopes["corpus"].arms["default"].first["hit@1"] == 1


def test_scopes_are_summed_up_apart(tmp_path: Path) -> None:
    both = [
        line("q", arm, ["g"] if scope == "document" else [], scope=scope)
        for scope in ("document", "corpus")
        for arm in SETTINGS["arms"]
    ]
    result = done(tmp_path, both).result()
    assert [(scope, own.arms["default"]["recall@5"]) for scope, own in result.scopes.items()] == [
        ("document", 1),
        ("corpus", 0),
    ]
    assert result.arms == result.scopes["document"].arms


def test_a_summary_of_before_is_read(tmp_path: Path) -> None:
    """One without `format`, intervals of means, notes and the run's folder."""
    run = done(tmp_path, lines())
    result = run.result()
    old = json.loads(run.summary_file.read_text(encoding="utf-8"))
    for name in ("format", "notes", "missing_gold", "run", "half"):
        del old[name]
    del old["scopes"]["corpus"]["means"]
    run.summary_file.write_text(json.dumps(old), encoding="utf-8")
    assert (run.result().scopes["corpus"].arms, run.result().half) == (result.arms, "all")
    assert "recall@5 100.0" in Page(page_of(run)).words


# ------------------------------------------------------------------------------------------ compare


def test_runs_on_the_same_questions_are_compared_arm_by_arm(tmp_path: Path) -> None:
    first = done(tmp_path / "a", lines(better="naive"), extractor="fast")
    second = done(tmp_path / "b", lines(better="default"), extractor="file")
    found = compare(first, second)
    assert found.differing == {"extractor": ["fast", "file"]}
    intervals = found.scopes["corpus"].intervals
    assert intervals["default"]["hit@1"] == PointsDifference(100, 100, 100)
    assert intervals["naive"]["hit@1"].difference == -100
    assert (found.questions, found.left_out) == (4, [])
    said = "\n".join(report_lines(found.report()))
    assert re.search(r"default +hit@1 +0\.0 +100\.0 +\+100\.0 \(.*\) +better", said)
    assert "  extractor: fast / file" in said
    assert list(found.as_json()) == ["runs", "questions", "differing", "left_out", "scopes"]


def test_runs_on_different_questions_are_refused_with_how_many(tmp_path: Path) -> None:
    first = done(tmp_path / "a", lines())
    second = done(tmp_path / "b", [own for own in lines() if own.question != "q0"])
    with pytest.raises(
        UsageError, match=r"different questions: 1 of 4 .* and 0 of 3 the other way"
    ):
        compare(first, second)


def test_the_same_ids_with_other_words_are_different_questions(tmp_path: Path) -> None:
    first = done(tmp_path / "a", lines())
    other = [
        own.model_copy(update={"text": "Another question?"}) if own.question == "q2" else own
        for own in lines()
    ]
    with pytest.raises(
        UsageError, match=r"different questions: 1 of 4 .* and 1 of 4 the other way"
    ):
        compare(first, done(tmp_path / "b", other))


@pytest.mark.parametrize("lost", [0, 1])
def test_a_done_run_in_which_one_arm_lacks_a_line_is_not_compared(
    tmp_path: Path, lost: int
) -> None:
    first, second = done(tmp_path / "a", lines()), done(tmp_path / "b", lines())
    kept = [own for i, own in enumerate(lines()) if i != lost]
    (tmp_path / "b" / "questions.jsonl").write_text(
        "".join(f"{own.model_dump_json()}\n" for own in kept), encoding="utf-8"
    )
    for pair in ((first, second), (second, first)):
        with pytest.raises(UsageError, match=r"b was stopped before its end"):
            compare(*pair)


def test_runs_without_a_common_scope_or_arm_are_refused(tmp_path: Path) -> None:
    first = done(tmp_path / "a", lines())
    other = [own.model_copy(update={"scope": "document"}) for own in lines()]
    with pytest.raises(UsageError, match=r"other scopes: corpus in .* document in"):
        compare(first, done(tmp_path / "b", other))
    other = [own.model_copy(update={"arm": own.arm + "-2"}) for own in lines()]
    run = RetrievalRun.open(tmp_path / "c", SETTINGS, {})
    run.file.append(other)
    with pytest.raises(UsageError, match="no arm is in both"):
        compare(first, run)


# ------------------------------------------------------------------------------------------- report


class Page(HTMLParser):
    """Notes what a page would fetch or run, and its words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.fetched: list[str] = []
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [
            value or ""
            for name, value in attrs
            if (
                name in ("src", "href", "data", "action", "xlink:href")
                and not (value or "").startswith("#")
            )  # a mark of the same page
            or name.startswith("on")
        ]

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_report_runs_nothing_fetches_nothing_and_escapes_everything(tmp_path: Path) -> None:
    html = page_of(done(tmp_path, lines()))
    page = Page(html)
    assert page.fetched == []
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html
    assert "<script>alert('x')</script>" in page.words, "shown as words"


def test_the_report_shows_arms_plots_questions_gold_and_settings(tmp_path: Path) -> None:
    page = Page(page_of(done(tmp_path, lines())))
    assert page.tags.count("svg") == 3
    for wanted in (
        "default: recall@5 100.0, the same as naive.",
        "The worst questions of default",
        "Which one is q3?",
        "T-g",
        "gold",
        "python",
    ):
        assert wanted in page.words, wanted


def test_the_worst_questions_come_first_and_the_best_are_others(tmp_path: Path) -> None:
    own = [
        line(f"q{i:02}", arm, ["g"] if i % 2 else [], ms=1)
        for i in range(16)
        for arm in SETTINGS["arms"]
    ]
    words = Page(page_of(done(tmp_path, own))).words
    worst, best = words.split("The best questions of default")
    assert [f"q{i:02}?" in worst for i in range(16)].count(True) == 6
    assert all(f"q{i:02}?" not in worst for i in range(1, 16, 2))
    assert all(f"q{i:02}?" not in best for i in range(0, 16, 2))


def test_the_report_cuts_what_is_very_long(tmp_path: Path) -> None:
    long = "x" * 100_000
    own = [own.model_copy(update={"text": long, "missing": (long,)}) for own in lines()]
    run = done(tmp_path, own)
    (tmp_path / "passages.jsonl").write_text(
        "".join(f"{PassageWords(id=i, title=long, words=long).model_dump_json()}\n" for i in "gxy"),
        encoding="utf-8",
    )
    assert len(page_of(run)) < 100_000


def test_a_run_without_a_single_hit_and_one_arm_can_still_be_drawn(tmp_path: Path) -> None:
    run = RetrievalRun.open(tmp_path, SETTINGS | {"arms": ["naive"]}, {})
    run.file.append([line("q", "naive", [])])
    finish(run, run.lines(), ["naive"], {}, [])
    assert "nothing" in Page(page_of(run)).words
