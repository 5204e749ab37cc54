"""The model hub: whole models into a folder of ours, and what other programs fetched from it."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dynagrag.core.errors import ModelRefusedError, ModelUnavailableError, SettingsError

if TYPE_CHECKING:
    from huggingface_hub import ModelInfo

_TIMEOUT_S = 8.0
_CHECKS = "check the network, HTTPS_PROXY and HF_ENDPOINT"
_MAX_NAMED = 8
_PATTERNS = ["*.json", "*.txt", "*.model", "*.jinja", "*.safetensors"]
"""No pickles, and no second set of weights for another runtime."""
_DENSE = "*_Dense/model.safetensors"
"""A layer behind an embedder's pooling, which its .onnx file doesn't hold."""
_ONNX_FIRST = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")


def cached_snapshot(hub_id: str) -> Path | None:
    """The hub library's own copy of a model, where another program fetched it; without asking the
    network.
    """
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError
    except ImportError:
        return None
    try:
        folder = Path(snapshot_download(hub_id, local_files_only=True))
    except LocalEntryNotFoundError:
        return None
    return folder if (folder / "config.json").is_file() else None


def cached_file(hub_id: str, name: str) -> Path | None:
    """The same for one file."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(hub_id, name)
    except HFValidationError:  # what the hub would refuse, no cache holds
        return None
    return Path(found) if isinstance(found, str) else None


def onnx_file(names: Iterable[str]) -> str | None:
    """The .onnx file that is taken of a model's files: the whole one before quantized and other
    variants, these by name; None where there is none.
    """
    found = sorted(name for name in names if name.endswith(".onnx"))
    return next((name for name in _ONNX_FIRST if name in found), found[0] if found else None)


def onnx_patterns(hub_id: str, of_embedders_alone: bool = False) -> list[str] | None:
    """What to fetch of a model for ONNX Runtime: its config, tokenizer and one .onnx file, with the
    data beside it; None where it has none, or is no embedder and only those are wanted. Raises as
    `fetch_snapshot`.
    """
    with _translating(hub_id):
        files = [f.rfilename for f in _ask(hub_id, with_files=True).siblings or ()]
    if of_embedders_alone and "modules.json" not in files:
        return None
    chosen = onnx_file(files)
    return [*_PATTERNS[:4], _DENSE, chosen, f"{chosen}?data"] if chosen else None


def fetch_snapshot(hub_id: str, target: Path, patterns: list[str] | None = None) -> Path:
    """Fetches a model into a folder. Raises our errors where the hub has it not or cannot be
    reached.
    """
    try:
        from huggingface_hub import snapshot_download
    except ImportError as err:
        raise SettingsError(
            "fetching from the model hub needs huggingface_hub: pip install 'dynagrag[local]'"
        ) from err
    with _translating(hub_id):
        _ask(hub_id)
        snapshot_download(hub_id, local_dir=target, allow_patterns=patterns or _PATTERNS)
    shutil.rmtree(target / ".cache", ignore_errors=True)
    return target


def size_of_file(hub_id: str, name: str) -> int:
    """The bytes of a file of a repository. Raises ModelRefusedError, with what there is, where it
    has no such file.
    """
    with _translating(hub_id):
        found = {f.rfilename: f.size or 0 for f in _ask(hub_id, with_files=True).siblings or ()}
    if name in found:
        return found[name]
    alike = [other for other in found if other.endswith(name[name.rfind(".") :])]
    there = (
        f"it has {', '.join(alike[:_MAX_NAMED])}{' ...' if len(alike) > _MAX_NAMED else ''}"
        if alike
        else "nor any like it"
    )
    raise ModelRefusedError(f"{hub_id} of the model hub has no file {name}; {there}")


def fetch_file(hub_id: str, name: str, target: Path, on_bytes: Callable[[int], None]) -> Path:
    """Fetches one file of a repository into a folder; where it lies. `on_bytes` is told how many
    came. Raises as `fetch_snapshot`.
    """
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils.tqdm import tqdm

    class _Told(tqdm):
        def update(self, n: float | None = 1) -> bool | None:
            on_bytes(int(n or 0))
            return None

    with _translating(hub_id):
        return Path(hf_hub_download(hub_id, name, local_dir=target, tqdm_class=_Told))


@contextmanager
def _translating(hub_id: str) -> Iterator[None]:
    try:
        yield
    except Exception as err:
        if not _is_hub_failure(err):
            raise
        if type(err).__name__ in {"RepositoryNotFoundError", "GatedRepoError", "HFValidationError"}:
            raise ModelRefusedError(
                f"the model hub has no {hub_id} that you may read; check the name, or log in with"
                " `hf auth login`"
            ) from err
        name = type(err).__name__
        is_off = name == "OfflineModeIsEnabled"
        remedy = "unset HF_HUB_OFFLINE" if is_off else _CHECKS
        raise ModelUnavailableError(
            f"{hub_id} could not be fetched from the model hub ({name}): {remedy}; or fetch it on"
            " another machine, copy its files here and name their path"
        ) from err


def _ask(hub_id: str, with_files: bool = False) -> "ModelInfo":
    """A short question, so that a hub that cannot be reached is known in seconds rather than after
    all of its library's retries.
    """
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import OfflineModeIsEnabled

    if constants.HF_HUB_OFFLINE:
        raise OfflineModeIsEnabled("HF_HUB_OFFLINE is set")
    return HfApi().model_info(hub_id, timeout=_TIMEOUT_S, files_metadata=with_files)


def _is_hub_failure(err: Exception) -> bool:
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
    )

    ours = isinstance(
        err,
        OSError
        | HfHubHTTPError
        | HFValidationError
        | LocalEntryNotFoundError
        | OfflineModeIsEnabled,
    )
    return ours or type(err).__module__.startswith(("httpx", "httpcore", "requests"))
