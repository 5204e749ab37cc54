"""The embedders that dynagrag knows: where they come from, how they pool, what their prompts are,
and what is known of them, measured or published.

A row serves under its own name (--embedder bge-small), under the names of its model on the hub, and
for a folder whose files don't tell all of it.
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from dynagrag.models.embedder_traits import EmbedderTraits, Pooling

KNOWN_SENTENCE = "The lunar module is called Aquarius."
"""Of `known_vector`, embedded as a document."""
_SEARCHING = "Represent this sentence for searching relevant passages: "
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class KnownEmbedder:
    """A row: `name` is what a user writes, `model` its name on the hub, without its owner.

    Attributes:
        hub_id: Whose `onnx_file` is fetched.
        size_bytes: Of that file and the tokenizer; of rows without a sha256 about.
        sha256: Of the hub's file; empty where it isn't known here.
        also_sha256: Of the same model's files elsewhere, by which they are recognised.
        known_vector: The first numbers of the vector of KNOWN_SENTENCE, seen here; empty where the
            model wasn't run here. Another vector is an error, beyond `tolerance`.
        cpu_s_per_1000_words: On one core of the machine of benchmarks/results/embed.txt.
        quality: What was measured and by whom.
    """

    name: str
    model: str
    hub_id: str
    onnx_file: str
    licence: str
    languages: str
    size_bytes: int
    dimension: int
    traits: EmbedderTraits
    quality: str
    sha256: str = ""
    also_sha256: tuple[str, ...] = ()
    known_vector: tuple[float, ...] = field(default=(), repr=False)
    tolerance: float = 1e-4
    cpu_s_per_1000_words: float | None = None

    @property
    def is_int8(self) -> bool:
        """Whether its weights are rounded to eight bits."""
        return self.name.endswith("-int8")


_ROWS = (
    KnownEmbedder(
        name="minilm",
        model="all-MiniLM-L6-v2",
        hub_id="sentence-transformers/all-MiniLM-L6-v2",
        onnx_file="onnx/model.onnx",
        licence="Apache-2.0",
        languages="English",
        size_bytes=91_620_300,
        dimension=384,
        traits=EmbedderTraits(Pooling.MEAN, 256),
        quality="here: docs/benchmarks.md",
        sha256="6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452",
        also_sha256=("ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4",),
        known_vector=(
            *(-0.049683, 0.01728, 0.042584, 0.030808),
            *(-0.071542, -0.042943, 0.053025, -0.055061),
        ),
        cpu_s_per_1000_words=0.43,
    ),
    KnownEmbedder(
        name="bge-small",
        model="bge-small-en-v1.5",
        hub_id="BAAI/bge-small-en-v1.5",
        onnx_file="onnx/model.onnx",
        licence="MIT",
        languages="English",
        size_bytes=133_804_886,
        dimension=384,
        traits=EmbedderTraits(Pooling.CLS, 512, _SEARCHING),
        quality="here: docs/benchmarks.md",
        sha256="828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
        known_vector=(
            *(-0.006317, -0.014082, 0.02715, 0.015788),
            *(-0.0363, -0.028784, 0.029665, -0.009817),
        ),
        cpu_s_per_1000_words=0.83,
    ),
    KnownEmbedder(
        name="bge-small-int8",
        model="bge-small-en-v1.5",
        hub_id="Xenova/bge-small-en-v1.5",
        onnx_file="onnx/model_quantized.onnx",
        licence="MIT",
        languages="English",
        size_bytes=34_725_822,
        dimension=384,
        traits=EmbedderTraits(Pooling.CLS, 512, _SEARCHING),
        quality="here: docs/benchmarks.md",
        sha256="6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
        tolerance=0.02,
        known_vector=(
            *(-0.009091, -0.00847, 0.027295, 0.01623),
            *(-0.030633, -0.024894, 0.023765, -0.003939),
        ),
        cpu_s_per_1000_words=0.31,
    ),
    KnownEmbedder(
        name="e5-small",
        model="e5-small-v2",
        hub_id="intfloat/e5-small-v2",
        onnx_file="onnx/model.onnx",
        licence="MIT",
        languages="English",
        size_bytes=133_804_863,
        dimension=384,
        traits=EmbedderTraits(Pooling.MEAN, 512, "query: ", "passage: "),
        quality="here: docs/benchmarks.md",
        also_sha256=("b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0",),
        known_vector=(
            *(-0.081259, 0.067362, 0.003462, 0.010788),
            *(-0.059813, 0.03207, 0.075263, -0.054842),
        ),
        cpu_s_per_1000_words=0.93,
    ),
    KnownEmbedder(
        name="e5-small-int8",
        model="e5-small-v2",
        hub_id="Xenova/e5-small-v2",
        onnx_file="onnx/model_quantized.onnx",
        licence="MIT",
        languages="English",
        size_bytes=34_725_763,
        dimension=384,
        traits=EmbedderTraits(Pooling.MEAN, 512, "query: ", "passage: "),
        quality="here: docs/benchmarks.md",
        sha256="7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded",
        tolerance=0.02,
        known_vector=(
            *(-0.080418, 0.064763, 0.005528, 0.013071),
            *(-0.067652, 0.029019, 0.079972, -0.049838),
        ),
        cpu_s_per_1000_words=0.33,
    ),
    KnownEmbedder(
        name="arctic-xs",
        model="snowflake-arctic-embed-xs",
        hub_id="Snowflake/snowflake-arctic-embed-xs",
        onnx_file="onnx/model.onnx",
        licence="Apache-2.0",
        languages="English",
        size_bytes=91_000_000,
        dimension=384,
        traits=EmbedderTraits(Pooling.CLS, 512, _SEARCHING),
        quality="its authors: 50.2 on BEIR",
    ),
    KnownEmbedder(
        name="arctic-s",
        model="snowflake-arctic-embed-s",
        hub_id="Snowflake/snowflake-arctic-embed-s",
        onnx_file="onnx/model.onnx",
        licence="Apache-2.0",
        languages="English",
        size_bytes=134_000_000,
        dimension=384,
        traits=EmbedderTraits(Pooling.CLS, 512, _SEARCHING),
        quality="its authors: 52.0 on BEIR",
    ),
    KnownEmbedder(
        name="granite-small",
        model="granite-embedding-small-english-r2",
        hub_id="onnx-community/granite-embedding-small-english-r2-ONNX",
        onnx_file="onnx/model.onnx",
        licence="Apache-2.0",
        languages="English",
        size_bytes=194_000_000,
        dimension=384,
        traits=EmbedderTraits(Pooling.CLS, 2048),
        quality="its authors: 50.9 on BEIR",
    ),
    KnownEmbedder(
        name="multilingual-e5-small",
        model="multilingual-e5-small",
        hub_id="intfloat/multilingual-e5-small",
        onnx_file="onnx/model.onnx",
        licence="MIT",
        languages="some 100 languages",
        size_bytes=488_000_000,
        dimension=384,
        traits=EmbedderTraits(Pooling.MEAN, 512, "query: ", "passage: "),
        quality="IBM: 50.9 on multilingual retrieval of MTEB",
    ),
    KnownEmbedder(
        name="granite-multilingual",
        model="granite-embedding-97m-multilingual-r2",
        hub_id="ibm-granite/granite-embedding-97m-multilingual-r2",
        onnx_file="onnx/model.onnx",
        licence="Apache-2.0",
        languages="some 200 languages",
        size_bytes=408_000_000,
        dimension=384,
        traits=EmbedderTraits(Pooling.CLS, 2048),
        quality="its authors: 60.3 on multilingual retrieval of MTEB",
    ),
)
KNOWN_EMBEDDERS = {row.name: row for row in _ROWS}


def known_by_name(name: str) -> KnownEmbedder | None:
    """The row of a spec: its own name, or the model's, whoever's copy it is; int8 rows only by
    their own, since others' files have other weights.
    """
    model = name.rpartition("/")[2].casefold()
    hub_ids = {row.hub_id.casefold(): row for row in _ROWS if not row.is_int8}
    alike = (row for row in _ROWS if row.model.casefold() == model and not row.is_int8)
    return KNOWN_EMBEDDERS.get(name) or hub_ids.get(name.casefold()) or next(alike, None)


def known_by_file(path: Path) -> KnownEmbedder | None:
    """The row whose .onnx file this is, by its content."""
    found = sha256_of(path)
    return next((row for row in _ROWS if found in (row.sha256, *row.also_sha256)), None)


def sha256_of(path: Path) -> str:
    """Of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
