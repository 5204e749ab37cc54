"""What a real Neo4j needs to run without Docker: its jars from Maven Central, in a cache outside
the repository, and a Java to run them.

Neo4j Community is GPLv3: a test tool, never a part of dynagrag. Standard library and platformdirs
only, so that tests, benchmarks and `make neo4j-jars` can use it alike: the folder `tests` on the
path, then `import neo4j_jars`.

Layout of the cache: FOLDER/VERSION/lib/*.jar beside FOLDER/VERSION/complete.json, which is written
last and says how many jars there are. A version is fetched into a folder beside it and renamed, so
one that was cut off in the middle is never used.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_FETCH_TIMEOUT_S = 1200
_MARKER = "complete.json"
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>dynagrag</groupId><artifactId>neo4j-for-tests</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{version}</version></dependency>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j-bolt</artifactId><version>{version}</version></dependency>
    <dependency><groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId><version>{version}</version></dependency>
  </dependencies>
</project>
"""


class Neo4jMissingError(Exception):
    """The jars or a Java are not at hand; the message says how to get them."""


class JavaMissingError(Neo4jMissingError):
    """No Java is new enough."""


@dataclass(frozen=True, slots=True)
class Release:
    """A version of Neo4j, the oldest Java that runs it and the class that starts its Community
    edition.
    """

    version: str
    min_java: int
    main_class: str


@dataclass(frozen=True, slots=True)
class Installation:
    """A release that can be started: its jars and a Java for it."""

    release: Release
    lib: Path
    java: Path


NEO4J_5 = Release("5.26.22", 17, "org.neo4j.server.CommunityEntryPoint")
NEO4J_2026 = Release("2026.08.1", 21, "org.neo4j.server.Neo4jCommunity")
RELEASES = (NEO4J_5, NEO4J_2026)


def cache_folder(environment: Mapping[str, str]) -> Path:
    """DYNAGRAG_TEST_NEO4J, else `neo4j` in the user's cache. Reads HOME too: call it before a test
    replaces that.
    """
    given = environment.get("DYNAGRAG_TEST_NEO4J")
    return (
        Path(given).absolute()
        if given
        else Path(platformdirs.user_cache_dir("dynagrag", appauthor=False)) / "neo4j"
    )


def install(release: Release, cache: Path, environment: Mapping[str, str]) -> Installation:
    """The jars of a release, fetched when they aren't there yet (some 120 MB, under a minute), and
    a Java.

    Raises:
        JavaMissingError: no Java that is new enough.
        Neo4jMissingError: no Maven, or it failed.
    """
    java = find_java(release.min_java, environment)
    if java is None:
        raise JavaMissingError(
            f"Neo4j {release.version} needs Java {release.min_java} or later and none was found in"
            " JAVA_HOME, PATH or /usr/lib/jvm; install one (Debian: apt-get install"
            " default-jre-headless) or set JAVA_HOME"
        )
    home = cache / release.version
    if not is_complete(home):
        _fetch(release, home, java, environment)
    return Installation(release, home / "lib", java)


def is_complete(home: Path) -> bool:
    """Whether all jars of a fetched version are still there."""
    try:
        num_jars = json.loads((home / _MARKER).read_text(encoding="utf-8"))["num_jars"]
    except (OSError, ValueError, KeyError):
        return False
    return bool(num_jars == len(list((home / "lib").glob("*.jar"))))


def _fetch(release: Release, home: Path, java: Path, environment: Mapping[str, str]) -> None:
    maven = shutil.which("mvn", path=environment.get("PATH"))
    if maven is None:
        raise Neo4jMissingError(
            f"the jars of Neo4j {release.version} are not in {home.parent} and there is no Maven to"
            " fetch them; install it (Debian: apt-get install maven) and run `make neo4j-jars`, or"
            " set NEO4J_URI to a server of your own"
        )
    home.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{release.version}-", dir=home.parent))
    try:
        (work / "pom.xml").write_text(_POM.format(version=release.version), encoding="utf-8")
        _run_maven(
            [maven, *_MAVEN_ARGS],
            work,
            {**environment, "JAVA_HOME": str(java.parent.parent)},
            release,
        )
        num_jars = len(list((work / "lib").glob("*.jar")))
        (work / _MARKER).write_text(
            json.dumps({"version": release.version, "num_jars": num_jars}), encoding="utf-8"
        )
        _put_in_place(work, home)
    finally:
        shutil.rmtree(work, ignore_errors=True)


# --strict-checksums: a jar whose checksum is wrong is an error, not a warning.
_MAVEN_ARGS = [
    "--quiet",
    "--batch-mode",
    "--strict-checksums",
    "dependency:copy-dependencies",
    "-DincludeScope=runtime",
    "-DoutputDirectory=lib",
]


def _run_maven(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], release: Release
) -> None:
    hint = "is the network there? Or set NEO4J_URI to a server of your own"
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_FETCH_TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as err:
        raise Neo4jMissingError(
            f"fetching the jars of Neo4j {release.version} took over {_FETCH_TIMEOUT_S} s; {hint}"
        ) from err
    if done.returncode != 0:
        said = " | ".join((done.stdout + done.stderr).strip().splitlines()[:3])
        raise Neo4jMissingError(
            f"Maven could not fetch the jars of Neo4j {release.version}: {said}; {hint}"
        )


def _put_in_place(work: Path, home: Path) -> None:
    """Renames; where another process was quicker its folder stays. A folder that is damaged is
    moved away first, and then removed.
    """
    if home.exists() and not is_complete(home):
        if not (home / _MARKER).exists():
            raise Neo4jMissingError(
                f"{home} was not made here, so it is left alone; remove it or set"
                " DYNAGRAG_TEST_NEO4J to another folder"
            )
        home.rename(work / "damaged")
    try:
        work.rename(home)
    except OSError:
        if not is_complete(home):
            raise
    shutil.rmtree(home / "damaged", ignore_errors=True)


# --------------------------------------------------------------------------------------------- Java


def find_java(min_version: int, environment: Mapping[str, str]) -> Path | None:
    """The Java of JAVA_HOME where it is new enough; else the oldest of the others that is, the
    likeliest that Neo4j was tested with.
    """
    fitting = []
    for i, java in enumerate(_javas(environment)):
        version = java_version(java)
        if version is None or version < min_version:
            continue
        if i == 0 and "JAVA_HOME" in environment:
            return java
        fitting.append((version, i, java))
    return min(fitting)[2] if fitting else None


def _javas(environment: Mapping[str, str]) -> Iterator[Path]:
    """Every `java` in the usual places, that of JAVA_HOME first, each once."""
    places = (
        [Path(environment["JAVA_HOME"]) / "bin" / "java"] if environment.get("JAVA_HOME") else []
    )
    places += [
        Path(folder) / "java" for folder in environment.get("PATH", "").split(os.pathsep) if folder
    ]
    places += sorted(Path("/usr/lib/jvm").glob("*/bin/java")) + sorted(
        Path("/opt").glob("*/bin/java")
    )
    places += sorted(Path("/Library/Java/JavaVirtualMachines").glob("*/Contents/Home/bin/java"))
    seen = set()
    for place in places:
        java = place.resolve()
        if java not in seen and os.access(java, os.X_OK):
            seen.add(java)
            yield java


def java_version(java: Path) -> int | None:
    """17 of `openjdk version "17.0.15" 2025-04-15`; None where it does not run."""
    try:
        done = subprocess.run(
            [str(java), "-version"],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr)
    return int(found[1]) if found else None


def main() -> int:
    """Fetches the jars of every release that a Java is there for. Exit code 1 only in CI, where the
    tests must not skip.

    Where NEO4J_URI is set the tests use that server, and 5.26 isn't needed.
    """
    environment = dict(os.environ)
    cache, code = cache_folder(environment), 0
    for release in RELEASES[1:] if environment.get("NEO4J_URI") else RELEASES:
        try:
            said = f"Neo4j {release.version} is in {install(release, cache, environment).lib}"
        except Neo4jMissingError as err:
            said = f"{err} (the tests marked `neo4j` that need this version are skipped)"
            is_optional = release is not NEO4J_5 and isinstance(err, JavaMissingError)
            code = 1 if environment.get("CI") == "true" and not is_optional else code
        sys.stdout.write(said + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
