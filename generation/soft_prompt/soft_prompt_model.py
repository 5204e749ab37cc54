"""A frozen language model with what is learned before it: graph tokens, virtual tokens, or adapters
(G-Retriever; GRAG).
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import torch
from pydantic import ConfigDict, Field
from torch import Tensor, nn
from torch.nn import functional

from dynagrag.generation.soft_prompt.adapters import Adapters, LoraOptions
from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions, GraphEncoder
from dynagrag.generation.soft_prompt.language_model import LanguageModel
from dynagrag.generation.soft_prompt.prompt_layout import IGNORED, LaidOut, LayoutOptions, lay_out
from dynagrag.generation.soft_prompt.soft_example import SoftExample, batch_graphs
from dynagrag.models.memory_errors import within_memory

MAX_PROJECTION, MAX_VIRTUAL = 65_536, 4_096
"""Far beyond the papers' 2048 and 10."""
_SMALLER = (
    "train with smaller sizes (--width, --layers, --projector-width), or free some of the machine's"
)


@dataclass(frozen=True, slots=True)
class SoftPromptOptions:
    """`encoder` None: no graph token. `num_virtual`: tokens that are learned as they are, the same
    for all questions. `has_text`: the description stands in the prompt too. `projection`: width of
    the projector's middle (the papers' 2048), 0: none, and the encoder's own width is the language
    model's. `lora` None: the language model stays as it is.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", strict=True)

    encoder: EncoderOptions | None = None
    num_virtual: Annotated[int, Field(ge=0, le=MAX_VIRTUAL)] = 0
    has_text: bool = True
    projection: Annotated[int, Field(ge=0, le=MAX_PROJECTION)] = 512
    lora: LoraOptions | None = None
    layout: LayoutOptions = field(default_factory=LayoutOptions)


@dataclass(frozen=True, slots=True)
class SoftModelReply:
    """The model's reply, with the numbers of tokens of its input, soft ones included, and of the
    reply.
    """

    text: str
    prompt_tokens: int
    reply_tokens: int


class SoftTokens(nn.Module):
    """All that is learned: virtual tokens, the encoder and projector that make a question's graph
    token, and adapters.
    """

    adapters: Adapters | None

    def __init__(self, options: SoftPromptOptions, width: int, scale: float) -> None:
        """`width`: of the language model's embeddings; `scale`: their standard deviation, with
        which virtual tokens begin.
        """
        super().__init__()
        self.options = options
        self._width = width
        self.adapters = None
        if options.num_virtual:
            self.virtual = nn.Parameter(scale * torch.randn(options.num_virtual, width))
        if options.encoder is not None:
            self.encoder = GraphEncoder(options.encoder)
            self.projector: nn.Module = nn.Identity()
            if options.projection:
                self.projector = nn.Sequential(
                    nn.Linear(options.encoder.width, options.projection),
                    nn.Sigmoid(),
                    nn.Linear(options.projection, width),
                )

    def forward(self, examples: Sequence[SoftExample]) -> Tensor:
        """(b, s, width): the virtual tokens, then the graph token: the mean over an example's
        graphs, each pooled by itself, projected.
        """
        device = next((value.device for value in self.parameters()), torch.device("cpu"))
        tokens = [torch.zeros(len(examples), 0, self._width, device=device)]
        if self.options.num_virtual:
            tokens.append(self.virtual.expand(len(examples), -1, -1))
        if self.options.encoder is not None:
            batch = batch_graphs(examples, self.options.encoder.dimension).to(device)
            pooled = self.encoder(batch)
            sums = pooled.new_zeros(len(examples), pooled.shape[1]).index_add(
                0, batch.owner, pooled
            )
            counts = torch.bincount(batch.owner, minlength=len(examples)).unsqueeze(1)
            tokens.append(self.projector(sums / counts).unsqueeze(1))
        return torch.cat(tokens, dim=1)


class SoftPromptModel:
    """Soft tokens before a language model."""

    def __init__(self, lm: LanguageModel, options: SoftPromptOptions) -> None:
        """Raises ModelError where they don't fit into memory."""
        self.lm = lm
        self.options = options
        with within_memory(f"what is learned before {lm.name}", _SMALLER):
            scale = float(lm.model.get_input_embeddings().weight.float().std())
            self.tokens = SoftTokens(options, lm.width, scale)
            if options.lora is not None:
                self.tokens.adapters = Adapters(lm.model, options.lora)
            self.tokens.to(lm.device)

    def loss(self, examples: Sequence[SoftExample]) -> Tensor:
        """The mean cross-entropy over the tokens of labels and their ends."""
        laid = self._laid_out(examples, has_labels=True)
        num_kept = int(
            (laid.targets != IGNORED).sum(dim=1).max()
        )  # labels stand at the end of all rows
        length = laid.targets.shape[1]
        with self._adapted():
            logits = self.lm.model(
                inputs_embeds=laid.embeddings,
                attention_mask=_attention_mask(laid, self.lm.model.config),
                position_ids=_positions(laid),
                logits_to_keep=torch.arange(
                    length - 1 - num_kept, length - 1, device=laid.targets.device
                ),  # each says the next token
                use_cache=False,
            ).logits
        targets = laid.targets[:, -num_kept:]
        return functional.cross_entropy(
            logits.reshape(-1, logits.shape[-1]).float(), targets.reshape(-1), ignore_index=IGNORED
        )

    def num_learned(self, examples: Sequence[SoftExample]) -> int:
        """The tokens over which `loss` is the mean."""
        return sum(
            len(self.lm.ids(example.label, self.options.layout.max_label)) + 1
            for example in examples
        )

    def length(self, example: SoftExample) -> int:
        """The tokens of an example's own texts."""
        text = (
            self.lm.ids(example.description, self.options.layout.max_description)
            if self.options.has_text
            else []
        )
        return (
            len(text)
            + len(self.lm.ids(example.question))
            + len(self.lm.ids(example.label, self.options.layout.max_label))
        )

    def answers(self, examples: Sequence[SoftExample]) -> list[str]:
        """The model's reply to each, greedily, up to its end."""
        return [reply.text for reply in self.replies(examples)]

    def replies(self, examples: Sequence[SoftExample]) -> list[SoftModelReply]:
        """The same, with what it took."""
        self.tokens.eval()
        with torch.no_grad(), self._adapted():
            laid = self._laid_out(examples, has_labels=False)
            made = self.lm.model.generate(
                inputs_embeds=laid.embeddings,
                attention_mask=laid.mask,
                max_new_tokens=self.options.layout.max_reply,
                do_sample=False,  # and nothing else of what a model's own settings would have
                temperature=None,
                top_p=None,
                top_k=None,
                num_beams=1,
                repetition_penalty=1.0,
                no_repeat_ngram_size=0,
                eos_token_id=self.lm.ends,
                pad_token_id=self.lm.pad,
            )
        texts: list[str] = self.lm.tokenizer.batch_decode(made, skip_special_tokens=True)
        lengths = [
            next((at for at, token in enumerate(row, 1) if token in self.lm.ends), len(row))
            for row in made.tolist()
        ]
        read = laid.mask.sum(dim=1).tolist()
        return [
            SoftModelReply(text.strip(), *tokens)
            for text, *tokens in zip(texts, read, lengths, strict=True)
        ]

    def text_read(self, example: SoftExample) -> str:
        """The part of an example's description that stands in the prompt."""
        return (
            self.lm.cut(example.description, self.options.layout.max_description)
            if self.options.has_text
            else ""
        )

    def masks(self, example: SoftExample) -> list[tuple[list[float], list[float]]]:
        """Masks of soft pruning for the nodes and edges of each of an example's graphs, from 0 to
        1; none where nothing is pruned.
        """
        encoder = self.options.encoder
        if encoder is None or not encoder.is_pruned or not example.graphs:
            return []
        batch = batch_graphs([example], encoder.dimension).to(self.lm.device)
        with torch.no_grad():
            nodes, edges = (part.squeeze(1).tolist() for part in self.tokens.encoder.masks(batch))
        made = []
        for graph in example.graphs:
            made.append((nodes[: len(graph.x)], edges[: len(graph.y)]))
            nodes, edges = nodes[len(graph.x) :], edges[len(graph.y) :]
        return made

    def _adapted(self) -> AbstractContextManager[None]:
        return nullcontext() if self.tokens.adapters is None else self.tokens.adapters.acting()

    def _laid_out(self, examples: Sequence[SoftExample], has_labels: bool) -> LaidOut:
        soft = self.tokens(examples)
        return lay_out(
            self.lm,
            examples,
            soft,
            self.options.layout,
            has_text=self.options.has_text,
            has_labels=has_labels,
        )


def _positions(laid: LaidOut) -> Tensor:
    """Places counted from each row's first token that isn't padding, as `generate` counts them."""
    return (laid.mask.cumsum(dim=1) - 1).clamp(min=0)


def _attention_mask(laid: LaidOut, config: Any) -> Tensor:
    """(b, 1, s, s), added to attention's scores: the lowest number of the type where the key is
    padding or comes later. Models with sliding windows make their own masks, from (b, s).
    """
    # On an H200 (torch 2.11, bfloat16) every training met a NaN loss within two epochs, on CPUs
    # none does. Masks of minus infinity leave padding at the left without any key, a case in which
    # fused kernels differ. Not yet seen on a GPU: whether this mask mends it.
    kinds = set(getattr(config, "layer_types", None) or ())
    if getattr(config, "sliding_window", None) or kinds - {"full_attention"}:
        return laid.mask
    length = laid.mask.shape[1]
    is_past = torch.ones(length, length, dtype=torch.bool, device=laid.mask.device).tril()
    is_seen = is_past & laid.mask.bool()[:, None, None, :]
    lowest = torch.finfo(laid.embeddings.dtype).min
    return torch.zeros_like(is_seen, dtype=laid.embeddings.dtype).masked_fill(~is_seen, lowest)
