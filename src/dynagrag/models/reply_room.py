"""How long a model's reply may be: room for the answer, which whoever asks knows, and room for
thoughts, which is known here alone.
"""

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
        self._is_tried = is_tried
        self._first = Lock()
        self._refusal: ModelRefusedError | None = None
        self._refused_at = 0.0
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
    def first_alone(self) -> Iterator[None]:
        """Around each call: the first one is waited for by all others, so that what it shows of a
        server (thoughts, a spent quota, a wrong key) costs one call and not one a thread. Those who
        waited for one that was refused, whatever its prompt, meet the same error.
        """
        if self._is_tried:
            yield
            return
        waits_since = time.monotonic()
        with self._first:
            if self._refusal is not None and waits_since < self._refused_at:
                raise self._refusal
            try:
                yield
            except ModelRefusedError as err:
                if not isinstance(err, PromptRefusedError):
                    self._refusal, self._refused_at = err, time.monotonic()
                raise
            except ModelUnavailableError:
                self._is_tried = True  # where calls time out, they don't one after the other
                raise
            self._is_tried = True


@runtime_checkable
class RoomyModel(Protocol):
    """A chat model that keeps its reply room, so that it is remembered as long as the model."""

    @property
    def room(self) -> ReplyRoom:
        """Its own."""


def room_of(model: ChatModel) -> ReplyRoom:
    """The model's own room; one that is new for a model that keeps none."""
    return model.room if isinstance(model, RoomyModel) else ReplyRoom(model.name, is_tried=True)
