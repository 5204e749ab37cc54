"""Rerankers: one label and two, and what is no reranker."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.errors import DynaGragError, SettingsError
from dynagrag.models.cross_encoder import CrossEncoder
from tests.stand_ins.tiny_classifier import make_folder

TEXTS = ["a pump", "fine a b", "pump failed"]


def order(folder: Path, texts: Sequence[str] = TEXTS) -> list[str]:
    scores = CrossEncoder(str(folder), Settings()).scores("a b", texts)
    assert scores.dtype == np.float64
    return [texts[i] for i in np.argsort(-scores, kind="stable")]


def test_one_label_is_the_fit(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, ["LABEL_0"], {"failed": (4,), "fine": (-4,)}, (0,))
    assert order(folder) == ["pump failed", "a pump", "fine a b"]


@pytest.mark.parametrize(
    ("labels", "first"),
    [
        (["LABEL_0", "LABEL_1"], "pump failed"),
        (["not relevant", "relevant"], "pump failed"),
        (["relevant", "irrelevant"], "fine a b"),
    ],
)
def test_of_two_labels_the_second_is_the_fit_unless_named_otherwise(
    tmp_path: Path, labels: list[str], first: str
) -> None:
    folder = make_folder(tmp_path, labels, {"failed": (0, 4), "fine": (4, 0)}, (0, 0))
    assert order(folder)[0] == first


def test_scores_are_the_same_alone_and_among_others_of_any_length(tmp_path: Path) -> None:
    encoder = CrossEncoder(str(make_folder(tmp_path, ["x"], {}, (0,), seed=3)), Settings())
    texts = [*TEXTS, "a " * 200, ""]
    together = encoder.scores("pump", texts)
    alone = [float(encoder.scores("pump", [text])[0]) for text in texts]
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert encoder.scores("pump", []).shape == (0,)


def test_other_models_are_refused_with_what_to_give(tmp_path: Path) -> None:
    three = make_folder(_new(tmp_path, "three"), ["a", "b", "c"], {}, (0, 0, 0))
    tokens = make_folder(_new(tmp_path, "tokens"), ["a"], {}, (0,), is_of_tokens=True)
    bare = make_folder(_new(tmp_path, "bare"), ["a"], {}, (0,))
    (bare / "tokenizer.json").unlink()
    torch = make_folder(_new(tmp_path, "torch"), ["a"], {}, (0,))
    (torch / "model.onnx").unlink()
    broken = make_folder(_new(tmp_path, "broken"), ["a"], {}, (0,))
    (broken / "model.onnx").write_bytes(b"no model")
    for folder, reason in (
        (three, "it gives 3 labels.*DYNAGRAG_CHECKER=nli:.*one label, or two"),
        (tokens, "a vector for each token.*give a cross-encoder"),
        (bare, "as a cross-encoder.*tokenizer.json"),
        (torch, "has no .onnx file.*optimum-cli export onnx"),
        (broken, "could not be loaded as a cross-encoder"),
    ):
        with pytest.raises(SettingsError, match=f"(?s){reason}"):
            CrossEncoder(str(folder), Settings()).scores("pump", TEXTS)
    with pytest.raises(DynaGragError, match=r"holds no config\.json"):
        CrossEncoder(str(tmp_path / "nowhere"), Settings())


@pytest.mark.parametrize(
    "config",
    [
        {"pad_token_id": "x"},
        {"pad_token_id": 10**30},
        {"pad_token_id": -5},
        {"max_position_embeddings": 1},
        {"max_position_embeddings": 10**30},
        {"max_position_embeddings": True},
        {"id2label": {"0": ["x"], "1": None}},
        {"hidden_size": 10**12, "vocab_size": -1},
    ],
)
def test_what_no_config_says_changes_nothing_that_is_read(
    tmp_path: Path, config: dict[str, object]
) -> None:
    folder = make_folder(tmp_path, ["x"], {"failed": (4,), "fine": (-4,)}, (0,))
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | config))
    assert sorted(order(folder)) == sorted(TEXTS)


def _new(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made
