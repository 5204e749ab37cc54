"""Reports and answers as the command line and the demo print them, line by line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from dynagrag.core.schema import (
    Answer,
    AnswerTrace,
    Citation,
    Clip,
    EvidenceLine,
    PassageWindow,
    RankingTrace,
    Usage,
)
from dynagrag.core.text import clock, collapse, cut, plural
from dynagrag.generation.claims.verdict_text import (
    IDLE,
    UNSUPPORTED,
    claims_summary,
    failures_summary,
    idle_citations,
    marked_text,
    shown_lines,
    unstated_lines,
)
from dynagrag.generation.evidence_sentences.doubts import doubts_text, evidence_note
from dynagrag.generation.evidence_sentences.quote_cuts import cut_around, first_words, last_words
from dynagrag.ingest.load.label_shapes import is_aside
from dynagrag.ingest.pipeline import IngestReport
from dynagrag.language.identification import language_name

_MAX_QUOTE = 240
NUM_KEPT = 5
"""Lines of evidence of an answer that has no clips: an earlier version kept it."""
_MAX_TITLE = 50
_MAX_WINDOWS = 5
_MAX_TRACED = 10
_MAX_SUBGRAPHS, _MAX_RELATIONS = 3, 5
"""Of the retrieved part of the graph, shown by default."""
UNNAMED = "speaker unknown"
"""Of a turn without a speaker among others, whose words would look like those of whoever spoke
before.
"""
_HIT_MARKS = (("**", "**"), ("[[", "]]"), ("<<<", ">>>"))
"""Before and behind what fits best; the next ones where the words have these themselves."""
_LONG_SHARE = 0.05
"""Of all the time: a stage that took less is not named."""
_STAGES = {
    "records": "reading what is stored",
    "embed": "loading and running the embedder",
    "consolidate": "merging names",
    "write graph": "writing the graph",
}
"""Words for stages whose own name doesn't say."""


def ingest_report_lines(report: IngestReport, usage: Usage | None) -> Iterator[str]:
    """An ingest's report."""
    graph = report.graph
    chunks = plural(report.num_chunks, "chunk")
    yield (
        f"extracted {chunks} in {report.seconds.get('extract', 0):.1f} s, all in"
        f" {_total_time(report.seconds)}"
    )
    if usage:
        yield "model: " + usage_line(usage)
    for document in report.removed:
        yield f"  deleted {document.title}: its file is gone"
    if report.num_doubles:
        yield f"  skipped {plural(report.num_doubles, 'file')} with the same content as another"
    for how, count in report.mended.items():
        yield f"  {count} {how}"
    for remark, count in report.remarks.items():
        yield f"  note: {plural(count, 'document')} {remark}"
    for reason, count in sorted(report.dropped.items()):
        yield f"  dropped {count} x {reason}"
    for item in report.set_aside:
        yield f"  set aside {item.document} [{item.start}:{item.end}]: {item.reason}"
    yield (
        f"graph: {plural(graph.num_entities, 'entity', 'entities')},"
        f" {plural(graph.num_relations, 'relation')}, {plural(graph.num_merges, 'merge')}; average"
        f" degree {graph.average_degree_before:.2f} before, {graph.average_degree_after:.2f} after"
        " consolidation"
    )
    for note in graph.notes:
        yield f"  note: {note}"
    if report.set_aside:
        was = "was" if len(report.set_aside) == 1 else "were"
        yield (
            f"{plural(len(report.set_aside), 'chunk')} {was} set aside; to try again, run the same"
            " command, or `dynagrag jobs retry`"
        )


def _total_time(seconds: Mapping[str, float]) -> str:
    """The time of all stages, and the stages but the extraction that took most of it."""
    total = sum(seconds.values())
    least = max(1.0, _LONG_SHARE * total)
    long = [stage for stage, took in seconds.items() if took >= least and stage != "extract"]
    long.sort(key=lambda stage: -seconds[stage])
    most = ", ".join(f"{_STAGES.get(stage, stage)} {seconds[stage]:.1f} s" for stage in long)
    return f"{total:.1f} s{f' ({most})' if most else ''}"


def ingest_report_json(report: IngestReport, usage: Usage | None) -> dict[str, Any]:
    """An ingest's report for programs."""
    return {
        "added": [d.title for d in report.added],
        "replaced": [d.title for d in report.replaced],
        "moved": [d.title for d in report.moved],
        "removed": [d.title for d in report.removed],
        "unchanged": [d.title for d in report.unchanged],
        "refused": [{"path": s.path, "reason": s.refused} for s in report.refused],
        "chunks": report.num_chunks,
        "dropped": dict(report.dropped),
        "mended": dict(report.mended),
        "remarks": dict(report.remarks),
        "doubles": report.num_doubles,
        "set_aside": [asdict(s) for s in report.set_aside],
        "graph": asdict(report.graph),
        "seconds": report.seconds,
        "usage": asdict(usage) if usage else None,
        "stopped_by": str(report.stopped_by) if report.stopped_by else None,
    }


def usage_line(usage: Usage) -> str:
    """The spending in a line."""
    return (
        f"{plural(usage.calls, 'call')}, {usage.prompt_tokens:,} prompt +"
        f" {usage.completion_tokens:,} reply tokens, {usage.seconds:.1f} s of model time,"
        f" {plural(usage.cached, 'reply', 'replies')} from the cache"
    )


def answer_lines(
    answer: Answer,
    with_text: bool = True,
    num_lines: int | None = None,
    has_titles: bool = True,
) -> Iterator[str]:
    """An answer with its citations and the verdicts on its claims; without one, or before one that
    no line supports, the clips that fit the question best, or `num_lines` single lines.

    Without its text, which was shown as the model wrote it with the words of doubt before it, the
    claims that aren't stated are named one by one. `has_titles`: of the documents, which say
    nothing where there is only one.
    """
    doubtful = doubtful_documents(answer)
    answer = answer if has_titles else _untitled(answer)
    has_answer = answer.is_answered_by_model and not answer.is_abstained
    begin = _answered if has_answer else _unanswered
    yield from begin(answer, with_text, num_lines)
    if not answer.is_answered_by_model:
        yield from _subgraph_lines(answer.trace)
    about = f"{answer.question} {answer.text}"
    for label, note, citation in shown_lines(answer):
        yield citation_line(f"[{label}] ({note})" if note else f"[{label}]", citation, about)
    if idle := idle_citations(answer):
        yield f"  {IDLE}: {' '.join(f'[{label}]' for label, _ in idle)}"
    if has_answer:
        yield from (window_line(window) for window in answer.windows[:_MAX_WINDOWS])
    if doubtful:
        titles = ", ".join(cut(title, _MAX_TITLE) for title in doubtful)
        yield (
            f"  note: speakers doubtful in {titles}: what is said there speaks against them"
            " (`dynagrag inspect --speakers`)"
        )
    if summary := claims_summary(answer):
        yield f"  {summary}"
    if failures := failures_summary(answer):
        yield f"  note: {failures}"
    if answer.usage.calls or answer.usage.cached:
        yield f"  ({usage_line(answer.usage)})"


def _untitled(answer: Answer) -> Answer:
    """The same without the titles of documents."""
    return replace(
        answer,
        citations=tuple(replace(line, document="") for line in answer.citations),
        lines={label: replace(line, document="") for label, line in answer.lines.items()},
        evidence=tuple(replace(line, document="") for line in answer.evidence),
        windows=tuple(replace(window, document="") for window in answer.windows),
        clips=tuple(replace(clip, document="") for clip in answer.clips),
        other_person=answer.other_person
        and replace(answer.other_person, line=replace(answer.other_person.line, document="")),
    )


def _answered(answer: Answer, with_text: bool, num_lines: int | None) -> Iterator[str]:
    """The words of doubt, then the text; before what no line supports the nearest lines."""
    if not with_text:
        yield from (f"  {line}" for line in unstated_lines(answer))
        return
    yield from filter(None, [doubts_text(answer)])
    if answer.is_unsupported:
        yield from _evidence(answer, num_lines)
        yield UNSUPPORTED
    yield marked_text(answer)


def _unanswered(answer: Answer, with_text: bool, num_lines: int | None) -> Iterator[str]:
    """Why nothing was answered, and the nearest lines."""
    doubts = evidence_note(answer)
    if with_text:
        yield marked_text(answer)
        if doubts:
            yield f"{doubts} The nearest lines:" if answer.evidence else doubts
    elif doubts and answer.evidence:
        yield "The nearest lines:"
    yield from _evidence(answer, num_lines)


def doubtful_documents(answer: Answer) -> list[str]:
    """The titles of the documents whose lines are shown and whose speakers are doubtful."""
    shown = {citation.document for _, _, citation in shown_lines(answer)}
    shown |= {line.document for line in answer.evidence}
    return [title for title in answer.trace.doubtful if title in shown]


def _subgraph_lines(trace: AnswerTrace) -> Iterator[str]:
    """The retrieved part of the graph, a line each for the first few, with the relations that fit
    the question best.
    """
    found = [prompt.subgraph for prompt in trace.prompts if prompt.subgraph]
    shown = found[:_MAX_SUBGRAPHS]
    for subgraph in shown:
        names = [cut(node.name, _MAX_TITLE) for node in subgraph.nodes]
        edges = sorted(
            subgraph.edges, key=lambda edge: -(edge.score if edge.prize is None else edge.prize)
        )
        relations = [
            f"{names[edge.source]} —{cut(', '.join(edge.labels), _MAX_TITLE)}→ {names[edge.target]}"
            for edge in edges[: _MAX_RELATIONS // len(shown)]
        ]
        is_cut = len(relations) < len(edges) or len(subgraph.nodes) < subgraph.num_nodes
        if relations and is_cut:
            relations.append("...")
        sizes = (
            f"{plural(subgraph.num_nodes, 'entity', 'entities')},"
            f" {plural(subgraph.num_edges, 'relation')}"
        )
        yield f"  {trace.subgraph_kind}: {': '.join(filter(None, (sizes, '; '.join(relations))))}"
    if len(found) > len(shown):
        more = plural(len(found) - len(shown), f"more {trace.subgraph_kind}")
        yield f"  ... and {more} (all are in --json, under trace.subgraphs)"


def _evidence(answer: Answer, num_lines: int | None) -> Iterator[str]:
    if num_lines is None and answer.clips:
        marks = hit_marks(answer.clips)
        for number, clip in enumerate(answer.shown_clips, start=1):
            yield from clip_rows(clip, number, marks)
        marked = f"{' '.join(dict.fromkeys(marks))} marks what fits best; "
        num = plural(len(answer.evidence), "single line")
        yield f"  ({'' if answer.is_nothing_fitting else marked}--lines N shows N of {num})"
        return
    num_lines = NUM_KEPT if num_lines is None else num_lines  # an answer that was kept before
    for line in answer.evidence[:num_lines]:
        yield from evidence_line_rows(line)
    hidden = len(answer.evidence) - num_lines
    if hidden > 0:
        yield (
            f"  ... and {hidden} more lines (--lines N shows N; all are in --json, under"
            " trace.evidence)"
        )
    if not answer.evidence:
        yield "  nothing was found"


def hit_marks(clips: Sequence[Clip]) -> tuple[str, str]:
    """What stands before and behind a hit: a pair that is in none of the words."""
    words = "".join(turn.quote for clip in clips for turn in clip.turns)
    return next((pair for pair in _HIT_MARKS if not any(m in words for m in pair)), _HIT_MARKS[-1])


def clip_rows(clip: Clip, number: int, marks: tuple[str, str]) -> Iterator[str]:
    """A clip: for which side of a question it is, if any, and where it stands; then who says what,
    a row each, with its hits between `marks`.
    """
    at = "" if clip.start_s is None else clock(clip.start_s)
    side = f"[{cut(clip.side, _MAX_TITLE)}]" if clip.side else ""
    place = ", ".join(filter(None, (at, cut(clip.document, _MAX_TITLE))))
    yield f"  {number}. {' '.join(filter(None, (side, place)))}".rstrip()
    for who, pieces in clip_turns(clip):
        words = " ".join(
            f"{marks[0]}{text}{marks[1]}" if is_hit else text for text, is_hit in pieces
        )
        yield f'     {f"{who}: " if who else ""}"{words}"'


def clip_turns(clip: Clip) -> Iterator[tuple[str, list[tuple[str, bool]]]]:
    """Of each turn who speaks and when, unless that is as before, and its words in one line, in
    pieces that are hits or not.
    """
    last = ""
    for turn in clip.turns:
        who = _who(replace(turn, speaker=shown_speaker(turn, clip)))
        pieces = [(collapse(text), is_hit) for text, is_hit in clip.pieces(turn)]
        yield ("" if who == last else who, [own for own in pieces if own[0]])
        last = who


def shown_speaker(turn: Citation, clip: Clip) -> str | None:
    """Who speaks, as a clip says it: no name where none in it has one, nor beside `[Laughs]`."""
    if turn.speaker or is_aside(turn.quote) or not any(own.speaker for own in clip.turns):
        return turn.speaker
    return UNNAMED


def evidence_line_rows(line: EvidenceLine) -> Iterator[str]:
    """A line of evidence, whole, and under it the words before and after."""
    yield f'  - {_before_quote(line)}"{collapse(line.quote)}"'
    if line.before:
        yield (
            f"      before{_beside(line.before, line)}:"
            f' "{last_words(collapse(line.before.quote), _MAX_QUOTE)}"'
        )
    if line.after:
        yield (
            f"      after{_beside(line.after, line)}:"
            f' "{first_words(collapse(line.after.quote), _MAX_QUOTE)}"'
        )


def trace_lines(trace: AnswerTrace) -> Iterator[str]:
    """Why the passages stand in their order, what became of each centre, and which pruner scored
    the subgraphs; --json has all of it.
    """
    yield from (f"  {note}" for note in trace.notes)
    if trace.languages:
        yield f"  languages of the lines: {languages_text(trace.languages)}"
    if trace.reason:
        yield f"  not answered: {trace.reason}"
    if not (trace.soft or trace.ranking or trace.candidates):
        yield "  this retriever keeps no reasons for its order"
    if trace.soft:
        yield (
            f"  it read {plural(trace.soft.num_soft_tokens, 'soft token')} and"
            f" {trace.soft.text_tokens:,} of text ({trace.soft.num_lines_read} of"
            f" {plural(trace.soft.num_lines, 'line')}), {trace.soft.prompt_tokens:,} with the"
            f" question; {trace.soft.seconds:.1f} s"
        )
    if trace.ranking:
        yield from _ranking_lines(trace.ranking)
    for candidate in trace.candidates[:_MAX_TRACED]:
        mark = "+" if candidate.is_accepted else "-"
        yield (
            f"  {mark} {trace.subgraph_kind} of {candidate.entity} ({candidate.score:.2f}):"
            f" {candidate.reason}"
        )
    for pruner in dict.fromkeys(prompt.pruner for prompt in trace.prompts if prompt.subgraph):
        yield f"  pruner of the {trace.subgraph_kind}s: {pruner}"


def languages_text(languages: Mapping[str, str]) -> str:
    """ "English 9, Finnish 2 (E4, E7)": the commonest without its labels."""
    by_name: dict[str, list[str]] = {}
    for label, code in languages.items():
        by_name.setdefault(language_name(code), []).append(label)
    rows = sorted(by_name.items(), key=lambda row: -len(row[1]))
    most, *others = rows
    of_others = (f"{name} {len(labels)} ({', '.join(labels)})" for name, labels in others)
    return ", ".join([f"{most[0]} {len(most[1])}", *of_others])


def _ranking_lines(ranking: RankingTrace) -> Iterator[str]:
    yield f"  names in the question: {', '.join(ranking.linked) or 'none that the graph knows'}"
    for fact in ranking.facts:
        yield f'  nearest fact, cosine {fact.cosine:.2f}: "{cut(fact.text, _MAX_QUOTE)}"'
    steps = " + steps" if ranking.steps else ""
    yield f"  score = words and vectors + PageRank + bridge + surroundings{steps}"
    for place, row in enumerate(ranking.passages[:_MAX_TRACED], start=1):
        at = "" if row.start_s is None else f" {clock(row.start_s)}"
        over = ""
        if row.over is not None:
            over = f"; over {row.over!r} from {row.from_rank or 'further down'}"
        parts = (row.first_stage, row.graph, row.bridge, row.around, row.steps)
        added = " ".join(f"{part:+.2f}" for part in parts if part is not None)
        yield (
            f"  {place:>2}. {row.score:.2f} = {added}  {cut(row.document, _MAX_TITLE)}{at}"
            f' "{row.words} ..."{over}'
        )


def citation_line(mark: str, citation: Citation, about: str = "") -> str:
    """A citation: mark, document, speaker, time, as far as they are known, and quote; a long quote
    is cut to the sentences around the one with most words of `about`.
    """
    quote = cut_around(collapse(citation.quote), about, _MAX_QUOTE)
    return f'  {mark} {_before_quote(citation)}"{quote}"'


def _before_quote(citation: Citation) -> str:
    """Where it stands, up to its colon; empty where nothing is to be said."""
    where = ", ".join(filter(None, (cut(citation.document, _MAX_TITLE), _who(citation))))
    return f"{where}: " if where else ""


def _who(citation: Citation) -> str:
    said_at = "" if citation.start_s is None else clock(citation.start_s)
    return " ".join(part for part in (citation.speaker or "", said_at) if part)


def _beside(citation: Citation, line: Citation) -> str:
    """Speaker and time, where they aren't those of the line."""
    who = _who(citation)
    return f", {who}" if who and who != _who(line) else ""


def window_line(window: PassageWindow) -> str:
    """Where a run of lines stands: document, turns, times, speakers."""
    turns = (
        "" if window.first_turn is None else f", turns {window.first_turn} to {window.last_turn}"
    )
    at = "" if window.start_s is None else f", {clock(window.start_s)}"
    until = "" if window.end_s is None or not at else f" to {clock(window.end_s)}"
    who = f": {', '.join(window.speakers)}" if window.speakers else ""
    where = f"{cut(window.document, _MAX_TITLE)}{turns}{at}{until}".removeprefix(", ")
    return f"  one stretch of {len(window.labels)} lines: {where}{who}"
