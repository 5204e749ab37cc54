"""The form that begins a run: the measure, questions and arms, and what that would take."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import streamlit as st

from dynagrag.config.settings import Settings
from dynagrag.core.errors import DynaGragError
from dynagrag.core.ids import content_id
from dynagrag.core.text import duration_text, plural
from dynagrag.evaluation.judge.judge_options import FORMS, PAIRWISE, POINTWISE
from dynagrag.ui import background, first_visit, state
from dynagrag.ui.background import Work
from dynagrag.ui.evaluate import kept_runs, questions_box, run_work
from dynagrag.ui.evaluate.run_request import (
    EvaluationPlan,
    Measure,
    RunRequest,
    arm_words,
    baselines,
    default_arms,
)
from dynagrag.ui.evaluate.run_work import EstimateView
from dynagrag.ui.progress import has_ended
from dynagrag.ui.safe_markdown import with_commands
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.workspace_soft_prompt import OwnSoftPrompt, own_soft_prompts

_MEASURES = {
    Measure.FOUND: (
        "Search",
        "Does it find the right passages? Needs no language model; takes seconds to minutes.",
    ),
    Measure.SHOWN: (
        "Words that answer",
        "Does Ask show the words that answer first, and say where nothing fits? Needs no language"
        " model; takes seconds to minutes.",
    ),
    Measure.RIGHT: (
        "Answers",
        "Are the answers right? Each is compared with the right answer in your file.",
    ),
    Measure.JUDGED: (
        "Answers, graded by a model",
        "Which answers are better? A language model grades them; no right answers are needed.",
    ),
}
_FORMS = {
    POINTWISE: "each answer by itself",
    PAIRWISE: "each answer beside that of one arm, in both orders",
}
_REQUEST = "evaluate_request"


def show() -> None:
    """Draws it; what a workspace lacks is said instead."""
    desk = first_visit.needs_workspace()
    if desk is None:
        return
    settings = state.settings()
    before: RunRequest | None = state.remembered(_REQUEST, None)
    measure = _ask_measure(before)
    arms = arm_words(measure, _soft_prompts(desk, measure), has_model=settings.llm is not None)
    if not _can_ask(measure, arms, settings):
        return
    questions = questions_box.ask(settings, desk.name)
    if questions is None:
        return
    if measure is not Measure.SHOWN:
        st.subheader("What to compare")
    request = _ask_request(
        measure,
        arms,
        desk,
        questions,
        settings,
        before if before and before.measure is measure else None,
    )
    state.remember(_REQUEST, request)
    _show_start(request, _planned(request, settings), settings)


def _soft_prompts(desk: WorkspaceSession, measure: Measure) -> list[OwnSoftPrompt]:
    """The workspace's trained soft prompts, where they can answer."""
    return (
        own_soft_prompts(desk.space.settings, desk.name, desk.space.store.embedder())
        if measure.asks_model
        else []
    )


def _can_ask(measure: Measure, arms: Mapping[str, str], settings: Settings) -> bool:
    """Whether there is a model for this measure; what to do is said where there is none."""
    if not measure.asks_model or settings.llm is not None:
        return True
    if measure is Measure.RIGHT and arms:
        told = (
            "No language model is set, so only trained soft prompts can answer: they have one of"
            " their own. **Settings** sets one."
        )
        st.info(told, icon=":material/settings:")
        return True
    st.info(
        f"No language model is set, and {'grading' if measure is Measure.JUDGED else 'answering'}"
        " needs one. Choose one under **Settings**, or measure the search, which needs none.",
        icon=":material/settings:",
    )
    return False


def _planned(request: RunRequest, settings: Settings) -> EvaluationPlan:
    """The plan of a request, read once: a file may have many thousand rows."""
    digest = _digest(request, settings)
    kept: tuple[str, EvaluationPlan | None] = state.remembered("evaluate_plan", ("", None))
    if kept[0] != digest or kept[1] is None:
        kept = (digest, run_work.checked_plan(request, settings))
        state.remember("evaluate_plan", kept)
    assert kept[1] is not None
    return kept[1]


# ------------------------------------------------------------------------------------------ choices


def _number(label: str, key: str, kept: int | None, **options: Any) -> int | None:
    """A number that may be left open, with what was kept of before."""
    st.session_state.setdefault(key, kept)
    found: int | None = st.number_input(
        label, min_value=1, value=None, key=key, width=260, **options
    )
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


def _ask_request(
    measure: Measure,
    words: Mapping[str, str],
    desk: WorkspaceSession,
    questions: str,
    settings: Settings,
    before: RunRequest | None,
) -> RunRequest:
    arms = _ask_arms(measure, words, before) if words else ()
    limit = _number(
        "Number of questions, at most",
        f"evaluate_limit_{measure}",
        before.limit if before else None,
        placeholder="all",
    )
    chosen: dict[str, Any] = {"limit": limit}
    if arms:
        with st.expander("More options"):
            chosen |= _ask_more(measure, arms, settings, before)
    is_asking = measure.asks_model
    return RunRequest(
        measure=measure,
        workspace=desk.name,
        questions=questions,
        arms=arms,
        llm=settings.llm if is_asking else None,
        embedder=desk.space.settings.embedder,
        **chosen,
    )


def _ask_arms(
    measure: Measure, words: Mapping[str, str], before: RunRequest | None
) -> tuple[str, ...]:
    key = f"evaluate_arms_{measure}"
    kept = st.session_state.get(key, before.arms if before else default_arms(measure, words))
    known = [arm for arm in kept if arm in words]  # another workspace has other soft prompts
    st.session_state[key] = known if known or not kept else list(default_arms(measure, words))
    arms = tuple(
        st.multiselect(
            "Ways to search or to answer (arms)",
            list(words),
            format_func=lambda name: f"{name}: {words[name]}",
            key=key,
            placeholder="Choose at least one",
            help=_HELP,
        )
    )
    if measure is Measure.FOUND:
        st.caption(
            "Plain search always runs too, to compare with: by meaning (naive), by words (bm25),"
            " and by both (hybrid, rrf)."
        )
    return arms


_HELP = (
    "Choose several to see which does best. All but global, soft and hard may show the model"
    " equally much text."
)


def _ask_more(
    measure: Measure, arms: tuple[str, ...], settings: Settings, before: RunRequest | None
) -> dict[str, Any]:
    known = baselines(measure, arms)
    baseline = st.selectbox(
        "Compare each with",
        known,
        help="You see how far the others are from this one, and how sure that is.",
        key=f"evaluate_baseline_{measure}",
        width=360,
    )
    more: dict[str, Any] = {"baseline": baseline}
    if not measure.asks_model or settings.llm is None:
        return more
    more["max_calls"] = _number(
        "Model calls, at most",
        f"evaluate_calls_{measure}",
        before.max_calls if before else None,
        placeholder="no limit",
        help="The run stops there. What is done is kept, and you can resume it.",
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
        "Model that grades",
        placeholder=settings.llm or "",
        max_chars=500,
        help=(
            "Named as under Settings, e.g. openai:gpt-5-mini. Empty: the model that answers, which"
            " may prefer its own answers."
        ),
        key="evaluate_judge",
        width=360,
    )
    forms = st.multiselect(
        "How it grades", FORMS, format_func=lambda form: _FORMS[form], key="evaluate_forms"
    )
    samples = st.number_input(
        "Grades for each answer",
        1,
        9,
        help="The middle one counts. Each time the criteria come in another order.",
        key="evaluate_samples",
        width=260,
    )
    return {"judge_llm": judge.strip() or None, "forms": tuple(forms), "samples": samples}


# ------------------------------------------------------------------------------- estimate and start


def _show_start(request: RunRequest, view: EvaluationPlan, settings: Settings) -> None:
    asked = plural(view.num_questions, "question")
    if request.arms or view.num_arms > 1:
        asked += f" × {plural(view.num_arms, 'arm')}"
    st.markdown(
        f"**{asked}**"
        + "".join(f" · {count:,} × {with_commands(note)}" for note, count in view.notes.items())
    )
    visit = str(state.remembered("evaluate_visit", uuid4().hex))
    ticket = f"{visit}-{_digest(request, settings)}"
    for other in background.found_under(background.key_of(settings, request.workspace, "estimate")):
        if other.key[-1].startswith(visit) and other.key[-1] != ticket:
            background.abandon(other.key)
    work = background.find(run_work.estimate_key(ticket, request))
    if work is None:
        if st.button(
            "Estimate", type="primary", icon=":material/calculate:", help=_estimate_help(request)
        ):
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
    if request.llm is not None:
        return (
            "Makes one call to the model to see how long it takes. The reply is kept, so nothing is"
            " paid twice."
        )
    if request.measure.asks_model:
        return "Lets each soft prompt answer one question to see how long it takes."
    return "Asks the first two questions to see how long it takes. No language model is asked."


def _show_estimate(found: EstimateView, request: RunRequest) -> None:
    if request.llm is None:
        time = (
            "" if found.seconds is None else f", about **{duration_text(max(1.0, found.seconds))}**"
        )
        st.markdown(f":material/calculate: No calls to a language model, so no cost{time}.")
        return
    if found.answers is None and found.judging is None:
        st.markdown(":material/calculate: All answers are there already; nothing is left to ask.")
        return
    parts = [part for part in (found.answers, found.judging) if part is not None]
    calls, prompt = sum(part.calls for part in parts), sum(part.prompt_tokens for part in parts)
    reply = (found.answers.reply_tokens if found.answers else 0) + (
        found.judging.completion_tokens if found.judging else 0
    )
    money = [part.money for part in parts if part.money is not None]
    price = f"price at most about {sum(money):.2f}" if money else "price unknown: no prices are set"
    time = (
        "time unknown until it runs"
        if found.seconds is None
        else f"**{duration_text(max(1.0, found.seconds))}**"
    )
    st.markdown(
        f":material/calculate: About **{plural(calls, 'call')}**, {prompt:,} prompt tokens, at most"
        f" {reply:,} reply tokens, {time}, {price}.",
        help="Replies kept from earlier runs cost nothing.",
    )
    if found.answers and found.judging:
        st.caption(
            f"{found.answers.calls:,} calls to answer, {found.judging.calls:,} to judge, as if each"
            " answer had 100 words."
        )


def _show_button(request: RunRequest, work: Work, asked: str, settings: Settings) -> None:
    found: EstimateView = work.result
    label = {
        Measure.FOUND: f"Ask {asked}",
        Measure.SHOWN: f"Ask {asked}",
        Measure.RIGHT: f"Answer {asked}",
        Measure.JUDGED: f"Answer and judge {asked}",
    }[request.measure]
    if found.goes_on is not None:
        st.caption(
            f"A run with these choices was stopped: {kept_runs.view_of(found.goes_on).how_far()}"
            " are done. It goes on from there."
        )
    is_busy = any(other.is_running for other in run_work.works(settings, request.workspace))
    if background.has_job_at_work(settings, request.workspace):
        st.warning(
            "This workspace is being changed, so a run would measure it half done. Wait until that"
            " has ended.",
            icon=":material/hourglass_top:",
        )
        is_busy = True
    ticket = str(state.remembered("evaluate_ticket", uuid4().hex))
    st.button(
        f"Go on: {label[0].lower()}{label[1:]}" if found.goes_on else label,
        type="primary",
        icon=":material/play_arrow:",
        disabled=is_busy,
        help=(
            "Something else is running in this workspace. Wait until it has ended."
            if is_busy
            else None
        ),
        on_click=_start,
        args=(ticket, request, work),
    )


def _start(ticket: str, request: RunRequest, estimate: Work) -> None:
    """A second click comes with the same ticket, and begins nothing."""
    with state.shown_errors():
        run_work.start(ticket, request, estimate.result.goes_on)
        background.drop(estimate.key)
        state.remember("evaluate_ticket", uuid4().hex)
