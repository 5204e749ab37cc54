"""Chat models of LangChain behind our protocol: those that speak the OpenAI protocol, and any other
provider's.
"""

import itertools
import json
import time
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from dynagrag.config.scrubbing import ReplyScrubber
from dynagrag.core.errors import CutOffReplyError, ModelError, ModelUnavailableError
from dynagrag.core.ids import estimate_tokens
from dynagrag.core.protocols import FirstWord, ModelReply, Prompt
from dynagrag.models.bounded_http import BoundedCall
from dynagrag.models.error_translation import Endpoint, translating
from dynagrag.models.reply_parsing import clean_text
from dynagrag.models.reply_room import ReplyRoom
from dynagrag.models.reply_schema import response_format, schema_text
from dynagrag.models.server_traits import RequestForm, SchemaForm, ServerTraits
from dynagrag.models.thoughts import THOUGHTS_FIELD, all_thoughts, ends_as_json
from dynagrag.models.yes_no import TOP_TOKENS, word_logprobs
from dynagrag.prompts import render

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

_MAX_TOKENS = 100_000_000
"""Of one call; what says more is wrong."""
_ENDS = ("finish_reason", "stop_reason", "done_reason")
_CUT_OFF = {"length", "max_tokens", "MAX_TOKENS"}
_NOT_THIS_REQUEST = (400, 422)
_MIN_READ_SHARE = 0.65
"""Least share of a prompt's tokens by our estimate, four characters each, that a server counts: in
any language tokens are shorter than six characters on average.
"""
_MIN_ESTIMATED = 200
"""Tokens of the shortest prompt of which that is held to be sure."""
_LIMIT_FIELDS = ("max_tokens", "max_output_tokens", "num_predict")
"""Names of the reply limit in the providers' classes."""


class LangChainChat:
    """Any chat model of LangChain, with structured output as its class has it. Thread-safe as far
    as the class is.
    """

    _tells_end = False
    """Whether a stream without a reason for its end is no whole reply."""

    def __init__(
        self,
        model: "BaseChatModel",
        *,
        endpoint: Endpoint,
        identity: str,
        is_small: bool,
        on_close: Callable[[], None] = lambda: None,
        room: ReplyRoom | None = None,
        effort: str | None = None,
    ) -> None:
        """`effort`: how much the model shall think, where its API has that."""
        self._model = model
        self._endpoint = endpoint
        self._identity = identity
        self._is_small = is_small
        self._on_close = on_close
        self.room = room or ReplyRoom(endpoint.name)
        self._traits = ServerTraits(endpoint.where, effort)
        self._scrubber = ReplyScrubber(endpoint.secrets)
        self._structured: dict[tuple[type[BaseModel], int], Any] = {}
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The name as the user wrote it."""
        return self._endpoint.name

    @property
    def identity(self) -> str:
        """Name, base URL and temperature."""
        return self._identity

    @property
    def is_small(self) -> bool:
        """Told by the name."""
        return self._is_small

    def complete(
        self, prompt: Prompt, schema: type[BaseModel] | None, max_tokens: int
    ) -> ModelReply:
        """One reply; retries of the provider's library included in its seconds."""
        began, call = time.perf_counter(), BoundedCall(self._endpoint)
        with translating(self._endpoint, call.has_reply):
            try:
                with call.bounding():
                    message = self._ask(prompt, schema, max_tokens)
            except Exception as err:
                if (cut := getattr(err, "completion", None)) is None:
                    raise
                # openai.LengthFinishReasonError: it parsed a reply that was cut off, and still has
                # it.
                counted, seconds = cut.usage, time.perf_counter() - began
                prompt_tokens, completion_tokens = (
                    self._counted(counted.prompt_tokens),
                    self._counted(counted.completion_tokens),
                )
                text = self._scrubber.whole(cut.choices[0].message.content or "")
                return ModelReply(text, True, prompt_tokens, completion_tokens, seconds)
        usage = getattr(message, "usage_metadata", None) or {}
        num_read = self._counted(usage.get("input_tokens", 0))
        text, is_cut_off = _text(message), _is_cut_off(message)
        thoughts = "" if text.strip() else _thoughts(message)
        if self._is_reply(thoughts, is_json=schema is not None and not is_cut_off):
            self._traits.note_reply_in_thoughts()
            text, thoughts = thoughts, ""
        return ModelReply(
            text=self._scrubber.whole(text),
            is_cut_off=is_cut_off,
            prompt_tokens=num_read,
            completion_tokens=self._counted(usage.get("output_tokens", 0)),
            seconds=time.perf_counter() - began,
            is_prompt_cut=self._is_prompt_cut(prompt, num_read),
            is_all_thoughts=bool(thoughts.strip()) and not is_cut_off,
        )

    def stream(self, prompt: Prompt, max_tokens: int) -> Iterator[str]:
        """The pieces as they come. Raises CutOffReplyError after the last one where the limit was
        hit.
        """
        return self._scrubber.pieces(self._texts(prompt, max_tokens))

    def _texts(self, prompt: Prompt, max_tokens: int) -> Iterator[str]:
        is_cut_off = is_any = has_end = False
        thoughts = ""
        call = BoundedCall(self._endpoint)
        with translating(self._endpoint, call.has_reply):
            for chunk in self._pieces(prompt, max_tokens, call):
                text = _text(chunk)
                has_end |= any(map(chunk.response_metadata.get, _ENDS))
                is_any |= bool(text)
                is_cut_off |= _is_cut_off(chunk)
                thoughts += "" if is_any else _thoughts(chunk)
                if text:
                    yield text
        if not (is_any or has_end):
            raise ModelUnavailableError(
                f"{self.name} at {self._endpoint.host} streamed nothing: no reply; check"
                " OPENAI_BASE_URL"
            )
        if self._tells_end and not (has_end or call.is_done()):
            raise ModelUnavailableError(
                f"{self._endpoint.where} broke off amid its reply, without its end; try again"
            )
        if not is_any and self._is_reply(thoughts, is_json=False):
            yield thoughts
        elif not is_any and thoughts.strip() and not is_cut_off:
            raise ModelUnavailableError(all_thoughts(self._endpoint.where))
        if is_cut_off:
            raise CutOffReplyError(f"{self.name}: the reply hit its limit of {max_tokens} tokens")

    def close(self) -> None:
        """Closes its connections."""
        self._on_close()

    def _ask(self, prompt: Prompt, schema: type[BaseModel] | None, max_tokens: int) -> Any:
        limited = self._limited(max_tokens)
        if schema is None:
            return limited.invoke(_messages(prompt))
        with self._lock:
            structured = self._structured.get((schema, max_tokens))
            if structured is None:
                structured = self._structured[schema, max_tokens] = _with_schema(limited, schema)
        return structured.invoke(_messages(prompt))["raw"]

    def _pieces(self, prompt: Prompt, max_tokens: int, call: BoundedCall) -> Iterator[Any]:
        return self._limited(max_tokens).stream(_messages(prompt))

    def _is_reply(self, thoughts: str, *, is_json: bool) -> bool:
        """Whether what came as thoughts, and nothing else, is the reply: where it ends as JSON that
        was asked for, or once such a reply was seen.
        """
        return bool(thoughts.strip()) and (
            self._traits.has_reply_in_thoughts or (is_json and ends_as_json(thoughts))
        )

    def _counted(self, num_tokens: Any) -> int:
        """A server's count of tokens; 0, which stands for unknown, where it can be none. That is
        said once.
        """
        if isinstance(num_tokens, int) and 0 <= num_tokens <= _MAX_TOKENS:
            return num_tokens
        self._traits.say_once("counts its tokens wrongly; they are estimated")
        return 0

    def _is_prompt_cut(self, prompt: Prompt, num_read: int) -> bool:
        """Whether the server read far less than it was sent, which is said once."""
        num_sent = estimate_tokens(prompt.system + prompt.user)
        if not num_read or num_sent < _MIN_ESTIMATED or num_read >= _MIN_READ_SHARE * num_sent:
            return False
        self._traits.say_once(
            f"read only {num_read} of some {num_sent} tokens of a prompt and cut the rest in"
            " silence, so replies lack what stood there; give it a longer context (Ollama: the"
            " variable OLLAMA_CONTEXT_LENGTH=8192, or num_ctx in the Modelfile; llama.cpp: -c"
            " 8192), then ask or ingest again",
            kind="a prompt was cut",
        )
        return True

    def _limited(self, max_tokens: int) -> "BaseChatModel":
        """A copy whose replies are limited: as a field, since structured output passes no call
        arguments on.
        """
        fields = type(self._model).model_fields
        return self._model.model_copy(
            update={name: max_tokens for name in _LIMIT_FIELDS if name in fields}
        )


class OpenAIProtocolChat(LangChainChat):
    """A LangChain model that speaks the OpenAI protocol.

    The schema is put into the request's body as it is: LangChain's own way parses the reply, which
    costs time and loses the text of a reply that was cut off.
    """

    _tells_end = True

    def _ask(self, prompt: Prompt, schema: type[BaseModel] | None, max_tokens: int) -> Any:
        def ask(form: RequestForm, model: "BaseChatModel") -> Any:
            extra: dict[str, Any] = {"reasoning_effort": form.effort} if form.effort else {}
            if schema and form.schema is SchemaForm.JSON_SCHEMA:
                extra["response_format"] = response_format(schema)
            elif form.schema is SchemaForm.JSON_OBJECT:
                extra["response_format"] = {"type": "json_object"}
            has_words = schema and form.schema is not SchemaForm.JSON_SCHEMA
            asked = _in_words(prompt, schema) if schema and has_words else prompt
            extra[form.limit_name] = form.limit
            return model.invoke(_messages(asked), extra_body=extra)

        return self._adapting(ask, max_tokens, has_schema=schema is not None)

    def first_word(self, prompt: Prompt, words: Sequence[str]) -> FirstWord:
        """A reply of one token with the log probabilities of the likeliest; without them where the
        server refuses or leaves them out.
        """
        asked = {"logprobs": True, "top_logprobs": TOP_TOKENS}
        began, call = time.perf_counter(), BoundedCall(self._endpoint)
        with translating(self._endpoint, call.has_reply):
            try:
                with call.bounding():
                    message = self._adapting(
                        lambda form, model: model.invoke(
                            _messages(prompt), extra_body=asked | {form.limit_name: form.limit}
                        ),
                        1,
                    )
            except Exception as err:
                if getattr(err, "status_code", None) not in _NOT_THIS_REQUEST:
                    raise
                return FirstWord(None, 0, time.perf_counter() - began)
        usage = getattr(message, "usage_metadata", None) or {}
        logprobs = word_logprobs(_first_top(message), words)
        return FirstWord(
            logprobs, self._counted(usage.get("input_tokens", 0)), time.perf_counter() - began
        )

    def _pieces(self, prompt: Prompt, max_tokens: int, call: BoundedCall) -> Iterator[Any]:
        def first_and_rest(
            form: RequestForm, model: "BaseChatModel"
        ) -> tuple[list[Any], Iterator[Any]]:
            extra: dict[str, Any] = {"reasoning_effort": form.effort} if form.effort else {}
            extra[form.limit_name] = form.limit
            pieces = iter(model.stream(_messages(prompt), extra_body=extra))
            return list(itertools.islice(pieces, 1)), pieces

        with call.bounding():
            first, rest = self._adapting(first_and_rest, max_tokens)
        yield from first
        yield from rest

    def _adapting(
        self,
        call: Callable[[RequestForm, "BaseChatModel"], Any],
        max_tokens: int,
        *,
        has_schema: bool = False,
    ) -> Any:
        """The call, in the form that the server takes; each refusal may teach another one."""
        while True:
            form = self._traits.form(max_tokens, has_schema=has_schema)
            model = self._model
            if not form.has_temperature:
                model = model.model_copy(update={"temperature": None})
            try:
                return call(form, model)
            except Exception as err:
                if getattr(err, "status_code", None) not in _NOT_THIS_REQUEST:
                    raise
                if not self._traits.adapt(form, str(err)):
                    raise


def _first_top(message: Any) -> list[tuple[str, float]]:
    """The likeliest texts of a reply's first token with their log probabilities; empty where the
    server left them out or garbled them.
    """
    try:
        top = message.response_metadata["logprobs"]["content"][0]["top_logprobs"]
        return [(str(token["token"]), float(token["logprob"])) for token in top]
    except (LookupError, TypeError, ValueError, OverflowError):
        return []


def _with_schema(model: "BaseChatModel", schema: type[BaseModel]) -> Any:
    try:
        return model.with_structured_output(schema, method="json_schema", include_raw=True)
    except (TypeError, ValueError, NotImplementedError):
        pass  # this provider has its own only method
    try:
        return model.with_structured_output(schema, include_raw=True)
    except NotImplementedError as err:
        raise ModelError(
            f"{type(model).__name__} has no structured output; choose another model"
        ) from err


def _in_words(prompt: Prompt, schema: type[BaseModel]) -> Prompt:
    """The prompt with its reply's schema in it."""
    system, user = render(
        "json_reply", system=prompt.system, user=prompt.user, schema=schema_text(schema)
    )
    return Prompt(prompt.name, system, user)


def _messages(prompt: Prompt) -> "list[BaseMessage]":
    from langchain_core.messages import HumanMessage, SystemMessage

    system, user = clean_text(prompt.system), clean_text(prompt.user)
    return [*([SystemMessage(system)] if system else []), HumanMessage(user)]


def _text(message: Any) -> str:
    """The reply's text; where structured output came as a tool call, its arguments."""
    text = str(message.text)
    calls = getattr(message, "tool_calls", None)
    return json.dumps(calls[0]["args"]) if calls and not text.strip() else text


def _thoughts(message: Any) -> str:
    """What the server put beside the reply as thoughts."""
    return str(message.additional_kwargs.get(THOUGHTS_FIELD) or "")


def _is_cut_off(message: Any) -> bool:
    return any(str(message.response_metadata.get(name)) in _CUT_OFF for name in _ENDS)
