"""Keys of things apart from plain words: words may link passages (`fact_texts`), but are no
entities of the graph.
"""

from collections import Counter
from collections.abc import Iterable

from dynagrag.core.schema import Edit, EditKind, Flag, Graph, Mention, Merge
from dynagrag.graph_store.derived.canonical import Canon, effective_edits, scoped_keys
from dynagrag.graph_store.derived.glossary import read_glossary

_NO_NAME = frozenset((Flag.CONTENT_WORD, Flag.TALKED_ABOUT))
_NAMING = (EditKind.MERGE, EditKind.RENAME, EditKind.SENSE)


def is_word(mention: Mention) -> bool:
    """Whether the fast extractor found a plain content word, not a name."""
    return Flag.CONTENT_WORD in mention.flags


def is_name(mention: Mention) -> bool:
    """Whether a mention is neither a plain word nor a phrase that is only talked about."""
    return not _NO_NAME.intersection(mention.flags)


def without_words_of_things(mentions: Iterable[Mention]) -> list[Mention]:
    """The mentions without plain words that are a thing of their document: it is mentioned where a
    parser read it.
    """
    mentions = tuple(mentions)
    things = {(m.document_id, m.key) for m in mentions if Flag.TALKED_ABOUT in m.flags}
    return [m for m in mentions if not (is_word(m) and (m.document_id, m.key) in things)]


def thing_keys(mentions: Iterable[Mention], edits: Iterable[Edit] = ()) -> set[str]:
    """The keys that are a name somewhere: by a mention that is no plain word, by a glossary, or by
    a person's merge, name or sense.
    """
    edits = tuple(edits)
    glossary = read_glossary(edits)
    named = {m.key for m in mentions if not is_word(m)}
    named |= glossary.thing_of.keys() | glossary.ambiguous.keys()
    for edit in effective_edits(edits):
        if edit.kind in _NAMING:
            named.update(edit.keys, scoped_keys(edit) if edit.kind is EditKind.SENSE else ())
    return named


def canonical_things(canon: Canon, mentions: Iterable[Mention], edits: Iterable[Edit]) -> set[str]:
    """The canonical keys with a thing among their keys; all others stand for words alone."""
    return {canon.of[key] for key in thing_keys(mentions, edits) if key in canon.of}


def num_words(mentions: Iterable[Mention]) -> int:
    """How many keys are plain words."""
    mentions = tuple(mentions)
    return len({m.key for m in mentions} - thing_keys(mentions))


def merges_of_things(merges: Iterable[Merge], graph: Graph) -> list[Merge]:
    """The merges that made an entity of the graph: not those of plain words, nor those that a
    person took apart.
    """
    holder = {key: entity.id for entity in graph.entities for key in entity.keys}
    made = []
    for merge in merges:
        holders = Counter(holder[key] for key in merge.members if key in holder)
        if max(holders.values(), default=0) > 1:
            made.append(merge)
    return made
