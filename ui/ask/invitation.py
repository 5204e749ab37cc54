"""The contents of a workspace, shown where nothing has been asked yet: questions to begin with,
documents, speakers, topics, who spoke when.
"""

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from dynagrag.core.ids import content_id
from dynagrag.core.schema import Document, Turn
from dynagrag.core.text import clock, plural
from dynagrag.language.document_language import language_of_document
from dynagrag.language.identification import language_name
from dynagrag.ui import first_visit
from dynagrag.ui.ask import refused_question, source_panel
from dynagrag.ui.choice_labels import document_labels
from dynagrag.ui.safe_markdown import clean, plain, source_link
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.starting_points import StartingPoints, starting_points

_MAX_DOCUMENTS, _MAX_SPEAKERS, _MAX_TOPICS = 12, 8, 24
_MAX_TITLE = 100
_MAX_TICKS = 9
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400)
"""Between two times of who spoke when, in seconds."""
_MAX_STRETCHES = 1500
"""Of who spoke when: of more the shortest are left out of the picture."""


@st.cache_resource(show_spinner="Reading what is in it …", max_entries=8)
def _points(_session: WorkspaceSession, folder: str, version: str) -> StartingPoints:
    return starting_points(_session.space.store, _session.documents())


def points_of(session: WorkspaceSession) -> StartingPoints:
    """The workspace's starting points, read once per version of its store."""
    return _points(session, str(session.space.folder), session.space.store.version())


def invite(session: WorkspaceSession, *, can_ask: bool = True) -> str | None:
    """Shows what is in the workspace. Returns the question that was clicked, if one `can_ask`."""
    documents = session.documents()
    if not documents:
        first_visit.show_empty_workspace()
        return None
    points = points_of(session)
    st.caption("Every answer names the words that it rests on; follow them to the source.")
    picked = suggest(points.questions(), "Ask, for example", can_ask=can_ask)
    show_documents(session, documents)
    has_both = points.speakers and points.topics
    left, right = st.columns(2, gap="large") if has_both else (st.container(), st.container())
    with left:
        _show_speakers(points)
    with right:
        topic = _show_topics(points, can_ask=can_ask)
    _show_timeline(session, documents)
    return picked or topic


def suggest(questions: Sequence[str], label: str, *, can_ask: bool = True) -> str | None:
    """Questions as pills; the one that was clicked."""
    if not questions:
        return None
    shown = {plain(clean(question, 110)): question for question in questions}
    # a key of these questions, so that a choice among others isn't taken for one of them
    key = f"suggested_{content_id(*questions)}_{refused_question.num_refused()}"
    picked = st.pills(label, list(shown), key=key, wrap=True, disabled=not can_ask)
    return shown.get(picked) if picked and can_ask else None


def show_documents(
    session: WorkspaceSession, documents: Sequence[Document], *, can_find: bool = True
) -> None:
    """Their titles, each a link to its words; of many the first, and a box that finds the others if
    it `can_find`.
    """
    st.subheader(plural(len(documents), "document"), anchor=False)
    shown = Counter(clean(d.title, _MAX_TITLE) for d in documents)
    rows = []
    for d in documents[:_MAX_DOCUMENTS]:
        title = clean(d.title, _MAX_TITLE)
        # the file's name tells documents of one title apart
        file = f"{plain(clean(Path(d.uri).name, _MAX_TITLE))} · " if shown[title] > 1 else ""
        link = source_link(session.name, d.id, 0, 0)
        # the page behind the link has the box that changes the language
        language = language_name(language_of_document(d))
        rows.append(
            f"- [{plain(title)}]({link}) :gray[{file}{len(d.text.split()):,} words ·]"
            f" [{language}]({link})"
        )
    st.markdown("\n".join(rows))
    if can_find and len(documents) > _MAX_DOCUMENTS:
        # a box finds the others by a part of their titles: a link for each would be sent at each
        # draw
        titles = document_labels(
            sorted(documents, key=lambda d: (d.title.casefold(), d.id)), _MAX_TITLE
        )
        st.selectbox(
            f"All {len(documents):,} documents",
            list(titles),
            index=None,
            format_func=lambda i: titles.get(i, i),
            placeholder="Find one by its title, and read it here",
            key="find_to_read",
            on_change=_read,
        )


def _read() -> None:
    """Opens the document that was chosen beside the page; the box is empty for the next one."""
    if chosen := st.session_state["find_to_read"]:
        source_panel.open_at(chosen)
    st.session_state["find_to_read"] = None


def _show_speakers(points: StartingPoints) -> None:
    if not points.speakers:
        return
    st.subheader("Speakers", anchor=False)
    whole = sum(speaker.num_words for speaker in points.speakers) or 1
    rows = []
    for speaker in points.speakers[:_MAX_SPEAKERS]:
        spoke = (
            f"{clock(speaker.seconds)} min"
            if speaker.seconds >= 1
            else plural(speaker.num_words, "word")
        )
        rows.append(
            f"- **{plain(clean(speaker.name, 40))}** :gray[{plain(spoke)},"
            f" {100 * speaker.num_words / whole:.0f} % of the words]"
        )
    rest = len(points.speakers) - _MAX_SPEAKERS
    st.markdown("\n".join([*rows, *([f"- :gray[and {rest:,} more]"] if rest > 0 else [])]))


def _show_topics(points: StartingPoints, *, can_ask: bool) -> str | None:
    """Shows the main topics and how often each is named; returns the question about the one that
    was clicked.
    """
    if not points.topics:
        return None
    st.subheader("Talked about", anchor=False)
    names = {
        f"{plain(clean(topic.name, 30))} :gray[×{topic.weight}]": topic
        for topic in points.topics[:_MAX_TOPICS]
    }
    picked = st.pills(
        "Talked about",
        list(names),
        key=f"topics_{content_id(*names)}",
        label_visibility="collapsed",
        wrap=True,
        disabled=not can_ask,
    )
    if not picked or not can_ask:
        return None
    topic = names[picked]
    # where no wording is known, its words alone are asked for
    return replace(topic, name=clean(topic.name, 60)).question() or clean(topic.name, 60)


def _show_timeline(session: WorkspaceSession, documents: Sequence[Document]) -> None:
    with_times = _timed(session.space.store.version(), session)
    timed = [d for d in documents if d.id in with_times]
    if not timed:
        return
    st.subheader("Who spoke when", anchor=False)
    document = timed[0]
    if len(timed) > 1:
        labels = document_labels(timed, _MAX_TITLE)
        picked = st.selectbox(
            "Document",
            list(labels),
            format_func=lambda i: labels.get(i, i),
            key="timeline_document",
            label_visibility="collapsed",
        )
        document = next((d for d in timed if d.id == picked), document)
    rows = stretches(session.space.store.turns(document.id))
    shown = ticks(min(float(row["from"]) for row in rows), max(float(row["until"]) for row in rows))
    labels_of = json.dumps({str(second): clock(second) for second in shown})
    spec = {
        "mark": {"type": "bar", "height": {"band": 0.7}},
        "height": {"step": 22},
        "encoding": {
            "x": {
                "field": "from",
                "type": "quantitative",
                "title": None,
                "scale": {"zero": False, "nice": False},
                "axis": {"values": shown, "labelExpr": f"{labels_of}[datum.value]"},
            },
            "x2": {"field": "until"},
            "y": {
                "field": "speaker",
                "type": "nominal",
                "sort": None,
                "title": None,
                "axis": {"labelLimit": 160},
            },
            "tooltip": [{"field": "speaker"}, {"field": "time"}],
        },
    }
    st.vega_lite_chart(rows, spec, width="stretch")


@st.cache_data(show_spinner=False, max_entries=8)
def _timed(version: str, _session: WorkspaceSession) -> frozenset[str]:
    """The documents whose turns have speakers and times."""
    return frozenset(
        turn.document_id
        for turn in _session.space.store.turns()
        if turn.start_s is not None and turn.speaker
    )


def ticks(first: float, last: float) -> list[int]:
    """Whole steps of a clock between two seconds, ten at most."""
    step = next(
        (step for step in _STEPS if (last - first) / step <= _MAX_TICKS),
        int((last - first) / _MAX_TICKS),
    )
    return list(range(math.ceil(first / step) * step, math.floor(last) + 1, step))


def stretches(turns: Sequence[Turn]) -> list[dict[str, str | float]]:
    """Speakers by the seconds that they spoke: turns of one speaker in a row are one stretch; the
    longest, in order of time.
    """
    timed = [turn for turn in turns if turn.start_s is not None]
    made: list[tuple[str, float, float]] = []
    for turn, after in zip(timed, [*timed[1:], None], strict=True):
        start = turn.start_s or 0.0
        end = turn.end_s
        if end is None:  # it lasts until the next one; the last for two seconds
            end = start + 2.0 if after is None or after.start_s is None else after.start_s
        who = turn.speaker or "?"
        if made and made[-1][0] == who and start >= made[-1][1]:
            made[-1] = (who, made[-1][1], max(made[-1][2], end))
        else:
            made.append((who, start, max(start, end)))
    longest = sorted(
        sorted(made, key=lambda row: row[1] - row[2])[:_MAX_STRETCHES], key=lambda row: row[1]
    )
    return [
        {
            "speaker": clean(who, 40),
            "from": start,
            "until": end,
            "time": f"{clock(start)} to {clock(end)}",
        }
        for who, start, end in longest
    ]
