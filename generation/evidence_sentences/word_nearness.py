"""How near lines come to the words of a question, in the token vectors of the workspace's embedder:
late interaction (ColBERT, arXiv:2004.12832, section 3.3), not trained for it. Differs in: words for
tokens, weighted by rarity; and less what lines of the workspace get that have nothing to do with
the question, so that no embedder's scale is left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.protocols import Embedder, TokenEmbedder
from dynagrag.core.schema import TokenVectors, Vectors
from dynagrag.core.vectors import unit_rows
from dynagrag.generation.evidence_sentences.line_index import LineIndex, PassageSentence
from dynagrag.generation.support import WORD, content_stems

NUM_LINES, NUM_NEAREST = 8, 5
"""Best lines whose words are compared, and how many of them count: those that come nearest."""
HELD, ABSENT = 0.74, 0.14
"""Where there are no token vectors: how near a word comes that a line holds, and one that it does
not. By regression MiniLM's are .84 and .12 on the rows for tuning; with these, words that a line
lacks speak less against it, since synonyms go unseen (docs/decisions/0071-*).
"""


@dataclass(frozen=True, slots=True)
class AskedWord:
    """A content word of a question: its span there, its stems and their summed rarity."""

    span: tuple[int, int]
    stems: frozenset[str]
    rarity: float


def question_words(text: str, rarity: Mapping[str, float]) -> list[AskedWord]:
    """The words of a question by whose stems it is asked, those of `rarity`; each once."""
    found: list[AskedWord] = []
    seen: set[str] = set()
    for match in WORD.finditer(text):
        stems = content_stems(match.group()) & rarity.keys()
        if stems - seen:
            seen |= stems
            found.append(AskedWord(match.span(), stems, sum(rarity[stem] for stem in stems)))
    return found


def words_nearness(
    index: LineIndex,
    text: str,
    words: Sequence[AskedWord],
    lines: Sequence[PassageSentence],
    embedder: Embedder,
) -> float:
    """How near the lines that come nearest to the question's words come to them, as a mean: 0 as
    lines that have nothing to do with it, 1 where these are its words, in the same sense. 0 without
    words or lines. `lines`: best first.
    """
    shares = np.array([word.rarity for word in words])
    best = lines[:NUM_LINES]
    if not best or not shares.sum():
        return 0.0
    shares /= shares.sum()
    near, unrelated = _token_nearness(index, text, words, best, embedder) or (
        np.array([[HELD if word.stems & s.stems else ABSENT for s in best] for word in words]),
        np.zeros(len(words)),
    )
    found = float(np.sort(shares @ near)[-NUM_NEAREST:].mean())
    usual = float(shares @ unrelated)
    return (found - usual) / (1.0 - usual)


def _token_nearness(
    index: LineIndex,
    text: str,
    words: Sequence[AskedWord],
    lines: Sequence[PassageSentence],
    embedder: Embedder,
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """(w, n) the best cosine of each word and a token of each line, and (w,) its mean over lines of
    all over the workspace; None without token vectors.
    """
    if not isinstance(embedder, TokenEmbedder):
        return None
    others = index.tokens_of_others(embedder)
    asked = embedder.query_tokens(text)
    found = embedder.document_tokens([line.text for line in lines])
    if not others or asked is None or found is None:
        return None
    vectors = np.array([_of_word(asked, word) for word in words], dtype=np.float32)
    near, usual = (
        np.array([_best_cosines(vectors, line.vectors) for line in own], dtype=np.float64).T
        for own in (found, others)
    )
    return near, usual.mean(axis=1)


def _of_word(asked: TokenVectors, word: AskedWord) -> Vectors:
    """(d,) the mean of its tokens, unit length; zeros of a word beyond the model's length."""
    first, last = word.span
    own = [i for i, (start, end) in enumerate(asked.spans) if start < last and end > first]
    mean = asked.vectors[own].sum(axis=0, keepdims=True)
    vector: Vectors = unit_rows(mean)[0]
    return vector


def _best_cosines(vectors: Vectors, tokens: Vectors) -> NDArray[np.float32]:
    best: NDArray[np.float32] = (vectors @ tokens.T).max(axis=1, initial=0.0)
    return best
