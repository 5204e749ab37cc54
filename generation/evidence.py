"""Which spans of the documents are put before the model, and how one is shortened (methods spec, 3.10).

A span is a passage or the quote of a relation record; its quote is always Document.text[start:end], to the character.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from dynagrag.generation.prompt_lines import evidence_line
from dynagrag.retrieval.passages import PassageScores
from dynagrag.schema import Evidence, Question, RelationRecord, ScoredPassage, Snapshot, Subgraph, Turn, Walk

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s|$)")
_WORD_END = re.compile(r"\S(?=\s|$)")


def span_evidence(snapshot: Snapshot, label: str, source_id: str, document_id: str, start: int, end: int) -> Evidence:
    """The span with the speaker and time of the turn in which it starts."""
    turn = turn_at(snapshot.turns.get(document_id, ()), start)
    speaker, start_s = (turn.speaker, turn.start_s) if turn else (None, None)
    return Evidence(label, source_id, document_id, start, end, snapshot.text(document_id, start, end), speaker, start_s)


def turn_at(turns: Sequence[Turn], offset: int) -> Turn | None:
    """The turn that holds an offset, or the last one before it; None when the first turn starts later."""
    at = bisect_right(turns, offset, key=lambda turn: turn.start)
    return turns[at - 1] if at else None


def passage_evidence(snapshot: Snapshot, passages: Sequence[ScoredPassage], first_label: int = 1) -> tuple[Evidence, ...]:
    """Ranked passages as evidence E<first_label>, E<first_label + 1>, ...: all that a plain arm shows."""
    found = (scored.passage for scored in passages)
    return tuple(span_evidence(snapshot, f"E{i}", p.id, p.document_id, p.start, p.end) for i, p in enumerate(found, start=first_label))


def collect_evidence(
    snapshot: Snapshot,
    subgraph: Subgraph,
    walk: Walk,
    question: Question,
    passages: Sequence[ScoredPassage] = (),
    *,
    max_passages: int = 3,
    max_quotes: int = 8,
    first_label: int = 1,
    scores: PassageScores | None = None,
) -> tuple[Evidence, ...]:
    """The evidence of one subgraph, best first: passages that hold a visited entity, then quotes on visited edges.

    Passages come in the retriever's order (those of `passages` that hold a visited entity), then by cosine with the question; quotes by the
    cosine of their passage. A quote inside a chosen span is not repeated. Ties by id. The snapshot's `scores` save building its lookups.
    """
    scores = scores or PassageScores(snapshot)
    visited = np.array([subgraph.nodes[node] for node in walk.order], dtype=np.int64)
    rows = scores.rows_of_entities(visited)
    rank = {scored.passage.id: i for i, scored in enumerate(passages)}
    cosine = dict(zip(rows.tolist(), scores.dense_of(rows, question.vector).tolist(), strict=True))
    at = snapshot.passages
    best = sorted(cosine, key=lambda row: (rank.get(at[row].id, len(rank)), -cosine[row], at[row].id))[:max_passages]
    chosen = [(at[row].id, at[row].document_id, at[row].start, at[row].end) for row in best]
    records = sorted(_records(snapshot, subgraph, walk), key=lambda r: (-cosine.get(scores.row_of.get(r.passage_id, -1), -1.0), r.id))
    num_quotes = 0
    for record in records:
        if num_quotes == max_quotes:
            break
        if not any(d == record.document_id and s <= record.quote_start and record.quote_end <= e for _, d, s, e in chosen):
            chosen.append((record.id, record.document_id, record.quote_start, record.quote_end))
            num_quotes += 1
    return tuple(span_evidence(snapshot, f"E{i}", *span) for i, span in enumerate(chosen, start=first_label))


def holds(evidence: Evidence, document_id: str, start: int, end: int) -> bool:
    """Whether a span lies inside the evidence."""
    return evidence.document_id == document_id and evidence.start <= start and end <= evidence.end


def line_of(evidence: Evidence) -> str:
    """Its line in a prompt."""
    return evidence_line(evidence.label, evidence.speaker, evidence.start_s, evidence.quote)


def shortened(evidence: Evidence, max_chars: int) -> Evidence | None:
    """The evidence when its line fits, else its longest beginning that ends with a sentence, and else with a word; None when none fits."""
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


def _records(snapshot: Snapshot, subgraph: Subgraph, walk: Walk) -> Iterator[RelationRecord]:
    """The records of relations whose both ends were visited."""
    for (a, b), relations in zip(subgraph.pairs.tolist(), subgraph.pair_relations, strict=True):
        if a in walk.parent and b in walk.parent:
            for relation in relations:
                yield from (snapshot.records[i] for i in snapshot.graph.relations[relation].record_ids)
