"""The one file of a backup: how it is written, and how it is checked before any of it is used.

A zip of `graph.sqlite` (records and graph as the embedded store has them, whatever store they came
from), `journal.sqlite` (cached replies, ledger, set-aside list, jobs) and `manifest.json`: the
workspace, its counts and digest, the size and sha256 of each part.
"""

import hashlib
import json
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dynagrag.core.errors import NewerStoreError, StoreError
from dynagrag.core.files.private_files import touch
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular
from dynagrag.core.text import cut
from dynagrag.graph_store.restored_rows import check_graph, check_journal, check_schema
from dynagrag.graph_store.rules import WORKSPACE_NAME
from dynagrag.graph_store.sqlite_store.migrations import APPLICATION_ID
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore
from dynagrag.journal.workspace_journal import Journal

_UNUSUAL_FLAGS = 0x61
"""Bits of a zip entry that says to be encrypted (0, 6) or a patch (5)."""
FORMAT = 1
"""Counts up when an older version could not restore the file."""
GRAPH, JOURNAL, MANIFEST = "graph.sqlite", "journal.sqlite", "manifest.json"
PARTS = (GRAPH, JOURNAL)
"""Named as in a workspace's folder."""

_MAX_MANIFEST_BYTES = 1_000_000
_MAX_EXPANSION = 200
_FREE_EXPANSION_BYTES = 16_000_000
"""SQLite's pages shrink to a tenth at most but for empty ones; a zip bomb of zeros to a thousandth.
Small parts may be all empty pages.
"""
_BLOCK_BYTES = 1 << 20
_COUNTED = (
    "documents",
    "turns",
    "passages",
    "extractions",
    "mentions",
    "relation_records",
    "edits",
    "entities",
    "relations",
)
_AGAIN = "it is damaged or was altered; take another copy of the backup"


class ArchivePart(BaseModel):
    """Size and hash of one part of the archive."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    size_bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class Manifest(BaseModel):
    """The archive's description of itself. `is_current`: the graph was that of the records when the
    backup was made.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["dynagrag backup"] = "dynagrag backup"
    format: int = Field(strict=True, ge=1, le=FORMAT)
    dynagrag: str
    made_at: str
    workspace: str = Field(pattern=rf"^{WORKSPACE_NAME.pattern}$")
    counts: Mapping[str, int]
    is_current: bool
    digest: str
    parts: Mapping[str, ArchivePart]


# ------------------------------------------------------------------------------------------ writing


def save_sqlite(source: Path, target: Path) -> None:
    """A whole copy of an SQLite file as it is at one moment, also while others write to it; without
    the free pages of the original.
    """
    touch(target)  # SQLite writes into an empty file, and leaves its mode
    address = f"{source.absolute().as_uri()}?mode=ro"
    try:
        with closing(
            sqlite3.connect(address, uri=True, timeout=30.0, isolation_level=None)
        ) as sqlite:
            sqlite.execute("VACUUM INTO ?", (str(target),))
    except sqlite3.Error as err:
        raise StoreError(
            f"{source} cannot be copied: {err}; check it with `dynagrag doctor`, and the disk for"
            " free space"
        ) from err


def describe(folder: Path, workspace: str, *, made_at: str, dynagrag: str) -> Manifest:
    """The manifest of the two parts in a folder. StoreError where a row in them can't be read, so
    that nobody could restore them.
    """
    check_graph(folder / GRAPH, workspace)
    check_journal(folder / JOURNAL)
    with closing(SqliteStore(folder / GRAPH, workspace)) as store:
        digest, is_current = store.digest(), store.is_derived_current()
    counts = _counts(folder / GRAPH)
    parts = {}
    for name in PARTS:
        with (folder / name).open("rb") as handle:
            sha256 = hashlib.file_digest(handle, "sha256").hexdigest()
        parts[name] = ArchivePart(size_bytes=(folder / name).stat().st_size, sha256=sha256)
    return Manifest(
        format=FORMAT,
        dynagrag=dynagrag,
        made_at=made_at,
        workspace=workspace,
        counts=counts,
        is_current=is_current,
        digest=digest,
        parts=parts,
    )


def pack(folder: Path, manifest: Manifest, file: Path) -> None:
    """Writes the zip. Raises OSError."""
    touch(file)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, json.dumps(manifest.model_dump(), indent=1, sort_keys=True))
        for name in PARTS:
            archive.write(folder / name, name)


# ----------------------------------------------------------------------------------------- checking


def read_manifest(file: Path) -> Manifest:
    """A file's manifest, after a look at its structure. Raises StoreError, and NewerStoreError for
    a later format.
    """
    if is_irregular(file):
        raise StoreError(f"{file} {IRREGULAR}")
    try:
        with zipfile.ZipFile(file) as archive:
            return _manifest(archive, file)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as err:
        raise StoreError(
            f"{file} is no dynagrag backup, or it was cut off: {err}; take another copy of it"
        ) from err
    except OSError as err:
        raise StoreError(
            f"{file} cannot be read: {err.strerror or err}; check its path and permissions"
        ) from err


def unpack(file: Path, folder: Path) -> Manifest:
    """Unpacks a backup into an empty folder and checks every part of it. Raises StoreError where a
    part is not what the manifest says.
    """
    manifest = read_manifest(file)
    size = sum(part.size_bytes for part in manifest.parts.values())
    free = shutil.disk_usage(folder).free
    if size > free:
        raise StoreError(
            f"{file} unpacks to {size / 1e6:,.0f} MB, but {folder} has {free / 1e6:,.0f} MB free;"
            " free some space"
        )
    try:
        with zipfile.ZipFile(file) as archive:
            for name, part in manifest.parts.items():
                # Never more than its size is written.
                found, left = hashlib.sha256(), part.size_bytes
                with archive.open(name) as packed, (folder / name).open("xb") as written:
                    while block := packed.read(min(_BLOCK_BYTES, left + 1)):
                        left -= len(block)
                        if left < 0:
                            raise StoreError(
                                f"{file}: {name} is longer than the {part.size_bytes:,} bytes it"
                                f" should have; {_AGAIN}"
                            )
                        found.update(block)
                        written.write(block)
                if left or found.hexdigest() != part.sha256:
                    raise StoreError(
                        f"{file}: the sha256 of {name} is not the one in its {MANIFEST}; {_AGAIN}"
                    )
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as err:
        raise StoreError(f"{file}: {err}; {_AGAIN}") from err
    except OSError as err:
        raise StoreError(
            f"{file} cannot be unpacked into {folder}: {err.strerror or err}; free some space or"
            " check its permissions"
        ) from err
    _check_contents(file, folder, manifest)
    return manifest


def _check_contents(file: Path, folder: Path, manifest: Manifest) -> None:
    """Checks that the unpacked parts are what the manifest says, and that all in them can be
    read.
    """
    for name in PARTS:
        _check_sqlite(folder / name, name, file)
    # Opening a part brings an older file up to date, and refuses a newer one.
    Journal(folder / JOURNAL).close()
    with closing(SqliteStore(folder / GRAPH, manifest.workspace)):
        pass
    for name in PARTS:
        try:
            if name == GRAPH:
                check_graph(folder / name, manifest.workspace)
            else:
                check_journal(folder / name)
        except StoreError as err:
            raise StoreError(f"{file}: {name}: {err}; {_AGAIN}") from err
    with closing(SqliteStore(folder / GRAPH, manifest.workspace)) as store:
        digest = store.digest()
    if digest != manifest.digest:
        raise StoreError(
            f"{file}: its graph has the digest {digest[:12]}, its {MANIFEST} says"
            f" {manifest.digest[:12]}; {_AGAIN}"
        )
    differing = _counts(folder / GRAPH).items() ^ manifest.counts.items()
    if differing:
        raise StoreError(
            f"{file}: its graph holds another number of {min(differing)[0]} than its {MANIFEST}"
            f" says; {_AGAIN}"
        )


def _manifest(archive: zipfile.ZipFile, file: Path) -> Manifest:
    """The names are compared, never used as paths; so a name that leads out of a folder is just a
    wrong one.
    """
    infos = {info.filename: info for info in archive.infolist()}
    names = sorted(info.filename for info in archive.infolist())
    if MANIFEST not in infos or infos[MANIFEST].file_size > _MAX_MANIFEST_BYTES:
        raise StoreError(
            f"{file} is a zip, but no dynagrag backup: it holds no {MANIFEST}; name the file that"
            " `dynagrag backup` wrote"
        )
    _check_packing(infos[MANIFEST], file)
    with archive.open(MANIFEST) as part:
        text = part.read(_MAX_MANIFEST_BYTES + 1)
    try:
        stored = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as err:
        raise StoreError(f"{file}: its {MANIFEST} cannot be read ({err}); {_AGAIN}") from err
    stored = stored if isinstance(stored, dict) else {}
    if stored.get("kind") != Manifest.model_fields["kind"].default:
        raise StoreError(
            f"{file} is a zip, but no dynagrag backup: its {MANIFEST} is another program's; name"
            " the file of a backup"
        )
    if isinstance(found := stored.get("format"), int) and found > FORMAT:
        raise NewerStoreError(
            f"{file} is a backup of format {cut(str(found), 20)}, this dynagrag reads up to"
            f" {FORMAT}; update dynagrag"
        )
    if names != sorted((MANIFEST, *PARTS)):
        raise StoreError(
            f"{file} holds {', '.join(names)[:200]!r} in place of {MANIFEST},"
            f" {' and '.join(PARTS)}; {_AGAIN}"
        )
    try:
        manifest = Manifest.model_validate(stored)
    except ValidationError as err:
        first = err.errors()[0]
        raise StoreError(
            f"{file}: {'.'.join(map(str, first['loc']))} in its {MANIFEST}: {first['msg']};"
            f" {_AGAIN}"
        ) from err
    if set(manifest.parts) != set(PARTS):
        raise StoreError(
            f"{file}: its {MANIFEST} speaks of the parts {sorted(manifest.parts)}; {_AGAIN}"
        )
    for name in PARTS:
        _check_size(infos[name], manifest.parts[name], file)
    return manifest


def _check_packing(info: zipfile.ZipInfo, file: Path) -> None:
    """Checks that a part is packed as `pack` does it."""
    is_usual = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    if info.flag_bits & _UNUSUAL_FLAGS or not is_usual:
        raise StoreError(
            f"{file}: {info.filename} is encrypted or packed in an unknown way; take the file that"
            " `dynagrag backup` wrote"
        )


def _check_size(info: zipfile.ZipInfo, part: ArchivePart, file: Path) -> None:
    """Checks before a byte is unpacked that the zip's sizes of a part agree with the manifest, and
    can be true.
    """
    _check_packing(info, file)
    if info.file_size != part.size_bytes:
        raise StoreError(
            f"{file}: {info.filename} has {info.file_size:,} bytes, its {MANIFEST} says"
            f" {part.size_bytes:,}; {_AGAIN}"
        )
    if part.size_bytes > _FREE_EXPANSION_BYTES + _MAX_EXPANSION * info.compress_size:
        raise StoreError(
            f"{file}: {info.filename} would grow from {info.compress_size:,} to {part.size_bytes:,}"
            f" bytes, as no workspace does; {_AGAIN}"
        )


def _check_sqlite(path: Path, name: str, file: Path) -> None:
    """Checks that an SQLite file is ours and sound: its own checks pass, and nothing in it would
    run by itself.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as sqlite:
            sqlite.execute("PRAGMA trusted_schema = OFF")
            kinds = dict(sqlite.execute("SELECT name, type FROM sqlite_master").fetchall())
            application = int(sqlite.execute("PRAGMA application_id").fetchone()[0])
            trouble = [str(row[0]) for row in sqlite.execute("PRAGMA integrity_check(1)")]
            strays = sqlite.execute("PRAGMA foreign_key_check").fetchmany(1)
            trouble += [f"a row of {row[0]} belongs to no {row[2]}" for row in strays]
    except sqlite3.Error as err:
        raise StoreError(f"{file}: {name} is no sound SQLite file ({err}); {_AGAIN}") from err
    if set(kinds.values()) - {"table", "index"}:
        raise StoreError(
            f"{file}: {name} holds triggers or views, which no workspace has; {_AGAIN}"
        )
    is_ours = application == APPLICATION_ID if name == GRAPH else "replies" in kinds
    if not is_ours:
        raise StoreError(f"{file}: {name} is another program's database; {_AGAIN}")
    trouble = [row for row in trouble if row != "ok"]
    if trouble:
        raise StoreError(f"{file}: {name} is damaged: {trouble[0]}; {_AGAIN}")
    try:
        check_schema(path, is_graph=name == GRAPH)
    except StoreError as err:
        raise StoreError(f"{file}: {name}: {err}; {_AGAIN}") from err


def _counts(path: Path) -> dict[str, int]:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as sqlite:
            return {
                table: int(sqlite.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
                for table in _COUNTED
            }
    except sqlite3.Error as err:
        raise StoreError(f"{path} cannot be counted: {err}; {_AGAIN}") from err
