"""How right the speakers and times are that a file is read with: words under the right speaker,
under nobody, under a wrong one; turns that begin when they are said to.

Words are aligned in their order, whatever their spelling: gold and reading are two sequences of
words, of which the longest common stretches are matched first. So it doesn't matter how either of
them cuts its turns.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path

from pydantic import JsonValue

from dynagrag.config.settings import Settings
from dynagrag.core.ids import content_id
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import UNSPACED, collapse, cut, plural
from dynagrag.evaluation.frame.experiment import ItemExperiment
from dynagrag.evaluation.frame.experiment_run import ONE_ARM, ExperimentLine, ExperimentRun
from dynagrag.evaluation.frame.figures import Figure, count
from dynagrag.evaluation.frame.report import Case, Cases, Listing, Report, Row, Section, Table
from dynagrag.evaluation.frame.results import Result
from dynagrag.evaluation.speakers.speaker_gold import GoldFile, TrueTurn, load_gold_files
from dynagrag.ingest.load import load_source, turns_of

NEAR_S = 0.5
"""Captions of one talk by two tools differ by some tenths of a second."""
_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
"""Scripts without spaces count by the character."""
_MAX_MISTAKES = 8
_MAX_MISTAKE_WORDS = 30
_MAX_SHOWN_CHARS = 90
NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class SpeakerCounts:
    """Counts of one file or of several. Each word of the gold is `right`, under `nobody`, under a
    `wrong` speaker, or `lost`: the reading hasn't got it. `added`: words of the reading that the
    gold hasn't got. `times_right` of `times` turns begin when they should.
    """

    words: int = 0
    right: int = 0
    nobody: int = 0
    wrong: int = 0
    lost: int = 0
    added: int = 0
    times: int = 0
    times_right: int = 0

    def share(self, num: int) -> float:
        """Of the words."""
        return num / self.words if self.words else 0.0

    @classmethod
    def total(cls, counts: Sequence["SpeakerCounts"]) -> "SpeakerCounts":
        """All of them together."""
        return cls(*(sum(getattr(own, field.name) for own in counts) for field in fields(cls)))


@dataclass(frozen=True, slots=True)
class Mistake:
    """Words in a row that are under `found` in place of `right`; empty: under nobody."""

    right: str
    found: str
    num_words: int
    words: str


class SpeakerLine(ExperimentLine):
    """One file. `refused`: why nothing of it was read, so that all of its words are lost.
    `mistakes`: the stretches of most words.
    """

    file: str
    format: str
    counts: SpeakerCounts
    mistakes: tuple[Mistake, ...] = ()
    refused: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The file."""
        return ONE_ARM, self.file


class SpeakerResult(Result):
    """Shares of 1 of all words of all files, and of all turns whose times are looked at; the counts
    of each file, the worst first.
    """

    files: int
    words: int
    right: float
    nobody: float
    wrong: float
    lost: float
    added: float
    times: int
    times_right: float | None
    per_file: dict[str, SpeakerCounts]
    run: str


def measure_file(gold: GoldFile) -> SpeakerLine:
    """Reads the file as `ingest` does, and counts."""
    source = load_source(gold.path)
    counts, mistakes = compare(gold.turns, turns_of(source))
    if source.refused is not None:  # also words that a reader may leave out
        counts = replace(counts, right=0, lost=counts.words)
    return SpeakerLine(
        file=gold.id,
        format=source.format or "",
        counts=counts,
        mistakes=tuple(sorted(mistakes, key=lambda own: -own.num_words)[:_MAX_MISTAKES]),
        refused=source.refused or "",
    )


def compare(
    gold: Sequence[TrueTurn], found: Sequence[SourceTurn]
) -> tuple[SpeakerCounts, list[Mistake]]:
    """The counts, and every stretch of words that is not under the right speaker, in order."""
    gold_words = [(place, word) for place, turn in enumerate(gold) for word in _words(turn.text)]
    found_words = [(place, word) for place, turn in enumerate(found) for word in _words(turn.text)]
    turn_of = _aligned(gold_words, found_words)
    begins = {
        place: turn_of[n] for n, (place, _) in reversed([*enumerate(gold_words)]) if n in turn_of
    }
    kinds = [
        _kind(gold[place], found[turn_of[number]] if number in turn_of else None)
        for number, (place, _) in enumerate(gold_words)
    ]
    timed = [place for place, turn in enumerate(gold) if turn.has_time]
    counts = SpeakerCounts(
        words=len(gold_words),
        added=len(found_words) - len(turn_of),
        times=len(timed),
        times_right=sum(
            place in begins and _is_near(gold[place].start_s, found[begins[place]].start_s)
            for place in timed
        ),
        **Counter(kinds),
    )
    misplaced = [n for n, kind in enumerate(kinds) if kind in ("nobody", "wrong")]
    stretches = groupby(misplaced, lambda number: (gold_words[number][0], turn_of[number]))
    mistakes = []
    for (place, own), numbers in stretches:
        words = [gold_words[number][1] for number in numbers]
        right = gold[place].names[0] if gold[place].names else ""
        mistakes.append(
            Mistake(
                right, found[own].speaker or "", len(words), " ".join(words[:_MAX_MISTAKE_WORDS])
            )
        )
    return counts, mistakes


def _aligned(gold: Sequence[tuple[int, str]], found: Sequence[tuple[int, str]]) -> dict[int, int]:
    """For each word of the gold that is found, by its number, the turn in which it is."""
    matcher = SequenceMatcher(
        None, [word for _, word in gold], [word for _, word in found], autojunk=False
    )
    return {
        block.a + step: found[block.b + step][0]
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    }


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _kind(turn: TrueTurn, found: SourceTurn | None) -> str:
    """As which of the counts a word counts. Who leaves out what is nobody's is right, too."""
    if found is None:
        return "lost" if turn.names else "right"
    if not turn.names:
        return "right" if found.speaker is None else "wrong"
    if found.speaker is None:
        return "nobody"
    return "right" if _folded(found.speaker) in map(_folded, turn.names) else "wrong"


def _folded(name: str) -> str:
    return collapse(unicodedata.normalize("NFKC", name)).casefold()


def _is_near(right: float | None, found: float | None) -> bool:
    if right is None or found is None:
        return right is found
    return abs(right - found) <= NEAR_S


class SpeakerRun(ExperimentRun[SpeakerLine, SpeakerResult]):
    """The folder of a run of speakers."""

    evaluates, what, noun = "speakers", "speakers and times read", "file"
    command = "dynagrag evaluate speakers"
    lines_file, line_kind, result_kind = "files.jsonl", SpeakerLine, SpeakerResult

    def report(self) -> Report:
        """The report of the run."""
        result = self.result()
        lines = {line.file: line for line in self.lines()}
        worst = [lines[name] for name in result.per_file if name in lines]
        rows: list[Row] = [("all", _cells(SpeakerCounts.total(list(result.per_file.values()))))]
        rows += [(name, _cells(counts)) for name, counts in result.per_file.items()]
        return Report(
            title="Speakers and times",
            asked=(
                f"{plural(result.files, 'transcript')} of {result.words:,} words: is every word"
                " under whoever says it?"
            ),
            conclusion=(
                f"{Figure(result.right).text()} % of the words are under the right speaker,"
                f" {Figure(result.wrong).text()} % under a wrong one,"
                f" {Figure(result.nobody).text()} % under nobody,"
                f" {Figure(result.lost).text()} % are lost."
            ),
            results=(
                Section(
                    tables=(
                        Table(
                            (
                                "file",
                                "words",
                                "right",
                                "wrong",
                                "nobody",
                                "lost",
                                "added",
                                "times right",
                            ),
                            tuple(rows),
                            title="In points, the worst file first",
                            main="wrong",
                        ),
                    )
                ),
            ),
            words={
                "right": (
                    "share of the words that are under whoever says them; words that are nobody's"
                    " are right under nobody, and where they are left out"
                ),
                "wrong": "share of the words under somebody who doesn't say them",
                "nobody": "share of somebody's words that are under nobody",
                "lost": "share of somebody's words that the reading hasn't got",
                "added": "words that only the reading has got, beside 100 of the gold",
                "times right": f"share of the turns that begin within {NEAR_S} s of the gold",
                "points": "100 is every word, or every turn",
            },
            cases=(Cases("What is wrong, file by file", tuple(_cases(worst))),),
        )


def _cells(counts: SpeakerCounts) -> tuple[Figure, ...]:
    shares = (counts.right, counts.wrong, counts.nobody, counts.lost, counts.added)
    times = Figure(counts.times_right / counts.times if counts.times else None)
    return (count(counts.words), *(Figure(counts.share(num)) for num in shares), times)


def _cases(lines: Sequence[SpeakerLine]) -> Iterator[Case]:
    for line in lines:
        mistakes = [
            f"{own.right or NOBODY}, read as {own.found or NOBODY}:"
            f" {cut(own.words, _MAX_SHOWN_CHARS)} ({plural(own.num_words, 'word')})"
            for own in line.mistakes
        ]
        if mistakes or line.refused:
            yield Case(
                line.file,
                line.format,
                listings=(Listing.of("", mistakes),),
                warning=f"refused: {line.refused}" if line.refused else "",
            )


class SpeakerExperiment(ItemExperiment[GoldFile, SpeakerLine, SpeakerResult, SpeakerRun]):
    """Files with their gold, each read once."""

    run_kind, name, arms = SpeakerRun, "speakers", (ONE_ARM,)

    def __init__(self, files: Sequence[GoldFile]) -> None:
        self.items = files

    def made_with(self) -> Mapping[str, JsonValue]:
        """The files and their gold."""
        return {
            "files": {file.id: file.sha256 for file in self.items},
            "asked": content_id(*(f"{file.id} {file.sha256}" for file in self.items)),
        }

    def measure(self, item: GoldFile, arm: str) -> SpeakerLine:
        """One file. A refused one counts: its words are lost."""
        return measure_file(item)

    def summarize(self, lines: Sequence[SpeakerLine], path: Path) -> SpeakerResult:
        """The figures of all files together."""
        total = SpeakerCounts.total([line.counts for line in lines])
        worst = sorted(
            lines,
            key=lambda line: (
                -line.counts.share(line.counts.wrong),
                line.counts.share(line.counts.right),
                line.file,
            ),
        )
        return SpeakerResult(
            files=len(lines),
            words=total.words,
            right=total.share(total.right),
            nobody=total.share(total.nobody),
            wrong=total.share(total.wrong),
            lost=total.share(total.lost),
            added=total.share(total.added),
            times=total.times,
            times_right=total.times_right / total.times if total.times else None,
            per_file={line.file: line.counts for line in worst},
            run=str(path),
        )


def speaker_experiment(settings: Settings, data: Path, limit: int | None) -> SpeakerExperiment:
    """The experiment on a folder of transcripts with gold, or on the first of them."""
    return SpeakerExperiment(load_gold_files(data)[:limit])
