"""Searches that only evaluations have: the gold passages themselves, and passages that a
cross-encoder put in order.
"""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from dynagrag.core.errors import SettingsError
from dynagrag.core.protocols import Retriever
from dynagrag.core.schema import Question, Retrieval, ScoredPassage, Snapshot

NUM_RERANKED = 50
"""Passages that the cross-encoder reads for each question."""
Scorer = Callable[[str, Sequence[str]], Sequence[float]]
"""How well each text answers the question; the scale is the model's own."""


class GoldSearch:
    """The passages that should be found, in the order of their documents: the ceiling of what an
    arm can be given.
    """

    name = "gold"

    def __init__(self, snapshot: Snapshot, passages: Sequence[str]) -> None:
        """`passages`: ids; those that the snapshot lacks are not brought."""
        wanted = frozenset(passages)
        self._found = tuple(
            ScoredPassage(passage, 1.0) for passage in snapshot.passages if passage.id in wanted
        )

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """The same for every question. No subgraphs."""
        return Retrieval(self.name, self._found[:num_passages])


class RerankedSearch:
    """The best passages of another search in the order of a cross-encoder."""

    def __init__(self, name: str, snapshot: Snapshot, base: Retriever, score: Scorer) -> None:
        self.name = name
        self._snapshot = snapshot
        self._base = base
        self._score = score

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Scores are the model's. No subgraphs."""
        found = self._base.retrieve(question, NUM_RERANKED, 0).passages
        scores = self._score(
            question.text, [self._snapshot.passage_text(scored.passage) for scored in found]
        )
        again = [
            ScoredPassage(scored.passage, float(score))
            for scored, score in zip(found, scores, strict=True)
        ]
        again.sort(key=lambda scored: (-scored.score, scored.passage.id))
        return Retrieval(self.name, tuple(again[:num_passages]))


class CrossEncoderScorer:
    """A cross-encoder of sentence-transformers by folder or hub name; it is loaded for the first
    question. One question at a time.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._model: Any = None
        self._lock = Lock()

    def __call__(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A score for each text. SettingsError where the model can't be loaded, or gives more than
        one score a text.
        """
        if not texts:
            return []
        with self._lock:
            if self._model is None:
                self._model = _load(self._source)
            scores: Sequence[float] = self._model.predict(
                [(question, text) for text in texts], show_progress_bar=False
            ).tolist()
        return scores


def _load(source: str) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as err:
        raise SettingsError(
            "the arm rerank needs sentence-transformers: pip install 'dynagrag[local]'"
        ) from err
    try:
        model = CrossEncoder(source, model_kwargs={"use_safetensors": True})
    except (OSError, ValueError) as err:
        reason = str(err).strip().splitlines()[0]
        raise SettingsError(
            f"rerank:{source} cannot be loaded as a cross-encoder ({reason}); give a folder or hub"
            " name of one"
        ) from err
    if model.num_labels != 1:
        raise SettingsError(
            f"rerank:{source} gives {model.num_labels} scores a text, and a reranker gives one;"
            " name another model"
        )
    return model
