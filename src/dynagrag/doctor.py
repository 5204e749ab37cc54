"""Checks that tell a user why something doesn't work before they find out: installation, settings, models, workspace."""

import importlib.metadata
import importlib.util
import os
import sys
from dataclasses import dataclass

from dynagrag.errors import DynaGragError
from dynagrag.settings import Settings
from dynagrag.workspace import Workspace, open_workspace, workspace_names

_EXTRAS = {
    "sentence_transformers": ("minilm", "the default embedder"),
    "xllamacpp": ("gguf", "gguf: models and qwen"),
    "transformers": ("local", "local: models"),
    "langchain": ("providers", "LangChain provider strings"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One finding."""

    what: str
    is_ok: bool
    finding: str


def check(settings: Settings, workspace: str | None) -> list[Check]:
    """All checks, in the order in which a user would mend them."""
    found = [Check("version", True, f"dynagrag {importlib.metadata.version('dynagrag')}, Python {sys.version.split()[0]}"), _home(settings)]
    for module, (extra, use) in _EXTRAS.items():
        there = importlib.util.find_spec(module) is not None
        found.append(
            Check(module, True, f"installed, for {use}" if there else f"not installed; {use} need pip install 'dynagrag[{extra}]'")
        )
    found.append(_language_model(settings))
    found.append(_embedder(settings))
    names = workspace_names(settings)
    name = workspace or settings.workspace
    if name in names:
        found.extend(_workspace(name, settings))
    else:
        found.append(Check("workspace", workspace is None, f"{name!r} does not exist yet; there: {', '.join(names) or 'none'}"))
    return found


def _home(settings: Settings) -> Check:
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        is_writable = os.access(settings.home, os.W_OK)
    except OSError as err:
        return Check("home", False, f"{settings.home}: {err.strerror}; set DYNAGRAG_HOME")
    return Check("home", is_writable, str(settings.home) if is_writable else f"{settings.home} may not be written to; set DYNAGRAG_HOME")


def _language_model(settings: Settings) -> Check:
    if settings.llm is None:
        return Check("language model", True, "none configured (--llm, DYNAGRAG_LLM); --extractor fast and evidence work without")
    from dynagrag.wiring import make_chat_model

    try:
        model = make_chat_model(settings)
    except DynaGragError as err:
        return Check("language model", False, str(err))
    assert model is not None
    model.close()
    return Check("language model", True, f"{model.name}{' (small: short chunks, worked example)' if model.is_small else ''}")


def _embedder(settings: Settings) -> Check:
    from dynagrag.wiring import make_embedder

    try:
        embedder = make_embedder(settings)
        length = len(embedder.embed_query("ready?"))
    except DynaGragError as err:
        return Check("embedder", False, str(err))
    return Check("embedder", True, f"{embedder.identity.name}, {length} dimensions")


def _workspace(name: str, settings: Settings) -> list[Check]:
    try:
        with open_workspace(name, settings=settings, create=False) as space:
            return _inside(space)
    except DynaGragError as err:
        return [Check(f"workspace {name}", False, str(err))]


def _inside(space: Workspace) -> list[Check]:
    stats = space.stats()
    found = [Check(f"workspace {space.name}", True, f"{stats.documents} documents, {stats.entities} entities, digest {stats.digest[:12]}")]
    current = space.store.is_derived_current()
    remedy = "the graph is older than the records: run the ingest again"
    found.append(Check("graph", current, "derived from the records as they are" if current else remedy))
    stored, mine = space.store.embedder(), space.embedder.identity
    fits = stored is None or stored == mine
    found.append(
        Check("vectors", fits, "of this embedder" if fits else f"of {stored.name if stored else ''}; use --embedder with that name")
    )
    aside = len(space.set_asides())
    found.append(Check("set aside", aside == 0, "no chunk" if not aside else f"{aside} chunks; the same ingest tries them again"))
    return found
