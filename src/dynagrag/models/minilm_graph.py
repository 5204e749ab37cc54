"""The graph of all-MiniLM-L6-v2, which the package index has without one: minilm.onnx, some
kilobytes, reads the model's own weights where they lie, by their own names.

    python -m dynagrag.models.minilm_graph     writes minilm.onnx (needs `onnx`)

Other models with six layers of the same sizes fit it too. The operators are ONNX Runtime's own for
transformers (com.microsoft), which do attention, and gelu with its bias, in one step each.
"""

import json
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dynagrag.core.schema import Vectors

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

_SIZES = {
    "model_type": "bert",
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "vocab_size": 30522,
    "max_position_embeddings": 512,
    "hidden_act": "gelu",
}
_DIMENSION, _WIDE, _NUM_LAYERS, _NUM_HEADS = 384, 1536, 6, 12
_EPSILON, _SMALLEST = 1e-12, "epsilon"
_RUNTIME = "com.microsoft"
_OF_RUNTIME = ("EmbedLayerNormalization", "Attention", "BiasGelu")
_OPSET, _RUNTIME_OPSET, _IR_VERSION = 17, 1, 9
_IDS, _SEGMENTS, _MASK = "input_ids", "token_type_ids", "attention_mask"


def fits_graph(folder: Path) -> bool:
    """Whether a folder holds the weights of a model of these sizes, as its config says."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    own = {"hidden_act": "gelu"} | (config if isinstance(config, dict) else {})
    is_alike = all(own.get(name) == value for name, value in _SIZES.items())
    return is_alike and (folder / "model.safetensors").is_file()


def graph_bytes() -> bytes:
    """The serialized graph, without weights."""
    return files("dynagrag.models").joinpath("minilm.onnx").read_bytes()


def read_weights(folder: Path) -> dict[str, Vectors]:
    """A model's weights, as the graph wants them. Raises what safetensors raises for damaged files,
    KeyError for weights of another model.
    """
    from safetensors.numpy import load_file

    found = load_file(folder / "model.safetensors")
    return {name: np.asarray(found[name], dtype=np.float32) for name in _shapes()}


def minilm_graph() -> "ModelProto":
    """The graph. Inputs int32 (b, t): tokens, zeros, and 1 for a token, 0 for padding; output
    float32 (b, t, 384).
    """
    from onnx import TensorProto, helper, numpy_helper

    graph = _Graph()
    tables = [f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type")]
    hidden = graph.do(
        "EmbedLayerNormalization",
        [_IDS, _SEGMENTS, *tables, *_norm("embeddings.")],
        "embedded",
        epsilon=_EPSILON,
    )
    graph.nodes[-1].output.append("mask_index")  # the operator has two outputs; this one isn't read
    for number in range(_NUM_LAYERS):
        hidden = _layer(graph, f"encoder.layer.{number}.", hidden)
    graph.do("Identity", [hidden], "last_hidden_state")
    made = helper.make_graph(
        graph.nodes,
        "all-MiniLM-L6-v2",
        [
            helper.make_tensor_value_info(name, TensorProto.INT32, ["b", "t"])
            for name in (_IDS, _SEGMENTS, _MASK)
        ],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "t", 384])],
    )
    made.initializer.append(
        numpy_helper.from_array(np.array([_EPSILON], dtype=np.float32), _SMALLEST)
    )
    made.initializer.extend(_outside(name, shape) for name, shape in _shapes().items())
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME, _RUNTIME_OPSET)]
    return helper.make_model(made, opset_imports=opsets, ir_version=_IR_VERSION)


@dataclass(slots=True)
class _Graph:
    nodes: "list[NodeProto]" = field(default_factory=list)

    def do(
        self, operator: str, inputs: list[str], output: str, **attributes: float | list[int]
    ) -> str:
        """Adds an operator; the name of what it gives."""
        from onnx import helper

        domain = _RUNTIME if operator in _OF_RUNTIME else ""
        node = helper.make_node(operator, inputs, [output], domain=domain)
        node.attribute.extend(
            helper.make_attribute(name, value) for name, value in attributes.items()
        )
        self.nodes.append(node)
        return output

    def turned(self, weight: str) -> str:
        """A weight as the right side of a product; the runtime turns it once, at load."""
        return self.do("Transpose", [weight], f"{weight}.turned")


def _layer(graph: _Graph, layer: str, hidden: str) -> str:
    parts = [f"{layer}attention.self.{name}" for name in ("query", "key", "value")]
    weight = graph.do(
        "Concat", [graph.turned(f"{part}.weight") for part in parts], f"{layer}qkv", axis=1
    )
    bias = graph.do("Concat", [f"{part}.bias" for part in parts], f"{layer}qkv.bias", axis=0)
    attended = graph.do(
        "Attention", [hidden, weight, bias, _MASK], f"{layer}attended", num_heads=_NUM_HEADS
    )
    hidden = _added(graph, f"{layer}attention.output.", attended, hidden)
    wide = f"{layer}intermediate.dense."
    product = graph.do("MatMul", [hidden, graph.turned(f"{wide}weight")], f"{wide}product")
    gelu = graph.do("BiasGelu", [product, f"{wide}bias"], f"{wide}gelu")
    return _added(graph, f"{layer}output.", gelu, hidden)


def _added(graph: _Graph, of: str, new: str, hidden: str) -> str:
    """The norm of the sum of what a dense layer gives, its bias, and what went in: (x - mean) /
    sqrt(variance) * weight + bias. Of plain operators, since the runtime's own for it take a
    twelfth more time.
    """
    weight, bias = _norm(of)
    product = graph.do("MatMul", [new, graph.turned(f"{of}dense.weight")], f"{of}product")
    dense = graph.do("Add", [product, f"{of}dense.bias"], f"{of}dense")
    total = graph.do("Add", [dense, hidden], f"{of}sum")
    mean = graph.do("ReduceMean", [total], f"{of}mean", axes=[-1])
    centred = graph.do("Sub", [total, mean], f"{of}centred")
    squares = graph.do("Mul", [centred, centred], f"{of}squares")
    variance = graph.do("ReduceMean", [squares], f"{of}variance", axes=[-1])
    positive = graph.do("Add", [variance, _SMALLEST], f"{of}positive")
    deviation = graph.do("Sqrt", [positive], f"{of}deviation")
    scaled = graph.do(
        "Mul", [graph.do("Div", [centred, deviation], f"{of}unit"), weight], f"{of}scaled"
    )
    return graph.do("Add", [scaled, bias], f"{of}norm")


def _norm(of: str) -> list[str]:
    """The names of a layer norm's weights."""
    return [f"{of}LayerNorm.weight", f"{of}LayerNorm.bias"]


def _shapes() -> dict[str, tuple[int, ...]]:
    """The weights that are read, by their names in the model's file."""
    found: dict[str, tuple[int, ...]] = {}
    for table, rows in (("word", 30522), ("position", 512), ("token_type", 2)):
        found[f"embeddings.{table}_embeddings.weight"] = (rows, _DIMENSION)
    found |= dict.fromkeys(_norm("embeddings."), (_DIMENSION,))
    for number in range(_NUM_LAYERS):
        layer = f"encoder.layer.{number}."
        for part, rows, columns in (
            ("attention.self.query.", _DIMENSION, _DIMENSION),
            ("attention.self.key.", _DIMENSION, _DIMENSION),
            ("attention.self.value.", _DIMENSION, _DIMENSION),
            ("attention.output.dense.", _DIMENSION, _DIMENSION),
            ("intermediate.dense.", _WIDE, _DIMENSION),
            ("output.dense.", _DIMENSION, _WIDE),
        ):
            found[f"{layer}{part}weight"], found[f"{layer}{part}bias"] = (rows, columns), (rows,)
        for part in ("attention.output.", "output."):
            found |= dict.fromkeys(_norm(f"{layer}{part}"), (_DIMENSION,))
    return found


def _outside(name: str, shape: tuple[int, ...]) -> "TensorProto":
    """A weight's place in the graph; the session gets its numbers under this name."""
    from onnx import TensorProto

    place = TensorProto(
        name=name,
        data_type=TensorProto.FLOAT,
        dims=shape,
        data_location=TensorProto.EXTERNAL,
    )
    place.external_data.add(key="location", value="weights")
    return place


def main() -> None:
    """Writes it."""
    made: bytes = minilm_graph().SerializeToString(deterministic=True)
    Path(__file__).with_name("minilm.onnx").write_bytes(made)


if __name__ == "__main__":
    main()
