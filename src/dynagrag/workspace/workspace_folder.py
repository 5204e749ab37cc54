"""Where what belongs to a workspace lies."""

from pathlib import Path

from dynagrag.config.settings import Settings
from dynagrag.graph_store.rules import check_workspace_name


def workspace_folder(settings: Settings, workspace: str, *inner: str) -> Path:
    """A folder in that of a workspace; it need not be there yet. WorkspaceError where a workspace
    can't be called so.
    """
    check_workspace_name(workspace)
    return settings.workspaces_dir.joinpath(workspace, *inner)
