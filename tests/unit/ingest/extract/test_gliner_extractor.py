"""Entities of a user's types and relations of a user's labels, as a GLiNER2 model finds them: what
becomes of its answers, and its authors' own library with random numbers.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tiny_gliner import write_tiny_gliner

from dynagrag.config.settings import CHUNK_PROFILES
from dynagrag.core.errors import SettingsError, UsageError
from dynagrag.core.protocols import Extraction
from dynagrag.core.schema import ChunkWork, LoadedSource, SourceTurn
from dynagrag.ingest.extract.gliner_extractor import DEFAULT_TYPES, MAX_LABELS, GlinerExtractor
from dynagrag.ingest.split import chunk_passages, make_document, split_passages
from dynagrag.registry.choices import chosen_with_place
from dynagrag.registry.extractors import EXTRACTORS

needs_gliner = pytest.mark.skipif(
    find_spec("gliner2") is None, reason="needs GLiNER2: pip install 'dynagrag[gliner]'"
)
pytestmark = needs_gliner
TALK = ("Ada Byron works for Acme.", "She lives in London, and it runs.")


def work_of(*lines: str) -> list[ChunkWork]:
    turns = tuple(SourceTurn(line, "Eve") for line in lines)
    document, parts = make_document(LoadedSource("x.txt", "plain", turns, "s", "x"), "w", "x.txt")
    passages = split_passages(document, parts, CHUNK_PROFILES["default"])
    chunks = chunk_passages(document, passages, CHUNK_PROFILES["default"])
    return [ChunkWork(document, parts, chunk) for chunk in chunks]


def extracted(extractor: GlinerExtractor, *lines: str) -> Extraction:
    done: list[Extraction] = []
    assert extractor.extract(work_of(*lines), done.append) == []
    (one,) = done
    return one


class Answering:
    """Answers as the library does: the places of these words in each text."""

    def __init__(
        self,
        entities: Mapping[str, Sequence[str]],
        relations: Mapping[str, Sequence[tuple[str, str]]] = {},
    ) -> None:
        self._entities, self._relations = entities, relations
        self.asked: list[Any] = []

    def batch_extract(self, texts: Sequence[str], schema: Any, **_: Any) -> list[dict[str, Any]]:
        asked = schema.build()
        self.asked.append(asked)

        def span(text: str, words: str) -> dict[str, Any]:
            return {"text": words, "start": text.index(words), "end": 0}

        return [
            {
                "entities": {
                    type_: [span(text, w) for w in words if w in text]
                    for type_, words in self._entities.items()
                    if type_ in asked["entities"]
                },
                "relation_extraction": {
                    label: [
                        {"head": span(text, a), "tail": span(text, b)}
                        for a, b in pairs
                        if a in text and b in text
                    ]
                    for label, pairs in self._relations.items()
                    if any(label in row for row in asked["relations"])
                },
            }
            for text in texts
        ]


def answering(model: Answering, *types: str, labels: Sequence[str] = ()) -> GlinerExtractor:
    extractor = GlinerExtractor("any/hub-name", types, labels)
    extractor.__dict__["_model"] = model
    return extractor


def test_a_name_has_the_type_that_the_model_gives_it_and_is_mentioned_once() -> None:
    model = Answering({"person": ["Ada Byron"], "town": ["London"]})
    mentions = extracted(answering(model, "person", "town"), *TALK).mentions
    types = {m.name: m.type for m in mentions}
    assert (types["Ada Byron"], types["London"]) == ("person", "town")
    assert len({m.id for m in mentions}) == len(mentions)
    assert types["Acme"]  # what the rules find stays


def test_a_relation_rests_on_the_sentences_of_its_ends_and_pronouns_are_told() -> None:
    relations = {"lives in": [("Ada Byron", "London"), ("She", "London"), ("Acme", "Acme")]}
    extractor = answering(Answering({}, relations), labels=["lives in"])
    done = extracted(extractor, " ".join(TALK))
    (stated,) = [r for r in done.relations if r.label == "lives in"]
    assert (stated.head, stated.tail) == ("ada byron", "london")
    text = work_of(" ".join(TALK))[0].document.text
    assert text[stated.quote_start : stated.quote_end] == " ".join(TALK)
    assert extractor.dropped == {"relation: its ends are one thing, or no thing": 2}
    assert {"ada byron", "london"} <= {m.key for m in done.mentions}


def test_a_thousand_types_are_asked_for_some_at_a_time() -> None:
    types = [f"kind {i}" for i in range(1000)]
    model = Answering({"kind 999": ["London"]})
    mentions = extracted(answering(model, *types), *TALK).mentions
    assert {m.type for m in mentions if m.name == "London"} == {"kind 999"}
    assert max(len(asked["entities"]) for asked in model.asked) == MAX_LABELS
    assert sum(len(asked["entities"]) for asked in model.asked) == 1000


def test_other_types_or_labels_are_another_extraction() -> None:
    asked = [((), ()), (("person",), ()), ((), ("lives in",)), (DEFAULT_TYPES, ("lives in",))]
    names = [GlinerExtractor("any/hub-name", *one).name for one in asked]
    assert len(set(names)) == 3  # the default's types by name are the default's
    assert all(name.startswith("gliner-1-") for name in names)


@pytest.mark.slow
def test_the_library_reads_a_model_of_random_numbers(tmp_path: Path) -> None:
    folder = write_tiny_gliner(tmp_path)
    extractor = GlinerExtractor(str(folder), ["person"], ["works for"])
    done = extracted(extractor, *TALK)
    text = work_of(*TALK)[0].document.text
    assert {m.name for m in done.mentions if m.type == "person"}  # anything, at these numbers
    assert all(" ".join(text[m.chunk_start : m.chunk_end].split()) for m in done.mentions)
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(SettingsError, match=r"can't be loaded .*config.json, model.safetensors"):
        extracted(GlinerExtractor(str(folder)), *TALK)


def test_a_folder_without_a_model_and_a_name_without_a_place_are_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"has no config\.json"):
        GlinerExtractor(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(SettingsError, match=r"has no model\.safetensors"):
        GlinerExtractor(str(tmp_path))
    with pytest.raises(UsageError, match="lacks the place of its model: extractor gliner:FOLDER"):
        chosen_with_place("extractor", "gliner", EXTRACTORS)
    with pytest.raises(UsageError, match="unknown extractor 'fast:x'"):
        chosen_with_place("extractor", "fast:x", EXTRACTORS)
    row, place = chosen_with_place("extractor", "gliner:C:/models/small", EXTRACTORS)
    assert (row.name, place) == ("gliner", "C:/models/small")
