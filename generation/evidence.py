"""Which spans of the documents are put before the model, and how one is shortened (docs/papers.md, Hard prompt, step 3).

A span is a passage or the quote of a relation record; its quote is always Document.text[start:end], to the character.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from dynagrag.generation.prompt_lines import evidence_line
from dynagrag.retrieval.passages import PassageScores
from dynagrag.schema import Evidence, Passage, Question, RelationRecord, ScoredPassage, Snapshot, Subgraph, Turn, Walk

Span = tuple[str, str, int, int]
"""(id of the record or passage, document id, start, end)."""
_MIN_WORDS = 3
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
    """Ranked passages as evidence E<first_label>, E<first_label + 1>, ..., a line for each speaker's turn: all that a plain arm shows."""
    spans = [span for scored in passages for span in speaker_spans(snapshot, scored.passage)]
    return tuple(span_evidence(snapshot, f"E{i}", *span) for i, span in enumerate(spans, start=first_label))


def speaker_spans(snapshot: Snapshot, passage: Passage) -> list[Span]:
    """A passage cut where the speaker changes, so that a citation never puts one speaker's words into another's mouth.

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
    shown: Sequence[Evidence] = (),
    scores: PassageScores | None = None,
) -> tuple[Evidence, ...]:
    """The evidence of one subgraph, best first: passages that hold a visited entity, then quotes on visited edges.

    Passages come in the retriever's order (those of `passages` that hold a visited entity), then by cosine with the question, each cut
    where
    the speaker changes; quotes by the cosine of their passage. A quote inside a chosen span is not repeated, nor is anything of what was
    `shown` in an earlier subgraph of the question, unless all was: five subgraphs then bring five subgraphs' evidence. Ties by id. The
    snapshot's `scores` save building its lookups.
    """
    scores = scores or PassageScores(snapshot)
    visited = np.array([subgraph.nodes[node] for node in walk.order], dtype=np.int64)
    rows = scores.rows_of_entities(visited)
    rank = {scored.passage.id: i for i, scored in enumerate(passages)}
    cosine = dict(zip(rows.tolist(), scores.dense_of(rows, question.vector).tolist(), strict=True))
    at = snapshot.passages
    seen = {e.id for e in shown}
    best = sorted(cosine, key=lambda row: (at[row].id in seen, rank.get(at[row].id, len(rank)), -cosine[row], at[row].id))
    fresh = [row for row in best if at[row].id not in seen] or best
    chosen = [span for row in fresh[:max_passages] for span in speaker_spans(snapshot, at[row])]
    taken = chosen + [(e.id, e.document_id, e.start, e.end) for e in shown]
    records = sorted(_records(snapshot, subgraph, walk), key=lambda r: (-cosine.get(scores.row_of.get(r.passage_id, -1), -1.0), r.id))
    num_quotes = 0
    for record in records:
        if num_quotes == max_quotes:
            break
        is_quoted = record.quote_start < record.quote_end
        if is_quoted and not any(d == record.document_id and s <= record.quote_start and record.quote_end <= e for _, d, s, e in taken):
            span = (record.id, record.document_id, record.quote_start, record.quote_end)
            chosen.append(span)
            taken.append(span)
            num_quotes += 1
    return tuple(span_evidence(snapshot, f"E{i}", *span) for i, span in enumerate(chosen, start=first_label))


def holds(evidence: Evidence, document_id: str, start: int, end: int) -> bool:
    """Whether a span lies inside the evidence; an empty one, the quote of a record that nothing in the source says, lies in none."""
    return evidence.document_id == document_id and evidence.start <= start < end <= evidence.end


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
