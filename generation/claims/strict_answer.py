"""A strict answer: what its lines state, and nothing else."""

from collections.abc import Sequence
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


def strict_answer(text: str, claims: Sequence[CheckedClaim]) -> StrictAnswer:
    """Sentences of which each claim is stated stay as they are; of others the stated clauses stay,
    as sentences of their own.

    `claims` are those of the text, in its order. What claims nothing goes too, but for the line
    before a list's items.
    """
    rows = iter(claims)
    made = _Writer()
    for sentence in split_sentences(text):
        held = [next(rows) for _ in sentence.claims]
        kept = [claim for claim in held if claim.verdict is Verdict.STATED]
        if kept:
            made.open(text, sentence)
        if len(kept) == len(held):
            made.add(text[sentence.start : sentence.end], kept, sentence.start)
        else:
            for claim in kept:
                made.add(
                    _as_sentence(claim), [replace(claim, start=0, end=len(_as_sentence(claim)))], 0
                )
    left_out = tuple(claim for claim in claims if claim.verdict is not Verdict.STATED)
    return StrictAnswer(made.text, tuple(made.claims), left_out)


def _as_sentence(claim: CheckedClaim) -> str:
    words = claim.text[:1].upper() + claim.text[1:].rstrip(" .")
    return f"{words}." + (
        " " + "".join(f"[{label}]" for label in claim.cited) if claim.cited else ""
    )


class _Writer:
    """Puts sentences one after the other, and lists under the lines that lead them in."""

    def __init__(self) -> None:
        self.text = ""
        self.claims: list[CheckedClaim] = []
        self._lead: tuple[int, int] | None = None
        self._between = ""

    def open(self, text: str, sentence: SplitSentence) -> None:
        """Says what stands before the sentence's first words."""
        if sentence.lead and sentence.lead != self._lead:
            shown = text[slice(*sentence.lead)]
            self.text += "\n\n" + shown if self.text and shown else shown
        self._between = "\n- " if sentence.lead else "\n\n" if self._lead else " "
        self._lead = sentence.lead

    def add(self, words: str, claims: Sequence[CheckedClaim], start: int) -> None:
        """Adds words, and claims whose places count from `start`."""
        self.text += (
            (self._between if self.text else self._between.lstrip("\n"))
            if self.text or self._lead
            else ""
        )
        at = len(self.text) - start
        self.claims += [
            replace(claim, start=claim.start + at, end=claim.end + at) for claim in claims
        ]
        self.text += words
        self._between = " "
