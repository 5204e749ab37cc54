"""Trained G-Retriever and GRAG that answer a workspace's questions: its own, which lie in its folder, or any checkpoint."""

from pathlib import Path
from threading import Lock

from dynagrag.errors import SettingsError, UsageError
from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS, SoftAnswerer
from dynagrag.graph_store.rules import check_workspace_name
from dynagrag.schema import EmbedderIdentity
from dynagrag.settings import Settings
from dynagrag.training.checkpoints import DESCRIPTION

_FOLDER = "soft-prompt"


def soft_prompt_folder(settings: Settings, workspace: str, method: str) -> Path:
    """Where a workspace's own of a method lies; it need not be there yet. WorkspaceError where a workspace can't be called so."""
    check_workspace_name(workspace)
    return settings.workspaces_dir / workspace / _FOLDER / method


class WorkspaceSoftPrompts:
    """The systems that a workspace's questions ask for. The last one is kept, and loaded again when its files change."""

    def __init__(self, settings: Settings, workspace: str) -> None:
        self._settings, self._workspace = settings, workspace
        self._loading = Lock()
        self._loaded: tuple[tuple[Path, int, EmbedderIdentity], SoftAnswerer] | None = None

    def chosen(self, name: str, embedder: EmbedderIdentity) -> SoftAnswerer:
        """The one called so: g-retriever or grag of the workspace, or the folder of a checkpoint.

        Raises UsageError where there is none or it fits another embedder, LoadError for what is no checkpoint, SettingsError where the
        language model or a library is missing.
        """
        folder = self._folder_of(name)
        try:
            from dynagrag.generation.soft_prompt.soft_checkpoint import open_soft_answerer
        except ImportError as err:
            raise SettingsError(
                "answering with soft prompts needs torch-geometric and transformers: pip install 'dynagrag[train,local]'"
            ) from err
        with self._loading:
            key = (folder, _stamp(folder), embedder)
            if self._loaded is None or self._loaded[0] != key:
                self._loaded = (key, open_soft_answerer(folder, self._settings, embedder))
            return self._loaded[1]

    def _folder_of(self, name: str) -> Path:
        if name not in SYSTEMS:
            if not name or not Path(name).is_dir():
                raise UsageError(f"there is no folder {name!r}; --soft takes {', '.join(SYSTEMS)} (the workspace's own) or a folder")
            return Path(name)
        own = soft_prompt_folder(self._settings, self._workspace, name)
        if not (own / DESCRIPTION).is_file():
            raise UsageError(
                f"workspace {self._workspace!r} has no trained {name}; train one with `dynagrag train {name} --workspace {self._workspace}`"
            )
        return own


def _stamp(folder: Path) -> int:
    """Changes when a checkpoint is written anew; 0 where there is none."""
    path = folder / DESCRIPTION
    return path.stat().st_mtime_ns if path.is_file() else 0
