"""Modules by the names that they had before 0.1.0, for programs and scripts that import them.

`import dynagrag.schema` gives the module `dynagrag.core.schema` itself, under a DeprecationWarning
that names it. `dynagrag` puts the finder into `sys.meta_path`; nothing else uses it.
"""

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "dynagrag.errors": "dynagrag.core.errors",
    "dynagrag.extras": "dynagrag.core.extras",
    "dynagrag.fakes.models": "dynagrag.fakes.fake_models",
    "dynagrag.fakes.server": "dynagrag.fakes.fake_server",
    "dynagrag.ids": "dynagrag.core.ids",
    "dynagrag.langchain_retriever": "dynagrag.integrations.langchain_retriever",
    "dynagrag.model_protocols": "dynagrag.core.model_protocols",
    "dynagrag.schema": "dynagrag.core.schema",
    "dynagrag.settings": "dynagrag.config.settings",
    "dynagrag.text": "dynagrag.core.text",
    "dynagrag.upkeep.backup": "dynagrag.upkeep.workspace_backup",
    "dynagrag.vectors": "dynagrag.core.vectors",
}


class MovedModules(MetaPathFinder):
    """Finds a module under its old name."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """A spec whose module is the one of today; None of a name that has not moved."""
        return ModuleSpec(fullname, _MovedLoader()) if fullname in MOVED else None


class _MovedLoader(Loader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty stand-in, which `exec_module` replaces."""
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Puts today's module in place of the stand-in: classes are the same under both names."""
        name = module.__name__
        warnings.warn(f"{name} is {MOVED[name]} now: import that", DeprecationWarning, stacklevel=2)
        sys.modules[name] = importlib.import_module(MOVED[name])
