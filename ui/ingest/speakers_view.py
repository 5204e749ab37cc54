"""Names for the speakers of files: renamed, merged, or left out, before anything is stored."""

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from dynagrag.core.schema import Document, LabelFate
from dynagrag.core.text import collapse, plural
from dynagrag.ingest.load.introductions import Introduction
from dynagrag.ingest.load.speaker_names import NOBODY, SpeakerNames, kept_names
from dynagrag.ui import state
from dynagrag.ui.ingest.source_reading import SourceRow
from dynagrag.ui.ingest.sources_view import pick_row
from dynagrag.ui.safe_markdown import clean, plain, short_label, speaker_choices

_MAX_SPEAKERS = 40
_MAX_CHARS = 120
_MAX_OFFERED = 5
"""Files in which speakers say their names, and names of one."""
_STATE = "speaker_names"


def show(rows: Sequence[SourceRow], documents: Iterable[Document]) -> SpeakerNames:
    """A field for each speaker of the file that is picked, and the names that were given so far to
    those of all files here.
    """
    spoken = [row for row in rows if (row.speakers or row.labels) and not row.refused]
    chosen: dict[str, dict[str, str]] = state.remembered(_STATE, {})
    kept = {document.sha256: kept_names(document.meta) for document in documents} if spoken else {}
    offers = [
        (row, offered)
        for row in spoken
        if (offered := _offered(row, {**kept.get(row.sha256, {}), **chosen.get(row.name, {})}))
    ]
    for row, offered in offers[:_MAX_OFFERED]:
        _offer_names(row, offered)
    if len(offers) > _MAX_OFFERED:
        st.caption(
            f"In {plural(len(offers) - _MAX_OFFERED, 'more file')} speakers say their names, which"
            " are offered once these are taken."
        )
    if spoken:
        with st.expander("Speakers: rename, merge, leave out"):
            picked = pick_row(spoken, key="speakers_of")
            before = {
                label: kept.get(picked.sha256, {}).get(label, label)
                for label in (*picked.speakers, NOBODY)
            }
            st.caption(
                "Speakers with the same name become one. Leave out what is no speaker, such as a"
                " heading."
            )
            with st.form(f"speakers_{picked.path}", border=False):
                typed = {
                    label: st.text_input(
                        plain(short_label(label)),
                        value=chosen.get(picked.name, {}).get(label, before[label]),
                        max_chars=_MAX_CHARS,
                        placeholder="left out",
                        key=_field_key(picked, number),
                    )
                    for number, label in enumerate(picked.speakers[:_MAX_SPEAKERS])
                }
                if picked.unknown_share:
                    typed[NOBODY] = st.text_input(
                        f"Turns without a speaker ({picked.unknown_share:.0%} of the words)",
                        value=chosen.get(picked.name, {}).get(NOBODY, before[NOBODY]),
                        max_chars=_MAX_CHARS,
                        placeholder="nobody",
                        help="Gives all of them to one person.",
                        key=f"speaker_{picked.path}_nobody",
                    )
                shown = speaker_choices(picked.speakers[:_MAX_SPEAKERS])
                merged = _pick("Merge into the first", shown, f"merge_{picked.path}", "two or more")
                left_out = _pick("Leave out", shown, f"omit_{picked.path}", "none")
                others = speaker_choices(_others(picked)[:_MAX_SPEAKERS])
                added = (
                    _pick("Also a speaker", others, f"add_{picked.path}", "none") if others else []
                )
                if len(picked.speakers) > _MAX_SPEAKERS:
                    st.caption(
                        f"{plural(len(picked.speakers) - _MAX_SPEAKERS, 'more speaker')}: name them"
                        " with `dynagrag ingest --speaker-map`."
                    )
                if st.form_submit_button("Use these names", icon=":material/check:"):
                    if merged:
                        typed |= dict.fromkeys(merged, typed[merged[0]])
                    typed |= dict.fromkeys(left_out, "")
                    new_names = {label: collapse(name) for label, name in typed.items()}
                    changed = {
                        label: name for label, name in new_names.items() if name != before[label]
                    } | {label: label for label in added}
                    state.remember(_STATE, {**chosen, picked.name: changed})
                    st.rerun()
            changes = ", ".join(
                f"{short_label(label) or 'no speaker'} → {name or 'left out'}"
                for label, name in chosen.get(picked.name, {}).items()
            )
            if changes:
                st.caption(f":material/check: {plain(changes)}")
    here = {row.name: {*row.speakers, *_others(row), NOBODY} for row in spoken}
    return SpeakerNames(
        {},
        {
            file: names
            for file, names in chosen.items()
            if file in here and set(names) <= here[file]
        },
    )


def _offered(row: SourceRow, named: Mapping[str, str]) -> list[Introduction]:
    """The names which speakers give themselves, where they have none."""
    return [own for own in row.introduced if own.label not in named][:_MAX_OFFERED]


def _offer_names(row: SourceRow, offered: Sequence[Introduction]) -> None:
    """The names with what is said, and a button that takes them."""
    given = "; ".join(own.text() for own in offered)
    st.caption(f":material/record_voice_over: {plain(clean(row.name))}: {plain(given)}")
    pairs = ", ".join(f"{short_label(own.label)} → {own.name}" for own in offered)
    st.button(
        f"Rename {plain(pairs)}",
        key=f"introduced_{row.path}",
        on_click=_take_names,
        args=(row, {own.label: own.name for own in offered}),
    )


def _take_names(row: SourceRow, names: Mapping[str, str]) -> None:
    """Also into the fields, which keep what they held."""
    chosen: dict[str, dict[str, str]] = state.remembered(_STATE, {})
    state.remember(_STATE, {**chosen, row.name: {**chosen.get(row.name, {}), **names}})
    for label, name in names.items():
        st.session_state[_field_key(row, row.speakers.index(label))] = name


def _field_key(row: SourceRow, number: int) -> str:
    return f"speaker_{row.path}_{number}"


def _others(row: SourceRow) -> list[str]:
    """Labels that stand where speakers do, or before a colon, and were taken for none."""
    return [label.text for label in row.labels if label.fate is not LabelFate.SPEAKER]


def forget() -> None:
    """Drops what was given: it is the run's now, and the documents keep it."""
    state.remember(_STATE, {})


def _pick(what: str, shown: Mapping[str, str], key: str, placeholder: str) -> list[str]:
    return st.multiselect(
        what, list(shown), format_func=shown.__getitem__, key=key, placeholder=placeholder
    )
