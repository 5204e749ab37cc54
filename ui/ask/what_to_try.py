"""Hints where nothing fits a question: words that no source has, names that look like them, chips
that are set.
"""

from collections.abc import Sequence
from difflib import get_close_matches

import streamlit as st

from dynagrag.core.schema import Filters
from dynagrag.generation.support import NO_CONTENT, WORD, stem
from dynagrag.ui.safe_markdown import clean, plain

_NUM_LIKE = 3
_LEAST_LIKE = 0.72
"""Of `difflib`, 0 to 1: "Zoltan" and "Zolten" have 0.83."""


@st.cache_data(show_spinner=False, max_entries=50)
def unknown_words(question: str, _texts: Sequence[str], version: str = "") -> list[str]:
    """The question's content words whose beginning stands at no word's beginning in the texts, as
    they are written.

    `version`: the sources', since the texts themselves are not compared.
    """
    wanted = {
        word: stem(word.casefold())
        for word in WORD.findall(question)
        if word.casefold() not in NO_CONTENT and len(word) > 2
    }
    left = dict(wanted)
    for text in _texts:
        known = {stem(found.casefold()) for found in WORD.findall(text)} if left else set()
        left = {word: start for word, start in left.items() if start not in known}
    return list(left)


def names_like(word: str, names: Sequence[str]) -> list[str]:
    """Names of which one word looks like it, nearest first."""
    by_part = {part.casefold(): name for name in reversed(names) for part in WORD.findall(name)}
    near = get_close_matches(word.casefold(), by_part, n=2 * _NUM_LIKE, cutoff=_LEAST_LIKE)
    return list(dict.fromkeys(by_part[part] for part in near))[:_NUM_LIKE]


def show_what_to_try(
    question: str, texts: Sequence[str], version: str, names: Sequence[str], filters: Filters
) -> None:
    """A line for each thing to try."""
    lines = []
    for word in unknown_words(question, texts, version)[:4]:
        like = ", ".join(f"**{plain(clean(name, 40))}**" for name in names_like(word, names))
        lines.append(
            f"- No source says “{plain(clean(word, 40))}”."
            + (f" Did you mean {like}?" if like else " Try another word or spelling.")
        )
    if filters != Filters():
        lines.append(
            "- Only part of the sources was searched: widen the documents, speakers or time above"
            " the question."
        )
    if not lines:
        lines.append("- Name the person or thing in full, or ask about one thing at a time.")
    st.markdown("Things to try:\n" + "\n".join(lines))
