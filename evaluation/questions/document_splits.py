"""Which documents are for training, validation and test, or lie in which fold: no document is in
two, so that nothing is learned of what is tested.
"""

import random
from collections.abc import Mapping, Sequence

from dynagrag.evaluation.questions.made_question import Split

SHARES: Mapping[Split, float] = {Split.TRAIN: 0.7, Split.TEST: 0.15, Split.VALIDATION: 0.15}
"""Of the sizes of the documents; in this order splits get their first document."""


def document_splits(sizes: Mapping[str, int], seed: int) -> dict[str, Split]:
    """The split of each document, by id. The seed decides the order; each document goes where most
    is missing.

    One document is for training alone, two are for training and test; from three on every split has
    one.
    """
    ids = sorted(sizes)
    random.Random(seed).shuffle(ids)
    filled = dict.fromkeys(SHARES, 0)
    splits: dict[str, Split] = {}
    for place, id_ in enumerate(ids):
        empty = _empty(splits, len(ids))
        to_choose = empty if len(ids) - place <= len(empty) else list(SHARES)
        total = sum(filled.values()) + sizes[id_]
        chosen = max(
            to_choose, key=lambda split: SHARES[split] * total - filled[split]
        )  # the first of equals
        splits[id_] = chosen
        filled[chosen] += sizes[id_]
    return splits


def _empty(splits: Mapping[str, Split], num_documents: int) -> Sequence[Split]:
    """The splits that shall have a document and have none yet."""
    return [split for split in list(SHARES)[:num_documents] if split not in splits.values()]


def document_folds(sizes: Mapping[str, int], num: int, seed: int) -> dict[str, int]:
    """The fold of each document, by id, from 0: the largest first, each goes where least is. The
    seed orders those of one size.

    Of fewer documents than `num` there are as many folds.
    """
    ids = sorted(sizes)
    random.Random(seed).shuffle(ids)
    filled = [0] * min(num, len(ids))
    folds: dict[str, int] = {}
    for id_ in sorted(ids, key=lambda id_: -sizes[id_]):
        # of empty folds the first, also where a document has nothing
        chosen = min(range(len(filled)), key=lambda i: (filled[i], i))
        folds[id_] = chosen
        filled[chosen] += sizes[id_]
    return folds
