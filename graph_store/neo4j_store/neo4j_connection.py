"""One Neo4j driver: opening, transactions that are replayed whole, and the server's errors said in
our words.
"""

import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar
from urllib.parse import urlsplit

from dynagrag.core.errors import SettingsError, StoreError, UsageError
from dynagrag.graph_store.neo4j_store.cypher import schema_statements

if TYPE_CHECKING:
    from neo4j import Driver, Transaction

_LOG = logging.getLogger(__name__)
T = TypeVar("T")

OLDEST_VERSION = (5, 26)
_TOO_OLD = (
    f"dynagrag needs Neo4j {OLDEST_VERSION[0]}.{OLDEST_VERSION[1]} or later: upgrade the server, or"
    " use --store sqlite"
)
_CONNECT_S = 4.0
_RETRY_S = 2.0
"""A server that went away is given up after about this long, so that a user reads why within ten
seconds.
"""
_MAX_REPLAYS = 40
"""Deadlocks and lock time-outs are tried again this often; sleeps grow to four seconds."""
QUERY_S = 120.0
_FETCH_SIZE = 5_000


class Neo4jConnection:
    """A driver, its database and its version. Thread-safe; one session per call."""

    def __init__(self, address: str, *, username: str, password: str, database: str) -> None:
        """Connects and asks the server's version.

        Raises:
            UsageError: The address holds a user or password.
            SettingsError: The driver isn't installed.
            StoreError: No server, wrong password, unknown database, or a server that is too old.
        """
        self.address = checked_address(address)
        self.username = username
        self._has_password = bool(password)
        self.database = database or None  # None: the user's home database
        try:
            import neo4j
        except ImportError as err:
            raise SettingsError(
                "a Neo4j store needs the driver: pip install 'dynagrag[neo4j]'"
            ) from err
        with self._translated():
            self._driver: Driver = neo4j.GraphDatabase.driver(
                address,
                auth=(username, password),
                connection_timeout=_CONNECT_S,
                connection_acquisition_timeout=_CONNECT_S + 2,
                notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
                telemetry_disabled=True,
                user_agent="dynagrag",
            )
        self._bookmarks = (
            neo4j.GraphDatabase.bookmark_manager()
        )  # on a cluster: what was written is seen by the next read
        try:
            self.version, self.edition = self._ask_version()
            self.version_number = version_number(self.version)
            if self.version_number < OLDEST_VERSION:
                raise StoreError(f"Neo4j at {self.address} is version {self.version}; {_TOO_OLD}")
        except BaseException:
            self._driver.close()
            raise

    def _ask_version(self) -> tuple[str, str]:
        from neo4j.exceptions import ConfigurationError, UnsupportedServerProduct

        try:
            row = self.read(schema_statements.COMPONENTS)[0]
        except StoreError as err:
            if isinstance(
                err.__cause__, ConfigurationError | UnsupportedServerProduct
            ):  # it has none of the protocol versions needed
                raise StoreError(
                    f"what answers at {self.address} is no Neo4j of today; {_TOO_OLD}"
                ) from err
            raise
        return str(row["version"]), str(row["edition"])

    def read(
        self, query: LiteralString, timeout_s: float = QUERY_S, **parameters: Any
    ) -> list[Mapping[str, Any]]:
        """The rows of one reading statement, values as they came: `Record.data()` would walk every
        vector, bytes included, item by item.
        """
        return self._run(
            lambda tx: [dict(row) for row in tx.run(query, parameters)], timeout_s, is_write=False
        )

    def look(self, work: "Callable[[Transaction], T]", timeout_s: float) -> T:
        """The result of `work` in one reading transaction: several small statements without a round
        trip for each beginning and end.
        """
        return self._run(work, timeout_s, is_write=False)

    def write(self, work: "Callable[[Transaction], T]", timeout_s: float = QUERY_S) -> T:
        """The result of `work` in one transaction. It must be idempotent: after a lost connection a
        deadlock or a commit whose reply was lost it runs again, whole.
        """
        return self._run(work, timeout_s, is_write=True)

    def schema(self, statement: LiteralString, **parameters: Any) -> list[Mapping[str, Any]]:
        """One statement in a transaction of its own, as changes of the schema want it. What another
        process has made meanwhile is fine: IF NOT EXISTS looks before the other one's commit.
        """
        from neo4j.exceptions import Neo4jError

        try:
            return self._run(
                lambda tx: [dict(row) for row in tx.run(statement, parameters)],
                600.0,
                is_write=True,
            )
        except StoreError as err:
            code = err.__cause__.code if isinstance(err.__cause__, Neo4jError) else None
            if "AlreadyExists" in (code or ""):
                return []
            raise

    def close(self) -> None:
        """Closes the driver."""
        self._driver.close()

    def _run(self, work: "Callable[[Transaction], T]", timeout_s: float, *, is_write: bool) -> T:
        """A transaction, tried again as a whole: the driver's own retries know neither that every
        work here is idempotent, so that a commit whose reply was lost may be replayed, nor how soon
        a user wants to know that the server is gone.
        """
        from neo4j import READ_ACCESS, WRITE_ACCESS
        from neo4j.exceptions import ServiceUnavailable, SessionExpired, TransientError

        mode = WRITE_ACCESS if is_write else READ_ACCESS
        gone_since: float | None = None
        with self._translated():
            for replay in range(_MAX_REPLAYS):
                started, has_begun = time.monotonic(), False
                try:
                    with (
                        self._driver.session(
                            database=self.database,
                            fetch_size=_FETCH_SIZE,
                            default_access_mode=mode,
                            bookmark_manager=self._bookmarks,
                        ) as session,
                        session.begin_transaction(
                            metadata={"app": "dynagrag"}, timeout=timeout_s
                        ) as tx,
                    ):
                        has_begun = True
                        result = work(tx)
                        tx.commit()
                        return result
                except TransientError as err:
                    if replay == _MAX_REPLAYS - 1 or any(
                        sign in (err.code or "") for sign in ("OutOfMemory", "DatabaseUnavailable")
                    ):
                        raise
                    _LOG.debug("other writers were in the way (%s); tried again", err.code)
                    time.sleep(random.uniform(0.02, 0.1 * (replay + 1)))
                except (
                    ServiceUnavailable,
                    SessionExpired,
                ) as err:  # the reply to a commit that was lost is one of them
                    gone_since = gone_since or (
                        time.monotonic() if has_begun else started
                    )  # waiting for a connection counts
                    if time.monotonic() - gone_since > _RETRY_S:
                        raise
                    _LOG.info(
                        "the connection to Neo4j was lost (%s); tried again", type(err).__name__
                    )
                    time.sleep(0.3)
        raise AssertionError("the last replay returns or raises")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """The driver's errors, once, in our words."""
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            yield
        except (Neo4jError, DriverError, ValueError, OSError) as err:
            if isinstance(err, UnicodeEncodeError):
                code = f"U+{ord(err.object[err.start]):04X}"
                raise StoreError(
                    f"Neo4j at {self.address}: text with a lone surrogate ({code}) cannot be"
                    " stored; mend the source"
                ) from err
            is_about_address = "resolve" in str(err).lower() or isinstance(err, ConnectionError)
            is_of_driver = isinstance(err, Neo4jError | DriverError)
            if isinstance(err, ValueError | OSError) and not (is_of_driver or is_about_address):
                raise
            raise StoreError(f"Neo4j at {self.address}: {self._remedy(err)}") from err

    def _remedy(self, err: Exception) -> str:
        if self.database == "system":
            return (
                "the database `system` holds no data of users; set NEO4J_DATABASE to another"
                " (Community has neo4j)"
            )
        if "Security.Unauthorized" in str(getattr(err, "code", "")) and not self._has_password:
            return (
                f"it wants a password for user {self.username!r}: NEO4J_PASSWORD is not set (in the"
                " environment or .env)"
            )
        text = _remedy(err, self.username, self.database or "home")
        is_gone = type(err).__name__ == "ServiceUnavailable"
        return (
            f"{text} (an address with +s or +ssc needs a server that speaks TLS)"
            if is_gone and "+s" in self.address
            else text
        )


def version_number(version: str) -> tuple[int, int]:
    """5.26.22 -> (5, 26); 2026.08.1 -> (2026, 8)."""
    parts = [
        int("".join(c for c in part if c.isdigit()) or 0)
        for part in version.split("-")[0].split(".")
    ]
    return (parts[0], parts[1] if len(parts) > 1 else 0)


def checked_address(address: str) -> str:
    """Scheme, host and port. UsageError, without repeating the address, where it holds more or
    less: a password must not be shown.
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError as err:
        raise UsageError(
            "the store's address cannot be read; write it as bolt://HOST:7687 or neo4j://HOST:7687"
        ) from err
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise UsageError(
            "the store's address must not hold a user or password; set NEO4J_USERNAME and"
            " NEO4J_PASSWORD, and write it as bolt://HOST:7687"
        )
    if not host or port == 0:
        raise UsageError(
            f"the store's address {parts.scheme}:// names no host and port; write it as"
            " bolt://HOST:7687 or neo4j://HOST:7687"
        )
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise UsageError(
            "the store's address ends with host and port, as bolt://HOST:7687 does (NEO4J_DATABASE"
            " names a database)"
        )
    return (
        f"{parts.scheme}://{host if ':' not in host else f'[{host}]'}{f':{port}' if port else ''}"
    )


_BY_CODE = (
    (
        "Security.CredentialsExpired",
        (
            "the password of user {user!r} must be changed first: sign in to the system database"
            " and change it"
        ),
    ),
    (
        "Security.AuthenticationRateLimit",
        (
            "user {user!r} is locked for a while after too many wrong passwords; wait, then check"
            " NEO4J_PASSWORD"
        ),
    ),
    ("Security.Unauthorized", "it refused user {user!r}: check NEO4J_USERNAME and NEO4J_PASSWORD"),
    (
        "Security.Forbidden",
        (
            "user {user!r} lacks a privilege there: it must read and write data, and make"
            " constraints and indexes ({text})"
        ),
    ),
    (
        "Database.DatabaseNotFound",
        (
            "it has no database {database!r}: set NEO4J_DATABASE to one that is there (Community"
            " has only neo4j)"
        ),
    ),
    (
        "ConstraintValidationFailed",
        (
            "a constraint of the database refused a write; is it another program's? Use a database"
            " of its own ({text})"
        ),
    ),
    (
        "ConstraintCreationFailed",
        "its data breaks a constraint that dynagrag needs; use a database of its own ({text})",
    ),
    ("ForbiddenOnReadOnlyDatabase", "the database is read-only: allow writing, or use another one"),
    (
        "TransactionTimedOut",
        (
            "a statement took too long and was ended by the server; try again when it is less busy,"
            " or raise db.transaction.timeout"
        ),
    ),
    (
        "OutOfMemory",
        "it ran out of memory: raise server.memory.heap.max_size, then run the command again",
    ),
    (
        "OutOfDiskSpace",
        (
            "its disk is full: free some space, then run the command again (what was stored before"
            " stays)"
        ),
    ),
    (
        "DatabaseUnavailable",
        "database {database!r} is not available now; start it, then run the command again",
    ),
    ("DeadlockDetected", "other writers kept it locked; run the command again"),
    ("LockClient", "other writers kept it locked; run the command again"),
    ("LockAcquisitionTimeout", "other writers kept it locked; run the command again"),
)


def _remedy(err: Exception, user: str, database: str) -> str:
    code, text = str(getattr(err, "code", "") or ""), _short(err)
    for sign, remedy in _BY_CODE:
        if sign in code:
            return remedy.format(user=user, database=database, text=text)
    name = type(err).__name__
    if name in ("WriteServiceUnavailable", "ReadServiceUnavailable"):
        return (
            "the database is read-only, or no member of the cluster takes writes: allow writing, or"
            " use another one"
        )
    if name == "ConfigurationError":
        return f"the address cannot be used: {text}"
    if name in (
        "ServiceUnavailable",
        "SessionExpired",
        "IncompleteCommit",
        "ConnectionAcquisitionTimeoutError",
    ) or isinstance(err, OSError):
        return (
            "it cannot be reached, or went away; check that it runs and that the address is right."
            " What was stored before stays; run the same command again to resume"
        )
    return f"it says: {text}"


def _short(err: Exception) -> str:
    from neo4j.exceptions import Neo4jError

    # The driver's own errors have no message there.
    message = err.message if isinstance(err, Neo4jError) else None
    text = " ".join(str(message or err).split())
    return text if len(text) <= 240 else f"{text[:237]}..."
