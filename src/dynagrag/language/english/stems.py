"""The stem of an English word, by Snowball's Porter2."""

import threading

import snowballstemmer


class _PorterStemmer(threading.local):
    """A stemmer of each thread's own, since it keeps the word that it is at."""

    def __init__(self) -> None:
        self.stem = snowballstemmer.stemmer("english").stemWord


_STEMMER = _PorterStemmer()


def stem(word: str) -> str:
    """writes, writing -> write; it need not be a word: happily -> happili."""
    return str(_STEMMER.stem(word))
