"""An answer's stream, held back until a line states something of it: what no line supports isn't
printed first.
"""

from collections.abc import Callable, Mapping

from dynagrag.core.schema import Line, Verdict
from dynagrag.generation.claims.answer_claims import WrittenFrom, checked_claims
from dynagrag.generation.claims.answer_sentences import answer_sentences
from dynagrag.generation.claims.rules_checker import RulesChecker


class HeldStream:
    """Takes an answer's pieces and passes them on from the first sentence of which rules find a
    claim stated, or which nobody can read; `release` passes on what is held, `discard` forgets it.
    """

    def __init__(
        self,
        on_text: Callable[[str], None],
        lines: Callable[[], Mapping[str, Line]],
        question: str = "",
    ) -> None:
        """`lines`: those of the prompts, called when there is a sentence to check. `question`: what
        the answer is to.
        """
        self._on_text, self._lines, self._question = on_text, lines, question
        self._held, self._unread = "", ""
        self._is_open = False

    def __call__(self, piece: str) -> None:
        """Takes a piece."""
        self._held += piece
        if not self._is_open:
            *whole, self._unread = [*answer_sentences([self._unread + piece])] or [""]
            self._is_open = any(map(self._is_supported, whole))
        if self._is_open:
            self.release()

    def is_supported(self) -> bool:
        """Whether a line states something of all that came, its last sentence included."""
        if not self._is_open and self._is_supported(self._unread):
            self.release()
        return self._is_open

    def release(self) -> None:
        """Passes on what is held, and all that comes."""
        self._is_open = True
        if self._held:
            self._on_text(self._held)
        self._held = self._unread = ""

    def discard(self) -> None:
        """Forgets what is held: another text comes in its place."""
        self._held = self._unread = ""

    def _is_supported(self, sentence: str) -> bool:
        text = WrittenFrom(sentence, self._lines(), self._question)
        (claims,) = checked_claims([text], RulesChecker())
        return any(claim.verdict is Verdict.STATED or claim.is_unread for claim in claims)
