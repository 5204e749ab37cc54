"""What the columns of a run's tables mean, in plain words."""

from collections.abc import Iterable

_WORDS = {
    "recall@2": "share of what should be found that is among the first 2 passages; recall@5 and recall@10 likewise",
    "all@5": "all that should be found is among the first 5",
    "hit@1": "the first passage is one that should be found",
    "mrr": "1 divided by the place of the first right passage, so 100 where it stands first",
    "p@5": "share of the first 5 passages that should be found; with one right passage it is 20 at best",
    "r@10": "right passages among the first 10, of at most 10",
    "ms": "median milliseconds a question",
    "F1": "words that the answer in a few words shares with the right one",
    "exact": "the answer in a few words is the right one, but for case, articles and punctuation",
    "ROUGE-L": "longest sequence of words that the answer shares with a long right one",
    "answer recall": "words of the right answer that stand in the whole answer",
    "stated": "share of the answer's claims that a line states; contradicted and not found likewise",
    "cited right": "share of the citations that touch what should be cited",
    "gold cited": "share of what should be cited that is",
    "abstained": "share of the answers that say that the sources don't answer",
    "context tokens": "tokens of evidence that were put before the model",
    "calls": "calls of the model; a reply from the cache counts as the call that it once was",
    "clarity": "clear and brief; like the other four, 1 to 5 by the judge, the median of its samples",
    "cut off": "answers without an end, which count as wrong",
    "unreadable": "replies of which no grade or verdict could be read; they are counted, never guessed",
    "of these by flips": "ties in which the judge changed its mind with the order of the two",
    "stated claims, %": "share of the claims that lines state, which the grades don't see",
    "balanced": "mean of true kept and of the mean of what was caught; 50 is what one verdict for everything gets",
    "true kept": "share of the true claims that the checker says are stated; caught: share of the false ones that it doesn't",
    "kappa": "agreement beyond chance: 0 is what a judge gets that doesn't look, 1 is all",
    "flips": "pairs whose verdict changed with the order of the two; they count as ties",
    "found": "share of what people marked that was found",
    "right": "share of what was found that people marked",
}
_INTERVAL = (
    "difference over the same questions, and the range in which it lies with 95 % certainty; where the range holds 0, the two can't be "
    "told apart"
)


def explained(columns: Iterable[str]) -> list[tuple[str, str]]:
    """The columns that need a word, with it, in their order."""
    found = {}
    for column in columns:
        if column.startswith("against ") or column == "Difference (95 %)":
            found[column] = _INTERVAL
        elif column in _WORDS:
            found[column] = _WORDS[column]
    return list(found.items())
