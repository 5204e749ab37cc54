"""Stems of the languages that Snowball knows (snowballstemmer, BSD-3-Clause)."""

import threading
from functools import lru_cache

import snowballstemmer

_MAX_KEPT = 200_000
"""Stems that are remembered: a word takes a tenth of a millisecond."""
_ALGORITHMS = dict(
    entry.split("=")
    for entry in (
        "ar=arabic ca=catalan cs=czech da=danish de=german el=greek en=english es=spanish"
        " et=estonian eu=basque fa=persian fi=finnish fr=french ga=irish hi=hindi hu=hungarian"
        " hy=armenian id=indonesian it=italian lt=lithuanian ne=nepali nl=dutch no=norwegian"
        " pl=polish pt=portuguese ro=romanian ru=russian sr=serbian sv=swedish ta=tamil tr=turkish"
    ).split()
    if entry.split("=")[1] in snowballstemmer.algorithms()
)
"""Code (ISO 639-1) -> the library's name, of those that the installed version has."""


class _Stemmers(threading.local):
    """The stemmers of each thread, since one keeps the word that it is at."""

    def __init__(self) -> None:
        self.by_code: dict[str, snowballstemmer.stemmer] = {}


_STEMMERS = _Stemmers()


@lru_cache(_MAX_KEPT)
def stem_of(word: str, code: str) -> str:
    """The stem of a lower-case word in a language (ISO 639-1); the word itself where the library
    doesn't know the language.
    """
    if code not in _ALGORITHMS:
        return word
    own = _STEMMERS.by_code
    if code not in own:
        own[code] = snowballstemmer.stemmer(_ALGORITHMS[code])
    return str(own[code].stemWord(word))
