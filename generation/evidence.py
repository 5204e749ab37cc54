"""The lines of the documents that a model may cite: how one is written, shortened and joined to its
neighbours (docs/papers.md, Hard prompt, step 3, and Surroundings).

A line is evidence of one span: a passage, or the quote of a relation record. Its quote is always
Document.text[start:end], to the character. Its form in a prompt:

    [E3] SPEAKER 0:12 "quote"

Speaker and time stand where the source has them. A quote is a JSON string, with control characters,
line separators and the bracket of "[E3" as \\uXXXX: every bare [E3] in a prompt is ours, whatever a
document says. A speaker is written bare when it is made of letters, digits and a few marks, else as
a JSON string. Time is m:ss or h:mm:ss, in whole seconds, rounded down.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dynagrag.core.schema import (
    Evidence,
    Line,
    Passage,
    PassageWindow,
    Question,
    ScoredPassage,
    Snapshot,
    Subgraph,
    Turn,
)
from dynagrag.core.text import clock
from dynagrag.language.identification import language_of
from dynagrag.language.sentences import sentence_spans
from dynagrag.retrieval.passages import PassageScores

Span = tuple[str, str, int, int]
"""(id of the record or passage, document id, start, end)."""
MAX_PASSAGES, MAX_QUOTES = 3, 8
"""Of one subgraph; what doesn't fit its token budget is left out later."""
MAX_GAP = 80
"""Characters between two lines of one window: room for two short turns ("Go ahead.") that evidence
leaves out.
"""
CHARS_PER_TOKEN = 4
"""As `core.ids.estimate_tokens` counts: prompts are cut by characters."""
CONTROL_CHARS = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
LABEL_START = r"\[(?=\s*[Ee]\d)"
"""A bracket that could be read as a label's."""
BARE_SPEAKER = r"[^\W\d_](?:[\w.,'&/()-]| (?! |$))*"
_IS_BARE_SPEAKER = re.compile(BARE_SPEAKER)
_ESCAPED = re.compile(f"{LABEL_START}|[{CONTROL_CHARS}]")
_MIN_WORDS = 3
MIN_REPEATED_CHARS = 40
"""Of a sentence left out where its speaker said it before: a shorter one may be a new reply."""
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
    snapshot: Snapshot,
    passages: Sequence[ScoredPassage],
    first_label: int = 1,
    before: Sequence[Span] = (),
) -> tuple[Evidence, ...]:
    """Evidence E<first_label>, E<first_label + 1>, ...: the spans that come `before`, then ranked
    passages, a line for each speaker's turn, without what these say in the same words.
    """
    spans = list(before)
    said = {words for span in before for words, _ in _sentences_of(snapshot, span)}
    for scored in passages:
        for span in speaker_spans(snapshot, scored.passage):
            sentences = list(_sentences_of(snapshot, span))
            again = [sentence for words, sentence in sentences if words in said]
            said.update(words for words, _ in sentences)
            spans += _parts_outside(snapshot, span, [*before, *again])
    return tuple(
        span_evidence(snapshot, f"E{i}", *span) for i, span in enumerate(spans, start=first_label)
    )


def same_words(text: str) -> str:
    """Equal where the same is said, whatever its case and blank space."""
    return one_line(text).casefold()


def _sentences_of(snapshot: Snapshot, span: Span) -> Iterator[tuple[tuple[str | None, str], Span]]:
    """Long sentences of a span: who says what in each, and where it stands."""
    id_, document, start, end = span
    turn = turn_begun_by(snapshot.turns.get(document, ()), start)
    text = snapshot.text(document, start, end)
    for first, last in sentence_spans(text):
        if last - first >= MIN_REPEATED_CHARS:
            said = turn.speaker if turn else None, same_words(text[first:last])
            yield said, (id_, document, start + first, start + last)


def _parts_outside(snapshot: Snapshot, span: Span, shown: Sequence[Span]) -> Iterator[Span]:
    """What spans that are shown leave of a span; all of it where they leave all, else parts of
    three words and more.
    """
    id_, document, start, end = span
    inside = sorted(s[2:] for s in shown if s[1] == document and s[2] < end and s[3] > start)
    if not inside:
        yield span
        return
    for first, last in [*inside, (end, end)]:
        text = snapshot.text(document, start, max(start, first))
        if len(text.split()) >= _MIN_WORDS:
            begin = start + len(text) - len(text.lstrip())
            yield id_, document, begin, start + len(text.rstrip())
        start = max(start, last)


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
        passages: PassageScores,
        question: Question,
        ranked: Sequence[ScoredPassage] = (),
        max_passages: int = MAX_PASSAGES,
        max_quotes: int = MAX_QUOTES,
    ) -> None:
        """`ranked`: the retriever's passages, best first. The limits are a subgraph's."""
        self._passages, self._snapshot, self._question = passages, passages.snapshot, question
        self._rank = {scored.passage.id: i for i, scored in enumerate(ranked)}
        self._max_passages, self._max_quotes = max_passages, max_quotes
        self._shown: list[Evidence] = []

    def show(self, evidence: Iterable[Evidence]) -> None:
        """Takes in the evidence of a prompt that is written."""
        self._shown.extend(evidence)

    def of_subgraph(self, subgraph: Subgraph, nodes: Collection[int]) -> tuple[Evidence, ...]:
        """Passages that hold one of these local nodes, then quotes on edges between them, best
        first. Passages that were shown come only if all were.

        Passages stand in the retriever's order, then by cosine with the question, each cut where
        the speaker changes; quotes by the cosine of their passage, none that a chosen or shown span
        holds. Ties by place, of quotes by id.
        """
        entities = np.array([subgraph.nodes[node] for node in nodes], dtype=np.int64)
        rows = self._passages.rows_of_entities(entities)
        cosines = dict(
            zip(
                rows.tolist(),
                self._passages.dense_of(rows, self._question.vector).tolist(),
                strict=True,
            )
        )
        passages, rank = self._snapshot.passages, self._rank
        best = sorted(
            cosines, key=lambda row: (rank.get(passages[row].id, len(rank)), -cosines[row], row)
        )
        shown = {e.id for e in self._shown}
        fresh = [row for row in best if passages[row].id not in shown] or best
        spans = [
            span
            for row in fresh[: self._max_passages]
            for span in speaker_spans(self._snapshot, passages[row])
        ]
        spans += self._quote_spans(subgraph, frozenset(nodes), cosines, spans)
        labels = {(e.document_id, e.start, e.end): e.label for e in self._shown}
        first_new = 1 + max((int(e.label[1:]) for e in self._shown), default=0)
        return tuple(
            span_evidence(self._snapshot, labels.get(span[1:], f"E{number}"), *span)
            for number, span in enumerate(spans, start=first_new)
        )

    def _quote_spans(
        self,
        subgraph: Subgraph,
        nodes: Collection[int],
        cosines: Mapping[int, float],
        chosen: Sequence[Span],
    ) -> list[Span]:
        """Quotes of the relations between these nodes. `cosines`: by row, of passages."""
        snapshot, row_of = self._snapshot, self._passages.row_of
        records = [
            snapshot.records[id_]
            for (a, b), relations in zip(
                subgraph.pairs.tolist(), subgraph.pair_relations, strict=True
            )
            if a in nodes and b in nodes
            for relation in relations
            for id_ in snapshot.graph.relations[relation].record_ids
        ]
        records.sort(key=lambda r: (-cosines.get(row_of.get(r.passage_id, -1), -1.0), r.id))
        taken = [span[1:] for span in chosen]
        taken += [(e.document_id, e.start, e.end) for e in self._shown]
        quotes: list[Span] = []
        for record in records:
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


def claim_lines(evidence: Mapping[str, Evidence], snapshot: Snapshot) -> dict[str, Line]:
    """Evidence by label, as checkers of claims read it: each with its language, that of its
    document where its own is not sure.
    """
    lines = {}
    for label, e in evidence.items():
        document = snapshot.documents[e.document_id]
        language = language_of(e.quote, language_of(document.text))
        lines[label] = Line(e.quote, e.speaker, document.title, e.document_id, language)
    return lines


# -------------------------------------------------------------------------------- lines of a prompt


def one_line(text: str) -> str:
    """Blank space of every kind collapsed to single spaces."""
    return " ".join(text.split())


def as_json(text: str) -> str:
    """A JSON string that holds no control character and nothing that looks like a citation."""
    return _ESCAPED.sub(
        lambda match: f"\\u{ord(match.group()):04x}", json.dumps(text, ensure_ascii=False)
    )


def evidence_line(label: str, speaker: str | None, start_s: float | None, quote: str) -> str:
    """A line of these parts, without its line end. A blank speaker is no speaker."""
    parts = [f"[{label}]"]
    if speaker:
        parts.append(speaker if _IS_BARE_SPEAKER.fullmatch(speaker) else as_json(speaker))
    if start_s is not None:
        parts.append(clock(start_s))
    return " ".join([*parts, as_json(quote)])


def line_of(evidence: Evidence) -> str:
    """Its line in a prompt."""
    return evidence_line(evidence.label, evidence.speaker, evidence.start_s, evidence.quote)


def shortened(evidence: Evidence, max_chars: int) -> Evidence | None:
    """The evidence when its line fits, else its longest beginning that ends with a sentence, and
    else with a word; None when none fits.
    """
    if len(line_of(evidence)) <= max_chars:
        return evidence
    ends_of_sentences = [end for _, end in sentence_spans(evidence.quote)]
    ends_of_words = [match.end() for match in _WORD_END.finditer(evidence.quote)]
    for ends in (ends_of_sentences, ends_of_words):
        for stop in reversed(ends):
            shorter = replace(evidence, end=evidence.start + stop, quote=evidence.quote[:stop])
            if len(line_of(shorter)) <= max_chars:
                return shorter
    return None


def first_word(evidence: Evidence) -> Evidence:
    """The evidence cut down to its first word, for where nothing longer fits."""
    match = _WORD_END.search(evidence.quote)
    stop = match.end() if match else len(evidence.quote)
    return replace(evidence, end=evidence.start + stop, quote=evidence.quote[:stop])


def evidence_that_fits(evidence: Sequence[Evidence], max_chars: int) -> tuple[Evidence, ...]:
    """Evidence in its order while its lines fit, with their ends: the first shortened where it must
    be, later ones whole or not at all.
    """
    fitting: list[Evidence] = []
    for item in evidence:
        if not fitting:
            item = shortened(item, max_chars - 1) or first_word(item)
        if not fitting or len(line_of(item)) < max_chars:
            fitting.append(item)
            max_chars -= len(line_of(item)) + 1
    return tuple(fitting)


# ------------------------------------------------------------------------------------------ windows


def in_windows(passages: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """Ranked passages with those that follow each other in a document side by side, in its order,
    where the best of them stood.
    """
    by_place = {(p.passage.document_id, p.passage.index): p for p in passages}
    done: set[str] = set()
    ordered: list[ScoredPassage] = []
    for scored in passages:
        if scored.passage.id in done:
            continue
        document, first = scored.passage.document_id, scored.passage.index
        while (document, first - 1) in by_place:
            first -= 1
        index = first
        while (document, index) in by_place:
            ordered.append(by_place[document, index])
            done.add(by_place[document, index].passage.id)
            index += 1
    return ordered


def passage_windows(evidence: Iterable[Evidence], snapshot: Snapshot) -> tuple[PassageWindow, ...]:
    """The runs of two or more lines that stand together in one document, in the order of the
    text.
    """
    ordered = sorted(
        evidence,
        key=lambda e: (snapshot.documents[e.document_id].title, e.document_id, e.start, e.end),
    )
    runs: list[list[Evidence]] = []
    for line in ordered:
        last = runs[-1][-1] if runs else line
        is_near = last.document_id == line.document_id and line.start - last.end <= MAX_GAP
        if runs and is_near:
            runs[-1].append(line)
        else:
            runs.append([line])
    return tuple(_window(run, snapshot) for run in runs if len(run) > 1)


def _window(run: Sequence[Evidence], snapshot: Snapshot) -> PassageWindow:
    start, end = run[0].start, max(line.end for line in run)
    document = run[0].document_id
    inside = [t for t in snapshot.turns.get(document, ()) if t.start < end and t.end > start]
    ends = [t.end_s if t.end_s is not None else t.start_s for t in inside]
    return PassageWindow(
        document=snapshot.documents[document].title,
        start=start,
        end=end,
        labels=tuple(line.label for line in run),
        speakers=tuple(dict.fromkeys(t.speaker for t in inside if t.speaker)),
        first_turn=inside[0].index if inside else None,
        last_turn=inside[-1].index if inside else None,
        start_s=run[0].start_s,
        end_s=ends[-1] if ends else None,
    )
