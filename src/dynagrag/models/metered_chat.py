"""A chat model with a cache, a ledger and a budget: the only way the rest of the project asks one.

The cache key is a hash of everything that can change a reply: workspace, the model's identity
(which holds its base URL and temperature), the prompt's name and texts, the JSON schema, and the
token limit of the answer. Only replies that fit their schema and were not cut off are stored, and
none to a prompt of which the server left out a part.

A model that thinks before it answers gets room for that beside the answer's (`reply_room.py`), and
its thoughts are taken off here. Where they used up a reply of one that wasn't known to think, it is
asked once more.
"""

import logging
import re
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import BaseModel

from dynagrag.core.errors import (
    BudgetError,
    CutOffReplyError,
    EmptyReplyError,
    InvalidReplyError,
    ModelRefusedError,
)
from dynagrag.core.ids import content_id, estimate_tokens
from dynagrag.core.protocols import ChatModel, FirstWord, FirstWordModel, ModelReply, Prompt
from dynagrag.core.schema import Usage
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.reply_parsing import clean_json, clean_text, parse_reply
from dynagrag.models.reply_room import room_of
from dynagrag.models.reply_schema import StrictReply, schema_text
from dynagrag.models.thoughts import (
    all_thoughts,
    begins_amid_thoughts,
    json_answer,
    streamed_answer,
)
from dynagrag.models.yes_no import YES_NO, difference
from dynagrag.prompts import render

_LOG = logging.getLogger(__name__)
_MAX_REPAIRED_CHARS = 2000
_CUT_MARK = " …"
_JSON_BEGIN = re.compile(r'^\s*(?:```(?:json)?\s*)?[\[{]|\{\s*"')

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
        self._room = room_of(model)
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
            CutOffReplyError: The reply hit `max_tokens`; EmptyReplyError where its answer hadn't
            begun, though there was room for thoughts.
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
                if not hit[0].is_prompt_cut:
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
        limit = self._room.limit(max_tokens)
        try:
            reply = yield from self._stream_once(prompt, stage, limit, documents)
        except EmptyReplyError:
            if not self._has_more_room(max_tokens, limit, stage):
                raise
            limit = self._room.limit(max_tokens)
            reply = yield from self._stream_once(prompt, stage, limit, documents)
        if reply.is_cut_off:
            yield _CUT_MARK
        elif reply.text.strip():
            self._journal.store_reply(key, reply, documents, model=self.model.name)

    def yes_no(self, prompt: Prompt, *, stage: str, documents: Sequence[str] = ()) -> float | None:
        """log p(yes) - log p(no) as the first word of a reply, from the cache or the model; None
        where the model doesn't tell.

        A model that once didn't tell is not asked so again. Raises BudgetError and ModelError's
        children.
        """
        if not self._tells_yes_no or not isinstance(self.model, FirstWordModel):
            return None
        if self._room.thinking_tokens:
            return None  # its first word is a thought's
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
        if self._room.thinking_tokens:
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
            again = _repair(prompt, reply.text, str(err))
            reply = self._call(again, schema, stage, max_tokens, documents)
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
        """One reply that was not cut off, or the part of it that is of use. An empty one whose
        thoughts used it up is asked for once more, with room for them.
        """
        with self._room.first_alone(max_tokens):
            limit = self._room.limit(max_tokens)
            reply = self._call_once(prompt, schema, stage, limit, documents)
            if reply.is_all_thoughts and not self._room.has_answered:
                again = _repair(prompt, reply.text, "it is empty: all of it stood in your thoughts")
                reply = self._call_once(again, schema, stage, limit, documents)
                if reply.is_all_thoughts:
                    raise ModelRefusedError(all_thoughts(self.model.name))
            self._room.has_answered |= not reply.is_all_thoughts
            is_empty = _is_empty(reply)
            has_more = is_empty and self._has_more_room(max_tokens, limit, stage)
        if has_more:
            limit = self._room.limit(max_tokens)
            reply = self._call_once(prompt, schema, stage, limit, documents)
            is_empty = _is_empty(reply)
        if is_empty:
            raise EmptyReplyError(_used_up(self.model.name, limit))
        if not reply.is_cut_off:
            return reply
        part = schema.whole_part(reply.text) if issubclass(schema, StrictReply) else None
        if part is None:
            raise CutOffReplyError(
                f"{self.model.name}: the reply hit its limit of {limit} tokens; ask about less"
                " text at once"
            )
        _LOG.warning(
            "%s: the reply hit its limit of %d tokens, and is used as far as it was whole",
            stage,
            limit,
        )
        return replace(reply, text=part, is_cut_off=False)

    def _call_once(
        self,
        prompt: Prompt,
        schema: type[BaseModel],
        stage: str,
        limit: int,
        documents: Sequence[str],
    ) -> ModelReply:
        """One call, booked, and its reply without thoughts."""
        num_prompt = prompt_tokens(prompt, schema)
        reserved = self._budget.reserve(num_prompt + limit)
        reply = ModelReply("", False, 0, 0, 0.0)  # what a call that fails is booked as
        try:
            raw = self.model.complete(prompt, schema, limit)
            text = clean_json(raw.text)
            self._room.begins_amid_thoughts |= begins_amid_thoughts(text)
            reply = replace(
                raw,
                text=json_answer(text, is_cut_off=raw.is_cut_off),
                prompt_tokens=raw.prompt_tokens or num_prompt,
                completion_tokens=raw.completion_tokens or estimate_tokens(raw.text),
            )
        finally:
            self._budget.spend(reserved, reply.prompt_tokens + reply.completion_tokens)
            self._count_call(reply, stage, documents)
        return reply

    def _stream_once(
        self, prompt: Prompt, stage: str, limit: int, documents: Sequence[str]
    ) -> Generator[str, None, ModelReply]:
        """One streamed call, booked; its pieces without thoughts. EmptyReplyError where it was cut
        off before its answer began.
        """
        num_prompt = prompt_tokens(prompt)
        reserved = self._budget.reserve(num_prompt + limit)
        num_chars = 0
        pieces: list[str] = []
        is_cut_off = False
        began = time.perf_counter()

        def counted() -> Iterator[str]:
            nonlocal num_chars
            for raw in self.model.stream(prompt, limit):
                num_chars += len(raw)
                if piece := clean_text(raw):
                    yield piece

        try:
            for piece in streamed_answer(
                counted(), is_amid_thoughts=self._room.begins_amid_thoughts
            ):
                pieces.append(piece)
                yield piece
        except CutOffReplyError as err:
            if not "".join(pieces).strip():
                raise EmptyReplyError(_used_up(self.model.name, limit)) from err
            _LOG.warning("%s: the reply is shown as far as it came: %s", stage, err)
            is_cut_off = True
        finally:
            num_tokens = -(-num_chars // 4)  # thoughts are paid for too
            seconds = time.perf_counter() - began
            reply = ModelReply("".join(pieces), is_cut_off, num_prompt, num_tokens, seconds)
            self._budget.spend(reserved, reply.prompt_tokens + reply.completion_tokens)
            self._count_call(reply, stage, documents)
        return reply

    def _has_more_room(self, max_tokens: int, limit: int, stage: str) -> bool:
        """Whether a reply that was used up at this limit gets more. The model is known to think
        from then on.
        """
        self._room.add_thoughts()
        more = self._room.limit(max_tokens)
        if more > limit:
            _LOG.info(
                "%s: the reply's limit of %d tokens was used up before its answer began; asked"
                " again with %d",
                stage,
                limit,
                more,
            )
        return more > limit

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


def _repair(prompt: Prompt, reply: str, error: str) -> Prompt:
    """The prompt once more, with the reply that doesn't fit and what is wrong with it."""
    system, user = render(
        "repair",
        system=prompt.system,
        user=prompt.user,
        reply=reply[:_MAX_REPAIRED_CHARS],
        error=error,
    )
    return Prompt(f"{prompt.name}.repair", system, user)


def _is_empty(reply: ModelReply) -> bool:
    """Whether a JSON reply was cut off before its first field: thoughts, or prose, used it up."""
    return reply.is_cut_off and not _JSON_BEGIN.search(reply.text)


def _used_up(name: str, limit: int) -> str:
    return (
        f"{name}: the reply's limit of {limit} tokens was used up before its answer began, as by a"
        " model that thinks first; raise DYNAGRAG_THINKING_TOKENS, or take a model that thinks less"
    )


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
