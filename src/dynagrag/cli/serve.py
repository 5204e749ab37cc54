"""`dynagrag serve`: the app, on this machine alone unless another address is asked for."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from dynagrag.cli.options import EMBEDDER, LLM, STORE, WORKSPACE
from dynagrag.cli.terminal import set_up_log
from dynagrag.errors import SettingsError

OPTIONS = {
    "server.address": "127.0.0.1",
    "server.headless": "true",
    "server.fileWatcherType": "none",
    "server.enableXsrfProtection": "true",
    "server.maxUploadSize": "200",
    "browser.gatherUsageStats": "false",
    "runner.magicEnabled": "false",
    "client.showErrorDetails": "none",
    "client.toolbarMode": "viewer",
    "theme.light.primaryColor": "#1558c0",
    "theme.light.textColor": "#0b0f14",
    "theme.dark.primaryColor": "#2472e8",
    "theme.dark.backgroundColor": "#050505",
    "theme.dark.secondaryBackgroundColor": "#1c1c1c",
}
"""Those of .streamlit/config.toml, which is not there when dynagrag is installed as a wheel."""


def serve(
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8501,
    address: Annotated[
        str, typer.Option(help="Address to listen on. There is no login: anyone who can reach it can read, change and delete workspaces.")
    ] = "127.0.0.1",
) -> None:
    """Start the app, at http://localhost:8501. In it you ask, ingest, look at the graph and correct it.

    Ctrl-C ends it. Ingests that it was running can be resumed.
    """
    set_up_log(False)
    if find_spec("streamlit") is None or find_spec("streamlit_echarts") is None:
        raise SettingsError("the app needs Streamlit: pip install 'dynagrag[ui]'")
    given = {"DYNAGRAG_WORKSPACE": workspace, "DYNAGRAG_STORE": store, "DYNAGRAG_LLM": llm, "DYNAGRAG_EMBEDDER": embedder}
    environment = os.environ | {name: value for name, value in given.items() if value is not None}
    options = OPTIONS | {"server.address": address, "server.port": str(port)}
    package = find_spec("dynagrag.ui")
    assert package is not None
    assert package.origin is not None
    app = Path(package.origin).parent / "app.py"
    command = [sys.executable, "-m", "streamlit", "run", str(app), *(f"--{name}={value}" for name, value in options.items())]
    sys.stdout.flush()
    os.execve(command[0], command, environment)  # in its place: whoever ends the one ends the other
