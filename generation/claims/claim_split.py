"""An answer into claims: its sentences, and in them the clauses that state something of their own. Each keeps its place in the answer.

What states nothing is no claim: questions (but for what they state first), headings, "Here is what I found:", a list of names, words on
what the evidence lacks. The items of a list are claims of their own, read with the line that leads them in.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dynagrag.generation.answer_sentences import answer_sentences
from dynagrag.generation.citations import cited_labels, without_marks
from dynagrag.generation.claims.clauses import clauses, states_something
from dynagrag.generation.claims.lexicon import ASKING, AUXILIARIES, SAYING, THINKING, told_forms
from dynagrag.sentences import strip_span

_AUXILIARY = "|".join(sorted(AUXILIARIES))
_OPENS_QUESTION = re.compile(rf"\s*(?:who|whose|whom|which|what|when|where|why|how|{_AUXILIARY})\b", re.IGNORECASE)
_ASKED = re.compile(
    rf"(?:[;:]|\s[–—-]|,?\s+(?:and|but|so|yet)\b){_OPENS_QUESTION.pattern}|,\s+(?:what|why|how|{_AUXILIARY})\b", re.IGNORECASE
)
_SAID = told_forms((*SAYING, *ASKING, *THINKING))
_MAX_CHARACTERS, _MAX_TAIL = 6_000, 400
"""Of an answer, more than it may have tokens for; of a sentence's marks at its end."""
_LINE = re.compile(r"[^\n]+")
_ITEM = re.compile(r"\s*(?:[-*•–]|\(?\d{1,2}[.)])\s+")
_HEADING = re.compile(r"\s*(?:#+\s.*|\*\*[^*]+\*\*:?\s*|__[^_]+__:?\s*)")
_STATES_NOTHING = re.compile(
    r"(?:here (?:is|are|'s)|below (?:is|are)|the following (?:is|are)|i (?:found|could|can|do|did|don't|cannot|can't)\b|sure\b|certainly\b|"
    r"let me\b|as follows|in (?:summary|conclusion)\s*:|(?:it is|it's) (?:not )?(?:clear|stated|mentioned|specified) (?:from|in)\b|"
    r"(?:the |this |my |provided |given )*(?:evidence|excerpts?|transcripts?|lines?|sources?|documents?|context|information)\b[^.]{0,40}"
    r"(?:does|do|did|is|are)(?:n['’]t| not)\b)",
    re.IGNORECASE,
)
_SOURCE = r"(?:the |this )?(?:provided |given )?(?:evidence|excerpts?|transcripts?|lines?|sources?|documents?)"
_SAID_BY_SOURCE = re.compile(
    rf"(?:(?:according to|based on|per) {_SOURCE}\s*,\s*|{_SOURCE} (?:says?|states?|shows?|mentions?)(?: that\b|:)?\s*)", re.IGNORECASE
)
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_TAIL = re.compile(r"[\s:]*(?:(?:the|as) (?:follow\w+|\w+ following)(?: \w+)?)?[\s:]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SplitClaim:
    """A claim from `start` to `end` of an answer; its `text` stands alone and has no marks; `labels` are cited for it, in order."""

    start: int
    end: int
    text: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an answer, or a list's item, with what it claims. `lead`: where the line that leads its list in stands, if one does."""

    start: int
    end: int
    claims: tuple[SplitClaim, ...]
    lead: tuple[int, int] | None = None


def split_claims(text: str) -> tuple[SplitClaim, ...]:
    """The claims of an answer in their order."""
    return tuple(claim for statement in statements(text) for claim in statement.claims)


def statements(text: str) -> list[Statement]:
    """The sentences of an answer that claim something. What goes on beyond all measure is one claim, unsplit."""
    made = _statements(text[:_MAX_CHARACTERS])
    if rest := text[_MAX_CHARACTERS:].strip():
        start, end = strip_span(text, _MAX_CHARACTERS, len(text))
        made.append(Statement(start, end, (SplitClaim(start, end, rest[:_MAX_TAIL], ()),)))
    return made


def _statements(text: str) -> list[Statement]:
    made: list[Statement] = []
    lead: tuple[int, int] | None = None
    for start, end in _blocks(text):
        item = _ITEM.match(text, start, end)
        words = without_marks(text[start:end]).strip()
        if not item and words.endswith(":"):
            lead = (start, end)
            continue
        if not item:
            lead = None
        if _HEADING.fullmatch(text[start:end]):
            continue
        made += _of_block(text, item.end() if item else start, end, lead)
    return made


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, items and leading lines; a line that goes on in the next one is joined with it."""
    start = end = -1
    for line in _LINE.finditer(text):
        here = strip_span(text, *line.span())
        if here[0] == here[1]:
            if start >= 0:
                yield start, end
            start = -1
            continue
        is_open = start >= 0 and not text[end : here[0]].count("\n") > 1 and without_marks(text[start:end]).rstrip()[-1:].isalnum()
        if is_open and not _ITEM.match(text, line.start()) and text[here[0]].islower():
            end = here[1]
            continue
        if start >= 0:
            yield start, end
        start, end = here
    if start >= 0:
        yield start, end


def _of_block(text: str, start: int, end: int, lead: tuple[int, int] | None) -> Iterator[Statement]:
    at = start
    for sentence in answer_sentences([text[start:end]]):
        first, last = strip_span(text, at, at + len(sentence))
        at += len(sentence)
        claims = tuple(_claims(text, first, last, lead))
        if claims:
            yield Statement(first, last, claims, lead)


def _claims(text: str, start: int, end: int, lead: tuple[int, int] | None) -> Iterator[SplitClaim]:
    sentence = text[start:end]
    shared = cited_labels(sentence[_last_word(sentence) :])
    sentence = sentence[: _question_start(sentence)]
    if not sentence or _STATES_NOTHING.match(without_marks(sentence).strip()):
        return
    led = without_marks(text[slice(*lead)]).strip() if lead else ""
    if lead and not cited_labels(text[start:end]):
        shared = cited_labels(text[slice(*lead)])
    for clause in clauses(sentence):
        told = _standing_alone(without_marks(clause.text), led)
        if not states_something(told):
            continue
        first, last = strip_span(text, start + clause.start, start + clause.end)
        yield SplitClaim(first, last, told, cited_labels(text[first:last]) or shared)


def _question_start(sentence: str) -> int:
    """Where a sentence begins to ask: at its end if it doesn't, behind what it states first, at 0 if it only asks."""
    if not without_marks(sentence).rstrip().endswith("?"):
        return len(sentence)
    asked = next(reversed([*_ASKED.finditer(sentence)]), None)
    stated = sentence[: asked.start()] if asked else ""
    is_asking = _OPENS_QUESTION.match(stated) or stated.rpartition(" ")[2].casefold() in _SAID
    return 0 if is_asking else len(stated)


def _last_word(sentence: str) -> int:
    """Where the marks at a sentence's end begin."""
    tail = max(0, len(sentence) - _MAX_TAIL)
    match = re.search(r"(?:[\s.!?\"'”’)]|\[E\d+\])*$", sentence[tail:])
    return tail + match.start() if match else len(sentence)


def _standing_alone(words: str, lead: str) -> str:
    """A clause without emphasis and without words on where it was read, after the line that leads it in where it needs that."""
    words = _EMPHASIS.sub("", words).strip(" ,;")
    if said := _SAID_BY_SOURCE.match(words):
        words = words[said.end() :]
        words = words[:1].upper() + words[1:]
    if not lead or _STATES_NOTHING.match(lead):
        return words
    led = _TAIL.sub("", _EMPHASIS.sub("", lead))
    return f"{led} {words}" if led else words
