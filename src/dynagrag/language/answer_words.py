"""How other languages than English ask and answer: the words of `answer_words.tsv`, and those of
months, days and spans of time from dateparser (BSD-3-Clause, of CLDR's and people's own).

A line of the table is a language (ISO 639-1), a class and words or phrases with commas between
them; `*` stands for any letters of a word.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_TABLE = Path(__file__).with_name("answer_words.tsv")
_UNSPACED = frozenset(("ja", "zh"))
_NUMERAL = "\\d〇零一二三四五六七八九十百千万億亿两兩"
"""For a character class: figures, and those of Chinese and Japanese."""
_NEVER: Final = re.compile(r"(?!)")
_DATED = (
    "january february march april may june july august september october november december"
    " monday tuesday wednesday thursday friday saturday sunday year month week day hour"
).split()
"""Keys of dateparser's words."""
_ABBREVIATION = 3
"""Letters of the beginning of a longer one that is left out: mer (of mercredi) is the sea too."""


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """Patterns of one language. `asks`: by class, what a question of that kind asks with. `number`:
    in figures or words. `time`: of a line that may say when. `person`: before or behind somebody,
    where capitals don't tell a name. `about`, `about_speaker`: the wording of a question about a
    `{topic}`, and about what a `{speaker}` says of it. The others as the classes of the English
    words.
    """

    code: str
    asks: Mapping[str, re.Pattern[str]]
    number: re.Pattern[str]
    time: re.Pattern[str]
    reason: re.Pattern[str]
    place: re.Pattern[str]
    person: re.Pattern[str]
    yes_or_no: re.Pattern[str]
    about: str
    about_speaker: str

    @property
    def is_spaced(self) -> bool:
        """Whether blanks part its words."""
        return self.code not in _UNSPACED

    def first_asked(self, question: str, max_words: int) -> tuple[str, int] | None:
        """The class that the question asks with and where the word ends, the first and longest of
        them; it begins behind `max_words` words at most, where blanks part them. None: none does.
        """
        found = [
            (match.start(), -match.end(), name)
            for name, pattern in self.asks.items()
            if (match := pattern.search(question))
            and (not self.is_spaced or len(question[: match.start()].split()) <= max_words)
        ]
        if not found:
            return None
        # 修桥用了多少吗: yes or no is asked only where nothing else is
        _, end, name = min(found, key=lambda entry: (entry[2] == "asks_yes_or_no", entry))
        return name, -end


def answer_words(code: str) -> AnswerWords | None:
    """Those of a language (ISO 639-1); None of one that the table lacks, and of English."""
    return _read(code) if code in _rows() else None


@cache
def words_of_any_language(name: str) -> frozenset[str]:
    """The words of a class, of all languages of the table."""
    return frozenset(word for rows in _rows().values() for word in rows.get(name, ()))


def languages_asking(question: str) -> frozenset[str]:
    """The languages of the table that have a word to ask with at the question's beginning."""
    begun = question.lstrip("¿ \"'„“«").casefold()
    return frozenset(
        code
        for code, rows in _rows().items()
        for name, words in rows.items()
        if name.startswith("asks_") and name != "asks_yes_or_no"
        if any(_begins(begun, word, code) for word in words)
    )


def _begins(text: str, word: str, code: str) -> bool:
    if not text.startswith(word.rstrip("*")):
        return False
    behind = text[len(word) : len(word) + 1]
    return code in _UNSPACED or word.endswith("*") or not behind.isalpha()


@cache
def _rows() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    rows: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        code, name, words = line.split("\t")
        rows[code][name] = tuple(word.strip() for word in words.split(","))
    return rows


@cache
def _read(code: str) -> AnswerWords:
    rows, is_spaced = _rows()[code], code not in _UNSPACED
    figures = re.compile(f"[{_NUMERAL}]" if not is_spaced else r"\d")
    numbers = _any_word(rows.get("number", ()), is_spaced)
    return AnswerWords(
        code=code,
        asks={
            name: _any_word(words, is_spaced)
            for name, words in rows.items()
            if name.startswith("asks_")
        },
        number=re.compile(f"{figures.pattern}|{numbers.pattern}", re.IGNORECASE),
        time=_time_pattern([*rows.get("time", ()), *_dated(code)], is_spaced),
        reason=_any_word(rows.get("reason", ()), is_spaced),
        place=_any_word(rows.get("place", ()), is_spaced),
        person=_any_word(rows.get("person", ()), is_spaced),
        yes_or_no=_any_word(rows.get("yes_or_no", ()), is_spaced),
        about=rows["about"][0],
        about_speaker=rows["about_speaker"][0],
    )


def _any_word(words: Iterable[str], is_spaced: bool) -> re.Pattern[str]:
    """Finds any of the words, the longest that fits; in any place where no blanks part words."""
    ordered = sorted(set(words), key=lambda word: (-len(word), word))
    if not ordered:
        return _NEVER
    forms = [
        re.escape(word).replace(r"\*", r"\w*").replace(r"\ ", r"\s+").replace("'", "['’]")
        for word in ordered
    ]
    if not is_spaced:
        return re.compile("|".join(forms))
    bound = [form if form.endswith("]") else rf"{form}(?!\w)" for form in forms]
    return re.compile(rf"(?<!\w)(?:{'|'.join(bound)})", re.IGNORECASE)


def _dated(code: str) -> set[str]:
    """Words of time: months, days, spans and such as yesterday."""
    # imported here: it takes a sixth of a second, and English needs none of it
    from dateparser.languages.loader import default_loader

    info = default_loader.get_locale("nb" if code == "no" else code).info
    found = {word for words in info.get("relative-type", {}).values() for word in words}
    for key in _DATED:
        own = [word.casefold() for word in info.get(key, ())]
        found.update(
            word
            for word in own
            if len(word) > _ABBREVIATION
            or not any(other != word and other.startswith(word) for other in own)
        )
    return found


def _time_pattern(words: Sequence[str], is_spaced: bool) -> re.Pattern[str]:
    """Finds words of time; a single character (日 is in many words) only behind a number, and a
    letter that stands for a longer word nowhere.
    """
    long = _any_word([word for word in words if len(word) > 1], is_spaced)
    short = "".join(word for word in words if len(word) == 1)
    if is_spaced or not short:
        return long
    return re.compile(rf"[{_NUMERAL}]\s*[{short}]|{long.pattern}")
