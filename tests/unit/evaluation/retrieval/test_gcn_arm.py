"""The arm `gcn`: a pruner has a say in the order of the best passages, and in nothing else."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bridge_corpora import entity, facts_of, snapshot, unit

from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.schema import PruneScores, Question, Snapshot, Subgraph, Vector
from dynagrag.evaluation.retrieval.gcn_arm import NUM_ORDERED, GcnSearch
from dynagrag.evaluation.retrieval.retrieval_run import evaluate_retrieval
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions, plan_run
from dynagrag.fakes import FakeEmbedder
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.pruning.no_pruner import NoPruner


@dataclass
class Likes:
    """Scores one entity, and pairs of it, 1 and the rest 0."""

    entity: int

    def score(self, subgraphs: Sequence[Subgraph], query: Vector) -> tuple[PruneScores, ...]:
        (own,) = subgraphs
        nodes = np.array([node == self.entity for node in own.nodes], dtype=np.float32)
        return (
            PruneScores(nodes, nodes[own.pairs].max(axis=1, initial=0), "likes", is_trained=False),
        )


def corpus(num: int) -> Snapshot:
    """Passage i is about entity i, and a line of it names entity i + 1 too."""
    held = [[i, (i + 1) % num] for i in range(num)]
    made = facts_of(held, [(i, own) for i, own in enumerate(held)], subjects=list(range(num)))
    return snapshot(
        [f"word{i} says so" for i in range(num)],
        unit(num, 3),
        [entity(i, f"Name{i}") for i in range(num)],
        unit(num, 4),
        made,
    )


def order(made: Snapshot, pruner: object, asked: Question, num: int) -> list[str]:
    found = GcnSearch(made, PassageScores(made), pruner).retrieve(asked, num, 0)  # type: ignore[arg-type]
    return [scored.passage.id for scored in found.passages]


def test_what_a_pruner_likes_rises_and_the_scores_stay() -> None:
    made, asked = corpus(12), Question("word3 says what?", unit(1, 9)[0])
    plain = BridgeSearch(made).retrieve(asked, 12, 0).passages
    ids = [scored.passage.id for scored in plain]
    assert order(made, NoPruner(), asked, 12) == ids, "a pruner that says nothing changes nothing"
    middle = ids[4]
    found = (
        GcnSearch(made, PassageScores(made), Likes(int(middle[1:]))).retrieve(asked, 12, 0).passages
    )
    assert [scored.passage.id for scored in found].index(middle) < 4
    assert [scored.score for scored in found] == pytest.approx(
        [scored.score for scored in plain], abs=1e-6
    )


def test_a_passage_rises_by_what_it_says_of_a_pair_too() -> None:
    class LikesPair(Likes):
        def score(self, subgraphs: Sequence[Subgraph], query: Vector) -> tuple[PruneScores, ...]:
            (own,) = subgraphs
            wanted = {self.entity, self.entity + 1}
            edges = np.array(
                [{own.nodes[a], own.nodes[b]} == wanted for a, b in own.pairs.tolist()],
                dtype=np.float32,
            )
            return (
                PruneScores(np.zeros(len(own.nodes), np.float32), edges, "likes", is_trained=False),
            )

    made, asked = corpus(12), Question("word3 says what?", unit(1, 9)[0])
    ids = order(made, NoPruner(), asked, 12)
    middle = next(id_ for id_ in ids[4:] if int(id_[1:]) < 11)
    assert order(made, LikesPair(int(middle[1:])), asked, 12).index(middle) < ids.index(middle)


def test_passages_further_down_stay_where_they_are() -> None:
    made, asked = corpus(NUM_ORDERED + 8), Question("word3 says what?", unit(1, 9)[0])
    ids = [
        scored.passage.id
        for scored in BridgeSearch(made).retrieve(asked, NUM_ORDERED + 8, 0).passages
    ]
    found = order(made, Likes(int(ids[-1][1:])), asked, NUM_ORDERED + 8)
    assert set(found[:NUM_ORDERED]) == set(ids[:NUM_ORDERED])
    assert found[NUM_ORDERED:] == ids[NUM_ORDERED:]


def test_passages_without_names_are_ranked_all_the_same() -> None:
    made = snapshot(["word0", "word1"], unit(2, 3), [], unit(0, 4), facts_of([[], []], []))
    assert sorted(order(made, Likes(0), Question("word1?", unit(1, 9)[0]), 2)) == ["p000", "p001"]


def test_the_arm_and_its_checkpoint_belong_together(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    for given, error, said in (
        ({"arms": ("gcn",)}, UsageError, "--pruner FOLDER"),
        ({"arms": ("default",), "pruner": tmp_path}, UsageError, "add it to --arms"),
        ({"arms": ("gcn",), "pruner": tmp_path, "prompts": True}, UsageError, "writes no prompts"),
        ({"arms": ("gcn",), "pruner": tmp_path / "none"}, LoadError, "no folder of a checkpoint"),
    ):
        with pytest.raises(error, match=said):
            plan_run(EvaluateOptions(dataset="musique", data=tmp_path, **given), settings)  # type: ignore[arg-type]


def test_a_checkpoint_that_cannot_be_used_is_refused_before_anything_is_ingested(
    home: Path, tmp_path: Path
) -> None:
    import torch

    from dynagrag.checkpoints.checkpoints import Checkpoint, save_checkpoint

    (tmp_path / "multihop").mkdir()
    for name, row in (
        ("corpus", {"title": "Ada", "text": "Ada founded Fathom Labs."}),
        (
            "questions",
            {"id": "q", "question": "Who founded Fathom Labs?", "supporting_titles": ["Ada"]},
        ),
    ):
        (tmp_path / "multihop" / f"musique_{name}.jsonl").write_text(
            json.dumps(row), encoding="utf-8"
        )
    made: dict[str, Any] = {
        "network": {"dimension": 4},
        "made_with": {},
        "figures": {},
        "versions": {},
    }
    folder = tmp_path / "pruner"
    save_checkpoint(
        folder,
        Checkpoint(kind="pruner", embedder="other", dimension=4, **made),
        {"a": torch.zeros(1)},
    )
    options = EvaluateOptions(dataset="musique", data=tmp_path, arms=("gcn",), pruner=folder)
    with pytest.raises(UsageError, match="was trained on vectors of other"):
        evaluate_retrieval(Settings(home=home), options, embedder=FakeEmbedder(4))
    (folder / "model.safetensors").write_bytes(b"cut")
    with pytest.raises(LoadError, match="no whole safetensors file"):
        evaluate_retrieval(Settings(home=home), options, embedder=FakeEmbedder(4))
    assert not (home / "evaluation").exists()
