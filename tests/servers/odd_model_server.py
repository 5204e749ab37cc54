"""Model servers that behave as real ones do where they differ from most: OpenAIStubServer with one
of `QUIRKS`, and what a proxy in between sees.

    with OddModelServer(reasoning(1200)) as server: ...
"""

import json
import socketserver
import threading
from collections.abc import Callable, Mapping
from typing import Any

from dynagrag.core.protocols import Prompt
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.fakes.fake_server import OpenAIStubServer

Body = Mapping[str, Any]
Answer = tuple[int, str | list[str]] | None
Quirk = Callable[[Body, Callable[[], Answer]], Answer]
"""What a request is answered with; the function gives what most servers would answer."""


class OddModelServer(OpenAIStubServer):
    """A server with a quirk in its chat, in its embeddings, or in both."""

    def __init__(
        self,
        chat_quirk: Quirk | None = None,
        embedding_quirk: Quirk | None = None,
        chat: FakeChat | None = None,
        embedder: FakeEmbedder | None = None,
    ) -> None:
        self._quirks = {True: chat_quirk, False: embedding_quirk}
        super().__init__(chat, embedder)

    def answer(self, path: str, body: Body, authorization: str) -> Answer:
        """As the quirk has it."""
        quirk = self._quirks["/chat/completions" in path]
        whole = super().answer(path, body, authorization)  # counts, also what is refused
        return quirk(body, lambda: whole) if quirk else whole


def limit_of(body: Body) -> int:
    """The reply's limit."""
    return int(body.get("max_completion_tokens") or body.get("max_tokens") or 10**6)


def prompt_of(body: Body) -> str:
    """All messages."""
    return "".join(message["content"] for message in body["messages"])


def refusal(message: str, status: int = 400, code: str | None = None) -> Answer:
    """An error in the protocol's form."""
    error = {"message": message, "type": "invalid_request_error", "code": code}
    return status, json.dumps({"error": error})


def replied(body: Body, text: str, finish: str = "stop", **usage: int) -> Answer:
    """This text as a reply, whole or streamed word by word."""
    if body.get("stream"):
        words = text.split(" ")
        pieces = [word + " " for word in words[:-1]] + words[-1:]
        return 200, [*map(piece_of, pieces), piece_of("", finish), "[DONE]"]
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    counted = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0} | usage
    return 200, json.dumps(
        {"id": "x", "created": 0, "model": "m", "choices": [choice], "usage": counted}
    )


def piece_of(text: str, finish: str | None = None) -> str:
    """One event of a stream."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return json.dumps(
        {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        | {"choices": [choice]}
    )


def text_of(answer: Answer) -> str:
    """The text of a reply, whole or streamed."""
    assert answer is not None
    _, body = answer
    if isinstance(body, str):
        return str(json.loads(body)["choices"][0]["message"]["content"])
    events = [json.loads(event) for event in body if event != "[DONE]"]
    return "".join(c["delta"].get("content") or "" for e in events for c in e["choices"])


# ------------------------------------------------------------------------------------- reply limits


def reasoning(num_thoughts: int, begin: str | None = None) -> Quirk:
    """Thinks for so many tokens, which are hidden, or stand before the answer behind `begin`; cut
    off at its limit.
    """

    def quirk(body: Body, whole: Callable[[], Answer]) -> Answer:
        text = text_of(whole())
        is_starved = limit_of(body) < num_thoughts + len(text) // 4
        if begin is None:
            return replied(body, "", "length") if is_starved else whole()
        thoughts = f"{begin}Hmm, so " + "let me see " * (num_thoughts // 3)
        if is_starved:
            return replied(body, thoughts[: 4 * limit_of(body)], "length")
        return replied(body, f"{thoughts}\n</think>\n\n{text}")

    return quirk


def in_thoughts(before: str = "", field: str = "reasoning_content", answer: bool = True) -> Quirk:
    """Puts its reply, or its thoughts alone, where thoughts belong, and leaves the reply empty."""

    def quirk(body: Body, whole: Callable[[], Answer]) -> Answer:
        text = before + (text_of(whole()) if answer else "")
        if body.get("stream"):
            thought = {"index": 0, "delta": {field: text}, "finish_reason": None}
            event = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
            return 200, [json.dumps(event | {"choices": [thought]}), piece_of("", "stop"), "[DONE]"]
        reply = json.loads(replied(body, "")[1])  # type: ignore[index]
        reply["choices"][0]["message"] |= {"content": None, field: text}
        return 200, json.dumps(reply)

    return quirk


def most_tokens(most: int) -> Quirk:
    """Refuses a higher limit of the reply."""

    def quirk(body: Body, whole: Callable[[], Answer]) -> Answer:
        if limit_of(body) > most:
            return refusal(
                f"Invalid max_tokens value, the valid range of max_tokens is [1, {most}]"
            )
        return whole()

    return quirk


# ------------------------------------------------------------------------------------------ streams


def breaks_off(*last: str) -> Quirk:
    """A stream of half an answer, which then just ends, after these events."""

    def quirk(body: Body, whole: Callable[[], Answer]) -> Answer:
        if not body.get("stream"):
            return whole()
        text = "Acme Works is located in Delft [E1]. Acme Works never acquired"
        return 200, [*(piece_of(word + " ") for word in text.split()), *last]

    return quirk


def error_as_reply(body: Body, whole: Callable[[], Answer]) -> Answer:
    """An error with status 200."""
    return 200, json.dumps({"error": {"message": "Provider returned error", "code": 502}})


# ------------------------------------------------------------------------------- what is not taken


def without_formats(*kinds: str) -> Quirk:
    """Knows no response_format of these kinds."""

    def quirk(body: Body, whole: Callable[[], Answer]) -> Answer:
        kind = (body.get("response_format") or {}).get("type")
        if kind in kinds:
            return refusal(f"This response_format type is unavailable now: {kind}")
        user = body["messages"][-1]["content"]
        _, _, schema = user.rpartition("\n")
        if kind == "json_schema" or not schema.startswith("{"):
            return whole()
        # it reads the schema in the prompt
        return replied(body, simple_reply(Prompt("p", "", user), json.loads(schema)))

    return quirk


def without_fields(**words: str) -> Quirk:
    """Refuses requests with one of these fields, in these words."""

    def quirk(body: Body, whole: Callable[[], Answer]) -> Answer:
        for field, refused in words.items():
            if field in body:
                return refusal(refused)
        return whole()

    return quirk


def short_context(max_chars: int) -> Quirk:
    """Refuses longer prompts."""

    def quirk(body: Body, whole: Callable[[], Answer]) -> Answer:
        if (num_chars := len(prompt_of(body))) > max_chars:
            return refusal(
                f"This model's maximum context length is {max_chars // 4} tokens. However, your"
                f" request has {num_chars // 4} input tokens. Please reduce the length of the"
                " input messages.",
                code="context_length_exceeded",
            )
        return whole()

    return quirk


def cuts_prompts(most: int) -> Quirk:
    """Reads so many tokens of a prompt, and says so in its usage alone."""

    def quirk(body: Body, whole: Callable[[], Answer]) -> Answer:
        num_read = min(most, len(prompt_of(body)) // 4)
        return replied(body, text_of(whole()), prompt_tokens=num_read)

    return quirk


def spent_quota(body: Body, whole: Callable[[], Answer]) -> Answer:
    """The account is empty."""
    return refusal(
        "You exceeded your current quota, please check your plan and billing details.",
        429,
        "insufficient_quota",
    )


def small_batches(most: int, status: int) -> Quirk:
    """Embeds so many texts at once."""

    def quirk(body: Body, whole: Callable[[], Answer]) -> Answer:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        if len(texts) > most:
            return refusal(f"batch size {len(texts)} > maximum allowed batch size {most}", status)
        return whole()

    return quirk


# -------------------------------------------------------------------------------------------- proxy


class FailingProxy:
    """A proxy that answers each request with 503 and keeps its first line. A context manager."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        proxy = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                proxy.requests.append(self.rfile.readline().decode().strip())
                while self.rfile.readline() not in (b"\r\n", b""):
                    pass
                self.wfile.write(b"HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n")

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "FailingProxy":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
