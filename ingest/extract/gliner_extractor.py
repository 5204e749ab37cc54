"""The extractor that asks a GLiNER2 model (Zaratiana and others, 2025): entities of types that a
user names, and relations of a user's labels between them, beside the names and words that `fast`
finds. A name that the model gives a type has that type.

The model runs by its authors' library, on this machine. Passages are read whole, so an entity may
rest on the sentence before.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynagrag.core.errors import SettingsError
from dynagrag.core.extras import check_extras
from dynagrag.core.ids import content_id, entity_key
from dynagrag.core.protocols import TYPING_EXTRACTOR
from dynagrag.core.schema import ChunkWork, Document, Mention, RelationRecord
from dynagrag.ingest.extract.fast_extractor import FastExtractor, ReadSentence
from dynagrag.language.words import COMMON_WORDS

if TYPE_CHECKING:
    from gliner2 import Schema

DEFAULT_TYPES = ("person", "organization", "location", "product", "event", "date")
"""Where a user names none. Relations are asked for where labels are named."""
MAX_LABELS = 24
"""In one reading: labels stand before the text in the model's input, so many types are read some at
a time.
"""
_BATCH = 8
_THRESHOLD = 0.5
_VERSION = 1
_PRONOUN = "entity: a pronoun or the like"
_ONE_END = "relation: its ends are one thing, or no thing"


class GlinerExtractor(FastExtractor):
    """Makes the records of `fast`, and those of a GLiNER2 model beside them. Nothing is ever set
    aside.

    `place`: the model's folder, or its name on a hub. `types`: of entities; none: `DEFAULT_TYPES`.
    `relation_labels`: none: no relations. `titles`: as those of `FastExtractor`. Raises
    SettingsError where the library or a file of the folder lacks.
    """

    def __init__(
        self,
        place: str,
        types: Sequence[str] = (),
        relation_labels: Sequence[str] = (),
        titles: Collection[str] = (),
    ) -> None:
        super().__init__(titles)
        check_extras("--extractor gliner", {"gliner2": "gliner"})
        self._place = place
        self._types = tuple(dict.fromkeys(types)) or DEFAULT_TYPES
        self._labels = tuple(dict.fromkeys(relation_labels))
        self._dropped: Counter[str] = Counter()
        of = content_id(self._name, _identity(place), *self._types, "|", *self._labels)
        self._name = f"{TYPING_EXTRACTOR}-{_VERSION}-{of[:8]}"

    @property
    def dropped(self) -> Mapping[str, int]:
        """What the model found that is no record, by reason."""
        return self._dropped

    @cached_property
    def _model(self) -> Any:
        """Read from its place at the first document."""
        from gliner2 import AutoExtractor
        from transformers.utils import logging as transformers_logging

        transformers_logging.set_verbosity_error()  # it takes the kind of model for a mistake
        try:
            return AutoExtractor.from_pretrained(self._place).eval()
        except Exception as err:  # its library names no errors of its own
            first = " ".join(str(err).split())[:200]
            raise SettingsError(
                f"the GLiNER2 model {self._place} can't be loaded ({first}); name the folder of one"
                " with config.json, model.safetensors and its tokenizer, such as a copy of"
                " fastino/gliner2.5-small-v1"
            ) from err

    @cached_property
    def _schemas(self) -> tuple["Schema", ...]:
        """What is asked for, so many labels at a time."""
        from gliner2 import Schema

        return (
            *(Schema().entities(list(some)) for some in _batches(self._types)),
            *(Schema().relations(list(some)) for some in _batches(self._labels)),
        )

    def _begin(self, document: Document) -> None:
        _ = self._model  # before the first chunk is read

    def _more(
        self, item: ChunkWork, sentences: Sequence[ReadSentence]
    ) -> tuple[Sequence[Mention], Sequence[RelationRecord]]:
        read = [
            _ReadPassage(item.document.text, tuple(own))
            for _, own in groupby(sentences, key=lambda sentence: sentence.passage.id)
        ]
        mentions: list[Mention] = []
        relations: list[RelationRecord] = []
        for schema in self._schemas:
            found = self._model.batch_extract(
                [passage.text for passage in read],
                schema,
                batch_size=_BATCH,
                threshold=_THRESHOLD,
                include_spans=True,
            )
            for passage, answer in zip(read, found, strict=True):
                mentions += self._entities(passage, answer)
                more, between = self._relations(passage, answer)
                mentions += more
                relations += between
        return mentions, relations

    def _entities(self, passage: "_ReadPassage", answer: Mapping[str, Any]) -> Iterator[Mention]:
        for type_, spans in answer.get("entities", {}).items():
            for span in spans:
                if (end := passage.end_of(span)) is None:
                    self._dropped[_PRONOUN] += 1
                else:
                    yield self._said(end.sentence, end.name, end.key, type_, ())

    def _relations(
        self, passage: "_ReadPassage", answer: Mapping[str, Any]
    ) -> tuple[list[Mention], list[RelationRecord]]:
        """The relations, and mentions of their ends, whose types they don't say."""
        mentions: list[Mention] = []
        relations: list[RelationRecord] = []
        for label, pairs in answer.get("relation_extraction", {}).items():
            for pair in pairs:
                head, tail = passage.end_of(pair["head"]), passage.end_of(pair["tail"])
                if head is None or tail is None or head.key == tail.key:
                    self._dropped[_ONE_END] += 1
                    continue
                mentions += (self._said(e.sentence, e.name, e.key, "", ()) for e in (head, tail))
                first, last = sorted((head.sentence, tail.sentence), key=lambda s: s.start)
                quote = (first.start, last.end)
                relations.append(self._record(head.sentence, head.key, label, tail.key, quote))
        return mentions, relations


@dataclass(frozen=True, slots=True)
class _End:
    """An entity of an answer: its name and key, and the sentence that it begins in."""

    name: str
    key: str
    sentence: ReadSentence


@dataclass(frozen=True, slots=True)
class _ReadPassage:
    """A passage's sentences in a document's text, as the model reads them in one."""

    document: str
    sentences: tuple[ReadSentence, ...]

    @property
    def text(self) -> str:
        """From its first sentence to its last."""
        return self.document[self.sentences[0].start : self.sentences[-1].end]

    def end_of(self, span: Mapping[str, Any]) -> _End | None:
        """What a span of the text stands for; None of words that name nothing."""
        start = self.sentences[0].start + int(span["start"])
        name = " ".join(str(span["text"]).split())
        key = entity_key(name)
        if not key or name.lower() in COMMON_WORDS:
            return None
        at = bisect_right(self.sentences, start, key=lambda sentence: sentence.start) - 1
        return _End(name, key, self.sentences[max(at, 0)])


def _batches(labels: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(labels), MAX_LABELS):
        yield labels[first : first + MAX_LABELS]


def _identity(place: str) -> str:
    """What tells a model from another: a name, or a folder's configuration and size of weights."""
    folder = Path(place)
    if not folder.is_dir():
        return place
    config = folder / "config.json"
    weights = [p for p in sorted(folder.iterdir()) if p.suffix in (".safetensors", ".bin")]
    if not config.is_file() or not weights:
        lacks = "config.json" if not config.is_file() else "model.safetensors"
        raise SettingsError(
            f"the folder {place} has no {lacks}, so it is no GLiNER2 model; name one such as a copy"
            " of fastino/gliner2.5-small-v1"
        )
    sizes = [str(path.stat().st_size) for path in weights]
    return content_id(config.read_text(encoding="utf-8"), *sizes)
