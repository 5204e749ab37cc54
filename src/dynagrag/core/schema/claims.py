"""Claims of a text, and their verdicts."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Verdict of the cited lines on a claim."""

    STATED = "stated"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not found"
    NOT_CHECKED = "not checked"
    """Nobody looked: rules don't read its language, or a model did not answer for it."""


@dataclass(frozen=True, slots=True)
class Line:
    """Words of a source that may state a claim. `speaker` said them; `title` and `document_id` are
    their document's. `language`: its code, empty where nobody told it.

    What a model replied about a line is forgotten with the line's document.
    """

    text: str
    speaker: str | None = None
    title: str = ""
    document_id: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a text states on its own, and the lines that may state it; the first
    `num_cited` of them are cited for it. `question`: that with which the text begins, where what
    follows is a short answer to it ("Who signed? Bob Hill"); else empty. `language`: that of the
    whole text that the claim is from, empty where nobody told it.
    """

    text: str
    lines: tuple[Line, ...]
    num_cited: int = 0
    question: str = ""
    language: str = ""

    @property
    def answer(self) -> str:
        """The text without the question."""
        return self.text.removeprefix(self.question).strip()


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A checker's verdict on a claim.

    Args:
        verdict: Stated by `lines`, contradicted by `lines`, not found, or not checked.
        lines: Rows of the claim's lines, best first; empty when not found, the nearest one where it
        was not checked.
        score: How sure it is that the claim is stated, 0 to 1; None where the checker has no such
        measure.
        reason: What differs, in words for people; empty for a stated claim.
        language: The code of the language for which it was not checked; else empty.
        is_sure: Whether no other checker can take it back: a number of the claim is in no line.
        note: What the check went without, in words for people: "the model was not asked: ...";
        empty where nothing is missing.
    """

    verdict: Verdict
    lines: tuple[int, ...] = ()
    score: float | None = None
    reason: str = ""
    note: str = ""
    is_sure: bool = False
    language: str = ""


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim of an answer, and what was found out about it. Lines are named by their labels (E3).

    Args:
        start, end: Where it stands in the answer's text, its marks included.
        text: What it says on its own: without marks, its subject put in where it shares another's.
        verdict: Stated by `lines`, contradicted by `lines`, not found, or not checked.
        cited: The lines that the model cited for it.
        lines: Those that state or contradict it, best first, whoever named them; the nearest one
        where it was not checked.
        reason: What differs, in words for people; empty for a stated claim.
        score: How sure the checker is that it is stated, 0 to 1; None where it has no such measure.
        language: The code of the language for which it was not checked; else empty.
        num_searched: How many lines of the workspace could bear on it, where the nearest of them
        were looked at too; None where it wasn't searched for.
        question: That with which the text begins, where the claim is a short answer to it.
    """

    start: int
    end: int
    text: str
    verdict: Verdict
    cited: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    reason: str = ""
    score: float | None = None
    language: str = ""
    num_searched: int | None = None
    question: str = ""

    @property
    def is_unread(self) -> bool:
        """Whether nobody could tell: it was not checked, and is no short answer in a language that
        rules read, of which a line might have stated something.
        """
        is_of_rules = bool(self.question) and not self.language
        return self.verdict is Verdict.NOT_CHECKED and not is_of_rules

    @property
    def found(self) -> tuple[str, ...]:
        """The lines that code found for it: the model didn't cite them."""
        return tuple(label for label in self.lines if label not in self.cited)
