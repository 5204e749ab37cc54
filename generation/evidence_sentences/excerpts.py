"""Excerpts of the sources around sentences that fit: whole sentences of their own turn, and those
before and after them.
"""

from collections.abc import Sequence
from itertools import groupby

from dynagrag.core.schema import Citation, Evidence, EvidenceLine, Snapshot
from dynagrag.generation.citations import to_citation
from dynagrag.generation.evidence_sentences.line_fit import Fits, are_neighbours
from dynagrag.generation.evidence_sentences.line_index import LineIndex, PassageSentence
from dynagrag.generation.evidence_sentences.line_kinds import is_aside, is_filler
from dynagrag.generation.evidence_sentences.quote_cuts import grown
from dynagrag.generation.evidence_sentences.speaker_turns import in_turn
from dynagrag.language.sentences import Span

MAX_CHARS = 320
"""Of an excerpt that is more than the one sentence, which is whole whatever its length."""
MAX_BESIDE_CHARS = 240
MAX_LINES = 50
_SHORT_CHARS = 60
"""Of a question back, and of the words to it; a beginning so short ("Your Honor, it doesn't
matter.") is shown with its next sentence.
"""


def evidence_lines(index: LineIndex, fits: Fits) -> tuple[EvidenceLine, ...]:
    """The lines of the sentences that fit best, best first; of several sides in turn.

    A sentence that a better line quotes makes no line of its own, and is quoted by none.
    """
    is_in_turn = len(fits.sides) > 1
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
    return tuple(in_turn(lines, fits.sides)[:MAX_LINES] if is_in_turn else lines)


def _is_inside(sentence: PassageSentence, spans: Sequence[Span]) -> bool:
    return any(start <= sentence.start and sentence.end <= end for start, end in spans)


def _line(
    index: LineIndex, sentence: PassageSentence, fit: float, shown: Sequence[Span]
) -> EvidenceLine:
    around = index.around(sentence.row)
    first, last = quoted_with(around, around.index(sentence), shown)
    cited = citation_of(index.snapshot, around[first : last + 1])
    return EvidenceLine(
        id=sentence.passage_id,
        document=cited.document,
        start=cited.start,
        end=cited.end,
        speaker=cited.speaker,
        start_s=cited.start_s,
        quote=cited.quote,
        match_start=sentence.start,
        match_end=sentence.end,
        fit=round(fit, 4),
        before=_before(index.snapshot, around, first),
        after=_after(index.snapshot, around, last, around[last].is_question),
    )


def quoted_with(
    around: Sequence[PassageSentence], at: int, shown: Sequence[Span] = ()
) -> tuple[int, int]:
    """First and last of the sentences of the same turn that are quoted with one. Sentences that are
    `shown` already end them.
    """

    def may_hold(first: int, last: int, new: int) -> bool:
        is_free = _is_one_turn(around[new], around[at]) and not _is_inside(around[new], shown)
        return is_free and around[last].end - around[first].start <= MAX_CHARS

    return grown(len(around), at, may_hold)


def _is_one_turn(one: PassageSentence, other: PassageSentence) -> bool:
    return (
        one.document_id == other.document_id
        and one.turn_index == other.turn_index
        and (one.turn is not None or one.row == other.row)
    )


def _before(snapshot: Snapshot, around: Sequence[PassageSentence], first: int) -> Citation | None:
    """The end of the turn just before."""
    for end in range(first - 1, -1, -1):
        if not are_neighbours(around[end], around[first]):
            return None
        if not around[end].says_nothing:
            break
    else:
        return None
    start = end
    while start > 0 and _is_one_turn(around[start - 1], around[end]):
        if around[end].end - around[start - 1].start > MAX_BESIDE_CHARS:
            break
        start -= 1
    return citation_of(snapshot, around[start : end + 1])


def _after(
    snapshot: Snapshot, around: Sequence[PassageSentence], last: int, is_asked: bool
) -> Citation | None:
    """The beginning of the turn just after; a filler alone is passed over, but where it answers a
    question.
    """
    for at in range(last + 1, len(around)):
        text = around[at].text
        if not are_neighbours(around[last], around[at]):
            return None
        is_reply = is_asked and is_filler(text) and not is_aside(text)
        if is_reply or not around[at].says_nothing:
            break
    else:
        return None
    if is_asked:
        at = _past_a_question_back(around, last, at)
    end = at
    while end + 1 < len(around) and _is_one_turn(around[end + 1], around[at]):
        is_short = around[end].end - around[at].start <= _SHORT_CHARS
        if around[end + 1].end - around[at].start > (MAX_CHARS if is_short else MAX_BESIDE_CHARS):
            break
        end += 1
    return citation_of(snapshot, around[at : end + 1])


def _past_a_question_back(around: Sequence[PassageSentence], asked: int, at: int) -> int:
    """Where the reply to a question begins: after a short question back ("Any marriage, Your
    Honor?") and the asker's short words to that.
    """
    rest = [s for s in around[at:] if s.document_id == around[at].document_id]
    turns = [list(turn) for _, turn in groupby(rest, key=lambda s: s.turn_index)]
    asker = around[asked].speaker
    if len(turns) < 3 or asker is None:
        return at
    back, reaction, reply = turns[:3]
    is_between_two = reaction[0].speaker == asker != back[0].speaker == reply[0].speaker
    is_short = all(sum(len(s.text) for s in turn) <= _SHORT_CHARS for turn in (back, reaction))
    is_back = back[-1].is_question and not reaction[-1].is_question
    return around.index(reply[0]) if is_between_two and is_short and is_back else at


def citation_of(snapshot: Snapshot, run: Sequence[PassageSentence]) -> Citation:
    """Sentences of one turn that follow each other, with its speaker and their time."""
    start, end, turn = run[0].start, run[-1].end, run[0].turn
    speaker, start_s = (turn.speaker, turn.second_of(start)) if turn else (None, None)
    return to_citation(
        Evidence("", run[0].passage_id, run[0].document_id, start, end, "", speaker, start_s),
        snapshot,
    )
