"""The sentences of a snapshot's passages, with their words and the vectors that the graph has of
them; read as questions need them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from threading import Lock

import numpy as np

from dynagrag.core.protocols import Embedder, TokenEmbedder
from dynagrag.core.schema import TokenVectors, Turn, Vector, Vectors
from dynagrag.generation.evidence_sentences.line_kinds import is_question, says_nothing
from dynagrag.generation.evidence_sentences.unknown_names import UnknownNames
from dynagrag.generation.support import WORD, content_stems, stem
from dynagrag.graph_store.derived.embedded_texts import own_titles, sentence_text
from dynagrag.language.document_language import language_of_document
from dynagrag.language.identification import ENGLISH, UNKNOWN
from dynagrag.language.sentences import num_words, sentence_spans
from dynagrag.language.years import years_in_full
from dynagrag.retrieval.named_speakers import NamedSpeakers
from dynagrag.retrieval.passages import PassageScores

_MAX_EMBEDDED = 20_000
"""Vectors of sentences that are kept beside the graph's: some 30 MB."""
_NUM_OTHERS, _LEAST_WORDS = 40, 4
"""Lines from all over the workspace that any question is held against, and their least length."""


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence of one turn within one passage: Document.text[start:end]. `turn` None: the
    document has none there.
    """

    document_id: str
    passage_id: str
    row: int
    start: int
    end: int
    text: str
    turn: Turn | None
    stems: frozenset[str]
    says_nothing: bool
    """A filler, a stage direction, a heading or a line of show notes."""
    is_question: bool
    opens_exchange: bool
    """A question that names a speaker: whoever is asked now."""
    num_words: int
    language: str
    """The code of its document's; "und" where it can't be told."""

    @property
    def turn_index(self) -> int:
        """The turn's place in its document; -1 without one."""
        return self.turn.index if self.turn else -1

    @property
    def speaker(self) -> str | None:
        """The turn's speaker; None without one."""
        return self.turn.speaker if self.turn else None


class LineIndex:
    """Sentences by the row of their passage. Thread-safe."""

    def __init__(self, passages: PassageScores) -> None:
        self.passages = passages
        self.snapshot = passages.snapshot
        self._sentences: dict[int, tuple[PassageSentence, ...]] = {}
        self._languages: dict[str, str] = {}
        self._labels: dict[str, frozenset[str]] = {}
        self._embedded: dict[str, Vector] = {}
        self._others: list[TokenVectors] | None = None
        self._lock = Lock()
        self.speakers = NamedSpeakers(self.snapshot)
        self.unknown_names = UnknownNames(self.snapshot)

    def sentences(self, row: int) -> tuple[PassageSentence, ...]:
        """Those of a passage, in order; a turn that reaches into it counts with the part that lies
        in it.
        """
        if row not in self._sentences:
            passage = self.snapshot.passages[row]
            id_, document = passage.id, passage.document_id
            parts: list[tuple[int, int, Turn | None]] = [
                (max(turn.start, passage.start), min(turn.end, passage.end), turn)
                for turn in self.turns(row)
            ]
            found = []
            for begin, stop, turn in parts or [(passage.start, passage.end, None)]:
                part = self.snapshot.text(document, begin, max(begin, stop))
                language = self.language(document)
                for a, b in sentence_spans(part, language=language):
                    start, end = begin + a, begin + b
                    text = self.snapshot.text(document, start, end)
                    is_idle = says_nothing(text, turn.speaker if turn else None, language)
                    is_asked = is_question(text)
                    found.append(
                        PassageSentence(
                            document_id=document,
                            passage_id=id_,
                            row=row,
                            start=start,
                            end=end,
                            text=text,
                            turn=turn,
                            stems=content_stems(" ".join((text, *years_in_full(text))), language),
                            says_nothing=is_idle,
                            is_question=is_asked,
                            opens_exchange=is_asked and turn is not None and self._names(text),
                            num_words=num_words(text),
                            language=language,
                        )
                    )
            self._sentences[row] = tuple(found)
        return self._sentences[row]

    def _names(self, text: str) -> bool:
        """Whether it has a capitalised word of a speaker's name."""
        words = {word.casefold() for word in WORD.findall(text) if word[0].isupper()}
        return not words.isdisjoint(self.speaker_words)

    def around(self, row: int) -> list[PassageSentence]:
        """Those of a passage and of the passages that stand beside it in its document, in order. A
        turn between them that filters leave out parts them.
        """
        rows = [r for r in (row - 1, row, row + 1) if r == row or self._is_beside(row, r)]
        return [sentence for r in rows for sentence in self.sentences(r)]

    def _is_beside(self, row: int, other: int) -> bool:
        """Whether nothing is said between passages of two rows, which follow each other."""
        passages = self.snapshot.passages
        if not 0 <= other < len(passages):
            return False
        first, second = passages[min(row, other)], passages[max(row, other)]
        document = first.document_id
        if document != second.document_id:
            return False
        between = self.snapshot.turns.get(document, ())[first.last_turn + 1 : second.first_turn]
        return not any(self.snapshot.text(document, t.start, t.end).strip() for t in between)

    def labels_in(self, row: int) -> set[str]:
        """Those of the speakers of a passage's turns."""
        return {turn.speaker for turn in self.turns(row) if turn.speaker}

    def labels_of(self, document_id: str) -> frozenset[str]:
        """Those of a document's speakers."""
        if document_id not in self._labels:
            turns = self.snapshot.turns.get(document_id, ())
            self._labels[document_id] = frozenset(t.speaker for t in turns if t.speaker)
        return self._labels[document_id]

    def turns(self, row: int) -> Sequence[Turn]:
        """Those that a passage has words of."""
        passage = self.snapshot.passages[row]
        turns = self.snapshot.turns.get(passage.document_id, ())
        return turns[passage.first_turn : passage.last_turn + 1]

    def language(self, document_id: str) -> str:
        """The code of a document's; "und" where it can't be told."""
        if document_id not in self._languages:
            document = self.snapshot.documents[document_id]
            self._languages[document_id] = language_of_document(document)
        return self._languages[document_id]

    # ---------------------------------------------------------------------------------------- words

    @cached_property
    def speaker_words(self) -> frozenset[str]:
        """The words of all speakers' names, case-folded, initials aside."""
        return frozenset(
            word.casefold()
            for name in self.speakers.labels
            for word in WORD.findall(name)
            if len(word) > 1
        )

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Those of the documents, each once."""
        return tuple(dict.fromkeys(map(self.language, self.snapshot.documents)))

    @cached_property
    def _frequencies(self) -> Counter[str]:
        """In how many passages each stem occurs; where all are English at most, since words of one
        stem are counted one by one.
        """
        counts: Counter[str] = Counter()
        if set(self.languages) <= {ENGLISH, UNKNOWN}:
            for word, number in self.passages.word_frequencies.items():
                counts[stem(word)] += number
            return counts
        for passage in self.snapshot.passages:
            text = self.snapshot.text(passage.document_id, passage.start, passage.end)
            counts.update(content_stems(text, self.language(passage.document_id)))
        return counts

    def rarity(self, stem_: str) -> float:
        """ln(1 + (N - n + .5) / (n + .5)) of a stem that n of N passages hold."""
        num = len(self.snapshot.passages)
        held = min(num, self._frequencies[stem_])
        return log(1.0 + (num - held + 0.5) / (held + 0.5))

    def words_of_stem(self, stem_: str) -> Sequence[str]:
        """The words of the passages, as BM25 counts them, that have it."""
        return self._words_by_stem.get(stem_, ())

    @cached_property
    def _words_by_stem(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in self.passages.word_frequencies:
            found.setdefault(stem(word), []).append(word)
        return found

    def is_known(self, stem_: str) -> bool:
        """Whether any passage holds it."""
        return stem_ in self._frequencies

    # -------------------------------------------------------------------------------------- vectors

    @cached_property
    def unrelated_best(self) -> float:
        """The mean, over the scale's questions, of the best passage's cosine; 0 of none."""
        best = [self.passages.dense(vector).max() for vector in self.snapshot.scale.questions]
        return float(np.mean(best)) if best else 0.0

    @cached_property
    def _fact_rows(self) -> dict[str, int]:
        """Text -> row of the facts that have a vector already: with the fast extractor, of
        sentences that say something, a third to nine in ten.
        """
        return {text: row for row, text in enumerate(self.snapshot.facts.texts)}

    @cached_property
    def _titles(self) -> dict[str, str]:
        return own_titles(self.snapshot.documents)

    def vectors(self, sentences: Sequence[PassageSentence], embedder: Embedder) -> Vectors:
        """(n, d) unit rows, zeros for sentences that say nothing; those that have no vector yet are
        embedded now, in one call, and kept for later questions.
        """
        texts = [sentence_text(s.text, self._titles[s.document_id]) for s in sentences]
        rows, facts, made = self._fact_rows, self.snapshot.facts.vectors, self._embedded
        missing = list(
            dict.fromkeys(
                text
                for text, s in zip(texts, sentences, strict=True)
                if text not in rows and text not in made and not s.says_nothing
            )
        )
        if missing:
            known = made if len(made) < _MAX_EMBEDDED else {}
            made = known | dict(zip(missing, embedder.embed_documents(missing), strict=True))
            self._embedded = made  # not in place: another thread may read it
        vectors = np.zeros((len(texts), self.snapshot.passage_vectors.shape[1]), dtype=np.float32)
        for i, text in enumerate(texts):
            if text in rows:
                vectors[i] = facts[rows[text]]
            elif text in made:
                vectors[i] = made[text]
        return vectors

    def tokens_of_others(self, embedder: TokenEmbedder) -> list[TokenVectors]:
        """The token vectors of lines that say something, from passages all over the workspace; none
        where the embedder has none. A third of a second, once.
        """
        if self._others is None:
            num = len(self.snapshot.passages)
            rows = np.unique(np.linspace(0, num - 1, min(num, _NUM_OTHERS)).astype(int)).tolist()
            told = [[s for s in self.sentences(row) if not s.says_nothing] for row in rows]
            long = [[s for s in own if s.num_words >= _LEAST_WORDS] or own for own in told]
            texts = [own[len(own) // 2].text for own in long if own]
            self._others = (embedder.document_tokens(texts) if texts else None) or []
        return self._others

    def stored_vectors(self, sentences: Sequence[PassageSentence]) -> Vectors:
        """(n, d) those that the graph has; zeros for the others."""
        vectors = np.zeros((len(sentences), self.snapshot.passage_vectors.shape[1]), np.float32)
        for i, sentence in enumerate(sentences):
            text = sentence_text(sentence.text, self._titles[sentence.document_id])
            if text in self._fact_rows:
                vectors[i] = self.snapshot.facts.vectors[self._fact_rows[text]]
        return vectors
