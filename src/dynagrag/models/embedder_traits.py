"""How an embedder makes a vector of its tokens: read from the files that sentence-transformers
writes beside a model, and filled in by the catalogue where they don't tell.

    modules.json                        which modules follow the transformer, and their folders
    1_Pooling/config.json               the pooling
    sentence_bert_config.json           the longest input, else tokenizer_config.json, config.json
    config_sentence_transformers.json   prompts, by their names
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from dynagrag.core.errors import SettingsError

_MAX_TOKENS = 2048
"""Of one window, also of models that take more: attention grows with the square."""
_DEFAULT_MAX_TOKENS = 512
_QUERY_PROMPTS = ("query",)
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")
"""The names of prompts, and their order, are those of sentence-transformers."""
_MODULES = ("Transformer", "Pooling", "Dense", "Normalize")
_ROBERTA_LIKE = ("roberta", "xlm-roberta", "camembert", "mpnet")
"""Their positions begin behind the padding token's, so the last two aren't for text."""


class Pooling(StrEnum):
    """How the tokens' vectors become one."""

    MEAN = "mean"
    CLS = "cls"
    LAST = "last token"
    MAX = "max"


_POOLINGS = {
    "mean": Pooling.MEAN,
    "mean_tokens": Pooling.MEAN,
    "cls": Pooling.CLS,
    "cls_token": Pooling.CLS,
    "lasttoken": Pooling.LAST,
    "max": Pooling.MAX,
    "max_tokens": Pooling.MAX,
}
"""By the names in pooling files, older ones with `pooling_mode_` before them."""


@dataclass(frozen=True, slots=True)
class DenseLayer:
    """A layer behind the pooling: `folder` has its weights, model.safetensors."""

    folder: Path
    is_tanh: bool


@dataclass(frozen=True, slots=True)
class EmbedderTraits:
    """How texts become vectors. Prompts are put before each text; `max_tokens` counts special ones,
    and longer texts are read in windows. All vectors are brought to length one, whatever the files
    say of it. `pooling`: None where nobody tells it. `dense`: layers behind the pooling.
    """

    pooling: Pooling | None
    max_tokens: int = _DEFAULT_MAX_TOKENS
    query_prompt: str = ""
    document_prompt: str = ""
    dense: tuple[DenseLayer, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundTraits:
    """What a folder's files and the catalogue say together. `from_catalogue`: the names of what
    only the catalogue knew.
    """

    traits: EmbedderTraits
    from_catalogue: tuple[str, ...]


def read_traits(folder: Path, known: EmbedderTraits | None) -> FoundTraits:
    """The folder's own words first, `known` where it has none.

    Raises:
        SettingsError: The pooling is of a kind that isn't done here, or a file is damaged.
    """
    pooling = _pooling(folder)
    max_tokens = _max_tokens(folder)
    config = _read_object(folder / "config_sentence_transformers.json")
    prompts = config.get("prompts") or {}
    usual = str(prompts.get(config.get("default_prompt_name"), "") or "")
    missing = [
        name
        for name, lacks in (
            ("pooling", pooling is None),
            ("longest input", max_tokens is None),
            ("prompts", not any(prompts.values())),
        )
        if lacks
    ]
    base = known or EmbedderTraits(None)
    has_prompts = "prompts" not in missing
    traits = EmbedderTraits(
        pooling or base.pooling,
        min(max_tokens or base.max_tokens, _MAX_TOKENS),
        _prompt(prompts, _QUERY_PROMPTS, usual) if has_prompts else base.query_prompt,
        _prompt(prompts, _DOCUMENT_PROMPTS, usual) if has_prompts else base.document_prompt,
        _dense(folder),
    )
    told = known is not None and (known.query_prompt or known.document_prompt)
    return FoundTraits(
        traits,
        tuple(name for name in missing if known is not None and (name != "prompts" or told)),
    )


def no_pooling(folder: Path) -> SettingsError:
    """The error for a model of which nobody tells the pooling."""
    place = folder / "1_Pooling" / "config.json"
    return SettingsError(
        f"{folder} does not say how its tokens' vectors become one (modules.json and"
        " 1_Pooling/config.json): take the whole folder of the model, or, where its page names the"
        f' pooling, write {{"pooling_mode": "mean"}} (or cls, lasttoken) to {place}'
    )


def _prompt(prompts: dict[str, str], names: tuple[str, ...], usual: str) -> str:
    return next((prompts[name] for name in names if prompts.get(name)), usual)


def _steps(folder: Path) -> list[tuple[str, str]]:
    """The kinds of the modules and their folders."""
    modules = _read(folder / "modules.json") or []
    return [
        (str(module.get("type", "")).rpartition(".")[2], str(module.get("path", "")))
        for module in modules
        if isinstance(module, dict)
    ]


def _dense(folder: Path) -> tuple[DenseLayer, ...]:
    layers = []
    for place in (folder / path for kind, path in _steps(folder) if kind == "Dense"):
        activation = str(_read_object(place / "config.json").get("activation_function", ""))
        name = activation.rpartition(".")[2] or "Tanh"  # the library's own default
        if name not in ("Tanh", "Identity"):
            raise SettingsError(
                f"{place / 'config.json'} names the activation {name}, which isn't done without"
                f" torch: pip install '.[local]' and write torch:{folder}"
            )
        layers.append(DenseLayer(place, name == "Tanh"))
    return tuple(layers)


def _pooling(folder: Path) -> Pooling | None:
    """None where no file tells."""
    steps = _steps(folder)
    by_torch = f"isn't done without torch: pip install '.[local]' and write torch:{folder}"
    if other := [kind for kind, _ in steps if kind not in _MODULES]:
        raise SettingsError(
            f"{folder} has the module {other[0]} behind its pooling (modules.json), which"
            f" {by_torch}"
        )
    place = next((path for kind, path in steps if kind == "Pooling"), "1_Pooling")
    config = _read_object(folder / place / "config.json")
    if not config:
        return None
    if config.get("include_prompt") is False:
        raise SettingsError(
            f"{folder} leaves its prompt out of the pooling ({place}/config.json), which {by_torch}"
        )
    modes = [
        str(name).removeprefix("pooling_mode_")
        for name, value in config.items()
        if value is True and str(name).startswith("pooling_mode_")
    ]
    modes = modes or [str(config.get("pooling_mode", ""))]
    if len(modes) != 1 or modes[0] not in _POOLINGS:
        raise SettingsError(
            f"{folder / place / 'config.json'} names the pooling {' and '.join(modes)!r}; done here"
            " are mean, cls, lasttoken and max, one of them"
        )
    return _POOLINGS[modes[0]]


def _max_tokens(folder: Path) -> int | None:
    """The shortest of what the files say; None where they don't."""
    config = _read_object(folder / "config.json")
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and config.get("model_type") in _ROBERTA_LIKE:
        positions -= 2
    limits = [
        _read_object(folder / "sentence_bert_config.json").get("max_seq_length"),
        _read_object(folder / "tokenizer_config.json").get("model_max_length"),
        positions,
    ]
    own = [int(limit) for limit in limits if isinstance(limit, int | float) and limit > 0]
    return min(own, default=None)


def _read_object(path: Path) -> dict[str, Any]:
    found = _read(path)
    if not isinstance(found, dict):
        raise SettingsError(f"{path} is damaged (no object); fetch the model's folder anew")
    return found


def _read(path: Path) -> Any:
    """What a JSON file holds; an empty dict where there is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except OSError as err:
        raise SettingsError(f"{path} could not be read: {err.strerror or err}") from err
    try:
        return json.loads(text)
    except ValueError as err:
        raise SettingsError(f"{path} is damaged ({err}); fetch the model's folder anew") from err
