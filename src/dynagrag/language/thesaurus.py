"""Groups of a language's words that belong together: `<language>/thesaurus.txt`."""

from collections import defaultdict
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path


class GroupKind(StrEnum):
    """How the words of a group belong together."""

    NICKNAMES = "nicknames"
    """First names of one person: a full name and what it is shortened to."""
    NEAR_VERBS = "near verbs"
    """Verbs that may say the same; a verb may be in several groups."""
    CONTRASTS = "contrasts"
    """Words that tell apart what else looks alike: `north tower`, `south tower`."""
    OPPOSED_LABELS = "opposed labels"
    """Words of which relation labels that differ in them alone say other things."""
    IRREGULAR_PASTS = "irregular pasts"
    """A verb, its past, and its participle where that differs: `write wrote written`. Kept beside
    `english.inflection`, which agrees with it (tests), since claims are read at every answer and
    its dictionary takes a quarter of a second to load.
    """
    IRREGULAR_FORMS = "irregular forms"
    """A word and further forms that no rule makes of it: `child children`."""
    SYNONYMS = "synonyms"
    """Words that say the same of the same ones: who does it, and to whom."""
    RELATED = "related"
    """Words that say much the same, but not of who does what to whom: to employ is to be worked
    for.
    """
    OPPOSITES = "opposites"
    """Two words that deny each other."""
    COMPARED = "compared"
    """Two that do so where things are compared: faster, slower; fastest, slowest."""
    OPPOSED_PREPOSITIONS = "opposed prepositions"
    """Two prepositions of which one denies the other before the same thing."""
    EXCLUSIVE_PLACES = "exclusive places"
    """Places of a kind of which none lies in another: what is in one state isn't in the next. A
    blank in a name is an underscore.
    """
    DEMONYMS = "demonyms"
    """Demonyms, each with its land, where no ending tells."""
    MEASURES = "measures"
    """What is asked for with a number ("how long"), then the units and signs that answer it."""


class Thesaurus:
    """Groups by their kind; the file is read at the first question.

    A line in brackets names the kind of the groups that follow, one a line, words with blanks
    between them; a line that begins with blank space goes on with the group above.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def groups(self, kind: GroupKind) -> tuple[tuple[str, ...], ...]:
        """The groups in the order of the file."""
        return self._by_kind.get(kind, ())

    @cached_property
    def _by_kind(self) -> Mapping[GroupKind, tuple[tuple[str, ...], ...]]:
        """Raises ValueError: the file names a kind that there isn't."""
        found: dict[GroupKind, list[tuple[str, ...]]] = defaultdict(list)
        groups: list[tuple[str, ...]] = []
        for line in self._path.read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                groups = found[GroupKind(line.strip("[]"))]
            elif line[:1].isspace():
                groups[-1] += tuple(line.split())
            elif line:
                groups.append(tuple(line.split()))
        return {kind: tuple(own) for kind, own in found.items()}
