"""Bounds that were fitted with one embedder are read on the scale of another."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from embedder_jars import real_embedder

from dynagrag.config.settings import Settings, load_settings
from dynagrag.core.schema import (
    MINILM_SCALE,
    UNMEASURED,
    CosineScale,
    EmbedderIdentity,
    Vector,
    Vectors,
)
from dynagrag.core.schema.scales import MINILM_UNRELATED
from dynagrag.fakes import FakeEmbedder
from dynagrag.ingest.consolidate.blocking import candidate_pairs
from dynagrag.ingest.consolidate.guards import Name
from dynagrag.models.cosine_scales import SCALE_NOTE, kept_scale, measure_scale, scale_of
from dynagrag.models.embedders import open_embedder
from dynagrag.models.scale_texts import ANSWERED, THINGS
from dynagrag.registry.stores import sqlite_store


class _Shifted:
    """As the fake, with a part in common to all texts: every cosine is (c + b) / (1 + b)."""

    def __init__(self, common: float, name: str = "shifted") -> None:
        self._fake, self._common, self._name = FakeEmbedder(64), common, name
        self.num_texts = 0

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity(self._name, 65)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.num_texts += len(texts)
        own = self._fake.embed_documents(texts)
        with_common = np.c_[own, np.full(len(own), self._common**0.5, np.float32)]
        return np.asarray(with_common / (1 + self._common) ** 0.5, dtype=np.float32)

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed_documents([text])[0]
        return vector


def test_of_minilm_every_cosine_stays_to_the_last_bit() -> None:
    cosines = np.random.default_rng(0).uniform(-1, 1, 1000)
    assert np.array_equal(MINILM_SCALE.of_names(cosines), cosines)
    assert np.array_equal(MINILM_SCALE.of_answers(cosines), cosines)
    assert np.array_equal(UNMEASURED.of_names(cosines), cosines)
    assert np.array_equal(UNMEASURED.of_answers(cosines), cosines)


def test_unrelated_names_and_the_same_name_lie_where_minilms_do() -> None:
    scale = CosineScale(names=0.83, apart=0.71, answers=0.81)
    found = scale.of_names(np.array([0.83, 1.0]))
    assert found == pytest.approx([MINILM_SCALE.names, 1.0])
    assert scale.of_names(0.9) < 0.55  # what all names have with e5-small is near with none


def test_unrelated_texts_and_answers_lie_where_minilms_do() -> None:
    scale = CosineScale(names=0.83, apart=0.71, answers=0.81)
    found = scale.of_answers(np.array([0.71, 0.81]))
    assert found == pytest.approx([MINILM_SCALE.apart, MINILM_SCALE.answers])


@pytest.mark.parametrize("common", [0.5, 2.0, 5.0])
def test_what_all_texts_have_in_common_is_measured_and_taken_off(common: float) -> None:
    plain, shifted = measure_scale(_Shifted(0.0)), measure_scale(_Shifted(common))
    for cosine in (0.0, 0.3, 0.8, 1.0):
        moved = (cosine + common) / (1 + common)
        assert shifted.of_names(moved) == pytest.approx(plain.of_names(cosine), abs=0.02)
    assert shifted.apart == pytest.approx((plain.apart + common) / (1 + common), abs=0.002)


def test_where_answers_are_no_nearer_than_other_texts_nothing_is_told() -> None:
    class Random(_Shifted):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            rows = np.random.default_rng(len(texts)).standard_normal((len(texts), 65))
            made = rows / np.linalg.norm(rows, axis=1, keepdims=True)
            return np.asarray(made, dtype=np.float32)

    assert measure_scale(Random(0.0)).answers is None


def test_it_is_measured_once_and_kept_until_the_embedder_changes(tmp_path: Path) -> None:
    store = sqlite_store("", tmp_path, "w", load_settings())
    embedder = _Shifted(1.0)
    store.set_embedder(embedder.identity)
    assert kept_scale(store) is None
    measured = scale_of(store, embedder)
    assert measured == scale_of(store, embedder) == kept_scale(store)
    assert np.allclose(scale_of(store, embedder).questions, measured.questions, atol=1e-3)
    assert embedder.num_texts == measured_texts()
    kept = store.note(SCALE_NOTE)
    store.set_note(SCALE_NOTE, kept.replace("shifted", "another"))
    assert kept_scale(store) is None
    store.close()


def measured_texts() -> int:
    return 24 + len(ANSWERED) + len(THINGS)


def test_a_scale_of_another_embedder_than_the_workspaces_is_not_kept(tmp_path: Path) -> None:
    store = sqlite_store("", tmp_path, "w", load_settings())
    store.set_embedder(EmbedderIdentity("theirs", 65))
    scale_of(store, _Shifted(1.0))
    assert kept_scale(store) is None
    store.close()


@pytest.mark.parametrize("name", ["minilm", "sentence-transformers/all-MiniLM-L6-v2"])
def test_of_minilm_nothing_is_embedded(name: str, tmp_path: Path) -> None:
    store = sqlite_store("", tmp_path, "w", load_settings())
    store.set_embedder(EmbedderIdentity(name, 384))
    embedder = _Shifted(0.0, name)
    assert scale_of(store, embedder) == MINILM_SCALE
    assert embedder.num_texts == 0
    store.close()


def test_the_best_passage_is_held_against_those_of_unrelated_questions() -> None:
    scale = CosineScale(0.83, 0.71, 0.81, np.ones((1, 3), np.float32))
    usual = scale.of_best(scale.of_answers(0.78), unrelated=0.78)
    assert usual == pytest.approx(MINILM_UNRELATED)
    gap = scale.of_best(scale.of_answers(0.88), unrelated=0.78) - MINILM_UNRELATED
    assert gap == pytest.approx(0.497 - 0.073)
    assert MINILM_SCALE.of_best(0.3, unrelated=0.9) == 0.3


def _scale_of_docs(shown: str) -> tuple[float, ...]:
    """Cosines of names, of unrelated texts and of answers, as docs/papers.md has them."""
    found = re.search(
        rf"\b{re.escape(shown)}: (?:n0 )?(\.\d+), (?:r0 )?(\.\d+), (?:s0 )?(\.\d+)",
        (Path(__file__).parents[3] / "docs/papers.md").read_text(encoding="utf-8"),
    )
    assert found, shown
    return tuple(map(float, found.groups()))


def test_the_docs_scale_of_minilm_is_the_one_that_others_are_read_on() -> None:
    scale = (MINILM_SCALE.names, MINILM_SCALE.apart, MINILM_SCALE.answers)
    assert _scale_of_docs("MiniLM") == pytest.approx(scale, abs=0.0006)


@pytest.mark.model
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("name", "shown"),
    [("minilm", "MiniLM"), ("bge-small", "bge-small"), ("e5-small-int8", "e5-small-int8")],
)
def test_scales_are_those_of_the_docs_and_leave_names_of_different_things_apart(
    name: str, shown: str, models_dir: Path
) -> None:
    if name == "minilm" and not (models_dir / name).is_dir():
        pytest.skip("run `dynagrag models pull minilm` to have this test")
    spec = name if name == "minilm" else str(real_embedder(name))
    embedder = open_embedder(spec, Settings(home=models_dir.parent))
    found = measure_scale(embedder)
    measured = (found.names, found.apart, found.answers)
    assert measured == pytest.approx(_scale_of_docs(shown), abs=0.004)
    names, rows = [Name(thing.casefold()) for thing in THINGS], embedder.embed_documents(THINGS)
    assert candidate_pairs(names, rows, scale=found) == []


@pytest.mark.parametrize(
    "note", ["not json", "[]", '{"name": "shifted", "dimension": 65}', '{"name": ["a"]}']
)
def test_a_damaged_note_is_no_scale(tmp_path: Path, note: str) -> None:
    store = sqlite_store("", tmp_path, "w", load_settings())
    store.set_embedder(_Shifted(1.0).identity)
    store.set_note(SCALE_NOTE, note)
    assert kept_scale(store) is None
    store.close()
