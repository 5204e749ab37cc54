"""The verbs of models: what is asked of chat models and embedders, and what they answer.
`protocols.py` has them among the others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from dynagrag.core.schema import (
    CosineScale,
    EmbedderIdentity,
    TokenVectors,
    Usage,
    Vector,
    Vectors,
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt. `name` is the template's; text + model + parameters make the cache key."""

    name: str
    system: str
    user: str


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's reply as it came. `is_cut_off`: it stopped at its token limit; `is_prompt_cut`: the
    server left a part of the prompt out; `is_all_thoughts`: it has none but thoughts, and ended.
    """

    text: str
    is_cut_off: bool
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    is_prompt_cut: bool = False
    is_all_thoughts: bool = False


@dataclass(frozen=True, slots=True)
class FirstWord:
    """How likely each of some words is as a reply's first word: log probabilities in the order
    asked, each in all its spellings.

    Empty: the reply begins with another word. None: the model doesn't tell.
    """

    logprobs: tuple[float, ...] | None
    prompt_tokens: int
    seconds: float


class ChatModel(Protocol):
    """A chat model behind one prompt, one reply. Thread-safe. Errors are dynagrag's (ModelError and
    its children).
    """

    @property
    def name(self) -> str:
        """The name as the user wrote it, e.g. `openai:gpt-5-mini`; never holds a secret."""

    @property
    def identity(self) -> str:
        """Whatever changes a reply: name, base URL, temperature. Part of the cache key."""

    @property
    def is_small(self) -> bool:
        """Whether small chunks and a worked example should be the default for it."""

    def complete(
        self, prompt: Prompt, schema: type[BaseModel] | None, max_tokens: int
    ) -> ModelReply:
        """One reply; with a schema, the provider is asked to hold the reply to its JSON schema. The
        text is not validated here.
        """

    def stream(self, prompt: Prompt, max_tokens: int) -> Iterator[str]:
        """The pieces of a free-text reply as they come."""

    def close(self) -> None:
        """Frees what it holds (a server thread, weights)."""


@runtime_checkable
class FirstWordModel(Protocol):
    """A chat model that also gives log probabilities. Words are of the caller's choice, such as yes
    and no, or digits; each must be one token.
    """

    def first_word(self, prompt: Prompt, words: Sequence[str]) -> FirstWord:
        """Compares these words as the first of a reply."""


Reply = TypeVar("Reply", bound=BaseModel)


class Asker(Protocol):
    """A chat model with cache, ledger, budget and repair around it:
    `dynagrag.models.metered_chat.MeteredChat`.
    """

    @property
    def is_small(self) -> bool:
        """As its model has it."""

    def ask(
        self,
        prompt: Prompt,
        schema: type[Reply],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> Reply:
        """A validated reply. Raises ModelError's children and BudgetError."""

    def stream(
        self, prompt: Prompt, *, stage: str, max_tokens: int, documents: Sequence[str] = ()
    ) -> Iterator[str]:
        """The pieces of a free-text reply."""

    def yes_no(self, prompt: Prompt, *, stage: str, documents: Sequence[str] = ()) -> float | None:
        """log p(yes) - log p(no) as the first word of a reply; None where the model doesn't
        tell.
        """

    def usage(self, stage: str | None = None) -> Usage:
        """Usage so far, in all or of one stage."""


class Embedder(Protocol):
    """Texts to unit vectors. Queries and documents embed differently where the model wants it."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Name and dimension. May load the model."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, L2-normalised rows; n = 0 gives (0, d)."""

    def embed_query(self, text: str) -> Vector:
        """(d,) float32, L2-normalised."""


class Reranker(Protocol):
    """A model that reads a question and a text together, to put what was found in order."""

    @property
    def name(self) -> str:
        """As a user names it."""

    def scores(self, question: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """(n,) float64 without bounds: the higher, the better a text fits."""


@runtime_checkable
class ScaledEmbedder(Protocol):
    """An embedder whose scale is not to be measured."""

    @property
    def scale(self) -> CosineScale:
        """Where its cosines lie."""


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder in this process, which may tell the vectors of a text's tokens too."""

    def query_tokens(self, text: str) -> TokenVectors | None:
        """Of a question; None where the model gives a vector a text alone."""

    def document_tokens(self, texts: Sequence[str]) -> list[TokenVectors] | None:
        """The same of documents."""


@runtime_checkable
class ServedEmbedder(Protocol):
    """An embedder behind a server, which may refuse what it is sent."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, a row each as of `embed_query`, in as few calls as can be."""

    def try_out(self, texts: Sequence[str]) -> None:
        """Asks for a batch of such texts, as large as any will be. Raises ModelError."""
