"""Roles of speakers as their file states them ("Chief Justice of the United States"), kept in its
document's meta.
"""

import json
from collections.abc import Mapping

from dynagrag.core.schema import Document

ROLES_KEY = "roles"
MAX_ROLE = 160
_MAX_ROLES = 500


def roles_text(roles: Mapping[str, str]) -> str:
    """Roles by speaker, as the meta has them."""
    return json.dumps(dict(sorted(roles.items())[:_MAX_ROLES]), ensure_ascii=False)


def roles_of(document: Document) -> Mapping[str, str]:
    """Roles by speaker; none where the file states none."""
    return stored_roles(document.meta)


def stored_roles(meta: Mapping[str, str]) -> Mapping[str, str]:
    """Roles by speaker, as a meta has them."""
    try:
        stored = json.loads(meta.get(ROLES_KEY, "{}"))
    except ValueError:
        return {}
    if not isinstance(stored, dict):
        return {}
    return {speaker: role for speaker, role in stored.items() if isinstance(role, str)}
