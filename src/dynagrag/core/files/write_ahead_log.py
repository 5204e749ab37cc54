"""SQLite's write-ahead log, turned on with patience: a file may be opened by several threads and
processes while one of them makes it.
"""

import sqlite3
import time

_POLL_S = 0.02


def use_write_ahead_log(connection: sqlite3.Connection, wait_s: float) -> None:
    """Turns it on for an open file. Raises sqlite3.OperationalError where others have been in the
    way for `wait_s` seconds.

    SQLite refuses this change at once, without its busy timeout, while another connection reads or
    writes the file: so it is tried again.
    """
    give_up_at = time.monotonic() + wait_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as err:
            if "locked" not in str(err) or time.monotonic() >= give_up_at:
                raise
        time.sleep(_POLL_S)
