"""LoRA: low-rank matrices beside some of a frozen language model's (LoRA, arXiv:2106.09685), by
peft.

They act within `acting` alone: whoever else has the model gets it as it was.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field
from torch import nn

from dynagrag.core.errors import SettingsError

_QUERY_AND_VALUE = ("q_proj", "v_proj")
_TOGETHER = ("qkv_proj", "query_key_value", "c_attn", "Wqkv", "qkv")
"""Names of a matrix that makes queries, keys and values at once."""
_NUMBERS = count()


@dataclass(frozen=True, slots=True)
class LoraOptions:
    """G-Retriever's: rank 8, alpha 16, dropout 0.05, beside the matrices of queries and values,
    without biases.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", strict=True)

    rank: Annotated[int, Field(gt=0)] = 8
    alpha: Annotated[int, Field(gt=0)] = 16
    dropout: Annotated[float, Field(ge=0, le=1)] = 0.05


class Adapters(nn.Module):
    """The matrices that are learned, in float32, by the names of those that they stand beside."""

    def __init__(self, model: nn.Module, options: LoraOptions) -> None:
        """Raises SettingsError where peft is missing, or the model has no such matrices."""
        super().__init__()
        try:
            from peft import LoraConfig, inject_adapter_in_model
            from peft.tuners.lora import LoraLayer
        except ImportError as err:
            raise SettingsError("LoRA needs peft: pip install 'dynagrag[train,local]'") from err
        name = f"adapter{next(_NUMBERS)}"
        config = LoraConfig(
            r=options.rank,
            lora_alpha=options.alpha,
            lora_dropout=options.dropout,
            target_modules=list(target_modules(model)),
            bias="none",
        )
        learned = [value for value in model.parameters() if value.requires_grad]
        inject_adapter_in_model(config, model, adapter_name=name)
        del model.peft_config  # a mark for whoever injects next
        for value in learned:  # adapters of others, which it freezes
            value.requires_grad_(True)
        self._name = name
        found = {
            path: own
            for path, own in model.named_modules()
            if isinstance(own, LoraLayer) and name in own.lora_A
        }
        self._layers: list[Any] = list(found.values())
        parts = {path.replace(".", "/"): own for path, own in found.items()}
        self.down = nn.ModuleDict({path: own.lora_A[name] for path, own in parts.items()}).float()
        self.up = nn.ModuleDict({path: own.lora_B[name] for path, own in parts.items()}).float()
        self.dropout = nn.ModuleList(own.lora_dropout[name] for own in self._layers)
        self._switch(False)
        for value in self.parameters():
            value.requires_grad_(True)

    @contextmanager
    def acting(self) -> Iterator[None]:
        """Within it the model has these adapters."""
        self._switch(True)
        try:
            yield
        finally:
            self._switch(False)

    def _switch(self, is_on: bool) -> None:
        for layer in self._layers:
            layer._active_adapter = [
                self._name
            ]  # set_adapter would freeze those of others, whose training may go on
            layer._disable_adapters = not is_on


def target_modules(model: nn.Module) -> tuple[str, ...]:
    """The last parts of the names of the matrices that get adapters: of queries and values, or
    those that hold both.
    """
    names = {path.rpartition(".")[2] for path, _ in model.named_modules()}
    if names.issuperset(_QUERY_AND_VALUE):
        return _QUERY_AND_VALUE
    together = [name for name in _TOGETHER if name in names]
    if not together:
        raise SettingsError(
            f"LoRA finds neither {' and '.join(_QUERY_AND_VALUE)} nor {', '.join(_TOGETHER)} in the"
            " model; take another"
        )
    return (together[0],)
