"""The passages of the page Why: what the question was linked to, and what each passage's score is
made of.
"""

import streamlit as st

from dynagrag.core.schema import Answer
from dynagrag.core.text import clock, plural
from dynagrag.ui.safe_markdown import plain, source_link

_NUMBERS = ("Score", "Words and vectors", "Graph", "Bridge", "Around it", "Steps")


def show_passages(workspace: str, answer: Answer) -> None:
    """A table of the ranked passages; of a retriever that tells nothing of its ranking, the
    evidence lines alone.
    """
    ranking = answer.trace.ranking
    if ranking is None:
        st.markdown(
            f"This retriever ranked {plural(answer.trace.num_passages, 'passage')} and says only"
            " their order. The lines it found:"
        )
        st.dataframe(
            [
                {"Document": c.document, "Speaker": c.speaker, "Words": c.quote}
                for c in answer.evidence
            ],
            hide_index=True,
        )
        return
    in_prompts = {id_ for prompt in answer.trace.prompts for id_ in prompt.evidence_ids}
    read = "prompts" if answer.is_answered_by_model else "what a model would read"
    num_in = sum(passage.id in in_prompts for passage in ranking.passages)
    st.markdown(
        f"{plural(len(ranking.linked), 'name')} of the question"
        f" {'is' if len(ranking.linked) == 1 else 'are'} known to the graph."
        f" {plural(len(ranking.passages), 'passage')} ranked, {num_in} of them in {read}."
    )
    titles = {line.document for line in answer.evidence}
    names = (
        ", ".join(f"**{plain(name)}**" for name in ranking.linked) or "none that the graph knows"
    )
    st.markdown(f"Names in the question: {names}")
    if ranking.facts:
        with st.expander(plural(len(ranking.facts), "nearest fact")):
            lines = []
            for fact in ranking.facts:
                # texts of facts begin with their documents' titles, the same again and again
                title = next((t for t in titles if fact.text.startswith(f"{t}: ")), None)
                text = fact.text if title is None else fact.text.removeprefix(f"{title}: ")
                lines.append(f"- “{plain(text)}”, cosine {fact.cosine:.2f}")
            st.markdown("\n".join(lines))
    if ranking.gate < 1:
        st.caption(
            f"The graph counts {ranking.gate:.0%}: less where a question is long, where many"
            " passages hold no entity, and in long documents."
        )
    with st.expander("The ranked passages"):
        rows = [
            {
                "Rank": rank,
                "In a prompt": passage.id in in_prompts,
                "Begins with": passage.words,
                "Source": source_link(workspace, passage.document_id, passage.start, passage.end),
                "Document": passage.document,
                "Time": "" if passage.start_s is None else clock(passage.start_s),
                "Score": passage.score,
                "Words and vectors": passage.first_stage,
                "Graph": passage.graph,
                "Bridge": passage.bridge,
                "Around it": passage.around,
                **({} if passage.steps is None else {"Steps": passage.steps}),
                "Reached over": passage.over or "",
            }
            for rank, passage in enumerate(ranking.passages, start=1)
        ]
        columns = {name: st.column_config.NumberColumn(name, format="%.2f") for name in _NUMBERS}
        st.dataframe(
            rows,
            hide_index=True,
            column_config=columns
            | {"Source": st.column_config.LinkColumn("Source", display_text="open")},
        )
        st.caption(
            "The score is the sum of the columns of numbers after it: how well words and vectors"
            " fit, PageRank from what the question names, the best bridge from another passage, and"
            " what stands around it"
            + (", and what the question's steps changed." if ranking.steps else ".")
        )
