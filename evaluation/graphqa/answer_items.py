r"""What a list in free text consists of: its items as tokens, for the strict scorer
(docs/papers.md, GraphQA, step 2).

Items end at a new line, `|`, `;` and the commas of a list. A comma is no end of an item inside a
known name ("Washington, D.C."), before a part of a name that never stands alone (D.C., Inc., Jr.),
inside a number ("1,000") and before the year of a date ("October 4, 1957").
"""

import re
import unicodedata
from collections.abc import Iterable

from dynagrag.core.text import without_accents

Tokens = tuple[str, ...]
_KEPT = "\N{SINGLE LOW-9 QUOTATION MARK}"
"""In place of a comma that ends no item while a text is cut."""
_ENDS = re.compile(r"[\n|;,]+")
_IN_NUMBER = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_IN_DATE = re.compile(r"(?:(?<=[^\W\d_]\s\d)|(?<=[^\W\d_]\s\d\d)),(?=\s+\d{4}(?!\d))")
_BEFORE_PART = re.compile(
    r",(?=\s*(?:D\.?C|Inc|Ltd|LLC|Jr|Sr|Ph\.?D|M\.?D|Esq|Corp|Co|II|III|IV)(?:\.|\b)(?:\s*(?:$|[\n|;,.)]|and\b|or\b)))",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•]\s+|\(?\d{1,3}[.)]\s+)")
_JOINED = re.compile(r"^(?:and|or)\s+", re.IGNORECASE)
_IN_WORD = re.compile(r"(?<!\d)\.|\.(?!\d)|['’]")
_TOKEN = re.compile(r"[^\W_]+(?:\.\d+)?")
_ARTICLES = frozenset({"a", "an", "the"})


def items_of(answer: str, names: Iterable[str]) -> list[Tokens]:
    """The items of an answer in its order, each once. `names`: those whose commas end no item."""
    text = answer
    for name in sorted({name for name in names if "," in name}, key=lambda one: (-len(one), one)):
        text = re.sub(
            _pattern(name),
            lambda found: found.group().replace(",", _KEPT),
            text,
            flags=re.IGNORECASE,
        )
    text = _BEFORE_PART.sub(_KEPT, _IN_DATE.sub(_KEPT, _IN_NUMBER.sub("", text)))
    items = (_JOINED.sub("", _BULLET.sub("", part).strip()) for part in _ENDS.split(text))
    return list(
        dict.fromkeys(tokens for item in items if (tokens := _without_article(tokens_of(item))))
    )


def tokens_of(text: str) -> Tokens:
    """Words and numbers in one form: compatible characters are one (NFKC), and so are cases,
    accents, "D.C." and "DC", "1,000" and "1000", "new-york" and "new york".
    """
    bare = _IN_WORD.sub(
        "", _IN_NUMBER.sub("", unicodedata.normalize("NFKC", without_accents(text)).casefold())
    )
    return tuple(_TOKEN.findall(bare))


def same_name(a: Tokens, b: Tokens) -> bool:
    """Whether they are equal but for an article before them."""
    return bool(a) and _without_article(a) == _without_article(b)


def is_in(part: Tokens, whole: Tokens) -> bool:
    """Whether some tokens stand in others, one after the other. Articles alone are in nothing."""
    size = len(part)
    return not _ARTICLES.issuperset(part) and any(
        whole[i : i + size] == part for i in range(len(whole) - size + 1)
    )


def _without_article(tokens: Tokens) -> Tokens:
    return tokens[1:] if len(tokens) > 1 and tokens[0] in _ARTICLES else tokens


def _pattern(name: str) -> str:
    words = r"\s+".join(re.escape(word) for word in name.split())
    return rf"(?<!\w){words}(?!\w)"
