"""The model hub: whole models into a folder of ours, and what other programs fetched from it."""

import shutil
from pathlib import Path

from dynagrag.errors import ModelRefusedError, ModelUnavailableError, SettingsError

_TIMEOUT_S = 8.0
_PATTERNS = ["*.json", "*.txt", "*.model", "*.jinja", "*.safetensors"]
"""No pickles, and no second set of weights for another runtime."""


def cached_snapshot(hub_id: str) -> Path | None:
    """The hub library's own copy of a model, where another program fetched it; without asking the network."""
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


def fetch_snapshot(hub_id: str, target: Path, patterns: list[str] | None = None) -> Path:
    """Fetches a model into a folder. Raises our errors where the hub has it not or cannot be reached."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError as err:
        raise SettingsError("fetching from the model hub needs huggingface_hub: pip install 'dynagrag[local]'") from err
    try:
        _ask(hub_id)
        snapshot_download(hub_id, local_dir=target, allow_patterns=patterns or _PATTERNS)
    except Exception as err:
        if not _is_hub_failure(err):
            raise
        if type(err).__name__ in {"RepositoryNotFoundError", "GatedRepoError"}:
            raise ModelRefusedError(
                f"the model hub has no {hub_id} that you may read; check the name, or log in with `hf auth login`"
            ) from err
        raise ModelUnavailableError(f"{hub_id} could not be fetched from the model hub ({type(err).__name__}): check the network") from err
    shutil.rmtree(target / ".cache", ignore_errors=True)
    return target


def _ask(hub_id: str) -> None:
    """A short question, so that a hub that cannot be reached is known in seconds rather than after all of its library's retries."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import OfflineModeIsEnabled

    if constants.HF_HUB_OFFLINE:
        raise OfflineModeIsEnabled("HF_HUB_OFFLINE is set")
    HfApi().model_info(hub_id, timeout=_TIMEOUT_S)


def _is_hub_failure(err: Exception) -> bool:
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

    ours = isinstance(err, OSError | HfHubHTTPError | LocalEntryNotFoundError | OfflineModeIsEnabled)
    return ours or type(err).__module__.startswith(("httpx", "httpcore", "requests"))
