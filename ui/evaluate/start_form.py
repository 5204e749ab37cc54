"""What to measure, with which questions and arms, what that would take, and the start."""

from typing import Any
from uuid import uuid4

import streamlit as st

from dynagrag.errors import DynaGragError
from dynagrag.evaluation.judge.judge_options import FORMS, PAIRWISE, POINTWISE
from dynagrag.ids import content_id
from dynagrag.settings import Settings
from dynagrag.text import duration_text, plural
from dynagrag.ui import background, state
from dynagrag.ui.background import Work
from dynagrag.ui.evaluate import kept_runs, questions_box, run_work
from dynagrag.ui.evaluate.run_request import Measure, PlanView, RunRequest, arm_words, baselines, default_arms
from dynagrag.ui.evaluate.run_work import EstimateView
from dynagrag.ui.progress import has_ended
from dynagrag.ui.safe_markdown import plain

_MEASURES = {
    Measure.FOUND: ("Which passages are found", "Measures rankings and needs no model: seconds to minutes."),
    Measure.RIGHT: ("Answers against right ones", "A language model answers; each answer is compared with the one that your file gives."),
    Measure.JUDGED: ("Answers judged", "A language model answers, and a language model grades the answers; no right answers are needed."),
}
_FORMS = {POINTWISE: "grades of each answer", PAIRWISE: "pairs with the answer of one arm, in both orders"}
_REQUEST = "evaluate_request"


def show() -> None:
    """Draws it; what a workspace lacks is said instead."""
    desk = state.needs_workspace()
    if desk is None:
        return
    settings = state.settings()
    before: RunRequest | None = state.remembered(_REQUEST, None)
    measure = _ask_measure(before)
    if measure.needs_model and settings.llm is None:
        st.info(
            "No language model is set. Choose one under **Settings**; or measure which passages are found, which needs none.",
            icon=":material/settings:",
        )
        return
    questions = questions_box.ask(settings, desk.name)
    if questions is None:
        return
    st.subheader("What to compare")
    request = _ask_request(measure, desk.name, questions, settings, before if before and before.measure is measure else None)
    state.remember(_REQUEST, request)
    _show_start(request, _planned(request, settings), settings)


def _planned(request: RunRequest, settings: Settings) -> PlanView:
    """What it would ask, read once: a file may have many thousand rows."""
    digest = _digest(request, settings)
    kept: tuple[str, PlanView | None] = state.remembered("evaluate_plan", ("", None))
    if kept[0] != digest or kept[1] is None:
        kept = (digest, run_work.checked_plan(request, settings))
        state.remember("evaluate_plan", kept)
    assert kept[1] is not None
    return kept[1]


# --------------------------------------------------------------------------------------------------------------- choices


def _number(label: str, key: str, kept: int | None, **options: Any) -> int | None:
    """A number that may be left open, with what was kept of before."""
    st.session_state.setdefault(key, kept)
    found: int | None = st.number_input(label, min_value=1, value=None, key=key, width=260, **options)
    return found


def _ask_measure(before: RunRequest | None) -> Measure:
    st.subheader("What to measure")
    names = list(_MEASURES)
    st.session_state.setdefault("evaluate_measure", before.measure if before else Measure.FOUND)
    return st.radio(
        "What to measure",
        names,
        format_func=lambda name: _MEASURES[name][0],
        captions=[_MEASURES[name][1] for name in names],
        key="evaluate_measure",
        label_visibility="collapsed",
    )


def _ask_request(measure: Measure, workspace: str, questions: str, settings: Settings, before: RunRequest | None) -> RunRequest:
    words = arm_words(measure)
    key = f"evaluate_arms_{measure}"
    st.session_state.setdefault(key, list(before.arms if before else default_arms(measure)))
    arms = tuple(
        st.multiselect(
            "Arms: ways to find or to answer",
            list(words),
            format_func=lambda name: f"{name}: {words[name]}",
            key=key,
            placeholder="Choose at least one",
            help=_HELP,
        )
    )
    if measure is Measure.FOUND:
        st.caption("Plain search always runs beside them: by vectors (naive), by words (bm25), and by both (hybrid, rrf).")
    limit = _number("Questions at most", f"evaluate_limit_{measure}", before.limit if before else None, placeholder="all")
    chosen: dict[str, Any] = {"limit": limit}
    with st.expander("More options"):
        chosen |= _ask_more(measure, arms, settings, before)
    is_asking = measure.needs_model
    return RunRequest(
        measure=measure,
        workspace=workspace,
        questions=questions,
        arms=arms,
        llm=settings.llm if is_asking else None,
        embedder=settings.embedder,
        **chosen,
    )


_HELP = "An arm is one way to find passages, or to answer. All but global have equal room for what they show the model."


def _ask_more(measure: Measure, arms: tuple[str, ...], settings: Settings, before: RunRequest | None) -> dict[str, Any]:
    known = baselines(measure, arms)
    baseline = st.selectbox(
        "Compare each with", known, help="Differences from this arm get an interval.", key=f"evaluate_baseline_{measure}", width=360
    )
    more: dict[str, Any] = {"baseline": baseline}
    if not measure.needs_model:
        return more
    more["max_calls"] = _number(
        "Calls at most",
        f"evaluate_calls_{measure}",
        before.max_calls if before else None,
        placeholder="no limit",
        help="The call after it is refused. What was done is kept, and the run can go on.",
    )
    return more | (_ask_judging(settings, before) if measure is Measure.JUDGED else {})


def _ask_judging(settings: Settings, before: RunRequest | None) -> dict[str, Any]:
    for key, kept in (
        ("evaluate_judge", (before.judge_llm if before else None) or ""),
        ("evaluate_forms", list(before.forms if before else FORMS)),
        ("evaluate_samples", before.samples if before else 3),
    ):
        st.session_state.setdefault(key, kept)
    judge = st.text_input(
        "Model that judges",
        placeholder=settings.llm or "",
        max_chars=500,
        help="Named as under Settings, e.g. openai:gpt-5-mini. Empty: the model that answers, which may like its own words.",
        key="evaluate_judge",
        width=360,
    )
    forms = st.multiselect("How it judges", FORMS, format_func=lambda form: _FORMS[form], key="evaluate_forms")
    samples = st.number_input(
        "Grades of each answer", 1, 9, help="The median counts; each asks in another order.", key="evaluate_samples", width=260
    )
    return {"judge_llm": judge.strip() or None, "forms": tuple(forms), "samples": samples}


# ----------------------------------------------------------------------------------------------------- estimate and start


def _show_start(request: RunRequest, view: PlanView, settings: Settings) -> None:
    asked = f"{plural(view.num_questions, 'question')} × {plural(view.num_arms, 'arm')}"
    st.markdown(f"**{asked}**" + "".join(f" · {count:,} × {plain(note)}" for note, count in view.notes.items()))
    visit = str(state.remembered("evaluate_visit", uuid4().hex))
    ticket = f"{visit}-{_digest(request, settings)}"
    for other in background.found_under(background.key_of(settings, request.workspace, "estimate")):
        if other.key[-1].startswith(visit) and other.key[-1] != ticket:
            background.abandon(other.key)
    work = background.find(run_work.estimate_key(ticket, request))
    if work is None:
        if st.button("Estimate", type="primary", icon=":material/calculate:", help=_estimate_help(request)):
            run_work.start_estimate(ticket, request, run_work.stopped_runs(settings, request))
            st.rerun()
        return
    if not has_ended(work, lambda _: "Estimating calls, tokens, cost and time", can_stop=True):
        return
    if work.error or work.result is None:
        background.drop(work.key)
        if work.error:
            raise DynaGragError(run_work.in_the_app(work.error))
        st.rerun()
    _show_estimate(work.result, request)
    _show_button(request, work, asked, settings)


def _digest(request: RunRequest, settings: Settings) -> str:
    stamp = request.path(settings).stat().st_mtime
    return content_id(request.model_dump_json(), str(hash(settings)), str(stamp))[:16]


def _estimate_help(request: RunRequest) -> str:
    if request.measure.needs_model:
        return "Makes one call to the model, to tell the time; its reply is kept for the run."
    return "Asks the first two questions, to tell the time. No model is asked."


def _show_estimate(found: EstimateView, request: RunRequest) -> None:
    if not request.measure.needs_model:
        time = "" if found.seconds is None else f", about **{duration_text(max(1.0, found.seconds))}**"
        st.markdown(f":material/calculate: No model is asked: no calls, no cost{time}.")
        return
    if found.answers is None and found.judging is None:
        st.markdown(":material/calculate: All answers are there; nothing is left to ask.")
        return
    parts = [part for part in (found.answers, found.judging) if part is not None]
    calls, prompt = sum(part.calls for part in parts), sum(part.prompt_tokens for part in parts)
    reply = (found.answers.reply_tokens if found.answers else 0) + (found.judging.completion_tokens if found.judging else 0)
    money = [part.money for part in parts if part.money is not None]
    price = f"price at most about {sum(money):.2f}" if money else "price unknown: no prices are set"
    time = "time unknown until it runs" if found.seconds is None else f"**{duration_text(max(1.0, found.seconds))}**"
    st.markdown(
        f":material/calculate: About **{plural(calls, 'call')}**, {prompt:,} prompt tokens, at most {reply:,} reply tokens, {time}, "
        f"{price}.",
        help="Replies that are kept from before cost nothing. Prices: under Settings.",
    )
    if found.answers and found.judging:
        st.caption(f"{found.answers.calls:,} calls to answer, {found.judging.calls:,} to judge, as if each answer had 100 words.")


def _show_button(request: RunRequest, work: Work, asked: str, settings: Settings) -> None:
    found: EstimateView = work.result
    label = {Measure.FOUND: f"Ask {asked}", Measure.RIGHT: f"Answer {asked}", Measure.JUDGED: f"Answer and judge {asked}"}[request.measure]
    if found.goes_on is not None:
        st.caption(f"A run of these choices was stopped: {kept_runs.view_of(found.goes_on).how_far()} are there. It goes on from there.")
    is_busy = any(other.is_running for other in run_work.works(settings, request.workspace))
    if background.has_job_at_work(settings, request.workspace):
        st.warning(
            "This workspace is being changed: a run of now would measure half of it. Wait for its end.", icon=":material/hourglass_top:"
        )
        is_busy = True
    ticket = str(state.remembered("evaluate_ticket", uuid4().hex))
    st.button(
        f"Go on: {label[0].lower()}{label[1:]}" if found.goes_on else label,
        type="primary",
        icon=":material/play_arrow:",
        disabled=is_busy,
        help="Something is at work in this workspace; wait for its end." if is_busy else None,
        on_click=_start,
        args=(ticket, request, work),
    )


def _start(ticket: str, request: RunRequest, estimate: Work) -> None:
    """A second click comes with the same ticket, and begins nothing."""
    with state.shown_errors():
        run_work.start(ticket, request, estimate.result.goes_on)
        background.drop(estimate.key)
        state.remember("evaluate_ticket", uuid4().hex)
