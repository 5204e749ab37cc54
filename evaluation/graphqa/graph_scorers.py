"""How right an answer is: as the papers' code scores it, and strictly (docs/papers.md, GraphQA).

`paper_compat` keeps the papers' figures comparable, with their faults: a word inside another counts, so does an answer that is a part
of another word, and F1 can be above 1. `strict` takes whole items, each once.
"""

import re
import string
import unicodedata
from collections.abc import Sequence

from dynagrag.evaluation.graphqa.expla_graphs import LABELS

SCORERS = ("paper_compat", "strict")
_FIRST_LABEL = re.compile(r"support|Support|Counter|counter")
_WORD = re.compile(r"\b(support|counter)s?\b", re.IGNORECASE)
_ITEM_ENDS = re.compile(r"[\n|;,]+")
_ARTICLE = re.compile(r"\b(a|an|the)\b")


def label_of(answer: str, scorer: str) -> str | None:
    """The label that an answer about ExplaGraphs gives, None where it gives none. `strict`: as a word of its own, and not both of them."""
    if scorer == "paper_compat":
        found = _FIRST_LABEL.search(answer)
        return found.group().lower() if found else None
    labels = {word.lower() for word in _WORD.findall(answer)}
    return labels.pop() if len(labels) == 1 else None


def score_label(answer: str, label: str, scorer: str) -> dict[str, float]:
    """`accuracy` 0 or 1, and whether the answer was `unparsable`."""
    assert label in LABELS
    found = label_of(answer, scorer)
    return {"accuracy": float(found == label), "unparsable": float(found is None)}


def score_list(answer: str, gold: Sequence[str], scorer: str) -> dict[str, float]:
    """`hit`, `hits@1`, `f1`, `precision` and `recall` of an answer that lists what is right; `unparsable` where it lists nothing."""
    return _score_compat(answer, gold) if scorer == "paper_compat" else _score_strict(answer, gold)


def _score_compat(answer: str, gold: Sequence[str]) -> dict[str, float]:
    lines = answer.replace("|", "\n").split("\n")
    said = " ".join(lines)
    num_matched = sum(_normalised(one) in _normalised(said) for one in gold)
    precision, recall = num_matched / len(lines), num_matched / len(gold)
    first = any(_normalised(one) in _normalised(lines[0]) for one in gold)
    return _figures(float(num_matched > 0), float(first), precision, recall, float(not said.strip()))


def _score_strict(answer: str, gold: Sequence[str]) -> dict[str, float]:
    items = [item for part in _ITEM_ENDS.split(answer) if (item := _folded(part))]
    wanted = {folded for one in gold if (folded := _folded(one))}
    right = {item for item in items if item in wanted}
    precision = len(right) / len(dict.fromkeys(items)) if items else 0.0
    recall = len(right) / len(wanted) if wanted else 0.0
    return _figures(float(bool(right)), float(bool(items) and items[0] in wanted), precision, recall, float(not items))


def _figures(hit: float, first: float, precision: float, recall: float, unparsable: float) -> dict[str, float]:
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"hit": hit, "hits@1": first, "f1": f1, "precision": precision, "recall": recall, "unparsable": unparsable}


def _normalised(text: str) -> str:
    """RoG's: lower case, without ASCII punctuation and articles."""
    bare = "".join(ch for ch in text.lower() if ch not in string.punctuation)
    return " ".join(_ARTICLE.sub(" ", bare).split())


def _folded(text: str) -> str:
    """One form of a name: no accents, case, punctuation at its ends or articles before it."""
    plain = "".join(ch for ch in unicodedata.normalize("NFKD", text) if not unicodedata.combining(ch))
    words = " ".join(unicodedata.normalize("NFKC", plain).casefold().split()).strip(" .:!?\"'()[]*-")
    return re.sub(r"^(a|an|the) ", "", words)
