"""The lines of a question, best first, and whether they answer it at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dynagrag.core.protocols import Embedder, Reranker
from dynagrag.core.schema import Clip, EvidenceLine, OtherPerson, Question
from dynagrag.generation.evidence_sentences.answerable import (
    LEAST,
    answerable,
    foreign_language,
    holds_all_words,
    holds_every_word,
    language_of_clips,
    not_judged,
    sentences_asked_for,
)
from dynagrag.generation.evidence_sentences.clips import MAX_CLIPS, clips_of
from dynagrag.generation.evidence_sentences.excerpts import evidence_lines
from dynagrag.generation.evidence_sentences.languages_apart import languages_apart
from dynagrag.generation.evidence_sentences.line_fit import fits
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.generation.evidence_sentences.other_person import other_person
from dynagrag.generation.evidence_sentences.reranked_lines import reranked
from dynagrag.generation.evidence_sentences.speaker_turns import quiet_sides
from dynagrag.models.embedder_languages import is_english_alone, languages_apart_note


@dataclass(frozen=True, slots=True)
class BestLines:
    """Lines of evidence, best first, and the clips in which they stand. `answerable`,
    `unknown_names`, `quiet_speakers`, `unread_language`, `unjudged_language`, `question_language`,
    `lines_language`, `other_person`: as `Answer` has them. `notes`: what could not be told, a
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
    unread_language: str = ""
    unjudged_language: str = ""
    question_language: str = ""
    lines_language: str = ""
    other_person: OtherPerson | None = None


def best_lines(
    index: LineIndex,
    question: Question,
    rows: Sequence[int],
    embedder: Embedder,
    reranker: Reranker | None = None,
) -> BestLines:
    """`rows`: passages to take sentences from, best first. `reranker`: puts the best of them in
    order.
    """
    found = fits(index, question, rows, embedder)
    if reranker is not None:
        found = reranked(question.text, found, reranker)
    if own := sentences_asked_for(index, question, found):
        found = found.of_sentences(own)
    lines = evidence_lines(index, found)
    foreign = foreign_language(question, found)
    quiet = () if foreign else quiet_sides(found)
    clips = clips_of(index, lines, found, quiet)
    foreign = foreign or language_of_clips(index, clips)
    chance = answerable(index, question, found, foreign, embedder)
    looked_at = dict.fromkeys(s.row for s in found.sentences)
    ids = {s.passage_id: s.document_id for row in looked_at for s in index.around(row)}
    unknown = index.unknown_names.in_question(question.text)
    talk = found.held.talk
    if talk is not None and (topic := index.unknown_names.in_topic(talk.topic)):
        unknown = unknown or {topic: ()}
    is_nothing_fitting = not lines
    if chance is not None and chance < LEAST:
        best = {(line.id, line.match_start) for line in lines[:MAX_CLIPS]}
        stated = [s for s in found.sentences if not s.is_question]
        of_best = [s for s in stated if (s.passage_id, s.start) in best]
        spans = [(ids[clip.id], clip.start, clip.end) for clip in clips]
        shown = [
            s
            for s in stated
            if any(id_ == s.document_id and a <= s.start < b for id_, a, b in spans)
        ]
        is_nothing_fitting = not (
            holds_all_words(question, of_best) or holds_every_word(question, shown)
        )
    asked_in, shown_in = languages_apart(index, question.text, clips)
    name = embedder.identity.name
    language = foreign if is_english_alone(name) else ""
    return BestLines(
        lines=lines,
        answerable=chance,
        is_nothing_fitting=is_nothing_fitting,
        document_ids=ids,
        unknown_names=unknown,
        quiet_speakers=() if is_nothing_fitting else tuple(side.name for side in quiet),
        clips=clips,
        notes=tuple(
            filter(
                None,
                (
                    not_judged(name, foreign) if chance is None else "",
                    languages_apart_note(asked_in, shown_in) if is_english_alone(name) else "",
                ),
            )
        ),
        unread_language=language,
        unjudged_language=foreign if chance is None else "",
        question_language=asked_in,
        lines_language=shown_in,
        other_person=(
            None if is_nothing_fitting else other_person(index, question, found, foreign, embedder)
        ),
    )
