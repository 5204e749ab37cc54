"""The mentions that count: the fast extractor's rules that need the whole corpus, applied when the
graph is derived.

The fast extractor stores candidates with flags; whether one counts depends on other documents, so
it is decided again from the records each time. A mention without a candidate flag always counts.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from dynagrag.core.schema import Flag, Mention, MentionKind

MIN_CONTENT_PASSAGES = 2
"""A content word heard in one passage connects nothing."""
MAX_CONTENT_SHARE = 0.08
"""A content word heard in more of the passages says nothing about any of them."""
TITLE = "title"
"""Type of a document's title that is said in a text; it is found in any case."""


def counting_mentions(mentions: Iterable[Mention], num_passages: int) -> list[Mention]:
    """The mentions that count in this corpus, each once, in the order given. A mention without a
    key never counts.
    """
    unique = list({m.id: m for m in mentions if m.key}.values())
    live = live_mentions(unique, num_passages)
    return [m for m in unique if m.id in live]


def live_mentions(mentions: Sequence[Mention], num_passages: int) -> set[str]:
    """Ids of the mentions that count, of all the mentions of a corpus of `num_passages` passages.

    - SENTENCE_START: only if a mention of the same key, in any document, is SEEN_CAPITALISED or a
      title.
    - CONTENT_WORD: where its key is a name by the other rules, only in a document that writes no
      name with a capital; it then counts as that name. Where a document has capitals, "control" is
      not CONTROL. Any other only if it occurs in at least 2 passages and at most 8 % of them (2 in
      a corpus of fewer than 38).
    - Every other mention counts; what is only talked about makes no name of a content word.

    Depends on the set of mentions alone, not on their order.
    """
    attested = {
        m.key for m in mentions if Flag.SEEN_CAPITALISED in m.flags or m.kind is MentionKind.TITLE
    }
    live: set[str] = set()
    names: set[str] = set()
    words: list[Mention] = []
    cased: set[str] = set()
    passages: dict[str, set[str]] = defaultdict(set)
    for mention in mentions:
        if Flag.CONTENT_WORD in mention.flags:
            words.append(mention)
            passages[mention.key].update(mention.passage_ids)
        elif Flag.SENTENCE_START not in mention.flags or mention.key in attested:
            live.add(mention.id)
            if Flag.TALKED_ABOUT in mention.flags:
                continue
            if mention.kind is not MentionKind.SPEAKER:
                names.add(mention.key)
            is_said = mention.kind is MentionKind.SAID and mention.type != TITLE
            if is_said and any(map(str.isupper, mention.name)):
                cased.add(mention.document_id)
    most = max(MIN_CONTENT_PASSAGES, int(MAX_CONTENT_SHARE * num_passages))
    for mention in words:
        if mention.key in names:
            counts = mention.document_id not in cased
        else:
            counts = MIN_CONTENT_PASSAGES <= len(passages[mention.key]) <= most
        if counts:
            live.add(mention.id)
    return live
