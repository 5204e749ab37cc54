"""Whether a question is in another language than the lines shown for it."""

from collections import Counter
from collections.abc import Sequence

from dynagrag.core.schema import Clip
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.language.identification import (
    is_surely_asked_in,
    language_name,
    language_of_question,
)


def languages_apart(index: LineIndex, question: str, clips: Sequence[Clip]) -> tuple[str, str]:
    """The names of the question's language and of that of the clips' documents; both empty unless
    the question is surely in another, and most of the clips are in one and none in the question's.
    """
    passages, row_of = index.snapshot.passages, index.passages.row_of
    codes = Counter(index.language(passages[row_of[clip.id]].document_id) for clip in clips)
    asked = language_of_question(question)
    if not codes or asked in codes:
        return "", ""
    usual, num_clips = codes.most_common(1)[0]
    is_apart = 2 * num_clips > len(clips) and is_surely_asked_in(question, asked, not_in=usual)
    return (language_name(asked), language_name(usual)) if is_apart else ("", "")
