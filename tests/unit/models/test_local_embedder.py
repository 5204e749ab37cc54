"""Sentence embedders by ONNX Runtime: what a folder's files say, long texts, what a folder lacks,
and the catalogue. Small models are made here; real ones are used where they were fetched.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tiny_embedder import MAX_TOKENS, make_embedder, tokens, unit, word_vectors, write_json

from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError
from dynagrag.core.schema import Vectors
from dynagrag.models import local_embedder, onnx_engine
from dynagrag.models.embedder_traits import Pooling
from dynagrag.models.embedders import begin_loading, open_embedder
from dynagrag.models.known_embedders import KNOWN_EMBEDDERS, known_by_file, known_by_name, sha256_of
from dynagrag.models.local_embedder import LocalEmbedder
from dynagrag.models.minilm_graph import fits_graph, graph_bytes, minilm_graph, read_weights

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


def means(*texts: str) -> Vectors:
    """What a tiny embedder with mean pooling gives."""
    return np.array([unit(word_vectors()[tokens(text)].mean(axis=0)) for text in texts])


# ------------------------------------------------------------------------------- what a folder says


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, "mean"),
        ({"pooling_mode_cls_token": True, "word_embedding_dimension": 6}, "cls"),
        ({"pooling_mode_lasttoken": True}, "last"),
        ({"pooling_mode_max_tokens": True}, "max"),
        ({"pooling_mode": "mean"}, "mean"),
        ({"pooling_mode": "cls"}, "cls"),
        ({"pooling_mode": "lasttoken", "include_prompt": True}, "last"),
    ],
)
def test_pooling_is_that_of_the_folders_files(
    tmp_path: Path, pooling: dict[str, object], expected: str
) -> None:
    rows = word_vectors()[tokens("pump failed valve")]
    vectors = {"mean": rows.mean(axis=0), "cls": rows[0], "last": rows[-1], "max": rows.max(axis=0)}
    embedder = open_embedder(str(make_embedder(tmp_path, pooling)), Settings())
    # the shorter text beside it is padded
    found = embedder.embed_documents(["crew", "pump failed valve"])[1]
    np.testing.assert_allclose(found, unit(vectors[expected]), atol=1e-6)


def test_queries_and_documents_have_the_prompts_of_the_folder(tmp_path: Path) -> None:
    make_embedder(tmp_path, prompts={"query": "query: ", "passage": "passage: "})
    embedder = open_embedder(str(tmp_path), Settings())
    np.testing.assert_allclose(embedder.embed_query("crew"), means("query: crew")[0], atol=1e-6)
    np.testing.assert_allclose(
        embedder.embed_documents(["crew", ""]), means("passage: crew", "passage: "), atol=1e-6
    )
    own = open_embedder(str(tmp_path), Settings(query_prefix="", document_prefix="query: "))
    np.testing.assert_allclose(own.embed_query("crew"), means("crew")[0], atol=1e-6)
    np.testing.assert_allclose(own.embed_documents(["crew"]), means("query: crew"), atol=1e-6)
    assert own.identity.name != embedder.identity.name


def test_a_graph_that_pools_by_itself_needs_no_pooling_of_the_folder(tmp_path: Path) -> None:
    make_embedder(tmp_path, {}, output="sentence_embedding")
    rows = word_vectors()[tokens("pump failed")]
    found = open_embedder(str(tmp_path), Settings()).embed_query("pump failed")
    np.testing.assert_allclose(found, unit(rows.max(axis=0)), atol=1e-6)


def test_tokens_stand_where_they_are_in_the_text_without_prompt_and_special_ones(
    tmp_path: Path,
) -> None:
    make_embedder(tmp_path, prompts={"query": "query: ", "passage": "passage: "})
    embedder = LocalEmbedder(str(tmp_path), Settings())
    asked = embedder.query_tokens("pump failed")
    found = embedder.document_tokens(["valve", "pump failed", ""])
    assert asked is not None
    assert found is not None
    assert asked.spans == found[1].spans == ((0, 4), (5, 11))
    assert (found[0].spans, found[2].spans) == (((0, 5),), ())
    expected = np.array([unit(row) for row in word_vectors()[tokens("pump failed")]])
    words = expected[-3:-1]  # the last is a special one
    np.testing.assert_allclose(found[1].vectors, words, atol=1e-6)
    np.testing.assert_allclose(asked.vectors, words, atol=1e-6)
    long = embedder.document_tokens(["pump " * 600])
    assert long is not None
    assert 0 < len(long[0].spans) < MAX_TOKENS


def test_a_graph_that_pools_by_itself_tells_no_tokens(tmp_path: Path) -> None:
    make_embedder(tmp_path, {}, output="sentence_embedding")
    embedder = LocalEmbedder(str(tmp_path), Settings())
    assert embedder.query_tokens("pump") is None
    assert embedder.document_tokens(["pump"]) is None


@pytest.mark.parametrize(("activation", "act"), [("Identity", np.array), ("Tanh", np.tanh)])
def test_dense_layers_behind_the_pooling_are_applied(
    tmp_path: Path, activation: str, act: Callable[[Vectors], Vectors]
) -> None:
    weights = np.random.default_rng(1).standard_normal((3, 6)).astype(np.float32)
    bias = np.array([1, 2, 3], dtype=np.float32)
    make_embedder(tmp_path)
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Dense", "Dense")]
    write_json(tmp_path / "modules.json", [{"path": p, "type": f"a.{t}"} for p, t in modules])
    write_json(tmp_path / "2_Dense" / "config.json", {"activation_function": f"a.{activation}"})
    save_file(
        {"linear.weight": weights, "linear.bias": bias}, tmp_path / "2_Dense/model.safetensors"
    )
    embedder = open_embedder(str(tmp_path), Settings())
    mean = word_vectors()[tokens("pump failed")].mean(axis=0)
    expected = unit(act(weights @ mean + bias))
    np.testing.assert_allclose(embedder.embed_documents(["pump failed"])[0], expected, atol=1e-5)
    assert embedder.identity.dimension == 3


@pytest.mark.parametrize("more", [("token_type_ids",), ("token_type_ids", "position_ids"), ()])
def test_a_graph_gets_the_inputs_that_it_names(tmp_path: Path, more: tuple[str, ...]) -> None:
    make_embedder(tmp_path, more_inputs=more)
    found = open_embedder(str(tmp_path), Settings()).embed_documents(["pump failed"])
    np.testing.assert_allclose(found, means("pump failed"), atol=1e-6)


@pytest.mark.parametrize("shape", [(1, 6), (3, 6), ("n", 6), (1, "t")])
def test_a_graph_of_one_shape_alone_gets_that_shape(
    tmp_path: Path, shape: tuple[int | str, int | str]
) -> None:
    make_embedder(tmp_path, shape=shape)
    texts = ["pump failed", "crew", "valve held", "", "crew slept"]
    embedder = open_embedder(str(tmp_path), Settings())
    np.testing.assert_allclose(embedder.embed_documents(texts), means(*texts), atol=1e-6)
    long = embedder.embed_documents(["pump failed valve held crew slept crew slept"])
    assert not np.allclose(long, means("pump failed valve held"), atol=1e-3), "nothing is cut"


def test_a_tokenizer_without_special_tokens_gives_an_empty_text_a_vector(tmp_path: Path) -> None:
    make_embedder(tmp_path, has_special_tokens=False)
    found = open_embedder(str(tmp_path), Settings()).embed_documents(["", "crew"])
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


def test_the_usual_prompt_serves_where_a_folder_has_none_for_the_kind(tmp_path: Path) -> None:
    make_embedder(tmp_path)
    named = {"prompts": {"search": "query: "}, "default_prompt_name": "search"}
    write_json(tmp_path / "config_sentence_transformers.json", named)
    embedder = open_embedder(str(tmp_path), Settings())
    np.testing.assert_allclose(embedder.embed_query("crew"), means("query: crew")[0], atol=1e-6)


def test_one_of_several_files_can_be_chosen_and_is_in_the_name(tmp_path: Path) -> None:
    make_embedder(tmp_path)
    chosen = make_embedder(tmp_path, dimension=4, file="onnx/model_int8.onnx") / "onnx"
    whole = open_embedder(str(tmp_path), Settings())
    int8 = open_embedder(str(chosen / "model_int8.onnx"), Settings())
    assert (whole.identity.dimension, whole.identity.name) == (6, tmp_path.name)
    assert (int8.identity.dimension, int8.identity.name) == (4, f"{tmp_path.name}/model_int8")


# --------------------------------------------------------------------------------------- long texts


def test_a_long_text_is_the_mean_of_its_windows_each_with_the_prompt(tmp_path: Path) -> None:
    make_embedder(tmp_path, prompts={"document": "passage: "})
    words = "pump failed valve held crew slept pump pump valve crew crew".split()  # of 5 fit
    windows = [" ".join(words[begin:end]) for begin, end in ((0, 3), (3, 7), (7, 11))]
    lengths = np.array([[6], [7], [7]])
    vectors = means(*(f"passage: {window}" for window in windows))
    expected = unit((vectors * lengths).sum(axis=0))
    embedder = open_embedder(str(tmp_path), Settings())
    alone = embedder.embed_documents([" ".join(words)])[0]
    np.testing.assert_allclose(alone, expected, atol=1e-6)
    beside = embedder.embed_documents(["crew", " ".join(words), "pump"])
    np.testing.assert_allclose(beside[1], expected, atol=1e-6)
    np.testing.assert_allclose(beside[0], means("passage: crew")[0], atol=1e-6)


def test_a_text_that_just_fits_is_one_window(tmp_path: Path) -> None:
    embedder = open_embedder(str(make_embedder(tmp_path)), Settings())
    text = " ".join(["pump", "failed"] * ((MAX_TOKENS - 2) // 2))
    np.testing.assert_allclose(embedder.embed_documents([text]), means(text), atol=1e-6)


def test_a_prompt_that_fills_the_window_is_said(tmp_path: Path) -> None:
    settings = Settings(query_prefix="pump " * MAX_TOKENS)
    with pytest.raises(SettingsError, match=r"prompt alone fills the 8 tokens .* query_prefix"):
        open_embedder(str(make_embedder(tmp_path)), settings).embed_query("Who?")


# ------------------------------------------------------------------------------ what a folder lacks


def test_what_a_folder_lacks_is_named_with_what_to_do(tmp_path: Path) -> None:
    def error(name: str) -> str:
        with pytest.raises(SettingsError) as caught:
            open_embedder(str(tmp_path / name), Settings()).embed_query("Who?")
        return str(caught.value)

    (tmp_path / "empty").mkdir()
    assert "empty has no .onnx file: fetch it" in error("empty")
    (make_embedder(tmp_path / "words") / "tokenizer.json").unlink()
    assert "words has no tokenizer.json: fetch it" in error("words")
    make_embedder(tmp_path / "bare", {})
    assert "does not say how its tokens' vectors become one" in error("bare")
    assert '{"pooling_mode": "mean"}' in error("bare")
    make_embedder(tmp_path / "odd", {"pooling_mode_weightedmean_tokens": True})
    assert "names the pooling 'weightedmean_tokens'; done here are mean" in error("odd")
    both = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}
    make_embedder(tmp_path / "both", both)
    assert "names the pooling 'mean_tokens and cls_token'" in error("both")
    make_embedder(tmp_path / "apart", {"pooling_mode": "mean", "include_prompt": False})
    assert "leaves its prompt out of the pooling" in error("apart")
    make_embedder(tmp_path / "lstm")
    write_json(tmp_path / "lstm" / "modules.json", [{"path": "2_LSTM", "type": "a.LSTM"}])
    assert "has the module LSTM behind its pooling" in error("lstm")
    make_embedder(tmp_path / "dense")
    write_json(tmp_path / "dense" / "modules.json", [{"path": "2_Dense", "type": "a.Dense"}])
    assert "2_Dense has no dense layer's model.safetensors" in error("dense")
    relu = {"activation_function": "torch.nn.modules.activation.ReLU"}
    write_json(tmp_path / "dense" / "2_Dense" / "config.json", relu)
    assert "names the activation ReLU, which isn't done without torch" in error("dense")
    make_embedder(tmp_path / "cut")
    (tmp_path / "cut" / "modules.json").write_text("[{")
    assert "modules.json is damaged" in error("cut")
    write_json(make_embedder(tmp_path / "list") / "sentence_bert_config.json", [1])
    assert "sentence_bert_config.json is damaged (no object)" in error("list")
    (make_embedder(tmp_path / "broken") / "onnx" / "model.onnx").write_bytes(b"cut")
    assert "broken could not be loaded as an embedder" in error("broken")
    assert "no embedder folder" in error("gone")


@pytest.mark.parametrize(
    ("output", "more", "told"),
    [
        ("logits", (), "it gives logits of 2 axes"),
        ("last_hidden_state", ("past_key_values",), "it wants past_key_values"),
    ],
)
def test_an_onnx_file_for_another_task_is_told_from_an_embedder(
    tmp_path: Path, output: str, more: tuple[str, ...], told: str
) -> None:
    make_embedder(tmp_path, output=output, more_inputs=more)
    with pytest.raises(SettingsError, match=f"an .onnx file for another task: {told}"):
        open_embedder(str(tmp_path), Settings()).embed_query("Who?")


# ------------------------------------------------------------------------------------ the catalogue


def test_the_catalogue_serves_where_a_folder_does_not_tell(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = make_embedder(tmp_path / "e5-small-v2", {})
    (folder / "sentence_bert_config.json").unlink()
    embedder = open_embedder(str(folder), Settings())
    with caplog.at_level(logging.WARNING):
        np.testing.assert_allclose(
            embedder.embed_documents(["crew"]), means("passage: crew"), atol=1e-6
        )
    assert caplog.messages == [], "a question says nothing of it"
    assert isinstance(embedder, LocalEmbedder)
    assert embedder.catalogue_note() == (
        "e5-small-v2 doesn't tell its pooling and longest input and prompts; taken from e5-small of"
        " the catalogue"
    )
    assert embedder.identity.name == "e5-small-v2"


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("bge-small", "bge-small"),
        ("BAAI/bge-small-en-v1.5", "bge-small"),
        ("somebody/bge-small-en-v1.5", "bge-small"),
        ("Xenova/bge-small-en-v1.5", "bge-small"),
        ("bge-small-int8", "bge-small-int8"),
        ("ibm-granite/granite-embedding-small-english-r2", "granite-small"),
        ("some/model", None),
    ],
)
def test_a_model_is_known_by_its_names(name: str, row: str | None) -> None:
    found = known_by_name(name)
    assert (found.name if found else None) == row


def test_a_model_is_known_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_embedder(tmp_path / "mine", {}) / "onnx" / "model.onnx"
    assert known_by_file(file) is None
    row = KNOWN_EMBEDDERS["e5-small"]
    object.__setattr__(row, "also_sha256", (*row.also_sha256, sha256_of(file)))
    try:
        found = open_embedder(str(tmp_path / "mine"), Settings()).embed_query("crew")
    finally:
        object.__setattr__(row, "also_sha256", row.also_sha256[:-1])
    np.testing.assert_allclose(found, means("query: crew")[0], atol=1e-6)


def test_every_row_of_the_catalogue_can_be_told_and_fetched() -> None:
    for row in KNOWN_EMBEDDERS.values():
        assert row.traits.pooling in (Pooling.MEAN, Pooling.CLS)
        assert row.hub_id.count("/") == 1
        assert row.quality
        assert bool(row.known_vector) == (row.cpu_s_per_1000_words is not None)
        identity = open_embedder(row.name, Settings()).identity
        assert (identity.name, identity.dimension) == (row.name, row.dimension)


# ------------------------------------------------------------------------------------------- MiniLM


@pytest.mark.model
def test_vectors_are_those_of_sentence_transformers(folder: Path) -> None:
    pytest.importorskip("sentence_transformers")
    settings, texts = Settings(home=folder.parent.parent), TEXTS[:4] + TEXTS[5:]
    own, theirs = open_embedder("minilm", settings), open_embedder(f"torch:{folder}", settings)
    np.testing.assert_allclose(own.embed_documents(texts), theirs.embed_documents(texts), atol=2e-6)
    np.testing.assert_allclose(own.embed_query(TEXTS[0]), theirs.embed_query(TEXTS[0]), atol=2e-6)
    by_folder = open_embedder(str(folder), settings)
    np.testing.assert_array_equal(by_folder.embed_documents(texts), own.embed_documents(texts))


@pytest.mark.model
def test_a_text_has_one_vector_whatever_stands_beside_it(folder: Path) -> None:
    embedder = open_embedder("minilm", Settings(home=folder.parent.parent))
    alone = np.concatenate([embedder.embed_documents([text]) for text in TEXTS])
    np.testing.assert_allclose(embedder.embed_documents(TEXTS), alone, atol=2e-6)
    assert (
        embedder.embed_documents([TEXTS[0], TEXTS[2], TEXTS[0]])[[0, 2]]
        == embedder.embed_documents([TEXTS[0]])[0]
    ).all()


def test_the_graph_that_comes_with_the_package_is_the_one_that_is_made_here() -> None:
    onnx = pytest.importorskip("onnx")
    assert onnx.load_model_from_string(graph_bytes()) == minilm_graph()


def test_the_graph_serves_models_of_its_sizes_alone(tmp_path: Path) -> None:
    sizes = {
        "model_type": "bert",
        "hidden_size": 384,
        "num_hidden_layers": 6,
        "num_attention_heads": 12,
        "intermediate_size": 1536,
        "vocab_size": 30522,
        "max_position_embeddings": 512,
    }
    (tmp_path / "model.safetensors").write_bytes(b"")
    for changed, fits in (({}, True), ({"num_hidden_layers": 12}, False), ({"a": 1}, True)):
        write_json(tmp_path / "config.json", sizes | changed)
        assert fits_graph(tmp_path) is fits
    (tmp_path / "model.safetensors").unlink()
    assert not fits_graph(tmp_path)


def test_batches_hold_texts_of_like_length_each_once() -> None:
    lengths = [3, 256, 12, 256, 3, 5, 256]
    batches = onnx_engine.batches(lengths)
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    assert [[lengths[number] for number in batch] for batch in batches] == [
        [256, 256],
        [256, 12],
        [5, 3, 3],
    ]
    assert onnx_engine.batches([9_999]) == [[0]]


@pytest.mark.parametrize(("said", "num"), [("", 0), ("1", 1), ("4,2", 4), ("many", 0), (" 2 ", 2)])
def test_threads_are_as_many_as_the_environment_says(
    said: str, num: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert onnx_engine.num_threads() == num


def test_files_that_are_no_minilm_are_named_with_what_to_do(home: Path) -> None:
    settings = own_home(home, model_safetensors=b"cut", tokenizer_json=b"{}")
    with pytest.raises(SettingsError, match="models/minilm does not hold all of all-Mini"):
        open_embedder("minilm", settings).embed_query("Who?")


@pytest.mark.model
@pytest.mark.parametrize(
    ("name", "remedy"), [("minilm", "another version of onnxruntime"), ("x-int8", "take x, whose")]
)
def test_a_runtime_that_gives_other_vectors_is_refused(name: str, remedy: str) -> None:
    row = replace(KNOWN_EMBEDDERS["minilm"], name=name)
    with pytest.raises(SettingsError, match=f"other vectors .* {remedy}"):
        local_embedder._check(row, np.zeros(384, dtype=np.float32))


@pytest.mark.model
def test_it_can_be_loaded_beside_other_work_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    monkeypatch.setattr(
        local_embedder, "read_weights", lambda own: made.append(own) or read_weights(own)
    )
    embedder = begin_loading(Settings(home=folder.parent.parent))
    assert embedder is not None
    np.testing.assert_array_equal(
        embedder.embed_query(TEXTS[0]),
        open_embedder("minilm", Settings(home=folder.parent.parent)).embed_query(TEXTS[0]),
    )
    assert len(made) == 2


def test_what_cannot_be_loaded_beside_other_work_is_told_where_it_is_used(home: Path) -> None:
    embedder = begin_loading(own_home(home, model_safetensors=b"cut"))
    assert embedder is not None
    with pytest.raises(SettingsError, match="models/minilm does not hold all"):
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

    monkeypatch.setattr(LocalEmbedder, "_fitting", fail)
    embedder = begin_loading(own_home(home, model_safetensors=b""))
    assert embedder is not None
    with pytest.raises(RuntimeError, match="bad allocation"):
        embedder.embed_query("Who?")
    assert capfd.readouterr().err == ""
