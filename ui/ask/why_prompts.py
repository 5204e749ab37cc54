"""The prompts of the page Why, whole, and the intermediate answers that came of them with their
scores.
"""

from collections import Counter

import streamlit as st

from dynagrag.core.schema import Answer, IntermediateAnswer, SoftTrace, Verdict
from dynagrag.core.text import plural
from dynagrag.ui.safe_markdown import plain


def show_prompts(answer: Answer) -> None:
    """The prompts of each intermediate answer, and of the merged one; or those that there would
    have been.
    """
    trace = answer.trace
    if not trace.prompts:
        st.markdown("Nothing was retrieved, so there was no prompt.")
        return
    num_tokens, num_cut = (
        sum(p.num_tokens for p in trace.prompts),
        sum(p.num_lines_cut for p in trace.prompts),
    )
    cut = f" {plural(num_cut, 'line')} did not fit." if num_cut else ""
    st.markdown(f"{plural(len(trace.prompts), 'prompt')} of {num_tokens:,} tokens in all.{cut}")
    if trace.soft:
        st.caption(_of_soft(trace.soft))
    elif not answer.is_answered_by_model and not answer.intermediate:
        st.caption(
            "No model was asked: this is what one would be shown, after the instructions and the"
            " question."
        )
    else:
        st.caption(
            "What the model was shown for each intermediate answer, after the same instructions and"
            " the question."
        )
        with st.expander("The instructions of each"):
            st.code(trace.instructions, language=None, wrap_lines=True)
    for number, prompt in enumerate(trace.prompts, start=1):
        cut = f", {prompt.num_lines_cut} lines cut" if prompt.num_lines_cut else ""
        about = (
            f"{trace.subgraph_kind} of {plain(prompt.centre)}"
            if prompt.subgraph
            else "the ranked passages"
        )
        with st.expander(f"{number}. {about}: {prompt.num_tokens} tokens{cut}"):
            st.code(prompt.text, language=None, wrap_lines=True)
    if trace.merge_prompt:
        with st.expander("The prompt of the merged answer, whole"):
            st.code(trace.merge_prompt, language=None, wrap_lines=True)


def _of_soft(soft: SoftTrace) -> str:
    """Describes the input of a trained soft prompt."""
    count = f"{soft.num_soft_tokens} soft token{'' if soft.num_soft_tokens == 1 else 's'}"
    if not soft.text_tokens:
        return (
            f"{plain(soft.label)} read {count} and the question, and none of this text: its graph"
            " became the token."
        )
    num = len(soft.labels)
    lines = (
        f"{soft.num_lines_read} of {soft.num_lines} lines, {num} of them evidence"
        if soft.num_lines
        else f"{num} lines of evidence"
    )
    return (
        f"{plain(soft.label)} read {count}, then {soft.text_tokens:,} tokens of text ({lines}),"
        " then the question."
    )


def show_intermediate(answer: Answer) -> None:
    """Each intermediate answer with its score, and how the answer came of them."""
    trace = answer.trace
    if not answer.intermediate:
        st.markdown(
            f"{plain(trace.soft.label)} answered in one reply of {trace.soft.reply_tokens} tokens,"
            f" {trace.soft.seconds:.1f} s."
            if trace.soft
            else "No language model answered."
        )
        return
    num_helpful = sum(a.helpfulness > 0 for a in answer.intermediate)
    verdicts = Counter(claim.verdict.value for a in answer.intermediate for claim in a.claims)
    checked = (
        f" {plural(verdicts.total(), 'claim')} checked:"
        f" {', '.join(f'{num} {name}' for name, num in verdicts.items())}."
    )
    st.markdown(
        f"{plural(len(answer.intermediate), 'intermediate answer')}, {num_helpful} of them"
        f" helpful.{checked if verdicts else ''}"
    )
    if trace.merge:
        st.markdown(f"How the answer came about: {plain(trace.merge)}")
    for failure in trace.failures:
        st.warning(plain(failure))
    for intermediate in answer.intermediate:
        with st.container(border=True):
            enough = "" if intermediate.has_enough_evidence else " · not enough evidence, left out"
            scored = (
                f"helpfulness {intermediate.helpfulness:.0f} of 100{_score_parts(intermediate)}"
            )
            centre = (
                "the ranked passages"
                if intermediate.centre == trace.retriever
                else plain(intermediate.centre)
            )
            st.caption(f"from **{centre}** · {scored}{enough}")
            st.markdown(plain(intermediate.answer) or "(no answer)")
            for claim in intermediate.claims:
                named = "".join(f" {label}" for label in claim.lines)
                by = " by" if claim.verdict is not Verdict.NOT_CHECKED else ", nearest"
                verdict = f"{claim.verdict.value}{by if named else ''}{named}"
                st.caption(f"{verdict}: {plain(claim.text)}")


def _score_parts(answer: IntermediateAnswer) -> str:
    """ ": relevance 4, coherence 5, detail 3 of 5 by the judge", where the answer has been
    scored.
    """
    if not answer.score_parts:  # an answer kept by an earlier version has none
        return f", by {plain(answer.scored_by)}"
    if answer.scored_by == "judge":
        return (
            ": "
            + ", ".join(f"{name} {mark:.0f}" for name, mark in answer.score_parts.items())
            + " of 5 by the judge (counted 2 : 1 : 1)"
        )
    terms = ", ".join(f"{name} {term:.2f}" for name, term in answer.score_parts.items())
    return (
        f": {terms} by"
        f" {'its claims' if answer.scored_by == 'claims' else 'the formula (counted 2 : 1 : 1)'}"
    )
