"""First names that may be one person's."""

from dynagrag.language.english.data import groups_of
from dynagrag.language.thesaurus import GroupKind


def are_first_names_alike(a: str, b: str) -> bool:
    """Whether two first names, in lower case, may be one person's: one begins the other or is its
    initial, or what it is shortened to.
    """
    shorter, longer = sorted((a, b), key=len)
    return (longer.startswith(shorter) and (len(shorter) == 1 or len(shorter) >= 3)) or is_nickname(
        a, b
    )


def is_nickname(a: str, b: str) -> bool:
    """Whether one of two first names is what the other is shortened to."""
    return any(a in names and b in names for names in groups_of(GroupKind.NICKNAMES))
