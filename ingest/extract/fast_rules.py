"""What the fast extractor takes for a name, a number or a content word, sentence by sentence."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from dynagrag.ids import entity_key, plain_quotes
from dynagrag.ingest.extract.case_use import CaseUse, Writing
from dynagrag.ingest.extract.name_parts import NUMBER, OFFICE, PERSON, Part, parts_of
from dynagrag.ingest.extract.name_spans import Sentence
from dynagrag.ingest.extract.name_words import (
    ABBREVIATIONS,
    COMPOUND_HEADS,
    GERMAN,
    KEEP_UPPER,
    NUMBER_WORDS,
    OCCUPATIONS,
    PARTS,
    SIGNALS,
    WHEN,
)
from dynagrag.ingest.extract.tokens import ENDING, Token, tokens_of
from dynagrag.schema import Flag
from dynagrag.words import COMMON_WORDS

MIN_CONTENT_LETTERS = 4
MIN_SHOUTED_TOKENS = 6
MIN_ADVERB_LETTERS = 6
MAX_REPAIR_TOKENS = 3
_LETTERED = re.compile(r"[A-Z]-[a-z]{3,}")
"""`T-shirt`, `X-ray`."""
_NUMERAL = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
NO_NAMES = PARTS | WHEN | SIGNALS | OCCUPATIONS | ABBREVIATIONS


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity of a sentence: offsets inside the sentence, type name, person, office, number, title or word."""

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


def candidates(sentence: str, use: CaseUse, titles: Collection[str] = ()) -> list[Candidate]:
    """The entities of one sentence by first position, one a key. `titles` are keys of document titles."""
    tokens = list(tokens_of(sentence))
    has_case = use.has_case and not _is_shouted(sentence, tokens)
    found: dict[str, Candidate] = {}
    for candidate in _all_candidates(sentence, tokens, use, has_case, titles):
        held = found.get(candidate.key)
        if held is None or (held.is_word and not candidate.is_word):
            found[candidate.key] = candidate
        elif Flag.SENTENCE_START in held.flags and Flag.SENTENCE_START not in candidate.flags and not candidate.is_word:
            found[candidate.key] = Candidate(held.start, held.end, held.name, held.key, held.type, candidate.flags)
    return sorted(found.values(), key=lambda c: (c.start, c.end, c.key))


def _all_candidates(sentence: str, tokens: list[Token], use: CaseUse, has_case: bool, titles: Collection[str]) -> Iterator[Candidate]:
    taken: set[int] = set()
    if has_case:
        read = Sentence(sentence, tokens, use)
        for span in read.spans():
            for part in parts_of(read, span):
                candidate = _named(read, part)
                if candidate is not None:
                    taken.update(range(part.first, part.last + 1))
                    yield candidate
    for first, last in _title_spans(sentence, tokens, titles):
        name = sentence[tokens[first].start : tokens[last].end]
        yield Candidate(tokens[first].start, tokens[last].end, name, entity_key(name), "title")
    for i, token in enumerate(tokens):
        if i not in taken and _is_content(token, has_case, use):
            word = token.base
            yield Candidate(token.start, token.start + len(word), word, entity_key(word), "word", (Flag.CONTENT_WORD,))


def _named(sentence: Sentence, part: Part) -> Candidate | None:
    """The candidate of a span's part; None for what is no name."""
    first, final = sentence.tokens[part.first], sentence.tokens[part.last]
    end = final.end
    name = sentence.text[first.start : end]
    if len(entity_key(name)) < 2:
        return None
    if part.last > part.first:
        end -= 2 * final.is_possessive
        end += name.count("(") > name.count(")") and sentence.text[end : end + 1] == ")"
        name = sentence.text[first.start : end]
        return None if _says_nothing(sentence, part) else Candidate(first.start, end, name, entity_key(name), part.type)
    if first.text[0].isdigit() and first.is_number:
        return None if _is_readout(sentence, part.first) else Candidate(first.start, end, name, entity_key(name), NUMBER)
    return _single(sentence, first, part.type)


def _says_nothing(sentence: Sentence, part: Part) -> bool:
    """Several words of which none is a name's own, at the beginning of a clause: `Good Evening`, `Twenty Two`."""
    tokens = sentence.tokens[part.first : part.last + 1]
    if (part.first, part.last) in sentence.quoted or part.type == NUMBER:
        return False
    if all(t.base in NUMBER_WORDS or t.text.isdigit() for t in tokens):
        return True
    if tokens[-1].text.isdigit() and all(t.base in COMMON_WORDS for t in tokens[:-1]):
        return True
    pair = (tokens[0].base, tokens[1].base)
    return tokens[0].opens_clause and all(t.base in COMMON_WORDS and not t.is_upper for t in tokens) and not sentence.use.pairs.get(pair)


def _single(sentence: Sentence, token: Token, type_: str) -> Candidate | None:
    """A name of one word, with what its place says of its capital."""
    use = sentence.use
    word = ENDING.sub("", plain_quotes(token.text))
    key = entity_key(word)
    if len(key) < 2 or _is_no_name(token) or _is_broken_off(sentence, token):
        return None
    if use.writing is Writing.NOUNS and not token.is_upper and not token.has_inner_capital:
        return None
    if token.is_upper or token.has_inner_capital or type_ in {PERSON, OFFICE}:
        flags: tuple[Flag, ...] = (Flag.SEEN_CAPITALISED,)
    elif token.opens_clause:
        is_adverb = token.base.endswith("ly") and len(token.base) >= MIN_ADVERB_LETTERS and not use.capital.get(token.base)
        if use.is_ordinary(token.base) or is_adverb:
            return None
        flags = (Flag.SENTENCE_START,)
    elif use.is_stray_capital(token.base):
        return None
    else:
        flags = (Flag.SEEN_CAPITALISED,)
    return Candidate(token.start, token.start + len(word), word, key, type_, flags)


def _is_readout(sentence: Sentence, at: int) -> bool:
    """One number of a row of them, or one that begins with 0: read off a display, and nothing that anybody speaks of."""
    tokens = sentence.tokens
    if tokens[at].text[0] == "0":
        return True
    is_behind = at > 0 and tokens[at - 1].text[0].isdigit() and tokens[at].gap.isspace()
    return is_behind or (at + 1 < len(tokens) and tokens[at + 1].text[0].isdigit() and tokens[at + 1].gap.isspace())


def _is_broken_off(sentence: Sentence, token: Token) -> bool:
    """A word that a speaker began and left: one that comes nowhere else before two dashes (`of Stat -- of Stratton Oakmont`), or one that
    is begun again (`of Gaus - than Gaussian`, `Th the`).
    """
    behind = sentence.text[token.end : token.end + 3].lstrip()
    if behind.startswith("--") and sentence.use.capital.get(token.base, 0) == 1:
        return True
    at = bisect_left(sentence.tokens, token.start, key=lambda t: t.start)
    after = [t.base for t in sentence.tokens[at + 1 : at + 1 + MAX_REPAIR_TOKENS] if t.base != token.base]
    if behind.startswith("-"):
        return any(base.startswith(token.base) for base in after)
    return not token.is_upper and len(token.base) < MIN_CONTENT_LETTERS and any(base.startswith(token.base) for base in after[:1])


def _is_no_name(token: Token) -> bool:
    """Words that are no name alone: function words, times, interjections, spoken numbers, parts of documents, prefixes."""
    base = token.base
    if base in COMMON_WORDS or base in NO_NAMES:
        return token.text not in KEEP_UPPER
    if _LETTERED.fullmatch(token.text) or _NUMERAL.fullmatch(token.text):
        return True
    parts = base.split("-")
    if all(part in NUMBER_WORDS for part in parts):
        return True
    return len(parts) > 1 and (parts[0] in COMPOUND_HEADS or all(part in COMMON_WORDS for part in parts)) and not token.text.isupper()


def _title_spans(sentence: str, tokens: list[Token], titles: Collection[str]) -> Iterator[tuple[int, int]]:
    if not titles:
        return
    for first in range(len(tokens)):
        for last in range(first + 1, min(first + 8, len(tokens))):
            if entity_key(sentence[tokens[first].start : tokens[last].end]) in titles:
                yield first, last


def _is_content(token: Token, has_case: bool, use: CaseUse) -> bool:
    """A lower-case content word; a capitalised one too where its capital means nothing: it opens a clause, the text has no case, or
    nouns have capitals.
    """
    word = token.base
    if len(word) < MIN_CONTENT_LETTERS or not word.isalpha() or word in COMMON_WORDS or word.endswith("ly"):
        return False
    if use.writing is Writing.NOUNS:
        return word not in GERMAN
    return token.text[0].islower() or not has_case or use.is_ordinary(word)


def _is_shouted(sentence: str, tokens: list[Token]) -> bool:
    """A whole sentence in capitals inside other text: a heading, or a shout. Call signs in a row are shorter."""
    letters = [c for c in sentence if c.isalpha()]
    return len(tokens) >= MIN_SHOUTED_TOKENS and sum(1 for c in letters if c.isupper()) > 0.8 * len(letters)
