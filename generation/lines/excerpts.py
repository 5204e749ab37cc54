"""What is shown of a sentence that fits: whole sentences of its own turn, and what stands before
and after them.
"""

from collections.abc import Sequence
from itertools import groupby

from dynagrag.core.schema import Citation, Evidence, EvidenceLine, Snapshot
from dynagrag.generation.citations import to_citation
from dynagrag.generation.lines.line_fit import Fits, are_neighbours
from dynagrag.generation.lines.line_index import LineIndex, Sentence
from dynagrag.generation.lines.line_kinds import is_aside, is_filler, is_question
from dynagrag.generation.lines.quote_cuts import grown
from dynagrag.generation.lines.speaker_turns import in_turn
from dynagrag.language.sentences import Span

MAX_CHARS = 320
"""Of an excerpt that is more than the one sentence, which is whole whatever its length."""
MAX_BESIDE_CHARS = 240
MAX_LINES = 50
_SHORT_CHARS = 60
"""Of a question back, and of what is said to it; what begins so ("Your Honor, it doesn't matter.")
is shown with its next sentence.
"""


def evidence_lines(index: LineIndex, fits: Fits) -> tuple[EvidenceLine, ...]:
    """The lines of the sentences that fit best, best first; of several speakers who are asked for
    in turn.

    What a better line quotes makes no line of its own, and is quoted by none.
    """
    is_in_turn = len(fits.people) > 1
    lines: list[EvidenceLine] = []
    shown: dict[str, list[Span]] = {}
    for i in fits.order():
        sentence = fits.sentences[i]
        spans = shown.setdefault(sentence.document_id, [])
        if _is_inside(sentence, spans):
            continue
        line = _line(index, sentence, float(fits.total[i]), spans)
        spans.append((line.start, line.end))
        lines.append(line)
        if len(lines) == MAX_LINES and not is_in_turn:
            break
    return tuple(in_turn(lines, fits.people)[:MAX_LINES] if is_in_turn else lines)


def _is_inside(sentence: Sentence, spans: Sequence[Span]) -> bool:
    return any(start <= sentence.start and sentence.end <= end for start, end in spans)


def _line(index: LineIndex, sentence: Sentence, fit: float, shown: Sequence[Span]) -> EvidenceLine:
    around = index.around(sentence.row)
    first, last = quoted_with(around, around.index(sentence), shown)
    said = _citation(index.snapshot, around[first : last + 1])
    return EvidenceLine(
        id=sentence.passage_id,
        document=said.document,
        start=said.start,
        end=said.end,
        speaker=said.speaker,
        start_s=said.start_s,
        quote=said.quote,
        match_start=sentence.start,
        match_end=sentence.end,
        fit=round(fit, 4),
        before=_before(index.snapshot, around, first),
        after=_after(index.snapshot, around, last, is_question(around[last].text)),
    )


def quoted_with(around: Sequence[Sentence], at: int, shown: Sequence[Span] = ()) -> tuple[int, int]:
    """First and last of the sentences of the same turn that are quoted with one. What is `shown`
    already ends them.
    """

    def may_hold(first: int, last: int, new: int) -> bool:
        is_free = _is_one_turn(around[new], around[at]) and not _is_inside(around[new], shown)
        return is_free and around[last].end - around[first].start <= MAX_CHARS

    return grown(len(around), at, may_hold)


def _is_one_turn(one: Sentence, other: Sentence) -> bool:
    return (
        one.document_id == other.document_id
        and one.turn_index == other.turn_index
        and (one.turn is not None or one.row == other.row)
    )


def _before(snapshot: Snapshot, around: Sequence[Sentence], first: int) -> Citation | None:
    """The end of what was said just before."""
    at = first - 1
    while at >= 0 and are_neighbours(around[at], around[first]) and around[at].says_nothing:
        at -= 1
    if at < 0 or not are_neighbours(around[at], around[first]):
        return None
    start = at
    while (
        start > 0
        and _is_one_turn(around[start - 1], around[at])
        and around[at].end - around[start - 1].start <= MAX_BESIDE_CHARS
    ):
        start -= 1
    return _citation(snapshot, around[start : at + 1])


def _after(
    snapshot: Snapshot, around: Sequence[Sentence], last: int, is_asked: bool
) -> Citation | None:
    """The beginning of what was said just after; a filler alone is passed over, but where it
    answers a question.
    """
    at = last + 1
    while (
        at < len(around)
        and are_neighbours(around[last], around[at])
        and _is_passed_over(around[at], is_asked)
    ):
        at += 1
    if at == len(around) or not are_neighbours(around[last], around[at]):
        return None
    if is_asked:
        at = _past_a_question_back(around, last, at)
    end = at
    while end + 1 < len(around) and _is_one_turn(around[end + 1], around[at]):
        if around[end + 1].end - around[at].start > (
            MAX_BESIDE_CHARS if around[end].end - around[at].start > _SHORT_CHARS else MAX_CHARS
        ):
            break
        end += 1
    return _citation(snapshot, around[at : end + 1])


def _past_a_question_back(around: Sequence[Sentence], asked: int, at: int) -> int:
    """Where the reply to a question begins: after a short question back ("Any marriage, Your
    Honor?") and what the asker says to that.
    """
    back, said, reply = (_turn_from(around, at, place) for place in range(3))
    if not back or not said or not reply or around[asked].speaker is None:
        return at
    is_between_two = said[0].speaker == around[asked].speaker != back[0].speaker == reply[0].speaker
    are_short = all(sum(len(s.text) for s in turn) <= _SHORT_CHARS for turn in (back, said))
    is_back = is_question(back[-1].text) and not is_question(said[-1].text)
    return around.index(reply[0]) if is_between_two and are_short and is_back else at


def _turn_from(around: Sequence[Sentence], at: int, place: int) -> Sequence[Sentence]:
    """The rest of the turn of one sentence (`place` 0), of the next turn (1), or of the one after
    it; of one document, empty at its end.
    """
    rest = [s for s in around[at:] if s.document_id == around[at].document_id]
    turns = [list(run) for _, run in groupby(rest, key=lambda s: s.turn_index)]
    return turns[place] if place < len(turns) else ()


def _is_passed_over(sentence: Sentence, is_asked: bool) -> bool:
    return (
        is_aside(sentence.text) if is_asked and is_filler(sentence.text) else sentence.says_nothing
    )


def _citation(snapshot: Snapshot, run: Sequence[Sentence]) -> Citation:
    start, end, turn = run[0].start, run[-1].end, run[0].turn
    speaker, start_s = (turn.speaker, turn.second_of(start)) if turn else (None, None)
    return to_citation(
        Evidence("", run[0].passage_id, run[0].document_id, start, end, "", speaker, start_s),
        snapshot,
    )
