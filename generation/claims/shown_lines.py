"""The lines of a claim that are put before a model, and how they are written."""

from collections.abc import Sequence
from dataclasses import replace

from dynagrag.core.ids import estimate_tokens
from dynagrag.core.schema import Claim, Line
from dynagrag.generation.evidence import as_json, evidence_line, one_line
from dynagrag.generation.support import content_stems, nearness
from dynagrag.language.sentences import sentence_spans


def nearest_rows(claim: Claim, max_lines: int, token_budget: int) -> list[int]:
    """Rows of the claim's lines: those that are cited for it, then the others, those that share
    most content words with it first; ties in order. The first one whatever its length.
    """
    wanted = content_stems(claim.text)
    stems = [content_stems(f"{line.speaker or ''} {line.text}") for line in claim.lines]
    order = sorted(
        range(len(claim.lines)), key=lambda row: (row >= claim.num_cited, -len(wanted & stems[row]))
    )
    rows: list[int] = []
    for row in order[:max_lines]:
        token_budget -= line_tokens(claim.lines[row])
        if rows and token_budget < 0:
            break
        rows.append(row)
        token_budget = max(0, token_budget)
    return rows


def nearest_row(claim: Claim) -> int | None:
    """The row of the line that is nearest to the claim by its words, whoever cited which; the first
    of equals. Where no line shares a word with it the first that is cited, else None.
    """
    shares = nearness(claim.text, [f"{line.speaker or ''} {line.text}" for line in claim.lines])
    if not any(shares):
        return 0 if claim.num_cited else None
    return shares.index(max(shares))


def line_tokens(line: Line) -> int:
    """Estimated tokens of a line as it is written."""
    return estimate_tokens(written(line))


def written(line: Line) -> str:
    """SPEAKER "words", as evidence is written, without a label; a title that is known stands behind
    it.
    """
    words = evidence_line("", line.speaker, None, one_line(line.text)).removeprefix("[] ")
    return f"{words} (in {as_json(one_line(line.title))})" if line.title else words


def shortened(line: Line, text: str, max_tokens: int) -> Line:
    """A line that is too long, cut to the sentences around the one that shares most content words
    with a text.
    """
    max_chars = max(80, 4 * (max_tokens - line_tokens(replace(line, text=""))))
    if len(line.text) <= max_chars:
        return line
    wanted, spans = content_stems(text), sentence_spans(line.text)
    best = max(
        range(len(spans)),
        key=lambda i: (len(wanted & content_stems(line.text[slice(*spans[i])])), -i),
    )
    first = last = best
    while first > 0 or last < len(spans) - 1:
        is_backwards = last == len(spans) - 1 or (first > 0 and best - first <= last - best)
        grown = (first - 1, last) if is_backwards else (first, last + 1)
        if spans[grown[1]][1] - spans[grown[0]][0] > max_chars:
            break
        first, last = grown
    return replace(line, text=line.text[spans[first][0] : spans[last][1]][:max_chars])


def documents_of(lines: Sequence[Line]) -> tuple[str, ...]:
    """Ids of the documents that the lines are from, where they are known."""
    return tuple(sorted({line.document_id for line in lines if line.document_id}))
