"""Stretches: evidence that stands together in a conversation is read, and cited, as one
(docs/papers.md, Surroundings).
"""

from collections.abc import Iterable, Sequence

from dynagrag.core.schema import Evidence, ScoredPassage, Snapshot, Stretch

MAX_GAP = 80
"""Characters between two lines of one stretch: what two short turns ("Go ahead.") take that
evidence leaves out.
"""


def in_stretches(passages: Sequence[ScoredPassage]) -> list[ScoredPassage]:
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


def stretches(evidence: Iterable[Evidence], snapshot: Snapshot) -> tuple[Stretch, ...]:
    """The runs of two or more evidence lines that stand together in one document, in the order of
    the text.
    """
    ordered = sorted(
        evidence,
        key=lambda e: (snapshot.documents[e.document_id].title, e.document_id, e.start, e.end),
    )
    runs: list[list[Evidence]] = []
    for line in ordered:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and last.document_id == line.document_id
            and line.start - last.end <= MAX_GAP
        ):
            runs[-1].append(line)
        else:
            runs.append([line])
    return tuple(_stretch(run, snapshot) for run in runs if len(run) > 1)


def _stretch(run: Sequence[Evidence], snapshot: Snapshot) -> Stretch:
    start, end = run[0].start, max(line.end for line in run)
    document = run[0].document_id
    inside = [t for t in snapshot.turns.get(document, ()) if t.start < end and t.end > start]
    ends = [t.end_s if t.end_s is not None else t.start_s for t in inside]
    return Stretch(
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
