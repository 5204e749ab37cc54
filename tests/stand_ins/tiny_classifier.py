"""A tiny classifier of pairs of texts by ONNX Runtime, whose words add their own logits."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "pump",
    "failed",
    "fine",
    "failure",
    *"abcdefgh",
]
SIZE = 32


def make_folder(
    folder: Path,
    labels: Sequence[str],
    logits: Mapping[str, Sequence[float]],
    bias: Sequence[float],
    *,
    is_of_tokens: bool = False,
    seed: int | None = None,
    words: Sequence[str] = WORDS,
    size: int = SIZE,
) -> Path:
    """A classifier whose words add these logits, each once a window (of tokens: to their own);
    with a `seed` random ones. `words`: all that it knows; `size`: tokens of its input.
    """
    weights = np.zeros((len(words), len(labels)), dtype=np.float32)
    for word, own in logits.items():
        weights[list(words).index(word)] = own
    if seed is not None:
        weights = np.random.default_rng(seed).standard_normal(weights.shape).astype(np.float32)
    _write_onnx(folder / "model.onnx", weights, np.array(bias, np.float32), is_of_tokens)
    config = {"id2label": dict(enumerate(labels)), "max_position_embeddings": size}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    _tokenizer(words).save(str(folder / "tokenizer.json"))
    return folder


def _write_onnx(path: Path, weights, bias, is_of_tokens: bool) -> None:  # type: ignore[no-untyped-def]
    from onnx import TensorProto, helper, numpy_helper, save

    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["n", "t"])
    mask = helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["n", "t"])
    shape = ["n", "t", len(bias)] if is_of_tokens else ["n", len(bias)]
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["words"], axis=0),
        helper.make_node("Cast", ["attention_mask"], ["seen"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["seen", "last"], ["mask"]),
        helper.make_node("Mul", ["words", "mask"], ["masked"]),
    ]
    if is_of_tokens:
        nodes.append(helper.make_node("Add", ["masked", "bias"], ["logits"]))
    else:
        nodes += [
            helper.make_node("ReduceMax", ["masked", "middle"], ["most"], keepdims=0),
            helper.make_node("Add", ["most", "bias"], ["logits"]),
        ]
    made = [
        numpy_helper.from_array(weights, "weights"),
        numpy_helper.from_array(bias, "bias"),
        numpy_helper.from_array(np.array([2], np.int64), "last"),
        numpy_helper.from_array(np.array([1], np.int64), "middle"),
    ]
    graph = helper.make_graph(nodes, "classifier", [ids, mask], [out], made)
    opset = [helper.make_opsetid("", 18)]
    save(helper.make_model(graph, opset_imports=opset, ir_version=9), str(path))


def _tokenizer(words):  # type: ignore[no-untyped-def]
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import BertProcessing

    made = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    made.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made
