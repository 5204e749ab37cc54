"""Warnings of the log, which the command line prints on stderr: in the app they stand in the
sidebar of every page, each once, until somebody dismisses them.
"""

import logging
from collections import OrderedDict
from datetime import datetime
from threading import Lock

import streamlit as st

from dynagrag.config.scrubbing import scrubbed
from dynagrag.config.settings import known_secrets
from dynagrag.core.text import collapse, plural
from dynagrag.ui.safe_markdown import plain

_MAX_KEPT = 50
_MAX_CHARS = 600


class _KeptWarnings(logging.Handler):
    """The latest warnings of this process, with the time at which each came last."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._kept: OrderedDict[str, datetime] = OrderedDict()
        self._own = Lock()

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps its text, without keys. Of an error whose traceback is in the log, which the page
        has shown, nothing is kept.
        """
        if record.levelno > logging.WARNING:
            return
        text = collapse(scrubbed(record.getMessage(), known_secrets()))[:_MAX_CHARS]
        with self._own:
            self._kept.pop(text, None)
            self._kept[text] = datetime.fromtimestamp(record.created)
            while len(self._kept) > _MAX_KEPT:
                self._kept.popitem(last=False)

    def latest(self) -> list[tuple[str, datetime]]:
        """The last one first."""
        with self._own:
            return list(reversed(self._kept.items()))

    def clear(self) -> None:
        """Dismisses them all."""
        with self._own:
            self._kept.clear()


_KEPT = _KeptWarnings()


def keep_warnings() -> None:
    """From now on; called again it changes nothing."""
    log = logging.getLogger("dynagrag")
    if _KEPT not in log.handlers:
        log.addHandler(_KEPT)


def show_warnings() -> None:
    """Those that there are, in an expander."""
    if not (kept := _KEPT.latest()):
        return
    with st.expander(plural(len(kept), "warning"), icon=":material/warning:"):
        for text, at in kept:
            st.caption(f"{at:%H:%M} {plain(text)}")
        st.button("Dismiss", key="dismiss_warnings", on_click=_KEPT.clear)
