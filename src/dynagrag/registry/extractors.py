"""Extractors, which make records of chunks: `ingest --extractor`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from dynagrag.core.errors import SettingsError, UsageError
from dynagrag.registry.choices import Choice, Use, table

if TYPE_CHECKING:
    from dynagrag.config.settings import ChunkProfile
    from dynagrag.core.protocols import ChatModel, Extractor
    from dynagrag.ingest.extract.llm_extractor import ExtractionOptions
    from dynagrag.models.metered_chat import MeteredChat

NO_LLM = (
    "no language model is configured (looked for --llm, DYNAGRAG_LLM, .env and settings.toml); name"
    " one, e.g. --llm openai:NAME or --llm qwen, or make the graph without a model: --extractor"
    " fast"
)


class MakeExtractor(Protocol):
    """Makes an extractor. `place`: of its own model, where it has one. `chat` is `model` with its
    cache and budget; both None without one. `max_concurrency`: calls at once.
    """

    def __call__(
        self,
        place: str,
        chat: "MeteredChat | None",
        model: "ChatModel | None",
        profile: "ChunkProfile",
        options: "ExtractionOptions",
        max_concurrency: int,
        /,
    ) -> "Extractor":
        """The extractor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractorChoice(Choice[MakeExtractor]):
    """`takes_imported`: whether it reads passages with their extractions. `about`: a second line
    below its label.
    """

    takes_imported: bool = False
    about: str = ""


def llm_extractor(
    place: str,
    chat: "MeteredChat | None",
    model: "ChatModel | None",
    profile: "ChunkProfile",
    options: "ExtractionOptions",
    max_concurrency: int,
) -> "Extractor":
    """The language model, which must be there."""
    from dynagrag.ingest.extract.llm_extractor import LLMExtractor

    if chat is None or model is None:
        raise SettingsError(NO_LLM)
    return LLMExtractor(chat, model.identity, profile, options, max_concurrency)


def fast_extractor(*_: object) -> "Extractor":
    """Names and words."""
    from dynagrag.ingest.extract.fast_extractor import FastExtractor

    return FastExtractor()


def spacy_extractor(*_: object) -> "Extractor":
    """Names and words, and what a parser reads."""
    from dynagrag.ingest.extract.spacy_extractor import SpacyExtractor

    return SpacyExtractor()


def gliner_extractor(
    place: str,
    chat: object,
    model: object,
    profile: object,
    options: "ExtractionOptions",
    max_concurrency: int,
) -> "Extractor":
    """Names and words, and a user's types and relations by a GLiNER2 model."""
    from dynagrag.ingest.extract.gliner_extractor import GlinerExtractor

    return GlinerExtractor(place, options.entity_types, options.relation_labels)


def no_file_extractor(*_: object) -> "Extractor":
    """Raises: the chunks of a file come with the file alone."""
    raise UsageError("chunks of a given file are not extracted alone; ingest the file again")


EXTRACTORS = table(
    ExtractorChoice(
        name="llm",
        sentence="a language model reads the text",
        label="With the language model",
        about="It reads every chunk and writes entities and relations with the words they rest on.",
        make=llm_extractor,
        needs_model=True,
    ),
    ExtractorChoice(
        name="fast",
        sentence="names and repeated words, without a model",
        label="Without a model",
        about="Names and repeated words; quick and free.",
        make=fast_extractor,
        uses=Use.COMMAND | Use.APP | Use.ARM | Use.SET,
    ),
    ExtractorChoice(
        name="spacy",
        sentence="those, and what is talked about and what sentences state of it, by a parser",
        label="With a parser",
        about="Also things that have no name, and what sentences say of them; no language model.",
        make=spacy_extractor,
        uses=Use.COMMAND | Use.APP | Use.ARM | Use.SET,
        needs_extra="spacy",
    ),
    ExtractorChoice(
        name="gliner",
        sentence=(
            "gliner:FOLDER or a hub's name: those, and entities of your types and relations of your"
            " labels, by a GLiNER2 model"
        ),
        label="With a GLiNER2 model",
        make=gliner_extractor,
        uses=Use.COMMAND,
        needs_weights=True,
        needs_extra="gliner",
    ),
    ExtractorChoice(
        name="file",
        sentence="your own entities and triples, as JSON lines",
        label="Your own triples",
        make=no_file_extractor,
        uses=Use.COMMAND | Use.SET,
        takes_imported=True,
    ),
)
