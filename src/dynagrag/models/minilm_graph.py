"""all-MiniLM-L6-v2 as an ONNX graph, made of the weights that its package brings, so that embedding takes no torch.

The operators are ONNX Runtime's own for transformers (com.microsoft), which do attention, and gelu with its bias, in one step each. The
norm of a layer is made of plain ones: the runtime's own goes number by number and takes four times as long. The weights stay outside the
graph, which has some kilobytes: the session reads them where they lie.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper

from dynagrag.models.minilm_embedder import DIMENSION
from dynagrag.schema import Vectors

NUM_LAYERS, NUM_HEADS = 6, 12
IDS, SEGMENTS, MASK = "ids", "segments", "mask"
"""The graph's inputs, int32 (b, t): tokens, zeros, and 1 for a token, 0 for padding. Its one output is float32 (b, t, DIMENSION)."""
_EPSILON = 1e-12
_RUNTIME = "com.microsoft"
_OF_RUNTIME = ("EmbedLayerNormalization", "Attention", "BiasGelu")
_MEAN, _SMALLEST = "mean", "epsilon"
"""(DIMENSION, 1), which a row is multiplied with for its mean, and (1,)."""
_OPSET, _RUNTIME_OPSET, _IR_VERSION = 17, 1, 9


@dataclass(slots=True)
class _Graph:
    weights: Mapping[str, Vectors]
    nodes: list[NodeProto] = field(default_factory=list)
    inputs: dict[str, Vectors] = field(default_factory=dict)

    def kept(self, name: str, matrix: Vectors | None = None) -> str:
        """A weight, or a matrix made of several, as an input of an operator; its name."""
        self.inputs[name] = np.ascontiguousarray(self.weights[name] if matrix is None else matrix)
        return name

    def do(self, operator: str, inputs: list[str], output: str, **attributes: float) -> str:
        """Adds an operator; the name of what it gives."""
        domain = _RUNTIME if operator in _OF_RUNTIME else ""
        node = helper.make_node(operator, inputs, [output], domain=domain)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self.nodes.append(node)
        return output

    def norm(self, of: str) -> list[str]:
        """The weights of a layer norm."""
        return [self.kept(f"{of}LayerNorm.weight"), self.kept(f"{of}LayerNorm.bias")]

    def dense(self, of: str, hidden: str) -> str:
        """A dense layer without its bias, which the next operator adds."""
        weight = f"{of}dense.weight"
        return self.do("MatMul", [hidden, self.kept(weight, self.weights[weight].T)], f"{of}dense")


def minilm_graph(weights: Mapping[str, Vectors]) -> tuple[bytes, dict[str, Vectors]]:
    """The serialized graph, and by name the weights that it reads. KeyError where `weights` are no MiniLM's."""
    graph = _Graph(weights)
    graph.kept(_MEAN, np.full((DIMENSION, 1), 1 / DIMENSION, dtype=np.float32))
    graph.kept(_SMALLEST, np.array([_EPSILON], dtype=np.float32))
    tables = [graph.kept(f"embeddings.{name}_embeddings.weight") for name in ("word", "position", "token_type")]
    hidden = graph.do("EmbedLayerNormalization", [IDS, SEGMENTS, *tables, *graph.norm("embeddings.")], "embedded", epsilon=_EPSILON)
    graph.nodes[-1].output.append("mask_index")  # the operator has two outputs; this one isn't read
    for number in range(NUM_LAYERS):
        hidden = _layer(graph, f"encoder.layer.{number}.", hidden)
    return _serialized(graph, hidden), graph.inputs


def _layer(graph: _Graph, layer: str, hidden: str) -> str:
    own, out, between, last = (f"{layer}{part}." for part in ("attention.self", "attention.output", "intermediate", "output"))
    projections = [graph.weights[f"{own}{name}.weight"].T for name in ("query", "key", "value")]
    biases = [graph.weights[f"{own}{name}.bias"] for name in ("query", "key", "value")]
    weight = graph.kept(f"{own}weight", np.concatenate(projections, axis=1))
    bias = graph.kept(f"{own}bias", np.concatenate(biases))
    attended = graph.do("Attention", [hidden, weight, bias, MASK], f"{own}attended", num_heads=NUM_HEADS)
    hidden = _added(graph, out, graph.dense(out, attended), hidden)
    wide = graph.do("BiasGelu", [graph.dense(between, hidden), graph.kept(f"{between}dense.bias")], f"{between}gelu")
    return _added(graph, last, graph.dense(last, wide), hidden)


def _added(graph: _Graph, of: str, new: str, hidden: str) -> str:
    """The norm of the sum of what a dense layer gave, its bias, and what went in: (x - mean) / sqrt(variance + epsilon) * weight + bias."""
    weight, bias = graph.norm(of)
    total = graph.do("Add", [graph.do("Add", [new, graph.kept(f"{of}dense.bias")], f"{of}biased"), hidden], f"{of}sum")
    centred = graph.do("Sub", [total, graph.do("MatMul", [total, _MEAN], f"{of}mean")], f"{of}centred")
    variance = graph.do("MatMul", [graph.do("Mul", [centred, centred], f"{of}squares"), _MEAN], f"{of}variance")
    deviation = graph.do("Sqrt", [graph.do("Add", [variance, _SMALLEST], f"{of}positive")], f"{of}deviation")
    scaled = graph.do("Mul", [graph.do("Div", [centred, deviation], f"{of}unit"), weight], f"{of}scaled")
    return graph.do("Add", [scaled, bias], f"{of}norm")


def _serialized(graph: _Graph, output: str) -> bytes:
    inputs = [_value(name, TensorProto.INT32, ["b", "t"]) for name in (IDS, SEGMENTS, MASK)]
    outputs = [_value(output, TensorProto.FLOAT, ["b", "t", DIMENSION])]
    made: GraphProto = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, outputs)
    made.initializer.extend(_outside(name, matrix) for name, matrix in graph.inputs.items())
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME, _RUNTIME_OPSET)]
    serialized: bytes = helper.make_model(made, opset_imports=opsets, ir_version=_IR_VERSION).SerializeToString()
    return serialized


def _value(name: str, kind: int, shape: list[str | int]) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def _outside(name: str, matrix: Vectors) -> TensorProto:
    """A weight's place in the graph; the session gets its numbers under this name."""
    place = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=matrix.shape, data_location=TensorProto.EXTERNAL)
    place.external_data.add(key="location", value="weights")
    return place
