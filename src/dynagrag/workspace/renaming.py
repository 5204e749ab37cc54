"""Another title for a document: what lists, citations and prompts call it. Its file, path and id
stay.
"""

from dynagrag.core.errors import UsageError
from dynagrag.core.schema import Document
from dynagrag.ingest.kept_title import titled
from dynagrag.workspace.facade import Workspace

MAX_TITLE = 200


def rename_document(space: Workspace, reference: str, title: str) -> Document:
    """Gives the document with this id, path or title another title.

    The files of answers that were kept stay as they are; the app shows their lines under the new
    title. A changed version of the file, and a copy of it, keep the title.

    Raises:
        UsageError: None or several are called so, or the title is empty or too long.
    """
    wanted = " ".join(title.split())
    if not wanted:
        raise UsageError("a document needs a title; nothing was renamed")
    if len(wanted) > MAX_TITLE:
        raise UsageError(
            f"a title has at most {MAX_TITLE} characters, this one {len(wanted):,}; shorten it"
        )
    with space.writing():
        renamed = titled(space.find_document(reference), wanted)
        space.store.put_document(
            renamed, space.store.turns(renamed.id), space.store.passages(renamed.id)
        )
    return renamed
