"""Two runs on the same questions, side by side: the second minus the first."""

from collections.abc import Sequence
from itertools import combinations

import streamlit as st

from dynagrag.core.text import plural
from dynagrag.evaluation.frame.run_comparison import RunComparison
from dynagrag.evaluation.judge.judge_compare import compare_judged, why_not_comparable
from dynagrag.evaluation.judge.judge_report import JudgeRun
from dynagrag.evaluation.qa.qa_compare import compare_qa
from dynagrag.evaluation.qa.qa_report import QaRun
from dynagrag.evaluation.retrieval.retrieval_compare import compare
from dynagrag.evaluation.retrieval.retrieval_report import RetrievalRun
from dynagrag.ui import state
from dynagrag.ui.evaluate.kept_runs import COMPARABLE, JUDGED, QA, KeptView, kept_runs
from dynagrag.ui.evaluate.report_view import show_report
from dynagrag.ui.safe_markdown import clean, plain

_MAX_REFUSED = 5


def show() -> None:
    """Two runs to choose, and what came out."""
    views, _ = kept_runs(state.settings())
    done = [view for view in views if view.is_done and view.kind in COMPARABLE]
    pairs = {
        view.name: [other for other in done if other is not view and _asks_the_same(view, other)]
        for view in done
    }
    firsts = {view.name: view for view in done if pairs[view.name]}
    if not firsts:
        st.caption(
            "Two runs that measured the same thing with the same questions can be compared; graded"
            " answers only if the same model graded both. There are no two yet."
        )
        _show_refused(done)
        return
    # the last run is mostly the one that is asked about, so it is the second
    first = st.selectbox(
        "First run",
        list(firsts),
        index=min(1, len(firsts) - 1),
        format_func=lambda name: _label(firsts[name]),
    )
    seconds = {view.name: view for view in pairs[first]}
    second = st.selectbox(
        "Second run", list(seconds), format_func=lambda name: _label(seconds[name])
    )
    _show(firsts[first], seconds[second])
    _show_refused(done)


def _asks_the_same(view: KeptView, other: KeptView) -> bool:
    if view.kind == other.kind == JUDGED:
        return not why_not_comparable(view.settings, other.settings)
    return view.kind == other.kind and all(
        view.settings.get(n) == other.settings.get(n) for n in ("asked", "scope", "scopes")
    )


def _show_refused(done: Sequence[KeptView]) -> None:
    """Judged runs of the same questions that can't be compared all the same, each two with the
    reason.
    """
    judged = [view for view in done if view.kind == JUDGED]
    pairs = [
        (a, b)
        for a, b in combinations(judged, 2)
        if a.settings.get("asked") == b.settings.get("asked")
    ]
    refused = [
        (a.name, b.name, why)
        for a, b in pairs
        if (why := why_not_comparable(a.settings, b.settings))
    ]
    for first, second, why in refused[:_MAX_REFUSED]:
        st.caption(f"{plain(first)} and {plain(second)} can't be compared: {plain(why)}.")
    if len(refused) > _MAX_REFUSED:
        st.caption(f"And {plural(len(refused) - _MAX_REFUSED, 'other pair')} of judged runs can't.")


def _label(view: KeptView) -> str:
    return clean(f"{view.begun}, {view.what}: {', '.join(view.arms)} ({view.name})", 160)


def _show(first: KeptView, second: KeptView) -> None:
    paths = first.run.path, second.run.path
    compared: RunComparison
    if first.kind == JUDGED:
        compared = compare_judged(*map(JudgeRun.read, paths))
    elif first.kind == QA:
        compared = compare_qa(*map(QaRun.read, paths))
    else:
        compared = compare(*map(RetrievalRun.read, paths))
    show_report(compared.report(), f"{first.name}_{second.name}")
