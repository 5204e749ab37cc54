"""`open_chat_model`: what a user writes after --llm as a chat model.

openai:NAME          the OpenAI protocol at OPENAI_BASE_URL: OpenAI, vLLM, Ollama, llama.cpp, ...
PROVIDER:NAME        any provider of LangChain (azure_openai, anthropic, ollama, ...), extra
                     `providers`
local:PATH-or-NAME   transformers in this process, extra `local`
gguf:PATH            llama.cpp in this process, extra `gguf`
gguf:hf:ORG/REPO/FILE  the same with a file of the model hub, fetched once
qwen, smollm2        a known model that was pulled (dynagrag models pull NAME)
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from dynagrag.config.key_hosts import check_model_host
from dynagrag.config.scrubbing import address_secrets, scrubbed
from dynagrag.config.settings import Settings, clean_key, known_secrets
from dynagrag.core.errors import SettingsError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import ChatModel
from dynagrag.models.bounded_http import bounded_client
from dynagrag.models.catalog import HUB_GGUF, hub_gguf, model_path
from dynagrag.models.chat_names import is_small_name, takes_effort
from dynagrag.models.error_translation import Endpoint
from dynagrag.models.known_models import CATALOG
from dynagrag.models.proxies import exempt_loopback
from dynagrag.models.reply_room import ReplyRoom

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.rate_limiters import InMemoryRateLimiter

_FORMS = (
    "openai:NAME, gguf:PATH, gguf:hf:ORG/REPO/FILE, local:PATH-or-name, PROVIDER:NAME of LangChain,"
    " qwen or smollm2"
)

_EFFORT = "low"
"""To copy names and sentences out of a page takes little thought, and thoughts are paid for."""


def open_chat_model(spec: str, settings: Settings) -> ChatModel:
    """The model of a spec, ready for its first call; weights are loaded at that call.

    Raises:
        SettingsError: The spec, its key or its file is missing or wrong, or a package that it needs
        is not installed.
    """
    spec = spec.strip()
    if spec in CATALOG:
        return _open_known(spec, settings)
    kind, _, rest = spec.partition(":")
    if not rest:
        raise SettingsError(f"unknown language model {spec!r}: write {_FORMS}")
    if kind == "openai":
        return _open_openai(spec, rest, settings)
    if kind == "gguf":
        from dynagrag.models.gguf_chat import GgufChat, check_gguf_library

        check_gguf_library()  # before anybody fetches a gigabyte
        path = hub_gguf(spec, settings) if spec.startswith(HUB_GGUF) else Path(rest).expanduser()
        return GgufChat(path, name=spec, settings=settings)
    if kind == "local":
        from dynagrag.models.transformers_chat import TransformersChat

        return TransformersChat(rest, name=spec, settings=settings)
    if kind in {"hub", "hf", "optimum"}:
        raise SettingsError(
            f"unknown language model {spec!r}: for one of the model hub write local:{rest}, or"
            " gguf:hf:ORG/REPO/FILE for a GGUF file"
        )
    return _open_provider(spec, kind, rest, settings)


def _open_known(name: str, settings: Settings) -> ChatModel:
    from dynagrag.models.gguf_chat import GgufChat, check_gguf_library

    entry = CATALOG[name]
    if entry.kind != "chat":
        raise SettingsError(f"{name} is an embedder, not a language model: write {_FORMS}")
    check_gguf_library()
    path = model_path(name, settings)
    if path is None:
        raise SettingsError(
            f"the model {name} is not here yet: fetch it with `dynagrag models pull {name}`"
        )
    identity = f"{name} sha256={entry.sha256}"
    return GgufChat(path, name=name, model_identity=identity, settings=settings)


def _open_openai(spec: str, model: str, settings: Settings) -> ChatModel:
    from dynagrag.models.langchain_chat import OpenAIProtocolChat
    from dynagrag.models.reasoning_chat import ReasoningChatOpenAI

    base_url = settings.openai_base_url
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    if not key and not base_url:
        raise SettingsError(
            f"{spec} needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own"
        )
    check_model_host(settings)
    endpoint = Endpoint(
        spec, base_url, (key, *address_secrets(base_url)), timeout_s=settings.timeout_s
    )
    # One client, and so one pool of connections, for all threads; its default limit of 1,000 is
    # beyond any concurrency set here.
    client = bounded_client(endpoint)
    chat = ReasoningChatOpenAI(
        model=model,
        base_url=base_url,
        # a server of one's own may ask for none, the SDK always does
        api_key=lambda: key or "none",
        temperature=settings.temperature,
        timeout=settings.timeout_s,
        max_retries=settings.max_retries,
        rate_limiter=_rate_limiter(settings),
        http_client=client,
        http_socket_options=(),  # the client is ours, and knows the proxies
        stream_usage=False,
    )
    effort = _EFFORT if takes_effort(model) else None
    return OpenAIProtocolChat(
        chat,
        endpoint=endpoint,
        identity=_identity(spec, base_url, settings, effort),
        is_small=is_small_name(model),
        on_close=client.close,
        room=ReplyRoom(model, settings.thinking_tokens),
        effort=effort,
    )


def _open_provider(spec: str, provider: str, model: str, settings: Settings) -> ChatModel:
    from dynagrag.models.langchain_chat import LangChainChat, OpenAIProtocolChat

    try:
        from langchain.chat_models import init_chat_model
    except ImportError as err:
        raise SettingsError(
            f"{spec} needs LangChain's providers: pip install 'dynagrag[providers]'"
        ) from err
    options: dict[str, Any] = {
        "temperature": settings.temperature,
        "max_retries": settings.max_retries,
        "timeout": settings.timeout_s,
    }

    def made(**more: Any) -> "BaseChatModel":
        try:
            opened: BaseChatModel = init_chat_model(
                model,
                model_provider=provider,
                rate_limiter=_rate_limiter(settings),
                **options,
                **more,
            )
            return opened
        except ImportError as err:
            raise SettingsError(f"{spec}: {err}") from err
        except ValueError as err:
            raise SettingsError(
                f"{spec}: {scrubbed(' '.join(str(err).split()), known_secrets())[:300]}; or write"
                f" {_FORMS}"
            ) from err

    exempt_loopback()
    chat = made()
    from langchain_openai.chat_models.base import BaseChatOpenAI

    urls = (getattr(chat, n, None) for n in ("azure_endpoint", "openai_api_base", "base_url"))
    base_url = next((str(url) for url in urls if url), None)
    address = base_url or (_ollama_address() if provider == "ollama" else None)
    if exempt_loopback(address):
        chat = made()
    # the keys that LangChain has read, from wherever, by the names under which it takes them
    fields = type(chat).model_fields.items()
    values = {field.alias or name: getattr(chat, name, None) for name, field in fields}
    keys = {name: value for name, value in values.items() if isinstance(value, SecretStr)}
    endpoint = Endpoint(
        spec,
        address,
        (*(key.get_secret_value() for key in keys.values()), *address_secrets(base_url)),
        remedy="check the network and the provider's settings, or try later",
        timeout_s=settings.timeout_s,
    )
    more = _clean_keys(spec, keys)
    client = bounded_client(endpoint) if isinstance(chat, BaseChatOpenAI) else None
    if client is not None:
        more["http_client"] = client
    kind = LangChainChat if client is None else OpenAIProtocolChat
    effort = _EFFORT if client is not None and takes_effort(model) else None
    return kind(
        made(**more) if more else chat,
        endpoint=endpoint,
        identity=_identity(spec, base_url, settings, effort),
        is_small=is_small_name(model),
        on_close=client.close if client is not None else lambda: None,
        room=ReplyRoom(model, settings.thinking_tokens),
        effort=effort,
    )


def _ollama_address() -> str:
    """Where Ollama's client looks for its server unless it is told."""
    host = os.environ.get("OLLAMA_HOST") or "127.0.0.1:11434"
    return host if "://" in host else f"http://{host}"


def _identity(spec: str, base_url: str | None, settings: Settings, effort: str | None) -> str:
    """What changes a reply: name, base URL, temperature, and how much the model shall think."""
    identity = f"{spec} base_url={_without_user(base_url)} temperature={settings.temperature:g}"
    return f"{identity} effort={effort}" if effort else identity


def _clean_keys(spec: str, keys: dict[str, SecretStr]) -> dict[str, Any]:
    """Cleans the keys and returns those that changed. SettingsError if one can't be a key."""
    try:
        clean = {name: clean_key(key.get_secret_value()) for name, key in keys.items()}
    except ValueError as err:
        raise SettingsError(f"the key of {spec}: {err}") from err
    return {
        name: SecretStr(key) for name, key in clean.items() if key != keys[name].get_secret_value()
    }


def _rate_limiter(settings: Settings) -> "InMemoryRateLimiter | None":
    if settings.requests_per_minute is None:
        return None
    from langchain_core.rate_limiters import InMemoryRateLimiter

    return InMemoryRateLimiter(
        requests_per_second=settings.requests_per_minute / 60,
        check_every_n_seconds=0.05,
        max_bucket_size=1,
    )


def _without_user(url: str | None) -> str:
    """A URL without user name and password, which belong in no cache key or log; a hash stands for
    its query, which may hold a key.
    """
    if not url:
        return "default"
    parts = urlsplit(url)
    return urlunsplit(
        parts._replace(
            netloc=parts.netloc.rpartition("@")[2],
            query=content_id(parts.query) if parts.query else "",
        )
    ).rstrip("/")
