"""The extractor that reads sentences with spaCy: beside the names and words that `fast` finds, what
is talked about, and the relations that sentences state.

A phrase whose head stands in a name of `fast` is that name. In documents of a language without a
model of spaCy only `fast` reads, and a remark says so.
"""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynagrag.core.errors import SettingsError
from dynagrag.core.extras import check_extras
from dynagrag.core.ids import content_id, speaker_key
from dynagrag.core.protocols import PARSING_EXTRACTOR
from dynagrag.core.schema import ChunkWork, Document, Flag, Mention, RelationRecord
from dynagrag.ingest.extract.fast_extractor import LABEL, FastExtractor, ReadSentence
from dynagrag.ingest.extract.noun_phrases import (
    NounPhrase,
    may_name_things,
    noun_phrases,
    recurring_pairs,
)
from dynagrag.ingest.extract.spacy_models import (
    SpacyModel,
    download_hint,
    installed_models,
    load_model,
    spacy_code,
)
from dynagrag.ingest.extract.spoken_relations import is_speaker, spoken_relations
from dynagrag.language.document_language import language_of_document
from dynagrag.language.identification import UNKNOWN, language_name

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

THING = "thing"
"""The type of what is talked about."""
_VERSION = 3


class SpacyExtractor(FastExtractor):
    """Makes the records of `fast`, and those of parsed sentences beside them. Nothing is ever set
    aside.

    `titles`: as those of `FastExtractor`. `models`: by spaCy's code of their language; None: those
    that are installed. Raises SettingsError where spaCy or every model lacks.
    """

    def __init__(
        self, titles: Collection[str] = (), models: Mapping[str, SpacyModel] | None = None
    ) -> None:
        super().__init__(titles)
        check_extras("--extractor spacy", {"spacy": "spacy"})
        self._models = installed_models() if models is None else models
        if not self._models:
            raise SettingsError(
                f"--extractor spacy needs a model of spaCy, and none is installed; English:"
                f" {download_hint('en')}, others: python -m spacy download de_core_news_sm, ..."
            )
        made_of = [f"{m.name} {m.version}" for _, m in sorted(self._models.items())]
        self._name = "-".join(
            (PARSING_EXTRACTOR, str(_VERSION), content_id(self._name, *made_of)[:8])
        )
        self._parser: Language | None = None
        self._recurring: frozenset[tuple[str, str]] = frozenset()

    def _begin(self, document: Document) -> None:
        language = language_of_document(document)
        code = "en" if language == UNKNOWN else spacy_code(language)
        model = self._models.get(code)
        self._parser = load_model(model) if model is not None else None
        self._recurring = recurring_pairs(document.text) if model is not None else frozenset()
        if model is None:
            self._remarks[document.id] = (
                f"in {language_name(language)}, of which spaCy has no model here: read as by"
                f" --extractor fast ({download_hint(language)} may add one)"
            )

    def _more(
        self, item: ChunkWork, sentences: Sequence[ReadSentence]
    ) -> tuple[Sequence[Mention], Sequence[RelationRecord]]:
        if self._parser is None:
            return (), ()
        mentions: list[Mention] = []
        relations: list[RelationRecord] = []
        text = item.document.text
        worth = [s for s in sentences if may_name_things(text[s.start : s.end])]
        texts = (_plain_case(text[s.start : s.end]) for s in worth)
        for sentence, doc in zip(worth, self._parser.pipe(texts), strict=True):
            things = _Things.of(doc, sentence, self._recurring, item.document.sha256)
            for phrase in things.phrases:
                flags = (Flag.TALKED_ABOUT,)
                mentions.append(self._said(sentence, phrase.name, phrase.key, THING, flags))
            for pair in things.compounds:
                relations.append(self._record(sentence, pair[0], LABEL, pair[1]))
            for one in spoken_relations(doc, things.key_of):
                quote = (sentence.start + one.start, sentence.start + one.end)
                relations.append(self._record(sentence, one.head, one.label, one.tail, quote))
        return mentions, relations


@dataclass(frozen=True, slots=True)
class _Things:
    """What the tokens of a parsed sentence stand for: `phrases`, each key once, that are no names
    of `fast`; `compounds`, pairs by key of these and what stands in them, which the graph has where
    it is said by itself; `keys` of tokens by number; the `speaker` of the sentence, whom "I" means.
    """

    phrases: tuple[NounPhrase, ...]
    compounds: tuple[tuple[str, str], ...]
    keys: Mapping[int, str]
    speaker: str | None

    @classmethod
    def of(
        cls,
        doc: "Doc",
        sentence: ReadSentence,
        recurring: frozenset[tuple[str, str]],
        sha256: str,
    ) -> "_Things":
        """Of a parsed sentence, the names that were found in it, and who says it."""
        names = sorted((c.start, c.end, c.key) for c in sentence.found if not c.is_word)
        keys = {
            t.i: key
            for t in doc
            if names and t.pos_ != "PRON" and (key := _name_at(t, names)) is not None
        }
        phrases: dict[str, NounPhrase] = {}
        compounds: dict[tuple[str, str], None] = {}
        for head, phrase in noun_phrases(doc, recurring, frozenset(keys)).items():
            keys[head] = phrase.key
            phrases.setdefault(phrase.key, phrase)
            for one in (phrase.kind, phrase.part):
                if one is not None and one.key != phrase.key:
                    first, second = sorted((phrase.key, one.key))
                    compounds[first, second] = None
        for _, _, key in names:
            phrases.pop(key, None)
        speaker = sentence.turn.speaker
        return cls(
            tuple(phrases.values()),
            tuple(compounds),
            keys,
            speaker_key(speaker, sha256) if speaker else None,
        )

    def key_of(self, token: "Token") -> str | None:
        """The key of what a token stands for."""
        if token.i in self.keys:
            return self.keys[token.i]
        return self.speaker if is_speaker(token) else None


def _name_at(token: "Token", names: Sequence[tuple[int, int, str]]) -> str | None:
    """The key of the name that a token stands in, of names by (start, end, key)."""
    at = bisect_right(names, token.idx, key=lambda name: name[0]) - 1
    return names[at][2] if at >= 0 and token.idx < names[at][1] else None


def _plain_case(text: str) -> str:
    """A sentence in capitals in lower case, letter for letter: the models were not trained on
    such.
    """
    lower = text.lower()
    return lower if text.isupper() and len(lower) == len(text) else text
