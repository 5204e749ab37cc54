"""Questions with the words that answer them, or that nothing answers: JSON lines."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dynagrag.core.errors import LoadError
from dynagrag.core.text import collapse
from dynagrag.evaluation.question_sets.json_rows import Row, read_rows
from dynagrag.evaluation.question_sets.own_questions import gold_turns, is_answerable
from dynagrag.evaluation.question_sets.question_set import DataFile, TurnSpan
from dynagrag.workspace.asking import MAX_QUESTION_CHARS


class DecisiveMode(StrEnum):
    """How many of a question's decisive words must be shown."""

    ANY = "any"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class EvidenceQuestion:
    """A question, and what answers it: words of lines, or turns. With neither nothing does.

    `document`: where the words stand, by its title, path, file name or id; empty: anywhere.
    `speaker`: it is asked of this speaker's words alone.
    """

    id: str
    text: str
    decisive: tuple[str, ...] = ()
    turns: tuple[TurnSpan, ...] = ()
    mode: DecisiveMode = DecisiveMode.ANY
    document: str = ""
    speaker: str = ""
    kind: str = ""

    @property
    def is_answerable(self) -> bool:
        """Whether anything answers it."""
        return bool(self.decisive or self.turns)

    @property
    def num_needed(self) -> int:
        """How many of the words or turns must be shown."""
        return len(self.decisive or self.turns) if self.mode is DecisiveMode.ALL else 1


def load_evidence_questions(path: Path) -> tuple[list[EvidenceQuestion], DataFile]:
    """The questions of a file. LoadError naming the line and field of what is wrong."""
    rows, file = read_rows(path)
    return [_question(row) for row in rows], file


def _question(row: Row) -> EvidenceQuestion:
    text = row.text("question")
    if len(text) > MAX_QUESTION_CHARS:
        raise LoadError(
            f"{row.place}: the question has {len(text):,} characters, and {MAX_QUESTION_CHARS:,} at"
            " most are asked; shorten it"
        )
    decisive = row.texts("decisive") if row.values.get("decisive") else ()
    turns = gold_turns(row).spans
    is_unanswerable = not is_answerable(row)
    if "unanswerable" in row.values:
        is_unanswerable = row.flag("unanswerable") or is_unanswerable
    if is_unanswerable and (decisive or turns):
        raise LoadError(
            f"{row.place}: 'unanswerable' is true, and there are words that answer; keep one of the"
            " two"
        )
    if not (is_unanswerable or decisive or turns):
        raise LoadError(
            f"{row.place}: 'decisive' is missing; give a list of words of the lines that answer, or"
            " say 'unanswerable': true"
        )
    mode = row.values.get("mode", DecisiveMode.ANY)
    if mode not in [own.value for own in DecisiveMode]:
        raise LoadError(f"{row.place}: 'mode' is {mode!r}; it must be any or all")
    for name in ("document", "speaker", "kind"):
        if row.values.get(name) is not None:
            row.text(name)
    return EvidenceQuestion(
        id=str(row.line) if row.values.get("id") is None else row.id("id"),
        text=text,
        decisive=tuple(filter(None, map(collapse, decisive))),
        turns=turns,
        mode=DecisiveMode(mode),
        document=row.word("document"),
        speaker=row.word("speaker"),
        kind=row.word("kind"),
    )
