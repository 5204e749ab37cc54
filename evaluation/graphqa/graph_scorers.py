"""How right an answer is: as the papers' code scores it, and strictly (docs/papers.md, GraphQA).

`paper_compat` keeps the papers' figures comparable, with their faults: a word inside another
counts, so does an answer that is a part of another word, and F1 can be above 1. `strict` takes
whole tokens, and each item and each right answer once.
"""

import re
import string
from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from dynagrag.evaluation.graphqa.answer_items import Tokens, is_in, items_of, same_name, tokens_of
from dynagrag.evaluation.graphqa.graph_question import AnswerForm


class Scorer(StrEnum):
    """How answers are scored: see above."""

    PAPER_COMPAT = "paper_compat"
    STRICT = "strict"


_FIRST_LABEL = re.compile(r"support|Support|Counter|counter")
_WORD = re.compile(r"\b(support|counter)s?\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_OPPOSITES = {
    a: b
    for pair in (("yes", "no"), ("left", "right"), ("top", "bottom"), ("indoors", "outdoors"))
    for a, b in (pair, pair[::-1])
}


def score(
    form: AnswerForm, answer: str, gold: Sequence[str], scorer: Scorer, names: Sequence[str] = ()
) -> dict[str, float]:
    """The measures of an answer of this form. `names`: those of the question's graph, whose commas
    part no items.
    """
    match form:
        case AnswerForm.LABEL:
            return score_label(answer, gold[0], scorer)
        case AnswerForm.SHORT:
            return score_short(answer, gold[0], scorer, names)
        case AnswerForm.LIST:
            return score_list(answer, gold, scorer, names)


def label_of(answer: str, scorer: Scorer) -> str | None:
    """The label that an answer about ExplaGraphs gives, None where it gives none. `strict`: as a
    word of its own, and not both of them.
    """
    match scorer:
        case Scorer.PAPER_COMPAT:
            found = _FIRST_LABEL.search(answer)
            return found.group().lower() if found else None
        case Scorer.STRICT:
            labels = {word.lower() for word in _WORD.findall(answer)}
            return labels.pop() if len(labels) == 1 else None


def score_label(answer: str, label: str, scorer: Scorer) -> dict[str, float]:
    """`accuracy` 0 or 1, and whether the answer was `unparsable`. `label`: support or counter."""
    found = label_of(answer, scorer)
    return {"accuracy": float(found == label), "unparsable": float(found is None)}


def score_short(
    answer: str, label: str, scorer: Scorer, names: Sequence[str] = ()
) -> dict[str, float]:
    """`accuracy` and `unparsable` of an answer of a few words. `paper_compat`: the label stands
    anywhere in it, of the same case. `strict`: as whole tokens of its first item, and not beside
    its opposite (yes and no, left and right).
    """
    match scorer:
        case Scorer.PAPER_COMPAT:
            return {"accuracy": float(label in answer), "unparsable": float(not answer.strip())}
        case Scorer.STRICT:
            items, wanted = items_of(answer, (label, *names)), tokens_of(label)
            opposite = _OPPOSITES.get(label.casefold())
            is_right = (
                bool(items) and _matches(items[0], wanted) and opposite not in tokens_of(answer)
            )
            return {"accuracy": float(is_right), "unparsable": float(not items)}


def score_list(
    answer: str, gold: Sequence[str], scorer: Scorer, names: Sequence[str] = ()
) -> dict[str, float]:
    """`hit`, `hits@1`, `f1`, `precision` and `recall` of an answer that lists what is right;
    `unparsable` where it lists nothing.
    """
    match scorer:
        case Scorer.PAPER_COMPAT:
            return _score_compat(answer, gold)
        case Scorer.STRICT:
            return _score_strict(answer, gold, names)


def _score_compat(answer: str, gold: Sequence[str]) -> dict[str, float]:
    lines = answer.replace("|", "\n").split("\n")
    said = " ".join(lines)
    num_matched = sum(_normalised(one) in _normalised(said) for one in gold)
    precision, recall = num_matched / len(lines), num_matched / len(gold)
    first = any(_normalised(one) in _normalised(lines[0]) for one in gold)
    return _figures(
        float(num_matched > 0), float(first), precision, recall, float(not said.strip())
    )


def _score_strict(answer: str, gold: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    items = items_of(answer, (*gold, *names))
    wanted = list(dict.fromkeys(tokens for one in gold if (tokens := tokens_of(one))))
    num_matched = _num_matched(items, wanted)
    precision = num_matched / len(items) if items else 0.0
    recall = num_matched / len(wanted) if wanted else 0.0
    first = bool(items) and any(_matches(items[0], one) for one in wanted)
    return _figures(float(num_matched > 0), float(first), precision, recall, float(not items))


def _num_matched(items: Sequence[Tokens], wanted: Sequence[Tokens]) -> int:
    """How many pairs of an item and a right answer there are at most, none of either in two
    pairs.
    """
    fits = np.array(
        [[_matches(item, one) for one in wanted] for item in items], dtype=np.int8
    ).reshape(len(items), len(wanted))
    return int((maximum_bipartite_matching(csr_array(fits)) >= 0).sum())


def _matches(item: Tokens, wanted: Tokens) -> bool:
    return same_name(item, wanted) or is_in(wanted, item)


def _figures(
    hit: float, first: float, precision: float, recall: float, unparsable: float
) -> dict[str, float]:
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {
        "hit": hit,
        "hits@1": first,
        "f1": f1,
        "precision": precision,
        "recall": recall,
        "unparsable": unparsable,
    }


def _normalised(text: str) -> str:
    """RoG's: lower case, without ASCII punctuation and articles."""
    bare = "".join(ch for ch in text.lower() if ch not in string.punctuation)
    return " ".join(_ARTICLE.sub(" ", bare).split())
