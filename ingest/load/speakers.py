"""Which `Name: ...` at the start of a line is a speaker, judged over the whole file.

A single line can't tell `Anna: yes` from `Result: yes`. A file can: speakers come back, and where they stand, most turns have one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dynagrag.ingest.load.parsed import has_letter

_MAX_LABEL_CHARS = 48
_MAX_LABEL_WORDS = 5
_PARTICLES = frozenset("al and bin da de del della den der di du el la le of per ten the van von y zu & / -".split())
_HONORIFICS = frozenset("Chief Dr Dr. Judge Justice Miss Mr Mr. Mrs Mrs. Ms Ms. Prof. Professor Senator Sir".split())
_COVERED = 0.4
_FEW = 6
_NOT_SPEAKERS = frozenset(
    """abstract address agenda attendees audio author authors background bcc bonus category caution conclusion cons contents copyright
    credits date description directions disclaimer duration edit editor's_note email end episode example examples fig figure file files
    finally first for_example format from goal hint http https important in_short ingredients instructions introduction keywords kind
    language license link links location method methods n.b n.b. nb note notes objective organizer overview p.s p.s. participants phone
    place prerequisites present pros ps published questions re reason recorded recording reference references requirements result
    results second see_also serves so source sources start step subject subtitle summary table tag tags third time tip title to today
    todo topic total transcribed_by transcript update url usage version video warning website""".split()
)
_NUMBERED = frozenset(
    "act appendix chapter day example exercise fig figure item lesson module option page part scene section step unit week".split()
)


@dataclass(frozen=True, slots=True)
class Labels:
    """The speakers of one file. `num_blocks` of its blocks begin with one of them."""

    names: frozenset[str]
    num_blocks: int = 0

    def split(self, line: str) -> tuple[str, str] | None:
        """(speaker, the rest) of a line that begins with one of them."""
        found = split_label(line)
        return found if found is not None and found[0] in self.names else None


def split_label(line: str) -> tuple[str, str] | None:
    """(label, the rest) of a line whose beginning could be a speaker's label: a few capitalised words before a colon and a space."""
    text = line.strip()
    cut = min((at for at in (text.find(":", 0, _MAX_LABEL_CHARS + 2), text.find("：", 0, _MAX_LABEL_CHARS + 2)) if at > 0), default=-1)
    if cut < 0 or (text[cut] == ":" and len(text) > cut + 1 and not text[cut + 1].isspace()):
        return None
    label = " ".join(text[:cut].split())
    return (label, text[cut + 1 :].strip()) if _could_be_name(label) else None


def _could_be_name(label: str) -> bool:
    bare = label.partition("(")[0].strip()
    words = bare.split()
    if not words or len(label) > _MAX_LABEL_CHARS or len(words) > _MAX_LABEL_WORDS or not has_letter(bare):
        return False
    if ("(" in label) != label.endswith(")") or not (bare[0].isalpha() or bare[0] in "#@'"):
        return False
    if any(ch in bare for ch in '"“”!?;<>[]{}=+*|\\…') or ("." in bare and not all(map(_is_dotted, words))):
        return False
    folded = bare.casefold()
    if folded.replace(" ", "_") in _NOT_SPEAKERS or (words[0].casefold() in _NUMBERED and len(words) > 1):
        return False
    return not words[0].endswith(",") and all(not word[0].islower() or word.casefold() in _PARTICLES for word in words[1:])


def _is_dotted(word: str) -> bool:
    """No full stop but an abbreviation's: `Dr.`, `J.`, `Jr.,`."""
    return "." not in word or len(word.rstrip(".,")) <= 4


def _is_capital(label: str) -> bool:
    return not label[0].islower()


def find_labels(blocks: Sequence[Sequence[str]]) -> Labels:
    """The labels that are speakers in a file of `blocks` (paragraphs or cues, each a list of lines); none where that isn't sure.

    Sure is one of these:

    - At least 0.4 of the blocks or lines begin with a label, and most labels come back.
    - Labels stand only at a change of speaker: at least two come back, or one in capitals does three times. Then a label that comes once
      must resemble one that comes back (`Anna Lee` beside `Anna`), be in capitals or begin with a title.
    - None comes back, but there are only a few, and every block but a first one (a title) begins with one.
    """
    found = [[split_label(line) for line in block] for block in blocks]
    counts = Counter(hit[0] for block in found for hit in block if hit)
    if not counts:
        return Labels(frozenset())
    repeated = {label for label, count in counts.items() if count >= 2}
    num_repeated = sum(counts[label] for label in repeated)
    total = counts.total()
    num_open = sum(1 for block in found if block and block[0])
    num_lines = sum(len(block) for block in blocks)
    is_covered = num_open >= _COVERED * len(blocks) or total >= _COVERED * num_lines
    names: set[str] = set()
    if repeated and is_covered and (total <= _FEW or num_repeated >= 0.5 * total):
        names = {label for label in counts if label in repeated or _is_capital(label)}
    elif repeated and _come_back(counts, repeated):
        firsts = {label.split()[0] for label in repeated} | _HONORIFICS
        names = {label for label in counts if _is_capital(label) and (label in repeated or label.isupper() or label.split()[0] in firsts)}
    elif not repeated and total <= _FEW and all(block and block[0] for block in found[1:]) and (total > 1 or next(iter(counts)).isupper()):
        names = set(counts)
    names = {label for label in names if _is_capital(label) or counts[label] >= 2 or total <= _FEW}
    return Labels(frozenset(names), sum(1 for block in found if block and block[0] and block[0][0] in names))


def _come_back(counts: Counter[str], repeated: set[str]) -> bool:
    capital = [label for label in repeated if _is_capital(label)]
    if len(capital) >= 2 and sum(counts[label] for label in capital) >= 4:
        return True
    return any(label.isupper() and counts[label] >= 3 for label in capital)
