"""How near lines come to the words of a question, by token vectors and without."""

from collections.abc import Sequence

import numpy as np
import pytest

from dynagrag.core.schema import TokenVectors, Vectors
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.generation.evidence_sentences.word_nearness import (
    ABSENT,
    HELD,
    question_words,
    words_nearness,
)
from dynagrag.generation.support import WORD
from tests.transcripts import DIMENSION, line_index

TALK: list[tuple[str | None, str]] = [
    ("ANN", "The flour comes from a mill near Delft."),
    *(("BOB", f"Number {n} has two doors and a bell.") for n in range(12)),
]
SAME = {"plant": "mill"}
"""Words of one meaning in the eyes of the embedder below."""


class _Tokens(FakeEmbedder):
    """Each word is a token; a share of all vectors is the same, as in real ones."""

    def __init__(self, common: float = 0.0) -> None:
        super().__init__(DIMENSION)
        self._common = common
        self.num_calls = 0

    def query_tokens(self, text: str) -> TokenVectors:
        return self._of(text)

    def document_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        self.num_calls += 1
        return [self._of(text) for text in texts]

    def _of(self, text: str) -> TokenVectors:
        matches = list(WORD.finditer(text))
        words = [SAME.get(m.group().casefold(), m.group()) for m in matches]
        own = self.embed_documents(words)
        common = np.full((len(own), 1), self._common**0.5, np.float32)
        vectors: Vectors = np.hstack([own, common]) / np.float32((1 + self._common) ** 0.5)
        return TokenVectors(tuple(m.span() for m in matches), vectors)


class _Pooled(FakeEmbedder):
    def query_tokens(self, text: str) -> None:
        return None

    def document_tokens(self, texts: Sequence[str]) -> None:
        return None


def nearness(text: str, embedder: FakeEmbedder, index: LineIndex | None = None) -> float:
    index = index or line_index(TALK, 12)
    lines = [s for row in range(len(index.snapshot.passages)) for s in index.sentences(row)]
    stems = {w.casefold().rstrip("s"): 1.0 for w in WORD.findall(text)}
    return words_nearness(index, text, question_words(text, stems), lines[:1] * 5, embedder)


def test_a_line_of_the_question_s_words_comes_all_the_way() -> None:
    assert nearness("flour mill", _Tokens()) == pytest.approx(1.0, abs=0.05)
    assert nearness("comet tail", _Tokens()) < 0.4


def test_a_word_of_the_same_meaning_counts_where_token_vectors_tell_it() -> None:
    assert nearness("flour plant", _Tokens()) == pytest.approx(nearness("flour mill", _Tokens()))
    assert nearness("flour plant", FakeEmbedder(DIMENSION)) == pytest.approx((HELD + ABSENT) / 2)


@pytest.mark.parametrize("text", ["flour mill", "comet tail", "mill of a comet"])
def test_the_same_comes_out_where_all_vectors_have_something_in_common(text: str) -> None:
    assert nearness(text, _Tokens(4.0)) == pytest.approx(nearness(text, _Tokens()), abs=1e-5)


@pytest.mark.parametrize("embedder", [FakeEmbedder(DIMENSION), _Pooled(DIMENSION)])
def test_without_token_vectors_a_word_is_held_or_absent(embedder: FakeEmbedder) -> None:
    assert nearness("flour mill", embedder) == pytest.approx(HELD)
    assert nearness("comet tail", embedder) == pytest.approx(ABSENT)


def test_the_rarer_word_counts_more() -> None:
    index = line_index(TALK, 12)
    lines = index.sentences(0)[:1] * 5
    embedder = FakeEmbedder(DIMENSION)

    def of(mill: float) -> float:
        words = question_words("comet mill", {"comet": 1.0, "mill": mill})
        return words_nearness(index, "comet mill", words, lines, embedder)

    assert ABSENT < of(0.1) < of(1.0) < of(9.0) < HELD


def test_the_lines_from_all_over_the_workspace_are_read_once() -> None:
    index, embedder = line_index(TALK, 12), _Tokens()
    for text in ("flour mill", "comet tail", "a bell"):
        nearness(text, embedder, index)
    assert embedder.num_calls == 1 + 3


def test_a_word_stands_once_and_one_that_is_not_asked_for_not_at_all() -> None:
    text = "Mills, mills and comets: the mill's tail"
    words = question_words(text, {"mill": 2.0, "comet": 3.0})
    assert [text[slice(*word.span)] for word in words] == ["Mills", "comets"]
    assert [word.rarity for word in words] == [2.0, 3.0]


def test_without_words_or_lines_nothing_is_near() -> None:
    index, embedder = line_index(TALK, 12), _Tokens()
    assert words_nearness(index, "is it", [], index.sentences(0), embedder) == 0.0
    assert words_nearness(index, "mill", question_words("mill", {"mill": 1.0}), [], embedder) == 0.0
