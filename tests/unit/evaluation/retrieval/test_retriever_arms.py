"""The arms of an evaluation: which retriever each runs, and that no two are the same."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from dynagrag.core.schema import Graph, Snapshot
from dynagrag.evaluation.retrieval.gcn_arm import GCN
from dynagrag.evaluation.retrieval.retriever_arms import (
    INSTEAD,
    RERANKED,
    SPLIT,
    known_arms,
    make_arms,
)
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.registry.retrievers import RETRIEVERS
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.pruning.no_pruner import NoPruner

SNAPSHOT = Snapshot(
    "w",
    "1",
    {},
    {},
    (),
    np.zeros((0, 3), np.float32),
    {},
    Graph((), (), np.zeros((0, 3)), np.zeros((0, 3)), ()),
)


def test_a_profile_arm_runs_its_own_retriever_and_any_other_the_one_of_its_name() -> None:
    names = [name for name in known_arms() if name != SPLIT]
    models = SimpleNamespace(reranker=object())
    space = cast("Any", SimpleNamespace(folder=Path(), models=models))
    lines = LineIndex(PassageScores(SNAPSHOT))
    made = {
        arm.name: arm.retriever.name
        for arm in make_arms(names, space, lines, is_whole=False, pruner=NoPruner())
    }
    of_profile = {"default": "bridge-ppr", "paper": "dynagrag", "paper-cosine": "dynagrag-cosine"}
    of_profile |= dict.fromkeys(("graph", "ego", "ego-cosine", RERANKED), "bridge-ppr")
    assert made == of_profile | {name: name for name in RETRIEVERS if name not in INSTEAD} | {
        GCN: GCN
    }


def test_every_retriever_is_an_arm_or_has_arms_instead() -> None:
    assert set(RETRIEVERS) <= {*known_arms(), *INSTEAD}
    assert {arm for arms in INSTEAD.values() for arm in arms} <= set(known_arms())
