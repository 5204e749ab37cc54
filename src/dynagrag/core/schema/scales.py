"""Where an embedder's cosines lie.

Unrelated names have a mean cosine of .17 with MiniLM, of .51 with bge-small and of .83 with
e5-small, so no bound on a cosine holds for two of them. What is compared with a number, or added to
one, is therefore read as MiniLM's cosine, by which the numbers were fitted (docs/papers.md,
Scales).
"""

from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.schema.arrays import Vectors, no_vectors

Cosines = TypeVar("Cosines", float, NDArray[np.float32], NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class CosineScale:
    """Mean cosines of an embedder over texts of the package (`models.cosine_scales`).

    Attributes:
        names: Of the names of different things.
        apart: Of a question and a text about something else.
        answers: Of a question and a text that answers it; None where these are hardly nearer than
            those, or where nothing was measured.
        questions: (q, d) vectors of questions that have nothing to do with any workspace; none of
            MiniLM.
    """

    names: float
    apart: float
    answers: float | None
    questions: Vectors = field(default_factory=no_vectors, compare=False, repr=False)

    @property
    def tells_answers(self) -> bool:
        """Whether a cosine says anything of whether a text answers a question."""
        return self.answers is not None

    def of_names(self, cosines: Cosines) -> Cosines:
        """Cosines of names, labels and the like, as MiniLM's would be: unrelated ones lie where
        MiniLM's do, and the same one stays at 1.
        """
        slope = (1 - MINILM_SCALE.names) / (1 - self.names)
        return slope * cosines + (1 - slope)

    def of_answers(self, cosines: Cosines) -> Cosines:
        """Cosines of questions and texts, as MiniLM's would be: unrelated texts and answers lie
        where MiniLM's do. As they are where nothing is told.
        """
        slope = self._slope
        return slope * cosines + (MINILM_SCALE.apart - slope * self.apart)

    def of_best(self, best: float, unrelated: float) -> float:
        """The best cosine of a question in a workspace, as MiniLM's would be. `best`: of several
        texts, as `of_answers` gives it. `unrelated`: the mean best of `questions` there, as it is,
        which lies higher or lower than `apart` says, by what is spoken of and how.
        """
        if not len(self.questions):
            return best
        return best + MINILM_UNRELATED - self.of_answers(unrelated)

    @property
    def _slope(self) -> float:
        """How much farther answers lie from unrelated texts with MiniLM; 1 where nothing is
        told.
        """
        if self.answers is None or MINILM_SCALE.answers is None:
            return 1.0
        return (MINILM_SCALE.answers - MINILM_SCALE.apart) / (self.answers - self.apart)


MINILM_SCALE = CosineScale(names=0.169, apart=0.073, answers=0.497)
MINILM_UNRELATED = 0.204
"""The mean best of such questions with MiniLM, in 30 transcripts (.19 to .22 in four sets)."""
UNMEASURED = CosineScale(MINILM_SCALE.names, MINILM_SCALE.apart, None)
"""Of an embedder of which nothing is known: cosines are taken as they are."""
