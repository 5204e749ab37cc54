"""What became of a file's labels, in lines for people: every label with its counts and the reason,
and how much is nobody's.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dynagrag.core.schema import SPEAKER_DOUBTS, LabelDecision, LabelFate, LoadedSource
from dynagrag.core.text import clock, plural
from dynagrag.ingest.load.speaker_names import kept_names

FATES = {
    LabelFate.SPEAKER: "speaker",
    LabelFate.NOBODY: "nobody",
    LabelFate.NO_LABEL: "no label",
}
_MAX_SPEAKERS = 8
_MAX_OTHERS = 5
_DOUBTS = "speakers doubtful: `dynagrag inspect --speakers` shows what speaks against them"
MAX_UNKNOWN = 0.05
"""A share of words that people may pass over; more is said."""


@dataclass(frozen=True, slots=True)
class FileReading:
    """How the speakers of a file were read: its labels, and what a user should know of them.
    `names`: of labels that people gave one, "" for nobody.
    """

    path: str
    labels: tuple[LabelDecision, ...]
    notes: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, source: LoadedSource) -> "FileReading":
        """The reading of a source whose speakers have their names already."""
        doubts = (_DOUBTS,) if SPEAKER_DOUBTS in source.meta else ()
        notes = (*unknown_notes(source), *doubts)
        return cls(source.path, source.labels, notes, kept_names(source.meta))

    @property
    def is_plain(self) -> bool:
        """Whether every label is a speaker, and there is nothing to say."""
        return not self.notes and all(own.fate is LabelFate.SPEAKER for own in self.labels)

    def lines(self) -> Iterator[str]:
        """The speakers by their names in one line, then every other label and every note."""
        speakers = dict[str, list[LabelDecision]]()
        for own in self.labels:
            if own.fate is LabelFate.SPEAKER and (name := self.names.get(own.text, own.text)):
                speakers.setdefault(name, []).append(own)
        named = [
            f"{name} ({plural(sum(own.num_turns for own in labels), 'turn')},"
            f" {plural(sum(own.num_words for own in labels), 'word')})"
            for name, labels in list(speakers.items())[:_MAX_SPEAKERS]
        ]
        if len(speakers) > _MAX_SPEAKERS:
            named.append(f"and {len(speakers) - _MAX_SPEAKERS} more")
        yield f"{Path(self.path).name}: {', '.join(named) or 'no speaker'}"
        others = [own for own in self.labels if own.fate is not LabelFate.SPEAKER]
        yield from (f"  {label_line(own)}" for own in others[:_MAX_OTHERS])
        if len(others) > _MAX_OTHERS:
            yield f"  and {len(others) - _MAX_OTHERS} more, which `dynagrag inspect` lists"
        yield from (f"  note: {note}" for note in self.notes)


def label_line(decision: LabelDecision) -> str:
    """`Anna: speaker, 3 turns, 41 words, at 0:03, 0:12 (the file's form has it)`."""
    parts = [FATES[decision.fate]]
    if decision.num_turns:
        parts += [plural(decision.num_turns, "turn"), plural(decision.num_words, "word")]
    if places := label_places(decision):
        parts.append(places)
    return f"{decision.text}: {', '.join(parts)} ({decision.why})"


def label_places(decision: LabelDecision) -> str:
    """Its first times, or its first lines; empty where the form has neither."""
    if decision.times_s:
        return "at " + ", ".join(map(clock, decision.times_s))
    noun = "line" if len(decision.lines) == 1 else "lines"
    return f"{noun} {', '.join(f'{n:,}' for n in decision.lines)}" if decision.lines else ""


def unknown_share(source: LoadedSource) -> float:
    """Share of the words that have no speaker."""
    words = [(turn.speaker, len(turn.text.split())) for turn in source.turns]
    total = sum(num for _, num in words)
    return sum(num for speaker, num in words if not speaker) / total if total else 0.0


def unknown_notes(source: LoadedSource) -> Iterator[str]:
    """A note where a file that has speakers leaves more than MAX_UNKNOWN of its words to nobody."""
    share = unknown_share(source)
    if MAX_UNKNOWN < share < 1:
        yield (
            f"{share:.0%} of the words have no speaker; where they are somebody's, the line"
            f" `-,NAME,{Path(source.path).name}` of a --speaker-map gives them to NAME"
        )
