"""Transcripts into a knowledge graph, questions into cited answers.

    from dynagrag import open_workspace

    with open_workspace("mine") as space:
        space.ingest(["transcripts/"])
        print(space.ask("Who decided what?").text)

See docs/library.md. Everything below is imported when it is first used, so that `import dynagrag`
is fast.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from dynagrag.moved_modules import MovedModules

sys.meta_path.append(MovedModules())

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings, load_settings
    from dynagrag.core.errors import DynaGragError
    from dynagrag.core.schema import Answer, Citation, Filters
    from dynagrag.ingest.extract.llm_extractor import ExtractionOptions
    from dynagrag.integrations.langchain_retriever import WorkspaceRetriever
    from dynagrag.workspace.asking import AskOptions
    from dynagrag.workspace.facade import Stats, Workspace, open_workspace
    from dynagrag.workspace.ingest_job import IngestOptions
    from dynagrag.workspace.workspace_catalog import workspace_names

_HOMES = {
    "Answer": "dynagrag.core.schema",
    "AskOptions": "dynagrag.workspace.facade",
    "Citation": "dynagrag.core.schema",
    "DynaGragError": "dynagrag.core.errors",
    "ExtractionOptions": "dynagrag.ingest.extract.llm_extractor",
    "Filters": "dynagrag.core.schema",
    "IngestOptions": "dynagrag.workspace.facade",
    "Settings": "dynagrag.config.settings",
    "Stats": "dynagrag.workspace.facade",
    "Workspace": "dynagrag.workspace.facade",
    "WorkspaceRetriever": "dynagrag.integrations.langchain_retriever",
    "load_settings": "dynagrag.config.settings",
    "open_workspace": "dynagrag.workspace.facade",
    "workspace_names": "dynagrag.workspace.facade",
}

__all__ = [
    "Answer",
    "AskOptions",
    "Citation",
    "DynaGragError",
    "ExtractionOptions",
    "Filters",
    "IngestOptions",
    "Settings",
    "Stats",
    "Workspace",
    "WorkspaceRetriever",
    "load_settings",
    "open_workspace",
    "workspace_names",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'dynagrag' has no attribute {name!r}")
