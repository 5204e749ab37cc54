"""`dynagrag serve`: the app, on this machine alone unless another address is asked for."""

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.options import EMBEDDER, LLM, STORE, WORKSPACE
from dynagrag.cli.terminal import is_terminal, read_settings, say, set_up_log
from dynagrag.core.errors import SettingsError, UsageError
from dynagrag.core.extras import check_extras

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings

_MEDIA = Annotated[
    Path | None,
    typer.Option(
        file_okay=False,
        exists=True,
        help=(
            "Folder of recordings: talk.mp3 is played for talk.vtt. One beside its transcript is"
            " found without this."
        ),
    ),
]


def serve(
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    media: _MEDIA = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8501,
    address: Annotated[
        str,
        typer.Option(
            help=(
                "Address to listen on; 0.0.0.0 is all of this machine's. One that other machines"
                " reach needs a password."
            )
        ),
    ] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Host name under which browsers reach the app, e.g. that of a proxy before it; may"
                " be repeated. "
                "Default: localhost and the address alone."
            )
        ),
    ] = None,
    password: Annotated[
        bool | None,
        typer.Option(
            "--password/--no-password",
            help=(
                "Ask here for a new password (without a terminal: read it from a line of stdin),"
                " keep its hash in settings.toml and ask "
                "every visitor for it from now on; or forget it. Default: DYNAGRAG_PASSWORD, else"
                " what was kept, else no password."
            ),
        ),
    ] = None,
) -> None:
    """Start the app, at http://localhost:8501. In it you ask, ingest, look at the graph and correct
    it.

    Ctrl-C ends it. Ingests that it was running can be resumed.
    """
    set_up_log(False)
    check_extras("the app", {"streamlit": "ui", "streamlit_echarts": "ui"})
    settings = _settings_for_app(workspace, store, llm, embedder, media)

    from dynagrag.ui.serving.request_guard import is_loopback
    from dynagrag.ui.serving.server import serve_app

    if password is False and not is_loopback(address):
        raise UsageError(
            f"other machines can reach {address or 'this address'}, so the app needs a password:"
            f" {_instead_of_none(settings)}"
        )
    kept = kept_hash(password)
    try:
        serve_app(
            address,
            port,
            allowed_hosts=allow_host or (),
            password_hash=kept,
            started=partial(_greet, address, port, kept is not None),
        )
    except KeyboardInterrupt:
        say("The app has ended.")


def _settings_for_app(
    workspace: str | None,
    store: str | None,
    llm: str | None,
    embedder: str | None,
    media: Path | None,
) -> "Settings":
    """The settings, which the app then reads from the environment. Questions and refusals come
    here, since the app can't ask.
    """
    from dynagrag.workspace.address import workspace_meant

    settings = read_settings(llm, embedder, store)
    workspace_meant(workspace, settings)
    environment = {
        "DYNAGRAG_WORKSPACE": workspace,
        "DYNAGRAG_STORE": store,
        "DYNAGRAG_LLM": llm,
        "DYNAGRAG_EMBEDDER": embedder,
    }
    environment["DYNAGRAG_MEDIA"] = None if media is None else str(media.resolve())
    os.environ.update({name: value for name, value in environment.items() if value is not None})
    return settings


def _instead_of_none(settings: "Settings") -> str:
    """The words of the error that say what to write in place of --no-password."""
    if settings.password is not None or settings.password_hash is not None:
        return "leave --no-password out, and it asks for the one that is set"
    return (
        "write --password in place of --no-password, or set DYNAGRAG_PASSWORD and leave"
        " --no-password out"
    )


def _greet(address: str, port: int, has_password: bool) -> None:
    from dynagrag.ui.serving.request_guard import is_loopback

    host = "localhost" if is_loopback(address) or address in ("0.0.0.0", "::") else address
    place = f"[{host}]" if ":" in host else host
    behind = ", behind its password" if has_password else ""
    say(f"The app is at http://{place}:{port}{behind}")
    sys.stdout.flush()


def kept_hash(wanted: bool | None) -> str | None:
    """The hash of the password that the app asks for, after a new one was kept or the kept one was
    forgotten; None: it asks for none.
    """
    from dynagrag.config.passwords import hash_password
    from dynagrag.config.settings_file import save_settings

    settings = read_settings()
    _check_whose_password(settings)
    if wanted is not None and settings.password is not None:
        raise SettingsError(
            "DYNAGRAG_PASSWORD is set and beats what is kept in settings.toml; unset it, or leave"
            " the option out"
        )
    if settings.password is not None:
        return hash_password(settings.password.get_secret_value())
    if wanted is not None:
        made = hash_password(_ask_for_password()) if wanted else None
        save_settings(password_hash=made)
        return made
    return settings.password_hash.get_secret_value() if settings.password_hash is not None else None


def _check_whose_password(settings: "Settings") -> None:
    """SettingsError where the `.env` of this folder, which may come from elsewhere, would replace a
    password that the user has set.
    """
    from dynagrag.config.settings import own_settings

    own = own_settings()
    if own.password is not None or own.password_hash is None:
        return
    name = "password" if settings.password != own.password else "password_hash"
    if getattr(settings, name) != getattr(own, name):
        variable = f"DYNAGRAG_{name.upper()}"
        raise SettingsError(
            f"the .env of this folder sets {variable}, which would replace the password that you"
            f" have set; take the line out, or set {variable} in the environment"
        )


def _ask_for_password() -> str:
    if is_terminal():
        return str(
            typer.prompt(
                "New password for the app",
                hide_input=True,
                confirmation_prompt="Once more",
                err=True,
            )
        )
    return sys.stdin.readline().rstrip("\r\n")
