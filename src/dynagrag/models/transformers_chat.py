"""A chat model in this process by transformers: a folder, a GGUF file or a hub name; JSON replies
are held to their schema by xgrammar.

The documented example is Llama 2 chat: `local:meta-llama/Llama-2-7b-chat-hf`.
"""

import logging
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from pydantic import BaseModel

from dynagrag.config.settings import Settings
from dynagrag.core.errors import (
    CutOffReplyError,
    ModelUnavailableError,
    PromptRefusedError,
    SettingsError,
)
from dynagrag.core.extras import check_extras
from dynagrag.core.protocols import FirstWord, ModelReply, Prompt
from dynagrag.models.catalog import hub_model
from dynagrag.models.chat_names import is_small_name
from dynagrag.models.memory_errors import is_out_of_memory, within_memory
from dynagrag.models.reply_room import ReplyRoom
from dynagrag.models.reply_schema import strict_schema
from dynagrag.models.yes_no import TOP_TOKENS, word_logprobs

_LOG = logging.getLogger(__name__)
_SMALL_PARAMETERS = 4_000_000_000
_SMALL_BYTES = 4_000_000_000
_EXTRAS = {"transformers": "local", "torch": "local"}
_PICKLES = (".pkl", ".pickle", ".pt", ".pth", ".ckpt")


class TransformersChat:
    """See the module. The weights are loaded at the first call; one call at a time; greedy at
    temperature 0.

    The device is chosen by itself: CUDA, then Apple's, then the CPU; half precision on the first
    two, and on a CPU that multiplies it in hardware; float32 on another.
    """

    def __init__(self, source: str, *, name: str, settings: Settings) -> None:
        """Raises SettingsError for a path that is not there, or one that could only be unpickled,
        and without the libraries.
        """
        self._source = locate_model(source)
        check_extras("running a model here", _EXTRAS)
        self._settings = settings
        self._name = name
        self._temperature = settings.temperature
        self.room = ReplyRoom(source, settings.thinking_tokens, is_tried=True)
        self._lock = Lock()
        self._load_lock = Lock()
        self._model: Any = None
        self._tokenizer: Any = None
        self._grammars: dict[type[BaseModel], Any] = {}
        self._compiler: Any = None

    @property
    def name(self) -> str:
        """The name as the user wrote it."""
        return self._name

    @property
    def identity(self) -> str:
        """The model's name, with the size of a file; its temperature. No folder above the model's
        own.
        """
        path = Path(self._source)
        size = f" size={path.stat().st_size}" if path.is_file() else ""
        return (
            f"local {path.name if path.exists() else self._source}{size}"
            f" temperature={self._temperature:g}"
        )

    @property
    def is_small(self) -> bool:
        """Told by the number of parameters once loaded, before that by the name or the file's
        size.
        """
        if self._model is not None:
            return bool(self._model.num_parameters() < _SMALL_PARAMETERS)
        path = Path(self._source)
        if path.is_file():
            return path.stat().st_size < _SMALL_BYTES
        weights = sum(f.stat().st_size for f in path.glob("*.safetensors")) if path.is_dir() else 0
        return 0 < weights < 2 * _SMALL_BYTES or is_small_name(self._source)

    def complete(
        self, prompt: Prompt, schema: type[BaseModel] | None, max_tokens: int
    ) -> ModelReply:
        """One reply; with a schema, only tokens that its JSON allows are sampled."""
        self._load()
        with self._lock, _translating(self._name):
            began = time.perf_counter()  # the wait for its turn is not the model's time
            inputs = self._inputs(prompt)
            output = self._model.generate(**inputs, **self._options(schema, max_tokens))
        num_prompt = int(inputs["input_ids"].shape[1])
        new = output[0, num_prompt:].tolist()
        text = self._tokenizer.decode(new, skip_special_tokens=True)
        is_cut_off = len(new) >= max_tokens and new[-1] not in self._ends()
        return ModelReply(text, is_cut_off, num_prompt, len(new), time.perf_counter() - began)

    def stream(self, prompt: Prompt, max_tokens: int) -> Iterator[str]:
        """The pieces as they come. Raises CutOffReplyError after the last one where the limit was
        hit.
        """
        from transformers import TextIteratorStreamer

        self._load()
        with self._lock:
            pieces = TextIteratorStreamer(
                self._tokenizer, skip_prompt=True, skip_special_tokens=True
            )
            outcome: list[Any] = []
            inputs = self._inputs(prompt)
            options = self._options(None, max_tokens) | {"streamer": pieces}
            worker = Thread(
                target=self._generate_into, args=(outcome, pieces, inputs, options), daemon=True
            )
            worker.start()
            yield from (piece for piece in pieces if piece)
            worker.join()
        if isinstance(outcome[0], Exception):
            with _translating(self._name):
                raise outcome[0]
        new = outcome[0][0, inputs["input_ids"].shape[1] :].tolist()
        if len(new) >= max_tokens and new[-1] not in self._ends():
            raise CutOffReplyError(f"{self._name}: the reply hit its limit of {max_tokens} tokens")

    def first_word(self, prompt: Prompt, words: Sequence[str]) -> FirstWord:
        """Words by the logits of the next token."""
        import torch

        self._load()
        with self._lock, _translating(self._name):
            began = time.perf_counter()
            inputs = self._inputs(prompt)
            with torch.inference_mode():
                logprobs = self._model(**inputs).logits[0, -1].float().log_softmax(-1)
            top = torch.topk(logprobs, min(TOP_TOKENS, len(logprobs)))
            texts = [self._tokenizer.decode([token]) for token in top.indices.tolist()]
        found = word_logprobs(zip(texts, top.values.tolist(), strict=True), words)
        return FirstWord(found, int(inputs["input_ids"].shape[1]), time.perf_counter() - began)

    def close(self) -> None:
        """Frees the weights."""
        with self._lock, self._load_lock:
            self._model = self._tokenizer = self._compiler = None
            self._grammars.clear()

    # inside

    def _generate_into(
        self, outcome: list[Any], pieces: Any, inputs: Any, options: dict[str, Any]
    ) -> None:
        """Runs in a thread of its own; an error ends the pieces and is raised by the reader."""
        try:
            outcome.append(self._model.generate(**inputs, **options))
        except Exception as err:  # noqa: BLE001  handed over, not swallowed
            outcome.append(err)
            pieces.end()

    def _load(self) -> None:
        with self._load_lock:
            if self._model is not None:
                return
            began = time.perf_counter()
            self._tokenizer, model = load_transformers(self._source, self._settings)
            self._model = model
            _LOG.info(
                "loaded %s on %s in %.1f s", self._name, model.device, time.perf_counter() - began
            )

    def _inputs(self, prompt: Prompt) -> Any:
        if self._tokenizer.chat_template:
            text = _templated(self._tokenizer, prompt)
            encoded = self._tokenizer(text, return_tensors="pt", add_special_tokens=False)
        else:
            text = f"{prompt.system}\n\n{prompt.user}\n\n".lstrip()
            encoded = self._tokenizer(text, return_tensors="pt")
        room = getattr(self._model.config, "max_position_embeddings", None)
        if room and encoded["input_ids"].shape[1] >= room:
            raise PromptRefusedError(
                f"{self._name}: the prompt has {encoded['input_ids'].shape[1]} tokens, the model's"
                f" context {room}"
            )
        return {k: encoded[k].to(self._model.device) for k in ("input_ids", "attention_mask")}

    def _options(self, schema: type[BaseModel] | None, max_tokens: int) -> dict[str, Any]:
        options: dict[str, Any] = {
            "max_new_tokens": max_tokens,
            "do_sample": self._temperature > 0,
            "pad_token_id": int(
                self._tokenizer.pad_token_id
                if self._tokenizer.pad_token_id is not None
                else min(self._ends())
            ),
        }
        if self._temperature > 0:
            options["temperature"] = self._temperature
        else:  # else the model's own sampling settings are warned about
            options |= {"temperature": None, "top_p": None, "top_k": None}
        if schema is not None:
            from xgrammar.contrib.hf import LogitsProcessor

            options["logits_processor"] = [
                LogitsProcessor(self._grammar(schema))
            ]  # holds the state of one call
        return options

    def _grammar(self, schema: type[BaseModel]) -> Any:
        import json

        import xgrammar

        if self._compiler is None:
            vocabulary = xgrammar.TokenizerInfo.from_huggingface(
                self._tokenizer,
                vocab_size=self._model.config.vocab_size,
                stop_token_ids=sorted(self._ends()),
            )
            self._compiler = xgrammar.GrammarCompiler(vocabulary)
        if schema not in self._grammars:
            # No free white space: small models else fill their limit with it.
            self._grammars[schema] = self._compiler.compile_json_schema(
                json.dumps(strict_schema(schema)), any_whitespace=False
            )
        return self._grammars[schema]

    def _ends(self) -> set[int]:
        """All tokens that end a reply: the generation settings may name several, the tokenizer's
        own may be another.
        """
        named = self._model.generation_config.eos_token_id
        ends = set(named if isinstance(named, list) else [named]) | {self._tokenizer.eos_token_id}
        return {end for end in ends if end is not None}


class _translating:
    """Turns what torch raises for want of memory into ours."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, err: BaseException | None, trace: object) -> None:
        if err is not None and is_out_of_memory(err):
            raise ModelUnavailableError(
                f"{self._name}: out of memory; take a smaller model, a GGUF one, or smaller chunks"
            ) from err


def locate_model(source: str) -> str:
    """The path of a file or folder, or a hub name. SettingsError for a path that is not there, or
    one that could only be unpickled.
    """
    path = Path(source).expanduser()
    if path.suffix.lower() in _PICKLES:
        raise SettingsError(
            f"{source} is a pickle, which could run code, and was not opened: give a folder with"
            " safetensors, or a GGUF file"
        )
    if path.is_file():
        from dynagrag.models.gguf_chat import check_gguf

        check_gguf(path)
        return str(path)
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise SettingsError(
                f"{source} holds no config.json: give the folder of a transformers model, or a GGUF"
                " file"
            )
        return str(path)
    if source.count("/") != 1 or source.startswith((".", "/", "~")):
        raise SettingsError(
            f"no model {source}: give a folder, a GGUF file, or a hub name like"
            " meta-llama/Llama-2-7b-chat-hf"
        )
    return source


def load_transformers(
    source: str, settings: Settings, device: str | None = None, dtype: Any = None
) -> tuple[Any, Any]:
    """Tokenizer and model of the source that `locate_model` found; a hub model is fetched if need
    be. SettingsError where it can't be loaded, ModelError where it doesn't fit into memory.

    Without `device` and `dtype` they are chosen, see TransformersChat.
    """
    check_extras("running a model here", _EXTRAS)
    path = Path(source) if Path(source).exists() else hub_model(source, settings)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    has_mps = torch.backends.mps.is_available()
    device = device or ("cuda" if torch.cuda.is_available() else "mps" if has_mps else "cpu")
    wanted = loaded_as = dtype or usual_dtype(device)
    folder, where = path, dict[str, Any](local_files_only=True)
    weights: dict[str, Any] = {}
    if path.is_file():
        folder, where["gguf_file"] = path.parent, path.name
        if dtype is not None or device == "cpu":
            loaded_as = torch.float32  # transformers complains of a shorter one; it is cast below
    else:
        weights["use_safetensors"] = True  # other weights are pickles
    with within_memory(str(path), "take a smaller model, or free some of the machine's"):
        try:
            with _without_bars() if path.is_file() else nullcontext():
                tokenizer = AutoTokenizer.from_pretrained(folder, **where)
                model = AutoModelForCausalLM.from_pretrained(
                    folder, dtype=loaded_as, **where, **weights
                )
        except (OSError, ValueError, ImportError) as err:
            if is_out_of_memory(err):
                raise
            raise SettingsError(
                f"{path} could not be loaded as a chat model: {' '.join(str(err).split())[:200]}"
            ) from err
        return tokenizer, model.to(device=device, dtype=wanted).eval()


def usual_dtype(device: str) -> Any:
    """Half precision where a device multiplies it in hardware, else float32."""
    import torch

    # torch 2.6 doesn't tell
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    on_cpu = torch.bfloat16 if capabilities.get("amx_bf16") else torch.float32
    return {"cuda": torch.bfloat16, "mps": torch.float16}.get(device.partition(":")[0], on_cpu)


@contextmanager
def _without_bars() -> Iterator[None]:
    """Transformers shows a bar of its own as it unpacks a GGUF file (`modeling_gguf_pytorch_utils`,
    5.23), which nothing turns off.
    """
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):
        yield


def _templated(tokenizer: Any, prompt: Prompt) -> str:
    """The chat template's text; a template without a system role gets the system text in front of
    the user's.
    """
    from jinja2 import TemplateError

    def layout(*messages: dict[str, str]) -> str:
        return str(
            tokenizer.apply_chat_template(
                list(messages), tokenize=False, add_generation_prompt=True
            )
        )

    try:
        return layout(
            {"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}
        )
    except TemplateError:
        return layout({"role": "user", "content": f"{prompt.system}\n\n{prompt.user}"})
