"""What the fast extractor takes for a name, a number or a content word, sentence by sentence."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from dynagrag.ids import entity_key, plain_quotes
from dynagrag.schema import Flag
from dynagrag.words import COMMON_VERBS, COMMON_WORDS, FUNCTION_WORDS, VAGUE_WORDS, word_set

CONNECTORS = word_set("of the de la le du da di von van der den al el bin ibn & des dos del")
MAX_CONNECTORS = 2
MIN_CONTENT_LETTERS = 4

ABBREVIATIONS = word_set("mr mrs ms mx dr prof rev hon sen rep gov gen col maj capt lt sgt st jr sr")
"""Their full stop stands inside a name."""
KEEP_UPPER = frozenset({"US", "WHO"})
"""Function words that are names when written in capitals inside other text."""

_TOKEN = re.compile(
    r"\d[\d,]*(?:\.\d+)?(?:[^\W\d_]\w*)?(?:-\w+)*"  # 1970, 10,000, 5.5, 2nd, 747-400
    r"|(?:[^\W\d_]\.){2,}(?:[^\W\d_](?![^\W_]))?"  # U.S.
    r"|[^\W_]+(?:['’&\-][^\W_]+)*[+#]*"  # Houston's, S-IVB, AT&T, C++
    r"|&"
)
_NUMBER = re.compile(r"\d{4,}|\d{1,3}(?:,\d{3})+")
_SHORT_NUMBER = re.compile(r"\d{1,3}")
_ENDING = re.compile(r"(?:'(?:s|re|ll|ve|d|m|t)|n't)$")
_CLAUSE_MARK = re.compile(r"[.?!:;\"“”‘(\[—–…]|(?:^|\s)[-']")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity of a sentence: offsets inside the sentence, type name, number, title or word."""

    start: int
    end: int
    name: str
    key: str
    type: str
    flags: tuple[Flag, ...] = ()

    @property
    def is_word(self) -> bool:
        """Whether it is a lower-case content word."""
        return Flag.CONTENT_WORD in self.flags


@dataclass(frozen=True, slots=True)
class CaseUse:
    """How one document writes its words: how often in lower case, how often with a capital inside a sentence, and whether its capitals mean
    anything (in a transcript all in capitals they don't).
    """

    lower: Mapping[str, int]
    capital: Mapping[str, int]
    has_case: bool

    def is_ordinary(self, word: str) -> bool:
        """Whether the document writes the word in lower case more often than with a capital inside a sentence."""
        return self.lower.get(word, 0) > self.capital.get(word, 0)

    def is_stray_capital(self, word: str) -> bool:
        """Whether a capital on this word is an exception: one in four uses or fewer."""
        return self.lower.get(word, 0) >= 3 * max(1, self.capital.get(word, 0))


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: str
    base: str
    """lower case, plain apostrophe, contraction or possessive ending off"""
    gap: str
    """what stands between it and the token before"""

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper() or bool(_NUMBER.fullmatch(self.text))

    @property
    def is_upper(self) -> bool:
        """An acronym or call sign: its capitals don't come from opening a sentence."""
        return len(self.text) > 1 and any(c.isupper() or c.isdigit() for c in self.text[1:])

    @property
    def is_stop(self) -> bool:
        return self.base in FUNCTION_WORDS and self.text not in KEEP_UPPER

    @property
    def opens_clause(self) -> bool:
        return self.start == 0 or bool(_CLAUSE_MARK.search(self.gap))

    def follows(self, before: "_Token") -> bool:
        """Whether nothing but blank space (or an abbreviation's dot) lies between, and the one before isn't a possessive."""
        return self.gap.isspace() and not before.text.endswith(("'s", "’s"))


def case_use(text: str) -> CaseUse:
    """Counts a document's words by case. One pass."""
    num_upper = sum(1 for c in text if c.isupper())
    num_cased = num_upper + sum(1 for c in text if c.islower())
    lower: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for token in _tokens(text):
        if token.text[0].islower():
            lower[token.base] += 1
        elif token.text[0].isupper() and not token.opens_clause and "\n" not in token.gap:
            capital[token.base] += 1
    return CaseUse(lower, capital, num_upper <= 0.6 * max(1, num_cased))


def candidates(sentence: str, use: CaseUse, titles: Collection[str] = ()) -> list[Candidate]:
    """The entities of one sentence by first position, one a key. `titles` are keys of document titles."""
    tokens = list(_tokens(sentence))
    has_case = use.has_case and not _is_shouted(sentence, tokens)
    found: dict[str, Candidate] = {}
    for candidate in _all_candidates(sentence, tokens, use, has_case, titles):
        held = found.get(candidate.key)
        if held is None or (held.is_word and not candidate.is_word):
            found[candidate.key] = candidate
        elif Flag.SENTENCE_START in held.flags and Flag.SENTENCE_START not in candidate.flags and not candidate.is_word:
            found[candidate.key] = Candidate(held.start, held.end, held.name, held.key, held.type, candidate.flags)
    return sorted(found.values(), key=lambda c: (c.start, c.end, c.key))


def _all_candidates(sentence: str, tokens: list[_Token], use: CaseUse, has_case: bool, titles: Collection[str]) -> Iterator[Candidate]:
    taken: set[int] = set()
    if has_case:
        for first, last in _capital_spans(tokens, use):
            span = tokens[first : last + 1]
            candidate = _named(sentence, span, use)
            if candidate is not None:
                taken.update(range(first, last + 1))
                yield candidate
    for first, last in _title_spans(sentence, tokens, titles):
        name = sentence[tokens[first].start : tokens[last].end]
        yield Candidate(tokens[first].start, tokens[last].end, name, entity_key(name), "title")
    for i, token in enumerate(tokens):
        if i not in taken and _is_content(token, has_case, use):
            word = token.base
            yield Candidate(token.start, token.start + len(word), word, entity_key(word), "word", (Flag.CONTENT_WORD,))


def _capital_spans(tokens: list[_Token], use: CaseUse) -> Iterator[tuple[int, int]]:
    """First and last token of each capitalised span, cut at its stop words."""
    i = 0
    while i < len(tokens):
        if not tokens[i].is_capital or tokens[i].is_stop:
            i += 1
            continue
        last = i
        while (after := _next_capital(tokens, last)) is not None:
            if last == i and tokens[i].opens_clause and _is_no_name(tokens[i], tokens[after], use):
                break
            last = after
        yield i, last
        i = last + 1


def _is_no_name(first: _Token, second: _Token, use: CaseUse) -> bool:
    """Whether a clause's first word has its capital only for its place: `Understand FLIGHT`, `Ask Jack`."""
    if first.is_upper:
        return False
    return first.base in COMMON_VERBS or second.text.isupper() or (use.is_ordinary(first.base) and first.base not in VAGUE_WORDS)


def _next_capital(tokens: list[_Token], last: int) -> int | None:
    """Index of the token that extends a span ending at `last`, over at most two connectors."""
    i = last + 1
    while i < len(tokens) and tokens[i].follows(tokens[i - 1]):
        token = tokens[i]
        if i - last <= MAX_CONNECTORS and token.text in CONNECTORS:
            i += 1
            continue
        if i == last + 1 and _SHORT_NUMBER.fullmatch(token.text) and not _NUMBER.fullmatch(tokens[last].text):
            return i
        return i if token.is_capital and not token.is_stop else None
    return None


def _named(sentence: str, span: list[_Token], use: CaseUse) -> Candidate | None:
    """The candidate of a capitalised span; None for what is no name."""
    first = span[0]
    end = span[-1].end
    name = sentence[first.start : end]
    key = entity_key(name)
    if len(key) < 2:
        return None
    if len(span) > 1:
        end -= 2 * name.endswith(("'s", "’s"))
        return Candidate(first.start, end, sentence[first.start : end], key, "name")
    if first.text[0].isdigit():
        return Candidate(first.start, end, name, key, "number")
    word = _ENDING.sub("", plain_quotes(first.text))
    if not entity_key(word) or (first.base in COMMON_WORDS and first.text not in KEEP_UPPER):
        return None
    if first.is_upper:
        flags: tuple[Flag, ...] = (Flag.SEEN_CAPITALISED,)
    elif first.opens_clause:
        if use.is_ordinary(first.base):
            return None
        flags = (Flag.SENTENCE_START,)
    elif use.is_stray_capital(first.base):
        return None
    else:
        flags = (Flag.SEEN_CAPITALISED,)
    return Candidate(first.start, first.start + len(word), word, entity_key(word), "name", flags)


def _title_spans(sentence: str, tokens: list[_Token], titles: Collection[str]) -> Iterator[tuple[int, int]]:
    if not titles:
        return
    for first in range(len(tokens)):
        for last in range(first + 1, min(first + 8, len(tokens))):
            if entity_key(sentence[tokens[first].start : tokens[last].end]) in titles:
                yield first, last


def _is_content(token: _Token, has_case: bool, use: CaseUse) -> bool:
    """A lower-case content word; a capitalised one too where its capital means nothing (it opens a clause, or the text has no case)."""
    word = token.base
    if len(word) < MIN_CONTENT_LETTERS or not word.isalpha() or word in COMMON_WORDS or word.endswith("ly"):
        return False
    return token.text[0].islower() or not has_case or use.is_ordinary(word)


def _is_shouted(sentence: str, tokens: list[_Token]) -> bool:
    """A whole sentence in capitals inside other text: a heading, or a shout. Call signs in a row are shorter."""
    letters = [c for c in sentence if c.isalpha()]
    return len(tokens) >= 6 and sum(1 for c in letters if c.isupper()) > 0.8 * len(letters)


def _tokens(text: str) -> Iterator[_Token]:
    end = 0
    base = ""
    for match in _TOKEN.finditer(text):
        gap = text[end : match.start()]
        if gap[:1] == "." and (base in ABBREVIATIONS or len(base) == 1):
            gap = gap[1:]
        word = match[0]
        base = _ENDING.sub("", plain_quotes(word).lower()).rstrip(".")
        yield _Token(match.start(), match.end(), word, base, gap)
        end = match.end()
