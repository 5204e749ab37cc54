"""A chat model with a cache, a ledger and a budget: the only way the rest of the project asks one.

The cache key is a hash of everything that can change a reply: workspace, the model's identity
(which holds its base URL and temperature), the prompt's name and texts, the JSON schema, and the
token limit. Only replies that fit their schema and were not cut off are stored.
"""

import json
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

from pydantic import BaseModel

from dynagrag.core.errors import BudgetError, CutOffReplyError, InvalidReplyError
from dynagrag.core.ids import content_id, estimate_tokens
from dynagrag.core.protocols import ChatModel, FirstWord, FirstWordModel, ModelReply, Prompt
from dynagrag.core.schema import Usage
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.reply_parsing import clean_json, clean_text, parse_reply
from dynagrag.models.reply_schema import StrictReply, strict_schema
from dynagrag.models.yes_no import YES_NO, difference
from dynagrag.prompts import render

_LOG = logging.getLogger(__name__)
_MAX_REPAIRED_CHARS = 2000
_CUT_MARK = " …"

T = TypeVar("T", bound=BaseModel)


class _StoredYesNo(BaseModel):
    """A comparison as it is cached."""

    difference: float


class _StoredWords(BaseModel):
    """Log probabilities of words as they are cached."""

    logprobs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Reserved:
    tokens: int


class Budget:
    """A hard limit on calls and tokens (None: no limit), shared by all threads.

    A call is let through only if its worst case, its prompt and its whole reply limit, still fits.
    Where calls in flight might leave room, it waits for them rather than refuse.
    """

    def __init__(self, max_calls: int | None = None, max_tokens: int | None = None) -> None:
        self.max_calls = max_calls
        self.max_tokens = max_tokens
        self._calls = 0
        self._tokens = 0
        self._reserved = 0
        self._changed = threading.Condition()

    @property
    def calls_left(self) -> int | None:
        """Calls that are still allowed; None without a limit."""
        with self._changed:
            return None if self.max_calls is None else max(0, self.max_calls - self._calls)

    def reserve(self, tokens: int) -> _Reserved:
        """Takes one call and room for its tokens. Raises BudgetError, nothing taken, when they are
        not there.
        """
        with self._changed:
            while (
                self._reserved
                and self._lacks_tokens(self._reserved + tokens)
                and not self._lacks_tokens(tokens)
            ):
                self._changed.wait()
            if self.max_calls is not None and self._calls >= self.max_calls:
                raise BudgetError(
                    f"the budget of {self.max_calls} model calls is spent; what was done is kept:"
                    " try again with a larger one"
                )
            if self._lacks_tokens(tokens):
                raise BudgetError(
                    f"the budget of {self.max_tokens} tokens has no room for the next call, which"
                    f" may need {tokens} ({self._tokens} are spent); what was done is kept: try"
                    " again with a larger one"
                )
            self._calls += 1
            self._reserved += tokens
            return _Reserved(tokens)

    def _lacks_tokens(self, tokens: int) -> bool:
        return self.max_tokens is not None and self._tokens + tokens > self.max_tokens

    def spend(self, reserved: _Reserved, tokens: int) -> None:
        """Gives the reserved room back and books what was really used."""
        with self._changed:
            self._reserved -= reserved.tokens
            self._tokens += tokens
            self._changed.notify_all()


class MeteredChat:
    """See the module. Thread-safe; an identical request that is in flight is waited for, not made
    again.
    """

    def __init__(
        self,
        model: ChatModel,
        journal: Journal,
        *,
        workspace: str,
        budget: Budget | None = None,
        use_cache: bool = True,
    ) -> None:
        """`use_cache=False` reads no cached reply, but still stores the new ones."""
        self.model = model
        self._journal = journal
        self._workspace = workspace
        self._budget = budget or Budget()
        self._use_cache = use_cache
        self._lock = threading.Lock()
        self._in_flight: dict[str, Future[ModelReply]] = {}
        self._usage: dict[str, Usage] = {}
        self._saved = Usage()
        self._tells_yes_no = self._tells_words = True

    @property
    def is_small(self) -> bool:
        """As the model has it."""
        return self.model.is_small

    def ask(
        self,
        prompt: Prompt,
        schema: type[T],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> T:
        """A reply that fits the schema, from the cache or the model, with one repair call where the
        first reply doesn't fit.

        Args:
            prompt: What to ask.
            schema: What the reply must be.
            stage: Whose spending this is, for the ledger and `usage`.
            max_tokens: Limit of the reply.
            documents: Ids of all documents whose text the prompt holds: the cached reply goes when
            they go.

        Raises:
            CutOffReplyError: The reply hit `max_tokens`.
            InvalidReplyError: It does not fit, nor does its repair.
            BudgetError: The call was not made.
            ModelUnavailableError, ModelRefusedError: As the model has them.
        """
        key = self._key(prompt, schema_text(schema), max_tokens)
        if hit := self._from_cache(key, schema, stage, documents):
            return hit[1]
        with self._lock:
            future = self._in_flight.get(key)
            is_first = future is None
            if future is None:
                future = self._in_flight[key] = Future()
        if not is_first:
            reply = future.result()
            self._count_cached(reply, stage, documents)
            if len(documents) == 1:
                self._journal.link_reply(key, documents[0])
            return parse_reply(reply.text, schema)
        try:
            # Another thread may have stored it between the look and the claim.
            hit = self._from_cache(key, schema, stage, documents)
            if hit is None:
                hit = self._call_and_repair(prompt, schema, stage, max_tokens, documents)
                self._journal.store_reply(key, hit[0], documents, model=self.model.name)
            future.set_result(hit[0])
            return hit[1]
        except BaseException as err:
            future.set_exception(err)
            raise
        finally:
            with self._lock:
                del self._in_flight[key]

    def stream(
        self, prompt: Prompt, *, stage: str, max_tokens: int, documents: Sequence[str] = ()
    ) -> Iterator[str]:
        """The pieces of a free-text reply as they come; a cached reply is one piece.

        A reply that hit `max_tokens` ends with an ellipsis, is logged as a warning and not stored.
        Tokens are estimated. Raises as `ask`, at the first piece.
        """
        key = self._key(prompt, "", max_tokens)
        reply = self._journal.cached_reply(key) if self._use_cache else None
        if reply is not None:
            self._count_hit(key, reply, stage, documents)
            yield reply.text
            return
        num_prompt = prompt_tokens(prompt)
        reserved = self._budget.reserve(num_prompt + max_tokens)
        pieces: list[str] = []
        is_whole = is_cut_off = False
        began = time.perf_counter()
        try:
            for raw in self.model.stream(prompt, max_tokens):
                if piece := clean_text(raw):
                    pieces.append(piece)
                    yield piece
            is_whole = True
        except CutOffReplyError as err:
            _LOG.warning("%s: the reply is shown as far as it came: %s", stage, err)
            is_cut_off = True
        finally:
            text = "".join(pieces)
            reply = ModelReply(
                text, is_cut_off, num_prompt, estimate_tokens(text), time.perf_counter() - began
            )
            self._budget.spend(reserved, reply.prompt_tokens + reply.completion_tokens)
            self._count_call(reply, stage, documents)
        if is_whole and text.strip():
            self._journal.store_reply(key, reply, documents, model=self.model.name)
        if is_cut_off:
            yield _CUT_MARK

    def yes_no(self, prompt: Prompt, *, stage: str, documents: Sequence[str] = ()) -> float | None:
        """log p(yes) - log p(no) as the first word of a reply, from the cache or the model; None
        where the model doesn't tell.

        A model that once didn't tell is not asked so again. Raises BudgetError and ModelError's
        children.
        """
        if not self._tells_yes_no or not isinstance(self.model, FirstWordModel):
            return None
        key = self._words_key(prompt, YES_NO)
        if hit := self._from_cache(key, _StoredYesNo, stage, documents):
            return hit[1].difference
        found = self._compared(self.model, prompt, YES_NO, stage, documents)
        margin = difference(found.logprobs)
        if margin is None:
            self._tells_yes_no = False
            _LOG.info("%s: %s gives no log probabilities of yes and no", stage, self.model.name)
            return None
        reply = ModelReply(
            _StoredYesNo(difference=margin).model_dump_json(),
            False,
            found.prompt_tokens,
            1,
            found.seconds,
        )
        self._journal.store_reply(key, reply, documents, model=self.model.name)
        return margin

    def first_word(
        self, prompt: Prompt, words: Sequence[str], *, stage: str, documents: Sequence[str] = ()
    ) -> tuple[float, ...] | None:
        """The log probability of each word as the first of a reply, from the cache or the model.

        Empty where the reply begins with another word; None where the model doesn't tell, and then
        it is not asked so again. Raises BudgetError and ModelError's children.
        """
        if not self._tells_words or not isinstance(self.model, FirstWordModel):
            return None
        key = self._words_key(prompt, words)
        if hit := self._from_cache(key, _StoredWords, stage, documents):
            return hit[1].logprobs
        found = self._compared(self.model, prompt, words, stage, documents)
        if found.logprobs is None:
            self._tells_words = False
            _LOG.info("%s: %s gives no log probabilities", stage, self.model.name)
            return None
        reply = ModelReply(
            _StoredWords(logprobs=found.logprobs).model_dump_json(),
            False,
            found.prompt_tokens,
            1,
            found.seconds,
        )
        self._journal.store_reply(key, reply, documents, model=self.model.name)
        return found.logprobs

    def usage(self, stage: str | None = None) -> Usage:
        """The spending of this object, on one stage or on all. `seconds` sums over calls, so
        parallel ones count each.
        """
        with self._lock:
            parts = (
                list(self._usage.values()) if stage is None else [self._usage.get(stage, Usage())]
            )
        total = Usage()
        for part in parts:
            total = _plus(total, part)
        return total

    def saved(self) -> Usage:
        """The cost of the cached replies when they were made: calls, tokens and seconds that this
        object did not spend.
        """
        with self._lock:
            return self._saved

    @property
    def calls_left(self) -> int | None:
        """Calls the budget still allows; None without a limit."""
        return self._budget.calls_left

    # inside

    def _key(self, prompt: Prompt, schema: str, max_tokens: int) -> str:
        return content_id(
            self._workspace,
            self.model.identity,
            prompt.name,
            prompt.system,
            prompt.user,
            schema,
            max_tokens,
        )

    def _from_cache(
        self, key: str, schema: type[T], stage: str, documents: Sequence[str]
    ) -> tuple[ModelReply, T] | None:
        reply = self._journal.cached_reply(key) if self._use_cache else None
        if reply is None:
            return None
        try:
            parsed = parse_reply(reply.text, schema)
        except (
            InvalidReplyError
        ):  # whole, but not what we stored: a miss, replaced by the call that follows
            return None
        self._count_hit(key, reply, stage, documents)
        return reply, parsed

    def _call_and_repair(
        self, prompt: Prompt, schema: type[T], stage: str, max_tokens: int, documents: Sequence[str]
    ) -> tuple[ModelReply, T]:
        reply = self._call(prompt, schema, stage, max_tokens, documents)
        try:
            return reply, parse_reply(reply.text, schema)
        except InvalidReplyError as err:
            _LOG.info("%s: asked for a repair: %s", stage, err)
            error = str(err)
            system, user = render(
                "repair",
                system=prompt.system,
                user=prompt.user,
                reply=reply.text[:_MAX_REPAIRED_CHARS],
                error=error,
            )
            reply = self._call(
                Prompt(f"{prompt.name}.repair", system, user), schema, stage, max_tokens, documents
            )
        try:
            return reply, parse_reply(reply.text, schema)
        except InvalidReplyError as err:
            raise InvalidReplyError(
                f"{self.model.name}: also after one repair, {err}", err.reply
            ) from err

    def _call(
        self,
        prompt: Prompt,
        schema: type[BaseModel],
        stage: str,
        max_tokens: int,
        documents: Sequence[str],
    ) -> ModelReply:
        num_prompt = prompt_tokens(prompt, schema)
        reserved = self._budget.reserve(num_prompt + max_tokens)
        reply = ModelReply("", False, 0, 0, 0.0)  # what a call that fails is booked as
        try:
            raw = self.model.complete(prompt, schema, max_tokens)
            reply = replace(
                raw,
                text=clean_json(raw.text),
                prompt_tokens=raw.prompt_tokens or num_prompt,
                completion_tokens=raw.completion_tokens or estimate_tokens(raw.text),
            )
        finally:
            self._budget.spend(reserved, reply.prompt_tokens + reply.completion_tokens)
            self._count_call(reply, stage, documents)
        if not reply.is_cut_off:
            return reply
        part = schema.whole_part(reply.text) if issubclass(schema, StrictReply) else None
        if part is None:
            raise CutOffReplyError(
                f"{self.model.name}: the reply hit its limit of {max_tokens} tokens; ask about less"
                " text at once"
            )
        _LOG.warning(
            "%s: the reply hit its limit of %d tokens, and is used as far as it was whole",
            stage,
            max_tokens,
        )
        return replace(reply, text=part, is_cut_off=False)

    def _words_key(self, prompt: Prompt, words: Sequence[str]) -> str:
        """The words stand where the key of a reply has its schema."""
        return self._key(prompt, " or ".join(words), 1)

    def _compared(
        self,
        model: FirstWordModel,
        prompt: Prompt,
        words: Sequence[str],
        stage: str,
        documents: Sequence[str],
    ) -> FirstWord:
        num_prompt = prompt_tokens(prompt)
        reserved = self._budget.reserve(num_prompt + 1)
        booked = ModelReply("", False, 0, 0, 0.0)  # what a call that fails is booked as
        try:
            found = model.first_word(prompt, words)
            booked = ModelReply("", False, found.prompt_tokens or num_prompt, 1, found.seconds)
        finally:
            self._budget.spend(reserved, booked.prompt_tokens + booked.completion_tokens)
            self._count_call(booked, stage, documents)
        return found

    def _count_hit(self, key: str, reply: ModelReply, stage: str, documents: Sequence[str]) -> None:
        if len(documents) == 1:
            self._journal.link_reply(key, documents[0])
        self._count_cached(reply, stage, documents)

    def _count_cached(self, reply: ModelReply, stage: str, documents: Sequence[str]) -> None:
        with self._lock:
            self._usage[stage] = _plus(self._usage.get(stage, Usage()), Usage(cached=1))
            self._saved = _plus(
                self._saved, Usage(1, reply.prompt_tokens, reply.completion_tokens, reply.seconds)
            )
        self._record(reply, stage, documents, is_cached=True)

    def _count_call(self, reply: ModelReply, stage: str, documents: Sequence[str]) -> None:
        with self._lock:
            spent = Usage(
                calls=1,
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
                seconds=reply.seconds,
            )
            self._usage[stage] = _plus(self._usage.get(stage, Usage()), spent)
        self._record(reply, stage, documents, is_cached=False)

    def _record(
        self, reply: ModelReply, stage: str, documents: Sequence[str], *, is_cached: bool
    ) -> None:
        self._journal.record_call(
            stage,
            documents[0] if len(documents) == 1 else None,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            seconds=reply.seconds,
            is_cached=is_cached,
        )


@cache
def schema_text(schema: type[BaseModel]) -> str:
    """The JSON schema as it is sent, as text: part of the cache key (a new docstring is no miss)
    and of a prompt's tokens.
    """
    return json.dumps(strict_schema(schema), sort_keys=True, separators=(",", ":"))


def prompt_tokens(prompt: Prompt, schema: type[BaseModel] | None = None) -> int:
    """Estimated tokens of a request: its messages, and the reply's schema as it is sent."""
    return estimate_tokens(prompt.system + prompt.user + (schema_text(schema) if schema else ""))


def _plus(a: Usage, b: Usage) -> Usage:
    return Usage(
        a.calls + b.calls,
        a.prompt_tokens + b.prompt_tokens,
        a.completion_tokens + b.completion_tokens,
        a.seconds + b.seconds,
        a.cached + b.cached,
    )
