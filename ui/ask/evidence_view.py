"""Lines of evidence by document: those that an answer cites, and those that fit a question best."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.core.schema import Citation, EvidenceLine
from dynagrag.core.text import collapse
from dynagrag.generation.evidence_sentences.quote_cuts import first_words, last_words
from dynagrag.generation.support import WORD, content_stems, stem
from dynagrag.ui.safe_markdown import (
    MarkLink,
    clean,
    mark_link,
    plain,
    source_link,
    speaker_and_time,
)

_MAX_TITLE, _MAX_TIP = 60, 240
_MAX_BESIDE = 240
_DOUBT = " :orange-badge[:material/voice_selection_off: speakers doubtful]"
_SPACED = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """A line as it is shown: its mark, who said it when, a remark, and its words as Markdown; below
    it what stands around it.
    """

    document: str
    mark: str
    who: str
    words: str
    remark: str = ""
    around: tuple[str, ...] = ()

    def markdown(self) -> str:
        """One bullet, and one within it for each line around it."""
        who = f"**{self.who}**" if self.who else ""
        head = " ".join(part for part in (self.mark, who, self.remark) if part)
        return "\n".join([f"- {head}: “{self.words}”", *(f"    - {line}" for line in self.around)])


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
    others: Sequence[Citation] = (),
) -> EvidenceRow:
    """A line that fits the question: its words in bold, the rest of the turn in grey, what was said
    beside it that `others` don't show.
    """
    link = MarkLink(address_of(workspace, line, document_ids), str(number), tip_of(line))
    around = []
    if line.before and not _is_among(line.before, others):
        around.append(
            f":gray[before{_by(line.before)}:"
            f" “{plain(last_words(collapse(line.before.quote), _MAX_BESIDE))}”]"
        )
    if line.after and not _is_among(line.after, others):
        around.append(
            f":gray[after{_by(line.after)}:"
            f" “{plain(first_words(collapse(line.after.quote), _MAX_BESIDE))}”]"
        )
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
        around=tuple(around),
    )


def _is_among(line: Citation, others: Sequence[Citation]) -> bool:
    return any(
        line.document == other.document and line.start < other.end and other.start < line.end
        for other in others
    )


def _by(line: Citation) -> str:
    who = speaker_and_time(line.speaker, line.start_s)
    return f" · {who}" if who else ""


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
