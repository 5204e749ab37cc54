"""The default embedder: vectors of sentence-transformers, batches by length, threads, and files
that are no MiniLM.
"""

from pathlib import Path

import numpy as np
import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError
from dynagrag.models import minilm_embedder
from dynagrag.models.embedders import SentenceTransformersEmbedder, begin_loading
from dynagrag.models.minilm_embedder import MAX_TOKENS, MiniLmEmbedder
from dynagrag.models.minilm_weights import graph_bytes, laid_out

TEXTS = [
    "We loaded the Saturn rocket.",
    "",
    "a",
    "Ünïcode 日本語 \0 text",
    "word " * 600,
    "Gene Kranz asked for a go around the room, twice.",
]


@pytest.fixture
def folder(models_dir: Path) -> Path:
    if not (models_dir / "minilm").is_dir():
        pytest.skip("run `dynagrag models pull minilm` to have this test")
    return models_dir / "minilm"


def own_home(home: Path, **files: bytes) -> Settings:
    """A home whose MiniLM has these files alone."""
    model = home / "models" / "minilm"
    model.mkdir(parents=True)
    for name, content in files.items():
        (model / name.replace("_", ".")).write_bytes(content)
    return Settings(home=home)


@pytest.mark.model
def test_vectors_are_those_of_sentence_transformers(folder: Path) -> None:
    pytest.importorskip("sentence_transformers")
    settings = Settings(home=folder.parent.parent)
    own, theirs = MiniLmEmbedder(settings), SentenceTransformersEmbedder(str(folder), settings)
    np.testing.assert_allclose(own.embed_documents(TEXTS), theirs.embed_documents(TEXTS), atol=2e-6)
    np.testing.assert_allclose(own.embed_query(TEXTS[0]), theirs.embed_query(TEXTS[0]), atol=2e-6)


@pytest.mark.model
def test_a_text_has_one_vector_whatever_stands_beside_it(folder: Path) -> None:
    embedder = MiniLmEmbedder(Settings(home=folder.parent.parent))
    alone = np.concatenate([embedder.embed_documents([text]) for text in TEXTS])
    np.testing.assert_allclose(embedder.embed_documents(TEXTS), alone, atol=2e-6)
    assert (
        embedder.embed_documents([TEXTS[0], TEXTS[2], TEXTS[0]])[[0, 2]]
        == embedder.embed_documents([TEXTS[0]])[0]
    ).all()
    cut, cut_shorter = embedder.embed_documents(["word " * 400, "word " * (MAX_TOKENS - 2)])
    np.testing.assert_allclose(cut, cut_shorter, atol=2e-6)


@pytest.mark.model
def test_the_graph_that_comes_with_the_package_is_the_one_that_is_made_here(folder: Path) -> None:
    onnx = pytest.importorskip("onnx")
    from safetensors.numpy import load_file

    from dynagrag.models.minilm_graph import minilm_graph

    assert onnx.load_model_from_string(graph_bytes()) == minilm_graph(
        laid_out(load_file(folder / "model.safetensors"))
    )


def test_batches_hold_texts_of_like_length_each_once() -> None:
    lengths = [3, 256, 12, 256, 3, 5, 256]
    batches = minilm_embedder._batches(lengths)
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    assert [[lengths[number] for number in batch] for batch in batches] == [
        [256, 256],
        [256, 12],
        [5, 3, 3],
    ]
    assert minilm_embedder._batches([9_999]) == [[0]]


@pytest.mark.parametrize(("said", "num"), [("", 0), ("1", 1), ("4,2", 4), ("many", 0), (" 2 ", 2)])
def test_threads_are_as_many_as_the_environment_says(
    said: str, num: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert minilm_embedder._num_threads() == num


@pytest.mark.parametrize(
    "files",
    [
        {"model_safetensors": b"cut"},
        {"model_safetensors": b"cut", "tokenizer_json": b"{}"},
    ],
)
def test_files_that_are_no_minilm_are_named_with_what_to_do(
    files: dict[str, bytes], home: Path
) -> None:
    with pytest.raises(
        SettingsError,
        match=(
            r"models/minilm could not be loaded as all-MiniLM-L6-v2: .*; delete it and run the"
            r" command again"
        ),
    ):
        MiniLmEmbedder(own_home(home, **files)).embed_query("Who?")


@pytest.mark.model
def test_a_runtime_that_gives_other_vectors_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minilm_embedder, "_KNOWN", "The lunar module is called Odyssey.")
    with pytest.raises(SettingsError, match="other vectors on this machine"):
        MiniLmEmbedder(Settings(home=folder.parent.parent)).embed_query("Who?")


def test_its_identity_is_known_without_loading_it() -> None:
    identity = MiniLmEmbedder(Settings()).identity
    assert (identity.name, identity.dimension) == ("minilm", 384)


@pytest.mark.model
def test_it_can_be_loaded_beside_other_work_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    monkeypatch.setattr(
        minilm_embedder,
        "_session",
        lambda own, session=minilm_embedder._session: made.append(own) or session(own),
    )
    embedder = begin_loading(Settings(home=folder.parent.parent))
    assert embedder is not None
    np.testing.assert_array_equal(
        embedder.embed_query(TEXTS[0]),
        MiniLmEmbedder(Settings(home=folder.parent.parent)).embed_query(TEXTS[0]),
    )
    assert len(made) == 2


def test_what_cannot_be_loaded_beside_other_work_is_told_where_it_is_used(home: Path) -> None:
    embedder = begin_loading(own_home(home, model_safetensors=b"cut"))
    assert embedder is not None
    with pytest.raises(SettingsError, match="could not be loaded"):
        embedder.embed_query("Who?")


def test_an_embedder_that_must_be_fetched_or_another_is_not_loaded_beside_other_work(
    home: Path,
) -> None:
    assert begin_loading(Settings(home=home)) is None
    there = own_home(home, model_safetensors=b"cut")
    assert begin_loading(there) is not None
    for spec in ("openai:text-embedding-3-small", "some/model"):
        assert begin_loading(there.model_copy(update={"embedder": spec})) is None


def test_nothing_is_printed_of_what_fails_beside_other_work(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("bad allocation")

    monkeypatch.setattr(minilm_embedder, "_Model", fail)
    embedder = begin_loading(own_home(home, model_safetensors=b""))
    assert embedder is not None
    with pytest.raises(RuntimeError, match="bad allocation"):
        embedder.embed_query("Who?")
    assert capfd.readouterr().err == ""
