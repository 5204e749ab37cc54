"""Evidence as it is shown: lines by document, and clips with their hits in bold."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dynagrag.core.schema import Citation, Clip, EvidenceLine
from dynagrag.generation.support import WORD, content_stems, stem
from dynagrag.ui.safe_markdown import (
    MarkLink,
    clean,
    mark_link,
    plain,
    source_link,
    speaker_and_time,
)
from dynagrag.workspace.text_reports import shown_speaker

_MAX_TITLE, _MAX_TIP = 60, 240
_DOUBT = " :orange-badge[:material/voice_selection_off: speakers doubtful]"
_SPACED = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """A line as it is shown: its mark, who said it when, a remark, and its words as Markdown."""

    document: str
    mark: str
    who: str
    words: str
    remark: str = ""

    def markdown(self) -> str:
        """One bullet."""
        who = f"**{self.who}**" if self.who else ""
        head = " ".join(part for part in (self.mark, who, self.remark) if part)
        return f"- {head}: “{self.words}”"


def by_document(rows: Iterable[EvidenceRow], doubtful: Collection[str] = ()) -> str:
    """The rows under their documents' titles, which stand once; documents in the order of their
    first row. Those that are `doubtful` are marked: what is said speaks against their speakers.
    """
    groups: dict[str, list[str]] = {}
    for row in rows:
        groups.setdefault(row.document, []).append(row.markdown())
    return "\n\n".join(
        f"**{plain(clean(title, _MAX_TITLE))}**{_DOUBT if title in doubtful else ''}\n"
        + "\n".join(lines)
        for title, lines in groups.items()
    )


def grouped(lines: Sequence[EvidenceLine]) -> list[EvidenceLine]:
    """Lines of one document together, in the order of its first: as `by_document` shows them, so
    that their numbers run.
    """
    places = {
        title: place for place, title in reversed(list(enumerate(line.document for line in lines)))
    }
    return sorted(lines, key=lambda line: places[line.document])


def links_of(
    workspace: str,
    lines: Sequence[tuple[str, Citation]],
    document_ids: Mapping[str, str],
    *,
    is_numbered: bool = True,
) -> dict[str, MarkLink]:
    """By label, where each line stands; 1, 2, 3 in their order, or the label itself."""
    made: dict[str, MarkLink] = {}
    for label, line in lines:
        if label not in made:
            name = str(len(made) + 1) if is_numbered else label
            made[label] = MarkLink(address_of(workspace, line, document_ids), name, tip_of(line))
    return made


def address_of(workspace: str, line: Citation, document_ids: Mapping[str, str]) -> str:
    """The address of the words that a line quotes."""
    return source_link(workspace, document_ids.get(line.id, ""), line.start, line.end)


def tip_of(line: Citation) -> str:
    """The tooltip of an evidence mark."""
    who = clean(f"{line.speaker or ''}", 40)
    return (
        f"{who}{' · ' if who else ''}{clean(line.document, _MAX_TITLE)}:"
        f" “{clean(line.quote, _MAX_TIP)}”"
    )


def evidence_row(
    workspace: str,
    number: int,
    line: EvidenceLine,
    document_ids: Mapping[str, str],
    question: str,
) -> EvidenceRow:
    """A line that fits the question: its words in bold, the rest of the turn in grey."""
    link = MarkLink(address_of(workspace, line, document_ids), str(number), tip_of(line))
    wanted = content_stems(question)
    start, end = line.match_start - line.start, line.match_end - line.start
    if not 0 <= start < end <= len(line.quote):  # one that an earlier version kept
        words = with_words_marked(line.quote, wanted)
    else:
        quote = line.quote
        match = with_words_marked(quote[start:end], wanted)
        parts = (_grey(quote[:start]), match, _grey(quote[end:]))
        words = " ".join(part for part in parts if part)
    return EvidenceRow(
        line.document,
        mark_link("", {"": link}),
        speaker_and_time(line.speaker, line.start_s),
        words,
    )


def clip_markdown(
    workspace: str,
    number: int,
    clip: Clip,
    document_ids: Mapping[str, str],
    doubtful: Collection[str] = (),
) -> str:
    """A clip: its number, which opens the source at its best sentence, for which side of a question
    it is, and its document; under it who says what, hits in bold.
    """
    turn = clip.best_turn
    start, end = clip.best
    best = replace(
        turn, start=start, end=end, quote=turn.quote[start - turn.start : end - turn.start]
    )
    link = MarkLink(address_of(workspace, best, document_ids), str(number), tip_of(best))
    doubt = _DOUBT if clip.document in doubtful else ""
    side = f"{plain(clean(clip.side, _MAX_TITLE))}: " if clip.side else ""
    title = plain(clean(clip.document, _MAX_TITLE))
    head = f"{mark_link('', {'': link})} {side}**{title}**{doubt}"
    rows, last = [], ""
    for own in clip.turns:
        who = speaker_and_time(shown_speaker(own, clip), own.start_s)
        words = [
            f"**{plain(text)}**" if is_hit else plain(text)
            for text, is_hit in clip.pieces(own)
            if text.strip()
        ]
        rows.append(f"- {f'*{who}*: ' if who and who != last else ''}{' '.join(words)}")
        last = who
    return "\n".join([head, *rows])


def _grey(text: str) -> str:
    shown = plain(text)
    return f":gray[{shown}]" if shown else ""


def with_words_marked(text: str, wanted: frozenset[str]) -> str:
    """The text as Markdown, with the words whose stems are wanted in bold."""
    pieces: list[str] = []
    for word in _SPACED.split(text.strip()):
        is_wanted = any(stem(found.casefold()) in wanted for found in WORD.findall(word))
        pieces.append(f"**{plain(word)}**" if is_wanted else plain(word))
    return re.sub(r"\*\* \*\*", " ", " ".join(pieces))
