"""The test server's launcher: jars are fetched once and whole or not at all, a Java is chosen,
failures say why; and the real thing.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from neo4j_jars import (
    NEO4J_5,
    Installation,
    JavaMissingError,
    Neo4jMissingError,
    Release,
    cache_folder,
    find_java,
    install,
)
from neo4j_jars import main as fetch_all
from neo4j_server import Neo4jServer, Neo4jStartError

RELEASE = Release("9.9.9", 90, "org.example.Main")
"""No real Java is that new, so only the stand-ins of these tests fit."""


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def fake_java(home: Path, version: str) -> Path:
    return script(
        home / "bin" / "java",
        f"""[ "$1" = -version ] && echo 'openjdk version "{version}" 2030-01-01' >&2 && exit 0
echo boom; exit 3""",
    )


def fake_maven(folder: Path, num_jars: int = 3, code: int = 0) -> None:
    """Leaves jars in lib, as the real one does, and a line a call beside itself."""
    jars = "; ".join(f": > lib/{i}.jar" for i in range(num_jars))
    script(
        folder / "mvn",
        f"echo called >> {folder}/calls; /bin/mkdir lib; {jars}; [ -f pom.xml ] || exit 9; echo"
        f" '[ERROR] no route'; exit {code}",
    )


def num_calls(folder: Path) -> int:
    return len((folder / "calls").read_text(encoding="utf-8").splitlines())


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    """A Java of version 91 and a Maven, nothing else."""
    fake_java(tmp_path / "jdk", "91.0.1")
    fake_maven(tmp_path / "maven")
    return {"JAVA_HOME": str(tmp_path / "jdk"), "PATH": str(tmp_path / "maven")}


# --------------------------------------------------------------------------------------------- jars


def test_jars_are_fetched_once_and_used_again(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    first = install(RELEASE, tmp_path / "cache", environment)
    assert install(RELEASE, tmp_path / "cache", environment) == first
    assert num_calls(tmp_path / "maven") == 1
    assert first == Installation(
        RELEASE, tmp_path / "cache" / "9.9.9" / "lib", (tmp_path / "jdk" / "bin" / "java").resolve()
    )
    assert sorted(p.name for p in first.lib.iterdir()) == ["0.jar", "1.jar", "2.jar"]
    assert [p.name for p in (tmp_path / "cache").iterdir()] == ["9.9.9"]


def test_a_fetch_that_fails_leaves_nothing_behind_and_says_what_maven_said(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    fake_maven(tmp_path / "maven", code=1)
    with pytest.raises(Neo4jMissingError, match=r"9\.9\.9.*no route.*NEO4J_URI"):
        install(RELEASE, tmp_path / "cache", environment)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_version_that_lost_a_jar_is_fetched_again(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    lib = install(RELEASE, tmp_path / "cache", environment).lib
    (lib / "1.jar").unlink()
    assert install(RELEASE, tmp_path / "cache", environment).lib == lib
    assert len(list(lib.glob("*.jar"))) == 3
    assert num_calls(tmp_path / "maven") == 2
    assert sorted(p.name for p in lib.parent.iterdir()) == ["complete.json", "lib", "pom.xml"]


def test_a_folder_of_somebody_else_is_left_alone(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    mine = tmp_path / "cache" / "9.9.9" / "mine.txt"
    mine.parent.mkdir(parents=True)
    mine.touch()
    with pytest.raises(Neo4jMissingError, match="left alone"):
        install(RELEASE, tmp_path / "cache", environment)
    assert [p.name for p in mine.parent.iterdir()] == ["mine.txt"]


def test_without_maven_jars_of_before_do_and_new_ones_are_refused_with_the_way_to_get_them(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    without = {"JAVA_HOME": environment["JAVA_HOME"], "PATH": str(tmp_path)}
    with pytest.raises(Neo4jMissingError, match=r"make neo4j-jars.*NEO4J_URI"):
        install(RELEASE, tmp_path / "cache", without)
    install(RELEASE, tmp_path / "cache", environment)
    assert install(RELEASE, tmp_path / "cache", without).lib.is_dir()


def test_the_cache_is_where_the_environment_says_or_in_the_users_own(
    tmp_path: Path, home: Path
) -> None:
    assert cache_folder({"DYNAGRAG_TEST_NEO4J": str(tmp_path)}) == tmp_path
    assert cache_folder({}).is_relative_to(home.parent)


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0)])
def test_fetching_all_fails_only_in_ci(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ci: str,
    code: int,
) -> None:
    fake_java(tmp_path / "jdk", "17.0.1")
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    monkeypatch.setenv("DYNAGRAG_TEST_NEO4J", str(tmp_path / "cache"))
    assert fetch_all() == code
    assert f"the jars of Neo4j {NEO4J_5.version}" in capsys.readouterr().out


# --------------------------------------------------------------------------------------------- Java


def test_the_java_of_java_home_is_taken_and_otherwise_the_oldest_that_will_do(
    tmp_path: Path,
) -> None:
    old, good, newer = (fake_java(tmp_path / v, f"{v}.0.1") for v in ("80", "92", "95"))
    path = os.pathsep.join(str(java.parent) for java in (newer, old, good))
    assert find_java(90, {"PATH": path}) == good.resolve()
    assert find_java(90, {"PATH": path, "JAVA_HOME": str(tmp_path / "95")}) == newer.resolve()
    assert find_java(90, {"PATH": path, "JAVA_HOME": str(tmp_path / "80")}) == good.resolve()
    assert find_java(99, {"PATH": path}) is None


def test_a_java_of_the_old_numbering_or_one_that_does_not_run_is_passed_over(
    tmp_path: Path,
) -> None:
    old = fake_java(tmp_path / "8", "1.8.0_99")
    broken = script(tmp_path / "broken" / "java", "exit 1")
    assert (
        find_java(
            90,
            {
                "PATH": os.pathsep.join(
                    [str(old.parent), str(broken.parent), str(tmp_path / "nowhere")]
                )
            },
        )
        is None
    )


def test_no_java_is_an_error_of_its_own_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(JavaMissingError, match=r"Java 90.*JAVA_HOME"):
        install(RELEASE, tmp_path, {"PATH": str(tmp_path)})


# ------------------------------------------------------------------------------------------- server


def test_a_server_that_ends_at_once_is_an_error_that_shows_what_it_said(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    server = Neo4jServer(install(RELEASE, tmp_path / "cache", environment), {})
    with pytest.raises(
        Neo4jStartError, match=r"(?s)9\.9\.9 at bolt://127\.0\.0\.1:\d+ ended.*kept.*boom"
    ):
        server.start()
    assert (server.is_running, server.log.exists()) == (False, True)
    server.close()
    assert not server.home.exists()


def test_a_server_does_not_outlive_the_process_that_started_it_however_that_ends(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    body = f"""[ "$1" = -version ] && echo 'version "91"' >&2 && exit 0
cd {tmp_path}; echo $$ > pid.new; /bin/mv pid.new pid
exec /bin/sleep 100"""
    script(tmp_path / "jdk" / "bin" / "java", body)
    install(RELEASE, tmp_path / "cache", environment)
    code = f"""
import sys, tempfile
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[2] / "servers")!r})
from neo4j_jars import Release, install
from neo4j_server import Neo4jServer
tempfile.tempdir = {str(tmp_path)!r}
cache, environment = Path({str(tmp_path / "cache")!r}), {dict(environment)!r}
Neo4jServer(install(Release("9.9.9", 90, "x"), cache, environment), {{}}).start()
"""
    starter = subprocess.Popen([sys.executable, "-c", code])
    wait_until((tmp_path / "pid").exists)
    pid = int((tmp_path / "pid").read_text(encoding="utf-8"))
    assert is_alive(pid)
    # The guard is started a moment after the server is.
    time.sleep(0.5)
    starter.kill()
    starter.wait()
    wait_until(lambda: not is_alive(pid))


def wait_until(is_so: Callable[[], bool], timeout_s: float = 20) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    """False for a zombie too: nobody may be there to collect it."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.strip()
    return bool(state) and not state.startswith("Z")


def test_passwords_differ_and_are_not_in_the_configuration(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    installation = install(RELEASE, tmp_path / "cache", environment)
    one, two = Neo4jServer(installation, {}), Neo4jServer(installation, {})
    assert one.password != two.password
    assert all(
        one.password not in p.read_text(encoding="utf-8")
        for p in one.home.rglob("*")
        if p.is_file()
    )
    one.close()
    two.close()


@pytest.mark.neo4j  # a stop is part of the faults' tests
def test_data_address_and_password_outlive_a_kill(
    own_neo4j: Neo4jServer, neo4j_workspace: str
) -> None:
    from neo4j import GraphDatabase
    from neo4j.exceptions import ServiceUnavailable

    def ask(query: str) -> list[int]:
        with GraphDatabase.driver(
            own_neo4j.address,
            auth=(own_neo4j.username, own_neo4j.password),
            max_transaction_retry_time=0,
        ) as driver:
            return [r["number"] for r in driver.execute_query(query, ws=neo4j_workspace).records]

    ask("CREATE (n:LauncherTest {ws: $ws}) RETURN 1 AS number")
    own_neo4j.kill()
    assert not own_neo4j.is_running
    with pytest.raises(ServiceUnavailable):
        ask("RETURN 1 AS number")
    own_neo4j.start()
    assert ask("MATCH (n:LauncherTest {ws: $ws}) RETURN count(n) AS number") == [1]


@pytest.mark.neo4j
def test_the_second_release_answers_beside_the_first(neo4j_2026: Neo4jServer) -> None:
    from neo4j import GraphDatabase

    with GraphDatabase.driver(
        neo4j_2026.address, auth=(neo4j_2026.username, neo4j_2026.password)
    ) as driver:
        said = driver.execute_query(
            "CYPHER 25 CALL dbms.components() YIELD versions RETURN versions[0] AS version"
        ).records[0]["version"]
    assert said == neo4j_2026.version
