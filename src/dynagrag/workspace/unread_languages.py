"""Languages of sources and questions that a workspace's embedder doesn't read, told with the
command that changes it: of embedders that the catalogue knows to be trained on English alone.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from dynagrag.core.schema import Answer, Document
from dynagrag.language.document_language import language_of_document
from dynagrag.language.identification import ENGLISH, UNKNOWN, language_name
from dynagrag.models.embedder_languages import (
    is_english_alone,
    languages_apart_line,
    other_languages_line,
)
from dynagrag.workspace.parts import WorkspaceParts

_MAX_NAMED = 3
"""Languages, those of most documents."""


def unread_languages(parts: WorkspaceParts, documents: Iterable[Document]) -> list[str]:
    """The names of the documents' languages that the workspace's embedder was not trained on, that
    of most documents first.
    """
    if not is_english_alone(_embedder_name(parts)):
        return []
    found: Counter[str] = Counter()
    for document in documents:
        code = language_of_document(document)
        found.update(() if code in (ENGLISH, UNKNOWN) else (language_name(code),))
    return [name for name, _ in found.most_common()]


def unread_line(parts: WorkspaceParts, languages: Sequence[str]) -> str:
    """The line that says so of these languages; empty without one, and where another embedder has
    taken the place of the one that didn't read them.
    """
    embedder = _embedder_name(parts)
    if not languages or not is_english_alone(embedder):
        return ""
    named = list(languages[:_MAX_NAMED])
    if len(languages) > _MAX_NAMED:
        named.append("others")
    workspace = "" if parts.name == parts.settings.workspace else parts.name
    return other_languages_line(embedder, named, workspace)


def answer_language_line(parts: WorkspaceParts, answer: Answer) -> str:
    """What is said of an answer's languages: that the question is in another than the lines shown,
    else that the embedder finds less in theirs. Empty where the embedder reads them, or nothing is
    known of it.
    """
    if not answer.question_language:
        return unread_line(parts, [answer.unread_language] if answer.unread_language else [])
    if not is_english_alone(_embedder_name(parts)):
        return ""
    workspace = "" if parts.name == parts.settings.workspace else parts.name
    return languages_apart_line(answer.question_language, answer.lines_language, workspace)


def _embedder_name(parts: WorkspaceParts) -> str:
    """Of the vectors that are stored, else of those to come."""
    stored = parts.store.embedder()
    return stored.name if stored else parts.settings.embedder
