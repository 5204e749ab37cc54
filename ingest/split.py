"""From a loaded source to its records and calls: document, turns, passages, chunks, and the
speakers' mentions.

All offsets are half-open ranges of `Document.text`. Passages tile the text: every character that is
not blank lies in exactly one. Passages and chunks end early where the text itself says so (a hash
of what comes next), so an edit early in a long transcript doesn't shift every boundary after it,
and most chunks keep their text and with it their cached replies.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from dynagrag.config.settings import ChunkProfile
from dynagrag.core.ids import (
    content_id,
    entity_key,
    estimate_tokens,
    is_generic_speaker,
    speaker_key,
)
from dynagrag.core.schema import (
    LANGUAGE_KEY,
    Chunk,
    Document,
    LoadedSource,
    Mention,
    MentionKind,
    Passage,
    Turn,
)
from dynagrag.ingest.kept_language import in_language
from dynagrag.ingest.load.whole_turns import turns_of
from dynagrag.language.document_language import found_language
from dynagrag.language.sentences import Span, num_words, sentence_spans, strip_span

SPLITTER = "split-1"
"""Version of the rules below. Change it with them: passage ids depend on it."""
MIN_FILL = 2 / 3
"""How full a passage must be before it may end early."""
MIN_SEGMENT_TOKENS = 2400
"""A run of chunks must be this long before a passage may begin a new one early, so that chunks stay
full (4 of 600 tokens).
"""
BOUNDARY_ODDS = 4
"""One text in so many begins a new passage or chunk where it may."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A piece of a passage: a whole short turn, or a sentence of a long one."""

    start: int
    end: int
    turn: int
    num_words: int


def document_id_of(workspace: str, sha256: str) -> str:
    """The id of the document of this content."""
    return content_id("document", workspace, sha256)


def make_document(
    source: LoadedSource, workspace: str, uri: str, language: str = ""
) -> tuple[Document, tuple[Turn, ...]]:
    """The document and its turns: the source's, of captions whole sentences. Text = the turns'
    texts joined by line breaks; a turn without words keeps its place, empty. `language`: the code
    (ISO 639-1) that a person named; empty: that of the words.
    """
    code = language or found_language("\n".join(turn.text for turn in source.turns))
    spoken = turns_of(source, code)
    text = "\n".join(turn.text for turn in spoken)
    title = source.title or PurePath(uri or source.path).stem
    document_id = document_id_of(workspace, source.sha256)
    meta = {**source.meta, LANGUAGE_KEY: code}
    document = Document(document_id, workspace, title, uri, source.sha256, text, meta)
    document = in_language(document, language)
    turns: list[Turn] = []
    start = 0
    for index, turn in enumerate(spoken):
        end = start + len(turn.text)
        turns.append(
            Turn(
                content_id("turn", document_id, index),
                document_id,
                index,
                start,
                end,
                turn.speaker,
                turn.start_s,
                turn.end_s,
            )
        )
        start = end + 1
    return document, tuple(turns)


def split_passages(
    document: Document, turns: Sequence[Turn], profile: ChunkProfile
) -> tuple[Passage, ...]:
    """Whole turns joined, at most `profile.passage_words` words; a turn that is longer is cut at
    its sentence ends.

    A passage of at least 2/3 of that ends early, at a turn's or sentence's end, where one text in
    four begins.
    """
    most = profile.passage_words
    least = round(MIN_FILL * most)
    runs: list[list[_Unit]] = []
    words = 0
    for unit in _units(document, turns, most):
        is_full = words + unit.num_words > most
        may_end = words >= least and _is_boundary(document.text[unit.start : unit.end])
        if not runs or is_full or may_end:
            runs.append([])
            words = 0
        runs[-1].append(unit)
        words += unit.num_words
    passages = []
    for index, run in enumerate(runs):
        start, end = run[0].start, run[-1].end
        passage_id = content_id("passage", document.id, start, end, SPLITTER)
        passages.append(
            Passage(passage_id, document.id, index, start, end, run[0].turn, run[-1].turn)
        )
    return tuple(passages)


def chunk_passages(
    document: Document, passages: Sequence[Passage], profile: ChunkProfile
) -> tuple[Chunk, ...]:
    """Consecutive passages of at most `profile.chunk_tokens` estimated tokens together, or one per
    chunk where that is None.

    A passage larger than the limit is a chunk of its own. Once a run of chunks holds 2,400 tokens,
    one passage in four begins a new run.
    """
    if profile.chunk_tokens is None:
        return tuple(Chunk(document.id, p.start, p.end, (p,)) for p in passages)
    text = document.text
    runs: list[list[Passage]] = []
    segment_start = 0
    for passage in passages:
        is_long = estimate_tokens(text[segment_start : passage.start]) >= MIN_SEGMENT_TOKENS
        begins_segment = is_long and _is_boundary(text[passage.start : passage.end])
        if begins_segment:
            segment_start = passage.start
        start = runs[-1][0].start if runs else passage.start
        is_full = estimate_tokens(text[start : passage.end]) > profile.chunk_tokens
        if not runs or begins_segment or is_full:
            runs.append([])
        runs[-1].append(passage)
    return tuple(Chunk(document.id, run[0].start, run[-1].end, tuple(run)) for run in runs)


def halve(document: Document, chunk: Chunk) -> tuple[Chunk, Chunk] | None:
    """The chunk's two halves, as even in length as its passages allow; one passage is cut at a
    sentence's or line's end.

    None when it can't be cut any further. A half of one passage still lists that passage.
    """
    if len(chunk.passages) > 1:
        cut = _middle([(p.start, p.end) for p in chunk.passages])
        left, right = chunk.passages[:cut], chunk.passages[cut:]
        return (
            Chunk(chunk.document_id, chunk.start, left[-1].end, left),
            Chunk(chunk.document_id, right[0].start, chunk.end, right),
        )
    text = document.text[chunk.start : chunk.end]
    spans = sentence_spans(text, language=document.language)
    if len(spans) < 2:
        spans = []
        line_start = 0
        for line in text.splitlines(keepends=True):
            a, b = strip_span(text, line_start, line_start + len(line))
            if a < b:
                spans.append((a, b))
            line_start += len(line)
    if len(spans) < 2:
        return None
    cut = _middle(spans)
    end, start = chunk.start + spans[cut - 1][1], chunk.start + spans[cut][0]
    return (
        Chunk(chunk.document_id, chunk.start, end, chunk.passages),
        Chunk(chunk.document_id, start, chunk.end, chunk.passages),
    )


def speaker_mentions(
    document: Document, turns: Sequence[Turn], passages: Sequence[Passage]
) -> tuple[Mention, ...]:
    """A mention of kind speaker for each speaker and passage in which they speak, in passage order,
    then order of speech.

    The type is `speaker` for a generic label (SPEAKER_00, A), whose key is scoped to the document's
    content, else `person`.
    """
    mentions: list[Mention] = []
    for passage in passages:
        seen: set[str] = set()
        for turn in turns[passage.first_turn : passage.last_turn + 1]:
            name = " ".join((turn.speaker or "").split())
            key = speaker_key(name, document.sha256)
            start, end = max(turn.start, passage.start), min(turn.end, passage.end)
            has_words = document.text[start:end].strip()
            if not entity_key(name) or key in seen or not has_words:
                continue
            seen.add(key)
            mention_id = content_id(
                "mention", document.id, passage.start, passage.end, key, MentionKind.SPEAKER, ""
            )
            type_ = "speaker" if is_generic_speaker(name) else "person"
            mentions.append(
                Mention(
                    mention_id,
                    document.id,
                    passage.start,
                    passage.end,
                    (passage.id,),
                    name,
                    key,
                    type_,
                    "",
                    MentionKind.SPEAKER,
                    "split",
                )
            )
    return tuple(mentions)


def turn_at(turns: Sequence[Turn], offset: int) -> Turn:
    """The turn that holds an offset of its document's text; the line break after a turn belongs to
    it. `turns` in order, not empty.
    """
    return turns[max(0, bisect_right(turns, offset, key=lambda turn: turn.start) - 1)]


def _units(document: Document, turns: Sequence[Turn], most: int) -> Iterator[_Unit]:
    for turn in turns:
        start, end = strip_span(document.text, turn.start, turn.end)
        if start == end:
            continue
        size = num_words(document.text[start:end])
        if size <= most:
            yield _Unit(start, end, turn.index, size)
            continue
        for a, b in sentence_spans(document.text[start:end], most, document.language):
            yield _Unit(
                start + a, start + b, turn.index, num_words(document.text[start + a : start + b])
            )


def _is_boundary(text: str) -> bool:
    return int(content_id("boundary", text)[:8], 16) % BOUNDARY_ODDS == 0


def _middle(spans: Sequence[Span]) -> int:
    """Index of the first span of the right half: where the halves differ least in length, the
    earliest of equals.
    """
    first, last = spans[0][0], spans[-1][1]
    return min(
        range(1, len(spans)), key=lambda i: abs((spans[i - 1][1] - first) - (last - spans[i][0]))
    )
