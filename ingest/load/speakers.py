"""Which `Name: ...` at the start of a line is a speaker, judged over the whole file.

A single line can't tell `Anna: yes` from `Result: yes`. A file can: speakers come back, and where
they stand, most turns have one.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from dynagrag.ingest.load.parsed import has_letter
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass

_MAX_LABEL_CHARS = 48
_MAX_LABEL_WORDS = 5
_PARTICLES = words_of(WordClass.CONNECTOR, WordClass.NAME_PARTICLE)
_HONORIFICS = frozenset(
    form
    for title in words_of(WordClass.LABEL_TITLE)
    for form in (title.capitalize(), f"{title.capitalize()}.")
)
_COVERED = 0.4
_FEW = 6
_NOT_SPEAKERS = words_of(WordClass.NO_SPEAKER)
_HEADING_WORDS = _NOT_SPEAKERS | words_of(WordClass.HEADING)
_ALONE = _HEADING_WORDS - words_of(WordClass.VOICE)
"""Those of them that no voice is called by: `Music` and `Question` may be."""
_ASKING = words_of(WordClass.ASKING)
_NO_NAME_WORDS = words_of(WordClass.NO_LABEL)
_JOINTS = words_of(WordClass.HEADING_JOINT)
_COLON = re.compile("[:：]")
_NO_LABEL_SIGN = re.compile(r'["“”!?;<>\[\]{}=+*|\\…]')
_LIST_ITEM = re.compile(r"(?:[-*+•–]|\d{1,3}[.)])\s")
_ADDRESS = re.compile(r"(?:https?://|www\.|@\w)\S*$")
_NUMBERED = words_of(WordClass.NUMBERED_SECTION)


@dataclass(frozen=True, slots=True)
class Labels:
    """The speakers of one file. `num_blocks` of its blocks begin with one of them. `headings`:
    labels of its sections.
    """

    names: frozenset[str]
    num_blocks: int = 0
    headings: frozenset[str] = frozenset()

    def split(self, line: str) -> tuple[str, str] | None:
        """(speaker, the rest) of a line that begins with one of them."""
        found = split_label(line)
        return found if found is not None and found[0] in self.names else None

    def heads_section(self, line: str) -> bool:
        """Whether the line is a section's heading, whose words and what stands below are
        nobody's.
        """
        label, colon, rest = line.strip().partition(":")
        if not colon or len(label) > _MAX_LABEL_CHARS or not label.strip():
            return False
        is_heading = label in self.headings or _is_heading(label, is_once=False)
        return is_heading and (not rest.strip() or len(label.split()) > 1)


def split_label(line: str) -> tuple[str, str] | None:
    """(label, the rest) of a line whose beginning could be a speaker's label: a few capitalised
    words before a colon and a space.
    """
    text = line.strip()
    colon = _COLON.search(text, 1, _MAX_LABEL_CHARS + 2)
    if colon is None:
        return None
    cut = colon.start()
    if text[cut] == ":" and text[cut + 1 : cut + 2].strip():
        return None
    label = " ".join(text[:cut].split())
    return (label, text[cut + 1 :].strip()) if _could_be_name(label) else None


def is_aside(text: str) -> bool:
    """`(Applause)`, `[Music]`: nobody's words."""
    text = text.strip()
    return (text[:1], text[-1:]) in {("(", ")"), ("[", "]"), ("*", "*"), ("<", ">"), ("♪", "♪")}


def _could_be_name(label: str) -> bool:
    bare = label.partition("(")[0].strip()
    words = bare.split()
    if (
        not words
        or len(label) > _MAX_LABEL_CHARS
        or len(words) > _MAX_LABEL_WORDS
        or not has_letter(bare)
    ):
        return False
    if ("(" in label) != label.endswith(")") or not (bare[0].isalpha() or bare[0] in "#@'"):
        return False
    if _NO_LABEL_SIGN.search(bare):
        return False
    # No full stop but an abbreviation's: `Dr.`, `J.`, `Jr.,`.
    if any("." in word and len(word.rstrip(".,")) > 4 for word in words):
        return False
    folded = bare.casefold()
    if folded.replace(" ", "_") in _NOT_SPEAKERS or (
        words[0].casefold() in _NUMBERED and len(words) > 1
    ):
        return False
    return not words[0].endswith(",") and all(
        not word[0].islower() or word.casefold() in _PARTICLES for word in words[1:]
    )


def _is_capital(label: str) -> bool:
    return not label[0].islower()


def find_labels(blocks: Sequence[Sequence[str]]) -> Labels:
    """The labels that are speakers in a file of `blocks` (paragraphs or cues, each a list of
    lines); none where that isn't sure.

    Sure is one of these:

    - At least 0.4 of the blocks or lines begin with a label, and most labels come back.
    - Labels stand only at a change of speaker: at least two come back, or one in capitals does
      three times. Then a label that comes once
      must resemble one that comes back (`Anna Lee` beside `Anna`), be in capitals or begin with a
      title.
    - None comes back, but there are only a few, and every block but a first one (a title) begins
      with one.

    The headings of a file's sections (`News, Events, Resources:`) are none of them.
    """
    every = [[split_label(line) for line in block] for block in blocks]
    headings = _headings(blocks, every)
    found = [[hit if hit and hit[0] not in headings else None for hit in block] for block in every]
    counts = Counter(hit[0] for block in found for hit in block if hit)
    if not counts:
        return Labels(frozenset())
    repeated = {label for label, count in counts.items() if count >= 2}
    num_repeated = sum(counts[label] for label in repeated)
    total = counts.total()
    openings = [hits[0] if hits else None for hits in found]
    num_open = sum(hit is not None for hit in openings)
    num_lines = sum(map(len, blocks))
    is_covered = num_open >= _COVERED * len(blocks) or total >= _COVERED * num_lines
    strong = [label for label in repeated if _is_capital(label)]
    names: set[str] = set()
    if repeated and is_covered and (total <= _FEW or num_repeated >= 0.5 * total):
        names = {label for label in counts if label in repeated or _is_capital(label)}
    elif repeated and (
        (len(strong) >= 2 and sum(counts[label] for label in strong) >= 4)
        or any(label.isupper() and counts[label] >= 3 for label in strong)
    ):
        firsts = {label.split()[0] for label in repeated} | _HONORIFICS
        names = {
            label
            for label in counts
            if _is_capital(label)
            and (label in repeated or label.isupper() or label.split()[0] in firsts)
        }
    elif (
        not repeated
        and total <= _FEW
        and all(openings[1:])
        and (total > 1 or next(iter(counts)).isupper())
    ):
        names = set(counts)
    names = {label for label in names if _is_capital(label) or counts[label] >= 2 or total <= _FEW}
    num_named = sum(hit is not None and hit[0] in names for hit in openings)
    return Labels(frozenset(names), num_named, headings)


def _headings(
    blocks: Sequence[Sequence[str]], found: Sequence[Sequence[tuple[str, str] | None]]
) -> frozenset[str]:
    """The labels that head a section: all of their words are such a heading's, a label that comes
    once says a sentence or a list of things, or nothing but lists or addresses stands behind them.
    """
    counts = Counter(hit[0] for block in found for hit in block if hit)
    heads = {label for label in counts if _is_heading(label, counts[label] == 1)}
    is_list: dict[str, list[bool]] = defaultdict(list)
    for number, (block, hits) in enumerate(zip(blocks, found, strict=True)):
        following = blocks[number + 1][:1] if number + 1 < len(blocks) else []
        for hit, after in zip(hits, [*block[1:], *following, ""], strict=False):
            if hit is not None and hit[0] not in heads:
                listed = _ADDRESS.match(hit[1]) if hit[1] else _LIST_ITEM.match(after.lstrip())
                is_list[hit[0]].append(listed is not None)
    return frozenset(heads | {label for label, lists in is_list.items() if all(lists)})


def _is_heading(label: str, is_once: bool) -> bool:
    folded = label.casefold().replace("’", "'")
    words = [word for word in re.split(r"[\s,;]+", folded) if word]
    plain = [word for word in words if word not in _JOINTS]
    if plain and all(word in _HEADING_WORDS for word in plain):
        return len(plain) > 1 or plain[0] in _ALONE
    if len(words) > 1 and any(word in _ASKING for word in words):
        return True
    if not is_once or len(words) == 1:
        return False
    return label.count(",") > 1 or any(word in _NO_NAME_WORDS for word in words)
