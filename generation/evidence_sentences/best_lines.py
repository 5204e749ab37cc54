"""The lines of a question, best first, and whether they answer it at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Clip, EvidenceLine, Question
from dynagrag.generation.evidence_sentences.answerable import (
    LEAST,
    UNTOLD,
    answerable,
    foreign_language,
)
from dynagrag.generation.evidence_sentences.clips import clips_of
from dynagrag.generation.evidence_sentences.excerpts import evidence_lines
from dynagrag.generation.evidence_sentences.line_fit import fits
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.generation.evidence_sentences.speaker_turns import quiet


@dataclass(frozen=True, slots=True)
class BestLines:
    """Lines of evidence, best first, and the clips in which they stand. `answerable`,
    `unknown_names`, `quiet_speakers`: as `Answer` has them. `notes`: what could not be told, a
    sentence each.
    """

    lines: tuple[EvidenceLine, ...] = ()
    answerable: float | None = None
    is_nothing_fitting: bool = False
    document_ids: Mapping[str, str] = field(default_factory=dict)
    unknown_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    quiet_speakers: tuple[str, ...] = ()
    clips: tuple[Clip, ...] = ()
    notes: tuple[str, ...] = ()


def best_lines(
    index: LineIndex, question: Question, rows: Sequence[int], embedder: Embedder
) -> BestLines:
    """`rows`: passages to take sentences from, best first."""
    found = fits(index, question, rows, embedder)
    lines = evidence_lines(index, found)
    chance = answerable(index, question, found)
    looked_at = dict.fromkeys(s.row for s in found.sentences)
    ids = {s.passage_id: s.document_id for row in looked_at for s in index.around(row)}
    unknown = index.unknown_names.in_question(question.text)
    is_nothing_fitting = not lines or (chance is not None and chance < LEAST)
    is_foreign = chance is None and index.snapshot.scale.tells_answers
    return BestLines(
        lines,
        chance,
        is_nothing_fitting,
        ids,
        unknown,
        () if is_nothing_fitting else quiet(lines, found.people),
        clips_of(index, lines),
        (f"{UNTOLD} ({foreign_language(question, found)})",) if is_foreign else (),
    )
