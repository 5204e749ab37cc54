"""The fast extractor's rules for names, numbers and content words, sentence by sentence."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from dynagrag.core.ids import entity_key, plain_quotes
from dynagrag.core.schema import Flag
from dynagrag.ingest.extract.case_use import CaseUse, Writing
from dynagrag.ingest.extract.name_parts import NAME, NUMBER, OFFICE, PERSON, NamePart, parts_of
from dynagrag.ingest.extract.name_spans import SentenceTokens
from dynagrag.ingest.extract.name_words import (
    ABBREVIATIONS,
    ADDRESSES,
    COMMANDS,
    COMPOUND_HEADS,
    FORMS_OF_ADDRESS,
    GENERIC,
    GERMAN,
    KEEP_UPPER,
    NUMBER_WORDS,
    OCCUPATIONS,
    PARTS,
    PERSON_TITLES,
    SETTERS,
    SIGNALS,
    STATES,
    UNITS,
    WHEN,
)
from dynagrag.ingest.extract.numbered_things import numbered_things, part_behind, quantities
from dynagrag.ingest.extract.part_words import NUMBERED
from dynagrag.ingest.extract.tokens import ENDING, Token, tokens_of, without_markup
from dynagrag.language.words import COMMON_WORDS, HONORIFICS, ROLE_NOUNS

MIN_CONTENT_LETTERS = 4
MIN_SHOUTED_TOKENS = 6
MIN_ADVERB_LETTERS = 6
MAX_REPAIR_TOKENS = 3
_LETTERED = re.compile(r"[A-Z]-[a-z]{3,}")
"""`T-shirt`, `X-ray`."""
_DEMONYM = re.compile(r"[A-Z][a-z]+(?:an|ish|ese|ch)")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_NUMERAL = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
QUANTITY = "quantity"
NO_THINGS = COMMANDS | GENERIC | STATES
_NAMELESS_PEOPLE = (
    FORMS_OF_ADDRESS | PERSON_TITLES | ROLE_NOUNS | HONORIFICS | COMMON_WORDS | GERMAN
)
NAMELESS = PARTS | WHEN | SIGNALS | OCCUPATIONS | ABBREVIATIONS


@dataclass(frozen=True, slots=True)
class EntityCandidate:
    """An entity of a sentence: offsets inside the sentence, type name, person, office, number,
    title or word.
    """

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


def candidates(sentence: str, use: CaseUse, titles: Collection[str] = ()) -> list[EntityCandidate]:
    """The entities of one sentence by first position, one a key. `titles` are keys of document
    titles.
    """
    tokens = list(tokens_of(sentence))
    has_case = use.has_case and not _is_shouted(sentence, tokens)
    found: dict[str, EntityCandidate] = {}
    for candidate in _all_candidates(sentence, tokens, use, has_case, titles):
        held = found.get(candidate.key)
        if held is None or (held.is_word and not candidate.is_word):
            found[candidate.key] = candidate
        elif Flag.SENTENCE_START in held.flags and not candidate.is_word:
            # A place inside a sentence says more than one at its start.
            is_inside = Flag.SENTENCE_START not in candidate.flags
            found[candidate.key] = replace(held, flags=candidate.flags) if is_inside else held
    return sorted(found.values(), key=lambda c: (c.start, c.end, c.key))


def _all_candidates(
    sentence: str, tokens: list[Token], use: CaseUse, has_case: bool, titles: Collection[str]
) -> Iterator[EntityCandidate]:
    taken: set[int] = set()
    if has_case:
        read = SentenceTokens(sentence, tokens, use)
        for span in read.spans():
            for part in parts_of(read, span):
                candidate = _named(read, part)
                if candidate is not None:
                    taken.update(range(part.first, part.last + 1))
                    yield candidate
                    yield from _with_its_part(read, part, candidate, taken)
        for type_, spans in (
            (NAME, numbered_things(tokens, sentence, taken)),
            (QUANTITY, quantities(tokens, taken)),
        ):
            for first, last in spans:
                taken.update(range(first, last + 1))
                yield _spanning(sentence, tokens[first].start, tokens[last].end, type_)
    for i, token in enumerate(tokens if titles else ()):
        for end in tokens[i + 1 : i + 8]:
            name = sentence[token.start : end.end]
            if (key := entity_key(name)) in titles:
                yield EntityCandidate(token.start, end.end, name, key, "title")
    for i, token in enumerate(tokens):
        if i not in taken and _is_content(token, has_case, use):
            word = token.base
            yield EntityCandidate(
                token.start,
                token.start + len(word),
                word,
                entity_key(word),
                "word",
                (Flag.CONTENT_WORD,),
            )


def _spanning(text: str, start: int, end: int, type_: str) -> EntityCandidate:
    name = text[start:end]
    return EntityCandidate(start, end, name, entity_key(without_markup(name)), type_)


def _with_its_part(
    sentence: SentenceTokens, part: NamePart, name: EntityCandidate, taken: set[int]
) -> Iterator[EntityCandidate]:
    """The part that a name tells apart from others, with the name: `DUA breaker`, beside DUA."""
    if (
        part.type != NAME
        or (part.first, part.last) in sentence.quoted
        or Flag.SENTENCE_START in name.flags
    ):
        return
    if part.first == part.last and _DEMONYM.fullmatch(name.name):
        return
    last = part_behind(sentence.tokens, part.first, part.last)
    if last is not None:
        taken.update(range(part.last + 1, last + 1))
        yield _spanning(sentence.text, name.start, sentence.tokens[last].end, NAME)


def _named(sentence: SentenceTokens, part: NamePart) -> EntityCandidate | None:
    """The candidate of a span's part; None for what is no name."""
    first, final = sentence.tokens[part.first], sentence.tokens[part.last]
    end = final.end
    name = sentence.text[first.start : end]
    if len(entity_key(name)) < 2 or _names_nobody(sentence, part):
        return None
    if part.last == part.first and not (first.text[0].isdigit() and first.is_number):
        return _single(sentence, first, part.type)
    if part.last == part.first:
        is_year = _is_year(sentence, part.first)
        return _spanning(sentence.text, first.start, end, NUMBER) if is_year else None
    if _says_nothing(sentence, part) or _is_of_plain_nouns(sentence, part):
        return None
    end -= 2 * final.is_possessive
    end += name.count("(") > name.count(")") and sentence.text[end : end + 1] == ")"
    return _spanning(sentence.text, first.start, end, part.type)


def _names_nobody(sentence: SentenceTokens, part: NamePart) -> bool:
    """A form of address without a name: `Madam Chair`, `Mr. President`, `Meine Damen`, `Herr
    Präsident`, `Nächster Redner`.
    """
    before = sentence.tokens[part.first - 1].base if part.first else ""
    bases = [t.base for t in sentence.tokens[part.first : part.last + 1]]
    is_addressed = before in ADDRESSES or not FORMS_OF_ADDRESS.isdisjoint(bases)
    return is_addressed and part.type != OFFICE and _NAMELESS_PEOPLE.issuperset(bases)


def _says_nothing(sentence: SentenceTokens, part: NamePart) -> bool:
    """Several words of which none is a name's own, at the beginning of a clause: `Good Evening`,
    `Twenty Two`.
    """
    tokens = sentence.tokens[part.first : part.last + 1]
    if (part.first, part.last) in sentence.quoted or part.type == NUMBER:
        return False
    if all(t.base in NUMBER_WORDS or t.text.isdigit() for t in tokens):
        return True
    if tokens[-1].text.isdigit() and all(t.base in COMMON_WORDS for t in tokens[:-1]):
        return tokens[-2].base not in NUMBERED
    is_pair = sentence.use.pairs.get((tokens[0].base, tokens[1].base))
    are_common = all(t.base in COMMON_WORDS and not t.is_upper for t in tokens)
    return tokens[0].opens_clause and are_common and not is_pair


def _is_of_plain_nouns(sentence: SentenceTokens, part: NamePart) -> bool:
    """German nouns side by side that are no name."""
    if (part.first, part.last) in sentence.quoted or part.type in {PERSON, OFFICE, NUMBER}:
        return False
    before = sentence.tokens[part.first - 1] if part.first else None
    return sentence.use.other.are_plain(sentence.tokens[part.first : part.last + 1], before)


def _single(sentence: SentenceTokens, token: Token, type_: str) -> EntityCandidate | None:
    """A name of one word, with what its place says of its capital."""
    use = sentence.use
    word = ENDING.sub("", plain_quotes(token.text))
    key = entity_key(without_markup(word))
    if (
        len(key) < 2
        or _is_no_name(token)
        or _is_broken_off(sentence, token)
        or _is_command(sentence, token)
    ):
        return None
    is_shaped = token.is_upper or token.has_inner_capital
    if use.writing is Writing.NOUNS and not is_shaped and token.base not in use.other.family:
        return None
    flag = Flag.SEEN_CAPITALISED
    if not (token.is_upper or token.has_inner_capital or type_ in {PERSON, OFFICE}):
        if token.opens_clause:
            flag = Flag.SENTENCE_START
            is_adverb = token.base.endswith("ly") and len(token.base) >= MIN_ADVERB_LETTERS
            is_word = use.is_ordinary(token.base) or (is_adverb and not use.capital.get(token.base))
        else:
            is_word = use.is_stray_capital(token.base)
        if is_word:
            return None
    return EntityCandidate(token.start, token.start + len(word), word, key, type_, (flag,))


def _is_year(sentence: SentenceTokens, at: int) -> bool:
    """Whether it is a year: no number of a row or with a sign, as a display shows them, and none
    that counts or measures something.
    """
    tokens = sentence.tokens
    if not _YEAR.fullmatch(tokens[at].text) or (at and tokens[at - 1].base in {"plus", "minus"}):
        return False
    is_behind = at > 0 and tokens[at - 1].text[0].isdigit() and tokens[at].gap.isspace()
    if is_behind or at + 1 == len(tokens):
        return not is_behind
    after = tokens[at + 1]
    return (
        not (after.gap.isspace() and (after.text[0].isdigit() or after.base in UNITS))
        and "°" not in after.gap
    )


def _is_command(sentence: SentenceTokens, token: Token) -> bool:
    """A word of command or the position of a switch: `ENTER`, `set to THROTTLE`, and what the
    document writes small as a rule.
    """
    use, base = sentence.use, token.base
    is_name = token.text.istitle() and use.capital.get(base)
    if token.opens_clause and base in COMMANDS and not is_name:
        return True
    if not token.text.isupper() or not token.text.replace("-", "").isalpha():
        return False
    at = bisect_left(sentence.tokens, token.start, key=lambda t: t.start)
    is_long = len(base) >= MIN_CONTENT_LETTERS
    if base in NO_THINGS or (is_long and use.is_stray_capital(base)):
        return True
    # `DEMAND REGs to CABIN`, `set to THROTTLE`; not `EECOM to FLIGHT`, where someone speaks to
    # someone.
    if at < 2 or sentence.tokens[at - 1].base != "to" or len(token.text) < MIN_CONTENT_LETTERS:
        return False
    before = sentence.tokens[at - 2]
    is_label = before.text[:2].isupper() and len(before.text) > 1 and not before.opens_clause
    return before.base in SETTERS or is_label


def _is_broken_off(sentence: SentenceTokens, token: Token) -> bool:
    """A word that a speaker began and left: one that comes nowhere else before two dashes (`of Stat
    -- of Stratton Oakmont`), or one that is begun again (`of Gaus - than Gaussian`, `Th the`).
    """
    behind = sentence.text[token.end : token.end + 3].lstrip()
    if behind.startswith("--") and sentence.use.capital.get(token.base, 0) == 1:
        return True
    at = bisect_left(sentence.tokens, token.start, key=lambda t: t.start)
    after = sentence.tokens[at + 1 : at + 1 + MAX_REPAIR_TOKENS]
    others = [t.base for t in after if t.base != token.base]
    if behind.startswith("-"):
        is_again = any(t.text == token.text for t in after)
        return is_again or any(base.startswith(token.base) for base in others)
    is_short = not token.is_upper and len(token.base) < MIN_CONTENT_LETTERS
    return is_short and bool(others) and others[0].startswith(token.base)


def _is_no_name(token: Token) -> bool:
    """Words that are no name alone: function words, times, interjections, spoken numbers, parts of
    documents, prefixes.
    """
    base = token.base
    if base in COMMON_WORDS or base in NAMELESS:
        return token.text not in KEEP_UPPER
    if _LETTERED.fullmatch(token.text) or _NUMERAL.fullmatch(token.text):
        return True
    parts = base.split("-")
    if NUMBER_WORDS.issuperset(parts):
        return True
    is_plain = parts[0] in COMPOUND_HEADS or COMMON_WORDS.issuperset(parts)
    return len(parts) > 1 and is_plain and not token.text.isupper()


def _is_content(token: Token, has_case: bool, use: CaseUse) -> bool:
    """A lower-case content word; a capitalised one too where its capital means nothing: it opens a
    clause, the text has no case, or nouns have capitals.
    """
    word = token.base
    if len(word) < MIN_CONTENT_LETTERS or not word.isalpha():
        return False
    if word in COMMON_WORDS or word.endswith("ly"):
        return False
    if use.writing is Writing.NOUNS:
        return word not in GERMAN
    return token.text[0].islower() or not has_case or use.is_ordinary(word)


def _is_shouted(sentence: str, tokens: list[Token]) -> bool:
    """A whole sentence in capitals inside other text: a heading, or a shout. Call signs in a row
    are shorter.
    """
    if len(tokens) < MIN_SHOUTED_TOKENS:
        return False
    shouted = [t for t in tokens if t.is_stop and t.text.isupper() and len(t.text) > 1]
    if "," in sentence and all(t.base in STATES for t in shouted):
        return False  # labels of switches in a row
    letters = [c for c in sentence if c.isalpha()]
    return sum(map(str.isupper, letters)) > 0.8 * len(letters)
