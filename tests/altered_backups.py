"""Backups that somebody has altered: unpacked, changed, and packed again with hashes that fit."""

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def rewritten(
    file: Path, change: Callable[[dict[str, Any], dict[str, bytes]], object], seal: bool = False
) -> None:
    """Unpacks a backup, lets `change(manifest, parts)` at it and packs it again; `seal`: with the
    sizes and hashes of what is there now.
    """
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts.pop("manifest.json"))
    change(manifest, parts)
    if seal:
        manifest["parts"] = {
            n: {"size_bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()}
            for n, d in parts.items()
        }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        for name, data in parts.items():
            archive.writestr(name, data)


def in_sqlite(name: str, statement: str) -> Callable[[dict[str, Any], dict[str, bytes]], object]:
    """A change of a part by a statement of SQL."""

    def change(manifest: dict[str, Any], parts: dict[str, bytes]) -> None:
        db = sqlite3.connect(":memory:")
        db.deserialize(
            parts[name][:18] + b"\x01\x01" + parts[name][20:]
        )  # without a write-ahead log, which memory has not
        db.executescript(statement)
        parts[name] = bytes(db.serialize())
        db.close()

    return change
