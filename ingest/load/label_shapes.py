"""What a text can be where a speaker's label may stand: a name, or nothing that names a person.

By shape and position, so that it holds in every script and language; word lists only add to it.
"""

import re
from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise

from dynagrag.core.text import collapse
from dynagrag.language.english.data import words_of as english
from dynagrag.language.german.data import words_of as german
from dynagrag.language.word_class import WordClass

_MAX_BARE_CHARS = 72
_MAX_WORDS = 9
_MAX_TAIL_WORDS = 16
_MAX_CASELESS_CHARS = 24
_MAX_SMALL_WORD = 3
"""Letters of a small word between capitals: `Ministerin für Wasser`."""

_PARTICLES = english(WordClass.CONNECTOR, WordClass.NAME_PARTICLE)
_FUNCTION = english(WordClass.FUNCTION, WordClass.COMMON_VERB)
_TITLES = english(WordClass.LABEL_TITLE, WordClass.ROLE, WordClass.HONORIFIC)
_NOT_SPEAKERS = english(WordClass.NO_SPEAKER) | german(WordClass.NO_SPEAKER)
_HEADING_WORDS = _NOT_SPEAKERS | english(WordClass.HEADING)
_ALONE = _HEADING_WORDS - english(WordClass.VOICE)
"""Those of them that no voice is called by: `Music` and `Question` may be."""
_ASKING = english(WordClass.ASKING)
_NO_NAME_WORDS = english(WordClass.NO_LABEL)
_JOINTS = english(WordClass.HEADING_JOINT)
_DAYS = english(WordClass.WEEKDAY)
_NUMBERED = english(WordClass.NUMBERED_SECTION) | german(WordClass.NUMBERED_SECTION)

_SENTENCE_SIGN = re.compile(r'["“”„«»!?;…\\]')
LOG_LEVELS = english(WordClass.LOG_LEVEL)
_SCENES = english(WordClass.SCENE_HEAD)
_QUOTED = re.compile(r"«[^«»]{1,40}»$")
"""The name of a party at the end."""
_ODD_SIGN = re.compile(r"[<>\[\]{}=+*|^%]")
_TAIL = re.compile(r"\s*[(\[（,，]|\s[|–—-]\s")
_ADDRESS = re.compile(r"(?:https?://|www\.|@\w)\S*$")
_DATE = re.compile(r"\d{1,4}(?:\.? [^\W\d_]+\.?|[./-]\d{1,2}[./-]) ?\d{1,4}$")
_COUNTED_TURN = re.compile(r"([^\W\d_](?:[^\d\n]{0,30}[^\W\d_])?)[ .#_-]?(\d{1,4})\.?")
_LIST_ITEM = re.compile(r"(?:[-*+•–]|\d{1,3}[.)])\s")
_NUMBER_HANDLE = re.compile(r"[#№$@&~]\d{1,6}")
_HANDLE = re.compile(r"[._@\d]")
_SENTENCE_END = re.compile(
    r"(?:[.!?…。！？؟۔।॥։።။།៕\u037e]|(?<=[\u0370-\u03ff\u1f00-\u1fff]);|[—–]|-{2,3})"
    r"[\"'”’»」』)\]*_]*$"
)
"""Of all scripts, or where somebody is cut off; Greek asks with a semicolon."""
_INLINE_ASIDE = re.compile(
    r"(?:(?<=^)|(?<=[.!?…»”\")\]] ))(\([^()]{1,150}\)|\[[^\[\]]{1,150}\])[.*_]*(?=\s|$)"
    r"|(?<=[。！？…])(（[^（）]{1,50}）)"
)
_MAX_ASIDE_WORDS = 14
_ASIDE_SIGNS = {
    ("(", ")"),
    ("[", "]"),
    ("*", "*"),
    ("<", ">"),
    ("♪", "♪"),
    ("（", "）"),
    ("【", "】"),
    ("{", "}"),
}


_RULED = re.compile(r"(-{2,}|={2,}|~{2,})[ \t]*[^\s=~-].*[^\s=~-][ \t]*\1")
"""`-- on hold 00:45 --`"""


class Shape(IntEnum):
    """How far a text looks like a label."""

    SENTENCE = 0
    """The beginning of a sentence, or too long."""
    DOUBTFUL = 1
    """It may be one where others stand: in small letters, with signs, with a small tail."""
    NAME = 2


def shape_of(label: str) -> Shape:
    """The shape of a label without its colon: names, titles, handles and roles in any script."""
    tail_at = _TAIL.search(label, 1)
    bare = label[: tail_at.start()] if tail_at else label
    shape = _bare_shape(bare)
    if tail_at is None or shape is Shape.SENTENCE:
        return shape
    return min(shape, _tail_shape(label[tail_at.start() :].lstrip(" |–—-")))


def _bare_shape(bare: str) -> Shape:
    words = bare.split()
    is_sentence = (
        not any(ch.isalnum() for ch in bare)
        or len(bare) > _MAX_BARE_CHARS
        or len(words) > _MAX_WORDS
        or bare[0] in "([（"
        or _SENTENCE_SIGN.search(bare)
        or _holds_stop(words)
    )
    if is_sentence:
        return Shape.SENTENCE
    if not any(ch.isalpha() for ch in bare):
        is_odd = _ODD_SIGN.search(bare) or _NUMBER_HANDLE.fullmatch(bare)
        return Shape.DOUBTFUL if is_odd else Shape.SENTENCE
    if not any(ch.isupper() or ch.islower() for ch in bare):
        return Shape.NAME if len(bare) <= _MAX_CASELESS_CHARS else Shape.SENTENCE
    if _ODD_SIGN.search(bare):
        return Shape.DOUBTFUL
    return _cased_shape(words)


def _holds_stop(words: list[str]) -> bool:
    """Whether a full stop ends one that is no abbreviation as `Dr.`, `J.`, `Jr.` are."""
    return any(word.endswith(".") and len(word) > 5 for word in words)


def _cased_shape(words: list[str]) -> Shape:
    first = words[0]
    small = [
        word
        for at, word in enumerate(words)
        if word[0].islower()
        and not _HANDLE.search(word)
        and not any(ch.isupper() for ch in word)
        and word.casefold() not in _PARTICLES
        and not (0 < at < len(words) - 1 and len(word) <= _MAX_SMALL_WORD)
    ]
    if not small and not words[-1].islower():
        return Shape.NAME if not first[0].isdigit() else Shape.DOUBTFUL
    if len(words) == 1:
        return Shape.NAME if _HANDLE.search(first) else Shape.DOUBTFUL
    if first[0].isupper() and len(words) <= 4 and any(map(_is_capital_word, words)):
        return Shape.DOUBTFUL
    capitals = [word[0].isupper() for word in words]
    words = [word.casefold() for word in words]
    ends_in_name = capitals[0] and capitals[-2] and capitals[-1] and len(small) <= 3
    if ends_in_name and not (_FUNCTION | _NO_NAME_WORDS).intersection(words):
        return Shape.NAME
    if len(words) > 4 or _FUNCTION.intersection(words) or _NO_NAME_WORDS.intersection(words):
        return Shape.SENTENCE
    # In small letters as a whole (`user 2`), or an office that ends so (`Mme la présidente`).
    is_numbered = first[0].islower() and any(word.isdigit() for word in words)
    return Shape.NAME if is_numbered else Shape.DOUBTFUL


def _is_capital_word(word: str) -> bool:
    """`The SPEAKER pro tempore`."""
    return len(word) > 2 and word.isupper()


def _tail_shape(tail: str) -> Shape:
    """What stands behind a comma or in brackets: a party, a degree, an office."""
    bracket, closed, office = tail.partition("),")
    if closed and tail[0] == "(":
        return min(_tail_shape(f"{bracket})"), _tail_shape(office))
    is_bracketed = tail[:1] in "([（"
    if is_bracketed and tail[-1:] not in ")]）":
        return Shape.SENTENCE
    words = tail.strip("()[]（）,， ").split()
    bare = _QUOTED.sub("", tail)
    is_long = len(words) > _MAX_TAIL_WORDS
    holds_stop = not is_bracketed and _holds_stop(words)
    if not words or is_long or _SENTENCE_SIGN.search(bare) or holds_stop:
        return Shape.SENTENCE
    if is_bracketed:
        return Shape.NAME
    if _NO_NAME_WORDS.intersection(word.casefold() for word in words):
        return Shape.SENTENCE
    if words[0][0].islower() and words[0].casefold() not in _TITLES:
        return Shape.DOUBTFUL
    return Shape.NAME


def without_turn_numbers(labels: Sequence[str]) -> list[str]:
    """Labels of two or more that each count their own turns, `T1`, `C1`, `T2`, without the numbers;
    others as they are, as `P1`, `P2`, `P1`.
    """
    found = [_COUNTED_TURN.fullmatch(label) for label in labels]
    turns: dict[str, list[int]] = {}
    for match in filter(None, found):
        turns.setdefault(match[1], []).append(int(match[2]))
    counted = {
        name for name, numbers in turns.items()
        if len(numbers) > 2 and all(b - a == 1 for a, b in pairwise(numbers))
    }  # fmt: skip
    if len(counted) < 2:
        return list(labels)
    return [
        match[1] if match and match[1] in counted else label
        for label, match in zip(labels, found, strict=True)
    ]


def is_dash(label: str) -> bool:
    """`――`: who asks, and isn't named, in Japanese and Chinese interviews."""
    return bool(label) and not label.strip("―—─")


def no_person(label: str) -> str | None:
    """Why a label names no person, by its words: a heading, an agenda's word, a question."""
    if is_dash(label):
        return "no person: a dash for somebody who isn't named"
    folded = collapse(label).casefold().replace("’", "'")
    bare = folded.partition("(")[0].strip()
    words = [word for word in re.split(r"[\s,;/]+", bare) if word]
    if label.islower() and bare in _FUNCTION:
        return "no person: a word of sentences"
    if bare in _DAYS or _DATE.match(bare):
        return "no person: a day"
    if bare.replace(" ", "_") in _NOT_SPEAKERS:
        return f"no person: {label!r} is a heading's word"
    if words and label.split()[0].isupper() and words[0] in LOG_LEVELS:
        return "no person: a log's level"
    if len(words) > 1 and words[0] in _SCENES:
        return "no person: it heads a scene"
    if len(words) > 1 and words[0] in _NUMBERED and any(ch.isdigit() for ch in words[1]):
        return "no person: it numbers a part of the text"
    plain = [word for word in words if word not in _JOINTS]
    is_heading = bool(plain) and all(word in _HEADING_WORDS for word in plain)
    if is_heading and (len(plain) > 1 or plain[0] in _ALONE):
        return "no person: a heading's words"
    if len(words) > 1 and any(word in _ASKING for word in words):
        return "no person: it reads as a question"
    return None


def reads_as_heading(label: str) -> bool:
    """Whether a label that comes once says a sentence or a list of things."""
    bare = label.partition("(")[0]
    words = collapse(bare).casefold().replace("’", "'").split()
    return len(words) > 1 and (
        bare.count(",") > 1 or any(word.strip(",") in _NO_NAME_WORDS for word in words)
    )


def is_titled(label: str) -> bool:
    """Whether it begins with a title or holds a role: `Dr. Voss`, `Host`."""
    words = [word.strip(".,()") for word in label.casefold().split()]
    return any(word in _TITLES for word in words)


def is_function_word(label: str) -> bool:
    """`so`, `and`: what begins a sentence and is nobody's name."""
    return label.casefold() in _FUNCTION


def is_clause(label: str) -> bool:
    """Whether it begins in small letters or holds a word of sentences: `The reason is`."""
    words = label.casefold().replace("’", "'").split()
    return label[:1].islower() or bool(_NO_NAME_WORDS.intersection(words))


def is_listed(words: str) -> bool:
    """An address or the item of a list."""
    return bool(_ADDRESS.match(words) or _LIST_ITEM.match(words))


def ends_sentence(words: str) -> bool:
    """Whether a text ends as sentences do."""
    return bool(_SENTENCE_END.search(words.rstrip()))


def split_asides(words: str) -> list[str]:
    """Words and asides in turn, words first: `So it is. (Applause.)` is of both. In brackets,
    between sentences, and no number.
    """
    parts = [""]
    done = 0
    for match in _INLINE_ASIDE.finditer(words):
        inside = (match[1] or match[2])[1:-1]
        if words[match.start() - 2 : match.start()] in {") ", "] "} and done + 1 < match.start():
            continue  # behind what is said: `She left (in May) (or June).`
        if len(inside.split()) <= _MAX_ASIDE_WORDS and any(ch.isalpha() for ch in inside):
            parts[-1] += words[done : match.start()]
            parts += [match[0], ""]
            done = match.end()
    parts[-1] += words[done:]
    return [part.strip() for part in parts]


def is_aside(text: str) -> bool:
    """`(Applause)`, `[Music]`: nobody's words."""
    text = text.strip().removesuffix(".")
    return (text[:1], text[-1:]) in _ASIDE_SIGNS or _RULED.fullmatch(text) is not None
