"""Writes minilm.onnx, the graph of all-MiniLM-L6-v2 without its weights: python -m
dynagrag.models.minilm_graph

To be run where the graph is changed here, so `onnx` is needed for that alone. The operators are
ONNX Runtime's own for transformers (com.microsoft), which do attention, and gelu with its bias, in
one step each. The norm of a layer is made of plain ones: the runtime's own goes number by number
and takes four times as long. The weights stay outside the graph, which has some kilobytes: the
session reads them where they lie.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper
from safetensors.numpy import load_file

from dynagrag.config.settings import Settings
from dynagrag.core.schema import Vectors
from dynagrag.models.catalog import model_path
from dynagrag.models.minilm_weights import (
    DIMENSION,
    EPSILON,
    IDS,
    MASK,
    MEAN,
    NUM_LAYERS,
    SEGMENTS,
    SMALLEST,
    TABLES,
    laid_out,
    layer_parts,
    norm,
)

_NUM_HEADS = 12
_RUNTIME = "com.microsoft"
_OF_RUNTIME = ("EmbedLayerNormalization", "Attention", "BiasGelu")
_OPSET, _RUNTIME_OPSET, _IR_VERSION = 17, 1, 9


@dataclass(slots=True)
class _Graph:
    nodes: list[NodeProto] = field(default_factory=list)

    def do(self, operator: str, inputs: list[str], output: str, **attributes: float) -> str:
        """Adds an operator; the name of what it gives."""
        domain = _RUNTIME if operator in _OF_RUNTIME else ""
        node = helper.make_node(operator, inputs, [output], domain=domain)
        node.attribute.extend(
            helper.make_attribute(name, value) for name, value in attributes.items()
        )
        self.nodes.append(node)
        return output

    def dense(self, of: str, hidden: str) -> str:
        """A dense layer without its bias, which the next operator adds."""
        return self.do("MatMul", [hidden, f"{of}dense.weight"], f"{of}dense")


def minilm_graph(weights: Mapping[str, Vectors]) -> ModelProto:
    """`weights`: what it is to read, for their shapes."""
    graph = _Graph()
    given = [IDS, SEGMENTS, *TABLES, *norm("embeddings.")]
    hidden = graph.do("EmbedLayerNormalization", given, "embedded", epsilon=EPSILON)
    graph.nodes[-1].output.append("mask_index")  # the operator has two outputs; this one isn't read
    for number in range(NUM_LAYERS):
        hidden = _layer(graph, layer_parts(number), hidden)
    inputs = [_value(name, TensorProto.INT32, ["b", "t"]) for name in (IDS, SEGMENTS, MASK)]
    outputs = [_value(hidden, TensorProto.FLOAT, ["b", "t", DIMENSION])]
    made = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, outputs)
    made.initializer.extend(_outside(name, matrix) for name, matrix in weights.items())
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME, _RUNTIME_OPSET)]
    return helper.make_model(made, opset_imports=opsets, ir_version=_IR_VERSION)


def _layer(graph: _Graph, parts: tuple[str, str, str, str], hidden: str) -> str:
    attention, out, wide, last = parts
    inputs = [hidden, f"{attention}weight", f"{attention}bias", MASK]
    attended = graph.do("Attention", inputs, f"{attention}attended", num_heads=_NUM_HEADS)
    hidden = _added(graph, out, graph.dense(out, attended), hidden)
    gelu = graph.do("BiasGelu", [graph.dense(wide, hidden), f"{wide}dense.bias"], f"{wide}gelu")
    return _added(graph, last, graph.dense(last, gelu), hidden)


def _added(graph: _Graph, of: str, new: str, hidden: str) -> str:
    """The norm of the sum of what a dense layer gave, its bias, and what went in: (x - mean) /
    sqrt(variance + epsilon) * weight + bias.
    """
    weight, bias = norm(of)
    total = graph.do(
        "Add", [graph.do("Add", [new, f"{of}dense.bias"], f"{of}biased"), hidden], f"{of}sum"
    )
    centred = graph.do(
        "Sub", [total, graph.do("MatMul", [total, MEAN], f"{of}mean")], f"{of}centred"
    )
    variance = graph.do(
        "MatMul", [graph.do("Mul", [centred, centred], f"{of}squares"), MEAN], f"{of}variance"
    )
    deviation = graph.do(
        "Sqrt", [graph.do("Add", [variance, SMALLEST], f"{of}positive")], f"{of}deviation"
    )
    scaled = graph.do(
        "Mul", [graph.do("Div", [centred, deviation], f"{of}unit"), weight], f"{of}scaled"
    )
    return graph.do("Add", [scaled, bias], f"{of}norm")


def _value(name: str, kind: int, shape: list[str | int]) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def _outside(name: str, matrix: Vectors) -> TensorProto:
    """A weight's place in the graph; the session gets its numbers under this name."""
    place = TensorProto(
        name=name,
        data_type=TensorProto.FLOAT,
        dims=matrix.shape,
        data_location=TensorProto.EXTERNAL,
    )
    place.external_data.add(key="location", value="weights")
    return place


def main() -> None:
    """Writes it."""
    folder = model_path("minilm", Settings())
    if folder is None:
        raise SystemExit("run `dynagrag models pull minilm` first")
    made: bytes = minilm_graph(laid_out(load_file(folder / "model.safetensors"))).SerializeToString(
        deterministic=True
    )
    Path(__file__).with_name("minilm.onnx").write_bytes(made)


if __name__ == "__main__":
    main()
