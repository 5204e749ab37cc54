"""Capitalised spans: the runs of a sentence's tokens that a name goes on over, without a word that
only opens the clause.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from dynagrag.ingest.extract.case_use import CaseUse, Writing
from dynagrag.ingest.extract.name_words import (
    ABBREVIATIONS,
    ADVERB_ENDINGS,
    CONNECTORS,
    DEGREES,
    EPITHETS,
    INSTITUTIONS,
    NAMES_TOO,
    NUMBER_SIGNS,
    NUMERAL_HEADS,
    OCCUPATIONS,
    OFFICE_PAIRS,
    OPENERS,
    ORDERED,
    PLACES,
    TIME_PREPOSITIONS,
    TITLE_CONNECTORS,
    TOPICAL,
    UNITS,
    WHEN,
)
from dynagrag.ingest.extract.numbered_things import end_of_list, numbered_by
from dynagrag.ingest.extract.part_words import NUMBERED
from dynagrag.ingest.extract.tokens import MODEL_NUMBER, ORDINAL, Span, Token
from dynagrag.language.words import COMMON_VERBS, MONTHS, VAGUE_WORDS

MAX_CONNECTORS = 2
_MAX_QUOTED_WORDS = 10
_QUOTED = re.compile(r"[\"“]([^\"“”]{2,120})[\"”]")
_DEMONYM = re.compile(r"\w+(?:an|ish|ese|ch|ic)")
_ROMAN = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
_DOTTED = re.compile(r"(?<![\w.])(?:[A-Z][A-Za-z]*\.){1,4}(?:[A-Z][A-Za-z]*\b\.?|(?=\W|$))")
"""`Psy.D`, `Ph.D.`, `B.A.`"""
_MAX_DEGREE_PIECE = 3
_COUNTING_SIGNS = frozenset("%°/")
_FORMATS = frozenset({"2D", "3D", "4D", "4K", "8K"})
"""Formats that something is made in, whatever stands before."""
_BEFORE_MODEL = frozenset({"the", "a", "an", "this", "that", "our"})
_LONG_WORD = 4
_MAX_DAY_DIGITS = 2


class SentenceTokens:
    """The tokens of a sentence, which of them end a name, and the titles in quotation marks."""

    def __init__(self, text: str, tokens: Sequence[Token], use: CaseUse) -> None:
        self.text = text
        self.tokens = tokens
        self.use = use
        self.is_stop = [token.is_stop for token in tokens]
        for i, token in enumerate(tokens):
            if self.is_stop[i]:
                self.is_stop[i] = not self._is_name_here(i, token)
            elif use.other.language:
                self.is_stop[i] = self._is_other_stop(i, token)
        for i in self._degrees():
            self.is_stop[i] = True
        self.quoted = frozenset(self._quoted_titles())

    def _is_name_here(self, i: int, token: Token) -> bool:
        """Whether a function word is part of a name where it stands: an initial or letter, a
        numeral, or a name of the same letters.
        """
        if not token.text[0].isupper() or i == 0 or token.opens_clause:
            return False
        before = self.tokens[i - 1]
        is_beside = before.is_capital and not self.is_stop[i - 1] and token.follows(before)
        if token.text == "A":
            return is_beside and before.text != "I"
        if token.text == "I":
            return is_beside and (before.base in NUMERAL_HEADS or self.is_dotted(i))
        if token.base not in NAMES_TOO or not token.text.istitle():
            return False
        after = self.behind(i)
        is_before = after and after.is_capital and not after.is_stop and after.gap.isspace()
        # More than a letter before: "on quads C and D. Roger."
        return bool(is_before) or (is_beside and len(before.text) > 1)

    def _is_other_stop(self, i: int, token: Token) -> bool:
        """Whether a word of another language is no name's where it stands."""
        after = self.behind(i)
        is_pair = after is not None and (token.base, after.base) in self.use.pairs
        return self.use.other.is_no_name(token, after, self.use.is_ordinary(token.base), is_pair)

    def _degrees(self) -> Iterator[int]:
        """The tokens of degrees and licences: `Psy.D`, `M.Sc.`, `PhD`, and behind a name `MD` and
        `Esq.`; not `U.S.`, nor `MD` alone, which may be a place.
        """
        for match in _DOTTED.finditer(self.text):
            pieces = match[0].rstrip(".").split(".")
            is_mixed = any(len(piece) > 1 and not piece.isupper() for piece in pieces[:-1])
            is_short = all(len(piece) <= _MAX_DEGREE_PIECE for piece in pieces)
            is_titled = pieces[0].lower() in ABBREVIATIONS
            if "".join(pieces).lower() in DEGREES or (is_mixed and is_short and not is_titled):
                first = bisect_left(self.tokens, match.start(), key=lambda t: t.start)
                yield from range(
                    first, bisect_left(self.tokens, match.end(), key=lambda t: t.start)
                )
        for i, token in enumerate(self.tokens):
            if token.base not in DEGREES or not token.text[0].isupper():
                continue
            before = self.tokens[i - 1] if i else None
            is_behind_name = before is not None and (
                before.text.istitle() and token.gap in {" ", ", "} and not self.is_stop[i - 1]
            )
            if is_behind_name or (token.is_upper and not token.text.isupper()):
                yield i

    def behind(self, i: int) -> Token | None:
        """The token behind another; None behind the last."""
        return self.tokens[i + 1] if i + 1 < len(self.tokens) else None

    def is_dotted(self, i: int) -> bool:
        """Whether a full stop follows right behind a token."""
        end = self.tokens[i].end
        return self.text[end : end + 1] == "."

    def begins_name(self, i: int) -> bool:
        """Whether a name may begin at a token."""
        if self.is_stop[i]:
            return False
        token = self.tokens[i]
        return token.is_capital or self._is_ordinal(i) or self._is_model(i)

    def _is_ordinal(self, i: int) -> bool:
        """`21st Century`, `58th Emmy Awards`; not `the studio's 54th Disney film`."""
        after = self.behind(i)
        is_ordinal = after and ORDINAL.fullmatch(self.tokens[i].text) and self._capital_behind(i)
        if not after or not is_ordinal:
            return False
        return after.base in ORDERED or (after.base not in WHEN and self._capital_behind(i + 1))

    def _capital_behind(self, i: int) -> bool:
        """Whether a word of a name follows right behind a token."""
        after = self.behind(i)
        is_capital = after and after.text[0].isupper() and not self.is_stop[i + 1]
        return bool(after and is_capital and after.follows(self.tokens[i]))

    def _is_model(self, i: int) -> bool:
        """`the 747-400`."""
        first, _, second = self.tokens[i].text.partition("-")
        is_numbers = first.isdigit() and second[:1].isdigit() and "-" not in second
        is_named = i > 0 and self.tokens[i - 1].base in _BEFORE_MODEL
        return is_named and is_numbers and len(first) == len(second) == 3

    def spans(self) -> Iterator[Span]:
        """Quoted titles whole, else capitalised runs, none overlapping."""
        yield from sorted(self.quoted)
        inside = {i for first, last in self.quoted for i in range(first, last + 1)}
        i = 0
        while i < len(self.tokens):
            if i in inside or not self.begins_name(i):
                i += 1
                continue
            last = i
            while (after := self._next(i, last)) is not None and after not in inside:
                if last == i and self._is_no_part(i, after):
                    break
                last = after
            yield i, last
            i = last + 1

    # ------------------------------------------------------------------------------------- going on

    def _next(self, first: int, last: int) -> int | None:
        """Index of the token that extends a span ending at `last`; over at most two connectors."""
        tokens, i = self.tokens, last + 1
        is_plural = (
            tokens[last].text.endswith("s") and i < len(tokens) and tokens[i].gap in {"' ", "’ "}
        )
        if tokens[last].is_possessive or is_plural:
            is_place = i < len(tokens) and tokens[i].text[0].isupper() and tokens[i].base in PLACES
            return (
                i
                if is_place and (is_plural or tokens[i].gap.isspace()) and not tokens[last].is_stop
                else None
            )
        if self._is_alone(first, last):
            return None
        if i < len(tokens) and (
            self._is_part_number(i, last) or self._is_behind_slash(first, i, last)
        ):
            return i
        number = numbered_by(self.tokens, self.text, last)
        if number is None:
            number = end_of_list(self.tokens, self.text, first, last)
        if number is not None:
            return number
        if (
            i + 1 < len(tokens)
            and tokens[i].base in NUMBER_SIGNS
            and tokens[i].follows(tokens[last])
            and tokens[i + 1].text.isdigit()
        ):
            return i + 1 if tokens[i + 1].gap in {" ", ". "} else None
        while i < len(tokens) and tokens[i].follows(tokens[i - 1]):
            if i - last <= MAX_CONNECTORS and self._connects(first, last, i):
                i += 1
                continue
            is_on = (
                tokens[i].is_capital
                and not self.is_stop[i]
                and not (tokens[last].is_number and i > last + 1)
            )
            return i if is_on else None
        return None

    def _is_behind_slash(self, first: int, i: int, last: int) -> bool:
        """`AC/DC`, `Command/Service Module`; not `Facebook/YouTube`, which are two."""
        before, token = self.tokens[last], self.tokens[i]
        if token.gap != "/" or not token.text[0].isupper() or not before.text[0].isupper():
            return False
        is_repeated = token.base in {t.base for t in self.tokens[first:i]}  # MAIN A/MAIN B
        if is_repeated or (self.is_stop[i] and len(token.text) > 1):
            return False
        if before.text.isupper() and token.text.isupper():
            return True
        after = self.behind(i)
        is_title = after and after.text.istitle() and after.follows(token)
        return bool(is_title) and not self.is_stop[i + 1]

    def _is_alone(self, first: int, last: int) -> bool:
        """A number that no name goes on behind: a year that says when (`In 2004 Kerry`, `a 1950
        West German film`) or ends a name.
        """
        token = self.tokens[last]
        if first != last or not token.is_number:
            return token.is_number
        before = self.tokens[last - 1].base if last else ""
        if before in TIME_PREPOSITIONS or before in {"a", "an"} or len(token.text) != 4:
            return True
        # `the 2004 American film`: the capital behind the year only tells the film's country.
        rest = [t.text for t in self.tokens[last + 1 : last + 3]]
        return len(rest) == 2 and bool(_DEMONYM.fullmatch(rest[0])) and rest[1][0].islower()

    def _is_part_number(self, i: int, last: int) -> bool:
        """`Apollo 13`, `Python 3.11`, `Boeing 747-400`; not `Houston 65 percent`."""
        token, before = self.tokens[i], self.tokens[last]
        if before.base in MONTHS and token.follows(before) and not before.text.isupper():
            return token.text.isdigit() and len(token.text) <= _MAX_DAY_DIGITS
        if not token.follows(before) or before.text[0].isdigit() or before.base in WHEN:
            return False
        if not MODEL_NUMBER.fullmatch(token.text) or token.text in _FORMATS:
            return False
        sign, digit = self.text[token.end : token.end + 1], self.text[token.end + 1 : token.end + 2]
        if sign in _COUNTING_SIGNS or (sign == ":" and digit.isdigit()):
            return False
        after = self.behind(i)
        return after is None or after.base not in UNITS or not after.gap.isspace()

    def _connects(self, first: int, last: int, i: int) -> bool:
        """Whether a token between two capitals joins them."""
        token, after = self.tokens[i], self.behind(i)
        if self.use.writing is Writing.NOUNS:
            return token.text in {"&", "von", "van", "de"}
        couple = (self.tokens[last].base, after.base if after else "")
        if token.text == "and" and first == last and couple in self.use.couples:
            return True
        if token.text == "the" and i == last + 1:
            return after is not None and after.base in EPITHETS
        if token.text in CONNECTORS:
            return True
        held = [t.base for t in self.tokens[first : last + 1]]
        if token.text == "for":
            return not INSTITUTIONS.isdisjoint(held)
        if token.text == "and":
            topic = next((at for at, word in enumerate(held) if word in TOPICAL), len(held))
            is_headed = not {"of", "for"}.isdisjoint(held[topic + 1 :])
            return is_headed and after is not None and not after.text.isupper()
        is_title_case = token.text[0].isupper() and token.text[1:].islower()
        is_joint = is_title_case and token.base in TITLE_CONNECTORS
        return is_joint and after is not None and not self.is_stop[i + 1]

    # -------------------------------------------------------------------------------- clause starts

    def _is_no_part(self, i: int, after: int) -> bool:
        """Whether a clause's first word has its capital only for its place: `Understand FLIGHT`,
        `Ask Jack`, `Yesterday Kerry`.
        """
        first, second = self.tokens[i], self.tokens[after]
        if (
            not first.opens_clause
            or first.is_upper
            or self.use.pairs.get((first.base, second.base))
        ):
            return False
        if first.base in NUMBERED and (second.text[0].isdigit() or len(second.text) == 1):
            return False
        is_adverb = first.base.endswith(ADVERB_ENDINGS) and len(first.base) >= 7
        if is_adverb or first.base in OPENERS or first.base in COMMON_VERBS:
            return True
        is_office = f"{first.base}-{second.base}" in OFFICE_PAIRS
        if first.base in OCCUPATIONS and second.text.istitle() and not is_office:
            return True
        is_call_sign = second.text.isupper() and len(second.text) > 1
        if is_call_sign and first.text.istitle() and not _ROMAN.fullmatch(second.text):
            return True
        return self.use.is_ordinary(first.base) and first.base not in VAGUE_WORDS

    def _quoted_titles(self) -> Iterator[Span]:
        """Titles: words in quotation marks, all the long ones capitalised: `"You're Getting
        Old"`.
        """
        for match in _QUOTED.finditer(self.text):
            first = bisect_right(self.tokens, match.start(), key=lambda t: t.start)
            end = bisect_left(self.tokens, match.end(), key=lambda t: t.end)
            words = [token.text for token in self.tokens[first:end]]
            if not 2 <= len(words) <= _MAX_QUOTED_WORDS or re.search(r"[.?!;:]\s", match[1]):
                continue
            is_shouted = match[1].isupper() or sum(map(str.isupper, words)) >= 2
            small = [word for word in words if not word[0].isupper()]
            is_cased = words[0][0].isupper() and len(words) - len(small) >= 2
            has_long = any(len(word) > _LONG_WORD and not word[0].isdigit() for word in small)
            if is_cased and not is_shouted and not has_long:
                yield first, end - 1
