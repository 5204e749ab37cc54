"""A causal language model of Hugging Face as soft prompts need it: frozen, with the pieces of its
chat layout as token ids.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from dynagrag.checkpoints.devices import choose_device, has_bfloat16
from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError
from dynagrag.generation.soft_prompt.precision import Precision
from dynagrag.models.catalog import model_path
from dynagrag.models.known_models import CATALOG
from dynagrag.models.transformers_chat import load_transformers, locate_model

_PLACE = "\N{OBJECT REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class ChatPieces:
    """Token ids before and after what a user says, and the one that ends a reply."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    end: int


class LanguageModel:
    """A model and its tokenizer. Its weights get no gradient. `digest`: of them, see
    `weights_digest`.
    """

    def __init__(self, model: nn.Module, tokenizer: Any, name: str) -> None:
        self.model: Any = model.eval()
        self.tokenizer = tokenizer
        self.name = name
        self.pieces = chat_pieces(tokenizer, self.model)
        self.digest = weights_digest(self.model)  # now: later there may be adapters in it
        for value in self.model.parameters():
            value.requires_grad_(False)

    @property
    def width(self) -> int:
        """Numbers of a token's embedding."""
        return int(self.model.get_input_embeddings().weight.shape[1])

    @property
    def dtype(self) -> torch.dtype:
        """Of its embeddings."""
        found: torch.dtype = self.model.get_input_embeddings().weight.dtype
        return found

    @property
    def precision(self) -> Precision:
        """Of its numbers, as they are kept."""
        return Precision.BFLOAT16 if self.dtype == torch.bfloat16 else Precision.FLOAT32

    @property
    def max_tokens(self) -> int | None:
        """Of its context; None where it names none."""
        return getattr(self.model.config, "max_position_embeddings", None)

    @property
    def pad(self) -> int:
        """A token whose embedding fills rows; it is masked."""
        return int(
            self.pieces.end if self.tokenizer.pad_token_id is None else self.tokenizer.pad_token_id
        )

    @property
    def ends(self) -> list[int]:
        """The tokens that end a reply: the one that it is trained with, and the model's own."""
        named = self.model.generation_config.eos_token_id
        own = named if isinstance(named, list) else [] if named is None else [named]
        return sorted({self.pieces.end, *map(int, own)})

    @property
    def device(self) -> torch.device:
        """Where its weights lie."""
        found: torch.device = next(iter(self.model.parameters())).device
        return found

    def ids(self, text: str, most: int | None = None) -> list[int]:
        """A text's tokens without any special ones, cut at the tail after `most`. Words that look
        like a special token are words.
        """
        found: list[int] = self.tokenizer(
            text, add_special_tokens=False, split_special_tokens=True
        )["input_ids"]
        return found[:most]

    def cut(self, text: str, most: int) -> str:
        """The part of a text that its first tokens, `most` of them, stand for."""
        ids = self.ids(text)
        if len(ids) <= most:
            return text
        if not self.tokenizer.is_fast:  # it doesn't tell where its tokens stand
            read: str = self.tokenizer.decode(ids[:most])
            return read
        how = {"add_special_tokens": False, "split_special_tokens": True}
        places = self.tokenizer(text, **how, return_offsets_mapping=True)["offset_mapping"]
        return text[: places[most - 1][1]] if most else ""

    def embed(self, ids: list[int]) -> Tensor:
        """(t, width) the embeddings of tokens."""
        found: Tensor = self.model.get_input_embeddings()(
            torch.tensor(ids, dtype=torch.int64, device=self.device)
        )
        return found


def load_language_model(
    name: str, settings: Settings, precision: Precision = Precision.AUTO, device: str | None = None
) -> LanguageModel:
    """A model by what users call it: a pulled one such as smollm2, a folder, a GGUF file (read
    whole), or a hub name.

    Raises SettingsError where it isn't there or can't be loaded, UsageError for a device that isn't
    there.
    """
    place = choose_device(device)
    found = model_path(name, settings) if name in CATALOG else None
    if name in CATALOG and found is None:
        raise SettingsError(f"the model {name} isn't here: run `dynagrag models pull {name}`")
    is_short = precision == Precision.BFLOAT16 or (
        precision == Precision.AUTO and has_bfloat16(place)
    )
    dtype = torch.bfloat16 if is_short else torch.float32
    tokenizer, model = load_transformers(
        locate_model(str(found or name)), settings, str(place), dtype
    )
    return LanguageModel(model, tokenizer, name)


def weights_digest(model: nn.Module) -> str:
    """A hash of a model's weights as they are in bfloat16: one whatever files they came from, and
    on whatever device in whatever precision they lie. Of a fine-tune, which moves most weights a
    little, some fall to another number there.
    """
    found = hashlib.sha256()
    for name, value in model.named_parameters():
        found.update(f"{name}{tuple(value.shape)}".encode())
        found.update(
            value.detach().to(torch.bfloat16).flatten().view(torch.uint8).cpu().numpy().tobytes()
        )
    return found.hexdigest()


def chat_pieces(tokenizer: Any, model: Any) -> ChatPieces:
    """The layout of the model's own chat template round a user's text; without a template the BOS
    if there is one, and a newline.

    A template is rendered once with a placeholder, so a tokenizer without a BOS (Qwen's) gets none,
    and Llama 2 gets its `<s>[INST]`.
    """
    if tokenizer.chat_template:
        shown = tokenizer.apply_chat_template(
            [{"role": "user", "content": _PLACE}], tokenize=False, add_generation_prompt=True
        )
        before, found, after = shown.partition(_PLACE)
        if not found:
            raise SettingsError(
                "the model's chat template doesn't show what a user says; take another model"
            )
        pieces = [
            tuple(tokenizer(text, add_special_tokens=False)["input_ids"])
            for text in (before, after)
        ]
    else:
        bos = tokenizer.bos_token_id
        pieces = [
            () if bos is None else (bos,),
            tuple(tokenizer("\n", add_special_tokens=False)["input_ids"]),
        ]
    return ChatPieces(pieces[0], pieces[1], _end_of(tokenizer, model))


def _end_of(tokenizer: Any, model: Any) -> int:
    named = model.generation_config.eos_token_id
    end = (
        tokenizer.eos_token_id
        if tokenizer.eos_token_id is not None
        else (named[0] if isinstance(named, list) else named)
    )
    if end is None:
        raise SettingsError("the model has no token that ends a reply; take another model")
    return int(end)
