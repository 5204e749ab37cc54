"""Whether a line says a claim word for word, which needs no knowledge of its language.

Numbers may be written otherwise where that leaves no doubt: 30 000 is 30000, 3,5 is 3.5, and ٣٠ is
30. 1.250 is a thousand or a fraction, by language: it is like nothing but itself.
"""

import re
import unicodedata
from collections.abc import Iterator

from dynagrag.core.schema import Line
from dynagrag.language.sentences import sentence_spans

_NUMBER = r"(?<!\w)[-−+]?\d{1,3}(?:['’\s]\d{3})+(?!\d)(?:[.,٫]\d+)?|\d+(?:[.,'’٬٫]\d+)*"
_TOKEN = re.compile(rf"{_NUMBER}|[^\W\d]+(?:['’][^\W\d]+)*|[^\w\s]")
_MAY_BE_CUT = re.compile(r"(?<!\w)(?:\d{1,4}|[^\W\d_]{1,4}|\w+\.\w+)\.[\"'”’»)\]]*\s*$")
_GROUPING = re.compile(r"['’٬\s]")
_CJK_DIGITS = "〇零一二三四五六七八九"
_CJK_NUMBER = re.compile(f"[{_CJK_DIGITS}]{{2,}}")
_MARKS = frozenset(".,;:!…\"'“”„‘’«»()[]{}—–、。，！·")
"""They change nothing of what a sentence says; a question mark does."""


def says_verbatim(claim: str, line: Line) -> bool:
    """Whether the line, or a sentence of it, has the claim's words in their order and no others.

    A sentence that ends in a number or a short word and a full stop, with more behind it, may be
    cut amid ("ab dem 1. Mai", "3 Mio. Euro"), and so may a claim: it is the line's only whole.
    """
    wanted = tuple(_tokens(claim))
    texts = [line.text]
    if not _MAY_BE_CUT.search(claim):
        texts += [
            line.text[start:end] for start, end in sentence_spans(line.text, language=line.language)
        ]
    return bool(wanted) and any(tuple(_tokens(text)) == wanted for text in texts)


def _tokens(text: str) -> Iterator[str]:
    plain = _CJK_NUMBER.sub(_in_digits, unicodedata.normalize("NFKC", text).casefold())
    for match in _TOKEN.finditer(plain):
        token = match[0]
        if any(character.isdigit() for character in token):
            yield _plain_number(token)
        elif token not in _MARKS:
            yield token


def _in_digits(number: re.Match[str]) -> str:
    """二零一八 as 2018."""
    return "".join(str(max(0, _CJK_DIGITS.index(digit) - 1)) for digit in number[0])


def _plain_number(written: str) -> str:
    """A number with a full stop before its fraction and nothing between thousands; as it is written
    where a mark in it may be either.
    """
    digits = "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in _GROUPING.sub("", written)
    ).replace("٫", ".")
    marks = [character for character in digits if character in ".,"]
    if len(marks) > 1 and len(set(marks)) == 1:  # 1.250.000
        return digits.replace(marks[0], "")
    if len(marks) > 1:  # 1.250,5: the last sets the fraction off
        whole, _, fraction = digits.rpartition(marks[-1])
        return f"{re.sub('[.,]', '', whole)}.{fraction}"
    whole, _, fraction = digits.partition(marks[0]) if marks else (digits, "", "")
    if len(fraction) == 3 and len(whole) <= 3:
        return written
    return f"{whole}.{fraction}" if fraction else whole
