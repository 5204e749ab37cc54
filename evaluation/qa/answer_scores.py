"""How right an answer is, of 0 to 1: the measures of SQuAD and ROUGE-L, what it claims and what it
cites (docs/evaluation.md, Answers).
"""

import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dynagrag.evaluation.answers.answer_line import AnswerLine, CitedSpan
from dynagrag.evaluation.question_sets.gold_resolver import GoldWords
from dynagrag.evaluation.question_sets.question_set import GoldAnswer

EM, F1, ROUGE_L, RECALL = "em", "f1", "rouge_l", "answer_recall"
STATED, CONTRADICTED, NOT_FOUND = "stated", "contradicted", "not_found"
CITED_RIGHT, GOLD_CITED, ABSTAINED = "citation_precision", "citation_recall", "abstained"
CLAIM_SHARES = (STATED, CONTRADICTED, NOT_FOUND)
MEASURES = (EM, F1, ROUGE_L, RECALL, *CLAIM_SHARES, CITED_RIGHT, GOLD_CITED, ABSTAINED)
"""In the order in which reports have them. `abstained` is neither good nor bad by itself."""
MAX_SHORT_WORDS = 12
"""References of at most so many words are short: they are compared with the answer in a few words.
MuSiQue's longest has twelve.
"""
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ROUGE_WORD = re.compile(r"[^\W_]+")
_YES_NO = ("yes", "no")


@dataclass(frozen=True, slots=True)
class WantedAnswer:
    """Gold that an answer is scored against. `things`: where the words of each thing that should be
    cited stand, None where that can't be told; `num_missing`: those that the corpus lacks.
    """

    answer: GoldAnswer
    things: Sequence[GoldWords] | None = None
    num_missing: int = 0


def is_short(answer: GoldAnswer | None) -> bool:
    """Whether all its texts are a few words."""
    return (
        answer is not None
        and bool(answer.texts)
        and all(len(text.split()) <= MAX_SHORT_WORDS for text in answer.texts)
    )


def score(line: AnswerLine, wanted: WantedAnswer) -> dict[str, float]:
    """The measures that can be taken of an answer, by name; none of an answer that failed. One that
    was cut off has said nothing.

    A question that nothing answers has no right words: there only `abstained` and the claims count.
    """
    if line.has_failed:
        return {}
    texts = wanted.answer.texts
    values: dict[str, float] = {ABSTAINED: float(line.is_abstained)}
    said = "" if line.is_abstained else line.plain
    if texts and is_short(wanted.answer):
        if (short := "" if line.is_cut_off else line.short) is not None:
            values[EM] = max(exact_match(short, text) for text in texts)
            values[F1] = max(word_f1(short, text) for text in texts)
        values[RECALL] = max(contains(said, text) for text in texts)
    elif texts:
        values[ROUGE_L] = max(rouge_l(said, text) for text in texts)
        values[RECALL] = max(word_recall(said, text) for text in texts)
    if total := line.claims.total:
        values[STATED] = len(line.claims.stated) / total
        values[CONTRADICTED] = len(line.claims.contradicted) / total
        values[NOT_FOUND] = len(line.claims.not_found) / total
    if (
        wanted.answer.is_answerable
        and wanted.things is not None
        and len(wanted.things) + wanted.num_missing
    ):
        values |= _citations(line.citations, wanted.things, wanted.num_missing)
    return values


def normalized(text: str) -> str:
    """As SQuAD compares answers: lower-cased, without punctuation, articles and blank space that is
    no single blank.
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(said: str, wanted: str) -> float:
    """1 where both are the same once normalized, and something was said."""
    ours, theirs = _compared(said, wanted)
    return float(bool(ours) and ours == theirs)


def word_f1(said: str, wanted: str) -> float:
    """F1 of the words of both, each as often as it occurs; 0 where nothing was said."""
    ours, theirs = _compared(said, wanted)
    if not ours or not theirs:
        return 0.0
    shared = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * shared / (len(ours) + len(theirs))


def _compared(said: str, wanted: str) -> tuple[list[str], list[str]]:
    """The words of both, normalized; where nothing of what is wanted would be left ("A", "..."), as
    they stand.
    """
    if theirs := normalized(wanted).split():
        return normalized(said).split(), theirs
    ours, theirs = (
        [word.strip(string.punctuation) or word for word in text.casefold().split()]
        for text in (said, wanted)
    )
    return ours, theirs


def contains(said: str, wanted: str) -> float:
    """1 where the wanted words stand in what was said, in their order and beside each other; yes
    and no must be its first word.
    """
    ours, theirs = normalized(said).split(), normalized(wanted).split()
    if not theirs:
        return exact_match(said, wanted)
    if theirs[0] in _YES_NO and len(theirs) == 1:
        return float(ours[:1] == theirs)
    return float(f" {' '.join(theirs)} " in f" {' '.join(ours)} ")


def word_recall(said: str, wanted: str) -> float:
    """The share of the wanted words that were said, each as often as it occurs."""
    theirs = Counter(normalized(wanted).split())
    shared = Counter(normalized(said).split()) & theirs
    return sum(shared.values()) / total if (total := sum(theirs.values())) else 0.0


def rouge_l(said: str, wanted: str) -> float:
    """ROUGE-L's F1: of the longest sequence of words that both have in this order. Words not
    stemmed, those of ASCII as rouge-score has them; it knows no others.
    """
    ours, theirs = (_ROUGE_WORD.findall(text.lower()) for text in (said, wanted))
    if not ours or not theirs:
        return 0.0
    return 2 * _longest_shared(ours, theirs) / (len(ours) + len(theirs))


def _longest_shared(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    lengths = [0] * (len(second) + 1)
    for word in first:
        before = 0
        for i, other in enumerate(second, start=1):
            before, lengths[i] = (
                lengths[i],
                before + 1 if word == other else max(lengths[i], lengths[i - 1]),
            )
    return lengths[-1]


def _citations(
    citations: Iterable[CitedSpan], things: Sequence[GoldWords], num_missing: int
) -> dict[str, float]:
    """Of what is cited, the share that touches what should be; of what should be cited, the share
    that is touched. Nothing cited has no precision.
    """
    cited = list(dict.fromkeys((c.document, c.start, c.end) for c in citations))
    places = [[span for place in thing for span in place] for thing in things]
    values = {
        GOLD_CITED: sum(any(_touch(c, span) for c in cited for span in spans) for spans in places)
        / (len(things) + num_missing)
    }
    if cited:
        values[CITED_RIGHT] = sum(
            any(_touch(c, span) for spans in places for span in spans) for c in cited
        ) / len(cited)
    return values


def _touch(first: tuple[str, int, int], second: tuple[str, int, int]) -> bool:
    return first[0] == second[0] and first[1] < second[2] and second[1] < first[2]
