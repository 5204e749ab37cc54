"""How long a model's reply may be: room for the answer, which whoever asks knows, and room for
thoughts, which is known here alone.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Protocol, runtime_checkable

from dynagrag.core.errors import ModelRefusedError, ModelUnavailableError, PromptRefusedError
from dynagrag.core.protocols import ChatModel
from dynagrag.models.chat_names import is_reasoning_name

THINKING_TOKENS = 16_000
"""Room for thoughts. At low effort, models of 2025 and 2026 take some hundred to a few thousand
tokens for prompts like ours; what is not used costs nothing.
"""
_REFUSED_FOR_S = 1.0
"""So long after a refusal the next calls meet it unasked: threads that were about to call."""
TYPICAL_THINKING_TOKENS = 1_000
"""Of one call, for estimates."""


class ReplyRoom:
    """The reply limits of one model, for as long as it is open. Thread-safe.

    A model thinks where its name says so, where the setting gives it room, or once a reply was
    used up before its answer began.

    Args:
        name: The model's name.
        thinking_tokens: The setting: room for thoughts; 0: none; None: `THINKING_TOKENS`, for a
            model that thinks.
        is_tried: Whether it is known how its server behaves; else its first call is made alone.
    """

    def __init__(
        self, name: str, thinking_tokens: int | None = None, *, is_tried: bool = False
    ) -> None:
        self._thinking_tokens = THINKING_TOKENS if thinking_tokens is None else thinking_tokens
        self._is_thinking = bool(thinking_tokens) or is_reasoning_name(name)
        self._least_tried: float = 0 if is_tried else math.inf
        """Room for the answer of the shortest reply so far."""
        self._first = Lock()
        self._refusal: ModelRefusedError | None = None
        self._refused_at = 0.0
        self.has_answered = False
        """Whether any reply had more than thoughts."""
        self.begins_amid_thoughts = False
        """Whether its replies begin with thoughts that no mark opens."""

    @property
    def thinking_tokens(self) -> int:
        """Room for thoughts in each reply; 0 for a model that doesn't think."""
        return self._thinking_tokens if self._is_thinking else 0

    def limit(self, answer_tokens: int) -> int:
        """The limit of a reply whose answer may take so many tokens."""
        return answer_tokens + self.thinking_tokens

    def add_thoughts(self) -> None:
        """From now on there is room for thoughts: a reply was used up before its answer began."""
        self._is_thinking = True

    @contextmanager
    def first_alone(self, answer_tokens: int) -> Iterator[None]:
        """Around each call: the first one, and the first whose answer gets far less room than any
        before, is waited for by the others, so that what it shows of a server (thoughts, a spent
        quota, a wrong key) costs one call and not one a thread. Where it was refused, whatever its
        prompt, those who waited or come within a second meet the same error.
        """
        if not self._is_tried(answer_tokens):
            waits_since = time.monotonic()
            with self._first:
                if self._refusal is not None and waits_since < self._refused_at + _REFUSED_FOR_S:
                    raise self._refusal
                if not self._is_tried(answer_tokens):  # nobody has been first meanwhile
                    with self._noting(answer_tokens):
                        yield
                    return
        yield

    def _is_tried(self, answer_tokens: int) -> bool:
        is_roomy = self._is_thinking and self._least_tried < math.inf
        return is_roomy or self._least_tried <= 2 * answer_tokens

    @contextmanager
    def _noting(self, answer_tokens: int) -> Iterator[None]:
        """Notes what becomes of a call. One that can't reach its server counts as tried: where
        calls time out, they don't one after the other.
        """
        try:
            yield
        except PromptRefusedError:
            raise
        except ModelRefusedError as err:
            self._refusal, self._refused_at = err, time.monotonic()
            raise
        except ModelUnavailableError:
            self._least_tried = min(self._least_tried, answer_tokens)
            raise
        self._least_tried = min(self._least_tried, answer_tokens)


@runtime_checkable
class RoomyModel(Protocol):
    """A chat model that keeps its reply room, so that it is remembered as long as the model."""

    @property
    def room(self) -> ReplyRoom:
        """Its own."""


def typical_thoughts(model: ChatModel | None) -> int:
    """Tokens of thoughts that every estimate takes a reply of a model to have beside its answer's;
    0 for one that doesn't think, and for none.
    """
    return min(TYPICAL_THINKING_TOKENS, room_of(model).thinking_tokens) if model else 0


def room_of(model: ChatModel) -> ReplyRoom:
    """The model's own room; one that is new for a model that keeps none."""
    return model.room if isinstance(model, RoomyModel) else ReplyRoom(model.name, is_tried=True)
