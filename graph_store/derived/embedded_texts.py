"""Texts that are embedded and searched, of mentions, relation records and passages, and the ids of
their vectors.

Equal texts have one id and one vector, so none is embedded twice.
"""

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from dynagrag.core.errors import StoreError
from dynagrag.core.ids import content_id, plain_key
from dynagrag.core.schema import CO_OCCURRENCE, Document, Mention, Passage, RelationRecord

MAX_TITLE = 200


def mention_text(mention: Mention) -> str:
    """ "name: summary", or the name alone: what is embedded for a mention."""
    return f"{mention.name}: {mention.summary}" if mention.summary else mention.name


def own_title(document: Document) -> str:
    """The title that says what the document is about, its first 200 characters; empty where it only
    repeats the file's name.

    It stands before every passage that is embedded, and a model reads some 250 words at most.
    """
    path = PurePath(document.uri)
    if document.title in (path.name, path.stem):
        return ""
    return document.title.strip()[:MAX_TITLE].rstrip()


def own_titles(documents: Mapping[str, Document]) -> dict[str, str]:
    """The own titles of documents, by id."""
    return {id_: own_title(document) for id_, document in documents.items()}


def passage_text(document: Document, passage: Passage, title: str | None = None) -> str:
    """ "title, line break, the passage's words": what is embedded and searched for a passage.
    `title`: the document's own, if at hand.
    """
    title = own_title(document) if title is None else title
    words = document.text[passage.start : passage.end]
    return f"{title}\n{words}" if title else words


def sentence_text(sentence: str, title: str) -> str:
    """ "title: sentence"; the sentence alone where the document has no title of its own."""
    return f"{title}: {sentence}" if title else sentence


def is_co_occurrence(record: RelationRecord) -> bool:
    """Whether all that a record says is that both stand in one sentence."""
    return record.label == CO_OCCURRENCE and not record.summary


def record_text(record: RelationRecord) -> str:
    """ "head label tail: summary": what is embedded for a relation record that states something."""
    triple = f"{plain_key(record.head)} {record.label} {plain_key(record.tail)}"
    return f"{triple}: {record.summary}" if record.summary else triple


def text_id(text: str) -> str:
    """The id under which a text's vector is stored."""
    return content_id("text", text)


def quote_of(record: RelationRecord, documents: Mapping[str, Document]) -> str:
    """A record's quote, the source's own words. Raises StoreError for an unknown document."""
    return document_of(record, documents).text[record.quote_start : record.quote_end]


def document_of(record: RelationRecord, documents: Mapping[str, Document]) -> Document:
    """The document that a record is of. Raises StoreError where it isn't there."""
    document = documents.get(record.document_id)
    if document is None:
        raise StoreError(
            f"relation record {record.id} names document {record.document_id}, which is not stored;"
            " ingest it again"
        )
    return document


def mention_texts(mentions: Iterable[Mention]) -> dict[str, str]:
    """Text id -> text of all mentions, without doubles, in order of first appearance."""
    return {text_id(text): text for text in dict.fromkeys(mention_text(m) for m in mentions)}


def record_texts(records: Iterable[RelationRecord]) -> dict[str, str]:
    """Text id -> text of all relation records that state something, without doubles, in order of
    first appearance.
    """
    texts = (record_text(r) for r in records if not is_co_occurrence(r))
    return {text_id(text): text for text in dict.fromkeys(texts)}
