"""`dynagrag serve`."""

import os
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

from dynagrag.cli.serve import OPTIONS


def test_the_command_and_streamlit_run_start_the_app_alike() -> None:
    file = Path(__file__).parents[3] / ".streamlit" / "config.toml"

    def flat(found: dict[str, Any], before: str = "") -> dict[str, str]:
        made: dict[str, str] = {}
        for name, value in found.items():
            made |= flat(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: str(value).lower()}
        return made

    assert flat(tomllib.loads(file.read_text(encoding="utf-8"))) == {name: value.lower() for name, value in OPTIONS.items()}
    assert OPTIONS["server.address"] == "127.0.0.1"
    assert OPTIONS["server.enableXsrfProtection"] == "true"
    assert OPTIONS["client.showErrorDetails"] == "none"


def test_who_ends_the_command_ends_the_app() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def is_up() -> bool:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2) as reply:
            return bool(reply.status == 200)
        return False

    command = [sys.executable, "-m", "dynagrag.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        give_up_at = time.monotonic() + 60
        while not is_up() and time.monotonic() < give_up_at:
            time.sleep(0.2)
        assert is_up()
        process.terminate()
        process.wait(timeout=30)
        assert not is_up()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
