"""The names of a corpus as the rules see them, and in what plainer forms they meet."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dynagrag.core.schema import Mention, MentionKind
from dynagrag.graph_store.derived.linking_words import is_name
from dynagrag.ingest.consolidate.guards import Name, tokens_of
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass

Proposal = tuple[str, str, str]
"""A rule's name and two keys that it takes for one entity."""

SMALL_WORDS = words_of(WordClass.SMALL_IN_ACRONYM)


@dataclass(frozen=True, slots=True)
class UsedName:
    """A key as the rules see it: its usual spelling, how often it is said, in which documents,
    whether it is but a word or phrase
    without a name.
    """

    name: Name
    surface: str
    weight: int
    documents: frozenset[str] = frozenset()
    is_word: bool = False

    @property
    def key(self) -> str:
        """The key."""
        return self.name.key


def used_names(mentions: Iterable[Mention]) -> list[UsedName]:
    """The keys in alphabetical order, with their usual type and spelling (ties: shortest,
    alphabetical).
    """
    types: dict[str, Counter[str]] = defaultdict(Counter)
    surfaces: dict[str, Counter[str]] = defaultdict(Counter)
    documents: dict[str, set[str]] = defaultdict(set)
    weights: Counter[str] = Counter()
    speakers: set[str] = set()
    named: set[str] = set()
    for m in mentions:
        surfaces[m.key][m.name] += 1
        documents[m.key].add(m.document_id)
        if m.type:
            types[m.key][m.type] += 1
        if m.kind is MentionKind.SPEAKER:
            speakers.add(m.key)
        if is_name(m):
            named.add(m.key)
        weights[m.key] += m.kind is MentionKind.SAID
    return [
        UsedName(
            Name(key, _usual(types[key]) if key in types else "", key in speakers),
            _usual(surfaces[key]),
            weights[key],
            frozenset(documents[key]),
            key not in named,
        )
        for key in sorted(surfaces)
    ]


def _usual(counts: Mapping[str, int]) -> str:
    return min(counts, key=lambda text: (-counts[text], len(text), text))


def content_words(key: str) -> tuple[str, ...]:
    """A key's words without the small ones."""
    return tuple(t for t in tokens_of(key) if t not in SMALL_WORDS)


def initials(key: str) -> str:
    """The initials of a name's content words; empty for fewer than two."""
    words = content_words(key)
    return "".join(w[0] for w in words) if len(words) > 1 else ""


def squashed(key: str) -> str:
    """A key's letters and digits alone."""
    return "".join(tokens_of(key))
