"""Which spans of the documents are put before the model, and how one is shortened (docs/papers.md,
Hard prompt, step 3).

A span is a passage or the quote of a relation record; its quote is always Document.text[start:end],
to the character.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dynagrag.core.schema import (
    Evidence,
    Passage,
    Question,
    RelationRecord,
    ScoredPassage,
    Snapshot,
    Subgraph,
    Turn,
)
from dynagrag.generation.prompt_lines import evidence_line
from dynagrag.retrieval.passages import PassageScores

Span = tuple[str, str, int, int]
"""(id of the record or passage, document id, start, end)."""
MAX_PASSAGES, MAX_QUOTES = 3, 8
"""Of one subgraph; what doesn't fit its token budget is left out later."""
_MIN_WORDS = 3
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s|$)")
_WORD_END = re.compile(r"\S(?=\s|$)")


def span_evidence(
    snapshot: Snapshot, label: str, source_id: str, document_id: str, start: int, end: int
) -> Evidence:
    """The span with the speaker of the turn in which it starts, and its time there."""
    turn = turn_begun_by(snapshot.turns.get(document_id, ()), start)
    speaker, start_s = (turn.speaker, turn.second_of(start)) if turn else (None, None)
    return Evidence(
        label,
        source_id,
        document_id,
        start,
        end,
        snapshot.text(document_id, start, end),
        speaker,
        start_s,
    )


def turn_begun_by(turns: Sequence[Turn], offset: int) -> Turn | None:
    """The turn that holds an offset, or the last one before it; None when the first turn starts
    later.
    """
    at = bisect_right(turns, offset, key=lambda turn: turn.start)
    return turns[at - 1] if at else None


def passage_evidence(
    snapshot: Snapshot, passages: Sequence[ScoredPassage], first_label: int = 1
) -> tuple[Evidence, ...]:
    """Ranked passages as evidence E<first_label>, E<first_label + 1>, ..., a line for each
    speaker's turn: all that a plain arm shows.
    """
    spans = [span for scored in passages for span in speaker_spans(snapshot, scored.passage)]
    return tuple(
        span_evidence(snapshot, f"E{i}", *span) for i, span in enumerate(spans, start=first_label)
    )


def speaker_spans(snapshot: Snapshot, passage: Passage) -> list[Span]:
    """A passage cut where the speaker changes, so that a citation never puts one speaker's words
    into another's mouth.

    Runs of one or two words ("Go ahead.") are left out, unless there is nothing else.
    """
    runs: list[tuple[str | None, int, int]] = []
    turns = snapshot.turns.get(passage.document_id, ())
    for turn in turns[passage.first_turn : passage.last_turn + 1]:
        start, end = max(turn.start, passage.start), min(turn.end, passage.end)
        if runs and runs[-1][0] == turn.speaker:
            runs[-1] = (turn.speaker, runs[-1][1], end)
        elif start < end:
            runs.append((turn.speaker, start, end))
    spans = [(passage.id, passage.document_id, start, end) for _, start, end in runs] or [
        (passage.id, passage.document_id, passage.start, passage.end)
    ]
    return [s for s in spans if len(snapshot.text(*s[1:]).split()) >= _MIN_WORDS] or spans


class QuestionEvidence:
    """The evidence of one question, subgraph after subgraph: each brings what no earlier prompt
    showed, so that five bring five subgraphs' evidence. Labels run through all prompts, and the
    same words keep theirs.
    """

    def __init__(
        self,
        scores: PassageScores,
        question: Question,
        ranked: Sequence[ScoredPassage] = (),
        max_passages: int = MAX_PASSAGES,
        max_quotes: int = MAX_QUOTES,
    ) -> None:
        """`ranked`: the retriever's passages, best first. The limits are a subgraph's."""
        self._scores, self._snapshot, self._question = scores, scores.snapshot, question
        self._rank = {scored.passage.id: i for i, scored in enumerate(ranked)}
        self._max_passages, self._max_quotes = max_passages, max_quotes
        self._shown: list[Evidence] = []

    def show(self, evidence: Iterable[Evidence]) -> None:
        """Says what a prompt holds."""
        self._shown.extend(evidence)

    def of_subgraph(self, subgraph: Subgraph, nodes: Collection[int]) -> tuple[Evidence, ...]:
        """Passages that hold one of these local nodes, then quotes on edges between them, best
        first. Passages that were shown come only if all were.

        Passages stand in the retriever's order, then by cosine with the question, each cut where
        the speaker changes; quotes by the cosine of their passage, none that a chosen or shown span
        holds. Ties by place, of quotes by id.
        """
        entities = np.array([subgraph.nodes[node] for node in nodes], dtype=np.int64)
        rows = self._scores.rows_of_entities(entities)
        cosines = dict(
            zip(
                rows.tolist(),
                self._scores.dense_of(rows, self._question.vector).tolist(),
                strict=True,
            )
        )
        spans = self._passage_spans(cosines)
        spans += self._quote_spans(
            _records(self._snapshot, subgraph, frozenset(nodes)), cosines, spans
        )
        labels = {(e.document_id, e.start, e.end): e.label for e in self._shown}
        first_new = 1 + max((int(e.label[1:]) for e in self._shown), default=0)
        return tuple(
            span_evidence(self._snapshot, labels.get(span[1:], f"E{number}"), *span)
            for number, span in enumerate(spans, start=first_new)
        )

    def _passage_spans(self, cosines: Mapping[int, float]) -> list[Span]:
        """`cosines` by row, of the passages to choose from."""
        passages, rank = self._snapshot.passages, self._rank
        shown = {e.id for e in self._shown}
        best = sorted(
            cosines, key=lambda row: (rank.get(passages[row].id, len(rank)), -cosines[row], row)
        )
        fresh = [row for row in best if passages[row].id not in shown] or best
        return [
            span
            for row in fresh[: self._max_passages]
            for span in speaker_spans(self._snapshot, passages[row])
        ]

    def _quote_spans(
        self,
        records: Iterable[RelationRecord],
        cosines: Mapping[int, float],
        chosen: Sequence[Span],
    ) -> list[Span]:
        taken = [span[1:] for span in chosen] + [
            (e.document_id, e.start, e.end) for e in self._shown
        ]
        row_of = self._scores.row_of
        quotes: list[Span] = []
        for record in sorted(
            records, key=lambda r: (-cosines.get(row_of.get(r.passage_id, -1), -1.0), r.id)
        ):
            if len(quotes) == self._max_quotes:
                break
            document, start, end = record.document_id, record.quote_start, record.quote_end
            if start < end and not any(
                d == document and s <= start and end <= e for d, s, e in taken
            ):
                quotes.append((record.id, document, start, end))
                taken.append((document, start, end))
        return quotes


def holds(evidence: Evidence, document_id: str, start: int, end: int) -> bool:
    """Whether a span lies inside the evidence; an empty one, the quote of a record that nothing in
    the source says, lies in none.
    """
    return evidence.document_id == document_id and evidence.start <= start < end <= evidence.end


def line_of(evidence: Evidence) -> str:
    """Its line in a prompt."""
    return evidence_line(evidence.label, evidence.speaker, evidence.start_s, evidence.quote)


def shortened(evidence: Evidence, max_chars: int) -> Evidence | None:
    """The evidence when its line fits, else its longest beginning that ends with a sentence, and
    else with a word; None when none fits.
    """
    if len(line_of(evidence)) <= max_chars:
        return evidence
    for ends in (_SENTENCE_END, _WORD_END):
        for stop in reversed([match.end() for match in ends.finditer(evidence.quote)]):
            shorter = replace(evidence, end=evidence.start + stop, quote=evidence.quote[:stop])
            if len(line_of(shorter)) <= max_chars:
                return shorter
    return None


def first_word(evidence: Evidence) -> Evidence:
    """The evidence cut down to its first word: what is left where there is no room at all."""
    match = _WORD_END.search(evidence.quote)
    stop = match.end() if match else len(evidence.quote)
    return replace(evidence, end=evidence.start + stop, quote=evidence.quote[:stop])


def _records(
    snapshot: Snapshot, subgraph: Subgraph, nodes: frozenset[int]
) -> Iterator[RelationRecord]:
    """The records of relations between these nodes."""
    for (a, b), relations in zip(subgraph.pairs.tolist(), subgraph.pair_relations, strict=True):
        if a in nodes and b in nodes:
            for relation in relations:
                yield from (
                    snapshot.records[i] for i in snapshot.graph.relations[relation].record_ids
                )
