"""An intermediate answer as the merge reads it: each of its sentences with the citations that share
most words with it.

Small models write good sentences and cite the wrong lines, and a merge copies what it reads. So a
sentence keeps the citations that share content words with it; when none does, it gets the lines
that share most; when there is no such line, what the model cited stays. That is an aid to the merge
alone: no answer is shown so, and what the merge then cites is checked claim by claim
(`claims/answer_claims.py`).
"""

import re
from collections.abc import Mapping

from dynagrag.core.schema import Evidence
from dynagrag.generation.citations import cited_labels, without_marks
from dynagrag.generation.claims.answer_sentences import answer_sentences
from dynagrag.generation.support import NO_CONTENT, WORD, content_stems, stem

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|negative|without)\b|n['’]t\b", re.IGNORECASE
)
_MIN_SHARED = 2
_MIN_SHARE = 0.34
_MIN_OWN_SHARE = 0.5
_MIN_FOUND_SHARE = 0.5
_MAX_FOUND = 2
_MUCH_CLOSER = 1.25
_MAX_KEPT = 4


def merge_input(text: str, evidence: Mapping[str, Evidence]) -> str:
    """A whole answer, sentence by sentence, the marks of each at its end."""
    return "".join(_sentence(sentence, evidence) for sentence in answer_sentences([text])).strip()


def _sentence(sentence: str, evidence: Mapping[str, Evidence]) -> str:
    """The blank space at both ends is kept."""
    labels = [label for label in cited_labels(sentence) if label in evidence]
    words = without_marks(sentence)
    body = words.strip()
    if not body:
        return sentence
    fitting = [label for label in labels if _fits(evidence[label], words)]
    kept = (_best(fitting, words, evidence) or _found(words, evidence) or labels)[:_MAX_KEPT]
    head = sentence[: len(sentence) - len(sentence.lstrip())]
    tail = sentence[len(sentence.rstrip()) :]
    return head + body + (" " + "".join(f"[{label}]" for label in kept) if kept else "") + tail


def _shared(evidence: Evidence, wanted: frozenset[str]) -> int:
    return len(wanted & content_stems(f"{evidence.speaker or ''} {evidence.quote}"))


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """Two to four neighbouring words, function words left out but single letters kept: (cell, 1),
    (1, main, b).
    """
    words = [w.casefold() for w in WORD.findall(text)]
    kept = [stem(w) for w in words if len(w) == 1 or w not in NO_CONTENT]
    return frozenset(tuple(kept[i : i + n]) for n in (2, 3, 4) for i in range(len(kept) - n + 1))


def _closeness(evidence: Evidence, sentence: str) -> int:
    """Shared content words, and shared runs of them: in "cell 1 on MAIN B" and "cell 1 on MAIN A"
    all words but the runs are alike.
    """
    return _shared(evidence, content_stems(sentence)) + len(_runs(sentence) & _runs(evidence.quote))


def _fits(evidence: Evidence, sentence: str) -> bool:
    """Whether the line shares two content words with the sentence (its speaker's name is one), or a
    third of them, or half of its own.

    At least one of them must be in the quote.
    """
    wanted, own = content_stems(sentence), content_stems(evidence.quote)
    quoted = len(wanted & own)
    return quoted > 0 and (
        _shared(evidence, wanted) >= min(_MIN_SHARED, _MIN_SHARE * len(wanted))
        or quoted >= _MIN_OWN_SHARE * len(own)
    )


def _best(labels: list[str], sentence: str, evidence: Mapping[str, Evidence]) -> list[str]:
    """The lines by closeness to the sentence, without those that are less than half as close as the
    best.

    A line that was not cited but is much closer than every one that was takes their place.
    """
    if not labels:
        return []
    close = {label: _closeness(evidence[label], sentence) for label in labels}
    found = _found(sentence, evidence)
    if found and _closeness(evidence[found[0]], sentence) >= _MUCH_CLOSER * max(close.values()):
        return found[:1]
    return sorted(
        (label for label in labels if 2 * close[label] >= max(close.values())),
        key=lambda label: -close[label],
    )


def _found(sentence: str, evidence: Mapping[str, Evidence]) -> list[str]:
    """The lines that share most content words with a sentence: at least two, and half of the
    sentence's.

    Not where only one of the two denies something: such words decide what a line says.
    """
    wanted, is_negated = content_stems(sentence), bool(_NEGATION.search(sentence))
    ranked = []
    for order, (label, line) in enumerate(evidence.items()):
        if bool(_NEGATION.search(line.quote)) != is_negated:
            continue
        shared = len(wanted & content_stems(line.quote))
        if shared >= max(_MIN_SHARED, _MIN_FOUND_SHARE * len(wanted)):
            ranked.append((-_closeness(line, sentence), order, label))
    return [label for _, _, label in sorted(ranked)[:_MAX_FOUND]]
