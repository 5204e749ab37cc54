"""Words with capitals that are no names in texts of other languages: function words at a clause's
beginning or a name's end, polite forms of German, times; and of German what is a plain noun, and
what a family's name.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.ingest.extract.name_words import (
    ADDRESSES,
    FORMS_OF_ADDRESS,
    GIVEN_MONTHS,
    PERSON_TITLES,
)
from dynagrag.ingest.extract.tokens import Token
from dynagrag.language.answer_words import answer_words
from dynagrag.language.content_words import function_words
from dynagrag.language.german import data as german
from dynagrag.language.word_class import WordClass

GERMAN = "de"
_POLITE = frozenset("sie ihr ihre ihrem ihren ihrer ihres ihnen".split())
"""They have a capital anywhere where somebody is addressed."""
_DETERMINERS = german.words_of(WordClass.ARTICLE) | frozenset(
    "im am zum zur vom beim ins ans kein keine keinen keiner dieser diese dieses diesem diesen"
    " mein meine unser unsere jeder jede jedes".split()
)
_ADVERB = re.compile(r"\w{3,}(?:lich|weise|falls|dings)")
_MOST_DETERMINED = 0.25
"""Of a family name's places those behind an article: people speak so ("der Luther")."""
_LEAST_PAIRED = 2
_APOSTROPHE_OR_HYPHEN = re.compile(r"['’-]")


@dataclass(frozen=True, slots=True)
class OtherWords:
    """Words of a text in another language (ISO 639-1) by how it uses them, in lower case. `plain`:
    German nouns that stand behind an article without a name. `family`: last words of names of two
    words that are told apart by them.
    """

    language: str = ""
    plain: frozenset[str] = frozenset()
    family: frozenset[str] = frozenset()

    def is_no_name(
        self, token: Token, after: Token | None, is_ordinary: bool, is_pair: bool
    ) -> bool:
        """Whether a word with a capital belongs to no name where it stands. `is_ordinary`: it is
        rather written small; `is_pair`: inside sentences it has a capital with the next one too.
        """
        if not self.language or not token.text[0].isupper() or token.is_upper:
            return False
        if self.language == GERMAN and token.base in _POLITE:
            return True
        if self._is_time(token.base) and token.base not in GIVEN_MONTHS:
            return True
        if self.language == GERMAN and token.opens_clause and _ADVERB.fullmatch(token.base):
            return True
        parts = _APOSTROPHE_OR_HYPHEN.split(token.base)
        known = function_words(self.language)
        if not any(part in known and len(part) > 1 for part in parts):
            return False
        if not all(part in known or len(part) == 1 for part in parts):
            return False
        goes_on = after is not None and after.is_capital and after.follows(token)
        return (token.opens_clause and not is_pair) or (not goes_on and is_ordinary)

    def _is_time(self, word: str) -> bool:
        own = answer_words(self.language)
        return own is not None and bool(own.time.fullmatch(word))

    def are_plain(self, tokens: Sequence[Token], before: Token | None) -> bool:
        """Whether German words in a row are nouns side by side and no name: "Netzbetreiber Geld",
        "zehn Jahre Haft", "ein Kern von Wahrheit".
        """
        if self.language != GERMAN or tokens[0].is_upper:
            return False
        nouns = [token.base for token in tokens if token.text[0].isupper()]
        own = answer_words(GERMAN)
        are_words = not any(token.is_upper for token in tokens)
        is_counted = before and own and own.number.fullmatch(before.base)
        if are_words and (is_counted or self.plain.issuperset(nouns)):
            return True
        is_joined = len(nouns) < len(tokens)
        is_determined = before is not None and before.base in _DETERMINERS
        return is_joined and (is_determined or nouns[0] in self.plain)


def other_words(
    language: str,
    tokens: Iterable[Token],
    capital: Mapping[str, int],
    pairs: Mapping[tuple[str, str], int],
) -> OtherWords:
    """Those of a text, by its tokens, its words with capitals inside sentences and pairs of such
    side by side.
    """
    if language != GERMAN:
        return OtherWords(language)
    determined: Counter[str] = Counter()
    before = noun = None
    for token in tokens:
        is_on = token.text[0].isupper() and noun is not None and token.follows(noun)
        if noun is not None and not is_on:
            determined[noun.base] += 1
        is_noun = token.text[0].isupper() and not token.is_upper and token.gap.isspace()
        noun = token if is_noun and before and before.base in _DETERMINERS else None
        before = token
    firsts: dict[str, dict[str, int]] = {}
    for (first, last), num in pairs.items():
        if first not in PERSON_TITLES | ADDRESSES | FORMS_OF_ADDRESS:
            firsts.setdefault(last, {})[first] = num
    known = function_words(GERMAN)
    family = {
        last
        for last, own in firsts.items()
        for first, num in own.items()
        if len(own) == 1
        and num >= _LEAST_PAIRED
        and not known & {first, last}
        and not determined[first]
        and determined[last] <= _MOST_DETERMINED * capital[last]
    }
    return OtherWords(language, frozenset(determined), frozenset(family))
