"""A workspace of an embedder that the catalogue doesn't know keeps the scale of its cosines."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dynagrag.core.schema import UNMEASURED, EmbedderIdentity, Vector, Vectors
from dynagrag.fakes import FakeEmbedder
from dynagrag.models.cosine_scales import SCALE_NOTE, kept_scale
from dynagrag.models.scale_texts import ANSWERED, THINGS
from dynagrag.upkeep.embedder_switch import switch_embedder
from dynagrag.workspace.facade import Workspace

TOPIC = {text: number for number, pair in enumerate(ANSWERED) for text in pair}


class UnknownEmbedder:
    """The fake's vectors with a part in common, `common` times as long; the texts of the scale's
    questions lie with their answers.
    """

    def __init__(self, name: str = "unknown", common: float = 1.0) -> None:
        self._name, self._common, self._fake = name, common, FakeEmbedder(32)
        self.embedded: list[str] = []

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity(self._name, 33)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        own = self._fake.embed_documents([f"topic{TOPIC[t]}" if t in TOPIC else t for t in texts])
        made = np.c_[own, np.full(len(own), self._common, np.float32)]
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed_documents([text])[0]
        return vector


def test_it_is_measured_with_the_first_vectors_and_not_again(
    open_space: Callable[..., Workspace], corpus: Any
) -> None:
    embedder = UnknownEmbedder()
    space = open_space(embedder=embedder)
    space.ingest(corpus.many(1, 8))
    assert embedder.embedded.count(THINGS[0]) == 1
    scale = kept_scale(space.parts.store)
    assert scale is not None
    assert scale.tells_answers
    assert space.current_graph.snapshot().scale == scale
    space.evidence("Who works at Acme Works?")
    again = open_space(embedder=embedder)
    assert again.evidence("Where do penguins live?").answerable is not None
    assert embedder.embedded.count(THINGS[0]) == 1


def test_a_workspace_without_one_measures_it_at_the_first_question(
    open_space: Callable[..., Workspace], corpus: Any
) -> None:
    embedder = UnknownEmbedder()
    space = open_space(embedder=embedder)
    space.ingest(corpus.many(1, 8))
    space.parts.store.set_note(SCALE_NOTE, "")
    space.close()
    old = open_space(embedder=embedder)
    assert old.current_graph.snapshot().scale == UNMEASURED
    assert old.evidence("Where do penguins live?").answerable is not None
    assert kept_scale(old.parts.store) is not None


def test_a_switch_of_the_embedder_takes_the_new_ones_scale_along(
    open_space: Callable[..., Workspace], corpus: Any
) -> None:
    space = open_space(embedder=UnknownEmbedder())
    space.ingest(corpus.many(1, 8))
    before = kept_scale(space.parts.store)
    switch_embedder(space, UnknownEmbedder("another", 3.0), lambda *_: None)
    after = kept_scale(space.parts.store)
    assert before is not None
    assert after is not None
    assert after.names > before.names
    assert json.loads(space.parts.store.note(SCALE_NOTE))["name"] == "another"
