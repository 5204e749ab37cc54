"""Sentences and words of a text as exact spans.

The rules are English: . ! ? and their kin end a sentence where blank space follows, unless the word
before is an abbreviation or an initial; a blank line ends one too; text without punctuation is one
sentence. Everything over `max_words` is cut at word boundaries. Each rule looks at a bounded
stretch, so time is linear in the text.

Where a text's language is known and another, sentencex (MIT, of Wikimedia, 1.2 MB) must agree: it
knows the abbreviations and marks of others, of 98 cases in 22 languages the rules had 35 right, it
68, both with the marks of `_goes_on` 92 (docs/decisions/0048-what-an-answer-claims.md).
"""

import re
from collections.abc import Iterator
from functools import cached_property

from dynagrag.core.text import UNSPACED
from dynagrag.language.english.data import words_of
from dynagrag.language.german.data import values_of as german_values_of
from dynagrag.language.german.data import words_of as german_words_of
from dynagrag.language.word_class import WordClass
from dynagrag.language.word_runs import SOUTHEAST_ASIAN

MAX_SENTENCE_WORDS = 120
"""Longer "sentences" (speech without punctuation) are cut: an embedder reads 256 tokens and drops
the rest silently.
"""

Span = tuple[int, int]

_CJK = rf"{UNSPACED}\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[{SOUTHEAST_ASIAN}]{{1,5}}|[^\s{_CJK}{SOUTHEAST_ASIAN}]{{1,40}}")
# The possessive runs and the look-behind keep a run of dots from being scanned more than once.
_END = re.compile(
    r"""(?<![.!?…])(?P<mark>[.!?…]++)(?P<close>["'”’»)\]]*+)(?=\s|$)  # marks, quotes, a space
      | (?P<wide>[。！？]++[」』”’]*+)           # Chinese and Japanese put no space
      | (?<!\s)(?P<blank>\s*?\n[^\S\n]*+\n)  # a blank line
    """,
    re.VERBOSE,
)
_NEXT = re.compile(r"\s*+[\"'“‘«(\[]{0,3}(\w[\w'’]{0,15})?")

_NEVER_LAST = words_of(WordClass.NEVER_LAST)
_ONLY_BEFORE_DIGIT = words_of(WordClass.ONLY_BEFORE_DIGIT)
_OFTEN_LAST = words_of(WordClass.OFTEN_LAST)
_PART_OF_NAME = words_of(WordClass.PART_OF_NAME)
_STARTERS = words_of(WordClass.STARTER)
_OWN_LANGUAGES = ("", "en", "und")
_BEFORE_ORDINAL = german_words_of(WordClass.ARTICLE, WordClass.WHEN_PREPOSITION)
_GERMAN_MONTHS = frozenset(german_values_of(WordClass.MONTH))
_KNOWN_ENDS = frozenset(".!?…。！？\"'”’»)]」』")
_ROMAN = re.compile(r"[IVX]{2,5}")
_MAX_ABBREVIATION, _MAX_GAP = 6, 8


def word_spans(text: str) -> Iterator[Span]:
    """Words by blank space; a CJK character is a word, five of a script of Southeast Asia without
    spaces are one, and another run without a gap counts as one for each 40 characters.
    """
    return (m.span() for m in _WORD.finditer(text))


def num_words(text: str) -> int:
    """How many words; never fewer than `len(text.split())`."""
    return sum(1 for _ in word_spans(text))


def sentence_spans(
    text: str, max_words: int = MAX_SENTENCE_WORDS, language: str = ""
) -> list[Span]:
    """Spans of the sentences in order: no overlap, no blank space at either end, all non-blank text
    covered. Blank text gives []. `language`: the code of the text's (ISO 639-1), where it is known.

    A single line break is blank space like any other, since cues and wrapped text break lines
    inside sentences.
    """
    ends, spans, start = SentenceEnds(text, language), list[Span](), 0
    for end in sorted({*_own_ends(text, ends), *ends.of_other_marks}):
        spans.extend(_cut(text, start, end, max_words))
        start = max(start, end)
    spans.extend(_cut(text, start, len(text), max_words))
    return spans


def _own_ends(text: str, ends: "SentenceEnds") -> Iterator[int]:
    """Offsets behind the marks and blank lines that end sentences."""
    start = 0
    for match in _END.finditer(text):
        if match.end() <= start:
            continue
        is_break = bool(match["blank"] or match["wide"])
        word = "" if is_break else next_word(text, match.end())[0]
        if is_break or ends.are_at(start, match, word):
            yield match.end()
            start = match.end()


def strip_span(text: str, start: int, end: int) -> Span:
    """The span without blank space at its ends; (start, start) when all of it is blank."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    size = len(piece.strip())
    return (start + left, start + left + size) if size else (start, start)


def next_word(text: str, position: int) -> tuple[str, int]:
    """The word that follows a position, behind blank space and opening quotes (empty where none
    does), and where it ends.
    """
    following = _NEXT.match(text, position)
    return (following[1] or "", following.end()) if following else ("", position)


class SentenceEnds:
    """Where the sentences of a text end."""

    def __init__(self, text: str, language: str = "") -> None:
        """`language`: the code of the text's, where it is known."""
        self._text, self._language = text, language
        self._is_other = language not in _OWN_LANGUAGES

    def are_at(self, start: int, match: re.Match[str], word: str) -> bool:
        """Whether a mark (`mark` and its closing quotes `close` in the match) ends the sentence
        that began at `start`; `word` comes next.
        """
        if not _ends_sentence(self._text, start, match, word):
            return False
        if not self._is_other:
            return True
        if match["mark"] == "." and not match["close"] and self._goes_on(start, match, word):
            return False
        return not self._boundaries.isdisjoint((match.end("mark"), match.end("close")))

    @cached_property
    def of_other_marks(self) -> frozenset[int]:
        """Offsets behind the marks that other languages have: the Greek question mark, the
        danda.
        """
        if not self._is_other:
            return frozenset()
        return frozenset(end for end in self._boundaries if self._text[end - 1] not in _KNOWN_ENDS)

    @cached_property
    def _boundaries(self) -> frozenset[int]:
        """sentencex's, without the blank space behind them."""
        from sentencex import get_sentence_boundaries

        ends = (found["end_index"] for found in get_sentence_boundaries(self._language, self._text))
        return frozenset(len(self._text[:end].rstrip()) for end in ends) - {0}

    def _goes_on(self, start: int, match: re.Match[str], word: str) -> bool:
        """Whether a sentence goes on behind a full stop: with a small letter, where sentences begin
        with capitals; with a number behind a short word; behind an ordinal.
        """
        text, dot = self._text, match.start("mark")
        words = text[max(start, dot - 24) : dot].split()
        before = words[-1] if words else ""
        opening = text[start : start + _MAX_GAP].lstrip()[:1]
        if word[:1].islower() and not opening.islower():
            return True
        if word[:1].isdigit():
            return before.isalpha() and before.islower() and len(before) <= _MAX_ABBREVIATION
        if _ROMAN.fullmatch(before):
            return True
        if self._language != "de" or not before.isdigit() or len(before) > 2:
            return False
        is_named = len(words) > 1 and words[-2].casefold() in _BEFORE_ORDINAL
        return is_named or word.casefold() in _GERMAN_MONTHS


def _ends_sentence(text: str, start: int, match: re.Match[str], word: str) -> bool:
    """Whether the rules let a mark end a sentence."""
    mark, closed = match["mark"], bool(match["close"])
    if mark == "…" or (len(mark) > 1 and not set(mark) & {"!", "?"}):
        return not word[:1].islower()
    if mark != ".":
        return not (closed and word[:1].islower())
    if closed:
        return not word[:1].islower()
    return _ends_at_dot(text, start, match.start("mark"), word)


def _ends_at_dot(text: str, start: int, dot: int, word: str) -> bool:
    """Whether a lone full stop at `dot` ends the sentence that began at `start`; `word` comes
    next.
    """
    window = text[max(start, dot - 24) : dot].split()
    before = window[-1].lstrip("\"'“‘«([") if window else ""
    low = before.casefold()
    if low in _NEVER_LAST:
        return low in _ONLY_BEFORE_DIGIT and not word[:1].isdigit()
    starts_new = word[:1].isupper() and word.casefold().replace("’", "'") in _STARTERS
    if low in _OFTEN_LAST:
        return word[:1].isupper()
    is_in_name = low in _PART_OF_NAME or (len(before) == 1 and before.isupper())
    if is_in_name or ("." in before and all(len(part) <= 2 for part in before.split("."))):
        return starts_new or not word
    # "1." before an item is no sentence.
    return not (before.isdigit() and text[start:dot].strip() == before and word)


def _cut(text: str, start: int, end: int, max_words: int) -> Iterator[Span]:
    start, end = strip_span(text, start, end)
    if start == end:
        return
    found = [(start + a, start + b) for a, b in word_spans(text[start:end])]
    for i in range(0, len(found), max_words):
        yield found[i][0], found[min(i + max_words, len(found)) - 1][1]
