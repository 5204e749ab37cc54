"""Inputs of minilm.onnx, the graph of all-MiniLM-L6-v2: their names, and its weights, as the
model's own file has them or laid out for its operators.
"""

from collections.abc import Mapping
from importlib.resources import files

import numpy as np

from dynagrag.core.schema import Vectors

DIMENSION, NUM_LAYERS = 384, 6
IDS, SEGMENTS, MASK = "ids", "segments", "mask"
"""The graph's inputs, int32 (b, t): tokens, zeros, and 1 for a token, 0 for padding. Its one output
is float32 (b, t, DIMENSION).
"""
MEAN, SMALLEST = "mean", "epsilon"
"""(DIMENSION, 1), which a row is multiplied with for its mean, and (1,)."""
EPSILON = 1e-12
TABLES = tuple(
    f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type")
)


def graph_bytes() -> bytes:
    """The serialized graph, without weights (minilm_graph.py makes it)."""
    return files("dynagrag.models").joinpath("minilm.onnx").read_bytes()


def laid_out(weights: Mapping[str, Vectors]) -> dict[str, Vectors]:
    """The graph's inputs by name, float32. KeyError if `weights` are not MiniLM's."""
    made = {
        MEAN: np.full((DIMENSION, 1), 1 / DIMENSION, dtype=np.float32),
        SMALLEST: np.array([EPSILON], dtype=np.float32),
    }
    for name in (*TABLES, *norm("embeddings.")):
        made[name] = weights[name]
    for number in range(NUM_LAYERS):
        made |= _of_layer(weights, layer_parts(number))
    return {name: np.ascontiguousarray(matrix) for name, matrix in made.items()}


def layer_parts(number: int) -> tuple[str, str, str, str]:
    """How the names of a layer's weights begin: attention, its output, the wide layer, the layer's
    output.
    """
    parts = ("attention.self", "attention.output", "intermediate", "output")
    attention, out, wide, last = (f"encoder.layer.{number}.{part}." for part in parts)
    return attention, out, wide, last


def norm(of: str) -> list[str]:
    """The names of a layer norm's weights."""
    return [f"{of}LayerNorm.weight", f"{of}LayerNorm.bias"]


def _of_layer(
    weights: Mapping[str, Vectors], parts: tuple[str, str, str, str]
) -> dict[str, Vectors]:
    """Query, key and value as one matrix; dense layers as the right side of a product."""
    attention, out, wide, last = parts
    three = [f"{attention}{name}" for name in ("query", "key", "value")]
    made: dict[str, Vectors] = {
        f"{attention}weight": np.concatenate(
            [weights[f"{name}.weight"].T for name in three], axis=1
        ),
        f"{attention}bias": np.concatenate([weights[f"{name}.bias"] for name in three]),
    }
    for of in (out, wide, last):
        made |= {
            f"{of}dense.weight": weights[f"{of}dense.weight"].T,
            f"{of}dense.bias": weights[f"{of}dense.bias"],
        }
    return made | {name: weights[name] for of in (out, last) for name in norm(of)}
