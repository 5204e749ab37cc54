"""Trained soft prompts that answer a workspace's questions: its own, which lie in its folder, or
any checkpoint.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from dynagrag.checkpoints.checkpoints import DESCRIPTION, Stamp, read_description, stamp_of
from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, SettingsError, UsageError
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.generation.soft_prompt.soft_answers import (
    KIND,
    SYSTEMS,
    SoftAnswerer,
    SoftSystem,
    check_text_version,
)
from dynagrag.models.catalog import model_path
from dynagrag.models.known_models import CATALOG
from dynagrag.workspace.workspace_folder import workspace_folder
from dynagrag.workspace.workspace_pruner import UNTRAINED

FOLDER = "soft-prompt"
"""In a workspace's folder. What was learned of answers may hold words of any document, so a
deletion takes all of it.
"""
PRUNER = "pruner"
"""Of what a checkpoint was made with: the identity of what scored its prompts; where it isn't told,
it was the untrained one.
"""
_MAX_LOADED = 4


def soft_prompt_folder(settings: Settings, workspace: str, method: str) -> Path:
    """Where a workspace's own of a method lies, as `workspace_folder` has it."""
    return workspace_folder(settings, workspace, FOLDER, method)


class WorkspaceSoftPrompts:
    """The systems that a workspace's questions ask for. The last few are kept, and loaded again
    when their files change; those before the same language model share it.
    """

    def __init__(self, settings: Settings, workspace: str) -> None:
        self._settings, self._workspace = settings, workspace
        self._loading = Lock()
        self._loaded: dict[tuple[Path, Stamp, EmbedderIdentity], SoftAnswerer] = {}

    def chosen(self, name: str, embedder: EmbedderIdentity) -> SoftAnswerer:
        """The one called so: one of `SYSTEMS` of the workspace, or the folder of a checkpoint.

        Raises UsageError where there is none or it fits another embedder, LoadError for what is no
        checkpoint, SettingsError where the language model or a library is missing.
        """
        folder = folder_of(self._settings, self._workspace, name)
        try:
            from dynagrag.generation.soft_prompt.soft_checkpoint import open_soft_answerer
        except ImportError as err:
            raise SettingsError(
                "answering with soft prompts needs torch-geometric and transformers: pip install"
                " 'dynagrag[train,local]'"
            ) from err
        with self._loading:
            key = (folder, stamp_of(folder), embedder)
            found = self._loaded.pop(key, None)
            if found is None:
                known = [own.model.lm for own in self._loaded.values()]
                found = open_soft_answerer(folder, self._settings, embedder, known)
            self._loaded[key] = found
            for old in [*self._loaded][:-_MAX_LOADED]:
                del self._loaded[old]
            return found

    def system_of(self, name: str) -> SoftSystem:
        """The system called so, trained here or not; of a folder, errors as in `chosen`."""
        if name in SYSTEMS:
            return SYSTEMS[name]
        folder = folder_of(self._settings, self._workspace, name)
        return SYSTEMS[str(read_description(folder, KIND).network.get("method"))]

    def pruner_of(self, name: str) -> str:
        """The `WorkspacePruners.identity` of the pruner that scored the training data of the system
        called so.
        """
        return str(
            read_description(folder_of(self._settings, self._workspace, name), KIND).made_with.get(
                PRUNER, UNTRAINED
            )
        )


def folder_of(settings: Settings, workspace: str, name: str) -> Path:
    """The folder of the system called so. UsageError where there is none."""
    if name not in SYSTEMS:
        if not name or not Path(name).is_dir():
            raise UsageError(
                f"there is no folder {name!r}; --soft takes {', '.join(SYSTEMS)} (the workspace's"
                " own) or a folder"
            )
        return Path(name)
    own = soft_prompt_folder(settings, workspace, name)
    if not (own / DESCRIPTION).is_file():
        raise UsageError(
            f"workspace {workspace!r} has no trained {name}; train one with `dynagrag train {name}"
            f" --workspace {workspace}`"
        )
    return own


def soft_identity(settings: Settings, workspace: str, name: str, embedder: EmbedderIdentity) -> str:
    """The system called so: its method, its language model and a digest. No weights are loaded.

    Raises UsageError where there is none or it fits another embedder, LoadError for what is no
    checkpoint.
    """
    folder = folder_of(settings, workspace, name)
    checkpoint = read_description(folder, KIND)
    checkpoint.check_fits(embedder, folder)
    made = checkpoint.network
    check_text_version(made, folder)
    return f"{made.get('method')} with {made.get('lm')}, {checkpoint.identity(folder)}"


@dataclass(frozen=True, slots=True)
class OwnSoftPrompt:
    """A trained soft prompt of a workspace by its system's name. `label`: with its language model;
    `why_not`: why it can't answer here.
    """

    name: str
    label: str
    why_not: str = ""


def own_soft_prompts(
    settings: Settings, workspace: str, embedder: EmbedderIdentity | None
) -> list[OwnSoftPrompt]:
    """Those that a workspace has, with what is against each as far as that is known without loading
    weights. `embedder`: that of its vectors; None: it has none yet.
    """
    found = []
    for name in SYSTEMS:
        folder = soft_prompt_folder(settings, workspace, name)
        if not (folder / DESCRIPTION).is_file():
            continue
        try:
            checkpoint = read_description(folder, KIND)
            made = checkpoint.network
            if made.get("method") != name or not isinstance(made.get("lm"), str):
                raise LoadError(f"{folder} is no checkpoint of {name}; train it again")
            if embedder is not None:
                checkpoint.check_fits(embedder, folder)
            check_text_version(made, folder)
            lm = made["lm"]
            why_not = _why_not(lm, made.get("lm_width"), settings)
        except (LoadError, SettingsError, UsageError) as err:
            found.append(OwnSoftPrompt(name, name, str(err).replace(str(folder), "it")))
        else:
            found.append(OwnSoftPrompt(name, f"{name} with {lm}", why_not))
    return found


def _why_not(lm: str, width: object, settings: Settings) -> str:
    """The reason why a language model can't be used: it isn't here, or a folder's has another
    width. Of a GGUF file the width is known once loaded.
    """
    if lm in CATALOG and model_path(lm, settings) is None:
        return f"the model {lm} isn't here: run `dynagrag models pull {lm}`"
    try:
        path = (model_path(lm, settings) if lm in CATALOG else None) or Path(lm).expanduser()
        if path.is_absolute() and not path.exists():
            return f"the model {lm} isn't here"
        config = path / "config.json"
        own = (
            json.loads(config.read_text(encoding="utf-8"))["hidden_size"]
            if config.is_file()
            else None
        )
    except (
        OSError,
        ValueError,
        RuntimeError,
        LookupError,
        TypeError,
    ):  # of a name, of a file, of what it holds
        return f"the model {lm[:80]!r} can't be read"
    if own is not None and own != width:
        return f"it was trained before a model of width {width}, and {lm} has {own}; train it again"
    return ""
