"""What every embedder does, by the protocol `Embedder`."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from embedder_jars import real_embedder

from dynagrag.config.settings import Settings
from dynagrag.core.protocols import Embedder
from dynagrag.fakes import FakeEmbedder
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.models.embedders import OpenAIEmbedder, open_embedder
from dynagrag.models.known_models import CATALOG

_REAL = [
    pytest.mark.model,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
TEXTS = [
    "Ada works at the engine company.",
    "Bananas ripen slowly in winter.",
    "",
    "The company of engines works.",
    "\0\ud800 odd",
]


def _fake(stub: OpenAIStubServer, models_dir: Path) -> Embedder:
    return FakeEmbedder()


def _openai(stub: OpenAIStubServer, models_dir: Path) -> Embedder:
    return OpenAIEmbedder("openai:m", Settings(openai_base_url=stub.base_url))


def _sentence_transformers(stub: OpenAIStubServer, models_dir: Path) -> Embedder:
    folder = models_dir / CATALOG["minilm"].file
    if not folder.is_dir():
        pytest.skip("run `dynagrag models pull minilm` to have this test")
    return open_embedder(f"torch:{folder}", Settings())


def _minilm(stub: OpenAIStubServer, models_dir: Path) -> Embedder:
    if not (models_dir / CATALOG["minilm"].file).is_dir():
        pytest.skip("run `dynagrag models pull minilm` to have this test")
    return open_embedder("minilm", Settings(home=models_dir.parent))


def _bge_small(stub: OpenAIStubServer, models_dir: Path) -> Embedder:
    return open_embedder(str(real_embedder("bge-small")), Settings())


def _e5_small_int8(stub: OpenAIStubServer, models_dir: Path) -> Embedder:
    return open_embedder(str(real_embedder("e5-small-int8")), Settings())


@pytest.fixture(scope="module")
def loaded() -> dict[object, Embedder]:
    """Real models, loaded once for all tests."""
    return {}


@pytest.fixture(
    params=[
        _fake,
        _openai,
        pytest.param(_minilm, marks=_REAL),
        pytest.param(_bge_small, marks=_REAL),
        pytest.param(_e5_small_int8, marks=_REAL),
        pytest.param(_sentence_transformers, marks=_REAL),
    ]
)
def embedder(
    request: pytest.FixtureRequest, models_dir: Path, loaded: dict[object, Embedder]
) -> Iterator[Embedder]:
    make: Callable[[OpenAIStubServer, Path], Embedder] = request.param
    with OpenAIStubServer() as stub:
        made = loaded.get(make) or make(stub, models_dir)
        if make not in (_fake, _openai):
            loaded[make] = made
        yield made
        if isinstance(made, OpenAIEmbedder):
            made.close()


def test_rows_are_float32_unit_vectors_of_its_dimension(embedder: Embedder) -> None:
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.identity.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    query = embedder.embed_query("Who works at the company?")
    assert query.shape == (embedder.identity.dimension,)
    assert query.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(query), 1, atol=1e-5)


def test_no_texts_give_no_rows_of_the_dimension(embedder: Embedder) -> None:
    assert embedder.embed_documents([]).shape == (0, embedder.identity.dimension)


def test_a_text_has_one_vector_alone_in_a_batch_and_in_threads(embedder: Embedder) -> None:
    together = embedder.embed_documents(TEXTS)
    with ThreadPoolExecutor(3) as pool:
        alone = np.concatenate(list(pool.map(lambda text: embedder.embed_documents([text]), TEXTS)))
    # int8 rounds by the largest number of a batch
    atol = 2e-2 if "int8" in embedder.identity.name else 1e-4
    np.testing.assert_allclose(together, alone, atol=atol)


def test_what_is_about_the_same_is_nearer(embedder: Embedder) -> None:
    ada, bananas, _, company, _ = embedder.embed_documents(TEXTS)
    # cosines of e5 lie between .7 and 1
    assert ada @ company > ada @ bananas + (0.05 if "e5" in embedder.identity.name else 0.2)
