"""Faults of a question that a model wrote, as far as code can tell; each fault in the words in
which it is counted.
"""

from collections.abc import Mapping, Sequence

from dynagrag.core.schema import Evidence as ShownLine
from dynagrag.evaluation.questions.cloze_drafts import has_words
from dynagrag.evaluation.questions.made_question import QuestionKind
from dynagrag.evaluation.questions.question_writing import Request, WrittenReply
from dynagrag.evaluation.questions.record_questions import GIVEN_AWAY
from dynagrag.evaluation.questions.sayings import wording
from dynagrag.generation.support import content_stems
from dynagrag.language.english.spoken_lines import OF_THE_LINES

_MIN_WORDS, _MAX_WORDS = 4, 40
_MAX_RUN = 7
"""Words of a line in a row that a question may have: names and their surroundings are so long, more
is copied.
"""
_MAX_SHARE = 0.6
"""Of a short question's words, in a row in one line."""
_SAME = 0.8
"""Two questions share this much of their content words: they ask the same."""


def question_fault(request: Request, question: str) -> str | None:
    """The fault of the question's own words; None where there is none."""
    words = wording(question).split()
    if not question.endswith("?") or "\n" in question or not _MIN_WORDS <= len(words) <= _MAX_WORDS:
        return f"is no question of {_MIN_WORDS} to {_MAX_WORDS} words"
    if OF_THE_LINES.search(question):
        return "speaks of the lines that it was written from"
    lines = (wording(line.quote).split() for line in request.shown.values())
    longest = max((longest_run(words, line) for line in lines), default=0)
    if longest > min(_MAX_RUN, max(_MIN_WORDS, _MAX_SHARE * len(words))):
        return "is copied from one line"
    if request.kind is QuestionKind.TWO_HOP and any(
        has_words(question, name) for e in request.draft.asked for name in (e.name, *e.aliases)
    ):
        return "names the thing that it should describe"
    return None


def answer_fault(request: Request, reply: WrittenReply, cited: Sequence[ShownLine]) -> str | None:
    """The fault of the answer, before anybody is asked; None without one. `cited`: lines that the
    model names for it.
    """
    if not reply.answer.strip() or not reply.statement.strip():
        return "has no answer"
    if has_words(reply.question, reply.answer) or (
        (stems := content_stems(reply.answer)) and stems <= content_stems(reply.question)
    ):
        return GIVEN_AWAY
    if not cited:
        return "names no line that states its answer"
    if (
        request.kind in (QuestionKind.TWO_HOP, QuestionKind.THEMATIC)
        and len({line.id for line in cited}) < 2
    ):
        return "is answered by one passage"
    if (
        request.kind is QuestionKind.COMPARISON
        and len({(line.speaker, line.document_id) for line in cited}) < 2
    ):
        return "is answered by one speaker"
    return None


class AskedBefore:
    """The questions so far, to tell whether one asks the same again."""

    def __init__(self) -> None:
        self._wordings: set[str] = set()
        self._stems: list[frozenset[str]] = []

    def is_new(self, question: str) -> bool:
        """Whether no earlier question asks the same; this one counts as asked from now on."""
        words, stems = wording(question), content_stems(question)
        if words in self._wordings or any(
            len(stems & own) > _SAME * len(stems | own) for own in self._stems
        ):
            return False
        self._wordings.add(words)
        self._stems.append(stems)
        return True


def holds_answer(text: str, answer: str, min_share: float) -> bool:
    """Whether a text has so much of an answer's content words; an answer without any (`Yes.`) must
    stand in it as it is.
    """
    stems = content_stems(answer)
    return (
        len(stems & content_stems(text)) >= min_share * len(stems)
        if stems
        else has_words(text, answer)
    )


def known_lines(labels: Sequence[str], shown: Mapping[str, ShownLine]) -> tuple[ShownLine, ...]:
    """The lines of these labels that were shown, each once; models write them with brackets too."""
    bare = (label.strip(" []").upper() for label in labels)
    return tuple(shown[label] for label in dict.fromkeys(bare) if label in shown)


def longest_run(first: Sequence[str], second: Sequence[str]) -> int:
    """How many words in a row two texts share at most."""
    best = 0
    before = [0] * (len(second) + 1)
    for word in first:
        row = [0] * (len(second) + 1)
        for at, other in enumerate(second, start=1):
            if word == other:
                row[at] = before[at - 1] + 1
                best = max(best, row[at])
        before = row
    return best
