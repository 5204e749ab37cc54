"""The embedder of a workspace's vectors: how it is opened again by commands that name none.

The store knows its name and dimension. Its spec, as --embedder takes it, is kept in the workspace's
folder, since a folder's name doesn't say where it lies. A workspace that was copied here from
elsewhere could so name a server or a file: only what this user has named, or the catalogue has, is
opened.
"""

import json
import logging
from pathlib import Path

from dynagrag.config.own_seal import opened, sealed
from dynagrag.config.settings import Settings
from dynagrag.core.embedder_names import name_without_prefix
from dynagrag.core.files.private_files import replace_text
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.journal.jobs import JobRequest
from dynagrag.models.known_embedders import KNOWN_EMBEDDERS

_LOG = logging.getLogger(__name__)
EMBEDDER_FILE = "embedder"
_MALFORMED = (ValueError, TypeError, KeyError, AttributeError, OverflowError)
"""What a file that isn't as it was written raises; an endless number the last."""


def with_own_embedder(
    folder: Path, stored: EmbedderIdentity | None, settings: Settings
) -> Settings:
    """The settings with the embedder of a workspace's vectors (`stored`; None: it has none yet),
    where nobody named another one: by --embedder, the environment or a settings file.
    """
    if stored is None or is_named(settings):
        return settings
    kept = _read(folder)
    if kept is not None and kept[1] == stored:
        return settings.model_copy(update={"embedder": kept[0]})
    name = name_without_prefix(stored.name)
    row = KNOWN_EMBEDDERS.get(name)
    if row is not None and row.dimension == stored.dimension:
        return settings.model_copy(update={"embedder": name})
    return settings  # asking names the one that is needed


def probable_embedder(folder: Path, settings: Settings) -> Settings:
    """As `with_own_embedder`, by the folder alone, before its store is opened: the store may have
    got another embedder from elsewhere.
    """
    kept = None if is_named(settings) else remembered_embedder(folder)
    return settings if kept is None else settings.model_copy(update={"embedder": kept})


def remembered_embedder(folder: Path) -> str | None:
    """The spec that is kept in a workspace's folder; None where there is none to be trusted."""
    kept = _read(folder)
    return kept[0] if kept else None


def embedder_of_job(folder: Path, request: JobRequest, named: str | None = None) -> str | None:
    """The embedder to open a workspace with for a job of before: the one that is named now, else
    the workspace's, which may have got another one since, else the job's.
    """
    return named or remembered_embedder(folder) or request.embedder or None


def is_named(settings: Settings) -> bool:
    """Whether somebody named an embedder, be it the default's."""
    return "embedder" in settings.model_fields_set


def is_remembered(folder: Path, spec: str, identity: EmbedderIdentity) -> bool:
    """Whether that is the embedder that is kept: then it needn't be asked, which costs a call."""
    return _read(folder) == (_absolute(spec), identity)


def remember_embedder(folder: Path, spec: str, identity: EmbedderIdentity) -> None:
    """Keeps the spec that opens a workspace's embedder."""
    if is_remembered(folder, spec, identity):
        return
    spec = _absolute(spec)
    form = {"spec": spec, "name": identity.name, "dimension": identity.dimension}
    try:
        replace_text(folder / EMBEDDER_FILE, json.dumps(sealed(form)) + "\n")
    except OSError as err:
        _LOG.warning(
            "%s cannot be written (%s): later commands need --embedder %s",
            folder / EMBEDDER_FILE,
            err.strerror,
            spec,
        )


def _read(folder: Path) -> tuple[str, EmbedderIdentity] | None:
    """None where there is no file, it isn't as we wrote it, or it names what only it names."""
    try:
        form = json.loads((folder / EMBEDDER_FILE).read_text(encoding="utf-8"))
        said, is_own = opened(form)
        spec = str(said["spec"])
        identity = EmbedderIdentity(str(said["name"]), int(said["dimension"]))
    except (OSError, RecursionError, *_MALFORMED):
        return None
    return (spec, identity) if is_own or spec in KNOWN_EMBEDDERS else None


def _absolute(spec: str) -> str:
    """A folder or file by its whole path, as later commands may be run elsewhere."""
    kind, place = ("torch:", spec[6:]) if spec.startswith("torch:") else ("", spec)
    path = Path(place).expanduser()
    return f"{kind}{path.absolute()}" if place not in KNOWN_EMBEDDERS and path.exists() else spec
