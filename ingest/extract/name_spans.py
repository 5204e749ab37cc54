"""Which runs of a sentence's tokens are capitalised spans: what a name goes on over, and what opens
a clause before it.
"""

import re
from collections.abc import Iterator, Sequence

from dynagrag.ingest.extract.case_use import CaseUse, Writing
from dynagrag.ingest.extract.name_words import (
    ADVERB_ENDINGS,
    CONNECTORS,
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
_FORMATS = frozenset({"2D", "3D", "4D", "4K", "8K"})
"""What something is made in, whatever stands before."""
_LONG_WORD = 4
_MAX_DAY_DIGITS = 2


class Sentence:
    """The tokens of a sentence, which of them end a name, and the titles in quotation marks."""

    def __init__(self, text: str, tokens: Sequence[Token], use: CaseUse) -> None:
        self.text = text
        self.tokens = tokens
        self.use = use
        self.is_stop = [token.is_stop for token in tokens]
        for i, token in enumerate(tokens):
            if self.is_stop[i]:
                self.is_stop[i] = not self._is_name_here(i, token)
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
        after = self.tokens[i + 1] if i + 1 < len(self.tokens) else None
        is_before = (
            after is not None and after.is_capital and not after.is_stop and after.gap.isspace()
        )
        is_named = is_before or (is_beside and len(before.text) > 1)  # "on quads C and D. Roger."
        return token.base in NAMES_TOO and token.text.istitle() and is_named

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
        if (
            not ORDINAL.fullmatch(self.tokens[i].text)
            or i + 1 == len(self.tokens)
            or not self._is_capital_behind(i)
        ):
            return False
        after = self.tokens[i + 1]
        return after.base in ORDERED or (
            after.base not in WHEN and i + 2 < len(self.tokens) and self._is_capital_behind(i + 1)
        )

    def _is_capital_behind(self, i: int) -> bool:
        after = self.tokens[i + 1]
        return after.text[0].isupper() and not self.is_stop[i + 1] and after.follows(self.tokens[i])

    def _is_model(self, i: int) -> bool:
        """`the 747-400`."""
        parts = self.tokens[i].text.split("-")
        is_numbers = (
            len(parts) == 2
            and all(len(part) == 3 for part in parts)
            and parts[0].isdigit()
            and parts[1][0].isdigit()
        )
        return (
            is_numbers
            and i > 0
            and self.tokens[i - 1].base in {"the", "a", "an", "this", "that", "our"}
        )

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
        if (
            token.gap != "/"
            or not token.text[0].isupper()
            or not before.text[0].isupper()
            or (self.is_stop[i] and len(token.text) > 1)
        ):
            return False
        if token.base in {t.base for t in self.tokens[first:i]}:
            return False  # MAIN A/MAIN B
        is_short = before.text.isupper() and token.text.isupper()
        after = self.tokens[i + 1] if i + 1 < len(self.tokens) else None
        return is_short or (
            after is not None
            and after.text.istitle()
            and after.follows(token)
            and not self.is_stop[i + 1]
        )

    def _is_alone(self, first: int, last: int) -> bool:
        """A number that no name goes on behind: a year that says when (`In 2004 Kerry`, `a 1950
        West German film`) or ends a name.
        """
        token = self.tokens[last]
        if first != last or not token.is_number:
            return token.is_number
        before = self.tokens[last - 1].base if last else ""
        return (
            before in TIME_PREPOSITIONS
            or before in {"a", "an"}
            or len(token.text) != 4
            or self._is_film(last)
        )

    def _is_film(self, year: int) -> bool:
        """`the 2004 American film`: the year of something that the capital behind it only tells the
        country of.
        """
        rest = self.tokens[year + 1 : year + 3]
        return (
            len(rest) == 2 and bool(_DEMONYM.fullmatch(rest[0].text)) and rest[1].text[0].islower()
        )

    def _is_part_number(self, i: int, last: int) -> bool:
        """`Apollo 13`, `Python 3.11`, `Boeing 747-400`; not `Houston 65 percent`."""
        token, before = self.tokens[i], self.tokens[last]
        if before.base in MONTHS and token.follows(before) and not before.text.isupper():
            return token.text.isdigit() and len(token.text) <= _MAX_DAY_DIGITS
        if (
            not token.follows(before)
            or before.text[0].isdigit()
            or before.base in WHEN
            or not MODEL_NUMBER.fullmatch(token.text)
        ):
            return False
        if token.text in _FORMATS:
            return False
        behind = self.text[token.end : token.end + 2]
        if behind[:1] in {"%", "°", "/"} or (behind[:1] == ":" and behind[1:].isdigit()):
            return False
        after = self.tokens[i + 1] if i + 1 < len(self.tokens) else None
        return after is None or after.base not in UNITS or not after.gap.isspace()

    def _connects(self, first: int, last: int, i: int) -> bool:
        """Whether a token between two capitals joins them."""
        token = self.tokens[i]
        if self.use.writing is Writing.NOUNS:
            return token.text in {"&", "von", "van", "de"}
        if token.text in CONNECTORS:
            if token.text == "the" and i == last + 1:
                return i + 1 < len(self.tokens) and self.tokens[i + 1].base in EPITHETS
            return True
        held = [t.base for t in self.tokens[first : last + 1]]
        if token.text == "for":
            return any(word in INSTITUTIONS for word in held)
        if token.text == "and":
            topics = [at for at, word in enumerate(held) if word in TOPICAL]
            is_headed = bool(topics) and any(
                word in {"of", "for"} for word in held[topics[0] + 1 :]
            )
            return is_headed and i + 1 < len(self.tokens) and not self.tokens[i + 1].text.isupper()
        is_title_case = (
            token.text[0].isupper() and token.text[1:].islower() and token.base in TITLE_CONNECTORS
        )
        return is_title_case and i + 1 < len(self.tokens) and not self.is_stop[i + 1]

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
        if first.base in OPENERS or (first.base.endswith(ADVERB_ENDINGS) and len(first.base) >= 7):
            return True
        if (
            first.base in OCCUPATIONS
            and second.text.istitle()
            and f"{first.base}-{second.base}" not in OFFICE_PAIRS
        ):
            return True
        is_call_sign = (
            second.text.isupper() and len(second.text) > 1 and not _ROMAN.fullmatch(second.text)
        )
        if first.base in COMMON_VERBS or (is_call_sign and first.text.istitle()):
            return True
        return self.use.is_ordinary(first.base) and first.base not in VAGUE_WORDS

    def _quoted_titles(self) -> Iterator[Span]:
        """What stands in quotation marks with all its long words capitalised: `"You're Getting
        Old"`.
        """
        for match in _QUOTED.finditer(self.text):
            inside = [
                i
                for i, t in enumerate(self.tokens)
                if match.start() < t.start and t.end < match.end()
            ]
            if not 2 <= len(inside) <= _MAX_QUOTED_WORDS or re.search(r"[.?!;:]\s", match[1]):
                continue
            words = [self.tokens[i] for i in inside]
            is_title = words[0].text[0].isupper() and sum(w.text[0].isupper() for w in words) >= 2
            is_title = (
                is_title and not match[1].isupper() and sum(w.text.isupper() for w in words) < 2
            )
            if is_title and all(
                w.text[0].isupper() or w.text[0].isdigit() or len(w.text) <= _LONG_WORD
                for w in words[1:]
            ):
                yield inside[0], inside[-1]
