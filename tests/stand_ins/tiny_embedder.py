"""Embedders of a few words, made here: each word has a vector of its own, so that what a text's
vector should be can be said beforehand.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from dynagrag.core.schema import Vectors

WORDS = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    *("pump", "failed", "valve", "held", "query:", "passage:", "crew", "slept"),
]
MAX_TOKENS = 8


def word_vectors(dimension: int = 6, seed: int = 0) -> Vectors:
    """(words, d): what the model gives for each token."""
    rows = np.random.default_rng(seed).standard_normal((len(WORDS), dimension))
    return rows.astype(np.float32)


def tokens(text: str) -> list[int]:
    """A text's tokens, with the special ones around them."""
    own = [WORDS.index(word) if word in WORDS else 1 for word in text.split()]
    return [2, *own, 3]


def unit(vector: Vectors) -> Vectors:
    """Of length one."""
    row: Vectors = vector / np.linalg.norm(vector)
    return row


def make_embedder(
    folder: Path,
    pooling: Mapping[str, object] | None = None,
    prompts: Mapping[str, str] | None = None,
    *,
    dimension: int = 6,
    output: str = "last_hidden_state",
    more_inputs: Sequence[str] = (),
    shape: tuple[int | str, int | str] = ("n", "t"),
    has_special_tokens: bool = True,
    file: str = "onnx/model.onnx",
) -> Path:
    """A folder as the hub has them. `pooling`: its file, mean by default; {} writes none."""
    _write_onnx(folder / file, word_vectors(dimension), output, more_inputs, shape)
    _tokenizer(has_special_tokens).save(str(folder / "tokenizer.json"))
    modules = [
        {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    pooling = {"pooling_mode_mean_tokens": True} if pooling is None else pooling
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": MAX_TOKENS})
    if pooling:
        write_json(folder / "modules.json", modules)
        write_json(folder / "1_Pooling" / "config.json", pooling)
    if prompts:
        write_json(folder / "config_sentence_transformers.json", {"prompts": prompts})
    return folder


def write_json(path: Path, value: object) -> None:
    """Writes it, and makes its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def _write_onnx(
    path: Path,
    table: Vectors,
    output: str,
    more_inputs: Sequence[str],
    shape: tuple[int | str, int | str],
) -> None:
    """A table of vectors, looked up: a vector a token, or for `sentence_embedding` and `logits`
    the largest numbers of a text's own.
    """
    from onnx import TensorProto, helper, numpy_helper, save

    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in ("input_ids", "attention_mask", *more_inputs)
    ]
    is_pooled = output in ("sentence_embedding", "logits")
    given = [shape[0], table.shape[1]] if is_pooled else [*shape, table.shape[1]]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["looked up"], axis=0),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide mask"]),
    ]
    last = ["looked up", "wide mask"], [output]
    if is_pooled:
        nodes.append(helper.make_node("Mul", last[0], ["masked"]))
        nodes.append(helper.make_node("ReduceMax", ["masked", "middle"], last[1], keepdims=0))
    else:
        nodes.append(helper.make_node("Mul", *last))
    made = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([2], np.int64), "last"),
        numpy_helper.from_array(np.array([1], np.int64), "middle"),
    ]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, given)]
    graph = helper.make_graph(nodes, "embedder", inputs, outputs, made)
    path.parent.mkdir(parents=True, exist_ok=True)
    opset = [helper.make_opsetid("", 18)]
    save(helper.make_model(graph, opset_imports=opset, ir_version=9), str(path))


def _tokenizer(has_special_tokens: bool):  # type: ignore[no-untyped-def]
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from tokenizers.processors import BertProcessing

    made = Tokenizer(WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = WhitespaceSplit()
    if has_special_tokens:
        made.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made
