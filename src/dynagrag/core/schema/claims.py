"""Claims of a text, and their verdicts."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Verdict of the cited lines on a claim."""

    STATED = "stated"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not found"


@dataclass(frozen=True, slots=True)
class Line:
    """Words of a source that may state a claim. `speaker` said them; `title` and `document_id` are
    their document's.

    What a model replied about a line is forgotten with the line's document.
    """

    text: str
    speaker: str | None = None
    title: str = ""
    document_id: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a text states on its own, and the lines that may state it; the first
    `num_cited` of them are cited for it.
    """

    text: str
    lines: tuple[Line, ...]
    num_cited: int = 0


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A checker's verdict on a claim.

    Args:
        verdict: Stated by `lines`, contradicted by `lines`, or not found.
        lines: Rows of the claim's lines, best first; empty when not found.
        score: How sure it is that the claim is stated, 0 to 1; None where the checker has no such
        measure.
        reason: What differs, in words for people; empty for a stated claim.
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


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim of an answer, and what was found out about it. Lines are named by their labels (E3).

    Args:
        start, end: Where it stands in the answer's text, its marks included.
        text: What it says on its own: without marks, its subject put in where it shares another's.
        verdict: Stated by `lines`, contradicted by `lines`, or not found.
        cited: The lines that the model cited for it.
        lines: Those that state or contradict it, best first, whoever named them.
        reason: What differs, in words for people; empty for a stated claim.
        score: How sure the checker is that it is stated, 0 to 1; None where it has no such measure.
    """

    start: int
    end: int
    text: str
    verdict: Verdict
    cited: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    reason: str = ""
    score: float | None = None

    @property
    def found(self) -> tuple[str, ...]:
        """The lines that code found for it: the model didn't cite them."""
        return tuple(label for label in self.lines if label not in self.cited)
