"""An answer without the claims that its lines don't state."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from dynagrag.core.schema import CheckedClaim, Verdict
from dynagrag.generation.claims.claim_split import SplitSentence, split_sentences


@dataclass(frozen=True, slots=True)
class StrictAnswer:
    """The text that is left with its claims in their new places (empty where nothing is), and the
    claims that were left out.
    """

    text: str
    claims: tuple[CheckedClaim, ...]
    left_out: tuple[CheckedClaim, ...]


def strict_answer(
    text: str,
    claims: Sequence[CheckedClaim],
    question: str = "",
    kept_verdicts: Collection[Verdict] = (Verdict.STATED,),
) -> StrictAnswer:
    """Sentences of which each claim is kept stay as they are; of others the kept clauses stay, as
    sentences of their own.

    `claims` are those of the text as an answer to the `question`, in its order. What claims nothing
    goes too, but for the line before a list's items.
    """
    rows = iter(claims)
    made = _Writer()
    for sentence in split_sentences(text, question):
        held = [next(rows) for _ in sentence.claims]
        kept = [claim for claim in held if claim.verdict in kept_verdicts]
        if kept:
            made.open(text, sentence)
        if len(kept) == len(held):
            made.add(text[sentence.start : sentence.end], kept, sentence.start)
        else:
            for claim in kept:
                words = _as_sentence(claim)
                made.add(words, [replace(claim, start=0, end=len(words))], 0)
    left_out = tuple(claim for claim in claims if claim.verdict not in kept_verdicts)
    return StrictAnswer(made.text, tuple(made.claims), left_out)


def _as_sentence(claim: CheckedClaim) -> str:
    words = claim.text[:1].upper() + claim.text[1:].rstrip(" .")
    marks = "".join(f"[{label}]" for label in claim.cited)
    return f"{words}. {marks}" if marks else f"{words}."


class _Writer:
    """Puts sentences one after the other, and lists under the lines that lead them in."""

    def __init__(self) -> None:
        self.text = ""
        self.claims: list[CheckedClaim] = []
        self._lead: tuple[int, int] | None = None
        self._between = ""

    def open(self, text: str, sentence: SplitSentence) -> None:
        """Writes the line that leads a list in, and sets what stands between the sentences."""
        if sentence.lead and sentence.lead != self._lead:
            shown = text[slice(*sentence.lead)]
            self.text += "\n\n" + shown if self.text and shown else shown
        self._between = "\n- " if sentence.lead else "\n\n" if self._lead else " "
        self._lead = sentence.lead

    def add(self, words: str, claims: Sequence[CheckedClaim], start: int) -> None:
        """Adds words, and claims whose places count from `start`."""
        if self.text:
            self.text += self._between
        elif self._lead:
            self.text = self._between.lstrip("\n")
        at = len(self.text) - start
        self.claims += [
            replace(claim, start=claim.start + at, end=claim.end + at) for claim in claims
        ]
        self.text += words
        self._between = " "
