"""A long quote cut down for a reader: around the sentence that matters, by whole sentences, never
before it ends.
"""

from collections.abc import Callable

from dynagrag.generation.evidence_sentences.line_kinds import says_nothing
from dynagrag.generation.support import content_stems
from dynagrag.language.sentences import Span, sentence_spans

_LONG = 2
"""A sentence of that many times the limit is cut too, to the words around most hits: speech without
punctuation.
"""


def cut_around(quote: str, about: str, max_chars: int) -> str:
    """The sentence with most words of `about`, and whole sentences around it up to the limit; "…"
    stands for what is left out.
    """
    if len(quote) <= max_chars:
        return quote
    wanted = content_stems(about)
    spans = sentence_spans(quote)
    if not spans:
        return ""  # nothing but blanks
    hits = [len(content_stems(quote[start:end]) & wanted) for start, end in spans]
    best = max(
        range(len(spans)),
        key=lambda i: (hits[i], not says_nothing(quote[slice(*spans[i])], ""), -i),
    )
    first, last = grown(
        len(spans), best, lambda first, last, _: spans[last][1] - spans[first][0] <= max_chars
    )
    start, end = spans[first][0], spans[last][1]
    if end - start > _LONG * max_chars:
        start, end = _densest(quote, (start, end), wanted, max_chars)
    return ("… " if start > 0 else "") + quote[start:end] + (" …" if end < len(quote) else "")


def first_words(text: str, max_chars: int) -> str:
    """The beginning of a text, to the end of a word."""
    if len(text) <= max_chars:
        return text
    return (
        text[:max_chars].rpartition(" ")[0].rstrip() + " …"
        if " " in text[:max_chars]
        else text[:max_chars] + "…"
    )


def last_words(text: str, max_chars: int) -> str:
    """The end of a text, from the beginning of a word."""
    if len(text) <= max_chars:
        return text
    tail = text[-max_chars:]
    return "… " + tail.partition(" ")[2].lstrip() if " " in tail else "…" + tail


def grown(num: int, at: int, may_hold: Callable[[int, int, int], bool]) -> Span:
    """First and last of `num` sentences that are taken with one of them: what follows and what
    stands before it in turn, as far as `may_hold` lets (first, last, the new one of the two).
    """
    first = last = at
    while True:
        size = last - first
        if last + 1 < num and may_hold(first, last + 1, last + 1):
            last += 1
        if first > 0 and may_hold(first - 1, last, first - 1):
            first -= 1
        if last - first == size:
            return first, last


def _densest(quote: str, span: Span, wanted: frozenset[str], max_chars: int) -> Span:
    """The words of a span that hold most of the wanted ones, as many as fit; a word that alone is
    longer is cut.
    """
    words: list[Span] = []
    at = span[0]
    for word in quote[slice(*span)].split(" "):
        words.append((at, at + len(word)))
        at += len(word) + 1
    is_hit = [bool(content_stems(quote[a:b]) & wanted) for a, b in words]
    best, last, hits = (0, -1, (0, span[0])), 0, 0
    for first in range(len(words)):
        while last < len(words) and words[last][1] - words[first][0] <= max_chars:
            hits += is_hit[last]
            last += 1
        if last > first and hits > best[1]:
            best = (first, hits, (words[first][0], words[last - 1][1]))
        if last == first:
            last += 1
        else:
            hits -= is_hit[first]
    start, end = best[2]
    return (start, end) if end > start else (span[0], span[0] + max_chars)
