"""A real Neo4j Community server on a free loopback port, for tests and benchmarks: started, stopped
and started again on the same data.

`python tests/servers/neo4j_server.py [5|2026]` starts one, prints what to export and runs until
Ctrl-C. The jars come from `neo4j_jars`.
"""

import argparse
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from neo4j_jars import NEO4J_5, NEO4J_2026, Installation, Neo4jMissingError, cache_folder, install

_START_TIMEOUT_S = 90
_STOP_TIMEOUT_S = 40
_POLL_S = 0.2
# Plans are kept: while tests fill and clear the database, the server would make every plan anew
# after ten seconds, a fifth of its work. The two internal settings: a stop takes 1 to 2 s; with
# their defaults of 5 s each, 10 s even when nobody is connected.
_CONFIG = """server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{port}
server.bolt.advertised_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=true
dbms.usage_report.enabled=false
server.memory.pagecache.size={page_cache}
db.tx_log.preallocate=false
db.transaction.timeout=30s
db.lock.acquisition.timeout=10s
dbms.cypher.min_replan_interval=1h
internal.server.bolt.connection_shutdown_wait_time=1s
internal.server.bolt.thread_pool_shutdown_wait_time=1s
"""
_JAVA_OPTIONS = [
    "-Dlog4j2.disable.jmx=true",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--add-modules=jdk.incubator.vector",
]


class Neo4jStartError(Exception):
    """The server did not come up; the message ends with what it printed last and names its log."""


class GivenServer:
    """A server of the user's own (NEO4J_URI). It can be neither stopped nor started."""

    is_own = False

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.address = environment["NEO4J_URI"]
        self.username = environment.get("NEO4J_USERNAME") or "neo4j"
        self.password = environment.get("NEO4J_PASSWORD") or ""
        self.database = environment.get("NEO4J_DATABASE") or "neo4j"

    @property
    def version(self) -> str:
        """As the server says it."""
        return _server_version(self.address, (self.username, self.password), self.database)


class Neo4jServer:
    """One server process in a temporary home. A context manager: `with Neo4jServer(install(NEO4J_5,
    cache, environment)) as server`.

    Port, password and data stay the same over `stop()` and `start()`; `close()` removes them.

    Args:
        installation: Jars and Java.
        environment: What the server process sees; by default this process's.
        heap: Java's largest heap. 768m is enough for tests; benchmarks want more.
        page_cache: Memory for the store's files.
        java_options: More of them, after ours.
    """

    is_own = True
    username = "neo4j"
    database = "neo4j"

    def __init__(
        self,
        installation: Installation,
        environment: Mapping[str, str] | None = None,
        heap: str = "768m",
        page_cache: str = "64m",
        java_options: Sequence[str] = (),
    ) -> None:
        self.version = installation.release.version
        self.password = secrets.token_hex(12)
        self.home = Path(tempfile.mkdtemp(prefix=f"neo4j-{self.version}-"))
        self.log = self.home / "console.log"
        self.port = _free_port()
        self._environment = dict(os.environ if environment is None else environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._has_password = False
        self._command = _command(installation, self.home, heap, java_options)
        (self.home / "conf").mkdir()
        (self.home / "conf" / "neo4j.conf").write_text(
            _CONFIG.format(port=self.port, page_cache=page_cache), encoding="utf-8"
        )

    @property
    def address(self) -> str:
        """What NEO4J_URI would be."""
        return f"bolt://127.0.0.1:{self.port}"

    @property
    def is_running(self) -> bool:
        """Whether the process is alive."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts the process and returns when it answers queries. Nothing happens when it is
        running already.

        Raises:
            Neo4jStartError: it ended, or did not answer in time; its home and log are kept.
        """
        if self.is_running:
            return
        with self.log.open("ab") as log:
            # A session of its own, so that Ctrl-C in a terminal reaches the tests, which stop it,
            # and not the server first.
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                start_new_session=True,
            )
        # Half a gigabyte must not stay behind when the tests are killed: the guard's input ends
        # with this process, however that ends.
        guard = ["/bin/sh", "-c", 'read -r _; kill -9 "$0"', str(self._process.pid)]
        self._guard = subprocess.Popen(
            guard, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
        )
        try:
            self._await_ready()
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """SIGTERM, and SIGKILL when that does not end it."""
        self._end(signal.SIGTERM, _STOP_TIMEOUT_S)

    def kill(self) -> None:
        """SIGKILL: what a power cut would leave."""
        self._end(signal.SIGKILL, _STOP_TIMEOUT_S)

    def close(self) -> None:
        """Stops and removes the data."""
        self.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self) -> "Neo4jServer":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # inside

    def _end(self, number: signal.Signals, timeout_s: float) -> None:
        if self._process is None:
            return
        if self._guard is not None:
            self._guard.kill()
            self._guard.communicate()
            self._guard = None
        if self.is_running:
            self._process.send_signal(number)
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _await_ready(self) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_S
        last: Exception | None = None
        while time.monotonic() < deadline:
            if not self.is_running:
                raise self._not_started("ended at once" if last is None else f"ended ({last})")
            last = self._try_query()
            if last is None:
                return
            time.sleep(_POLL_S)
        raise self._not_started(f"did not answer within {_START_TIMEOUT_S} s ({last})")

    def _try_query(self) -> Exception | None:
        """The first time sets the password in place of neo4j/neo4j, then asks a question; what
        stands in the way is returned.

        The port is tried before the driver is, which logs every refusal. A wrong password is not
        tried again: three lock the user.
        """
        from neo4j import GraphDatabase
        from neo4j.exceptions import AuthError, DriverError, Neo4jError

        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
            if not self._has_password:
                with GraphDatabase.driver(
                    self.address, auth=("neo4j", "neo4j"), max_transaction_retry_time=0
                ) as driver:
                    values = {"old": "neo4j", "new": self.password}
                    driver.execute_query(
                        "ALTER CURRENT USER SET PASSWORD FROM $old TO $new",
                        values,
                        database_="system",
                    )
                self._has_password = True
            _server_version(self.address, (self.username, self.password), self.database)
        except AuthError as err:
            raise self._not_started(f"refused the password ({err})") from err
        except (OSError, DriverError, Neo4jError) as err:
            return err
        return None

    def _not_started(self, what: str) -> Neo4jStartError:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-25:]
        return Neo4jStartError(
            f"Neo4j {self.version} at {self.address} {what}; its home {self.home} is kept. It"
            " said:\n" + "\n".join(lines)
        )


def _command(
    installation: Installation, home: Path, heap: str, java_options: Sequence[str]
) -> list[str]:
    where = [
        "-cp",
        f"{installation.lib}/*",
        installation.release.main_class,
        f"--home-dir={home}",
        f"--config-dir={home}/conf",
    ]
    return [
        str(installation.java),
        "-Xms256m",
        f"-Xmx{heap}",
        *_JAVA_OPTIONS,
        *java_options,
        *where,
        "--console-mode",
    ]


def _server_version(address: str, auth: tuple[str, str], database: str) -> str:
    from neo4j import GraphDatabase, RoutingControl

    with GraphDatabase.driver(
        address, auth=auth, max_transaction_retry_time=0, connection_timeout=5
    ) as driver:
        query = (
            "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN"
            " versions[0] AS version"
        )
        return str(
            driver.execute_query(query, database_=database, routing_=RoutingControl.READ).records[
                0
            ]["version"]
        )


def delete_workspaces(server: Neo4jServer | GivenServer, prefix: str) -> None:
    """Deletes every node of the workspaces whose names begin so, a thousand a transaction."""
    from neo4j import GraphDatabase

    with (
        GraphDatabase.driver(server.address, auth=(server.username, server.password)) as driver,
        driver.session(database=server.database) as session,
    ):
        session.run(
            "MATCH (n) WHERE n.ws STARTS WITH $prefix CALL (n) { DETACH DELETE n } IN TRANSACTIONS"
            " OF 1000 ROWS",
            prefix=prefix,
        ).consume()


def _free_port() -> int:
    """A port below those that the system gives to outgoing connections, so that it is still free
    when the server starts again.
    """
    for port in random.sample(range(12000, 32000), 200):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError("none of 200 loopback ports was free")


def main(argv: list[str]) -> int:
    """Starts a server of the release that is asked for, says where it is and waits for Ctrl-C or
    SIGTERM.
    """
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "release",
        nargs="?",
        choices=["5", "2026"],
        default="5",
        help="which Neo4j: 5.26 (the default) or 2026.x",
    )
    release = NEO4J_2026 if parser.parse_args(argv).release == "2026" else NEO4J_5
    environment = dict(os.environ)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        with Neo4jServer(install(release, cache_folder(environment), environment)) as server:
            lines = {
                "URI": server.address,
                "USERNAME": server.username,
                "PASSWORD": server.password,
            }
            sys.stdout.write(
                "".join(f"export NEO4J_{name}={value}\n" for name, value in lines.items())
            )
            sys.stdout.write(f"# Neo4j {server.version} runs until Ctrl-C; its data goes with it\n")
            sys.stdout.flush()
            signal.pause()
    except KeyboardInterrupt:
        return 0
    except (Neo4jMissingError, Neo4jStartError) as err:
        sys.stderr.write(f"{err}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
